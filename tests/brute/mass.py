"""Exact probability as a plain mapping from outcome to rational."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)
Odds = dict[T, Fraction]


def pool(parts: Iterable[tuple[T, Fraction]]) -> Odds[T]:
    """Add up the parts that are equal; a part of no weight is left out."""
    whole: Odds[T] = {}
    for outcome, p in parts:
        if p:
            whole[outcome] = whole.get(outcome, Fraction(0)) + p
    return whole


def mix(branches: Iterable[tuple[Fraction, Mapping[T, Fraction]]]) -> Odds[T]:
    """The odds of branches, each taken with its own probability."""
    return pool((outcome, p * q) for p, odds in branches for outcome, q in odds.items())


def by(odds: Mapping[Any, Fraction], field: str) -> dict[Any, Fraction]:
    """The odds of one field of the outcomes."""
    return pool((getattr(outcome, field), p) for outcome, p in odds.items())


def mean(odds: Mapping[T, Fraction], worth: Callable[[T], Any]) -> Fraction:
    """The expected worth."""
    return sum((Fraction(worth(outcome)) * p for outcome, p in odds.items()), Fraction(0))
