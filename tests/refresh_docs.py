"""Write what the console examples say now into the pages: `python -m tests.refresh_docs [PAGE …]`.

Look at the difference before you commit it. Sessions of Python are never rewritten: a wrong number is for you to judge.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.pages import PAGES, ROOT, blocks, lay_out, named, refreshed, said


def refresh(page: Path) -> bool:
    """Rewrite one page; whether anything changed."""
    text = page.read_text(encoding="utf-8")
    with TemporaryDirectory() as name:
        lay_out(page, Path(name))
        new = refreshed(text, partial(said, folder=Path(name)))
    page.write_text(new, encoding="utf-8")
    return new != text


def main(names: list[str]) -> None:
    """Rewrite the pages of these names, or all."""
    for page in [ROOT / name for name in names] or PAGES:
        room = [ROOT / b.file for b in blocks(page.read_text(encoding="utf-8")) if b.file.startswith("src/")]
        if all(path.is_file() for path in room):
            changed = refresh(page)
        else:
            from tests.test_contributing import refreshed_in_a_copy

            changed = refreshed_in_a_copy(page)
        print(f"{'changed' if changed else 'the same'}  {named(page)}")


if __name__ == "__main__":
    main(sys.argv[1:])
