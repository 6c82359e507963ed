"""How likely is it? Mass flows forward through (state, world) as integers; equal nodes pool it.

Where a deck runs out the flow stops at a node and starts anew from there, so that reshuffles make a finite chain,
which is solved. Everything is exact; what a cut leaves is unresolved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sortes.core.ask import Choice, Done, Moment, Outcome, State, Tally, Throw, call
from sortes.core.chance import Draw
from sortes.core.exact import chances
from sortes.core.system import Solved
from sortes.core.world import Finer, Stock, World, Worlds
from sortes.engine.policy import Decide, answered, plain

Node: TypeAlias = tuple[State, int, tuple[int, ...]]  # state, number of its world, what the counters show
Watch: TypeAlias = Callable[[int, float], None]  # nodes seen so far, share of the mass that is resolved

T = TypeVar("T")
UNRESOLVED = "unresolved"
NODES = 4_000_000  # a pass is cut when it has seen as many
CHAIN = 400  # a chain over reshuffles is cut at as many links


def projected(start: State, stock: Stock, world: World, run: Callable[[Worlds], T]) -> T:
    """Run a walk from `start` over decks that tell apart only what the rule reads, finer each time it reads more."""
    key = start[0] if type(start) is Moment else None
    reads = stock.noticed.get(key, ((),) * len(stock.decks))
    if not reads:
        return run(Worlds(stock, world))
    while True:
        coarse = stock.coarse(reads)
        try:
            return run(Worlds(coarse, coarse.project(world, stock)))
        except Finer as more:
            i = more.deck
            reads = stock.noticed[key] = (*reads[:i], (*reads[i], more.reads), *reads[i + 1 :])


def spread(
    start: State,
    stock: Stock,
    world: World,
    decide: Decide = plain,
    *,
    counters: tuple[str, ...] = (),
    within: Mapping[str, int] | None = None,
    means: tuple[str, ...] = (),
    worlds: Worlds | None = None,
    watch: Watch | None = None,
    nodes: int = NODES,
) -> Solved:
    """The exact odds from `start` in `world`, with choices answered by `decide`.

    `counters` are carried into the outcomes, each cut where it exceeds `within`; `means` are counters whose mean is
    wanted without carrying them. `worlds` fixes the projection (a plan's own); `nodes` is where a pass is cut.
    """

    def run(worlds: Worlds) -> Solved:
        return _Flow(worlds, decide, counters, within or {}, means, watch, nodes).solve(start)

    return run(worlds) if worlds else projected(start, stock, world, run)


class _Flow:
    __slots__ = ("closed", "counters", "cuts", "decide", "limit", "means", "seen", "watch", "worlds")

    def __init__(
        self,
        worlds: Worlds,
        decide: Decide,
        counters: tuple[str, ...],
        within: Mapping[str, int],
        means: tuple[str, ...],
        watch: Watch | None,
        nodes: int,
    ) -> None:
        self.worlds, self.decide, self.counters = worlds, decide, counters
        self.watch, self.limit = watch, nodes
        self.cuts = [(i, within[name]) for i, name in enumerate(counters) if name in within]
        self.means = means
        self.closed: dict[State, Closed | None] = {}
        self.seen = 0

    def solve(self, start: State) -> Solved:
        """Follow the chain from reshuffle to reshuffle, and eliminate its links from the last to the first."""
        first: Node = (start, self.worlds.start, (0,) * len(self.counters))
        ends, over, on = self.flow(first)
        if on:
            solved = self.chain(first, chances(ends, over), on)
            means = {name: solved.pop(("mean", name), Fraction(0)) for name in self.means}
            unresolved = solved.pop(UNRESOLVED, Fraction(0))
            return Solved.of(solved, unresolved, {} if unresolved else means)
        means = {name: Fraction(ends.pop(("mean", name), 0), over) for name in self.means}
        left = ends.pop(UNRESOLVED, 0)
        return Solved(ends, over, left, {} if left else means)

    def chain(self, first: Node, ends: dict[Any, Fraction], on: dict[Node, Fraction]) -> dict[Any, Fraction]:
        links, todo = {first: (ends, on)}, list(on)
        order = [first]
        while todo:
            node = todo.pop(0)
            if node in links:
                continue
            if len(order) >= CHAIN:
                links[node] = ({UNRESOLVED: Fraction(1)}, {})
            else:
                ways, over, further = self.flow(node)
                links[node] = chances(ways, over), further
                todo += further
            order.append(node)
        into: dict[Node, set[Node]] = {node: set() for node in order}
        for node, (_, on) in links.items():
            for target in on:
                into[target].add(node)
        for node in reversed(order):
            ends, on = links[node]
            loop = on.pop(node, Fraction(0))
            if loop == 1:
                ends = {UNRESOLVED: Fraction(1)}
            elif loop:
                ends = {k: p / (1 - loop) for k, p in ends.items()}
                on = {k: p / (1 - loop) for k, p in on.items()}
            links[node] = ends, on
            if node is first:
                return ends
            for source in into.pop(node) - {node}:
                if source not in into:
                    continue
                its_ends, its_on = links[source]
                if share := its_on.pop(node, None):
                    for k, p in ends.items():
                        its_ends[k] = its_ends.get(k, Fraction(0)) + share * p
                    for k, p in on.items():
                        its_on[k] = its_on.get(k, Fraction(0)) + share * p
                        into[k].add(source)
        raise AssertionError("the chain starts somewhere")

    def flow(self, start: Node) -> tuple[dict[Any, int], int, dict[Node, Fraction]]:
        """One pass: the ways to outcomes, all ways together, and the mass at nodes whose deck has run out."""
        layers: list[tuple[int, dict[Any, int]]] = []  # what each layer resolved, in parts of its own `over`
        away: dict[Node, Fraction] = {}
        here: dict[Node, int] = {start: 1}
        over, resolved = 1, 0.0
        worlds, counters = self.worlds, self.counters
        while here:
            self.seen += len(here)
            ends: dict[Any, int] = {}
            thrown: list[tuple[int, Any, Any, tuple[int, ...], int, int]] = []
            scale = 1
            for node, mass in here.items():
                at = self.advance(node, mass, ends)
                if at is None:
                    continue
                state, world, counts, ask = at
                if isinstance(ask, Done):
                    outcome = ending(ask, counters, counts) if counters else ask.outcome
                    ends[outcome] = ends.get(outcome, 0) + mass
                    continue
                bag, then = ask.bag, ask.then
                hands: Sequence[Any]
                if isinstance(bag, Draw):
                    hands, total, shuffled = worlds.deal(world, bag)
                    if shuffled and node is not start:
                        key = (state, world, counts)
                        away[key] = away.get(key, Fraction(0)) + Fraction(mass, over)
                        continue
                    world = -1
                else:
                    hands, total = bag.odds(), bag.total
                thrown.append((mass, hands, then, counts, world, total))
                if scale % total:
                    scale = lcm(scale, total)
            if ends:
                layers.append((over, ends))
            if self.watch:
                resolved += sum(mass for key, mass in ends.items() if type(key) is not tuple) / over
                self.watch(self.seen, min(resolved, 1.0))
            over *= scale
            done: dict[Any, int] = {}
            there: dict[Node, int] = {}
            for mass, hands, then, counts, world, total in thrown:
                share = mass * (scale // total)
                if world < 0:
                    for hand, ways, after in hands:
                        state = then(hand)
                        if type(state) is Done:
                            outcome = ending(state, counters, counts) if counters else state.outcome
                            done[outcome] = done.get(outcome, 0) + share * ways
                            continue
                        key = (state, after, counts)
                        there[key] = there.get(key, 0) + share * ways
                else:
                    for hand, ways in hands:
                        state = then(hand)
                        if type(state) is Done:
                            outcome = ending(state, counters, counts) if counters else state.outcome
                            done[outcome] = done.get(outcome, 0) + share * ways
                            continue
                        key = (state, world, counts)
                        there[key] = there.get(key, 0) + share * ways
            if done:
                layers.append((over, done))
            here = there
            if self.seen > self.limit:
                layers.append((over, {UNRESOLVED: sum(here.values())}))
                break
        if len(layers) == 1 and layers[0][0] == over:
            return layers[0][1], over, away
        ends = {}
        for part, some in layers:
            factor = over // part
            for outcome, mass in some.items():
                ends[outcome] = ends.get(outcome, 0) + mass * factor
        return ends, over, away

    def advance(
        self, node: Node, mass: int, ends: dict[Any, int]
    ) -> tuple[Any, int, tuple[int, ...], Throw | Done] | None:
        """Past choices and tallies, to what chance is asked next; None where a counter was cut."""
        state, world, counts = node
        while True:
            if type(state) is Moment and state[0] is call and (inner := self.bag_of(state[1])):
                return state, world, counts, Throw(inner, state[2])  # type: ignore[arg-type]
            ask = state.ask()
            if type(ask) is Throw or type(ask) is Done:
                return state, world, counts, ask
            if type(ask) is Choice:
                option = ask.options[0]
                if self.decide is not plain:
                    option = answered(self.decide, state, ask, self.worlds, world)
                if option.cost:
                    world = self.worlds.pay(world, option.cost)
                state = ask.then(option.value)
            elif type(ask) is Tally:
                really = self.worlds.really(world, ask.what, ask.n)
                if ask.what in self.counters:
                    counts = counted(self.counters, counts, ask.what, really)
                    if any(counts[i] > most for i, most in self.cuts):
                        ends[UNRESOLVED] = ends.get(UNRESOLVED, 0) + mass
                        return None
                if ask.what in self.means:
                    key = ("mean", ask.what)
                    ends[key] = ends.get(key, 0) + mass * really
                state = ask.then(really)
                if type(state) is not Done:
                    world = self.worlds.mark(world, ask.what, ask.n)[1]

    def bag_of(self, inner: State) -> Closed | None:
        """A called rule that asks nothing but dice, counted once as one bag of outcomes."""
        if inner not in self.closed:
            self.closed[inner] = closed(inner)
        return self.closed[inner]


def counted(counters: tuple[str, ...], counts: tuple[int, ...], what: str, n: int) -> tuple[int, ...]:
    """What the counters show after `n` of `what`."""
    if what not in counters:
        return counts
    at = counters.index(what)
    return (*counts[:at], counts[at] + n, *counts[at + 1 :])


def ending(done: Done, counters: tuple[str, ...], counts: tuple[int, ...]) -> Outcome:
    """The outcome with what was counted on the way."""
    return replace(done.outcome, **dict(zip(counters, counts, strict=True))) if counters else done.outcome


class Closed(Struct, frozen=True):
    """The outcomes of a rule that asks nothing but dice, as a bag."""

    outcomes: list[tuple[Outcome, int]]
    total: int

    def odds(self) -> list[tuple[Outcome, int]]:
        """Every outcome with its ways."""
        return self.outcomes


def closed(start: State) -> Closed | None:
    """The rule from `start` as one bag of outcomes; None where it asks for anything but dice."""
    ends: dict[Outcome, Fraction] = {}
    here = {start: Fraction(1)}
    while here:
        there: dict[State, Fraction] = {}
        for state, share in here.items():
            ask = state.ask()
            if type(ask) is Done:
                ends[ask.outcome] = ends.get(ask.outcome, Fraction(0)) + share
            elif isinstance(ask, Throw) and not isinstance(ask.bag, Draw):
                total = ask.bag.total
                for hand, ways in ask.bag.odds():
                    after = ask.then(hand)
                    there[after] = there.get(after, Fraction(0)) + share * Fraction(ways, total)
            else:
                return None
        here = there
    total = lcm(*(p.denominator for p in ends.values()))
    return Closed([(outcome, int(p * total)) for outcome, p in ends.items()], total)
