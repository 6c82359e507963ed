"""Sessions drawn by lot: seats ask a table for whatever comes to mind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random
from typing import Any

from sortes.core.errors import RuleError
from sortes.table import requests, service
from sortes.table.service import Reply, Table
from sortes.table.stores import Store

STEPS = [
    {"name": "climb", "skill": 12, "dn": 10},
    {"skill": 11, "dn": 9},
    {"skill": 9, "dn": 8},
    {"skill": 12, "dn": 11},
]
PLAYS: list[dict[str, Any]] = [
    {"rule": "d20-oracle.ask", "params": {"likelihood": "likely"}},
    {"rule": "poker-dice.roll", "params": {"level": 2}},
    {"rule": "agate.attempt", "params": {"skill": "Climb", "difficulty": 3}, "who": "Mara"},
    {"rule": "cards.ask", "params": {}, "who": "Mara"},
    {"rule": "cards.three", "params": {"el": "Talk"}, "who": "Mara"},
    {"rule": "cards.resolve", "params": {"el": "Talk", "against": 3, "extra": "choose"}, "who": "Mara"},
    {"rule": "cards.resolve", "params": {"el": 9, "against": 7}},
    {"rule": "cards.run", "params": {}, "who": "Mara"},
    {"rule": "cards.conflict", "params": {"mine": 2, "theirs": 2, "draws": "mine"}},
    {"rule": "dramatic-skill.task", "params": {"steps": STEPS, "rounds": 2}},
]
SHEET = {"cards": {"level": 2, "els": {"Talk": 4}, "hooks": {"Wolf": 2}}, "agate": {"skills": {"Climb": 5}}}


def lot(seed: str) -> Callable[[int], bytes]:
    """A source of bytes that is the same each time: what would be secret is known to the test."""
    n = [0]

    def token(size: int) -> bytes:
        n[0] += 1
        return hashlib.shake_256(f"{seed} {n[0]}".encode()).digest(size)

    return token


class Session:
    """A table with a game master, two players and a watcher, and a character."""

    def __init__(self, store: Store, seed: int, name: str = "t") -> None:
        self.rng = Random(seed)
        house = {"cards": {"packs": 1 + seed % 2, "jokers": 2 * (seed % 3 == 0)}}
        told = {"title": "A table", "house": house, "token": lot(f"table {seed}")}
        self.table, self.gm, _ = service.opened(store, name, **told)
        self.seats = {"GM": self.gm}
        for who, role in (("Ann", "player"), ("Ben", "player"), ("Cat", "watcher")):
            made = self.table.act(self.gm, requests.Seat(name=who, role=role)).event("seat")  # type: ignore[arg-type]
            assert made is not None
            self.seats[who] = made["id"]
        self.table.act(self.gm, requests.Character(name="Mara", sheets=SHEET))

    def ask(self, who: str, request: requests.Request) -> Reply | None:
        """What came of a request, or None where it was refused."""
        try:
            return self.table.act(self.seats[who], request)
        except RuleError:
            return None

    def waiting(self, who: str) -> list[Any]:
        """The plays that wait, as a seat sees them."""
        return list(self.table.view(self.seats[who]).state.plays.values())

    def answer(self, who: str, play: Any) -> Reply | None:
        """Answer a play that waits, one way or another."""
        options = [one["option"] for one in play.ask["options"]]
        option = self.rng.choice(options)
        return self.ask(
            who, requests.Answer(play=play.play, turn=play.turn, option=option, nonce=self.nonce())
        )

    def nonce(self) -> str:
        """New words."""
        return f"words {self.rng.getrandbits(64):x}"

    def step(self) -> None:
        """Somebody does something."""
        rng = self.rng
        who = rng.choice(["GM", "Ann", "Ben"])
        kind = rng.choices(range(8), [10, 6, 1, 1, 1, 2, 1, 1])[0]
        if kind == 0:
            play = rng.choice(PLAYS)
            to = rng.choices(["all", "me", "blind"], [6, 2, 1])[0]
            policy = rng.choice(["ask", "plain"])
            self.ask(who, requests.Play(**play, to=to, policy=policy, nonce=self.nonce()))  # type: ignore[arg-type]
        elif kind == 1 and (plays := self.waiting(who)):
            self.answer(who, rng.choice(plays))
        elif kind == 2:
            self.ask("GM", requests.Scene(title="Another"))
        elif kind == 3:
            self.ask("GM", requests.Shuffle())
        elif kind == 4:
            self.ask(who, requests.Note(text="So it is."))
        elif kind == 5:
            self.ask(who, requests.Undo())
        elif kind == 6 and (hidden := list(self.table.known().hidden)):
            play_id = rng.choice(hidden)
            for one in ("GM", "Ann", "Ben"):
                try:
                    self.table.act(self.seats[one], requests.Reveal(play=play_id))
                    break
                except ValueError:
                    continue
        elif kind == 7:
            self.ask("GM", requests.Prove())

    def run(self, n: int) -> Table:
        """So many steps."""
        for _ in range(n):
            self.step()
        return self.table
