"""The laws that every room keeps, found by discovery: a sixth room is held to them as the five are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest

import sortes
from sortes.core.ask import STEPS
from sortes.core.form import Fed, Field
from sortes.core.system import Refill, Rule, System
from sortes.house import defaults
from sortes.table import sheets
from tests.rooms import CASES, RULES, SYSTEMS

ROOT = Path(__file__).parent.parent
NUMBERS = {
    "cards": [f"C{n}" for n in range(1, 14)]
    + [f"C6.{n}" for n in range(1, 6)]
    + [f"C7.{n}" for n in range(1, 5)]
    + [f"C9.{n}" for n in range(1, 5)],
    "d20-oracle": [f"D{n}" for n in range(1, 9)],
    "poker-dice": [f"P{n}" for n in range(1, 5)],
    "agate": [f"A{n}" for n in range(1, 6)],
    "dramatic-skill": [f"S{n}" for n in range(1, 11)],
}
EVERY = [(id, number) for id, numbers in NUMBERS.items() for number in numbers]


def of(id: str) -> System:
    return next(s for s in SYSTEMS if s.id == id)


# ---- every number has a page, a citation and a test --------------------------------------------


def mentions(number: str, text: str) -> bool:
    """Whether a text names the rule itself, as C6.3 or in a name as c6_3, not only one that is numbered below it."""
    written = re.escape(number).replace(r"\.", "[._]")
    return re.search(rf"(?<![A-Za-z0-9.]){written}(?![0-9])(?![._][0-9])", text, re.IGNORECASE) is not None


@pytest.mark.parametrize(("id", "number"), EVERY)
def test_every_numbered_rule_has_a_section_on_its_page(id: str, number: str) -> None:
    page = (ROOT / "docs" / "rules" / f"{id}.md").read_text(encoding="utf-8")
    headings = [line for line in page.splitlines() if line.startswith("#")]
    assert any(mentions(number, heading) for heading in headings)


@pytest.mark.parametrize(("id", "number"), EVERY)
def test_every_numbered_rule_is_cited_in_the_code(id: str, number: str) -> None:
    folder = ROOT / "src" / "sortes" / "systems" / id.replace("-", "_")
    assert any(mentions(number, path.read_text(encoding="utf-8")) for path in folder.glob("*.py"))


@pytest.mark.parametrize(("id", "number"), EVERY)
def test_every_numbered_rule_has_a_test(id: str, number: str) -> None:
    folder = ROOT / "tests" / "systems"
    named = [
        text for path in folder.glob("*.py") if mentions(number, text := path.read_text(encoding="utf-8"))
    ]
    in_cases = [case for system, case in CASES if system.id == id and number in case["rules"]]
    assert named or in_cases


# ---- every key of every house.toml changes some odds or some play ------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], Mapping | list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    else:
        yield path


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    first, *rest = path
    if isinstance(value, list):
        return [changed(v, tuple(rest), new) if i == first else v for i, v in enumerate(value)]
    return {**value, first: changed(value[first], tuple(rest), new)}


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def words(schema: Mapping[str, Any]) -> list[Any]:
    return [w for part in schema.get("anyOf", [schema]) for w in part.get("enum", ())]


def others(system: System, value: Any, path: tuple[Any, ...]) -> Iterator[Any]:
    """Other values that a key might take, the nearest first."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1, value + 2, 0, 2)
        case str():
            yield from (w for w in every_word(system) if w != value)
            yield from (0, 1, 2, 6, value + "!")
        case list():
            for i, one in enumerate(value):
                for new in others(system, one, (*path, i)):
                    yield [*value[:i], new, *value[i + 1 :]]
            yield value[:-1]
            yield value[::-1]
            if value:
                yield [*value, value[-1]]


def every_word(system: System) -> list[str]:
    schema = msgspec.json.schema(system.house)
    found: list[str] = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            found.extend(w for w in part.get("enum", ()) if isinstance(w, str))
            for inner in part.values():
                look(inner)
        elif isinstance(part, list):
            for inner in part:
                look(inner)

    look(schema)
    return list(dict.fromkeys(found))


