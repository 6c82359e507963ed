"""Dramatic skill resolution (S1 to S10): by hand, and against every order of small decks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction as F
from itertools import permutations
from random import Random
from typing import Any

import pytest

import sortes
from sortes.house import house as house_of
from sortes.systems.dramatic_skill import SYSTEM
from sortes.systems.dramatic_skill.deck import full
from sortes.systems.dramatic_skill.house import bonus_of, total_for

TEST, HELP, TASK = "dramatic-skill.test", "dramatic-skill.help", "dramatic-skill.task"
HOUSE: Any = house_of(SYSTEM)
ALWAYS = {"name": "wait", "by": "stated", "level": "standard"}
NEVER = {"name": "wish", "by": "stated", "level": "failure"}


def d20(skill: int = 10, dn: int = 10, **more: Any) -> dict[str, Any]:
    return {"name": "climb", "skill": skill, "dn": dn, **more}


def play(steps: Sequence[Any], throws: Sequence[Any], choices: Sequence[Any], **more: Any) -> Any:
    """A task by hand: these throws, these choices; `rounds` as many as cards were given unless said."""
    left, waiting = iter(throws), list(choices)

    def choose(state: Any, choice: Any) -> Any:
        return waiting.pop(0)

    played = sortes.play(TASK, steps=list(steps), hands=left, policy=choose, seed=1, **more)
    assert not waiting
    assert next(left, None) is None
    return played


def ended(*args: Any, **more: Any) -> Any:
    return play(*args, **more).outcome


def asked(**params: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """What is asked on a plain play: the subject of every choice and its options."""
    seen: list[tuple[str, tuple[Any, ...]]] = []

    def choose(state: Any, choice: Any) -> Any:
        seen.append((choice.about, tuple(o.value for o in choice.options)))
        return choice.options[0].value

    sortes.play(TASK, policy=choose, seed=3, **params)
    return seen


def offered(card: str, completed: int = 0, **more: Any) -> tuple[Any, ...]:
    """What the lead may do when this card is up."""
    return asked(steps=[ALWAYS] * 4, card=card, completed=completed, rounds=1, **more)[0][1]


def success(skill: int, dn: int, modifier: int = 0) -> F:
    """The chance of at least a Standard success with a d20."""
    odds = sortes.odds(TEST, skill=skill, dn=dn, modifier=modifier).by("result")
    return 1 - odds.get("failure", F(0)) - odds.get("mishap", F(0))


# ---- S1 -------------------------------------------------------------------------------------------


def test_s1_four_steps_in_order() -> None:
    assert [offered("ABCD", k)[0] for k in range(4)] == list("ABCD")
    with pytest.raises(sortes.RuleError, match=r"^steps: got '3 of them'; takes 4"):
        sortes.prepare(TASK, steps=[ALWAYS] * 3)


def test_s1_letters_and_deck_differ_only_together() -> None:
    three = {"steps": 3, "deck": {"AB": 2, "BC": 2, "ABC": 1}}
    assert sortes.prepare(TASK, steps=[ALWAYS] * 3, house=three)
    with pytest.raises(sortes.RuleError, match=r"^deck: has no card with E"):
        sortes.prepare(TASK, steps=[ALWAYS] * 5, house={"steps": 5})
    with pytest.raises(sortes.RuleError, match=r"^deck\[2\]: got 'AD'; takes letters of ABC"):
        sortes.prepare(TASK, steps=[ALWAYS] * 3, house={"steps": 3})
    with pytest.raises(sortes.RuleError, match=r"^deck: has no card with B"):
        sortes.prepare(TASK, steps=[ALWAYS] * 2, house={"steps": 2, "deck": {"A": 9, "complication": 1}})


def test_s1_a_changed_plan_for_open_steps_goes_on_from_there() -> None:
    """One round of the old plan, then the new one with what is left, is worth what a hand calculation says."""
    deck = {"A": 1, "B": 1}
    small = {"steps": 2, "deck": deck}
    old = sortes.odds(TASK, steps=[ALWAYS, NEVER], rounds=2, house=small).p("done")
    new = sortes.odds(
        TASK, steps=[ALWAYS, ALWAYS], rounds=1, completed=1, deck=["B"], discard=["A"], house=small
    )
    assert (old, new.p("done")) == (0, 1)


# ---- S2 -------------------------------------------------------------------------------------------


def test_s2_each_round_asks_who_leads_the_same_by_default() -> None:
    steps = [d20({"Ilse": 20, "Tobin": 0}), *[d20({"Ilse": 0, "Tobin": 20})] * 3]
    left = ["Tobin", "Ilse", "Tobin"]
    seen = []

    def choose(state: Any, choice: Any) -> Any:
        if choice.about == "lead":
            seen.append(tuple(o.value for o in choice.options))
            return left.pop(0)
        return "nothing"

    sortes.play(TASK, steps=steps, leads=["Ilse", "Tobin"], rounds=3, policy=choose, seed=1)
    assert seen == [("Ilse", "Tobin"), ("Tobin", "Ilse"), ("Ilse", "Tobin")]


def test_s2_a_lead_brings_a_skill_of_their_own() -> None:
    steps = [d20({"Ilse": 5, "Tobin": 10})] * 4
    for lead, done in (("Ilse", 0), ("Tobin", 1)):
        got = ended(steps, [["AB"], [11]], [lead, "A"], leads=["Ilse", "Tobin"], rounds=1)
        assert got.steps_done == done


def test_s2_one_lead_is_not_asked_for() -> None:
    assert [about for about, _ in asked(steps=[ALWAYS] * 4, rounds=2)] == ["attempt"] * 2


def test_s2_rounds_end_a_task_and_none_lets_it_go_on() -> None:
    endless = sortes.odds(TASK, steps=[ALWAYS] * 4, rounds=None)
    spread = endless.by("rounds", within=5)
    for rounds in (4, 5):
        limited = sortes.odds(TASK, steps=[ALWAYS] * 4, rounds=rounds).p("done")
        assert sum(p for n, p in spread.items() if n <= rounds) == limited
    with pytest.raises(sortes.RuleError, match=r"^rounds: "):
        endless.by("result")
    assert endless.mean("rounds") is None
    assert sortes.play(TASK, steps=[ALWAYS] * 4, rounds=None, seed=1).p is None
    assert {o.result for o in sortes.simulate(TASK, steps=[ALWAYS] * 4, rounds=None, n=100)} == {"done"}
    with pytest.raises(sortes.RuleError, match=r"^rounds: "):
        sortes.advise(TASK, steps=[ALWAYS] * 4, rounds=None)
    with pytest.raises(sortes.RuleError, match=r"^rounds: "):
        sortes.advise(TASK, steps=[ALWAYS] * 4, house={"rounds": "none"})


# ---- S3 -------------------------------------------------------------------------------------------


def test_s3_the_deck() -> None:
    cards = full(HOUSE)
    assert sum(cards.values()) == 40
    assert cards["AB"] == 6
    assert all(cards[c] == 4 for c in ("AC", "AD", "BC", "BD", "ABC", "ABD", "ABCD"))
    assert all(cards[c] == 2 for c in ("complication", "possible-setback", "critical-problem"))
    assert len(cards) == 11


@pytest.mark.parametrize(("rounds", "percent"), [(4, 19.441), (5, 45.258), (6, 66.937)])
def test_s3_known_values(rounds: int, percent: float) -> None:
    done = sortes.odds(TASK, steps=[ALWAYS] * 4, rounds=rounds).p("done")
    assert round(float(100 * done), 3) == percent


@pytest.mark.soak
def test_s3_known_value_of_eight_rounds() -> None:
    assert round(float(100 * sortes.odds(TASK, steps=[ALWAYS] * 4, rounds=8).p("done")), 3) == 90.446


def orders(deck: Sequence[str], rounds: int) -> Iterator[tuple[str, ...]]:
    """Every order in which cards can come up, each as likely: a deck that has run out is shuffled and goes on."""
    size = len(deck)
    if rounds <= size:
        yield from (order[:rounds] for order in permutations(deck))
    else:
        for first in permutations(deck):
            for rest in orders(deck, rounds - size):
                yield (*first, *rest)


def plainly(order: Sequence[str], steps: int) -> tuple[str, int, int, int, int]:
    """The next step alone, always a success: result, rounds, steps, approved, DN plus; by S4 to S6 alone."""
    done = approved = 0
    for n, card in enumerate(order, 1):
        if card.islower() or "ABCD"[done] in card:
            done += 1
        else:
            approved += 1
        if done == steps:
            return "done", n, done, approved, 0
    return "out-of-time", len(order), done, approved, 0


@pytest.mark.parametrize("rounds", [2, 3, 4, 5])
def test_s3_against_every_order_of_a_small_deck_shuffled_when_it_runs_out(rounds: int) -> None:
    deck, want = ["A", "AB", "BC", "complication"], {}
    every = list(orders(deck, rounds))
    for order in every:
        end = plainly(order, 3)
        want[end] = want.get(end, 0) + F(1, len(every))
    house = {"steps": 3, "deck": dict.fromkeys(deck, 1)}
    odds = sortes.odds(TASK, steps=[ALWAYS] * 3, rounds=rounds, house=house).outcomes
    assert {(o.result, o.rounds, o.steps_done, o.approved, o.dn_plus): p for o, p in odds.items()} == want


def test_s3_a_used_deck_and_a_card_that_lies_there() -> None:
    params = {"steps": [ALWAYS] * 4, "completed": 3, "rounds": 1}
    assert sortes.odds(TASK, deck=["AB", "BD"], **params).p("done") == F(1, 2)
    assert sortes.odds(TASK, deck={"AB": 3, "ABD": 1}, **params).p("done") == F(1, 4)
    assert sortes.odds(TASK, card="BD", **params).p("done") == 1
    # What was turned is not left: the next card is one of the other 39.
    second = sortes.odds(TASK, card="AB", **{**params, "rounds": 2}).p("done")
    with_d = sum(n for card, n in full(HOUSE).items() if card.islower() or "D" in card)
    assert second == F(with_d, 39)
    gone = sortes.odds(
        TASK, card="BD", deck=["AB"], discard=["ABCD"], **{**params, "completed": 2, "rounds": 3}
    )
    # BD (C is not on it), AB (no C), then the three are shuffled: ABCD alone has a C.
    assert gone.by("steps_done") == {2: F(2, 3), 3: F(1, 3)}


# ---- S4 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "completed", "rows"),
    [
        ("AC", 0, ["A"]),
        ("ABD", 0, ["A", "AB"]),
        ("ABCD", 0, ["A", "AB", "ABC", "ABCD"]),
        ("ABCD", 2, ["C", "CD"]),
        ("AC", 2, ["C"]),
        ("BC", 0, ["A"]),
        ("complication", 1, ["B"]),
    ],
)
def test_s4_rows(card: str, completed: int, rows: list[str]) -> None:
    assert list(offered(card, completed)) == [*rows, "last-ditch", "nothing"]
    assert list(offered(card, completed, multi_action=False)) == [rows[0], "last-ditch", "nothing"]
    assert offered(card, completed, house={"multi_action": False}) == (rows[0], "last-ditch", "nothing")


def test_s4_every_test_of_a_row_is_at_minus_2_for_each_extra_step() -> None:
    steps = [d20(10, 10)] * 4
    # A total of 11 gives 0, 15 +2, 17 +4, 19 +6; a 10 is thrown again, so that 9 is the next below 11.
    for row, short, enough in (("A", 9, 11), ("AB", 14, 15), ("ABC", 16, 17), ("ABCD", 18, 19)):
        assert ended(steps, [["ABCD"], [short]], [row], rounds=1).steps_done == 0
        assert ended(steps, [["ABCD"], [enough]], [row], rounds=1).steps_done == len(row)


def test_s4_a_failed_step_stops_the_row() -> None:
    steps = [d20(12), d20(4), d20(12), d20(12)]
    assert ended(steps, [["ABCD"], [15]], ["ABC"], rounds=1).steps_done == 1
    assert ended(steps, [["ABCD"], [5]], ["ABC"], rounds=1).steps_done == 0


# ---- S5 -------------------------------------------------------------------------------------------


def test_s5_an_ineligible_success_is_an_approved_action_and_the_step_stays_open() -> None:
    got = ended(
        [ALWAYS] * 4, [["BC"], ["CD"]], ["A", "A"], house={"deck": {"BC": 1, "CD": 1, "A": 1}}, rounds=2
    )
    assert (got.steps_done, got.approved, got.rounds) == (0, 2, 2)
    failed = ended([NEVER] * 4, [["BC"]], ["A"], rounds=1)
    assert (failed.steps_done, failed.approved) == (0, 0)


def test_s5_the_bonus_of_helpers_counts_for_it_too() -> None:
    one = play([d20(9, 10)] * 4, [["BC"], [11]], ["A"], helpers=1, rounds=1)
    assert one.outcome.approved == 1
    assert "S5" in one.why


# ---- S6 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "completed", "after", "plus"),
    [
        ("complication", 2, 2, 1),
        ("possible-setback", 2, 1, 0),
        ("possible-setback", 0, 0, 0),
        ("critical-problem", 3, 0, 0),
    ],
)
@pytest.mark.parametrize("choice", ["try", "nothing"])
def test_s6_what_a_dilemma_does_where_the_step_is_not_completed(
    card: str, completed: int, after: int, plus: int, choice: str
) -> None:
    what = "ABCD"[completed] if choice == "try" else choice
    got = ended([NEVER] * 4, [[card]], [what], completed=completed, rounds=1)
    assert (got.steps_done, got.dn_plus) == (after, plus)
    won = ended([ALWAYS] * 4, [[card]], ["ABCD"[completed]], completed=completed, rounds=1)
    assert (won.steps_done, won.dn_plus) == (completed + 1, 0)


def test_s6_a_complication_is_cumulative_raises_every_dn_and_outlives_a_critical_problem() -> None:
    throws = [["complication"], ["complication"], ["critical-problem"], ["AB"], [14]]
    got = ended([d20(10, 10)] * 4, throws, ["nothing", "nothing", "nothing", "A"], rounds=4)
    assert (got.steps_done, got.dn_plus) == (0, 2)  # 14 gives +1, and DN 12 wants +2
    got = ended([d20(10, 10)] * 4, [*throws[:4], [15]], ["nothing"] * 3 + ["A"], rounds=4)
    assert (got.steps_done, got.dn_plus) == (1, 2)
    steps = [{"name": "pick", "by": "poker-dice", "skill": 1}] * 4
    throws = [["complication"], ["AB"], ["A♠", "A♠", "9♠"]]  # one penalty die
    assert ended(steps, throws, ["nothing", "A"], rounds=2).steps_done == 1


def test_s6_a_complication_does_not_raise_the_dn_of_helpers() -> None:
    helper = {"skill": 10, "dn": 10}
    for roll, done in (
        (15, 0),
        (16, 1),
    ):  # the helper's 11 is enough for DN 10 and +1; then 9 + 1 + 3 for DN 13
        got = ended([d20(9, 10)] * 4, [["AB"], [11], [roll]], ["A"], helpers=[helper], dn_plus=3, rounds=1)
        assert got.steps_done == done


# ---- S7 -------------------------------------------------------------------------------------------


def test_s7_multi_every_test_at_minus_2_a_further_step_and_2_besides() -> None:
    steps = [d20(20, 10)] * 4  # at -8: 12 + bonus against 10
    assert ended(steps, [["AC"], [7]], ["last-ditch"], rounds=1).last_ditch
    got = ended(steps, [["AC"], [6]], ["last-ditch"], rounds=1)
    assert (got.result, got.steps_done, got.last_ditch) == ("out-of-time", 0, False)
    for skill, result in (
        (17, "out-of-time"),
        (18, "done"),
    ):  # the last step alone: at -2, and a 3 takes 6 off
        got = ended([d20(skill, 10)] * 4, [["AC"], [3]], ["last-ditch"], completed=3, rounds=1)
        assert got.result == result


def test_s7_single_one_test_with_the_hardest_open_step_the_first_of_equals() -> None:
    steps = [d20(3, 30), d20(16, 12), d20(12, 12), d20(30, 10)]
    for house in ({"last_ditch": "single"}, None):
        given = {"house": house} if house else {"last_ditch": "single"}
        assert (
            ended(steps, [["AC"], [10, 1]], ["last-ditch"], completed=1, rounds=1, **given).result == "done"
        )
        failed = ended(steps, [["AC"], [6]], ["last-ditch"], completed=1, rounds=1, **given)
        assert failed.result == "out-of-time"  # 16 - 2 - 4 = 10 against 12
        whole = ended(steps, [["AC"], [20, 20, 19]], ["last-ditch"], rounds=1, **given)
        assert whole.result == "out-of-time"  # now the first is the hardest: 3 - 2 + 15 against 30
        hard = [d20(30, 5), d20(5, 15), d20(30, 5), d20(30, 5)]  # 5 - 2 + 9 against 15, and not the first
        assert ended(hard, [["AC"], [20, 6]], ["last-ditch"], rounds=1, **given).result == "out-of-time"


@pytest.mark.parametrize("card", ["complication", "possible-setback", "critical-problem", "AB"])
def test_s7_failing_loses_all_progress_and_a_complication_adds_1_success_cancels(card: str) -> None:
    lost = ended([NEVER] * 4, [[card]], ["last-ditch"], completed=3, rounds=1)
    assert (lost.steps_done, lost.dn_plus) == (0, int(card == "complication"))
    won = play([ALWAYS] * 4, [[card]], ["last-ditch"], completed=1, rounds=1)
    assert (won.outcome.result, won.outcome.last_ditch, won.outcome.dn_plus) == ("done", True, 0)
    assert "S7" in won.why


# ---- S8 -------------------------------------------------------------------------------------------


def test_s8_the_value_chart() -> None:
    measures = [F(m, 10) * 10**k for k in range(4) for m in (10, 15, 25, 40, 60)]
    for n in range(1, 1200):
        assert bonus_of(HOUSE, n) == max(v for v, m in enumerate(measures) if m <= n)
    known = {1: 0, 2: 1, 3: 2, 4: 3, 5: 3, 6: 4, 9: 4, 10: 5, 14: 5, 15: 6, 24: 6, 25: 7, 39: 7, 40: 8, 59: 8}
    assert {n: bonus_of(HOUSE, n) for n in known} == known
    assert [bonus_of(HOUSE, n) for n in (60, 99, 100, 149, 150, 249)] == [9, 9, 10, 10, 11, 11]
    assert [bonus_of(HOUSE, n) for n in (0, -1, -5)] == [-2, -2, -2]


@pytest.mark.parametrize(
    ("level", "count"),
    [("mishap", 0), ("failure", 1), ("standard", 2), ("good", 3), ("outstanding", 4), ("spectacular", 5)],
)
def test_s8_what_extra_effort_counts(level: str, count: int) -> None:
    stated = {"by": "stated", "level": level}
    assert sortes.odds(HELP, helpers=[stated]).by("count") == {count: 1}
    assert sortes.odds(HELP, helpers=[stated, "normal"]).by("count") == {count + 1: 1}


def test_s8_normal_effort_counts_1_and_may_be_a_number() -> None:
    assert sortes.odds(HELP, helpers=3).outcomes == sortes.odds(HELP, helpers=["normal"] * 3).outcomes
    assert sortes.odds(HELP, helpers=0).by("bonus") == {0: 1}


def test_s8_who_may_choose_makes_normal_effort_where_the_test_is_not_worth_it() -> None:
    weak, strong = ({"skill": s, "dn": 10, "effort": "choose"} for s in (5, 25))
    assert sortes.advise(HELP, helpers=[weak]).best == "normal"
    assert sortes.advise(HELP, helpers=[strong]).best == "extra"
    advice = sortes.advise(HELP, helpers=[weak, strong], worth="count")
    assert advice.worth == sum(
        n * p for n, p in sortes.odds(HELP, helpers=["normal", {"skill": 25, "dn": 10}]).by("count").items()
    )


def test_s8_the_lead_sees_the_bonus_before_choosing() -> None:
    """With one roll for helper and lead each, the best choice depends on what the helper did."""
    params = {"steps": [d20(12, 10)] * 4, "completed": 2, "rounds": 1, "card": "AB"}
    apart = [
        sortes.advise(TASK, **params, helpers=[{"by": "stated", "level": level}]).worth
        for level in ("mishap", "failure", "standard", "good", "outstanding", "spectacular")
    ]
    levels = sortes.odds(TEST, skill=9, dn=10).by("result")
    together = sortes.advise(TASK, **params, helpers=[{"skill": 9, "dn": 10}]).worth
    names = ("mishap", "failure", "standard", "good", "outstanding", "spectacular")
    assert together == sum(levels.get(name, 0) * worth for name, worth in zip(names, apart, strict=True))


# ---- S9 -------------------------------------------------------------------------------------------

CHART = {
    2: -8, 3: -6, 4: -6, 5: -4, 6: -4, 7: -2, 8: -2, 9: -1, 10: -1, 11: 0, 12: 0, 13: 1, 14: 1, 15: 2, 16: 3, 17: 4,
    18: 5, 19: 6, 20: 7, 21: 8, 25: 8, 26: 9, 30: 9, 31: 10, 36: 11,
}  # fmt: skip


def test_s9_a_the_bonus_chart() -> None:
    for bonus in range(-20, 12):
        first = total_for(HOUSE, bonus)
        assert first >= 2  # a 1 is never enough
        for total, gives in CHART.items():
            assert (total >= first) == (gives >= bonus), (total, bonus)


def test_s9_a_levels_by_margin_and_the_mishap() -> None:
    for roll, level in ((1, "mishap"), (8, "failure"), (9, "standard"), (16, "standard"), (17, "good")):
        got = sortes.play(TEST, skill=11, dn=10, hands=[[roll]]).outcome.result
        assert got == level, roll
    assert sortes.play(TEST, skill=11, dn=10, hands=[[20, 10, 1]]).outcome.result == "outstanding"  # 31: +10
    assert sortes.play(TEST, skill=11, dn=10, hands=[[20, 20, 11]]).outcome.result == "spectacular"  # 51: +14


def test_s9_a_what_is_a_mishap_fails_in_a_row_too() -> None:
    house = {"mishap": 3}
    assert sortes.play(TEST, skill=40, dn=5, house=house, hands=[[3]]).outcome.result == "mishap"
    assert ended([d20(40, 5)] * 4, [["AB"], [3]], ["AB"], rounds=1, house=house).steps_done == 0
    assert ended([d20(40, 5)] * 4, [["AB"], [4]], ["AB"], rounds=1, house=house).steps_done == 2
    assert ended([d20(40, 5)] * 4, [["AB"], [1]], ["AB"], rounds=1).steps_done == 0


def test_s9_a_thrown_again_on_10_and_20_unskilled_on_10_only() -> None:
    skilled = sortes.odds(TEST, skill=0, dn=8).by("result")  # 21 or more
    twenty = F(1, 20)  # then anything
    tens = F(1, 20) * (F(10, 20) + F(1, 20))  # a 10, then 11 to 20, or another 10 and anything
    assert 1 - skilled["failure"] - skilled["mishap"] == twenty + tens
    unskilled = sortes.odds(TEST, skill=0, dn=8, unskilled=True).by("result")
    assert 1 - unskilled["failure"] - unskilled["mishap"] == tens  # 20 alone is not 21
    with pytest.raises(sortes.Refused, match=r"^throw: "):
        sortes.play(TEST, skill=0, dn=8, unskilled=True, hands=[[20, 3]])


def test_s9_a_one_roll_serves_all_steps_and_the_unskilled_stop_at_20() -> None:
    steps = [d20(10, 10), d20(10, 22, unskilled=True), d20(10, 10), d20(10, 10)]
    assert (
        ended(steps, [["ABC"], [10, 20, 10, 3]], ["ABC"], rounds=1).steps_done == 1
    )  # 30 gives 9, it wants 16
    steps[1] = d20(10, 15, unskilled=True)  # wants 9 at -4: a total of 30, which 10 + 20 is
    assert ended(steps, [["ABC"], [10, 20, 1]], ["ABC"], rounds=1).steps_done == 3
    steps[1] = d20(10, 16, unskilled=True)  # wants 10: 31, which the unskilled do not have
    assert ended(steps, [["ABC"], [10, 20, 1]], ["ABC"], rounds=1).steps_done == 1
    steps[1] = d20(10, 16)
    assert ended(steps, [["ABC"], [10, 20, 1]], ["ABC"], rounds=1).steps_done == 3


def test_s9_a_odds_of_a_row_are_those_of_one_roll() -> None:
    """Two steps of one roll: what is enough for the harder is enough for both."""
    steps = [d20(12), d20(9), ALWAYS, ALWAYS]
    row = {"steps": steps, "card": "AB", "rounds": 1}
    take = lambda state, choice: "AB" if choice.about == "attempt" else choice.options[0].value  # noqa: E731
    done = sortes.odds(TASK, policy=take, **row).by("steps_done")
    assert done[2] == success(9, 10, -2)
    assert done[1] == success(12, 10, -2) - success(9, 10, -2)


def test_s9_b_cards() -> None:
    for skill, m, against, extra in ((4, 0, 3, 0), (4, -2, 3, 2), (1, -3, 2, 0), (3, 2, 4, 3)):
        mine = sortes.odds(TEST, using="cards", skill=skill, dn=against, modifier=m, extra=extra).by("result")
        roll = sortes.odds("cards.resolve", el=max(0, skill + m), against=against, extra=extra).outcomes
        want: dict[str, F] = {}
        for o, p in roll.items():
            better = (o.effect >= 2) + (o.effect >= 4) + (o.effect >= 6)
            levels = {"loss": "failure", "bust": "mishap"}
            level = levels.get(o.result) or ("standard", "good", "outstanding", "spectacular")[better]
            want[level] = want.get(level, F(0)) + p
        assert mine == want


def test_s9_b_the_lead_may_choose_extra_effort_before_each_card_test() -> None:
    steps = [{"name": "talk", "by": "cards", "skill": 3, "dn": 2}] * 4
    seen = asked(steps=steps, card="AB", rounds=1)
    assert seen == [("attempt", ("A", "AB", "last-ditch", "nothing")), ("extra-effort", (0, 1, 2, 3))]
    advice = sortes.advise(TEST, using="cards", skill=3, dn=2, extra="choose")
    assert advice.worth == sortes.advise("cards.resolve", el=3, against=2, extra="choose").worth
    helper = {"by": "cards", "skill": 3, "dn": 2}
    assert [about for about, _ in asked(steps=[ALWAYS] * 4, card="AB", rounds=1, helpers=[helper])] == [
        "attempt"
    ]


POKER = {
    "extreme-success": "spectacular", "complete-success": "good", "simple-success": "standard", "draw": "standard",
    "simple-defeat": "failure", "complete-defeat": "mishap",
}  # fmt: skip


def regrouped(odds: Mapping[str, F], means: Mapping[str, str]) -> dict[str, F]:
    out: dict[str, F] = {}
    for result, p in odds.items():
        out[means[result]] = out.get(means[result], F(0)) + p
    return out


@pytest.mark.parametrize(
    ("m", "bonus", "penalty"), [(0, 0, 0), (1, 1, 0), (2, 1, 0), (3, 2, 0), (-1, 0, 1), (-3, 0, 2)]
)
def test_s9_b_poker_dice_and_agate(m: int, bonus: int, penalty: int) -> None:
    got = sortes.odds(TEST, using="poker-dice", skill=2, dn=1, modifier=m).by("result")
    rolled = sortes.odds("poker-dice.roll", level=2, bonus=bonus, penalty=penalty + 1).by("result")
    assert got == regrouped(rolled, POKER)
    got = sortes.odds(TEST, using="agate", skill=3, dn=2, modifier=m).by("result")
    tried = sortes.odds("agate.attempt", skill=3, difficulty=2, boons=bonus, hindrances=penalty).by("result")
    means = {"triumph": "outstanding", "success": "standard", "setback": "failure", "catastrophe": "mishap"}
    assert got == regrouped(tried, means)


def test_s9_b_tests_of_a_row_are_made_in_turn_and_d20_steps_still_share_one_roll() -> None:
    steps = [d20(12), {"name": "pick", "by": "poker-dice", "skill": 1}, d20(9), d20(12)]
    throws = [["ABC"], [15], ["A♠", "K♦", "9♠", "9♠"]]  # at -4 two penalty dice: K and A go
    assert ended(steps, throws, ["ABC"], rounds=1).steps_done == 1
    throws = [["ABC"], [17], ["A♠", "K♦", "A♠", "A♠"]]
    assert ended(steps, throws, ["ABC"], rounds=1).steps_done == 2  # 9 - 4 + 4 against 10
    throws = [["ABC"], [18], ["A♠", "K♦", "A♠", "A♠"]]
    assert ended(steps, throws, ["ABC"], rounds=1).steps_done == 3


def test_s9_c_stated_asks_the_table_in_play_and_must_be_known_beforehand_elsewhere() -> None:
    params: dict[str, Any] = {"steps": [ALWAYS, {"name": "x", "by": "stated"}, ALWAYS, ALWAYS]}
    played = play(params["steps"], [["BC"]], ["B", "good"], completed=1, rounds=1)
    assert [(c.who, c.about) for c in played.choices] == [("player", "attempt"), ("table", "level")]
    assert played.p is None
    for walk in (sortes.odds, sortes.advise, sortes.simulate):
        with pytest.raises(sortes.RuleError, match=r"^steps\[1\]\.level: is missing"):
            walk(TASK, **params)
        with pytest.raises(sortes.RuleError, match=r"^helpers\[1\]\.level: is missing"):
            walk(TASK, steps=[ALWAYS] * 4, helpers=["normal", {"by": "stated"}])
        with pytest.raises(sortes.RuleError, match=r"^level: is missing"):
            walk(TEST, using="stated")


# ---- S10 ------------------------------------------------------------------------------------------


def test_s10_the_order_of_a_round() -> None:
    happened: list[str] = []

    def told(event: Any) -> None:
        happened.append(getattr(event, "about", None) or getattr(event, "name", None) or event[0])

    helper = {"skill": 9, "dn": 10, "effort": "choose"}
    steps = [d20({"Ilse": 9, "Tobin": 9})] * 4
    waiting = ["Tobin", "extra", "A"]
    sortes.play(
        TASK, steps=steps, leads=["Ilse", "Tobin"], helpers=[helper], rounds=1, told=told,
        hands=[["AB"], [13], [13]], policy=lambda state, choice: waiting.pop(0),
    )  # fmt: skip
    assert happened == ["rounds", "drama", "lead", "effort", "d20", "attempt", "d20"]


def test_s10_the_conflict_line_of_a_card_is_kept_as_text() -> None:
    lines = {"ABCD: the guards act first": 1, "ABCD: nobody is in a hurry": 1}
    played = sortes.play(TASK, steps=[ALWAYS] * 4, house={"deck": lines}, rounds=1, seed=4)
    assert played.throws[0].faces[0] in lines
    assert sortes.odds(TASK, steps=[ALWAYS] * 4, house={"deck": lines}, rounds=4).p("done") == 1


# ---- advice ---------------------------------------------------------------------------------------

UNEVEN = [d20(10, 10), d20(9, 12), d20(11, 12), d20(8, 13)]


@pytest.mark.parametrize(
    "params",
    [
        {"steps": UNEVEN, "rounds": 3},
        {"steps": UNEVEN, "rounds": 2, "helpers": 2, "completed": 1},
        {"steps": UNEVEN, "rounds": 3, "last_ditch": "single", "dn_plus": 1},
        {"steps": UNEVEN, "rounds": 3, "multi_action": False, "helpers": [{"skill": 9, "dn": 9}]},
        {"steps": [*UNEVEN[:2], {"name": "x", "by": "agate", "skill": 5, "dn": 2}, ALWAYS], "rounds": 3},
    ],
)
def test_the_best_policy_is_worth_what_it_says_and_never_less_than_the_plain_one(
    params: dict[str, Any],
) -> None:
    advice = sortes.advise(TASK, **params)
    assert sortes.odds(TASK, policy="best", **params).p("done") == advice.worth
    assert advice.worth >= sortes.odds(TASK, **params).p("done")


def test_advice_weighs_every_option_of_the_round() -> None:
    """The last round, next D: with D up one step does; else only the Last Ditch can."""
    params: dict[str, Any] = {"steps": [d20(10, 10)] * 4, "completed": 3, "rounds": 1}
    up = sortes.advise(TASK, card="BD", **params)
    assert {o.option: o.exact for o in up.options} == {
        "D": success(10, 10),
        "last-ditch": success(10, 10, -2),
        "nothing": 0,
    }
    away = sortes.advise(TASK, card="AB", **params)
    assert {o.option: o.exact for o in away.options} == {
        "D": 0,
        "last-ditch": success(10, 10, -2),
        "nothing": 0,
    }
    assert (up.best, away.best, away.choice) == ("D", "last-ditch", "attempt")


def test_another_aim_goes_for_called_tests_too() -> None:
    """Who would fail wins nothing by Extra Effort or Strain: the aim given is everybody's."""
    steps = [{"name": "x", "by": "cards", "skill": 2, "dn": 1}] * 4
    params: dict[str, Any] = {"steps": steps, "completed": 3, "card": "ABCD", "rounds": 1}
    assert sortes.advise(TASK, worth="-steps_done", **params).worth == 0
    assert sortes.advise(TASK, worth="steps_done", **params).worth > 3


