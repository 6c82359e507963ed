"""What was in secret and is shown later: in its own table, and in one that is made of an exported log.

Every seat numbers what it has seen, so what is shown late has another place for each. It is kept with the table's own
number of each event, and with how many events there had been for every audience; `log.shown` makes places of that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from sortes.table import sheets
from sortes.table.log import Counts, Event, audience
from sortes.table.view import Hidden, Known


def unveiled(known: Known, play: str, history: Iterable[tuple[int, Event]]) -> Event:
    """What a `revealed` event says of a play in secret; `history` are the table's events from behind its first."""
    hidden = known.hidden[play]
    told: list[Event] = []
    earlier: list[Event] = []
    would: dict[str, sheets.Sheets] = dict(
        hidden.sheets
    )  # what sheets would be if all had seen it in its time
    counts, throws = dict(hidden.counts), 0
    for number, event in history:
        of_play = play in (event.get("play"), event.get("of")) or event.get("deck", "").endswith(f"-{play}")
        its_own = event["kind"] == "committed" and event["stretch"] == hidden.stretch
        if event.get("to") is not None and event["kind"] != "blind" and (of_play or its_own):
            if event["kind"] == "throw":
                event = with_stays(event, throws, hidden)
                throws += 1
            told.append({"at": [number, 0], "counts": dict(counts), "event": event})
        earlier += event.get("_events", ())
        if number > hidden.begun and (event.get("to") is None or of_play):
            for change in event.get("changes", ()):
                would = sheets.applied(would, change) if change["at"][0] in would else would
        _count(counts, event)
    gone = {deck: cards for deck, cards in hidden.gone.items() if cards}
    now = {id: one.sheets for id, one in known.seen[""].characters.items()}
    changes = [c for id in would if id in now for c in sheets.between(id, now[id], would[id])]
    more: Event = {**({"gone": gone} if gone else {}), **({"changes": changes} if changes else {})}
    return {"_events": told, "_earlier": near(earlier, told), **more}


def with_stays(event: Event, n: int, hidden: Hidden) -> Event:
    """A throw with how many shuffles its cards stayed out of while they were hidden."""
    groups = []
    for i, item in enumerate(event["groups"]):
        many = hidden.stays.get(f"{n}.{i}", 0)
        groups.append({**item, "stays": many} if many else item)
    return {**event, "groups": groups}


def near(earlier: Iterable[Event], told: Iterable[Event]) -> list[Event]:
    """The places of what was shown earlier, as far as some seat may have it behind the same number as what is told
    now: where no event lies between that all have seen."""
    open_ = {one["counts"].get("", 0) for one in told}
    return [
        {"at": one["at"], "counts": one["counts"], "to": one["event"].get("to")}
        for one in earlier
        if one["counts"].get("", 0) in open_
    ]


def rebuilt(log: Iterable[Event]) -> list[Event]:
    """The events of an exported log as those of a table of its own: what other seats did not see is hidden from them
    there too, and what is shown late has its place for each."""
    events = list(log)
    rows: dict[int, list[Event]] = {}  # what the log shows late, by the number that it truly came behind
    for event in events:
        for one in event.get("events", ()) if event["kind"] == "revealed" else ():
            row = rows.setdefault(one["after"], [])
            row.insert(len(row) - one.get("before", 0), one)
    at = {id(one): [after, i] for after, row in rows.items() for i, one in enumerate(row, 1)}
    known = Known()
    counts: Counts = {}
    behind: dict[int, Counts] = {}
    out: list[Event] = []
    late: list[Event] = []
    for number, event in enumerate(events, 1):
        if event["kind"] == "shuffled":
            event = _hushed(known, event)
        elif event["kind"] == "throw":
            event = {**event, "groups": [_hushed(known, one, event["play"]) for one in event["groups"]]}
        elif event["kind"] == "revealed" and "events" in event:
            told = [
                {"at": at[id(one)], "counts": behind[one["after"]], "event": {**one["event"], "to": []}}
                for one in event.pop("events")
            ]
            event |= {"_events": told, "_earlier": near(late, told), "_new": True}
        elif event["kind"] == "revealed":
            hidden = known.hidden.get(event["play"])
            first = hidden.number if hidden else 0
            more = unveiled(known, event["play"], enumerate(out[first:], first + 1)) if hidden else {}
            event |= {"_events": [], "_earlier": [], **more}
        out.append(event)
        late += event.get("_events", ())
        _count(counts, event)
        if number in rows:
            behind[number] = dict(counts)
        known.take(msgspec.json.decode(msgspec.json.encode(event)))
    return out


def _hushed(known: Known, item: Event, play: str = "") -> Event:
    """A shuffle as it was before it was told to one seat: cards that others do not know of are named apart."""
    if item["kind"] != "shuffled" or not item.get("out"):
        return item
    lies = [
        (one.to, one.out[item["deck"]])
        for one in known.all.plays.values()
        if one.to is not None and one.play != play and one.out.get(item["deck"])
    ]
    out: Counter[str] = Counter(item["out"])
    hidden = [[to, cards] for to, cards in lies if not Counter(cards) - out]
    for _, cards in hidden:
        out -= Counter(cards)
    return {**item, "out": list(out.elements()), "_hidden": hidden} if hidden else item


def _count(counts: Counts, event: Mapping[str, object]) -> None:
    name = audience(event)
    counts[name] = counts.get(name, 0) + 1


__all__ = ["rebuilt", "unveiled"]
