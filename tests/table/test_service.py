"""The table: what waits goes on, nothing is dealt or spent twice, a request acts once, and the log is the truth."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sortes.core.ask import STEPS
from sortes.core.errors import Refused, RuleError
from sortes.table import fair, requests, service
from sortes.table.service import Changed, Table
from sortes.table.stores import Store, open_store
from sortes.table.view import Known, restored
from tests.table.sessions import SHEET, Session, lot
from tests.test_laws import assert_fits

ROOT = Path(__file__).parents[2]
RESOLVE = {"el": 3, "against": 3, "extra": "choose"}
few = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "tables.db") as made:
        yield made


@pytest.fixture
def seated(store: Store) -> tuple[Table, str]:
    table, gm, _ = service.opened(store, "t")
    return table, gm


def state_of(table: Table, seat: str) -> Any:
    return msgspec.to_builtins(table.view(seat).state)


# ---- what waits -----------------------------------------------------------------------------------

OTHER = """
import sys
from sortes.table import requests, service
from sortes.table.stores import open_store
with open_store(sys.argv[1]) as store:
    table = service.Table(store, "t")
    (play,) = table.view(sys.argv[2]).state.plays.values()
    option = play.ask["options"][0]["option"]
    reply = table.act(sys.argv[2], requests.Answer(play=play.play, turn=play.turn, option=option))
    print(*[event["kind"] for _, event in reply.entries])
"""


def test_a_play_waits_through_a_restart_and_goes_on_in_another_process(tmp_path: Path) -> None:
    file = tmp_path / "tables.db"
    steps = [{"skill": 12, "dn": 10}] * 4
    with open_store(file) as store:
        table, gm, _ = service.opened(store, "t")
        table.act(gm, requests.Play(rule="dramatic-skill.task", params={"steps": steps}))
    seen = []
    for _ in range(3):
        ran = subprocess.run(
            [sys.executable, "-c", OTHER, str(file), gm], capture_output=True, text=True, check=True, cwd=ROOT
        )
        seen.append(ran.stdout.split())
    assert all(kinds[0] == "chosen" for kinds in seen)
    with open_store(file) as store:
        rounds = [e for _, e in service.Table(store, "t").entries(gm) if e["kind"] in ("waiting", "resolved")]
        assert len(rounds) == 4


@few
@given(seed=st.integers(0, 10**6))
def test_many_waiting_plays_share_one_deck_and_one_purse(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    with open_store(tmp_path_factory.mktemp("t") / "t.db") as store:
        session = Session(store, seed)
        for _ in range(5):
            params = {"el": "Talk", "against": 3, "extra": "choose"}
            session.ask("GM", requests.Play(rule="cards.resolve", params=params, who="Mara"))
        spent = 0
        while plays := session.waiting("GM"):
            reply = session.answer("GM", session.rng.choice(plays))
            if reply is not None:
                spent += sum(
                    e.get("cost", {}).get("luck", 0) for _, e in reply.entries if e["kind"] == "chosen"
                )
        dealt, full = Counter[str](), Counter(session.table.view(session.gm).state.decks["cards"].cards)
        for _, event in session.table.entries(session.gm):
            for item in event.get("groups", ()):
                if item["kind"] == "shuffled":
                    dealt = Counter(item["out"])
                else:
                    dealt.update(item["faces"])
                    assert not dealt - full, "a card was dealt twice"
        (mara,) = session.table.view(session.gm).state.characters.values()
        assert mara.sheets["cards"]["luck"] == 2 - spent >= 0


def test_what_cannot_be_paid_any_more_is_refused(seated: tuple[Table, str]) -> None:
    table, gm = seated
    table.act(gm, requests.Character(name="Mara", sheets={"cards": {"level": 1, "els": {"Talk": 2}}}))
    first, second = (table.act(gm, requests.Play(rule="cards.ask", who="Mara")) for _ in range(2))
    if first.event("waiting") and second.event("waiting"):
        table.act(gm, requests.Answer(play=str(first.play), option="turn"))
        with pytest.raises(Refused, match="option"):
            table.act(gm, requests.Answer(play=str(second.play), option="turn"))
        table.act(gm, requests.Answer(play=str(second.play), option="keep"))


def test_a_play_goes_on_under_its_own_house_rules(seated: tuple[Table, str]) -> None:
    """The table's rules change while it waits: what Strain costs does not, for this one."""
    table, gm = seated
    params = {"skill": 1, "difficulty": 1, "hindrances": 6}
    while True:
        reply = table.act(gm, requests.Play(rule="agate.attempt", params=params))
        if (waiting := reply.event("waiting")) is not None:
            break
    table.act(gm, requests.House(system="agate", changes={"partial_cost": 9, "avert_cost": 9}))
    done = table.act(gm, requests.Answer(play=str(reply.play), turn=waiting["turn"], option="spend"))
    resolved = done.event("resolved")
    assert resolved is not None
    assert resolved["outcome"]["strain"] in (3, 5)


