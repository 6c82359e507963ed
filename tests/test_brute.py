"""The brute force itself against the figures that the rules state, and against sums that can be done by hand.

Everything else is held against the brute force, so this is where it is held against something else.
"""

from collections import Counter
from fractions import Fraction as F
from itertools import permutations, product
from math import comb

import pytest

from tests.brute import agate, cards, conflict, d20_oracle, dramatic_skill, poker_dice
from tests.brute.mass import by, mean


def percent(p: F, digits: int) -> float:
    return round(float(100 * p), digits)


# ---- D ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("likelihood", "yes", "no"),
    [
        ("even", F(399, 800), F(399, 800)),
        ("likely", F(10507, 16000), F(5453, 16000)),
        ("unlikely", F(5453, 16000), F(10507, 16000)),
    ],
)
def test_d4_the_oracle_is_symmetric(likelihood: str, yes: F, no: F) -> None:
    assert by(d20_oracle.ask(likelihood), "answer") == {"yes": yes, "no": no, "none": F(1, 400)}


def test_d2_d3_the_even_oracle_by_counting() -> None:
    ordered = F(20 * 19 * 18 // 6, 8000)  # of three different dice, each of the six orders
    assert by(d20_oracle.ask(), "result") == {
        "yes": ordered,
        "yes-but": 2 * ordered,
        "no": 2 * ordered,
        "no-and": ordered,
        "great-boon": F(380, 8000),
        "great-bane": F(380, 8000),
        "great-boon-with-great-bane": F(190, 8000),
        "definitive-no": F(190, 8000),
        "scene-defining-fact": F(20, 8000),
    }


def test_d3_the_likely_oracle_as_sampled() -> None:
    assert by(d20_oracle.ask("likely"), "result") == {
        "yes": F(3477, 16000),
        "yes-but": F(5757, 16000),
        "no": F(3363, 16000),
        "no-and": F(1083, 16000),
        "great-boon": F(19, 400),
        "great-bane": F(19, 400),
        "great-boon-with-great-bane": F(513, 16000),
        "definitive-no": F(247, 16000),
        "scene-defining-fact": F(1, 400),
    }


@pytest.mark.parametrize(
    ("dice", "result"),
    [
        ((11, 14, 6), "yes"),
        ((11, 15, 18), "yes-but"),
        ((18, 12, 4), "no"),
        ((8, 8, 14), "great-boon"),
        ((15, 15, 15), "scene-defining-fact"),
        ((6, 9, 9), "great-boon-with-great-bane"),
        ((9, 6, 6), "definitive-no"),
        ((9, 4, 9), "great-bane"),
        ((9, 4, 12), "no-and"),
    ],
)
def test_d7_worked_examples(dice: tuple[int, int, int], result: str) -> None:
    assert d20_oracle.reading(*dice) == result


def test_d5_aura_pays_for_kept_twenties() -> None:
    assert mean(d20_oracle.ask(asker="player"), lambda o: o.aura) == F(3, 20)
    assert mean(d20_oracle.ask("likely", "player"), lambda o: o.aura) == F(2, 20) + F(39, 400)
    assert mean(d20_oracle.ask("unlikely", "player"), lambda o: o.aura) == F(2, 20) + F(1, 400)
    assert mean(d20_oracle.ask("likely", "player", aura_dice="rolled"), lambda o: o.aura) == F(4, 20)
    assert mean(d20_oracle.ask(asker="gm"), lambda o: o.aura) == 0


# ---- P ---------------------------------------------------------------------------------------------


def test_p2_two_dice_by_hand() -> None:
    assert by(poker_dice.roll(), "result") == {
        "extreme-success": F(1, 36),
        "complete-success": F(6, 36),
        "simple-success": F(9, 36),
        "draw": F(4, 36),
        "simple-defeat": F(12, 36),
        "complete-defeat": F(4, 36),
    }


def test_p3_bonus_and_penalty_as_sampled() -> None:
    assert by(poker_dice.roll(0), "result") == {
        "extreme-success": F(1, 216),
        "complete-success": F(1, 24),
        "simple-success": F(1, 4),
        "draw": F(1, 36),
        "simple-defeat": F(5, 12),
        "complete-defeat": F(7, 27),
    }
    assert by(poker_dice.roll(2, bonus=1), "result") == {
        "extreme-success": F(19, 144),
        "complete-success": F(13, 36),
        "simple-success": F(19, 48),
        "draw": F(2, 81),
        "simple-defeat": F(2, 27),
        "complete-defeat": F(1, 81),
    }


def test_p3_dice_cancel_before_the_cap() -> None:
    assert poker_dice.roll(2, bonus=3) == poker_dice.roll(2, bonus=2)
    assert poker_dice.roll(2, bonus=3, penalty=1) == poker_dice.roll(2, bonus=2)
    assert poker_dice.roll(2, bonus=5, penalty=3) == poker_dice.roll(2, bonus=2)
    assert poker_dice.roll(2, bonus=2) != poker_dice.roll(2, bonus=1)


# ---- A ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rank", "net", "odds"),
    [
        (0, 0, {"triumph": F(39, 400), "success": F(33, 80), "setback": F(39, 80), "catastrophe": F(1, 400)}),
        (
            2,
            2,
            {
                "triumph": F(3439, 10000),
                "success": F(371, 625),
                "setback": F(39, 625),
                "catastrophe": F(1, 10000),
            },
        ),
        (3, -2, {"triumph": F(1, 64), "success": F(15, 64), "setback": F(3, 4)}),
        (5, -1, {"triumph": F(1, 4), "success": F(1, 2), "setback": F(1, 4)}),
        (
            1,
            -5,
            {
                "triumph": F(1, 248832),
                "success": F(781, 62208),
                "setback": F(26321, 41472),
                "catastrophe": F(87781, 248832),
            },
        ),
    ],
)
def test_a3_as_sampled(rank: int, net: int, odds: dict[str, F]) -> None:
    tried = agate.attempt(rank, 0, boons=max(net, 0), hindrances=max(-net, 0))
    assert by(tried, "result") == odds


