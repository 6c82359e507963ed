"""Ways as exact chances."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd
from typing import Any

_bare = object.__new__


def chances(ways: Mapping[Any, int], over: int) -> dict[Any, Fraction]:
    """What each is in `over` ways in all, at least 1, as an exact chance in lowest terms.

    To make the fractions is half the work of a small question, and most of that is to tell apart what a Fraction may
    be made of. Ways are whole numbers: they are reduced here and put where Fraction itself keeps them.
    """
    made = {}
    for outcome, many in ways.items():
        common = gcd(many, over)
        made[outcome] = one = _bare(Fraction)
        one._numerator = many // common  # type: ignore[attr-defined]
        one._denominator = over // common  # type: ignore[attr-defined]
    return made
