"""The three-d20 oracle against plain enumeration of all dice, and its known values (D1–D8)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

import sortes
from sortes import catalog
from tests.brute.d20_oracle import reading

KEPT = {"even": lambda a, b: a, "likely": max, "unlikely": min}


@pytest.mark.parametrize("likelihood", KEPT)
def test_d1_d2_d3_every_reading_equals_all_dice_counted(likelihood: str) -> None:
    seen = Counter(
        reading(fate, KEPT[likelihood](a, b), bane) for fate, a, b, bane in product(range(1, 21), repeat=4)
    )
    odds = sortes.odds("d20-oracle.ask", likelihood=likelihood).by("result")
    assert odds == {result: Fraction(n, 20**4) for result, n in seen.items()}


@pytest.mark.parametrize(
    ("likelihood", "yes"),
    [("even", Fraction(399, 800)), ("likely", Fraction(10507, 16000)), ("unlikely", Fraction(5453, 16000))],
)
def test_d4_about_half_two_thirds_and_one_third(likelihood: str, yes: Fraction) -> None:
    assert sortes.odds("d20-oracle.ask", likelihood=likelihood).p("yes", by="answer") == yes


def test_d4_the_oracle_is_symmetric_only_while_great_bane_answers_no() -> None:
    even = sortes.odds("d20-oracle.ask").by("answer")
    assert even["yes"] == even["no"]
    house = sortes.odds("d20-oracle.ask", house={"great_bane": "boon-decides"}).by("answer")
    assert house["yes"] > house["no"]


@pytest.mark.parametrize("likelihood", KEPT)
@pytest.mark.parametrize("counted", ["kept", "rolled"])
def test_d5_aura_for_every_top_face(likelihood: str, counted: str) -> None:
    sides = 6
    seen: Counter[int] = Counter()
    for fate, a, b, bane in product(range(1, sides + 1), repeat=4):
        kept = [fate, KEPT[likelihood](a, b), bane]
        rolled = kept if likelihood == "even" else [fate, a, b, bane]
        seen[(kept if counted == "kept" else rolled).count(sides)] += 1
    house = {"die": sides, "aura_dice": counted}
    odds = sortes.odds("d20-oracle.ask", likelihood=likelihood, asker="player", tables=False, house=house)
    assert odds.by("aura") == {aura: Fraction(n, sides**4) for aura, n in sorted(seen.items())}


def test_d5_the_game_master_is_paid_nothing() -> None:
    assert sortes.odds("d20-oracle.ask", asker="gm").by("aura") == {0: 1}


def test_d6_each_d12_entry_is_equally_likely_and_comes_only_when_called_for() -> None:
    odds = sortes.odds("d20-oracle.ask")
    for table, results in {
        "twist": ("yes-but", "no-and", "great-bane", "great-boon-with-great-bane"),
        "boon": ("great-boon", "great-boon-with-great-bane"),
    }.items():
        called = sum(odds.p(result) for result in results)
        by = odds.by(table)
        assert by.pop(None) == 1 - called
        assert by == dict.fromkeys(range(1, 13), called / 12)


def test_d6_tables_are_data_with_twelve_entries() -> None:
    house = catalog.system("d20-oracle").house
    assert house is not None
    mine = {"tables": {"twist": [f"twist {n}" for n in range(1, 13)]}}
    play = sortes.play("d20-oracle.ask", hands=[[[11], [15], [18]], [7]], house=mine)
    assert play.outcome.twist_text == "twist 7"
    with pytest.raises(sortes.RuleError, match=r"tables\.twist"):
        sortes.odds("d20-oracle.ask", house={"tables": {"twist": ["one"]}})


def test_d8_help_says_when_to_ask_and_nothing_enforces_it() -> None:
    assert "D8" in catalog.rule("d20-oracle.ask").form.help
