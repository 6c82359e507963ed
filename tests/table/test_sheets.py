"""Sheets feed rules by name, and play changes them: C6.4, C7.3, A4, D5, S5, S9."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

import sortes
from sortes import catalog
from sortes.core.errors import Refused, RuleError
from sortes.core.world import Purse, Stock, World
from sortes.house import house
from sortes.prepared import Prepared
from sortes.table import sheets
from tests.rooms import RULES, SYSTEMS

CARDS, AGATE = catalog.system("cards"), catalog.system("agate")
WITH_SHEETS = [system for system in SYSTEMS if system.sheet]


class Person(Struct):
    """A character."""

    name: str
    sheets: dict[str, sheets.Sheet]


def person(name: str, **given: Any) -> Person:
    """A character with these sheets, by system."""
    ids = {id.replace("_", "-"): sheet for id, sheet in given.items()}
    return Person(name, {id: sheets.read(catalog.system(id), sheet) for id, sheet in ids.items()})


@pytest.fixture
def people() -> dict[str, Person]:
    mara = person(
        "Mara",
        cards={"level": 3, "els": {"Athletics": 3, "Charm": 2}, "hooks": {"Sea legs": 2, "Marked": 1}},
        agate={"skills": {"Climbing": 3}, "strain": 4},
        dramatic_skill={"skills": {"Locks": 12, "Stealth": 10}},
        poker_dice={"traits": {"Cook": 2}},
    )
    tor = person("Tor", cards={"level": 1, "els": {"athletics": 5}}, dramatic_skill={"skills": {"Locks": 9}})
    return {"m": mara, "t": tor}


def filled(rule: str, people: Mapping[str, Person], who: str | None = "m", **given: Any) -> sheets.Filled:
    opponent = given.pop("opponent", None)
    role = given.pop("role", "gm")
    return sheets.filled(catalog.rule(rule), given, people, who, opponent, role=role)


def after(people: Mapping[str, Person], *changes: sheets.Change) -> dict[str, Any]:
    """The sheets of all after these changes."""
    now: Mapping[str, Any] = {who: one.sheets for who, one in people.items()}
    for change in changes:
        now = sheets.applied(now, change)
    return dict(now)


# ---- a whole sheet ------------------------------------------------------------------------------


def test_what_is_not_given_is_as_at_the_start() -> None:
    assert sheets.read(CARDS, {}) == {"level": 1, "els": {}, "hooks": {}, "used": {}, "luck": 1}


def test_c7_3_luck_starts_at_level_and_there_is_no_more() -> None:
    assert sheets.read(CARDS, {"level": 4})["luck"] == 4
    assert sheets.read(CARDS, {"level": 4, "luck": 2})["luck"] == 2
    with pytest.raises(RuleError, match=r"cards\.luck: got 5; takes a whole number from 0 to 4"):
        sheets.read(CARDS, {"level": 4, "luck": 5})


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"els": {"Charm": 2, "Athletics": 501}}, "cards.els.Athletics"),
        ({"els": {"Athletics": "3"}}, "cards.els.Athletics"),
        ({"els": {"Athletics": True}}, "cards.els.Athletics"),
        ({"els": {"12": 3}}, "cards.els.12"),
        ({"els": {"none": 3}}, "cards.els.none"),
        ({"els": {"a, b": 3}}, "cards.els.a, b"),
        ({"els": {"a=1": 3}}, "cards.els.a=1"),
        ({"els": {" a": 3}}, "cards.els. a"),
        ({"els": {"x" * 81: 3}}, f"cards.els.{'x' * 81}"),
        ({"els": {"Charm": 2, "charm": 3}}, "cards.els.charm"),
        ({"els": 3}, "cards.els"),
        ({"els": {f"a{n}": 1 for n in range(201)}}, "cards.els"),
        ({"level": -1}, "cards.level"),
        ({"level": None}, "cards.level"),
        ({"luk": 1}, "cards.luk"),
        (3, "cards"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(given: Any, path: str) -> None:
    with pytest.raises(RuleError) as caught:
        sheets.read(CARDS, given)
    assert caught.value.parameter == path


def test_a_typed_sheet_has_numbers_as_text() -> None:
    assert sheets.read(CARDS, {"level": "2", "els": {"Charm": "4"}}, text=True)["els"] == {"Charm": 4}


def test_a_room_may_keep_nothing() -> None:
    bare = msgspec.structs.replace(CARDS, sheet=None, id="bare")
    with pytest.raises(RuleError, match="bare: keeps no sheet"):
        sheets.read(bare, {})


# ---- one edit -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "typed", "change"),
    [
        ("cards.level", "5", {"at": ["m", "cards", "level"], "by": 2}),
        ("cards.luck", "1", {"at": ["m", "cards", "luck"], "by": -2}),
        ("cards.luck", "none", {"at": ["m", "cards", "luck"], "by": -3}),
        ("cards.els.Swimming", "4", {"at": ["m", "cards", "els", "Swimming"], "to": 4}),
        ("cards.els.athletics", "4", {"at": ["m", "cards", "els", "Athletics"], "to": 4}),
        ("cards.els.Athletics", "none", {"at": ["m", "cards", "els", "Athletics"], "to": None}),
        ("cards.els.St. Elmo", "4", {"at": ["m", "cards", "els", "St. Elmo"], "to": 4}),
        ("cards.els", "Charm=3, Wit = 2", {"at": ["m", "cards", "els"], "to": {"Charm": 3, "Wit": 2}}),
        ("cards.els", '{"Charm": 3}', {"at": ["m", "cards", "els"], "to": {"Charm": 3}}),
        ("cards.els", "none", {"at": ["m", "cards", "els"], "to": {}}),
        ("cards.used.Sea legs", "1", {"at": ["m", "cards", "used", "Sea legs"], "by": 1}),
        ("agate.strain", "0", {"at": ["m", "agate", "strain"], "by": -4}),
    ],
)
def test_an_edit_is_an_operation(people: dict[str, Person], path: str, typed: str, change: Any) -> None:
    assert sheets.edited("m", people["m"].sheets, path, typed, text=True) == change


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("cards", 1),
        ("cards.lvl", 1),
        ("cards.level.more", 1),
        ("cards.level", 101),
        ("cards.luck", 4),
        ("cards.els.Charm", 501),
        ("cards.els.7", 1),
        ("cards.els", 3),
        ("card.level", 1),
    ],
)
def test_an_edit_that_is_wrong_names_the_path(people: dict[str, Person], path: str, value: Any) -> None:
    for typed, text in ((value, False), (str(value), True)):
        with pytest.raises(RuleError) as caught:
            sheets.edited("m", people["m"].sheets, path, typed, text=text)
        assert caught.value.parameter.startswith("cards.els" if path == "cards.els" else path)


def test_a_dot_too_many_takes_no_list_away(people: dict[str, Person]) -> None:
    for value in (None, {}):
        with pytest.raises(RuleError, match=r"cards\.els\.: ends in a dot; takes cards\.els, or after"):
            sheets.edited("m", people["m"].sheets, "cards.els.", value)


def test_a_typed_list_has_each_name_once(people: dict[str, Person]) -> None:
    for typed in ("Charm=1, Charm=2", "Charm=1, charm=2"):
        with pytest.raises(RuleError, match=r"cards\.els\.[Cc]harm: is .*; takes each name once"):
            sheets.edited("m", people["m"].sheets, "cards.els", typed, text=True)


def test_an_edit_of_a_sheet_that_is_not_there_is_for_a_fresh_one() -> None:
    change = sheets.edited("m", {}, "cards.level", 3)
    laid = {"m": {"cards": sheets.read(CARDS, {})}}
    assert sheets.applied(laid, change)["m"]["cards"]["level"] == 3


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, Any]:
    """A path and a value that it takes."""
    system = draw(st.sampled_from(WITH_SHEETS))
    name = draw(st.sampled_from(sorted(sheets.read(system, {}))))
    assert system.sheet is not None
    schema = msgspec.json.schema(system.sheet)["$defs"][system.sheet.__name__]["properties"][name]
    if schema["type"] == "integer":
        top = 1 if (system.id, name) == ("cards", "luck") else schema["maximum"]
        return f"{system.id}.{name}", draw(st.integers(schema["minimum"], top))
    entry = draw(st.sampled_from(["Athletics", "Sea legs", "x"]))
    number = schema["additionalProperties"]
    value = draw(st.none() | st.integers(number["minimum"], number["maximum"]))
    return f"{system.id}.{name}.{entry}", value


@given(st.lists(edits(), max_size=6))
def test_what_is_edited_is_so_and_can_be_undone(made: list[tuple[str, Any]]) -> None:
    now = {"m": {system.id: sheets.read(system, {}) for system in WITH_SHEETS}}
    for path, value in made:
        before = copy.deepcopy(now)
        id, name, *entry = path.split(".", 2)
        change = msgspec.json.decode(msgspec.json.encode(sheets.edited("m", now["m"], path, value)))
        now = sheets.applied(now, change)
        found = now["m"][id][name]
        assert (found.get(entry[0]) if entry else found) in ({value, None} if value == 0 else {value})
        undone: Mapping[str, Any] = now
        for one in sheets.inverse("m", before["m"], now["m"], change):
            undone = sheets.applied(undone, one)
        assert undone == before
        if not (id == "cards" and name == "level"):  # less than the Luck there is, is less from then on
            assert sheets.read(catalog.system(id), now["m"][id]) == now["m"][id]


# ---- from sheets to rules -----------------------------------------------------------------------


def test_a_name_stands_for_its_number(people: dict[str, Person]) -> None:
    found = filled("cards.resolve", people, el="athletics", against=3, luck=0)
    assert found.params == {"el": 3, "against": 3, "luck": 0}
    assert found.named == {"el": "Athletics"}
    by_name = sortes.odds("cards.resolve", **found.params)
    assert by_name.outcomes == sortes.odds("cards.resolve", el=3, against=3).outcomes


def test_the_opponent_s_sheet_feeds_the_other_side(people: dict[str, Person]) -> None:
    found = filled("cards.resolve", people, el="Charm", against="Athletics", opponent="t")
    assert found.params == {"el": 2, "against": 5, "luck": 3, "their_luck": 1}
    assert {name: link.who for name, link in found.links.items()} == {"luck": "m", "their_luck": "t"}


def test_typed_values_say_the_same(people: dict[str, Person]) -> None:
    typed = filled("cards.three", people, el="Athletics, 4, charm", luck="1")
    listed = filled("cards.three", people, el=["Athletics", 4, "charm"], luck=1)
    as_json = filled("cards.three", people, el='["Athletics", 4, "charm"]', luck=1)
    read = [Prepared.from_text("cards.three", one.params).params for one in (typed, listed, as_json)]
    assert read[0] == read[1] == read[2]
    assert read[0]["el"] == (3, 4, 2)
    assert filled("cards.three", people, el=None).params == {"el": None, "luck": 3}


def test_what_is_given_wins(people: dict[str, Person]) -> None:
    assert filled("cards.resolve", people, el=9, against=3, luck=1).params["luck"] == 1
    assert filled("agate.attempt", people, skill=1, difficulty=1).params == {
        "skill": 1,
        "difficulty": 1,
        "marked": 4,
    }
    given = filled("agate.attempt", people, skill="Climbing", difficulty=1, marked=0)
    assert given.params["marked"] == 0
    assert not given.links, "what is marked by hand is not the sheet's"


def test_no_more_tokens_than_are_left(people: dict[str, Person]) -> None:
    assert filled("cards.ask", people, luck=9).params["luck"] == 3
    assert filled("cards.ask", people, luck="9").params["luck"] == 3


@pytest.mark.parametrize(
    ("who", "given", "says"),
    [
        ("m", {"el": "Atletics", "against": 3}, r"el: Mara has no 'Atletics'; did you mean Athletics\?"),
        ("t", {"el": "Charm", "against": 3}, "el: Tor has no 'Charm'; there is athletics"),
        (None, {"el": "Charm", "against": 3}, "el: got 'Charm', and nobody is named who acts; takes a whole"),
        ("m", {"el": 3, "against": "Charm"}, "against: got 'Charm', and no opponent is named; takes a whole"),
        ("n", {"el": "Charm", "against": 3}, "el: got 'Charm', and Nil has no sheet of cards"),
        ("m", {"el": 3, "against": 3, "hook": "Sea leg"}, r"hook: Mara has .* did you mean Sea legs\?"),
        ("m", {"el": 3, "against": 3, "hook": "Marked, Sea legs"}, "hook: got 'Marked, Sea legs'; takes one"),
    ],
)
def test_a_name_that_stands_for_nothing(
    people: dict[str, Person], who: str | None, given: dict[str, Any], says: str
) -> None:
    with pytest.raises(RuleError, match=says):
        filled("cards.resolve", {**people, "n": Person("Nil", {})}, who, **given)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.id)
def test_a_name_feeds_every_parameter_that_takes_one(rule: Any) -> None:
    """Whatever the room: the name of an entry with 1 is the number 1, and a field that is one number is put in."""
    for name, field in rule.form.fields.items():
        if field.fed is None or field.fed.each:
            continue
        system = catalog.system(rule.system)
        one = sheets.read(system, {})[field.fed.field]
        entry = {field.fed.field: {"A thing": 1} if isinstance(one, Mapping) else 1}
        someone = {"x": Person("X", {system.id: sheets.read(system, entry)})}
        given = {name: "a THING"} if isinstance(one, Mapping) else {}
        found = sheets.filled(rule, given, someone, "x", "x")
        assert found.params[name] == 1
        assert msgspec.convert(found.params[name], field.type) == 1
        assert (field.fed.purse in found.links) == bool(field.fed.purse)


def test_a_parameter_given_twice_is_left_to_the_form(people: dict[str, Person]) -> None:
    found = filled("cards.resolve", people, **{"el": 1, "against": 1, "their-extra": 1, "their_extra": 2})
    with pytest.raises(RuleError, match="given twice"):
        sortes.prepare("cards.resolve", **found.params)


def test_d5_whoever_plays_a_character_is_a_player(people: dict[str, Person]) -> None:
    assert filled("d20-oracle.ask", people).params["asker"] == "player"
    assert filled("d20-oracle.ask", people, None).params["asker"] == "gm"
    assert filled("d20-oracle.ask", people, None, role="player").params["asker"] == "player"
    assert filled("d20-oracle.ask", people, asker="gm").params["asker"] == "gm"


def test_s9_each_lead_tests_with_a_number_of_its_own(people: dict[str, Person]) -> None:
    steps = [{"skill": "Locks", "dn": 11}, {"skill": {"Mara": "Stealth", "Tor": 8}, "dn": 9}]
    rule = catalog.rule("dramatic-skill.task")
    found = sheets.filled(rule, {"steps": steps, "leads": "mara, Tor"}, people)
    assert found.params["steps"][0]["skill"] == {"mara": 12, "Tor": 9}
    assert found.params["steps"][1]["skill"] == {"Mara": 10, "Tor": 8}
    assert found.named == {"steps[0].skill": "Locks", "steps[1].skill": "Stealth"}
    alone = sheets.filled(rule, {"steps": steps[:1]}, people, "t")
    assert alone.params["steps"] == [{"skill": 9, "dn": 11}]
    assert steps[0]["skill"] == "Locks", "what was given stays as it was"


def test_s9_who_lacks_a_skill_is_named(people: dict[str, Person]) -> None:
    steps = [{"skill": "Stealth", "dn": 11}]
    with pytest.raises(RuleError, match=r"steps\[0\]\.skill: Tor has no 'Stealth'; there is Locks"):
        filled("dramatic-skill.task", people, steps=steps, leads=["Mara", "Tor"])
    with pytest.raises(RuleError, match=r"steps\[0\]\.skill: got 'Stealth', and 'Ann' is no character"):
        filled("dramatic-skill.task", people, steps=steps, leads=["Mara", "Ann"])
    with pytest.raises(RuleError, match=r"steps\[0\]\.skill: got 'Stealth', and nobody is named who acts"):
        filled("dramatic-skill.task", people, None, steps=steps)


def test_s8_each_helper_tests_with_a_number_of_its_own(people: dict[str, Person]) -> None:
    typed = '["normal", {"name": "tor", "skill": "Locks", "dn": 9}, {"skill": "8", "dn": 9}]'
    found = filled("dramatic-skill.help", people, helpers=typed)
    made = Prepared.from_text("dramatic-skill.help", found.params).params["helpers"]
    assert [getattr(one, "skill", one) for one in made] == ["normal", 9, 8]
    assert filled("dramatic-skill.help", people, helpers="3").params == {"helpers": "3"}
    with pytest.raises(RuleError, match=r"helpers\[0\]\.skill: got 'Locks', and it names nobody"):
        filled("dramatic-skill.help", people, helpers=[{"skill": "Locks", "dn": 9}])


# ---- purses -------------------------------------------------------------------------------------


def test_c6_4_a_hook_is_used_up_in_a_scene_and_may_be_split(people: dict[str, Person]) -> None:
    whole = filled("cards.resolve", people, el=3, against=3, hook="sea legs")
    assert whole.params["hook"] == 2
    one = filled("cards.resolve", people, el=3, against=3, hook="Sea legs=1")
    assert (one.params["hook"], one.named["hook"]) == (1, "Sea legs")
    link = one.links["hook"]
    people["m"].sheets = after(people, *sheets.spent(link, 1))["m"]
    assert people["m"].sheets["cards"]["used"] == {"Sea legs": 1}
    assert filled("cards.resolve", people, el=3, against=3, hook="Sea legs").params["hook"] == 1
    assert filled("cards.resolve", people, el=3, against=3, hook="Marked").params["hook"] == 1
    with pytest.raises(Refused, match="hook: Mara has 1 of Sea legs left in this scene"):
        filled("cards.resolve", people, el=3, against=3, hook="Sea legs=2")
    people["m"].sheets = after(people, *sheets.spent(link, 1))["m"]
    with pytest.raises(Refused, match="hook: Mara has 0 of Sea legs left"):
        filled("cards.resolve", people, el=3, against=3, hook="Sea legs")


def test_a_number_is_no_hook_of_the_sheet(people: dict[str, Person]) -> None:
    assert "hook" not in filled("cards.resolve", people, el=3, against=3, hook=1).links


def test_two_plays_spend_from_one_purse(people: dict[str, Person]) -> None:
    """The purse is as the sheet is now: what another play has spent meanwhile is gone."""
    link = filled("cards.ask", people).links["luck"]
    assert sheets.purse(link, people, 0, 3) == Purse(0, 3)
    assert sheets.purse(link, people, 0, 1) == Purse(0, 1), "at most what this play was given"
    people["m"].sheets = after(people, *sheets.spent(link, 2))["m"]
    assert sheets.purse(link, people, 0, 3) == Purse(0, 1)
    assert sheets.purse(link, people, 1, 2) == Purse(0, 1)
    assert sheets.purse(link, {}, 0, 3) == Purse(0, 0), "who is gone has none"


def test_a4_strain_is_what_is_marked(people: dict[str, Person]) -> None:
    link = filled("agate.attempt", people, skill="Climbing", difficulty=1).links["strain"]
    assert sheets.purse(link, people, 0, None) == Purse(4, None)
    assert sheets.purse(link, people, 0, 10) == Purse(4, 10)
    assert after(people, *sheets.spent(link, 3))["m"]["agate"]["strain"] == 7
    assert after(people, *sheets.spent(link, -3))["m"]["agate"]["strain"] == 1
    assert after(people, *sheets.spent(link, 5000))["m"]["agate"]["strain"] == 1000, "what a sheet can hold"


@given(level=st.integers(0, 6), cap=st.integers(0, 8), order=st.lists(st.integers(0, 1), max_size=10))
def test_a_token_is_never_spent_twice(level: int, cap: int, order: list[int]) -> None:
    """Two plays take turns; each marks in its own world, and the sheet is told."""
    people = {"m": person("Mara", cards={"level": level})}
    link, stock, taken = filled("cards.ask", people).links["luck"], Stock([], [], ["luck"]), [0, 0]
    for play in order:
        world = World((), (sheets.purse(link, people, taken[play], cap),))
        if stock.fits(world, (("luck", 1),)):
            taken[play] += 1
            people["m"].sheets = after(people, *sheets.spent(link, 1))["m"]
    assert people["m"].sheets["cards"]["luck"] == level - sum(taken) >= 0
    assert max(taken) <= cap
    assert sum(taken) == min(level, sum(min(order.count(i), cap) for i in (0, 1)))


def test_the_odds_are_those_of_the_sheet(people: dict[str, Person]) -> None:
    """A4: with 4 marked of a capacity of 6, a Setback's 3 no longer fit."""
    rules = {"strain_capacity": 6}
    found = filled("agate.attempt", people, skill="Climbing", difficulty=1)
    odds = sortes.odds("agate.attempt", house=rules, policy="best", **found.params)
    assert odds.p("partial-success") == 0
    assert sortes.odds("agate.attempt", house=rules, policy="best", skill=3, difficulty=1).p(
        "partial-success"
    ) > Fraction(1, 5)


