"""What was measured, as one table for people and one object for programs."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bench import peers
from bench.rows import Line, Row, Scale

HEAD = ("work", "Sortes", "peer", "ratio", "to reach", "")


def measured(value: float | None, unit: str) -> str:
    """A time or size with three figures, in the unit that people read best."""
    if value is None:
        return "–"
    if unit != "s":
        return f"{value:.0f} {unit}"
    for least, times, name in ((1, 1, "s"), (1e-3, 1e3, "ms"), (0, 1e6, "µs")):
        if value >= least:
            return f"{float(f'{value * times:.3g}'):g} {name}"
    raise ValueError(value)


def _cells(row: Row, line: Line) -> tuple[str, ...]:
    ratio = "–" if line.ratio is None else f"{line.ratio:.3g} ×"
    if line.growth:
        ratio = f"n^{line.ratio:.1f}"
    if line.at:
        ratio += f" at {line.at}"
    against = "–" if line.peer is None else f"{(line.against or '').split()[0]} {measured(line.peer, 's')}"
    said = {True: "yes", False: "no", None: ""}[line.reached]
    size = f" (to {line.growth[-1][0]:,})" if line.growth else ""
    return row.work, measured(line.ours, line.unit) + size, against, ratio, row.to_reach, said


def table(lines: Sequence[tuple[Row, Line]]) -> str:
    """The table, aligned, with what there is to note under it."""
    rows = [HEAD, *(_cells(row, line) for row, line in lines)]
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(HEAD))]
    left = (0, 4, 5)
    out = []
    for cells in rows:
        parts = (
            c.ljust(w) if i in left else c.rjust(w)
            for i, (c, w) in enumerate(zip(cells, widths, strict=True))
        )
        out.append("  ".join(parts).rstrip())
    out.insert(1, "  ".join("-" * w for w in widths))
    notes = [f"{row.id}: {line.note}" for row, line in lines if line.note]
    asides = [
        f"{row.id}: also timed, not raced: {name} {measured(seconds, 's')}"
        for row, line in lines
        for name, seconds in line.asides.items()
    ]
    return "\n".join([*out, "", *notes, *asides])


def document(lines: Sequence[tuple[Row, Line]], scale: Scale, seconds: float) -> dict[str, Any]:
    """The same for programs: seconds (or MB) exactly as measured, and on what."""
    import sortes

    return {
        "sortes": sortes.__version__,
        "peers": peers.VERSIONS,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "scale": scale.name,
        "seconds": round(seconds, 1),
        "command": ["python", "-m", "bench", *sys.argv[1:]],
        "rows": [
            {"id": row.id, "part": row.part, "work": row.work, "to_reach": row.to_reach, **asdict(line)}
            for row, line in lines
        ],
    }
