"""A journal as one HTML page that is whole in itself: no script, no font and no picture from anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from math import cos, pi, sin
from pkgutil import get_data
from typing import Any

from sortes.core.chance import Thrown
from sortes.show import logbook, phrases, text, words
from sortes.show.journal import Correction, Item, Journal, Note, Play, Result, day, long_day
from sortes.show.terminal import side

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
SUITS = {"♥": "h", "♦": "d", "♠": "s", "♣": "c"}
DICE = {"d4": "d4", "d6": "d6", "d8": "d8", "d10": "d10", "d12": "d12", "d20": "d20", "poker": "d6"}
SHAPES = {
    "fate": "d20 fate",
    "boon": "d20 boon",
    "bane": "d20 bane",
    "twist table": "d12",
    "boon table": "d12",
}


@cache
def _part(name: str) -> str:
    """A file that stands beside this one: the style, and the drawings that a page uses again and again."""
    return (get_data("sortes.show", name) or b"").decode()


def written(journal: Journal, *, mechanics: bool = True) -> str:
    """The whole page. Without `mechanics` it is the story alone: no dice, cards, numbers or rules."""
    return "\n".join(_page(journal, mechanics)) + "\n"


def _page(journal: Journal, mechanics: bool) -> Iterator[str]:
    title = escape(journal.title)
    yield f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{title}</title>
<style>
{_part("page.css")}</style>
</head>
<body>
{_part("page.svg")}<header>
<h1 dir="auto">{title}</h1>"""
    names = [*(f"{one} (game master)" for one in journal.masters), *journal.players]
    yield f'<p><time datetime="{day(journal.first)}">{long_day(journal.first)}</time> · {escape(", ".join(names))}</p>'
    scenes = [scene for scene, _ in journal.scenes() if scene]
    if len(scenes) > 1:
        links = (f'<li><a href="#{_at(one)}">{escape(logbook.headline(one))}</a></li>' for one in scenes)
        yield f'<nav aria-label="Scenes"><ol>{"".join(links)}</ol></nav>'
    yield "</header>\n<main>"
    yield from _cast(journal, mechanics)
    yield from _scenes(journal, mechanics)
    yield from _standing(journal, mechanics)
    yield "</main>\n</body>\n</html>"


def _at(item: Item) -> str:
    return f"entry-{item.number}"


# ---- what happened --------------------------------------------------------------------------------


def _scenes(journal: Journal, mechanics: bool) -> Iterator[str]:
    sessions, session = journal.sessions(), 1
    for scene, items in journal.scenes():
        told = [one for one in items if not one.quiet and logbook.told(one, mechanics)]
        if not (scene or told):
            continue
        name = logbook.headline(scene) if scene else "Before the first scene"
        target = f' id="{_at(scene)}"' if scene else ""
        yield f'<section{target}>\n<h2 dir="auto">{escape(name)}</h2>'
        if scene and scene.brought and mechanics:
            yield f'<p class="fine">{escape(scene.brought)}</p>'
        asides = False
        for item in told:
            if item.session > session:
                session = item.session
                yield (
                    "</ul>" * asides
                    + f'<p class="session">Session {session}, {long_day(sessions[session])}</p>'
                )
                asides = False
            small = not isinstance(item, Play | Note)
            if small != asides:
                yield '<ul class="asides">' if small else "</ul>"
                asides = small
            yield from _item(item, mechanics)
        yield "</ul>" * asides + "</section>"


def _item(item: Item, mechanics: bool) -> Iterator[str]:
    if isinstance(item, Play):
        yield from _play(item, mechanics)
    elif isinstance(item, Note):
        kinds = " ".join(["note"] + ["veil"] * bool(item.secret))
        by = "" if item.by_master else f"<b>{escape(item.who)}:</b> "
        paragraphs = [
            f'<p dir="auto">{by if i == 0 else ""}{_struck("<br>".join(map(escape, lines)), item.struck)}</p>'
            for i, lines in enumerate(item.paragraphs)
        ]
        yield f'<div class="{kinds}" id="{_at(item)}">{"".join(paragraphs)}{_asides(item, mechanics)}</div>'
    else:
        said = f"{item.who} {logbook.headline(item, mechanics)}".strip()
        yield f'<li id="{_at(item)}">{_struck(escape(said), item.struck)}{_asides(item, mechanics)}</li>'


def _struck(said: str, struck: bool) -> str:
    return f"<del>{said}</del>" if struck else said


def _asides(item: Item, mechanics: bool) -> str:
    told = "; ".join(map(escape, logbook.asides(item, mechanics)))
    return f' <small class="{"secret" if item.secret else "fine"}">({told})</small>' if told else ""


