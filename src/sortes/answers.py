"""What the walks give back: odds, a play, advice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sortes.aims import Aim, Policy, decided
from sortes.core.ask import Choice, Outcome
from sortes.core.chance import Thrown
from sortes.core.errors import RuleError, whole, wrong
from sortes.core.exact import chances
from sortes.core.system import Rule, Solved, Worth
from sortes.core.world import World, Worlds
from sortes.engine import odds as _odds
from sortes.engine import play as _play
from sortes.engine.odds import Watch
from sortes.engine.play import Chosen
from sortes.engine.policy import Decide, plain
from sortes.prepared import Prepared

if TYPE_CHECKING:
    import pandas as pd

    from sortes.engine import advise as _advise


NOTHING = Fraction(0)
WITHIN = 10_000  # up to which value a counter can be asked for


class Odds:
    """The exact odds of a rule, found when they are asked for. Chances are Fractions and sum, with `unresolved`,
    to exactly 1."""

    def __init__(
        self,
        it: Prepared,
        policy: Policy = "plain",
        worth: Aim | None = None,
        within: int | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.rule, self.params, self._it = it.rule, it.params, it
        self._policy, self._worth, self._within, self._watch = policy, worth, within, watch
        self._answers: tuple[Decide, Worlds | None] | None = None
        self._known: dict[tuple[tuple[str, ...], int | None], Solved] = {}

    def _decide(self) -> tuple[Decide, Worlds | None]:
        if self._answers is None:
            self._answers = decided(self._it, self._policy, self._worth, self._watch)
        return self._answers

    def _spread(self, counters: tuple[str, ...], within: int | None = None) -> Solved:
        """The outcomes with these counters; with one of them alone, up to `within`."""
        if (known := self._known.get((counters, within))) is None:
            known = self._solved(counters, within) or self._walked(counters, within)
            self._known[counters, within] = known
        return known

    def _solved(self, counters: tuple[str, ...], within: int | None) -> Solved | None:
        """By the room's own solver, where it has one for this question."""
        if self.rule.solve is None or (self._policy != "plain" and self._decide()[0] is not plain):
            return None
        return self.rule.solve(self._it.asked(counters[0] if counters else None, within))

    def _walked(self, counters: tuple[str, ...], within: int | None) -> Solved:
        it = self._it
        if within is None:
            it.foresee("end")
        decide, worlds = self._decide()
        means = tuple([c for c in self.rule.counters if c not in counters])
        return _odds.spread(
            it.state,
            it.stock,
            it.world,
            decide,
            counters=counters,
            within={} if within is None else {counters[0]: within},
            means=means,
            worlds=worlds,
            watch=self._watch,
        )

    @property
    def solved(self) -> Solved:
        """The outcomes as whole ways of all, without counters that have no bound."""
        return self._spread(self.rule.bounded)

    @property
    def _met(self) -> Solved | None:
        """What `solved` is, if it was asked for already: then it answers for less, too."""
        return self._known.get((self.rule.bounded, None))

    @property
    def outcomes(self) -> dict[Outcome, Fraction]:
        """Every distinct outcome with its exact chance (without counters that have no bound: ask `by` for those)."""
        return self.solved.outcomes

    @property
    def unresolved(self) -> Fraction:
        """The exact chance that a cut left open; 0 where everything resolves."""
        return self.solved.unresolved

    def by(self, field: str, within: int | None = None) -> dict[Any, Fraction]:
        """The exact chance of each value of a field; with `within`, of a counter's values up to that.

        Raises RuleError where the outcome has no such field.
        """
        return self._by(field, within)[0]

    def left(self, field: str, within: int | None = None) -> Fraction:
        """What `by` of the same field leaves unresolved."""
        return self._by(field, within)[1]

    def _by(self, field: str, within: int | None) -> tuple[dict[Any, Fraction], Fraction]:
        field = self._field(field)
        within = self._within if within is None else within
        if within is not None:
            whole("within", within, 0, WITHIN)
        out: dict[Any, int] = {}
        if field in self.rule.counters:
            if field in self.rule.endless and within is None:
                raise RuleError("within", f"{field} has no bound; say up to how many are wanted")
            found = self._spread((field,), within)
        else:
            found = self._met or self._spread(())
        left, over = found.left, found.over
        for outcome, ways in found.ways.items():
            value = getattr(outcome, field)
            if within is not None and isinstance(value, int) and value > within:
                left += ways
                continue
            out[value] = out.get(value, 0) + ways
        return _sorted(chances(out, over)), Fraction(left, over) if left else NOTHING

    def _field(self, field: str) -> str:
        name = field if field in self.rule.fields else str(field).replace("-", "_")
        if name not in self.rule.fields:
            raise wrong("by", field, f"a field of the outcome: {', '.join(self.rule.fields)}")
        return name

    def p(self, value: Any, by: str | None = None) -> Fraction:
        """The exact chance of a value of the main field (or of another); 0 where it never happens.

        Raises RuleError where no outcome can have it.
        """
        field = self._field(by or self.rule.fields[0])
        if field == self.rule.fields[0] and (values := self.rule.results) and value not in values:
            raise wrong("result", value, ", ".join(values))
        return self.by(field).get(value, Fraction(0))

    def mean(self, field: str) -> Fraction | None:
        """The exact mean of a number; None where it is not finite or not all is resolved.

        Raises RuleError where the field is not a number.
        """
        field = self._field(field)
        if field not in self.rule.numbers:
            raise wrong("by", field, "a number of the outcome")
        if not self._it.ends:
            return None
        if field in self.rule.counters and (self._met is None or field in self.rule.endless):
            return self._spread(()).means.get(field)
        found = self.solved
        if found.left or any(getattr(outcome, field) is None for outcome in found.ways):
            return None
        return expected(attrgetter(field), found)

    def rows(self, by: str | None = None, within: int | None = None) -> list[dict[str, Any]]:
        """One row for each distinct outcome, or each value of a field: its fields, `p` exact, `probability`."""
        if by is not None:
            field = self._field(by)
            return [{field: value, "p": p} for value, p in self.by(field, within).items()]
        hidden = self.rule.endless
        return [
            {**{f: getattr(outcome, f) for f in self.rule.fields if f not in hidden}, "p": p}
            for outcome, p in _ordered(self.rule, self.outcomes)
        ]

    def to_frame(self, by: str | None = None, within: int | None = None) -> pd.DataFrame:
        """The rows as a pandas DataFrame, with `p` as Fractions and `probability` as floats. Needs pandas."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install 'sortes[pandas]'") from None
        rows = [{**row, "probability": float(row["p"])} for row in self.rows(by, within)]
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        field = self.rule.fields[0]
        shown = ", ".join(f"{value} {float(p):.2%}" for value, p in self.by(field).items())
        return f"<odds of {self.rule.id}: {shown}>"

    def _repr_html_(self) -> str:
        from sortes.show.html import odds_table

        return odds_table(self)


def _sorted(out: dict[Any, Fraction]) -> dict[Any, Fraction]:
    """Numbers in order; words in the order in which they were met."""
    if all(isinstance(v, int) for v in out):
        return dict(sorted(out.items()))
    return out


def _ordered(rule: Rule, outcomes: Mapping[Outcome, Fraction]) -> list[tuple[Outcome, Fraction]]:
    """Outcomes in the order of the rule's results, likeliest first among equals."""
    place = {value: i for i, value in enumerate(rule.results)}
    first = rule.fields[0]

    def key(item: tuple[Outcome, Fraction]) -> tuple[Any, ...]:
        value = getattr(item[0], first)
        return (place.get(value, value if isinstance(value, int) else 0), -item[1])

    return sorted(outcomes.items(), key=key)


