"""The deck: its cards, how they are written, and what a rule reads of one (C1, C2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Done
from sortes.core.errors import RuleError, wrong
from sortes.core.form import SUPPLIED, discards, stocks
from sortes.core.system import rule
from sortes.core.world import Deck
from sortes.systems.cards.house import CardsHouse

SUITS = "HDSC"
RANKS = "A234567890JQK"  # 0 is the ten
JOKERS = ("Xr", "Xb")  # a red and a black one
CODES = "a card as its rank and suit: A 2..9 0 J Q K with H D S C (9C, KS, 0H), or a joker, Xr or Xb"
_CODE = {
    written + mark: rank + suit
    for suit, marks in zip(SUITS, ("H♥♡", "D♦♢", "S♠♤", "C♣♧"), strict=True)
    for rank in RANKS
    for written in ((rank, "10", "T") if rank == "0" else (rank,))
    for mark in marks
} | {"XR": "Xr", "XB": "Xb"}
_VALUE = {rank: i for i, rank in enumerate("A234567890", 1)}

Code: TypeAlias = Annotated[str, Meta(min_length=1, max_length=8)]
Cards: TypeAlias = (
    Annotated[tuple[Code, ...], Meta(max_length=1080)] | dict[str, Annotated[int, Meta(ge=0, le=1080)]]
)
Left: TypeAlias = Annotated[
    Cards | None,
    Meta(
        description="what is left of the deck: card codes, or counts by suit; none: all that is not discarded"
    ),
    stocks("cards"),
]
Discard: TypeAlias = Annotated[
    Cards | None,
    Meta(description="what lies in the discard: card codes, or counts by suit; none: all that is not left"),
    discards("cards"),
]


# ---- how cards are written (C1) -----------------------------------------------------------------


def code(parameter: str, written: str) -> str:
    """The code of a card as people write it: 10H, TH, 0h and 0♥ are all 0H. Raises RuleError."""
    found = _CODE.get(written.strip().upper().replace("\ufe0f", ""))
    if found is None:
        raise wrong(parameter, written, CODES)
    return found


def parse(parameter: str, given: Cards) -> Mapping[str, int]:
    """Cards by code and number; counts by suit stay so, all four suits named. Raises RuleError."""
    pairs = given.items() if isinstance(given, Mapping) else [(card, 1) for card in given]
    by_suit = isinstance(given, Mapping) and any(key.strip().upper() in SUITS for key in given)
    cards = dict.fromkeys(SUITS, 0) if by_suit else {}
    for written, n in pairs:
        one = written.strip().upper() if by_suit else ""
        if one not in SUITS or not one:
            one = code(parameter, written)
            if by_suit and one not in JOKERS:
                raise wrong(parameter, written, "counts by suit (H, D, S, C) or by card, not both")
        cards[one] = cards.get(one, 0) + n
    return cards


# ---- what is read of a card (C1) ----------------------------------------------------------------


def suit(card: str) -> str:
    """Its suit; a joker lends none, and is read as itself."""
    return card if card in JOKERS else card[-1]


def colour(card: str) -> str:
    """R, as Hearts and Diamonds and the red joker are, or B."""
    return "R" if card[-1] in "HDr" else "B"


def value(card: str) -> int | None:
    """1..10 of a pip; none of a face or a joker. Refused where cards are only counted by suit."""
    if len(card) < 2:
        raise RuleError("deck", f"got cards by suit ({card}) where ranks are read; takes card codes")
    return _VALUE.get(card[0])


def shade(card: str) -> str:
    """Its colour; the black joker, which Luck cannot turn, is read as itself (C1)."""
    return card if card == "Xb" else colour(card)


# ---- the deck of a table (C1, C2) ---------------------------------------------------------------

SHUFFLES = {"drawing": ("three",), "always": ("answer", "three", "roll", "run", "round")}


@cache
def pack(packs: int, jokers: int) -> tuple[tuple[str, int], ...]:
    """Every card with its number."""
    return tuple((card, packs) for card in (*(r + s for s in SUITS for r in RANKS), *JOKERS[:jokers]))


@cache
def decks(house: CardsHouse) -> tuple[Deck, ...]:
    """One deck a table, with the acts it is shuffled before (C2)."""
    return (Deck("cards", pack(house.packs, house.jokers), SHUFFLES.get(house.reshuffle, ()), parse),)


def whole(house: CardsHouse, deck: Cards | None, discard: Cards | None) -> int:
    """How many cards there are, left or discarded."""
    if deck is None or discard is None:
        return sum(n for _, n in pack(house.packs, house.jokers))
    return sum(parse("deck", deck).values()) + sum(parse("discard", discard).values())


# ---- running out of numbers (C10) ---------------------------------------------------------------


def pips_left(cards: Mapping[str, int]) -> int:
    """How many of these cards, by code and number, are pips (C10)."""
    return sum(n for card, n in cards.items() if n and value(card) is not None)


def low(house: CardsHouse, cards: Mapping[str, int]) -> bool:
    """Whether a deck with these cards left is low on numbers (C10)."""
    return pips_left(cards) <= house.few_pips


class Numbers(Struct, frozen=True):
    """Whether the deck still gives opposition a number, and how many pips are left (C10)."""

    result: Literal["enough", "few", "none"]
    pips: int = 0


@rule("cards.numbers", Numbers, worths={"player": lambda o: o.result == "enough"}, decks=("cards",))
def numbers(deck: Left = None, discard: Discard = None, *, house: Annotated[CardsHouse, SUPPLIED]) -> Done:
    """Count the pips that are left: few are a warning, and with none the vote is the only opposition (C10).

    Nothing is drawn. A shuffle brings the numbers back.
    """
    if deck is not None:
        pips = pips_left(parse("deck", deck))
    else:
        pips = pips_left(dict(pack(house.packs, house.jokers))) - pips_left(parse("discard", discard or ()))
    result: Literal["enough", "few", "none"] = (
        "none" if not pips else "few" if pips <= house.few_pips else "enough"
    )
    return Done(Numbers(result, pips), ("C10",))