# ---- plays ----------------------------------------------------------------------------------------


def _play(play: Play, mechanics: bool) -> Iterator[str]:
    hidden, shown = bool(play.secret) and not play.shown, bool(play.shown)
    kinds = " ".join(["play"] + ["veil"] * hidden + ["unveiled"] * shown + ["struck"] * play.struck)
    yield f'<article class="{kinds}" id="{_at(play)}">'
    of = f" for {play.doer}" if play.doer and play.doer != play.who else ""
    number = f'<span class="n">{play.number}</span> ' if mechanics else ""
    yield f'<p class="by">{number}{escape(play.who + of)}{_asides(play, mechanics)}</p>'
    deed = play.deed if mechanics else play.tried
    asked = play.question or deed[:1].upper() + deed[1:]
    yield f'<h3 dir="auto">{_struck(escape(asked), play.struck)}</h3>'
    if not mechanics:
        if result := play.now:
            yield _answer(result)
            yield from (f"<p>{escape(said)}</p>" for said in result.story or ())
        elif play.waits:
            yield '<p class="waits">Not over yet.</p>'
    else:
        yield from _mechanics(play)
    yield "</article>"


def _mechanics(play: Play) -> Iterator[str]:
    if play.asked:
        yield f'<p class="asked">{escape(play.asked)}</p>'
    if play.result:
        replaced = any(one.result or one.void for one in play.corrections)
        yield _answer(play.result, struck=replaced)
        yield from () if replaced else _brings(play.result)
    for one in play.corrections:
        yield from _correction(one)
    if play.ended:
        yield f'<p class="waits"><b>{escape(play.ended[:1].upper() + play.ended[1:])}.</b></p>'
    if play.waits:
        yield f'<p class="waits"><b>It waits.</b> {escape(play.waits)}</p>'
    yield from _throws(play)
    if made := logbook.choices(play):
        rows = "".join(f"<li>{escape(one)}</li>" for one in made)
        yield f'<ul class="choices">{rows}</ul>'
    if play.why:
        yield f'<p class="fine">Rules {escape(", ".join(play.why))}</p>'


def _answer(result: Result, *, struck: bool = False) -> str:
    mark = result.said.mark
    drawn = f'<svg class="mark" aria-hidden="true"><use href="#{mark}"/></svg>'
    colour = "".join(side(mark))
    kinds = " ".join(filter(None, ("answer", colour, "replaced" * struck)))
    return f'<p class="{kinds}">{drawn}{_struck(escape(result.said.title), struck)}</p>'


def _brings(result: Result, *, why: bool = True) -> Iterator[str]:
    if result.said.why and why:
        yield f'<p class="why">{escape(result.said.why)}</p>'
    if result.effects:
        rows = (
            f"<div><dt>{escape(label)}</dt><dd>{escape(said)}</dd></div>" for label, said in result.effects
        )
        yield f'<dl class="effects">{"".join(rows)}</dl>'


def _correction(one: Correction) -> Iterator[str]:
    did = "makes it void" if one.void else "corrects it" if one.result else "adds"
    yield f'<p class="corrected">{escape(f"{one.who} {did}" + (f": {one.text}" if one.text else ""))}</p>'
    if one.result:
        yield _answer(one.result)
        yield from _brings(one.result, why=False)


# ---- dice and cards -------------------------------------------------------------------------------


def _throws(play: Play) -> Iterator[str]:
    if not play.throws:
        return
    if logbook.of_task(play):
        rounds = (f"<li>{escape(one)}</li>" for one in logbook.rounds(play))
        yield f'<ol class="rounds">{"".join(rounds)}</ol>'
        return
    yield '<div class="throws">'
    for name, thrown in play.drawn:
        counts = words.kept(thrown)
        faces = "".join(_face(thrown, one, counts[i]) for i, one in enumerate(thrown.faces[: text.MOST]))
        more = len(thrown.faces) - text.MOST
        faces += f'<li class="more">and {more} more</li>' if more > 0 else ""
        caption = f"<figcaption>{escape(name)}</figcaption>" if name else ""
        yield f"<figure>{caption}<ul>{faces}</ul></figure>"
    yield "</div>"


