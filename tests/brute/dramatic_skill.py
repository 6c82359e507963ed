"""Dramatic skill resolution (S1-S10): tests, help, and whole tasks by recursion over all that may come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from . import agate, poker_dice
from .cards import Given, Piles, colour, deal_reds, heap, next_card, piles, settle_roll, settled, size
from .mass import Odds, mix, pool

LEVELS = ("mishap", "failure", "standard", "good", "outstanding", "spectacular")
COUNTS = dict(zip(LEVELS, (-1, 0, 1, 2, 3, 4), strict=True))  # S8
DRAMA = {  # S3
    "AB": 6,
    "AC": 4,
    "AD": 4,
    "BC": 4,
    "BD": 4,
    "ABC": 4,
    "ABD": 4,
    "ABCD": 4,
    "complication": 2,
    "possible-setback": 2,
    "critical-problem": 2,
}
DILEMMAS = ("complication", "possible-setback", "critical-problem")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

T = TypeVar("T")
Record = Mapping[str, Any]
Roll = tuple[int, int]  # as the skilled and the unskilled read it


def succeeds(level: str) -> bool:
    return LEVELS.index(level) >= LEVELS.index("standard")


# ---- S9: one test --------------------------------------------------------------------------------


class Step(NamedTuple):
    skill: int | None
    dn: int
    by: str
    unskilled: bool
    level: str | None


def step(record: Record, lead: str | None = None) -> Step:
    """A test record; its skill may name a number for each lead."""
    skill = record.get("skill")
    if isinstance(skill, Mapping):
        skill = skill[lead]
    return Step(
        skill,
        record.get("dn", 0),
        record.get("by", "d20"),
        record.get("unskilled", False),
        record.get("level"),
    )


def chart(total: int) -> int:
    """S9(a): the bonus of a d20 total."""
    if total <= 2:
        return (-10, -8)[total - 1]
    if total <= 8:
        return (-6, -6, -4, -4, -2, -2)[total - 3]
    if total <= 14:
        return (-1, -1, 0, 0, 1, 1)[total - 9]
    if total <= 20:
        return total - 13
    return 8 + (total - 21) // 5


def d20_level(total: int, skill: int, dn: int) -> str:
    """S9(a): the success level; `skill` with all modifiers in it."""
    if total == 1:
        return "mishap"
    margin = skill + chart(total) - dn
    if margin < 0:
        return "failure"
    return LEVELS[2 + min(3, margin // 5)]


@lru_cache(None)
def d20_rolls(cap: int) -> Odds[Roll]:
    """S9(a): every roll; totals above `cap`, which all read alike, stand as cap + 1."""
    ended: list[tuple[Roll, Fraction]] = []
    rolling: list[tuple[int, int | None, Fraction]] = [(0, None, Fraction(1))]
    while rolling:
        total, stopped, p = rolling.pop()
        for face in range(1, 21):
            now = total + face
            held = now if stopped is None and face == 20 else stopped
            if face in (10, 20) and now <= cap:
                rolling.append((now, held, p / 20))
            else:
                unskilled = now if held is None else held
                ended.append(((min(now, cap + 1), min(unskilled, cap + 1)), p / 20))
    return pool(ended)


def cap_for(needs: Iterable[int]) -> int:
    """A total from which on every one of these bonuses is reached."""
    most = max(needs)
    total = 2
    while chart(total) < most:
        total += 1
    return total


def dice_for(m: int) -> tuple[int, int]:
    """S9(b): a sum of modifiers as bonus and penalty dice, half of it rounded up."""
    number = (abs(m) + 1) // 2
    return (number, 0) if m > 0 else (0, number)


POKER = {
    "extreme-success": "spectacular",
    "complete-success": "good",
    "simple-success": "standard",
    "draw": "standard",
    "simple-defeat": "failure",
    "complete-defeat": "mishap",
}
AGATE = {
    "triumph": "outstanding",
    "success": "standard",
    "partial-success": "standard",
    "setback": "failure",
    "averted-catastrophe": "failure",
    "cannot-attempt": "failure",
    "catastrophe": "mishap",
}


def card_level(result: str, effect: int) -> str:
    if result == "bust":
        return "mishap"
    if result == "loss":
        return "failure"
    return LEVELS[2 + (effect >= 2) + (effect >= 4) + (effect >= 6)]


@lru_cache(None)
def one_test(
    s: Step,
    m: int,
    cards: Piles,
    extra: int = 0,
    strain: str = "plain",
) -> Odds[tuple[str, Piles]]:
    """One test by itself: its level, and the playing cards afterwards."""
    if s.by == "stated":
        assert s.level is not None, "a stated test needs its level"
        return {(s.level, cards): Fraction(1)}
    assert s.skill is not None
    skill, dn = s.skill, s.dn
    if s.by == "d20":
        rolls = d20_rolls(cap_for([15 + dn - skill - m]))
        return pool(((d20_level(r[s.unskilled], skill + m, dn), cards), p) for r, p in rolls.items())
    bonus, penalty = dice_for(m)
    if s.by == "poker-dice":
        rolled = poker_dice.roll(skill, bonus, penalty + dn)
        return pool(((POKER[o.result], cards), p) for o, p in rolled.items())
    if s.by == "agate":
        tried = agate.attempt(skill, dn, 0, bonus, penalty, policy=strain)
        return pool(((AGATE[o.result], cards), p) for o, p in tried.items())
    assert s.by == "cards", s.by
    el = max(0, skill + m)
    ends = []
    for (mine, left), p in deal_reds(el + extra, cards).items():
        for (theirs, rest), q in deal_reds(dn, left).items():
            roll = settle_roll(mine, el, theirs, dn, "opponent")
            # What was drawn goes to the discard: as many of each colour as both sides took.
            reds, drawn = mine + theirs, el + extra + dn
            back = settled(rest, ["R"] * reds + ["B"] * (drawn - reds))
            ends.append(((card_level(roll.result, roll.effect), back), p * q))
    return pool(ends)


def playing_cards(cards: Given | None) -> Piles:
    return piles(colour, cards)


class Tested(NamedTuple):
    result: str


def chance_of_success(odds: Mapping[Any, Fraction]) -> Fraction:
    return sum((p for (level, _), p in odds.items() if succeeds(level)), Fraction(0))


def ways(s: Step, m: int, cards: Piles, policy: str) -> list[Odds[tuple[str, Piles]]]:
    """S9(b): the ways to take a test: Extra Effort 0..EL, Strain or none; the plain one first."""
    if policy == "plain":
        return [one_test(s, m, cards)]
    if s.by == "cards":
        el = max(0, (s.skill or 0) + m)
        # An Extra Effort that the cards cannot fill is refused beforehand (C2), so it is not offered.
        room = size(cards[0]) + size(cards[1]) - s.dn
        return [one_test(s, m, cards, x) for x in range(el + 1) if el + x <= room or x == 0]
    if s.by == "agate":
        return [one_test(s, m, cards, strain=how) for how in ("plain", "best", "spend")]
    return [one_test(s, m, cards)]


def test(
    skill: int | None = None,
    dn: int = 0,
    modifier: int = 0,
    unskilled: bool = False,
    using: str = "d20",
    level: str | None = None,
    extra: int | str = "choose",
    *,
    cards: Given | None = None,
    policy: str = "plain",
) -> Odds[Tested]:
    """S9. Best: the greatest chance of at least a Standard success. `extra` is for card tests."""
    s, hand = Step(skill, dn, using, unskilled, level), playing_cards(cards)
    found = (
        ways(s, modifier, hand, policy) if extra == "choose" else [one_test(s, modifier, hand, int(extra))]
    )
    return pool((Tested(result), p) for (result, _), p in max(found, key=chance_of_success).items())


# ---- S8: help ------------------------------------------------------------------------------------


class Helped(NamedTuple):
    count: int  # type: ignore[assignment]  # the field hides tuple.count, which nobody calls
    bonus: int


def measure(v: int) -> Fraction:
    return Fraction((10, 15, 25, 40, 60)[v % 5], 10) * Fraction(10 ** (v // 5))


def bonus_of(n: int) -> int:
    """The value of n characters; none or fewer cost 2."""
    if n <= 0:
        return -2
    v = 0
    while measure(v + 1) <= n:
        v += 1
    return v


def helping(helpers: Sequence[str | Record], cards: Piles, strain: str = "plain") -> Odds[tuple[int, Piles]]:
    """Effective characters, lead included, one helper after the other."""
    odds: Odds[tuple[int, Piles]] = {(1, cards): Fraction(1)}
    for helper in helpers:
        if isinstance(helper, str):
            assert helper == "normal", helper
            odds = pool(((n + 1, left), p) for (n, left), p in odds.items())
        else:
            s = step(helper)
            odds = pool(
                ((n + COUNTS[level], rest), p * q)
                for (n, left), p in odds.items()
                for (level, rest), q in one_test(s, 0, left, strain=strain).items()
            )
    return odds


def help(
    helpers: Sequence[str | Record], *, cards: Given | None = None, policy: str = "plain"
) -> Odds[Helped]:
    """S8. Best: Strain is spent wherever it makes a helper count for more."""
    helped = helping(helpers, playing_cards(cards), "plain" if policy == "plain" else "spend")
    return pool((Helped(n, bonus_of(n)), p) for (n, _), p in helped.items())


# ---- S1-S7, S10: the task ------------------------------------------------------------------------


class Ended(NamedTuple):
    result: str
    rounds: int
    steps_done: int
    approved: int
    last_ditch: bool
    dn_plus: int


def chance_done(odds: Mapping[Ended, Fraction]) -> Fraction:
    return sum((p for end, p in odds.items() if end.result == "done"), Fraction(0))


def act(
    tests: Sequence[Step],
    m: int,
    cards: Piles,
    then: Callable[[int, Piles], Odds[Ended]],
    policy: str,
) -> Odds[Ended]:
    """One action, sharing one d20 roll: the tests until one fails; `then` gets how many succeeded."""
    by_d20 = [s for s in tests if s.by == "d20"]

    def passes(s: Step, roll: Roll) -> bool:
        assert s.skill is not None
        return succeeds(d20_level(roll[s.unskilled], s.skill + m, s.dn))

    def rolls() -> Odds[tuple[bool, ...]]:
        """The shared roll, as what it says to each test."""
        cap = cap_for(s.dn - (s.skill or 0) - m for s in by_d20)
        return pool(
            (tuple(s.by == "d20" and passes(s, roll) for s in tests), p) for roll, p in d20_rolls(cap).items()
        )

    def at(i: int, roll: tuple[bool, ...] | None, left: Piles) -> Odds[Ended]:
        if i == len(tests):
            return then(i, left)
        if tests[i].by == "d20":
            if roll is None:
                return mix((p, at(i, thrown, left)) for thrown, p in rolls().items())
            return at(i + 1, roll, left) if roll[i] else then(i, left)
        found = [
            mix(
                (p, at(i + 1, roll, rest) if succeeds(level) else then(i, rest))
                for (level, rest), p in way.items()
            )
            for way in ways(tests[i], m, left, policy)
        ]
        return max(found, key=chance_done)

    return at(0, None, cards)


def task(
    steps: Sequence[Record],
    rounds: int = 5,
    leads: Sequence[str] | None = None,
    helpers: Sequence[str | Record] = (),
    completed: int = 0,
    dn_plus: int = 0,
    deck: Mapping[str, int] | None = None,
    cards: Given | None = None,
    multi_action: bool = True,
    last_ditch: str = "multi",
    *,
    policy: str = "plain",
    lead_asked: str = "card",
    fields: Sequence[str] = Ended._fields,
    whole: Mapping[str, int] | None = None,
    discard: Mapping[str, int] | None = None,
) -> Odds[Ended]:
    """S1-S10.

    Plain: the next step alone each round, eligible or not, by the first lead. Best: the greatest chance of
    being done. `whole` is the table's own drama deck, `deck` what is left of it, `discard` the rest of it unless
    given. `lead_asked` says whether the lead is named knowing the card ("card") or before it is turned ("round").
    `last_ditch` in an end means that a Last Ditch did it. Only `fields` of the ends are told apart.
    """
    last = len(steps)
    full = Counter(whole or DRAMA)
    left = full if deck is None else Counter(deck)
    drama: Piles = (
        heap(left.elements()),
        heap((full - left if discard is None else Counter(discard)).elements()),
    )
    choose: Callable[[list[Odds[Ended]]], Odds[Ended]] = (
        (lambda found: found[0]) if policy == "plain" else (lambda found: max(found, key=chance_done))
    )
    who: Sequence[str | None] = leads or [None]

    def ended(result: str, number: int, done: int, ditched: bool, plus: int) -> Odds[Ended]:
        whole = Ended(result, number, done, 0, ditched, plus)
        blurred = {name: type(value)() for name, value in whole._asdict().items() if name not in fields}
        return {whole._replace(**blurred): Fraction(1)}

    @lru_cache(None)
    def record(index: int, lead: str | None, plus: int) -> Step:
        s = step(steps[index], lead)
        return s._replace(dn=s.dn + plus)

    def lead_acts(
        number: int,
        card: str,
        pile: Piles,
        done: int,
        plus: int,
        hand: Piles,
        bonus: int,
        lead: str | None,
    ) -> Odds[Ended]:
        """S10: the lead has seen the bonus and chooses."""
        dilemma = card in DILEMMAS
        eligible = dilemma or LETTERS[done] in card
        open_steps = [record(i, lead, plus) for i in range(done, last)]

        def onward(now_done: int, now_plus: int, now_hand: Piles) -> Odds[Ended]:
            return a_round(number + 1, pile, now_done, now_plus, now_hand)

        def consequence(passed: int, now_hand: Piles) -> Odds[Ended]:
            """S4, S6."""
            now = done + passed
            if now == last:
                return ended("done", number, last, False, plus)
            if passed or not dilemma:
                return onward(now, plus, now_hand)
            if card == "complication":
                return onward(now, plus + 1, now_hand)
            if card == "possible-setback":
                return onward(max(0, now - 1), plus, now_hand)
            return onward(0, plus, now_hand)

        def approve(passed: int, now_hand: Piles) -> Odds[Ended]:
            """S5."""
            later = onward(done, plus, now_hand)
            if "approved" not in fields:
                return later
            return {end._replace(approved=end.approved + passed): p for end, p in later.items()}

        def ditch(tests: int) -> Callable[[int, Piles], Odds[Ended]]:
            """S7."""

            def then(passed: int, now_hand: Piles) -> Odds[Ended]:
                if passed == tests:
                    return ended("done", number, last, True, plus)
                return onward(0, plus + (card == "complication"), now_hand)

            return then

        found = []
        if eligible:
            longest = 1
            while multi_action and not dilemma and done + longest < last and LETTERS[done + longest] in card:
                longest += 1
            for k in range(1, longest + 1):
                found.append(act(open_steps[:k], bonus - 2 * (k - 1), hand, consequence, policy))
                if policy == "plain":
                    return found[0]
        else:
            found.append(act(open_steps[:1], bonus, hand, approve, policy))
            if policy == "plain":
                return found[0]
        k = len(open_steps)
        if last_ditch == "multi":
            found.append(act(open_steps, bonus - 2 * (k - 1) - 2, hand, ditch(k), policy))
        elif last_ditch == "single":
            hardest = max(open_steps, key=lambda s: s.dn)  # the first of equals
            found.append(act([hardest], bonus - 2, hand, ditch(1), policy))
        found.append(consequence(0, hand))
        return choose(found)

    def led(
        number: int, card: str, pile: Piles, done: int, plus: int, hand: Piles, lead: str | None
    ) -> Odds[Ended]:
        """Helpers act before the lead (S8)."""
        helped = helping(helpers, hand, "plain" if policy == "plain" else "spend")
        by_bonus = pool(((bonus_of(n), left), p) for (n, left), p in helped.items())
        return mix(
            (p, lead_acts(number, card, pile, done, plus, left, bonus, lead))
            for (bonus, left), p in by_bonus.items()
        )

    @lru_cache(None)
    def a_round(number: int, pile: Piles, done: int, plus: int, hand: Piles) -> Odds[Ended]:
        if number > rounds:
            return ended("out-of-time", rounds, done, False, plus)
        turned = [(p, card, settled(left, [card])) for p, card, left in next_card(pile)]
        if lead_asked == "round":
            return choose(
                [
                    mix((p, led(number, card, left, done, plus, hand, lead)) for p, card, left in turned)
                    for lead in who
                ]
            )
        return mix(
            (p, choose([led(number, card, left, done, plus, hand, lead) for lead in who]))
            for p, card, left in turned
        )

    return a_round(1, drama, completed, dn_plus, playing_cards(cards))
