"""play, odds, advise and simulate, by the id of a rule: what people import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, get_origin

import msgspec

from sortes import catalog
from sortes import house as houses
from sortes.core.ask import Choice, Outcome, State
from sortes.core.chance import Source, Thrown
from sortes.core.errors import Refused, RuleError, wrong
from sortes.core.system import House, Question, Rule, Worth
from sortes.core.world import Pile, Purse, Stock, World, Worlds
from sortes.engine import odds as _odds
from sortes.engine import play as _play
from sortes.engine.odds import Watch
from sortes.engine.play import Chosen, Event
from sortes.engine.policy import Decide, asking, by_chooser, plain

if TYPE_CHECKING:
    import pandas as pd

    from sortes.engine import advise as _advise  # imported by those who ask for it: a play does not

Policy: TypeAlias = str | Callable[[Any, Choice], Any] | Mapping[str, str | Callable[[Any, Choice], Any]]
Aim: TypeAlias = str | Callable[[Any], Any] | Mapping[str, str | Callable[[Any], Any]]


class Prepared:
    """A rule with its parameters checked and its decks laid out: takes a rule's place in all four walks."""

    def __init__(self, rule: str | Rule, house: houses.Given = None, **params: Any) -> None:
        self.rule = catalog.rule(rule)
        self.params = self.rule.form.read(params)
        self._lay_out(house)

    @classmethod
    def from_text(cls, rule: str | Rule, params: Mapping[str, Any], house: houses.Given = None) -> Prepared:
        """The same from parameters as they were typed."""
        made = cls.__new__(cls)
        made.rule = catalog.rule(rule)
        made.params = made.rule.form.read(params, text=True)
        made._lay_out(house)
        return made

    def _lay_out(self, given: houses.Given) -> None:
        rule = self.rule
        called = [catalog.rule(id) for id in rule.calls]
        ids = frozenset({rule.system, *(one.system for one in called)})
        changes = houses.sections(given, rule.system, ids)
        self.houses = {id: houses.house(catalog.system(id), changes[id]) for id in ids}
        self.house = self.houses[rule.system]
        supplied: dict[str, Any] = {}
        for name, kind in rule.form.supplied.items():
            is_house = isinstance(kind, type) and issubclass(kind, House)
            supplied[name] = self.house if is_house else catalog.called(rule, self.houses)
        self.state: State = rule.start(**self.params, **supplied)
        self.stock, self.world = self._stocked([rule, *called])

    def _stocked(self, rules: list[Rule]) -> tuple[Stock, World]:
        purses: dict[str, Purse] = {}
        for one in reversed(rules):  # the rule's own purses go before those of what it calls
            if one.purses:
                params = (
                    self.params if one is self.rule else {n: f.default for n, f in one.form.fields.items()}
                )
                for what, purse in one.purses(params, self.houses[one.system]).items():
                    keeps = one is self.rule or purse.size is not None
                    purses[what] = purse if keeps else Purse(purse.used, purse.size, keeps=False)
        marks = {(f.mark.role, f.mark.what): n for n, f in self.rule.form.fields.items() if f.mark}
        decks, lefts, totals = [], [], []
        wanted = dict.fromkeys(deck for one in rules for deck in one.decks)
        available = {d.name: d for id, h in self.houses.items() for d in catalog.system(id).decks(h)}
        for name in wanted:
            deck = available[name]
            left, total = self._pile(deck, marks.get(("stocks", name)), marks.get(("discards", name)))
            decks.append(deck)
            lefts.append(left)
            totals.append(total)
        stock = Stock(decks, totals, tuple(purses))
        piles = [Pile(stock.counts(i, left), (0,) * len(stock.totals[i])) for i, left in enumerate(lefts)]
        return stock, World(tuple(piles), tuple(purses.values()))

    def _pile(
        self, deck: Any, stocks: str | None, discards: str | None
    ) -> tuple[dict[str, int], dict[str, int]]:
        """What is left of a deck, and that with its discard: a fresh deck, or as the parameters say."""
        full = dict(deck.cards)
        given = self.params[stocks] if stocks else None
        thrown = self.params[discards] if discards else None
        if given is None and thrown is None:
            return full, full
        left = dict(deck.parse(stocks, given)) if given is not None else None
        away = dict(deck.parse(discards, thrown)) if thrown is not None else None
        coarse = next((cards for cards in (left, away) if cards and not set(cards) <= set(full)), None)
        if coarse is not None:  # counts by suit: the full pack is told apart no further
            full = dict(Counter({}))
            for card, n in deck.cards:
                key = next((k for k in coarse if card.endswith(k)), card)
                full[key] = full.get(key, 0) + n
        for name, cards in ((stocks, left), (discards, away)):
            for card, n in (cards or {}).items():
                if n > full.get(card, 0):
                    raise RuleError(str(name), f"got {n} × {card}; the full pack has {full.get(card, 0)}")
        if left is None:
            left = {card: n - (away or {}).get(card, 0) for card, n in full.items()}
        if away is None:
            away = {card: n - left.get(card, 0) for card, n in full.items()}
        total = {card: left.get(card, 0) + away.get(card, 0) for card in full}
        for card, n in total.items():
            if n > full[card]:
                raise RuleError(
                    str(discards), f"{card} is in deck and discard {n} times; the full pack has {full[card]}"
                )
        return left, {card: n for card, n in total.items() if n}

    @property
    def question(self) -> Question:
        """What a room's own solver is asked."""
        names = [deck.name for deck in self.stock.decks]
        left = {name: self.stock.cards(self.world, name) for name in names}
        totals = {
            name: dict(zip(self.stock.labels[i], self.stock.totals[i], strict=True))
            for i, name in enumerate(names)
        }
        return Question(self.params, self.house, left, totals)


