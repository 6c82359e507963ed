"""The benchmark of the stores runs, and has every line of what was asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import stores


def test_every_line_of_sqlite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [name for name in stores.ROWS if name.startswith("sqlite")]
    status = stores.main([*names, "--smoke", "--json", str(tmp_path / "found.json")])
    found = json.loads((tmp_path / "found.json").read_text())
    rows = found["rows"]
    assert (status, [row["id"] for row in rows], {row["note"] for row in rows}) == (0, names, {""})
    assert len(found["disk"]) == 1 + len(rows)
    assert all(0 < wait < 10 for wait in found["disk"])
    assert {row["id"]: (row["least"], row["most"]) for row in rows} == {
        "sqlite-1": (0.6, None),
        "sqlite-16": (3, None),
        "sqlite-slowest": (None, 0.2),
        "sqlite-memory": (None, 1.1),
        "sqlite-opening": (None, 1.0),
    }
    assert all(row["ours"] and row["peer"] for row in rows)
    said = capsys.readouterr().out.splitlines()
    assert [line.startswith(row["work"]) for line, row in zip(said[2:-1], rows, strict=True)] == [True] * len(
        rows
    )


def test_a_row_that_cannot_be_measured_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stores, "SERVER", "postgresql://nobody@127.0.0.1:1/nothing")
    assert stores.main(["postgres-1", "--smoke", "--json", str(tmp_path / "found.json")]) == 1
    (row,) = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert row["note"].startswith("not measured: ")
    assert row["reached"] is None


def test_an_unknown_row_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        stores.main(["mysql"])
    assert "no row mysql" in capsys.readouterr().err
