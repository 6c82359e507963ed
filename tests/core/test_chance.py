"""Clever counting equals brute force on small bags, and a sample is read as it is counted."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortes.core.chance import Dice, OpenEnded, Standing, deals, die
from sortes.core.errors import Refused

GROUPS = {6: "high", 5: "high", 4: "middle", 3: "middle", 2: "low", 1: "low"}


def group(face: int) -> str:
    return GROUPS[face]


@given(st.integers(1, 4), st.integers(-4, 4), st.sampled_from([None, group]), st.integers(2, 6))
def test_kept_dice_equal_all_throws_counted(n: int, keep: int, reads, sides: int) -> None:  # type: ignore[no-untyped-def]
    keep = max(-n, min(n, keep))
    dice = Dice(n, die(sides), keep, **({"reads": reads} if reads else {}))
    seen: Counter[tuple[object, ...]] = Counter()
    for faces in product(die(sides), repeat=n):
        best = sorted(faces, reverse=True)
        kept = best[:keep] if keep > 0 else best[keep:] if keep < 0 else best
        seen[tuple(map(reads, kept)) if reads else tuple(kept)] += 1
    assert dict(dice.odds()) == dict(seen)
    assert sum(seen.values()) == dice.total


@given(st.integers(1, 5), st.integers(-5, 5), st.integers(0, 10**6))
def test_a_sampled_hand_is_one_that_is_counted_and_the_record_agrees(n: int, keep: int, seed: int) -> None:
    keep = max(-n, min(n, keep))
    dice = Dice(n, die(6), keep, group, "d6")
    hand, (record,) = dice.sample(Random(seed))
    assert hand in dict(dice.odds())
    assert len(record.faces) == n
    assert len(record.kept) == (abs(keep) or n)
    assert sorted(map(group, record.kept)) == sorted(hand)
    assert not Counter(record.kept) - Counter(record.faces)


def test_labels_that_do_not_stand_together_cannot_be_kept() -> None:
    with pytest.raises(ValueError, match="stand together"):
        Dice(2, die(6), 1, lambda face: face % 2).odds()


def test_a_thousand_dice_are_counted_exactly() -> None:
    assert sum(ways for _, ways in Dice(1000, die(20), 2).odds()) == 20**1000


@given(
    st.lists(st.tuples(st.integers(1, 2), st.sampled_from([1, -1])), min_size=1, max_size=3),
    st.integers(2, 3),
    st.sampled_from(["no", "kept", "rolled"]),
)
def test_standings_equal_all_throws_counted(groups, sides: int, tops) -> None:  # type: ignore[no-untyped-def]
    named = tuple((f"g{i}", Dice(n, die(sides), keep)) for i, (n, keep) in enumerate(groups))
    bag = Standing(named, tops)
    seen: Counter[tuple[int, ...]] = Counter()
    for throw in product(*(list(product(die(sides), repeat=n)) for n, _ in groups)):
        kept = [(max if keep > 0 else min)(faces) for faces, (_, keep) in zip(throw, groups, strict=True)]
        places = sorted(set(kept), reverse=True)
        counted = (
            kept if tops == "kept" else [f for faces in throw for f in faces] if tops == "rolled" else []
        )
        seen[(*map(places.index, kept), counted.count(sides))] += 1
        assert bag.read(throw)[0] in seen
    assert dict(bag.odds()) == dict(seen)
    assert sum(seen.values()) == bag.total


def brute_open(faces: int, again: set[int], stops: set[int], depth: int) -> Counter[tuple[int, int]]:
    """Totals (full, stopped) by all chains of at most `depth` dice, in parts of faces**depth."""
    out: Counter[tuple[int, int]] = Counter()

    def go(total: int, short: int, adding: bool, left: int) -> None:
        for face in range(1, faces + 1):
            now, cut = total + face, short + face * adding
            if face in again and left > 1:
                go(now, cut, adding and face not in stops, left - 1)
            else:
                out[now, cut] += faces ** (left - 1)

    go(0, 0, True, depth)
    return out


@given(st.sets(st.integers(2, 20), min_size=1, max_size=4), st.sets(st.integers(2, 20), max_size=3))
def test_an_open_ended_die_equals_its_chains_counted(cuts: set[int], short: set[int]) -> None:
    bag = OpenEnded((1, 2, 3, 4, 5, 6), (5, 6), (((), tuple(sorted(cuts))), ((6,), tuple(sorted(short)))))
    depth = 6  # 5 × 6 dice are beyond every cut
    seen: Counter[tuple[int, int]] = Counter()
    for (total, stopped), ways in brute_open(6, {5, 6}, {6}, depth).items():
        seen[sum(total >= c for c in cuts), sum(stopped >= c for c in short)] += ways
    assert {hand: ways * 6**depth for hand, ways in bag.odds()} == {
        hand: ways * bag.total for hand, ways in seen.items()
    }


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 12))
def test_deals_equal_all_ways_to_take_cards(counts: list[int], n: int) -> None:
    found = dict(deals(n, tuple(counts)))
    for taken, ways in found.items():
        assert sum(taken) == n
        want = 1
        for k, c in zip(taken, counts, strict=True):
            want *= comb(c, k)
        assert ways == want > 0
    assert sum(found.values()) == comb(sum(counts), n)


@pytest.mark.parametrize(
    ("bag", "faces"),
    [
        (Dice(2, die(6), name="d6"), [3]),
        (Dice(2, die(6), name="d6"), [3, 7]),
        (Standing((("a", Dice(1, die(6), 1, name="d6")),)), [[1], [2]]),
        (Standing((("a", Dice(1, die(6), 1, name="d6")),)), [1]),
        (OpenEnded((1, 2, 3), (3,), (((), (2,)),), "d3"), [3]),
        (OpenEnded((1, 2, 3), (3,), (((), (2,)),), "d3"), [2, 1]),
        (OpenEnded((1, 2, 3), (3,), (((), (2,)),), "d3"), []),
    ],
)
def test_faces_that_cannot_have_been_thrown_are_refused(bag, faces) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Refused, match="takes"):
        bag.by_hand(faces)