class Play:
    """One play: its outcome, every throw and choice on the way, the rules followed, and how likely it was."""

    def __init__(self, it: Prepared, played: _play.Played, policy: Policy, worth: Aim | None) -> None:
        self.rule, self.params, self._it, self._played = it.rule, it.params, it, played
        self._policy, self._worth = policy, worth

    @property
    def outcome(self) -> Outcome:
        """What came of it, in the rule's terms."""
        return self._played.outcome

    @property
    def throws(self) -> tuple[Thrown, ...]:
        """Every group of dice and cards, in the order thrown, with what was kept."""
        return self._played.throws

    @property
    def choices(self) -> tuple[Chosen, ...]:
        """Every choice that was made."""
        return self._played.choices

    @property
    def tallies(self) -> tuple[tuple[str, int], ...]:
        """What was counted or marked on the way."""
        return self._played.tallies

    @property
    def why(self) -> tuple[str, ...]:
        """The numbered rules that were followed, in order."""
        return self._played.why

    @property
    def world(self) -> World:
        """The decks and purses afterwards."""
        return self._played.world

    def left(self, deck: str = "cards") -> dict[str, int]:
        """What is left of a deck afterwards, by card."""
        return self._it.stock.cards(self._played.world, deck)

    @cached_property
    def p(self) -> Fraction | None:
        """How likely this result was beforehand, exactly, with choices made by the same policy; None where nobody can
        tell: the table said what came of it, or there was no end to look to."""
        if not self._it.ends:
            return None
        field = self.rule.fields[0]
        policy: Policy = self._policy
        return Odds(self._it, policy, self._worth).by(field).get(getattr(self.outcome, field), Fraction(0))

    def __repr__(self) -> str:
        return f"<play of {self.rule.id}: {self.outcome}>"


