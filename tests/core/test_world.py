"""Decks without an order, acts and their discard, reshuffling in the middle of a draw, and purses (C2)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortes.core.ask import Choice, Done, Option
from sortes.core.chance import Draw
from sortes.core.errors import Refused
from sortes.core.world import Deck, Finer, Pile, Purse, Stock, World, Worlds

CARDS = ("AH", "2H", "AS", "2S", "AC")


def suit(card: str) -> str:
    return card[-1]


def rank(card: str) -> str:
    return card[0]


def laid(
    left: tuple[str, ...], total: tuple[str, ...] = CARDS, shuffles: tuple[str, ...] = ()
) -> tuple[Stock, World]:
    deck = Deck("cards", tuple((c, 1) for c in total), shuffles)
    stock = Stock([deck], [dict.fromkeys(total, 1)], ("luck", "strain"))
    pile = Pile(stock.counts(0, dict.fromkeys(left, 1)), (0,) * len(total))
    return stock, World((pile,), (Purse(0, 2), Purse(3, None)))


@given(st.sets(st.sampled_from(CARDS)), st.integers(0, 5), st.integers(0, 999))
def test_a_draw_over_the_end_deals_the_rest_and_then_from_the_discard(
    left: set[str], n: int, seed: int
) -> None:
    stock, world = laid(tuple(c for c in CARDS if c in left))
    draw = Draw(n, "cards")
    hands, total = stock.deal(stock.opened(world, draw), draw)
    short = max(0, n - len(left))
    away = [c for c in CARDS if c not in left]
    brute = [
        tuple(sorted([*rest, *more]))
        for rest in ([tuple(left)] if short else combinations(sorted(left), n))
        for more in combinations(away, short)
    ]
    assert Counter({tuple(sorted(hand)): ways for hand, ways, _ in hands}) == Counter(brute)
    assert total == len(brute)
    cards, after = stock.sample(stock.opened(world, draw), draw, Random(seed))
    assert tuple(sorted(cards)) in set(brute)
    assert after in [w for _, _, w in hands]


def test_what_lies_on_the_table_stays_out_of_a_shuffle_until_a_new_act_opens() -> None:
    stock, world = laid(("AH",))
    first = Draw(1, "cards", opens="roll")
    ((hand, _, world),) = stock.deal(stock.opened(world, first), first)[0]
    assert hand == ("AH",)
    again = Draw(4, "cards")
    hands, _ = stock.deal(stock.opened(world, again), again)
    assert all("AH" not in hand for hand, _, _ in hands)
    settled = stock.opened(world, Draw(5, "cards", opens="roll"))
    assert stock.deal(settled, Draw(5, "cards"))[1] == 1


def test_a_draw_that_the_deck_can_never_give_is_refused_beforehand() -> None:
    stock, world = laid(CARDS)
    with pytest.raises(Refused, match="deck: 6 cards"):
        stock.opened(world, Draw(1, "cards", opens="roll", needs=6))


def test_an_act_that_settings_shuffle_before_gets_a_whole_deck() -> None:
    stock, world = laid(("AH",), shuffles=("three",))
    three = stock.opened(world, Draw(3, "cards", opens="three"))
    assert sum(three.piles[0].left) == 5  # type: ignore[union-attr]
    roll = stock.opened(world, Draw(1, "cards", opens="roll"))
    assert sum(roll.piles[0].left) == 1  # type: ignore[union-attr]


def test_a_run_that_meets_the_end_of_the_deck_ends_there() -> None:
    stock, world = laid(())
    assert stock.deal(world, Draw(1, "cards", ends=True)) == ([((), 1, world)], 1)


def test_a_projected_deck_gives_the_same_odds_as_every_card_told_apart() -> None:
    stock, world = laid(CARDS)
    draw = Draw(2, "cards", suit)
    coarse = stock.coarse(((suit,),))
    fine: Counter[tuple[str, ...]] = Counter()
    for hand, ways, _ in stock.deal(world, draw)[0]:
        fine[hand] += ways
    hands, total = coarse.deal(coarse.project(world, stock), draw)
    assert {hand: Fraction(ways, total) for hand, ways, _ in hands} == {
        hand: Fraction(ways, 10) for hand, ways in fine.items()
    }
    with pytest.raises(Finer):
        coarse.deal(coarse.project(world, stock), Draw(1, "cards", rank))


@given(st.integers(0, 5), st.sampled_from([suit, rank]), st.integers(0, 999))
def test_play_reads_a_hand_in_the_order_of_the_walks(n: int, reads, seed: int) -> None:  # type: ignore[no-untyped-def]
    stock, world = laid(CARDS)
    draw = Draw(n, "cards", reads)
    cards, _ = stock.sample(world, draw, Random(seed))
    coarse = stock.coarse(((rank, suit),))
    walks = {hand for hand, _, _ in coarse.deal(coarse.project(world, stock), draw)[0]}
    assert stock.hand(draw, cards) in walks


def test_a_card_that_is_gone_cannot_be_drawn_by_hand() -> None:
    stock, world = laid(("AH", "2H"))
    with pytest.raises(Refused, match="AS"):
        stock.take(world, Draw(1, "cards"), ["AS"])
    with pytest.raises(Refused, match="XX"):
        stock.take(world, Draw(1, "cards"), ["XX"])


def test_what_cannot_be_paid_is_not_offered_and_a_missing_purse_is_empty() -> None:
    stock, world = laid(CARDS)
    options = (
        Option("keep"),
        Option("one", (("luck", 1),)),
        Option("three", (("luck", 3),)),
        Option("x", (("hook", 1),)),
    )
    choice = Choice("player", "luck", options, lambda value: Done(value))
    assert [o.value for o in stock.offered(world, choice)] == ["keep", "one"]
    with pytest.raises(Refused, match="luck"):
        stock.pay(world, (("luck", 3),))


@given(st.integers(0, 9), st.none() | st.integers(0, 9), st.integers(-12, 12))
def test_a_tally_marks_as_far_as_the_purse_allows(used: int, size: int | None, n: int) -> None:
    stock, world = laid(CARDS)
    world = World(world.piles, (world.purses[0], Purse(used, size)))
    really, after = stock.mark(world, "strain", n)
    assert after.purses[1].used == used + really
    assert after.purses[1].used >= 0
    assert abs(really) <= abs(n)
    if size is None or used + n <= size:
        assert really == max(n, -used)
    elif used <= size:
        assert after.purses[1].used == size
    assert stock.mark(world, "approved", n) == (n, world)


def test_equal_worlds_have_one_number() -> None:
    stock, world = laid(CARDS)
    worlds = Worlds(stock, world)
    hands, total, shuffled = worlds.deal(worlds.start, Draw(5, "cards"))
    assert len({after for _, _, after in hands}) == 1
    assert (total, shuffled) == (1, False)
