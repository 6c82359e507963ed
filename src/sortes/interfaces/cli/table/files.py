"""A table as files: reports, logs to verify, and a table made of one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from sortes.core.errors import RuleError, wrong
from sortes.interfaces.cli.here import Here
from sortes.interfaces.cli.table.group import (
    SETTINGS,
    arg,
    command,
    flag,
    opt,
    show,
    table,
    tell,
)
from sortes.table import fair, service

FORMATS = {
    "md": ("Markdown", "markdown"),
    "html": ("one HTML page", "page"),
    "notation": ("Solo TTRPG Notation", "notation"),
    "jsonl": ("the log, to verify and import", ""),
}
ENDINGS = {".md": "md", ".html": "html", ".htm": "html", ".jsonl": "jsonl", ".txt": "notation"}


@command(
    "export",
    "Write what you have seen: a report (md, html), Solo TTRPG Notation, or a log to verify and import (jsonl).",
    arg("file", required=False),
    opt(
        "--format", "kind", metavar="|".join(FORMATS), help="(default: what the file's name ends in, else md)"
    ),
    flag("--story", help="The story without dice, cards and numbers."),
)
def export(here: Here, as_json: bool, file: str | None, kind: str | None, story: bool) -> None:
    """Export."""
    kind = kind or ENDINGS.get(Path(file).suffix.lower() if file else ".md", "md")
    if kind not in FORMATS:
        raise wrong("format", kind, f"one of {', '.join(FORMATS)}")
    if kind == "jsonl":
        if story:
            raise RuleError("story", "a log to verify has everything in it; takes md, html or notation")
        whole = b"".join(here.table.exported(here.seat))
    else:
        from importlib import import_module

        from sortes.show import journal

        write = import_module(f"sortes.show.{FORMATS[kind][1]}").written
        whole = write(journal.read(here.table.entries(here.seat)), mechanics=not story).encode()
    if file is None or file == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(whole)
        return
    written(file, whole)
    if as_json:
        tell({"file": file, "format": kind, "bytes": len(whole)})
    else:
        show(["", f"  {file} has {FORMATS[kind][0]}, {len(whole):,} bytes.", ""])


def written(file: str, whole: bytes) -> None:
    """A file with these bytes, or none. Raises RuleError."""
    try:
        Path(file).write_bytes(whole)
    except OSError as e:
        raise RuleError("file", f"{file} cannot be written: {e.strerror or e}") from None


def lines_of(file: str) -> list[bytes]:
    """The lines of a file. Raises RuleError."""
    try:
        if file == "-":
            return list(sys.stdin.buffer)
        with open(file, "rb") as opened:
            return list(opened)
    except OSError as e:
        raise RuleError("file", f"{file} cannot be read: {e.strerror or e}") from None


@command(
    "import",
    "Make a table of an exported log, and sit down at it as its game master.",
    arg("file"),
    arg("name"),
)
def import_(here: Here, as_json: bool, file: str, name: str) -> None:
    """Import."""
    made, seat, link = service.imported(here.store, name, lines_of(file))
    here.name = name
    here.memory.table = name
    here.keep(link)
    number = made.view(seat).number
    if as_json:
        tell({"table": name, "seat": seat, "link": link, "events": number})
    else:
        show(["", f"  The table {name} has {number} entries.", f"  Your link, told only now: {link}", ""])


@table.command("verify", context_settings=SETTINGS)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, and nothing else.")
def verify(file: str, as_json: bool) -> None:
    """Check an exported log: that nothing in it was changed, and that chance gave every throw."""
    lines = lines_of(file)
    found = fair.verify_log(lines)
    bad = [one for one in found if one.level == "wrong"]
    if as_json:
        tell({"file": file, "sound": not bad, "lines": len(lines), "findings": msgspec.to_builtins(found)})
    else:
        show(verdict(file, lines, found))
    if bad:
        sys.exit(1)


def verdict(file: str, lines: Sequence[bytes], found: Sequence[fair.Finding]) -> list[str]:
    """What a verifier found, in words."""
    bad = [one for one in found if one.level == "wrong"]
    out = [""]
    if bad:
        faults = "1 fault" if len(bad) == 1 else f"{len(bad)} faults"
        out.append(f"  {file} is not sound: {faults} in {len(lines)} lines.")
        out += [f"    line {one.line}: {one.text}" for one in bad[:20]]
        return [*out, *([f"    and {len(bad) - 20} more"] if len(bad) > 20 else []), ""]
    thrown = sum(b'"kind":"throw"' in line for line in lines)
    out.append(f"  {file} is sound: {len(lines):,} lines, {thrown:,} of them with throws.")
    for level, said in (
        ("hand", "thrown by hand, and taken at their word"),
        ("filled", "with a nonce that the server filled in"),
    ):
        if many := sum(one.level == level for one in found):
            out.append(f"    {many} {said}")
    out += [f"    line {one.line}: {one.text}" for one in found if one.level == "not-yet-opened"]
    if any(one.level == "not-yet-opened" for one in found):
        out.append("  What is not yet opened is not proved yet: sortes table prove opens it.")
    return [*out, ""]