def test_a2_folding_the_dice_is_enumerating_them() -> None:
    for sides, count, keep in product((4, 6, 12), (1, 2, 4), (max, min)):
        seen = Counter(keep(dice) for dice in product(range(1, sides + 1), repeat=count))
        folded = agate.read_value(sides, count, keep is min)
        assert folded == {value: F(ways, sides**count) for value, ways in seen.items()}


def test_a4_strain() -> None:
    assert by(agate.attempt(2, 2, marked=2), "strain") == {
        -2: F(39, 400),
        1: F(33, 80),
        0: F(39, 80) + F(1, 400),
    }
    spent = agate.attempt(2, 2, strain_capacity=4, policy="spend")
    assert by(spent, "result") == {
        "triumph": F(39, 400),
        "success": F(33, 80),
        "partial-success": F(39, 80),
        "catastrophe": F(1, 400),
    }
    assert by(agate.attempt(2, 2, marked=4, strain_capacity=4, policy="spend"), "strain").keys() == {-3, 0}
    assert by(agate.attempt(2, 3), "result") == {"cannot-attempt": F(1)}


# ---- C ---------------------------------------------------------------------------------------------


def test_c6_known_values() -> None:
    assert percent(cards.bust(7, 3), 3) == 3.757
    assert percent(cards.bust(7, 7), 3) == 37.770
    drawn = {a: by(cards.resolve(7, a, 7), "result")["win"] for a in (5, 7, 9, 10)}
    assert {a: percent(p, 1) for a, p in drawn.items()} == {5: 59.5, 7: 53.1, 9: 42.1, 10: 35.5}


