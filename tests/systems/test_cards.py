"""The cards by their numbered rules: deck, answers, Three, contests, resolution rolls, runs and numbers."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sortes
from sortes.house import house as house_of
from sortes.systems.cards import SYSTEM
from sortes.systems.cards.deck import code, colour, low, pack, parse, pips_left, suit, value
from sortes.systems.cards.resolve import settle
from tests.brute import cards as brute

CODES = [card for card, _ in pack(1, 0)]
FEW = st.lists(st.sampled_from([*CODES, "Xr", "Xb"]), min_size=4, max_size=9, unique=True)


def play(rule: str, *hands: list[str], choices: tuple[Any, ...] = (), **params: Any) -> sortes.Play:
    """A play with these cards drawn and these options taken, and no more asked for than was given."""
    waiting, drawn = list(choices), iter(hands)
    played = sortes.play(rule, hands=drawn, policy=lambda state, choice: waiting.pop(0), **params)
    assert not waiting
    assert next(drawn, None) is None
    return played


# ---- C1, C2: the deck ---------------------------------------------------------------------------


@pytest.mark.parametrize("written", ["10H", "TH", "0H", "0♥", "0h", "t♥", " 10♥\ufe0f ", "0♡"])
def test_c1_a_card_is_written_in_many_ways(written: str) -> None:
    assert code("card", written) == "0H"


@pytest.mark.parametrize("written", ["1H", "11H", "H", "XH", "9", "X", "HH", "", "🂡"])
def test_c1_what_is_no_card_is_refused(written: str) -> None:
    with pytest.raises(sortes.RuleError, match="card: got"):
        code("card", written)


def test_c1_what_is_read_of_a_card() -> None:
    assert [value(c) for c in ("AS", "2H", "9C", "0D", "JH", "QS", "KC", "Xr")] == [1, 2, 9, 10, *[None] * 4]
    assert [colour(c) for c in ("AH", "AD", "AS", "AC", "Xr", "Xb", "H", "C")] == [*"RRBBRBRB"]
    assert [suit(c) for c in ("0H", "KC", "Xb", "S")] == ["H", "C", "Xb", "S"]


@pytest.mark.parametrize(
    ("house", "cards"), [({}, 52), ({"jokers": 2}, 54), ({"packs": 3, "jokers": 2}, 162)]
)
def test_c1_packs_and_jokers(house: dict[str, Any], cards: int) -> None:
    assert sum(sortes.play("cards.ask", house=house, seed=1).left().values()) == cards - 1


def test_c1_jokers_count_by_colour_and_say_chaos() -> None:
    odds = sortes.odds("cards.ask", house={"jokers": 2})
    assert odds.by("result") == {"yes-and": F(13, 54), "yes-but": F(13, 54), "no-but": F(13, 54),
                                 "no-and": F(13, 54), "chaos": F(1, 27)}  # fmt: skip
    assert odds.by("answer")["none"] == F(1, 27)
    drawn = {"deck": ["Xr", "Xb"], "discard": [], "house": {"jokers": 2}}
    assert sortes.odds("cards.resolve", el=1, against=1, **drawn).by("effect") == {1: F(1, 2), -1: F(1, 2)}


def test_c1_luck_cannot_turn_a_joker() -> None:
    assert play("cards.ask", ["Xb"], luck=1, house={"jokers": 2}).outcome.result == "chaos"
    assert play("cards.run", ["Xb"], luck=1, house={"jokers": 2}).outcome.reds == 0
    three = play("cards.three", ["Xb"], ["KC"], ["Xr"], choices=("turn-2",), luck=2, house={"jokers": 2})
    assert [c.offered for c in three.choices] == [("keep", "turn-2")]
    assert three.outcome.vote == "success-with-complication"


def test_c2_counts_by_suit_are_refused_where_rank_is_read() -> None:
    suits = {"H": 10, "D": 13, "S": 9, "C": 12}
    assert sortes.odds("cards.ask", deck=suits).p("yes-and") == F(10, 44)
    for rule in ("cards.three", "cards.numbers"):
        with pytest.raises(sortes.RuleError, match=r"deck: .*by suit"):
            sortes.odds(rule, deck=suits).by(sortes.odds(rule).rule.fields[0])
    with pytest.raises(sortes.RuleError, match=r"deck: .*not both"):
        sortes.odds("cards.ask", deck={"H": 1, "9C": 1})


@pytest.mark.parametrize(
    ("deck", "named"), [(["9H", "9H"], "9H"), ({"H": 14}, "H"), (["Xr"], "Xr"), ({"9H": 2}, "9H")]
)
def test_c2_more_cards_than_the_pack_has_are_refused(deck: Any, named: str) -> None:
    with pytest.raises(sortes.RuleError, match=rf"deck: .*{named}"):
        sortes.odds("cards.ask", deck=deck)


@pytest.mark.parametrize(
    ("reshuffle", "act", "before"),
    [(r, a, r == "always" or (r == "drawing" and a == "cards.three"))
     for r in ("ask", "scene", "drawing", "always") for a in ("cards.ask", "cards.three", "cards.run")],
)  # fmt: skip
def test_c2_what_is_shuffled_before_which_act(reshuffle: str, act: str, before: bool) -> None:
    """With three red cards left a Heart is certain to come, unless all 52 are shuffled first."""
    prepared = sortes.prepare(act, deck=["KH", "QH", "JH"], house={"reshuffle": reshuffle})
    odds = sortes.odds(prepared)
    certain = {"cards.ask": "yes-and", "cards.three": "decisive-success", "cards.run": 3}[act]
    assert (odds.by(odds.rule.fields[0]).get(certain) == 1) is not before


def test_c2_each_round_of_a_conflict_is_an_act() -> None:
    odds = sortes.odds(
        "cards.conflict", mine=0, theirs=0, draws="mine", deck=["AH"], house={"reshuffle": "always"}
    )
    assert odds.by("rounds", within=1)[1] == F(3, 4)
    odds = sortes.odds("cards.conflict", mine=0, theirs=0, draws="mine", deck=["AH"])
    assert odds.by("rounds", within=1) == {1: F(1)}


def test_c2_the_rest_is_dealt_and_the_table_stays_out() -> None:
    odds = sortes.odds("cards.resolve", el=2, against=1, deck=["AH"], discard=["2S", "3S"])
    assert odds.by("effect") == {1: F(1)}  # the ace is on the table and cannot come again
    with pytest.raises(sortes.Refused, match="deck: 4 cards"):
        sortes.play("cards.resolve", el=2, against=2, deck=["AH"], discard=["2S", "3S"])


def test_c2_refused_beforehand_nothing_is_drawn() -> None:
    told: list[Any] = []
    with pytest.raises(sortes.Refused):
        sortes.play("cards.resolve", el=30, against=23, seed=1, told=told.append)
    assert not told


def test_c2_a_scene_shuffles_where_the_table_says_so() -> None:
    effects = {r: SYSTEM.scene(house_of(SYSTEM, {"reshuffle": r})) for r in ("ask", "scene")}
    assert [type(e).__name__ for e in effects["ask"]] == ["Refill", "Refill"]
    assert [type(e).__name__ for e in effects["scene"]] == ["Refill", "Refill", "Shuffle"]


@given(FEW)
def test_c2_codes_parse_to_themselves(cards: list[str]) -> None:
    assert parse("deck", tuple(cards)) == dict.fromkeys(cards, 1)


# ---- C3, C4, C7.1: ask --------------------------------------------------------------------------


def test_c3_answers_and_textures_are_data() -> None:
    house = {"answers": {"H": {"result": "no-and", "texture": "storm"}}}
    outcome = play("cards.ask", ["9H"], house=house).outcome
    assert (outcome.result, outcome.answer, outcome.texture) == ("no-and", "no", "storm")
    textures = {s: play("cards.ask", ["9" + s]).outcome.texture for s in "HDSC"}
    assert textures == {"H": "social", "D": "commerce", "S": "labour", "C": "conflict"}


@pytest.mark.parametrize("card", ["9C", "4S", "2D"])
def test_c7_1_the_reading_changes_and_the_card_does_not(card: str) -> None:
    played = play("cards.ask", [card], choices=("turn",), luck=1)
    assert played.outcome.result == "yes-and"
    assert card not in played.left()
    assert played.throws[0].faces == (card,)


def test_c7_1_a_heart_needs_no_luck_and_the_best_policy_turns_only_a_no() -> None:
    assert not play("cards.ask", ["2H"], luck=1).choices
    assert sortes.odds("cards.ask", luck=1, policy="best").by("result") == {
        "yes-and": F(3, 4),
        "yes-but": F(1, 4),
    }
    assert sortes.odds("cards.ask", luck=0, policy="best").p("no-and") == F(1, 4)


# ---- C4, C5, C8: the Three ----------------------------------------------------------------------


def test_c4_three_cards_are_read_in_order() -> None:
    played = play("cards.three", ["8C"], ["2C"], ["KS"], el=3)
    assert played.outcome.beats == ("loss", "win", "no-contest")
    assert [t.faces for t in played.throws] == [("8C",), ("2C",), ("KS",)]


def test_c8_known_votes() -> None:
    assert sortes.odds("cards.three").by("vote") == {
        "none": F(1094, 1105),
        "decisive-success": F(1, 1105),
        "success-with-complication": F(9, 2210),
        "failure-with-silver-lining": F(9, 2210),
        "decisive-failure": F(1, 1105) - F(2, 22100),
        "critical-failure": F(1, 22100),
        "generous-defeat": F(1, 22100),
    }


def test_c8_jokers_vote_by_colour_and_lend_no_suit() -> None:
    assert play("cards.three", ["KC"], ["QC"], ["Xb"], house={"jokers": 2}).outcome.vote == "decisive-failure"
    assert (
        play("cards.three", ["KH"], ["Xr"], ["Xb"], house={"jokers": 2}).outcome.vote
        == "success-with-complication"
    )


@settings(max_examples=25, deadline=None)
@given(
    FEW,
    st.none() | st.integers(0, 11) | st.tuples(*[st.integers(0, 11)] * 3),
    st.sampled_from(["card", "character"]),
)
def test_c5_a_three_is_what_dealing_says(cards: list[str], el: Any, defends: str) -> None:
    params = {"el": el, "deck": cards, "discard": [], "defends": defends}
    odds = sortes.odds("cards.three", house={"jokers": 2}, **params)
    found = brute.three(el, deck=cards, discard=[], jokers=2, defends=defends)
    assert {(o.beats, o.vote): p for o, p in odds.outcomes.items()} == {
        (o.beats, o.vote): p for o, p in found.items()
    }


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.sampled_from(CODES), min_size=3, max_size=5, unique=True),
    st.integers(0, 2),
    st.integers(0, 1),
)
def test_c6_4_c7_1_the_best_of_a_three(cards: list[str], hook: int, luck: int) -> None:
    won = lambda o: o.beats.count("win")  # noqa: E731
    advice = sortes.advise("cards.three", el=4, hook=hook, luck=luck, deck=cards, discard=[], worth=won)
    found = brute.three(4, hook=hook, luck=luck, deck=cards, discard=[], policy="best")
    assert advice.worth == sum(p * brute.beats_won(o) for o, p in found.items())


@pytest.mark.parametrize("card", [*CODES, "Xr"])
@pytest.mark.parametrize("defends", ["card", "character"])
def test_c5_contests(card: str, defends: Any) -> None:
    for el in (0, 4, 10):
        got = sortes.play("cards.contest", el=el, card=card, defends=defends, social=True, hook=1).outcome
        want = brute.contest(el, card, hook=1, defends=defends, social=True)
        assert (got.result, got.tie, got.shown) == tuple(want)


def test_c5_a_lost_beat_that_shows_an_el_is_for_the_ledger() -> None:
    three = play("cards.three", ["8C"], ["2C"], ["KS"], el=3, social=True).outcome
    assert three.shown == (8, None, None)


def test_c6_4_a_hook_is_split_and_not_overspent() -> None:
    played = play("cards.three", ["3C"], ["4S"], ["3D"], choices=(1, 1), el=3, hook=2)
    assert played.outcome.beats == ("win", "loss", "loss")
    assert [c.offered for c in played.choices] == [
        (0, 1, 2),
        (0, 1),
    ]  # with nothing left the third is not asked
    with pytest.raises(sortes.RuleError, match="hook"):
        sortes.play("cards.contest", el=3, card="3C", hook=-1)


# ---- C6: the resolution roll --------------------------------------------------------------------

RESOLVE = "cards.resolve"


def percent(p: F, digits: int = 1) -> float:
    return round(float(100 * p), digits)


def test_c6_3_known_values() -> None:
    assert percent(sortes.odds(RESOLVE, el=7, against=5, extra=3).p("bust"), 3) == 3.757
    drawn = {a: sortes.odds(RESOLVE, el=7, against=a, extra=7) for a in (5, 7, 9, 10)}
    assert {percent(o.p("bust"), 3) for o in drawn.values()} == {37.770}
    assert {a: percent(o.p("win")) for a, o in drawn.items()} == {5: 59.5, 7: 53.1, 9: 42.1, 10: 35.5}


@pytest.mark.parametrize(
    ("against", "draw", "win"), [(5, 10, 81.3), (7, 11, 67.3), (9, 12, 50.6), (10, 12, 42.3)]
)
def test_c6_3_the_best_draw(against: int, draw: int, win: float) -> None:
    advice = sortes.advise(RESOLVE, el=7, against=against, extra="choose")
    assert (7 + advice.best, percent(F(advice.worth))) == (draw, win)
    assert [option.option for option in advice.options] == list(range(8))


def test_c6_1_differences_as_sampled() -> None:
    assert sortes.odds(RESOLVE, el=3, against=2).by("effect") == {
        -2: F(325, 9996), -1: F(1573, 9996), 0: F(775, 2499), 1: F(775, 2499), 2: F(1573, 9996), 3: F(325, 9996)
    }  # fmt: skip
    assert sortes.odds(RESOLVE, el=7, against=7).by("tie")[True] == F(18402184, 88744131)
    assert sortes.odds(RESOLVE, el=10, against=4).p("win") == F(126141963, 138046426)


def test_c6_1_el_0_draws_nothing() -> None:
    assert sortes.odds(RESOLVE, el=0, against=0).by("result") == {"loss": F(1)}
    assert sortes.odds(RESOLVE, el=0, against=0, defends="self").by("result") == {"win": F(1)}
    assert not sortes.play(RESOLVE, el=0, against=0).throws


def test_c6_2_the_opposing_el_is_a_pips_value_or_named() -> None:
    pip = value("8C")
    assert pip is not None
    assert sortes.odds(RESOLVE, el=3, against=pip).p("win") == sortes.odds(RESOLVE, el=3, against=8).p("win")


@pytest.mark.parametrize(("defends", "both"), [("opponent", "bust"), ("self", "win")])
def test_c6_3_who_busts_loses_and_if_both_do_the_defender_holds(defends: Any, both: str) -> None:
    for mine in range(6):
        for theirs in range(6):
            got, want = settle(mine, 3, theirs, 2, defends), brute.settle_roll(mine, 3, theirs, 2, defends)
            assert (got.result, got.effect, got.tie, got.their_bust) == want[:4]
    assert settle(4, 3, 3, 2, defends).result == both


def test_c6_3_with_el_0_any_red_busts() -> None:
    assert sortes.odds(RESOLVE, el=0, against=0, extra=1).by("result") == {"bust": F(1, 2), "loss": F(1, 2)}


def test_c6_4_c6_5_hook_and_situation_are_in_the_el() -> None:
    lifted = sortes.odds(RESOLVE, el=2, against=5, extra=2, hook=1, situation=2)
    assert lifted.outcomes == sortes.odds(RESOLVE, el=5, against=5, extra=2).outcomes
    contest = sortes.play("cards.contest", el=2, card="5C", hook=1, situation=3).outcome
    assert contest.result == "win"


@settings(max_examples=30, deadline=None)
@given(
    FEW,
    st.integers(0, 9),
    *[st.integers(0, n) for n in (2, 2, 1, 1)],
    st.sampled_from(["opponent", "self"]),
    st.booleans(),
)
def test_c6_a_roll_is_what_dealing_says(
    cards: list[str], cut: int, el: int, against: int, extra: int, theirs: int, defends: Any, oracle: bool
) -> None:
    """By the room's fast way and by the general walk, over partly used decks that run out in mid draw (C2, C11)."""
    params = {
        "el": el,
        "against": against,
        "extra": extra,
        "their_extra": theirs,
        "defends": defends,
        "oracle": oracle,
    }
    deck, discard = cards[:cut], cards[cut:]
    if el + against + extra + theirs + oracle > len(cards):
        return
    want = brute.resolve(**params, deck=deck, discard=discard, jokers=2)  # type: ignore[arg-type]
    for policy in ("plain", lambda state, choice: choice.options[0].value):
        odds = sortes.odds(RESOLVE, deck=deck, discard=discard, house={"jokers": 2}, policy=policy, **params)
        got = {(o.result, o.effect, o.tie, o.their_bust, o.answer): p for o, p in odds.outcomes.items()}
        assert got == {tuple(o): p for o, p in want.items()}


