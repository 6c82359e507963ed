"""Who is at the table: seats, and characters with their sheets."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from sortes.core.errors import RuleError, wrong
from sortes.interfaces.cli.here import Here
from sortes.interfaces.cli.table.group import (
    act,
    arg,
    asked,
    command,
    flag,
    opt,
    show,
    tell,
)
from sortes.show import terminal


@command(
    "seat",
    "The seats; or with a name a new one, whose secret link is shown once.",
    arg("name", required=False),
    opt("--role", metavar="gm|player|watcher", help="What the new seat may do. (default: player)"),
    flag("--revoke", help="Let nobody in with this seat's link any more."),
    flag("--renew", help="A new link for this seat; the old one ends."),
    opt("--rename", metavar="NAME", help="Another name for this seat."),
)
def seat(
    here: Here,
    as_json: bool,
    name: str | None,
    role: str | None,
    revoke: bool,
    renew: bool,
    rename: str | None,
) -> None:
    """Seats."""
    seats = here.table.view(here.seat).state.seats
    if name is None:
        if as_json:
            tell({"table": here.name, "seats": msgspec.to_builtins(seats)})
            return
        me = here.seat
        rows = [
            (one.name, f"{one.role}{', revoked' if one.revoked else ''}{', you' if id == me else ''}")
            for id, one in seats.items()
        ]
        show(["", *terminal.facts(terminal.ink(sys.stdout), rows), ""])
        return
    known = any(name.casefold() == one.name.casefold() for one in seats.values())
    if known and not (revoke or renew or rename):
        raise RuleError(
            "name", f"there is a seat {name} already; takes --revoke, --renew or --rename with it"
        )
    if not known and (revoke or renew or rename):
        raise wrong("name", name, f"a seat: {', '.join(one.name for one in seats.values())}")
    if known:
        made = asked("seat", id=name, revoke=revoke, renew=renew, name=rename)
    else:
        made = asked("seat", name=name, role=role)
    act(here, as_json, made)


@command(
    "character",
    "The characters; or one, made or changed: sortes table character Mara cards.level=2 cards.els.Athletics=4.",
    arg("name", required=False),
    arg("values", nargs=-1),
    opt("--owner", metavar="SEAT", help="Whose character it is. (none: the game master's)"),
    opt("--rename", metavar="NAME", help="Another name."),
    flag("--secret", help="A new one that only the game master sees."),
    flag("--remove", help="Take the character from the table."),
    flag("--use", "use_it", help="Act as this character from here on."),
)
def character(
    here: Here,
    as_json: bool,
    name: str | None,
    values: tuple[str, ...],
    owner: str | None,
    rename: str | None,
    secret: bool,
    remove: bool,
    use_it: bool,
) -> None:
    """Characters."""
    state = here.table.view(here.seat).state
    if name is None:
        if as_json:
            tell({"table": here.name, "characters": msgspec.to_builtins(state.characters)})
            return
        from sortes.show import tabletop

        pen = terminal.ink(sys.stdout)
        lines = [line for one in state.characters.values() for line in tabletop.sheet(pen, state, one)]
        show(["", *(lines or ["  There are no characters yet: sortes table character NAME makes one.", ""])])
        return
    edits = {}
    for one in values:
        path, equals, value = one.partition("=")
        if not (path.strip() and equals):
            raise wrong("values", one, "PATH=VALUE, such as cards.els.Athletics=4")
        edits[path.strip()] = value
    known = any(name.casefold() == one.name.casefold() for one in state.characters.values())
    if not known and remove:
        raise wrong("name", name, f"one of {', '.join(c.name for c in state.characters.values()) or 'none'}")
    if not known or edits or owner or rename or remove:
        who: dict[str, Any] = {"id": name, "name": rename} if known else {"name": rename or name}
        to = "gm" if secret else None
        made = asked("character", **who, edits=edits or None, text=True, owner=owner, to=to, gone=remove)
        act(here, as_json, made)
    elif not use_it:
        from sortes.show import tabletop

        found = next(one for one in state.characters.values() if one.name.casefold() == name.casefold())
        show(["", *tabletop.sheet(terminal.ink(sys.stdout), state, found)])
    if use_it:
        here.memory.who[here.key(here.name)] = name
        here.remember()
