"""Three d20 (D1-D6), every roll enumerated."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from .mass import Odds, pool

D20 = range(1, 21)
D12 = range(1, 13)


class Answered(NamedTuple):
    result: str
    answer: str
    aura: int
    twist: int | None
    boon: int | None
    big: bool


def reading(fate: int, boon: int, bane: int) -> str:
    """D2 and D3: Harmony first, in its order."""
    if fate == boon == bane:
        return "scene-defining-fact"
    if fate == boon:
        return "great-boon"
    if fate == bane:
        return "great-bane"
    if boon == bane:
        return "great-boon-with-great-bane" if boon > fate else "definitive-no"
    if boon > fate:
        return "yes-but" if bane > fate else "yes"
    return "no-and" if bane > fate else "no"


def answer(result: str, fate: int, boon: int, great_bane: str) -> str:
    """D4: what the reading says to the question."""
    if result == "scene-defining-fact":
        return "none"
    if result == "great-bane":
        if great_bane == "boon-decides":
            return "yes" if boon > fate else "no"
        return "no"
    return "yes" if result in ("yes", "yes-but", "great-boon", "great-boon-with-great-bane") else "no"


def rolls(likelihood: str) -> list[tuple[int, int, int, tuple[int, ...]]]:
    """D1: every roll as Fate, kept Boon, Bane and all the dice that were thrown."""
    if likelihood == "even":
        return [(f, n, b, (f, n, b)) for f, n, b in product(D20, repeat=3)]
    keep = {"likely": max, "unlikely": min}[likelihood]
    return [(f, keep(m, n), b, (f, m, n, b)) for f, m, n, b in product(D20, repeat=4)]


def ask(
    likelihood: str = "even",
    asker: str = "gm",
    tables: bool = True,
    *,
    aura_dice: str = "kept",
    great_bane: str = "no",
) -> Odds[Answered]:
    """D1-D6, with the settings of D4 and D5."""
    read: Counter[tuple[str, str, int]] = Counter()
    thrown = rolls(likelihood)
    for fate, boon, bane, dice in thrown:
        result = reading(fate, boon, bane)
        paying = dice if aura_dice == "rolled" else (fate, boon, bane)
        aura = paying.count(20) if asker == "player" else 0
        read[result, answer(result, fate, boon, great_bane), aura] += 1

    def parts() -> list[tuple[Answered, Fraction]]:
        found = []
        for (result, said, aura), ways in read.items():
            p = Fraction(ways, len(thrown))
            has_twist = result in ("yes-but", "no-and", "great-bane", "great-boon-with-great-bane")
            has_boon = result in ("great-boon", "great-boon-with-great-bane")
            twists = list(D12) if tables and has_twist else [None]
            boons = list(D12) if tables and has_boon else [None]
            for twist, boon in product(twists, boons):
                outcome = Answered(result, said, aura, twist, boon, result == "great-bane")
                found.append((outcome, p / len(twists) / len(boons)))
        return found

    return pool(parts())