@settings(max_examples=20, deadline=None)
@given(
    FEW,
    *[st.integers(0, n) for n in (2, 2, 2, 1)],
    st.sampled_from(["opponent", "self"]),
    st.booleans(),
    st.booleans(),
)
def test_c7_2_c7_3_c7_4_the_best_use_of_luck(
    cards: list[str], el: int, against: int, luck: int, theirs: int, defends: Any, oracle: bool, beyond: bool
) -> None:
    if el + against + oracle > len(cards):
        return
    params = {
        "el": el,
        "against": against,
        "luck": luck,
        "their_luck": theirs,
        "defends": defends,
        "oracle": oracle,
    }
    house = {"jokers": 2, "luck_beyond_numbers": beyond}
    odds = sortes.odds(RESOLVE, deck=cards, discard=[], house=house, policy="best", **params)
    want = brute.resolve(
        **params,
        deck=cards,
        discard=[],
        jokers=2,
        luck_beyond_numbers=beyond,
        policy="best",  # type: ignore[arg-type]
    )
    assert odds.by("result").get("win", 0) == sum(p for o, p in want.items() if o.result == "win")


@pytest.mark.parametrize(
    ("defends", "order"), [("opponent", ["self", "opponent"]), ("self", ["opponent", "self"])]
)
def test_c7_3_the_acting_side_decides_first(defends: str, order: list[str]) -> None:
    hands = (["AS", "2S"], ["3S", "4S"])
    roll = play(
        RESOLVE, *hands, el=2, against=2, luck=1, their_luck=1, defends=defends, choices=("keep", "keep")
    )
    assert [choice.who for choice in roll.choices] == order


