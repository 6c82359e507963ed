"""What people write: notes, scenes, threads, clocks, questions, and the ledger."""

from __future__ import annotations

from typing import Any

from sortes.interfaces.cli.here import Here
from sortes.interfaces.cli.table.group import (
    act,
    arg,
    asked,
    command,
    flag,
    number,
    opt,
    requested,
    words,
)


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
    titles = [one[key] for one in entries.values() for key in ("title", "name", "text") if key in one]
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
