"""What stands beside a state: what is left in each deck, what lies on the table, and the purses of tokens.

Decks are the table's, not a moment's, so two plays that wait at once never deal a card twice. A deck has no order:
the next card is drawn uniformly from what is left. Reshuffling is here, once for all rooms (C2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any, TypeAlias

from msgspec import Struct

from sortes.core.ask import Choice, Cost, Hand, Option
from sortes.core.chance import Draw, Source, deals
from sortes.core.errors import Refused

Counts: TypeAlias = tuple[int, ...]  # aligned with a deck's labels
Reads: TypeAlias = Callable[[str], Hashable]


class Deck(Struct, frozen=True):
    """A deck as its house rules make it: every card with its number, and the acts it is shuffled before.

    `parse` reads (parameter, given) as cards and their numbers. A deck is the table's, or where `each` is true laid
    anew for each play.
    """

    name: str
    cards: tuple[tuple[str, int], ...]
    shuffles: tuple[str, ...] = ()
    parse: Callable[[str, Any], Mapping[str, int]] | None = None
    each: bool = False


class Purse(Struct, frozen=True, gc=False):
    """Tokens that can be spent: how many are used of how many (none: no end, and if not `keeps`, not counted)."""

    used: int = 0
    size: int | None = 0
    keeps: bool = True

    def fits(self, n: int) -> bool:
        """Whether n more can be spent."""
        return self.size is None or self.used + n <= self.size


class Pile(Struct, frozen=True, gc=False, cache_hash=True):
    """A deck in play: what is left, and what lies on the table for the act under way. The rest is the discard."""

    left: Counts
    out: Counts


PROJECTED = 4096  # piles that a stock remembers as it sees them


class World(Struct, frozen=True, gc=False):
    """All that is not the state's: piles (none once a walk may forget them) and purses, by their place in a Stock."""

    piles: tuple[Pile | None, ...] = ()
    purses: tuple[Purse, ...] = ()


class Finer(Exception):
    """A draw reads more of a card than the walk tells apart."""

    def __init__(self, deck: int, reads: Reads) -> None:
        super().__init__(deck, reads)
        self.deck, self.reads = deck, reads


def _minus(a: Counts, b: Counts) -> Counts:
    return tuple([x - y for x, y in zip(a, b, strict=True)])


def _plus(a: Counts, b: Counts) -> Counts:
    return tuple([x + y for x, y in zip(a, b, strict=True)])


