"""What the public functions refuse, naming the parameter, and what they make of hands and policies."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import sortes

ROLL = "poker-dice.roll"


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (lambda: sortes.play(ROLL, hands=3), "hands"),
        (lambda: sortes.play(ROLL, hands=[3]), "throw"),
        (lambda: sortes.play(ROLL, hands=[["A♠", "K♦"], ["9♠"]]), "hands"),
        (lambda: sortes.play(ROLL, hands=[["A♠"]]), "throw"),
        (lambda: sortes.play(ROLL, seed=-1), "seed"),
        (lambda: sortes.play(ROLL, seed="x"), "seed"),
        (lambda: sortes.play(ROLL, policy="wild"), "policy"),
        (lambda: sortes.odds(ROLL, policy={"nobody": "best"}).outcomes, "policy"),
        (lambda: sortes.odds(ROLL, within=-1), "within"),
        (lambda: sortes.odds(ROLL).by("colour"), "by"),
        (lambda: sortes.odds(ROLL).p("yes"), "result"),
        (lambda: sortes.odds(ROLL).mean("result"), "by"),
        (lambda: sortes.simulate(ROLL, n=0), "n"),
        (lambda: sortes.simulate(ROLL, n=True), "n"),
        (lambda: sortes.advise(ROLL, worth="zz"), "worth"),
        (lambda: sortes.odds("cards.ask", luck=1, policy="best", worth=lambda o: "a").outcomes, "worth"),
        (
            lambda: sortes.odds("cards.ask", luck=1, policy="best", worth=lambda o: float("nan")).outcomes,
            "worth",
        ),
        (
            lambda: sortes.odds("cards.resolve", el=1, against=1, **{"their-luck": 1, "their_luck": 0}),
            "their_luck",
        ),
        (lambda: sortes.odds("cards.conflict", mine=1, theirs=1).by("rounds"), "within"),
        (lambda: sortes.play(sortes.prepare(ROLL), level=2), "rule"),
        (lambda: sortes.play("poker-dise.roll"), "rule"),
        (lambda: sortes.play(7), "rule"),
        (lambda: sortes.odds(ROLL, house=5), "house"),
        (lambda: sortes.odds(ROLL, house="no-such-file.toml"), "house"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(asked: Callable[[], Any], named: str) -> None:
    with pytest.raises(sortes.RuleError) as refused:
        asked()
    assert refused.value.parameter == named
    assert isinstance(refused.value, ValueError)


def test_counts_by_suit_need_not_name_every_suit() -> None:
    odds = sortes.odds("cards.resolve", el=2, against=1, deck={"H": 2, "S": 1}, discard={})
    assert odds.by("result") == {"win": Fraction(1, 3), "loss": Fraction(2, 3)}


def test_advice_is_a_policy_of_every_walk() -> None:
    advice = sortes.advise("cards.resolve", el=7, against=9, extra="choose")
    odds = sortes.odds("cards.resolve", el=7, against=9, extra="choose", policy=advice)
    assert odds.p("win") == advice.worth
    play = sortes.play("cards.resolve", el=7, against=9, extra="choose", policy=advice, seed=1)
    assert [chosen.option for chosen in play.choices] == [advice.best]


def test_a_policy_for_one_chooser_leaves_the_others_plain() -> None:
    best = sortes.odds("cards.resolve", el=3, against=3, luck=1, their_luck=1, policy="best").p("win")
    mine = sortes.odds("cards.resolve", el=3, against=3, luck=1, their_luck=1, policy={"self": "best"}).p(
        "win"
    )
    plain = sortes.odds("cards.resolve", el=3, against=3, luck=1, their_luck=1).p("win")
    assert best < mine
    assert plain < mine


def test_odds_show_themselves_as_a_table_and_as_a_frame() -> None:
    odds = sortes.odds(ROLL, level=2)
    assert "<table" in odds._repr_html_()
    frame = odds.to_frame()
    assert sum(frame["p"]) == 1
    assert list(frame.columns) == ["result", "p", "probability"]


def test_simulate_leaves_out_what_it_does_not_count() -> None:
    (outcome, *_) = sortes.simulate("cards.conflict", mine=0, theirs=0, n=10, seed=1)
    assert outcome.rounds is None
