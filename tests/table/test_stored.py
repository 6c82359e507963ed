"""Every state that a worked example can reach survives being stored, and a wrong one is refused with a clear word."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import sortes
from sortes import catalog
from sortes.core.ask import STEPS, Choice, Done, Moment, State, Tally, Throw
from sortes.core.chance import Draw
from sortes.core.errors import Refused
from sortes.core.world import Worlds
from sortes.prepared import Prepared
from sortes.table.stored import Shelf, Undecodable, dump
from tests.test_laws import EXAMPLES, ids


def reach(it: Prepared, most: int) -> set[Moment]:
    """Up to `most` of the moments that can be reached, every option taken."""
    worlds = Worlds(it.stock, it.world)
    seen: set[Moment] = set()
    todo: list[tuple[State, int]] = [(it.state, worlds.start)]
    while todo and len(seen) < most:
        state, world = todo.pop(0)
        if isinstance(state, Done) or state in seen:
            continue
        seen.add(state)
        ask = state.ask()
        match ask:
            case Throw(Draw() as draw, then):
                if draw.n > 3:
                    cards, after = it.stock.sample(it.stock.opened(worlds[world], draw), draw, _first)
                    todo.append((then(it.stock.hand(draw, cards)), worlds.number(after)))
                    continue
                todo += [(then(hand), after) for hand, _, after in worlds.deal(world, draw)[0][:40]]
            case Throw(bag, then):
                todo += [(then(hand), world) for hand, _ in bag.odds()[:40]]  # type: ignore[union-attr]
            case Choice():
                for option in worlds.offered(world, ask):
                    todo.append((ask.then(option.value), worlds.pay(world, option.cost)))
            case Tally():
                really, after = worlds.mark(world, ask.what, ask.n)
                try:
                    todo.append((ask.then(really), after))
                except Refused:
                    continue
    return seen


class _First:
    def randrange(self, stop: int, /) -> int:
        return 0


_first = _First()


@pytest.mark.parametrize(("rule", "params"), EXAMPLES, ids=ids)
def test_every_state_is_the_same_after_it_was_stored(rule: Any, params: dict[str, Any]) -> None:
    it = sortes.prepare(rule, **params)
    shelf = Shelf(it.houses)
    for state in reach(it, 300):
        again = shelf.load(msgspec.json.decode(msgspec.json.encode(dump(state))))
        assert again == state
        assert hash(again) == hash(state)
        assert repr(again) == repr(state)


def test_no_argument_is_called_what_a_stored_state_calls_its_moment() -> None:
    rooms = {system.id for system in catalog.systems() if system.rules}  # their steps are known now
    clash = {
        id for id, step in STEPS.items() if {"at", "back"} & set(step.names) and id.partition(".")[0] in rooms
    }
    assert not clash


@pytest.mark.parametrize(
    "stored",
    [
        {"at": "agate.vanished"},
        {"at": "nowhere.at-all"},
        {"at": "agate.throw", "rank": "two", "net": 0, "house": {"house": "x"}},
        {"at": "agate.throw", "rank": 2},
        {"at": "agate.land", "band": "setback", "written": "2d8", "house": {"house": "x"}, "colour": "red"},
        {"done": "Attempt"},
        {},
    ],
)
def test_a_state_that_cannot_be_read_is_refused_with_a_clear_word(stored: dict[str, Any]) -> None:
    it = sortes.prepare("agate.attempt", skill=3, difficulty=1)
    with pytest.raises(Undecodable, match="stored"):
        Shelf(it.houses).load(stored)