class Stock:
    """What never changes while a rule runs: the decks' labels and sizes, and the names of the purses.

    Cards that no draw tells apart share a label; `reading` gives what a draw reads of each label.
    """

    def __init__(
        self,
        decks: Sequence[Deck],
        totals: Sequence[Mapping[str, int]],
        purses: Sequence[str],
        reads: Sequence[Sequence[Reads] | None] | None = None,
    ) -> None:
        self.decks, self.purses, self._cards = tuple(decks), tuple(purses), tuple(totals)
        self.place = {deck.name: i for i, deck in enumerate(decks)}
        self.known = tuple(reads or [None] * len(decks))  # none: every card has a label of its own
        self.labels: list[tuple[Any, ...]] = []
        self.totals: list[Counts] = []
        self._of_card: list[dict[str, int]] = []
        for cards, known in zip(totals, self.known, strict=True):
            label = (lambda c: c) if known is None else (lambda c, k=known: tuple([r(c) for r in k]))
            of_card = {card: label(card) for card in cards}
            labels = tuple(dict.fromkeys(of_card.values()))
            index = {one: i for i, one in enumerate(labels)}
            counts = [0] * len(labels)
            for card, n in cards.items():
                counts[index[of_card[card]]] += n
            self.labels.append(labels)
            self.totals.append(tuple(counts))
            self._of_card.append({card: index[one] for card, one in of_card.items()})
        self._readings: dict[tuple[int, Reads], tuple[tuple[Any, ...], dict[Any, int], tuple[int, ...]]] = {}
        self._projected: dict[tuple[int, Pile, Stock], Pile] = {}
        self._apart: dict[tuple[int, Pile, Reads], Mapping[Any, int]] = {}
        self._coarse: dict[tuple[tuple[Reads, ...], ...], Stock] = {}
        self.noticed: dict[
            Any, tuple[tuple[Reads, ...], ...]
        ] = {}  # by a rule's first step: what its walks read

    def coarse(self, reads: tuple[tuple[Reads, ...], ...]) -> Stock:
        """The same decks, with cards told apart only by what these functions read."""
        if reads not in self._coarse:
            self._coarse[reads] = Stock(self.decks, self._cards, self.purses, reads)
        return self._coarse[reads]

    def counts(self, deck: int, cards: Mapping[str, int]) -> Counts:
        """Cards by name as counts of labels."""
        counts = [0] * len(self.labels[deck])
        for card, n in cards.items():
            counts[self._of_card[deck][card]] += n
        return tuple(counts)

    def project(self, world: World, finer: Stock) -> World:
        """A world of `finer` as this stock sees it."""
        piles = tuple([pile and self._seen(i, pile, finer) for i, pile in enumerate(world.piles)])
        return World(piles, world.purses)

    def _seen(self, i: int, pile: Pile, finer: Stock) -> Pile:
        key = (i, pile, finer)
        if (seen := self._projected.get(key)) is None:
            left, out = (
                self.counts(i, dict(zip(finer.labels[i], counts, strict=True)))
                for counts in (pile.left, pile.out)
            )
            seen = Pile(left, out)
            if len(self._projected) < PROJECTED:
                self._projected[key] = seen
        return seen

    def told_apart(self, deck: int, pile: Pile, reads: Reads) -> Mapping[Any, int]:
        """How much is left in a pile of all that `reads` tells apart."""
        key = (deck, pile, reads)
        if (left := self._apart.get(key)) is None:
            left = dict.fromkeys(self.reading(deck, reads)[1], 0)
            for one, n in zip(self.reading(deck, reads)[0], pile.left, strict=True):
                left[one] += n
            if len(self._apart) < PROJECTED:
                self._apart[key] = left
        return left

    def reading(self, deck: int, reads: Reads) -> tuple[tuple[Any, ...], dict[Any, int], tuple[int, ...]]:
        """What `reads` sees of each label, the place of each thing seen in a hand, and the labels in that order."""
        key = (deck, reads)
        if key not in self._readings:
            known = self.known[deck]
            if known is None:
                seen = tuple([reads(card) for card in self.labels[deck]])
            elif reads in known:
                at = list(known).index(reads)
                seen = tuple([label[at] for label in self.labels[deck]])
            else:
                raise Finer(deck, reads)
            rank = {one: i for i, one in enumerate(dict.fromkeys(seen))}
            self._readings[key] = seen, rank, tuple(sorted(range(len(seen)), key=lambda k: rank[seen[k]]))
        return self._readings[key]

    # ---- decks ----------------------------------------------------------------------------------

    def opened(self, world: World, draw: Draw) -> World:
        """The world when this draw is about to be dealt; refused where there are too few cards (C2)."""
        i = self.place[draw.deck]
        pile = world.piles[i]
        assert pile is not None, "a draw marked as the last one was not the last"
        if draw.opens:
            shuffled = draw.opens in self.decks[i].shuffles
            pile = Pile(self.totals[i] if shuffled else pile.left, (0,) * len(pile.out))
        need, have = max(draw.n, draw.needs), sum(self.totals[i]) - sum(pile.out)
        if have < need and not draw.ends:
            raise Refused(
                "deck", f"{need} cards are to be drawn and only {have} can be; shuffle or draw fewer"
            )
        return self._with(world, i, pile)

    def short(self, world: World, draw: Draw) -> bool:
        """Whether this draw, opened, needs the discard shuffled in."""
        pile = world.piles[self.place[draw.deck]]
        return pile is not None and sum(pile.left) < draw.n and not draw.ends

    def deal(self, world: World, draw: Draw) -> tuple[list[tuple[Hand, int, World]], int]:
        """Every hand of an opened draw with its ways and the world after it, and all ways together."""
        i = self.place[draw.deck]
        pile = world.piles[i]
        assert pile is not None
        seen, _, order = self.reading(i, draw.reads)
        size = sum(pile.left)
        first, fresh, n = (0,) * len(pile.left), pile.left, draw.n
        if size < draw.n:
            if draw.ends:
                return [((), 1, world)], 1
            first, n = pile.left, draw.n - size  # the rest is dealt, the discard shuffled in (C2)
            fresh = _minus(_minus(self.totals[i], pile.left), pile.out)
        hands = []
        forgotten = self._with(world, i, None) if draw.last else None
        for taken, ways in deals(n, fresh):
            hand: list[Any] = []
            for k in order:
                if n_k := first[k] + taken[k]:
                    hand += [seen[k]] * n_k
            after = forgotten
            if not after:
                out = pile.out if draw.away else _plus(_plus(pile.out, first), taken)
                after = self._with(world, i, Pile(_minus(fresh, taken), out))
            hands.append((tuple(hand), ways, after))
        return hands, comb(sum(fresh), n)

    def sample(self, world: World, draw: Draw, source: Source) -> tuple[Sequence[str], World]:
        """Cards for an opened draw, in drawn order, and the world after them."""
        i = self.place[draw.deck]
        cards: list[str] = []
        before = world.piles[i]
        for _ in range(draw.n):
            pile = world.piles[i]
            assert pile is not None
            left = pile.left if any(pile.left) else _minus(self.totals[i], pile.out)
            if draw.ends and not any(pile.left):
                break
            at, k = source.randrange(sum(left)), 0
            while at >= left[k]:
                at -= left[k]
                k += 1
            one = tuple([int(j == k) for j in range(len(left))])
            cards.append(self.labels[i][k])
            world = self._with(world, i, Pile(_minus(left, one), _plus(pile.out, one)))
        return cards, self._away(world, i, before) if draw.away else world

    def take(self, world: World, draw: Draw, cards: Sequence[str]) -> World:
        """The world after these very cards were drawn by hand; refused where one is not there to be drawn."""
        i = self.place[draw.deck]
        before = world.piles[i]
        for card in cards:
            pile = world.piles[i]
            assert pile is not None
            left = pile.left if any(pile.left) else _minus(self.totals[i], pile.out)
            one = self.counts(i, {card: 1}) if card in self._of_card[i] else None
            if one is None or min(_minus(left, one)) < 0:
                raise Refused("cards", f"{card} is not in the deck any more")
            world = self._with(world, i, Pile(_minus(left, one), _plus(pile.out, one)))
        return self._away(world, i, before) if draw.away else world

    def _away(self, world: World, i: int, before: Pile | None) -> World:
        """What lies on the table is what lay there before."""
        pile = world.piles[i]
        assert pile is not None
        assert before is not None
        return self._with(world, i, Pile(pile.left, before.out))

    def hand(self, draw: Draw, cards: Sequence[str]) -> Hand:
        """The hand that these cards make, as the draw reads it and in the order the walks give it."""
        i = self.place[draw.deck]
        seen, rank, _ = self.reading(i, draw.reads)
        return tuple(sorted([seen[self._of_card[i][card]] for card in cards], key=rank.__getitem__))

    def settled(self, world: World) -> World:
        """The world when the play is over: what lay on the table is in the discard."""
        if not world.piles:
            return world
        return World(
            tuple([pile and Pile(pile.left, (0,) * len(pile.out)) for pile in world.piles]), world.purses
        )

    def cards(self, world: World, deck: str) -> dict[str, int]:
        """What is left of a deck, by card."""
        i = self.place[deck]
        pile = world.piles[i]
        assert pile is not None
        return {card: n for card, n in zip(self.labels[i], pile.left, strict=True) if n}

    def _with(self, world: World, i: int, pile: Pile | None) -> World:
        piles = world.piles
        return World((*piles[:i], pile, *piles[i + 1 :]), world.purses)

    # ---- purses ---------------------------------------------------------------------------------

    def offered(self, world: World, choice: Choice) -> tuple[Option, ...]:
        """The options of a choice that can be paid; the first one always can."""
        return tuple([o for o in choice.options if not o.cost or self.fits(world, o.cost)])

    def fits(self, world: World, cost: Cost) -> bool:
        """Whether the purses can pay; a purse that the world does not have is empty."""
        return all(what in self.purses and world.purses[self.purses.index(what)].fits(n) for what, n in cost)

    def pay(self, world: World, cost: Cost) -> World:
        """The world after a cost is paid."""
        for what, n in cost:
            if not self.fits(world, ((what, n),)):
                raise Refused(what, f"{n} cannot be spent; take an option that costs less")
            world = self.mark(world, what, n)[1]
        return world

    def really(self, world: World, what: str, n: int) -> int:
        """How much of a tally happens: n marked (or -n given back), as far as the purse allows.

        What has no purse is only counted: all of n happens.
        """
        if what not in self.purses:
            return n
        purse = world.purses[self.purses.index(what)]
        if not purse.keeps:
            return n
        if purse.size is not None and n > 0:
            return max(0, min(n, purse.size - purse.used))
        return max(n, -purse.used)

    def mark(self, world: World, what: str, n: int) -> tuple[int, World]:
        """What of a tally really happens, and the world after it."""
        really = self.really(world, what, n)
        if what not in self.purses or not really:
            return really, world
        i = self.purses.index(what)
        purse = world.purses[i]
        if not purse.keeps:
            return really, world
        after = (*world.purses[:i], Purse(purse.used + really, purse.size), *world.purses[i + 1 :])
        return really, World(world.piles, after)


