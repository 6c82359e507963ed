"""Poker dice (P1-P4), every roll enumerated."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import NamedTuple

from .mass import Odds, pool

FACES = ("A", "R", "R", "R", "N", "N")  # P1: ace; king, queen, jack; ten, nine
BEST_FIRST = "ARN"
LADDER = {  # P2
    "AA": "extreme-success",
    "AR": "complete-success",
    "RR": "simple-success",
    "AN": "draw",
    "RN": "simple-defeat",
    "NN": "complete-defeat",
}


class Rolled(NamedTuple):
    result: str


def roll(level: int = 1, bonus: int = 0, penalty: int = 0) -> Odds[Rolled]:
    """P3, P4: everything is added up, cancels, and is capped at three dice either way."""
    net = max(-3, min(3, (level - 1) + bonus - penalty))
    thrown = list(product(FACES, repeat=2 + abs(net)))

    def read(faces: tuple[str, ...]) -> Rolled:
        ranked = sorted(faces, key=BEST_FIRST.index)
        kept = ranked[:2] if net >= 0 else ranked[-2:]
        return Rolled(LADDER["".join(kept)])

    return pool((read(faces), Fraction(1, len(thrown))) for faces in thrown)
