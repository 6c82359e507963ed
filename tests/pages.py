"""The pages of the project and the examples on them: how they are found, run and written anew.

A ```python block is a session (`>>>`), and all sessions of a page are one. A ```console block is `$ sortes …` with
what it says at a width of 80, without colours; what is wrapped goes on after a `\\`. A block under a line that is
nothing but `path/of/a/file` is that file: it is there when the examples of the page run.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>[^\n`]*)\n(?P<body>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"`(?P<path>[\w./-]+)`:?")
START = "import sys; sys.argv[0] = 'sortes'; from sortes.interfaces.cli import main; sys.exit(main())"


class Block(NamedTuple):
    """One fenced block: its language, its text, the file that it is (or ""), and where the text begins."""

    kind: str
    body: str
    file: str
    line: int
    start: int

    @property
    def example(self) -> bool:
        """Whether there is something to run in it."""
        prompt = {"python": ">>> ", "console": "$ "}.get(self.kind)
        return not self.file and prompt is not None and self.body.startswith(prompt)


def blocks(text: str) -> list[Block]:
    """Every fenced block of a page."""
    found = []
    for match in FENCE.finditer(text):
        before = text[: match.start()].rstrip().rpartition("\n")[2]
        mark = MARK.fullmatch(before)
        kind = match["kind"].strip()
        line = text.count("\n", 0, match.start("body"))
        found.append(Block(kind, match["body"], mark["path"] if mark else "", line, match.start("body")))
    return found


def unrun(text: str) -> list[str]:
    """Blocks of a page that are neither an example, nor a file, nor the tree of the house; and fences left open."""
    idle = [
        f"line {block.line}: {block.kind or 'a block'}"
        for block in blocks(text)
        if not block.example
        and not block.file
        and not (block.kind == "text" and block.body.startswith("src/sortes/\n"))
    ]
    return idle + ["an open fence"] * ("```" in FENCE.sub("", text))


def named(page: Path) -> str:
    """A page as people name it."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


class Command(NamedTuple):
    """One command of a console block, and what it is to say."""

    line: str
    says: str


def commands(body: str) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, *said = part.split("\n")
        while line.endswith("\\") and said:
            line += "\n" + said.pop(0)
        found.append(Command(line, "\n".join(said).rstrip()))
    return found


def said(line: str, folder: Path) -> str:
    """What a command says in `folder`, on both its outputs, without trailing spaces."""
    program, *arguments = shlex.split(line.replace("\\\n", " "))
    if program == "make":  # what it would do: `make test` runs this very test
        arguments = ["--dry-run", "--directory", str(ROOT), *arguments]
        done = subprocess.run([program, *arguments], capture_output=True, encoding="utf-8")
        return "" if done.returncode == 0 else done.stderr
    if program != "sortes":
        return f"{program} is not run here"
    keep = {name: value for name, value in os.environ.items() if not name.startswith("SORTES")}
    done = subprocess.run(
        [sys.executable, "-c", START, *arguments],
        cwd=folder,
        env={
            **keep,
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "HOME": str(folder),
            "PYTHONUTF8": "1",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
    )
    return "\n".join(row.rstrip() for row in done.stdout.split("\n")).strip("\n")


def lay_out(page: Path, folder: Path) -> None:
    """The files that a page shows, in `folder`."""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.file:
            target = folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, encoding="utf-8")


def faults(page: Path, folder: Path) -> Iterator[str]:
    """Run every example of a page in `folder`: what is not as the page says."""
    lay_out(page, folder)
    text = page.read_text(encoding="utf-8")
    session: list[doctest.Example] = []
    for block in (block for block in blocks(text) if block.example):
        if block.kind == "python":
            for example in doctest.DocTestParser().get_examples(block.body, named(page)):
                example.lineno += block.line
                session.append(example)
            continue
        for command in commands(block.body):
            if (now := said(command.line, folder)) != command.says:
                where = f"{named(page)}:{block.line}"
                yield f"{where}: $ {command.line}\nexpected:\n{command.says}\nsaid:\n{now}\n"
    told: list[str] = []
    whole = doctest.DocTest(session, {}, named(page), named(page), 0, text)
    doctest.DocTestRunner(verbose=False).run(whole, out=told.append)
    yield from told


def refreshed(text: str, says: Callable[[str], str]) -> str:
    """A page with what its console examples say now."""
    for block in reversed(blocks(text)):
        if block.kind == "console" and block.example:
            body = ""
            for command in commands(block.body):
                now = says(command.line)
                body += f"$ {command.line}\n" + (f"{now}\n\n" if now else "")
            text = text[: block.start] + body.rstrip("\n") + "\n" + text[block.start + len(block.body) :]
    return text


def numbered(text: str) -> Iterator[tuple[str, str]]:
    """Every numbered rule that has a heading on a page, with its section: all before the next heading as high."""
    prose = FENCE.sub(lambda fence: re.sub(r"^#", " ", fence[0], flags=re.MULTILINE), text)
    heads = [*re.finditer(r"^(#+) (.*)$", prose, re.MULTILINE)]
    for i, head in enumerate(heads):
        if number := re.match(r"[A-Z][0-9]+(\.[0-9]+)?\b", head[2]):
            end = next((h.start() for h in heads[i + 1 :] if len(h[1]) <= len(head[1])), len(text))
            yield number[0], text[head.end() : end]
