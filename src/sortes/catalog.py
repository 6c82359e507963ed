"""Finds rooms, here and installed, and turns ids into rules. Installed ones are looked up only when asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, cast

from sortes import systems as rooms
from sortes.core.ask import State
from sortes.core.errors import RuleError, meant
from sortes.core.system import House, Rule, System

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

GROUP = "sortes.systems"  # the entry point group of installed systems


def _here() -> list[str]:
    """The ids of the rooms in this package."""
    return sorted(m.name.replace("_", "-") for m in iter_modules(rooms.__path__) if m.ispkg)


def _installed() -> EntryPoints:
    """What installed packages bring. Imported late: it takes longer than all else that a play needs."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


@cache
def system(id: str) -> System:
    """The system of this id. Raises RuleError with the ids there are."""
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id) and id in _here():
        return cast("System", import_module(f"{rooms.__name__}.{id.replace('-', '_')}").SYSTEM)
    for entry in _installed():
        if entry.name == id:
            loaded = entry.load()
            return loaded if isinstance(loaded, System) else loaded.SYSTEM
    ids = [*_here(), *(entry.name for entry in _installed())]
    raise RuleError("system", f"there is no {id!r}; {meant(id, ids)}there are {', '.join(ids)}")


def systems() -> list[System]:
    """Every system, those of this package first."""
    installed = sorted({entry.name for entry in _installed()} - set(_here()))
    return [system(id) for id in [*_here(), *installed]]


def rule(id: str | Rule) -> Rule:
    """The rule of this id ("cards.resolve"), or the rule itself. Raises RuleError with the ids there are."""
    if isinstance(id, Rule):
        return id
    if not isinstance(id, str):
        raise RuleError("rule", f"got {id!r}; takes an id such as 'cards.ask'")
    return _rule(id)


@cache
def _rule(id: str) -> Rule:
    first, _, name = id.partition(".")
    try:
        room = system(first)
    except RuleError as e:
        raise RuleError("rule", str(e).removeprefix("system: ")) from None
    for one in room.rules:
        if one.id == id:
            return one
    ids = [one.id for one in room.rules]
    raise RuleError(
        "rule",
        f"{room.id} has no {name or 'rule without a name'!r}; {meant(id, ids)}it has {', '.join(ids)}",
    )


class Called:
    """The rules that a rule may call, each with its house rules in place. Interned, so identity is equality."""

    def __init__(self, caller: str, rules: Mapping[str, Callable[..., State]]) -> None:
        self.caller, self._rules = caller, rules

    def __getitem__(self, id: str) -> Callable[..., State]:
        return self._rules[id]


_called: dict[tuple[Any, ...], Called] = {}


def called(caller: Rule, houses: Mapping[str, House]) -> Called:
    """What `caller` may call, under these house rules by system."""
    key = (caller.id, *((id, houses[rule(id).system]) for id in caller.calls))
    if key not in _called:
        rules = {}
        for id in caller.calls:
            one = rule(id)
            supplied = {
                name: houses[one.system] if issubclass(kind, House) else called(one, houses)
                for name, kind in one.form.supplied.items()
            }
            rules[id] = partial(one.start, **supplied)
        _called[key] = Called(caller.id, rules)
    return _called[key]
