"""Asking the deck: one card answers (C4), and a run of reds measures an advantage (C6.5)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Ask, Choice, Done, Moment, Option, State, Throw, moment
from sortes.core.chance import Draw
from sortes.core.form import SUPPLIED
from sortes.core.system import rule
from sortes.core.world import Purse
from sortes.systems.cards.deck import JOKERS, SUITS, Discard, Left, colour, shade, suit
from sortes.systems.cards.house import CardsHouse, Said
from sortes.systems.cards.sheet import LUCK

Luck: TypeAlias = Annotated[
    int, Meta(ge=0, le=100, description="Luck Tokens at hand; each spend is a choice"), LUCK
]

TURN = (Option("keep"), Option("turn", (("luck", 1),)))


def luck_purse(params: Mapping[str, Any], house: CardsHouse) -> dict[str, Purse]:
    """Luck Tokens at hand (C7.3)."""
    return {"luck": Purse(0, params["luck"])}


# ---- ask (C3, C4) -------------------------------------------------------------------------------


class Asked(Struct, frozen=True):
    """What the card answers (C3): its result, the answer it comes to, and what colours the telling."""

    result: Said
    answer: Literal["yes", "no", "none"]
    texture: str = ""
    text: str = ""


@cache
def answers(house: CardsHouse) -> Mapping[str, Asked]:
    """What is said by each suit, and by a joker: chaos, the table decides (C1, C3)."""
    said = {}
    for mark in (*SUITS, *JOKERS):
        one = getattr(house.answers, "joker" if mark in JOKERS else mark)
        word = one.result.partition("-")[0]
        said[mark] = Asked(one.result, word if word in ("yes", "no") else "none", one.texture, one.text)
    return said


@moment("cards.ask", "C4")
def draw(luck: bool, house: CardsHouse) -> Ask:
    """One card, read by its suit (C3)."""
    one = Draw(1, "cards", suit, opens="answer", last=True)
    if not luck:
        return Throw(one, lambda hand: answered(hand[0], house))
    return Throw(one, lambda hand: turn(hand[0], house) if turns(hand[0]) else answered(hand[0], house))


def turns(mark: str) -> bool:
    """Whether Luck has something to turn: no Heart, and no joker (C1, C7.1)."""
    return mark in ("D", "S", "C")


def answered(mark: str, house: CardsHouse) -> Done:
    """What a suit or joker answers."""
    return Done(answers(house)[mark], ("C3",))


@moment("cards.turn", "C7.1")
def turn(mark: str, house: CardsHouse) -> Choice:
    """A token reads the card as the Heart of its rank; what goes to the discard is the card itself (C7.1)."""
    return Choice("player", "luck", TURN, lambda take: answered("H" if take == "turn" else mark, house))


@rule(
    "cards.ask",
    Asked,
    worths={"player": lambda o: o.answer == "yes"},
    decks=("cards",),
    purses=luck_purse,
)
def ask(
    luck: Luck = 0,
    deck: Left = None,
    discard: Discard = None,
    *,
    house: Annotated[CardsHouse, SUPPLIED],
) -> Moment:
    """Ask the deck: one card answers by its suit, Hearts yes-and, Diamonds yes-but, Spades no-but, Clubs no-and.

    A Luck Token reads it as a Heart, once it is seen (C7.1); a joker reads chaos, and the table decides (C1).
    """
    return draw(luck > 0, house)


# ---- colour run (C6.5) --------------------------------------------------------------------------


class Ran(Struct, frozen=True):
    """How many reds came before the first black (C6.5)."""

    reds: int


@moment("cards.run", "C6.5")
def go(reds: int, luck: bool) -> Ask:
    """Draw on until a black card, which is spent too; at the end of the deck the run ends and keeps its reds (C2)."""
    first = reds == 0
    one = Draw(1, "cards", shade if luck else colour, opens="run" if first else "", ends=not first)

    def then(hand: tuple[str, ...]) -> State:
        if not hand:
            return Done(Ran(reds), ("C2",))
        if hand[0] == "R":
            return go(reds + 1, luck)
        return black(reds) if luck and hand[0] == "B" else Done(Ran(reds))

    return Throw(one, then)


@moment("cards.black", "C7.1")
def black(reds: int) -> Choice:
    """A token reads the black card red, and the run goes on (C7.1)."""
    return Choice(
        "player", "luck", TURN, lambda take: go(reds + 1, True) if take == "turn" else Done(Ran(reds))
    )


@rule("cards.run", Ran, worths={"player": lambda o: o.reds}, decks=("cards",), purses=luck_purse)
def run(
    luck: Luck = 0,
    deck: Left = None,
    discard: Discard = None,
    *,
    house: Annotated[CardsHouse, SUPPLIED],
) -> Moment:
    """Draw until a black card and count the reds: so much EL an advantage gives, as a situational bonus (C6.5).

    It is granted when a yes describes an advantage. A Luck Token reads the black card red, and the run goes on (C7.1).
    """
    return go(0, luck > 0)
