"""The token conflict (C9): rounds and endings by hand, exact odds by three ways, and a crowd that agrees with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sortes
from sortes.systems.cards import SYSTEM, conflict_solver
from sortes.systems.cards.deck import pack
from tests.brute import conflict as brute
from tests.test_laws import assert_fits

CONFLICT = "cards.conflict"
RULE = SYSTEM["conflict"]
CODES = [card for card, _ in pack(1, 2)]
JOKERS = {"jokers": 2}

few = st.lists(st.sampled_from(CODES), min_size=2, max_size=8, unique=True)
ratings = st.integers(0, 3)
draws_ = st.sampled_from(["both", "mine", "theirs", "alternate"])


def play(*hands: str, choices: tuple[Any, ...] = (), **params: Any) -> sortes.Play:
    """A conflict with these cards drawn one by one; it goes on where no option is given."""
    waiting, drawn = list(choices), iter([[card] for card in hands])
    played = sortes.play(
        CONFLICT, hands=drawn, policy=lambda s, c: waiting.pop(0) if waiting else c.options[0].value, **params
    )
    assert next(drawn, None) is None
    return played


@contextmanager
def walking() -> Iterator[None]:
    """The general walk in place of the room's own solver."""
    solver, RULE.solve = RULE.solve, None
    try:
        yield
    finally:
        RULE.solve = solver


def by_round(odds: sortes.Odds, within: int) -> tuple[dict[tuple[str, int], F], F]:
    """How it ended and in which round, and what was left."""
    found = odds._spread(("rounds",), within)
    return {(o.result, o.rounds): p for o, p in found.outcomes.items()}, found.unresolved


# ---- by hand ------------------------------------------------------------------------------------

MOVES = {"H": (1, -1), "D": (1, 1), "S": (-1, -1), "C": (-1, 1)}


@pytest.mark.parametrize(("a", "b"), [*product("HDSC", repeat=2)])
def test_c9_1_c9_2_effects_are_added_before_status_is_checked(a: str, b: str) -> None:
    mine, theirs = (MOVES[a][0] + MOVES[b][1], MOVES[a][1] + MOVES[b][0])
    wanted = brute.status(mine, theirs)
    played = play("A" + a, "K" + b, mine=0, theirs=0, choices=("end",) if wanted is None else ())
    assert played.outcome.result == (wanted or "ended")
    assert played.outcome.rounds == 1


def test_c9_3_exactly_nothing_stands_and_below_it_is_down() -> None:
    assert play("AS", "KS", mine=1, theirs=1, draws="mine").outcome.result == "both-down"
    odds = sortes.odds(CONFLICT, mine=1, theirs=1, draws="mine", deck=["AS", "KS"], discard=[])
    assert odds.by("rounds", within=3) == {2: F(1)}


@pytest.mark.parametrize(
    ("way", "result", "by"),
    [
        ("surrender", "surrendered", "self"),
        ("they-surrender", "surrendered", "opponent"),
        ("flee", "fled", "self"),
        ("they-flee", "fled", "opponent"),
        ("end", "ended", "table"),
    ],
)
def test_c9_4_other_endings_are_recorded_with_who(way: str, result: str, by: str) -> None:
    played = play("AH", "KH", mine=5, theirs=5, choices=(way,))
    assert (played.outcome.result, played.outcome.by, played.outcome.rounds) == (result, by, 1)
    assert "C9.4" in played.why
    assert played.choices[-1].who == by


def test_c9_1_each_in_turn_mine_first() -> None:
    assert play("AC", "KH", mine=1, theirs=0, draws="alternate").outcome.result == "lost"
    assert play("AH", mine=0, theirs=0, draws="theirs").outcome.result == "lost"


def test_c1_a_joker_does_nothing() -> None:
    assert play("Xr", "AH", mine=0, theirs=0, house=JOKERS).outcome.result == "lost"


