"""What a seat can ask of a table. Every interface makes these of what it is given; `service.Table.act` does them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

Words: TypeAlias = Annotated[str, Meta(min_length=1, max_length=20_000, pattern=r"\S")]  # more than blanks
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Nonce: TypeAlias = Annotated[str, Meta(max_length=200)]
Small: TypeAlias = Annotated[int, Meta(ge=0, le=1000)]


class Request(
    Struct, kw_only=True, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="do"
):
    """One thing that a seat asks for."""


class Play(Request, frozen=True, tag="play"):
    """Play a rule.

    `to` says who sees it: everybody, the game master alone, the asking seat alone, or nobody until it is revealed
    (blind). `hand`: people throw. Choices wait for an answer unless a `policy` makes them. `nonce` are some words or
    digits of the seat's own, new each time; where it is empty the server fills it in, and the log says so.
    """

    rule: Name
    params: dict[str, Any] = {}
    text: bool = False  # whether params are as typed
    who: str | None = None
    opponent: str | None = None
    question: Annotated[str, Meta(max_length=2_000)] = ""
    to: Literal["all", "gm", "me", "blind"] = "all"
    hand: bool = False
    policy: Literal["ask", "plain", "best"] = "ask"
    house: dict[str, Any] = {}
    nonce: Nonce = ""


class Answer(Request, frozen=True, tag="answer"):
    """Choose, or throw by hand, in a play that waits. `turn` is what it waits at, so that nobody answers a question
    that has been answered."""

    play: Id
    option: str | int | bool | None = None
    faces: list[Any] | None = None
    turn: int | None = None
    policy: Literal["ask", "plain", "best"] = "ask"
    nonce: Nonce = ""


class End(Request, frozen=True, tag="end"):
    """End a play that waits, by hand. What it cost stays spent, and its cards go to the discard."""

    play: Id
    reason: Annotated[str, Meta(max_length=2_000)] = ""


class Reveal(Request, frozen=True, tag="reveal"):
    """Show everybody a play that was made in secret."""

    play: Id


class Undo(Request, frozen=True, tag="undo"):
    """Take back one's own last act, or the one of this id, for which nobody was shown a face."""

    of: str | None = None


class Correct(Request, frozen=True, tag="correct"):
    """The game master sets a play right: another outcome, or none of it (`void`: what it cost and brought is given
    back; `cards`: its cards go back into the deck too)."""

    play: Id
    text: Annotated[str, Meta(max_length=2_000)] = ""
    outcome: dict[str, Any] = {}
    void: bool = False
    cards: bool = False


class Note(Request, frozen=True, tag="note"):
    """Write something into the log, for all or for whom `to` says."""

    text: Words
    to: Literal["all", "gm", "me"] = "all"


class Scene(Request, frozen=True, tag="scene"):
    """Begin a new scene: what rules bring back with one, comes back."""

    title: Annotated[str, Meta(max_length=200)] = ""
    words: Annotated[str, Meta(max_length=200)] = ""


class Rest(Request, frozen=True, tag="rest"):
    """Somebody rests, or all do."""

    who: str | None = None


class Shuffle(Request, frozen=True, tag="shuffle"):
    """Shuffle a deck of the table with its discard."""

    deck: Name = "cards"


class Question(Request, frozen=True, tag="question"):
    """Something that is open in the story, and in time its answer."""

    id: Id | None = None
    text: Annotated[str, Meta(min_length=1, max_length=2_000, pattern=r"\S")] | None = None
    answer: Annotated[str, Meta(max_length=2_000)] | None = None
    gone: bool = False


class Thread(Request, frozen=True, tag="thread"):
    """A thread of the story, open or closed."""

    id: Id | None = None
    title: Name | None = None
    state: Literal["open", "closed"] | None = None
    gone: bool = False


class Clock(Request, frozen=True, tag="clock"):
    """A clock with so many segments, of which so many are filled; `tick` fills some more."""

    id: Id | None = None
    title: Name | None = None
    size: Annotated[int, Meta(ge=1, le=100)] | None = None
    filled: Annotated[int, Meta(ge=0, le=100)] | None = None
    tick: Annotated[int, Meta(ge=-100, le=100)] = 0
    gone: bool = False


class Ledger(Request, frozen=True, tag="ledger"):
    """What an NPC has shown to be able to do (C5)."""

    id: Id | None = None
    name: Name | None = None
    skill: Annotated[str, Meta(max_length=200)] | None = None
    el: Annotated[int, Meta(ge=0, le=500)] | None = None
    gone: bool = False


class Character(Request, frozen=True, tag="character"):
    """Make a character or change one: `edits` set sheet values by path ("cards.els.Athletics"); none takes one away."""

    id: str | None = None
    name: Name | None = None
    owner: str | None = None
    sheets: dict[str, dict[str, Any]] = {}
    edits: dict[str, Any] = {}
    text: bool = False
    to: Literal["all", "gm"] = "all"
    gone: bool = False


class Settings(Request, frozen=True, tag="settings"):
    """Change how the table is run."""

    tell_secrets: bool | None = None
    title: Name | None = None


class House(Request, frozen=True, tag="house"):
    """House rules of one system for all plays from here on: what differs from how it comes."""

    system: Name
    changes: dict[str, Any]


class Seat(Request, frozen=True, tag="seat"):
    """A new seat, or another name for one, or no way in for it any more. A new or renewed seat has a new link."""

    id: str | None = None
    name: Name | None = None
    role: Literal["gm", "player", "watcher"] = "player"
    revoke: bool = False
    renew: bool = False


class Prove(Request, frozen=True, tag="prove"):
    """Open the secrets of what was played, so that everybody can verify it, and go on under new ones."""

    words: Annotated[str, Meta(max_length=200)] = ""