def test_a_play_by_the_best_policy_takes_the_last_ditch_in_the_last_round() -> None:
    it = sortes.prepare(TASK, steps=[d20(10, 10)] * 4, completed=3, rounds=2)
    taken = set()
    for seed in range(40):
        played = sortes.play(it, policy="best", rng=Random(seed))
        taken |= {
            (c.option, t.faces[0])
            for c, t in zip(played.choices, [t for t in played.throws if t.name == "drama"], strict=True)
        }
        if played.outcome.result == "out-of-time":
            card = [t.faces[0] for t in played.throws if t.name == "drama"][-1]
            assert played.choices[-1].option == ("D" if "D" in card or card.islower() else "last-ditch") or (
                len(played.choices[-1].offered) > 3
            )
    assert {option for option, _ in taken} >= {"D", "last-ditch"}


def test_simulate_agrees_with_odds_and_follows_a_policy() -> None:
    params: dict[str, Any] = {"steps": UNEVEN, "rounds": 3, "helpers": 2}
    for policy in ("plain", "best"):
        p = float(sortes.odds(TASK, policy=policy, **params).p("done"))
        n = 200_000
        seen = sum(
            k
            for o, k in sortes.simulate(TASK, n=n, seed=5, policy=policy, **params).items()
            if o.result == "done"
        )
        assert abs(seen - n * p) < 5 * (n * p * (1 - p)) ** 0.5 + 1