def test_c2_a_rounds_cards_are_discarded_when_it_is_settled() -> None:
    """Two Diamonds and two Hearts, all drawn in two rounds: the third begins with a shuffle of all four."""
    deck = ["AD", "KD", "AH", "KH"]
    played = play(
        *deck, "AD", "KH", mine=3, theirs=3, deck=deck, discard=[], choices=("go-on", "go-on", "end")
    )
    assert played.outcome.rounds == 3
    assert sum(played.left().values()) == 2
    with pytest.raises(sortes.Refused, match="2 cards"):
        sortes.play(CONFLICT, mine=1, theirs=1, deck=["AH"], discard=[], seed=1)


def test_c7_1_c7_3_luck_turns_ones_own_card_mine_first_before_status() -> None:
    played = play("AC", "KC", mine=0, theirs=1, luck=1, their_luck=1, choices=("turn", "turn", "flee"))
    assert [c.who for c in played.choices] == ["self", "opponent", "self"]  # two Hearts: nobody moves
    assert played.outcome.result == "fled"
    kept = play("AC", "KH", mine=0, theirs=1, luck=1, their_luck=1, choices=("keep",))
    assert kept.outcome.result == "lost"
    assert len(kept.choices) == 1  # their Heart has nothing to turn


def test_c7_1_where_one_side_draws_only_its_own_luck_helps() -> None:
    alone = play("AC", mine=0, theirs=0, draws="mine", luck=1, their_luck=1, choices=("turn",))
    assert alone.outcome.result == "won"
    assert [c.who for c in alone.choices] == ["self"]


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from([["AH", "AD", "AS", "AC"], ["AH", "AS", "AD", "2H", "AC", "2C"]]),
    st.integers(0, 1),
    draws_,
)
def test_c7_1_the_best_use_of_one_token(deck: list[str], mine: int, draws: str) -> None:
    fixed = {"opponent": "plain"}
    advice = sortes.advise(
        CONFLICT, mine=mine, theirs=1, draws=draws, luck=1, deck=deck, discard=[], policies=fixed,
        worth="won",  # a function might read the rounds, which have no bound
    )  # fmt: skip
    assert advice.worth == pytest.approx(float(brute.best(mine, 1, draws, 1, deck=deck, discard=[])))


# ---- known values -------------------------------------------------------------------------------

ONE = {
    "won": F(12204164755360839573916267111, 26746627108143887196303903384),
    "lost": F(12204164755360839573916267111, 26746627108143887196303903384),
    "both-down": F(1169148798711104024235684581, 13373313554071943598151951692),
}


def test_c9_one_against_one_to_the_very_end() -> None:
    odds = sortes.odds(CONFLICT, mine=1, theirs=1)
    assert odds.by("result") == ONE
    assert odds.unresolved == 0
    assert odds.mean("rounds") == F(25163502393432317639781409781, 6686656777035971799075975846)
    assert odds.left("rounds", within=26) == F(3155907275021217638117359, 1117598703447683184150780000)


def test_c9_the_rounds_add_up_to_the_end() -> None:
    odds = sortes.odds(CONFLICT, mine=2, theirs=3)
    first, rest = by_round(odds, 200)
    assert 0 < rest < F(1, 10**6)
    for result, p in odds.by("result").items():
        assert 0 <= p - sum(q for (how, _), q in first.items() if how == result) <= rest
    mean = odds.mean("rounds")
    assert mean is not None
    assert 0 < mean - sum(n * p for (_, n), p in first.items()) < F(1, 100)


def test_c9_what_one_side_wins_the_other_loses() -> None:
    one, other = (sortes.odds(CONFLICT, mine=a, theirs=b) for a, b in ((7, 4), (4, 7)))
    assert one.p("won") == other.p("lost")
    assert one.p("both-down") == other.p("both-down")
    mine, theirs = (
        sortes.odds(CONFLICT, mine=a, theirs=b, draws=d) for a, b, d in ((7, 4, "mine"), (4, 7, "theirs"))
    )
    assert mine.p("won") == theirs.p("lost")


