"""A journal in Solo TTRPG Notation, which is called Lonelog by now: a log of play that is short, plain and searched
with ease.

The notation is Roberto Bisceglie's (see CREDITS.md). What is used of it: `S1` for scenes, `@` for what somebody does
(`@(Mara)`, where it is known who), `?` for what the world is asked, `d:` for dice and cards, `->` for what they say,
`=>` for what follows, tags in brackets for people, threads and clocks, and `(note: …)` for all that is not the story.
It is in the form for notebooks: plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from sortes.core.chance import Thrown
from sortes.show import logbook, phrases, text, words
from sortes.show.journal import Item, Journal, Note, Play, Result, Scene, day

Block: TypeAlias = list[str]  # lines that stand together

SIGNS = re.compile(r"[@?!=\[(\\]|->|(?:d|tbl|gen)\b|[ST]\d|#|-{3}")  # what begins a line of the notation
TAG = str.maketrans({"[": "(", "]": ")", "|": "/", "\\": "/"})
ON_SHEET = ("Strain", "Renown", "Aura")  # effects that a character keeps


def line(said: str) -> str:
    """Words as a line of prose: what would be read as a sign of the notation stands in quotation marks."""
    return f"“{said}”" if SIGNS.match(said) else said


def tag(kind: str, *parts: str) -> str:
    """A tag, with nothing in its parts that would end them."""
    return f"[{kind}:{'|'.join(part.translate(TAG) for part in parts if part)}]"


def written(journal: Journal, *, mechanics: bool = True) -> str:
    """The whole journal. Without `mechanics` it is the story alone: no dice, cards, numbers or rules."""
    return "".join(_joined(_blocks(journal, mechanics)))


def _joined(blocks: Iterator[Block]) -> Iterator[str]:
    """Blocks with a blank line between them; tags and notes in a row stand together."""
    before: Block = []
    for block in blocks:
        if before:
            yield "\n" if len(before) == len(block) == 1 and before[0][0] == block[0][0] in "[(" else "\n\n"
        yield "\n".join(block)
        before = block
    yield "\n"


def _blocks(journal: Journal, mechanics: bool) -> Iterator[Block]:
    yield _header(journal, mechanics)
    sessions, session = journal.sessions(), 0
    for item in journal.items:
        if item.quiet or not logbook.told(item, mechanics):
            continue
        if item.session > session:
            session = item.session
            yield [f"=== Session {session} ===", f"[Date]         {day(sessions[session])}"]
        yield from _item(item, mechanics)
    if standing := _standing(journal, mechanics):
        yield ["=== How things stand ===", *standing]


def _header(journal: Journal, mechanics: bool) -> Block:
    names = [*(f"{one} (game master)" for one in journal.masters), *journal.players]
    rows = [("Title", journal.title), ("Players", ", ".join(names))]
    rows += [("Ruleset", ", ".join(journal.systems))] if mechanics and journal.systems else []
    for name, whose, sheets in journal.cast:
        kept = [f"{label} {said}" for _, lines in sheets for label, said in lines] if mechanics else []
        rows.append(("PCs" if whose else "NPCs", tag("PC" if whose else "N", name, *kept)))
    rows += [("Start Date", day(journal.first)), ("Last Update", day(journal.last))]
    return [f"=== Campaign Log: {journal.title} ===", *(f"{f'[{name}]':<14} {said}" for name, said in rows)]


def _item(item: Item, mechanics: bool) -> Iterator[Block]:
    if isinstance(item, Play):
        yield list(_play(item, mechanics))
    elif item.undone:
        yield [f"(note: {logbook.sentence(item, mechanics)})"]
    elif isinstance(item, Scene):
        title = item.title.replace("*", "’")
        yield [f"S{item.n}{f' *{title}*' if title else ''}"]
        if item.brought and mechanics:
            yield [f"(note: {item.brought})"]
    elif isinstance(item, Note):
        by = "" if item.by_master else f"{line(item.who)}: "
        for i, lines in enumerate(item.paragraphs):
            yield [f"{by if i + j == 0 else ''}{line(one)}" for j, one in enumerate(lines)]
        yield from ([one] for one in _asides(item, mechanics))
    else:
        yield [*_written(item, mechanics), *_asides(item, mechanics)]


def _written(item: Item, mechanics: bool) -> Block:
    """What people wrote as a tag, where the notation has one; all else as a note."""
    if item.kind == "thread" and item.stands:
        return [tag("Thread", item.title, item.stands.capitalize())]
    if item.kind == "clock" and item.stands and mechanics:
        return [tag("Clock", f"{item.title} {item.stands}")]
    if item.kind == "ledger" and item.title and mechanics:
        return [tag("N", item.title, item.stands)]
    if item.kind == "question" and item.title and item.story:
        return [f"? {item.title}", *([f"-> {item.stands}"] if item.stands else [])]
    said = item.said if mechanics else item.story
    return [f"(note: {item.who} {said})" if item.who else f"(note: {said})"]


def _asides(item: Item, mechanics: bool) -> Iterator[str]:
    yield from (f"(note: {one})" for one in logbook.asides(item, mechanics))


# ---- plays ----------------------------------------------------------------------------------------


def _play(play: Play, mechanics: bool) -> Iterator[str]:
    asks = play.rule_id in phrases.ORACLES
    doer = f"({play.doer.translate(TAG)})" if play.doer else ""
    asked = play.question or (play.deed if mechanics else play.tried)
    if play.struck:
        yield f"(note: {logbook.sentence(play, mechanics)})"
        return
    yield f"? {asked}{f' {doer}' if doer else ''}" if asks else f"@{doer} {asked}"
    yield from _asides(play, mechanics)
    of_task = logbook.of_task(play)
    if mechanics:
        yield from (f"(round {i}: {one})" for i, one in enumerate(logbook.rounds(play), 1))
    rolls = ", ".join(_roll(name, one) for name, one in play.drawn) if mechanics and not of_task else ""
    how = ", ".join(filter(None, (play.asked, rolls))) if mechanics else ""
    result = play.result if mechanics else play.now
    if asks or not how:
        yield from (
            [f"-> {result.said.title}{f' ({how})' if how else ''}"] if result else [f"d: {how}"] * bool(how)
        )
    else:
        yield f"d: {how}{f' -> {result.said.title}' if result else ''}"
    if mechanics:
        yield from (f"(choice: {one})" for one in logbook.choices(play))
    if result:
        yield from _follows(play, result, mechanics)
    yield from _after(play, mechanics)


def _after(play: Play, mechanics: bool) -> Iterator[str]:
    """What became of a play besides: set right, ended, or not over yet."""
    for one in play.corrections if mechanics else ():
        yield f"(note: {one.who} corrects it{f': {one.text}' if one.text else ''})"
        if one.result:
            yield f"-> {one.result.said.title}"
            yield from _follows(play, one.result, mechanics)
    if play.ended:
        yield f"(note: {play.ended})"
    if play.waits:
        yield f"(note: it waits. {play.waits})" if mechanics else "(note: not over yet)"


def _follows(play: Play, result: Result, mechanics: bool) -> Iterator[str]:
    """What a result brings; what a character keeps of it as a tag."""
    if not mechanics:
        yield from (f"=> {said}" for said in result.story or ())
        return
    if result.said.why and result.story:
        yield from (f"=> {said}" for said in result.story if said == result.said.why)
    for label, said in result.effects:
        if play.doer and label in ON_SHEET:
            yield f"=> {tag('PC', play.doer, label + said.replace('−', '-'))}"
        elif play.doer and label == "Luck spent":
            yield f"=> {tag('PC', play.doer, f'Luck-{said}')}"
        else:
            yield f"=> {label}: {said}" if said.endswith((".", "!", "?")) else f"=> {label} {said}".rstrip()


def _roll(name: str, thrown: Thrown) -> str:
    """A throw: draw=Qs 10h, or 3d8=7 [7, 3d, 2d], where a d marks what did not count."""
    faces = [_card(thrown, one) for one in thrown.faces[: text.MOST]]
    more = [f"and {len(thrown.faces) - text.MOST} more"] if len(thrown.faces) > text.MOST else []
    if thrown.kind == "cards" or len(thrown.kept) == len(thrown.faces):
        return f"{name or 'draw'}={' '.join([*faces, *more])}"
    marked = [one + "d" * (not counts) for one, counts in zip(faces, words.kept(thrown), strict=False)]
    counted = " ".join(_card(thrown, one) for one in thrown.kept[: text.MOST])
    return f"{name}={counted} [{', '.join([*marked, *more])}]"


def _card(thrown: Thrown, one: Any) -> str:
    """A face: suits by their letters, 0H as 10h."""
    if found := words.CARD.fullmatch(str(one)):
        rank, suit = found.groups()
        return f"{'10' if rank == '0' else rank}{suit.lower()}"
    return {"Xr": "RJkr", "Xb": "BJkr"}.get(str(one)) or words.shown(thrown, one)


# ---- how things stand -----------------------------------------------------------------------------


def _standing(journal: Journal, mechanics: bool) -> Block:
    rows = [tag("Thread", title, "Open") for title, is_open in journal.threads if is_open]
    for title, filled, size in journal.clocks:
        rows.append(tag("Clock", f"{title} {filled}/{size}") if mechanics else f"(clock: {title})")
    rows += [f"? {asked}" for asked, answer in journal.questions if not answer]
    return rows + ([tag("N", name, shown) for name, shown in journal.ledger] if mechanics else [])


__all__ = ["line", "tag", "written"]
