"""House rules, settings, and the proof of what was thrown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from sortes import house as houses
from sortes.core.errors import RuleError
from sortes.interfaces.cli.here import Here
from sortes.interfaces.cli.table.group import (
    act,
    arg,
    asked,
    command,
    opt,
    requested,
    show,
    tell,
)


@command(
    "house",
    "House rules of the table: show them, or set those of a TOML file with a section for each system.",
    arg("file", required=False),
    opt("--clear", metavar="SYSTEM", help="This system as it comes."),
)
def house(here: Here, as_json: bool, file: str | None, clear: str | None) -> None:
    """House rules."""
    if file is None and clear is None:
        rules = here.table.view(here.seat).state.written.get("house", {})
        if as_json:
            tell({"table": here.name, "house": rules})
        else:
            lines = [f"  {id}: {msgspec.json.encode(changes).decode()}" for id, changes in rules.items()]
            show(["", *(lines or ["  All systems are played as they come."]), ""])
        return
    if clear is not None:
        act(here, as_json, requested("house", system=clear, changes={}))
        return
    for system, changes in houses.read(file).items():
        if not isinstance(changes, Mapping):
            raise RuleError(
                system, f"is in no section of {Path(str(file)).name}; takes [SYSTEM] above it, as [cards]"
            )
        act(here, as_json, requested("house", system=system, changes=dict(changes)))


@command(
    "settings",
    "How the table is run.",
    click.option(
        "--tell-secrets/--no-tell-secrets",
        default=None,
        help="Whether all hear that somebody played in secret.",
    ),
)
def settings(here: Here, as_json: bool, tell_secrets: bool | None) -> None:
    """Settings."""
    if tell_secrets is None:
        known = here.table.view(here.seat).state.written.get("settings", {})
        if as_json:
            tell({"table": here.name, "settings": known})
        else:
            told = "hear" if known.get("tell_secrets") else "do not hear"
            show(["", f"  Others {told} that somebody played in secret (--tell-secrets).", ""])
        return
    act(here, as_json, requested("settings", tell_secrets=tell_secrets))


@command(
    "prove",
    "Open the secrets of what was played, so that everybody can verify it, and go on under new ones.",
    opt("--words", help="Words of yours that the next secrets are bound to."),
)
def prove(here: Here, as_json: bool, words: str | None) -> None:
    """Prove."""
    act(here, as_json, asked("prove", words=words))
