"""A crowd of token conflicts (C9): decks are shuffled and dealt by the thousand, and whoever still stands deals on.

It never asks for odds, so the two check each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sortes.core.errors import Refused
from sortes.core.system import Question
from sortes.systems.cards.conflict import Conflict, effects
from sortes.systems.cards.conflict_solver import RESULTS, conflict
from sortes.systems.cards.deck import suit

if TYPE_CHECKING:
    import numpy as np

CROWD = 1 << 15  # conflicts that are dealt side by side
CARDS = 1 << 24  # cards that lie in memory at once
CELLS = 1 << 19  # rounds that are walked at once where each begins with a shuffle
PATIENCE = (
    10_000  # decks of a thousand conflicts (or blocks of rounds) without an end to any, after which we stop
)
OVER = 1 << 24  # tokens of a side whose conflict is over, more than it can ever have


def crowd(question: Question, n: int, source: np.random.Generator) -> Mapping[Conflict, int] | None:
    """How `n` conflicts end in which nobody spends Luck or gives way; None where there are too few cards for one."""
    totals = question.totals["cards"]
    draws = question.params["draws"]
    if sum(totals.values()) < (2 if draws == "both" else 1) or n > 10**8:
        return None
    table = _Table(question, n, source)
    while table.waiting:
        table.walk() if table.always else table.play()
    return {Conflict(result): found for result, found in zip(RESULTS, table.counts, strict=True) if found}


class _Table:
    """The cards by what they do, and conflicts side by side: a column each, a row for each card of their decks."""

    def __init__(self, question: Question, n: int, source: np.random.Generator) -> None:
        import numpy as np

        self.np, self.source, self.params = np, source, question.params
        totals, left = question.totals["cards"], question.left["cards"]
        marks = list(totals)
        moves = [effects(question.house)[suit(mark)] for mark in marks]
        kinds = list(dict.fromkeys(moves))
        self.moves = np.array(kinds, np.int32).T.copy()  # of the drawer, of the other side
        kind = np.array([kinds.index(move) for move in moves], np.uint8)
        self.full, self.first = (
            np.repeat(kind, [cards.get(mark, 0) for mark in marks]) for cards in (totals, left)
        )
        self.always = question.house.reshuffle == "always"
        if self.always or len(self.first) in (0, len(self.full)):
            self.first = self.full
        self.most = max(1, min(CROWD, CARDS // len(self.full)))
        self.columns = np.arange(self.most)
        self.waiting, self.counts = n, [0, 0, 0]

    def seated(self, free: int) -> tuple[Any, Any]:
        """Tokens of as many new conflicts as find a place."""
        np, many = self.np, min(self.waiting, free)
        self.waiting -= many
        return np.full(many, self.params["mine"], np.int32), np.full(many, self.params["theirs"], np.int32)

    def play(self) -> None:
        """Deal to as many conflicts as find a place, and in the places that fall free to more, until all are over."""
        np, draws = self.np, self.params["draws"]
        both, begins, idle = draws == "both", draws == "theirs", 0
        turn, table = begins, None  # my card, where the deck ends before the other side draws
        mine, theirs = self.seated(self.most)
        deck = self.laid(self.first, len(mine), None)
        while len(mine):
            for i in range(len(deck)):
                card = self.drawn(deck, i)
                own, other = self.moves
                if turn or table is not None:
                    own, other = other, own
                mine += own.take(card)
                theirs += other.take(card)
                table = card if both and table is None else None
                turn ^= draws == "alternate"
                if table is None:
                    self.check(mine, theirs)
            stands = (mine < OVER // 2).nonzero()[0]
            idle = idle + max(1, len(mine) // 1000) if len(stands) == len(mine) else 0
            mine, theirs = mine[stands], theirs[stands]
            if idle > PATIENCE or self.endless(mine, theirs):
                raise self.refused()
            if table is not None:
                table = table[stands]
            elif self.first is self.full and turn == begins:
                new, their_new = self.seated(self.most - len(mine))
                mine, theirs = np.concatenate((mine, new)), np.concatenate((theirs, their_new))
            deck = self.laid(self.full, len(mine), table)

    def walk(self) -> None:
        """The same where each round begins with a shuffle of all cards, many rounds at once."""
        np, source, draws, size = self.np, self.source, self.params["draws"], len(self.full)
        own, other = (part[self.full].astype(np.int8) for part in self.moves)
        mine, theirs = self.seated(self.most)
        idle = 0
        while many := len(mine):
            length = 2 * max(8, CELLS // many)
            card = source.integers(0, size, (many, length), dtype=np.int16)
            me, you = own[card], other[card]
            if draws == "both":
                second = source.integers(0, size - 1, (many, length), dtype=np.int16)
                second += second >= card
                me += other[second]
                you += own[second]
            elif draws == "theirs":
                me, you = you, me
            elif draws == "alternate":
                me[:, 1::2], you[:, 1::2] = you[:, 1::2].copy(), me[:, 1::2].copy()
            me = np.cumsum(me, axis=1, dtype=np.int32) + mine[:, None]
            you = np.cumsum(you, axis=1, dtype=np.int32) + theirs[:, None]
            over, rows = (me | you) < 0, np.arange(many)
            at = over.argmax(axis=1)
            ended = over[rows, at]
            self.count(me[rows, at][ended], you[rows, at][ended])
            new, their_new = self.seated(self.most - many + int(ended.sum()))
            mine = np.concatenate((me[~ended, -1], new))
            theirs = np.concatenate((you[~ended, -1], their_new))
            idle = 0 if ended.any() else idle + 5
            if idle > PATIENCE or self.endless(mine, theirs):
                raise self.refused()

    def check(self, mine: Any, theirs: Any) -> None:
        """Count who is Down, and take those conflicts out."""
        at = ((mine | theirs) < 0).nonzero()[0]
        if len(at):
            self.count(mine[at], theirs[at])
            mine[at] = theirs[at] = OVER

    def count(self, mine: Any, theirs: Any) -> None:
        """Count who is Down (C9.3)."""
        down = (mine < 0) + 2 * (theirs < 0)
        for r, found in enumerate(self.np.bincount(down, minlength=4)[1:].tolist()):
            self.counts[r] += found

    def refused(self) -> Refused:
        """What is said where conflicts do not end."""
        return Refused(
            "mine", f"got {self.params['mine']}; so many tokens against these hardly ever end by cards"
        )

    def laid(self, cards: Any, many: int, table: Any) -> Any:
        """A deck for each conflict, less the card on its table, which stays out of the shuffle (C2)."""
        np = self.np
        if table is None:
            return np.repeat(cards[:, None], many, axis=1)
        deck = np.empty((len(cards) - 1, many), np.uint8)
        for kind in np.unique(table):
            rest = np.delete(cards, int((cards == kind).argmax()))
            deck[:, table == kind] = rest[:, None]
        return deck

    def drawn(self, deck: Any, i: int) -> Any:
        """The next card of each: any that is left, which changes places with the i-th (Fisher and Yates)."""
        np, many = self.np, deck.shape[1]
        at = self.source.integers(i, len(deck), many, dtype=np.uint16).astype(np.intp)
        at *= many
        at += self.columns[:many]
        flat = deck.reshape(-1)
        card = flat[at]
        flat[at] = deck[i]
        deck[i] = card
        return card

    def endless(self, mine: Any, theirs: Any) -> bool:
        """Whether no card takes anything, or one side alone draws and a whole deck never leaves anyone the worse."""
        np, draws = self.np, self.params["draws"]
        if len(mine) and self.moves[:, self.full].min() >= 0:
            return True
        if self.always or draws in ("both", "alternate"):
            return False
        me, you = (part[self.full] for part in (self.moves if draws == "mine" else self.moves[::-1]))
        if me.sum() < 0 or you.sum() < 0:
            return False
        safe = (mine + np.minimum(me, 0).sum() >= 0) & (theirs + np.minimum(you, 0).sum() >= 0)
        return bool(safe.any())


conflict.crowd = crowd

__all__ = ["conflict", "crowd"]
