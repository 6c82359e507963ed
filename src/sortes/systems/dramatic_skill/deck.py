"""The drama deck (S3): each card bears letters of steps, or a Dilemma (S6); a table may write a conflict line on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sortes.core.errors import RuleError, wrong
from sortes.core.world import Deck
from sortes.systems.dramatic_skill.house import DramaHouse

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DILEMMAS = ("complication", "possible-setback", "critical-problem")


def letters(house: DramaHouse) -> str:
    """The letters of the steps, in order (S1)."""
    return ALPHABET[: house.steps]


def kind(card: str) -> str:
    """What the rules read of a card: its letters or its Dilemma, without the conflict line (S10)."""
    return card.partition(":")[0]


def card_of(house: DramaHouse, parameter: str, written: Any) -> str:
    """A card as the deck names it, from how people write it: "ba" is AB, "Possible Setback" is possible-setback."""
    if isinstance(written, str):
        name, _, line = written.partition(":")
        name = "-".join(name.replace("-", " ").replace("_", " ").split())
        line = f": {line.strip()}" if line.strip() else ""
        if name.lower() in DILEMMAS:
            return name.lower() + line
        name = name.upper()
        if name and set(name) <= set(letters(house)) and len(set(name)) == len(name):
            return "".join(sorted(name)) + line
    takes = f"letters of {letters(house)}, {', '.join(DILEMMAS)}; after a colon its conflict line"
    raise wrong(parameter, written, takes)


def counted(house: DramaHouse, parameter: str, given: Any) -> dict[str, int]:
    """Cards by name and number, from a list of cards, one card, or a mapping of cards to numbers."""
    if isinstance(given, str):
        return {card_of(house, parameter, given): 1}
    out: dict[str, int] = {}
    if isinstance(given, Mapping):
        for card, n in given.items():
            name = card_of(house, parameter, card)
            out[name] = out.get(name, 0) + n
    else:
        for i, card in enumerate(given):
            name = card_of(house, f"{parameter}[{i}]", card)
            out[name] = out.get(name, 0) + 1
    return {card: n for card, n in out.items() if n}


def full(house: DramaHouse) -> dict[str, int]:
    """The whole deck of these house rules (S3)."""
    given = house.deck
    if isinstance(given, Mapping):
        return counted(house, "deck", given)
    out: dict[str, int] = {}
    for i, (card, n) in enumerate(given):
        name = card_of(house, f"deck[{i}]", card)
        out[name] = out.get(name, 0) + n
    return {card: n for card, n in out.items() if n}


def check(house: DramaHouse) -> None:
    """Refuse a deck that knows other letters than the steps have, or lacks one of theirs (S1)."""
    on = {letter for card in full(house) if kind(card) not in DILEMMAS for letter in kind(card)}
    for letter in letters(house):
        if letter not in on:
            raise RuleError(
                "deck",
                f"has no card with {letter}; takes every letter of the {house.steps} steps at least once",
            )


def left(house: DramaHouse, parameter: str, given: Any) -> dict[str, int]:
    """Cards of this very deck by name and number. Raises RuleError."""
    cards = counted(house, parameter, given)
    for card in cards:
        if card not in full(house):
            raise wrong(parameter, card, f"cards of the drama deck: {', '.join(full(house))}")
    return cards


def decks(house: DramaHouse) -> tuple[Deck, ...]:
    """The drama deck as the walks know it: one a task (S3)."""
    return (Deck("drama", tuple(full(house).items()), (), partial(left, house), each=True),)
