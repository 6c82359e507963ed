"""Agate against plain enumeration of the pool (A1–A5)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

import sortes
from sortes.engine.odds import spread

LADDER = {  # A3: die, triumph, success, setback
    0: (20, 20, 15, 2),
    1: (12, 12, 8, 2),
    2: (10, 10, 6, 2),
    3: (8, 8, 5, 1),
    4: (6, 6, 3, 1),
    5: (4, 4, 2, 1),
}


def band(rank: int, face: int) -> str:
    _, triumph, success, setback = LADDER[rank]
    if face >= triumph:
        return "triumph"
    return "success" if face >= success else "setback" if face >= setback else "catastrophe"


@pytest.mark.parametrize("rank", range(6))
@pytest.mark.parametrize("net", range(-4, 3))
def test_a1_a2_a3_every_band_equals_the_whole_pool_counted(rank: int, net: int) -> None:
    dice = 2 + net if net >= -1 else -net
    seen: Counter[str] = Counter()
    for faces in product(range(1, LADDER[rank][0] + 1), repeat=min(dice, 4)):
        seen[band(rank, max(faces) if net >= -1 else min(faces))] += 1
    total = LADDER[rank][0] ** dice
    odds = sortes.odds(
        "agate.attempt", skill=rank + 3, difficulty=3, boons=max(net, 0), hindrances=max(-net, 0)
    )
    assert odds.by("result") == {result: Fraction(n, total) for result, n in seen.items()}


@pytest.mark.parametrize("dice", [10, 100, 1000])
def test_a2_a_large_pool_is_exact(dice: int) -> None:
    odds = sortes.odds("agate.attempt", skill=0, difficulty=0, boons=dice - 2)
    assert odds.p("catastrophe") == Fraction(1, 20**dice)
    assert odds.p("triumph") == 1 - Fraction(19, 20) ** dice


def test_a1_over_five_counts_as_five_and_below_zero_is_a_result_not_an_error() -> None:
    assert sortes.odds("agate.attempt", skill=15, difficulty=0).by("pool") == {"2d4": 1}
    assert sortes.odds("agate.attempt", skill=0, difficulty=15).by("result") == {"cannot-attempt": 1}


def test_a4_the_best_policy_wrests_every_setback() -> None:
    plain = sortes.odds("agate.attempt", skill=3, difficulty=3)
    best = sortes.odds("agate.attempt", skill=3, difficulty=3, policy="best")
    assert best.p("partial-success") == plain.p("setback")
    assert sortes.advise("agate.attempt", skill=3, difficulty=3).worth == 1 - plain.p("catastrophe")


def test_a4_least_strain_is_another_worth() -> None:
    saving = sortes.odds("agate.attempt", skill=3, difficulty=3, policy="best", worth="-strain")
    assert saving.p("partial-success") == saving.p("averted-catastrophe") == 0


@pytest.mark.parametrize(
    ("capacity", "marked", "offered"), [(5, 2, True), (5, 3, False), ("none", 1000, True)]
)
def test_a4_an_option_that_does_not_fit_the_capacity_is_not_offered(
    capacity: object, marked: int, offered: bool
) -> None:
    best = sortes.odds(
        "agate.attempt",
        skill=3,
        difficulty=3,
        marked=marked,
        house={"strain_capacity": capacity},
        policy="best",
    )
    assert (best.p("partial-success") > 0) is offered


def test_a4_rest_turns_strain_into_growth_and_a_triumph_does_not() -> None:
    from sortes import catalog

    system = catalog.system("agate")
    prepared = sortes.prepare("agate.attempt", skill=3, difficulty=3)
    (effect,) = system.rest(prepared.house)
    assert (effect.purse, effect.n, effect.into, effect.rate) == ("strain", None, "growth", 1)
    assert "growth" not in dict(sortes.play("agate.attempt", skill=20, difficulty=0, seed=1).tallies)


def test_a5_labels_count_as_their_number() -> None:
    labelled = sortes.odds("agate.attempt", skill=3, difficulty=3, boons=["rope", "moonlight"])
    assert labelled.outcomes == sortes.odds("agate.attempt", skill=3, difficulty=3, boons=2).outcomes
    assert labelled.params["boons"] == ("rope", "moonlight")


@pytest.mark.parametrize("capacity", ["none", 2, 4])
@pytest.mark.parametrize("marked", [0, 1, 3])
@pytest.mark.parametrize("rank", range(6))
def test_a4_the_bands_solved_equal_the_general_walk(rank: int, marked: int, capacity: object) -> None:
    for boons, hindrances in ((0, 0), (3, 0), (0, 1), (0, 4)):
        it = sortes.prepare(
            "agate.attempt",
            skill=rank,
            difficulty=0,
            marked=marked,
            boons=boons,
            hindrances=hindrances,
            house={"strain_capacity": capacity},
        )
        assert it.rule.solve is not None
        solved = it.rule.solve(it.question)
        assert solved is not None
        assert solved.outcomes == spread(it.state, it.stock, it.world).outcomes
