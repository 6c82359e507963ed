"""The token conflict (C9) to its very end: dealt card by card, the shuffles solved as a chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from .cards import Given, TooFewCards, piles, suit
from .mass import Odds, pool

KINDS = ("H", "D", "S", "C", "X")  # X: a joker, without effect (C1)
EFFECT = {"H": (1, -1), "D": (1, 1), "S": (-1, -1), "C": (-1, 1), "X": (0, 0)}
MOST_PLACES = 1000
ENDS = ("won", "lost", "both-down")
K = TypeVar("K", bound=Hashable)
Counts = tuple[int, ...]


class Place(NamedTuple):
    """Where a conflict stands: the deck, my card while theirs is awaited, tokens, whose turn."""

    deck: Counts
    table: str
    mine: int
    theirs: int
    turn: str


def count(cards: Mapping[str, int]) -> Counts:
    found: Counter[str] = Counter()
    for card, n in cards.items():
        found["X" if card in ("Xr", "Xb") else card] += n
    return tuple(found[kind] for kind in KINDS)


def less(deck: Counts, kind: str) -> Counts:
    return tuple(n - (k == kind) for k, n in zip(KINDS, deck, strict=True))


def begin(
    mine: int,
    theirs: int,
    draws: str,
    deck: Given | None,
    discard: Given | None,
    packs: int,
    jokers: int,
) -> tuple[Place, Counts]:
    """The start, and all the cards there are."""
    left, spent = piles(suit, deck, discard, packs, jokers)
    now, gone = count(dict(left)), count(dict(spent))
    whole = tuple(a + b for a, b in zip(now, gone, strict=True))
    return Place(now, "", mine, theirs, "theirs" if draws == "theirs" else "mine"), whole


def shuffled(place: Place, whole: Counts) -> Place:
    """C2: the discard shuffled in; a card on the table stays out."""
    deck = less(whole, place.table) if place.table else whole
    if not sum(deck):
        raise TooFewCards("neither deck nor discard holds a card")
    return place._replace(deck=deck)


def status(mine: int, theirs: int) -> str | None:
    """C9.3: below 0 is Down, exactly 0 stands."""
    if mine < 0 and theirs < 0:
        return "both-down"
    return "won" if theirs < 0 else "lost" if mine < 0 else None


def after(place: Place, my_card: str, their_card: str, draws: str) -> Place | str:
    """C9.1-C9.3: a round's cards take effect together ("" where a side drew none), then status is checked."""
    mine, theirs = place.mine, place.theirs
    if my_card:
        me, you = EFFECT[my_card]
        mine, theirs = mine + me, theirs + you
    if their_card:
        me, you = EFFECT[their_card]
        mine, theirs = mine + you, theirs + me
    turn = {"mine": "theirs", "theirs": "mine"}[place.turn] if draws == "alternate" else place.turn
    return status(mine, theirs) or Place(place.deck, "", mine, theirs, turn)


def dealt(place: Place, kind: str, draws: str) -> tuple[Place | str, bool]:
    """One card comes, unturned; and whether that settled a round."""
    place = Place(less(place.deck, kind), *place[1:])
    if draws == "both":
        if not place.table:
            return Place(place.deck, kind, *place[2:]), False
        return after(place, place.table, kind, draws), True
    return after(place, *((kind, "") if place.turn == "mine" else ("", kind)), draws), True


# ---- a chain -------------------------------------------------------------------------------------


def solve(rows: Mapping[K, Mapping[K, Fraction]], rest: Mapping[K, Fraction]) -> dict[K, Fraction]:
    """x = rest + rows x, by elimination. Every place must be able to leave."""
    names = list(rows)
    matrix = [
        [Fraction(a == b) - rows[a].get(b, Fraction(0)) for b in names] + [rest.get(a, Fraction(0))]
        for a in names
    ]
    for i in range(len(names)):
        pivot = next(r for r in range(i, len(names)) if matrix[r][i])
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        matrix[i] = [cell / matrix[i][i] for cell in matrix[i]]
        for r in range(len(names)):
            if r != i and matrix[r][i]:
                factor = matrix[r][i]
                matrix[r] = [cell - factor * top for cell, top in zip(matrix[r], matrix[i], strict=True)]
    return {name: matrix[i][-1] for i, name in enumerate(names)}