def fingerprint(system: System, house: Mapping[str, Any], questions: list[tuple[Any, ...]]) -> list[Any]:
    """What these house rules make of the room's worked examples: plays, odds where cheap, scenes and rests."""
    seen: list[Any] = []
    for rule, params, settings, choices, throws, seed in questions:
        try:
            waiting = list(choices)

            def choose(state: Any, choice: Any, waiting: list[Any] = waiting, seed: int = seed) -> Any:
                offered = [o.value for o in choice.options]
                seen.append((choice.about, tuple(o.cost for o in choice.options), tuple(offered)))
                return waiting.pop(0) if waiting and waiting[0] in offered else offered[seed % len(offered)]

            mixed = {**house, **settings}
            played = sortes.play(rule, house=mixed, policy=choose, seed=seed, hands=throws, **params)
            seen.append((played.outcome, played.throws, played.tallies, played.why))
        except sortes.RuleError as e:
            seen.append(str(e))
    made = sortes.prepare(questions[0][0], house=house, **questions[0][1]).houses[system.id]
    seen.append((system.scene(made), system.rest(made)))
    return seen


# A key that can be changed only together with another, and how.
TOGETHER = {("dramatic-skill", "steps"): {"steps": 3, "deck": [["AB", 2], ["BC", 3], ["ABC", 5]]}}

KEYS = [(s, path) for s in SYSTEMS for path in leaves(defaults(s))]


@pytest.mark.parametrize(("system", "path"), KEYS, ids=[f"{s.id}: {'.'.join(map(str, p))}" for s, p in KEYS])
def test_every_key_of_a_house_changes_some_odds_or_some_play(system: System, path: tuple[Any, ...]) -> None:
    base = defaults(system)
    questions = [
        (
            case["rule"],
            {k: None if v == "none" else v for k, v in case.get("params", {}).items()},
            case.get("house", {}),
            case.get("choices", []),
            throws,
            seed,
        )
        for other, case in CASES
        if other is system and path[0] not in case.get("house", {})
        for seed, throws in ((1, case["throws"]), (2, None))
    ]
    before = fingerprint(system, base, questions)
    tried = 0
    houses = [changed(dict(base), path, new) for new in others(system, at(base, path), path)]
    if (system.id, path[0]) in TOGETHER:
        houses.append({**base, **TOGETHER[system.id, path[0]]})
    for house in houses:
        try:
            sortes.prepare(questions[0][0], house=house, **questions[0][1])
        except sortes.RuleError as e:
            if e.parameter.split(".")[0].split("[")[0] in base:
                continue  # not a value this key takes
        tried += 1
        if fingerprint(system, house, questions) != before:
            return
        if odds_differ(system, house, questions):
            return
        if tried > 12:
            break
    pytest.fail(f"{'.'.join(map(str, path))} changes nothing ({tried} other values tried)")


def odds_differ(system: System, house: Mapping[str, Any], questions: list[tuple[Any, ...]]) -> bool:
    for rule, params, settings, _, _, seed in questions:
        if seed != 1 or rule.endswith(("conflict", "task")):
            continue
        try:
            new = sortes.odds(rule, house={**house, **settings}, **params).outcomes
            if new != sortes.odds(rule, house=settings, **params).outcomes:
                return True
        except sortes.RuleError:
            return True
    return False


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.id)
def test_a_misspelt_key_is_refused_with_a_near_one(system: System) -> None:
    key = next(iter(defaults(system)))
    with pytest.raises(sortes.RuleError, match=f"did you mean {key}"):
        sortes.prepare(system.rules[0], house={key + "s": 1}, **CASE_OF[system.id])


CASE_OF: dict[str, dict[str, Any]] = {}
for _system, _case in CASES:
    if _case["rule"] == _system.rules[0].id:
        CASE_OF.setdefault(_system.id, _case.get("params", {}))


# ---- odds are exact, play agrees with them, and so does a crowd --------------------------------


def small(rule: Rule) -> list[dict[str, Any]]:
    """The parameters of the rule's worked examples, each once."""
    seen: list[dict[str, Any]] = []
    for _, case in CASES:
        if case["rule"] == rule.id and not case.get("house"):
            params = {k: None if v == "none" else v for k, v in case.get("params", {}).items()}
            if params not in seen:
                seen.append(params)
    return seen