@pytest.mark.parametrize(
    ("against", "draw", "win"), [(5, 10, 81.3), (7, 11, 67.3), (9, 12, 50.6), (10, 12, 42.3)]
)
def test_c6_3_known_best_draws(against: int, draw: int, win: float) -> None:
    tried = {7 + x: by(cards.resolve(7, against, x), "result")["win"] for x in range(8)}
    assert max(tried, key=lambda cards_drawn: tried[cards_drawn]) == draw
    assert percent(tried[draw], 1) == win
    chosen = cards.resolve(7, against, "choose", policy="best")
    assert by(chosen, "result")["win"] == tried[draw]


def test_c6_1_differences_as_sampled() -> None:
    assert by(cards.resolve(3, 2), "effect") == {
        -2: F(325, 9996),
        -1: F(1573, 9996),
        0: F(775, 2499),
        1: F(775, 2499),
        2: F(1573, 9996),
        3: F(325, 9996),
    }
    assert by(cards.resolve(7, 7), "tie")[True] == F(18402184, 88744131)
    assert by(cards.resolve(10, 4), "result")["win"] == F(126141963, 138046426)


def test_c6_every_order_of_a_small_deck() -> None:
    """All orders of seven cards against the card-by-card dealing, with the reshuffle never needed."""
    deck = ["AH", "2H", "3D", "4S", "5S", "6C", "7C"]
    seen: Counter[tuple[str, int]] = Counter()
    for order in permutations(deck):
        mine, theirs = (sum(c[1] in "HD" for c in part) for part in (order[:4], order[4:6]))
        if mine > 2:
            seen["bust", -theirs] += 1
        else:
            seen["win" if mine > theirs else "loss", mine - theirs] += 1
    odds = cards.resolve(2, 2, 2, deck=deck, discard=[])
    assert {(o.result, o.effect): p for o, p in odds.items()} == {k: F(n, 5040) for k, n in seen.items()}


def test_c2_a_reshuffle_in_mid_draw() -> None:
    """One red left, two cards drawn: the second comes from the discard without the first."""
    odds = cards.resolve(2, 0, deck=["AH"])
    assert by(odds, "effect") == {2: F(25, 51), 1: F(26, 51)}
    with pytest.raises(cards.TooFewCards):
        cards.resolve(2, 0, deck=["AH"], discard=[])


def test_c6_3_busts() -> None:
    settle = cards.settle_roll
    assert settle(4, 3, 0, 2, "opponent")[:4] == ("bust", 0, False, False)  # a loss even against 0
    assert settle(4, 3, 2, 2, "self")[:4] == ("bust", -2, False, False)
    assert settle(4, 3, 3, 2, "opponent")[:4] == ("bust", 0, False, True)
    assert settle(4, 3, 3, 2, "self")[:4] == ("win", 0, False, True)
    assert settle(0, 3, 3, 2, "opponent")[:4] == ("win", 0, False, True)
    assert settle(2, 3, 2, 2, "opponent")[:4] == ("loss", 0, True, False)
    assert settle(2, 3, 2, 2, "self")[:4] == ("win", 0, True, False)


def test_c7_2_c7_3_luck_by_hand() -> None:
    """EL 1 against EL 1 with two cards: whoever is red leads; Luck makes the best of one's own draw."""
    deck = ["AH", "AS", "AD", "AC"]
    win = lambda **spend: by(cards.resolve(1, 1, deck=deck, policy="best", **spend), "result")["win"]  # noqa: E731
    assert win() == F(1, 3)  # red against black
    assert win(luck=1) == F(1, 2)  # wherever theirs is black
    assert by(cards.resolve(1, 1, their_luck=1, deck=deck, policy="best"), "result") == {"loss": F(1)}
    assert by(cards.resolve(2, 1, luck=1, their_luck=1, deck=deck, policy="best"), "result") == {"win": F(1)}


def test_c7_4_luck_beyond_the_numbers() -> None:
    said = lambda o: o.answer == "yes-and"  # noqa: E731
    free = cards.resolve(1, 5, luck=1, oracle=True, policy="best", worth=said)
    bound = cards.resolve(1, 5, luck=1, oracle=True, luck_beyond_numbers=False, policy="best", worth=said)
    assert mean(free, said) == 1
    # Turned only where they have no red at all: five blacks of the 51 cards left after a Diamond, or a black card.
    none = F(13, 52) * F(comb(26, 5), comb(51, 5)) + F(26, 52) * F(comb(25, 5), comb(51, 5))
    assert mean(bound, said) == F(1, 4) + none


