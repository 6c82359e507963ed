"""Tests (S9): with a d20, with cards, poker dice or Agate, or the table states the success level."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Ask, Choice, Done, Option, State, Throw, call, moment
from sortes.core.chance import OpenEnded, die
from sortes.core.errors import RuleError, wrong
from sortes.core.form import SUPPLIED, Fed, stocks
from sortes.core.system import Rules, rule
from sortes.systems.dramatic_skill.house import LEVELS, STANDARD, DramaHouse, Level, Room, total_for

By: TypeAlias = Literal["d20", "cards", "poker-dice", "agate", "stated"]
Skill: TypeAlias = Annotated[int, Meta(ge=0, le=100)]
DN: TypeAlias = Annotated[int, Meta(ge=0, le=100)]
Extra: TypeAlias = Annotated[int, Meta(ge=0, le=100)] | Literal["choose"]
Cards: TypeAlias = (
    Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=8)], ...], Meta(max_length=1000)]
    | dict[str, Annotated[int, Meta(ge=0, le=1000)]]
    | None
)

CALLS = ("cards.resolve", "poker-dice.roll", "agate.attempt")
NEEDS: Mapping[str, tuple[str, ...]] = {  # what each kind of test must be told
    "d20": ("skill", "dn"),
    "cards": ("skill", "dn"),
    "poker-dice": ("skill",),
    "agate": ("skill", "dn"),
    "stated": (),
}
TELLS = {  # what a called rule's parameter is here
    "el": "skill",
    "against": "dn",
    "level": "skill",
    "penalty": "dn",
    "difficulty": "dn",
}
HARDEST_AGATE = 15  # A1: Difficulty is 0 to 15


class Test(Struct, frozen=True, cache_hash=True):
    """One test: what it is made with, the skill and the Difficulty Number it is made at."""

    by: By = "d20"
    skill: int = 0
    dn: int = 0
    unskilled: bool = False
    level: Level | None = None
    extra: int | Literal["choose"] = 0


class Tested(Struct, frozen=True):
    """How a test came out: its success level (S9)."""

    result: Level


TESTED: Mapping[Level, Done] = {level: Done(Tested(level), ("S9",)) for level in LEVELS}
STATED = (*LEVELS[STANDARD:], *LEVELS[STANDARD - 1 :: -1])  # the one listed first goes on


def succeeded(tested: Tested) -> bool:
    """Whether it is a success of any level."""
    return LEVELS.index(tested.result) >= STANDARD


def test_of(
    parameter: str,
    by: By,
    skill: int | None,
    dn: int | None,
    unskilled: bool,
    level: Level | None,
    extra: int | Literal["choose"],
    house: DramaHouse,
    rules: Rules,
) -> Test:
    """A test from what people fill in, complete and within what its kind takes; `parameter` is where it stands."""
    given = {"skill": skill, "dn": dn}
    for name in NEEDS[by]:
        if given[name] is None:
            raise RuleError(
                f"{parameter}{name}", f"is missing; a test by {by} takes a whole number from 0 to 100"
            )
    if by == "agate" and (dn or 0) > HARDEST_AGATE:
        raise wrong(f"{parameter}dn", dn, f"a Difficulty from 0 to {HARDEST_AGATE}")
    if level is not None and by != "stated":
        raise RuleError(f"{parameter}level", f"is for stated tests; this one is made by {by}")
    if extra and by != "cards":
        raise RuleError(f"{parameter}extra", f"is for tests by cards; this one is made by {by}")
    test = Test(by, skill or 0, dn or 0, unskilled, level, extra)
    try:
        tested(test, 0, 0, house, rules)
    except RuleError as e:
        name = TELLS.get(e.parameter, e.parameter)
        raise RuleError(f"{parameter}{name}", str(e).removeprefix(f"{e.parameter}: ")) from None
    return test


def tested(test: Test, m: int, plus: int, house: DramaHouse, rules: Rules) -> State:
    """The test as a state that ends in a Tested; `m` is the sum of bonuses and penalties,
    `plus` what is added to the DN."""
    dn = test.dn + plus
    match test.by:
        case "d20":
            return roll(test.skill + m - dn, test.unskilled, house)
        case "cards":
            el = max(0, test.skill + m)
            return call(
                rules["cards.resolve"](el=el, against=dn, extra=test.extra), level_of.back("cards", house)
            )
        case "poker-dice":
            more, fewer = dice_for(m, house)
            thrown = rules["poker-dice.roll"](level=test.skill, bonus=more, penalty=fewer + dn)
            return call(thrown, level_of.back("poker-dice", house))
        case "agate":
            more, fewer = dice_for(m, house)
            tried = rules["agate.attempt"](skill=test.skill, difficulty=dn, boons=more, hindrances=fewer)
            return call(tried, level_of.back("agate", house))
        case "stated":
            return TESTED[test.level] if test.level else stated()


def dice_for(m: int, house: DramaHouse) -> tuple[int, int]:
    """A sum of bonuses and penalties as bonus dice and penalty dice: one for each two, rounded up (S9 b)."""
    dice = -(-abs(m) // house.dice_per)
    return (dice, 0) if m > 0 else (0, dice)


@lru_cache(maxsize=65536)
def d20(readings: tuple[tuple[bool, tuple[int, ...]], ...], house: DramaHouse) -> OpenEnded:
    """One open-ended throw. Each reading is (unskilled, the ascending totals it is cut at).

    Where nobody is skilled, it is thrown again only as for the unskilled; an unskilled reading of a skilled throw
    stops at the first side that only the skilled throw again (S9 a).
    """
    again = house.unskilled_again if all(unskilled for unskilled, _ in readings) else house.again
    stops = tuple(side for side in again if side not in house.unskilled_again)
    return OpenEnded(
        die(house.die),
        again,
        tuple((stops if unskilled else (), cuts) for unskilled, cuts in readings),
        f"d{house.die}",
    )


@cache
def cuts(over: int, house: DramaHouse) -> tuple[int, ...]:
    """The totals from which each level above a Mishap is reached, where skill and sum are `over` the DN (S9 a)."""
    return (
        house.mishap + 1,
        total_for(house, -over),
        *[total_for(house, floor - over) for floor in house.margins.floors],
    )


@moment("dramatic-skill.roll", "S9")
def roll(over: int, unskilled: bool, house: DramaHouse) -> Ask:
    """A d20 test by itself; `over` is skill and sum less the Difficulty Number."""
    bag = d20(((unskilled, cuts(over, house)),), house)
    return Throw(bag, lambda hand: TESTED[LEVELS[hand[0]]])


@moment("dramatic-skill.level", "S9")
def level_of(by: Room, house: DramaHouse, outcome: Any) -> Ask:
    """What another room's result means here (S9 b)."""
    if by == "cards" and outcome.result == "win":
        better = sum(outcome.effect >= floor for floor in house.effects.floors)
        return TESTED[LEVELS[STANDARD + better]]
    levels = getattr(house.levels, by.replace("-", "_"))
    return TESTED[getattr(levels, outcome.result.replace("-", "_"))]


