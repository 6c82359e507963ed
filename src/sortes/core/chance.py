"""What can be thrown: bags of dice, and draws from a deck. A bag counts the hands that are *read*, exactly.

A hand is a tuple of labels, the best first, so that order never multiplies states; the record of a throw keeps
every physical die and card in thrown order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import comb, gcd, prod
from operator import add, mul
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from sortes.core.ask import Hand
from sortes.core.errors import Refused

Label: TypeAlias = Hashable
Ways: TypeAlias = tuple[tuple[Hand, int], ...]


class Source(Protocol):
    """Where chance comes from; `random.Random` is one."""

    def randrange(self, stop: int, /) -> int:
        """A whole number from 0 to stop - 1, each equally likely."""
        ...


class Thrown(Struct, frozen=True):
    """The record of one group of dice or cards: every face in thrown order, and those that were kept."""

    kind: str  # "dice" or "cards"
    name: str  # what was thrown: "d20", "fate", or the deck's name
    faces: tuple[Any, ...]
    kept: tuple[Any, ...]
    by: str = ""  # "hand" where people threw it themselves


def same(face: Any) -> Any:
    """Reads a face as it is."""
    return face


@lru_cache(maxsize=64)
def die(sides: int) -> tuple[int, ...]:
    """The faces of a die with `sides` sides, the best first."""
    return tuple(range(sides, 0, -1))


class Dice(Struct, frozen=True, gc=False):
    """`n` alike dice, of which the `keep` best (or, negative, the |keep| worst; 0: all) are read by `reads`.

    `faces` lists every side, the best first; sides that `reads` puts under one label stand together.
    """

    n: int
    faces: tuple[Any, ...]
    keep: int = 0
    reads: Callable[[Any], Label] = same
    name: str = ""
    first: bool = False  # of dice read alike the first thrown is kept; else the one with the best face

    @property
    def total(self) -> int:
        """All equally likely throws."""
        return int(len(self.faces) ** self.n)

    def odds(self) -> Ways:
        """Every hand with the number of throws that give it."""
        return _kept(self)

    def sample(self, source: Source) -> tuple[Hand, tuple[Thrown, ...]]:
        """One throw: the hand as it is read, and its record."""
        faces, sides = self.faces, len(self.faces)
        return self.read([faces[source.randrange(sides)] for _ in range(self.n)])

    def by_hand(self, thrown: Sequence[Any]) -> tuple[Hand, tuple[Thrown, ...]]:
        """The hand of faces that people threw, and its record. Raises Refused where they are not n of this die's."""
        return self.read(self.checked(thrown))

    def checked(self, thrown: Sequence[Any]) -> Sequence[Any]:
        """Faces thrown by hand, or Refused where they are not n of this die's."""
        if len(thrown) != self.n or any(face not in self.faces for face in thrown):
            raise Refused(
                "throw", f"got {', '.join(map(str, thrown))}; takes {self.n} faces of a {self.name}"
            )
        return thrown

    def read(self, thrown: Sequence[Any]) -> tuple[Hand, tuple[Thrown, ...]]:
        """The hand that these faces make, and its record."""
        faces = tuple(thrown)
        if self.keep == 0 and len(faces) == 1:
            return (self.reads(faces[0]),), (Thrown("dice", self.name, faces, faces),)
        rank = _ranks(self.faces, self.reads if self.first else same)
        order = sorted(range(len(faces)), key=lambda i: rank[faces[i]], reverse=self.keep < 0)
        if self.keep:
            order = order[: abs(self.keep)]
        hand = [self.reads(faces[i]) for i in (reversed(order) if self.keep < 0 else order)]
        return tuple(hand), (Thrown("dice", self.name, faces, tuple(faces[i] for i in sorted(order))),)


@lru_cache(maxsize=4096)
def _ranks(faces: tuple[Any, ...], reads: Callable[[Any], Label]) -> dict[Any, int]:
    labels = list(dict.fromkeys(map(reads, faces)))
    return {face: labels.index(reads(face)) for face in faces}


@lru_cache(maxsize=4096)
def _sides(
    faces: tuple[Any, ...], reads: Callable[[Any], Label], keeps: bool
) -> tuple[tuple[Label, int], ...]:
    """The labels of one die, the best first, and how many sides show each."""
    sides: dict[Label, int] = {}
    last: Any = object()
    for label in map(reads, faces):
        if keeps and label != last and label in sides:
            raise ValueError(f"the sides read as {label!r} must stand together where dice are kept")
        sides[label] = sides.get(label, 0) + 1
        last = label
    return tuple(sides.items())


