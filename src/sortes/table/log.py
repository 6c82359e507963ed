"""The log of a table: what an event is, and who may see it.

An event is a plain mapping with a `kind`, kept as canonical JSON. `to` names who sees it: missing, everybody; else a
list of seats, "gm" for whoever is game master; an empty one, nobody yet. What its keys mean is in docs/table.md; those
that a verifier reads are in docs/fairness.md. Keys that begin with "_" are the table's own and are shown to nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]
Audience: TypeAlias = list[str] | None  # seats and "gm"; none: everybody
Counts: TypeAlias = dict[str, int]  # how many events there have been, by audience

GM = "gm"
EVERYTHING = None  # the keys of the table itself, which sees all there is


def audience(event: Mapping[str, Any]) -> str:
    """The name under which events with the same audience are counted; "" for all."""
    to = event.get("to")
    return "" if to is None else "+".join(sorted(to)) or "-"


def sees(keys: Collection[str] | None, to: Audience) -> bool:
    """Whether a seat with these keys (its id, and "gm") may see what goes to this audience."""
    return keys is EVERYTHING or to is None or any(key in to for key in keys)


def count(counts: Counts, keys: Collection[str] | None) -> int:
    """How many of the events so far a seat has seen: the number of its last one. No gap tells of what it has not."""
    return sum(
        n for name, n in counts.items() if not name or keys is None or any(k in name.split("+") for k in keys)
    )


def shown(event: Event, keys: Collection[str] | None) -> Event | None:
    """An event as a seat with these keys sees it, or None. The only way in which an event leaves the table."""
    if not sees(keys, event.get("to")):
        return None
    kind = event["kind"]
    if keys is EVERYTHING:
        return event
    if kind == "throw":
        return {**_plain(event), "groups": [_group(item, keys) for item in event["groups"]]}
    if kind == "shuffled":
        return _group(event, keys)
    if kind == "revealed":
        return _revealed(event, keys)
    return _plain(event)


def _plain(event: Event) -> Event:
    return {key: value for key, value in event.items() if key[0] != "_"}


def _group(item: Event, keys: Collection[str]) -> Event:
    """A group of a throw. Numbers that were drawn for cards are left out, since each tells how many cards were left,
    and so of draws in secret; with the secret opened they follow from the log. Cards that stay out of a shuffle are
    told to whom they were dealt."""
    out = _plain(item)
    if item["kind"] == "cards":
        out.pop("drawn", None)
    elif item["kind"] == "shuffled":
        hidden = [card for to, cards in item.get("_hidden", ()) if sees(keys, to) for card in cards]
        out["out"] = [*item.get("out", ()), *hidden]
    return out


def _revealed(event: Event, keys: Collection[str]) -> Event:
    """A reveal, with the events that were hidden from this seat and the place of each among what it had seen: behind
    which number, and before how many that were revealed earlier with the same one."""
    new = [one for one in event["_events"] if not sees(keys, one["event"].get("to"))]
    out = _plain(event)
    if not new:
        return {key: value for key, value in out.items() if key not in ("gone", "changes")}
    earlier = [
        (one["at"], count(one["counts"], keys)) for one in event["_earlier"] if not sees(keys, one["to"])
    ]
    out["events"] = []
    for one in new:
        told = shown({key: value for key, value in one["event"].items() if key != "to"}, keys)
        after = count(one["counts"], keys)
        before = sum(at > one["at"] and place == after for at, place in earlier)
        out["events"].append({"after": after, "event": told, **({"before": before} if before else {})})
    return out


__all__ = ["EVERYTHING", "GM", "Audience", "Counts", "Event", "audience", "count", "sees", "shown"]
