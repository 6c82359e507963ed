"""A question as the product takes it, answered by brute force: the same names, the same fields, words for values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from . import agate, cards, conflict, d20_oracle, dramatic_skill, poker_dice
from .mass import by, mean, pool


class Case(NamedTuple):
    """`rule` with `params` under `house`: the odds of field `by` (of a counter up to `within`), or with `worth` what
    the whole is worth to the one who chooses when everyone does what is best ("default": the rule's own worth)."""

    rule: str
    params: Mapping[str, Any]
    house: Mapping[str, Any] = {}
    by: str = "result"
    policy: str = "plain"
    within: int | None = None
    worth: str | None = None

    def __str__(self) -> str:
        said = [f"{k}={v}" for k, v in {**self.params, **self.house}.items()]
        said.append(f"worth {self.worth}" if self.worth else f"by {self.by}")
        return " ".join([self.rule, *said])[:120]


class Known(NamedTuple):
    """Odds by words; what is unresolved; the mean where it was asked for."""

    p: dict[str, Fraction]
    unresolved: Fraction = Fraction(0)
    mean: Fraction | None = None


def word(value: Any) -> str:
    """A value of a field as a word."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(map(word, value))
    return str(value)


# What a house setting is called here, and what it is there.
SETTINGS = {
    "packs": "packs", "jokers": "jokers", "luck_beyond_numbers": "luck_beyond_numbers", "deck": "whole",
    "great_bane": "great_bane", "aura_dice": "aura_dice", "strain_capacity": "strain_capacity",
}  # fmt: skip
RULES: Mapping[str, Callable[..., Mapping[Any, Fraction]]] = {
    "d20-oracle.ask": d20_oracle.ask,
    "poker-dice.roll": poker_dice.roll,
    "agate.attempt": agate.attempt,
    "cards.ask": cards.ask,
    "cards.three": cards.three,
    "cards.resolve": cards.resolve,
    "cards.run": cards.run,
    "dramatic-skill.test": dramatic_skill.test,
    "dramatic-skill.help": dramatic_skill.help,
    "dramatic-skill.task": dramatic_skill.task,
}
MAY_CHOOSE = {"agate.attempt", "cards.ask", "cards.three", "cards.resolve", "cards.run"} | {
    rule for rule in RULES if rule.startswith("dramatic-skill")
}
BEST: Mapping[str, Callable[[Any], Any]] = {  # the default worths: winning, succeeding, being done
    "agate.attempt": lambda o: o.result in ("triumph", "success", "partial-success"),
    "cards.ask": lambda o: o.answer == "yes",
    "cards.resolve": cards.won,
    "cards.run": lambda o: o.reds,
    "dramatic-skill.test": lambda o: dramatic_skill.succeeds(o.result),
    "dramatic-skill.help": lambda o: o.bonus,
    "dramatic-skill.task": lambda o: o.result == "done",
}
WORTHS: Mapping[str, Callable[[Any], Any]] = {
    "beats-won": lambda o: list(o.beats).count("win"),
    "beats-and-vote": lambda o: list(o.beats).count("win") + 10 * (o.vote in ("decisive-success", "none")),
    "good-vote": lambda o: o.vote in ("decisive-success", "success-with-complication"),
    "yes-and": lambda o: o.answer == "yes-and",
    "reds": lambda o: o.reds,
    "effect": lambda o: o.effect,
    "-effect": lambda o: -o.effect,
}


def asked(case: Case) -> dict[str, Any]:
    """The parameters of a case as the brute force takes them."""
    named = {**case.params, **{SETTINGS[k]: v for k, v in case.house.items() if k in SETTINGS}}
    if case.rule in MAY_CHOOSE:
        named["policy"] = "best" if case.worth else case.policy
    shuffles = {"always": True, "drawing": case.rule == "cards.three"}.get(
        case.house.get("reshuffle", ""), False
    )
    if shuffles:
        named = {k: v for k, v in named.items() if k not in ("deck", "discard")}
    if case.rule == "dramatic-skill.task":
        named["fields"] = ["result"] if case.worth else [case.by]
    return named


def odds(case: Case) -> Known:
    """The odds of a case."""
    if case.rule == "cards.conflict":
        return fought(case)
    if case.rule == "cards.contest":
        return Known({word(getattr(cards.contest(**case.params), case.by)): Fraction(1)})
    found = by(RULES[case.rule](**asked(case)), case.by)
    return Known({word(value): p for value, p in found.items()})


def fought(case: Case) -> Known:
    """A token conflict, to its very end or for some rounds."""
    named = {k: v for k, v in {**case.params, **case.house}.items() if k not in ("luck", "their_luck")}
    if case.by == "rounds":
        assert case.within is not None
        ended, rest = conflict.rounds(**named, within=case.within)
        return Known({word(n): p for n, p in pool((n, p) for (_, n), p in ended.items()).items()}, rest)
    course = conflict.conflict(**named)
    return Known(course.odds, course.unresolved, course.mean_rounds)


def worth(case: Case) -> Fraction:
    """What a case is worth."""
    if case.rule == "cards.conflict":
        named = {k: v for k, v in {**case.params, **case.house}.items() if k != "their_luck"}
        return conflict.best(**named)
    aim = BEST[case.rule] if case.worth == "default" else WORTHS[case.worth or ""]
    named = asked(case)
    if case.rule.startswith("cards.") and case.worth != "default":
        named["worth"] = aim
    return mean(RULES[case.rule](**named), aim)
