"""The same work in icepool, dyce and d20, each in the fastest form we know.

A form asks its library one question at a time, as ours does, and keeps between two questions only what its
library keeps. Where it is faster still to share or sum by hand, in Python instead of the library, that form
is an aside: timed and shown, not raced. Every form gives what ours gives: each result by name with its exact
chance.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from itertools import product
from math import factorial
from typing import Any, TypeAlias

import icepool  # type: ignore[import-untyped]
import icepool.evaluator  # type: ignore[import-untyped]
import icepool.math  # type: ignore[import-untyped]
from dyce import H, P
from dyce.lifecycle import ExperimentalWarning
from icepool import Deck, Die, MultisetEvaluator, Pool, UnsupportedOrder

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its parser still imports sre_parse
    import d20  # type: ignore[import-untyped]

Odds: TypeAlias = dict[Any, Fraction]
Case: TypeAlias = tuple[int, int, int]  # EL, Extra Effort, opposing EL

VERSIONS = {name: version(name) for name in ("icepool", "dyce", "d20")}


def clear() -> None:
    """Empty every cache that icepool keeps between questions; dyce and d20 keep none that matters here."""
    for shared in vars(icepool.evaluator).values():
        if isinstance(shared, MultisetEvaluator):
            vars(shared).pop("_cache", None)
    Pool.clear_cache()
    icepool.math.comb_row_cache.clear()
    icepool.d.cache_clear()
    icepool.z.cache_clear()


def read(die: Any, names: Mapping[Any, Any] | None = None) -> Odds:
    """What an icepool die or a dyce histogram says, as exact chances by name."""
    ways = die.total if isinstance(die, H) else die.denominator()
    if names is None:
        return {outcome: Fraction(n, ways) for outcome, n in die.items() if n}
    return {names[outcome]: Fraction(n, ways) for outcome, n in die.items() if n}


class Counted(MultisetEvaluator):  # type: ignore[misc]
    """An icepool evaluator that counts from 0 and lets icepool keep what it counted."""

    key: tuple[int, ...] = ()

    def initial_state(self, *_: Any, **__: Any) -> Any:
        return 0

    @property
    def next_state_key(self) -> Any:
        return type(self), self.key


# ---- the d20 oracle (D1-D3) --------------------------------------------------------------------------------

ORACLE = (
    "scene-defining-fact",
    "great-boon",
    "great-bane",
    "great-boon-with-great-bane",
    "definitive-no",
    "yes",
    "yes-but",
    "no",
    "no-and",
)


def _boon(likelihood: str) -> Any:
    die = icepool.d(20)
    return {"even": lambda: die, "likely": lambda: die.highest(2), "unlikely": lambda: die.lowest(2)}[
        likelihood
    ]()


def _answer(fate: int, boon: int, bane: int) -> str:
    if fate in (boon, bane):
        return "scene-defining-fact" if boon == bane else "great-boon" if fate == boon else "great-bane"
    if boon == bane:
        return "great-boon-with-great-bane" if boon > fate else "definitive-no"
    if boon > fate:
        return "yes-but" if bane > fate else "yes"
    return "no-and" if bane > fate else "no"


def oracle_map(likelihood: str) -> Odds:
    """icepool.map over every triple of dice."""
    return read(icepool.map(_answer, icepool.d(20), _boon(likelihood), icepool.d(20)))


def _ranking(fate: int, boon: int, bane: int) -> tuple[int, ...]:
    """Which dice lie on each level that has any, going up: 1 Fate, 2 Boon, 4 Bane, added."""
    levels = ((fate == level) + 2 * (boon == level) + 4 * (bane == level) for level in (1, 2, 3))
    return tuple(level for level in levels if level)


_RANKED = {_ranking(*dice): _answer(*dice) for dice in product((1, 2, 3), repeat=3)}


class _Ranks(Counted):
    def initial_state(self, order: Any, *_: Any, **__: Any) -> Any:
        if order < 0:
            raise UnsupportedOrder
        return ()

    def next_state(self, state: Any, _: Any, outcome: Any, fate: int, boon: int, bane: int) -> Any:
        level = fate + 2 * boon + 4 * bane
        return (*state, level) if level else state

    def final_outcome(self, state: Any, *_: Any, **__: Any) -> Any:
        return _RANKED[state]


def oracle_multiset(likelihood: str) -> Odds:
    """Three pools of one die, ranked by an evaluator."""
    die = icepool.d(20)
    return read(_Ranks().evaluate(die.pool(1), _boon(likelihood).pool(1), die.pool(1)))


def _given_fate(likelihood: str) -> Iterator[tuple[int, ...]]:
    """For each Fate the ways of each result, in the order of ORACLE, by what lies above, at and below it."""
    boon = _boon(likelihood)
    ways, at, upto = boon.denominator(), (0, *boon.quantities()), (0, *boon.quantities("<="))
    for fate in range(1, 21):
        here, under, over, low, high = at[fate], upto[fate - 1], ways - upto[fate], fate - 1, 20 - fate
        alike = here, here * 19, ways - here, over, under
        yield *alike, over * low, over * (high - 1), under * (low - 1), under * high


def oracle_mixed(likelihood: str) -> Odds:
    """A die of results for each Fate, and a die of those."""
    return read(Die([Die(dict(zip(ORACLE, ways, strict=True))) for ways in _given_fate(likelihood)]))


def oracle_weighted(likelihood: str) -> Odds:
    """One die of the results at every Fate, with their weights."""
    return read(Die(ORACLE * 20, [n for ways in _given_fate(likelihood) for n in ways]))


def oracle_by_hand(likelihood: str) -> Odds:
    """The weights summed in Python."""
    sums = map(sum, zip(*_given_fate(likelihood), strict=True))
    return read(Die(dict(zip(ORACLE, sums, strict=True))))


# ---- poker dice (P2, P3): N is 0, R 1, A 3, so that the sum of the two kept names the result ---------------

GROUPS = {0: 2, 1: 3, 3: 1}
POKER = {
    6: "extreme-success",
    4: "complete-success",
    2: "simple-success",
    3: "draw",
    1: "simple-defeat",
    0: "complete-defeat",
}
MODIFIERS = range(-3, 4)


def poker_icepool_keep() -> list[Odds]:
    """Die.highest and Die.lowest with two kept."""
    die = Die(GROUPS)
    kept = (
        die.highest(2 + net, 2) if net > 0 else die.lowest(2 - net, 2) if net else die + die
        for net in MODIFIERS
    )
    return [read(two, POKER) for two in kept]


class _Sum(Counted):
    def next_state(self, state: Any, _: Any, outcome: Any, count: int) -> Any:
        return state + outcome * count


def poker_icepool_pool() -> list[Odds]:
    """Pools with two kept, under one evaluator that remembers the smaller ones."""
    die, added = Die(GROUPS), _Sum()
    pools = (die.pool(2 + abs(net))[slice(-2, None) if net >= 0 else slice(2)] for net in MODIFIERS)
    return [read(added.evaluate(pool), POKER) for pool in pools]


def poker_dyce_at() -> list[Odds]:
    """P.at with two kept."""
    h = H(GROUPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        pools = (((2 + abs(net)) @ P(h)).at(slice(-2, None) if net >= 0 else slice(2)) for net in MODIFIERS)
        return [read(pool, POKER) for pool in pools]


def poker_dyce_rolls() -> list[Odds]:
    """P.rolls_with_counts with two kept."""
    h, out = H(GROUPS), []
    for net in MODIFIERS:
        pool, sums = (2 + abs(net)) @ P(h), dict.fromkeys(POKER, 0)
        for roll, n in pool.rolls_with_counts(slice(-2, None) if net >= 0 else slice(2)):
            sums[sum(roll)] += n
        ways = pool.total
        out.append({POKER[two]: Fraction(n, ways) for two, n in sums.items() if n})
    return out


_TWO = {a + b: (a, b) for a, b in ((0, 0), (0, 1), (1, 1), (0, 3), (1, 3), (3, 3))}
_BETTER = {(two, x): sum(sorted((*_TWO[two], x))[1:]) for two in _TWO for x in GROUPS}
_WORSE = {(two, x): sum(sorted((*_TWO[two], x))[:2]) for two in _TWO for x in GROUPS}


def poker_dyce_running() -> list[Odds]:
    """All seven in one go: H.apply of the two kept so far and one die more, by tables made beforehand."""
    h = H(GROUPS)
    out = {0: h + h}
    for step, table in ((1, _BETTER), (-1, _WORSE)):
        for net in (step, 2 * step, 3 * step):
            out[net] = out[net - step].apply(lambda two, x, table=table: table[two, x], h)  # type: ignore[misc]
    return [read(out[net], POKER) for net in MODIFIERS]


# ---- Agate (A2, A3) ----------------------------------------------------------------------------------------

LADDERS = ((20, 15, 2), (12, 8, 2), (10, 6, 2), (8, 5, 1), (6, 3, 1), (4, 2, 1))
AGATE = {3: "triumph", 2: "success", 1: "setback", 0: "catastrophe"}


def _banded(rank: int) -> Any:
    """The die of a rank with bands for faces."""
    top, success, setback = LADDERS[rank]
    ways = {3: 1, 2: top - success, 1: success - setback, 0: setback - 1}
    return Die({band: n for band, n in ways.items() if n})


def agate_bands() -> list[Odds]:
    """Six ranks, the highest and the lowest of 1..10, of dice with bands for faces."""
    out = []
    for rank in range(6):
        die = _banded(rank)
        for n in range(1, 11):
            out += [read(die.highest(n), AGATE), read(die.lowest(n), AGATE)]
    return out


def agate_faces() -> list[Odds]:
    """The same of dice with their numbers, told by band afterwards."""
    out = []
    for top, success, setback in LADDERS:
        die = icepool.d(top)
        names = {x: AGATE[(x >= setback) + (x >= success) + (x == top)] for x in range(1, top + 1)}
        for n in range(1, 11):
            out += [read(die.highest(n).map(names)), read(die.lowest(n).map(names))]
    return out


def agate_pool(dice: int) -> Odds:
    """The highest of a pool of d20s."""
    return read(_banded(0).highest(dice), AGATE)


# ---- cards: resolution, with Extra Effort (C6) -------------------------------------------------------------

_BUST = -100  # an outcome is one integer: own score less theirs, or _BUST less theirs
RESOLVED = (
    {n: ("win", n) for n in range(1, 30)}
    | {-n: ("loss", -n) for n in range(30)}
    | {_BUST - n: ("bust", -n) for n in range(30)}
)


class _Hands(Counted):
    """Reds of two hands from a deck of 0 and 1."""

    def initial_state(self, *_: Any, **__: Any) -> Any:
        return 0, 0

    def next_state(self, state: Any, _: Any, outcome: Any, hands: Any) -> Any:
        return hands if outcome else state

    def final_outcome(self, state: Any, *_: Any, el: int) -> Any:
        mine, theirs = state
        return mine - theirs if mine <= el else _BUST - theirs


def cards_hands(cases: Iterable[Case]) -> dict[Case, Odds]:
    """Deck.deal of two hands."""
    deck, reds = Deck({0: 26, 1: 26}), _Hands()
    return {
        (el, extra, against): read(reds.evaluate(deck.deal((el + extra, against)), el=el), RESOLVED)
        for el, extra, against in cases
    }


class _Places(Counted):
    """Reds dealt onto places 1 (mine), 2 (theirs) and 0 (the rest)."""

    def next_state(self, state: Any, _: Any, place: Any, reds: int) -> Any:
        return state + 100 * reds if place == 1 else state + reds if place else state

    def final_outcome(self, state: Any, *_: Any, el: int) -> Any:
        mine, theirs = divmod(state, 100)
        return mine - theirs if mine <= el else _BUST - theirs


class _Lead(Counted):
    """Reds dealt onto places 2 (mine), 0 (theirs) and 1 (the rest), where nobody can bust."""

    def next_state(self, state: Any, _: Any, place: Any, reds: int) -> Any:
        return state + reds * (place - 1)


def cards_places(cases: Iterable[Case]) -> dict[Case, Odds]:
    """The 26 reds dealt as one hand onto 52 places, which icepool meets in the order of their numbers."""
    out: dict[Case, Odds] = {}
    lead, places = _Lead(), _Places()
    for el, extra, against in cases:
        mine = el + extra
        rest = 52 - mine - against
        if extra:
            die = places.evaluate(Deck({0: rest, 1: mine, 2: against}).deal(26), el=el)
        else:
            die = lead.evaluate(Deck({0: against, 1: rest, 2: mine}).deal(26))
        out[el, extra, against] = read(die, RESOLVED)
    return out


class _Both(_Places):
    def final_outcome(self, state: Any, *_: Any, **__: Any) -> Any:
        return state


def cards_joint(cases: Iterable[Case]) -> dict[Case, Odds]:
    """Each pair of hands dealt once for all the ELs that may have drawn it, and told apart in Python."""
    both = _Both()

    @cache
    def hands(mine: int, theirs: int) -> tuple[list[tuple[int, int, int]], int]:
        die = both.evaluate(Deck({0: 52 - mine - theirs, 1: mine, 2: theirs}).deal(26))
        return [(*divmod(state, 100), n) for state, n in die.items()], die.denominator()

    out: dict[Case, Odds] = {}
    for el, extra, against in cases:
        told: dict[int, int] = {}
        reds, ways = hands(el + extra, against)
        for mine, theirs, n in reds:
            end = mine - theirs if mine <= el else _BUST - theirs
            told[end] = told.get(end, 0) + n
        out[el, extra, against] = {RESOLVED[end]: Fraction(n, ways) for end, n in told.items()}
    return out


# ---- cards: the best Extra Effort (C6.3) -------------------------------------------------------------------

Best: TypeAlias = dict[int, tuple[int, list[Fraction]]]  # by opposing EL: the best x, and the worth of each


def _best(el: int, against: Iterable[int], chance: Callable[[int, int], Fraction]) -> Best:
    worths = {other: [chance(el + extra, other) for extra in range(el + 1)] for other in against}
    return {other: (one.index(max(one)), one) for other, one in worths.items()}


class _WonHands(_Hands):
    def final_outcome(self, state: Any, *_: Any, el: int) -> Any:
        mine, theirs = state
        return theirs < mine <= el


def effort_hands(el: int, against: Iterable[int]) -> Best:
    """A loop over x, two hands dealt."""
    deck, won = Deck({0: 26, 1: 26}), _WonHands()
    return _best(el, against, lambda a, b: won.evaluate(deck.deal((a, b)), el=el).probability(True))


class _WonPlaces(_Places):
    def final_outcome(self, state: Any, *_: Any, el: int) -> Any:
        mine, theirs = divmod(state, 100)
        return theirs < mine <= el


def effort_places(el: int, against: Iterable[int]) -> Best:
    """A loop over x, reds dealt onto places."""
    won = _WonPlaces()

    def chance(mine: int, theirs: int) -> Fraction:
        places = Deck({0: 52 - mine - theirs, 1: mine, 2: theirs})
        return won.evaluate(places.deal(26), el=el).probability(True)  # type: ignore[no-any-return]

    return _best(el, against, chance)


# ---- cards: the token conflict, both drawing (C9) ----------------------------------------------------------

_EFFECT = {"H": (1, -1), "D": (1, 1), "S": (-1, -1), "C": (-1, 1)}  # of a card: on its drawer, on the other
_GONE = {"C": 1, "H": 1 << 4, "S": 1 << 8, "D": 1 << 12}  # cards of a suit that are gone, four bits each
_TOKEN = 1 << 16
_SUIT = 13
_ENDS = {"won": -1, "lost": -2, "both-down": -3}


def _one_deck(mine: int, theirs: int) -> tuple[dict[int, int], dict[int, int], int]:
    """Orders of the deck by their end, or by my tokens where the deck runs out first; those that end by the
    round in which they do; and how many orders there are.

    A round is a number to add: tokens won or lost, and the two cards gone. Dice count the paths unweighted,
    which their `+` does fast. How many orders a path stands for depends only on the cards gone, and is
    multiplied in at its end. Only D and S change the sum of tokens, so theirs follow from mine.
    """
    one_round = Die(
        [
            (_EFFECT[first][0] + _EFFECT[second][1]) * _TOKEN + _GONE[first] + _GONE[second]
            for first, second in product(_EFFECT, repeat=2)
        ]
    )
    ends = dict.fromkeys(_ENDS.values(), 0)
    live, left, rounds = Die([mine * _TOKEN]), 4 * _SUIT, dict.fromkeys(range(1, 2 * _SUIT + 1), 0)
    for number in rounds:
        left -= 2
        orders, going = factorial(left), {}
        for state, paths in (live + one_round).items():
            d, s, h, c = state >> 12 & 15, state >> 8 & 15, state >> 4 & 15, state & 15
            if d > _SUIT or s > _SUIT or h > _SUIT or c > _SUIT:
                continue
            own = state >> 16
            other = mine + theirs + 2 * (d - s) - own
            if own >= 0 <= other:
                going[state] = paths
                continue
            gone = factorial(_SUIT - d) * factorial(_SUIT - s) * factorial(_SUIT - h) * factorial(_SUIT - c)
            ways = paths * (orders // gone)
            ends[-1 if own >= 0 else -2 if other >= 0 else -3] += ways
            rounds[number] += ways
        live = Die(going)
    for state, paths in live.items():
        ends[state >> 16] = paths
    return ends, rounds, factorial(4 * _SUIT) // factorial(_SUIT) ** 4


def conflict_one_deck(mine: int, theirs: int) -> Odds:
    """In which round a conflict ends within one deck; what does not is unresolved."""
    ends, rounds, orders = _one_deck(mine, theirs)
    out: Odds = {number: Fraction(n, orders) for number, n in rounds.items() if n}
    return {**out, "unresolved": Fraction(sum(n for end, n in ends.items() if end >= 0), orders)}


def conflict_to_the_end(mine: int, theirs: int) -> tuple[Odds, Fraction]:
    """How a conflict ends, through every reshuffle, and its mean number of rounds.

    After a whole deck the sum of tokens is what it was, so that a deck is one step between few places: a
    chain that icepool solves. A place is left with a chance of 1 over its mean rounds, so that the mean time
    is in rounds. Mirrored places are counted once.
    """
    total, mirror = mine + theirs, {-1: -2, -2: -1, -3: -3}
    decks: dict[int, tuple[dict[int, int], Fraction]] = {}
    for own in range(mine % 2, total + 1, 2):
        if total - own in decks:
            ends, rounds = decks[total - own]
            decks[own] = {mirror.get(end, total - end): n for end, n in ends.items()}, rounds
        else:
            ends, over_in, orders = _one_deck(own, total - own)
            going = sum(n for end, n in ends.items() if end >= 0)
            all_rounds = sum(number * n for number, n in over_in.items()) + 2 * _SUIT * going
            decks[own] = ends, Fraction(all_rounds, orders)
    steps = {}
    for own, (ends, rounds) in decks.items():
        stay = rounds.numerator - rounds.denominator
        steps[own] = Die([Die({end: n for end, n in ends.items() if n}), own], [rounds.denominator, stay])
    over = icepool.map(steps, mine, repeat="inf")
    odds = {name: over.probability(end) for name, end in _ENDS.items()}
    return odds, icepool.mean_time_to_absorb(steps, mine)


# ---- plays -------------------------------------------------------------------------------------------------


def plays_roll(n: int) -> None:
    """d20.roll("3d20")."""
    for _ in range(n):
        d20.roll("3d20")


def plays_parsed(n: int) -> None:
    """One Roller, the expression parsed beforehand."""
    tree, roll = d20.parse("3d20"), d20.Roller().roll
    for _ in range(n):
        roll(tree)
