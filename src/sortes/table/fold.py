"""What is on a table: the fold of its log. It never runs a rule, so a corrected rule cannot rewrite what happened.

The same fold makes what the table knows, from all events, and what a seat may know, from those that it is shown: what
a seat does not see cannot come into what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from sortes.table import sheets
from sortes.table.log import Event

ACTS = 20  # acts for the same people to see that can still be undone

Change: TypeAlias = dict[str, Any]  # an operation on sheets


class Deck(Struct):
    """A deck of the table: its full pack, and what is left. What is neither left nor lying out is the discard."""

    cards: dict[str, int]
    left: dict[str, int]


class Playing(Struct, omit_defaults=True):
    """A play that goes on: how it began, what it waits for, and what of it lies on the table."""

    play: str
    rule: str
    params: dict[str, Any]
    seat: str = ""
    to: list[str] | None = None
    named: dict[str, Any] = {}
    who: str | None = None
    opponent: str | None = None
    question: str = ""
    hand: bool = False
    houses: dict[str, str] = {}
    turn: int = 0
    ask: dict[str, Any] | None = None
    state: Any = None
    purses: dict[str, dict[str, Any]] = {}
    counted: list[tuple[str, int]] = []
    why: list[str] = []
    out: dict[str, list[str]] = {}
    throws: list[dict[str, Any]] = []
    chosen: list[dict[str, Any]] = []


class Character(Struct, omit_defaults=True):
    """Somebody with sheets: one for each system that they were given one for."""

    name: str
    owner: str | None = None
    sheets: dict[str, dict[str, Any]] = {}


class Seat(Struct, omit_defaults=True):
    """Who sits at the table."""

    name: str
    role: str
    revoked: bool = False


class Act(Struct, omit_defaults=True):
    """Something that its seat can still undo: nobody was shown a face for it."""

    act: str
    seat: str
    kind: str
    to: list[str] | None = None
    play: str | None = None
    before: Playing | None = None  # none with a play: there was none before
    changes: list[Change] = []
    entries: list[tuple[str, str, Any]] = []  # section, key, what it was


class State(Struct):
    """All that is on a table, or all that one seat knows of it."""

    table: str = ""
    title: str = ""
    scene: int = 0
    scene_title: str = ""
    decks: dict[str, Deck] = {}
    plays: dict[str, Playing] = {}
    characters: dict[str, Character] = {}
    seats: dict[str, Seat] = {}
    written: dict[str, dict[str, Any]] = {}  # by section: thread, clock, question, ledger, settings, house
    rules: list[str] = []  # digests of house rules that the log holds
    stretches: dict[str, str] = {}  # what is committed to now: dice, cards
    seal: str | None = None  # what the seat's next play in secret is bound to
    acts: list[Act] = []


def fold(state: State, event: Event, *, late: bool = False) -> None:
    """Take one event in. `late`: it is told after the fact, and decks and sheets are set right by the reveal."""
    handler = HANDLERS.get(event["kind"])
    if handler:
        handler(state, event, late)


def copied(state: State) -> State:
    """Another state with the same in it."""
    return msgspec.json.decode(msgspec.json.encode(state), type=State)


# ---- what can be undone -------------------------------------------------------------------------


def _act(state: State, event: Event, play: str | None = None) -> Act | None:
    """The act that this event belongs to, begun if it is new."""
    if "act" not in event or event["act"] == "":
        return None
    if same := _same(state, event):
        return same
    before = msgspec.json.encode(state.plays[play]) if play in state.plays else None
    act = Act(event["act"], event.get("seat", ""), event["kind"], event.get("to"), play)
    act.before = msgspec.json.decode(before, type=Playing) if before else None
    alike = [one for one in state.acts if one.to == act.to]  # so that none in secret takes another's place
    if len(alike) >= ACTS:
        state.acts = [one for one in state.acts if one is not alike[0]]
    state.acts = [*state.acts, act]
    return act


def _same(state: State, event: Event) -> Act | None:
    """The act that this event belongs to, if it can still be undone."""
    return state.acts[-1] if state.acts and state.acts[-1].act == event.get("act") else None


def _faces(state: State, play: str) -> None:
    """A face of this play was shown: nothing of it is free any more."""
    state.acts = [act for act in state.acts if act.play != play]


def _change(state: State, changes: Iterable[Change], act: Act | None = None) -> None:
    """Do what operations say to sheets; an act remembers how it was."""
    for change in changes:
        who = change["at"][0]
        if who not in state.characters:
            continue
        before = state.characters[who].sheets
        after = dict(sheets.applied({who: before}, change)[who])
        if act:
            act.changes = [*sheets.inverse(who, before, after, change), *act.changes]
        state.characters[who].sheets = after


def _write(state: State, section: str, key: str, value: Any, act: Act | None = None) -> None:
    entries = state.written.get(section, {})
    if act:
        act.entries = [(section, key, entries.get(key)), *act.entries]
    if section == "settings" and key == "title":
        state.title = str(value)
    if value is not None:
        state.written[section] = {**entries, key: value}
    elif entries.pop(key, None) is not None and not entries:
        del state.written[section]


# ---- the table itself ---------------------------------------------------------------------------


def _opened(state: State, event: Event, late: bool) -> None:
    state.table, state.title = event["table"], event["title"]
    for name, cards in event.get("decks", {}).items():
        _lay(state, name, cards)
    for system, changes in event.get("houses", {}).items():
        _write(state, "house", system, changes)
    for name, value in {"title": event["title"], **event.get("settings", {})}.items():
        _write(state, "settings", name, value)


def _lay(state: State, name: str, cards: Iterable[Any]) -> None:
    full = dict(cards)
    state.decks[name] = Deck(full, dict(full))


def _committed(state: State, event: Event, late: bool) -> None:
    if "for" in event:
        state.stretches[event["for"]] = event["stretch"]


def _sealed(state: State, event: Event, late: bool) -> None:
    state.seal = event["stretch"]


def _seat(state: State, event: Event, late: bool) -> None:
    id = event["id"]
    seat = state.seats.setdefault(id, Seat(event.get("name", ""), event.get("role", "watcher")))
    seat.name = event.get("name", seat.name)
    seat.revoked = event.get("revoked", seat.revoked)


def _settings(state: State, event: Event, late: bool) -> None:
    act = _act(state, event)
    for name, value in event["changed"].items():
        _write(state, "settings", name, value, act)


def _house(state: State, event: Event, late: bool) -> None:
    _write(state, "house", event["system"], event["changes"] or None, _act(state, event))


def _rules(state: State, event: Event, late: bool) -> None:
    state.rules = [*state.rules, event["digest"]]


def _scene(state: State, event: Event, late: bool) -> None:
    act = _act(state, event)
    if act:
        act.entries = [("scene", str(state.scene), state.scene_title), *act.entries]
    state.scene, state.scene_title = event["n"], event.get("title", "")
    _change(state, event.get("changes", ()), act)


def _rest(state: State, event: Event, late: bool) -> None:
    _change(state, event["changes"], _act(state, event))


def _brought(state: State, event: Event, late: bool) -> None:
    _change(state, event["changes"], _same(state, event))


def _note(state: State, event: Event, late: bool) -> None:
    _act(state, event)


def _written(state: State, event: Event, late: bool) -> None:
    """A thread, clock, question or line of the ledger: what is given is set, the rest stays."""
    kind, id = event["kind"], event["id"]
    old = state.written.get(kind, {}).get(id, {})
    new = {key: value for key, value in event.items() if key not in ("kind", "at", "seat", "act", "to", "id")}
    _write(state, kind, id, None if event.get("gone") else {**old, **new}, _act(state, event))


def _character(state: State, event: Event, late: bool) -> None:
    act, id = _act(state, event), event["id"]
    old = state.characters.get(id)
    if act:
        act.entries = [("character", id, msgspec.to_builtins(old) if old else None), *act.entries]
    if event.get("gone"):
        state.characters.pop(id, None)
        return
    if old is None:
        old = state.characters[id] = Character(event["name"])
    old.name = event.get("name", old.name)
    old.owner = event.get("owner", old.owner)
    old.sheets = {**old.sheets, **event.get("sheets", {})}
    for change in event.get("changes", ()):
        if late:
            continue
        before = old.sheets
        old.sheets = dict(sheets.applied({id: before}, change)[id])
        if act:
            act.entries = [one for one in act.entries if one[:2] != ("character", id)]
            act.changes = [*sheets.inverse(id, before, old.sheets, change), *act.changes]


# ---- plays --------------------------------------------------------------------------------------


def _played(state: State, event: Event, late: bool) -> None:
    play = event["play"]
    if not late:
        _act(state, event, play)
    known = {name: event[name] for name in Playing.__struct_fields__ if name in event}
    state.plays[play] = msgspec.convert(known, Playing)


def _throw(state: State, event: Event, late: bool) -> None:
    for item in event["groups"]:
        if item["kind"] == "shuffled":
            _shuffled(state, item, late)
        elif item["kind"] == "cards" and item["name"] in state.decks and not late:
            left = state.decks[item["name"]].left
            for card in item["faces"]:
                left[card] = max(0, left.get(card, 0) - 1)
    if playing := state.plays.get(event["play"]):
        playing.ask = None
        playing.throws += event["groups"]
        playing.out = {**playing.out, **event.get("out", {})}
    if event.get("to") != []:
        _faces(state, event["play"])


def _chosen(state: State, event: Event, late: bool) -> None:
    if playing := state.plays.get(event["play"]):
        if playing.ask is not None and not late:  # an answer, and not what a policy chose on the way
            _act(state, event, event["play"])
        playing.ask = None
        named = ("who", "about", "option", "cost", "offered")
        playing.chosen.append({name: event[name] for name in named if name in event})


def _effect(state: State, event: Event, late: bool) -> None:
    if not late:
        _change(state, event.get("changes", ()), _same(state, event))


def _waiting(state: State, event: Event, late: bool) -> None:
    if playing := state.plays.get(event["play"]):
        playing.turn, playing.ask, playing.state = event["turn"], event["ask"], event["state"]
        playing.purses, playing.why = event.get("purses", {}), event.get("why", [])
        playing.counted = [(what, n) for what, n in event.get("counted", ())]


def _resolved(state: State, event: Event, late: bool) -> None:
    if not late:
        _change(state, event.get("changes", ()), _same(state, event))
    _over(state, event["play"])


def _ended(state: State, event: Event, late: bool) -> None:
    _faces(state, event["play"])
    _over(state, event["play"])


def _over(state: State, play: str) -> None:
    """What lay on the table is in the discard; a deck of the play's own is put away."""
    state.plays.pop(play, None)
    for name in [name for name in state.decks if name.endswith(f"-{play}")]:
        del state.decks[name]


