"""The three-d20 oracle: Boon says whether, Bane says at what price, Fate is what both must beat.

The worked examples (D7) are in cases.toml.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Ask, Done, Moment, State, Throw, moment
from sortes.core.chance import Dice, Standing, die
from sortes.core.errors import RuleError
from sortes.core.form import ROLE, SUPPLIED
from sortes.core.system import House, rule

Result: TypeAlias = Literal[
    "great-boon",
    "great-boon-with-great-bane",
    "yes",
    "yes-but",
    "scene-defining-fact",
    "no",
    "definitive-no",
    "no-and",
    "great-bane",
]
Answer: TypeAlias = Literal["yes", "no", "none"]
Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=300)]
D12: TypeAlias = Annotated[tuple[Text, ...], Meta(min_length=12, max_length=12)]


BoonDice: TypeAlias = Annotated[int, Meta(ge=-20, le=20)]


class Likelihoods(Struct, frozen=True, forbid_unknown_fields=True):
    """The Boon dice of every likelihood: how many, the best kept, or (negative) the worst (D1)."""

    even: BoonDice
    likely: BoonDice
    unlikely: BoonDice


class Tables(Struct, frozen=True, forbid_unknown_fields=True):
    """The two d12 tables (D6)."""

    twist: D12
    boon: D12


class OracleHouse(House, frozen=True, eq=False):
    """What a table may change of the three-d20 oracle."""

    die: Annotated[int, Meta(ge=2, le=1000)]
    great_bane: Literal["no", "boon-decides"]
    aura_dice: Literal["kept", "rolled"]
    aura: Annotated[int, Meta(ge=0, le=100)]
    likelihood: Likelihoods
    tables: Tables


def check(house: OracleHouse) -> None:
    """Refuse a likelihood without Boon dice."""
    for name in house.likelihood.__struct_fields__:
        if getattr(house.likelihood, name) == 0:
            raise RuleError(
                f"likelihood.{name}", "got 0; takes 1 or more Boon dice, or -1 or fewer to keep the worst"
            )


class Oracle(Struct, frozen=True):
    """What the oracle said (D2, D3): the answer it comes to (D4), Aura paid (D5), and the d12s (D6)."""

    result: Result
    answer: Answer
    aura: int = 0
    twist: int | None = None
    boon: int | None = None
    big: bool = False
    twist_text: str | None = None
    boon_text: str | None = None


class OracleSheet(Struct, frozen=True, forbid_unknown_fields=True):
    """What the oracle keeps of a character (D5)."""

    aura: Annotated[int, Meta(ge=0, le=1_000_000, description="Aura that was paid")] = 0


YES = ("yes", "yes-but", "great-boon", "great-boon-with-great-bane")


@cache
def dice(house: OracleHouse, likelihood: str, counts: bool) -> Standing:
    """Fate, Boon and Bane, thrown at once (D1)."""
    boon: int = getattr(house.likelihood, likelihood)
    faces, name = die(house.die), f"d{house.die}"
    one = Dice(1, faces, 1, name=name)
    groups = (
        ("fate", one),
        ("boon", Dice(abs(boon), faces, 1 if boon > 0 else -1, name=name)),
        ("bane", one),
    )
    return Standing(groups, house.aura_dice if counts else "no")


@moment("d20-oracle.throw", "D1")
def throw(likelihood: str, player: bool, tables: bool, house: OracleHouse) -> Ask:
    """All three at once; Harmony is read first (D3)."""
    bag = dice(house, likelihood, player and house.aura > 0)
    return Throw(bag, lambda hand: read(hand, tables, house))


def read(hand: tuple[int, int, int, int], tables: bool, house: OracleHouse) -> State:
    """Harmony, else Boon and Bane against Fate. The lower the place, the higher the die."""
    fate, boon, bane, tops = hand
    aura = tops * house.aura
    if fate == boon == bane:
        return Done(Oracle("scene-defining-fact", "none", aura), HARMONY)
    if fate == boon:
        return tell("great-boon", "yes", aura, False, True, tables, house)
    if fate == bane:
        answer: Answer = "yes" if house.great_bane == "boon-decides" and boon < fate else "no"
        return tell("great-bane", answer, aura, True, False, tables, house)
    if boon == bane:
        if boon > fate:
            return Done(Oracle("definitive-no", "no", aura), HARMONY)
        return tell("great-boon-with-great-bane", "yes", aura, True, True, tables, house)
    if boon < fate:
        if bane < fate:
            return tell("yes-but", "yes", aura, True, False, tables, house)
        return Done(Oracle("yes", "yes", aura), DIFFERENT)
    if bane < fate:
        return tell("no-and", "no", aura, True, False, tables, house)
    return Done(Oracle("no", "no", aura), DIFFERENT)


DIFFERENT, HARMONY = ("D2", "D4", "D5"), ("D3", "D4", "D5")
GREAT = ("great-boon", "great-bane", "great-boon-with-great-bane")


def tell(
    result: Result, answer: Answer, aura: int, twist: bool, boon: bool, tables: bool, house: OracleHouse
) -> State:
    """A result that sends to the d12 tables."""
    if tables:
        return look_up(result, answer, aura, twist, boon, None, house)
    return Done(heard(result, answer, aura, None, None, house), HARMONY if result in GREAT else DIFFERENT)


@cache
def heard(
    result: Result, answer: Answer, aura: int, twist: int | None, boon: int | None, house: OracleHouse
) -> Oracle:
    """The outcome, with what the tables say; a Great Bane is a big one (D3)."""
    said = house.tables
    return Oracle(
        result,
        answer,
        aura,
        twist,
        boon,
        result == "great-bane",
        said.twist[twist - 1] if twist else None,
        said.boon[boon - 1] if boon else None,
    )


@moment("d20-oracle.look-up")
def look_up(
    result: Result, answer: Answer, aura: int, twist: bool, boon: bool, rolled: int | None, house: OracleHouse
) -> Ask:
    """A d12 for each table; these never pay Aura (D5). With both, Boon comes first."""
    why = (*(HARMONY if result in GREAT else DIFFERENT), "D6")
    if boon and rolled is None:
        d12 = Dice(1, die(12), name="boon table")
        if not twist:
            return Throw(d12, lambda hand: Done(heard(result, answer, aura, None, hand[0], house)), why)
        return Throw(d12, lambda hand: look_up(result, answer, aura, True, True, hand[0], house), why)
    d12 = Dice(1, die(12), name="twist table")
    return Throw(d12, lambda hand: Done(heard(result, answer, aura, hand[0], rolled, house)), why)


@rule("d20-oracle.ask", Oracle, worths={"asker": lambda o: o.answer == "yes"})
def ask(
    likelihood: Annotated[
        Literal["even", "likely", "unlikely"], Meta(description="how likely a yes is, before rolling")
    ] = "even",
    asker: Annotated[
        Literal["gm", "player"], Meta(description="who rolls; only a player is paid Aura"), ROLE
    ] = "gm",
    tables: Annotated[
        bool, Meta(description="roll on the Twist and Boon tables when they are called for")
    ] = True,
    *,
    house: Annotated[OracleHouse, SUPPLIED],
) -> Moment:
    """Ask the three-d20 oracle a yes-or-no question about the world.

    Boon above Fate means yes, Bane above Fate means trouble, equal dice are Harmony (D1 to D6). Ask when nobody at the
    table knows and the answer matters; it never decides how well a character does something (D8).
    """
    return throw(likelihood, asker == "player", tables, house)