@lru_cache(maxsize=128)
def stock(
    decks: tuple[Deck, ...], totals: tuple[tuple[tuple[str, int], ...], ...], purses: tuple[str, ...]
) -> Stock:
    """The stock of these decks, with left and discard together, and these purses; equal ones are the same object."""
    return Stock(decks, [dict(total) for total in totals], purses)


class Worlds:
    """The worlds that one walk has met, each by its number, so that a node of the walk is (state, number)."""

    __slots__ = ("_deals", "_number", "_paid", "_world", "start", "stock")

    def __init__(self, stock: Stock, world: World) -> None:
        self.stock = stock
        self._number: dict[World, int] = {}
        self._world: list[World] = []
        self._deals: dict[tuple[int, Draw], tuple[list[tuple[Hand, int, int]], int, bool]] = {}
        self._paid: dict[tuple[int, Cost], int] = {}
        self.start = self.number(world)

    def number(self, world: World) -> int:
        """The number of a world, new or known."""
        if (number := self._number.get(world)) is None:
            number = self._number[world] = len(self._world)
            self._world.append(world)
        return number

    def like(self, world: World) -> list[int]:
        """The worlds this walk has met that are this one, the walk having forgotten some of its piles or none."""
        kept = product(*[(pile,) if pile is None else (pile, None) for pile in world.piles])
        found = [self._number.get(World(piles, world.purses)) for piles in kept]
        return [number for number in found if number is not None]

    def __getitem__(self, number: int) -> World:
        return self._world[number]

    def deal(self, number: int, draw: Draw) -> tuple[list[tuple[Hand, int, int]], int, bool]:
        """Every hand with its ways and the world after it, all ways together, and whether the deck ran out for it."""
        key = (number, draw)
        if (known := self._deals.get(key)) is None:
            world = self.stock.opened(self._world[number], draw)
            hands, total = self.stock.deal(world, draw)
            dealt = [(hand, ways, self.number(after)) for hand, ways, after in hands]
            known = self._deals[key] = (dealt, total, self.stock.short(world, draw))
        return known

    def offered(self, number: int, choice: Choice) -> tuple[Option, ...]:
        """The options of a choice that can be paid in this world."""
        return self.stock.offered(self._world[number], choice)

    def pay(self, number: int, cost: Cost) -> int:
        """The world after a cost is paid."""
        if not cost:
            return number
        key = (number, cost)
        if key not in self._paid:
            self._paid[key] = self.number(self.stock.pay(self._world[number], cost))
        return self._paid[key]

    def really(self, number: int, what: str, n: int) -> int:
        """How much of a tally happens in this world."""
        return n if what not in self.stock.purses else self.stock.really(self._world[number], what, n)

    def mark(self, number: int, what: str, n: int) -> tuple[int, int]:
        """What of a tally really happens, and the world after it."""
        if what not in self.stock.purses:
            return n, number
        really, world = self.stock.mark(self._world[number], what, n)
        return really, self.number(world)


def counted(cards: Sequence[str]) -> dict[str, int]:
    """Cards by name and number."""
    return dict(Counter(cards))
