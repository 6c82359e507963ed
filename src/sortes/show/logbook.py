"""A journal in a terminal: one entry after the other, scenes apart."""

from __future__ import annotations

from sortes.show.journal import Item, Journal, Play
from sortes.show.terminal import Ink, clean, marked, wrapped


def listed(
    journal: Journal, pen: Ink, *, mechanics: bool = True, most: int | None = None, after: int = 0
) -> list[str]:
    """The items of a journal that went on behind the entry `after`, or the last `most` of them."""
    items = [item for item in journal.items if item.last > after and (mechanics or told(item))]
    out: list[str] = []
    for item in items[-most:] if most else items:
        if item.kind == "scene" and out:
            out.append("")
        out += entry(item, pen, mechanics)
    return out


def told(item: Item) -> bool:
    """Whether an item belongs to the story."""
    if item.play:
        return not item.struck and item.play.result is not None and bool(item.play.question)
    return not item.struck and bool(item.story or item.body)


def entry(item: Item, pen: Ink, mechanics: bool = True) -> list[str]:
    """One item: its number, who, and what."""
    number = f"{item.number:>5}  "
    hang = " " * 7
    if item.play:
        lines = _play(item, item.play, pen, mechanics)
    elif item.kind == "scene":
        return [f"{pen(number, 'dim')}{pen(clean(item.said), 'bold')}"]
    else:
        body = clean(item.body) or clean(item.said if mechanics else item.story)
        by = (
            f"{clean(item.who)}: "
            if item.body and item.who
            else f"{clean(item.who)} "
            if item.said[:1].islower()
            else ""
        )
        lines = wrapped(f"{by}{body}{_aside(item)}", pen.width, hang)
    first = lines[0][7:] if lines else ""
    return [f"{pen(number, 'dim')}{first}", *lines[1:]]


def _aside(item: Item) -> str:
    notes = [note for note in (item.secret, item.struck) if note]
    return f" ({'; '.join(notes)})" if notes else ""


def _play(item: Item, play: Play, pen: Ink, mechanics: bool) -> list[str]:
    hang = " " * 7
    who = clean(play.character or item.who)
    lines = wrapped(f"{who}: {clean(play.title)}{_aside(item)}", pen.width, hang)
    if mechanics:
        for one in play.thrown:
            lines += wrapped(one, pen.width, hang + "  ")
        for one in play.choices:
            lines += wrapped(one, pen.width, hang + "  ")
    if play.result:
        said = play.result
        head = f"{hang}{marked(pen, said.mark)} {pen(clean(said.title), 'bold')}"
        facts = ", ".join(f"{name} {what}".strip() for name, what in play.effects) if mechanics else ""
        why = f"{clean(said.why)} " if said.why and mechanics else ""
        facts = facts if mechanics else clean(" ".join(play.tells))
        lines.append(head)
        if why or facts:
            lines += wrapped(f"{why}{facts}".strip(), pen.width, hang + "  ")
    if play.waits:
        lines += wrapped(
            f"waits: {play.waits} ({play.id})" if mechanics else "not decided yet", pen.width, hang + "  "
        )
    if play.ended:
        lines += wrapped(f"ended: {clean(play.ended)}", pen.width, hang + "  ")
    if play.corrected:
        lines += wrapped(clean(play.corrected), pen.width, hang + "  ")
    return lines
