"""Two worlds: one with plays, notes and characters in secret, one without. For who sees none of it they are the same,
byte for byte: what a seat is given cannot depend on what is hidden from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sortes.core import world
from sortes.core.errors import RuleError
from sortes.table import fair, requests, service
from sortes.table.service import Table
from sortes.table.stores import open_store
from tests.table.sessions import PLAYS, SHEET

few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SHADE = {"cards": {"level": 3, "els": {"Lurk": 9}}, "agate": {"skills": {"Climb": 9}}}
LONG = {"rule": "cards.resolve", "params": {"el": 12, "against": 9}}


class Lots:
    """A source of bytes that is the same in each step, whatever was done in others."""

    def __init__(self) -> None:
        self.step: Any = "begin"
        self.n = 0

    def at(self, step: Any) -> None:
        self.step, self.n = step, 0

    def __call__(self, size: int) -> bytes:
        self.n += 1
        return hashlib.shake_256(f"{self.step} {self.n}".encode()).digest(size)


class Chance:
    """Cards that were drawn for all to see come again in the other world, where they are in the deck."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.drawn: dict[tuple[str, int], list[str]] = {}
        self.again = False
        stream, sample, chance = fair.Stream, world.Stock.sample, self

        class Named(stream):
            def __init__(self, secret: bytes, table: str, stretch: str, counter: int, nonce: str) -> None:
                super().__init__(secret, table, stretch, counter, nonce)
                self.name = stretch, counter

        def sampled(self: Any, world: Any, draw: Any, source: Any) -> Any:
            if not source.name[0].startswith("cards"):
                return sample(self, world, draw, source)
            if not chance.again:
                cards, world = sample(self, world, draw, source)
                chance.drawn.setdefault(source.name, []).extend(cards)
                return cards, world
            known = chance.drawn[source.name]
            left = sum(world.piles[self.place[draw.deck]].left)
            n = min(draw.n, left) if draw.ends else draw.n
            cards, known[:n] = known[:n], []
            source.drawn += [(1, 0)] * n  # not shown to anybody who does not see all
            return cards, self.take(world, draw, cards)

        monkeypatch.setattr(fair, "Stream", Named)
        monkeypatch.setattr(world.Stock, "sample", sampled)


def script(seed: int, n: int) -> list[dict[str, Any]]:
    """What is done at the table, by whom, and whether in secret."""
    rng, out = Random(seed), []
    for _ in range(n):
        hidden = rng.random() < 0.45
        who = rng.choice(["GM", "Ann"] if hidden else ["GM", "Ann", "Ben"])
        kind = rng.choices(["play", "answer", "note", "other", "undo", "end"], [8, 6, 1, 3, 1, 1])[0]
        step: dict[str, Any] = {"who": who, "hidden": hidden, "kind": kind, "pick": rng.random()}
        play = dict(rng.choice([*PLAYS, LONG]))
        if hidden and "who" in play:
            play["who"] = rng.choice(["Nell", "Shade"] if who == "GM" else ["Nell"])
            play["params"] = {k: 5 if v == "Talk" else v for k, v in play["params"].items()}
        step["play"] = {
            **play,
            "to": rng.choice(["me", "blind", *(["gm"] if who == "GM" else [])]) if hidden else "all",
            "hand": not hidden and rng.random() < 0.15,
            "policy": rng.choice(["ask", "plain"]),
        }
        step["other"] = rng.choice(["scene", "scene", "shuffle", "rest", "clock", "edit", "void"])
        out.append(step)
    out[0] |= {"who": "GM", "hidden": True, "kind": "other"}
    return out


