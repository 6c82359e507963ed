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
PATIENCE = 20_000  # decks after which conflicts are taken to have no end
OVER = 1 << 24  # tokens of a side whose conflict is over, more than it can ever have


def crowd(question: Question, n: int, source: np.random.Generator) -> Mapping[Conflict, int] | None:
    """How `n` conflicts end in which nobody spends Luck or gives way; None where there are too few cards for one."""
    totals = question.totals["cards"]
    draws = question.params["draws"]
    if sum(totals.values()) < (2 if draws == "both" else 1) or n > 10**8:
        return None
    table = _Table(question, n, source)
    while table.waiting:
        table.play()
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
        both, begins, decks = draws == "both", draws == "theirs", 0
        turn, table = begins, None  # my card, where the deck ends before the other side draws
        mine, theirs = self.seated(self.most)
        deck = self.laid(self.first, len(mine), None)
        while many := len(mine):
            for i in range(2 * self.rounds(many) if self.always else len(deck)):
                card = self.drawn(deck, i, table)
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
            mine, theirs, decks = mine[stands], theirs[stands], decks + 1
            if decks > PATIENCE or self.endless(mine, theirs):
                raise Refused(
                    "mine", f"got {self.params['mine']}; so many tokens against these never end by cards"
                )
            if table is not None:
                table = table[stands]
            elif self.first is self.full and turn == begins:
                new, their_new = self.seated(self.most - len(mine))
                mine, theirs = np.concatenate((mine, new)), np.concatenate((theirs, their_new))
                decks = 0 if len(new) else decks
            deck = self.laid(self.full, len(mine), table)

    def check(self, mine: Any, theirs: Any) -> None:
        """Count who is Down (C9.3), and take those conflicts out."""
        at = ((mine | theirs) < 0).nonzero()[0]
        if len(at):
            down = (mine[at] < 0) + 2 * (theirs[at] < 0)
            for r, found in enumerate(self.np.bincount(down, minlength=4)[1:].tolist()):
                self.counts[r] += found
            mine[at] = theirs[at] = OVER

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

    def drawn(self, deck: Any, i: int, table: Any) -> Any:
        """The next card of each: any that is left, which changes places with the i-th (Fisher and Yates)."""
        np, many = self.np, deck.shape[1]
        if self.always:  # a round's first card, and its second
            i = int(table is not None)
        at = self.source.integers(i, len(deck), many, dtype=np.uint16).astype(np.intp)
        at *= many
        at += self.columns[:many]
        flat = deck.reshape(-1)
        card = flat[at]
        flat[at] = deck[i]
        deck[i] = card
        return card

    def rounds(self, many: int) -> int:
        """How many rounds that each begin with a shuffle go by before those that are over are taken out."""
        return int(max(16, min(512, CARDS // (8 * many))))

    def endless(self, mine: Any, theirs: Any) -> bool:
        """Whether one side alone draws, a whole deck changes nothing, and none can bring anyone down."""
        np, draws = self.np, self.params["draws"]
        if self.always or draws in ("both", "alternate"):
            return False
        me, you = (part[self.full] for part in (self.moves if draws == "mine" else self.moves[::-1]))
        if me.sum() < 0 or you.sum() < 0:
            return False
        safe = (mine + np.minimum(me, 0).sum() >= 0) & (theirs + np.minimum(you, 0).sum() >= 0)
        return bool(safe.any())


conflict.crowd = crowd

__all__ = ["conflict", "crowd"]
