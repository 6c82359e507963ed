"""The resolution roll (C6): each side draws as many cards as its EL; with Luck (C7) and two layers (C11)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from sortes.core.ask import Choice, Done, Option, State, Tally, Throw, moment
from sortes.core.chance import Draw
from sortes.core.errors import Refused
from sortes.core.form import SUPPLIED
from sortes.core.system import rule
from sortes.core.world import Purse
from sortes.systems.cards.deck import Discard, Left, colour, suit, whole
from sortes.systems.cards.house import CardsHouse, Said
from sortes.systems.cards.oracle import TURN, Luck, answers, turns
from sortes.systems.cards.sheet import EL, HOOK, THEIR_EL, THEIR_LUCK

Level: TypeAlias = Annotated[int, Meta(ge=0, le=500)]
Side: TypeAlias = Literal["self", "opponent"]
Spends: TypeAlias = tuple[bool, bool]  # who may have tokens: self, opponent


class Resolved(Struct, frozen=True, cache_hash=True):
    """How a resolution roll came out (C6): Effect is one's own score less theirs.

    With an oracle card (C11), `answer` is what it says and `texture` what it lends.
    """

    result: Literal["win", "loss", "bust"]
    effect: int = 0
    tie: bool = False
    their_bust: bool = False
    answer: Said | None = None
    texture: str | None = None


# ---- how it comes out (C6.1, C6.3) --------------------------------------------------------------


@lru_cache(maxsize=4096)
def scored(effect: int, defends: Side) -> Resolved:
    """Nobody bust: more reds win, and ties go to the defender (C6.1)."""
    wins = effect > 0 or (effect == 0 and defends == "self")
    return Resolved("win" if wins else "loss", effect, effect == 0)


@lru_cache(maxsize=4096)
def bust(theirs: int) -> Resolved:
    """One's own reds are above the EL, and score 0: a loss, even against 0 (C6.3)."""
    return Resolved("bust", -theirs)


@lru_cache(maxsize=4096)
def their_bust(mine: int) -> Resolved:
    """Theirs are."""
    return Resolved("win", mine, their_bust=True)


BOTH_BUST: Mapping[Side, Resolved] = {  # the defender holds (C6.3)
    "self": Resolved("win", their_bust=True),
    "opponent": Resolved("bust", their_bust=True),
}


def settle(mine: int, el: int, theirs: int, against: int, defends: Side) -> Resolved:
    """How the reds of both sides compare (C6.1, C6.3)."""
    if mine > el:
        return BOTH_BUST[defends] if theirs > against else bust(theirs)
    return their_bust(mine) if theirs > against else scored(mine - theirs, defends)


class Roll(Struct, frozen=True, cache_hash=True):
    """What stays the same all through a roll: both effective ELs, who defends, and who may have Luck."""

    el: int
    against: int
    defends: Side
    spends: Spends


@lru_cache(maxsize=65536)
def final(mine: int, theirs: int, roll: Roll, card: str, house: CardsHouse | None) -> Done:
    """The roll as it came out, beside what the oracle card says: neither cancels the other (C11)."""
    outcome = settle(mine, roll.el, theirs, roll.against, roll.defends)
    why = ("C6.3",) if outcome.result == "bust" or outcome.their_bust else ()
    if not card or house is None:
        return Done(outcome, why)
    said = answers(house)[card]
    return Done(replace(outcome, answer=said.result, texture=said.texture), (*why, "C11"))


# ---- the draw -----------------------------------------------------------------------------------


@moment("cards.lift", "C6.4")
def lift(hook: int, own: int, their: int, most: int, roll: Roll, oracle: bool, house: CardsHouse) -> Tally:
    """A hook's rank, declared before the pool is drawn, adds to the EL; more than is left is refused (C6.4)."""

    def then(really: int) -> State:
        if really < hook:
            raise Refused("hook", f"got {hook}; only {really} of its rank is left in this scene")
        return begin(own + hook, their, most, replace(roll, el=roll.el + hook), oracle, house)

    return Tally("hook", hook, then)


