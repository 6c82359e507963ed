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
    from importlib.metadata import EntryPoint, EntryPoints

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
    """The system of this id. Raises RuleError with the ids there are, or that names the package that fails to load."""
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id) and id in _here():
        return cast("System", import_module(f"{rooms.__name__}.{id.replace('-', '_')}").SYSTEM)
    for entry in _installed():
        if entry.name == id:
            return _load(entry)
    ids = [*_here(), *(entry.name for entry in _installed())]
    raise RuleError("system", f"there is no {id!r}; {meant(id, ids)}there are {', '.join(ids)}")


def _load(entry: EntryPoint) -> System:
    """What an installed package brings. Raises RuleError that names the package, whatever it does wrong."""
    try:
        loaded = entry.load()
        found = loaded if isinstance(loaded, System) else getattr(loaded, "SYSTEM", None)
        if not isinstance(found, System):
            raise TypeError(f"{entry.value} is no system")
        if found.id != entry.name:
            raise ValueError(f"{entry.value} is the system {found.id!r}")
    except Exception as e:
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        said = f"{type(e).__name__}: {e}".replace("\n", " ")
        raise RuleError(
            "system", f"{entry.name!r} is of the installed package {package}, which does not load ({said})"
        ) from e
    return found


def systems() -> list[System]:
    """Every system that loads, those of this package first. What does not load, `faults` tells."""
    return [system(id) for id in _here()] + [found for found in _looked_up() if isinstance(found, System)]


def faults() -> list[RuleError]:
    """What is wrong with installed systems that do not load."""
    return [found for found in _looked_up() if isinstance(found, RuleError)]


def _looked_up() -> list[System | RuleError]:
    found: list[System | RuleError] = []
    for id in sorted({entry.name for entry in _installed()} - set(_here())):
        try:
            found.append(system(id))
        except RuleError as e:
            found.append(e)
    return found


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
