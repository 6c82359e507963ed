"""What the commands of `sortes table` share: how they are made, and how what came of a request is told."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click
import msgspec

from sortes.core.errors import RuleError, meant, wrong
from sortes.interfaces.cli.here import Here
from sortes.show import terminal
from sortes.table import requests, service
from sortes.table.service import Reply

SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "token_normalize_func": lambda name: name.replace("_", "-"),
}


def show(lines: Sequence[str]) -> None:
    """Lines to stdout, in the letters and colours that it has."""
    click.echo(terminal.ink(sys.stdout).fit("\n".join(lines)), color=True)


def tell(shape: Any) -> None:
    """One JSON object to stdout."""
    click.echo(msgspec.json.encode(shape, enc_hook=str).decode())


class Group(click.Group):
    """The commands of a table, in the order in which they were made."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with our words for a command that is not there."""
        if args[0] not in self.commands and not ctx.resilient_parsing:
            near = meant(args[0], self.commands)
            raise RuleError("command", f"table has no {args[0]!r}; {near}it has {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Group,
    context_settings=SETTINGS,
    help="The table: decks, characters, scenes and a log that last from one command to the next.",
    epilog="Plays of sortes ask and sortes play are at the table in use. Tables are in your data folder, or where "
    "SORTES_STORE says: a file, or postgresql://…; SORTES_TABLE and SORTES_SEAT name a table and a seat's link.",
    subcommand_metavar="COMMAND …",
)
def table() -> None:
    """The table."""


def command(name: str, help: str, *params: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Any]:
    """A command at a table, with --table, --seat and --json; its function gets `here` first."""

    def made(do: Callable[..., Any]) -> Any:
        def run(_table: str | None, _seat: str | None, as_json: bool, **typed: Any) -> None:
            with Here.at(_table, _seat) as here:
                do(here, as_json, **typed)

        run.__doc__ = help
        out: Any = run
        for param in reversed(params):
            out = param(out)
        out = click.option("--json", "as_json", is_flag=True, help="One JSON object, and nothing else.")(out)
        out = click.option("--seat", "_seat", metavar="LINK", help="Another seat, by its secret link.")(out)
        out = click.option("--table", "_table", metavar="NAME", help="Another table than the one in use.")(
            out
        )
        first = re.split(r"[.;:]( |$)", help)[0]
        return table.command(name, help=help, short_help=first, context_settings=SETTINGS)(out)

    return made


arg = click.argument
words: Any = partial(click.argument, nargs=-1, required=True)


def flag(*names: str, help: str) -> Any:
    """A switch."""
    return click.option(*names, is_flag=True, help=help)


def opt(*names: str, metavar: str = "TEXT", help: str, default: str | None = None) -> Any:
    """An option with a value."""
    return click.option(*names, metavar=metavar, help=help, default=default)


def asked(kind: str, **keys: Any) -> requests.Request:
    """A request of what was typed; what was not typed is left out. Raises RuleError."""
    return service.request_of({"do": kind, **{k: v for k, v in keys.items() if v not in (None, False, ())}})


def number(parameter: str, typed: str | None) -> int | None:
    """A whole number as typed. Raises RuleError."""
    if typed is None:
        return None
    try:
        return int(typed)
    except ValueError:
        raise wrong(parameter, typed, "a whole number") from None


def act(here: Here, as_json: bool, request: requests.Request) -> Reply:
    """Ask it of the table, and tell what came of it."""
    reply = here.table.act(here.seat, request)
    if as_json:
        shape: dict[str, Any] = {"table": here.name, "events": [{"number": n, **e} for n, e in reply.entries]}
        tell({**shape, "link": reply.link} if reply.link else shape)
    else:
        before = reply.entries[0][0] - 1 if reply.entries else 0
        show(told(here, before))
        if reply.link:
            show([f"  The link to this seat, told only now: {reply.link}", ""])
    return reply


def told(here: Here, after: int) -> list[str]:
    """The log behind a number, as it reads in a terminal."""
    from sortes.show import journal, logbook

    log = journal.read(here.table.entries(here.seat))
    return ["", *logbook.listed(log, terminal.ink(sys.stdout), after=after), ""]


def requested(kind: str, **keys: Any) -> requests.Request:
    """A request in which 0 was meant."""
    return service.request_of({"do": kind, **{k: v for k, v in keys.items() if v is not None}})
