"""The benchmarks: peers find what Sortes finds, and the table has every line of what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("icepool", reason="the peers of the benchmarks are not installed")

from bench import __main__ as command
from bench import clock, ours, peers, rows, table

SMALL = [(el, x, against) for el in (1, 2, 3) for x in range(el + 1) for against in (1, 2, 4)]


@pytest.mark.parametrize("likelihood", ["even", "likely", "unlikely"])
@pytest.mark.parametrize(
    "form",
    [
        peers.oracle_map,
        peers.oracle_multiset,
        peers.oracle_mixed,
        peers.oracle_weighted,
        peers.oracle_by_hand,
    ],
)
def test_oracle(form: Callable[[str], peers.Odds], likelihood: str) -> None:
    """D1-D3."""
    assert form(likelihood) == ours.oracle(likelihood)


def test_oracle_is_the_pinned_one() -> None:
    """D4: a yes of any kind, likely, by the peer as by the rules."""
    odds = peers.oracle_weighted("likely")
    yes = ("yes", "yes-but", "great-boon", "great-boon-with-great-bane")
    assert sum(odds[result] for result in yes) == Fraction(10507, 16000)


@pytest.mark.parametrize(
    "form",
    [
        peers.poker_icepool_keep,
        peers.poker_icepool_pool,
        peers.poker_dyce_at,
        peers.poker_dyce_rolls,
        peers.poker_dyce_running,
    ],
)
def test_poker_dice(form: Callable[[], list[peers.Odds]]) -> None:
    """P2, P3."""
    assert form() == ours.poker(peers.MODIFIERS)


@pytest.mark.parametrize("form", [peers.agate_bands, peers.agate_faces])
def test_agate(form: Callable[[], list[peers.Odds]]) -> None:
    """A2, A3."""
    assert form() == ours.agate_all()


@pytest.mark.parametrize("dice", [1, 2, 7, 100])
def test_agate_pool(dice: int) -> None:
    """A2."""
    assert peers.agate_pool(dice) == ours.agate(0, dice)


@pytest.mark.parametrize("form", [peers.cards_hands, peers.cards_places, peers.cards_joint])
def test_card_resolution(form: Callable[[list[peers.Case]], Any]) -> None:
    """C6.1, C6.3."""
    assert form(SMALL) == ours.cards(SMALL)


def test_card_resolution_is_the_pinned_one() -> None:
    """C13: EL 7 drawing 14 against 9."""
    odds = peers.cards_places([(7, 7, 9)])[7, 7, 9]
    said = {result: sum(p for (r, _), p in odds.items() if r == result) for result in ("bust", "win")}
    assert round(float(said["bust"]), 5) == 0.37770
    assert round(float(said["win"]), 3) == 0.421


@pytest.mark.parametrize("form", [peers.effort_hands, peers.effort_places])
def test_best_extra_effort(form: Callable[..., peers.Best]) -> None:
    """C6.3."""
    assert form(4, (1, 3, 5)) == ours.effort(4, (1, 3, 5))


@pytest.mark.parametrize(("mine", "theirs"), [(1, 1), (2, 1)])
def test_token_conflict(mine: int, theirs: int) -> None:
    """C9, C2: within one deck, and to the very end."""
    assert peers.conflict_one_deck(mine, theirs) == ours.conflict_one_deck(mine, theirs)
    assert peers.conflict_to_the_end(mine, theirs) == ours.conflict_to_the_end(mine, theirs)


# ---- the clock ---------------------------------------------------------------------------------------------


def test_contenders_take_turns_from_cold_caches() -> None:
    said: list[str] = []
    contenders = [(lambda n=n: said.append(n), lambda n=n: said.append(f"clear {n}")) for n in "ab"]
    times, repeats = clock.best(contenders, 10, 3)  # type: ignore[arg-type]
    assert said == ["clear a", "a", "clear b", "b"] * 3
    assert repeats == 3
    assert all(t < 1 for t in times)


def test_our_caches_are_emptied() -> None:
    from sortes.systems.agate import rules

    ours.agate(0, 5)
    assert rules.pool.cache_info().currsize
    ours.clear()
    assert not rules.pool.cache_info().currsize


def test_memory_is_that_of_the_new_process_alone() -> None:
    held = bytearray(150_000_000)
    assert clock.peak("") < 60
    assert clock.peak("held = bytearray(150_000_000)\n") > 150
    del held


def test_growth_that_steepens_is_not_polynomial() -> None:
    sizes = (10, 20, 40, 80)
    assert rows.polynomial([(n, float(n) ** 3) for n in sizes])
    assert not rows.polynomial([(n, 2.0**n) for n in sizes])
    assert rows.slope([(n, float(n) ** 3) for n in sizes]) == pytest.approx(3)


# ---- the table ---------------------------------------------------------------------------------------------


def test_a_slower_peer_that_finds_something_else_is_no_peer() -> None:
    wrong = rows.race(rows.SMOKE, lambda: 1, "peer", [(int, ("1",))])
    assert wrong.ratio
    with pytest.raises(AssertionError, match="finds 2, Sortes 1"):
        rows.race(rows.SMOKE, lambda: 1, "peer", [(int, ("2",))])


def test_a_row_that_fails_takes_no_other_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(scale: rows.Scale) -> rows.Line:
        raise ValueError("out of order")

    fine = rows.Row("fine", rows.PARTS[0], "a", "", lambda scale: rows.Line(ours=1.0, reached=True))
    both = (rows.Row("broken", rows.PARTS[0], "b", "", broken), fine)
    monkeypatch.setattr(command, "ROWS", both)
    assert command.main(["--json", str(tmp_path / "b.json")]) == 1
    assert "broken: ValueError: out of order" in capsys.readouterr().out
    assert [r["reached"] for r in json.loads((tmp_path / "b.json").read_text())["rows"]] == [False, True]


def test_a_row_that_never_ends_is_given_up() -> None:
    def endless(scale: rows.Scale) -> rows.Line:
        while True:
            pass

    line = rows.measure(
        rows.Row("endless", rows.PARTS[0], "a", "", endless), rows.Scale("brief", 0, 1, patience=1)
    )
    assert line.failed
    assert line.note == "TimeoutError: given up after 1 s"


@pytest.mark.parametrize(
    ("seconds", "said"), [(12.3456, "12.3 s"), (0.01234, "12.3 ms"), (0.000_045_6, "45.6 µs"), (None, "–")]
)
def test_times_are_said_in_three_figures(seconds: float | None, said: str) -> None:
    assert table.measured(seconds, "s") == said


def test_an_unknown_row_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(["orcale"])
    assert stop.value.code == 2
    assert "no row orcale" in capsys.readouterr().err


def test_every_line_that_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run of all rows, as small as can be: each is measured, and nothing fails."""
    file = tmp_path / "bench.json"
    status = command.main(["--smoke", "--json", str(file)])
    found = json.loads(file.read_text())
    failed = {row["id"]: row["note"] for row in found["rows"] if row["failed"]}
    assert (status, failed) == (0, {})
    assert list(dict.fromkeys(row["part"] for row in found["rows"])) == list(rows.PARTS)
    assert [row["id"] for row in found["rows"]] == [row.id for row in rows.ROWS]
    assert all(row["ours"] and row["to_reach"] for row in found["rows"])
    said = capsys.readouterr().out.splitlines()
    column = said[0].index("to reach")
    for row, line in zip(rows.ROWS, said[2:], strict=False):
        assert line.startswith(row.work)
        assert line[column:].startswith(row.to_reach)
