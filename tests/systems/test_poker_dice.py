"""Poker dice against plain enumeration of all faces (P1–P4)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sortes

GROUP = {"A": 0, "K": 1, "Q": 1, "J": 1, "10": 2, "9": 2}  # P1, the best first
READ = {  # P2
    (0, 0): "extreme-success",
    (0, 1): "complete-success",
    (1, 1): "simple-success",
    (0, 2): "draw",
    (1, 2): "simple-defeat",
    (2, 2): "complete-defeat",
}


@pytest.mark.parametrize("net", range(-3, 4))
def test_p1_p2_p3_all_seven_modifiers_equal_all_faces_counted(net: int) -> None:
    seen: Counter[str] = Counter()
    for faces in product(GROUP, repeat=2 + abs(net)):
        groups = sorted(GROUP[face] for face in faces)
        seen[READ[tuple(groups[:2] if net >= 0 else groups[-2:])]] += 1
    odds = sortes.odds("poker-dice.roll", bonus=max(net, 0), penalty=max(-net, 0)).by("result")
    assert odds == {result: Fraction(n, 6 ** (2 + abs(net))) for result, n in seen.items()}


@given(st.integers(0, 2), st.integers(0, 9), st.integers(0, 9))
def test_p3_p4_level_bonus_and_penalty_cancel_first_and_then_count_to_three(
    level: int, bonus: int, penalty: int
) -> None:
    net = max(-3, min(3, level - 1 + bonus - penalty))
    same = sortes.odds("poker-dice.roll", bonus=max(net, 0), penalty=max(-net, 0))
    assert sortes.odds("poker-dice.roll", level=level, bonus=bonus, penalty=penalty).outcomes == same.outcomes


@given(st.integers(-3, 3), st.randoms(use_true_random=False))
def test_p3_play_shows_every_die_and_the_two_that_were_kept(net: int, source) -> None:  # type: ignore[no-untyped-def]
    play = sortes.play("poker-dice.roll", bonus=max(net, 0), penalty=max(-net, 0), rng=source)
    (thrown,) = play.throws
    assert len(thrown.faces) == 2 + abs(net)
    groups = sorted(GROUP[face[:-1]] for face in thrown.faces)
    kept = tuple(sorted(GROUP[face[:-1]] for face in thrown.kept))
    assert kept == tuple(groups[:2] if net >= 0 else groups[-2:])
    assert play.outcome.result == READ[kept]


def test_p1_groups_must_stand_together_on_the_die() -> None:
    with pytest.raises(sortes.RuleError, match="groups"):
        sortes.odds(
            "poker-dice.roll", house={"groups": ["royal", "ace", "royal", "royal", "number", "number"]}
        )
