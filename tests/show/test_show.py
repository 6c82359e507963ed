"""How results are said and drawn: every result has words, and nothing is lost without colour."""

from __future__ import annotations

import io
import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Literal

import msgspec
import pytest

import sortes
from sortes import catalog
from sortes.core.ask import Done
from sortes.core.chance import Thrown
from sortes.core.system import Rule, rule
from sortes.show import html, reports, terminal, text, words
from sortes.show.terminal import Ink, Row

RULES = [one for system in catalog.systems() for one in system.rules]


# ---- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=[one.id for one in RULES])
def test_every_result_has_a_title_and_a_mark_of_its_own(rule: Rule) -> None:
    titles = [words.title(rule, result) for result in rule.results]
    assert len(set(titles)) == len(titles)
    for result, title in zip(rule.results, titles, strict=True):
        assert words.mark(rule, result) in terminal.MARKS
        assert title[0].isupper()
        assert result in words.RESULTS[rule.system] or rule.id in words.NOTHING


class Omen(msgspec.Struct, frozen=True):
    """An outcome of a system that nobody here has heard of."""

    result: Literal["clear-sky", "rain"]
    drops: int = 0
    names: tuple[str, ...] = ()


@rule("weather.look", Omen, worths={"farmer": lambda o: o.result == "rain"})
def look() -> Done:
    """Look up."""
    return Done(Omen("rain", 3, ("drizzle",)), ("W1",))


def test_a_system_that_is_not_known_here_is_said_in_its_own_terms() -> None:
    said = words.said(look, Omen("rain", 3))
    assert (said.title, said.mark) == ("Rain", "yes")
    assert words.said(look, Omen("clear-sky")).mark == "no"
    assert words.effects(look, Omen("rain", 3, ("drizzle", "hail"))) == [
        ("Drops", "3"),
        ("Names", "drizzle, hail"),
    ]
    assert words.question("umbrella") == "Umbrella?"
    assert words.option("umbrella", "leave-it") == "Leave it"
    assert words.hope(look) == "what the farmer hopes for"
    assert terminal.answer(Ink(), said)[0] == "  ● Rain"
    assert not words.known(look)


@pytest.mark.parametrize(
    ("p", "percent", "exact"),
    [
        (Fraction(0), "0%", "0"),
        (Fraction(1), "100%", "1"),
        (Fraction(1, 8), "12.5%", "1/8"),
        (Fraction(1, 400), "0.25%", "1/400"),
        (Fraction(1, 1001), "under 0.1%", "1/1001"),
        (Fraction(10**40 - 1, 10**40), "over 99.9%", "exact: 81 digits"),
        (Fraction(1, 3**20000), "under 0.1%", "exact: 9544 digits"),
    ],
)
def test_a_chance_is_never_rounded_to_certainty(p: Fraction, percent: str, exact: str) -> None:
    assert (words.percent(p), words.exact(p)) == (percent, exact)


def test_faces_are_read_as_people_write_them() -> None:
    assert [words.face(one) for one in ("0H", "AS", "9C", "KD", "Xr", "Q♥", 17)] == [
        *("10♥", "A♠", "9♣", "K♦", "red joker", "Q♥", "17")
    ]
    assert words.shown(Thrown("cards", "drama", ("ABD",), ("ABD",)), "ABD: the tide comes") == "A B D"
    assert words.shown(Thrown("cards", "drama", (), ()), "possible-setback") == "Possible setback"


def test_of_equal_faces_the_first_thrown_counts() -> None:
    thrown = Thrown("dice", "d8", (3, 7, 7, 1), (7,))
    assert words.kept(thrown) == [False, True, False, False]
    assert text.throw(thrown) == "4d8: (3) 7 (7) (1)"


def test_effects_tell_what_a_play_changes() -> None:
    play = sortes.play("d20-oracle.ask", hands=[[[5], [5], [9]], [3]])
    told = words.effects(play.rule, play.outcome)
    assert play.outcome.result == "great-boon"
    assert ("Answer", "yes") in told
    assert any(label == "Boon, 3 on the d12" and said for label, said in told)
    aura = sortes.play("d20-oracle.ask", asker="player", tables=False, hands=[[[5], [20], [2]]])
    assert ("Aura", "+1") in words.effects(aura.rule, aura.outcome)


# ---- a terminal ---------------------------------------------------------------------------------


class Screen(io.StringIO):
    """A terminal, or a pipe, of some encoding."""

    def __init__(self, tty: bool, encoding: str = "utf-8") -> None:
        super().__init__()
        self.tty, self._encoding = tty, encoding

    def isatty(self) -> bool:
        return self.tty

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


