"""Every room, found and not listed: what the laws are tested on."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from sortes import catalog
from sortes.core.system import Rule, System

SYSTEMS: list[System] = catalog.systems()
RULES: list[Rule] = [rule for system in SYSTEMS for rule in system.rules]


def cases(system: System) -> list[dict[str, Any]]:
    """The worked examples of a room."""
    text = files(system.package).joinpath("cases.toml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)["case"]
    return found


CASES = [(system, case) for system in SYSTEMS for case in cases(system)]
