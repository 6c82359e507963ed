"""python -m bench [NAME ...] [--full | --smoke] [--json FILE]"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from bench.rows import FULL, QUICK, ROWS, SMOKE, measure
from bench.table import document, table


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the named rows, or all; print the table and write the JSON. 1 where a row failed to run."""
    ids = [row.id for row in ROWS]
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="How fast Sortes is, next to its peers."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"rows to measure, or all: {', '.join(ids)}")
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--full", action="store_const", dest="scale", const=FULL, help="slow peers at full size"
    )
    size.add_argument(
        "--smoke", action="store_const", dest="scale", const=SMOKE, help="does it run? small, once"
    )
    parser.add_argument(
        "--json", type=Path, default=Path("bench.json"), metavar="FILE", help="(default: bench.json)"
    )
    given = parser.parse_args(argv)
    if unknown := [name for name in given.names if name not in ids]:
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(ids)}")
    scale = given.scale or QUICK
    start, lines = perf_counter(), []
    for row in ROWS:
        if not given.names or row.id in given.names:
            began = perf_counter()
            lines.append((row, measure(row, scale)))
            print(f"{row.id:16} {perf_counter() - began:5.1f} s", file=sys.stderr, flush=True)
    print(table(lines))
    found = document(lines, scale, perf_counter() - start)
    given.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(line.failed for _, line in lines))


if __name__ == "__main__":
    sys.exit(main())
