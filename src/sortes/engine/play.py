"""What happens? Chance is sampled, people are asked, and everything is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sortes.core.ask import Choice, Done, Moment, Outcome, State, Tally, Throw, call
from sortes.core.chance import Draw, Source, Thrown
from sortes.core.errors import Refused
from sortes.core.world import Stock, World, Worlds
from sortes.engine.odds import Closed, closed, projected
from sortes.engine.policy import Decide, offer, plain, taken

NODES = 200_000  # how far it is looked whether a rule can ask


class Chosen(Struct, frozen=True):
    """A choice as it was made: who, about what, the option's value, its cost, and what else was offered."""

    who: str
    about: str
    option: Any
    cost: tuple[tuple[str, int], ...]
    offered: tuple[Any, ...]


class Played(Struct, frozen=True):
    """A play from its start to its outcome: every throw and choice in order, what was counted or marked, the rules
    that were followed, and the world after it."""

    outcome: Outcome
    throws: tuple[Thrown, ...]
    choices: tuple[Chosen, ...]
    tallies: tuple[tuple[str, int], ...]
    why: tuple[str, ...]
    world: World


Event: TypeAlias = Thrown | Chosen | tuple[str, int]


def cites(state: State) -> tuple[str, ...]:
    """The numbered rules that a state follows, those of a called rule included."""
    found: tuple[str, ...] = ()
    while type(state) is Moment:
        found = (*found, *state[0].cites)
        if state[0] is not call:
            break
        state = state[1]
    return found


def throw(ask: Throw, stock: Stock, world: World, source: Source) -> tuple[State, World, tuple[Thrown, ...]]:
    """Sample what a throw asks for: the next state, the world after it, and the record."""
    if isinstance(ask.bag, Draw):
        world = stock.opened(world, ask.bag)
        cards, world = stock.sample(world, ask.bag, source)
        return _drawn(ask, stock, world, cards)
    hand, records = ask.bag.sample(source)
    return ask.then(hand), world, records


def by_hand(
    ask: Throw, stock: Stock, world: World, faces: Sequence[Any]
) -> tuple[State, World, tuple[Thrown, ...]]:
    """A throw that people made themselves: its faces in thrown order (for a Standing, a list for each group).

    Raises Refused where they cannot be what was asked for.
    """
    bag = ask.bag
    if isinstance(faces, str) or not isinstance(faces, Sequence):
        raise Refused("throw", f"got {faces!r}; takes the list of its faces")
    if isinstance(bag, Draw):
        world = stock.opened(world, bag)
        if len(faces) != bag.n and not (bag.ends and not faces):
            raise Refused("throw", f"got {len(faces)} cards; takes {bag.n}")
        state, world, records = _drawn(ask, stock, stock.take(world, bag, faces), faces)
    else:
        hand, records = bag.by_hand(faces)
        state = ask.then(hand)
    return state, world, tuple([replace(record, by="hand") for record in records])


def _drawn(ask: Throw, stock: Stock, world: World, cards: Any) -> tuple[State, World, tuple[Thrown, ...]]:
    draw: Any = ask.bag
    faces = tuple(cards)
    record = (Thrown("cards", draw.deck, faces, faces),) if faces else ()
    return ask.then(stock.hand(draw, faces)), world, record


def play(
    start: State,
    stock: Stock,
    world: World,
    source: Source,
    decide: Decide = plain,
    *,
    counters: tuple[str, ...] = (),
    told: Callable[[Event], None] | None = None,
    hands: Iterator[Sequence[Any]] | None = None,
) -> Played:
    """Play from `start` in `world` to the end. `told` hears of each throw, choice and tally as it happens.

    `hands` are throws that people made themselves, in order; when they end, chance comes from `source`.
    """
    state = start
    throws: list[Thrown] = []
    choices: list[Chosen] = []
    tallies: list[tuple[str, int]] = []
    why: list[str] = []
    worlds = Worlds(stock, world) if stock.decks or stock.purses else None
    while True:
        if type(state) is Moment:
            why += state[0].cites if state[0] is not call else cites(state)
        ask = state.ask()
        if ask.why:
            why += ask.why
        if type(ask) is Throw:
            if hands and (faces := next(hands, None)) is not None:
                state, world, records = by_hand(ask, stock, world, faces)
            elif isinstance(ask.bag, Draw):
                state, world, records = throw(ask, stock, world, source)
            else:
                hand, records = ask.bag.sample(source)
                state = ask.then(hand)
            throws += records
            if told:
                for record in records:
                    told(record)
        elif type(ask) is Done:
            outcome = ask.outcome
            if counters:
                counted = dict.fromkeys(counters, 0)
                for what, n in tallies:
                    if what in counted:
                        counted[what] += n
                outcome = replace(outcome, **counted)
            rules = tuple(dict.fromkeys(why))
            return Played(outcome, tuple(throws), tuple(choices), tuple(tallies), rules, stock.settled(world))
        elif type(ask) is Choice:
            worlds = worlds or Worlds(stock, world)
            options = stock.offered(world, ask)
            option = options[0]
            if len(options) > 1:
                offered = offer(ask, options)
                value = decide(state, offered, worlds, worlds.number(world))
                option = taken(offered, value)
                made = Chosen(
                    option.who or ask.who,
                    ask.about,
                    option.value,
                    option.cost,
                    tuple(o.value for o in options),
                )
                choices.append(made)
                if told:
                    told(made)
            world = stock.pay(world, option.cost)
            state = ask.then(option.value)
        else:
            assert type(ask) is Tally
            really, world = stock.mark(world, ask.what, ask.n)
            tallies.append((ask.what, really))
            if told and really:
                told((ask.what, really))
            state = ask.then(really)


def can_ask(start: State, stock: Stock, world: World, nodes: int = NODES) -> bool:
    """Whether anyone can be asked on the way: a choice can be reached of which more than one option fits the purses.

    Looks into the depth, since the first such choice ends it; where `nodes` do not suffice to rule one out it says
    yes. Raises Refused where a draw that can come is one the deck cannot give.
    """
    found: bool = projected(start, stock, world, lambda worlds: _asks(start, worlds, nodes))
    return found


def _asks(start: State, worlds: Worlds, nodes: int) -> bool:
    todo: list[tuple[State, int]] = [(start, worlds.start)]
    seen: set[tuple[State, int]] = set()
    bags: dict[State, Closed | None] = {}
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        if len(seen) >= nodes:
            return True
        seen.add(node)
        state, at = node
        if type(state) is Moment and state[0] is call:
            inner, back = state[1:]
            if inner not in bags:
                bags[inner] = closed(inner)
            if bag := bags[inner]:
                todo += [(back(outcome), at) for outcome, _ in bag.odds()]
                continue
        ask = state.ask()
        if type(ask) is Throw:
            if type(ask.bag) is Draw:
                todo += [(ask.then(hand), after) for hand, _, after in worlds.deal(at, ask.bag)[0]]
            else:
                todo += [(ask.then(hand), at) for hand, _ in ask.bag.odds()]  # type: ignore[union-attr]
        elif type(ask) is Choice:
            options = worlds.offered(at, ask)
            if len(options) > 1:
                return True
            todo.append((ask.then(options[0].value), worlds.pay(at, options[0].cost)))
        elif type(ask) is Tally:
            really, after = worlds.mark(at, ask.what, ask.n)
            todo.append((ask.then(really), after))
    return False
