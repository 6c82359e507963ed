"""The work of the table in Sortes, through its public names, one question at a time."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import sortes
from sortes import engine

Odds: TypeAlias = dict[Any, Fraction]
Case: TypeAlias = tuple[int, int, int]  # EL, Extra Effort, opposing EL


def clear() -> None:
    """Empty every cache that is kept between questions."""
    engine.clear_caches()
    for name, module in list(sys.modules.items()):
        if name.startswith(("sortes.prepared", "sortes.core.", "sortes.engine.", "sortes.systems.")):
            for value in list(vars(module).values()):
                if callable(empty := getattr(value, "cache_clear", None)):
                    empty()


# ---- dice --------------------------------------------------------------------------------------------------


def oracle(likelihood: str) -> Odds:
    """The d20 oracle at one likelihood. The d12 tables do not change the answer and are not rolled (D6)."""
    return sortes.odds("d20-oracle.ask", likelihood=likelihood, tables=False).by("result")


def poker(modifiers: Iterable[int]) -> list[Odds]:
    """Poker dice at each net modifier."""
    return [
        sortes.odds("poker-dice.roll", bonus=max(net, 0), penalty=max(-net, 0)).by("result")
        for net in modifiers
    ]


def agate(rank: int, dice: int, lowest: bool = False) -> Odds:
    """The highest or lowest of a pool at an Effective Rank. A single die is a hindrance (A2)."""
    boons, hindrances = (0, dice) if lowest or dice == 1 else (dice - 2, 0)
    return sortes.odds("agate.attempt", skill=rank, difficulty=0, boons=boons, hindrances=hindrances).by(
        "result"
    )


def agate_all() -> list[Odds]:
    """Six ranks, the highest and the lowest of 1..10."""
    return [agate(rank, n, low) for rank in range(6) for n in range(1, 11) for low in (False, True)]


# ---- cards -------------------------------------------------------------------------------------------------


def cards(cases: Iterable[Case]) -> dict[Case, Odds]:
    """Result and Effect of resolution rolls."""
    out: dict[Case, Odds] = {}
    for el, extra, against in cases:
        found = sortes.odds("cards.resolve", el=el, against=against, extra=extra).outcomes
        # without Extra Effort of theirs only one's own side can bust: no two outcomes share a result and an Effect
        out[el, extra, against] = {(outcome.result, outcome.effect): p for outcome, p in found.items()}
    return out


def packs(number: int) -> Odds:
    """The Effect of a resolution roll of EL 14 against 14 from several packs."""
    return sortes.odds("cards.resolve", el=14, against=14, house={"packs": number}).by("effect")


def effort(el: int, against: Iterable[int]) -> dict[int, tuple[int, list[Fraction]]]:
    """The best Extra Effort, and the worth of each, by opposing EL."""
    out = {}
    for other in against:
        advice = sortes.advise("cards.resolve", el=el, against=other, extra="choose")
        out[other] = advice.best, [Fraction(option.worth) for option in advice.options]
    return out


def conflict_one_deck(mine: int, theirs: int) -> Odds:
    """In which round a token conflict ends within one deck, which has 26; what does not is unresolved."""
    odds = sortes.odds("cards.conflict", mine=mine, theirs=theirs, within=26)
    return {**odds.by("rounds"), "unresolved": odds.left("rounds")}


def conflict_to_the_end(mine: int, theirs: int) -> tuple[Odds, Fraction]:
    """How a token conflict ends, through every reshuffle, and its mean number of rounds."""
    odds = sortes.odds("cards.conflict", mine=mine, theirs=theirs)
    mean = odds.mean("rounds")
    assert mean is not None
    return odds.by("result"), mean


# ---- the skill task ----------------------------------------------------------------------------------------

STEPS: tuple[Mapping[str, Any], ...] = (
    {"name": "find the way in", "skill": 10, "dn": 10},
    {"name": "open the vault", "skill": 12, "dn": 14},
    {"name": "quiet the guard", "skill": 9, "dn": 8},
    {"name": "carry it out", "skill": 11, "dn": 12},
)


def task(helpers: int, rounds: int) -> Any:
    """What the best policy of a whole task is worth: full drama deck, d20 tests, one lead, some helpers."""
    given: dict[str, Any] = {"helpers": [{"skill": 9, "dn": 10}] * helpers} if helpers else {}
    advice = sortes.advise("dramatic-skill.task", steps=list(STEPS), rounds=rounds, **given)
    return advice.worth


# ---- plays and crowds --------------------------------------------------------------------------------------


class Plays:
    """The d20 oracle, prepared once, with one generator."""

    def __init__(self) -> None:
        self.prepared = sortes.prepare("d20-oracle.ask", tables=False)
        self.rng = random.Random(1)

    def __call__(self, n: int) -> None:
        """Play it n times, each time with its throws."""
        prepared, rng = self.prepared, self.rng
        for _ in range(n):
            assert sortes.play(prepared, rng=rng).throws


def crowd_cards(n: int, el: int) -> Counter[Any]:
    """Resolution rolls between equals."""
    return sortes.simulate("cards.resolve", el=el, against=el, n=n, seed=1)


def crowd_conflict(n: int, rating: int) -> Counter[Any]:
    """Token conflicts between equals, to the end."""
    return sortes.simulate("cards.conflict", mine=rating, theirs=rating, n=n, seed=1)
