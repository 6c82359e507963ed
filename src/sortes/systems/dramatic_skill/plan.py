"""A task's plan (S1, S2): its steps, who may lead with which skill, and who helps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from msgspec import Meta, Struct

from sortes.core.errors import RuleError, wrong
from sortes.core.form import Entry
from sortes.core.system import Rules
from sortes.systems.dramatic_skill import help
from sortes.systems.dramatic_skill.deck import letters
from sortes.systems.dramatic_skill.help import Aid, Helpers, aids
from sortes.systems.dramatic_skill.house import DramaHouse, Level
from sortes.systems.dramatic_skill.tests import DN, By, Extra, Skill, Test, missing_level, test_of

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
Ditch: TypeAlias = Literal["multi", "single"]
LAST_DITCH = 0  # in place of how many steps an action is for


class Step(Struct, frozen=True, forbid_unknown_fields=True):
    """A step of a task: its name, and the test that completes it (S1)."""

    name: Annotated[str, Meta(max_length=200)] = ""
    skill: Skill | dict[Name, Skill] | None = None
    dn: DN | None = None
    by: By = "d20"
    unskilled: bool = False
    level: Level | None = None


class DramaSheet(Struct, frozen=True, forbid_unknown_fields=True):
    """A character in tasks (S5, S9)."""

    skills: Annotated[dict[Entry, Skill], Meta(max_length=200, description="skills by name")] = {}
    destiny: Annotated[
        int, Meta(ge=0, le=1_000_000, description="destiny cards, one for each Approved Action")
    ] = 0


class Plan(Struct, frozen=True, cache_hash=True):
    """What stays the same all through a task."""

    leads: tuple[str, ...]
    tests: tuple[tuple[Test, ...], ...]  # by lead, by step
    count: int  # effective characters before a helper tests (S8)
    aids: tuple[Aid, ...]
    multi_action: bool
    last_ditch: Ditch


class Now(NamedTuple):
    """How a task stands when a round begins."""

    left: int | None  # rounds left, this one included; none: no end
    done: int  # steps
    plus: int  # on every DN (S6)
    lead: int  # who led last, by place in the plan


class Ended(Struct, frozen=True):
    """How a task ended: after how many rounds, with how many steps done and Approved Actions (S5), whether a Last Ditch
    did it (S7), and what Complications have added to the Difficulty Numbers (S6)."""

    result: Literal["done", "out-of-time"]
    rounds: int = 0
    steps_done: int = 0
    approved: int = 0
    last_ditch: bool = False
    dn_plus: int = 0


def plan_of(
    steps: tuple[Step, ...],
    leads: tuple[str, ...],
    helpers: Helpers,
    multi_action: bool,
    last_ditch: Ditch,
    house: DramaHouse,
    rules: Rules,
) -> Plan:
    """The plan that people fill in, complete; raises RuleError that names what is missing or wrong."""
    if len(steps) != house.steps:
        raise wrong(
            "steps", f"{len(steps)} of them", f"{house.steps}, one each for {', '.join(letters(house))}"
        )
    if len(set(leads)) != len(leads):
        raise wrong("leads", ", ".join(leads), "different names")
    by_lead = []
    for lead in leads:
        found = []
        for i, one in enumerate(steps):
            skill = one.skill
            if isinstance(skill, Mapping):
                if lead not in skill:
                    named = ", ".join(skill) or "nobody"
                    raise RuleError(
                        f"steps[{i}].skill", f"has no number for {lead}, who may lead; it names {named}"
                    )
                skill = skill[lead]
            where: str = f"steps[{i}]."
            extra: Extra = "choose" if one.by == "cards" else 0
            found.append(test_of(where, one.by, skill, one.dn, one.unskilled, one.level, extra, house, rules))
        by_lead.append(tuple(found))
    count, tests = aids(helpers, house, rules)
    return Plan(leads, tuple(by_lead), count, tests, multi_action, last_ditch)


@lru_cache(maxsize=65536)
def tests_of(plan: Plan, lead: int, done: int, many: int) -> tuple[Test, ...]:
    """The tests of an action, in turn: of a row of so many steps, or of the Last Ditch (S4, S7)."""
    left = plan.tests[lead][done:]
    if many != LAST_DITCH:
        return left[:many]
    return (
        left if plan.last_ditch == "multi" else (max(left, key=lambda test: test.dn),)
    )  # the first of equals


def ahead(walk: str, params: Mapping[str, Any], house: DramaHouse) -> None:
    """Refuse to look ahead where the table would have to state a level (S9 c), or through rounds without end."""
    for i, step in enumerate(params["steps"]):
        if step.by == "stated" and step.level is None:
            raise missing_level(f"steps[{i}].")
    help.ahead(walk, params, house)
    endless = params["rounds"] is None or (params["rounds"] == "house" and house.rounds == "none")
    if walk in ("advise", "end") and endless:
        takes = "takes a number of rounds, from 1 to 30"
        if walk == "end":
            takes += "; without one, odds can only be by rounds, within so many"
        raise RuleError("rounds", f"got none; {takes}")