def begin(own: int, their: int, most: int, roll: Roll, oracle: bool, house: CardsHouse) -> State:
    """The oracle card where there is one, then Extra Effort where it is to be chosen, then the draw."""
    return omen(own, their, most, roll, house) if oracle else readied(own, their, most, roll, "", house)


@moment("cards.omen", "C11")
def omen(own: int, their: int, most: int, roll: Roll, house: CardsHouse) -> Throw:
    """The oracle card is drawn first (C11)."""
    alone = not (own or their or most)
    one = Draw(1, "cards", suit, opens="roll", needs=1 + own + their, last=alone)
    return Throw(one, lambda hand: readied(own, their, most, roll, hand[0], house))


def readied(own: int, their: int, most: int, roll: Roll, card: str, house: CardsHouse) -> State:
    """On to Extra Effort where it is to be chosen, else to the draw."""
    return effort(own, their, most, roll, card, house) if most else pool(own, their, roll, card, house)


@moment("cards.effort", "C6.3")
def effort(own: int, their: int, most: int, roll: Roll, card: str, house: CardsHouse) -> Choice:
    """Extra Effort is declared before drawing: so many cards more than the EL (C6.3)."""
    options = tuple([Option(x) for x in range(most + 1)])
    return Choice("self", "extra-effort", options, lambda x: pool(own + x, their, roll, card, house))


def pool(own: int, their: int, roll: Roll, card: str, house: CardsHouse) -> State:
    """Who draws: a side that has no card to draw draws nothing (C6.1)."""
    if own:
        return draw(own, their, roll, card, house)
    if their:
        return oppose(0, their, roll, card, house, not card)
    return rolled(0, 0, roll, card, house)


@moment("cards.roll", "C6.1")
def draw(own: int, their: int, roll: Roll, card: str, house: CardsHouse) -> Throw:
    """One's own side draws: EL and Extra Effort, of which only the reds are read."""
    cards = Draw(own, "cards", colour, "" if card else "roll", 0 if card else own + their, last=not their)
    if not their:
        return Throw(cards, lambda hand: rolled(hand.count("R"), 0, roll, card, house))
    top = roll.el + 1  # a bust is a bust, however many reds
    return Throw(cards, lambda hand: oppose(min(hand.count("R"), top), their, roll, card, house, False))


@moment("cards.oppose", "C6.1", "C6.2")
def oppose(mine: int, their: int, roll: Roll, card: str, house: CardsHouse, opens: bool) -> Throw:
    """The other side draws, by the EL that a pip gave it or that was named (C6.2)."""
    cards = Draw(their, "cards", colour, "roll" if opens else "", last=True)
    if roll.spends == NOBODY:
        told = house if card else None
        return Throw(cards, lambda hand: final(mine, hand.count("R"), roll, card, told))
    return Throw(cards, lambda hand: rolled(mine, hand.count("R"), roll, card, house))


# ---- Luck (C7.2 to C7.4) ------------------------------------------------------------------------

NOBODY: Spends = (False, False)
BEST = (
    (Option("keep"), Option("best", (("luck", 1),))),
    (Option("keep"), Option("best", (("their_luck", 1),))),
)
SIDES: tuple[Side, Side] = ("self", "opponent")


def rolled(mine: int, theirs: int, roll: Roll, card: str, house: CardsHouse) -> State:
    """Both have drawn: whoever has Luck may spend it, the acting side first (C7.3)."""
    if roll.spends == NOBODY:
        return final(mine, theirs, roll, card, house)
    acting = 0 if roll.defends == "opponent" else 1
    mine, theirs = min(mine, roll.el + 1), min(theirs, roll.against + 1)
    return better((acting, 1 - acting), mine, theirs, roll, card, house)


def better(order: tuple[int, ...], mine: int, theirs: int, roll: Roll, card: str, house: CardsHouse) -> State:
    """On to the next side that could make its score the best possible."""
    for at, side in enumerate(order):
        score, best = (theirs, roll.against) if side else (mine, roll.el)
        if roll.spends[side] and score != best:
            return spend(order[at:], mine, theirs, roll, card, house)
    if card and roll.spends[0] and turns(card):
        could = settle(roll.el, roll.el, theirs, roll.against, roll.defends).result == "win"
        if could or house.luck_beyond_numbers:  # C7.4
            return word(mine, theirs, roll, card, house)
    return final(mine, theirs, roll, card, house)


