"""Chances are Fractions as anyone makes them: in lowest terms, equal, of one hash, and told the same."""

from __future__ import annotations

import pickle
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from sortes.core.exact import chances

WAYS = st.lists(st.integers(0, 10**40), min_size=1, max_size=12)


@given(WAYS, st.integers(1, 10**9))
def test_a_chance_is_the_fraction_of_its_ways(ways: list[int], more: int) -> None:
    over = sum(ways) + more
    made = chances(dict(enumerate(ways)), over)
    assert made == {i: Fraction(n, over) for i, n in enumerate(ways)}
    for i, n in enumerate(ways):
        one, usual = made[i], Fraction(n, over)
        assert type(one) is Fraction
        assert (one.numerator, one.denominator) == (usual.numerator, usual.denominator)
        assert (hash(one), repr(one), float(one)) == (hash(usual), repr(usual), float(usual))
        assert pickle.loads(pickle.dumps(one)) == usual
    assert sum(made.values()) + Fraction(more, over) == 1


def test_a_chance_can_be_reckoned_with() -> None:
    made = chances({"a": 2, "b": 3, "never": 0}, 6)
    assert made["a"] + made["b"] == Fraction(5, 6)
    assert made["a"] * 3 == 1
    assert made["never"] == 0
    assert sorted(made, key=made.__getitem__) == ["never", "a", "b"]