# ---- what outcomes, scenes and rests do ---------------------------------------------------------


def test_a4_a_triumph_brings_renown(people: dict[str, Person]) -> None:
    rule = catalog.rule("agate.attempt")
    played = sortes.play("agate.attempt", skill=3, difficulty=3, hands=[[20, 1]])
    assert played.outcome.result == "triumph"
    assert after(people, *sheets.gained(rule, played.outcome, "m"))["m"]["agate"]["renown"] == 1


def test_d5_aura_is_kept_even_by_who_had_no_sheet_for_it(people: dict[str, Person]) -> None:
    rule = catalog.rule("d20-oracle.ask")
    played = sortes.play("d20-oracle.ask", asker="player", tables=False, hands=[[[20], [20], [3]]])
    assert played.outcome.aura == 2
    changes = sheets.gained(rule, played.outcome, "t")
    now = after(people, *changes, *changes)
    assert now["t"]["d20-oracle"] == {"aura": 4}
    people["t"].sheets = now["t"]
    assert filled("d20-oracle.ask", people, "t").params == {"asker": "player"}


def test_s5_an_approved_action_is_a_destiny_card(people: dict[str, Person]) -> None:
    rule = catalog.rule("dramatic-skill.task")
    outcome = rule.outcome("out-of-time", rounds=5, steps_done=2, approved=2)
    assert after(people, *sheets.gained(rule, outcome, "m"))["m"]["dramatic-skill"]["destiny"] == 2
    help = sortes.play("dramatic-skill.help", helpers=1).outcome
    assert sheets.gained(catalog.rule("dramatic-skill.help"), help, "m") == []


