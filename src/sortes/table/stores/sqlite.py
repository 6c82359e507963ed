"""All tables in one SQLite file: one thread writes and commits for all, readers have connections of their own."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from types import TracebackType
from typing import TypeVar
from zlib import crc32

from sortes.core.errors import RuleError
from sortes.table.stores import (
    WAIT,
    Appended,
    Conflict,
    Corrupt,
    Exists,
    Missing,
    StoreError,
    asked,
    named,
    no_table,
    numbered,
    streamed,
    weighed,
)
from sortes.table.stores.sqlite_file import (
    FAULTS,
    connect,
    damaged,
    identity,
    moved,
    new_file,
    prepared,
    said,
)
from sortes.table.stores.writer import Job, Writer

T = TypeVar("T")

SHIFT = 40  # bits of a place that are the event's number
NUMBER = (1 << SHIFT) - 1
ROWS = 64  # events that one statement writes


class SqliteStore:
    """The store in a file at `path`, which is made where there is none; its folder must be there."""

    def __init__(self, path: str, wait: float = WAIT) -> None:
        self._path, self._wait = os.path.realpath(path), wait
        self._idle: list[sqlite3.Connection] = []  # readers at rest
        self._closed = False
        self._writer: Writer[Work] = Writer(self._commit)
        # the writer's own: the only connection that writes, taken with the first job; the file's version as it sees
        # the work of others; and id and head of tables, while nobody else writes
        self._pen: sqlite3.Connection | None = None
        self._version = -1
        self._heads: dict[str, tuple[int, int]] = {}
        try:
            self._file, db = prepared(self._path, wait)
            self._idle.append(db)
        except FAULTS as e:
            raise self._said(e) from e

    # ---- tables --------------------------------------------------------------------------------------------

    def create(self, table: str) -> None:
        named("table", table)

        def work(db: sqlite3.Connection) -> None:
            if _find(db, table) is not None:
                raise Exists(f"there is a table {table} already")
            db.execute("INSERT INTO tables (name) VALUES (?)", (table,))

        self._write(work)

    def tables(self) -> list[str]:
        with self._reading() as db:
            return sorted(name for (name,) in db.execute("SELECT name FROM tables"))

    def delete(self, table: str) -> None:
        named("table", table)

        def work(db: sqlite3.Connection) -> None:
            tab = _found(db, table)
            db.execute("DELETE FROM tables WHERE id = ?", (tab,))
            db.execute(
                "DELETE FROM events WHERE place BETWEEN ? AND ?", (tab << SHIFT, tab << SHIFT | NUMBER)
            )
            self._heads.pop(table, None)
            db.execute("DELETE FROM snapshots WHERE tab = ?", (tab,))

        self._write(work)

    # ---- events --------------------------------------------------------------------------------------------

    def append(self, table: str, after: int, events: Sequence[bytes], key: str | None = None) -> Appended:
        asked(table, after, events, key)
        sums = [crc32(data, number) for number, data in enumerate(events, after + 1)]
        appended: Appended = self._writer.do(_Append(table, after, events, sums, key))
        return appended

    def _append(self, db: sqlite3.Connection, asked: _Append) -> Appended:
        """Append for one, whatever stands in the way."""
        tab = _found(db, asked.table)
        head = _head(db, tab)
        self._heads[asked.table] = tab, head
        if asked.key is not None and (was := _asked_before(db, tab, asked.key)):
            return was
        if head != asked.after:
            raise Conflict(asked.table, asked.after, head)
        rows = asked.rows(tab)
        row = "INSERT INTO events VALUES (?, ?, ?, ?, ?)"
        db.executemany(row, (rows[i : i + 5] for i in range(0, len(rows), 5)))
        self._heads[asked.table] = tab, asked.last
        return Appended(head + 1, asked.last, repeated=False)

    def _append_all(self, db: sqlite3.Connection, jobs: Sequence[Job[Work]]) -> list[Job[Work]]:
        """Append by one statement for all who ask for what is the rule; the others come back.

        The rule: the table's head is known and is what they say it is, nobody else here wants it, their keys are new.
        """
        taken: dict[str, tuple[int, Job[Work], _Append]] = {}
        rows: list[object] = []
        others = []
        for job in jobs:
            asked = job.work
            if isinstance(asked, _Append) and asked.table not in taken:
                tab, head = self._heads.get(asked.table, (0, -1))
                if head == asked.after and len(rows) + 5 * len(asked.events) <= 5 * ROWS:
                    taken[asked.table] = tab, job, asked
                    rows += asked.rows(tab)
                    continue
            others.append(job)
        if rows and db.execute(_insert(len(rows) // 5), rows).rowcount != len(rows) // 5:
            db.execute("ROLLBACK")  # a key was not new, and what else was written is not to stay
            self._begin(db)
            return [*jobs]
        for table, (tab, job, asked) in taken.items():
            self._heads[table] = tab, asked.last
            job.result, job.error = Appended(asked.after + 1, asked.last, repeated=False), None
        return others

    def find(self, table: str, key: str) -> Appended | None:
        named("table", table), named("key", key)
        with self._reading() as db:
            return _asked_before(db, _found(db, table), key)

    def read(self, table: str, after: int = 0, limit: int | None = None) -> Iterator[tuple[int, bytes]]:
        named("table", table)
        numbered("after", after)
        with self._reading() as db:
            tab = _found(db, table)
            last = _head(db, tab)
        if limit is not None:
            last = min(last, after + numbered("limit", limit))

        def page(after: int, most: int) -> list[tuple[int, bytes]]:
            sql = "SELECT place, data, crc FROM events WHERE place > ? AND place <= ? ORDER BY place LIMIT ?"
            with self._reading() as db:
                rows = db.execute(sql, (tab << SHIFT | after, tab << SHIFT | last, most)).fetchall()
                if not rows:
                    _found(db, table)
            return [(n := place & NUMBER, self._whole(data, crc, n)) for place, data, crc in rows]

        return streamed(table, after, last, page)

    def head(self, table: str) -> int:
        named("table", table)
        with self._reading() as db:
            return _head(db, _found(db, table))

    # ---- what is kept beside them --------------------------------------------------------------------------

    def keep(self, table: str, number: int, form: str, snapshot: bytes) -> None:
        named("table", table), numbered("number", number), named("form", form), weighed("snapshot", snapshot)

        def work(db: sqlite3.Connection) -> None:
            tab = _found(db, table)
            if number > (head := _head(db, tab)):
                raise RuleError("number", f"got {number}; takes up to the table's head, {head}")
            db.execute(
                "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?) ON CONFLICT (tab, form) DO UPDATE "
                "SET number = excluded.number, data = excluded.data, crc = excluded.crc "
                "WHERE excluded.number >= number",
                (tab, form, number, snapshot, crc32(snapshot, number)),
            )

        self._write(work)

    def kept(self, table: str, form: str) -> tuple[int, bytes] | None:
        named("table", table), named("form", form)
        with self._reading() as db:
            tab = _found(db, table)
            sql = "SELECT number, data, crc FROM snapshots WHERE tab = ? AND form = ?"
            row = db.execute(sql, (tab, form)).fetchone()
        return (row[0], self._whole(row[1], row[2], row[0])) if row else None

    def put(self, digest: str, data: bytes) -> None:
        named("digest", digest), weighed("data", data)

        def work(db: sqlite3.Connection) -> None:
            for (was,) in db.execute("SELECT data FROM settings WHERE digest = ?", (digest,)):
                if was != data:
                    raise RuleError("digest", f"{digest} names other settings already")
                return
            db.execute("INSERT INTO settings VALUES (?, ?, ?)", (digest, data, crc32(data)))

        self._write(work)

    def get(self, digest: str) -> bytes:
        named("digest", digest)
        with self._reading() as db:
            row = db.execute("SELECT data, crc FROM settings WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            raise Missing(f"there are no house settings {digest}")
        return self._whole(*row)

    # ---- the file ------------------------------------------------------------------------------------------

    def backup(self, path: str | os.PathLike[str]) -> None:
        with self._reading() as db, new_file(path) as part:
            db.backup(part)
            if (said := part.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise Corrupt(f"{self._path} is damaged, and was not backed up: {said.splitlines()[-1]}")

    def close(self) -> None:
        self._closed = True
        self._writer.close()
        if self._pen is not None:
            self._pen.close()
            self._pen = None
        self._rest(None)

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---- connections ---------------------------------------------------------------------------------------

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do `work` in a transaction; when this returns, it is durable. What it raises is raised here.

        Work that raises StoreError or RuleError must have written nothing: others share its transaction.
        """
        result: T = self._writer.do(work)
        return result

    def _commit(self, jobs: Sequence[Job[Work]]) -> None:
        begun = False
        try:
            if (db := self._pen) is None:
                db = self._pen = self._rested() or connect(self._path, self._wait)
                db.execute("PRAGMA journal_size_limit = 67108864")  # the room of a burst is given back
            try:
                begun = self._begin(db)
                for job in self._append_all(db, jobs):
                    try:
                        work = job.work
                        job.result = self._append(db, work) if isinstance(work, _Append) else work(db)
                        job.error = None
                    except (StoreError, RuleError) as refused:
                        job.error = refused
                db.execute("COMMIT")
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")
        except BaseException as e:  # noqa: BLE001  whoever asked must hear of it, and the writer goes on
            self._heads.clear()  # rolled back, by us or by SQLite itself where the disk is full
            if begun and len(jobs) > 1:  # one that does not fit is no reason to refuse the others
                for job in jobs:
                    self._commit([job])
                return
            for job in jobs:
                job.error = self._said(e) if isinstance(e, FAULTS) else e

    def _begin(self, db: sqlite3.Connection) -> bool:
        """Begin to write, and forget what another process may have changed, now that none can.

        Raises StoreError where the file was moved away: what is written to it then is written to nothing.
        """
        db.execute("BEGIN IMMEDIATE")
        version = db.execute("PRAGMA data_version").fetchone()[0]
        if self._version != version or len(self._heads) > 10_000:
            self._heads.clear()
            self._version = version
        with suppress(FileNotFoundError):
            if identity(self._path) == self._file:
                return True
        raise moved(self._path)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise StoreError("the store is closed")
        try:
            db = self._rested() or connect(self._path, self._wait)
        except FAULTS as e:
            raise self._said(e) from e
        try:
            yield db
        except FAULTS as e:
            db.close()
            raise self._said(e) from e
        except BaseException:
            self._rest(db)
            raise
        else:
            self._rest(db)

    def _rested(self) -> sqlite3.Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _rest(self, db: sqlite3.Connection | None) -> None:
        if db is not None:
            self._idle.append(db)
        while self._closed and (db := self._rested()):
            db.close()

    def _whole(self, data: bytes, crc: int, start: int = 0) -> bytes:
        if not isinstance(data, bytes) or not isinstance(start, int) or crc32(data, start) != crc:
            raise damaged(self._path, "its bytes are not those that were written")
        return data

    def _said(self, e: Exception) -> StoreError:
        return said(e, self._path, self._wait)