@lru_cache(maxsize=4096)
def _kept(dice: Dice) -> Ways:
    labels = _sides(dice.faces, dice.reads, dice.keep != 0)
    n, keep = dice.n, abs(dice.keep) or dice.n
    if keep > n:
        raise ValueError(f"{keep} dice cannot be kept of {n}")
    if dice.keep < 0:
        labels = labels[::-1]
    if keep == 1:  # by how many throws show nothing better
        sides, ways = len(dice.faces), []
        here_or_worse = sides**n
        for label, here in labels:
            sides -= here
            worse = sides**n
            ways.append(((label,), here_or_worse - worse))
            here_or_worse = worse
        return tuple(ways)
    out: list[tuple[Hand, int]] = []

    def count(i: int, free: int, want: int, sides: int, hand: Hand, ways: int) -> None:
        """`free` dice show label i or a worse one (`sides` sides do); `want` of them are still to be kept."""
        if ways == 0:
            return
        if want == 0:
            out.append((hand, ways * sides**free))
            return
        label, here = labels[i]
        if i == len(labels) - 1:
            out.append((hand + (label,) * want, ways * here**free))
            return
        rest, known = sides - here, 0
        for k in range(want):  # exactly k dice show this label, and the keeping goes on below it
            exact = comb(free, k) * here**k
            known += exact * rest ** (free - k)
            count(i + 1, free - k, want - k, rest, hand + (label,) * k, ways * exact)
        if full := sides**free - known:  # every die still to be kept shows this label
            out.append((hand + (label,) * want, ways * full))

    count(0, n, keep, len(dice.faces), (), 1)
    if dice.keep < 0:
        return tuple((hand[::-1], ways) for hand, ways in out)
    return tuple(out[::-1])


class Standing(Struct, frozen=True):
    """Named groups of dice thrown together, one die of each kept, read only by how the kept dice stand.

    The hand is one place a group (0 highest, equal dice share a place), then how many dice show the top face: of the
    `kept` ones or of all that were `rolled`; 0 where `tops` says that nobody counts them.
    """

    groups: tuple[tuple[str, Dice], ...]  # each keeps one die; all list the same different faces
    tops: Literal["no", "kept", "rolled"] = "no"

    @property
    def total(self) -> int:
        """All equally likely throws."""
        return prod(dice.total for _, dice in self.groups)

    def odds(self) -> Ways:
        """Every standing with the number of throws that give it."""
        return _standings(self)

    def sample(self, source: Source) -> tuple[Hand, tuple[Thrown, ...]]:
        """One throw: the hand as it is read, and one record for each group."""
        thrown = []
        for _, dice in self.groups:
            faces, sides = dice.faces, len(dice.faces)
            first = faces[source.randrange(sides)]
            thrown.append(
                (first, *[faces[source.randrange(sides)] for _ in range(dice.n - 1)])
                if dice.n > 1
                else (first,)
            )
        return self.read(thrown)

    def by_hand(self, thrown: Sequence[Sequence[Any]]) -> tuple[Hand, tuple[Thrown, ...]]:
        """The hand of faces that people threw, a list for each group, and its record.

        Raises Refused where they are not what the groups throw.
        """
        if len(thrown) != len(self.groups) or any(isinstance(faces, str | int) for faces in thrown):
            names = ", ".join(name for name, _ in self.groups)
            raise Refused(
                "throw", f"got {len(thrown)} groups of dice; takes a list of faces for each of {names}"
            )
        pairs = zip(self.groups, thrown, strict=True)
        return self.read([tuple(dice.checked(faces)) for (_, dice), faces in pairs])

    def read(self, thrown: Sequence[tuple[Any, ...]]) -> tuple[Hand, tuple[Thrown, ...]]:
        """The standing that these faces make, one list for each group in order."""
        values, records = [], []
        for (name, dice), faces in zip(self.groups, thrown, strict=True):
            if len(faces) == 1:
                values.append(faces[0])
                records.append(Thrown("dice", name, faces, faces))
            else:
                values.append(kept := (max if dice.keep > 0 else min)(faces))
                records.append(Thrown("dice", name, faces, (kept,)))
        places = sorted({*values}, reverse=True)
        hand = [places.index(value) for value in values]
        tops = 0
        if self.tops != "no":
            top = self.groups[0][1].faces[0]
            tops = (values if self.tops == "kept" else [f for faces in thrown for f in faces]).count(top)
        return (*hand, tops), tuple(records)


