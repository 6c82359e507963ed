"""The token conflict (C9): each round cards move tokens, and whoever cannot pay is Down."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Choice, Done, Moment, Option, State, Tally, Throw, moment
from sortes.core.chance import Draw
from sortes.core.form import SUPPLIED
from sortes.core.system import rule
from sortes.core.world import Purse
from sortes.systems.cards.deck import JOKERS, SUITS, Discard, Left, suit
from sortes.systems.cards.house import CardsHouse
from sortes.systems.cards.oracle import Luck, turns
from sortes.systems.cards.sheet import EL, THEIR_EL, THEIR_LUCK

Turn: TypeAlias = Literal["both", "mine", "theirs"]  # who draws this round
Draws: TypeAlias = Literal["both", "mine", "theirs", "alternate"]
Ended: TypeAlias = Literal["won", "both-down", "ended", "fled", "surrendered", "lost"]
Spends: TypeAlias = tuple[bool, bool]  # who may have tokens of Luck: self, opponent


class Conflict(Struct, frozen=True):
    """How a conflict ended (C9.3, C9.4), by whom where somebody ended it, and after how many rounds."""

    result: Ended
    by: Literal["self", "opponent", "table"] | None = None
    rounds: int | None = None


@cache
def effects(house: CardsHouse) -> Mapping[str, tuple[int, int]]:
    """What a card does to the drawer's tokens and to the other's (C9.1); a joker does nothing (C1)."""
    return {**{mark: getattr(house.tokens, mark) for mark in SUITS}, **dict.fromkeys(JOKERS, (0, 0))}


# ---- a round (C9.1, C9.2) -----------------------------------------------------------------------


@moment("cards.round", "C9.1", "C2")
def round(mine: int, theirs: int, turn: Turn, alternate: bool, spends: Spends, house: CardsHouse) -> Throw:
    """Whose turn it is draws; the last round's cards go to the discard."""
    cards = Draw(1, "cards", suit, opens="round", needs=2 if turn == "both" else 1)

    def then(hand: tuple[str]) -> State:
        (card,) = hand
        if turn == "both":
            if any(spends):
                return reply(mine, theirs, card, spends, house)
            own, other = effects(house)[card]
            return reply(mine + own, theirs + other, "", spends, house)
        if spends[turn == "theirs"] and turns(card):
            return lucky(mine, theirs, (card,), turn, 0, alternate, spends, house)
        return add(mine, theirs, (card,), turn, alternate, spends, house)

    return Throw(cards, then)


@moment("cards.reply", "C9.2")
def reply(mine: int, theirs: int, card: str, spends: Spends, house: CardsHouse) -> Throw:
    """The other side draws too; my card is still to be counted where Luck may turn it, else it is counted already."""

    def then(hand: tuple[str]) -> State:
        if not card:
            other, own = effects(house)[hand[0]]
            return status(mine + own, theirs + other, "both", False, spends, house)
        return spend(mine, theirs, (card, hand[0]), 0, spends, house)

    return Throw(Draw(1, "cards", suit), then)


def spend(
    mine: int, theirs: int, cards: tuple[str, ...], which: int, spends: Spends, house: CardsHouse
) -> State:
    """On to the next side that could turn its own card: mine first (C7.3)."""
    for side in range(which, 2):
        if spends[side] and turns(cards[side]):
            return lucky(mine, theirs, cards, "both", side, False, spends, house)
    return add(mine, theirs, cards, "both", False, spends, house)


LUCK = (
    (Option("keep"), Option("turn", (("luck", 1),))),
    (Option("keep"), Option("turn", (("their_luck", 1),))),
)


@moment("cards.lucky", "C7.1", "C7.3")
def lucky(
    mine: int,
    theirs: int,
    cards: tuple[str, ...],
    turn: Turn,
    which: int,
    alternate: bool,
    spends: Spends,
    house: CardsHouse,
) -> Choice:
    """All have drawn and no status is checked yet: a token reads one's own card as a Heart (C7.1)."""
    side = which if turn == "both" else int(turn == "theirs")

    def then(take: str) -> State:
        now = (*cards[:which], "H", *cards[which + 1 :]) if take == "turn" else cards
        if turn == "both":
            return spend(mine, theirs, now, which + 1, spends, house)
        return add(mine, theirs, now, turn, alternate, spends, house)

    return Choice("opponent" if side else "self", "luck", LUCK[side], then)


