"""play, odds, advise and simulate, by the id of a rule: what people import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random, SystemRandom
from typing import Any

from sortes import house as houses
from sortes.aims import Aim, Policy, aims, check_policy, decided, foregone, planned
from sortes.answers import WITHIN, Advice, Odds, Play
from sortes.core.ask import Outcome
from sortes.core.chance import Source
from sortes.core.errors import Refused, RuleError, whole, wrong
from sortes.core.system import Rule
from sortes.engine import play as _play
from sortes.engine.odds import Watch
from sortes.engine.play import Event
from sortes.engine.policy import Decide, plain
from sortes.prepared import Prepared


def prepare(rule: str | Rule | Prepared, *, house: houses.Given = None, **params: Any) -> Prepared:
    """Check a rule's parameters once, for many walks.

    `rule` is an id such as "cards.resolve", or a rule object; `params` are the rule's own; `house` changes settings
    (a mapping or a TOML file). Raises RuleError, naming the parameter.
    """
    return _prepared(rule, house, params)


def _prepared(rule: str | Rule | Prepared, house: houses.Given, params: Mapping[str, Any]) -> Prepared:
    if isinstance(rule, Prepared):
        if params or house is not None:
            raise RuleError("rule", "is prepared already; give parameters and house rules when preparing it")
        return rule
    return Prepared.of(rule, params, house)


def odds(
    rule: str | Rule | Prepared,
    *,
    house: houses.Given = None,
    policy: Policy = "plain",
    worth: Aim | None = None,
    within: int | None = None,
    watch: Watch | None = None,
    **params: Any,
) -> Odds:
    """How likely is it? The exact odds of a rule with these parameters.

    Choices on the way follow `policy`: "plain" (the option listed first), "best" (what `advise` says, for `worth`),
    a function of the state and the choice, or a mapping of choosers to these. `within` bounds a counter in `by`.
    `watch` hears of progress in long work. Raises RuleError, naming the parameter.
    """
    it = _prepared(rule, house, params)
    if within is not None:
        whole("within", within, 0, WITHIN)
    check_policy(policy)
    it.foresee("odds")
    if worth is not None:
        aims(it.rule, worth)
    return Odds(it, policy, worth, within, watch)


def play(
    rule: str | Rule | Prepared,
    *,
    house: houses.Given = None,
    policy: Policy = "plain",
    worth: Aim | None = None,
    seed: int | None = None,
    rng: Source | None = None,
    told: Callable[[Event], None] | None = None,
    hands: Iterable[Sequence[Any]] | None = None,
    decide: Decide | None = None,
    watch: Watch | None = None,
    **params: Any,
) -> Play:
    """What happens? Play a rule once.

    Chance comes from `rng` (anything with `randrange`), a generator seeded with `seed`, or the system's own.
    Choices follow `policy`, as in `odds`. `told` hears of each throw, choice and tally as it happens.
    `hands` are throws made by hand, in order: the faces of each (for dice thrown in named groups, a list for each
    group); when they end, chance goes on. `decide` answers the choices in place of `policy` and sees the decks and
    purses too, as an interface that asks people must. `watch` hears of progress while a policy is worked out.
    Raises RuleError, naming the parameter.
    """
    it = _prepared(rule, house, params)
    check_policy(policy)
    if rng is None:
        rng = SystemRandom() if seed is None else Random(whole("seed", seed, 0))
    if hands is not None and (isinstance(hands, str) or not isinstance(hands, Iterable)):
        raise wrong("hands", hands, "a list of throws, each the list of its faces")
    waiting = iter(hands) if hands is not None else None
    if decide is None:
        decide = plain if policy == "plain" else decided(it, policy, worth, watch)[0]
    played = _play.play(
        it.state,
        it.stock,
        it.world,
        rng,
        decide,
        counters=it.rule.counters,
        told=told,
        hands=waiting,
    )
    if waiting and (left := sum(1 for _ in waiting)):
        raise RuleError("hands", f"{left} more than the rule asked for")
    return Play(it, played, policy, worth)


def advise(
    rule: str | Rule | Prepared,
    *,
    house: houses.Given = None,
    worth: Aim | None = None,
    policies: Mapping[str, Any] | None = None,
    watch: Watch | None = None,
    **params: Any,
) -> Advice:
    """What should I do? The best option at every choice, each chooser maximising its own worth.

    `worth` is a field of the outcome, "-field", a result, or a function of the outcome, for the rule's main chooser,
    or a mapping of choosers to these; the default is each chooser's own. `policies` lets a fixed policy stand in for
    choosers by name. Raises RuleError, naming the parameter.
    """
    it = _prepared(rule, house, params)
    if policies:
        return Advice(it, {}, lambda: planned(it, worth, policies, watch))
    if foregone(it, worth):
        solved = Odds(it, watch=watch).solved
        if not solved.left:
            return Advice(it, it.rule.worths, lambda: planned(it, worth, None, watch), solved)
    return Advice(it, aims(it.rule, worth), lambda: planned(it, worth, None, watch))


def simulate(
    rule: str | Rule | Prepared,
    *,
    n: int = 1_000_000,
    house: houses.Given = None,
    policy: Policy = "plain",
    worth: Aim | None = None,
    seed: int | None = None,
    watch: Watch | None = None,
    **params: Any,
) -> Counter[Outcome]:
    """What would many tables see? How many of `n` plays (1 to 10**12) end in each outcome.

    Choices follow `policy`, as in `odds`. Raises RuleError, naming the parameter.
    """
    it = _prepared(rule, house, params)
    check_policy(policy)
    whole("n", n, 1, 10**12)
    if seed is not None:
        whole("seed", seed, 0)
    it.foresee("simulate")
    import numpy as np

    from sortes.engine import simulate as _simulate

    source = np.random.Generator(np.random.SFC64(seed))
    if it.rule.crowd and policy == "plain" and (found := it.rule.crowd(it.question, n, source)) is not None:
        return Counter(found)
    decide, worlds = decided(it, policy, worth, watch)
    return _simulate.crowd(
        it.state, it.stock, it.world, n, source, decide, counters=it.rule.bounded, worlds=worlds, watch=watch
    )


__all__ = [
    "Advice",
    "Odds",
    "Play",
    "Prepared",
    "Refused",
    "RuleError",
    "advise",
    "odds",
    "play",
    "prepare",
    "simulate",
]
