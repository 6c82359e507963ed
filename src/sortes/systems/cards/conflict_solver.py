"""Exact odds of a token conflict (C9) in which nobody spends Luck, through every reshuffle.

A path's chance depends only on the cards it has used, so paths are counted and weighed once, at their end. Diamonds
and Spades move the sum of both sides' tokens, Hearts and Clubs their difference: after so many of each, one number
tells the tokens. All paths that used as many Diamonds, Spades and others stand in one large integer, a digit for each
(Hearts among the others, start, own tokens), so that dealing a card is a few shifts and sums. A whole balanced deck
gives the sum back, so that decks are links of a finite chain between few places, which is solved.

Where no chain is finite, as with a shuffle before every round, rounds are followed up to a stated cut, and what is
left is unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import comb, factorial, lcm
from typing import Any, NamedTuple, TypeAlias

from sortes.core.system import Question, Solved
from sortes.systems.cards.conflict import Conflict, Ended, conflict, effects
from sortes.systems.cards.deck import suit
from sortes.systems.cards.house import CardsHouse

# What a card does to its drawer and to the other side: the kinds of card that the chain knows (H, D, S, C, none).
KINDS = ((1, -1), (1, 1), (-1, -1), (-1, 1), (0, 0))
H, D, S, C, J = range(5)
RESULTS: tuple[Ended, ...] = ("lost", "won", "both-down")

WORK = 3 * 10**10  # bytes that the digits of one question may take, over all cards dealt: some ten seconds
CUT = 60  # rounds that are followed where no chain is finite

Kinds: TypeAlias = tuple[int, ...]  # cards by kind
Group: TypeAlias = tuple[Kinds, bool, int]  # the deck, whether the other side draws first, the sum of tokens
Node: TypeAlias = tuple[Group, int]  # and one's own tokens
Rounds: TypeAlias = tuple[tuple[int, ...], ...]  # by round: ways to be lost, won, both down
Ends: TypeAlias = dict[tuple[int, Ended], Fraction]  # by round and result
Ways: TypeAlias = dict[tuple[int, int], int]  # (kind of the card on the table or -1, own tokens) -> ways


class Dealt(NamedTuple):
    """A deck dealt out from one start: how it ended by round, and where it stood at the end of the deck."""

    ended: Rounds
    stands: Ways


# ---- one deck -----------------------------------------------------------------------------------


def role(draws: str, second: bool, i: int) -> tuple[bool, bool]:
    """Whether the i-th card is mine, and whether status is checked after it (C9.2)."""
    mine = draws == "mine" or (draws != "theirs" and bool(i & 1) == second)
    return mine, draws != "both" or not mine


def deal(
    kinds: Kinds, draws: str, second: bool, total: int, starts: Sequence[int], most: int | None = None
) -> tuple[int, list[Dealt]]:
    """Deal a deck from starts (own tokens, all odd or all even), `total` tokens in all, `most` rounds or to its end.

    Gives the orders of the deck, and what became of each start in how many of them.
    """
    h, d, s, c, j = kinds
    size, x, n, parity, f = sum(kinds), h + c, len(starts), starts[0] & 1, factorial
    plain = f(size) // (f(d) * f(s) * f(j) * f(x))  # orders of the deck, Hearts and Clubs alike
    orders = plain * comb(x, h)
    width = (plain << x).bit_length() // 8 + 1  # bytes of a digit
    bits = 8 * width
    line = bits * ((total + 2 * d + 3) // 2 + 3)  # digits of a start; own tokens: parity + 2 * (digit - 1)
    row = line * n
    one = (1 << bits) - 1

    def repeated(pattern: int) -> int:
        """A line of digits, for every start and every number of Hearts."""
        have, want = 1, n * (h + 1)
        while 2 * have <= want:
            pattern |= pattern << have * line
            have *= 2
        return pattern | (pattern & (1 << (want - have) * line) - 1) << have * line

    @cache
    def zone(tokens: int, odd: int) -> tuple[int, int]:
        """Which digits stand, and the first at which the other side is Down."""
        top = (tokens - odd) // 2 + 1
        return repeated((1 << bits * top) - 1 << bits if top > 0 else 0), top + 1

    lowest = repeated(one)

    def told(packed: int, k: int) -> list[int]:
        """By start, what stands in the lowest digits, weighed by the suits that k others used leave to the rest."""
        step, sum_ = row // 8, 0
        data = packed.to_bytes((min(h, k) + 1) * step, "little")
        for i in range(max(0, k - c), min(h, k) + 1):
            sum_ += comb(x - k, h - i) * int.from_bytes(data[i * step : (i + 1) * step], "little")
        return [sum_ >> line * at & one for at in range(n)]

    stands: list[Ways] = [{} for _ in starts]

    def stand(packed: int, kind: int) -> None:
        """What stands at the end of the deck, all Hearts used, with a card of `kind` on the table."""
        odd = parity ^ (d + s + x & 1)
        for at in range(n):
            digits = packed >> row * h + line * at & (1 << line) - 1
            own = odd - 2
            while digits:
                if ways := digits & one:
                    stands[at][kind, own] = stands[at].get((kind, own), 0) + ways
                digits >>= bits
                own += 2

    # by Diamonds, Spades, others and cards without effect used: the digits
    here = {
        (0, 0, 0, 0): sum(1 << line * at + bits * ((own - parity) // 2 + 1) for at, own in enumerate(starts))
    }
    ended: list[list[tuple[int, ...]]] = [[] for _ in starts]
    for i in range(size):
        mine, checks = role(draws, second, i)
        there: dict[tuple[int, int, int, int], int] = {}
        for (u, v, k, q), w in here.items():
            up, down = (w << bits, w) if parity ^ (u + v + k & 1) else (w, w >> bits)
            heart, club = (up, down) if mine else (down, up)
            if i == size - 1 and not checks:  # the last card waits on the table for the shuffle
                if u < d:
                    stand(up, D)
                elif v < s:
                    stand(down, S)
                elif q < j:
                    stand(w, J)
                else:
                    stand(heart << row, H)
                    stand(club, C)
                continue
            if u < d:
                key = u + 1, v, k, q
                there[key] = there[key] + up if key in there else up
            if v < s:
                key = u, v + 1, k, q
                there[key] = there[key] + down if key in there else down
            if k < x:
                key, either = (u, v, k + 1, q), (heart << row) + club
                there[key] = there[key] + either if key in there else either
            if q < j:
                key = u, v, k, q + 1
                there[key] = there[key] + w if key in there else w
        here = there
        if not checks:
            continue
        gone: dict[int, list[int]] = {}  # by others used: lost, won, both down
        here = {}
        for (u, v, k, q), w in there.items():
            live, beyond = zone(total + 2 * (u - v), parity ^ (u + v + k & 1))
            alive = w & live
            if alive:
                here[u, v, k, q] = alive
            if alive == w:
                continue
            over, slot = w ^ alive, gone.setdefault(k, [0, 0, 0])
            rest = f(size - i - 1) // (f(d - u) * f(s - v) * f(x - k) * f(j - q))
            low = rest * (over & lowest)
            if beyond <= 0:
                slot[2] += low
                continue
            slot[0] += low
            slot[1] += rest * (over >> bits * beyond & lowest)
        now = [[0, 0, 0] for _ in starts]
        for k, slot in gone.items():
            for r, packed in enumerate(slot):
                if packed:
                    for at, ways in enumerate(told(packed, k)):
                        now[at][r] += ways
        for at in range(n):
            ended[at].append(tuple(now[at]))
        if most is not None and len(ended[0]) == most:
            break
    else:
        for w in here.values():
            stand(w, -1)
    return orders, [Dealt(tuple(e), on) for e, on in zip(ended, stands, strict=True)]


def work(kinds: Kinds, total: int, starts: int) -> int:
    """Roughly how many bytes of digits a deal goes through."""
    h, d, s, c, j = kinds
    states = (d + 1) * (s + 1) * (h + c + 1) * (j + 1)
    return states * starts * (total // 2 + d + 4) * (h // 2 + 1) * (sum(kinds) // 4 + 1) * 8


# ---- decks as links of a chain ------------------------------------------------------------------


class TooMuch(Exception):
    """More work than one question may take."""


class Chain:
    """Decks dealt one after the other, from places reached on the way."""

    def __init__(self, draws: str, full: Kinds) -> None:
        self.draws, self.full, self.left = draws, full, WORK
        self.orders: dict[Group, int] = {}
        self.dealt: dict[Node, Dealt] = {}

    def deal(self, group: Group, owns: Iterable[int]) -> None:
        """See to it that these starts are dealt. Raises TooMuch."""
        kinds, second, total = group
        want = {own for own in owns if (group, own) not in self.dealt}
        if want and kinds == self.full and self.draws in ("both", "alternate"):  # all will be met
            want = {own for odd in {own & 1 for own in want} for own in range(odd, total + 1, 2)}
        mirrored = self.draws == "both" and not second and total % 2 == 0 and sum(kinds) % 2 == 0
        for odd in {own & 1 for own in want}:
            starts = sorted(own for own in want if own & 1 == odd)
            if mirrored:  # if both change places, what one wins the other loses
                starts = sorted({min(own, total - own) for own in starts})
            self.left -= work(kinds, total, len(starts))
            if self.left < 0:
                raise TooMuch
            self.orders[group], found = deal(kinds, self.draws, second, total, starts)
            after = total + 2 * (kinds[D] - kinds[S])
            for own, one in zip(starts, found, strict=True):
                self.dealt[group, own] = one
                if mirrored and 2 * own != total:
                    ended = tuple([(won, lost, both) for lost, won, both in one.ended])
                    stands = {(kind, after - at): ways for (kind, at), ways in one.stands.items()}
                    self.dealt[group, total - own] = Dealt(ended, stands)

    def after(self, group: Group, stands: Ways) -> dict[Node, int]:
        """Where the next deck starts: the full pack, less a card that waits on the table (C2)."""
        kinds, second, total = group
        total += 2 * (kinds[D] - kinds[S])
        if self.draws == "alternate":
            second ^= bool(sum(kinds) & 1)
        elif self.draws == "both":
            second = False
        out: dict[Node, int] = {}
        for (kind, own), ways in stands.items():
            if kind < 0:
                out[(self.full, second, total), own] = ways
            else:
                less = tuple(n - (i == kind) for i, n in enumerate(self.full))
                out[(less, True, total), own] = ways
        return out

    def step(self, nodes: Iterable[Node]) -> dict[Node, dict[Node, int]]:
        """Deal from all of these nodes: where each leads to."""
        groups: dict[Group, list[int]] = {}
        for group, own in nodes:
            groups.setdefault(group, []).append(own)
        for group, owns in groups.items():
            self.deal(group, owns)
        return {node: self.after(node[0], self.dealt[node].stands) for node in nodes}

    # ---- to the very end ------------------------------------------------------------------------

    def to_the_end(self, start: Node) -> Solved:
        """How it ends through every reshuffle, and the mean number of rounds. Raises TooMuch."""
        onward: dict[Node, dict[Node, int]] = {}
        todo = [start]
        while todo:
            found = self.step(todo)
            onward.update(found)
            todo = list(dict.fromkeys(node for on in found.values() for node in on if node not in onward))
        ends = {node for node in onward if any(map(any, self.dealt[node].ended))}
        while more := {
            node for node in onward if node not in ends and any(on in ends for on in onward[node])
        }:
            ends |= more
        visits = (
            self.visits(start, {node: onward[node] for node in onward if node in ends})
            if start in ends
            else {}
        )
        sums, mean = [Fraction(0)] * 3, Fraction(0)
        for node, times in visits.items():
            ended: Rounds = self.dealt[node].ended
            orders = self.orders[node[0]]
            over = [sum(one[r] for one in ended) for r in range(3)]
            rounds = sum([t * sum(ways) for t, ways in enumerate(ended, 1)])
            rounds += len(ended) * (orders - sum(over))
            share = times / orders
            sums = [a + share * b for a, b in zip(sums, over, strict=True)]
            mean += share * rounds
        unresolved = 1 - sum(sums, Fraction(0))
        outcomes = {Conflict(result): p for result, p in zip(RESULTS, sums, strict=True) if p}
        return Solved.of(outcomes, unresolved, {} if unresolved else {"rounds": mean})

    def visits(self, start: Node, onward: Mapping[Node, Mapping[Node, int]]) -> dict[Node, Fraction]:
        """How often each node is visited, on average: of those that are met again, by elimination."""
        again = {node for node in onward if node[0][0] == self.full}
        visits: dict[Node, Fraction] = {start: Fraction(1)} if start in onward else {}
        into: dict[Node, Fraction] = dict(visits) if start in again else {}
        todo = [start] if start not in again else []
        while todo:  # what is met only once
            node = todo.pop(0)
            for on, ways in onward[node].items():
                share = visits[node] * Fraction(ways, self.orders[node[0]])
                if on in again:
                    into[on] = into.get(on, Fraction(0)) + share
                elif on in onward:
                    if on not in visits:
                        todo.append(on)
                    visits[on] = visits.get(on, Fraction(0)) + share
        nodes = [node for node in onward if node in again]
        place = {node: i for i, node in enumerate(nodes)}
        den = lcm(1, *(share.denominator for share in into.values()))
        matrix = [[0] * len(nodes) + [int(into.get(node, Fraction(0)) * den)] for node in nodes]
        orders = self.orders[nodes[0][0]] if nodes else 1  # one for all: they are the same deck
        for node, i in place.items():
            matrix[i][i] += orders
            for on, ways in onward[node].items():
                if on in place:
                    matrix[place[on]][i] -= ways
        for node, value in zip(nodes, eliminated(matrix), strict=True):
            if value:
                visits[node] = value * orders / den
        return visits

    # ---- round by round -------------------------------------------------------------------------

    def rounds(self, start: Node, within: int) -> Ends:
        """How it ends in each of the first rounds. Raises TooMuch."""
        out: Ends = {}
        levels: dict[int, tuple[int, dict[Node, int]]] = {0: (1, {start: 1})}
        while levels:
            done = min(levels)
            den, masses = levels.pop(done)
            groups: dict[Group, dict[int, int]] = {}
            for (group, own), mass in masses.items():
                groups.setdefault(group, {})[own] = mass
            for group, owns in groups.items():
                orders, found = self.some(group, owns, within - done)
                for own, mass in owns.items():
                    for t, ways in enumerate(found[own].ended[: within - done], done + 1):
                        for result, n in zip(RESULTS, ways, strict=True):
                            if n:
                                p = Fraction(mass * n, den * orders)
                                out[t, result] = out.get((t, result), Fraction(0)) + p
                    if (then := done + len(found[own].ended)) < within:
                        for node, n in self.after(group, found[own].stands).items():
                            levels[then] = _merged(levels.get(then), node, mass * n, den * orders)
        return out

    def some(self, group: Group, owns: Iterable[int], most: int) -> tuple[int, dict[int, Dealt]]:
        """These starts dealt, as many rounds as are wanted. Raises TooMuch."""
        kinds, second, total = group
        size = sum(kinds) + second if self.draws == "both" else 2 * sum(kinds)
        if size // 2 < most:
            self.deal(group, owns)
            return self.orders[group], {own: self.dealt[group, own] for own in owns}
        found: dict[int, Dealt] = {}
        orders = 1
        for odd in {own & 1 for own in owns}:
            starts = sorted(own for own in owns if own & 1 == odd)
            self.left -= work(kinds, total, len(starts))
            if self.left < 0:
                raise TooMuch
            orders, some = deal(kinds, self.draws, second, total, starts, most)
            found.update(zip(starts, some, strict=True))
        return orders, found


def _merged(
    level: tuple[int, dict[Node, int]] | None, node: Node, mass: int, den: int
) -> tuple[int, dict[Node, int]]:
    """A level with more mass at a node, over a denominator that serves all."""
    if level is None:
        return den, {node: mass}
    had, masses = level
    if had != den:
        common = lcm(had, den)
        if common != had:
            masses = {one: m * (common // had) for one, m in masses.items()}
        mass *= common // den
        had = common
    masses[node] = masses.get(node, 0) + mass
    return had, masses


def eliminated(matrix: list[list[int]]) -> list[Fraction]:
    """Solve a system of integers, its right side last in each row, without a fraction before the end (Bareiss)."""
    n, before = len(matrix), 1
    for i in range(n):
        pivot = next(r for r in range(i, n) if matrix[r][i])
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        top, lead = matrix[i], matrix[i][i]
        for r in range(i + 1, n):
            line = matrix[r]
            factor = line[i]
            matrix[r] = [0] * (i + 1) + [
                (lead * line[k] - factor * top[k]) // before for k in range(i + 1, n + 1)
            ]
        before = lead
    found: list[Fraction] = [Fraction(0)] * n
    for i in reversed(range(n)):
        side = matrix[i][n] - sum((matrix[i][k] * found[k] for k in range(i + 1, n)), Fraction(0))
        found[i] = side / matrix[i][i]
    return found


# ---- any effects, any shuffling, round by round -------------------------------------------------


def followed(question: Question, within: int) -> Ends:
    """How it ends in each of the first rounds, whatever cards do and whenever they are shuffled, up to the cut.

    What the used cards did to the sum of tokens is known from them, so a digit for one's own is enough.
    """
    params, house, totals = question.params, question.house, question.totals["cards"]
    draws, always = params["draws"], house.reshuffle == "always"
    moves = sorted({effects(house)[suit(mark)] for mark, n in totals.items() if n})
    full, left = (_by_move(house, cards, moves) for cards in (totals, question.left["cards"]))
    left = full if always else left
    each, size = 2 if draws == "both" else 1, sum(full)
    below = each * max(abs(n) for move in moves for n in move)  # digits of own tokens below 0
    step = each * size.bit_length()  # bits that a digit may grow by in a round
    bits, den, seen, turn = 8 * step + 2, 1, 0, draws == "theirs"
    out: Ends = {}
    # by cards left, the card on the table where they ran out before the other side drew, and the sum of tokens
    here: dict[tuple[Kinds, int, int], int] = {
        (left, -1, params["mine"] + params["theirs"]): 1 << bits * (below + params["mine"])
    }
    for t in range(1, within + 1):
        if den.bit_length() + step >= bits:
            wider = den.bit_length() + 8 * step + 2
            here = {key: _spaced(w, bits, wider) for key, w in here.items()}
            bits = wider
        one = (1 << bits) - 1
        for draw in range(each):
            there: dict[tuple[Kinds, int, int], int] = {}
            ways = 1
            for (cards, table, total), w in here.items():
                if not any(cards):  # the discard is shuffled in; what lies on the table stays out (C2)
                    cards = full if table < 0 else _less(full, table)
                ways = sum(cards)
                for at, n in enumerate(cards):
                    if n:
                        own, other = moves[at] if (draw == 0) != turn else moves[at][::-1]
                        rest = _less(cards, at)
                        waits = at if draw + 1 < each and not any(rest) else -1
                        key = rest, waits, total + own + other
                        mass = n * (w << bits * own if own >= 0 else w >> -bits * own)
                        there[key] = there[key] + mass if key in there else mass
                seen += 8 * len(cards) * (w.bit_length() >> 3)
            den *= ways
            here = there
        here, ended = {}, [0, 0, 0]
        for (cards, _, total), w in there.items():
            alive = w & (((1 << bits * (total + 1)) - 1) << bits * below if total >= 0 else 0)
            if alive:
                key = full if always else cards, -1, total
                here[key] = here.get(key, 0) + alive
            digits, own = w ^ alive, -below
            while digits:
                if n := digits & one:
                    ended[2 if own < 0 and own > total else 0 if own < 0 else 1] += n
                digits >>= bits
                own += 1
                if own == 0 and total >= 0:
                    digits >>= bits * (total + 1)
                    own = total + 1
        out.update({(t, result): Fraction(n, den) for result, n in zip(RESULTS, ended, strict=True) if n})
        if seen > WORK // 3 or not here:
            break
        turn ^= draws == "alternate"
    return out


def _by_move(house: CardsHouse, cards: Mapping[str, int], moves: Sequence[tuple[int, int]]) -> Kinds:
    """How many cards do each of these things."""
    counts = [0] * len(moves)
    for mark, n in cards.items():
        if n:
            counts[moves.index(effects(house)[suit(mark)])] += n
    return tuple(counts)


def _spaced(packed: int, bits: int, wider: int) -> int:
    """The same digits, each with more room."""
    out, at, one = [], 0, (1 << bits) - 1
    while packed:
        out.append((packed & one) << at)
        packed >>= bits
        at += wider
    return sum(out)


def _less(cards: Kinds, at: int) -> Kinds:
    """Cards by kind, with one less of one kind."""
    return (*cards[:at], cards[at] - 1, *cards[at + 1 :])


# ---- the rule's solver --------------------------------------------------------------------------


def kinds_of(house: CardsHouse, cards: Mapping[str, int]) -> Kinds | None:
    """Cards by kind; None where one does something else."""
    known = all(effects(house)[suit(mark)] in KINDS for mark, n in cards.items() if n)
    return _by_move(house, cards, KINDS) if known else None


def solve(question: Question) -> Solved | None:
    """The odds of a conflict in which nobody spends Luck or gives way; None where there are too few cards for it."""
    params, house, draws = question.params, question.house, question.params["draws"]
    size = sum(question.totals["cards"].values())
    if size < (2 if draws == "both" else 1):
        return None
    within, ends = question.within if question.by == "rounds" else None, None
    full, left = (kinds_of(house, cards["cards"]) for cards in (question.totals, question.left))
    if full and left and house.reshuffle != "always":
        start = (
            (left if any(left) else full, draws == "theirs", params["mine"] + params["theirs"]),
            params["mine"],
        )
        try:
            if within is not None:
                ends = Chain(draws, full).rounds(start, within)
            elif full[D] == full[S] and (draws != "both" or size % 2 == 0):
                return Chain(draws, full).to_the_end(start)
        except TooMuch:
            pass
    if ends is None:  # no chain, too long a one, or the sum of tokens drifts from deck to deck
        ends = followed(question, CUT if within is None else min(within, CUT))
    unresolved = 1 - sum(ends.values(), Fraction(0))
    if within is None:
        outcomes: dict[Any, Fraction] = {}
        for (_, result), p in ends.items():
            one = Conflict(result)
            outcomes[one] = outcomes.get(one, Fraction(0)) + p
        return Solved.of(outcomes, unresolved, {})
    return Solved.of(
        {Conflict(result, None, t): p for (t, result), p in sorted(ends.items())}, unresolved, {}
    )


conflict.solve = solve

__all__ = ["RESULTS", "conflict", "solve"]
