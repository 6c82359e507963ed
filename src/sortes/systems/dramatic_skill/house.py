"""The house rules of dramatic skill resolution: the numbers and charts a table may change, and how charts are read."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.errors import RuleError
from sortes.core.system import House

Level: TypeAlias = Literal["spectacular", "outstanding", "good", "standard", "failure", "mishap"]
Room: TypeAlias = Literal["cards", "poker-dice", "agate"]
LEVELS: tuple[Level, ...] = ("mishap", "failure", "standard", "good", "outstanding", "spectacular")
STANDARD = 2  # the place of the first level that is a success

Small: TypeAlias = Annotated[int, Meta(ge=-100, le=100)]
Total: TypeAlias = Annotated[int, Meta(ge=1, le=10_000)]
Sides: TypeAlias = Annotated[tuple[Annotated[int, Meta(ge=1, le=1000)], ...], Meta(max_length=1000)]
Card: TypeAlias = Annotated[str, Meta(min_length=1, max_length=500)]
Number: TypeAlias = Annotated[int, Meta(ge=0, le=1000)]


class Margins(Struct, frozen=True, forbid_unknown_fields=True):
    """From how much on a success is better than Standard."""

    good: Number
    outstanding: Number
    spectacular: Number

    @property
    def floors(self) -> tuple[int, int, int]:
        """The three of them, the lowest first."""
        return self.good, self.outstanding, self.spectacular


class Counts(Struct, frozen=True, forbid_unknown_fields=True):
    """What each counts as, in effective characters (S8)."""

    lead: Small
    normal: Small
    mishap: Small
    failure: Small
    standard: Small
    good: Small
    outstanding: Small
    spectacular: Small


class CardLevels(Struct, frozen=True, forbid_unknown_fields=True):
    """What a card test means that is not won (S9 b)."""

    bust: Level
    loss: Level


class PokerLevels(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What the results of poker dice mean (S9 b)."""

    extreme_success: Level
    complete_success: Level
    simple_success: Level
    draw: Level
    simple_defeat: Level
    complete_defeat: Level


class AgateLevels(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What the results of Agate mean (S9 b)."""

    triumph: Level
    success: Level
    partial_success: Level
    setback: Level
    averted_catastrophe: Level
    cannot_attempt: Level
    catastrophe: Level


class Levels(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What the results of the other tests mean."""

    cards: CardLevels
    poker_dice: PokerLevels
    agate: AgateLevels


class Value(Struct, frozen=True, forbid_unknown_fields=True):
    """The Value Chart (S8): tenths of a character that the values from 0 take, each round of them `times` as many."""

    tenths: Annotated[tuple[Annotated[int, Meta(ge=1, le=100_000)], ...], Meta(min_length=1, max_length=100)]
    times: Annotated[int, Meta(ge=2, le=1000)]
    nobody: Small


class DramaHouse(House, frozen=True, eq=False):
    """What a table may change of dramatic skill resolution."""

    steps: Annotated[int, Meta(ge=1, le=26)]
    rounds: Annotated[int, Meta(ge=1, le=100)] | Literal["none"]
    deck: dict[Card, Number] | Annotated[tuple[tuple[Card, Number], ...], Meta(max_length=1000)]
    multi_action: bool
    extra_step: Small
    complication: Annotated[int, Meta(ge=0, le=100)]
    last_ditch: Literal["multi", "single"]
    ditch_penalty: Small
    die: Annotated[int, Meta(ge=2, le=1000)]
    again: Sides
    unskilled_again: Sides
    mishap: Annotated[int, Meta(ge=0, le=1000)]
    chart: Annotated[tuple[tuple[Total, Small], ...], Meta(min_length=1, max_length=100)]
    points: Annotated[int, Meta(ge=1, le=1000)]
    dice_per: Annotated[int, Meta(ge=1, le=100)]
    margins: Margins
    effects: Margins
    levels: Levels
    counts: Counts
    value: Value


def check(house: DramaHouse) -> None:
    """Refuse charts out of order and a die that is thrown for ever. (What the deck must be like, `deck` checks.)"""
    totals = [total for total, _ in house.chart]
    bonuses = [bonus for _, bonus in house.chart]
    if totals != sorted(set(totals)):
        raise RuleError("chart", f"has totals {totals}; takes totals that rise")
    if bonuses != sorted(bonuses):
        raise RuleError("chart", f"has bonuses {bonuses}; takes bonuses that never fall as the total rises")
    for key in ("again", "unskilled_again"):
        for side in getattr(house, key):
            if side > house.die:
                raise RuleError(key, f"has {side}; takes sides of a d{house.die}")
    if extra := set(house.unskilled_again) - set(house.again):
        raise RuleError("unskilled_again", f"has {min(extra)}; takes sides that `again` has too")
    if len(set(house.again)) >= house.die:
        raise RuleError("again", "has every side; takes fewer, or a throw would never end")
    for key in ("margins", "effects"):
        floors = getattr(house, key).floors
        if list(floors) != sorted(floors):
            raise RuleError(key, f"got {', '.join(map(str, floors))}; takes good ≤ outstanding ≤ spectacular")
    tenths = house.value.tenths
    if list(tenths) != sorted(tenths) or tenths[-1] > tenths[0] * house.value.times:
        raise RuleError(
            "value.tenths", "are out of order; takes numbers that rise, to `times` the first at most"
        )


@cache
def total_for(house: DramaHouse, bonus: int) -> int:
    """The lowest total that gives this bonus or a better one and is no Mishap (S9 a)."""
    last, most = house.chart[-1]
    listed = (total for total, gives in house.chart if gives >= bonus)
    return max(next(listed, last + (bonus - most) * house.points), house.mishap + 1)


@cache
def bonus_of(house: DramaHouse, n: int) -> int:
    """The bonus that n effective characters give: the largest value whose measure they reach (S8)."""
    if n <= 0:
        return house.value.nobody
    tenths, times = house.value.tenths, house.value.times
    value, scale = -1, 1
    while True:
        for one in tenths:
            if Fraction(one * scale, 10) > n:
                return max(value, 0)
            value += 1
        scale *= times
