"""CONTRIBUTING.md, followed to the letter: its blocks in a copy of the project make a system that keeps every law."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.pages import ROOT, blocks, lay_out

PAGE = ROOT / "CONTRIBUTING.md"
FOLDER = "src/sortes/systems/coin_and_die"
TAKEN = (
    "src",
    "tests",
    "docs",
    "pyproject.toml",
    "Makefile",
    "LICENSE",
    *(p.name for p in ROOT.glob("*.md")),
)


def followed(copy: Path) -> Path:
    """A copy of the project in which CONTRIBUTING.md was followed."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in TAKEN:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=unwanted)
        else:
            shutil.copy(ROOT / name, copy / name)
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.file and (there := copy / block.file).is_file():
            assert there.read_text(encoding="utf-8") == block.body, f"{block.file} is shown as it is"
    lay_out(PAGE, copy)
    return copy


def run(copy: Path, *arguments: str) -> str:
    """Python in the copy, with the copy's own Sortes: what it says. Fails where it fails."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / "src"), "COLUMNS": "80", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def refreshed_in_a_copy(page: Path) -> bool:
    """What `tests.refresh_docs` does for this page: its console examples need the system that it builds."""
    before = page.read_text(encoding="utf-8")
    with TemporaryDirectory() as name:
        copy = followed(Path(name))
        run(copy, "-m", "tests.refresh_docs", page.name)
        page.write_text((copy / page.name).read_text(encoding="utf-8"), encoding="utf-8")
    return page.read_text(encoding="utf-8") != before


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return followed(tmp_path_factory.mktemp("project"))


def test_the_page_makes_the_whole_folder(copy: Path) -> None:
    assert "coin_and_die" not in {path.name for path in (ROOT / "src" / "sortes" / "systems").iterdir()}
    made = {path.name for path in (copy / FOLDER).iterdir()} - {"__pycache__"}
    assert made == {"__init__.py", "rules.py", "house.toml", "cases.toml"}


def test_every_walk_and_the_command_line_find_the_system(copy: Path) -> None:
    where = run(copy, "-c", "import sortes; print(sortes.__file__)")
    assert where.startswith(str(copy))
    asked = """
import sortes
from fractions import Fraction
assert sortes.play("coin-and-die.ask", grit=1, policy="best", seed=1).outcome.result
assert sortes.odds("coin-and-die.ask").p("yes-a-lot") == Fraction(1, 6)
assert sortes.advise("coin-and-die.ask", grit=1).worth == Fraction(3, 4)
assert sortes.simulate("coin-and-die.ask", n=100, seed=1).total() == 100
"""
    run(copy, "-c", asked)
    assert "coin-and-die.ask" in run(copy, "-m", "sortes", "systems")
    assert "--grit" in run(copy, "-m", "sortes", "play", "coin-and-die.ask", "--help")


def test_the_system_keeps_the_laws_and_the_page_says_the_truth(copy: Path) -> None:
    files = [f"tests/test_{name}.py" for name in ("laws", "cases", "docs")]
    wanted = "coin-and-die or CONTRIBUTING or step_is_named"
    said = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", *files, "-k", wanted)
    for law in ("changes_some_odds", "sum_to_one", "agrees_with_odds", "say_what_it_says", "worked_example"):
        run(
            copy,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-n0",
            *files,
            "-k",
            f"({wanted}) and {law}",
            "--co",
        )
    assert " passed" in said
    assert "skipped" not in said


def test_the_system_passes_the_checks(copy: Path) -> None:
    tool = Path(sys.executable).with_name
    subprocess.run([tool("ruff"), "check", "--no-cache", FOLDER], cwd=copy, check=True)
    subprocess.run([tool("ruff"), "format", "--no-cache", "--check", FOLDER], cwd=copy, check=True)
    run(copy, "-m", "mypy", "--strict", "--cache-dir", str(copy / ".mypy"), FOLDER)
