"""All tables in one SQLite file: one thread writes and commits for all, readers have connections of their own."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from time import monotonic, sleep
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
    Full,
    Locked,
    Missing,
    ReadOnly,
    StoreError,
    asked,
    migrations,
    named,
    newer,
    no_table,
    numbered,
    streamed,
    weighed,
)
from sortes.table.stores.writer import Job, Writer

T = TypeVar("T")

OURS = 0x536F7274  # "Sort", by which a file says whose it is
SHIFT = 40  # bits of a place that are the event's number
NUMBER = (1 << SHIFT) - 1
ROWS = 64  # events that one statement writes
LEAST = 512  # bytes that an SQLite database has, unless it is empty

# what SQLite, the system and, over text that is none, Python raise
FAULTS = (sqlite3.Error, OSError, UnicodeDecodeError)


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
            self._file, db = _prepared(self._path, wait)
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
        db.executemany(_insert(1), (rows[i : i + 5] for i in range(0, len(rows), 5)))
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
        if rows:
            try:
                db.execute(_insert(len(rows) // 5), rows)
            except sqlite3.IntegrityError:  # a key was not new, and nothing was written
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
                db.execute("BEGIN IMMEDIATE")
                begun = True
                self._begun(db)
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

    def _begun(self, db: sqlite3.Connection) -> None:
        """Forget what another process may have changed, now that none can.

        Raises StoreError where the file was moved away: what is written to it then is written to nothing.
        """
        if (
            self._version != (version := db.execute("PRAGMA data_version").fetchone()[0])
            or len(self._heads) > 10_000
        ):
            self._heads.clear()
            self._version = version
        with suppress(FileNotFoundError):
            if _identity(self._path) == self._file:
                return
        raise _moved(self._path)

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
            raise _damaged(self._path, "its bytes are not those that were written")
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


# ---- files -------------------------------------------------------------------------------------------------


def connect(path: str, wait: float) -> sqlite3.Connection:
    """A connection to a file that is there, for one thread at a time. Statements commit unless told otherwise."""
    # what pathlib calls a URI, without the time that it takes to load
    name = os.fsencode(path.replace(os.sep, "/"))
    safe = "".join(
        chr(b) if chr(b).isascii() and (chr(b).isalnum() or chr(b) in "/:._-") else f"%{b:02X}" for b in name
    )
    db = sqlite3.connect(
        f"file://{'' if safe.startswith('/') else '/'}{safe}?mode=rw",
        uri=True,
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        db.close()
        raise
    return db


def _identity(path: str) -> tuple[int, int]:
    stat = os.stat(path)
    return stat.st_dev, stat.st_ino


def _prepared(path: str, wait: float) -> tuple[tuple[int, int], sqlite3.Connection]:
    """The file, made or seen to be a store that can be written, and a connection to it. Only a lower schema changes."""
    # By SQLite alone: to open and close the file beside it would drop the locks of another store in this process.
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        raise StoreError(f"{path} is a folder; the store needs a file in it")
    if not os.path.isdir(folder):
        raise _no_folder(path)
    if not os.path.exists(path):
        with suppress(FileExistsError):
            _touch(path)
    elif not os.path.isfile(path):
        raise StoreError(f"{path} is no file; the store needs one")
    elif not os.access(path, os.R_OK):
        raise StoreError(f"{path} may not be read: change its permissions; nothing was changed")
    elif not all(os.access(place, os.W_OK) for place in (path, folder)):
        raise _read_only(path)
    elif 0 < os.path.getsize(path) < LEAST:  # SQLite would take what is there for nothing, and write over it
        raise _never_a_store(path, "it is too short")
    db = connect(path, wait)
    try:
        steps = migrations("sqlite")
        db.execute("BEGIN")  # of one moment: another process may be making the store
        theirs = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        others = theirs != OURS and (theirs or db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone())
        db.execute("COMMIT")
        if others:
            raise _never_a_store(path, "it is a database of another program")
        if version > max(steps):
            raise newer(path, version, max(steps))
        _write_ahead(db, path, wait)
        if version < max(steps):
            migrate(db)
        return _identity(path), db
    except BaseException:
        db.close()
        raise


def _write_ahead(db: sqlite3.Connection, path: str, wait: float) -> None:
    """Have the file keep its log beside it, once and for all who open it."""
    until = monotonic() + wait
    while (mode := db.execute("PRAGMA journal_mode").fetchone()[0]) != "wal":
        try:
            mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except (
            sqlite3.OperationalError
        ) as e:  # SQLite does not wait by itself for others who change this, too
            if _code(e) != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
            sleep(0.005)
            continue
        if mode != "wal":
            raise StoreError(f"{path} is where SQLite cannot keep its log beside it (it offers {mode})")


def _touch(path: str) -> None:
    """An empty file for the owner alone: the log holds what seats may not see. What SQLite adds follows suit."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def migrate(db: sqlite3.Connection) -> None:
    """Bring the schema up to ours, all or nothing."""
    steps = migrations("sqlite")
    if db.execute("PRAGMA user_version").fetchone()[0] == max(steps):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
        for step, sql in steps.items():
            if step > version:
                for statement in _statements(sql):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {step}")
        db.execute(f"PRAGMA application_id = {OURS}")
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def _statements(sql: str) -> Iterator[str]:
    """One by one: `executescript` would commit what is under way."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    assert not statement.strip(), f"unfinished SQL: {statement}"


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    """A connection to a new, empty file that stands at `path` once all is well, and else nowhere."""
    path = os.path.abspath(path)
    part = f"{path}.part"
    try:
        if os.path.exists(path):
            raise Exists(f"there is a file {path} already; a backup never writes over one")
        with suppress(FileNotFoundError):
            os.unlink(part)
        _touch(part)
        try:
            with closing(connect(part, 0)) as db:
                yield db
            os.rename(part, path)
            if os.name == "posix":  # a name is durable once its folder is
                folder = os.open(os.path.dirname(path), os.O_RDONLY)
                os.fsync(folder)
                os.close(folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(part)
            raise
    except FAULTS as e:
        if _code(e) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise  # what was read, not what is written here
        raise said(e, path, 0) from e


# ---- errors ------------------------------------------------------------------------------------------------


def _code(e: Exception) -> int:
    """SQLite's primary result code; 0 where the error is not SQLite's."""
    return getattr(e, "sqlite_errorcode", 0) & 0xFF


def said(e: Exception, path: str, wait: float) -> StoreError:
    """What an error of SQLite or the system means to people."""
    folder = os.path.dirname(path)
    match _code(e):
        case sqlite3.SQLITE_FULL:
            return _full(path)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return Locked(
                f"{path} is held by another program, for longer than {wait:g} s; nothing was changed"
            )
        case sqlite3.SQLITE_NOTADB:
            return _never_a_store(path, str(e))
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_ERROR:
            return _damaged(path, str(e))  # an error in our SQL: what it names is not there any more
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return _read_only(path)
    match getattr(e, "errno", None):
        case errno.ENOSPC | errno.EDQUOT:
            return _full(path)
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return _read_only(path)
        case errno.ENOENT | errno.ENOTDIR if not os.path.isdir(folder):
            return _no_folder(path)
    if isinstance(e, UnicodeDecodeError) or "decode" in str(e):
        return _damaged(path, "text that is none")
    if _code(e) == sqlite3.SQLITE_CANTOPEN and os.path.isdir(folder) and not os.path.exists(path):
        return _moved(path)
    # SQLite has many ways to trip over a full or guarded disk beside its files
    if _code(e) in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and os.path.isdir(folder):
        from shutil import disk_usage

        if disk_usage(folder).free < 1 << 20:
            return _full(path)
        if not os.access(folder, os.W_OK):
            return _read_only(path)
    return StoreError(f"{path} could not be read or written: {e}")


def _moved(path: str) -> StoreError:
    return StoreError(f"{path} was moved or deleted while it was open: open the store anew")


def _no_folder(path: str) -> StoreError:
    folder, name = os.path.split(path)
    return StoreError(f"there is no folder {folder} for the file {name}")


def _full(path: str) -> Full:
    return Full(f"there is no room left for {path}; nothing was changed: make room, then ask again")


def _read_only(path: str) -> ReadOnly:
    return ReadOnly(
        f"{path} cannot be written: it, its folder or its disk is read-only; nothing was changed. "
        "Copy it to where you may write, or change its permissions"
    )


def _never_a_store(path: str, how: str) -> Corrupt:
    return Corrupt(
        f"{path} is not a store of Sortes ({how}); nothing was changed: "
        "name another file, or, if it was one once, open its latest backup"
    )


def _damaged(path: str, how: str) -> Corrupt:
    return Corrupt(f"{path} is damaged ({how}); nothing was changed: open its latest backup instead")
