"""How the choices on the way are answered when nobody is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sortes.core.ask import Choice, Option, State
from sortes.core.errors import Refused
from sortes.core.world import Worlds

# (state, choice with what is offered, the walk's worlds, the number of this one) -> the value of an option
Decide: TypeAlias = Callable[[Any, Choice, Worlds, int], Any]


def plain(state: Any, choice: Choice, worlds: Worlds, world: int) -> Any:
    """The option listed first, which spends nothing and goes on."""
    return choice.options[0].value


def asking(policy: Callable[[Any, Choice], Any]) -> Decide:
    """A policy that sees only the state and the choice."""
    return lambda state, choice, worlds, world: policy(state, choice)


def by_chooser(policies: Mapping[str, Decide], rest: Decide = plain) -> Decide:
    """A policy for each chooser by name, and one for all others."""
    return lambda state, choice, worlds, world: policies.get(choice.who, rest)(state, choice, worlds, world)


def offer(choice: Choice, options: tuple[Option, ...]) -> Choice:
    """The choice with only these options."""
    if len(options) == len(choice.options):
        return choice
    return Choice(choice.who, choice.about, options, choice.then, choice.why)


def answered(decide: Decide, state: State, choice: Choice, worlds: Worlds, world: int) -> Option:
    """The option that is taken where `decide` answers; of one that is offered nobody is asked."""
    options = worlds.offered(world, choice)
    if len(options) == 1:
        return options[0]
    offered = offer(choice, options)
    return taken(offered, decide(state, offered, worlds, world))


def taken(choice: Choice, value: Any) -> Option:
    """The option of this value; refused where it is not offered."""
    for option in choice.options:
        if option.value == value and type(option.value) is type(value):
            return option
    offered = ", ".join(str(option.value) for option in choice.options)
    raise Refused("policy", f"chose {value!r} ({choice.about}); offered are {offered}")