def _shuffled(state: State, event: Event, late: bool) -> None:
    name = event["deck"]
    if "cards" in event:
        _lay(state, name, event["cards"])
    elif late or name not in state.decks:
        pass
    elif "back" in event:
        deck = state.decks[name]
        for card in event["back"]:
            deck.left[card] = min(deck.left.get(card, 0) + 1, deck.cards[card])
    else:
        deck = state.decks[name]
        deck.left = dict(deck.cards)
        hidden = [card for _, cards in event.get("_hidden", ()) for card in cards]
        for card in [*event.get("out", ()), *hidden]:
            deck.left[card] = max(0, deck.left.get(card, 0) - 1)
        state.acts = [act for act in state.acts if not (act.before and act.before.out.get(name))]


# ---- setting right ------------------------------------------------------------------------------


def _undone(state: State, event: Event, late: bool) -> None:
    state.acts = [act for act in state.acts if act.act != event["of"]]
    _change(state, event.get("changes", ()))
    for section, key, value in event.get("entries", ()):
        if section == "scene":
            state.scene, state.scene_title = int(key), value
        elif section == "character":
            if value is None:
                state.characters.pop(key, None)
            else:
                state.characters[key] = msgspec.convert(value, Character)
        else:
            _write(state, section, key, value)
    if "play" in event:
        if event.get("before") is None:
            state.plays.pop(event["play"], None)
        else:
            state.plays[event["play"]] = msgspec.convert(event["before"], Playing)


