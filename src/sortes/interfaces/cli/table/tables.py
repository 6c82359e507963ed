"""Make tables, choose one, look at it, and put it away."""

from __future__ import annotations

import sys

import click
import msgspec

from sortes import house as houses
from sortes.core.errors import Refused, RuleError, meant, wrong
from sortes.interfaces.cli.here import Here
from sortes.interfaces.cli.table.group import (
    arg,
    command,
    flag,
    number,
    opt,
    show,
    tell,
)
from sortes.show import terminal


@command(
    "new",
    "Make a table and sit down at it as its game master.",
    arg("name"),
    opt("--title", help="What it is called. (default: its name)"),
    opt("--words", help="Words of yours that its first secrets are bound to."),
    opt("--house", metavar="FILE", help="House rules: a TOML file with a section for each system."),
)
def new(
    here: Here, as_json: bool, name: str, title: str | None, words: str | None, house: str | None
) -> None:
    """A new table."""
    changes = houses.read(house)
    link = here.new(name, title=title or "", words=words or "", house=changes)
    here.memory.table = name
    here.remember()
    if as_json:
        tell({"table": name, "seat": here.seat, "link": link})
        return
    show(
        [
            "",
            *terminal.wrapped(f"The table {name} is open, and you are its game master.", 80),
            *terminal.wrapped(
                "Others get in with a link of their own: sortes table seat NAME makes one.", 80
            ),
            "",
            f"  Your own link, told only now: {link}",
            "",
        ]
    )


@command("list", "The tables there are.")
def list_(here: Here, as_json: bool) -> None:
    """The tables."""
    names = here.store.tables()
    if as_json:
        tell({"tables": names, "in_use": here.name})
        return
    lines = [f"  {'▸' if name == here.name else ' '} {name}" for name in names]
    show(["", *(lines or ["  There is no table yet; the first play makes a personal one."]), ""])


@command(
    "use",
    "Play at this table from here on; with --seat LINK in that seat, with --as CHARACTER as that character.",
    arg("name", required=False),
    opt("--as", "as_", metavar="CHARACTER", help="The character who acts from here on. (none: nobody)"),
)
def use(here: Here, as_json: bool, name: str | None, as_: str | None) -> None:
    """Another table, seat or character."""
    here.name = name or here.name
    seat = here.seat
    if here.link:
        here.memory.links[here.key(here.name)] = here.link
    if as_ is not None:
        key = here.key(here.name)
        if as_ == "none":
            here.memory.who.pop(key, None)
        else:
            known = [one.name for one in here.table.view(seat).state.characters.values()]
            if as_.casefold() not in [one.casefold() for one in known]:
                raise RuleError(
                    "as", f"there is no {as_!r}; {meant(as_, known)}there are {', '.join(known) or 'none'}"
                )
            here.memory.who[key] = as_
    here.memory.table = here.name
    here.remember()
    view = here.table.view(seat)
    if as_json:
        tell({"table": here.name, "seat": view.name, "role": view.role, "as": here.who})
        return
    acts = f", and {here.who} acts" if here.who else ""
    show(["", f"  At the table {here.name}, you are {view.name} ({view.role}){acts}.", ""])


@command("show", "What is on the table, as far as you may know.")
def show_(here: Here, as_json: bool) -> None:
    """The table."""
    view = here.table.view(here.seat)
    if as_json:
        tell({"table": here.name, **msgspec.to_builtins(view)})
        return
    from sortes.show import tabletop

    show(tabletop.lines(terminal.ink(sys.stdout), here.name, view, here.who))


@command(
    "log",
    "What happened, as far as you have seen it.",
    opt("-n", "many", metavar="N", help="Only the last N things told."),
    flag("--story", help="The story without dice, cards and numbers."),
)
def log(here: Here, as_json: bool, many: str | None, story: bool) -> None:
    """The log."""
    most = number("n", many)
    if most is not None and most < 1:
        raise wrong("n", most, "a whole number from 1")
    if as_json:
        entries = list(here.table.entries(here.seat))
        tell({"table": here.name, "events": [{"number": n, **e} for n, e in entries[-most if most else 0 :]]})
        return
    from sortes.show import journal, logbook

    read = journal.read(here.table.entries(here.seat))
    lines = logbook.listed(read, terminal.ink(sys.stdout), mechanics=not story, most=most)
    show(["", *(lines or ["  Nothing has happened yet."]), ""])


@command(
    "delete",
    "Delete a table with all that is in it.",
    arg("name"),
    flag("--yes", help="Without asking."),
)
def delete(here: Here, as_json: bool, name: str, yes: bool) -> None:
    """Delete a table."""
    if name not in here.store.tables():
        names = here.store.tables()
        raise RuleError(
            "table", f"there is no {name!r}; {meant(name, names)}there are {', '.join(names) or 'none'}"
        )
    at = Here(name)
    try:
        if at.table.view(at.seat).role != "gm":
            raise Refused("table", "only its game master may delete a table")
    finally:
        at.store.close()
    if not yes:
        if not sys.stdin.isatty():
            raise RuleError("yes", "is missing: a table is deleted for good, with its log")
        click.confirm(f"  Delete {name} with its log for good?", abort=True)
    here.store.delete(name)
    here.memory.links.pop(here.key(name), None)
    here.memory.who.pop(here.key(name), None)
    if here.memory.table == name:
        here.memory.table = "personal"
    here.remember()
    if as_json:
        tell({"deleted": name})
    else:
        show(["", f"  {name} is deleted.", ""])


@command("backup", "Write all tables to a new file, as they are at one moment.", arg("file"))
def backup(here: Here, as_json: bool, file: str) -> None:
    """A backup."""
    here.store.backup(file)
    if as_json:
        tell({"backup": file})
    else:
        show(["", f"  All tables are in {file}; SORTES_STORE={file} opens it.", ""])
