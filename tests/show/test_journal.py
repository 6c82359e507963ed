"""What a log reads as: every event is told, plays are one thing, and what was set right says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from sortes import catalog
from sortes.show import journal, logbook, markdown, notation, page, words
from sortes.show.journal import Journal, Play
from sortes.show.terminal import Ink
from tests.show.logs import (
    DAY,
    PLAYED,
    Event,
    by_hand,
    dice,
    everything,
    numbered,
    opening,
    play,
    question,
    resolution,
)

WRITERS = {"md": markdown.written, "html": page.written, "notation": notation.written}
RULES = [one.id for system in catalog.systems() for one in system.rules]


def read(*events: Event) -> Journal:
    return journal.read(numbered(events))


def lines(told: Journal, *, mechanics: bool = True, **more: Any) -> str:
    return "\n".join(logbook.listed(told, Ink(width=90), mechanics=mechanics, **more))


def plays(told: Journal) -> list[Play]:
    return [one for one in told.items if isinstance(one, Play)]


def test_the_rules_played_here_are_all_there_are() -> None:
    assert sorted(PLAYED) == sorted(RULES)


# ---- how it reads ---------------------------------------------------------------------------------


def test_a_log_reads_line_by_line() -> None:
    told = read(*opening(), *everything()[6:])
    assert lines(told).startswith(
        """\
    1        The table “The Salt Ledger” is open
    3  Hana  sits down as game master
    4  Hana  makes a seat for Noor, player
    5  Noor  brings Mara to the table
    6  Hana  brings Warden to the table

    7  Hana  Scene 1: The ferry
    8  Hana  Fog. A bell rings. Twice.
    9  Noor  She takes the page.
   10  Hana  begins a thread: “Who keeps the book?”
   11  Hana  starts a clock: “The tide turns”, 0 of 6
   12  Hana  asks what is open: “Why did he lie?”
   13  Noor  Mara: “Does the ferryman know?”
             ◐ Yes, but · Aura +1, Twist, 2 on the d12: Eyes were on you. · likely · Fate:
               9; Boon: 20 (6); Bane: 12
   16  Noor  Mara: a resolution, Athletics 4 against Warden’s 3
             ● Win · Effect +2, Luck spent 1 · Mara: 2♥ 10♦ K♠ 3♣; Warden: 4♠ 5♠ 6♣
   23  Hana  moves the clock “The tide turns” on, 2 of 6
   24  Hana  closes the thread “Who keeps the book?”
   25  Hana  answers “Why did he lie?”: For his brother.
   26  Hana  writes in the ledger what Quill has shown: Fencing EL 7
   27  Hana  shuffles the deck
   28  Hana  lets others hear that somebody plays in secret
   29  Hana  changes the house rules of Cards: few pips 10
   30  Noor  plays something in secret
   31        9C: thrown by hand, and out already (for the game master alone)
   32  Hana  opens the secret of dice-1: what was thrown under it can be verified

   33  Hana  Scene 2: The quay
             Mara: Luck 1 → 2
   34  Hana  lets everybody rest (Mara: Luck 2 → 1)
   35  Hana  calls Warden Warden Holt from here on
   36  Nour  was Noor until now
   37        All above comes from the log of “an older table”, 3 entries
"""
    )


def breaks(report: str) -> str:
    """A report with its line breaks to be seen: two spaces at the end of a line."""
    return report.replace("  \n", "¶\n")


def test_a_report_in_markdown() -> None:
    told = breaks(markdown.written(read(*opening(), *everything()[6:24])))
    assert told.startswith(
        """\
---
title: "The Salt Ledger"
date: 2026-09-21
players: ["Hana", "Noor"]
characters: ["Mara", "Warden"]
systems: ["Three-d20 oracle", "Cards"]
tags: ["session-report"]
---

# The Salt Ledger

21 September 2026. Hana (game master), Noor.

## Cast

| Character | Seat | System | At the end |
|---|---|---|---|
| **Mara** | Noor | Cards | Level: 2; ELs: Athletics 4; Hooks: Sea legs 2; Luck: 1 of 2 |
| **Warden** |  |  |  |

## Scene 1: The ferry

Fog.

A bell rings.¶
Twice.

**Noor:** She takes the page.

- Hana begins a thread: “Who keeps the book?”
- Hana starts a clock: “The tide turns”, 0 of 6
- Hana asks what is open: “Why did he lie?”

> [!question] Mara: Does the ferryman know?
> ◐ **Yes, but.** Boon and Bane both beat Fate: so it is, at a cost.¶
> Aura +1 · Twist, 2 on the d12: Eyes were on you.¶
> *A question to the oracle: likely · Fate: 9 · Boon: 20 (6) · Bane: 12 · Rules X1*