def _corrected(state: State, event: Event, late: bool) -> None:
    _change(state, event.get("changes", ()))
    if play := event.get("play"):
        _faces(state, play)
        if event.get("void"):
            _over(state, play)


def _revealed(state: State, event: Event, late: bool) -> None:
    """What was hidden becomes known. Decks and sheets are as they would be if it had been open."""
    for one in event.get("events", ()):
        fold(state, one["event"], late=True)
    for name, cards in event.get("gone", {}).items():
        if name in state.decks:
            left = state.decks[name].left
            for card in cards:
                left[card] = max(0, left.get(card, 0) - 1)
    _change(state, event.get("changes", ()))
    _faces(state, event["play"])
    if playing := state.plays.get(event["play"]):
        playing.to = None


HANDLERS: dict[str, Callable[[State, Event, bool], None]] = {
    "opened": _opened,
    "committed": _committed,
    "sealed": _sealed,
    "seat": _seat,
    "settings": _settings,
    "house": _house,
    "rules": _rules,
    "scene": _scene,
    "rest": _rest,
    "brought": _brought,
    "note": _note,
    "thread": _written,
    "clock": _written,
    "question": _written,
    "ledger": _written,
    "character": _character,
    "played": _played,
    "throw": _throw,
    "chosen": _chosen,
    "effect": _effect,
    "waiting": _waiting,
    "resolved": _resolved,
    "ended": _ended,
    "shuffled": _shuffled,
    "undone": _undone,
    "corrected": _corrected,
    "revealed": _revealed,
}

__all__ = ["Act", "Character", "Deck", "Playing", "Seat", "State", "copied", "fold"]
