"""A journal in Solo TTRPG Notation: `@` for what is done, `?` for what is asked, `d:` for dice, `->` for what it came
to, `=>` for what follows, and tags in brackets for who and what goes on (see CREDITS.md)."""

from __future__ import annotations

from collections.abc import Iterator

from sortes.show.journal import Item, Journal, Play
from sortes.show.markdown import day


def one_line(said: str) -> str:
    """People's own words in a line of their own, which no sign of the notation begins."""
    line = " ".join("".join(c if c.isprintable() else " " for c in said).split())
    return f"({line})" if line[:1] in "@?=[#" or line[:2] in ("d:", "->") else line


def tag(said: str) -> str:
    """A name inside a tag: nothing that would end it."""
    return " ".join(said.replace("[", "(").replace("]", ")").replace("|", "/").split())


def written(journal: Journal, *, mechanics: bool = True) -> str:
    """The whole journal. Without `mechanics` it is the story alone: what was asked, answered and written."""
    return "\n".join(_lines(journal, mechanics)).rstrip() + "\n"


def _lines(journal: Journal, mechanics: bool) -> Iterator[str]:
    state = journal.state
    yield f"# {one_line(state.title)}"
    yield f"*Date: {day(journal.first)}*"
    yield ""
    for one in state.characters.values():
        yield f"[PC:{tag(one.name)}{_sheet(one.sheets) if mechanics else ''}]"
    for item in journal.items:
        if item.struck and not mechanics:
            continue
        lines = list(_item(journal, item, mechanics))
        if item.struck:
            lines = [f"~~{line}~~" for line in lines if line] + [f"(note: {one_line(item.struck)})"]
        if item.secret and lines:
            lines.append(f"(note: {one_line(item.secret)})")
        yield from lines
    yield ""
    for one in state.written.get("thread", {}).values():
        yield f"[Thread:{tag(one['title'])}|{one.get('state', 'open').capitalize()}]"
    for one in state.written.get("clock", {}).values():
        yield f"[Clock:{tag(one['title'])} {one['filled']}/{one['size']}]"
    if mechanics:
        for one in state.written.get("ledger", {}).values():
            shown = f"|EL {one['el']}" if "el" in one else ""
            yield f"[N:{tag(one['name'])}{shown}{' ' + tag(one['skill']) if one.get('skill') else ''}]"


def _sheet(sheets: dict[str, dict[str, object]]) -> str:
    """The numbers of a character that stand for themselves."""
    numbers = [
        f"{name} {value}"
        for sheet in sheets.values()
        for name, value in sheet.items()
        if isinstance(value, int)
    ]
    return f"|{', '.join(numbers)}" if numbers else ""


def _item(journal: Journal, item: Item, mechanics: bool) -> Iterator[str]:
    if item.play:
        yield from _play(item.play, mechanics)
    elif item.kind == "scene":
        yield ""
        yield f"### S{item.scene} *{one_line(item.said.partition(': ')[2] or item.said)}*"
        yield ""
    elif item.kind == "note":
        yield from (one_line(line) for line in item.body.splitlines() if line.strip())
    elif item.kind in ("thread", "clock") and item.story:
        name, _, rest = item.story.partition(" ")
        yield f"(note: {one_line(f'{name} {rest}')})"
    elif item.kind == "question" and item.story:
        yield f"? {one_line(item.story.partition(': ')[2] or item.story)}"
    elif mechanics and item.said:
        who = f"{item.who} " if item.said[:1].islower() else ""
        yield f"(note: {one_line(who + item.said)})"
    elif item.story:
        yield f"(note: {one_line(item.story)})"


def _play(play: Play, mechanics: bool) -> Iterator[str]:
    if not (mechanics or (play.question and play.result)):
        return
    asked = play.question or play.how
    oracle = bool(play.question)
    who = f"({one_line(play.character)}) " if play.character and not oracle else ""
    yield f"{'?' if oracle else '@'} {who}{one_line(asked)}"
    if mechanics and play.thrown:
        result = f" -> {one_line(play.result.title)}" if play.result and not oracle else ""
        yield f"d: {'; '.join(map(one_line, play.thrown))}{result}"
    if play.result and (oracle or not (mechanics and play.thrown)):
        yield f"-> {one_line(play.result.title)}"
    if play.result and not mechanics:
        yield from (f"=> {one_line(one)}" for one in play.tells)
    elif play.result:
        for name, what in play.effects:
            yield f"=> {one_line(f'{name} {what}'.strip())}"
    if play.waits or play.ended:
        yield f"(note: {one_line(play.ended or play.waits)})"
