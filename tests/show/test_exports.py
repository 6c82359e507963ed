"""Reports of a table: each holds what its seat has seen and no more, and no text of people's can break one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sortes.show import journal, logbook, markdown, notation, page, phrases
from sortes.show.journal import Journal
from sortes.show.terminal import Ink
from sortes.table import requests, service
from sortes.table.service import Table
from sortes.table.stores import open_store
from tests.show.logs import Event, everything, numbered, opening, question, resolution

Write = Callable[..., str]
WRITERS: dict[str, Write] = {"md": markdown.written, "html": page.written, "notation": notation.written}
HOSTILE = (
    "<script>alert(1)</script>",
    "</p></main><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "&lt;b&gt; &amp; &#60;",
    "| a | b | <!-- c -->",
    "# not a heading",
    "> [!quote] nor this",
    "---",
    "===",
    "- - - x",
    "1. one",
    "1) one",
    "+ one",
    "***bold*** __so__ ~~gone~~ `code` ``` ~~~",
    "[link](javascript:alert(1)) ![x](http://example.org/x.png) [a]: b",
    "[[wiki]] ![[embed]] ==high== %%hidden%% ^block #tag $x$ {{x}} \\",
    "@ act",
    "? ask",
    "d: 6 -> yes",
    "d",
    "tbl: d6=3",
    "---\\",
    "=> so",
    "[N:Somebody|dead]",
    "=== Session 9 ===",
    "S9 *elsewhere*",
    "}</style><script>alert(1)</script>",
    "\x1b[31mred\x1b[0m \u202eright to left\u202c \x00 \x07 \ufeff \u2028 é 🎲 עברית",
    "a" * 2000,
)
WORDS = st.sampled_from(HOSTILE) | st.text(min_size=1, max_size=60)


# ---- people's own words ---------------------------------------------------------------------------


def log_of(said: str) -> list[Event]:
    """A log in which every text of people's is this one."""
    by = {"seat": "p", "act": "x"}
    sheets = {"cards": {"level": 1, "luck": 1, "els": {said: 2}, "hooks": {}, "used": {}}}
    events: list[Event] = [
        {"kind": "opened", "table": "t", "title": said},
        {"kind": "seat", "seat": "g", "id": "g", "name": said, "role": "gm"},
        {"kind": "seat", "seat": "g", "id": "p", "name": said, "role": "player"},
        {"kind": "character", "id": "m", "name": said, "owner": "p", "sheets": sheets, **by},
        {"kind": "character", "id": "w", "name": said, "owner": None, "sheets": {}, **by},
        {"kind": "scene", "seat": "g", "n": 1, "title": said, "changes": [], "act": "s"},
        {"kind": "note", "id": "n", "text": said, "seat": "g", "act": "n"},
        {"kind": "note", "id": "n", "text": said, **by},
        {"kind": "undone", "seat": "p", "of": "x", "what": "note"},
        {"kind": "note", "id": "n", "text": said, "seat": "p", "act": "y"},
        {"kind": "thread", "id": "t", "title": said, "state": "open", **by},
        {"kind": "clock", "id": "c", "title": said, "size": 4, "filled": 1, **by},
        {"kind": "question", "id": "q", "text": said, "answer": said, **by},
        {"kind": "ledger", "id": "l", "name": said, "skill": said, "el": 3, **by},
        {"kind": "flagged", "text": said, "to": ["gm"], **by},
        {"kind": "imported", "from": said, "lines": 3},
        *question(question=said),
        *resolution(question=said, named={"el": said}),
        {"kind": "corrected", "seat": "g", "play": "r", "text": said, "void": True, "act": "c"},
        {"kind": "played", "play": "u", "rule": said, "params": {}, "question": said, **by},
        {"kind": "resolved", "play": "u", "outcome": {said: said}, "why": [said], **by},
        {"kind": "played", "play": "e", "rule": "cards.resolve", "params": {"el": 1}, **by},
        {"kind": "ended", "play": "e", "reason": said, **by},
        {"kind": "house", "seat": "g", "system": said, "changes": {said: said}},
        {"kind": "settings", "seat": "g", "changed": {said: said}},
        {"kind": f"a {said}", "seat": "g"},
    ]
    return events


