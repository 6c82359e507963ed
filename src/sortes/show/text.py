"""Throws, odds and results as plain lines: for narrow places, logs and whoever hears instead of seeing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sortes.core.chance import Thrown
from sortes.show import words

MOST = 60  # faces that are listed one by one


def thrown(event: Mapping[str, Any]) -> list[Thrown]:
    """The throws of an event, as the engine has them."""
    out: list[Thrown] = []
    for item in event["groups"]:
        if item["kind"] == "shuffled":
            continue
        name, faces = item["name"].partition(f"-{event['play']}")[0], tuple(item["faces"])
        kept = tuple(item.get("kept", faces))
        if out and item["kind"] == "cards" and out[-1].name == name:  # the deck was shuffled on the way
            faces, kept = (*out[-1].faces, *faces), (*out[-1].kept, *kept)
            out.pop()
        out.append(Thrown(item["kind"], name, faces, kept, item.get("by", "")))
    return out


def faces(thrown: Thrown) -> str:
    """The faces in thrown order; those that did not count stand in brackets."""
    said = []
    for one, counts in zip(thrown.faces[:MOST], words.kept(thrown), strict=False):
        text = words.shown(thrown, one)
        said.append(text if counts else f"({text})")
    if len(thrown.faces) > MOST:
        counting = ", ".join(words.shown(thrown, one) for one in thrown.kept[:MOST])
        more = f"and {len(thrown.faces) - MOST} more"
        said.append(f"{more}; what counts: {counting}" if len(thrown.kept) < MOST else more)
    return " ".join(said)


def throw(thrown: Thrown, name: str | None = None) -> str:
    """One throw in a line: "Boon: 20 (6)"."""
    name = words.caption(thrown) if name is None else name
    return f"{name}: {faces(thrown)}" if name else faces(thrown)


def merged(throws: Sequence[Thrown], names: Sequence[str]) -> list[tuple[str, Thrown]]:
    """Throws with their names; of what is thrown again and again in a row, one throw is made."""
    out: list[tuple[str, Thrown]] = []
    for thrown, name in zip(throws, names, strict=True):
        if out and out[-1][0] == name and (out[-1][1].kind, out[-1][1].name) == (thrown.kind, thrown.name):
            last = out[-1][1]
            both = Thrown(
                last.kind, last.name, (*last.faces, *thrown.faces), (*last.kept, *thrown.kept), last.by
            )
            if words.kept(both) == words.kept(last) + words.kept(thrown):
                out[-1] = name, both
                continue
        out.append((name, thrown))
    return out
