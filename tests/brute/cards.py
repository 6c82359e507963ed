"""The card rules (C1-C9, C11) by dealing one card at a time.

Two piles, the deck and the discard, are counts of whatever a rule reads of a card; cards on the table are in
neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeVar

from .mass import Odds, mean, mix, pool

RANKS = "A234567890JQK"
SUITS = "HDSC"
JOKERS = ("Xr", "Xb")
SAYS = {"H": "yes-and", "D": "yes-but", "S": "no-but", "C": "no-and"}  # C3

N = TypeVar("N", bound=Hashable)
Pile = tuple[tuple[str, int], ...]
Piles = tuple[Pile, Pile]
Given = Sequence[str] | Mapping[str, int]


class TooFewCards(ValueError):
    """C2: not even the discard fills the draw."""


# ---- C1: what is read of a card ------------------------------------------------------------------


def suit(card: str) -> str:
    """The suit; of a joker, the joker."""
    return card if card in JOKERS else card[-1]


def colour(card: str) -> str:
    """R or B."""
    return "R" if suit(card) in ("H", "D", "Xr", "R") else "B"


def value(card: str) -> int | None:
    """1..10 of a pip, none of a face or joker."""
    if card in JOKERS or card[0] in "JQK":
        return None
    return RANKS.index(card[0]) + 1


def full_pack(packs: int = 1, jokers: int = 0) -> list[str]:
    pack = [rank + s for rank in RANKS for s in SUITS]
    return (pack + list(JOKERS[:jokers])) * packs


# ---- C2: the piles -------------------------------------------------------------------------------


def heap(cards: Iterable[str]) -> Pile:
    return tuple(sorted(Counter(cards).items()))


def listed(given: Given) -> list[str]:
    """Card codes, or counts of suits, as one list."""
    return list(Counter(dict(given)).elements()) if isinstance(given, Mapping) else list(given)


def piles(
    read: Callable[[str], str],
    deck: Given | None = None,
    discard: Given | None = None,
    packs: int = 1,
    jokers: int = 0,
) -> Piles:
    """A fresh deck; or `deck`, and in the discard the rest of the pack unless `discard` says otherwise."""
    full = full_pack(packs, jokers)
    if deck is None:
        return heap(map(read, full)), ()
    left = listed(deck)
    if discard is not None:
        return heap(map(read, left)), heap(map(read, listed(discard)))
    whole = list(map(suit, full)) if isinstance(deck, Mapping) else full
    rest = Counter(whole)
    rest.subtract(left)
    if min(rest.values()) < 0:
        raise ValueError("a card that the pack does not hold")
    return heap(map(read, left)), heap(map(read, rest.elements()))


def project(both: Piles, read: Callable[[str], str]) -> Piles:
    """The same piles, seen less sharply."""
    deck, discard = both
    return heap(map(read, Counter(dict(deck)).elements())), heap(map(read, Counter(dict(discard)).elements()))


def size(pile: Pile) -> int:
    return sum(count for _, count in pile)


def without(pile: Pile, card: str) -> Pile:
    return tuple((c, n - (c == card)) for c, n in pile if n > (c == card))


def together(one: Pile, two: Pile) -> Pile:
    return tuple(sorted((Counter(dict(one)) + Counter(dict(two))).items()))


def settled(both: Piles, cards: Iterable[str]) -> Piles:
    """The cards of an act go to the discard when it is settled."""
    return both[0], together(both[1], heap(cards))


def next_card(both: Piles) -> list[tuple[Fraction, str, Piles]]:
    """Every card that may come next. An empty deck takes in the discard first; the table's cards stay out."""
    deck, discard = both if both[0] else (both[1], ())
    if not deck:
        raise TooFewCards("neither deck nor discard holds a card")
    return [(Fraction(n, size(deck)), card, (without(deck, card), discard)) for card, n in deck]