def _by_tops(dice: Dice, tops: str) -> dict[int, list[int]]:
    """For each number of top faces that count: the throws whose kept die shows each face, the best first."""
    size, n, best = len(dice.faces), dice.n, dice.keep > 0
    ways = [((size - i) ** n - (size - i - 1) ** n) if best else ((i + 1) ** n - i**n) for i in range(size)]
    if tops == "no":
        return {0: ways}
    if tops == "kept":
        return {1: [ways[0]] + [0] * (size - 1), 0: [0, *ways[1:]]}
    out: dict[int, list[int]] = {}
    for t in range(n + 1):
        if best and t:  # a top face is always the one kept
            row = [comb(n, t) * (size - 1) ** (n - t)] + [0] * (size - 1)
        elif best:
            row = [0, *ways[1:]]
        else:  # the kept die is the worst of the n - t that are not at the top
            row = [int(t == n)]
            row += [comb(n, t) * (i ** (n - t) - (i - 1) ** (n - t)) for i in range(1, size)]
        out[t] = row
    return out


@lru_cache(maxsize=256)
def _standings(bag: Standing) -> Ways:
    """Counted from the highest place to the lowest, with running sums over the faces above."""
    groups = [dice for _, dice in bag.groups]
    faces = groups[0].faces
    if len(faces) != len(set(faces)) or any(dice.faces != faces or abs(dice.keep) != 1 for dice in groups):
        raise ValueError("a standing compares groups of one kept die each, all with the same different faces")
    full = (1 << len(groups)) - 1
    together: dict[int, dict[int, list[int]]] = {
        0: {0: [1] * len(faces)}
    }  # groups at one place, by top faces
    for s in range(1, full + 1):
        low, rest = (s & -s).bit_length() - 1, s & (s - 1)
        sums: dict[int, list[int]] = {}
        for t, row in _by_tops(groups[low], bag.tops).items():
            for u, other in together[rest].items():
                both = list(map(mul, row, other))
                sums[t + u] = list(map(add, sums[t + u], both)) if t + u in sums else both
        together[s] = {t: row for t, row in sums.items() if any(row)}
    out: dict[Hand, int] = {}

    def place(order: tuple[int, ...], left: int, tops: int, row: list[int]) -> None:
        """`row`: ways by the face of the last place in `order`; the groups in `left` stand below."""
        if not left:
            hand = (*(next(p for p, s in enumerate(order) if s >> g & 1) for g in range(len(groups))), tops)
            if ways := sum(row):
                out[hand] = out.get(hand, 0) + ways
            return
        above = list(accumulate(row, initial=0))[:-1]
        for s in range(1, full + 1):
            if s & left == s:
                for t, here in together[s].items():
                    place((*order, s), left ^ s, tops + t, list(map(mul, above, here)))

    for s in range(1, full + 1):
        for t, row in together[s].items():
            place((s,), full ^ s, t, row)
    return tuple(out.items())


class OpenEnded(Struct, frozen=True):
    """One die that is thrown again, and added on, while it shows a face of `again`.

    Each reading is (faces at which it stops adding, ascending totals it is cut at); the hand tells for each
    reading how many of its cuts the total reaches.
    """

    faces: tuple[int, ...]
    again: tuple[int, ...]
    readings: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    name: str = ""

    @property
    def total(self) -> int:
        """What the ways of `odds` add up to."""
        return _open_ended(self)[1]

    def odds(self) -> Ways:
        """Every hand with its share of `total`."""
        return _open_ended(self)[0]

    def sample(self, source: Source) -> tuple[Hand, tuple[Thrown, ...]]:
        """One throw, to the last die: the hand as it is read, and its record."""
        faces = [self.faces[source.randrange(len(self.faces))]]
        while faces[-1] in self.again:
            faces.append(self.faces[source.randrange(len(self.faces))])
        return self.read(faces)

    def by_hand(self, thrown: Sequence[int]) -> tuple[Hand, tuple[Thrown, ...]]:
        """The hand of faces that people threw, and its record.

        Raises Refused where they stop too early or go on too long.
        """
        on = [face in self.again for face in thrown]
        if not thrown or any(face not in self.faces for face in thrown) or not all(on[:-1]) or on[-1]:
            again = ", ".join(map(str, self.again))
            raise Refused(
                "throw", f"got {', '.join(map(str, thrown))}; takes a {self.name}, thrown again on {again}"
            )
        return self.read(thrown)

    def read(self, thrown: Sequence[int]) -> tuple[Hand, tuple[Thrown, ...]]:
        """The hand that these dice make, in thrown order."""
        hand = []
        for stops, cuts in self.readings:
            total = 0
            for face in thrown:
                total += face
                if face in stops:
                    break
            hand.append(sum(total >= cut for cut in cuts))
        return tuple(hand), (Thrown("dice", self.name, tuple(thrown), tuple(thrown)),)


