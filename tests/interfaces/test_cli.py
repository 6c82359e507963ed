"""The command line: JSON shapes and exit statuses are promised, options come from the rules, and no input, however
hostile, ends in a traceback. Rules are found, not listed: a new room is tested by being there."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sortes import __version__, catalog
from sortes.core.form import Field
from sortes.core.system import Rule
from sortes.interfaces.cli import main

RULES = [rule for system in catalog.systems() for rule in system.rules]
IDS = [rule.id for rule in RULES]
STEPS = json.dumps([{"name": name, "by": "stated", "level": "standard"} for name in "ABCD"])
# What a rule must be told, where it has no default: small, so that every walk is quick.
NEEDS: dict[str, dict[str, str]] = {
    "cards.contest": {"card": "8C"},
    "cards.conflict": {"mine": "1", "theirs": "0"},
    "dramatic-skill.task": {"steps": STEPS, "rounds": "5"},
    "dramatic-skill.test": {"skill": "10", "dn": "12"},
}


def sortes(*args: str, env: dict[str, str] | None = None) -> Result:
    """What the command says without a terminal, and its status. A traceback fails at once."""
    result = CliRunner().invoke(main, [*args], env={"COLUMNS": "80", "NO_COLOR": None, **(env or {})})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def said(*args: str) -> dict[str, Any]:
    """The one JSON object on stdout."""
    result = sortes(*args, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    found: dict[str, Any] = json.loads(result.stdout)
    assert result.stdout.count("\n") == 1
    return found


def needed(rule: Rule) -> list[str]:
    """Options that make a rule complete."""
    given = NEEDS.get(rule.id, {})
    for field in rule.form.fields.values():
        if field.required and field.name not in given:
            given = {**given, field.name: "2"}
    return [part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", value)]


# ---- what there is ------------------------------------------------------------------------------


def test_alone_it_says_what_it_can_do_with_three_examples_that_run() -> None:
    result = sortes()
    assert result.exit_code == 0
    shown = [
        line.strip()
        for line in result.stdout.splitlines()
        if line.startswith("  sortes ") and "RULE" not in line
    ]
    assert len(shown) == 3
    for example in shown:
        assert sortes(*shlex.split(example)[1:]).exit_code == 0, example


def test_systems_tell_every_rule_with_schema_and_help() -> None:
    found = said("systems")
    rules = [rule for system in found["systems"] for rule in system["rules"]]
    assert [rule["id"] for rule in rules] == IDS
    for rule in rules:
        assert rule["help"]
        assert rule["schema"]["type"] == "object"
    told = sortes("systems").stdout
    assert all(id in told for id in IDS)


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_help_has_every_parameter_with_what_it_takes(rule: Rule) -> None:
    told = sortes("play", rule.id, "--help")
    assert told.exit_code == 0
    options = told.stdout.split("Options:")[1]
    for field in rule.form.fields.values():
        assert f"--{field.name.replace('_', '-')}" in options
        if field.required:
            assert "required" in options
    assert "--policy" in options


def test_version() -> None:
    assert sortes("--version").stdout == f"sortes {__version__}\n"


# ---- the four walks, for every rule -------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_play_json(rule: Rule) -> None:
    found = said("play", rule.id, *needed(rule), "--policy", "plain", "--seed", "7")
    assert list(found) == ["rule", "params", "outcome", "throws", "choices", "why", "p"]
    assert found["rule"] == rule.id
    assert list(found["params"]) == list(rule.form.fields)
    assert list(found["outcome"]) == list(rule.fields)
    for throw in found["throws"]:
        assert {"kind", "faces", "kept"} <= set(throw)
    assert found["why"]
    assert found["p"] is None or 0 < Fraction(found["p"]) <= 1
    again = said("play", rule.id, *needed(rule), "--policy", "plain", "--seed", "7")
    assert {**again, "p": None} == {**found, "p": None}


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_odds_json_sums_to_exactly_one(rule: Rule) -> None:
    found = said("odds", rule.id, *needed(rule))
    assert list(found) == ["rule", "params", "outcomes", "unresolved"]
    total = sum(Fraction(row["p"]) for row in found["outcomes"]) + Fraction(found["unresolved"])
    assert total == 1
    for row in found["outcomes"]:
        assert row["probability"] == pytest.approx(float(Fraction(row["p"])))
        assert next(iter(row)) == rule.fields[0]


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_odds_by_each_field_have_one_row_a_value(rule: Rule) -> None:
    for field in rule.fields:
        cut = ["--within", "3"] if field in rule.endless else []
        found = said("odds", rule.id, *needed(rule), "--by", field.replace("_", "-"), *cut)
        values = [json.dumps(row[field]) for row in found["outcomes"]]
        assert len(values) == len(set(values))
        assert sum(Fraction(row["p"]) for row in found["outcomes"]) + Fraction(found["unresolved"]) == 1
        if "mean" in found:
            assert field in rule.numbers
            if found["unresolved"] == "0":
                assert sum(Fraction(row["p"]) * row[field] for row in found["outcomes"]) == Fraction(
                    found["mean"]
                )


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_advise_json(rule: Rule) -> None:
    found = said("advise", rule.id, *needed(rule))
    assert list(found)[:5] == ["rule", "params", "choice", "best", "options"]
    for option in found["options"]:
        assert {"option", "worth", "exact"} <= set(option)


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_simulate_json(rule: Rule) -> None:
    found = said("simulate", rule.id, *needed(rule), "-n", "200", "--seed", "5")
    assert list(found) == ["rule", "params", "n", "seed", "counts"]
    assert (found["n"], found["seed"]) == (200, 5)
    assert sum(row["n"] for row in found["counts"]) == 200
    assert isinstance(said("simulate", rule.id, *needed(rule), "-n", "1")["seed"], int)


@pytest.mark.parametrize("rule", RULES, ids=IDS)
@pytest.mark.parametrize("columns", ["20", "40", "100"])
def test_what_people_read_fits_their_terminal(rule: Rule, columns: str) -> None:
    for walk in (["play", "--policy", "plain", "--why"], ["odds"], ["simulate", "-n", "50"]):
        result = sortes(walk[0], rule.id, *needed(rule), *walk[1:], env={"COLUMNS": columns})
        assert result.exit_code == 0, result.stderr
        assert "\033" not in result.stdout
        if columns != "20":
            assert max(map(len, result.stdout.splitlines())) <= int(columns), result.stdout


def test_json_shapes_as_promised() -> None:
    """INTERFACE.md, Command line, word by word."""
    found = said("odds", "poker-dice.roll")
    draw = next(row for row in found["outcomes"] if row["result"] == "draw")
    assert draw == {"result": "draw", "p": "1/9", "probability": pytest.approx(1 / 9)}
    assert found["params"] == {"level": 1, "bonus": 0, "penalty": 0}
    assert found["unresolved"] == "0"
    found = said("advise", "cards.resolve", "--el", "7", "--against", "9", "--extra", "choose")
    assert (found["choice"], found["best"]) == ("extra-effort", 5)
    assert [option["option"] for option in found["options"]] == list(range(8))
    assert all(
        float(Fraction(option["exact"])) == pytest.approx(option["worth"]) for option in found["options"]
    )


def test_mean_is_told_where_it_is_finite() -> None:
    assert Fraction(said("odds", "cards.run", "--by", "reds")["mean"]) == Fraction(26, 27)
    cut = said("odds", "cards.conflict", "--mine", "1", "--theirs", "0", "--by", "rounds", "--within", "2")
    assert Fraction(cut["unresolved"]) > 0
    assert "mean" not in said("odds", "poker-dice.roll", "--by", "result")


def test_csv() -> None:
    result = sortes("odds", "poker-dice.roll", "--csv")
    head, *rows = result.stdout.splitlines()
    assert head == "result,p,probability"
    assert rows[0].startswith("extreme-success,1/36,0.02777")
    assert len(rows) == 6
    cut = sortes(
        "odds", "cards.conflict", "--mine", "1", "--theirs", "0", "--by", "rounds", "--within", "1", "--csv"
    )
    assert cut.stdout.splitlines()[-1].startswith("unresolved,")


# ---- what is typed ------------------------------------------------------------------------------


def test_a_dash_and_an_underscore_are_the_same() -> None:
    args = ["odds", "cards.resolve", "--el", "3", "--against", "3"]
    assert said(*args, "--their-extra", "1") == said(*args, "--their_extra", "1")


def test_switches_lists_records_and_none() -> None:
    assert said("odds", "d20-oracle.ask", "--no-tables")["params"]["tables"] is False
    assert said("odds", "cards.three", "--el", "3,4,5")["params"]["el"] == [3, 4, 5]
    assert said("odds", "cards.three", "--el", "none")["params"]["el"] is None
    left = said("odds", "cards.ask", "--deck", '{"H": 1, "C": 1}')
    assert {row["result"]: row["p"] for row in left["outcomes"]} == {"yes-and": "1/2", "no-and": "1/2"}
    task = said("odds", "dramatic-skill.task", "--steps", STEPS, "--rounds", "5", "--by", "result")
    done = next(row for row in task["outcomes"] if row["result"] == "done")
    assert done["probability"] == pytest.approx(0.45258, abs=1e-5)  # RULES.md, known values of S


def test_the_rule_may_stand_behind_its_options() -> None:
    assert said("odds", "--level", "2", "poker-dice.roll") == said("odds", "poker-dice.roll", "--level", "2")


def test_house_rules_from_a_file(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text("most = 0\n", encoding="utf-8")
    plain = said("odds", "poker-dice.roll", "--bonus", "3")
    assert said("odds", "poker-dice.roll", "--bonus", "3", "--house", str(house)) != plain
    house.write_text("moist = 0\n", encoding="utf-8")
    result = sortes("odds", "poker-dice.roll", "--house", str(house))
    assert (result.exit_code, "did you mean most" in result.stderr) == (2, True)


def test_ask_is_the_shortest_way() -> None:
    found = said("ask", "Is", "it", "so?", "--likely", "--seed", "5")
    assert found["question"] == "Is it so?"
    assert found["params"]["likelihood"] == "likely"
    assert said("ask", "x", "--unlikely")["params"]["likelihood"] == "unlikely"
    assert said("ask", "x", "--likelihood", "unlikely")["params"]["likelihood"] == "unlikely"
    told = sortes("ask", "Is it \033[31mso?", "--seed", "5").stdout
    assert "Is it" in told
    assert "\033" not in told


def test_why_tells_the_rules() -> None:
    assert "Rules D1, D2" in sortes("ask", "x", "--seed", "5", "--why").stdout
    assert "Rules" not in sortes("ask", "x", "--seed", "5").stdout


def test_how_likely_it_was() -> None:
    assert "25.0% likely (1/4)" in sortes("play", "cards.ask").stdout


def test_policy_for_each_chooser() -> None:
    args = [
        "odds",
        "cards.resolve",
        "--el",
        "4",
        "--against",
        "4",
        "--luck",
        "1",
        "--their-luck",
        "1",
        "--by",
        "result",
    ]
    mine = said(*args, "--policy", "self=best,opponent=plain")
    plain, best = said(*args), said(*args, "--policy", "best")

    def win(found: dict[str, Any]) -> float:
        return sum(float(row["probability"]) for row in found["outcomes"] if row["result"] == "win")

    assert win(best) == 0  # both take the best score they can, and the opponent holds the tie (C7.2)
    assert 0 < win(plain) < win(mine)


# ---- what is refused ----------------------------------------------------------------------------

HOSTILE = [
    "",
    " ",
    "NaN",
    "inf",
    "-7",
    "9" * 70,
    "1e9",
    "banana",
    "\x00",
    "[",
    "{}",
    '{"a": {"b": [1]}}',
    "🂡",
    "--",
]


def accepts(field: Field, value: str) -> bool:
    """Whether some hostile text is good input after all: free text, or a number in range."""
    from sortes.core.errors import RuleError
    from sortes.core.form import _read

    try:
        _read(field, value, True)
    except RuleError:
        return False
    return True


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_hostile_values_are_refused_by_name(rule: Rule) -> None:
    for field in rule.form.fields.values():
        option = f"--{field.name.replace('_', '-')}"
        if "boolean" in {part.get("type") for part in field.schema.get("anyOf", [field.schema])}:
            result = sortes("odds", rule.id, *needed(rule), f"{option}=7")
            assert result.exit_code == 2
            assert field.name in result.stderr
            continue
        for value in HOSTILE:
            result = sortes("simulate", rule.id, "-n", "1", *needed(rule), option, value)
            if result.exit_code == 0 and accepts(field, value):
                continue
            assert result.exit_code == 2, (option, value, result.stdout)
            assert result.stderr.startswith(f"sortes: {field.name}"), (value, result.stderr)
            assert result.stderr.count("\n") == 1
            assert result.stdout == ""


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_what_is_missing_is_named(rule: Rule) -> None:
    for field in rule.form.fields.values():
        if field.required:
            args = needed(rule)
            at = args.index(f"--{field.name.replace('_', '-')}")
            result = sortes("play", rule.id, *args[:at], *args[at + 2 :], "--policy", "plain")
            assert result.exit_code == 2
            assert result.stderr.startswith(f"sortes: {field.name}: is missing; takes ")


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (
            ["odds", "poker-dice.roll", "--levl", "1"],
            "levl: is not an option of poker-dice.roll; did you mean level?",
        ),
        (["odds", "poker-dice.roll", "--el", "1"], "el: "),
        (["odds", "poker-dice.roll", "--level"], "level: needs a value; takes a whole number"),
        (["odds", "poker-dice.rol"], "rule: poker-dice has no 'rol'; did you mean poker-dice.roll?"),
        (["odds", "poker.roll"], "rule: there is no 'poker'; did you mean poker-dice?"),
        (["odds", "../etc.passwd"], "rule: there is no"),
        (["odds"], "rule: is missing; takes "),
        (["od", "poker-dice.roll"], "command: there is no 'od'; did you mean odds?"),
        (["--frobnicate"], "frobnicate: is not an option"),
        (["odds", "poker-dice.roll", "--by", "colour"], "by: got 'colour'; takes a field"),
        (["odds", "poker-dice.roll", "--within", "3"], "within: goes with --by"),
        (
            ["odds", "cards.conflict", "--mine", "1", "--theirs", "1", "--by", "rounds"],
            "within: rounds has no bound",
        ),
        (["odds", "poker-dice.roll", "--by", "result", "--within", "NaN"], "within: got 'NaN'"),
        (["odds", "poker-dice.roll", "--csv", "--json"], "csv: got both"),
        (["odds", "poker-dice.roll", "--worth", "colour"], "worth: got 'colour'"),
        (["odds", "poker-dice.roll", "--policy", "worst"], "policy: got 'worst'; takes plain or best"),
        (
            ["play", "cards.ask", "--luck", "1", "--policy", "nobody=best"],
            "policy: got 'nobody'; takes choosers",
        ),
        (["odds", "poker-dice.roll", "--policy", "=best"], "policy: got '=best'"),
        (["odds", "poker-dice.roll", "--house", "no/such.toml"], "house: such.toml cannot be read"),
        (["play", "poker-dice.roll", "--seed", "-1"], "seed: got '-1'"),
        (["play", "poker-dice.roll", "--seed", "x"], "seed: got 'x'"),
        (["simulate", "poker-dice.roll"], "n: is missing"),
        (["simulate", "poker-dice.roll", "-n", "0"], "n: got '0'"),
        (["simulate", "poker-dice.roll", "-n", "1e6"], "n: got '1e6'"),
        (["ask"], "question: is missing"),
        (["ask", " "], "question: is missing"),
        (["ask", "x", "--likely", "--unlikely"], "likelihood: got 'likely and unlikely'"),
        (["advise", "cards.ask", "--luck", "1", "--policy", "plain"], "policy: got 'plain'"),
        (["completion", "tcsh"], "shell: got 'tcsh'; takes one of bash, zsh, fish"),
    ],
)
def test_bad_input_is_one_line_that_names_it(args: list[str], named: str) -> None:
    for more in ([], ["--json"]):
        if args[0] in ("completion", "--frobnicate") and more:
            continue
        result = sortes(*args, *more)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        if not (more and "--level" in args[-1:]):
            assert result.stderr.startswith(f"sortes: {named}"), result.stderr


def test_the_rules_may_refuse_good_input_now() -> None:
    result = sortes("play", "cards.resolve", "--el", "40", "--against", "40")
    assert result.exit_code == 1
    assert result.stderr.startswith("sortes: deck: 80 cards")


@pytest.mark.parametrize(
    "args", [["agate.attempt", "--skill", "5", "--difficulty", "5"], ["cards.ask", "--luck", "1"]]
)
def test_a_rule_that_can_ask_is_refused_without_a_terminal(args: list[str]) -> None:
    for more in ([], ["--json"], ["--seed", "3"]):
        result = sortes("play", *args, *more)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith("sortes: policy: is missing")
    assert sortes("play", *args, "--policy", "best").exit_code == 0


@pytest.mark.parametrize("args", [["agate.attempt", "--skill", "9", "--difficulty", "10"], ["cards.ask"]])
def test_one_that_cannot_ask_needs_no_policy(args: list[str]) -> None:
    assert sortes("play", *args).exit_code == 0


# ---- completion ---------------------------------------------------------------------------------


def completed(words: str) -> list[str]:
    env = {
        "_SORTES_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    result = CliRunner().invoke(main, [], env=env)
    return [line.partition(",")[2] for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sortes ", "advise"),
        ("sortes odds poker", "poker-dice.roll"),
        ("sortes odds poker-dice.roll --le", "--level"),
        ("sortes play d20-oracle.ask --likelihood ", "unlikely"),
        ("sortes odds cards.conflict --by ", "rounds"),
        ("sortes play cards.ask --policy ", "best"),
        ("sortes ask --l", "--likely"),
    ],
)
def test_completion_knows_rules_options_and_values(typed: str, offered: str) -> None:
    assert offered in completed(typed)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    result = sortes("completion", shell)
    assert result.exit_code == 0
    assert "_SORTES_COMPLETE" in result.stdout


# ---- in earnest: processes and a terminal -------------------------------------------------------

COMMAND = [sys.executable, "-m", "sortes"]


def test_as_a_process() -> None:
    done = subprocess.run(
        [*COMMAND, "ask", "Is it so?", "--seed", "5"], capture_output=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Is it so?" in done.stdout
    bad = subprocess.run(
        [*COMMAND, "odds", "poker-dice.roll", "--level", "x"], capture_output=True, encoding="utf-8"
    )
    assert (bad.returncode, bad.stdout) == (2, "")


def test_a_terminal_of_few_letters_and_bytes_that_are_no_text() -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for args in (["odds", "poker-dice.roll"], ["ask", "später?"], ["play", "cards.ask"]):
        done = subprocess.run([*COMMAND, *args], capture_output=True, env=env)
        assert (done.returncode, done.stderr) == (0, b"")
    broken = subprocess.run([*COMMAND, "ask", b"\xff\xfe", "--json"], capture_output=True)
    assert broken.returncode == 0
    assert json.loads(broken.stdout)


def test_a_reader_who_has_read_enough() -> None:
    done = subprocess.run(
        f'"{sys.executable}" -m sortes odds cards.run --csv | head -1',
        shell=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout == "reds,p,probability\n"
    assert done.stderr == ""


def test_a_short_start_imports_no_more_than_it_needs() -> None:
    late = ("rich", "numpy", "asyncio", "importlib.metadata", "zipfile", "hashlib", "difflib")
    rooms = (
        "sortes.engine.advise",
        "sortes.engine.simulate",
        "sortes.systems.cards",
        "sortes.interfaces.cli.asking",
    )
    code = "import sys; from sortes.interfaces.cli import main\ntry: main(['ask', 'x'])\nexcept SystemExit: pass\n"
    code += f"print([m for m in {late + rooms} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout.splitlines()[-1] == "[]"


def terminal(*args: str, answers: list[str], env: dict[str, str] | None = None) -> tuple[str, int]:
    """What a person sees and types at a terminal, and the exit status."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm-256color", "COLUMNS": "80", **(env or {})})
        os.execv(sys.executable, [*COMMAND, *args])
    shown, until = b"", time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                more = os.read(fd, 65536)
            except OSError:
                break
            if not more:
                break
            shown += more
            if answers and shown.rstrip().endswith(b"[1]:"):
                os.write(fd, answers.pop(0).encode())
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


