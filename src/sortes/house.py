"""House rules: a room's numbers, settings and charts, from its house.toml and what a table changes of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from os import PathLike
from pkgutil import get_data
from typing import Any, TypeAlias

import msgspec

from sortes.core.errors import RuleError, meant, wrong
from sortes.core.form import Field, explained
from sortes.core.system import House, System

Given: TypeAlias = Mapping[str, Any] | str | PathLike[str] | None

_interned: dict[tuple[str, str], House] = {}


@cache
def defaults(system: System) -> Mapping[str, Any]:
    """The settings a system comes with, as its house.toml has them."""
    text = get_data(system.package, "house.toml")
    assert text is not None, f"{system.package} has no house.toml"
    return tomllib.loads(text.decode("utf-8"))


def read(given: Given) -> Mapping[str, Any]:
    """House rules as a mapping, from a mapping or a TOML file. Raises RuleError where the file cannot be read."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return given
    if not isinstance(given, str | PathLike):
        raise wrong("house", given, "a mapping of settings, or a TOML file")
    from pathlib import Path  # late: every start would pay for what few need

    try:
        return tomllib.loads(Path(given).read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        kind = "is not TOML" if isinstance(e, tomllib.TOMLDecodeError) else "cannot be read"
        raise RuleError("house", f"{Path(given).name} {kind}: {getattr(e, 'strerror', None) or e}") from None


def house(system: System, changes: Mapping[str, Any] | None = None) -> House:
    """The house rules of `system` with these settings changed; equal ones are the same object.

    Raises RuleError that names the key, what it got and what it takes.
    """
    if not changes:
        return _unchanged(system)
    made = _made(system, changes)
    unchanged = _unchanged(system)
    _interned.setdefault((system.id, digest(unchanged)), unchanged)
    return _interned.setdefault((system.id, digest(made)), made)


@cache
def _unchanged(system: System) -> House:
    """The settings a system comes with. Most plays change none, and need no digest to know it."""
    return _made(system, {})


def _made(system: System, changes: Mapping[str, Any]) -> House:
    merged = _merge(defaults(system), changes)
    try:
        made = msgspec.convert(merged, system.house)
    except (msgspec.ValidationError, OverflowError) as e:
        raise _named(system, merged, str(e)) from None
    system.check(made)
    return made


def sections(given: Given, main: str, ids: frozenset[str]) -> dict[str, Mapping[str, Any]]:
    """The settings of each system in `ids`; those outside any system's table belong to `main`."""
    out: dict[str, dict[str, Any]] = {id: {} for id in ids}
    for key, value in read(given).items():
        if key in ids and isinstance(value, Mapping):
            out[key].update(value)
        else:
            out[main][key] = value
    return dict(out)


def digest(made: House) -> str:
    """What names house rules: SHA-256 of their canonical JSON."""
    from hashlib import sha256

    return sha256(msgspec.json.encode(made, order="sorted")).hexdigest()


def _merge(base: Any, changes: Any) -> Any:
    """Tables are merged key by key; everything else is replaced."""
    if isinstance(base, Mapping) and isinstance(changes, Mapping):
        return {**base, **{k: _merge(base.get(k), v) for k, v in changes.items()}}
    return changes


def _named(system: System, merged: Mapping[str, Any], message: str) -> RuleError:
    error = explained(Field("house", system.house), merged, message)
    key = error.parameter.removeprefix("house").lstrip(".") or "house"
    message = str(error).removeprefix(f"{error.parameter}: ")
    if "not known" in message:
        names = [f.name for f in msgspec.structs.fields(system.house)]
        hint = meant(key.replace("-", "_"), names)
        message = f"is not a setting of {system.id}; {hint}it has {', '.join(names)}"
    return RuleError(key, message)
