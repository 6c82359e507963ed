"""A rule is a state that asks for one thing at a time; `then` leads from the answer to the next state.

A state is a moment (a named small function and its arguments) or Done. Equal arguments mean an equal future,
so a moment takes only what can still matter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from sortes.core.chance import Bag, Draw

P = ParamSpec("P")
Hand: TypeAlias = tuple[Any, ...]
Outcome: TypeAlias = Any  # a frozen value with fields, the first of them usually `result`
Cost: TypeAlias = tuple[tuple[str, int], ...]  # tokens by name: (("luck", 1),)


class Throw(Struct, frozen=True, gc=False):
    """Chance is asked: a bag of dice, or a draw from a named deck. `then` takes the hand as it is read."""

    bag: Bag | Draw
    then: Callable[[Any], State]
    why: tuple[str, ...] = ()


class Option(Struct, frozen=True, gc=False):
    """One thing that a person may choose: its plain value, what it costs, and who may take it (else the choice's)."""

    value: Hashable
    cost: Cost = ()
    who: str = ""


class Choice(Struct, frozen=True, gc=False):
    """People are asked. The first option spends nothing and goes on; options that cannot be paid are not offered.

    `about` names the kind of decision ("luck", "extra-effort"). `then` takes the value of the option taken.
    """

    who: str
    about: str
    options: tuple[Option, ...]
    then: Callable[[Any], State]
    why: tuple[str, ...] = ()


class Tally(Struct, frozen=True, gc=False):
    """Something happens on the way: `n` of `what` is counted or, where the world keeps a purse of that name,
    marked as far as the purse allows (given back where `n` is negative). `then` takes what really happened."""

    what: str
    n: int
    then: Callable[[int], State]
    why: tuple[str, ...] = ()


class Done(Struct, frozen=True, gc=False):
    """Nothing is asked: the rule has resolved."""

    outcome: Outcome
    why: tuple[str, ...] = ()

    def ask(self) -> Done:
        return self


class Moment(tuple[Any, ...]):
    """A state: a step and its arguments. A tuple, since a walk hashes and compares millions of them."""

    __slots__ = ()

    def ask(self) -> Ask:
        """What this moment asks for."""
        ask: Ask = self[0].rule(*self[1:])
        return ask

    def __repr__(self) -> str:
        return f"{self[0].id}{tuple(self[1:])!r}"


class Back(tuple[Any, ...]):
    """A moment that still lacks its last argument: what to do with a called rule's outcome."""

    __slots__ = ()

    def __call__(self, outcome: Outcome) -> Moment:
        return Moment((*self, outcome))

    def __repr__(self) -> str:
        return f"{self[0].id}{tuple(self[1:])!r}…"


State: TypeAlias = Moment | Done
Ask: TypeAlias = Throw | Choice | Tally | Done


class Step(Generic[P]):
    """A named small function of a room. Calling it names a state; only a walk, by asking it, runs the function."""

    __slots__ = ("cites", "defaults", "id", "names", "rule")

    def __init__(self, id: str, rule: Callable[P, Ask], cites: tuple[str, ...]) -> None:
        parameters = signature(rule).parameters
        self.id, self.rule, self.cites = id, rule, cites
        self.names = tuple(parameters)
        self.defaults = {n: p.default for n, p in parameters.items() if p.default is not Parameter.empty}

    def __call__(self, *args: P.args, **named: P.kwargs) -> Moment:
        if len(args) == len(self.names):
            return Moment((self, *args))
        rest = self.names[len(args) :]
        return Moment((self, *args, *[named[n] if n in named else self.defaults[n] for n in rest]))

    def back(self, *args: Any) -> Back:
        """This step, waiting for its last argument."""
        if len(args) != len(self.names) - 1:
            raise TypeError(f"{self.id} waits for its last argument only: give {self.names[:-1]}")
        return Back((self, *args))

    def __repr__(self) -> str:
        return self.id


STEPS: dict[str, Step[Any]] = {}  # by id: a stored state names its step, never an import path


def moment(id: str, *cites: str) -> Callable[[Callable[P, Ask]], Step[P]]:
    """Name a step `id` ("cards.oppose") and the numbered rules it follows ("C6.1")."""

    def mark(rule: Callable[P, Ask]) -> Step[P]:
        if id in STEPS and STEPS[id].rule.__qualname__ != rule.__qualname__:
            raise ValueError(f"two steps are named {id}")
        STEPS[id] = step = Step(id, rule, cites)
        return step

    return mark


@moment("core.call")
def call(inner: State, back: Back) -> Ask:
    """Resolve `inner`, then go on at `back` with its outcome; every ask of `inner` is passed on unchanged."""
    ask = inner.ask()

    def on(state: State) -> State:
        return back(state.outcome) if type(state) is Done else call(state, back)

    match ask:
        case Done(outcome):
            return back(outcome).ask()
        case Throw(bag, then, why):
            if getattr(bag, "last", False):  # the last draw of `inner` need not be the caller's
                bag = replace(bag, last=False)
            return Throw(bag, lambda hand: on(then(hand)), why)
        case Choice(who, about, options, choose, why):
            return Choice(who, about, options, lambda value: on(choose(value)), why)
        case Tally(what, n, done, why):
            return Tally(what, n, lambda really: on(done(really)), why)