def test_c6_4_c7_3_a_scene_brings_back_hooks_and_one_token(people: dict[str, Person]) -> None:
    effects = sheets.effects({"cards": house(CARDS), "agate": house(AGATE)}, "scene")
    link = filled("cards.resolve", people, el=3, against=3, hook="Sea legs").links
    spent = after(people, *sheets.spent(link["hook"], 2), *sheets.spent(link["luck"], 2))["m"]
    people["m"].sheets = spent
    luck = []
    for _ in range(4):
        now = after(people, *sheets.brought(effects, people))
        people["m"].sheets, people["t"].sheets = now["m"], now["t"]
        luck.append((now["m"]["cards"]["luck"], now["t"]["cards"]["luck"]))
    assert luck == [(2, 1), (3, 1), (3, 1), (3, 1)]
    assert people["m"].sheets["cards"]["used"] == {}
    assert people["m"].sheets["agate"]["strain"] == 4, "only rest clears Strain"


def test_a_scene_takes_nothing_away(people: dict[str, Person]) -> None:
    people["m"].sheets = after(people, sheets.edited("m", people["m"].sheets, "cards.level", 1))["m"]
    effects = sheets.effects({"cards": house(CARDS)}, "scene")
    assert after(people, *sheets.brought(effects, people))["m"]["cards"]["luck"] == 3