EXAMPLES = [(rule, params) for rule in RULES for params in small(rule)[:4]]
ids = [f"{rule.id} {i}" for i, (rule, _) in enumerate(EXAMPLES)]


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.id)
def test_every_rule_has_a_worked_example(rule: Rule) -> None:
    assert small(rule)


@pytest.mark.parametrize(("rule", "params"), EXAMPLES, ids=ids)
def test_odds_are_fractions_that_sum_to_one(rule: Rule, params: dict[str, Any]) -> None:
    odds = sortes.odds(rule, **params)
    assert all(isinstance(p, Fraction) and p > 0 for p in odds.outcomes.values())
    assert sum(odds.outcomes.values()) + odds.unresolved == 1
    for field in rule.fields:
        if field not in rule.endless:
            assert sum(odds.by(field).values()) + odds.left(field) == 1, field


@pytest.mark.parametrize(("rule", "params"), EXAMPLES, ids=ids)
def test_play_agrees_with_odds_by_chi_square(rule: Rule, params: dict[str, Any]) -> None:
    from random import Random

    prepared, source, n = sortes.prepare(rule, **params), Random(20261130), 1500
    field = rule.fields[0]
    odds = sortes.odds(prepared).by(field)
    seen: dict[Any, int] = {}
    for _ in range(n):
        value = getattr(sortes.play(prepared, rng=source).outcome, field)
        seen[value] = seen.get(value, 0) + 1
    assert_fits(odds, seen, n)


@pytest.mark.parametrize(("rule", "params"), EXAMPLES, ids=ids)
def test_a_crowd_agrees_with_odds_by_chi_square(rule: Rule, params: dict[str, Any]) -> None:
    field, n = rule.fields[0], 100_000
    seen: dict[Any, int] = {}
    for outcome, many in sortes.simulate(rule, n=n, seed=7, **params).items():
        value = getattr(outcome, field)
        seen[value] = seen.get(value, 0) + many
    assert sum(seen.values()) == n
    assert_fits(sortes.odds(rule, **params).by(field), seen, n)


def assert_fits(odds: Mapping[Any, Fraction], seen: Mapping[Any, int], n: int) -> None:
    """Chi-square below its 1 - 1e-6 quantile (by Wilson and Hilferty), values expected under 5 times together."""
    assert set(seen) <= set(odds)
    cells, rest, rest_seen = [], Fraction(0), 0
    for value, p in odds.items():
        if p * n >= 5:
            cells.append((float(p * n), seen.get(value, 0)))
        else:
            rest, rest_seen = rest + p, rest_seen + seen.get(value, 0)
    if rest:
        cells.append((float(rest * n), rest_seen))
    chi = sum((k - e) ** 2 / max(e, 1.0) for e, k in cells)
    df = max(1, len(cells) - 1)
    limit = df * (1 - 2 / (9 * df) + 4.75 * (2 / (9 * df)) ** 0.5) ** 3
    assert chi < limit, f"chi-square {chi:.1f} of {df} degrees of freedom"


@pytest.mark.parametrize(("rule", "params"), EXAMPLES, ids=ids)
def test_following_the_advice_is_worth_what_the_advice_says(rule: Rule, params: dict[str, Any]) -> None:
    advice = sortes.advise(rule, **params)
    main = next(iter(rule.worths.values()))
    if not isinstance(advice.worth, Fraction):
        return  # a cycle that is solved in floats
    best = sortes.odds(rule, policy="best", **params)
    plain = sortes.odds(rule, policy="plain", **params)
    got = sum(p * Fraction(main(outcome)) for outcome, p in best.outcomes.items())
    assert got == advice.worth
    if len(rule.worths) == 1:
        assert got >= sum(p * Fraction(main(outcome)) for outcome, p in plain.outcomes.items())


# ---- signatures are forms ----------------------------------------------------------------------


def numbers(schema: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(schema, Mapping):
        if schema.get("type") in ("integer", "number"):
            yield path, schema
        for key, inner in schema.items():
            yield from numbers(inner, f"{path}.{key}")
    elif isinstance(schema, list):
        for inner in schema:
            yield from numbers(inner, path)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.id)
