"""A faster way to the odds of a plain resolution roll: count how the reds of one deck fall to the two sides.

Of N cards, R of them red, one side draws n and the other m. The ways to i and j reds are
C(n, i) C(m, j) C(N-n-m, R-i-j) of C(N, R): where the reds lie is all that matters, so nobody need draw in turn.

The EL only decides which of these are busts, so what n and m cards can bring is counted once for every EL. In one pack
the ways to i reds and to each j are the digits of one long number, and as many are added in one go.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate
from math import comb
from operator import lshift, mul
from struct import unpack
from typing import Any

from sortes.core.ask import Choice
from sortes.core.system import Question, Solved
from sortes.systems.cards.deck import colour
from sortes.systems.cards.resolve import BOTH_BUST, Resolved, Side, bust, resolve, scored, their_bust

DIGIT = 64  # bits
PACK = 67  # cards, the most of which the ways of any number of reds are one digit: C(67, 33) < 2**64

choose = lru_cache(maxsize=1024)(comb)


@lru_cache(maxsize=1024)
def row(n: int) -> tuple[int, ...]:
    """C(n, 0) to C(n, n)."""
    return tuple([comb(n, k) for k in range(n + 1)])


def solve(question: Question) -> Solved | None:
    """The odds of `cards.resolve` where nothing is chosen, no oracle card is drawn and the deck does not run out."""
    extra = question.params["extra"]
    return None if extra == "choose" else drawn(question, extra)


def weigh(question: Question) -> Mapping[Any, Solved] | None:
    """What each amount of Extra Effort comes to, where that is the only choice (C6.3)."""
    p, ask = question.params, resolve.start(**question.params, house=question.house).ask()
    if p["extra"] != "choose" or p["luck"] or p["their_luck"] or not isinstance(ask, Choice):
        return None
    extras: list[Any] = [option.value for option in ask.options]
    found = {extra: drawn(question, extra) for extra in extras}
    solved = {extra: one for extra, one in found.items() if one}
    return solved if len(solved) == len(found) else None


def drawn(question: Question, extra: int) -> Solved | None:
    """The odds with so much Extra Effort; None where the general walk must go."""
    p = question.params
    if p["oracle"] or "roll" in question.stock.decks[0].shuffles:
        return None
    own, their = p["el"] + p["situation"] + p["hook"], p["against"]
    n, m = own + extra, their + p["their_extra"]
    deck = question.count("cards", colour)
    red, size = deck.get("R", 0), sum(deck.values())
    if n + m > size:
        return None
    over = choose(size, red)
    count = outcomes_of_digits if size <= PACK else outcomes
    return Solved(count(n, m, own, their, red, size, p["defends"]), over)


@lru_cache(maxsize=256)
def others(drawn: int, red: int, size: int) -> list[int]:
    """By the reds among so many drawn: the ways for the rest of the reds to lie in the rest of the deck."""
    return [comb(size - drawn, red - s) if s <= red else 0 for s in range(drawn + 1)]


def outcomes(n: int, m: int, own: int, their: int, red: int, size: int, defends: Side) -> dict[Any, int]:
    """Every outcome with its ways; of those who do not bust only the difference tells (C6.1, C6.3)."""
    mine, theirs, rest = row(n), row(m), others(n + m, red, size)
    ways: dict[Any, int] = {}
    for effect in range(-their, own + 1):
        first, end = max(effect, 0), min(own, their + effect) + 1
        pairs = map(mul, mine[first:end], theirs[first - effect : end - effect])
        if many := sum(map(mul, pairs, rest[2 * first - effect : 2 * end - effect : 2])):
            ways[scored(effect, defends)] = many
    over, their_over = range(own + 1, n + 1), range(their + 1, m + 1)
    for j in range(their + 1) if over else ():
        if many := theirs[j] * sum(map(mul, mine[own + 1 :], rest[own + 1 + j :])):
            ways[bust(j)] = many
    for i in range(own + 1) if their_over else ():
        if many := mine[i] * sum(map(mul, theirs[their + 1 :], rest[their + 1 + i :])):
            ways[their_bust(i)] = many
    if many := sum([mine[i] * theirs[j] * rest[i + j] for i in over for j in their_over]):
        both = BOTH_BUST[defends]  # where I defend with a score of 0 it is the same as their bust alone
        ways[both] = ways.get(both, 0) + many
    return ways


# ---- the same in one pack, by digits --------------------------------------------------------------


def digits(number: int, count: int) -> tuple[int, ...]:
    """The digits of a long number, the lowest first."""
    return unpack(f"<{count}Q", number.to_bytes(DIGIT // 8 * count, "little"))


@lru_cache(maxsize=1024)
def alike(n: int, m: int, red: int, size: int) -> list[int]:
    """By the first so many of one's own n cards being red and the others black: the ways by the reds of their m.

    The ways with one card fewer are those in which the next is black and those in which it is red, so that with one
    card more each number of reds follows from one red less.
    """
    black = sum(map(lshift, map(mul, row(m), others(n + m, red, size)), range(0, DIGIT * m + 1, DIGIT)))
    return list(accumulate(alike(n - 1, m, red, size), int.__rsub__, initial=black)) if n else [black]


@lru_cache(maxsize=512)
def fallen(n: int, m: int, their: int, red: int, size: int) -> tuple[list[int], list[int]]:
    """How the reds fall to hands of n and m cards, where the other side busts above `their`.

    By one's own reds, the ways by their reds; and by one's own EL, the ways by Effect where neither busts, from the
    highest on: as many reds as the EL add theirs to what one EL less would score.
    """
    reds = list(map(mul, row(n), alike(n, m, red, size)))
    fair = [one & (1 << DIGIT * (their + 1)) - 1 for one in reds] if their < m else reds
    return reds, list(accumulate(fair, lambda less, one: (less << DIGIT) + one))


@lru_cache(maxsize=1024)
def told(own: int, their: int, defends: Side) -> tuple[Resolved, ...]:
    """Every outcome where the other side does not bust: by Effect, from the highest on, then one's own busts."""
    scores = [scored(effect, defends) for effect in range(own, -their - 1, -1)]
    return (*scores, *map(bust, range(their + 1)))


def outcomes_of_digits(
    n: int, m: int, own: int, their: int, red: int, size: int, defends: Side
) -> dict[Any, int]:
    """The same as `outcomes`, where all ways together are one digit."""
    reds, scores = fallen(n, m, their, red, size)
    many, count = scores[own], own + their + 1
    if n > own:
        many += sum(reds[own + 1 :]) << DIGIT * count
        count += m + 1
    counted = digits(many, count)
    ways: dict[Any, int] = dict(zip(told(own, their, defends), counted, strict=False))
    if m > their:
        for i in range(own + 1):
            ways[their_bust(i)] = sum(digits(reds[i], m + 1)[their + 1 :])
        both = BOTH_BUST[defends]
        ways[both] = ways.get(both, 0) + sum(counted[own + 2 * their + 2 :])
    return ways if all(ways.values()) else {outcome: many for outcome, many in ways.items() if many}


resolve.solve, resolve.weigh = solve, weigh

__all__ = ["resolve", "solve", "weigh"]