def deal(
    count: int,
    both: Piles,
    note: Callable[[N, str], N],
    start: N,
) -> Odds[tuple[N, Piles]]:
    """Deal `count` cards, keeping of each what `note` keeps."""
    odds: Odds[tuple[N, Piles]] = {(start, both): Fraction(1)}
    for _ in range(count):
        odds = pool(
            ((note(seen, card), left), p * q)
            for (seen, now), p in odds.items()
            for q, card, left in next_card(now)
        )
    return odds


def deal_reds(count: int, both: Piles) -> Odds[tuple[int, Piles]]:
    """How many reds among `count` cards."""
    return deal(count, both, lambda reds, card: reds + (colour(card) == "R"), 0)


# ---- C4: ask -------------------------------------------------------------------------------------


class Asked(NamedTuple):
    result: str
    answer: str


def said(card: str) -> Asked:
    """C3; a joker is chaos."""
    result = SAYS.get(suit(card), "chaos")
    return Asked(result, {"y": "yes", "n": "no", "c": "none"}[result[0]])


def ask(
    luck: int = 0,
    *,
    deck: Given | None = None,
    discard: Given | None = None,
    packs: int = 1,
    jokers: int = 0,
    policy: str = "plain",
    worth: Callable[[Asked], Any] = lambda a: a.answer == "yes",
) -> Odds[Asked]:
    """C4, C7.1."""

    def settle(card: str) -> Asked:
        read = said(card)
        turned = Asked("yes-and", "yes")
        may_turn = policy == "best" and luck > 0 and card not in JOKERS
        return turned if may_turn and worth(turned) > worth(read) else read

    return pool((settle(card), p) for p, card, _ in next_card(piles(suit, deck, discard, packs, jokers)))


# ---- C5: the diceless contest --------------------------------------------------------------------


class Compared(NamedTuple):
    result: str
    tie: bool
    shown: int | None


def contest(
    el: int,
    card: str,
    hook: int = 0,
    situation: int = 0,
    defends: str = "card",
    social: bool = False,
) -> Compared:
    """C5, C6.4, C6.5."""
    against = value(card)
    if against is None:
        return Compared("no-contest", False, None)
    mine = el + hook + situation
    wins = mine > against or (mine == against and defends == "character")
    shown = against if social and against > mine else None
    return Compared("win" if wins else "loss", mine == against, shown)


# ---- C4, C5, C8: the Drawing of the Three --------------------------------------------------------


class Three(NamedTuple):
    beats: tuple[str, ...]
    vote: str


def vote(cards: Sequence[str], turned: Sequence[bool] = (False, False, False)) -> str:
    """C8: three cards without a pip; a turned card reads as a Heart."""
    if any(value(card) is not None for card in cards):
        return "none"
    suits = ["H" if t else suit(card) for card, t in zip(cards, turned, strict=True)]
    reds = sum(colour(s) == "R" for s in suits)
    if suits == ["C", "C", "C"]:
        return "critical-failure"
    if suits == ["S", "S", "S"]:
        return "generous-defeat"
    return (
        "decisive-failure",
        "failure-with-silver-lining",
        "success-with-complication",
        "decisive-success",
    )[reds]


def as_beat(card: str) -> str:
    """All that a Three reads: the value of a pip, the suit of a face, the colour of a joker."""
    if card in JOKERS:
        return card
    return card[0] + "H" if value(card) else "K" + card[1]


def beats_won(outcome: Three) -> int:
    return outcome.beats.count("win")


