"""A journal as a session report in Markdown, for people and for vaults that read front matter, such as Obsidian's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from sortes.show import logbook, phrases
from sortes.show.journal import Correction, Item, Journal, Note, Play, Result, day, long_day
from sortes.show.terminal import MARKS

# Obsidian reads more than Markdown has: == marks, %% hides, $ is a formula, [[ ]] leads to or shows another note.
SPECIAL = re.compile(r"[\\`*_{}\[\]|#~$^=%]")
START = re.compile(r"^(?:[-+:]|\d+(?=[.)]))")
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def plain(said: str) -> str:
    """Words within a line, in which Markdown, Obsidian and HTML read nothing but words."""
    return re.sub("[&<>]", lambda m: ENTITIES[m[0]], SPECIAL.sub(r"\\\g<0>", said))


def led(line: str) -> str:
    """A line that begins with such words: they begin no list and no heading."""
    return START.sub(lambda m: m[0] + "\\" if m[0].isdigit() else "\\" + m[0], line)


def written(journal: Journal, *, mechanics: bool = True) -> str:
    """The whole report. Without `mechanics` it is the story alone: no dice, cards, numbers or rules."""
    return "".join(_joined(_blocks(journal, mechanics)))


def _joined(blocks: Iterator[str]) -> Iterator[str]:
    """Blocks with a blank line between them; the lines of a list stand together."""
    before = ""
    for block in blocks:
        if before:
            yield "\n" if before.startswith("- ") and block.startswith("- ") else "\n\n"
        yield block
        before = block
    yield "\n"


def _blocks(journal: Journal, mechanics: bool) -> Iterator[str]:
    yield _front(journal, mechanics)
    yield f"# {plain(journal.title)}"
    names = [*(f"{name} (game master)" for name in journal.masters), *journal.players]
    yield f"{long_day(journal.first)}. {plain(', '.join(names))}."
    yield from _cast(journal, mechanics)
    sessions = journal.sessions()
    session = 1
    for scene, items in journal.scenes():
        told = [one for one in items if not one.quiet and logbook.told(one, mechanics)]
        if scene:
            yield f"## {plain(logbook.headline(scene))}"
        elif told:
            yield "## Before the first scene"
        if scene and scene.brought and mechanics:
            yield f"*{plain(scene.brought)}*"
        for item in told:
            if item.session > session:
                session = item.session
                yield f"*Session {session}, {long_day(sessions[session])}*"
            yield from _item(item, mechanics)
    yield from _standing(journal, mechanics)


def _front(journal: Journal, mechanics: bool) -> str:
    """What a vault reads: texts as JSON has them, which YAML reads as well."""
    rows: dict[str, object] = {"title": journal.title, "date": journal.first}
    rows |= {
        "players": [*journal.masters, *journal.players],
        "characters": [name for name, _, _ in journal.cast],
    }
    rows |= {"systems": journal.systems} if mechanics else {}
    rows |= {"tags": ["session-report"]}
    lines = [f"{name}: {json.dumps(one, ensure_ascii=False)}" for name, one in rows.items() if name != "date"]
    lines.insert(1, f"date: {day(journal.first)}")
    return "\n".join(["---", *lines, "---"])


def _cast(journal: Journal, mechanics: bool) -> Iterator[str]:
    """The characters; with mechanics, what their sheets hold at the end."""
    if not journal.cast:
        return
    yield "## Cast"
    if not mechanics:
        for name, whose, _ in journal.cast:
            yield f"- {led(plain(name))}{f' ({plain(whose)})' if whose else ''}"
        return
    rows = ["| Character | Seat | System | At the end |", "|---|---|---|---|"]
    for name, whose, sheets in journal.cast:
        lead = f"| **{plain(name)}** | {plain(whose)}"
        for title, lines in sheets or [("", [])]:
            told = "; ".join(f"{plain(label)}: {plain(said)}" for label, said in lines)
            rows.append(f"{lead} | {plain(title)} | {told} |")
            lead = "| |"
    yield "\n".join(rows)


def _item(item: Item, mechanics: bool) -> Iterator[str]:
    """One thing that happened: prose of a note, a play as a callout, all else as a line of a list."""
    if isinstance(item, Play):
        yield "\n> ".join(_play(item, mechanics) if mechanics else _story(item))
    elif isinstance(item, Note):
        yield from _note(item)
    else:
        said = f"{plain(item.who)} {plain(logbook.headline(item, mechanics))}".strip()
        yield f"- {_struck(led(said), item.struck)}{_aside(item, mechanics)}"


def _note(item: Note) -> Iterator[str]:
    """A note as it was written; players' with their names."""
    by = "" if item.by_master else f"**{plain(item.who)}:** "
    blocks = [
        "  \n".join(_struck(led(plain(line)), item.struck) for line in lines) for lines in item.paragraphs
    ]
    for i, block in enumerate(blocks):
        yield f"{by if i == 0 else ''}{block}{_aside(item, True) if i == len(blocks) - 1 else ''}"