@pytest.mark.parametrize(
    ("tty", "environ", "colour"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_come_where_they_are_wanted(tty: bool, environ: dict[str, str], colour: bool) -> None:
    assert terminal.ink(Screen(tty), environ).colour is colour


def test_width_and_letters_of_a_stream() -> None:
    assert terminal.ink(Screen(True), {"COLUMNS": "40"}).width == 40
    assert terminal.ink(Screen(False), {"COLUMNS": "4000"}).width == 100
    assert terminal.ink(Screen(False), {}).width == 80
    assert terminal.ink(Screen(True), {}).rich
    plain = terminal.ink(Screen(True, "ascii"), {})
    assert not plain.rich
    every = "".join(
        [*terminal.MARKS.values(), *terminal.FILLS.values(), terminal.EIGHTHS, *"♥♦♠♣┌┐└┘╭╮╰╯─┄│┆▸−…"]
    )
    assert plain.fit(every).isascii()


def drawn(pen: Ink, *thrown: Thrown) -> str:
    return "\n".join(terminal.throws(pen, thrown, [words.caption(one) for one in thrown]))


def test_dice_and_cards_are_boxes() -> None:
    assert drawn(
        Ink(), Thrown("dice", "fate", (9,), (9,)), Thrown("dice", "boon", (20, 6), (20,))
    ).splitlines() == [
        "  Fate    Boon",
        "  ┌────┐  ┌────┐ ┌┄┄┄┄┐",
        "  │  9 │  │ 20 │ ┆  6 ┆",
        "  └────┘  └────┘ └┄┄┄┄┘",
    ]
    assert drawn(Ink(), Thrown("cards", "cards", ("0H", "KS"), ("0H", "KS"))).splitlines() == [
        "  ╭─────╮ ╭────╮",
        "  │ 10♥ │ │ K♠ │",
        "  ╰─────╯ ╰────╯",
    ]


def test_many_are_told_in_lines() -> None:
    faces = tuple(range(1, 101))
    said = drawn(Ink(width=60), Thrown("dice", "d100", faces, (100,)))
    assert "and 40 more; what counts: 100" in said.replace("\n  ", " ").replace("   ", " ")
    assert max(map(len, said.splitlines())) <= 60


def test_red_suits_are_red_and_have_their_sign_without_colour() -> None:
    cards = Thrown("cards", "cards", ("0H", "KS"), ("0H", "KS"))
    coloured = drawn(Ink(colour=True), cards)
    assert "38;5;167" in coloured.split("10♥")[0]
    assert "38;5;167" not in coloured.split("10♥")[1]
    assert re.sub(r"\033\[[\d;]*m", "", coloured) == drawn(Ink(), cards)


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80])
def test_tables_fit(width: int) -> None:
    rows = [
        Row("yes-great-but", "Great Boon with Great Bane", 0.5, ("513/16000", "3.2%")),
        Row("both", "Draw", 1.0, ("exact: 148 digits", "under 0.1%")),
        Row(None, "Unresolved", 0.0, ("0", "0%")),
    ]
    lines = terminal.table(Ink(width=width), rows)
    assert max(map(len, lines)) <= max(width, 29)  # numbers are never cut
    joined = " ".join(" ".join(lines).split())
    for row in rows:
        assert all(one in joined for one in row.said)
        assert all(word in joined for word in row.name.split())


def test_what_can_happen_has_a_bar() -> None:
    assert terminal.bar(Ink(), "yes", 1e-9, 20).strip()
    assert not terminal.bar(Ink(), "yes", 0, 20).strip()
    for mark in terminal.MARKS:
        assert len(terminal.bar(Ink(), mark, 0.37, 20)) == 20
        assert len(terminal.bar(Ink(), mark, 5, 20)) == 20


def test_a_stack_is_as_long_as_all_its_parts() -> None:
    thirds: list[tuple[words.Mark, Fraction]] = [(mark, Fraction(1, 3)) for mark in ("yes", "both", "no")]
    assert len(terminal.stack(Ink(), thirds, 50)) == 50


def test_the_words_of_people_move_no_cursor() -> None:
    assert "\033" not in terminal.clean("Is\033[2J it\r\nso?")


# ---- HTML ---------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Reads a table as its cells; every tag must be closed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.feed(source)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag in ("th", "td"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"th", "td"} & set(self.open):
            self.cells[-1] += data


def test_odds_show_themselves_in_a_notebook() -> None:
    shown = sortes.odds("poker-dice.roll")._repr_html_()
    cells = [cell.strip() for cell in Reader(shown).cells]
    assert cells[:4] == ["◉ Extreme Success", "", "1/36", "2.8%"]
    assert len(cells) == 24
    assert "prefers-color-scheme:dark" in shown
    assert "<script" not in shown
    assert "http" not in shown


def test_the_table_is_escaped() -> None:
    odds = sortes.odds("agate.attempt", skill=4, difficulty=2, boons=("<b>crowbar</b> & luck",))
    shown = html.odds_table(odds)
    assert "&lt;b&gt;crowbar&lt;/b&gt; &amp; luck" in shown
    Reader(shown)


def test_what_is_left_open_is_a_row() -> None:
    odds = sortes.odds("cards.conflict", mine=1, theirs=1, house={"reshuffle": "always"})
    shown = "\n".join(reports.odds(Ink(), odds))
    assert ("Unresolved" in shown) is bool(odds.left("result"))
    assert ("Unresolved" in html.odds_table(odds)) is bool(odds.left("result"))
