"""python -m bench.stores [--quick | --smoke] [--json FILE]: how many durable actions a second the table's stores take.

Each row races ours against what one would write without us, on the same disk, in turns: the ratio is what counts.
The files are in bench/results, on the disk of the checkout: a temporary folder may be memory, which is never durable.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from threading import Barrier, Thread
from time import perf_counter
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from bench.clock import ROOT, peak
from sortes.table import requests, service
from sortes.table.fair import canonical
from sortes.table.stores import Store, open_store

DATA = (
    b'{"kind":"throw","play":"p1","faces":["7 of hearts","queen of spades"]}' * 4
)  # 284 bytes, as an event has
TABLES = 16
SERVER = os.environ.get("SORTES_TEST_POSTGRES") or "postgresql://postgres@127.0.0.1/test"


@dataclass(frozen=True)
class Scale:
    """How long to measure: seconds of a turn, turns, seconds of the busy tables, events of the long log."""

    name: str
    turn: float
    turns: int
    busy: float
    events: int


FULL = Scale("full", 0.4, 24, 30.0, 1_000_000)
QUICK = Scale("quick", 0.3, 10, 10.0, 1_000_000)
SMOKE = Scale("smoke", 0.1, 1, 0.3, 50_000)


@dataclass(frozen=True)
class Line:
    """One row: ours and the peer's figure in `unit`, their ratio, and what it has to reach."""

    id: str
    work: str
    unit: str
    ours: float | None = None
    peer: float | None = None
    ratio: float | None = None
    least: float | None = None
    most: float | None = None
    note: str = ""

    @property
    def reached(self) -> bool | None:
        if self.ratio is None:
            return None
        return (self.least is None or self.ratio >= self.least) and (
            self.most is None or self.ratio <= self.most
        )


Act = Callable[[], object]  # one durable action