def reached(rows: Mapping[K, Mapping[K, Fraction]], rest: Mapping[K, Fraction]) -> dict[K, Fraction]:
    """The chance, from each place, of ever getting what `rest` gives: none where no way leads to it."""
    hopeful = {place for place in rows if rest.get(place)}
    while more := {place for place in rows if place not in hopeful and hopeful & set(rows[place])}:
        hopeful |= more
    found = solve({a: {b: p for b, p in rows[a].items() if b in hopeful} for a in rows if a in hopeful}, rest)
    return {place: found.get(place, Fraction(0)) for place in rows}


def until_shuffle(start: Place, draws: str) -> tuple[dict[str, Fraction], Odds[Place], Fraction]:
    """One deck, dealt card by card: where it ended, where a shuffle is due, and how many rounds are expected.

    A weight counts the orders of cards that lead to a place; there are `orders` of them so far in all.
    """
    ended: list[tuple[str, Fraction]] = []
    due: list[tuple[Place, Fraction]] = []
    rounds = Fraction(0)
    layer, orders = {start: 1}, 1
    while layer:
        deeper: dict[Place, int] = {}
        here = sum(next(iter(layer)).deck)
        if not here:
            due = [(place, Fraction(weight, orders)) for place, weight in layer.items()]
            break
        orders *= here
        over = dict.fromkeys(ENDS, 0)
        finished = 0
        for place, weight in layer.items():
            for kind, n in zip(KINDS, place.deck, strict=True):
                if n:
                    then, settled = dealt(place, kind, draws)
                    finished += weight * n * settled
                    if isinstance(then, str):
                        over[then] += weight * n
                    else:
                        deeper[then] = deeper.get(then, 0) + weight * n
        ended += [(end, Fraction(weight, orders)) for end, weight in over.items()]
        rounds += Fraction(finished, orders)
        layer = deeper
    return pool(ended), pool(due), rounds


class Course(NamedTuple):
    """What becomes of a conflict: how it ends, what never does, and its mean length where that is finite."""

    odds: dict[str, Fraction]
    unresolved: Fraction
    mean_rounds: Fraction | None


def conflict(
    mine: int,
    theirs: int,
    draws: str = "both",
    *,
    deck: Given | None = None,
    discard: Given | None = None,
    packs: int = 1,
    jokers: int = 0,
) -> Course:
    """C9 without Luck, through every reshuffle."""
    start, whole = begin(mine, theirs, draws, deck, discard, packs, jokers)
    ends: dict[Place, dict[str, Fraction]] = {}
    onward: dict[Place, Odds[Place]] = {}
    rounds: dict[Place, Fraction] = {}
    waiting = [start]
    while waiting:
        place = waiting.pop()
        if place in ends:
            continue
        if len(ends) > MOST_PLACES:
            raise ValueError("no finite chain: with these cards the tokens of both sides grow without end")
        ends[place], due, rounds[place] = until_shuffle(place, draws)
        onward[place] = pool((shuffled(then, whole), p) for then, p in due.items())
        waiting += onward[place]
    odds = {
        end: reached(onward, {place: known.get(end, Fraction(0)) for place, known in ends.items()})[start]
        for end in ENDS
    }
    unresolved = 1 - sum(odds.values(), Fraction(0))
    mean = None if unresolved else solve(onward, rounds)[start]
    return Course({end: p for end, p in odds.items() if p}, unresolved, mean)


def rounds(
    mine: int,
    theirs: int,
    within: int,
    draws: str = "both",
    *,
    deck: Given | None = None,
    discard: Given | None = None,
    packs: int = 1,
    jokers: int = 0,
    reshuffle: str = "ask",
) -> tuple[Odds[tuple[str, int]], Fraction]:
    """How and in which round it ended, among the first `within`; and what is unresolved then.

    With `reshuffle="always"` every round starts from all the cards (C2).
    """
    start, whole = begin(mine, theirs, draws, deck, discard, packs, jokers)
    ended: list[tuple[tuple[str, int], Fraction]] = []
    open_: Odds[Place] = {start: Fraction(1)}
    for number in range(1, within + 1):
        between: Odds[Place] = {}
        if reshuffle == "always":
            open_ = pool((Place(whole, *place[1:]), p) for place, p in open_.items())
        while open_:
            parts = []
            for place, p in open_.items():
                ready = place if sum(place.deck) else shuffled(place, whole)
                parts += [
                    (dealt(ready, kind, draws), p * Fraction(n, sum(ready.deck)))
                    for kind, n in zip(KINDS, ready.deck, strict=True)
                    if n
                ]
            ended += [((then, number), p) for (then, _), p in parts if isinstance(then, str)]
            onward = [(then, settled, p) for (then, settled), p in parts if isinstance(then, Place)]
            between = pool([*between.items(), *((then, p) for then, settled, p in onward if settled)])
            open_ = pool((then, p) for then, settled, p in onward if not settled)
        open_ = between
    return pool(ended), sum(open_.values(), Fraction(0))