@pytest.mark.parametrize(("rate", "growth"), [(1, 4), (2, 8), (0, 0)])
def test_a4_rest_clears_strain_into_growth_at_the_house_s_rate(
    people: dict[str, Person], rate: int, growth: int
) -> None:
    effects = sheets.effects({"agate": house(AGATE, {"growth": rate})}, "rest")
    rested = after(people, *sheets.brought(effects, {"m": people["m"]}))
    assert rested["m"]["agate"]["strain"] == 0
    assert rested["m"]["agate"]["growth"] == growth
    assert rested["t"] is people["t"].sheets


# ---- operations ---------------------------------------------------------------------------------

NUMBERS = [("luck",), ("level",), ("used", "Sea legs"), ("used", "x")]


@st.composite
def changes(draw: st.DrawFn) -> sheets.Change:
    """Any operation on a sheet of cards or Agate."""
    kind = draw(st.sampled_from(["by", "to", "into"]))
    if kind == "into":
        return {
            "at": ["m", "agate", "strain"],
            "into": ["m", "agate", "growth"],
            "rate": draw(st.integers(1, 3)),
        }
    at = ["m", "cards", *draw(st.sampled_from(NUMBERS))]
    if kind == "to":
        return {
            "at": at,
            "to": draw(st.none() | st.integers(0, 9)) if len(at) == 4 else draw(st.integers(0, 9)),
        }
    bounds = draw(st.sampled_from([{}, {"least": 0}, {"least": 0, "most": 5}, {"most": "level"}]))
    return {"at": at, "by": draw(st.integers(-9, 9)), **bounds}