def test_a_state_that_cannot_be_read_any_more_is_ended_by_hand(
    seated: tuple[Table, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, gm = seated
    reply = table.act(gm, requests.Play(rule="cards.resolve", params=RESOLVE))
    monkeypatch.delitem(STEPS, "cards.effort")
    with pytest.raises(Refused, match="end it by hand"):
        table.act(gm, requests.Answer(play=str(reply.play), option=0))
    table.act(gm, requests.End(play=str(reply.play), reason="an old play"))
    assert not table.view(gm).state.plays


# ---- acting once ----------------------------------------------------------------------------------


def test_a_repeated_request_acts_once_and_is_answered_alike(seated: tuple[Table, str]) -> None:
    table, gm = seated
    ask = requests.Play(rule="cards.ask", nonce="mine")
    first = table.act(gm, ask, key="k")
    table.act(gm, requests.Note(text="between"))
    again = table.act(gm, ask, key="k")
    assert again.repeated
    assert again.entries == first.entries
    with pytest.raises(RuleError, match="key"):
        table.act(gm, requests.Note(text="another"), key="k")
    fresh = Table(table.store, "t")
    assert fresh.act(gm, ask, key="k").entries == first.entries


def test_of_two_answers_one_wins_and_the_other_is_told(store: Store) -> None:
    table, gm, _ = service.opened(store, "t")
    reply = table.act(gm, requests.Play(rule="cards.resolve", params=RESOLVE))
    tables = [Table(store, "t") for _ in range(6)]

    def answer(at: Table) -> str:
        try:
            at.act(gm, requests.Answer(play=str(reply.play), turn=1, option=1))
        except Refused as e:
            return str(e)
        return "won"

    with ThreadPoolExecutor(6) as pool:
        said = list(pool.map(answer, tables))
    assert said.count("won") == 1
    assert all("waits" in one for one in said if one != "won")


def test_who_names_what_they_have_seen_is_told_what_changed(seated: tuple[Table, str]) -> None:
    table, gm = seated
    seen = table.view(gm).number
    table.act(gm, requests.Note(text="news"))
    with pytest.raises(Changed) as refused:
        table.act(gm, requests.Note(text="late"), seen=seen)
    assert [event["text"] for _, event in refused.value.entries] == ["news"]
    assert table.act(gm, requests.Note(text="in time"), seen=seen + 1)


def test_a_nonce_is_used_once(seated: tuple[Table, str]) -> None:
    table, gm = seated
    table.act(gm, requests.Play(rule="poker-dice.roll", nonce="salt"))
    with pytest.raises(Refused, match="nonce"):
        table.act(gm, requests.Play(rule="poker-dice.roll", nonce="salt"))


def test_a_refused_request_leaves_nothing(seated: tuple[Table, str]) -> None:
    table, gm = seated
    number = table.known().number
    for bad in (
        requests.Play(rule="cards.resolve", params={"el": 60, "against": 1}),
        requests.Play(rule="cards.resolve", params={"el": -1, "against": 1}),
        requests.Play(rule="nothing.here"),
        requests.Answer(play="none", option=1),
        requests.Reveal(play="none"),
        requests.Undo(),
    ):
        with pytest.raises(RuleError):
            table.act(gm, bad)
    assert table.known().number == number


# ---- undo -----------------------------------------------------------------------------------------


def test_undo_is_free_until_a_face_was_shown(seated: tuple[Table, str]) -> None:
    table, gm = seated
    before = state_of(table, gm)
    for request in (
        requests.Note(text="x"),
        requests.Character(name="Mara", sheets=SHEET),
        requests.Thread(title="Who?"),
        requests.Clock(title="Flood"),
        requests.Settings(tell_secrets=True),
        requests.House(system="agate", changes={"partial_cost": 4}),
        requests.Play(rule="cards.resolve", params=RESOLVE),
    ):
        table.act(gm, request)
        table.act(gm, requests.Undo())
        after = state_of(table, gm)
        after["rules"] = before["rules"]
        assert {k: v for k, v in after.items() if v} == {k: v for k, v in before.items() if v}, request
    table.act(gm, requests.Play(rule="cards.resolve", params={"el": 1, "against": 1}))
    with pytest.raises(Refused, match="face"):
        table.act(gm, requests.Undo())


def test_a_choice_can_be_taken_back_and_made_otherwise(seated: tuple[Table, str]) -> None:
    table, gm = seated
    table.act(gm, requests.Character(name="Mara", sheets={"cards": {"level": 3}}))
    while True:
        reply = table.act(gm, requests.Play(rule="cards.ask", who="Mara"))
        if reply.event("waiting"):
            break
    before = state_of(table, gm)
    table.act(gm, requests.Answer(play=str(reply.play), option="turn"))
    (mara,) = table.view(gm).state.characters.values()
    assert mara.sheets["cards"]["luck"] == 2
    table.act(gm, requests.Undo())
    after = state_of(table, gm)
    assert after["plays"] == before["plays"]
    assert after["characters"] == before["characters"]
    done = table.act(gm, requests.Answer(play=str(reply.play), option="keep")).event("resolved")
    assert done is not None
    assert [e["kind"] for _, e in table.entries(gm)].count("undone") == 1


def test_a_redo_draws_anew(seated: tuple[Table, str]) -> None:
    """It neither peeks nor fishes: choosing has shown nothing when it can still be taken back, and what comes after a
    correction is another request, with another number and another nonce, and so another throw."""
    table, gm = seated
    origins = []
    for _ in range(8):
        reply = table.act(
            gm, requests.Play(rule="cards.resolve", params={"el": 8, "against": 8}, nonce=str(len(origins)))
        )
        throw = reply.event("throw")
        assert throw is not None
        origins.append((throw["stretch"], throw["counter"], throw["nonce"]))
        with pytest.raises(Refused):
            table.act(gm, requests.Undo())
        table.act(gm, requests.Correct(play=str(reply.play), void=True, cards=True))
        assert sum(table.view(gm).state.decks["cards"].left.values()) == 52, "as it was before"
    assert len(set(origins)) == 8
    hands = [
        tuple(item["faces"]) for _, e in table.entries(gm) if e["kind"] == "throw" for item in e["groups"]
    ]
    assert len(set(hands)) == len(hands)
    assert not [f for f in fair.verify_log(table.exported(gm)) if f.level == "wrong"]


# ---- the log is the truth -------------------------------------------------------------------------


@few
@given(seed=st.integers(0, 10**6))
def test_all_that_is_known_is_the_fold_of_the_log(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """From the start, from a snapshot in the middle, and as it was kept while it happened."""
    with open_store(tmp_path_factory.mktemp("t") / "t.db") as store:
        table = Session(store, seed).run(40)
        kept, half, fresh = table.known(), Known(), Known()
        events = [json.loads(data) for _, data in store.read("t")]
        for i, event in enumerate(events):
            if i == len(events) // 2:
                again = restored(half.snapshot())
                assert again is not None
                half = again
            half.take(json.loads(json.dumps(event)))
            fresh.take(event)
        assert fresh == kept
        assert half == kept


def test_the_fold_runs_no_rule(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Session(store, 1).run(60)
    before = table.known().snapshot()
    for step in STEPS.values():
        monkeypatch.setattr(step, "rule", None)
    assert Table(store, "t").known().snapshot() == before


@few
@given(seed=st.integers(0, 10**6))
def test_every_seat_s_log_verifies_and_numbers_without_a_gap(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("t")
    with open_store(folder / "t.db") as store:
        session = Session(store, seed)
        table = session.run(60)
        for seat in session.seats.values():
            entries = list(table.entries(seat))
            assert [n for n, _ in entries] == list(range(1, table.view(seat).number + 1))
            assert table.last(seat, 7) == entries[-7:]
            lines = list(table.exported(seat))
            assert not [f for f in fair.verify_log(lines) if f.level == "wrong"]
        (folder / "log.jsonl").write_bytes(b"".join(lines))
        alone = subprocess.run(
            [sys.executable, ROOT / "verify" / "verify.py", folder / "log.jsonl"],
            capture_output=True,
            check=False,
        )
        assert alone.returncode == 0, alone.stdout


@few
@given(seed=st.integers(0, 10**6))
def test_a_table_made_of_a_log_is_as_its_seat_saw_it(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("t")
    with open_store(folder / "t.db") as store, open_store(folder / "u.db") as other:
        session = Session(store, seed)
        table = session.run(40)
        copy, gm, _ = service.imported(other, "copy", list(table.exported(session.gm)))
        assert gm == session.gm
        was, now = state_of(table, session.gm), state_of(copy, gm)
        for one in (was, now):
            for key in ("stretches", "seal"):
                one.pop(key)
        assert now == was
        for play in copy.view(gm).state.plays.values():
            option = (play.ask or {})["options"][0]["option"]
            assert copy.act(gm, requests.Answer(play=play.play, turn=play.turn, option=option)).entries
        assert not [f for f in fair.verify_log(copy.exported(gm)) if f.level == "wrong"]


# ---- chance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "params"),
    [("poker-dice.roll", {"level": 1}), ("cards.ask", {}), ("cards.resolve", {"el": 3, "against": 2})],
)
def test_plays_at_a_table_agree_with_the_odds_by_chi_square(store: Store, rule: str, params: Any) -> None:
    table, gm, _ = service.opened(store, "t", token=lot("always the same"))
    ask = requests.Play(rule=rule, params=params, policy="plain")
    expected = table.odds(gm, ask).by("result")
    met: Counter[str] = Counter()
    for i in range(400):
        table.act(gm, requests.Shuffle())
        done = table.act(gm, msgspec.structs.replace(ask, nonce=f"{i}")).event("resolved")
        assert done is not None
        met[done["outcome"]["result"]] += 1
    assert_fits(expected, met, 400)
