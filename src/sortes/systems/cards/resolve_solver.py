"""A faster way to the odds of a plain resolution roll: count how the reds of one deck fall to the two sides.

Of N cards, R of them red, one side draws n and the other m. The ways to i and j reds are
C(n, i) C(m, j) C(N-n-m, R-i-j) of C(N, R): where the reds lie is all that matters, so nobody need draw in turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import comb
from operator import mul
from typing import Any

from sortes.core.ask import Choice
from sortes.core.system import Question, Solved
from sortes.systems.cards.deck import colour
from sortes.systems.cards.resolve import BOTH_BUST, Side, bust, resolve, scored, their_bust


@lru_cache(maxsize=1024)
def row(n: int) -> tuple[int, ...]:
    """C(n, 0) to C(n, n)."""
    return tuple([comb(n, k) for k in range(n + 1)])


def solve(question: Question) -> Solved | None:
    """The odds of `cards.resolve` where nothing is chosen, no oracle card is drawn and the deck does not run out."""
    if question.params["extra"] == "choose":
        return None
    solved = drawn(question, [question.params["extra"]])
    return solved[0] if solved else None


def weigh(question: Question) -> Mapping[Any, Solved] | None:
    """What each amount of Extra Effort comes to, where that is the only choice (C6.3)."""
    p, ask = question.params, resolve.start(**question.params, house=question.house).ask()
    if p["extra"] != "choose" or p["luck"] or p["their_luck"] or not isinstance(ask, Choice):
        return None
    extras: list[Any] = [option.value for option in ask.options]
    solved = drawn(question, extras)
    return dict(zip(extras, solved, strict=True)) if solved else None


def drawn(question: Question, extras: list[int]) -> list[Solved] | None:
    """The odds for each of these amounts of Extra Effort; None where the general walk must go."""
    p = question.params
    if p["oracle"] or "roll" in question.stock.decks[0].shuffles:
        return None
    own, their, m = p["el"] + p["situation"] + p["hook"], p["against"], p["against"] + p["their_extra"]
    deck = question.count("cards", colour)
    red, size = deck.get("R", 0), sum(deck.values())
    if own + max(extras) + m > size:
        return None
    over = comb(size, red)
    return [Solved(outcomes(own + x, m, own, their, red, size, p["defends"]), over) for x in extras]


def outcomes(n: int, m: int, own: int, their: int, red: int, size: int, defends: Side) -> dict[Any, int]:
    """Every outcome with its ways; of those who do not bust only the difference tells (C6.1, C6.3)."""
    mine, theirs = row(n), row(m)
    rest = size - n - m
    others = [comb(rest, red - s) if s <= red else 0 for s in range(n + m + 1)]  # by the reds of both sides
    ways: dict[Any, int] = {}
    for effect in range(-their, own + 1):
        first, end = max(effect, 0), min(own, their + effect) + 1
        pairs = map(mul, mine[first:end], theirs[first - effect : end - effect])
        if many := sum(map(mul, pairs, others[2 * first - effect : 2 * end - effect : 2])):
            ways[scored(effect, defends)] = many
    over, their_over = range(own + 1, n + 1), range(their + 1, m + 1)
    for j in range(their + 1) if over else ():
        if many := theirs[j] * sum(map(mul, mine[own + 1 :], others[own + 1 + j :])):
            ways[bust(j)] = many
    for i in range(own + 1) if their_over else ():
        if many := mine[i] * sum(map(mul, theirs[their + 1 :], others[their + 1 + i :])):
            ways[their_bust(i)] = many
    if many := sum([mine[i] * theirs[j] * others[i + j] for i in over for j in their_over]):
        both = BOTH_BUST[defends]  # where I defend with a score of 0 it is the same as their bust alone
        ways[both] = ways.get(both, 0) + many
    return ways


resolve.solve, resolve.weigh = solve, weigh

__all__ = ["resolve", "solve", "weigh"]
