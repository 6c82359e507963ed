"""What people write: notes, scenes and rests, threads, clocks, questions, the ledger, and characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sortes import catalog
from sortes import house as houses
from sortes.core.errors import Refused, RuleError, wrong
from sortes.core.system import House, Shuffle
from sortes.table import requests, sheets
from sortes.table.desk import Desk
from sortes.table.log import GM, Event
from sortes.table.walk import staying


def note(desk: Desk, r: requests.Note) -> None:
    """Write a note."""
    desk.tell("note", to=desk.audience(r.to), id=desk.id(), text=r.text)


def all_houses(desk: Desk) -> dict[str, House]:
    """The house rules of every system that keeps something of characters or has a deck here."""
    of_table = desk.mine.written.get("house", {})
    ids = {id for one in desk.mine.characters.values() for id in one.sheets} | {"cards"}
    return {id: houses.house(catalog.system(id), of_table.get(id)) for id in sorted(ids)}


def scene(desk: Desk, r: requests.Scene) -> None:
    """Begin a scene: what comes back with it, and new secrets under it."""
    desk.master("scene", "begin a scene")
    effects = sheets.effects(all_houses(desk), "scene")
    changes = sheets.brought(effects, desk.mine.characters)
    open_, secret = apart(desk, changes)
    desk.tell("scene", n=desk.known.all.scene + 1, title=r.title, changes=open_)
    if secret:
        desk.tell("brought", to=[GM], changes=secret)
    for of_system in effects.values():
        for effect in of_system:
            if isinstance(effect, Shuffle) and effect.deck in desk.known.all.decks:
                shuffled(desk, effect.deck, "scene")
    dice = desk.known.all.stretches["dice"]
    kept = desk.known.secrets.get(dice)
    if kept is None or kept.counter:
        if kept:
            desk.open(dice)
        desk.commit("dice", desk.words(r.words or r.title))


def apart(desk: Desk, changes: list[Event]) -> tuple[list[Event], list[Event]]:
    """What comes back to characters whom all know, and to those whom only the game master does."""
    known = desk.known.seen[""].characters
    return [c for c in changes if c["at"][0] in known], [c for c in changes if c["at"][0] not in known]


def rest(desk: Desk, r: requests.Rest) -> None:
    """What a rest brings back."""
    who = desk.someone("who", r.who)
    desk.may_act_for("who", who)
    if who is None:
        desk.master("rest", "let everybody rest")
    resting = {id: one for id, one in desk.mine.characters.items() if who in (None, id)}
    if not resting:
        raise Refused("who", "there is nobody here to rest; make a character first")
    changes = sheets.brought(sheets.effects(all_houses(desk), "rest"), resting)
    of: Event = {"who": who} if who else {}
    open_, secret = apart(desk, changes)
    if open_ or who is None:
        desk.tell("rest", changes=open_, **of)
        if secret:
            desk.tell("brought", to=[GM], changes=secret)
    else:
        desk.tell("rest", to=[GM], changes=secret, **of)


def shuffle(desk: Desk, r: requests.Shuffle) -> None:
    """Shuffle a deck because somebody says so (C2)."""
    if r.deck not in desk.mine.decks:
        raise wrong("deck", r.deck, f"a deck of the table: {', '.join(desk.mine.decks)}")
    shuffled(desk, r.deck, "ask")


def shuffled(desk: Desk, deck: str, by: str) -> None:
    """A deck is shuffled with its discard; what lies out for plays that wait stays out."""
    plays = [(one.to, one.out[deck]) for one in desk.known.all.plays.values() if one.out.get(deck)]
    desk.tell("shuffled", deck=deck, by=by, **staying(plays, []))


def written(desk: Desk, r: Any) -> None:
    """A thread, clock, question or line of the ledger, new or changed."""
    kind = type(r).__struct_config__.tag
    entries = desk.mine.written.get(kind, {})
    keys = {name: getattr(r, name) for name in r.__struct_fields__ if name not in ("id", "tick", "gone")}
    keys = {name: value for name, value in keys.items() if value is not None}
    if r.id is None:
        first = next(name for name in r.__struct_fields__ if name != "id")
        if first not in keys:
            raise RuleError(first, f"is missing: a new {kind} needs it")
        defaults: dict[str, Event] = {"thread": {"state": "open"}, "clock": {"size": 6, "filled": 0}}
        old: dict[str, Any] = {}
        id, keys = desk.id(), {**defaults.get(kind, {}), **keys}
    else:
        id, old = entry(kind, r.id, entries)
        if not (keys or r.gone or getattr(r, "tick", 0)):
            raise RuleError(kind, "nothing to change was given")
    if isinstance(r, requests.Clock) and not r.gone:
        now = {**old, **keys}
        keys["filled"] = min(max(now["filled"] + r.tick, 0), now["size"])
    desk.tell(kind, id=id, **({"gone": True} if r.gone else keys))


def entry(kind: str, named: str, entries: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """An entry by its id, or by its title or name. Raises RuleError."""
    for id, one in entries.items():
        titles = [one.get(key) for key in ("title", "name", "text")]
        if named == id or named.casefold() in [t.casefold() for t in titles if t]:
            return id, one
    there = [next((one[k] for k in ("title", "name", "text") if k in one), id) for id, one in entries.items()]
    raise RuleError(kind, f"there is no {named!r}; there are {', '.join(there) or 'none'}")


def character(desk: Desk, r: requests.Character) -> None:
    """Make a character, or change one."""
    if r.id is None:
        if r.name is None:
            raise RuleError("name", "is missing: a new character needs one")
        if any(one.name.casefold() == r.name.casefold() for one in desk.mine.characters.values()):
            raise RuleError("name", f"there is a {r.name} already; change it, or take another name")
        read = {id: sheets.read(catalog.system(id), sheet) for id, sheet in r.sheets.items()}
        id = desk.id()
        for path, value in r.edits.items():
            change = sheets.edited(id, read, path, value, text=r.text)
            system = change["at"][1]
            if system not in read:
                read[system] = sheets.read(catalog.system(system), {})
            read = dict(sheets.applied({id: read}, change)[id])
        for system in read:  # what starts at its maximum does so after the edits, too
            set_ = {path.split(".")[1] for path in r.edits if path.startswith(f"{system}.") and "." in path}
            given = {k: v for k, v in read[system].items() if k in set_ or k in r.sheets.get(system, {})}
            read[system] = sheets.read(catalog.system(system), given)
        owner = desk.seat if r.owner is None and desk.role != GM else owner_of(desk, r.owner)
        to = desk.audience(r.to)
        desk.tell("character", to=to, id=id, name=r.name, owner=owner, sheets=read)
        return
    id = desk.someone("id", r.id) or ""
    desk.may_act_for("id", id)
    old = desk.mine.characters[id]
    keys: Event = {}
    if r.name is not None:
        keys["name"] = r.name
    if r.owner is not None:
        desk.master("owner", "give a character to a seat")
        keys["owner"] = owner_of(desk, r.owner)
    if r.gone:
        keys["gone"] = True
    new = {i: sheets.read(catalog.system(i), sheet) for i, sheet in r.sheets.items()}
    now = {**old.sheets, **new}
    changes = []
    for path, value in r.edits.items():
        change = sheets.edited(id, now, path, value, text=r.text)
        if change["at"][1] not in now:
            new[change["at"][1]] = now[change["at"][1]] = sheets.read(catalog.system(change["at"][1]), {})
        now = dict(sheets.applied({id: now}, change)[id])
        changes.append(change)
    keys |= {"sheets": new} if new else {}
    keys |= {"changes": changes} if changes else {}
    if not keys:
        raise RuleError("character", "nothing to change was given")
    hidden = id not in desk.known.seen[""].characters
    desk.tell("character", to=[GM] if hidden and desk.role == GM else None, id=id, **keys)


def owner_of(desk: Desk, named: str | None) -> str | None:
    """The seat that a character is given to, by id or name."""
    return None if named in (None, "", "none") else desk.seat_of("owner", str(named))