def busy(acts: Sequence[Act], seconds: float) -> tuple[float, float]:
    """Actions a second of all, each act again and again in a thread of its own; and the slowest, in seconds."""
    begin, done, slowest = Barrier(len(acts) + 1), [0] * len(acts), [0.0] * len(acts)
    failed: list[BaseException] = []

    def run(i: int, act: Act) -> None:
        begin.wait()
        until = perf_counter() + seconds
        try:
            while (start := perf_counter()) < until:
                act()
                slowest[i] = max(slowest[i], perf_counter() - start)
                done[i] += 1
        except Exception as e:  # noqa: BLE001  told below
            failed.append(e)

    threads = [Thread(target=run, args=(i, act)) for i, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    begin.wait()
    start = perf_counter()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(done) / (perf_counter() - start), max(slowest)


def race(ours: Sequence[Act], peers: Sequence[Act], scale: Scale) -> tuple[float, float, float]:
    """Actions a second of ours and of the peers, and the median of their ratios in short turns.

    A disk is not the same from one second to the next: only what ran side by side is compared.
    """
    busy(peers, scale.turn), busy(ours, scale.turn)  # connections and statements are made, files have grown
    turns = [(busy(ours, scale.turn)[0], busy(peers, scale.turn)[0]) for _ in range(scale.turns)]
    a, b = (sum(turn[i] for turn in turns) / len(turns) for i in (0, 1))
    return a, b, median(x / y for x, y in turns)


def play(store: Store, table: str, keyed: bool = True) -> Act:
    """An action at a table of the store: one event, under a key unless told otherwise."""
    store.create(table)
    head = 0

    def act() -> None:
        nonlocal head
        head = store.append(table, head, [DATA], key=f"request {head}" if keyed else None).last

    return act


# ---- peers -------------------------------------------------------------------------------------------------


def plain(db: sqlite3.Connection, tab: int) -> Act:
    """One connection, that commits each event."""
    n = 0

    def act() -> None:
        nonlocal n
        n += 1
        db.execute("INSERT INTO events VALUES (?, ?, ?)", (tab, n, DATA))

    return act


def connected(path: Path, tables: int = 1) -> sqlite3.Connection:
    """A plain connection as careful as ours: WAL, and each commit waits for the disk."""
    db = sqlite3.connect(path, isolation_level=None, timeout=120, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE IF NOT EXISTS events (tab INTEGER, n INTEGER, data BLOB, PRIMARY KEY (tab, n))")
    return db


def bare(db: Any, tab: int) -> Act:
    """A psycopg connection, that commits each event."""
    n = 0

    def act() -> None:
        nonlocal n
        n += 1
        db.execute("INSERT INTO bare VALUES (%s, %s, %s)", (tab, n, DATA), prepare=True, binary=True)

    return act


def disk(folder: Path) -> float:
    """Seconds that the disk takes to make 4 kB durable: the less, the less there is to share in a commit."""
    times = []
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(100):
            file.seek(0)
            file.write(bytes(4096))
            start = perf_counter()
            os.fsync(file.fileno())
            times.append(perf_counter() - start)
    return median(times)


# ---- rows --------------------------------------------------------------------------------------------------


def sqlite_one(folder: Path, scale: Scale) -> Line:
    with open_store(folder / "ours") as store, closing(connected(folder / "peer")) as db:
        ours, peer, ratio = race([play(store, "t")], [plain(db, 0)], scale)
    return Line("sqlite-1", "SQLite, 1 table, against a plain connection", "/s", ours, peer, ratio, least=0.6)


def sqlite_many(folder: Path, scale: Scale) -> Line:
    with open_store(folder / "ours") as store, closing(connected(folder / "peer")) as db:
        acts = [play(store, f"t{i}") for i in range(TABLES)]
        ours, peer, ratio = race(acts, [plain(db, 0)], scale)
    return Line(
        "sqlite-16",
        f"SQLite, {TABLES} tables, against a plain connection",
        *("/s", ours, peer, ratio),
        least=3,
    )


def sqlite_slowest(folder: Path, scale: Scale) -> Line:
    with open_store(folder / "ours") as store:
        _, ours = busy([play(store, f"t{i}") for i in range(TABLES)], scale.busy)
    with ExitStack() as stack:
        dbs = [stack.enter_context(closing(connected(folder / "peer"))) for _ in range(TABLES)]
        _, peer = busy([plain(db, i) for i, db in enumerate(dbs)], scale.busy)
    return Line(
        "sqlite-slowest",
        f"SQLite, the slowest append in {scale.busy:g} s of {TABLES} tables, against a connection each",
        *("s", ours, peer, ours / peer),
        most=0.2,
    )


MEMORY = """
import sys
from sortes.table.stores import open_store
with open_store({path!r}) as store:
    store.create("long")
    for after in range(0, {events}, 500):
        store.append("long", after, [b"." * 284] * 500, key=str(after))
    assert sum(1 for _ in store.read("long")) == {events}
"""


def memory(folder: Path, scale: Scale) -> Line:
    few = scale.events // 50
    peer = peak(MEMORY.format(path=str(folder / "few"), events=few))
    ours = peak(MEMORY.format(path=str(folder / "many"), events=scale.events))
    return Line(
        "sqlite-memory",
        f"SQLite, most memory over {scale.events:,} events, against {few:,}",
        *("MB", ours, peer, ours / peer),
        most=1.1,
    )


def opening(folder: Path, scale: Scale) -> Line:
    """A long table is opened and looked at from a seat."""
    limit, many = 0.2, 10_000
    with open_store(folder / "long.db") as store:
        made, gm, _ = service.opened(store, "t")
        n = store.head("t")
        while n < scale.events:
            note = {"kind": "note", "seat": gm, "at": 0, "text": "The ferry sails, and sails, and sails."}
            store.append("t", n, [canonical({**note, "id": f"{n + i:012x}"}) for i in range(many)])
            made.act(gm, requests.Play(rule="d20-oracle.ask"))  # takes them in, and keeps what is known
            n = store.head("t")
    with open_store(folder / "long.db") as store:
        start = perf_counter()
        number = service.Table(store, "t").view(gm).number
        seconds = perf_counter() - start
    assert number >= scale.events
    what = f"SQLite, opening a table of {scale.events:,} events, against 0.2 s"
    return Line("sqlite-opening", what, "s", seconds, limit, seconds / limit, most=1.0)


@contextmanager
def schema() -> Iterator[str]:
    """A schema of our own in the server, dropped afterwards."""
    import psycopg

    name = f"sortes_bench_{uuid4().hex}"
    with psycopg.connect(SERVER, autocommit=True, connect_timeout=3) as db:
        db.execute(f"CREATE SCHEMA {name}".encode())
        try:
            yield f"{SERVER}{'&' if '?' in SERVER else '?'}options={quote(f'-csearch_path={name}')}"
        finally:
            db.execute("SET client_min_messages = warning")
            db.execute(f"DROP SCHEMA {name} CASCADE".encode())


def postgres(tables: int, keyed: bool, least: float) -> Callable[[Path, Scale], Line]:
    def row(folder: Path, scale: Scale) -> Line:
        import psycopg

        with schema() as url, ExitStack() as stack:
            store = stack.enter_context(open_store(url))
            dbs = [stack.enter_context(psycopg.connect(url, autocommit=True)) for _ in range(tables)]
            dbs[0].execute("CREATE TABLE bare (tab bigint, n bigint, data bytea, PRIMARY KEY (tab, n))")
            acts = [play(store, f"t{i}", keyed) for i in range(tables)]
            ours, peer, ratio = race(acts, [bare(db, i) for i, db in enumerate(dbs)], scale)
        what = f"{tables} table{'s' * (tables > 1)}, {'with' if keyed else 'without'} keys"
        return Line(
            f"postgres-{tables}{'-keys' * keyed}",
            f"PostgreSQL, {what}, against bare psycopg",
            *("/s", ours, peer, ratio),
            least=least,
        )

    return row


ROWS: dict[str, Callable[[Path, Scale], Line]] = {
    "sqlite-1": sqlite_one,
    "sqlite-16": sqlite_many,
    "sqlite-slowest": sqlite_slowest,
    "sqlite-memory": memory,
    "sqlite-opening": opening,
    "postgres-1": postgres(1, keyed=False, least=0.7),
    "postgres-1-keys": postgres(1, keyed=True, least=0.7),
    f"postgres-{TABLES}": postgres(TABLES, keyed=False, least=0.7),
    f"postgres-{TABLES}-keys": postgres(TABLES, keyed=True, least=0.7),
}


def measure(id: str, folder: Path, scale: Scale) -> Line:
    """A row's figures; where there is no server, the reason why there are none."""
    try:
        with tempfile.TemporaryDirectory(dir=folder) as own:
            return ROWS[id](Path(own), scale)
    except Exception as e:  # noqa: BLE001  the other rows can be measured all the same
        return Line(id, id, "", note=f"not measured: {type(e).__name__}: {str(e).strip().splitlines()[0]}")


def figure(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{value * 1000:,.0f} ms" if unit == "s" else f"{value:,.0f} {unit}"


def table(lines: Sequence[Line]) -> str:
    """The rows for people."""
    rows = [("work", "Sortes", "peer", "ratio", "to reach", "")]
    for line in lines:
        bound = (
            f"≥ {line.least:g} ×" if line.least is not None else f"≤ {line.most:g} ×" if line.most else "–"
        )
        ratio = "–" if line.ratio is None else f"{line.ratio:.2f} ×"
        said = {True: "yes", False: "no", None: ""}[line.reached]
        rows.append(
            (line.work, figure(line.ours, line.unit), figure(line.peer, line.unit), ratio, bound, said)
        )
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    out = [
        "  ".join(
            c.ljust(w) if i in (0, 5) else c.rjust(w)
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    out.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(
        [*(row.rstrip() for row in out), *(f"{line.id}: {line.note}" for line in lines if line.note)]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure; print the table and write the JSON. 1 where a row could not be measured."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.stores", description=(__doc__ or "").split(": ")[1]
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"rows to measure, or all: {', '.join(ROWS)}"
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_const", dest="scale", const=QUICK, help="in about a minute")
    size.add_argument("--smoke", action="store_const", dest="scale", const=SMOKE, help="does it run?")
    parser.add_argument("--json", type=Path, default=Path("bench-stores.json"), metavar="FILE")
    asked = parser.parse_args(argv)
    if unknown := [name for name in asked.names if name not in ROWS]:
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    scale = asked.scale or FULL
    folder = ROOT / "bench" / "results"
    folder.mkdir(exist_ok=True)
    start, lines, waits = perf_counter(), [], [disk(folder)]
    for id in asked.names or ROWS:
        began = perf_counter()
        lines.append(measure(id, folder, scale))
        waits.append(disk(folder))
        print(f"{id:16} {perf_counter() - began:5.1f} s", file=sys.stderr, flush=True)
    print(table(lines))
    print(f"the disk took {min(waits) * 1e6:,.0f} to {max(waits) * 1e6:,.0f} µs to make 4 kB durable")
    found = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "machine": f"{platform.system()} {platform.machine()}",
        "disk": [round(wait, 6) for wait in waits],
        "scale": scale.name,
        "seconds": round(perf_counter() - start, 1),
        "rows": [{**asdict(line), "reached": line.reached} for line in lines],
    }
    asked.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(line.ratio is None for line in lines))


if __name__ == "__main__":
    sys.exit(main())
