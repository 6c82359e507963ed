"""A state as JSON and back, so that a play that waits goes on after a restart, in any process.

What is stored names a moment by its id and its arguments by name, never an import path. House rules are named by
their digest, called rules by the rule that calls them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_type_hints

import msgspec

from sortes import catalog
from sortes.core.ask import STEPS, Back, Done, Moment, State, Step
from sortes.core.system import House
from sortes.house import digest


class Undecodable(ValueError):
    """A stored state that this version cannot read: the play can only be ended by hand."""


@cache
def _hints(step: Step[Any]) -> dict[str, Any]:
    return get_type_hints(step.rule)


def dump(state: Any) -> Any:
    """A state, or an argument of one, as plain values."""
    if isinstance(state, Moment | Back):
        step = state[0]
        kind = "at" if isinstance(state, Moment) else "back"
        return {kind: step.id, **{name: dump(arg) for name, arg in zip(step.names, state[1:], strict=False)}}
    if isinstance(state, Done):
        return {"done": type(state.outcome).__name__, "outcome": msgspec.to_builtins(state.outcome)}
    if isinstance(state, House):
        return {"house": digest(state)}
    if isinstance(state, catalog.Called):
        return {"rules": state.caller}
    return msgspec.to_builtins(state)


class Shelf:
    """What a stored state refers to: house rules by digest, and the rules that its own rule may call."""

    def __init__(self, houses: Mapping[str, House], digests: Mapping[str, str] | None = None) -> None:
        self.houses = houses  # by system
        self._by_digest = {digest(house): house for house in houses.values()}
        for id, named in (digests or {}).items():  # as they were named when a version knew fewer settings
            self._by_digest[named] = houses[id]

    def load(self, stored: Any) -> State:
        """The state that was stored. Raises Undecodable where this version has no such moment or argument."""
        try:
            state = self._load(stored)
        except (KeyError, TypeError, ValueError) as e:
            raise Undecodable(
                f"a waiting play was stored by another version and cannot be read: {e}"
            ) from None
        if not isinstance(state, Moment):
            raise Undecodable("what was stored is not a moment")
        return state

    def _load(self, stored: Mapping[str, Any]) -> Any:
        kind = "at" if "at" in stored else "back"
        step = STEPS.get(stored[kind]) or self._found(stored[kind])
        names = step.names if kind == "at" else step.names[:-1]
        unknown = set(stored) - {kind, *names}
        if unknown:
            raise ValueError(f"{step.id} does not take {', '.join(sorted(unknown))}")
        args = [self._arg(step, name, stored) for name in names]
        return Moment((step, *args)) if kind == "at" else Back((step, *args))

    def _found(self, id: str) -> Step[Any]:
        catalog.system(id.partition(".")[0])  # its steps are known once it is imported
        if id not in STEPS:
            raise ValueError(f"there is no moment {id}")
        return STEPS[id]

    def _arg(self, step: Step[Any], name: str, stored: Mapping[str, Any]) -> Any:
        if name not in stored:
            if name not in step.defaults:
                raise ValueError(f"{step.id} needs {name}")
            return step.defaults[name]
        value = stored[name]
        if isinstance(value, Mapping):
            if "at" in value or "back" in value:
                return self._load(value)
            if set(value) == {"house"}:
                return self._by_digest[value["house"]]
            if set(value) == {"rules"}:
                return catalog.called(catalog.rule(value["rules"]), self.houses)
        return msgspec.convert(value, _hints(step)[name])


__all__ = ["Shelf", "Undecodable", "dump"]