@lru_cache(maxsize=4096)
def _open_ended(bag: OpenEnded) -> tuple[Ways, int]:
    """Counted throw by throw: equal totals that go on are pooled, so a far cut costs no more than its depth."""
    limits = [cuts[-1] if cuts else 0 for _, cuts in bag.readings]
    if any(face <= 0 for face in bag.again):
        raise ValueError("a die that is thrown again must add something")
    sides = len(bag.faces)
    ended: list[dict[Hand, int]] = []  # by number of throws: the hands that can change no more
    here: dict[tuple[tuple[int, ...], tuple[bool, ...]], int] = {
        ((0,) * len(limits), (True,) * len(limits)): 1
    }
    while here:
        there: dict[tuple[tuple[int, ...], tuple[bool, ...]], int] = {}
        out: dict[Hand, int] = {}
        for (totals, adding), ways in here.items():
            for face in bag.faces:
                now = tuple([t + face if a else t for t, a in zip(totals, adding, strict=True)])
                on = tuple(
                    [a and face not in stops for a, (stops, _) in zip(adding, bag.readings, strict=True)]
                )
                if face in bag.again and any(a and t < m for a, t, m in zip(on, now, limits, strict=True)):
                    there[now, on] = there.get((now, on), 0) + ways
                else:
                    pairs = zip(now, bag.readings, strict=True)
                    hand = tuple([sum(t >= cut for cut in cuts) for t, (_, cuts) in pairs])
                    out[hand] = out.get(hand, 0) + ways
        ended.append(out)
        here = there
    total: dict[Hand, int] = {}
    for depth, out in enumerate(ended, 1):
        scale = sides ** (len(ended) - depth)
        for hand, ways in out.items():
            total[hand] = total.get(hand, 0) + ways * scale
    shared = gcd(*total.values())
    return tuple((hand, ways // shared) for hand, ways in total.items()), sides ** len(ended) // shared


Bag: TypeAlias = Dice | Standing | OpenEnded


class Draw(Struct, frozen=True):
    """`n` cards from what is left of a named deck, without replacement, each read by `reads`.

    `opens` names the act that this draw begins ("roll", "round"): what lay on the table goes to the discard, and
    the deck is shuffled first if its settings say so. `needs` is what the whole act will draw (`n` at least); it is
    refused beforehand where the deck cannot give it. `ends` makes a draw that meets the end of the deck an empty
    hand, not a shuffle. `away` sends the cards to the discard as they are drawn: they do not lie on the table.
    `last` says that no later throw of this rule reads the deck, so a walk may forget it.
    """

    n: int
    deck: str
    reads: Callable[[str], Label] = same
    opens: str = ""
    needs: int = 0
    ends: bool = False
    away: bool = False
    last: bool = False


@lru_cache(maxsize=65536)
def deals(n: int, counts: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Every way to take `n` from a multiset given by its counts: how many of each, and in how many ways."""
    if not counts:
        return (((), 1),) if n == 0 else ()
    if len(counts) == 1:
        return (((n,), comb(counts[0], n)),) if n <= counts[0] else ()
    first, rest = counts[0], counts[1:]
    room = sum(rest)
    return tuple(
        ((k, *tail), comb(first, k) * ways)
        for k in range(min(n, first), max(0, n - room) - 1, -1)
        for tail, ways in deals(n - k, rest)
    )