# ---- Luck ----------------------------------------------------------------------------------------


def best(
    mine: int,
    theirs: int,
    draws: str = "both",
    luck: int = 0,
    *,
    who: str = "mine",
    deck: Given | None = None,
    discard: Given | None = None,
    packs: int = 1,
    jokers: int = 0,
) -> Fraction:
    """C7.1, C7.3: the best chance that one side (`who`) has to win when it alone holds Luck.

    Policy iteration: where Luck is spent is fixed, the chain through the shuffles solved exactly, every
    spending judged again by what that gives, until nothing changes.
    """
    start, whole = begin(mine, theirs, draws, deck, discard, packs, jokers)
    goal = "won" if who == "mine" else "lost"
    Node = tuple[Place, int]
    Seen = tuple[Fraction, tuple[tuple[Any, Fraction], ...]]
    worths: dict[Node, Fraction] = {}
    habit: dict[
        tuple[Place, str, int], int
    ] = {}  # kept where nothing is better, or the iteration would not end
    onward: dict[Node, Any] = {}

    def ways(place: Place, kind: str, tokens: int) -> list[tuple[Place | str, int]]:
        """What one may make of the card that came: leave it, or turn one's own card of the round."""
        plain, settled = dealt(place, kind, draws)
        found = [(plain, tokens)]
        if not settled or not tokens:
            return found
        left = place._replace(deck=less(place.deck, kind))
        if draws == "both":
            mine_card, their_card = place.table, kind
        else:
            mine_card, their_card = (kind, "") if place.turn == "mine" else ("", kind)
        own = mine_card if who == "mine" else their_card
        if own and own != "X":
            turned = ("H", their_card) if who == "mine" else (mine_card, "H")
            found.append((after(left, *turned, draws), tokens - 1))
        return found

    def look(node: Node) -> dict[Any, Fraction]:
        """From a shuffle on: the odds of each end and of the next shuffles, spending as `worths` says."""

        @lru_cache(None)
        def at(place: Place, tokens: int) -> Seen:
            if not sum(place.deck):
                then: Node = (shuffled(place, whole), tokens)
                return worths.setdefault(then, Fraction(0)), ((then, Fraction(1)),)
            worth = Fraction(0)
            parts: list[tuple[Any, Fraction]] = []
            for kind, n in zip(KINDS, place.deck, strict=True):
                if n:
                    p = Fraction(n, sum(place.deck))
                    found: list[Seen] = [
                        (Fraction(end == goal), ((end, Fraction(1)),))
                        if isinstance(end, str)
                        else at(end, held)
                        for end, held in ways(place, kind, tokens)
                    ]
                    now = habit.get((place, kind, tokens), 0)
                    if max(found, key=lambda way: way[0])[0] > found[now][0]:
                        now = 1 - now
                    habit[place, kind, tokens] = now
                    taken = found[now]
                    worth += p * taken[0]
                    parts += [(end, p * q) for end, q in taken[1]]
            return worth, tuple(pool(parts).items())

        return dict(at(*node)[1])

    first: Node = (start, luck)
    worths[first] = Fraction(0)
    while True:
        onward = {}
        while set(worths) - set(onward):
            for node in set(worths) - set(onward):
                onward[node] = look(node)
        rest = {node: ends.get(goal, Fraction(0)) for node, ends in onward.items()}
        rows = {
            node: {then: p for then, p in ends.items() if isinstance(then, tuple)}
            for node, ends in onward.items()
        }
        better = reached(rows, rest)
        if better == worths:
            return worths[first]
        worths = better