def prepare(rule: str | Rule | Prepared, *, house: houses.Given = None, **params: Any) -> Prepared:
    """Check a rule's parameters once, for many walks.

    `rule` is an id such as "cards.resolve", or a rule object; `params` are the rule's own; `house` changes settings
    (a mapping or a TOML file). Raises RuleError, naming the parameter.
    """
    if type(rule) is Prepared:
        if params or house is not None:
            raise RuleError("rule", "is prepared already; give parameters and house rules when preparing it")
        return rule
    return Prepared(rule, house, **params)


# ---- policies and aims --------------------------------------------------------------------------


def _aims(rule: Rule, worth: Aim | None) -> dict[str, Worth]:
    """Each chooser's worth by name: the rule's own, with what is given in their place."""
    if worth is None:
        return dict(rule.worths)
    if isinstance(worth, Mapping):
        for who in worth:
            if who not in rule.worths:
                raise wrong("worth", who, f"choosers of {rule.id}: {', '.join(rule.worths)}")
        return {**rule.worths, **{who: _aim(rule, one) for who, one in worth.items()}}
    main = next(iter(rule.worths))
    return {**rule.worths, main: _aim(rule, worth)}


def _aim(rule: Rule, worth: Any) -> Worth:
    """A worth from a field, -field, a result, or a function of the outcome."""
    if callable(worth):
        return worth  # type: ignore[no-any-return]
    name = str(worth).replace("-", "_")
    sign, field = (-1, name[1:]) if name.startswith("_") else (1, name)
    if field in rule.fields and _is_number(rule, field):
        return lambda outcome: sign * (getattr(outcome, field) or 0)
    values = results(rule)
    if str(worth) in values:
        return lambda outcome: getattr(outcome, rule.fields[0]) == str(worth)
    numbers = [f for f in rule.fields if _is_number(rule, f)]
    raise wrong(
        "worth",
        worth,
        f"a field ({', '.join(numbers)}), its negative, a result ({', '.join(values)}), or a function",
    )