def test_c8_votes() -> None:
    assert by(cards.three(), "vote") == {
        "none": F(1094, 1105),
        "decisive-success": F(1, 1105),
        "success-with-complication": F(9, 2210),
        "failure-with-silver-lining": F(9, 2210),
        "decisive-failure": F(1, 1105) - 2 * F(1, 22100),
        "critical-failure": F(1, 22100),
        "generous-defeat": F(1, 22100),
    }


def test_c5_c13_beats() -> None:
    assert [cards.contest(3, card).result for card in ("8C", "2C", "KS")] == ["loss", "win", "no-contest"]
    assert cards.contest(6, "7H", social=True) == ("loss", False, 7)
    assert cards.contest(3, "4S", hook=1) == ("loss", True, None)
    assert cards.contest(3, "4S", hook=1, defends="character").result == "win"
    assert mean(cards.three(4), cards.beats_won) == F(3 * 12, 52)


def test_c6_5_colour_run() -> None:
    odds = cards.run()
    assert [odds[cards.Ran(n)] for n in (0, 1, 2, 3)] == [F(1, 2), F(13, 51), F(13, 102), F(52, 833)]
    assert odds[cards.Ran(26)] == F(1, 495918532948104)
    assert cards.run(deck=["AH", "AD"]) == {cards.Ran(2): F(1)}  # comes to the end, keeps its reds
    assert cards.run(deck=[]) == odds  # starts on an empty deck, shuffles
    assert cards.run(luck=1, policy="best", deck=["AS"]) == {cards.Ran(1): F(1)}


def test_c9_one_against_one_as_sampled() -> None:
    course = conflict.conflict(1, 1)
    assert course.odds["won"] == course.odds["lost"]
    assert course.odds["won"] == F(12204164755360839573916267111, 26746627108143887196303903384)
    assert course.mean_rounds == F(25163502393432317639781409781, 6686656777035971799075975846)


def test_c9_the_first_round_by_hand() -> None:
    """At 0 against 0: H-S, H-C and S-C win, turned round they lose, S-S takes both Down, nothing else does."""
    unlike, alike = F(13, 52) * F(13, 51), F(13, 52) * F(12, 51)
    ended, rest = conflict.rounds(0, 0, 1)
    assert ended == {("won", 1): 3 * unlike, ("lost", 1): 3 * unlike, ("both-down", 1): alike}
    assert rest == 1 - 6 * unlike - alike
    assert conflict.rounds(0, 0, 1, "mine") == (
        {("won", 1): F(1, 4), ("lost", 1): F(1, 4), ("both-down", 1): F(1, 4)},
        F(1, 4),
    )


def test_c9_never_ends_where_no_deck_can_bring_anyone_down() -> None:
    """One card of each suit, mine the only draw: a whole deck changes nothing, and takes nobody down by three."""
    four = ["AH", "AD", "AS", "AC"]
    assert conflict.conflict(2, 2, "mine", deck=four, discard=[]).unresolved == 1
    assert conflict.conflict(1, 2, "mine", deck=four, discard=[]).odds == {"lost": F(1)}


@pytest.mark.parametrize("draws", ["both", "mine", "theirs", "alternate"])
def test_c9_the_chain_agrees_with_the_rounds(draws: str) -> None:
    """Three cards in the deck, three in the discard, so shuffled in mid round: the ends are approached."""
    half = {"deck": ["AH", "AD", "AS"], "discard": ["AC", "2H", "2C"]}
    whole = conflict.conflict(1, 1, draws, **half)
    ended, rest = conflict.rounds(1, 1, 60, draws, **half)
    assert rest < F(1, 10**3)
    for end, p in whole.odds.items():
        assert 0 <= p - sum(q for (how, _), q in ended.items() if how == end) <= rest
    assert whole.mean_rounds is not None
    known = sum(number * q for (_, number), q in ended.items())
    assert known < whole.mean_rounds < known + 61 * rest + 40 * rest