@pytest.mark.parametrize(("mine", "theirs", "left"), [(26, 26, 1), (25, 26, 0)])
def test_c9_where_no_deck_can_bring_anyone_down_it_never_ends(mine: int, theirs: int, left: int) -> None:
    odds = sortes.odds(CONFLICT, mine=mine, theirs=theirs, draws="mine")
    assert odds.unresolved == left
    assert (odds.mean("rounds") is None) == bool(left)


def test_c2_with_a_shuffle_before_every_round_the_rest_is_stated() -> None:
    odds = sortes.odds(CONFLICT, mine=1, theirs=1, house={"reshuffle": "always"})
    assert sum(odds.by("result").values()) + odds.unresolved == 1
    assert 0 < odds.unresolved < F(1, 10)
    assert odds.mean("rounds") is None
    same, other = F(13 * 12, 52 * 51), F(13 * 13, 52 * 51)
    down = sum(same if a == b else other for a, b in product("HDSC", repeat=2)
               if min(1 + MOVES[a][0] + MOVES[b][1], 1 + MOVES[a][1] + MOVES[b][0]) < 0)  # fmt: skip
    assert odds.by("rounds", within=1) == {1: down}


# ---- the solver is the walk is dealing card by card ---------------------------------------------


@settings(max_examples=60, deadline=None)
@given(few, st.integers(0, 8), ratings, ratings, draws_, st.integers(1, 6))
def test_c9_round_by_round_three_ways(
    cards: list[str], cut: int, mine: int, theirs: int, draws: str, within: int
) -> None:
    """Partly used decks, odd and unbalanced, shuffled in mid round, with jokers."""
    table = {"deck": cards[:cut], "discard": cards[cut:]}
    it = sortes.prepare(CONFLICT, mine=mine, theirs=theirs, draws=draws, house=JOKERS, **table)
    solved = by_round(sortes.odds(it), within)
    assert solved == brute.rounds(mine, theirs, within, draws, **table)
    with walking():
        assert by_round(sortes.odds(it), within) == solved


@settings(max_examples=40, deadline=None)
@given(few, st.integers(0, 8), ratings, ratings, draws_)
def test_c9_to_the_very_end_is_what_dealing_says(
    cards: list[str], cut: int, mine: int, theirs: int, draws: str
) -> None:
    suits = [card[-1] for card in cards]
    assume(suits.count("D") == suits.count("S"))
    assume(draws != "both" or len(cards) % 2 == 0)
    table = {"deck": cards[:cut], "discard": cards[cut:]}
    odds = sortes.odds(CONFLICT, mine=mine, theirs=theirs, draws=draws, house=JOKERS, **table)
    course = brute.conflict(mine, theirs, draws, **table)
    assert odds.by("result") == course.odds
    assert odds.unresolved == course.unresolved
    assert odds.mean("rounds") == course.mean_rounds


@settings(max_examples=30, deadline=None)
@given(
    few,
    st.integers(0, 8),
    ratings,
    draws_,
    st.integers(1, 5),
    st.sampled_from(["ask", "always"]),
    st.lists(st.integers(-2, 2), min_size=8, max_size=8),
)
def test_c9_1_effects_that_a_table_changes_round_by_round(
    cards: list[str], cut: int, rating: int, draws: str, within: int, reshuffle: str, swings: list[int]
) -> None:
    tokens = {suit: swings[2 * i : 2 * i + 2] for i, suit in enumerate("HDSC")}
    house = {**JOKERS, "reshuffle": reshuffle, "tokens": tokens}
    table = {"deck": cards[:cut], "discard": cards[cut:]}
    it = sortes.prepare(CONFLICT, mine=rating, theirs=1, draws=draws, house=house, **table)
    solved = by_round(sortes.odds(it), within)
    with walking():
        assert by_round(sortes.odds(it), within) == solved


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 12), st.integers(0, 12), draws_, st.integers(1, 9))
def test_c9_both_solvers_agree_on_whole_decks(mine: int, theirs: int, draws: str, within: int) -> None:
    it = sortes.prepare(CONFLICT, mine=mine, theirs=theirs, draws=draws, house={"packs": 1 + mine % 2})
    ends = conflict_solver.followed(it.question, within)
    solved, rest = by_round(sortes.odds(it), within)
    assert solved == {(result, t): p for (t, result), p in ends.items()}
    assert sum(solved.values()) + rest == 1


