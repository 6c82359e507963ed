"""What a table may change of the card rules."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.errors import wrong
from sortes.core.system import House

Said: TypeAlias = Literal["yes-and", "yes-but", "no-but", "no-and", "chaos"]
Decided: TypeAlias = Literal[
    "decisive-success",
    "success-with-complication",
    "failure-with-silver-lining",
    "generous-defeat",
    "decisive-failure",
    "critical-failure",
]
Swing: TypeAlias = Annotated[int, Meta(ge=-9, le=9)]


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a suit answers, the texture it lends, and how the answer may be put (C3)."""

    result: Said
    texture: Annotated[str, Meta(max_length=80)]
    text: Annotated[str, Meta(max_length=500)]


class Answers(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of each suit, and of a joker (C1, C3)."""

    H: Answer
    D: Answer
    S: Answer
    C: Answer
    joker: Answer


class Tokens(Struct, frozen=True, forbid_unknown_fields=True):
    """What a card of each suit does to the drawer's own tokens and to the opponent's (C9.1)."""

    H: tuple[Swing, Swing]
    D: tuple[Swing, Swing]
    S: tuple[Swing, Swing]
    C: tuple[Swing, Swing]


class CardsHouse(House, frozen=True, eq=False):
    """What a table may change of the card rules."""

    packs: Annotated[int, Meta(ge=1, le=20)]
    jokers: Literal[0, 2]
    reshuffle: Literal["ask", "scene", "drawing", "always"]
    luck_beyond_numbers: bool
    few_pips: Annotated[int, Meta(ge=0, le=800)]
    vote: Annotated[tuple[Decided, ...], Meta(min_length=4, max_length=4)]
    vote_of_one_suit: dict[str, Decided]
    tokens: Tokens
    answers: Answers


def check(house: CardsHouse) -> None:
    """Refuse a vote of something that is not a suit."""
    for suit in house.vote_of_one_suit:
        if suit not in ("H", "D", "S", "C"):
            raise wrong(f"vote_of_one_suit.{suit}", suit, "the suits H, D, S and C")
