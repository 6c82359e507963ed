"""What should I do? The worth of every option at every choice that can be reached, for each chooser's own aim.

Values are exact integers over a denominator. Where choices and reshuffles make a cycle, its strongly connected
part is solved by policy iteration: exactly where it is small, else in floating point and marked so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Any, TypeAlias, cast

from msgspec import Struct

from sortes.core.ask import Choice, Done, Moment, Option, Outcome, State, Tally, Throw, call
from sortes.core.chance import Draw
from sortes.core.errors import Refused
from sortes.core.system import Worth
from sortes.core.world import Stock, World, Worlds
from sortes.engine.odds import Closed, Node, Watch, closed, counted, ending, projected
from sortes.engine.policy import Decide, answered, offer

Value: TypeAlias = tuple[
    tuple[Any, ...], int | None
]  # a worth for each aim: integers over one denominator, or floats
NODES = 3_000_000  # situations that advice goes through at the most
EXACT_CYCLE = 160  # nodes of a cycle that are solved exactly


class Situation(Struct, frozen=True):
    """A choice as it can be met: what is asked, what is offered, and what each option is worth to its chooser."""

    state: Moment
    world: World
    choice: Choice
    worths: tuple[tuple[Option, Fraction | float], ...]
    best: Option


class _Frame:
    """A node on the way: what it leads to, and the values of those parts that are known."""

    __slots__ = ("ask", "before", "kind", "low", "node", "number", "parts", "values")

    def __init__(self, node: Node, kind: str, ask: Any, parts: list[Node], number: int, before: int) -> None:
        self.node, self.kind, self.ask, self.parts = node, kind, ask, parts
        self.number = self.low = number
        self.before = before  # how much waited for a cycle when it was entered
        self.values: list[Any] = []  # of a part on a cycle, none


class Plan:
    """The best option at every choice that can be reached from `start`, and what everything is worth."""

    def __init__(
        self,
        start: State,
        worlds: Worlds,
        worths: Mapping[str, Worth],
        fixed: Mapping[str, Decide],
        counters: tuple[str, ...],
        watch: Watch | None,
    ) -> None:
        self.worlds, self.fixed, self.counters, self._watch = worlds, fixed, counters, watch
        self._worths = tuple(
            dict.fromkeys(worths.values())
        )  # those who share an aim share a place in a value
        self._place = {who: self._worths.index(worth) for who, worth in worths.items()}
        self._closed: dict[State, Closed | None] = {}
        self._bags: dict[Any, tuple[tuple[Any, ...], tuple[int, ...], int]] = {}  # hands, ways, all ways
        self._of: dict[Any, Value] = {}
        self.start: Node = (start, worlds.start, (0,) * len(counters))
        self._value: dict[Node, Value] = {}
        self._best: dict[Node, Option] = {}
        self._solve()

    # ---- what it tells --------------------------------------------------------------------------

    def worth(self, node: Node | None = None) -> dict[str, Fraction | float]:
        """What a node (the start) is worth to each chooser, when everyone does what is best for them."""
        values, den = self._known(node or self.start)
        return {
            who: Fraction(values[i]) / den if den is not None else values[i] for who, i in self._place.items()
        }

    def decide(self, state: Moment, choice: Choice, worlds: Worlds, world: int) -> Any:
        """The best option's value at a choice of any walk over the same decks."""
        if worlds is self.worlds:
            seen = [world]
        else:
            seen = self.worlds.like(self.worlds.stock.project(worlds[world], worlds.stock))
        for world in seen:
            for node in ((state, world, (0,) * len(self.counters)), *self._counted(state, world)):
                if node in self._best:
                    return self._best[node].value
        return choice.options[0].value

    def _counted(self, state: Moment, world: int) -> list[Node]:
        """Nodes that differ only in what was counted on the way (a walk that does not count takes the first)."""
        if not self.counters:
            return []
        return [node for node in self._best if node[0] == state and node[1] == world]

    def first(self) -> list[tuple[tuple[Any, ...], Situation]]:
        """The first choices that can be met, each with the hands thrown before it."""
        found: list[tuple[tuple[Any, ...], Situation]] = []
        todo: list[tuple[tuple[Any, ...], Node]] = [((), self.start)]
        seen: set[Node] = set()
        while todo:
            hands, node = todo.pop(0)
            if node in seen:
                continue
            seen.add(node)
            kind, ask, parts = self._expand(node)
            if kind == "choice":
                found.append((hands, self.situation(node)))
            elif kind == "throw":
                todo += [((*hands, hand), after) for hand, after in zip(ask[0], parts, strict=True)]
            elif kind == "on":
                todo.append((hands, parts[0]))
        return found

    def situation(self, node: Node) -> Situation:
        """A choice with the worth of each of its options to the one who may take it."""
        state, world, _ = node
        ask = state.ask()
        assert type(ask) is Choice
        assert type(state) is Moment
        options = self.worlds.offered(world, ask)
        worths = []
        for option in options:
            values, den = self._known(self._after(node, ask, option))
            v = values[self._who(ask, option)]
            worths.append((option, Fraction(v) / den if den is not None else v))
        return Situation(state, self.worlds[world], offer(ask, options), tuple(worths), self._best[node])

    # ---- the walk -------------------------------------------------------------------------------

    def _after(self, node: Node, ask: Choice, option: Option) -> Node:
        return ask.then(option.value), self.worlds.pay(node[1], option.cost), node[2]

    def _who(self, ask: Choice, option: Option) -> int:
        return self._place.get(option.who or ask.who, -1)

    def _expand(self, node: Node) -> tuple[str, Any, list[Node]]:
        """What a node leads to: ("done", outcome), ("throw", (hands, ways, all ways)), ("choice", (ask, options)) or
        ("on", none)."""
        state, world, counts = node
        if type(state) is Moment and state[0] is call:
            if state[1] not in self._closed:
                self._closed[state[1]] = closed(state[1])
            if inner := self._closed[state[1]]:
                hands, ways = zip(*inner.outcomes, strict=True)
                return "throw", (hands, ways, inner.total), [(state[2](one), world, counts) for one in hands]
        ask = state.ask()
        if type(ask) is Throw:
            bag, then = ask.bag, ask.then
            if type(bag) is Draw:
                dealt, total, _ = self.worlds.deal(world, bag)
                hands, ways, afters = zip(*dealt, strict=True)
                parts = [(then(hand), after, counts) for hand, after in zip(hands, afters, strict=True)]
                return "throw", (hands, ways, total), parts
            if (thrown := self._bags.get(bag)) is None:
                hands, ways = zip(*bag.odds(), strict=True)  # type: ignore[union-attr]
                thrown = self._bags[bag] = hands, ways, bag.total  # type: ignore[union-attr]
            return "throw", thrown, [(then(hand), world, counts) for hand in thrown[0]]
        if type(ask) is Choice:
            options = self.worlds.offered(world, ask)
            if len(options) > 1 and ask.who in self.fixed:
                options = (answered(self.fixed[ask.who], state, ask, self.worlds, world),)
            if len(options) == 1:
                return "on", None, [self._after(node, ask, options[0])]
            return "choice", (ask, options), [self._after(node, ask, option) for option in options]
        if type(ask) is Tally:
            really, world = self.worlds.mark(world, ask.what, ask.n)
            return "on", None, [(ask.then(really), world, counted(self.counters, counts, ask.what, really))]
        assert type(ask) is Done
        return "done", ending(ask, self.counters, counts), []

    def _solve(self) -> None:
        """Tarjan's walk, each part's value handed to the node that waits for it: what lies on a cycle is handed over as
        none, and is valued with the whole of its cycle."""
        value: dict[Node, Any] = self._value  # a node on the way has its number in place of a value
        frames: list[_Frame] = []
        cycle: list[_Frame] = []  # gone through, and waiting for the first of their cycle
        number = 0

        def enter(node: Node) -> None:
            nonlocal number
            frames.append(_Frame(node, *self._expand(node), number, len(cycle)))
            value[node] = number
            number += 1
            if number > NODES:
                raise Refused(
                    "advise", f"more than {NODES:,} situations can come; ask of a shorter or smaller game"
                )

        enter(self.start)
        while frames:
            frame = frames[-1]
            parts, values = frame.parts, frame.values
            for part in parts[len(values) :]:
                if type(part[0]) is Done and not self.counters:
                    values.append(self._worth(part[0].outcome))
                    continue
                known = value.get(part)
                if known is None:
                    enter(part)
                    break
                if type(known) is int:
                    frame.low = min(frame.low, known)
                    known = None
                values.append(known)
            else:
                frames.pop()
                found = None
                if frame.low < frame.number:
                    cycle.append(frame)
                elif None not in values:
                    found = value[frame.node] = self._settle(frame)
                else:
                    cycle.append(frame)
                    part_of = cycle[frame.before :]
                    del cycle[frame.before :]
                    self._settle_cycle(
                        [f.node for f in part_of], {f.node: (f.kind, f.ask, f.parts) for f in part_of}
                    )
                    found = value[frame.node]
                if frames:
                    frames[-1].values.append(found)
                    frames[-1].low = min(frames[-1].low, frame.low)
                if self._watch and number % 4096 == 0:
                    self._watch(number, 0.0)

    def _known(self, node: Node) -> Value:
        """What a node is worth that the walk has been through."""
        if type(node[0]) is Done and not self.counters:
            return self._worth(node[0].outcome)
        return self._value[node]

    def _worth(self, outcome: Outcome) -> Value:
        """What an outcome is worth to each."""
        if outcome not in self._of:
            worths = [Fraction(worth(outcome)) for worth in self._worths]
            den = lcm(*(w.denominator for w in worths))
            self._of[outcome] = tuple([int(w * den) for w in worths]), den
        return self._of[outcome]

    def _settle(self, frame: _Frame) -> Value:
        """The value of a node all of whose parts are valued."""
        kind, values = frame.kind, cast("list[Value]", frame.values)
        if kind == "done":
            return self._worth(frame.ask)
        if kind == "on":
            return values[0]
        if kind == "throw":
            return _mean(frame.ask[1], frame.ask[2], values)
        choice, options = frame.ask
        at = self._pick(choice, options, values)
        self._best[frame.node] = options[at]
        return values[at]

    def _pick(
        self, choice: Choice, options: tuple[Option, ...], values: list[tuple[tuple[Any, ...], int | None]]
    ) -> int:
        """The option that stands: each chooser in turn takes one of theirs only if it is worth more to them."""
        at = 0
        for i in range(1, len(options)):
            who = self._who(choice, options[i])
            if who < 0:
                continue
            (a, da), (b, db) = values[i], values[at]
            if da is None or db is None:
                x, y = (
                    float(a[who] if da is None else a[who] / da),
                    float(b[who] if db is None else b[who] / db),
                )
                better = x > y + 1e-12
            elif da == db:
                better = a[who] > b[who]
            else:
                better = a[who] * db > b[who] * da
            if better:
                at = i
        return at

    def _settle_cycle(self, part: list[Node], found: dict[Node, tuple[str, Any, list[Node]]]) -> None:
        """Policy iteration over a cycle, whose exits are valued: worths in floats, then exactly where it is small."""
        n = len(self._worths)
        worth: dict[Node, list[float]] = {node: [0.0] * n for node in part}
        outside = {
            p: [v / d if d is not None else v for v in vs]
            for node in part
            for p in found[node][2]
            if p not in worth
            for vs, d in [self._known(p)]
        }

        def at(node: Node) -> list[float]:
            return worth[node] if node in worth else outside[node]

        best: dict[Node, int] = {}
        for _ in range(100_000):
            change = 0.0
            for node in part:
                kind, ask, parts = found[node]
                if kind == "on":
                    now = at(parts[0])
                elif kind == "throw":
                    now = [0.0] * n
                    for ways, p in zip(ask[1], parts, strict=True):
                        share, there = ways / ask[2], at(p)
                        for i in range(n):
                            now[i] += share * there[i]
                else:
                    choice, options = ask
                    best[node] = self._pick(choice, options, [(tuple(at(p)), None) for p in parts])
                    now = at(parts[best[node]])
                change = max(change, *(abs(a - b) for a, b in zip(now, worth[node], strict=True)))
                worth[node] = list(now)
            if self._watch:
                self._watch(len(self._value) + len(part), 0.0)
            if change < 1e-14:
                break
        for node, i in best.items():
            self._best[node] = found[node][1][1][i]
        exact = self._exact_cycle(part, found, best) if len(part) <= EXACT_CYCLE else None
        for node in part:
            self._value[node] = exact[node] if exact else (tuple(worth[node]), None)

    def _exact_cycle(
        self, part: list[Node], found: dict[Node, tuple[str, Any, list[Node]]], best: dict[Node, int]
    ) -> dict[Node, tuple[tuple[int, ...], int]] | None:
        """The exact worths of a cycle under the options that were found best; None where an exit is not exact."""
        n, place = len(self._worths), {node: i for i, node in enumerate(part)}
        rows: list[dict[int, Fraction]] = []
        sides: list[list[Fraction]] = []
        for node in part:
            kind, ask, parts = found[node]
            if kind == "throw":
                leads = [(p, Fraction(ways, ask[2])) for ways, p in zip(ask[1], parts, strict=True)]
            else:
                leads = [(parts[best.get(node, 0)], Fraction(1))]
            row, side = {place[node]: Fraction(1)}, [Fraction(0)] * n
            for p, share in leads:
                if p in place:
                    row[place[p]] = row.get(place[p], Fraction(0)) - share
                    continue
                values, den = self._known(p)
                if den is None:
                    return None
                for i in range(n):
                    side[i] += share * Fraction(values[i], den)
            rows.append(row)
            sides.append(side)
        solved = _eliminate(rows, sides)
        if solved is None:
            return None
        out = {}
        for node, worths in zip(part, solved, strict=True):
            den = lcm(*(w.denominator for w in worths))
            out[node] = tuple(int(w * den) for w in worths), den
        return out


