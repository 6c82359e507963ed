"""A journal as a session report in Markdown: for people, and for vaults, such as Obsidian's, that read front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from sortes import catalog
from sortes.show import words
from sortes.show.journal import Item, Journal, Play
from sortes.show.terminal import MARKS

SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$^=%])")
START = re.compile(r"^([-+]|\d+(?=[.)]))")


def plain(said: str) -> str:
    """People's own words in one line, with nothing in them that Markdown or HTML would read."""
    line = " ".join(said.split())
    escaped = SPECIAL.sub(r"\\\1", line).replace("&", "&amp;")
    return START.sub(lambda m: f"\\{m[1]}" if m[1] in "-+" else f"{m[1]}\\", escaped)


def lines(said: str) -> str:
    """People's own words, paragraphs kept."""
    paragraphs = re.split(r"\n\s*\n", said.replace("\r", "").strip())
    return "\n\n".join(
        "\\\n".join(plain(line) for line in one.splitlines() if line.strip()) for one in paragraphs
    )


def quoted(said: str) -> str:
    """A text in the front matter."""
    inner = " ".join(said.split()).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c for c in inner if c.isprintable()) + '"'


def day(at: int) -> str:
    """The day of a moment, in UTC."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")


def written(journal: Journal, *, mechanics: bool = True) -> str:
    """The whole report. Without `mechanics` it is the story alone: no dice, cards, numbers or rules."""
    return "\n".join(_report(journal, mechanics)).rstrip() + "\n"


def _report(journal: Journal, mechanics: bool) -> Iterator[str]:
    state = journal.state
    yield "---"
    yield f"title: {quoted(state.title)}"
    yield f"date: {day(journal.first)}"
    names = [one.name for one in state.seats.values() if one.role != "watcher"]
    yield f"players: [{', '.join(map(quoted, names))}]"
    yield f"characters: [{', '.join(quoted(one.name) for one in state.characters.values())}]"
    yield "tags: [session-report]"
    yield "---"
    yield ""
    yield f"# {plain(state.title)}"
    yield ""
    if mechanics:
        yield from _cast(journal)
    for item in journal.items:
        yield from _item(item, mechanics)
    yield from _open(journal, mechanics)


def _cast(journal: Journal) -> Iterator[str]:
    """The characters with what their sheets hold now."""
    people = journal.state.characters.values()
    if not people:
        return
    yield "## Cast"
    yield ""
    yield "| character | system | sheet |"
    yield "|---|---|---|"
    for one in people:
        for system, sheet in one.sheets.items() or [("", {})]:
            title = catalog.system(system).title if system else ""
            told = ", ".join(
                f"{words.label(name)} {plain(words.value(value))}"
                for name, value in sheet.items()
                if value not in ({}, None)
            )
            yield f"| {plain(one.name)} | {title} | {told} |"
    yield ""


def _item(item: Item, mechanics: bool) -> Iterator[str]:
    if item.struck and not mechanics:
        return
    if item.play:
        yield from _play(item, item.play, mechanics)
        return
    if item.kind == "scene":
        yield f"## {plain(item.said)}"
        yield ""
        return
    if item.body:
        by = f" *{plain(item.who)}, {item.secret}*" if item.secret else ""
        body = lines(item.body)
        yield f"~~{plain(item.body)}~~ *({item.struck})*" if item.struck else f"{body}{by}"
        yield ""
        return
    said = item.said if mechanics else item.story
    if not said:
        return
    by = f"{plain(item.who)} " if said[:1].islower() and item.who else ""
    notes = "; ".join(note for note in (item.secret, item.struck) if note)
    line = f"{by}{plain(said)}{f' ({notes})' if notes else ''}."
    yield f"*~~{line}~~*" if item.struck else f"*{line}*"
    yield ""


def _play(item: Item, play: Play, mechanics: bool) -> Iterator[str]:
    """A play: a callout where the dice may be seen, a sentence where only the story is wanted."""
    who = plain(play.character or item.who)
    asked = plain(play.question or (play.title if mechanics else ""))
    if not mechanics:
        if play.result and asked and play.result.mark != "none":
            yield " ".join([f"**{asked}** {plain(play.result.title)}.", *map(plain, play.tells)])
            yield ""
        return
    notes = "; ".join(note for note in (item.secret, item.struck, play.corrected) if note)
    title = f"{who}: {asked}" if who else asked
    yield f"> [!dice]- {f'~~{title}~~' if item.struck else title}{f' ({plain(notes)})' if notes else ''}"
    if play.question and play.rule:
        yield f"> {plain(play.how)}"
    for one in (*play.thrown, *play.choices):
        yield f"> - {plain(one)}"
    if play.result:
        facts = ", ".join(f"{plain(name)} {plain(what)}".strip() for name, what in play.effects)
        yield ">"
        yield f"> {MARKS[play.result.mark]} **{plain(play.result.title)}** {plain(play.result.why)}".rstrip()
        if facts:
            yield f"> {facts}"
        if play.why:
            yield f"> *Rules {', '.join(play.why)}*"
    elif play.waits:
        yield f"> *It waits: {plain(play.waits)}*"
    if play.ended:
        yield f"> *Ended: {plain(play.ended)}*"
    yield ""


def _open(journal: Journal, mechanics: bool) -> Iterator[str]:
    """What is open at the end."""
    written = journal.state.written
    threads = [(one["title"], one.get("state", "open")) for one in written.get("thread", {}).values()]
    questions = [one for one in written.get("question", {}).values() if not one.get("answer")]
    clocks, ledger = written.get("clock", {}).values(), written.get("ledger", {}).values()
    if not (threads or questions or clocks or (ledger and mechanics)):
        return
    yield "## What is open"
    yield ""
    for title, state in threads:
        yield f"- [{'x' if state == 'closed' else ' '}] {plain(title)}"
    for one in questions:
        yield f"- {plain(one['text'])}"
    for one in clocks:
        filled = f" ({one['filled']} of {one['size']})" if mechanics else ""
        yield f"- {plain(one['title'])}{filled}"
    if ledger and mechanics:
        yield ""
        yield "| NPC | has shown |"
        yield "|---|---|"
        for one in ledger:
            skill = f" at {plain(one['skill'])}" if one.get("skill") else ""
            yield f"| {plain(one['name'])} | {'EL ' + str(one['el']) if 'el' in one else ''}{skill} |"
    yield ""
