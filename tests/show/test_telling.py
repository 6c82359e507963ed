"""How a play reads to whoever was not there: by the names of people, nothing twice, and only what was done."""

from __future__ import annotations

from typing import Any

import pytest

from sortes.show import journal, logbook, markdown, notation, page, phrases
from sortes.show.journal import Journal, Play
from sortes.show.terminal import Ink
from tests.show.logs import Event, by_hand, cards, numbered, opening, play, resolution

WRITERS = {"md": markdown.written, "html": page.written, "notation": notation.written}


def read(*events: Event) -> Journal:
    return journal.read(numbered([*opening(), *events]))


def the_play(told: Journal) -> Play:
    (one,) = [one for one in told.items if isinstance(one, Play)]
    return one


def lines(told: Journal, *, mechanics: bool = True) -> str:
    return "\n".join(logbook.listed(told, Ink(width=100), mechanics=mechanics))


def chosen(id: str, about: str, option: Any, act: str, who: str = "self") -> Event:
    shared = {"play": id, "seat": "p", "act": act}
    return {"kind": "chosen", "who": who, "about": about, "option": option, "cost": {}, **shared}


def task() -> list[Event]:
    """A task of two rounds in which people chose."""
    begun, *_, end = play("t", "dramatic-skill.task", question="Free the chain")
    shared = {"kind": "throw", "play": "t", "seat": "p", "out": {}}

    def throw(name: str, kind: str, face: Any) -> Event:
        return {**shared, "groups": [{"kind": kind, "name": name, "faces": [face], "kept": [face]}]}

    return [
        begun,
        throw("drama", "cards", "AB"),
        chosen("t", "lead", "Osk", "1", "player"),
        chosen("t", "attempt", "nothing", "2", "player"),
        throw("drama", "cards", "CD"),
        chosen("t", "lead", "Mara", "3", "player"),
        chosen("t", "attempt", "A", "4", "player"),
        throw("d20", "dice", 7),
        end,
    ]


def test_what_was_chosen_in_a_round_of_a_task_is_told_with_it() -> None:
    told = read(*task())
    assert logbook.rounds(the_play(told)) == [
        "A B; Osk leads, attempts nothing this round",
        "C D; Mara leads, attempts step A; d20: 7",
    ]
    assert "> Round 2: C D; Mara leads, attempts step A; d20: 7  \n" in markdown.written(told)
    assert "\n(round 2: C D; Mara leads, attempts step A; d20: 7)\n" in notation.written(told)
    assert "<li>C D; Mara leads, attempts step A; d20: 7</li>" in page.written(told)
    for write in WRITERS.values():
        assert write(told).count("Mara leads") == 1
        assert "Who leads" not in write(told)
        assert "leads" not in write(told, mechanics=False)


def test_a_choice_of_a_round_that_was_taken_back_says_so() -> None:
    begun, *rest = task()[:4]
    before = {
        "play": "t",
        "rule": "dramatic-skill.task",
        "params": {},
        "ask": {"kind": "choice", "who": "player", "about": "attempt", "options": []},
    }
    undone = {"kind": "undone", "seat": "p", "of": "2", "what": "chosen", "play": "t", "before": before}
    told = read(begun, *rest, undone)
    assert logbook.rounds(the_play(told)) == [
        "A B; Osk leads, attempts nothing this round (taken back by Noor)"
    ]


def test_a_choice_that_left_all_as_it_was_is_not_told() -> None:
    first, *rest, end = resolution("r")
    keep = {**chosen("r", "luck", "keep", "k"), "act": "k"}
    more = chosen("r", "extra-effort", 2, "e")
    told = read(first, keep, more, {**more, "option": 0}, *rest[:2], end)
    assert logbook.choices(the_play(told)) == ["Mara: How much Extra Effort? 2 more"]
    for write in WRITERS.values():
        assert "Let it stand" not in write(told)