class _Append:
    """What an append asks for."""

    __slots__ = ("table", "after", "last", "events", "sums", "key")

    def __init__(
        self, table: str, after: int, events: Sequence[bytes], sums: Sequence[int], key: str | None
    ) -> None:
        self.table, self.after, self.last = table, after, after + len(events)
        self.events, self.sums, self.key = events, sums, key

    def rows(self, tab: int) -> list[object]:
        """What is written, column after column: who asked under a key says so in the first event."""
        place = tab << SHIFT | self.after + 1
        rows = [place, self.events[0], self.sums[0], self.key and self.last, self.key]
        for i in range(1, len(self.events)):
            rows += (place + i, self.events[i], self.sums[i], None, None)
        return rows


Work = Callable[[sqlite3.Connection], object] | _Append


@cache
def _insert(rows: int) -> str:
    """The statement that writes so many. It counts what it wrote: to undo a part would take a file beside the log."""
    return "INSERT OR IGNORE INTO events VALUES " + ", ".join(["(?, ?, ?, ?, ?)"] * rows)


# ---- the rows that all work begins with --------------------------------------------------------------------


def _find(db: sqlite3.Connection, table: str) -> int | None:
    row = db.execute("SELECT id FROM tables WHERE name = ?", (table,)).fetchone()
    return row[0] if row else None


def _found(db: sqlite3.Connection, table: str) -> int:
    if (tab := _find(db, table)) is None:
        raise no_table(table)
    return tab


def _asked_before(db: sqlite3.Connection, tab: int, key: str) -> Appended | None:
    """What was appended under this key."""
    sql = "SELECT place, last FROM events WHERE place >> 40 = ? AND key = ?"
    row = db.execute(sql, (tab, key)).fetchone()
    return Appended(row[0] & NUMBER, row[1], repeated=True) if row else None


def _head(db: sqlite3.Connection, tab: int) -> int:
    # read anew in each transaction: another process may have appended
    sql = "SELECT max(place) FROM events WHERE place BETWEEN ? AND ?"
    place: int | None = db.execute(sql, (tab << SHIFT, tab << SHIFT | NUMBER)).fetchone()[0]
    return 0 if place is None else place & NUMBER
