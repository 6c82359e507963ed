"""Logs to tell, written by hand: plays in them are real ones, so that what they came to is true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

import sortes
from sortes import catalog

Event = dict[str, Any]
DAY = 1_790_000_000_000  # 2026-09-21, in ms

# Parameters with which each rule is played, and what sheets named them.
PLAYED: Mapping[str, tuple[dict[str, Any], dict[str, str]]] = {
    "agate.attempt": ({"skill": 5, "difficulty": 3, "boons": 1}, {"skill": "Climbing"}),
    "cards.ask": ({}, {}),
    "cards.three": ({"el": 4}, {"el": "Charm"}),
    "cards.contest": ({"el": 5, "card": "7C"}, {"el": "Charm"}),
    "cards.resolve": ({"el": 4, "against": 3, "extra": 2}, {"el": "Athletics"}),
    "cards.run": ({}, {}),
    "cards.conflict": ({"mine": 5, "theirs": 5}, {"mine": "Fencing"}),
    "cards.numbers": ({}, {}),
    "d20-oracle.ask": ({"likelihood": "likely"}, {}),
    "poker-dice.roll": ({"level": 2}, {"level": "Talk"}),
    "dramatic-skill.test": ({"skill": 12, "dn": 10}, {"skill": "Sailing"}),
    "dramatic-skill.help": ({"helpers": 2}, {}),
    "dramatic-skill.task": (
        {"steps": [{"skill": 12, "dn": 10}] * 4, "rounds": 4},
        {"steps[0].skill": "Sailing"},
    ),
}


def numbered(events: Iterable[Event]) -> list[tuple[int, Event]]:
    """Entries of these events, a minute apart."""
    return [(n, {"at": DAY + 60_000 * n, **event}) for n, event in enumerate(events, 1)]


def opening() -> list[Event]:
    """A table with a game master, a player and two characters."""
    sheet = {"cards": {"level": 2, "luck": 2, "els": {"Athletics": 4}, "hooks": {"Sea legs": 2}, "used": {}}}
    return [
        {"kind": "opened", "table": "t", "title": "The Salt Ledger", "decks": {"cards": [["AH", 1]]}},
        {"kind": "committed", "stretch": "dice-1", "words": "low tide", "commitment": "ff", "for": "dice"},
        {"kind": "seat", "seat": "g", "id": "g", "name": "Hana", "role": "gm"},
        {"kind": "seat", "seat": "g", "id": "p", "name": "Noor", "role": "player", "act": "a1"},
        {
            "kind": "character",
            "seat": "p",
            "id": "m",
            "name": "Mara",
            "owner": "p",
            "sheets": sheet,
            "act": "a2",
        },
        {
            "kind": "character",
            "seat": "g",
            "id": "w",
            "name": "Warden",
            "owner": None,
            "sheets": {},
            "act": "a3",
        },
    ]


def play(
    id: str, rule: str, *, seed: int = 1, house: dict[str, Any] | None = None, **more: Any
) -> list[Event]:
    """The events of a play that was really made, of a policy that never pays."""
    given, named = PLAYED[rule]
    done = sortes.play(rule, seed=seed, policy="plain", house=house, **given)
    fields = catalog.rule(rule).form.fields
    params = {
        name: msgspec.to_builtins(value)
        for name, value in done.params.items()
        if not (fields[name].mark and fields[name].mark.what)  # type: ignore[union-attr]
    }
    who = {"seat": "p", "who": "m", "act": f"act-{id}", **more}
    begun = {"kind": "played", "play": id, "rule": rule, "params": params, **who}
    asked = {"question": who.pop("question")} if "question" in who else {}
    shared = {name: who[name] for name in ("seat", "act", "to") if name in who}
    throws = [
        {"kind": "throw", "play": id, "groups": [msgspec.to_builtins(one)], "out": {}, **shared}
        for one in done.throws
    ]
    for event in throws:
        del event["groups"][0]["by"]
    outcome = msgspec.to_builtins(done.outcome)
    end = {"kind": "resolved", "play": id, "outcome": outcome, "why": list(done.why), **shared}
    return [{**begun, **({"named": named} if named else {}), **asked}, *throws, end]


def by_hand(id: str, rule: str, groups: list[Event], outcome: dict[str, Any], **keys: Any) -> list[Event]:
    """The events of a play whose faces are written here."""
    shared = {"play": id, "seat": "p", "act": f"act-{id}"}
    return [
        {"kind": "played", "rule": rule, "params": {}, **shared, **keys},
        {"kind": "throw", "groups": groups, **shared},
        {"kind": "resolved", "outcome": outcome, "why": ["X1"], **shared},
    ]


def dice(name: str, *faces: Any, kept: list[Any] | None = None) -> Event:
    """A group of dice."""
    return {
        "kind": "dice",
        "name": name,
        "faces": list(faces),
        **({"kept": kept} if kept is not None else {}),
    }


def cards(*faces: str) -> Event:
    """A group of cards."""
    return {"kind": "cards", "name": "cards", "faces": list(faces)}


ORACLE = {"answer": "yes", "aura": 1, "big": False, "boon": None, "boon_text": None, "result": "yes-but"}
ORACLE |= {"twist": 2, "twist_text": "Eyes were on you."}
THROWN = [dice("fate", 9), dice("boon", 20, 6, kept=[20]), dice("bane", 12)]


def question(id: str = "q", **keys: Any) -> list[Event]:
    """A question to the oracle, with its answer."""
    params = {"asker": "player", "likelihood": "likely", "tables": True}
    told = {"params": params, "who": "m", "question": "Does the ferryman know?", **keys}
    return by_hand(id, "d20-oracle.ask", THROWN, ORACLE, **told)


def resolution(id: str = "r", **keys: Any) -> list[Event]:
    """A resolution with Luck spent."""
    params = {"el": 4, "against": 3, "extra": 0, "hook": 0, "situation": 0, "luck": 2, "their_extra": 0}
    params |= {"their_luck": 0, "defends": "opponent", "oracle": False}
    told = {"params": params, "named": {"el": "Athletics"}, "who": "m", "opponent": "w", **keys}
    outcome = {
        "result": "win",
        "effect": 2,
        "tie": False,
        "their_bust": False,
        "answer": None,
        "texture": None,
    }
    first, throw, end = by_hand(id, "cards.resolve", [cards("2H", "0D", "KS", "3C")], outcome, **told)
    shared = {"play": id, "seat": "p", "act": f"act-{id}-2"}
    other = {**throw, "groups": [cards("4S", "5S", "6C")]}
    ask = {"kind": "choice", "who": "self", "about": "luck"}
    ask["options"] = [{"option": "keep"}, {"option": "best", "cost": {"luck": 1}}]  # type: ignore[assignment]
    waiting = {"kind": "waiting", "turn": 1, "ask": ask, "state": {}, "purses": {}, "counted": [], "why": []}
    chosen = {"kind": "chosen", "who": "self", "about": "luck", "option": "best", "cost": {"luck": 1}}
    spent = {"kind": "effect", "what": "luck", "n": 1, "changes": [{"at": ["m", "cards", "luck"], "by": -1}]}
    return [
        first,
        throw,
        other,
        {**waiting, **shared, "act": f"act-{id}"},
        {**chosen, "offered": ["keep", "best"], **shared},
        {**spent, **shared},
        {**end, "act": f"act-{id}-2"},
    ]


def everything() -> list[Event]:
    """An event of each kind beside plays, and a play of each rule."""
    refill = [{"at": ["m", "cards", "luck"], "by": 1, "least": 0, "most": "level"}]
    told: list[Event] = [
        *opening(),
        {"kind": "scene", "seat": "g", "n": 1, "title": "The ferry", "changes": [], "act": "s1"},
        {"kind": "note", "seat": "g", "id": "n1", "text": "Fog.\n\nA bell rings.\nTwice.", "act": "b1"},
        {"kind": "note", "seat": "p", "id": "n2", "text": "She takes the page.", "act": "b2"},
        {
            "kind": "thread",
            "seat": "g",
            "id": "t1",
            "title": "Who keeps the book?",
            "state": "open",
            "act": "b3",
        },
        {
            "kind": "clock",
            "seat": "g",
            "id": "c1",
            "title": "The tide turns",
            "size": 6,
            "filled": 0,
            "act": "b4",
        },
        {"kind": "question", "seat": "g", "id": "q1", "text": "Why did he lie?", "act": "b5"},
        *question(),
        *resolution(),
        {"kind": "clock", "seat": "g", "id": "c1", "filled": 2, "act": "b6"},
        {"kind": "thread", "seat": "g", "id": "t1", "state": "closed", "act": "b7"},
        {"kind": "question", "seat": "g", "id": "q1", "answer": "For his brother.", "act": "b8"},
        {
            "kind": "ledger",
            "seat": "g",
            "id": "l1",
            "name": "Quill",
            "skill": "Fencing",
            "el": 7,
            "act": "b9",
        },
        {"kind": "shuffled", "seat": "g", "deck": "cards", "out": [], "by": "ask", "act": "b10"},
        {"kind": "settings", "seat": "g", "changed": {"tell_secrets": True}, "act": "b11"},
        {"kind": "house", "seat": "g", "system": "cards", "changes": {"few_pips": 10}, "act": "b12"},
        {"kind": "noticed", "seat": "p", "act": "b13"},
        {
            "kind": "flagged",
            "seat": "p",
            "to": ["gm"],
            "text": "9C: thrown by hand, and out already",
            "act": "b14",
        },
        {"kind": "opened-secret", "seat": "g", "stretch": "dice-1", "secret": "00", "act": "b15"},
        {"kind": "scene", "seat": "g", "n": 2, "title": "The quay", "changes": refill, "act": "s2"},
        {"kind": "rest", "seat": "g", "changes": [{"at": ["m", "cards", "luck"], "by": -1}], "act": "b16"},
        {"kind": "character", "seat": "g", "id": "w", "name": "Warden Holt", "act": "b17"},
        {"kind": "seat", "seat": "p", "id": "p", "name": "Nour", "act": "b18"},
        {"kind": "imported", "from": "an older table", "lines": 3},
    ]
    for n, rule in enumerate(PLAYED):
        told += play(f"p{n}", rule, question=f"What of it, {rule.partition('.')[2]}?")
    return told
