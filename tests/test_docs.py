"""Pages tell the truth: every example on them is run exactly as it is written, and every rule has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sortes import catalog
from sortes.core.ask import STEPS
from sortes.core.system import Rule, System
from sortes.house import defaults
from tests import pages
from tests.pages import PAGES, ROOT, blocks, named

SYSTEMS = catalog.systems()
OURS = [system for system in SYSTEMS if (ROOT / "docs" / "rules" / f"{system.id}.md").is_file()]
# CONTRIBUTING.md builds a room. Its examples run where that was done: test_contributing does it, then runs this file.
BUILT = [
    page
    for page in PAGES
    if all((ROOT / b.file).is_file() for b in blocks(page.read_text("utf-8")) if b.file)
]
RUN_HERE = [page for page in PAGES if page in BUILT or page.name != "CONTRIBUTING.md"]


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", RUN_HERE, ids=named)
def test_the_examples_of_a_page_say_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "\n".join(pages.faults(page, tmp_path)) == ""


def test_every_page_is_looked_at() -> None:
    """A page outside PAGES may have no example: nobody would run it."""
    kept = {".git", ".venv", "node_modules"}
    for page in ROOT.rglob("*.md"):
        inside = page.relative_to(ROOT)
        if not any(part in kept or part.startswith(".") for part in inside.parts) and page not in PAGES:
            assert not blocks(text(page)), f"{inside} has a block that nothing runs"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_block_is_only_to_be_looked_at(page: Path) -> None:
    """Every block is an example, a file, or a tree of the house (below)."""
    assert not pages.unrun(text(page))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", pages.FENCE.sub("", text(page))):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_lines_fit(page: Path) -> None:
    for number, line in enumerate(text(page).splitlines(), 1):
        assert len(line) <= 120 or line.startswith(("|", "![")), f"{named(page)}:{number}"


# ---- the five pages of rules --------------------------------------------------------------------


def test_every_system_of_this_package_has_a_page() -> None:
    here = {catalog.system(id).id for id in catalog._here()}
    assert {page.stem for page in PAGES if page.parent.name == "rules"} == here


@pytest.mark.parametrize("system", OURS, ids=lambda s: s.id)
def test_every_section_of_a_numbered_rule_has_an_example(system: System) -> None:
    sections = dict(pages.numbered(text(ROOT / "docs" / "rules" / f"{system.id}.md")))
    cited = {c for step in STEPS.values() for c in step.cites if step.id.startswith(f"{system.id}.")}
    assert cited <= set(sections), "what the code cites has a section"
    for number, section in sections.items():
        assert any(block.example for block in blocks(section)), f"{number} has no example"


@pytest.mark.parametrize("system", OURS, ids=lambda s: s.id)
def test_every_setting_is_told(system: System) -> None:
    page = text(ROOT / "docs" / "rules" / f"{system.id}.md")
    for key in defaults(system):
        assert f"`{key}`" in page, key


@pytest.mark.parametrize("rule", [rule for system in OURS for rule in system.rules], ids=lambda r: r.id)
def test_every_rule_and_parameter_is_told(rule: Rule) -> None:
    page = text(ROOT / "docs" / "rules" / f"{rule.system}.md")
    assert f"`{rule.id}`" in page
    for name in rule.form.fields:
        assert f"`{name}`" in page, name


# ---- the tree of the house ----------------------------------------------------------------------


def tree() -> dict[str, str]:
    """Every path of the tree in ARCHITECTURE.md with what is said of it."""
    (block,) = [b for b in blocks(text(ROOT / "ARCHITECTURE.md")) if b.kind == "text"]
    found, above = {}, [""]
    for line in block.body.splitlines():
        path, _, about = line.strip().partition("  ")
        depth = (len(line) - len(line.lstrip())) // 2
        above = [*above[: depth + 1], path]
        found["".join(above)] = about.strip()
    del found["src/sortes/"]
    return found


def test_the_tree_in_the_architecture_is_the_tree() -> None:
    told = tree()
    for path, about in told.items():
        assert (ROOT / path).exists(), path
        assert about, f"{path} is not explained"
    src = ROOT / "src" / "sortes"
    for path in [*src.glob("*"), *src.glob("core/*"), *src.glob("engine/*"), *src.glob("systems/*")]:
        name = path.relative_to(ROOT).as_posix() + "/" * path.is_dir()
        if path.name not in ("__pycache__", "__init__.py", "py.typed"):
            assert name in told, name


# ---- what the examples are run by, when they are wrong ------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        "```python\n>>> 1 + 1\n3\n```",
        "```python\n>>> sortes.odds('poker-dice.roll')\n```",
        "```console\n$ sortes play poker-dice.rolls\nan ace\n```",
        "```console\n$ make dice\n```",
        "```python\nimport sortes\n```",
        "```python\n>>> import sortes\n",
        "```sh\nsortes\n```",
    ],
)
def test_an_example_that_is_wrong_or_not_run_is_seen(wrong: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{wrong}\n", encoding="utf-8")
    assert pages.unrun(text(page)) or [*pages.faults(page, tmp_path)]