# ---- bad input ------------------------------------------------------------------------------------

STEPS = [d20()] * 4


@pytest.mark.parametrize(
    ("rule", "params", "parameter"),
    [
        (TEST, {}, "skill"),
        (TEST, {"skill": 3}, "dn"),
        (TEST, {"skill": -1, "dn": 3}, "skill"),
        (TEST, {"skill": 3, "dn": 10**9}, "dn"),
        (TEST, {"skill": float("nan"), "dn": 3}, "skill"),
        (TEST, {"skill": 3, "dn": 3, "modifier": "much"}, "modifier"),
        (TEST, {"skill": 3, "dn": 3, "using": "d20-oracle"}, "using"),
        (TEST, {"skill": 7, "using": "poker-dice"}, "skill"),
        (TEST, {"skill": 3, "dn": 16, "using": "agate"}, "dn"),
        (TEST, {"skill": 3, "dn": 3, "level": "good"}, "level"),
        (TEST, {"skill": 3, "dn": 3, "extra": 1}, "extra"),
        (HELP, {}, "helpers"),
        (HELP, {"helpers": -1}, "helpers"),
        (HELP, {"helpers": ["normal", "brave"]}, "helpers[1]"),
        (HELP, {"helpers": [{"skill": 3}]}, "helpers[0].dn"),
        (HELP, {"helpers": [{"skil": 3}]}, "helpers[0].skil"),
        (TASK, {}, "steps"),
        (TASK, {"steps": STEPS[:2]}, "steps"),
        (TASK, {"steps": "all of them"}, "steps"),
        (TASK, {"steps": [{"name": "x"}] * 4}, "steps[0].skill"),
        (TASK, {"steps": [*STEPS[:3], d20(-3)]}, "steps[3].skill"),
        (TASK, {"steps": [*STEPS[:3], d20({"Ilse": 3})]}, "steps[3].skill"),
        (TASK, {"steps": STEPS, "rounds": 0}, "rounds"),
        (TASK, {"steps": STEPS, "rounds": 1000}, "rounds"),
        (TASK, {"steps": STEPS, "completed": 4}, "completed"),
        (TASK, {"steps": STEPS, "leads": []}, "leads"),
        (TASK, {"steps": STEPS, "leads": ["a", "a"]}, "leads"),
        (TASK, {"steps": STEPS, "dn_plus": -1}, "dn_plus"),
        (TASK, {"steps": STEPS, "deck": ["ABE"]}, "deck[0]"),
        (TASK, {"steps": STEPS, "deck": ["CD"]}, "deck"),
        (TASK, {"steps": STEPS, "deck": {"AB": 7}}, "deck"),
        (TASK, {"steps": STEPS, "card": "the fool"}, "card"),
        (TASK, {"steps": STEPS, "card": "AB", "deck": {"AB": 6}}, "card"),
        (TASK, {"steps": STEPS, "last_ditch": "never"}, "last_ditch"),
        (TASK, {"steps": STEPS, "house": {"chart": [[5, 0], [3, 1]]}}, "chart"),
        (
            TASK,
            {"steps": STEPS, "house": {"levels": {"agate": {"triumph": "grand"}}}},
            "levels.agate.triumph",
        ),
        (TASK, {"steps": STEPS, "house": {"again": list(range(1, 21))}}, "again"),
        (TASK, {"steps": STEPS, "house": {"unskilled_again": [9]}}, "unskilled_again"),
        (TASK, {"steps": STEPS, "house": {"margins": {"good": 11}}}, "margins"),
        (TASK, {"steps": STEPS, "house": {"value": {"tenths": [20, 10]}}}, "value.tenths"),
    ],
)
def test_bad_input_names_the_parameter(rule: str, params: dict[str, Any], parameter: str) -> None:
    with pytest.raises(sortes.RuleError) as error:
        sortes.odds(rule, **params)
    assert error.value.parameter == parameter
