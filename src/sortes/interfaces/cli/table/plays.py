"""Go on with plays that wait, show what was secret, and set things right."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from sortes.core.errors import Refused, RuleError, wrong
from sortes.interfaces.cli import seated
from sortes.interfaces.cli.here import Here
from sortes.interfaces.cli.table.group import (
    act,
    arg,
    asked,
    command,
    flag,
    opt,
)
from sortes.table import requests


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
    from sortes.interfaces.cli.walks import show_played
    from sortes.prepared import Prepared

    plays = here.table.view(here.seat).state.plays
    if play not in plays:
        waiting = ", ".join(f"{id} ({one.rule})" for id, one in plays.items()) or "none"
        raise Refused("play", f"no play {play!r} waits here; waiting: {waiting}")
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