SETBACK = ["play", "agate.attempt", "--skill", "3", "--difficulty", "3", "--hindrances", "2", "--seed", "4"]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_choices_are_asked_with_cost_and_odds() -> None:
    shown, status = terminal(*SETBACK, answers=["9\n", "2\n"])
    assert status == 0
    assert "A Setback" in shown
    assert "costs 3 Strain, Partial Success 100%" in shown
    assert "takes a number from 1 to 2" in shown
    assert "Advised" not in shown
    assert shown.index("costs 3 Strain") < shown.rindex("Partial Success")
    assert "\033[" in shown


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_advice_is_given_when_asked_for_and_no_colour_is_respected() -> None:
    shown, status = terminal(*SETBACK, answers=["?\n", "\n"], env={"NO_COLOR": "1"})
    assert status == 0
    assert "Advised for the player" in shown
    assert "● " not in shown
    assert "◆ Setback" in shown
    assert "\033[" not in shown


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_nobody_answers(key: str) -> None:
    shown, status = terminal(*SETBACK, answers=[key])
    assert status == 130
    assert shown.rstrip().endswith("sortes: stopped")
    assert "Traceback" not in shown


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_with_a_policy_nobody_is_asked() -> None:
    shown, status = terminal(*SETBACK, "--policy", "best", answers=[])
    assert status == 0
    assert "Partial Success" in shown
    assert "[1]:" not in shown


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (["cards.resolve", "--el", "3", "--el", "4", "--against", "3"], "el"),
        (["cards.three", "--social", "--no-social"], "social"),
        (
            ["cards.resolve", "--el", "3", "--against", "2", "--their-luck", "1", "--their_luck", "0"],
            "their_luck",
        ),
    ],
)
def test_an_option_given_twice_is_refused(typed: list[str], name: str) -> None:
    ran = sortes("play", *typed)
    assert ran.exit_code == 2
    assert name in ran.stderr
    assert "twice" in ran.stderr