def one_line(said: str) -> bool:
    """Whether there is something to read in a text, and it is one line."""
    return [len(lines) for lines in phrases.prose(said)] == [1]


class Shape(HTMLParser):
    """A page as its tags with their attributes, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[Any] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(
            (tag, [(name, value if name in ("class", "href", "id") else "") for name, value in attrs])
        )

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def tokens(report: str) -> tuple[list[str], str]:
    """A report as what Markdown makes of it, without its words; and the words."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    shape, said = [], []
    for token in parser.parse(report.split("---\n", 2)[2]):
        shape.append(token.type)
        for child in token.children or ():
            if child.type.startswith("text"):
                said.append(child.content)
            else:
                shape.append(child.type)
    return shape, "".join(said)


@given(said=WORDS)
def test_no_text_changes_the_build_of_a_page(said: str) -> None:
    if not one_line(said):
        return
    for mechanics in (True, False):
        made = [
            Shape(page.written(journal.read(numbered(log_of(one))), mechanics=mechanics))
            for one in (said, "x")
        ]
        assert made[0].tags == made[1].tags
        assert phrases.own(said) in "".join(made[0].words)


@given(said=WORDS)
def test_no_text_changes_the_build_of_a_report(said: str) -> None:
    if not one_line(said):
        return
    for mechanics in (True, False):
        made = [
            markdown.written(journal.read(numbered(log_of(one))), mechanics=mechanics) for one in (said, "x")
        ]
        built = [tokens(one) for one in made]
        assert built[0][0] == built[1][0]
        assert phrases.own(said) in built[0][1]
        front = made[0].split("\n")[1]
        assert json.loads(front.removeprefix("title: ")) == phrases.own(said)
        body = made[0].split("\n---\n", 1)[1]
        assert not re.search(r"(?<!\\)(==|%%|\$|\[\[|\^)", body)  # what Obsidian reads besides


def signs(log: list[Event]) -> list[str]:
    """The sign that each line of the notation begins with, and each tag in it."""
    told = notation.written(journal.read(numbered(log)))
    return [
        (re.match(r"@|\?|->|=>|d:|===|\(\w+:|S\d|\[[A-Z]\w*(:|\])?", line) or [""])[0]
        + ("[PC:" * (line.startswith("[PCs]") and "[PC:" in line))
        for line in told.splitlines()
    ]


@given(said=WORDS)
def test_no_text_changes_the_signs_of_the_notation(said: str) -> None:
    if one_line(said):
        assert signs(log_of(said)) == signs(log_of("x"))


@given(said=WORDS)
def test_no_text_moves_a_cursor(said: str) -> None:
    for width in (30, 90):
        for line in logbook.listed(journal.read(numbered(log_of(said))), Ink(width=width)):
            assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", line)


def test_paragraphs_and_lines_of_a_note_are_kept() -> None:
    note = {"kind": "note", "seat": "g", "text": "One.\r\nTwo.\n\n \n- Three.\tFour."}
    told = journal.read(numbered([*opening(), note]))
    assert "\n\nOne.  \nTwo.\n\n\\- Three. Four.\n" in markdown.written(told)
    assert '<p dir="auto">One.<br>Two.</p><p dir="auto">- Three. Four.</p>' in page.written(told)


# ---- the page -------------------------------------------------------------------------------------


