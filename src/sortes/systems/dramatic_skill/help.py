"""Combined Action (S8): helpers count, by normal effort or by what their Extra Effort comes to, and the lead gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Ask, Choice, Done, Option, State, call, moment
from sortes.core.form import SUPPLIED, Fed, stocks
from sortes.core.system import Rules, rule
from sortes.systems.dramatic_skill.house import DramaHouse, Level, bonus_of
from sortes.systems.dramatic_skill.tests import (
    CALLS,
    DN,
    By,
    Cards,
    Skill,
    Test,
    Tested,
    missing_level,
    test_of,
    tested,
)


class Helper(Struct, frozen=True, forbid_unknown_fields=True):
    """A helper who makes Extra Effort: a test at a skill and DN of the game master's choosing (S8)."""

    name: Annotated[str, Meta(max_length=200)] = ""
    skill: Skill | None = None
    dn: DN | None = None
    by: By = "d20"
    unskilled: bool = False
    level: Level | None = None
    effort: Literal["extra", "choose"] = "extra"


Helpers: TypeAlias = (
    Annotated[int, Meta(ge=0, le=1000)]
    | Annotated[tuple[Literal["normal"] | Helper, ...], Meta(max_length=20)]
)

OWN_SKILL = Fed("skills", each="skill", whose="name")  # of each helper who is named


class Aid(Struct, frozen=True, cache_hash=True):
    """A helper's test, and whether the helper may make normal effort instead."""

    test: Test
    choose: bool


class Help(Struct, frozen=True):
    """What help comes to: effective characters, the lead included, and the bonus they give (S8)."""

    count: int
    bonus: int


def aids(helpers: Helpers, house: DramaHouse, rules: Rules) -> tuple[int, tuple[Aid, ...]]:
    """Effective characters before anyone tests, and the tests to come."""
    if isinstance(helpers, int):
        return house.counts.lead + helpers * house.counts.normal, ()
    found = []
    for i, one in enumerate(helpers):
        if one != "normal":
            where = f"helpers[{i}]."
            test = test_of(where, one.by, one.skill, one.dn, one.unskilled, one.level, 0, house, rules)
            found.append(Aid(test, one.effort == "choose"))
    normal = len(helpers) - len(found)
    return house.counts.lead + normal * house.counts.normal, tuple(found)


def helped(count: int, left: tuple[Aid, ...], whole: bool, house: DramaHouse, rules: Rules) -> State:
    """Helpers act, one after the other; ends in a Help, or if not `whole` in the bonus alone."""
    if left:
        return aid(count, left, whole, house, rules)
    bonus = bonus_of(house, count)
    return Done(Help(count, bonus) if whole else bonus, ("S8",))


@moment("dramatic-skill.aid", "S8")
def aid(count: int, left: tuple[Aid, ...], whole: bool, house: DramaHouse, rules: Rules) -> Ask:
    """The next helper makes Extra Effort, or may choose to; normal effort needs no test."""
    first, rest = left[0], left[1:]
    if first.choose:
        return Choice(
            "player",
            "effort",
            (Option("normal"), Option("extra")),
            lambda effort: (
                helped(count + house.counts.normal, rest, whole, house, rules)
                if effort == "normal"
                else aid(count, (Aid(first.test, False), *rest), whole, house, rules)
            ),
        )
    return call(tested(first.test, 0, 0, house, rules), aided.back(count, rest, whole, house, rules)).ask()


@moment("dramatic-skill.aided", "S8")
def aided(
    count: int, left: tuple[Aid, ...], whole: bool, house: DramaHouse, rules: Rules, outcome: Tested
) -> Ask:
    """What the helper's level counts as."""
    return helped(count + getattr(house.counts, outcome.result), left, whole, house, rules).ask()


def ahead(walk: str, params: Mapping[str, Any], house: DramaHouse) -> None:
    """Refuse to look ahead where the table would have to state a helper's level (S9 c)."""
    if isinstance(params["helpers"], int):
        return
    for i, one in enumerate(params["helpers"]):
        if one != "normal" and one.by == "stated" and one.level is None:
            raise missing_level(f"helpers[{i}].")


@rule("dramatic-skill.help", Help, worths={"player": lambda o: o.bonus}, calls=CALLS)
def help(
    helpers: Annotated[
        Helpers,
        Meta(
            description='who helps: a number of normal efforts, or a list of "normal" and of tests '
            '({"skill", "dn", "by", "unskilled", "level", "effort"})'
        ),
        OWN_SKILL,
    ],
    cards: Annotated[
        Cards, Meta(description="playing cards left, or counts by suit; none: a fresh deck"), stocks("cards")
    ] = None,
    *,
    house: Annotated[DramaHouse, SUPPLIED],
    rules: Annotated[Rules, SUPPLIED],
) -> State:
    """Help another: count the effective characters and read the bonus they give to the action (S8).

    The one who acts counts too. Normal effort counts without a test; Extra Effort is a test that may count for more,
    for nothing, or against.
    """
    count, left = aids(helpers, house, rules)
    return helped(count, left, True, house, rules)


help.ahead = ahead