def three(
    el: int | Sequence[int] | None = None,
    hook: int = 0,
    situation: int = 0,
    luck: int = 0,
    *,
    deck: Given | None = None,
    discard: Given | None = None,
    packs: int = 1,
    jokers: int = 0,
    defends: str = "card",
    policy: str = "plain",
    worth: Callable[[Three], Any] = beats_won,
) -> Odds[Three]:
    """Three cards in order. Best: all three in sight, the Hook is split and cards turned as pays most."""
    els = None if el is None else [el] * 3 if isinstance(el, int) else list(el)

    def outcome(cards: Sequence[str], hooks: Sequence[int], turned: Sequence[bool]) -> Three:
        beats: tuple[str, ...] = ()
        if els is not None:
            beats = tuple(
                contest(e, card, h, situation, defends).result
                for e, card, h in zip(els, cards, hooks, strict=True)
            )
        return Three(beats, vote(cards, turned))

    splits = (
        [s for s in product(range(hook + 1), repeat=3) if sum(s) <= hook] if policy == "best" else [(0, 0, 0)]
    )
    turns = (
        [t for t in product((False, True), repeat=3) if sum(t) <= luck]
        if policy == "best"
        else [(False,) * 3]
    )

    @lru_cache(None)
    def settle(cards: tuple[str, ...]) -> Three:
        found = [
            outcome(cards, hooks, turned)
            for hooks in splits
            for turned in turns
            if not any(t and card in JOKERS for t, card in zip(turned, cards, strict=True))
        ]
        return max(found, key=worth)

    none: tuple[str, ...] = ()
    hands = deal(3, piles(as_beat, deck, discard, packs, jokers), lambda hand, card: (*hand, card), none)
    return pool((settle(cards), p) for (cards, _), p in hands.items())


# ---- C6, C7, C11: the resolution roll ------------------------------------------------------------


class Resolved(NamedTuple):
    result: str
    effect: int
    tie: bool
    their_bust: bool
    answer: str | None


def settle_roll(mine: int, el: int, theirs: int, against: int, defends: str) -> Resolved:
    """C6.1, C6.3: `mine` and `theirs` are reds drawn, or the best possible where Luck was spent."""
    bust, their_bust = mine > el, theirs > against
    own, other = (0 if bust else mine), (0 if their_bust else theirs)
    if bust and their_bust:
        return Resolved("win" if defends == "self" else "bust", 0, False, True, None)
    if bust:
        return Resolved("bust", own - other, False, False, None)
    if their_bust:
        return Resolved("win", own - other, False, True, None)
    wins = own > other or (own == other and defends == "self")
    return Resolved("win" if wins else "loss", own - other, own == other, False, None)


def won(outcome: Resolved) -> int:
    return outcome.result == "win"