def test_c7_1_luck_in_a_conflict_by_hand() -> None:
    """One draw each from two Clubs: without Luck they cancel, one turned to a Heart wins."""
    deck = ["AC", "2C"]
    assert conflict.conflict(0, 0, deck=deck, discard=[]).unresolved == 1
    assert conflict.best(0, 0, luck=1, deck=deck, discard=[]) == 1
    assert conflict.best(1, 1, luck=1, deck=deck, discard=[]) == 1
    assert conflict.best(2, 2, luck=1, deck=deck, discard=[]) == 0
    assert conflict.best(2, 2, luck=2, deck=deck, discard=[]) == 1
    assert conflict.best(2, 2, luck=2, who="theirs", deck=deck, discard=[]) == 1


# ---- S ---------------------------------------------------------------------------------------------

ALWAYS = [{"name": x, "by": "stated", "level": "standard"} for x in "ABCD"]
CHART = {
    1: -10,
    2: -8,
    3: -6,
    4: -6,
    6: -4,
    8: -2,
    10: -1,
    12: 0,
    13: 1,
    15: 2,
    20: 7,
    21: 8,
    25: 8,
    26: 9,
    31: 10,
}


@pytest.mark.parametrize(("rounds", "done"), [(4, 19.441), (5, 45.258)])
def test_s3_known_values(rounds: int, done: float) -> None:
    odds = dramatic_skill.task(ALWAYS, rounds=rounds, fields=["result"])
    assert percent(dramatic_skill.chance_done(odds), 3) == done


def test_s8_values_as_listed() -> None:
    listed = {
        1: 0,
        2: 1,
        3: 2,
        4: 3,
        5: 3,
        6: 4,
        9: 4,
        10: 5,
        14: 5,
        15: 6,
        24: 6,
        25: 7,
        39: 7,
        40: 8,
        59: 8,
    }
    listed |= {60: 9, 99: 9, 100: 10, 149: 10, 150: 11, 249: 11, 0: -2, -1: -2}
    assert {n: dramatic_skill.bonus_of(n) for n in listed} == listed


def test_s8_help_by_hand() -> None:
    certain = {"by": "stated", "level": "outstanding"}
    assert dramatic_skill.help(["normal", certain]) == {(5, 3): F(1)}
    assert dramatic_skill.help([{"by": "stated", "level": "mishap"}]) == {(0, -2): F(1)}


def test_s9a_chart_and_rolls() -> None:
    assert {total: dramatic_skill.chart(total) for total in CHART} == CHART
    rolls = dramatic_skill.d20_rolls(45)
    assert sum(rolls.values()) == 1
    skilled = Counter[int]()
    unskilled = Counter[int]()
    for (s, u), p in rolls.items():
        skilled[s] += p
        unskilled[u] += p
    assert skilled[10] == skilled[20] == 0
    assert skilled[11] == F(1, 20) + F(1, 400)  # 11, 10+1
    assert skilled[21] == F(1, 400) * 2 + F(1, 8000)  # 10+11, 20+1, 10+10+1
    assert unskilled[20] == F(1, 20)
    assert unskilled[21] == F(1, 400) + F(1, 8000)
    assert unskilled[30] == F(1, 400)


def test_s9a_levels() -> None:
    level = dramatic_skill.d20_level
    assert [level(1, 99, 0), level(12, 9, 10), level(12, 10, 10)] == ["mishap", "failure", "standard"]
    assert [level(12, n, 10) for n in (15, 20, 25, 40)] == [
        "good",
        "outstanding",
        "spectacular",
        "spectacular",
    ]


