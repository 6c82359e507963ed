"""The logs that a table makes prove themselves: every throw that is opened follows, for every seat."""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sortes.core.errors import RuleError
from sortes.table import fair, requests, service
from sortes.table.service import Table
from sortes.table.stores import Store, open_store
from tests.table.sessions import STEPS, Session

ROOT = Path(__file__).parents[2]
Independent: Any = runpy.run_path(str(ROOT / "verify" / "verify.py"))["Log"]
few = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
seeds = given(seed=st.integers(0, 10**6))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "t.db") as made:
        yield made


def sound(lines: Sequence[bytes]) -> set[str]:
    """What both verifiers have to say of a log that neither finds wrong."""
    found = fair.verify_log(lines)
    assert not [one for one in found if one.level == "wrong"]
    log = Independent()
    log.check(b"".join(lines))
    assert {(one.line, one.level) for one in found} == log.said
    return {one.level for one in found}


def proved(table: Table, seats: Sequence[str]) -> None:
    """All that was thrown is opened, and follows, in the log of every seat."""
    for seat in seats:
        assert "not-yet-opened" not in sound(list(table.exported(seat)))


def revealed(session: Session) -> None:
    """Everything in secret is shown, in any order, by whoever may."""
    hidden = list(session.table.known().hidden)
    session.rng.shuffle(hidden)
    for play in hidden:
        assert any(session.ask(who, requests.Reveal(play=play)) for who in ("GM", "Ann", "Ben"))
        if session.rng.random() < 0.5:
            session.ask("Ann", requests.Note(text="so that was it"))


@few
@seeds
def test_all_that_was_in_secret_proves_itself_in_whatever_order_it_is_shown(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """And in a table that was made of a seat's log, to all the seats that are there."""
    folder = tmp_path_factory.mktemp("t")
    with open_store(folder / "t.db") as store, open_store(folder / "u.db") as other:
        session = Session(store, seed)
        for _ in range(3):
            session.run(12)
            revealed(session)
        session.ask("GM", requests.Prove())
        proved(session.table, list(session.seats.values()))
        copy, gm, _ = service.imported(other, "copy", list(session.table.exported(session.gm)))
        proved(copy, list(session.seats.values()))
        assert copy.known().all.decks == copy.view(gm).state.decks


def test_a_play_in_secret_has_one_seal_from_its_beginning_to_its_end(store: Store) -> None:
    """Else proving the rest would open what it began under."""
    session = Session(store, 2)
    table, gm = session.table, session.gm
    first = table.act(gm, requests.Play(rule="dramatic-skill.task", params={"steps": STEPS}, to="gm"))
    reply, between = first, 0
    while waiting := reply.event("waiting"):
        between += bool(session.ask("GM", requests.Play(rule="poker-dice.roll", to="me")))
        option = waiting["ask"]["options"][0]["option"]
        reply = table.act(gm, requests.Answer(play=str(first.play), option=option))
        session.ask("GM", requests.Prove())
    assert between
    throws = [e for _, e in table.entries(gm) if e["kind"] == "throw" and e["play"] == first.play]
    assert len({e["stretch"] for e in throws}) == 1
    opened = [e["stretch"] for _, e in table.entries(gm) if e["kind"] == "opened-secret"]
    assert throws[0]["stretch"] not in opened
    revealed(session)
    session.ask("GM", requests.Prove())
    proved(table, list(session.seats.values()))


def test_a_seal_is_told_before_the_play_that_takes_it(store: Store) -> None:
    """Also when a stretch has no seals left: then the seat has a commitment of its own beforehand."""
    session = Session(store, 2)
    table, ann = session.table, session.seats["Ann"]
    told = ""
    for i in range(20):
        reply = table.act(ann, requests.Play(rule="cards.ask", to="me"))
        throw = reply.event("throw")
        assert throw is not None
        assert throw["stretch"] == told or not i
        sealed = reply.event("sealed")
        assert sealed is not None
        told = sealed["stretch"]
        assert table.view(ann).state.seal == told
    assert told.startswith("play-")
    revealed(session)
    session.ask("GM", requests.Prove())
    proved(table, list(session.seats.values()))


def test_the_secrets_of_plays_in_secret_stay_closed_until_they_are_shown(store: Store) -> None:
    session = Session(store, 9)
    table, gm = session.table, session.gm
    dice, cards = (
        table.act(gm, requests.Play(rule=rule, to="gm")) for rule in ("poker-dice.roll", "cards.ask")
    )
    seals = [str((reply.event("throw") or {})["stretch"]) for reply in (dice, cards)]
    with pytest.raises(RuleError, match="cards are out in secret"):
        table.act(gm, requests.Prove())
    assert (table.act(gm, requests.Reveal(play=str(dice.play))).event("opened-secret") or {})[
        "stretch"
    ] == seals[0]
    assert table.act(gm, requests.Reveal(play=str(cards.play))).event("opened-secret") is None
    opened = [
        e["stretch"] for _, e in table.act(gm, requests.Prove()).entries if e["kind"] == "opened-secret"
    ]
    assert seals[1] in opened
    proved(table, list(session.seats.values()))


def test_a_sound_log_that_is_none_of_a_table_of_ours_is_refused(store: Store) -> None:
    for events in (
        [{"kind": "opened", "table": "t"}],
        [{"kind": "opened", "table": "t", "title": "T"}, {"kind": "throw", "groups": []}],
        [{"kind": "opened", "table": "t", "title": "T"}, {"kind": "note", "to": 7}],
    ):
        lines = list(fair.exported(map(fair.canonical, events)))
        sound(lines)
        with pytest.raises(RuleError, match="file"):
            service.imported(store, "foreign", lines)
        assert store.tables() == []