> [!quote] Mara: a resolution
> ● **Win.** 2 reds more than Warden counts.¶
> Effect +2 · Luck spent 1¶
> Mara: Spend a Luck Token? Take the best score there is (1 Luck)¶
> *Athletics 4 against Warden’s 3 · Mara: 2♥ 10♦ K♠ 3♣ · Warden: 4♠ 5♠ 6♣ · Rules X1*
"""
    )


def test_a_story_in_markdown() -> None:
    told = breaks(markdown.written(read(*opening(), *everything()[6:24]), mechanics=False))
    assert told.partition("## Scene 1: The ferry\n")[2].startswith(
        """
Fog.

A bell rings.¶
Twice.

**Noor:** She takes the page.

- Hana begins a thread: “Who keeps the book?”
- Hana starts a clock: “The tide turns”
- Hana asks what is open: “Why did he lie?”

> [!question] Mara: Does the ferryman know?
> **Yes, but.** Eyes were on you.

> [!quote] Mara: a resolution, Athletics
> **Win.**
"""
    )


def test_the_notation() -> None:
    told = notation.written(read(*opening(), *everything()[6:24]))
    assert told.startswith(
        """\
=== Campaign Log: The Salt Ledger ===
[Title]        The Salt Ledger
[Players]      Hana (game master), Noor
[Ruleset]      Three-d20 oracle, Cards
[PCs]          [PC:Mara|Level 2|ELs Athletics 4|Hooks Sea legs 2|Luck 1 of 2]
[NPCs]         [N:Warden]
[Start Date]   2026-09-21
[Last Update]  2026-09-21

=== Session 1 ===
[Date]         2026-09-21

S1 *The ferry*

Fog.

A bell rings.
Twice.

Noor: She takes the page.

[Thread:Who keeps the book?|Open]
[Clock:The tide turns 0/6]

? Why did he lie?

? Does the ferryman know? (Mara)
-> Yes, but (likely, Fate=9, Boon=20 [20, 6d], Bane=12)
=> [PC:Mara|Aura+1]
=> Twist, 2 on the d12: Eyes were on you.

