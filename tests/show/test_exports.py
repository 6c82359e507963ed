"""Reports of a table: they read well, they hold what its seat has seen, and no text of people's can break them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sortes.core.errors import RuleError
from sortes.show import journal, logbook, markdown, notation, page
from sortes.show.journal import Journal
from sortes.show.terminal import Ink
from sortes.table import requests, service
from sortes.table.service import Table
from sortes.table.stores import open_store

Write = Callable[..., str]
WRITERS: dict[str, Write] = {"md": markdown.written, "html": page.written, "notation": notation.written}
HOSTILE = (
    "<script>alert(1)</script>",
    "</main><img src=x onerror=alert(1)>",
    "| a | b |\n|---|---|\n# not a heading\n> [!quote] nor this",
    "---\ntitle: other\n---",
    "[link](javascript:alert(1)) ![x](http://example.org/x.png) [[wiki]] ==high== %%hidden%% ^block #tag $x$",
    "@ act\n? ask\nd: 6 -> yes\n=> so\n[N:Somebody|dead]",
    "\x1b[31mred\x1b[0m \u202eright to left\u202c \x00 \x07 é 🎲",
)


@pytest.fixture
def seated(tmp_path: Path) -> Iterator[tuple[Table, str]]:
    with open_store(tmp_path / "tables.db") as store:
        table, gm, _ = service.opened(store, "ferry", title="The last ferry")
        yield table, gm


def session(table: Table, gm: str) -> None:
    """A little of everything."""
    sheet = {"cards": {"level": 1, "els": {"Talk": 4}}, "agate": {"skills": {"Climb": 6}}}
    for request in (
        requests.Seat(name="Ann"),
        requests.Character(name="Mara", sheets=sheet),
        requests.Scene(title="The jetty"),
        requests.Note(text="The rain stops.\n\nNobody speaks."),
        requests.Play(rule="d20-oracle.ask", question="Is the ferryman sober?"),
        requests.Play(rule="cards.resolve", params={"el": "Talk", "against": 3}, who="Mara", policy="best"),
        requests.Play(
            rule="agate.attempt", params={"skill": "Climb", "difficulty": 2}, who="Mara", policy="plain"
        ),
        requests.Play(rule="poker-dice.roll", params={"level": 2}),
        requests.Play(rule="cards.three", params={"el": 4}),
        requests.Play(
            rule="dramatic-skill.task", params={"steps": [{"skill": 12, "dn": 10}] * 4}, policy="plain"
        ),
        requests.Play(
            rule="cards.resolve", params={"el": 3, "against": 3, "extra": "choose"}, question="Do I leap?"
        ),
        requests.Play(rule="cards.ask", to="gm", question="Is there a spy?"),
        requests.Play(rule="cards.ask", to="blind", question="Does he see us?"),
        requests.Thread(title="Who pays the ferryman?"),
        requests.Clock(title="Flood", filled=2),
        requests.Question(text="Where is the bell?"),
        requests.Ledger(name="Warden", skill="Fencing", el=7),
        requests.Rest(who="Mara"),
        requests.Note(text="A word too many."),
        requests.Undo(),
    ):
        table.act(gm, request)


def read(seated: tuple[Table, str]) -> Journal:
    return journal.read(seated[0].entries(seated[1]))


def plain_text(html: str) -> str:
    """What of a page people read."""
    texts: list[str] = []

    class Reader(HTMLParser):
        def handle_data(self, data: str) -> None:
            texts.append(data)

    Reader().feed(re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL))
    return " ".join(texts)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_report_tells_everything_once(seated: tuple[Table, str], kind: str) -> None:
    session(*seated)
    told = WRITERS[kind](read(seated))
    told = plain_text(told) if kind == "html" else told.replace("\\", "")
    for said in (
        "The last ferry", "The jetty", "The rain stops.", "Nobody speaks.", "Is the ferryman sober?", "Mara",
        "Do I leap?", "Is there a spy?", "Does he see us?", "Flood", "Where is the bell?", "Warden",
    ):  # fmt: skip
        assert said in told, said
    assert told.count("Is the ferryman sober?") == 1
    assert "taken back" in told


@pytest.mark.parametrize("kind", WRITERS)
def test_the_story_has_no_dice_cards_numbers_or_rules(seated: tuple[Table, str], kind: str) -> None:
    session(*seated)
    told = WRITERS[kind](read(seated), mechanics=False)
    told = plain_text(told) if kind == "html" else told
    for said in ("The rain stops.", "Is the ferryman sober?", "The jetty", "Who pays the ferryman?"):
        assert said in told.replace("\\", ""), said
    assert not re.search(r"\b[ACDPS]\d+(\.\d)?\b", re.sub(r"^### S\d", "", told, flags=re.MULTILINE)), (
        "a rule's number"
    )
    assert not re.search(r"[♥♦♠♣]|\bd20\b|\bd12\b|Fate|Strain|Luck|EL ", told)
    assert "A word too many" not in told


def test_others_get_their_own_report(seated: tuple[Table, str]) -> None:
    session(*seated)
    table, gm = seated
    ann = next(id for id, one in table.view(gm).state.seats.items() if one.name == "Ann")
    for write in WRITERS.values():
        told = write(journal.read(table.entries(ann)))
        assert "Is there a spy" not in told
        assert "Does he see us" not in told


def test_a_reveal_is_told_where_it_was_made(seated: tuple[Table, str]) -> None:
    table, gm = seated
    secret = table.act(gm, requests.Play(rule="cards.ask", to="gm", question="Is there a spy?"))
    ann = table.act(gm, requests.Seat(name="Ann")).event("seat")
    assert ann is not None
    table.act(gm, requests.Reveal(play=str(secret.play)))
    (item,) = [one for one in journal.read(table.entries(ann["id"])).items if one.play]
    assert item.secret == "played earlier in secret"
    assert item.play is not None
    assert item.play.result is not None
    lines = logbook.listed(journal.read(table.entries(ann["id"])), Ink())
    assert "Is there a spy?" in "\n".join(lines)


def test_a_correction_strikes_the_play(seated: tuple[Table, str]) -> None:
    table, gm = seated
    played = table.act(gm, requests.Play(rule="poker-dice.roll", question="Does it open?"))
    table.act(gm, requests.Correct(play=str(played.play), void=True, text="wrong trait"))
    assert "~~" in markdown.written(read(seated))
    assert "<del>" in page.written(read(seated))
    assert "Does it open" not in markdown.written(read(seated), mechanics=False)


def test_what_is_not_known_here_is_told_plainly() -> None:
    """A rule of a system that is not installed, and an event of a later version."""
    entries: list[tuple[int, dict[str, Any]]] = [
        (1, {"kind": "opened", "table": "t", "title": "T", "at": 1}),
        (2, {"kind": "played", "play": "p", "rule": "lanterns.light", "params": {"oil": 3}, "at": 2}),
        (3, {"kind": "resolved", "play": "p", "outcome": {"result": "bright"}, "why": ["L1"], "at": 3}),
        (4, {"kind": "eclipse", "at": 4}),
    ]
    for write in (*WRITERS.values(), lambda j: "\n".join(logbook.listed(j, Ink()))):
        told = write(journal.read(entries))
        assert "lanterns.light" in told
        assert "bright" in told


ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "time", "div", "table", "thead",
    "tbody", "tr", "th", "td", "article", "span", "ul", "li", "b", "del",
}  # fmt: skip


class Tags(HTMLParser):
    """Refuses what no page of ours has."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in ("src", "href", "style"), name
            assert "javascript" not in (value or "")


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.sampled_from(HOSTILE) | st.text(min_size=1, max_size=80).filter(lambda s: s.strip()))
def test_no_text_breaks_a_report(tmp_path_factory: pytest.TempPathFactory, said: str) -> None:
    short = said[:80]
    with open_store(tmp_path_factory.mktemp("hostile") / "t.db") as store:
        try:
            table, gm, _ = service.opened(store, "t", title=short)
            for request in (
                requests.Seat(name=short),
                requests.Character(name=short),
                requests.Scene(title=short),
                requests.Note(text=said),
                requests.Play(rule="poker-dice.roll", question=said),
                requests.Thread(title=short),
                requests.Clock(title=short),
                requests.Question(text=said, answer=said),
                requests.Ledger(name=short, skill=short, el=3),
                requests.Note(text=said),
                requests.Undo(),
            ):
                table.act(gm, request)
        except RuleError as e:
            assert "half a character" in str(e)  # noqa: PT017
            return
        for mechanics in (True, False):
            log = journal.read(table.entries(gm))
            Tags().feed(page.written(log, mechanics=mechanics))
            report = markdown.written(log, mechanics=mechanics)
            assert report.count("\n---\n") == 1
            assert not re.search(r"(?<!\\)<|(?<!\\)\]\(|(?<!\\)\[\[", report.split("\n---\n", 1)[1])
            noted = notation.written(log, mechanics=mechanics)
            assert not re.search(r"^\[N:Somebody\|dead\]|^@ act|^=> so", noted, re.MULTILINE)
            lines = "\n".join(logbook.listed(log, Ink(), mechanics=mechanics))
            assert all(c.isprintable() or c == "\n" for c in lines)
