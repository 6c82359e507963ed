"""The Drawing of the Three (C4), contests without a roll (C5), and what three cards without a pip decide (C8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from sortes.core.ask import Ask, Choice, Done, Moment, Option, State, Tally, Throw, moment
from sortes.core.chance import Draw
from sortes.core.errors import Refused
from sortes.core.form import SUPPLIED
from sortes.core.system import rule
from sortes.core.world import Purse
from sortes.systems.cards import sheet
from sortes.systems.cards.deck import Code, Discard, Left, code, colour, suit, value
from sortes.systems.cards.house import CardsHouse, Decided
from sortes.systems.cards.oracle import Luck, turns

Result: TypeAlias = Literal["win", "loss", "no-contest"]
Vote: TypeAlias = Literal[
    "decisive-success",
    "success-with-complication",
    "none",
    "failure-with-silver-lining",
    "generous-defeat",
    "decisive-failure",
    "critical-failure",
]
Defender: TypeAlias = Annotated[
    Literal["card", "character"],
    Meta(description="who defends, and so holds a tie: the character acts, so the card's side does"),
]
Social: TypeAlias = Annotated[
    bool, Meta(description="a social scene: a card that beats the EL shows what its NPC can do")
]
EL: TypeAlias = Annotated[int, Meta(ge=0, le=500)]
Seen: TypeAlias = tuple[int | None, str]  # a card on the table: its value, and the suit as far as it is read

SUCCESSES = ("decisive-success", "success-with-complication")


# ---- the diceless contest (C5) ------------------------------------------------------------------


def compare(el: int, against: int | None, defends: str) -> Result:
    """The higher of EL and card wins, ties go to the defender; a face or a joker gives no contest (C5)."""
    if against is None:
        return "no-contest"
    return "win" if el > against or (el == against and defends == "character") else "loss"


class Contest(Struct, frozen=True):
    """How a diceless contest came out (C5); `shown` is the EL that an NPC has shown, for the ledger."""

    result: Result
    tie: bool = False
    shown: int | None = None


@moment("cards.contest", "C5", "C6.4")
def lift(hook: int, el: int, against: int | None, defends: str, social: bool) -> Tally:
    """A hook's rank is added while comparing; more than is left is refused (C6.4)."""

    def then(really: int) -> Done:
        if really < hook:
            raise Refused("hook", f"got {hook}; only {really} of its rank is left in this scene")
        return compared(el + hook, against, defends, social)

    return Tally("hook", hook, then)


def compared(el: int, against: int | None, defends: str, social: bool) -> Done:
    """EL against card."""
    shown = against if social and against is not None and against > el else None
    return Done(Contest(compare(el, against, defends), el == against, shown), ("C5",))


@rule(
    "cards.contest",
    Contest,
    worths={"player": lambda o: o.result == "win"},
    purses=lambda params, house: {"hook": Purse(0, params["hook"])},
)
def contest(
    el: Annotated[EL, Meta(description="the character's EL"), sheet.EL],
    card: Annotated[Code, Meta(description="the opposing card, as 8C, KS, 0H or Xr")],
    hook: Annotated[
        int, Meta(ge=0, le=100, description="a hook's rank, added to the EL at once"), sheet.HOOK
    ] = 0,
    situation: Annotated[int, Meta(ge=0, le=200, description="a situational bonus to the EL")] = 0,
    defends: Defender = "card",
    social: Social = False,
) -> State:
    """Set a character's EL against a card without a roll: the higher wins, and ties go to the defender.

    A face or a joker gives no contest. In a social scene a card that beats the EL is offered to the NPC ledger: it has
    shown that EL, which stands until play shows another (C5). Luck changes nothing here: same rank (C7.1).
    """
    against = value(code("card", card))
    if hook and against is not None:
        return lift(hook, el + situation, against, defends, social)
    return compared(el + situation, against, defends, social)


# ---- the Drawing of the Three (C4) --------------------------------------------------------------


class Three(Struct, frozen=True):
    """What three cards bring: the vote where none is a pip (C8), each beat's contest where an EL is given (C5).

    `shown` holds, in a social scene, the EL each beat's NPC has shown, or none.
    """

    vote: Vote
    beats: tuple[Result, ...] = ()
    shown: tuple[int | None, ...] = ()


def beat(card: str) -> Seen:
    """The value of a pip; the suit of a face, or the joker: what opposes, and what votes."""
    number = value(card)
    return number, suit(card) if number is None else ""


def heart(card: str) -> Seen:
    """The same, and whether Luck has anything to turn."""
    number, mark = value(card), suit(card)
    return number, mark if number is None or not turns(mark) else "D"


@moment("cards.three", "C4")
def draw(
    cards: tuple[Seen, ...],
    els: tuple[int, ...],
    hook: int,
    luck: bool,
    social: bool,
    defends: str,
    house: CardsHouse,
) -> Throw:
    """Three cards, read in order: the first opens the act."""
    at = len(cards)
    reads = heart if luck else beat
    one = Draw(1, "cards", reads, "" if at else "three", 0 if at else 3, last=at == 2)

    def then(hand: tuple[Seen]) -> State:
        seen = (*cards, hand[0])
        if at < 2:
            return draw(seen, els, hook, luck, social, defends, house)
        if luck:
            return turn(seen, els, hook, social, defends, house)
        return beats(seen, (), els, hook, social, defends, house)

    return Throw(one, then)