@pytest.mark.parametrize("beyond", [True, False])
def test_c7_4_luck_beyond_the_numbers(beyond: bool) -> None:
    """A table may keep Luck from turning the oracle card of a roll that not even the best could win."""
    params = {"el": 1, "against": 5, "luck": 1, "oracle": True}
    said = lambda o: o.answer == "yes-and"  # noqa: E731
    house = {"luck_beyond_numbers": beyond}
    want = brute.resolve(**params, policy="best", worth=said, luck_beyond_numbers=beyond)  # type: ignore[arg-type]
    advice = sortes.advise(RESOLVE, house=house, worth=said, **params)
    assert advice.worth == sum(p for o, p in want.items() if said(o))
    assert (advice.worth == 1) is beyond


def test_c7_3_a_scene_returns_one_token_and_refills_the_hook() -> None:
    luck, hook = (
        next(e for e in SYSTEM.scene(house_of(SYSTEM)) if getattr(e, "purse", "") == p)
        for p in ("luck", "hook")
    )
    assert (luck.n, hook.n) == (1, None)  # type: ignore[union-attr]


def test_c7_3_with_none_left_a_token_cannot_be_spent() -> None:
    run = play("cards.run", ["KS"], ["QS"], choices=("turn",), luck=1)
    assert run.outcome.reds == 1  # the second black is not even asked about
    hands = iter([["KS"], ["QS"], ["JS"]])
    with pytest.raises(sortes.Refused, match=r"turn.*offered are keep"):
        sortes.play("cards.three", hands=hands, luck=2, policy=lambda state, choice: "turn")


