"""`sortes table`: make tables, sit at them, write in their logs, set things right, and take them in and out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from sortes import house as houses
from sortes.core.errors import Refused, RuleError, meant, wrong
from sortes.interfaces.cli import seated
from sortes.interfaces.cli.here import Here
from sortes.show import terminal
from sortes.table import fair, requests, service
from sortes.table.service import Reply

SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "token_normalize_func": lambda name: name.replace("_", "-"),
}


# ---- what all of them share -----------------------------------------------------------------------


def show(lines: Sequence[str]) -> None:
    """Lines to stdout, in the letters and colours that it has."""
    click.echo(terminal.ink(sys.stdout).fit("\n".join(lines)), color=True)


def tell(shape: Any) -> None:
    """One JSON object to stdout."""
    click.echo(msgspec.json.encode(shape, enc_hook=str).decode())


class Group(click.Group):
    """The commands of a table."""

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
        return table.command(name, help=help, context_settings=SETTINGS)(out)

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


# ---- tables ---------------------------------------------------------------------------------------


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
    opt("-n", "many", metavar="N", help="Only the last N entries."),
    flag("--story", help="The story without dice, cards and numbers."),
)
def log(here: Here, as_json: bool, many: str | None, story: bool) -> None:
    """The log."""
    most = number("n", many)
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


# ---- seats and characters -------------------------------------------------------------------------


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
        if not equals:
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


# ---- plays ----------------------------------------------------------------------------------------


@command(
    "answer",
    "Answer a play that waits: the option by name, or the faces that you threw.",
    arg("play"),
    arg("given", nargs=-1),
    opt("--policy", metavar="plain|best", help="Let all choices after this one be made so."),
    opt("--nonce", metavar="WORDS", help="Words of your own that chance is made of."),
)
def answer(
    here: Here, as_json: bool, play: str, given: tuple[str, ...], policy: str | None, nonce: str | None
) -> None:
    """Go on with a play."""
    from sortes.interfaces.cli.commands import show_played
    from sortes.prepared import Prepared

    plays = here.table.view(here.seat).state.plays
    if play not in plays:
        waiting = ", ".join(f"{id} ({one.rule})" for id, one in plays.items()) or "none"
        raise RuleError("play", f"no play {play!r} waits here; waiting: {waiting}")
    one = plays[play]
    it = Prepared.from_text(one.rule, one.params)
    sat = seated.Seated(here, it)
    sat.play = play
    interactive = not given and not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    sat.events.append({"kind": "throw", "play": play, "groups": one.throws})
    sat.events.append({"kind": "waiting", "play": play, "turn": one.turn, "ask": one.ask})
    if given:
        ask = one.ask or {}
        how: dict[str, Any] = {"policy": policy, "nonce": nonce or seated.fresh()}
        what: dict[str, Any] = (
            {"faces": [face for part in given for face in part.replace(",", " ").split()]}
            if ask.get("kind") == "throw"
            else {"option": " ".join(given)}
        )
        made = asked("answer", play=play, turn=one.turn, **what, **how)
        sat.heard(here.table.act(here.seat, made))
    elif not interactive:
        raise RuleError("option", f"is missing; sortes table show says what {play} waits for")
    sat.go_on(interactive)
    request = requests.Play(rule=one.rule, policy=policy or "ask")  # type: ignore[arg-type]
    show_played(here, sat, request, one.question or None, as_json)


def of_play(here: Here, typed: str) -> str:
    """The id of a play, by its id or by the number of any of its entries in the log."""
    if not typed.isdecimal() or len(typed) > 9:
        return typed
    for n, event in here.table.entries(here.seat, int(typed) - 1, 1):
        if n == int(typed) and "play" in event:
            return str(event["play"])
    raise wrong("play", typed, "the id of a play, or the number of one of its entries in the log")


@command("reveal", "Show everybody a play that was made in secret.", arg("play"))
def reveal(here: Here, as_json: bool, play: str) -> None:
    """Reveal."""
    act(here, as_json, asked("reveal", play=of_play(here, play)))


@command(
    "end",
    "End a play that waits; its cards go to the discard, and what it cost stays spent.",
    arg("play"),
    opt("--reason", help="Why, for the log."),
)
def end(here: Here, as_json: bool, play: str, reason: str | None) -> None:
    """End a play."""
    act(here, as_json, asked("end", play=of_play(here, play), reason=reason))


@command("undo", "Take back your last act, as long as nobody was shown a face for it.")
def undo(here: Here, as_json: bool) -> None:
    """Undo."""
    act(here, as_json, asked("undo"))


@command(
    "correct",
    "The game master sets a play right: FIELD=VALUE of its outcome, or --void.",
    arg("play"),
    arg("values", nargs=-1),
    opt("--text", help="Why, for the log."),
    flag("--void", help="It does not count: what it cost and brought is given back."),
    flag("--cards", help="With --void: its cards go back into the deck."),
)
def correct(
    here: Here, as_json: bool, play: str, values: tuple[str, ...], text: str | None, void: bool, cards: bool
) -> None:
    """Correct."""
    outcome: dict[str, Any] = {}
    for one in values:
        field, equals, value = one.partition("=")
        if not equals:
            raise wrong("values", one, "FIELD=VALUE of the outcome, such as result=win")
        try:
            outcome[field.replace("-", "_")] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            outcome[field.replace("-", "_")] = value
    made = asked(
        "correct", play=of_play(here, play), text=text, outcome=outcome or None, void=void, cards=cards
    )
    act(here, as_json, made)


@command("shuffle", "Shuffle a deck with its discard.", arg("deck", required=False))
def shuffle(here: Here, as_json: bool, deck: str | None) -> None:
    """Shuffle."""
    act(here, as_json, asked("shuffle", deck=deck))


# ---- the story ------------------------------------------------------------------------------------


@command(
    "note",
    "Write something into the log.",
    words("text"),
    opt("--to", metavar="all|gm|me", help="Who may read it. (default: all)"),
)
def note(here: Here, as_json: bool, text: tuple[str, ...], to: str | None) -> None:
    """A note."""
    act(here, as_json, asked("note", text=" ".join(text), to=to))


@command(
    "scene",
    "Begin a scene: hooks are whole again, a Luck Token comes back, and the dice of the last one are proved.",
    arg("title", nargs=-1),
    opt("--words", help="Words of yours that the next secret is bound to."),
)
def scene(here: Here, as_json: bool, title: tuple[str, ...], words: str | None) -> None:
    """A scene."""
    act(here, as_json, asked("scene", title=" ".join(title) or None, words=words))


@command("rest", "Somebody rests, or all do: Strain becomes Growth.", arg("who", required=False))
def rest(here: Here, as_json: bool, who: str | None) -> None:
    """A rest."""
    act(here, as_json, asked("rest", who=who))


def known(here: Here, section: str, title: str) -> bool:
    """Whether something of this title is written here."""
    entries = here.table.view(here.seat).state.written.get(section, {})
    titles = [one.get(key, "") for one in entries.values() for key in ("title", "name", "text")]
    return title in entries or title.casefold() in [one.casefold() for one in titles]


@command(
    "thread",
    "A thread of the story: begin it, close it, open it again.",
    words("title"),
    flag("--close", help="It is told."),
    flag("--open", "open_", help="It is open again."),
    flag("--remove", help="Take it from the list."),
)
def thread(here: Here, as_json: bool, title: tuple[str, ...], close: bool, open_: bool, remove: bool) -> None:
    """A thread."""
    name = " ".join(title)
    state = "closed" if close else "open" if open_ else None
    if known(here, "thread", name):
        act(here, as_json, asked("thread", id=name, state=state, gone=remove))
    else:
        act(here, as_json, asked("thread", title=name, state=state))


@command(
    "clock",
    "A clock: make it, tick it on.",
    words("title"),
    opt("--size", metavar="N", help="How many segments it has. (default: 6)"),
    opt("--tick", metavar="N", help="So many segments more, or fewer: -1."),
    opt("--filled", metavar="N", help="So many segments in all."),
    flag("--remove", help="Take it from the list."),
)
def clock(
    here: Here,
    as_json: bool,
    title: tuple[str, ...],
    size: str | None,
    tick: str | None,
    filled: str | None,
    remove: bool,
) -> None:
    """A clock."""
    name = " ".join(title)
    keys: dict[str, Any] = {"size": number("size", size), "filled": number("filled", filled)}
    keys["tick"] = number("tick", tick)
    if known(here, "clock", name):
        if not (any(value is not None for value in keys.values()) or remove):
            keys["tick"] = 1
        act(here, as_json, requested("clock", id=name, gone=remove, **keys))
    else:
        act(here, as_json, requested("clock", title=name, **keys))


def requested(kind: str, **keys: Any) -> requests.Request:
    """A request in which 0 was meant."""
    return service.request_of({"do": kind, **{k: v for k, v in keys.items() if v is not None}})


@command(
    "question",
    "An open question of the story, and in time its answer.",
    words("text"),
    opt("--answer", "reply", help="What it turned out to be."),
    flag("--remove", help="Take it from the list."),
)
def question(here: Here, as_json: bool, text: tuple[str, ...], reply: str | None, remove: bool) -> None:
    """A question."""
    name = " ".join(text)
    if known(here, "question", name):
        act(here, as_json, asked("question", id=name, answer=reply, gone=remove))
    else:
        act(here, as_json, asked("question", text=name, answer=reply))


@command(
    "ledger",
    "What an NPC has shown: sortes table ledger Warden --skill Fencing --el 7.",
    words("name"),
    opt("--skill", help="At what."),
    opt("--el", metavar="N", help="The EL that was shown."),
    flag("--remove", help="Take it from the ledger."),
)
def ledger(
    here: Here, as_json: bool, name: tuple[str, ...], skill: str | None, el: str | None, remove: bool
) -> None:
    """The ledger."""
    who, shown = " ".join(name), number("el", el)
    if known(here, "ledger", who):
        act(here, as_json, requested("ledger", id=who, skill=skill, el=shown, gone=remove))
    else:
        act(here, as_json, requested("ledger", name=who, skill=skill, el=shown))


# ---- how it is run --------------------------------------------------------------------------------


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


# ---- in and out -----------------------------------------------------------------------------------

FORMATS = {
    "md": ("Markdown", "markdown"),
    "html": ("one HTML page", "page"),
    "notation": ("Solo TTRPG Notation", "notation"),
    "jsonl": ("the log, to verify and import", ""),
}
ENDINGS = {".md": "md", ".html": "html", ".htm": "html", ".jsonl": "jsonl", ".txt": "notation"}


@command(
    "export",
    "Write what you have seen: a report (md, html), Solo TTRPG Notation, or a log to verify and import (jsonl).",
    arg("file", required=False),
    opt(
        "--format", "kind", metavar="|".join(FORMATS), help="(default: what the file's name ends in, else md)"
    ),
    flag("--story", help="The story without dice, cards and numbers."),
)
def export(here: Here, as_json: bool, file: str | None, kind: str | None, story: bool) -> None:
    """Export."""
    kind = kind or ENDINGS.get(Path(file).suffix.lower() if file else ".md", "md")
    if kind not in FORMATS:
        raise wrong("format", kind, f"one of {', '.join(FORMATS)}")
    if kind == "jsonl":
        if story:
            raise RuleError("story", "a log to verify has everything in it; takes md, html or notation")
        whole = b"".join(here.table.exported(here.seat))
    else:
        from importlib import import_module

        from sortes.show import journal

        write = import_module(f"sortes.show.{FORMATS[kind][1]}").written
        whole = write(journal.read(here.table.entries(here.seat)), mechanics=not story).encode()
    if file is None or file == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(whole)
        return
    written(file, whole)
    if as_json:
        tell({"file": file, "format": kind, "bytes": len(whole)})
    else:
        show(["", f"  {file} has {FORMATS[kind][0]}, {len(whole):,} bytes.", ""])


def written(file: str, whole: bytes) -> None:
    """A file with these bytes, or none. Raises RuleError."""
    try:
        Path(file).write_bytes(whole)
    except OSError as e:
        raise RuleError("file", f"{file} cannot be written: {e.strerror or e}") from None


def lines_of(file: str) -> list[bytes]:
    """The lines of a file. Raises RuleError."""
    try:
        if file == "-":
            return list(sys.stdin.buffer)
        with open(file, "rb") as opened:
            return list(opened)
    except OSError as e:
        raise RuleError("file", f"{file} cannot be read: {e.strerror or e}") from None


@command(
    "import",
    "Make a table of an exported log, and sit down at it as its game master.",
    arg("file"),
    arg("name"),
)
def import_(here: Here, as_json: bool, file: str, name: str) -> None:
    """Import."""
    made, seat, link = service.imported(here.store, name, lines_of(file))
    here.name = name
    here.memory.table = name
    here.keep(link)
    number = made.view(seat).number
    if as_json:
        tell({"table": name, "seat": seat, "link": link, "events": number})
    else:
        show(["", f"  The table {name} has {number} entries.", f"  Your link, told only now: {link}", ""])


@table.command("verify", context_settings=SETTINGS)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, and nothing else.")
def verify(file: str, as_json: bool) -> None:
    """Check an exported log: that nothing in it was changed, and that chance gave every throw."""
    lines = lines_of(file)
    found = fair.verify_log(lines)
    bad = [one for one in found if one.level == "wrong"]
    if as_json:
        tell({"file": file, "sound": not bad, "lines": len(lines), "findings": msgspec.to_builtins(found)})
    else:
        show(verdict(file, lines, found))
    if bad:
        sys.exit(1)


def verdict(file: str, lines: Sequence[bytes], found: Sequence[fair.Finding]) -> list[str]:
    """What a verifier found, in words."""
    bad = [one for one in found if one.level == "wrong"]
    out = [""]
    if bad:
        out.append(f"  {file} is not sound: {len(bad)} of its {len(lines)} lines do not hold.")
        out += [f"    line {one.line}: {one.text}" for one in bad[:20]]
        return [*out, *([f"    and {len(bad) - 20} more"] if len(bad) > 20 else []), ""]
    thrown = sum(b'"kind":"throw"' in line for line in lines)
    out.append(f"  {file} is sound: {len(lines):,} lines, {thrown:,} of them with throws.")
    for level, said in (
        ("hand", "thrown by hand, and taken at their word"),
        ("filled", "with a nonce that the server filled in"),
    ):
        if many := sum(one.level == level for one in found):
            out.append(f"    {many} {said}")
    out += [f"    line {one.line}: {one.text}" for one in found if one.level == "not-yet-opened"]
    if any(one.level == "not-yet-opened" for one in found):
        out.append("  What is not yet opened is not proved yet: sortes table prove opens it.")
    return [*out, ""]