@moment("cards.spend", "C7.2", "C7.3")
def spend(order: tuple[int, ...], mine: int, theirs: int, roll: Roll, card: str, house: CardsHouse) -> Choice:
    """A token makes one's score the best possible, the effective EL; a bust is undone, and it can still lose (C7.2)."""
    side, rest = order[0], order[1:]

    def then(take: str) -> State:
        best = take == "best"
        own = roll.el if best and side == 0 else mine
        other = roll.against if best and side == 1 else theirs
        return better(rest, own, other, roll, card, house)

    return Choice(SIDES[side], "luck", BEST[side], then)


@moment("cards.word", "C7.4", "C11")
def word(mine: int, theirs: int, roll: Roll, card: str, house: CardsHouse) -> Choice:
    """The roll is final; a token may still read the oracle card as a Heart (C11, C7.4)."""
    turned = {"turn": "H", "keep": card}
    return Choice("self", "luck", TURN, lambda take: final(mine, theirs, roll, turned[take], house))


# ---- the rule -----------------------------------------------------------------------------------


def purses(params: Mapping[str, Any], house: CardsHouse) -> dict[str, Purse]:
    """Luck of both sides, and what is left of the hook."""
    return {
        "luck": Purse(0, params["luck"]),
        "their_luck": Purse(0, params["their_luck"]),
        "hook": Purse(0, params["hook"]),
    }


@rule(
    "cards.resolve",
    Resolved,
    worths={"self": lambda o: o.result == "win", "opponent": lambda o: o.result != "win"},
    decks=("cards",),
    purses=purses,
)
def resolve(
    el: Annotated[int, Meta(ge=0, le=500, description="your own EL: how good you are at this"), EL],
    against: Annotated[
        int, Meta(ge=0, le=500, description="the opposing EL: a pip's value, or named"), THEIR_EL
    ],
    extra: Annotated[
        Annotated[int, Meta(ge=0, le=500)] | Literal["choose"],
        Meta(description="Extra Effort: cards drawn beyond the EL, or 'choose'"),
    ] = 0,
    hook: Annotated[int, Meta(ge=0, le=100, description="a hook's rank, added to your EL at once"), HOOK] = 0,
    situation: Annotated[int, Meta(ge=0, le=200, description="a situational bonus to your EL")] = 0,
    luck: Luck = 0,
    their_extra: Annotated[
        int, Meta(ge=0, le=500, description="the opponent's Extra Effort, if a player runs it")
    ] = 0,
    their_luck: Annotated[
        int, Meta(ge=0, le=100, description="Luck Tokens the opponent has"), THEIR_LUCK
    ] = 0,
    defends: Annotated[Side, Meta(description="who defends, and so holds a tie")] = "opponent",
    oracle: Annotated[
        bool, Meta(description="draw an oracle card too: how it turns out, beside whether")
    ] = False,
    deck: Left = None,
    discard: Discard = None,
    *,
    house: Annotated[CardsHouse, SUPPLIED],
) -> State:
    """Resolve by drawing: each side draws cards equal to its EL and counts reds; more wins, ties go to the defender.

    Extra Effort draws more, but reds above your EL are a bust (C6.3): look at bust beside win. One's own side draws
    first. Resolve when it matters whether this very character succeeds and another would do better or worse: a fight,
    a key negotiation, stealth, a repair under pressure. Plain travel, a task without a skill, or a story that the
    oracle is telling well needs none; a clever idea that changes the situation is a question for the oracle (C12).
    """
    level, their = el + situation, against + their_extra
    roll = Roll(level, against, defends, (luck > 0, their_luck > 0))
    most = 0
    if extra == "choose":
        most = max(0, min(level + hook, whole(house, deck, discard) - level - hook - their - oracle))
        extra = 0
    if hook:
        return lift(hook, level + extra, their, most, roll, oracle, house)
    return begin(level + extra, their, most, roll, oracle, house)