def results(rule: Rule) -> tuple[str, ...]:
    """The values that the main field of a rule's outcome can take, where they are words."""
    kind = msgspec.structs.fields(rule.outcome)[0].type
    return get_args(kind) if get_origin(kind) is Literal else ()


def _is_number(rule: Rule, field: str) -> bool:
    kind = next(f.type for f in msgspec.structs.fields(rule.outcome) if f.name == field)
    schema = msgspec.json.schema(kind)
    return any(p.get("type") in ("integer", "boolean") for p in schema.get("anyOf", [schema]))


def _read_by(aims: Mapping[str, Worth], rule: Rule, worth: Aim | None) -> tuple[str, ...]:
    """The counters that worths may read: none of the rule's own do, a given field reads itself, a function any."""
    if worth is None or not rule.counters:
        return ()
    given = list(worth.values()) if isinstance(worth, Mapping) else [worth]
    if any(callable(one) for one in given):
        return rule.counters
    names = {str(one).lstrip("-").replace("-", "_") for one in given}
    return tuple(c for c in rule.counters if c in names)


def _plan(
    it: Prepared, worth: Aim | None, policies: Mapping[str, Any] | None, watch: Watch | None
) -> _advise.Plan:
    from sortes.engine import advise as _advise

    aims = _aims(it.rule, worth)
    fixed = {}
    for who, one in (policies or {}).items():
        if who not in it.rule.worths:
            raise wrong("policies", who, f"choosers of {it.rule.id}: {', '.join(it.rule.worths)}")
        if one != "best":
            fixed[who] = _simple(one)
    counters = _read_by(aims, it.rule, worth)
    return _advise.plan(it.state, it.stock, it.world, aims, fixed=fixed, counters=counters, watch=watch)


def _simple(policy: Any) -> Decide:
    if policy == "plain":
        return plain
    if callable(policy):
        return asking(policy)
    raise wrong("policy", policy, "'plain', 'best', or a function of the state and the choice")


def _decide(
    it: Prepared, policy: Policy, worth: Aim | None, watch: Watch | None
) -> tuple[Decide, Worlds | None]:
    """How a walk answers choices, and the plan's worlds where it must share them."""
    if policy == "plain":
        return plain, None
    if isinstance(policy, Mapping):
        for who in policy:
            if who not in it.rule.worths:
                raise wrong("policy", who, f"choosers of {it.rule.id}: {', '.join(it.rule.worths)}")
        if "best" not in policy.values():
            return by_chooser({who: _simple(one) for who, one in policy.items()}), None
        others = {who: policy.get(who, "plain") for who in it.rule.worths}
        made = _plan(it, worth, others, watch)
        chosen = {who: made.decide if one == "best" else _simple(one) for who, one in others.items()}
        return by_chooser(chosen), made.worlds
    if policy == "best":
        made = _plan(it, worth, None, watch)
        return made.decide, made.worlds
    return _simple(policy), None


