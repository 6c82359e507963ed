"""`sortes table` and plays at a table: what lasts from one command to the next, and who may see what."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sortes.interfaces.cli import main

ROOT = Path(__file__).parents[2]


class Shell:
    """The command line of one user, with a home of their own."""

    def __init__(self, home: Path) -> None:
        self.env: dict[str, str | None] = {
            "XDG_DATA_HOME": str(home),
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "SORTES_TABLE": None,
            "SORTES_SEAT": None,
            "SORTES_STORE": None,
        }

    def run(self, *args: str, status: int = 0) -> str:
        """What a command says; its exit status must be this one, and it never ends in a traceback."""
        result = CliRunner().invoke(main, [*args], env=self.env)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == status, result.output
        return str(result.output)

    def json(self, *args: str) -> Any:
        return json.loads(self.run(*args, "--json"))

    def left(self) -> int:
        """How many cards are left."""
        deck = self.json("table", "show")["state"]["decks"]["cards"]
        return sum(deck["left"].values())


@pytest.fixture
def sortes(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


# ---- the personal table ---------------------------------------------------------------------------


def test_a_deck_goes_down_from_one_command_to_the_next(sortes: Shell) -> None:
    for n in (51, 50, 49):
        played = sortes.json("play", "cards.ask")
        assert played["table"] == "personal"
        assert sortes.left() == n
    assert "49 of 52 left" in sortes.run("table", "show")


def test_no_table_and_a_seed_leave_the_deck_alone(sortes: Shell) -> None:
    sortes.run("play", "cards.ask")
    assert "table" not in sortes.json("play", "cards.ask", "--no-table")
    assert "table" not in sortes.json("play", "cards.ask", "--seed", "3")
    assert sortes.left() == 51
    assert "--seed" in sortes.run("play", "cards.ask", "--seed", "3", "--table", status=2)


def test_odds_are_a_fresh_deck_s_unless_a_table_is_named(sortes: Shell) -> None:
    sortes.run("play", "cards.resolve", "--el", "20", "--against", "3", "--policy", "plain")
    fresh = sortes.json("odds", "cards.ask")
    assert {row["p"] for row in fresh["outcomes"]} == {"1/4"}
    used = sortes.json("odds", "cards.ask", "--table")
    left = sortes.json("table", "show")["state"]["decks"]["cards"]["left"]
    hearts = sum(n for card, n in left.items() if card.endswith("H"))
    p = {row["result"]: row["probability"] for row in used["outcomes"]}
    assert p["yes-and"] == pytest.approx(hearts / 29)


def test_how_likely_it_was_is_told_of_the_deck_before_the_draw(sortes: Shell) -> None:
    sortes.run("play", "cards.ask")
    played = sortes.json("play", "cards.ask")
    assert played["p"].endswith("/51") or played["p"] == "4/17"


def test_the_character_in_use_fills_the_parameters_in(sortes: Shell) -> None:
    sheet = ("cards.level=2", "cards.els.Athletics=4", "agate.skills.Climb=5")
    sortes.run("table", "character", "Mara", *sheet, "--use")
    played = sortes.json("play", "cards.resolve", "--el", "athletics", "--against", "3", "--policy", "best")
    assert (played["params"]["el"], played["params"]["luck"]) == (4, 2)
    spent = sum(choice["cost"].get("luck", 0) for choice in played["choices"])
    view = sortes.json("table", "show")["state"]["characters"]
    (mara,) = view.values()
    assert mara["sheets"]["cards"]["luck"] == 2 - spent
    assert "no 'Swimming'" in sortes.run(
        "play", "cards.resolve", "--el", "Swimming", "--against", "3", status=2
    )
    assert "nobody" in sortes.run(
        "play",
        "agate.attempt",
        "--skill",
        "Climb",
        "--difficulty",
        "1",
        "--as",
        "none",
        "--policy",
        "plain",
        status=2,
    )


def test_a_play_waits_and_goes_on_in_another_command(sortes: Shell) -> None:
    waiting = sortes.json(
        "play", "cards.resolve", "--el", "3", "--against", "3", "--extra", "choose", "--wait"
    )
    assert waiting["outcome"] is None
    assert waiting["waits"]["about"] == "extra-effort"
    assert waiting["play"] in sortes.run("table", "show")
    refused = sortes.run("table", "answer", waiting["play"], "9", status=2)
    assert "option" in refused
    done = sortes.json("table", "answer", waiting["play"], "1")
    assert done["outcome"]["result"] in ("win", "loss", "bust")
    assert sortes.left() == 52 - 7
    assert "waits" in sortes.run("table", "answer", waiting["play"], "1", status=1)  # somebody was first


def test_a_rule_that_can_ask_is_refused_before_anything_is_thrown(sortes: Shell) -> None:
    said = sortes.run("play", "cards.ask", "--luck", "1", status=1)
    assert "--wait" in said
    assert sortes.left() == 52


def test_physical_dice_and_cards(sortes: Shell) -> None:
    played = sortes.json("play", "cards.ask", "--faces", "10♥")
    assert played["outcome"]["result"] == "yes-and"
    assert [throw["by"] for throw in played["throws"]] == ["hand"]
    assert "not in the deck" in sortes.run("play", "cards.ask", "--faces", "TH", status=1)
    dice = sortes.json("play", "d20-oracle.ask", "--faces", "12 15 3")
    assert dice["outcome"]["result"] == "yes"
    assert "d20" in sortes.run("play", "d20-oracle.ask", "--faces", "12 21 3", status=1)


def test_undo_is_free_until_a_face_was_shown(sortes: Shell) -> None:
    sortes.run("table", "note", "A word too many")
    assert "takes back" in sortes.run("table", "undo")
    assert "taken back" in sortes.run("table", "log")
    sortes.run("play", "cards.ask")
    assert "undo" in sortes.run("table", "undo", status=1)


def test_the_low_deck_is_warned_of(sortes: Shell) -> None:
    """C10."""
    sortes.run("table", "new", "few")
    for _ in range(12):
        said = sortes.run("play", "cards.resolve", "--el", "4", "--against", "0", "--policy", "plain")
    assert "Few numbers" in said or sortes.left() == 4
    sortes.run("table", "shuffle")
    assert sortes.left() == 52


# ---- several seats --------------------------------------------------------------------------------


@pytest.fixture
def ferry(sortes: Shell) -> tuple[Shell, dict[str, str]]:
    """A table with a game master, two players and a watcher, each with a link."""
    links = {"GM": sortes.json("table", "new", "ferry", "--title", "The last ferry")["link"]}
    for name, role in (("Ann", "player"), ("Ben", "player"), ("Cat", "watcher")):
        links[name] = sortes.json("table", "seat", name, "--role", role)["link"]
    return sortes, links


def test_links_open_seats_and_are_kept_nowhere_but_with_who_uses_them(
    ferry: tuple[Shell, dict[str, str]],
) -> None:
    sortes, links = ferry
    file = Path(str(sortes.env["XDG_DATA_HOME"])) / "sortes" / "tables.db"
    with sqlite3.connect(file) as db:
        whole = "\n".join(str(row) for row in db.execute("SELECT data FROM events"))
    assert not any(link in whole for link in links.values())
    assert "you are Ann (player)" in sortes.run("table", "show", "--seat", links["Ann"])
    assert "opens no seat" in sortes.run("table", "show", "--seat", "nonsense", status=2)
    sortes.run("table", "seat", "Ann", "--renew")
    assert "opens no seat" in sortes.run("table", "show", "--seat", links["Ann"], status=2)
    sortes.run("table", "seat", "Ben", "--revoke")
    assert "opens no seat" in sortes.run("table", "show", "--seat", links["Ben"], status=2)


def test_who_may_do_what(ferry: tuple[Shell, dict[str, str]]) -> None:
    sortes, links = ferry
    assert "watcher" in sortes.run("play", "cards.ask", "--seat", links["Cat"], status=1)
    assert "game master" in sortes.run("table", "scene", "Mine", "--seat", links["Ann"], status=1)
    sortes.run("table", "character", "Mara", "cards.els.Talk=3", "--owner", "Ann")
    said = sortes.run(
        "play",
        "cards.three",
        "--as",
        "Mara",
        "--el",
        "Talk",
        "--policy",
        "plain",
        "--seat",
        links["Ben"],
        status=1,
    )
    assert "another seat" in said
    waiting = sortes.json("play", "cards.ask", "--luck", "1", "--wait", "--seat", links["Ann"])
    if waiting["outcome"] is None:
        assert "another seat" in sortes.run(
            "table", "answer", waiting["play"], "keep", "--seat", links["Ben"], status=1
        )


@pytest.mark.parametrize("to", ["me", "blind"])
def test_a_secret_play_is_nowhere_in_what_others_see(ferry: tuple[Shell, dict[str, str]], to: str) -> None:
    sortes, links = ferry
    played = sortes.json(
        "play", "cards.ask", "--question", "Is Ann lying?", "--to", to, "--seat", links["Ben"]
    )
    assert (played["outcome"] is None) == (to == "blind")
    own = sortes.run("table", "log", "--seat", links["Ben"])
    assert "Is Ann lying?" in own
    for name in ("Ann", "Cat", *(["GM"] if to == "me" else [])):
        seen = "".join(
            sortes.run("table", *what, "--seat", links[name])
            for what in (("log",), ("show", "--json"), ("log", "--json"), ("export", "--format", "jsonl"))
        )
        assert "Is Ann lying?" not in seen
        assert played["play"] not in seen
    who = links["Ben"] if to == "me" else links["GM"]
    sortes.run("table", "reveal", played["play"], "--seat", who)
    assert "Is Ann lying?" in sortes.run("table", "log", "--seat", links["Ann"])


def test_a_correction_gives_back_what_it_cost(sortes: Shell) -> None:
    sortes.run("table", "character", "Tor", "agate.skills.Climb=5", "--use")
    played = sortes.json("play", "agate.attempt", "--skill", "Climb", "--difficulty", "3", "--policy", "best")
    (tor,) = sortes.json("table", "show")["state"]["characters"].values()
    assert tor["sheets"]["agate"]["strain"] == max(played["outcome"]["strain"], 0)
    sortes.run("table", "correct", played["play"], "--void", "--text", "wrong skill")
    (tor,) = sortes.json("table", "show")["state"]["characters"].values()
    assert (tor["sheets"]["agate"]["strain"], tor["sheets"]["agate"]["renown"]) == (0, 0)
    assert "made void: wrong skill" in re.sub(r"\s+", " ", sortes.run("table", "log"))


# ---- in and out -----------------------------------------------------------------------------------


def test_a_log_is_exported_verified_and_imported(sortes: Shell, tmp_path: Path) -> None:
    sortes.run("table", "note", "The rain stops.")
    sortes.run("play", "cards.ask")
    sortes.run("ask", "Is the ferry still running?")
    sortes.run("table", "prove")
    file = tmp_path / "log.jsonl"
    sortes.run("table", "export", str(file))
    assert "is sound" in sortes.run("table", "verify", str(file))
    alone = subprocess.run(
        [sys.executable, ROOT / "verify" / "verify.py", file], capture_output=True, text=True, check=False
    )
    assert alone.returncode == 0, alone.stdout
    assert not [f for f in sortes.json("table", "verify", str(file))["findings"] if f["level"] != "hand"]
    file.write_bytes(file.read_bytes().replace(b"rain", b"hail"))
    assert "not sound" in sortes.run("table", "verify", str(file), status=1)
    assert "nothing was imported" in sortes.run("table", "import", str(file), "copy", status=2)
    file.write_bytes(file.read_bytes().replace(b"hail", b"rain"))
    sortes.run("table", "import", str(file), "copy")
    assert sortes.left() == 51
    assert "The rain stops." in sortes.run("table", "log")
    sortes.run("play", "cards.ask")
    assert sortes.left() == 50


@pytest.mark.parametrize("kind", ["md", "html", "notation"])
def test_reports_tell_the_story_with_and_without_mechanics(sortes: Shell, tmp_path: Path, kind: str) -> None:
    sortes.run("table", "scene", "The jetty")
    sortes.run("table", "note", "The rain stops.")
    sortes.run("ask", "Is the ferryman sober?")
    whole = sortes.run("table", "export", "--format", kind)
    story = sortes.run("table", "export", "--format", kind, "--story")
    for told in ("The jetty", "The rain stops.", "Is the ferryman sober?"):
        assert told in whole
        assert told in story
    assert "Fate" in whole
    assert "Bane" in whole
    assert "Rules" not in story
    assert not re.search(
        r"^d: |Fate: ", re.sub(r"<style>.*</style>", "", story, flags=re.DOTALL), re.MULTILINE
    )


def test_a_backup_opens_as_a_store(sortes: Shell, tmp_path: Path) -> None:
    sortes.run("table", "note", "Kept.")
    copy = tmp_path / "copy.db"
    sortes.run("table", "backup", str(copy))
    link = sortes.json("table", "seat", "Later")["link"]
    sortes.env["SORTES_STORE"] = str(copy)
    assert sortes.run("table", "list").split() == ["▸", "personal"]
    assert "opens no seat" in sortes.run("table", "log", "--seat", link, status=2)
    assert "never writes over" in sortes.run("table", "backup", str(copy), status=1)


# ---- what goes wrong ------------------------------------------------------------------------------


def _not_a_store(file: Path) -> None:
    file.write_text("not a store, " * 500)


def _newer(file: Path) -> None:
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 99")


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(("spoil", "said"), [(_not_a_store, "store"), (_newer, "newer"), (_folder, "")])
def test_a_store_that_cannot_be_used_is_one_line(
    sortes: Shell, spoil: Callable[[Path], None], said: str
) -> None:
    sortes.run("table", "note", "Here.")
    file = Path(str(sortes.env["XDG_DATA_HOME"])) / "sortes" / "tables.db"
    spoil(file)
    for args in (("table", "log"), ("ask", "Well?"), ("table", "list")):
        out = sortes.run(*args, status=1)
        assert out.startswith("sortes: ")
        assert out.count("\n") == 1
        assert said in out


@pytest.mark.parametrize(
    ("args", "parameter"),
    [
        (("table", "frob"), "command"),
        (("table", "use", "nowhere"), "table"),
        (("table", "delete", "nowhere"), "table"),
        (("table", "clock", "Flood", "--size", "x"), "size"),
        (("table", "clock", "Flood", "--size", "0"), "size"),
        (("table", "clock", ""), "title"),
        (("table", "thread", "  "), "title"),
        (("table", "note", "  "), "text"),
        (("table", "question", ""), "text"),
        (("table", "log", "-n", "0"), "n"),
        (("table", "character", "Mara", "=3"), "values"),
        (("table", "character", "Mara", "cards.els"), "values"),
        (("table", "character", "Mara", "cards.els.Talk=many"), "cards.els.Talk"),
        (("table", "character", "Mara", "cards.nothing=3"), "cards.nothing"),
        (("table", "character", "Mara", "nothing.x=3"), "nothing.x"),
        (("table", "export", "--format", "pdf"), "format"),
        (("table", "verify", "/nowhere/log"), "file"),
        (("table", "reveal", "12"), "play"),
        (("table", "note", "x", "--to", "them"), "to"),
        (("table", "seat", "Ann", "--role", "king"), "role"),
        (("table", "house", "/nowhere.toml"), "house"),
        (("play", "cards.ask", "--to", "them"), "to"),
        (("play", "cards.ask", "--as", "Nobody"), "who"),
        (("play", "cards.ask", "--deck", "9C"), "deck"),
        (("play", "cards.ask", "--no-table", "--hand"), "hand"),
        (("odds", "cards.ask", "--as", "Mara"), "as"),
    ],
)
def test_bad_input_is_named(sortes: Shell, args: tuple[str, ...], parameter: str) -> None:
    out = sortes.run(*args, status=2)
    assert out.startswith(f"sortes: {parameter}: "), out
    assert out.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("args", [("table", "log"), ("systems",), ("table", "--help")])
def test_output_that_cannot_be_written_is_no_traceback(sortes: Shell, args: tuple[str, ...]) -> None:
    sortes.run("play", "cards.ask")
    env = {**os.environ, **{k: v for k, v in sortes.env.items() if v is not None}}
    env.pop("SORTES_TABLE", None)
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "sortes", *args]
        ran = subprocess.run(command, env=env, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "sortes: output: cannot be written: No space left on device\n")


def test_two_commands_at_once_both_count(sortes: Shell) -> None:
    sortes.run("play", "cards.ask")
    env = {**os.environ, **{k: v for k, v in sortes.env.items() if v is not None}}
    env.pop("SORTES_TABLE", None)
    command = [sys.executable, "-m", "sortes", "play", "cards.ask", "--json"]
    running = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE) for _ in range(4)]
    cards = [json.loads(one.communicate()[0])["throws"][0]["faces"][0] for one in running]
    assert len(set(cards)) == 4
    assert sortes.left() == 47
