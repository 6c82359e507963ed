"""A system from an installed package is found by its entry point, walked, listed and held to the laws."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT

PLUGIN = ROOT / "tests" / "plugin"
FIVE = ["agate", "cards", "d20-oracle", "dramatic-skill", "poker-dice"]


def installed(project: Path, site: Path) -> Path:
    """Install a project as a user would, but without a network."""
    pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-build-isolation",
        "--no-deps",
        "--target",
        str(site),
    ]
    done = subprocess.run(
        [sys.executable, *pip, "--disable-pip-version-check", str(project)],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the lanterns are installed."""
    project = tmp_path_factory.mktemp("project") / "plugin"
    shutil.copytree(PLUGIN, project, ignore=shutil.ignore_patterns("__pycache__"))
    return installed(project, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where two packages are installed that do not load."""
    project, target = tmp_path_factory.mktemp("broken"), tmp_path_factory.mktemp("broken-site")
    for name, code in [("raising", "raise RuntimeError('the oil is out')"), ("empty", "SYSTEM = 5")]:
        folder = project / name / f"sortes_{name}"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(code + "\n", encoding="utf-8")
        text = (PLUGIN / "pyproject.toml").read_text(encoding="utf-8").replace("lanterns", name)
        (project / name / "pyproject.toml").write_text(text, encoding="utf-8")
        installed(project / name, target)
    return target


def run(site: Path, *arguments: str, status: int = 0) -> tuple[str, str]:
    """Python where `site` is installed too: what it says on both outputs."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(site), str(ROOT / "src")]),
            "COLUMNS": "80",
            "NO_COLOR": "1",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout, done.stderr


def test_the_catalogue_finds_it_after_the_five(site: Path) -> None:
    said, _ = run(site, "-c", "from sortes import catalog; print(*[s.id for s in catalog.systems()])")
    assert said.split() == [*FIVE, "lanterns"]


def test_all_four_walks(site: Path) -> None:
    code = """
import sortes
from fractions import Fraction
played = sortes.play("lanterns.light", lanterns=2, oil=1, policy="best", hands=[["burns", "out"], ["burns"]])
assert played.outcome.burning == 2, played
assert played.why == ("L1", "L2"), played.why
assert sortes.odds("lanterns.light", lanterns=2).by("burning") == {
    0: Fraction(1, 9), 1: Fraction(4, 9), 2: Fraction(4, 9)
}
assert sortes.odds("lanterns.light", lanterns=2, house={"burns": 4}).p(2) == Fraction(1, 4)
assert sortes.advise("lanterns.light", lanterns=3, oil=1).worth == 3 * Fraction(8, 9)
assert sortes.simulate("lanterns.light", lanterns=3, n=1000, seed=1).total() == 1000
"""
    run(site, "-c", code)


def test_its_sheet_feeds_it_and_changes_by_it(site: Path) -> None:
    code = """
from types import SimpleNamespace
from sortes import catalog
from sortes.table import sheets
ann = SimpleNamespace(name="Ann", sheets={"lanterns": sheets.read(catalog.system("lanterns"), {"oil": 2})})
light = catalog.rule("lanterns.light")
filled = sheets.filled(light, {"lanterns": 3}, {"ann": ann}, "ann")
assert filled.params == {"lanterns": 3, "oil": 2}, filled
link = filled.links["oil"]
assert sheets.purse(link, {"ann": ann}, 0, 2).size == 2
now = {"ann": ann.sheets}
for change in [*sheets.spent(link, 1), *sheets.gained(light, light.outcome(3), "ann")]:
    now = sheets.applied(now, change)
assert now["ann"]["lanterns"] == {"oil": 1, "kept": 3}, now
"""
    run(site, "-c", code)


def test_the_command_line_knows_it(site: Path) -> None:
    listed, wrong = run(site, "-m", "sortes", "systems")
    assert "lanterns.light" in listed
    assert not wrong
    ids = [
        system["id"] for system in json.loads(run(site, "-m", "sortes", "systems", "--json")[0])["systems"]
    ]
    assert ids == [*FIVE, "lanterns"]
    played, _ = run(
        site, "-m", "sortes", "play", "lanterns.light", "--lanterns", "3", "--policy", "best", "--json"
    )
    assert json.loads(played)["outcome"]["burning"] in (0, 1, 2, 3)
    assert "--oil" in run(site, "-m", "sortes", "odds", "lanterns.light", "--help")[0]


def test_it_keeps_the_laws(site: Path) -> None:
    files = ("tests/test_laws.py", "tests/test_cases.py")
    said, _ = run(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", *files, "-k", "lanterns")
    assert " passed" in said
    assert "skipped" not in said


@pytest.mark.parametrize(("name", "why"), [("raising", "the oil is out"), ("empty", "is no system")])
def test_a_package_that_does_not_load_is_named(broken: Path, name: str, why: str) -> None:
    for command in ("play", "odds"):
        said, wrong = run(broken, "-m", "sortes", command, f"{name}.light", status=2)
        assert not said
        assert f"sortes-{name} 1.0" in wrong
        assert why in wrong
        assert "Traceback" not in wrong


def test_it_breaks_none_of_the_five(broken: Path) -> None:
    listed, wrong = run(broken, "-m", "sortes", "systems")
    assert all(f"{id}." in listed for id in FIVE)
    assert "sortes-raising 1.0" in wrong
    assert "sortes-empty 1.0" in wrong
    run(broken, "-m", "sortes", "odds", "poker-dice.roll")
    said, _ = run(broken, "-c", "import sortes; print(sortes.odds('poker-dice.roll').p('draw'))")
    assert said == "1/9\n"
    run(broken, "-m", "sortes")
    run(broken, "-m", "sortes", "odds", "no-such.rule", status=2)
