"""The walls of the house stand, and each can be seen to fall: a wall that nothing can break guards nothing.

The contracts are those of pyproject.toml, checked by lint-imports; ruff bans chance, clocks and I/O.
"""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
CONFIG = ROOT / "pyproject.toml"
PURE = ("core", "engine", "systems")
CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads(CONFIG.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
}


def folders(parent: Path) -> list[str]:
    return sorted(path.name for path in parent.iterdir() if path.is_dir() and path.name != "__pycache__")


def run(tool: str, *arguments: str | Path, cwd: Path = ROOT, stdin: str = "") -> tuple[int, str]:
    """A tool of this very environment: its exit status and all it said."""
    done = subprocess.run(
        [Path(sys.executable).with_name(tool), *arguments],
        cwd=cwd,
        input=stdin,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout + done.stderr


def broken(src: Path) -> tuple[set[str], str]:
    """The ids of the contracts that the package in `src` breaks, and the report."""
    status, report = run("lint-imports", CONFIG, "--no-cache", cwd=src)
    verdicts = {
        id: [v for v in ("KEPT", "BROKEN") if f"{name} {v}" in report] for id, name in CONTRACTS.items()
    }
    assert all(len(verdict) == 1 for verdict in verdicts.values()), report
    fallen = {id for id, verdict in verdicts.items() if verdict == ["BROKEN"]}
    assert status == (1 if fallen else 0), report
    return fallen, report


def test_every_wall_stands() -> None:
    fallen, report = broken(SRC)
    assert not fallen, report


def breaches() -> Iterator[tuple[str, str, str]]:
    """Contract, the file that breaks it, and the line that does."""
    # layers, from the ground up: no floor knows the one above it
    yield "house", "core/breach.py", "import sortes.engine.play"
    yield "house", "core/breach.py", "import sortes.systems.cards"
    yield "house", "core/breach.py", "import sortes.house"
    yield "house", "core/breach.py", "import sortes"  # by way of the public names
    yield "house", "engine/breach.py", "import sortes.systems.cards"
    yield "house", "engine/breach.py", "import sortes.catalog"
    yield "house", "systems/cards/breach.py", "import sortes.engine.play"
    yield "house", "systems/cards/breach.py", "import sortes.house"
    yield "house", "house.py", "import sortes.catalog"
    yield "house", "catalog.py", "import sortes.api"
    yield "house", "prepared.py", "import sortes.aims"
    yield "house", "aims.py", "import sortes.answers"
    yield "house", "answers.py", "import sortes.api"
    yield "house", "answers.py", "import sortes.show"  # all but the one exception
    yield "house", "api.py", "import sortes.show"
    yield "house", "show/breach.py", "import sortes.interfaces.cli"
    yield "house", "core/breach.py", "def late() -> None:\n    import sortes.api"  # late imports count too
    yield (
        "house",
        "table/__init__.py",
        "import sortes.interfaces.cli",
    )  # rooms to come have their floor already
    yield "house", "designer/__init__.py", "import sortes.interfaces.cli"
    yield "house", "annexe.py", ""  # and what has no floor may not be built

    rooms = folders(SRC / "sortes" / "systems")
    for room, other in zip(rooms, rooms[1:] + rooms[:1], strict=True):
        yield "rooms", f"systems/{room}/breach.py", f"import sortes.systems.{other}.rules"
    yield "rooms", "systems/sixth/__init__.py", "import sortes.systems.cards.rules"

    yield "interfaces", "interfaces/second.py", "import sortes.interfaces.cli"
    yield "house-rules", "house.py", "import sortes.engine.play"
    yield "house-rules", "house.py", "import sortes.systems.cards.rules"
    yield "catalog", "catalog.py", "import sortes.engine.play"
    for package, edge in zip(PURE, ("rich", "click", "pandas"), strict=True):
        yield "pure", f"{package}/breach.py", f"import {edge}"


@pytest.mark.parametrize(("contract", "file", "line"), [*breaches()])
def test_each_wall_can_fall(tmp_path: Path, contract: str, file: str, line: str) -> None:
    shutil.copytree(SRC / "sortes", tmp_path / "sortes", ignore=shutil.ignore_patterns("__pycache__"))
    target = tmp_path / "sortes" / file
    target.parent.mkdir(exist_ok=True)
    with target.open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")
    fallen, report = broken(tmp_path)
    assert contract in fallen, report


def test_every_contract_is_seen_to_fall() -> None:
    assert {contract for contract, _, _ in breaches()} == set(CONTRACTS)


def test_no_folder_is_passed_over() -> None:
    """Where `__init__.py` is missing, lint-imports does not look and says that all is well."""
    unseen = {
        path.parent for path in SRC.glob("sortes/**/*.py") if not (path.parent / "__init__.py").is_file()
    }
    assert not unseen


WALLS = {"TID251", "PTH123", "T201", "NPY002"}
RUFF = ("check", "--output-format=concise", "--no-cache", "--ignore-noqa")
FORBIDDEN = [
    *("import random", "import secrets", "import uuid", "from random import Random"),
    *("import time", "import datetime", "from time import monotonic", "from datetime import datetime"),
    *("import os", "import sys", "import io", "import pathlib", "import builtins", "import os.path"),
    *("import socket", "import subprocess", "import tempfile", "import shutil", "import sqlite3"),
    *("import urllib.request", "import http.client", "from pathlib import Path", "from os import environ"),
    *("open('deck.txt')", "print('a throw')"),
    *("from numpy.random import default_rng", "from numpy.random import SeedSequence, SFC64"),
    *("from numpy.random import RandomState", "from numpy.random import MT19937, PCG64, PCG64DXSM, Philox"),
    *("import numpy as np; np.random.default_rng()", "import numpy as np; np.random.rand()"),
]


def lint(file: str, *lines: str) -> set[str]:
    """The lines that the walls forbid in a file of that name, with the rules that are switched on."""
    _, report = run("ruff", *RUFF, f"--stdin-filename=src/sortes/{file}", "-", stdin="\n".join(lines) + "\n")
    said = [line.split(":") for line in report.splitlines() if line.startswith("src/")]
    assert said, report  # these lines are never without fault
    return {lines[int(number) - 1] for _, number, _, fault, *_ in said if fault.split()[0] in WALLS}


@pytest.mark.parametrize(
    "file", ["core/breach.py", "engine/play.py", "systems/cards/rules.py", "systems/cards/__init__.py"]
)
def test_the_pure_packages_have_no_chance_no_clock_and_no_outside(file: str) -> None:
    assert lint(file, "from fractions import Fraction", "import math, numpy", *FORBIDDEN) == set(FORBIDDEN)


@pytest.mark.parametrize("file", ["house.py", "interfaces/cli.py", "show/sentences.py"])
def test_the_edge_may_ask_the_machine(file: str) -> None:
    assert not lint(file, "import os, random, sys, time", "from pathlib import Path", "open('house.toml')")


def test_no_exception_is_made_in_the_pure_packages() -> None:
    """`--ignore-noqa`: a line may not excuse itself."""
    status, report = run(
        "ruff", *RUFF, f"--select={','.join(sorted(WALLS))}", *(f"src/sortes/{package}" for package in PURE)
    )
    assert status == 0, report


def test_the_wheel_holds_all_of_the_package(tmp_path: Path) -> None:
    """Numbers, worked examples and `py.typed` travel with the code."""
    status, report = run("hatchling", "build", "-t", "wheel", "-d", tmp_path)
    assert status == 0, report
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    files = {path.relative_to(SRC).as_posix() for path in (SRC / "sortes").rglob("*") if path.is_file()}
    assert {file for file in files if not file.endswith(".pyc")} <= held
    rooms = folders(SRC / "sortes" / "systems")
    data = {f"sortes/systems/{room}/{name}.toml" for room in rooms for name in ("house", "cases")}
    assert {"sortes/py.typed", *data} <= held