def test_a_page_is_whole_in_itself_and_has_no_script() -> None:
    told = page.written(journal.read(numbered(everything())))
    for tag, attributes in (one for one in Shape(told).tags if not isinstance(one, str)):
        assert tag not in ("script", "link", "img", "iframe", "object", "embed", "form", "base"), tag
        for name, value in attributes:
            assert name not in ("src", "style", "srcset"), name
            assert not name.startswith("on"), name
            assert name != "href" or (value or "").startswith("#")
    assert "url(" not in told
    assert "@import" not in told


def test_a_page_is_sane_for_whoever_hears_it() -> None:
    told = page.written(journal.read(numbered(everything())))
    levels = [int(level) for level in re.findall(r"<h(\d)", told)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert 'aria-label="2 of hearts"' in told
    assert 'aria-label="6, not counted"' in told
    drawn = re.findall(r"<svg[^>]*>", told)
    assert drawn
    assert all('aria-hidden="true"' in one for one in drawn)
    targets = set(re.findall(r'id="([^"]+)"', told))
    for used in re.findall(r'href="#([^"]+)"', told):
        assert used in targets
    ids = re.findall(r' id="([^"]+)"', told)
    assert len(ids) == len(set(ids))


# ---- at a table -----------------------------------------------------------------------------------


@pytest.fixture
def seated(tmp_path: Path) -> Iterator[tuple[Table, str]]:
    with open_store(tmp_path / "tables.db") as store:
        table, gm, _ = service.opened(store, "ferry", title="The last ferry")
        yield table, gm


def session(table: Table, gm: str) -> str:
    """A little of everything, with two secrets; the seat of a player."""
    sheet = {"cards": {"level": 1, "els": {"Talk": 4}}, "agate": {"skills": {"Climb": 6}}}
    made = table.act(gm, requests.Seat(name="Ann"))
    task = {"steps": [{"skill": 12, "dn": 10}] * 4}
    for request in (
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
        requests.Play(rule="dramatic-skill.task", params=task, policy="plain"),
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
    seat = made.event("seat")
    assert seat is not None
    return str(seat["id"])


def read(table: Table, seat: str) -> Journal:
    return journal.read(table.entries(seat))


@pytest.mark.parametrize("kind", WRITERS)
def test_a_report_of_a_real_table_tells_everything(seated: tuple[Table, str], kind: str) -> None:
    session(*seated)
    whole, story = (WRITERS[kind](read(*seated), mechanics=mechanics) for mechanics in (True, False))
    for said in (
        "The last ferry",
        "The jetty",
        "Nobody speaks.",
        "Is the ferryman sober?",
        "Do I leap?",
        "Flood",
    ):
        assert said in whole.replace("\\", "")
        assert said in story.replace("\\", "")
    for said in ("Does he see us?", "Warden", "A word too many.", "taken back", "Mara"):
        assert said in whole
    for said in ("Warden", "A word too many", "Fate"):
        assert said not in story
    assert whole.count("Is the ferryman sober?") == 1


def test_others_get_a_report_of_their_own(seated: tuple[Table, str]) -> None:
    table, gm = seated
    ann = session(table, gm)
    for write in WRITERS.values():
        told = write(read(table, ann))
        assert "The rain stops." in told
        for secret in ("Is there a spy", "Does he see us", "alone)"):
            assert secret not in told


def test_a_reveal_is_told_where_it_was_made(seated: tuple[Table, str]) -> None:
    table, gm = seated
    secret = table.act(gm, requests.Play(rule="cards.ask", to="gm", question="Is there a spy?"))
    ann = table.act(gm, requests.Seat(name="Ann")).event("seat")
    assert ann is not None
    table.act(gm, requests.Note(text="Later."))
    table.act(gm, requests.Reveal(play=str(secret.play)))
    items = read(table, ann["id"]).items
    (item,) = [one for one in items if isinstance(one, journal.Play)]
    assert item.earlier == "played earlier in secret"
    assert item.result is not None
    assert items.index(item) > [one.kind for one in items].index("note")
    assert "Is there a spy?" in "\n".join(logbook.listed(read(table, ann["id"]), Ink()))