@moment("cards.turn-one", "C7.1")
def turn(
    cards: tuple[Seen, ...], els: tuple[int, ...], hook: int, social: bool, defends: str, house: CardsHouse
) -> Ask:
    """With all three seen, a token each reads a card as the Heart of its rank: the vote may change, no contest does."""
    options = [Option("keep")]
    options += [Option(f"turn-{i}", (("luck", 1),)) for i, (_, mark) in enumerate(cards, 1) if turns(mark)]

    def then(take: str) -> State:
        if take == "keep":  # of a pip only its value matters from here on
            read = tuple([(number, "" if number else mark) for number, mark in cards])
            return beats(read, (), els, hook, social, defends, house)
        i = int(take[-1]) - 1
        turned = (*cards[:i], (cards[i][0], "H"), *cards[i + 1 :])
        return turn(turned, els, hook, social, defends, house)

    return Choice("player", "luck", tuple(options), then)


def beats(
    cards: tuple[Seen, ...],
    done: tuple[tuple[Result, int | None], ...],
    els: tuple[int, ...],
    hook: int,
    social: bool,
    defends: str,
    house: CardsHouse,
) -> State:
    """Each beat in turn, up to the next that a hook may help; a lost one does not stop the rest (C5)."""
    while els and len(done) < 3:
        at = len(done)
        against = cards[at][0]
        if hook and against is not None:
            return help(cards, done, els, hook, social, defends, house)
        done = (*done, settled(els[at], against, social, defends))
    vote = voted([mark for _, mark in cards], house) if all(v is None for v, _ in cards) else "none"
    results = tuple([result for result, _ in done])
    why = ("C5",) * bool(els) + ("C8",) * (vote != "none")
    return Done(Three(vote, results, tuple([shown for _, shown in done]) if social else ()), why)


def settled(el: int, against: int | None, social: bool, defends: str) -> tuple[Result, int | None]:
    """A beat's result, and what its NPC has shown."""
    one: Contest = compared(el, against, defends, social).outcome
    return one.result, one.shown


@moment("cards.help", "C5", "C6.4")
def help(
    cards: tuple[Seen, ...],
    done: tuple[tuple[Result, int | None], ...],
    els: tuple[int, ...],
    hook: int,
    social: bool,
    defends: str,
    house: CardsHouse,
) -> Choice:
    """While comparing, a hook may add of its rank what this scene has left of it (C6.4)."""
    at = len(done)
    options = tuple([Option(n, (("hook", n),) if n else ()) for n in range(hook + 1)])

    def then(n: int) -> State:
        now = (*done, settled(els[at] + n, cards[at][0], social, defends))
        return beats(cards, now, els, hook, social, defends, house)

    return Choice("player", "hook", options, then)


def voted(marks: list[str], house: CardsHouse) -> Decided:
    """What three cards without a pip decide: by colour, jokers too, and by suit where all three are of one (C8)."""
    if len(set(marks)) == 1 and marks[0] in house.vote_of_one_suit:
        return house.vote_of_one_suit[marks[0]]
    return house.vote[sum(colour(mark) == "R" for mark in marks)]


def worth(outcome: Three) -> int:
    """Beats won, and a vote for success."""
    return outcome.beats.count("win") + (outcome.vote in SUCCESSES)


def purses(params: Mapping[str, Any], house: CardsHouse) -> dict[str, Purse]:
    """Luck at hand, and what is left of the hook's rank."""
    return {"luck": Purse(0, params["luck"]), "hook": Purse(0, params["hook"])}


@rule("cards.three", Three, worths={"player": worth}, decks=("cards",), purses=purses)
def three(
    el: Annotated[
        EL | Annotated[tuple[EL, ...], Meta(min_length=3, max_length=3)] | None,
        Meta(description="the EL that meets the three beats, one for each, or none"),
        sheet.EL,
    ] = None,
    hook: Annotated[
        int,
        Meta(ge=0, le=20, description="what is left of a hook's rank: each beat may take of it"),
        sheet.HOOK,
    ] = 0,
    situation: Annotated[int, Meta(ge=0, le=200, description="a situational bonus to the EL")] = 0,
    luck: Luck = 0,
    social: Social = False,
    defends: Defender = "card",
    deck: Left = None,
    discard: Discard = None,
    *,
    house: Annotated[CardsHouse, SUPPLIED],
) -> Moment:
    """Draw three cards, each a beat: a pip is somebody or something with that EL, a face colours who and what.

    With an EL each beat is a diceless contest (C5). Three cards without a pip say that fate is at work, and vote (C8).
    """
    each = () if el is None else (el,) * 3 if isinstance(el, int) else el
    return draw((), tuple([n + situation for n in each]), hook, luck > 0, social, defends, house)