def test_s9b_other_tests_by_hand() -> None:
    assert by(dramatic_skill.test(1, using="poker-dice"), "result") == {
        "spectacular": F(1, 36),
        "good": F(6, 36),
        "standard": F(13, 36),
        "failure": F(12, 36),
        "mishap": F(4, 36),
    }
    # ⌈3/2⌉ = 2 penalty dice more, against 2 from the level's and the DN's.
    assert dramatic_skill.test(2, 1, -3, using="poker-dice") == dramatic_skill.test(
        1, 0, -4, using="poker-dice"
    )
    assert by(dramatic_skill.test(1, 0, using="cards"), "result") == {"standard": F(1, 2), "failure": F(1, 2)}
    assert by(dramatic_skill.test(1, 0, -5, using="cards"), "result") == {"failure": F(1)}
    assert dramatic_skill.test(4, 2, using="agate", policy="best")[dramatic_skill.Tested("standard")] == F(
        4, 5
    )


def poker(steps: int) -> list[dict[str, object]]:
    return [{"name": f"step {n}", "skill": 1, "dn": 0, "by": "poker-dice"} for n in range(steps)]


HALF = F(20, 36)  # a poker test at level 1
THREE_LESS = sum(
    p for o, p in poker_dice.roll(0, penalty=2).items() if "success" in o.result or o.result == "draw"
)


def test_s4_one_card_that_shows_all() -> None:
    """Rounds as needed and never a dilemma: one success after another; or all in a row, at less."""
    whole = {"ABCD": 1}
    assert dramatic_skill.chance_done(dramatic_skill.task(poker(4), 4, whole=whole)) == HALF**4
    assert dramatic_skill.chance_done(dramatic_skill.task(poker(4), 1, whole=whole)) == 0
    row = dramatic_skill.task(poker(4), 1, whole=whole, policy="best", last_ditch="none")
    assert dramatic_skill.chance_done(row) == THREE_LESS**4
    single = dramatic_skill.task(poker(4), 1, whole=whole, policy="best", last_ditch="single")
    one_less = sum(p for o, p in poker_dice.roll(0).items() if "success" in o.result or o.result == "draw")
    assert dramatic_skill.chance_done(single) == one_less


def test_s5_an_ineligible_success_is_an_approved_action() -> None:
    odds = dramatic_skill.task(poker(2), 1, whole={"B": 1})
    assert by(odds, "approved") == {1: HALF, 0: 1 - HALF}
    assert by(odds, "steps_done") == {0: F(1)}


def test_s6_dilemmas_by_hand() -> None:
    fails = 1 - HALF
    harder = dramatic_skill.task(poker(2), 1, whole={"complication": 1}, completed=1)
    assert by(harder, "dn_plus") == {0: HALF, 1: fails}
    back = dramatic_skill.task(poker(2), 1, whole={"possible-setback": 1}, completed=1)
    assert by(back, "steps_done") == {2: HALF, 0: fails}
    lost = dramatic_skill.task(poker(3), 1, whole={"critical-problem": 1}, completed=2)
    assert by(lost, "steps_done") == {3: HALF, 0: fails}


def test_s9a_one_roll_serves_a_row() -> None:
    """Two d20 steps alike succeed or fail together, so a row of two costs only its −2."""
    steps = [{"name": n, "skill": 10, "dn": 10} for n in "AB"]
    row = dramatic_skill.task(steps, 1, whole={"AB": 1}, policy="best", last_ditch="none")
    one = sum(p for o, p in dramatic_skill.test(10, 10, -2).items() if dramatic_skill.succeeds(o.result))
    assert dramatic_skill.chance_done(row) == one


def test_s7_a_last_ditch_beats_waiting_where_no_letter_comes() -> None:
    odds = dramatic_skill.task(poker(2), 1, whole={"B": 1}, policy="best")
    two_less = sum(
        p for o, p in poker_dice.roll(0, penalty=1).items() if "success" in o.result or o.result == "draw"
    )
    assert dramatic_skill.chance_done(odds) == two_less**2
    assert by(odds, "last_ditch") == {True: two_less**2, False: 1 - two_less**2}
