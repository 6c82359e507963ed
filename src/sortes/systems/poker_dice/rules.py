"""Poker dice: two dice with card faces, more for bonuses and penalties, read by group."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Ask, Done, Moment, Throw, moment
from sortes.core.chance import Dice
from sortes.core.errors import RuleError
from sortes.core.form import SUPPLIED, Entry, Fed
from sortes.core.system import House, rule

Group: TypeAlias = Literal["ace", "royal", "number"]
Result: TypeAlias = Literal[
    "extreme-success", "complete-success", "simple-success", "draw", "simple-defeat", "complete-defeat"
]
Face: TypeAlias = Annotated[str, Meta(min_length=1, max_length=4)]


class PokerHouse(House, frozen=True, eq=False):
    """What a table may change of poker dice."""

    faces: Annotated[tuple[Face, ...], Meta(min_length=1, max_length=20)]
    groups: Annotated[tuple[Group, ...], Meta(min_length=1, max_length=20)]
    most: Annotated[int, Meta(ge=0, le=20)]
    levels: Annotated[tuple[Annotated[int, Meta(ge=-20, le=20)], ...], Meta(min_length=1, max_length=12)]
    results: dict[str, Result]


class Roll(Struct, frozen=True):
    """How a roll of poker dice came out (P2)."""

    result: Result


GROUPS = ("ace", "royal", "number")
PAIRS = tuple(f"{a}-{b}" for i, a in enumerate(GROUPS) for b in GROUPS[i:])


def check(house: PokerHouse) -> None:
    """Refuse a die whose groups are split, and a result table with a gap."""
    if len(house.groups) != len(house.faces):
        raise RuleError("groups", f"got {len(house.groups)} for {len(house.faces)} faces; takes one a face")
    if len(set(house.faces)) != len(house.faces):
        raise RuleError("faces", "names a face twice; takes different faces, the best first")
    if list(house.groups) != sorted(house.groups, key=GROUPS.index):
        raise RuleError(
            "groups", "are not in order; takes ace before royal before number, as faces stand best first"
        )
    for pair in PAIRS:
        if pair not in house.results:
            raise RuleError(f"results.{pair}", f"is missing; takes one each for {', '.join(PAIRS)}")
    for pair in house.results:
        if pair not in PAIRS:
            raise RuleError(f"results.{pair}", f"is not a pair of groups; takes {', '.join(PAIRS)}")


@cache
def group(house: PokerHouse):  # type: ignore[no-untyped-def]
    """Reads a face by its group (P1)."""
    return dict(zip(house.faces, house.groups, strict=True)).__getitem__


@moment("poker-dice.throw", "P1", "P3", "P4")
def throw(net: int, house: PokerHouse) -> Ask:
    """Two dice and one more a net bonus or penalty die; the two best or the two worst are kept (P3)."""
    dice = Dice(
        2 + abs(net), house.faces, keep=2 if net >= 0 else -2, reads=group(house), name="poker", first=True
    )
    return Throw(dice, lambda kept: Done(Roll(house.results[f"{kept[0]}-{kept[1]}"]), ("P2",)))


class PokerSheet(Struct, frozen=True, forbid_unknown_fields=True):
    """A character as poker dice know it (P4)."""

    traits: Annotated[
        dict[Entry, Annotated[int, Meta(ge=0, le=11)]],
        Meta(max_length=200, description="traits by name: 0 untrained, 1 trained, 2 pro"),
    ] = {}


@rule(
    "poker-dice.roll",
    Roll,
    worths={
        "player": lambda o: o.result in ("extreme-success", "complete-success", "simple-success", "draw")
    },
)
def roll(
    level: Annotated[int, Meta(ge=0, le=11, description="0 untrained, 1 trained, 2 pro"), Fed("traits")] = 1,
    bonus: Annotated[int, Meta(ge=0, le=100, description="bonus dice from the game master")] = 0,
    penalty: Annotated[int, Meta(ge=0, le=100, description="penalty dice from the game master")] = 0,
    *,
    house: Annotated[PokerHouse, SUPPLIED],
) -> Moment:
    """Throw poker dice: ace beats royal (K Q J) beats number (10 9); the two kept dice tell the result.

    Level, bonus and penalty dice are added up and cancel, then count up to three (P3, P4).
    """
    if level >= len(house.levels):
        raise RuleError("level", f"got {level}; takes a whole number from 0 to {len(house.levels) - 1}")
    net = house.levels[level] + bonus - penalty
    return throw(max(-house.most, min(house.most, net)), house)
