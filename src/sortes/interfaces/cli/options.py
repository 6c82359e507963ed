"""A rule's form as options of a command: names, ranges, defaults and help come from the rule's own signature."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import click

from sortes.core.errors import RuleError
from sortes.core.form import Field, takes
from sortes.core.system import Rule


def values(schema: Mapping[str, Any]) -> list[str]:
    """The words that a JSON Schema names one by one."""
    parts = schema.get("anyOf", [schema])
    found = [str(value) for part in parts for value in part.get("enum", ())]
    return found + ["none"] * any(part.get("type") == "null" for part in parts)


def switch(schema: Mapping[str, Any]) -> bool:
    """Whether a parameter is yes or no (or left open), and so a switch."""
    kinds = {part.get("type") for part in schema.get("anyOf", [schema])}
    return "boolean" in kinds and kinds <= {"boolean", "null"}


def _metavar(schema: Mapping[str, Any]) -> str:
    kinds = [part.get("type") for part in schema.get("anyOf", [schema])]
    words = values(schema)
    if words and "array" not in kinds and len(words) <= 4:
        numbers = ["NUMBER"] if "integer" in kinds else []
        return "|".join([*numbers, *words])
    if "array" in kinds or "object" in kinds:
        return "|".join(name for name, kind in (("LIST", "array"), ("JSON", "object")) if kind in kinds)
    return "NUMBER" if "integer" in kinds else "TEXT"


def _default(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ",".join(map(str, value)) or "none"
    return str(value)


def option(field: Field) -> click.Option:
    """The option of one parameter. What is typed stays text: the form itself reads and checks it."""
    name, schema = field.name.replace("_", "-"), field.schema
    about = str(schema.get("description", ""))
    end = "required" if field.required else f"default: {_default(field.default)}"
    kind: dict[str, Any] = {}
    if switch(schema):
        names, range = [f"--{name}/--no-{name}"], ""
    else:
        names, range = [f"--{name}"], takes(schema)
        range = "" if range in about else range if len(range) <= 160 else range[:157] + "…"
        known = values(schema)

        def complete(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
            return [value for value in known if value.startswith(typed)]

        kind = {"metavar": _metavar(schema), "shell_complete": complete}
    stop = "." if about and about[-1] not in ".!?" else ""
    told = f"{about}{stop} ({'; '.join(filter(None, (range, end)))})".strip()
    return click.Option([*names, field.name], help=told, default=None, **kind)


def options(rule: Rule) -> list[click.Parameter]:
    """The options of a rule, in the order of its form."""
    return [option(field) for field in rule.form.fields.values()]


def taken(rule: Rule, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that were typed."""
    return {name: given[name] for name in rule.form.fields if given.get(name) is not None}


def pairs(parameter: str, typed: str | None, refuse: Callable[[str, str, str], Exception]) -> Any:
    """A value for everyone ("best"), or one for each chooser ("self=best,opponent=plain")."""
    if typed is None or "=" not in typed:
        return typed
    out = {}
    for one in typed.split(","):
        who, equals, value = one.partition("=")
        if not (who.strip() and equals and value.strip()):
            raise refuse(parameter, typed, "one word, or chooser=word, several of these with commas between")
        out[who.strip()] = value.strip()
    return out


NOWHERE = ("none", "no")  # what SORTES_TABLE says to play without any


def wanted(table: str | None, without: bool, seeded: bool) -> bool:
    """Whether a play is at a table: unless it is told not to be, or has a seed of its own."""
    if table is not None:
        if without or seeded:
            raise RuleError(
                "table", f"got --table with {'--no-table' if without else '--seed'}; takes one of them"
            )
        return True
    return not (without or seeded or os.environ.get("SORTES_TABLE") in NOWHERE)