def test_every_number_of_a_form_has_a_stated_range(rule: Rule) -> None:
    for path, number in numbers(rule.form.schema["properties"]):
        assert "minimum" in number, path
        assert "maximum" in number, path


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.id)
def test_every_parameter_and_every_rule_says_what_it_is(rule: Rule) -> None:
    assert len(rule.form.help) > 40
    for field in rule.form.fields.values():
        assert field.help, field.name


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.id)
def test_what_is_supplied_is_never_shown(rule: Rule) -> None:
    assert not {"house", "rules"} & set(rule.form.schema["properties"])


# ---- what rooms keep of characters ---------------------------------------------------------------

WITH_SHEETS = [system for system in SYSTEMS if system.sheet]
FEDS = [(rule, field.name, field.fed) for rule in RULES for field in rule.form.fields.values() if field.fed]
fed_ids = [f"{rule.id} {name}" for rule, name, _ in FEDS]


def sheet_schema(system: System) -> dict[str, Any]:
    """Each field of a system's sheet, with its JSON Schema."""
    assert system.sheet is not None
    hints = get_type_hints(system.sheet, include_extras=True)
    return {name: Field(name, hint).schema for name, hint in hints.items()}


@pytest.mark.parametrize("system", WITH_SHEETS, ids=lambda s: s.id)
def test_every_field_of_a_sheet_says_what_it_is_and_has_a_default_and_a_range(system: System) -> None:
    fresh = sheets.read(system, {})
    assert sheets.read(system, fresh) == fresh
    schema = sheet_schema(system)
    assert fresh.keys() == schema.keys()
    for name, field in schema.items():
        assert field["description"], name
        for path, number in numbers(field):
            assert {"minimum", "maximum"} <= set(number), f"{name}{path}"


@pytest.mark.parametrize(("rule", "name", "fed"), FEDS, ids=fed_ids)
def test_what_feeds_a_parameter_is_there(rule: Rule, name: str, fed: Fed) -> None:
    schema = sheet_schema(of(rule.system))
    kind = {"used": "object", "marked": "integer", "left": "integer"}[fed.counts] if fed.purse else None
    assert schema[fed.field]["type"] in ("integer", "object")
    assert kind in (None, schema[fed.field]["type"])
    assert not fed.most or schema[fed.most]["type"] == "integer"
    assert bool(fed.used) == (fed.counts == "used")
    assert not fed.used or schema[fed.used]["type"] == "object"
    if fed.each:
        records = [o for path, o in objects(rule.form.fields[name].schema) if fed.each in o]
        assert records
        assert all(not fed.whose or fed.whose in one for one in records)
    assert not fed.among or fed.among in rule.form.fields
    if fed.purse:
        assert rule.purses
        params = rule.form.read(small(rule)[0])
        assert fed.purse in rule.purses(params, sortes.prepare(rule, **small(rule)[0]).house)


def objects(schema: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The properties of every record in a schema."""
    if isinstance(schema, Mapping):
        if "properties" in schema:
            yield path, schema["properties"]
        for key, inner in schema.items():
            yield from objects(inner, f"{path}.{key}")
    elif isinstance(schema, list):
        for inner in schema:
            yield from objects(inner, path)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.id)
def test_what_changes_a_sheet_finds_it_there(system: System) -> None:
    house = sortes.prepare(system.rules[0], **CASE_OF[system.id]).houses[system.id]
    schema = sheet_schema(system) if system.sheet else {}
    for outcome, field in system.gains.items():
        assert any(outcome in rule.numbers for rule in system.rules), outcome
        assert schema[field]["type"] == "integer"
    purses = {fed.purse for rule, _, fed in FEDS if rule.system == system.id and not fed.their}
    for effect in (*system.scene(house), *system.rest(house)):
        if isinstance(effect, Refill):
            assert effect.purse in purses
            assert not effect.into or schema[effect.into]["type"] == "integer"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.id)
def test_where_nobody_has_a_sheet_rules_are_as_without(rule: Rule) -> None:
    for params in small(rule):
        filled = sheets.filled(rule, params, {})
        assert (filled.named, filled.links) == ({}, {})
        assert rule.form.read(filled.params) == rule.form.read(params)


def test_every_step_is_named_after_its_system() -> None:
    for step in STEPS.values():
        for system in SYSTEMS:
            if (step.rule.__module__ or "").startswith(f"{system.package}."):  # none: an example of a page
                assert step.id.partition(".")[0] == system.id
