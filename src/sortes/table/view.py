"""What is known of a table: all of it, and what each seat may know. `Known.view` is the only door to the latter.

Every seat has a fold of its own, made of nothing but the events that it is shown. What is hidden from it cannot be
derived from what it has, since it never went in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from sortes.core.errors import RuleError
from sortes.table import fold
from sortes.table.log import GM, Counts, Event, audience, count, sees, shown

FORM = "known-2"  # of the snapshot; another number whenever a snapshot of before cannot be read any more
Keys = frozenset[str]


class Secret(Struct):
    """A secret that is committed to and not opened: of a stretch of dice or of cards, or of a play in secret."""

    secret: str
    purpose: str
    counter: int = 0
    nonces: list[str] = []  # the beginnings of their digests, so that none is used twice
    cards: bool = False  # whether cards of the table's were drawn under it
    lots: list[int] = []  # seals that are still to be had
    root: str = ""  # what the seals come from
    number: int = 0  # where it was committed to
    counts: Counts = {}


class Hidden(Struct):
    """A play that not all may see: where its events begin, where it began itself, and what of the decks it holds."""

    to: list[str]
    number: int
    counts: Counts
    begun: int
    stretch: str = ""
    sheets: dict[str, dict[str, dict[str, Any]]] = {}  # of who plays, as all knew them when it began
    gone: dict[str, list[str]] = {}  # by deck: cards that did not come back yet
    throws: int = 0
    dealt: dict[str, tuple[str, list[str]]] = {}  # by throw and group: from which deck, and which cards
    stays: dict[str, int] = {}  # by the same: shuffles that these cards stayed out of


class View(Struct, frozen=True):
    """What a seat may know: its place, the number of the last event that it has seen, and what is on the table."""

    seat: str
    name: str
    role: str
    number: int
    state: fold.State


class Known(Struct):
    """All that is known of a table, by the table itself and by each seat."""

    number: int = 0
    counts: Counts = {}
    all: fold.State = msgspec.field(default_factory=fold.State)
    seen: dict[str, fold.State] = msgspec.field(default_factory=lambda: {"": fold.State()})
    doors: dict[str, str] = {}  # hashes of the secrets of links -> seats
    secrets: dict[str, Secret] = {}
    seals: dict[str, str] = {}  # seats -> the seal of their next play in secret
    hidden: dict[str, Hidden] = {}

    # ---- the door -------------------------------------------------------------------------------

    def keys(self, seat: str) -> Keys:
        """What a seat is addressed by: its id, and "gm" where it is one. Raises RuleError where it is not there."""
        if seat not in self.all.seats or self.all.seats[seat].revoked:
            raise RuleError("seat", "is not at this table; ask the game master for a new link")
        return frozenset([seat, GM] if self.all.seats[seat].role == GM else [seat])

    def state(self, seat: str) -> fold.State:
        """What is on the table as far as this seat knows. It is the fold's own: look, and do not touch."""
        keys = self.keys(seat)
        if seat in self.seen:
            return self.seen[seat]
        return self.seen.get(GM if GM in keys else "", self.seen[""])

    def view(self, seat: str) -> View:
        """All that this seat may know."""
        keys, one = self.keys(seat), self.all.seats[seat]
        return View(seat, one.name, one.role, count(self.counts, keys), fold.copied(self.state(seat)))

    # ---- the fold -------------------------------------------------------------------------------

    def take(self, event: Event) -> None:
        """Take the next event in."""
        to = event.get("to")
        self._note(event)
        if event["kind"] != "revealed":
            fold.fold(self.all, event)
        elif event.get("_new"):  # of a table that was imported
            fold.fold(self.all, {**event, "events": event["_events"]})
        else:  # to the table itself, nothing of it is new
            fold.fold(self.all, {k: v for k, v in event.items() if k not in ("gone", "changes")})
        if to:
            self._own(to)
        for view, keys in self._views():
            if sees(keys, to):
                told = shown(event, keys)
                if told is not None:
                    fold.fold(self.seen[view], told)
        self.number += 1
        name = audience(event)
        self.counts[name] = self.counts.get(name, 0) + 1

    def _views(self) -> Iterator[tuple[str, Keys]]:
        for view in self.seen:
            if view == "" or view == GM:
                yield view, frozenset([view] if view else ())
            else:
                seat = self.all.seats.get(view)
                yield view, frozenset([view, GM] if seat and seat.role == GM else [view])

    def _own(self, to: list[str]) -> None:
        """Whoever is shown more than others needs a fold of its own from here on."""
        for key in sorted(to, key=lambda k: k != GM):
            if key in self.seen:
                continue
            seat = self.all.seats.get(key)
            if key == GM:
                self.seen[key] = fold.copied(self.seen[""])
            elif seat:
                base = self.seen.get(GM, self.seen[""]) if seat.role == GM else self.seen[""]
                self.seen[key] = fold.copied(base)

    # ---- what only the table knows --------------------------------------------------------------

    def _note(self, event: Event) -> None:
        kind = event["kind"]
        if kind == "committed":
            lots = list(range(1, len(event.get("seals", ())) + 1))
            if "_secret" in event:  # of a table that was imported, nobody knows them here
                self.secrets[event["stretch"]] = Secret(
                    event["_secret"],
                    event.get("for", "play"),
                    lots=lots,
                    root=event.get("_root", ""),
                    number=self.number,
                    counts=dict(self.counts),
                )
        elif kind == "sealed":
            if "_seat" not in event:
                return
            if "_secret" in event:  # else it has a commitment of its own
                self.secrets[event["stretch"]] = Secret(event["_secret"], "play")
            self.seals[event["_seat"]] = event["stretch"]
            stretch, _, lot = event["stretch"].rpartition(".")
            if stretch in self.secrets:
                self.secrets[stretch].lots.remove(int(lot))
        elif kind == "opened-secret":
            self.secrets.pop(event["stretch"], None)
        elif kind == "seat":
            self.doors = {
                door: seat for door, seat in self.doors.items() if seat != event["id"] or "_door" not in event
            }
            if event.get("_door"):
                self.doors[event["_door"]] = event["id"]
        elif kind == "played":
            if event.get("to") is not None:
                people = self.seen[""].characters
                sheets = {
                    id: people[id].sheets for id in (event.get("who"), event.get("opponent")) if id in people
                }
                stretch = event.get("_stretch", "")
                own = self.secrets.get(stretch)
                number, counts = (
                    (own.number, own.counts) if own and own.counts else (self.number, self.counts)
                )
                hidden = Hidden(event["to"], number, dict(counts), self.number, stretch, sheets)
                self.hidden[event["play"]] = hidden
                self.seals = {seat: seal for seat, seal in self.seals.items() if seal != stretch}
        elif kind == "throw":
            self._thrown(event)
        elif kind == "shuffled" and "back" in event:
            if event["of"] in self.hidden:
                gone = self.hidden[event["of"]].gone
                left = Counter(gone[event["deck"]]) - Counter(event["back"])
                gone[event["deck"]] = list(left.elements())
        elif kind == "shuffled":
            self._shuffled(event["deck"])
        elif kind == "revealed":
            self.hidden.pop(event["play"], None)

    def _thrown(self, event: Event) -> None:
        hidden = self.hidden.get(event["play"])
        if secret := self.secrets.get(event.get("stretch", "")):
            if event["counter"] != secret.counter:
                secret.nonces.append(sha256(event["nonce"].encode()).hexdigest()[:16])
            secret.counter = event["counter"]
            secret.cards |= any(
                item["kind"] == "cards" and item["name"] in self.all.decks for item in event["groups"]
            )
        if hidden:
            hidden.stretch = event.get("stretch", hidden.stretch)
            self.seals = {seat: seal for seat, seal in self.seals.items() if seal != hidden.stretch}
        for i, item in enumerate(event["groups"]):
            if item["kind"] == "shuffled":
                self._shuffled(item["deck"])
            elif item["kind"] == "cards" and hidden and not item["name"].endswith(f"-{event['play']}"):
                hidden.gone.setdefault(item["name"], []).extend(item["faces"])
                hidden.dealt[f"{hidden.throws}.{i}"] = (item["name"], item["faces"])
        if hidden:
            hidden.throws += 1

    def _shuffled(self, deck: str) -> None:
        """Cards of plays in secret come back too, but for those that still lie out."""
        for play, hidden in self.hidden.items():
            if deck in hidden.gone:
                playing = self.all.plays.get(play)
                out = playing.out.get(deck, []) if playing else []
                hidden.gone[deck] = list(out)
                lying = Counter(out)
                for at, (name, cards) in reversed(
                    hidden.dealt.items()
                ):  # what was dealt last lies there still
                    if name == deck and cards and not Counter(cards) - lying:
                        lying -= Counter(cards)
                        hidden.stays[at] = hidden.stays.get(at, 0) + 1

    # ---- snapshots ------------------------------------------------------------------------------

    def snapshot(self) -> bytes:
        """All of it as bytes, for `restored`."""
        return msgspec.json.encode(self)


def restored(snapshot: bytes) -> Known | None:
    """What a snapshot holds, or None where it is not one that this version reads."""
    try:
        return msgspec.json.decode(snapshot, type=Known)
    except msgspec.MsgspecError:
        return None


__all__ = ["FORM", "Hidden", "Known", "Secret", "View", "restored"]
