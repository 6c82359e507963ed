"""What choosers aim at and how choices are answered: from a caller's words to the walks' own terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from sortes.core.ask import Choice
from sortes.core.errors import wrong
from sortes.core.system import Rule, Worth
from sortes.core.world import Worlds
from sortes.engine.odds import Watch
from sortes.engine.policy import Decide, asking, by_chooser, plain
from sortes.prepared import Prepared

if TYPE_CHECKING:
    from sortes.engine.advise import Plan  # imported by those who ask for advice: a play does not


@runtime_checkable
class Answering(Protocol):
    """What answers choices in the walks' own terms: advice does."""

    @property
    def worlds(self) -> Worlds | None: ...

    def decide(self, state: Any, choice: Choice, worlds: Worlds, world: int) -> Any: ...


One: TypeAlias = str | Answering | Callable[[Any, Choice], Any]
Policy: TypeAlias = One | Mapping[str, One]
Aim: TypeAlias = str | Callable[[Any], Any] | Mapping[str, str | Callable[[Any], Any]]


def aims(rule: Rule, worth: Aim | None) -> dict[str, Worth]:
    """Each chooser's worth by name: the rule's own, with what is given in their place."""
    if worth is None:
        return dict(rule.worths)
    if isinstance(worth, Mapping):
        _choosers("worth", rule, worth)
        return {**rule.worths, **{who: _aim(rule, one) for who, one in worth.items()}}
    main, given = next(iter(rule.worths.values())), _aim(rule, worth)
    return {
        who: given if own is main else own for who, own in rule.worths.items()
    }  # who shares it goes along


def _choosers(parameter: str, rule: Rule, given: Mapping[str, Any]) -> None:
    """Refuse what names someone who chooses nothing in this rule."""
    for who in given:
        if who not in rule.worths:
            raise wrong(parameter, who, f"choosers of {rule.id}: {', '.join(rule.worths)}")


def _aim(rule: Rule, worth: Any) -> Worth:
    """A worth from a field, -field, a result, or a function of the outcome."""
    if callable(worth):
        return lambda outcome: _number(worth(outcome))
    name = str(worth).replace("-", "_")
    sign, field = (-1, name[1:]) if name.startswith("_") else (1, name)
    if field in rule.numbers:
        return lambda outcome: sign * (getattr(outcome, field) or 0)
    values = rule.results
    if str(worth) in values:
        return lambda outcome: getattr(outcome, rule.fields[0]) == str(worth)
    fields = f"a field ({', '.join(rule.numbers)}), its negative, " if rule.numbers else ""
    words = f"a result ({', '.join(values)}), or " if values else "or " if fields else ""
    raise wrong("worth", worth, f"{fields}{words}a function of the outcome")


def _number(value: Any) -> Fraction:
    """What a given function says an outcome is worth, exactly."""
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise wrong("worth", value, "a function that gives a finite number for each outcome") from None


def _read_by(rule: Rule, worth: Aim | None) -> tuple[str, ...]:
    """The counters that a given worth may read: a field itself, a function any. A rule's own worths read none."""
    if worth is None or not rule.counters:
        return ()
    given = list(worth.values()) if isinstance(worth, Mapping) else [worth]
    if any(callable(one) for one in given):
        return rule.counters
    names = {str(one).lstrip("-").replace("-", "_") for one in given}
    return tuple(c for c in rule.counters if c in names)


def planned(it: Prepared, worth: Aim | None, policies: Mapping[str, Any] | None, watch: Watch | None) -> Plan:
    """The plan for a rule: aims as `worth` has them, and a fixed policy for the choosers in `policies`."""
    from sortes.engine.advise import plan

    it.foresee("advise")
    worths = aims(it.rule, worth)
    _choosers("policies", it.rule, policies or {})
    fixed = {who: _simple(one) for who, one in (policies or {}).items() if one != "best"}
    counters = _read_by(it.rule, worth)
    return plan(it.state, it.stock, it.world, worths, fixed=fixed, counters=counters, watch=watch)


def _simple(policy: Any) -> Decide:
    if policy == "plain":
        return plain
    if isinstance(policy, Answering):
        return policy.decide
    if callable(policy):
        return asking(policy)
    raise wrong("policy", policy, "'plain', 'best', or a function of the state and the choice")


def decided(
    it: Prepared, policy: Policy, worth: Aim | None, watch: Watch | None
) -> tuple[Decide, Worlds | None]:
    """How a walk answers choices, and the plan's worlds where it must share them."""
    if policy == "plain":
        return plain, None
    if isinstance(policy, Mapping):
        _choosers("policy", it.rule, policy)
        if "best" not in policy.values():
            return by_chooser({who: _simple(one) for who, one in policy.items()}), None
        others = {who: policy.get(who, "plain") for who in it.rule.worths}
        made = planned(it, worth, others, watch)
        chosen = {who: made.decide if one == "best" else _simple(one) for who, one in others.items()}
        return by_chooser(chosen), made.worlds
    if policy == "best":
        if foregone(it, worth):
            return plain, None
        made = planned(it, worth, None, watch)
        return made.decide, made.worlds
    return _simple(policy), policy.worlds if isinstance(policy, Answering) else None


def foregone(it: Prepared, worth: Aim | None) -> bool:
    """Whether the room says that no option is worth more than the first, for the rule's own worths."""
    return worth is None and it.rule.foregone is not None and it.rule.foregone(it.params)


def check_policy(policy: Policy) -> None:
    """Refuse what is not a policy before anything is thrown."""
    if policy == "plain":
        return
    for one in policy.values() if isinstance(policy, Mapping) else [policy]:
        if one not in ("plain", "best") and not callable(one) and not isinstance(one, Answering):
            raise wrong("policy", one, "'plain', 'best', or a function of the state and the choice")