@pytest.mark.parametrize("red", [True, False])
@pytest.mark.parametrize("won", [True, False])
def test_c11_two_layers_do_not_cancel(red: bool, won: bool) -> None:
    outcome = play(
        RESOLVE, ["9H" if red else "9C"], ["AH" if won else "AS"], ["2C"], el=1, against=1, oracle=True
    ).outcome
    assert (outcome.result == "win") is won
    assert outcome.answer == ("yes-and" if red else "no-and")


def test_c12_when_to_resolve_is_told_and_never_enforced() -> None:
    told = SYSTEM["resolve"].form.help
    for word in ("matters", "stealth", "negotiation", "repair", "travel", "oracle", "C12"):
        assert word in told


def test_c13_examples_are_the_rooms_cases() -> None:
    from tests.rooms import cases

    assert len([case for case in cases(SYSTEM) if "C13" in case["rules"]]) >= 8


# ---- C6.5: the colour run -----------------------------------------------------------------------


def test_c6_5_known_values() -> None:
    odds = sortes.odds("cards.run").by("reds")
    assert [odds[n] for n in (0, 1, 2, 3)] == [F(1, 2), F(13, 51), F(13, 102), F(52, 833)]
    assert odds[26] == F(1, 495918532948104)
    assert sum(odds.values()) == 1