def add(
    mine: int,
    theirs: int,
    cards: tuple[str, ...],
    turn: Turn,
    alternate: bool,
    spends: Spends,
    house: CardsHouse,
) -> State:
    """The effects of a round's cards are added up before anything is checked (C9.2)."""
    for card, drawer in zip(cards, ("mine", "theirs") if turn == "both" else (turn,), strict=True):
        own, other = effects(house)[card]
        mine, theirs = (mine + own, theirs + other) if drawer == "mine" else (mine + other, theirs + own)
    return status(mine, theirs, turn, alternate, spends, house)


@moment("cards.status", "C9.3")
def status(mine: int, theirs: int, turn: Turn, alternate: bool, spends: Spends, house: CardsHouse) -> Tally:
    """Below 0 is Down, exactly 0 stands; both can go Down at once (C9.3)."""
    down = (mine < 0) + 2 * (theirs < 0)
    after: State
    if down:
        after = Done(Conflict(("lost", "won", "both-down")[down - 1]))
    else:
        then: Turn = turn if not alternate else "theirs" if turn == "mine" else "mine"
        after = stand(mine, theirs, then, alternate, spends, house)
    return Tally("rounds", 1, lambda _: after)


# ---- between rounds (C9.4) ----------------------------------------------------------------------

EXITS: Mapping[str, Conflict] = {
    "surrender": Conflict("surrendered", "self"),
    "flee": Conflict("fled", "self"),
    "they-surrender": Conflict("surrendered", "opponent"),
    "they-flee": Conflict("fled", "opponent"),
    "end": Conflict("ended", "table"),
}
NEXT = (Option("go-on"), *[Option(way, (), end.by or "") for way, end in EXITS.items()])


@moment("cards.stand")
def stand(mine: int, theirs: int, turn: Turn, alternate: bool, spends: Spends, house: CardsHouse) -> Choice:
    """Both stand: the conflict goes on, unless a side surrenders or flees, or the story ends it (C9.4)."""

    def then(way: str) -> State:
        if way in EXITS:
            return Done(EXITS[way], ("C9.4",))
        return round(mine, theirs, turn, alternate, spends, house)

    return Choice("self", "next-round", NEXT, then)


# ---- the rule -----------------------------------------------------------------------------------


def purses(params: Mapping[str, Any], house: CardsHouse) -> dict[str, Purse]:
    """Luck of both sides."""
    return {"luck": Purse(0, params["luck"]), "their_luck": Purse(0, params["their_luck"])}


def victory(side: str, other: str) -> Any:
    """Whether a conflict went to `side`: the other is Down alone, or gave way."""
    end = "won" if side == "self" else "lost"
    return lambda o: o.result == end or (o.by == other and o.result in ("surrendered", "fled"))


@rule(
    "cards.conflict",
    Conflict,
    worths={"self": victory("self", "opponent"), "opponent": victory("opponent", "self")},
    decks=("cards",),
    purses=purses,
    counters=("rounds",),
    endless=("rounds",),
)
def conflict(
    mine: Annotated[int, Meta(ge=0, le=100, description="your rating: so many tokens"), EL],
    theirs: Annotated[int, Meta(ge=0, le=100, description="the opponent's rating"), THEIR_EL],
    draws: Annotated[
        Draws, Meta(description="who draws each round: both, one side, or each in turn, mine first")
    ] = "both",
    luck: Luck = 0,
    their_luck: Annotated[
        int, Meta(ge=0, le=100, description="Luck Tokens the opponent has"), THEIR_LUCK
    ] = 0,
    deck: Left = None,
    discard: Discard = None,
    *,
    house: Annotated[CardsHouse, SUPPLIED],
) -> Moment:
    """Fight it out with tokens: each round cards move them, and the side that cannot pay one is Down.

    Hearts: the drawer gains one and the opponent loses one; Diamonds: both gain; Spades: both lose; Clubs: the drawer
    loses and the opponent gains (C9.1). It can end otherwise: surrender, flight, or as the story has it (C9.4).
    """
    spends = (luck > 0, their_luck > 0)
    alternate = draws == "alternate"
    turn: Turn = "mine" if draws == "alternate" else draws
    return round(mine, theirs, turn, alternate, spends, house)


# Giving in is never worth more than going on to those who want to win: without Luck there is nothing to choose.
conflict.foregone = lambda params: not params["luck"] and not params["their_luck"]