# ---- odds ---------------------------------------------------------------------------------------


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
        self._known: dict[tuple[tuple[str, ...], tuple[tuple[str, int], ...]], _odds.Spread] = {}

    @cached_property
    def _decided(self) -> tuple[Decide, Worlds | None]:
        return _decide(self._it, self._policy, self._worth, self._watch)

    def _spread(self, counters: tuple[str, ...], within: Mapping[str, int] | None = None) -> _odds.Spread:
        within = {name: n for name, n in (within or {}).items() if n is not None}
        key = (counters, tuple(within.items()))
        if key not in self._known:
            self._known[key] = self._solved(counters, within) or self._walked(counters, within)
        return self._known[key]

    def _solved(self, counters: tuple[str, ...], within: Mapping[str, int]) -> _odds.Spread | None:
        """By the room's own solver, where it has one for this question."""
        if self.rule.solve is None or self._policy != "plain":
            return None
        by = counters[0] if counters else None
        question = msgspec.structs.replace(self._it.question, by=by, within=within.get(by) if by else None)
        found = self.rule.solve(question)
        return found and _odds.Spread(dict(found.outcomes), found.unresolved, dict(found.means))

    def _walked(self, counters: tuple[str, ...], within: Mapping[str, int]) -> _odds.Spread:
        decide, worlds = self._decided
        it = self._it
        means = tuple(c for c in self.rule.counters if c not in counters)
        return _odds.spread(
            it.state,
            it.stock,
            it.world,
            decide,
            counters=counters,
            within=within,
            means=means,
            worlds=worlds,
            watch=self._watch,
        )

    @cached_property
    def _whole(self) -> _odds.Spread:
        return self._spread(tuple(c for c in self.rule.counters if c not in self.rule.endless))

    @property
    def outcomes(self) -> dict[Outcome, Fraction]:
        """Every distinct outcome with its exact chance (without counters that have no bound: ask `by` for those)."""
        return dict(self._whole.outcomes)

    @property
    def unresolved(self) -> Fraction:
        """The exact chance that a cut left open; 0 where everything resolves."""
        return self._whole.unresolved

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
        if within is not None and (
            isinstance(within, bool) or not isinstance(within, int) or not 0 <= within <= 10_000
        ):
            raise wrong("within", within, "a whole number from 0 to 10000")
        out: dict[Any, Fraction] = {}
        if field in self.rule.counters:
            if field in self.rule.endless and within is None:
                raise RuleError("within", f"{field} has no bound; say up to how many are wanted")
            found = self._spread((field,), {field: within} if within is not None else None)
        elif "_whole" in self.__dict__:
            found = self._whole
        else:
            found = self._spread(())
        over = Fraction(0)
        for outcome, p in found.outcomes.items():
            value = getattr(outcome, field)
            if within is not None and isinstance(value, int) and value > within:
                over += p
                continue
            out[value] = out.get(value, Fraction(0)) + p
        return _sorted(out), found.unresolved + over

    def _field(self, field: str) -> str:
        name = str(field).replace("-", "_")
        if name not in self.rule.fields:
            raise wrong("by", field, f"a field of the outcome: {', '.join(self.rule.fields)}")
        return name

    def p(self, value: Any, by: str | None = None) -> Fraction:
        """The exact chance of a value of the main field (or of another); 0 where it never happens.

        Raises RuleError where no outcome can have it.
        """
        field = self._field(by or self.rule.fields[0])
        if field == self.rule.fields[0] and (values := results(self.rule)) and value not in values:
            raise wrong("result", value, ", ".join(values))
        return self.by(field).get(value, Fraction(0))

    def mean(self, field: str) -> Fraction | None:
        """The exact mean of a number; None where it is not finite or not all is resolved.

        Raises RuleError where the field is not a number.
        """
        field = self._field(field)
        if not _is_number(self.rule, field):
            raise wrong("by", field, "a number of the outcome")
        if field in self.rule.counters:
            whole = self.__dict__.get("_whole")
            if whole is None or field in self.rule.endless:
                return self._spread(()).means.get(field)
        found = self._whole
        if found.unresolved or any(getattr(outcome, field) is None for outcome in found.outcomes):
            return None
        return sum((p * getattr(outcome, field) for outcome, p in found.outcomes.items()), Fraction(0))

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
    place = {value: i for i, value in enumerate(results(rule))}
    first = rule.fields[0]

    def key(item: tuple[Outcome, Fraction]) -> tuple[Any, ...]:
        value = getattr(item[0], first)
        return (place.get(value, value if isinstance(value, int) else 0), -item[1])

    return sorted(outcomes.items(), key=key)


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
    it = prepare(rule, house=house, **params)
    if within is not None and (
        isinstance(within, bool) or not isinstance(within, int) or not 0 <= within <= 10_000
    ):
        raise wrong("within", within, "a whole number from 0 to 10000")
    _check_policy(it, policy)
    if worth is not None:
        _aims(it.rule, worth)
    return Odds(it, policy, worth, within, watch)