@settings(max_examples=25, deadline=None)
@given(FEW, st.integers(0, 9), st.integers(0, 2))
def test_c6_5_a_run_is_what_dealing_says(cards: list[str], cut: int, luck: int) -> None:
    deck, discard = cards[:cut], cards[cut:]
    for policy in ("plain", "best"):
        odds = sortes.odds(
            "cards.run", deck=deck, discard=discard, luck=luck, policy=policy, house={"jokers": 2}
        )
        want = brute.run(luck, deck=deck, discard=discard, jokers=2, policy=policy)
        assert odds.by("reds") == {o.reds: p for o, p in want.items()}


# ---- C10: running out of numbers ----------------------------------------------------------------


def test_c10_few_pips_are_a_warning_and_none_leave_the_vote() -> None:
    faces = [c for c in CODES if value(c) is None]
    result = lambda cards, **house: sortes.play("cards.numbers", deck=cards, house=house).outcome  # noqa: E731
    assert (result(faces).result, result(faces).pips) == ("none", 0)
    assert result([*faces, *CODES[:6]]).result == "few"
    assert result([*faces, *CODES[:7]]).result == "enough"
    assert result([*faces, *CODES[:7]], few_pips=7).result == "few"
    assert sortes.play("cards.numbers", discard=["AH", "KH"]).outcome.pips == 39
    assert sortes.odds("cards.three", deck=faces).p("none") == 0