def _struck(said: str, struck: bool) -> str:
    return f"~~{said}~~" if struck else said


def _aside(item: Item, mechanics: bool) -> str:
    told = [plain(one) for one in logbook.asides(item, mechanics)]
    return f" *({'; '.join(told)})*" if told else ""


# ---- plays ----------------------------------------------------------------------------------------


def _head(play: Play, mechanics: bool) -> str:
    """The callout, and what was asked."""
    kind = "question" if play.rule_id in phrases.ORACLES else "quote"
    asked = plain(play.question or (play.deed if mechanics else play.tried))
    actor = play.by if play.question else play.actor
    doer = f"{plain(actor)}: " if actor else ""
    return f"> [!{kind}] {_struck(f'{doer}{asked}', play.struck)}{_aside(play, mechanics)}"


def _story(play: Play) -> Iterator[str]:
    yield _head(play, False)
    if result := play.now:
        yield " ".join([f"**{plain(result.said.title)}.**", *map(plain, result.story or ())])
    elif play.waits:
        yield "*It is not over yet.*"


def _play(play: Play, mechanics: bool) -> Iterator[str]:
    yield _head(play, mechanics)
    lines = []
    if play.result:
        replaced = any(one.result or one.void for one in play.corrections)
        lines += _result(play.result, struck=replaced)
    for one in play.corrections:
        lines += _correction(one)
    if play.ended:
        lines.append(f"*{plain(play.ended)}*")
    if play.waits:
        lines.append(f"*It waits. {plain(play.waits)}*")
    lines += [f"Round {i}: {plain(one)}" for i, one in enumerate(logbook.rounds(play), 1)]
    lines += [led(plain(one)) for one in logbook.choices(play)]
    if how := _how(play):
        lines.append(f"*{plain(how)}*")
    for i, line in enumerate(lines):
        yield line + "  " * (i < len(lines) - 1)


def _result(result: Result, *, struck: bool = False, why: bool = True) -> list[str]:
    title = f"**{_struck(plain(result.said.title) + '.', struck)}**"
    reason = plain(result.said.why) if why and not struck else ""
    lines = [f"{MARKS[result.said.mark]} {title} {reason}".rstrip()]
    if result.effects and not struck:
        lines.append(led(plain(logbook.effects(result, " · "))))
    return lines


def _correction(one: Correction) -> list[str]:
    if not (one.void or one.result):
        return [f"*{plain(f'{one.who} adds: {one.text}')}*"]
    told = f"{one.who} {'makes it void' if one.void else 'corrects it'}{f': {one.text}' if one.text else ''}"
    return [f"*{plain(told)}*", *(_result(one.result, why=False) if one.result else [])]


def _how(play: Play) -> str:
    """How it came to it: what was asked of the rule, the throws but for those in rounds, the rules."""
    first = f"{play.deed}{f': {play.asked}' if play.asked else ''}" if play.question else play.asked
    parts = [first[:1].upper() + first[1:], *logbook.thrown_lines(play)]
    why = play.why
    parts += [f"Rules {', '.join(why)}"] if why else []
    return " · ".join(part for part in parts if part)


# ---- how things stand -----------------------------------------------------------------------------


def _standing(journal: Journal, mechanics: bool) -> Iterator[str]:
    """Threads, clocks, questions, plays that wait, and what the ledger holds."""
    if (
        journal.threads
        or journal.questions
        or journal.clocks
        or journal.waiting
        or (mechanics and journal.ledger)
    ):
        yield "## How things stand"
    if journal.threads:
        yield "### Threads"
        for title, is_open in journal.threads:
            yield f"- [{' ' if is_open else 'x'}] {plain(title)}"
    if journal.clocks:
        yield "### Clocks"
        for title, filled, size in journal.clocks:
            dots = f"{'●' * filled}{'○' * (size - filled)}"
            yield f"- {led(plain(title))}: {dots}{f' {filled} of {size}' if mechanics else ''}"
    if journal.questions:
        yield "### Questions"
        for asked, answer in journal.questions:
            yield f"- {led(plain(asked))} {plain(answer) if answer else '*Open.*'}"
    if journal.waiting:
        yield "### Not over yet"
        for play in journal.waiting:
            waits = f" ({play.waits})" if mechanics else ""
            yield f"- {led(plain(logbook.headline(play, mechanics) + waits))}"
    if journal.ledger and mechanics:
        yield "### Ledger"
        rows = [f"| {plain(name)} | {plain(shown)} |" for name, shown in journal.ledger]
        yield "\n".join(["| Who | Has shown |", "|---|---|", *rows])


__all__ = ["plain", "written"]