def test_c9_suits_that_change_places_change_nothing_else() -> None:
    swapped = {"tokens": {"H": [-1, 1], "C": [1, -1]}}
    assert (
        sortes.odds(CONFLICT, mine=3, theirs=2, house=swapped).outcomes
        == sortes.odds(CONFLICT, mine=3, theirs=2).outcomes
    )


def test_c9_too_long_a_chain_is_cut_and_the_rest_stated() -> None:
    odds = sortes.odds(CONFLICT, mine=1, theirs=1, house={"packs": 20})
    assert sum(odds.by("result").values()) + odds.unresolved == 1
    assert 0 < odds.unresolved < F(1, 5)


# ---- a crowd ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        {"mine": 3, "theirs": 2},
        {"mine": 2, "theirs": 2, "draws": "alternate", "deck": CODES[:31]},
        {"mine": 4, "theirs": 3, "draws": "mine"},
        {"mine": 1, "theirs": 3, "draws": "theirs", "deck": CODES[5:40]},
        {"mine": 3, "theirs": 3, "deck": CODES[:27]},  # shuffled in mid round
        {
            "mine": 1,
            "theirs": 1,
            "deck": ["AH", "2D", "3S", "4C", "Xr", "5H"],
            "discard": [],
            "house": JOKERS,
        },
        {"mine": 0, "theirs": 1, "deck": ["3S"], "discard": ["AH", "2D", "4C"]},  # my card stays out
        {"mine": 2, "theirs": 1, "house": JOKERS},
    ],
)
def test_c9_a_crowd_agrees_with_the_odds_by_chi_square(params: dict[str, Any]) -> None:
    n = 60_000
    seen = {o.result: many for o, many in sortes.simulate(CONFLICT, n=n, seed=11, **params).items()}
    assert sum(seen.values()) == n
    assert_fits(sortes.odds(CONFLICT, **params).by("result"), seen, n)


def test_c9_a_crowd_with_an_odd_deck_agrees_with_the_rounds() -> None:
    """Always shuffled in mid round: no chain is finite, and what the rounds leave is little."""
    params = {"mine": 0, "theirs": 0, "deck": ["AH", "AD", "AS", "AC", "2C"], "discard": []}
    odds, n = sortes.odds(CONFLICT, **params), 60_000
    seen = {o.result: many for o, many in sortes.simulate(CONFLICT, n=n, seed=5, **params).items()}
    for result, p in odds.by("result").items():
        low, high = float(p), float(p + odds.unresolved)
        assert low - 0.01 < seen[result] / n < high + 0.01


def test_c2_a_crowd_that_shuffles_before_every_round() -> None:
    params = {"mine": 0, "theirs": 0, "house": {"reshuffle": "always"}}
    odds, n = sortes.odds(CONFLICT, **params), 60_000
    seen = {o.result: many for o, many in sortes.simulate(CONFLICT, n=n, seed=5, **params).items()}
    for result, p in odds.by("result").items():
        assert float(p) - 0.01 < seen[result] / n < float(p + odds.unresolved) + 0.01


def test_c9_a_crowd_that_would_never_end_is_refused() -> None:
    for params in ({"draws": "mine"}, {"house": {"tokens": {s: [1, 1] for s in "HDSC"}}}):
        with pytest.raises(sortes.Refused, match="hardly ever end"):
            sortes.simulate(CONFLICT, mine=30, theirs=30, n=100, seed=1, **params)
