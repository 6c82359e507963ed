"""The Agate pool (A1-A4)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .mass import Odds, pool

SIDES = (20, 12, 10, 8, 6, 4)  # A1, by Effective Rank
TRIUMPH = (20, 12, 10, 8, 6, 4)  # A3, floors by Effective Rank
SUCCESS = (15, 8, 6, 5, 3, 2)
SETBACK = (2, 2, 2, 1, 1, 1)


class Attempted(NamedTuple):
    result: str
    strain: int
    renown: int
    pool: str | None


def rung(rank: int, value: int) -> str:
    """A3."""
    if value >= TRIUMPH[rank]:
        return "triumph"
    if value >= SUCCESS[rank]:
        return "success"
    if value >= SETBACK[rank]:
        return "setback"
    return "catastrophe"


def dice(net: int) -> tuple[int, bool]:
    """A2: how many dice, and whether the lowest of them counts."""
    return (2 + net, False) if net >= -1 else (-net, True)


def read_value(sides: int, count: int, lowest: bool) -> dict[int, Fraction]:
    """The highest or lowest of a pool, one die after another."""
    keep = min if lowest else max
    faces = [(face, Fraction(1, sides)) for face in range(1, sides + 1)]
    odds = dict(faces)
    for _ in range(count - 1):
        odds = pool((keep(a, b), p * q) for a, p in odds.items() for b, q in faces)
    return odds


def number(labels: int | Sequence[str]) -> int:
    """A5: Boons and Hindrances come as a number or as labels."""
    return labels if isinstance(labels, int) else len(labels)


def attempt(
    skill: int,
    difficulty: int,
    modifier: int = 0,
    boons: int | Sequence[str] = 0,
    hindrances: int | Sequence[str] = 0,
    marked: int = 0,
    *,
    strain_capacity: int | None = None,
    policy: str = "plain",
) -> Odds[Attempted]:
    """A1-A4. `policy`: plain spends no Strain by choice; best spends it for success, so it wrests a Partial
    Success and lets a Catastrophe be, which no Strain turns into one; spend wrests and averts what it can."""
    rank = min(5, skill - difficulty + modifier)
    if rank < 0:
        return {Attempted("cannot-attempt", 0, 0, None): Fraction(1)}
    count, lowest = dice(number(boons) - number(hindrances))
    shown = f"{count}d{SIDES[rank]}"
    room = None if strain_capacity is None else max(0, strain_capacity - marked)

    def chosen(cost: int, policies: tuple[str, ...]) -> bool:
        return policy in policies and (room is None or cost <= room)

    def settle(result: str) -> Attempted:
        if result == "triumph":
            return Attempted(result, -min(3, marked), 1, shown)
        if result == "success":
            return Attempted(result, 1 if room is None else min(1, room), 0, shown)
        if result == "setback" and chosen(3, ("best", "spend")):
            return Attempted("partial-success", 3, 0, shown)
        if result == "catastrophe" and chosen(5, ("spend",)):
            return Attempted("averted-catastrophe", 5, 0, shown)
        return Attempted(result, 0, 0, shown)

    values = read_value(SIDES[rank], count, lowest)
    return pool((settle(rung(rank, value)), p) for value, p in values.items())