def _mean(ways: Sequence[int], total: int, values: list[Value]) -> Value:
    """The mean of values, each with its ways of all."""
    dens = [den for _, den in values if den is not None]
    if len(dens) < len(values):
        floats = [vs if den is None else [v / den for v in vs] for vs, den in values]
        columns = zip(*floats, strict=True)
        return tuple([sum(map(mul, ways, column)) / total for column in columns]), None
    common = dens[0]
    if dens.count(common) < len(dens):
        common = lcm(*dens)
        ways = [w * (common // den) for w, den in zip(ways, dens, strict=True)]
    if len(values[0][0]) == 1:
        return (sum([w * v[0] for w, (v, _) in zip(ways, values, strict=True)]),), common * total
    columns = zip(*[v for v, _ in values], strict=True)
    return tuple([sum(map(mul, ways, column)) for column in columns]), common * total


def _eliminate(rows: list[dict[int, Fraction]], sides: list[list[Fraction]]) -> list[list[Fraction]] | None:
    """Solve the sparse system rows x = sides; None where it has no single solution."""
    n = len(rows)
    for i in range(n):
        pivot = rows[i].get(i)
        if not pivot:
            return None
        rows[i] = {k: v / pivot for k, v in rows[i].items() if v}
        sides[i] = [v / pivot for v in sides[i]]
        for j in range(i + 1, n):
            if factor := rows[j].pop(i, None):
                for k, v in rows[i].items():
                    if k != i:
                        rows[j][k] = rows[j].get(k, Fraction(0)) - factor * v
                sides[j] = [a - factor * b for a, b in zip(sides[j], sides[i], strict=True)]
    for i in reversed(range(n)):
        for k, v in rows[i].items():
            if k > i:
                sides[i] = [a - v * b for a, b in zip(sides[i], sides[k], strict=True)]
        rows[i] = {i: Fraction(1)}
    return sides


def plan(
    start: State,
    stock: Stock,
    world: World,
    worths: Mapping[str, Worth],
    *,
    fixed: Mapping[str, Decide] | None = None,
    counters: tuple[str, ...] = (),
    watch: Watch | None = None,
) -> Plan:
    """The best policy from `start` in `world`: every chooser in `worths` maximises its own, the others in `fixed`
    follow a policy (those in neither take the option listed first). `counters` are those that a worth reads."""
    return projected(
        start, stock, world, lambda worlds: Plan(start, worlds, worths, fixed or {}, counters, watch)
    )