@pytest.mark.parametrize(
    ("title", "said", "after"),
    [
        ("Yes, and", "Yes, and it helps.", "It helps."),
        ("Yes, but", "Yes, but: at a cost.", "At a cost."),
        ("No, but", "Something is left.", "Something is left."),
        ("Yes", "Yesterday it was.", "Yesterday it was."),
        ("Chaos", "Chaos", "Chaos"),
        ("Chaos", "", ""),
    ],
)
def test_a_title_is_not_said_again_after_it(title: str, said: str, after: str) -> None:
    assert phrases.after(title, said) == after


def test_what_comes_back_in_secret_is_told_to_who_may_know_it() -> None:
    back = {"kind": "brought", "seat": "g", "to": ["gm"], "act": "b"}
    spent = {**back, "act": "s", "changes": [{"at": ["m", "cards", "luck"], "by": -1}]}
    none = {**back, "changes": [{"at": ["m", "cards", "luck"], "by": 9, "least": 0, "most": 2}]}
    assert "brings back" not in lines(read(*opening(), none))
    assert "Hana  brings back Mara: Luck 1 → 2 (for the game master alone)" in lines(
        read(*opening(), spent, {**none, "changes": [{"at": ["m", "cards", "luck"], "by": 1}]})
    )


def test_an_answer_of_the_cards_is_said_once() -> None:
    outcome = {"result": "no-but", "answer": "no", "texture": "labour", "text": "No, but you are alive."}
    told = read(*by_hand("c", "cards.ask", [cards("4S")], outcome, question="Is it over?"))
    assert "**No, but.** You are alive." in markdown.written(told)
    assert "**No, but.** You are alive." in markdown.written(told, mechanics=False)
    assert "No, but. You are alive." in lines(told, mechanics=False)
    assert "-> No, but (draw=4s)\n=> You are alive." in notation.written(told)


def test_who_does_it_is_not_said_again_where_the_question_says_so() -> None:
    told = read(*resolution(question="Mara leaps"))
    assert "“Mara leaps”" in lines(told)
    assert "Mara: “Mara leaps”" not in lines(told)
    assert "> [!quote] Mara leaps\n" in markdown.written(told)
    for asked in ("A leap", "Maras leap"):
        assert f"> [!quote] Mara: {asked}\n" in markdown.written(read(*resolution(question=asked)))


def test_the_other_side_has_its_name_where_it_has_one() -> None:
    tie = {"result": "loss", "effect": 0, "tie": True, "their_bust": False, "answer": None, "texture": None}
    *events, end = resolution()
    result = the_play(read(*events, {**end, "outcome": tie})).result
    assert result is not None
    assert result.said.why == "As many reds on both sides, and the defender holds: Warden."
    bust = {**tie, "result": "win", "their_bust": True, "tie": False}
    result = the_play(read(*events, {**end, "outcome": bust})).result
    assert result is not None
    assert result.said.why.startswith("Warden draws more reds")


def test_a_story_says_by_which_skill_and_not_how_good_it_is() -> None:
    attempt = play("a", "agate.attempt")
    story = markdown.written(read(*attempt), mechanics=False)
    assert "Mara: an attempt, Climbing" in story
    assert "an attempt, Climbing 5 against difficulty 3" in lines(read(*attempt))
    against = resolution(named={"el": "Athletics", "against": "Fencing"})
    assert "Mara: a resolution, Athletics\n" in markdown.written(read(*against), mechanics=False)


def test_a_secret_is_not_told_besides_to_who_sees_it() -> None:
    noticed = {"kind": "noticed", "seat": "p", "act": "act-s"}
    secret = [{**event, "to": ["p"]} for event in play("s", "poker-dice.roll")]
    assert "in secret" not in lines(read(*secret, noticed))
    assert "Noor  plays something in secret" in lines(read(noticed))


def test_a_game_master_is_not_named_besides_the_game_master() -> None:
    blind = {"kind": "blind", "play": "b", "rule": "cards.ask", "question": "Is it true?", "seat": "g"}
    assert "(for the game master alone)" in lines(read({**blind, "to": ["g", "gm"]}))
