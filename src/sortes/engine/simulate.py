"""What would a million tables see? A crowd splits multinomially at each throw: the cost is states, not plays.

It never calls odds, so the two check each other.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sortes.core.ask import Choice, Done, Outcome, State, Tally, Throw
from sortes.core.chance import Draw
from sortes.core.world import Stock, World, Worlds
from sortes.engine.odds import Node, Watch, counted, ending, projected
from sortes.engine.policy import Decide, answered, plain

if TYPE_CHECKING:
    import numpy as np


def crowd(
    start: State,
    stock: Stock,
    world: World,
    n: int,
    source: np.random.Generator,
    decide: Decide = plain,
    *,
    counters: tuple[str, ...] = (),
    worlds: Worlds | None = None,
    watch: Watch | None = None,
) -> Counter[Outcome]:
    """How many of `n` plays from `start` in `world` end in each outcome."""
    if worlds is None:
        state = source.bit_generator.state

        def run(worlds: Worlds) -> Counter[Outcome]:
            source.bit_generator.state = state  # a finer projection starts over
            return _crowd(start, worlds, n, source, decide, counters, watch)

        return projected(start, stock, world, run)
    return _crowd(start, worlds, n, source, decide, counters, watch)


def _crowd(
    start: State,
    worlds: Worlds,
    n: int,
    source: np.random.Generator,
    decide: Decide,
    counters: tuple[str, ...],
    watch: Watch | None,
) -> Counter[Outcome]:
    import numpy as np

    ends: Counter[Outcome] = Counter()
    here: Counter[Node] = Counter({(start, worlds.start, (0,) * len(counters)): n})
    shares: dict[Any, Any] = {}
    seen = done = 0
    while here:
        seen += len(here)
        there: Counter[Node] = Counter()
        for (state, world, counts), many in here.items():
            ask = state.ask()
            if type(ask) is Throw:
                key = (world, ask.bag) if type(ask.bag) is Draw else ask.bag
                if key not in shares:
                    if type(ask.bag) is Draw:
                        dealt, total, _ = worlds.deal(world, ask.bag)
                        hands = [(hand, after) for hand, _, after in dealt]
                        ways = [w for _, w, _ in dealt]
                    else:
                        thrown, total = ask.bag.odds(), ask.bag.total  # type: ignore[union-attr]
                        hands = [(hand, -1) for hand, _ in thrown]
                        ways = [w for _, w in thrown]
                    p = np.array([w / total for w in ways])
                    shares[key] = hands, p / p.sum()
                hands, p = shares[key]
                then = ask.then
                split = source.multinomial(many, p)
                for i in split.nonzero()[0].tolist():
                    hand, after = hands[i]
                    there[then(hand), world if after < 0 else after, counts] += int(split[i])
            elif type(ask) is Choice:
                option = answered(decide, state, ask, worlds, world)
                there[ask.then(option.value), worlds.pay(world, option.cost), counts] += many
            elif type(ask) is Tally:
                really, world = worlds.mark(world, ask.what, ask.n)
                there[ask.then(really), world, counted(counters, counts, ask.what, really)] += many
            else:
                assert type(ask) is Done
                ends[ending(ask, counters, counts)] += many
                done += many
        if watch:
            watch(seen, done / n)
        here = there
    return ends