def test_c10_counted_by_card() -> None:
    assert pips_left(dict(pack(2, 2))) == 80
    assert low(house_of(SYSTEM), {"AH": 6, "KH": 1})
    assert not low(house_of(SYSTEM), {"AH": 7})


# ---- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "params", "named"),
    [
        ("ask", {"luck": -1}, "luck"),
        ("ask", {"luck": "many"}, "luck"),
        ("ask", {"deck": "9C"}, "deck"),
        ("ask", {"deck": ["9Z"]}, "deck"),
        ("three", {"el": [1, 2]}, "el"),
        ("three", {"el": float("nan")}, "el"),
        ("contest", {"el": 3}, "card"),
        ("contest", {"el": 3, "card": "11C"}, "card"),
        ("resolve", {"el": 3}, "against"),
        ("resolve", {"el": 10**9, "against": 1}, "el"),
        ("resolve", {"el": 1, "against": 1, "extra": "all"}, "extra"),
        ("resolve", {"el": 1, "against": 1, "defends": "nobody"}, "defends"),
        ("conflict", {"mine": -1, "theirs": 1}, "mine"),
        ("conflict", {"mine": 1, "theirs": 1, "draws": "none"}, "draws"),
    ],
)
def test_bad_input_names_the_parameter(rule: str, params: dict[str, Any], named: str) -> None:
    with pytest.raises(sortes.RuleError) as caught:
        sortes.play(f"cards.{rule}", seed=1, **params)
    assert caught.value.parameter.split("[")[0] == named


@pytest.mark.parametrize(
    ("house", "named"),
    [
        ({"packs": 0}, "packs"),
        ({"jokers": 1}, "jokers"),
        ({"reshuffle": "never"}, "reshuffle"),
        ({"vote": ["decisive-failure"]}, "vote"),
        ({"vote_of_one_suit": {"X": "critical-failure"}}, "vote_of_one_suit.X"),
        ({"tokens": {"H": [1]}}, "tokens.H"),
        ({"answers": {"H": {"result": "maybe"}}}, "answers.H.result"),
    ],
)
def test_a_bad_setting_is_named(house: dict[str, Any], named: str) -> None:
    with pytest.raises(sortes.RuleError) as caught:
        sortes.play("cards.ask", house=house, seed=1)
    assert caught.value.parameter == named
