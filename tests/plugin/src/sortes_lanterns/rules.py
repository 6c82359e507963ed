"""A d6 for every lantern; oil gives those that went out another chance (L1, L2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct

from sortes.core.ask import Ask, Choice, Done, Moment, Option, State, Throw, moment
from sortes.core.chance import Dice
from sortes.core.form import SUPPLIED, Fed
from sortes.core.system import House, rule
from sortes.core.world import Purse


class LanternHouse(House, frozen=True, eq=False):
    """What a table may change."""

    burns: Annotated[int, Meta(ge=1, le=6)]


class LanternSheet(Struct, frozen=True):
    """What is kept of a keeper."""

    oil: Annotated[int, Meta(ge=0, le=20, description="flasks of oil that are left")] = 0
    kept: Annotated[int, Meta(ge=0, le=10_000, description="lanterns brought through a night so far")] = 0


class Night(Struct, frozen=True):
    """How many lanterns burn in the morning."""

    burning: int


@cache
def faces(house: LanternHouse) -> tuple[str, ...]:
    """The faces of a d6, by what they do."""
    return tuple("burns" if face >= house.burns else "out" for face in range(6, 0, -1))


@moment("lanterns.burn", "L1")
def burn(burning: int, lit: int, oil: bool, house: LanternHouse) -> Ask:
    """A die for each lantern that is lit: it burns on, or goes out."""

    def then(hand: tuple[str, ...]) -> State:
        on = hand.count("burns")
        out = lit - on
        return refill(burning + on, out, house) if oil and out else Done(Night(burning + on))

    return Throw(Dice(lit, faces(house), name="lanterns"), then)


@moment("lanterns.refill", "L2")
def refill(burning: int, out: int, house: LanternHouse) -> Choice:
    """Oil lights all that went out once more."""
    options = (Option("dark"), Option("pour", (("oil", 1),)))
    return Choice(
        "keeper",
        "oil",
        options,
        lambda what: burn(burning, out, False, house) if what == "pour" else Done(Night(burning)),
    )


def purses(params: Mapping[str, Any], house: LanternHouse) -> dict[str, Purse]:
    """Flasks of oil."""
    return {"oil": Purse(0, params["oil"])}


@rule("lanterns.light", Night, worths={"keeper": lambda night: night.burning}, purses=purses)
def light(
    lanterns: Annotated[int, Meta(ge=1, le=20, description="how many are lit at dusk")],
    oil: Annotated[int, Meta(ge=0, le=20, description="flasks of oil"), Fed("oil", purse="oil")] = 0,
    *,
    house: Annotated[LanternHouse, SUPPLIED],
) -> Moment:
    """Light lanterns at dusk and see how many burn in the morning: each on a three or more of a d6 (L1).

    A flask of oil lights those that went out once more (L2).
    """
    return burn(0, lanterns, oil > 0, house)
