"""What is on a table, for a terminal: who is there, what goes on, decks, sheets, and what people wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sortes import catalog
from sortes.show import words
from sortes.show.terminal import Ink, clean, facts, wrapped
from sortes.table.fold import Character, State
from sortes.table.view import View

BAR = 12  # columns of a clock


def lines(pen: Ink, name: str, view: View, who: str | None = None) -> list[str]:
    """The whole table as one seat knows it."""
    state = view.state
    out = ["", f"  {pen(clean(state.title), 'bold')}"]
    you = f"you are {clean(view.name)} ({view.role})" + (f", and {clean(who)} acts" if who else "")
    out += wrapped(f"Table {name}, {you}; {view.number} entries in the log.", pen.width)
    if state.scene:
        title = f": {clean(state.scene_title)}" if state.scene_title else ""
        out += ["", f"  Scene {state.scene}{title}"]
    for part in (_waiting(pen, state), _decks(pen, state), _people(pen, state), _written(pen, state)):
        if part:
            out += ["", *part]
    return [*out, ""]


def _waiting(pen: Ink, state: State) -> list[str]:
    out = []
    for one in state.plays.values():
        ask = one.ask or {}
        about = words.question(ask["about"]) if ask.get("kind") == "choice" else "A throw by hand"
        options = ", ".join(str(o["option"]) for o in ask.get("options", ()))
        asked = f" ({clean(one.question)})" if one.question else ""
        out.append((one.play, f"{one.rule}{asked} waits: {about} {options}".rstrip()))
    return [pen("  Waiting", "bold"), *facts(pen, out)] if out else []


def _decks(pen: Ink, state: State) -> list[str]:
    """What is left of each deck, as far as this seat has seen it."""
    out = []
    for name, deck in state.decks.items():
        left, whole = sum(deck.left.values()), sum(deck.cards.values())
        told = f"{left} of {whole} left"
        if name == "cards":
            left_of = Counter(dict.fromkeys("HDSC", 0))
            for card, n in deck.left.items():
                left_of[card[-1]] += n
            pips = sum(n for card, n in deck.left.items() if card[0] in "A234567890")
            suits = " ".join(f"{words.SUITS[suit]}{left_of[suit]}" for suit in "HDSC")
            told += f": {suits}; {pips} of them pips"
        out.append((name.partition("-")[0], told))
    return [pen("  Decks", "bold"), *facts(pen, out)] if out else []


def _people(pen: Ink, state: State) -> list[str]:
    seats = [(clean(one.name), one.role) for one in state.seats.values() if not one.revoked]
    out = [pen("  Seats", "bold"), *facts(pen, seats)] if len(seats) > 1 else []
    for one in state.characters.values():
        out += ["", *sheet(pen, state, one)] if out else sheet(pen, state, one)
    return out[:-1] if out and out[-1] == "" else out


def sheet(pen: Ink, state: State, one: Character) -> list[str]:
    """A character with all that its sheets hold."""
    owner = state.seats[one.owner].name if one.owner in state.seats else ""
    of = f" ({clean(owner)}’s)" if owner else ""
    rows = []
    for system, values in one.sheets.items():
        told = [_told(name, value) for name, value in values.items() if value not in ({}, None)]
        if told:
            rows.append((catalog.system(system).title, ", ".join(told)))
    return [f"  {pen(clean(one.name), 'bold')}{of}", *facts(pen, rows or [("", "no sheet yet")]), ""]


def _told(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{words.label(name)} " + ", ".join(f"{clean(str(k))} {v}" for k, v in value.items())
    return f"{words.label(name)} {value}"


def _written(pen: Ink, state: State) -> list[str]:
    """Threads, clocks, questions and the ledger."""
    out: list[str] = []
    written = state.written
    rows = [(clean(t["title"]), t.get("state", "open")) for t in written.get("thread", {}).values()]
    out += [pen("  Threads", "bold"), *facts(pen, rows)] if rows else []
    rows = []
    for clock in written.get("clock", {}).values():
        filled, size = clock["filled"], clock["size"]
        rows.append((clean(clock["title"]), f"{'●' * filled}{'○' * (size - filled)} {filled}/{size}"))
    out += [pen("  Clocks", "bold"), *facts(pen, rows)] if rows else []
    rows = [(clean(q["text"]), clean(q.get("answer", "open"))) for q in written.get("question", {}).values()]
    out += [pen("  Questions", "bold"), *facts(pen, rows)] if rows else []
    rows = []
    for one in written.get("ledger", {}).values():
        skill = f" at {clean(one['skill'])}" if one.get("skill") else ""
        el = f"EL {one['el']}{skill}" if "el" in one else "nothing shown yet"
        rows.append((clean(one["name"]), el))
    out += [pen("  Ledger", "bold"), *facts(pen, rows)] if rows else []
    return out