def _check_policy(it: Prepared, policy: Policy) -> None:
    if policy == "plain":
        return
    for one in policy.values() if isinstance(policy, Mapping) else [policy]:
        if one not in ("plain", "best") and not callable(one):
            raise wrong("policy", one, "'plain', 'best', or a function of the state and the choice")


# ---- play ---------------------------------------------------------------------------------------


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
    def p(self) -> Fraction:
        """How likely this result was beforehand, exactly, with choices made by the same policy."""
        field = self.rule.fields[0]
        policy: Policy = self._policy
        return Odds(self._it, policy, self._worth).by(field).get(getattr(self.outcome, field), Fraction(0))

    def __repr__(self) -> str:
        return f"<play of {self.rule.id}: {self.outcome}>"


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
    it = prepare(rule, house=house, **params)
    _check_policy(it, policy)
    if rng is None:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise wrong("seed", seed, "a whole number")
        rng = SystemRandom() if seed is None else Random(seed)
    if decide is None:
        decide = plain if policy == "plain" else _decide(it, policy, worth, watch)[0]
    played = _play.play(
        it.state,
        it.stock,
        it.world,
        rng,
        decide,
        counters=it.rule.counters,
        told=told,
        hands=iter(hands) if hands else None,
    )
    return Play(it, played, policy, worth)


# ---- advise -------------------------------------------------------------------------------------


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


class Situation:
    """A choice that can be met first: after which throws, what it is about, its options and the best of them."""

    def __init__(self, after: tuple[Any, ...], found: _advise.Situation) -> None:
        self.after, self.state, self.who, self.about = (
            after,
            found.state,
            found.choice.who,
            found.choice.about,
        )
        self.best = found.best.value
        self.options = [Advised(o.value, o.cost, w) for o, w in found.worths]


class Advice:
    """What is best: the first choice with the worth of each option, and the plan for everything after it."""

    def __init__(self, it: Prepared, made: _advise.Plan) -> None:
        self.rule, self.params, self._it, self._plan = it.rule, it.params, it, made
        self.worths: dict[str, Fraction | float] = made.worth()

    @property
    def worth(self) -> Fraction | float:
        """What the whole is worth to the main chooser when everyone does what is best for them."""
        return next(iter(self.worths.values()))

    @cached_property
    def situations(self) -> list[Situation]:
        """The first choices that can be met, each after the hands thrown before it."""
        return [Situation(after, found) for after, found in self._plan.first()]

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

    @cached_property
    def _first(self) -> Situation | None:
        found = self.situations
        return found[0] if len(found) == 1 and not found[0].after else None

    def policy(self, state: Any, choice: Choice) -> Any:
        """The plan as a policy: for every walk over the same rule and parameters."""
        worlds = self._plan.worlds
        return self._plan.decide(state, choice, worlds, worlds.start)

    def __repr__(self) -> str:
        return f"<advice for {self.rule.id}: {self.best!r}, worth {float(self.worth):.6g}>"


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
    it = prepare(rule, house=house, **params)
    return Advice(it, _plan(it, worth, policies, watch))


# ---- simulate -----------------------------------------------------------------------------------


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
    it = prepare(rule, house=house, **params)
    _check_policy(it, policy)
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 10**12:
        raise wrong("n", n, "a whole number from 1 to 1000000000000")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise wrong("seed", seed, "a whole number from 0")
    import numpy as np

    from sortes.engine import simulate as _simulate

    source = np.random.Generator(np.random.SFC64(seed))
    if it.rule.crowd and policy == "plain" and (found := it.rule.crowd(it.question, n, source)) is not None:
        return Counter(found)
    decide, worlds = _decide(it, policy, worth, watch)
    counters = tuple(c for c in it.rule.counters if c not in it.rule.endless)
    return _simulate.crowd(
        it.state, it.stock, it.world, n, source, decide, counters=counters, worlds=worlds, watch=watch
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
