"""Every worked example of every room's cases.toml: these throws, these choices, this outcome."""

from __future__ import annotations

from typing import Any

import pytest

import sortes
from sortes.core.system import System
from tests.rooms import CASES


def params(case: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value == "none" else value for name, value in case.get("params", {}).items()}


@pytest.mark.parametrize(("system", "case"), CASES, ids=[f"{s.id}: {c['name']}" for s, c in CASES])
def test_worked_example(system: System, case: dict[str, Any]) -> None:
    waiting = list(case.get("choices", []))

    def choose(state: Any, choice: Any) -> Any:
        return waiting.pop(0) if waiting else choice.options[0].value

    left = iter(case["throws"])
    played = sortes.play(
        case["rule"], house=case.get("house"), policy=choose, hands=left, seed=1, **params(case)
    )
    for field, value in case["outcome"].items():
        got = getattr(played.outcome, field.replace("-", "_"))
        got = "none" if got is None else list(got) if isinstance(got, tuple) else got
        assert got == value, field
    assert not waiting, "every choice of the example was asked for"
    assert next(left, None) is None, "every throw of the example was asked for"
    assert all(thrown.by == "hand" for thrown in played.throws), "the example gives every throw"
    if "kept" in case:
        assert [list(thrown.kept) for thrown in played.throws] == case["kept"]
    cited = set(played.why)
    wanted = [r for r in case["rules"] if not r.startswith(("D7", "C13"))]
    assert not wanted or cited & set(wanted), f"{wanted} are followed; cited were {sorted(cited)}"


PLAIN = [
    (s, c)
    for s, c in CASES
    if not c.get("choices") and sortes.prepare(c["rule"], **params(c)).rule.fields[0] in c["outcome"]
]


@pytest.mark.parametrize(("system", "case"), PLAIN, ids=[f"{s.id}: {c['name']}" for s, c in PLAIN])
def test_odds_give_the_outcome_of_the_example_a_chance(system: System, case: dict[str, Any]) -> None:
    odds = sortes.odds(case["rule"], house=case.get("house"), **params(case))
    field = odds.rule.fields[0]
    assert odds.by(field)[case["outcome"][field]] > 0
