"""The cards' faster ways give the rationals of the general walk, and known values come out exactly."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sortes
from sortes import catalog
from sortes.engine.advise import plan
from sortes.engine.odds import spread
from sortes.systems.cards.resolve import SIDES
from sortes.systems.cards.resolve_solver import DIGIT, PACK, outcomes, outcomes_of_digits

SMALL = ["AH", "2D", "3S", "4C", "KH", "QS"]


@given(
    st.integers(0, 7),
    st.integers(0, 7),
    st.integers(0, 9),
    st.integers(0, 5),
    st.integers(0, 3),
    st.sampled_from(["opponent", "self"]),
)
def test_c6_a_plain_roll_solved_equals_the_general_walk(
    el: int, against: int, extra: int, theirs: int, hook: int, defends: str
) -> None:
    it = sortes.prepare(
        "cards.resolve", el=el, against=against, extra=extra, their_extra=theirs, hook=hook, defends=defends
    )
    assert it.rule.solve is not None
    solved = it.rule.solve(it.question)
    assert solved is not None
    assert solved.outcomes == spread(it.state, it.stock, it.world).outcomes


@given(st.integers(0, 30), st.integers(0, 30), st.data())
def test_c6_a_roll_counted_by_digits_equals_the_same_counted_by_sums(
    red: int, black: int, data: st.DataObject
) -> None:
    size = red + black
    n = data.draw(st.integers(0, size))
    m = data.draw(st.integers(0, size - n))
    own, their = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    for defends in SIDES:
        by_sums = outcomes(n, m, own, their, red, size, defends)
        assert outcomes_of_digits(n, m, own, their, red, size, defends) == by_sums
        assert sum(by_sums.values()) == comb(size, red)


@pytest.mark.parametrize("packs", [1, 2])  # in one pack by digits, in two by sums
def test_c6_a_roll_with_extra_effort_on_both_sides_solved_equals_the_general_walk(packs: int) -> None:
    for defends in SIDES:
        roll: dict[str, Any] = {"el": 3, "extra": 2, "against": 2, "their_extra": 3, "defends": defends}
        it = sortes.prepare("cards.resolve", house={"packs": packs, "jokers": 2}, **roll)
        assert it.rule.solve is not None
        solved = it.rule.solve(it.question)
        assert solved is not None
        assert solved.outcomes == spread(it.state, it.stock, it.world).outcomes


def test_c6_digits_hold_all_the_ways_of_one_pack() -> None:
    assert max(comb(PACK, red) for red in range(PACK + 1)) < 2**DIGIT


@pytest.mark.parametrize("red", [0, 1, 3])
def test_c6_a_roll_of_hundreds_of_cards_with_hardly_a_red_among_them(red: int) -> None:
    roll: dict[str, Any] = {"el": 500, "extra": 5, "against": 5, "deck": {"S": 260, "C": 255, "H": red}}
    it = sortes.prepare("cards.resolve", house={"packs": 20}, **roll)
    assert sortes.odds(it).outcomes == spread(it.state, it.stock, it.world).outcomes


def test_c6_a_roll_on_a_partly_used_deck_solved_equals_the_general_walk() -> None:
    it = sortes.prepare("cards.resolve", el=3, against=4, extra=1, deck={"H": 3, "D": 4, "S": 5, "C": 2})
    assert it.rule.solve is not None
    solved = it.rule.solve(it.question)
    assert solved is not None
    assert solved.outcomes == spread(it.state, it.stock, it.world).outcomes


def test_c2_a_roll_that_the_deck_runs_out_for_is_left_to_the_general_walk() -> None:
    it = sortes.prepare("cards.resolve", el=3, against=4, deck=SMALL)
    assert it.rule.solve is not None
    assert it.rule.solve(it.question) is None


@given(st.integers(0, 7), st.integers(0, 10), st.sampled_from(["opponent", "self"]))
def test_c6_3_extra_effort_weighed_equals_the_plan(el: int, against: int, defends: str) -> None:
    it = sortes.prepare("cards.resolve", el=el, against=against, extra="choose", defends=defends)
    advice, made = sortes.advise(it), plan(it.state, it.stock, it.world, it.rule.worths)
    assert advice.worths == made.worth()
    if el:
        ((_, situation),) = made.first()
        assert advice.best == situation.best.value
        assert [(o.option, o.worth) for o in advice.options] == [(o.value, w) for o, w in situation.worths]


@pytest.mark.parametrize(
    ("against", "extra", "win"), [(5, 3, 0.813), (7, 4, 0.673), (9, 5, 0.506), (10, 5, 0.423)]
)
def test_c6_3_known_best_extra_effort_of_el_7(against: int, extra: int, win: float) -> None:
    advice = sortes.advise("cards.resolve", el=7, against=against, extra="choose")
    assert advice.best == extra
    assert float(advice.worth) == pytest.approx(win, abs=0.0005)


@pytest.mark.parametrize(("extra", "bust"), [(3, 0.03757), (7, 0.37770)])
def test_c13_el_7_drawing_ten_and_fourteen(extra: int, bust: float) -> None:
    odds = sortes.odds("cards.resolve", el=7, against=0, extra=extra)
    assert float(odds.p("bust")) == pytest.approx(bust, abs=0.000005)


@pytest.mark.parametrize(("against", "win"), [(5, 0.595), (7, 0.531), (9, 0.421), (10, 0.355)])
def test_c6_3_drawing_fourteen_with_el_7(against: int, win: float) -> None:
    assert float(sortes.odds("cards.resolve", el=7, against=against, extra=7).p("win")) == pytest.approx(
        win, abs=0.0005
    )


def test_c7_luck_on_a_roll_is_never_worse_than_none() -> None:
    without = sortes.advise("cards.resolve", el=3, against=3)
    lucky = sortes.advise("cards.resolve", el=3, against=3, luck=1)
    both = sortes.advise("cards.resolve", el=3, against=3, luck=1, their_luck=1)
    assert without.worth < lucky.worth
    assert both.worth < lucky.worth
    assert sum(lucky.worths.values()) == 1


@pytest.mark.parametrize("draws", ["both", "mine", "theirs", "alternate"])
@pytest.mark.parametrize(("mine", "theirs"), [(0, 0), (1, 1), (2, 1)])
def test_c9_a_conflict_solved_equals_the_general_walk_to_the_very_end(
    draws: str, mine: int, theirs: int
) -> None:
    it = sortes.prepare(
        "cards.conflict", mine=mine, theirs=theirs, draws=draws, deck=["AH", "2D", "3S", "4C"], discard=[]
    )
    walked = spread(it.state, it.stock, it.world, means=("rounds",))
    odds = sortes.odds(it)
    assert odds.by("result") == {
        r: sum(p for o, p in walked.outcomes.items() if o.result == r)
        for r in {o.result for o in walked.outcomes}
    }
    assert odds.mean("rounds") == walked.means["rounds"]


def test_c9_without_luck_giving_in_is_never_better_than_going_on() -> None:
    it = sortes.prepare("cards.conflict", mine=1, theirs=1, deck=["AH", "2D", "3S", "4C"], discard=[])
    made = plan(it.state, it.stock, it.world, it.rule.worths)
    assert sortes.advise(it).worths == made.worth()


def test_c9_mean_length_of_five_against_five() -> None:
    odds = sortes.odds("cards.conflict", mine=5, theirs=5)
    assert odds.mean("rounds") is not None
    assert float(odds.mean("rounds") or 0) == pytest.approx(21.96547285944436)
    assert odds.p("won") == odds.p("lost")


def test_c10_and_c1_a_deck_of_several_packs_and_jokers() -> None:
    house = {"packs": 2, "jokers": 2}
    assert sortes.odds("cards.ask", house=house).p("chaos") == Fraction(4, 108)
    assert sortes.odds("cards.numbers", house=house).by("pips") == {80: 1}


def test_c12_help_says_when_to_resolve_and_nothing_enforces_it() -> None:
    assert "C12" in catalog.rule("cards.resolve").form.help


@pytest.mark.parametrize("code", ["10H", "TH", "0H", "0♥", "t♥", "10h"])
def test_c1_every_way_to_write_the_ten(code: str) -> None:
    assert sortes.odds("cards.contest", el=10, card=code).by("tie") == {True: 1}


def test_c8_the_vote_of_a_fresh_deck() -> None:
    vote = sortes.odds("cards.three").by("vote")
    assert 1 - vote["none"] == Fraction(11, 1105)
    assert vote["decisive-success"] == Fraction(1, 1105)
    assert vote["critical-failure"] == vote["generous-defeat"]