@(Mara) a resolution
d: Athletics 4 against Warden’s 3, Mara=2h 10d Ks 3c, Warden=4s 5s 6c -> Win
(choice: Mara: Spend a Luck Token? Take the best score there is (1 Luck))
=> Effect +2
=> [PC:Mara|Luck-1]
"""
    )


# ---- every rule, every kind -----------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_told_with_its_result_and_in_a_story_without_a_number(rule: str) -> None:
    (one,) = plays(told := read(*opening(), *play("p", rule, question="What of it?")))
    assert one.result is not None
    title = one.result.said.title
    for write in WRITERS.values():
        whole, story = write(told), write(told, mechanics=False)
        assert title in whole
        assert ("What of it?" in story) == (title in story) == one.in_story
    assert one.in_story == (rule not in ("cards.run", "cards.numbers", "dramatic-skill.help"))
    story = markdown.written(told, mechanics=False).partition("## Before")[2]
    assert not re.search(r"[\d♥♦♠♣]|Rules|Luck|Strain|Effect", story), story


def test_every_kind_is_told_once() -> None:
    told = read(*everything())
    kinds = {event["kind"] for event in everything()}
    assert kinds - {one.kind for one in told.items} == {
        "committed", "played", "throw", "waiting", "chosen", "effect", "resolved"
    }  # fmt: skip
    for item in told.items:
        assert logbook.headline(item)
        assert logbook.sentence(item).startswith(item.who if item.kind != "scene" else "Scene")


def test_a_report_leaves_seats_and_secrets_to_the_log() -> None:
    told = read(*everything())
    for write in WRITERS.values():
        assert "makes a seat" not in write(told)
        assert "opens the secret" not in write(told)


def test_what_is_not_known_here_is_told_plainly() -> None:
    told = read(
        *opening(),
        {"kind": "eclipse", "seat": "g"},
        {"kind": "played", "play": "x", "rule": "lanterns.light", "params": {"oil": 3}, "seat": "p"},
        {"kind": "throw", "play": "x", "groups": [dice("d6", 4)], "seat": "p"},
        {
            "kind": "resolved",
            "play": "x",
            "outcome": {"result": "bright", "oil": 2},
            "why": ["L1"],
            "seat": "p",
        },
        *by_hand("y", "agate.attempt", [dice("d8", 5)], {"result": "a result of before", "odd": [1]}),
        {"kind": "character", "seat": "g", "id": "z", "name": "Zed", "sheets": {"lanterns": {"oil": 3}}},
    )
    assert "does something that this version does not know (eclipse)" in lines(told)
    for write in WRITERS.values():
        whole = write(told)
        for said in (
            "lanterns.light, which is not installed here",
            "Result bright, Oil 2",
            "a result of before",
        ):
            assert said in whole
        assert "Zed" in whole


# ---- set right ------------------------------------------------------------------------------------


def test_what_is_taken_back_is_struck_and_says_so() -> None:
    note = {"kind": "note", "seat": "p", "id": "n", "text": "A word too many.", "act": "x"}
    told = read(*opening(), note, {"kind": "undone", "seat": "p", "of": "x", "what": "note"})
    assert "[A word too many.] (taken back by Noor)" in lines(told)
    assert "takes back a note (7)" in lines(told, after=7)
    assert "~~A word too many.~~ *(taken back by Noor)*" in markdown.written(told)
    assert "<del>A word too many.</del>" in page.written(told)
    for write in WRITERS.values():
        assert "A word too many" not in write(told, mechanics=False)


def waiting(id: str, act: str) -> list[Event]:
    """A play that waits at a choice, without a face shown."""
    ask = {
        "kind": "choice",
        "who": "self",
        "about": "extra-effort",
        "options": [{"option": 0}, {"option": 1}],
    }
    return [
        {"kind": "played", "play": id, "rule": "cards.resolve", "params": {"el": 2}, "seat": "p", "act": act},
        {"kind": "waiting", "play": id, "turn": 1, "ask": ask, "state": {}, "seat": "p", "act": act},
    ]


def test_a_play_that_is_taken_back_is_struck() -> None:
    undone = {"kind": "undone", "seat": "p", "of": "x", "what": "played", "play": "w", "before": None}
    (one,) = plays(told := read(*opening(), *waiting("w", "x"), undone))
    assert (one.struck, one.waits, told.waiting) == (True, "", [])
    assert "~~" in markdown.written(told)


def test_a_choice_that_is_taken_back_leaves_the_play_waiting() -> None:
    begun = waiting("w", "x")
    asked = begun[1]["ask"]
    shared = {"play": "w", "seat": "p", "act": "y"}
    before = {"play": "w", "rule": "cards.resolve", "params": {}, "turn": 1, "ask": asked}
    (one,) = plays(
        told := read(
            *opening(),
            *begun,
            {"kind": "chosen", "who": "self", "about": "extra-effort", "option": 1, "cost": {}, **shared},
            {"kind": "resolved", "outcome": {"result": "bust", "effect": 0}, "why": [], **shared},
            {"kind": "undone", "seat": "p", "of": "y", "what": "chosen", "play": "w", "before": before},
        )
    )
    assert one.result is None
    assert one.waits == "Noor: How much Extra Effort? None, 1 more"
    assert "1 more, taken back by Noor" in markdown.written(told)
    assert told.waiting == [one]


def test_a_correction_shows_both_and_the_story_the_one_that_counts() -> None:
    corrected = {"kind": "corrected", "seat": "g", "play": "r", "text": "We forgot the crate.", "act": "c"}
    outcome = {
        "result": "loss",
        "effect": -1,
        "tie": False,
        "their_bust": False,
        "answer": None,
        "texture": None,
    }
    told = read(*opening(), *resolution(), {**corrected, "outcome": outcome})
    assert "◆ Loss · Effect −1, Luck spent 1 (corrected: We forgot the crate.)" in lines(told)
    whole = markdown.written(told)
    assert "**~~Win.~~**" in whole
    assert "*Hana corrects it: We forgot the crate.*" in whole
    assert "**Loss.**" in whole
    for write in WRITERS.values():
        assert "Loss" in write(told, mechanics=False)
        assert "Win" not in write(told, mechanics=False)
    void = read(*opening(), *resolution(), {**corrected, "void": True})
    assert plays(void)[0].struck
    assert "made void: We forgot the crate." in lines(void)
    for write in WRITERS.values():
        assert "Win" not in write(void, mechanics=False)


def test_a_play_that_was_ended_by_hand() -> None:
    told = read(
        *opening(), *waiting("w", "x"), {"kind": "ended", "play": "w", "seat": "g", "reason": "Supper."}
    )
    assert not told.waiting
    for write in WRITERS.values():
        assert "nded by hand: Supper." in write(told)


# ---- secrets --------------------------------------------------------------------------------------


def test_who_knew_a_secret_and_who_did_not_read_it_in_their_own_places() -> None:
    secret = [{**event, "to": ["gm"], "seat": "g"} for event in question("s", who=None)]
    after = {"kind": "note", "seat": "p", "id": "n", "text": "Later.", "act": "n"}
    knew = read(*opening(), *secret, after, {"kind": "revealed", "seat": "g", "play": "s"})
    told = [{"after": 6, "event": {k: v for k, v in event.items() if k != "to"}} for event in secret]
    others = read(*opening(), after, {"kind": "revealed", "seat": "g", "play": "s", "events": told})
    assert [one.kind for one in knew.items][-3:] == ["play", "note", "revealed"]
    assert [one.kind for one in others.items][-2:] == ["note", "play"]
    assert "(shown to all by Hana)" in lines(knew)
    assert "(played earlier in secret, after 6; shown by Hana)" in lines(others)
    for write in WRITERS.values():
        assert "played earlier in secret" in write(others)
        assert write(others).count("Does the ferryman know?") == 1


def test_a_secret_says_who_sees_it() -> None:
    note = {"kind": "note", "id": "n", "text": "Psst.", "act": "n"}
    for to, said in ((["gm"], "the game master"), (["p"], "Noor"), (["gm", "p"], "Noor and the game master")):
        told = read(*opening(), {**note, "seat": "p", "to": to})
        assert f"Psst. (for {said} alone)" in lines(told)
    blind = {"kind": "blind", "play": "b", "rule": "cards.ask", "question": "Is it true?", "seat": "p"}
    assert "throws blind: “Is it true?”" in lines(read(*opening(), {**blind, "to": ["p", "gm"]}))


# ---- time and names -------------------------------------------------------------------------------


def test_names_are_those_of_the_time() -> None:
    rename = {"kind": "seat", "seat": "p", "id": "p", "name": "Nour", "act": "x"}
    note = {"kind": "note", "seat": "p", "id": "n", "text": "Here.", "act": "n"}
    told = read(*opening(), note, rename, {**note, "act": "m"})
    assert [one.who for one in told.items if one.kind == "note"] == ["Noor", "Nour"]


def test_a_long_rest_begins_another_session() -> None:
    week = 7 * 24 * 3_600_000
    events = [(n, event) for n, event in numbered([*opening(), *question()])]
    later = [(n + 100, {**event, "at": event["at"] + week}) for n, event in numbered(question("q2"))]
    told = journal.read([*events, *later])
    assert [one.session for one in plays(told)] == [1, 2]
    assert "*Session 2, 28 September 2026*" in markdown.written(told)
    assert "=== Session 2 ===\n[Date]         2026-09-28" in notation.written(told)
    assert "Session 2, 28 September 2026" in page.written(told)


def test_entries_are_read_once_and_in_order_and_always_read_the_same() -> None:
    def stream() -> Iterator[tuple[int, Event]]:
        yield from numbered(everything())

    for write in WRITERS.values():
        assert write(journal.read(stream())) == write(journal.read(stream()))
    assert journal.read([]).items == []
    for write in WRITERS.values():
        assert "A table" in write(journal.read([]))


def test_only_the_last_things_or_those_behind_an_entry_are_listed() -> None:
    told = read(*everything())
    assert len(lines(told, most=1).splitlines()) == len(
        lines(told, after=told.items[-1].last - 1).splitlines()
    )
    assert lines(told, after=told.items[-1].last) == ""
    assert DAY < told.first < told.last


def test_every_line_fits_a_narrow_terminal() -> None:
    for width in (30, 60, 100):
        for line in logbook.listed(read(*everything()), Ink(width=width)):
            assert len(line) <= width, line


def test_a_sheet_and_its_changes_are_told_in_the_order_of_the_sheet() -> None:
    edit = {"kind": "character", "seat": "p", "id": "m", "act": "x"}
    changes = [
        {"at": ["m", "cards", "level"], "by": 1},
        {"at": ["m", "cards", "els", "Charm"], "to": 3},
        {"at": ["m", "cards", "hooks", "Sea legs"], "to": None},
    ]
    told = read(*opening(), {**edit, "changes": changes})
    assert "writes on Mara’s sheet: Level 2 → 3, Charm 0 → 3, Sea legs gone" in lines(told)
    assert told.cast[0][2] == [
        ("Cards", [("Level", "3"), ("ELs", "Athletics 4, Charm 3"), ("Luck", "2 of 3")])
    ]


def test_in_a_log_people_are_called_by_their_names() -> None:
    outcome = {
        "result": "bust",
        "effect": 0,
        "tie": False,
        "their_bust": True,
        "answer": None,
        "texture": None,
    }
    told = read(
        *opening(), *[{**e, **({"outcome": outcome} if "outcome" in e else {})} for e in resolution()]
    )
    result = plays(told)[0].result
    assert result is not None
    assert result.said.why == "More reds than Mara’s level: both sides go bust, and the defender holds."
    assert words.named("").whose == "this side’s"
