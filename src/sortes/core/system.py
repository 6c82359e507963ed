"""What a room shows at its door: its rules, its house rules, its decks, and what a scene or a rest does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Literal, Protocol, TypeAlias, get_args, get_origin

import msgspec
from msgspec import Struct

from sortes.core.ask import Outcome, State
from sortes.core.exact import chances
from sortes.core.form import Form
from sortes.core.world import Deck, Purse, Reads, Stock, World

Worth: TypeAlias = Callable[[Any], int | bool | Fraction]


class Refill(Struct, frozen=True):
    """Tokens of a purse that come back: `n` of them (none: all). Each may become `rate` of something else."""

    purse: str
    n: int | None = None
    into: str = ""
    rate: int = 0


class Shuffle(Struct, frozen=True):
    """A deck that is shuffled with its discard."""

    deck: str


Effect: TypeAlias = Refill | Shuffle


class House(Struct, frozen=True, eq=False, forbid_unknown_fields=True):
    """The numbers, settings and charts of one system. Interned by digest, so identity is equality."""


class Rules(Protocol):
    """The rules that a rule may call, by id, each with its house rules in place."""

    def __getitem__(self, id: str) -> Callable[..., State]: ...


class Solved(Struct, frozen=True):
    """Every outcome with its ways, of `over` ways in all; `left` are those that a cut left open. `means` are the exact
    means of counters, where all is resolved."""

    ways: dict[Outcome, int]
    over: int
    left: int = 0
    means: dict[str, Fraction] = {}

    @classmethod
    def of(
        cls, known: Mapping[Outcome, Fraction], unresolved: Fraction, means: Mapping[str, Fraction]
    ) -> Solved:
        """The same from chances."""
        over = lcm(unresolved.denominator, *(p.denominator for p in known.values()))
        ways = {outcome: int(p * over) for outcome, p in known.items()}
        return cls(ways, over, int(unresolved * over), dict(means))

    @property
    def outcomes(self) -> dict[Outcome, Fraction]:
        """Every outcome with its exact chance."""
        return chances(self.ways, self.over)

    @property
    def unresolved(self) -> Fraction:
        """The exact chance of what a cut left open."""
        return Fraction(self.left, self.over)


class Question(Struct, frozen=True):
    """What a solver is asked: checked parameters, house rules, the decks it starts from, and the counter wanted."""

    params: Mapping[str, Any]
    house: Any
    stock: Stock
    world: World
    by: str | None = None
    within: int | None = None

    @property
    def left(self) -> dict[str, dict[str, int]]:
        """What is left of each deck, by card."""
        return {deck.name: self.stock.cards(self.world, deck.name) for deck in self.stock.decks}

    @property
    def totals(self) -> dict[str, dict[str, int]]:
        """What is left of each deck with its discard, by card."""
        pairs = zip(self.stock.decks, self.stock.labels, self.stock.totals, strict=True)
        return {deck.name: dict(zip(labels, counts, strict=True)) for deck, labels, counts in pairs}

    def count(self, deck: str, reads: Reads) -> Mapping[Any, int]:
        """How much is left in a deck of all that `reads` tells apart."""
        i = self.stock.place[deck]
        pile = self.world.piles[i]
        assert pile is not None
        return self.stock.told_apart(i, pile, reads)


class Rule:
    """One rule of a system: a decorator of the function that turns its parameters into the first state.

    `worths` gives each chooser's own aim by name, the main chooser first. `purses` makes purses of the parameters.
    `counters` are the outcome's fields that tallies fill; the `endless` ones have no bound and appear only when
    asked for. `calls` names rules that it may call. `solve`, `weigh` (what each option of the first choice comes to,
    where there is no other) and `crowd` are faster ways for odds, advise and simulate, which answer None where the
    general walk must go. `foregone` says of parameters that, for the rule's own worths, no option is ever worth more
    than the first. `ahead` takes a walk by name ("odds", "advise", "simulate", or
    "end" where odds are to go to the very end), the checked parameters and the house rules, and refuses to look
    ahead where only a play could go on.
    """

    start: Callable[..., State]

    def __init__(
        self,
        id: str,
        outcome: type[Any],
        *,
        worths: Mapping[str, Worth],
        decks: Iterable[str] = (),
        purses: Callable[[Mapping[str, Any], Any], Mapping[str, Purse]] | None = None,
        counters: Iterable[str] = (),
        endless: Iterable[str] = (),
        calls: Iterable[str] = (),
    ) -> None:
        self.id, self.outcome = id, outcome
        self.worths, self.decks, self.calls = dict(worths), tuple(decks), tuple(calls)
        self.purses, self.counters, self.endless = purses, tuple(counters), tuple(endless)
        self.solve: Callable[[Question], Solved | None] | None = None
        self.weigh: Callable[[Question], Mapping[Any, Solved] | None] | None = None
        self.foregone: Callable[[Mapping[str, Any]], bool] | None = None
        self.crowd: Callable[[Question, int, Any], Mapping[Outcome, int] | None] | None = None
        self.ahead: Callable[[str, Mapping[str, Any], Any], None] | None = None

    def __call__(self, start: Callable[..., State]) -> Rule:
        """Make the rule of the function that turns its parameters into the first state."""
        self.start = start
        return self

    @cached_property
    def form(self) -> Form:
        """Its parameters, as people and programs fill them in."""
        return Form(self.start)

    @cached_property
    def bounded(self) -> tuple[str, ...]:
        """The counters that are told without being asked for."""
        return tuple([c for c in self.counters if c not in self.endless])

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of its outcome, the main one first."""
        return tuple(f.name for f in msgspec.structs.fields(self.outcome))

    @cached_property
    def results(self) -> tuple[str, ...]:
        """The values that the main field of its outcome can take, where they are words, best first."""
        kind = msgspec.structs.fields(self.outcome)[0].type
        return get_args(kind) if get_origin(kind) is Literal else ()

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The fields of its outcome that are numbers, or yes and no."""
        schemas = {f.name: msgspec.json.schema(f.type) for f in msgspec.structs.fields(self.outcome)}
        kinds = ("integer", "boolean")
        return tuple(
            n for n, s in schemas.items() if any(p.get("type") in kinds for p in s.get("anyOf", [s]))
        )

    @property
    def system(self) -> str:
        """The id of its system."""
        return self.id.partition(".")[0]

    def __repr__(self) -> str:
        return f"<rule {self.id}>"


rule = Rule  # as a decorator it reads as what it says: @rule("cards.ask", Answered, …)


class System(Struct, frozen=True, eq=False):
    """A room as its door shows it. `package` is where its house.toml lies; `check` refuses house rules that
    contradict themselves; `scene` and `rest` say, as pure effects, what a new scene and a rest bring back. `sheet` is
    what it keeps of a character, each field with a default, and `gains` its fields that fields of outcomes add to."""

    id: str
    title: str
    summary: str
    package: str
    house: type[House]
    rules: tuple[Rule, ...]
    decks: Callable[[Any], tuple[Deck, ...]] = lambda house: ()
    check: Callable[[Any], None] = lambda house: None
    scene: Callable[[Any], tuple[Effect, ...]] = lambda house: ()
    rest: Callable[[Any], tuple[Effect, ...]] = lambda house: ()
    sheet: type[Struct] | None = None
    gains: Mapping[str, str] = {}

    def __getitem__(self, name: str) -> Rule:
        """A rule by the second part of its id."""
        return next(one for one in self.rules if one.id == f"{self.id}.{name}")


__all__ = [
    "Effect",
    "House",
    "Question",
    "Refill",
    "Rule",
    "Rules",
    "Shuffle",
    "Solved",
    "System",
    "World",
    "Worth",
    "rule",
]
