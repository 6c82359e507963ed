"""The four walks on small rules of their own: exact, cut where they must be, and in agreement."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from msgspec import Struct

from sortes.core.ask import Ask, Back, Choice, Done, Option, State, Tally, Throw, call, moment
from sortes.core.chance import Dice, Draw, die
from sortes.core.errors import Refused
from sortes.core.world import Deck, Pile, Purse, Stock, World
from sortes.engine.advise import plan
from sortes.engine.odds import spread
from sortes.engine.play import play
from sortes.engine.simulate import crowd

F = Fraction


class End(Struct, frozen=True):
    result: str
    rounds: int = 0


NOTHING = (Stock([], [], ()), World())


def deck(
    cards: str, left: str | None = None, tokens: Mapping[str, Purse] | None = None
) -> tuple[Stock, World]:
    tokens = tokens or {}
    total = {c: cards.count(c) for c in dict.fromkeys(cards)}
    stock = Stock([Deck("d", tuple(total.items()))], [total], tuple(tokens))
    counts = {c: (cards if left is None else left).count(c) for c in total}
    return stock, World((Pile(stock.counts(0, counts), (0,) * len(total)),), tuple(tokens.values()))


@moment("core.test.flip")
def flip(left: int) -> Ask:
    """Heads ends it; `left` tails do too."""
    coin = Dice(1, ("heads", "tails"))

    def then(hand: tuple[str]) -> State:
        if hand[0] == "heads":
            return Tally("rounds", 1, lambda n: Done(End("heads"))).then(1)
        return flip(left - 1) if left > 1 else Done(End("tails"))

    return Throw(coin, then)


@moment("core.test.until")
def until(reads: str) -> Ask:
    """Draw one card a round, from a deck that is shuffled whenever it is empty, until it is an A."""
    return Tally("rounds", 1, lambda n: drawn(reads))


@moment("core.test.drawn")
def drawn(reads: str) -> Ask:
    return Throw(
        Draw(1, "d", opens="round"),
        lambda hand: Done(End("won" if hand[0] == "A" else "lost")) if hand[0] in "AZ" else until(reads),
    )


@moment("core.test.bet")
def bet(rounds: int) -> Ask:
    """Take an even chance, or go on; the last round has only the chance."""
    options = (Option("stop"), Option("on")) if rounds else (Option("stop"),)
    return Choice("me", "bet", options, lambda value: bet(rounds - 1) if value == "on" else toss(rounds))


@moment("core.test.toss")
def toss(rounds: int) -> Ask:
    return Throw(Dice(1, die(6 - rounds)), lambda hand: Done(End("won" if hand[0] == 1 else "lost")))


@moment("core.test.loop")
def loop(n: int) -> Ask:
    """A token that may be thrown for again: a cycle of choices."""
    return Choice(
        "me",
        "again",
        (Option("take"), Option("again")),
        lambda v: Done(End(str(n))) if v == "take" else again(),
    )


@moment("core.test.again")
def again() -> Ask:
    return Throw(Dice(1, die(3)), lambda hand: loop(hand[0]))


@moment("core.test.caller")
def caller(left: int, back: int, last: Any = None) -> Ask:
    if left == 0:
        return Done(End("done"))
    return Throw(Dice(1, die(2)), lambda hand: call(toss(hand[0]), counted.back(left, 0)))


@moment("core.test.counted")
def counted(left: int, wins: int, outcome: End) -> Ask:
    return caller(left - 1, 0).ask() if outcome.result == "won" else Done(End("out"))


def test_odds_are_exact() -> None:
    found = spread(flip(3), *NOTHING)
    assert found.outcomes == {End("heads"): F(7, 8), End("tails"): F(1, 8)}
    assert found.unresolved == 0


def test_a_chain_over_reshuffles_is_solved_exactly_with_its_mean() -> None:
    found = spread(until(""), *deck("AZxx"), means=("rounds",))
    assert found.outcomes == {End("won"): F(1, 2), End("lost"): F(1, 2)}
    assert found.means == {"rounds": F(5, 3)}
    one = spread(until(""), *deck("Axxx", "xx"), means=("rounds",))  # two for nothing, then the whole deck
    assert one.outcomes == {End("won"): 1}
    assert one.means == {"rounds": 2 + F(5, 2)}


def test_a_rule_that_never_resolves_is_unresolved() -> None:
    assert spread(until(""), *deck("xx")).unresolved == 1


def test_a_counter_that_is_carried_is_cut_where_it_exceeds_its_bound() -> None:
    found = spread(until(""), *deck("Axxx"), counters=("rounds",), within={"rounds": 2})
    assert found.outcomes == {End("won", 1): F(1, 4), End("won", 2): F(1, 4)}
    assert found.unresolved == F(1, 2)
    assert found.means == {}


def test_a_pass_is_cut_at_its_nodes_and_says_what_is_left() -> None:
    found = spread(flip(100), *NOTHING, nodes=10)
    assert sum(found.outcomes.values()) + found.unresolved == 1
    assert 0 < found.unresolved < F(1, 500)


def test_advice_takes_the_option_worth_more_and_ties_go_to_the_first() -> None:
    made = plan(bet(3), *NOTHING, {"me": lambda o: o.result == "won"})
    assert made.worth() == {"me": F(1, 3)}
    ((after, situation),) = made.first()
    assert after == ()
    assert situation.best.value == "stop"
    assert [w for _, w in situation.worths] == [F(1, 3), F(1, 4)]
    same = plan(bet(3), *NOTHING, {"me": lambda o: 0})
    assert same.first()[0][1].best.value == "stop"


def test_each_chooser_maximises_its_own_worth() -> None:
    worths = {"me": lambda o: o.result == "won", "you": lambda o: o.result == "lost"}
    assert plan(bet(3), *NOTHING, worths).worth() == {"me": F(1, 3), "you": F(2, 3)}


def test_a_fixed_policy_stands_in_for_a_chooser() -> None:
    always = lambda state, choice, worlds, world: choice.options[-1].value  # noqa: E731
    fixed = plan(bet(3), *NOTHING, {"me": lambda o: o.result == "won"}, fixed={"me": always})
    assert fixed.worth() == {"me": F(1, 6)}


def test_advice_survives_a_cycle_and_is_exact_where_it_is_small() -> None:
    made = plan(again(), *NOTHING, {"me": lambda o: int(o.result)})
    assert made.worth() == {"me": 3}


def test_the_best_policy_of_odds_is_the_one_that_advice_values() -> None:
    made = plan(bet(3), *NOTHING, {"me": lambda o: o.result == "won"})
    found = spread(bet(3), *NOTHING, made.decide, worlds=made.worlds)
    assert found.outcomes[End("won")] == F(1, 3)


def test_a_called_rule_without_choices_counts_as_one_bag_and_plays_the_same() -> None:
    found = spread(caller(2, 0), *NOTHING).outcomes
    p = F(1, 2) * (F(1, 4) + F(1, 5))
    assert found == {End("done"): p * p, End("out"): 1 - p * p}
    source, n = Random(5), 4000
    done = sum(play(caller(2, 0), *NOTHING, source).outcome.result == "done" for _ in range(n))
    assert abs(done - n * p * p) < 5 * (n * p * p) ** 0.5


def test_a_crowd_splits_as_the_odds_say_and_no_one_is_lost() -> None:
    n = 1_000_000
    seen = crowd(until(""), *deck("AZxx"), n, np.random.Generator(np.random.SFC64(1)))
    assert seen[End("won")] + seen[End("lost")] == n
    assert abs(seen[End("won")] - n / 2) < 5 * (n / 4) ** 0.5


def test_an_option_that_is_not_offered_is_refused_by_name() -> None:
    with pytest.raises(Refused, match="policy: chose 'sideways'"):
        play(bet(2), *NOTHING, Random(1), lambda state, choice, worlds, world: "sideways")


def test_a_choice_of_one_is_taken_without_asking() -> None:
    def never(*_: object) -> object:
        raise AssertionError("asked")

    assert play(bet(0), *NOTHING, Random(1), never).choices == ()


def test_a_moment_refuses_to_wait_for_more_than_its_last_argument() -> None:
    with pytest.raises(TypeError, match="last argument"):
        counted.back(1)
    assert isinstance(counted.back(1, 2), Back)


@moment("core.test.endless")
def endless(n: int) -> Ask:
    """Ever another situation."""
    options = (Option("stop"), Option("on"))
    return Choice("me", "on", options, lambda v: endless(n + 1) if v == "on" else Done(End("stopped")))


def test_advice_on_a_game_without_end_is_refused_and_not_sought_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sortes.engine.advise.NODES", 1000)
    with pytest.raises(Refused, match="more than 1,000 situations"):
        plan(endless(0), *NOTHING, {"me": lambda o: o.result == "stopped"})