@given(st.lists(changes(), min_size=1, max_size=8))
def test_operations_can_be_undone_one_by_one(made: list[sheets.Change]) -> None:
    start = {"m": person("Mara", cards={"level": 3}, agate={"strain": 4}).sheets}
    now, back = start, []
    for change in made:
        kept = copy.deepcopy(now)
        then = sheets.applied(now, change)
        assert now == kept, "what was before stays"
        back = [*sheets.inverse("m", now["m"], then["m"], change), *back]
        now = then
    for change in msgspec.json.decode(msgspec.json.encode(back)):
        now = sheets.applied(now, change)
    assert now == start


@given(st.lists(st.tuples(st.sampled_from(NUMBERS), st.integers(-9, 9)), max_size=8), st.randoms())
def test_sums_do_not_depend_on_their_order(made: list[tuple[tuple[str, ...], int]], random: Any) -> None:
    start = {"m": person("Mara", cards={"level": 3}).sheets}
    operations: list[sheets.Change] = [{"at": ["m", "cards", *at], "by": n} for at, n in made]
    shuffled = random.sample(operations, len(operations))
    one, other = start, start
    for a, b in zip(operations, shuffled, strict=True):
        one, other = sheets.applied(one, a), sheets.applied(other, b)
    assert one == other


def test_a_play_leaves_the_sheet_as_its_own_world_has_it(people: dict[str, Person]) -> None:
    """All through a play, what it costs by the sheet is what it costs by the engine's own purses."""
    for seed in range(40):
        found = filled("agate.attempt", people, skill="Climbing", difficulty=2)
        link = found.links["strain"]
        played = sortes.play("agate.attempt", policy="best", seed=seed, **found.params)
        cost = sum(n for what, n in played.tallies if what == "strain") + sum(
            n for chosen in played.choices for what, n in chosen.cost if what == "strain"
        )
        before = people["m"].sheets["agate"]["strain"]
        people["m"].sheets = after(people, *sheets.spent(link, cost))["m"]
        assert people["m"].sheets["agate"]["strain"] == before + played.outcome.strain