class World:
    """A table at which such a script is done."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store, self.lots = open_store(file), Lots()
        self.now = 0
        monkeypatch.setattr(service, "time", lambda: self.now)
        self.table: Table
        self.table, gm, _ = service.opened(self.store, "t", token=self.lots)
        self.seats = {"GM": gm}
        for who in ("Ann", "Ben", "Cat"):
            self.lots.at(who)
            role: Any = "watcher" if who == "Cat" else "player"
            self.seats[who] = (self.table.act(gm, requests.Seat(name=who, role=role)).event("seat") or {})[
                "id"
            ]
        for name in ("Mara", "Nell"):
            self.lots.at(name)
            self.table.act(gm, requests.Character(name=name, sheets=SHEET))
        self.shuffles: dict[int, int] = {}  # by step: shuffles that plays in secret asked for
        self.tight: set[int] = set()  # steps before which so much lies out in secret that it would be seen
        self.heard: list[Any] = []  # what came of the requests of those who see nothing hidden
        self.acts: list[str] = []  # what was done in secret, to be undone
        self.asked: dict[int, requests.Request] = {}  # by step

    def close(self) -> None:
        self.store.close()

    def does(self, i: int, step: Mapping[str, Any], again: requests.Request | None = None) -> None:
        """One step, or what was asked for in it in the other world."""
        self.lots.at(i)
        self.now = i
        seat = self.seats[step["who"]]
        request = self.asked[i] = again or self.request(i, step)  # type: ignore[assignment]
        if request is None:
            return
        said: Any
        before = self.table.view(self.seats["Cat"]).number
        try:
            reply = self.table.act(seat, request)
            said = reply.entries
            if step["hidden"]:
                self.acts += [str(reply.entries[0][1].get("act"))] if reply.entries else []
        except RuleError as e:
            said = str(e)
        if step["who"] == "Ben":
            self.heard.append(said)
        if step["hidden"]:
            told = list(self.table.entries(self.seats["Cat"], before))
            assert all(e["kind"] == "shuffled" and e["by"] == "ask" for _, e in told)
            self.shuffles[i] = len(told)

    def roomy(self, i: int) -> bool:
        """Whether the deck lasts for whatever is played openly. It would be short early where cards lie out in secret
        for plays that wait, and that can be seen."""
        lies = sum(
            len(p.out.get("cards", ())) for p in self.table.known().all.plays.values() if p.to is not None
        )
        left = sum(self.table.view(self.seats["Cat"]).state.decks["cards"].left.values())
        if lies and left - lies < 30:
            self.tight.add(i)
        return i not in self.tight

    def request(self, i: int, step: Mapping[str, Any]) -> requests.Request | None:
        """What is asked for in a step, as far as its seat can ask it."""
        kind, pick = step["kind"], step["pick"]
        known = {p.play: p for p in self.table.view(self.seats["Cat"]).state.plays.values()}
        mine = self.table.view(self.seats[step["who"]]).state.plays
        plays = [p for id, p in mine.items() if (id in known) != step["hidden"]]
        one = plays[int(pick * len(plays))] if plays else None
        secretly: Any = "gm" if step["hidden"] else "all"
        if kind == "play":
            return requests.Play(**step["play"], nonce=f"words {i}")
        if kind == "answer" and one:
            ask = one.ask or {}
            if ask["kind"] == "throw":
                return requests.Answer(
                    play=one.play, faces=self.faces(step["who"], ask, Random(i)), nonce=f"words {i}"
                )
            options = [o["option"] for o in ask["options"]]
            option = options[int(pick * 997 % len(options))]
            return requests.Answer(play=one.play, option=option, turn=one.turn, nonce=f"words {i}")
        if kind == "note":
            return requests.Note(text=f"note {i}", to=secretly)
        if kind == "end" and one:
            return requests.End(play=one.play)
        if kind == "undo" and step["hidden"] and self.acts:
            return requests.Undo(of=self.acts[-1])
        if kind == "undo" and step["who"] == "Ben":
            return requests.Undo()
        if kind == "other" and step["who"] == "GM":
            return self.other(i, step, secretly)
        return None

    def other(self, i: int, step: Mapping[str, Any], secretly: Any) -> requests.Request | None:
        what, hidden = step["other"], step["hidden"]
        if hidden:
            shade = any(
                c.name == "Shade" for c in self.table.view(self.seats["GM"]).state.characters.values()
            )
            if shade:
                return requests.Character(id="Shade", edits={"cards.luck": 1 + i % 3})
            return requests.Character(name="Shade", sheets=SHADE, to=secretly)
        played = [e["play"] for _, e in self.table.entries(self.seats["Cat"]) if e["kind"] == "resolved"]
        return {
            "scene": requests.Scene(title=f"scene {i}"),
            "shuffle": requests.Shuffle(),
            "rest": requests.Rest(),
            "clock": requests.Clock(title=f"clock {i}"),
            "edit": requests.Character(id="Mara", edits={"agate.strain": i % 4}),
            "void": requests.Correct(play=played[-1], void=True, cards=True) if played else None,
        }[what]

    def faces(self, who: str, ask: Mapping[str, Any], rng: Random) -> list[Any]:
        """A throw by hand, of cards that may be there or not; who knows of secrets throws what they know is there."""
        if "deck" in ask:
            deck = self.table.view(self.seats[who]).state.decks["cards"]
            there = [card for card in deck.cards if who == "Ben" or deck.left[card]]
            return rng.sample(there, min(ask["n"], len(there)))
        return [[rng.choice(group["faces"]) for _ in range(group.get("n", 1))] for group in ask["dice"]]

    def given(self, who: str) -> dict[str, Any]:
        """All that a seat can have, with the ids of acts as numbers in the order in which it sees them."""
        seat = self.seats[who]
        odds = []
        for one in (*PLAYS[3:6], LONG):
            try:
                odds.append(str(self.table.odds(seat, requests.Play(**one)).outcomes))
            except RuleError as e:
                odds.append(str(e))
        told = {
            "entries": list(self.table.entries(seat)),
            "last": self.table.last(seat, 9),
            "view": msgspec.to_builtins(self.table.view(seat)),
            "heard": self.heard,
            "odds": odds,
        }
        acts = dict.fromkeys(e["act"] for _, e in told["entries"] if "act" in e)
        text = json.dumps(told)
        for n, act in enumerate(acts):
            text = text.replace(f'"{act}"', f'"act {n}"')
        return dict(json.loads(text))


def both(folder: Path, monkeypatch: pytest.MonkeyPatch, steps: list[dict[str, Any]]) -> tuple[World, World]:
    """The world with what is hidden, and that without: where a play in secret shuffled, somebody asked for it."""
    chance = Chance(monkeypatch)
    full = World(folder / "full.db", monkeypatch)
    for i, step in enumerate(steps):
        if step["hidden"] or full.roomy(i):
            full.does(i, step)
    chance.again = True
    bare = World(folder / "bare.db", monkeypatch)
    for i, step in enumerate(steps):
        if not step["hidden"] and i in full.asked:
            bare.does(i, step, full.asked[i])
        for _ in range(full.shuffles.get(i, 0)):
            bare.now = i
            bare.table.act(bare.seats[step["who"]], requests.Shuffle())
    return full, bare


def test_a_draw_that_cannot_be_made_counts_no_card_that_lies_out_in_secret(tmp_path: Path) -> None:
    with open_store(tmp_path / "t.db") as store:
        table, gm, _ = service.opened(store, "t")
        ann = str((table.act(gm, requests.Seat(name="Ann")).event("seat") or {})["id"])
        mine = {"el": 20, "against": 9, "their_luck": 1}
        table.act(gm, requests.Play(rule="cards.resolve", params=mine, to="gm"))
        for seat in (ann, gm):
            for el, said in ((45, "while plays wait"), (60, "60 cards are to be drawn and only 52")):
                with pytest.raises(RuleError, match=said):
                    table.act(seat, requests.Play(rule="cards.resolve", params={"el": el - 1, "against": 1}))


@few
@given(seed=st.integers(0, 10**6))
def test_what_is_hidden_changes_nothing_for_who_does_not_see_it(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        full, bare = both(tmp_path_factory.mktemp("t"), patched, script(seed, 50))
        for who in ("Ben", "Cat"):
            assert full.given(who) == bare.given(who)
        full.close()
        bare.close()


def test_a_shuffle_for_a_play_in_secret_is_one_that_its_seat_might_have_asked_for(tmp_path: Path) -> None:
    with open_store(tmp_path / "t.db") as store:
        table, gm, _ = service.opened(store, "t")
        ann = str((table.act(gm, requests.Seat(name="Ann")).event("seat") or {})["id"])
        for _ in range(3):
            table.act(gm, requests.Play(rule="cards.resolve", params={"el": 10, "against": 6}))
        before = table.view(ann).number
        secret = table.act(gm, requests.Play(rule="cards.resolve", params={"el": 5, "against": 1}, to="gm"))
        asked = table.act(gm, requests.Shuffle()).entries[0][1]
        told = [e for _, e in table.entries(ann, before)]
        assert [set(e) for e in told] == [set(asked)] * 2
        assert told[0]["act"] != (secret.event("played") or {})["act"]