@moment("dramatic-skill.stated", "S9")
def stated() -> Ask:
    """The table says the success level, for any other game (S9 c)."""
    return Choice("table", "level", tuple(map(Option, STATED)), lambda level: TESTED[level])


def missing_level(parameter: str) -> RuleError:
    """The error for a stated test without a level where nobody can be asked."""
    return RuleError(
        f"{parameter}level", f"is missing; odds, advice and simulation need one of {', '.join(LEVELS)}"
    )


def ahead(walk: str, params: Mapping[str, Any], house: DramaHouse) -> None:
    """Refuse to look ahead where the table would have to state the level (S9 c)."""
    if params["using"] == "stated" and params["level"] is None:
        raise missing_level("")


@rule("dramatic-skill.test", Tested, worths={"player": succeeded, "self": succeeded}, calls=CALLS)
def test(
    skill: Annotated[
        Skill | None,
        Meta(description="the skill; EL, level or Skill Rank with the other dice"),
        Fed("skills"),
    ] = None,
    dn: Annotated[
        DN | None, Meta(description="Difficulty Number; with poker dice penalty dice, else 0")
    ] = None,
    modifier: Annotated[int, Meta(ge=-100, le=100, description="the sum of bonuses and penalties")] = 0,
    unskilled: Annotated[bool, Meta(description="a d20 is thrown again on 10 only, not on 20")] = False,
    using: Annotated[By, Meta(description="what the test is made with")] = "d20",
    level: Annotated[Level | None, Meta(description="what the table says, for stated tests")] = None,
    extra: Annotated[Extra, Meta(description="Extra Effort of a card test: more cards than the EL")] = 0,
    cards: Annotated[
        Cards, Meta(description="playing cards left, or counts by suit; none: a fresh deck"), stocks("cards")
    ] = None,
    *,
    house: Annotated[DramaHouse, SUPPLIED],
    rules: Annotated[Rules, SUPPLIED],
) -> State:
    """Test a skill against a Difficulty Number, from Mishap to Spectacular (S9).

    A d20 is open-ended and its total gives a bonus; the test can also be made with cards, poker dice or Agate, or be
    stated by the table where another game decides.
    """
    return tested(
        test_of("", using, skill, dn, unskilled, level, extra, house, rules), modifier, 0, house, rules
    )


test.ahead = ahead