class Advised:
    """An option with its worth to the one who chooses."""

    def __init__(self, option: Any, cost: tuple[tuple[str, int], ...], worth: Fraction | float) -> None:
        self.option, self.cost, self.worth = option, cost, worth

    @property
    def exact(self) -> Fraction | None:
        """The worth as a fraction; None where a cycle made it a float."""
        return self.worth if isinstance(self.worth, Fraction) else None

    def __repr__(self) -> str:
        return f"<{self.option}: {float(self.worth):.6g}>"


class Situation(Struct, frozen=True):
    """A choice that can be met first: after which throws, who is asked about what, its options and the best of them."""

    after: tuple[Any, ...]
    state: Any
    who: str
    about: str
    best: Any
    options: list[Advised]


class Advice:
    """What is best: the first choice with the worth of each option, and the plan for everything after it.

    It answers every choice on the way where it is given as the `policy` of a walk over the same rule and parameters.
    """

    def __init__(
        self,
        it: Prepared,
        aims: Mapping[str, Worth],
        plan: Callable[[], _advise.Plan],
        foregone: Solved | None = None,
    ) -> None:
        self.rule, self.params, self._it, self._make = it.rule, it.params, it, plan
        self._foregone = foregone is not None  # the first option is best, always
        if foregone is not None:
            self.situations: list[Situation] = []
            self.worths: dict[str, Fraction | float] = {w: expected(aim, foregone) for w, aim in aims.items()}
        else:
            quick = self._weighed(aims) if it.rule.weigh else None
            self.situations, self.worths = quick or self._planned()

    @cached_property
    def _plan(self) -> _advise.Plan:
        return self._make()

    def _planned(self) -> tuple[list[Situation], dict[str, Fraction | float]]:
        """The first choices that can be met, each after the hands thrown before it, and what all is worth to each."""
        found = []
        for after, one in self._plan.first():
            options = [Advised(o.value, o.cost, w) for o, w in one.worths]
            found.append(
                Situation(after, one.state, one.choice.who, one.choice.about, one.best.value, options)
            )
        return found, self._plan.worth()

    def _weighed(
        self, aims: Mapping[str, Worth]
    ) -> tuple[list[Situation], dict[str, Fraction | float]] | None:
        """The same by the room's own solver, where the first choice is the only one."""
        ask, weigh = self._it.state.ask(), self.rule.weigh
        solved = weigh(self._it.question) if weigh and isinstance(ask, Choice) else None
        if solved is None or not isinstance(ask, Choice) or ask.who not in aims:
            return None
        worths = {value: expected(aims[ask.who], one) for value, one in solved.items()}
        best = max(worths, key=worths.__getitem__)  # the first of equals
        options = [Advised(o.value, o.cost, worths[o.value]) for o in ask.options]
        situation = Situation((), self._it.state, ask.who, ask.about, best, options)
        return [situation], {who: expected(aim, solved[best]) for who, aim in aims.items()}

    @property
    def worth(self) -> Fraction | float:
        """What the whole is worth to the main chooser when everyone does what is best for them."""
        return next(iter(self.worths.values()))

    @property
    def choice(self) -> str | None:
        """What the first choice is about; None where chance comes first or nothing is asked."""
        return self._first.about if self._first else None

    @property
    def best(self) -> Any:
        """The best option's plain value at the first choice; None where chance comes first or nothing is asked."""
        return self._first.best if self._first else None

    @property
    def options(self) -> list[Advised]:
        """The options of the first choice, each with its worth."""
        return self._first.options if self._first else []

    @property
    def _first(self) -> Situation | None:
        found = self.situations
        return found[0] if len(found) == 1 and not found[0].after else None

    @property
    def worlds(self) -> Worlds | None:
        """The worlds that the plan has met, which a walk that follows it shares; None where no plan is needed."""
        return None if self._foregone else self._plan.worlds

    def decide(self, state: Any, choice: Choice, worlds: Worlds, world: int) -> Any:
        """The value of the best option at a choice that a walk has come to."""
        if self._foregone:
            return choice.options[0].value
        return self._plan.decide(state, choice, worlds, world)

    def __repr__(self) -> str:
        return f"<advice for {self.rule.id}: {self.best!r}, worth {float(self.worth):.6g}>"


def expected(worth: Worth, solved: Solved) -> Fraction:
    """What all outcomes are worth on average."""
    total = sum([ways * worth(outcome) for outcome, ways in solved.ways.items()])
    return Fraction(total) / solved.over
