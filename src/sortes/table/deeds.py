"""What does each request: the one place where they are listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sortes.core.errors import Refused
from sortes.table import requests
from sortes.table.desk import Desk
from sortes.table.mending import correct, undo
from sortes.table.plays import answer, end, play, reveal
from sortes.table.running import house, prove, seat, settings
from sortes.table.story import character, note, rest, scene, shuffle, written

WATCHES = ("watcher",)

DEEDS: dict[type[requests.Request], Callable[[Desk, Any], None]] = {
    requests.Play: play,
    requests.Answer: answer,
    requests.End: end,
    requests.Reveal: reveal,
    requests.Undo: undo,
    requests.Correct: correct,
    requests.Note: note,
    requests.Scene: scene,
    requests.Rest: rest,
    requests.Shuffle: shuffle,
    requests.Question: written,
    requests.Thread: written,
    requests.Clock: written,
    requests.Ledger: written,
    requests.Character: character,
    requests.Settings: settings,
    requests.House: house,
    requests.Seat: seat,
    requests.Prove: prove,
}


def done(desk: Desk, request: requests.Request) -> None:
    """Do what a seat asks for. Raises RuleError, and then nothing has happened."""
    if desk.role in WATCHES and not (isinstance(request, requests.Seat) and request.id == desk.seat):
        raise Refused("seat", "a watcher looks on; ask the game master for a player's seat")
    DEEDS[type(request)](desk, request)