def resolve(
    el: int,
    against: int,
    extra: int | str = 0,
    hook: int = 0,
    situation: int = 0,
    luck: int = 0,
    their_extra: int = 0,
    their_luck: int = 0,
    defends: str = "opponent",
    oracle: bool = False,
    *,
    deck: Given | None = None,
    discard: Given | None = None,
    packs: int = 1,
    jokers: int = 0,
    luck_beyond_numbers: bool = True,
    first: str = "own",
    policy: str = "plain",
    worth: Callable[[Resolved], Any] = won,
    most_extra: int | None = None,
) -> Odds[Resolved]:
    """C6 with C7.2-C7.4 and C11.

    Plain: no Luck, and no Extra Effort where that is left to choice. Best: each side does what serves it best
    (the opponent: that this side does not win), and spends only where it pays. `first` says who draws first:
    one's own side, or the acting one. With `extra="choose"`, best tries 0..`most_extra` (default: all that
    the cards allow).
    """
    mine_el = el + hook + situation

    def last_word(roll: Resolved, theirs: int, card: str | None, tokens: int) -> Odds[Resolved]:
        """C11, C7.4: the oracle card, turned or not, when the roll is final."""
        if card is None:
            return {roll: Fraction(1)}
        kept = roll._replace(answer=said(card).result)
        turned = roll._replace(answer="yes-and")
        could_win = settle_roll(mine_el, mine_el, theirs, against, defends).result == "win"
        may_turn = (
            policy == "best" and tokens > 0 and card not in JOKERS and (luck_beyond_numbers or could_win)
        )
        return {turned if may_turn and worth(turned) > worth(kept) else kept: Fraction(1)}

    def decide(
        order: tuple[str, ...], mine: int, theirs: int, card: str | None, tokens: int
    ) -> Odds[Resolved]:
        """C7.2, C7.3: one after the other; who comes later has seen it."""
        if not order:
            return last_word(settle_roll(mine, mine_el, theirs, against, defends), theirs, card, tokens)
        who, later = order[0], order[1:]
        keep = decide(later, mine, theirs, card, tokens)
        if policy == "plain":
            return keep
        if who == "own" and tokens > 0:
            spend = decide(later, mine_el, theirs, card, tokens - 1)
            return spend if mean(spend, worth) > mean(keep, worth) else keep
        if who == "their" and their_luck > 0:
            spend = decide(later, mine, against, card, tokens)
            return spend if mean(spend, won) < mean(keep, won) else keep
        return keep

    acting_first = ("own", "their") if defends == "opponent" else ("their", "own")
    draw_order = ("own", "their") if first == "own" else acting_first

    @lru_cache(None)
    def roll(both: Piles, x: int, card: str | None) -> Odds[Resolved]:
        """Both draw, then both decide."""
        cards = {"own": mine_el + x, "their": against + their_extra}
        ends = []
        for (reds_1, left), p in deal_reds(cards[draw_order[0]], both).items():
            for (reds_2, _), q in deal_reds(cards[draw_order[1]], left).items():
                mine, theirs = (reds_1, reds_2) if draw_order[0] == "own" else (reds_2, reds_1)
                ends.append((p * q, decide(acting_first, mine, theirs, card, luck)))
        return mix(ends)

    def declare(both: Piles, card: str | None) -> Odds[Resolved]:
        """C6.3: Extra Effort before the draw."""
        seen = project(both, colour)
        if extra != "choose":
            return roll(seen, int(extra), card)
        if policy == "plain":
            return roll(seen, 0, card)
        cards = size(seen[0]) + size(seen[1]) - mine_el - against - their_extra
        tries = range((cards if most_extra is None else min(cards, most_extra)) + 1)
        return max((roll(seen, x, card) for x in tries), key=lambda odds: mean(odds, worth))

    start = piles(suit, deck, discard, packs, jokers)
    if not oracle:
        return declare(start, None)
    return mix((p, declare(left, card)) for p, card, left in next_card(start))


def bust(el: int, extra: int, **table: Any) -> Fraction:
    """C6.3: the chance that a draw of el + extra cards busts."""
    return pool((reds > el, p) for (reds, _), p in deal_reds(el + extra, piles(colour, **table)).items()).get(
        True, Fraction(0)
    )


# ---- C6.5: the colour run ------------------------------------------------------------------------


class Ran(NamedTuple):
    reds: int


def run(
    luck: int = 0,
    *,
    deck: Given | None = None,
    discard: Given | None = None,
    packs: int = 1,
    jokers: int = 0,
    policy: str = "plain",
) -> Odds[Ran]:
    """Draw until black; best turns every black card it may, as each adds one and goes on."""

    def kind(card: str) -> str:
        return "Xb" if card == "Xb" else colour(card)

    @lru_cache(None)
    def on(left: Pile, reds: int, tokens: int) -> Odds[Ran]:
        if not left:
            return {Ran(reds): Fraction(1)}
        ends = []
        for card, n in left:
            rest = without(left, card)
            if card == "R":
                after = on(rest, reds + 1, tokens)
            else:
                after = {Ran(reds): Fraction(1)}
                if policy == "best" and card == "B" and tokens > 0:
                    after = on(rest, reds + 1, tokens - 1)
            ends.append((Fraction(n, size(left)), after))
        return mix(ends)

    ready, spent = piles(kind, deck, discard, packs, jokers)
    return on(ready or spent, 0, luck)
