"""A journal as one HTML page that needs nothing else: no script, no font, no picture from anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from pkgutil import get_data

from sortes import catalog
from sortes.core.chance import Thrown
from sortes.show import words
from sortes.show.journal import Item, Journal, Play
from sortes.show.markdown import day
from sortes.show.terminal import MARKS, side

SUITS = {"♥": "of Hearts", "♦": "of Diamonds", "♠": "of Spades", "♣": "of Clubs"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def safe(said: object) -> str:
    """People's own words, with nothing in them that HTML would read."""
    return escape("".join(c if c.isprintable() or c in "\n\t" else " " for c in str(said)))


def written(journal: Journal, *, mechanics: bool = True) -> str:
    """The whole page. Without `mechanics` it is the story alone: no dice, cards, numbers or rules."""
    style = (get_data("sortes.show", "page.css") or b"").decode()
    title = safe(journal.state.title)
    body = "\n".join(_body(journal, mechanics))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def _body(journal: Journal, mechanics: bool) -> Iterator[str]:
    state = journal.state
    yield f"<h1>{safe(state.title)}</h1>"
    names = ", ".join(safe(one.name) for one in state.seats.values() if one.role != "watcher")
    yield f'<p class="when"><time datetime="{day(journal.first)}">{_day(journal.first)}</time> · {names}</p>'
    if mechanics and state.characters:
        yield from _cast(journal)
    for item in journal.items:
        yield from _item(item, mechanics)
    yield from _open(journal, mechanics)


def _day(at: int) -> str:
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return f"{moment.day} {moment:%B %Y}"


def _cast(journal: Journal) -> Iterator[str]:
    yield '<h2>Cast</h2>\n<div class="wide"><table>'
    yield "<thead><tr><th>Character</th><th>System</th><th>Sheet</th></tr></thead><tbody>"
    for one in journal.state.characters.values():
        for system, sheet in one.sheets.items() or [("", {})]:
            told = ", ".join(
                f"{safe(words.label(name))} {safe(words.value(v))}"
                for name, v in sheet.items()
                if v not in ({}, None)
            )
            title = safe(catalog.system(system).title) if system else ""
            yield f'<tr><th scope="row">{safe(one.name)}</th><td>{title}</td><td>{told}</td></tr>'
    yield "</tbody></table></div>"


def _item(item: Item, mechanics: bool) -> Iterator[str]:
    if item.struck and not mechanics:
        return
    if item.play:
        yield from _play(item, item.play, mechanics)
    elif item.kind == "scene":
        yield f"<h2>{safe(item.said)}</h2>"
    elif item.body:
        body = f"<del>{safe(item.body)}</del>" if item.struck else safe(item.body)
        yield f'<p class="note">{body}{_notes(item)}</p>'
    else:
        said = item.said if mechanics else item.story
        if said:
            by = f"{safe(item.who)} " if said[:1].islower() and item.who else ""
            line = f"{by}{safe(said)}."
            yield f'<p class="aside">{f"<del>{line}</del>" if item.struck else line}{_notes(item)}</p>'


def _notes(item: Item) -> str:
    notes = "; ".join(safe(note) for note in (item.secret, item.struck) if note)
    return f' <span class="fine">({notes})</span>' if notes else ""


def _play(item: Item, play: Play, mechanics: bool) -> Iterator[str]:
    if not mechanics and not (play.question and play.result):
        return
    who = safe(play.character or item.who)
    yield f"<article{' class=hidden' if item.secret else ''}>"
    asked = safe(play.title)
    yield f'<h3 class="ask">{f"<del>{asked}</del>" if item.struck else asked}</h3>'
    how = f" · {safe(play.how)}" if mechanics and play.question else ""
    yield f'<p class="by">{who}{how}{_notes(item)}</p>'
    if play.result:
        said = play.result
        colour = "".join(side(said.mark))
        mark = f'<span class="mark" aria-hidden="true">{MARKS[said.mark]}</span>'
        yield f'<p class="answer {colour}">{mark}{safe(said.title)}</p>'
        if said.why and mechanics:
            yield f"<p>{safe(said.why)}</p>"
        elif not mechanics:
            yield from (f"<p>{safe(one)}</p>" for one in play.tells)
    if mechanics:
        yield from _mechanics(play)
    if play.waits or play.ended:
        yield f'<p class="fine">{safe(f"Ended: {play.ended}" if play.ended else f"It waits: {play.waits}")}</p>'
    if play.corrected:
        yield f'<p class="fine">{safe(play.corrected)}</p>'
    yield "</article>"


def _mechanics(play: Play) -> Iterator[str]:
    for name, what in play.effects:
        yield f"<p>{safe(name)}{': ' if what else ''}{safe(what)}</p>"
    for thrown, name in zip(play.throws, play.named, strict=True):
        caption = (
            f"<li><b>{safe(name)}{' (by hand)' if thrown.by else ''}</b></li>" if name or thrown.by else ""
        )
        faces = "".join(
            _face(thrown, one, counts)
            for one, counts in zip(thrown.faces[:60], words.kept(thrown), strict=False)
        )
        more = f"<li>and {len(thrown.faces) - 60} more</li>" if len(thrown.faces) > 60 else ""
        yield f'<ul class="throw">{caption}{faces}{more}</ul>'
    for one in play.choices:
        yield f'<p class="fine">{safe(one)}</p>'
    if play.why:
        yield f'<p class="fine">Rules {safe(", ".join(play.why))}</p>'


def _face(thrown: Thrown, one: object, counts: bool) -> str:
    """A die or a card; suits are said in words, too, and so is what did not count."""
    shown = words.shown(thrown, one)
    kinds = ["face"] + ["card"] * (thrown.kind == "cards") + ["idle"] * (not counts)
    suit = shown[-1:]
    if suit in SUITS:
        kinds += ["red"] * (suit in "♥♦")
        name = f"{shown[:-1]} {SUITS[suit]}"
    else:
        name = shown
    name += "" if counts else ", does not count"
    return f'<li class="{" ".join(kinds)}" aria-label="{safe(name)}">{safe(shown)}</li>'


def _open(journal: Journal, mechanics: bool) -> Iterator[str]:
    written = journal.state.written
    rows = [
        f"{safe(t['title'])} ({safe(t.get('state', 'open'))})" for t in written.get("thread", {}).values()
    ]
    rows += [safe(q["text"]) for q in written.get("question", {}).values() if not q.get("answer")]
    for clock in written.get("clock", {}).values():
        filled = f": {clock['filled']} of {clock['size']}" if mechanics else ""
        rows.append(f"{safe(clock['title'])}{filled}")
    if mechanics:
        for one in written.get("ledger", {}).values():
            skill = f" at {safe(one['skill'])}" if one.get("skill") else ""
            rows.append(
                f"{safe(one['name'])} has shown EL {one['el']}{skill}" if "el" in one else safe(one["name"])
            )
    if rows:
        yield "<h2>What is open</h2>\n<ul>"
        yield from (f"<li>{row}</li>" for row in rows)
        yield "</ul>"