def _face(thrown: Thrown, one: Any, counts: bool) -> str:
    """A die or a card, drawn; said in words for who hears it, and what did not count is said so too."""
    shown = words.shown(thrown, one)
    said = phrases.spoken(one) if thrown.name != "drama" else shown
    said = escape(said if counts else f"{said}, not counted")
    idle = "" if counts else " idle"
    if thrown.kind == "cards":
        kinds, inner = f"card{_red(shown)}{idle}", _suited(shown)
        return f'<li><span class="{kinds}" role="img" aria-label="{said}">{inner}</span></li>'
    shape = SHAPES.get(thrown.name) or DICE.get(thrown.name, "d0")
    drawn = f'<svg aria-hidden="true"><use href="#{shape.partition(" ")[0]}"/></svg>'
    kinds = f"die {shape}{_red(shown)}{idle}"
    inner = f"{drawn}<b>{_suited(shown)}</b>"
    return f'<li><span class="{kinds}" role="img" aria-label="{said}">{inner}</span></li>'


def _red(shown: str) -> str:
    return " red" if shown[-1:] in ("♥", "♦") or shown == "red joker" else ""


def _suited(shown: str) -> str:
    """A face with its suit as a drawing, so that no device makes a coloured picture of it."""
    if shown[-1:] in SUITS:
        return f'{escape(shown[:-1])}<svg aria-hidden="true"><use href="#{SUITS[shown[-1]]}"/></svg>'
    return escape(shown)


# ---- who is there, and how things stand -------------------------------------------------------------


def _cast(journal: Journal, mechanics: bool) -> Iterator[str]:
    if not journal.cast:
        return
    yield "<section>\n<h2>Cast</h2>"
    yield '<p class="fine">With their sheets as they stand at the end.</p>' if mechanics else ""
    yield '<div class="cast">'
    for name, whose, sheets in journal.cast:
        seat = f" <small>{escape(whose)}</small>" if whose else ""
        yield f'<div class="sheet"><h3 dir="auto">{escape(name)}{seat}</h3>'
        for title, lines in sheets if mechanics else ():
            rows = (f"<div><dt>{escape(label)}</dt><dd>{escape(said)}</dd></div>" for label, said in lines)
            yield f"<h4>{escape(title)}</h4><dl>{''.join(rows)}</dl>"
        yield "</div>"
    yield "</div>\n</section>"


def _standing(journal: Journal, mechanics: bool) -> Iterator[str]:
    parts: list[tuple[str, list[str]]] = []
    threads = [
        f"{_struck(escape(title), not now)}{'' if now else ', closed'}" for title, now in journal.threads
    ]
    parts.append(("Threads", threads))
    parts.append(("Clocks", [_clock(title, n, size, mechanics) for title, n, size in journal.clocks]))
    asked = [
        f"{escape(one)} <b>{escape(answer) if answer else 'Open.'}</b>" for one, answer in journal.questions
    ]
    parts.append(("Questions", asked))
    parts.append(("Not over yet", [_waiting(one, mechanics) for one in journal.waiting]))
    if mechanics:
        ledger = [f"{escape(name)}{f': {escape(shown)}' if shown else ''}" for name, shown in journal.ledger]
        parts.append(("Ledger", ledger))
    parts = [one for one in parts if one[1]]
    if parts:
        yield '<section>\n<h2>How things stand</h2>\n<div class="standing">'
        for title, rows in parts:
            listed = "".join(f'<li dir="auto">{row}</li>' for row in rows)
            yield f"<div><h3>{title}</h3><ul>{listed}</ul></div>"
        yield "</div>\n</section>"


def _waiting(play: Play, mechanics: bool) -> str:
    told = escape(logbook.headline(play, mechanics))
    return f'{told} <span class="fine">{escape(play.waits)}</span>' if mechanics else told


def _clock(title: str, filled: int, size: int, mechanics: bool) -> str:
    """A clock as a pie; of very many segments only how much of it is filled."""
    share = min(max(filled / size, 0), 1) if size > 0 else 0
    if share >= 1:
        pie = '<circle cx="16" cy="16" r="13" class="filled"/>'
    else:
        x, y = 16 + 13 * sin(2 * pi * share), 16 - 13 * cos(2 * pi * share)
        pie = (
            f'<path d="M16 16V3A13 13 0 {int(share > 0.5)} 1 {x:.2f} {y:.2f}Z" class="filled"/>'
            if share
            else ""
        )
    cuts = [2 * pi * i / size for i in range(size)] if 1 < size <= 24 else []
    lines = "".join(f'<path d="M16 16L{16 + 13 * sin(a):.2f} {16 - 13 * cos(a):.2f}"/>' for a in cuts)
    face = f'<circle cx="16" cy="16" r="13"/>{pie}{lines}'
    drawn = f'<svg class="clock" viewBox="0 0 32 32" aria-hidden="true">{face}</svg>'
    return f"{drawn}{escape(title)}{f' <span class=fine>{filled} of {size}</span>' if mechanics else ''}"


__all__ = ["written"]
