"""All tables in a PostgreSQL database, for tables that are hosted: each append is one statement, and so one commit.

What is ours is named sortes_…, in the first schema of the connection's search path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from queue import Empty, SimpleQueue
from threading import Lock
from types import TracebackType
from typing import Any, LiteralString, TypeAlias, TypeVar
from zlib import crc32

import psycopg
from psycopg import errors

from sortes.core.errors import RuleError, wrong
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
    Unreachable,
    asked,
    migrations,
    named,
    newer,
    no_table,
    numbered,
    streamed,
    weighed,
)
from sortes.table.stores.sqlite import SHIFT
from sortes.table.stores.sqlite_file import migrate, new_file

Row: TypeAlias = tuple[Any, ...]
Connection: TypeAlias = psycopg.Connection[Row]
Cursor: TypeAlias = psycopg.Cursor[Row]
T = TypeVar("T")

CONNECTIONS = 16  # at most, for one store: a server has 100 for all
OURS = 0x536F7274  # "Sort": the advisory lock of those who change the schema


def _appending(keyed: bool, many: bool) -> LiteralString:
    """The statement of an append, which writes nothing where the table is gone or its head is another.

    What an append has no need of is left out. Two that looked at once meet at the event's number or key, where the
    later one waits for the earlier and fails. Numbers come worked out: a sum of two small ones, which are sent as
    such, could be too large for their kind.
    """
    columns: LiteralString = ", key, last" if keyed else ""
    event: LiteralString = "%s + n, data" if many else "%s, %s"
    each: LiteralString = ", unnest(%s::bytea[]) WITH ORDINALITY AS e (data, n)" if many else ""
    request: LiteralString = ", %s, %s" if keyed else ""
    if keyed and many:
        request = ", CASE n WHEN 1 THEN %s END, CASE n WHEN 1 THEN %s END"
    return f"""
        INSERT INTO sortes_event (tab, number, data{columns})
        SELECT id, {event}{request} FROM sortes_table t{each}
        WHERE name = %s AND %s = coalesce((SELECT max(number) FROM sortes_event WHERE tab = t.id), 0)
        FOR KEY SHARE OF t
    """


APPEND = {(keyed, many): _appending(keyed, many) for keyed in (False, True) for many in (False, True)}


class PostgresStore:
    """The store in the database of a URL."""

    def __init__(self, url: str, wait: float = WAIT) -> None:
        self._url, self._wait = url, wait
        # at rest: a connection each, by the cursor that it keeps; None is room for a new one, where one died
        self._idle: SimpleQueue[Cursor | None] = SimpleQueue()
        self._room = CONNECTIONS  # for connections that never were
        self._gate = Lock()  # held by whoever looks at the room
        self._closed = False
        known = _parts(url)
        self._name = f"the database {known.get('dbname', '')} at {known.get('host', 'this machine')}"
        try:
            with self._connected() as db:
                self._migrate(db)
        except BaseException:
            self.close()
            raise

    # ---- tables --------------------------------------------------------------------------------------------

    def create(self, table: str) -> None:
        named("table", table)
        if not self._do(
            "INSERT INTO sortes_table (name) VALUES (%s) ON CONFLICT DO NOTHING RETURNING id", table
        ):
            raise Exists(f"there is a table {table} already")

    def tables(self) -> list[str]:
        return sorted(name for (name,) in self._do("SELECT name FROM sortes_table"))

    def delete(self, table: str) -> None:
        named("table", table)
        with self._connected() as db, db.transaction():
            # the first waits for appends under way, the second sees what they appended
            gone = db.execute("DELETE FROM sortes_table WHERE name = %s RETURNING id", (table,)).fetchone()
            if gone is None:
                raise no_table(table)
            db.execute("DELETE FROM sortes_event WHERE tab = %s", gone)

    # ---- events --------------------------------------------------------------------------------------------

    def append(self, table: str, after: int, events: Sequence[bytes], key: str | None = None) -> Appended:
        asked(table, after, events, key)
        keyed, many, last = key is not None, len(events) > 1, after + len(events)
        event = (after,) if many else (last, events[0])
        request, each = (key, last) if keyed else (), (list(events),) if many else ()
        sql, given = APPEND[keyed, many], (*event, *request, *each, table, after)

        def write(pen: Cursor) -> int:
            try:
                return pen.execute(sql, given, prepare=True).rowcount
            except errors.UniqueViolation:
                return 0

        for _ in range(3):  # what stood in the way may be gone when asked for
            if self._with(write):
                return Appended(after + 1, last, repeated=False)
            head = self.head(table)
            if key is not None and (was := self.find(table, key)):
                return was
            if head != after:
                raise Conflict(table, after, head)
        raise Corrupt(f"{self._name} is damaged (event {after + 1} of {table} is there and is not)")

    def find(self, table: str, key: str) -> Appended | None:
        named("table", table), named("key", key)
        sql: LiteralString = (
            "SELECT r.number, r.last FROM sortes_table t "
            "LEFT JOIN sortes_event r ON r.tab = t.id AND r.key = %s WHERE t.name = %s"
        )
        for first, last in self._do(sql, key, table):
            return None if first is None else Appended(first, last, repeated=True)
        raise no_table(table)

    def read(self, table: str, after: int = 0, limit: int | None = None) -> Iterator[tuple[int, bytes]]:
        numbered("after", after)
        tab, last = self._at(table)
        if limit is not None:
            last = min(last, after + numbered("limit", limit))

        def page(after: int, most: int) -> list[tuple[int, bytes]]:
            sql: LiteralString = (
                "SELECT number, data FROM sortes_event "
                "WHERE tab = %s AND number > %s ORDER BY number LIMIT %s"
            )
            rows = self._do(sql, tab, after, most)
            if not rows and self._at(table)[0] != tab:
                raise no_table(table)
            return [(number, data) for number, data in rows]

        return streamed(table, after, last, page)

    def head(self, table: str) -> int:
        return self._at(table)[1]

    def _at(self, table: str) -> tuple[int, int]:
        """A table's id and head."""
        sql: LiteralString = (
            "SELECT id, coalesce((SELECT max(number) FROM sortes_event WHERE tab = id), 0) "
            "FROM sortes_table WHERE name = %s"
        )
        for id, head in self._do(sql, named("table", table)):
            return id, head
        raise no_table(table)

    # ---- what is kept beside them --------------------------------------------------------------------------

    def keep(self, table: str, number: int, form: str, snapshot: bytes) -> None:
        numbered("number", number), named("form", form), weighed("snapshot", snapshot)
        tab, head = self._at(table)
        if number > head:
            raise RuleError("number", f"got {number}; takes up to the table's head, {head}")
        self._do(
            "INSERT INTO sortes_snapshot AS s (tab, form, number, data) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT (tab, form) DO UPDATE SET number = excluded.number, data = excluded.data "
            "WHERE excluded.number >= s.number RETURNING number",
            *(tab, form, number, snapshot),
        )

    def kept(self, table: str, form: str) -> tuple[int, bytes] | None:
        tab, _ = self._at(table)
        sql: LiteralString = "SELECT number, data FROM sortes_snapshot WHERE tab = %s AND form = %s"
        for number, data in self._do(sql, tab, named("form", form)):
            return number, data
        return None

    def put(self, digest: str, data: bytes) -> None:
        named("digest", digest), weighed("data", data)
        sql: LiteralString = (
            "INSERT INTO sortes_settings VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING digest"
        )
        if not self._do(sql, digest, data) and self.get(digest) != data:
            raise RuleError("digest", f"{digest} names other settings already")

    def get(self, digest: str) -> bytes:
        sql: LiteralString = "SELECT data FROM sortes_settings WHERE digest = %s"
        for (data,) in self._do(sql, named("digest", digest)):
            return bytes(data)
        raise Missing(f"there are no house settings {digest}")

    # ---- the database --------------------------------------------------------------------------------------

    def backup(self, path: str | PathLike[str]) -> None:
        with self._connected() as db, new_file(path) as part:
            migrate(part)
            part.execute("BEGIN")
            with db.transaction():
                db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                part.executemany(
                    "INSERT INTO tables VALUES (?, ?)", _rows(db, "SELECT id, name FROM sortes_table")
                )
                part.executemany(
                    "INSERT INTO events VALUES (?, ?, ?, ?, ?)",
                    (
                        (tab << SHIFT | number, data, crc32(data, number), last, key)
                        for tab, number, data, last, key in _rows(
                            db, "SELECT tab, number, data, last, key FROM sortes_event ORDER BY tab, number"
                        )
                    ),
                )
                part.executemany(
                    "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)",
                    (
                        (*row, crc32(row[3], row[2]))
                        for row in _rows(db, "SELECT tab, form, number, data FROM sortes_snapshot")
                    ),
                )
                part.executemany(
                    "INSERT INTO settings VALUES (?, ?, ?)",
                    ((*row, crc32(row[1])) for row in _rows(db, "SELECT digest, data FROM sortes_settings")),
                )
            part.execute("COMMIT")

    def close(self) -> None:
        self._closed = True
        with suppress(Empty):
            while True:
                if pen := self._idle.get_nowait():
                    pen.connection.close()
        self._idle.put(None)  # wakes who waits: each puts it back for the next one

    def __enter__(self) -> PostgresStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _migrate(self, db: Connection) -> None:
        """Bring the schema up to ours, all or nothing. What is of our time is not touched, a newer one refused."""
        steps = migrations("postgres")
        if (version := _version(db)) == (ours := max(steps)):
            return
        with db.transaction():
            if version < ours:
                db.execute("SELECT pg_advisory_xact_lock(%s)", (OURS,))
                version = _version(db)  # another process may have been faster
            if version > ours:
                raise newer(self._name, version, ours)
            for step in range(version + 1, ours + 1):
                db.execute(steps[step].encode())
            db.execute("CREATE TABLE IF NOT EXISTS sortes_schema (version integer NOT NULL)")
            db.execute("DELETE FROM sortes_schema")
            db.execute("INSERT INTO sortes_schema VALUES (%s)", (ours,))

    # ---- connections ---------------------------------------------------------------------------------------

    def _do(self, sql: LiteralString, *given: Any) -> list[Row]:
        """The rows of one statement, which commits."""
        return self._with(lambda pen: pen.execute(sql, given, prepare=True).fetchall())

    def _with(self, work: Callable[[Cursor], T]) -> T:
        """What `work`, of one statement, returns. It goes again, once, where a resting connection had died.

        An append that was made before its connection died is not made again then: its `after` or key forbids.
        """
        pen = rested = self._taken()
        try:
            while True:
                pen = pen or self._connect()
                try:
                    return work(pen)
                except psycopg.Error as e:
                    if not (rested and pen.connection.closed):
                        raise self._said(e) from e
                    pen = rested = None
        finally:
            self._rest(pen)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        pen = self._taken()
        try:
            pen = pen or self._connect()
            yield pen.connection
        except psycopg.Error as e:
            raise self._said(e) from e
        finally:
            self._rest(pen)

    def _taken(self) -> Cursor | None:
        """A connection that rests, or None where there is room for a new one. Waits where there is neither."""
        if self._closed:
            raise StoreError("the store is closed")
        try:
            return self._idle.get_nowait()
        except Empty:
            with self._gate:
                if self._room:
                    self._room -= 1
                    return None
        pen = self._idle.get()
        if self._closed:
            self._rest(pen)
            raise StoreError("the store is closed")
        return pen

    def _rest(self, pen: Cursor | None) -> None:
        self._idle.put(None if pen is None or pen.connection.closed else pen)
        if self._closed:
            self.close()

    def _connect(self) -> Cursor:
        try:
            db = psycopg.connect(self._url, autocommit=True, connect_timeout=max(2, round(self._wait)))
            # what the store promises holds whatever the server's defaults are
            db.execute(
                "SELECT set_config('lock_timeout', %s, false), set_config('synchronous_commit', "
                "CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
                "ELSE current_setting('synchronous_commit') END, false), "
                "set_config('default_transaction_isolation', 'read committed', false)",
                (f"{max(1, round(self._wait * 1000))}ms",),
            )
        except psycopg.Error as e:
            raise self._said(e) from e
        return db.cursor(binary=True)

    def _said(self, e: psycopg.Error) -> StoreError:
        """What an error of the database means to people."""
        told = str(e).strip().partition("\n")[0]
        match e:
            case errors.ForeignKeyViolation():
                return Missing(f"{self._name}: the table was deleted meanwhile")
            case errors.DiskFull():
                return Full(
                    f"there is no room left for {self._name}; nothing was changed: make room, then ask again"
                )
            case errors.ReadOnlySqlTransaction() | errors.InsufficientPrivilege():
                return ReadOnly(f"{self._name} cannot be written: {told}; nothing was changed")
            case errors.LockNotAvailable() | errors.DeadlockDetected():
                return Locked(
                    f"{self._name} is held by another program, for longer than {self._wait:g} s; "
                    "nothing was changed"
                )
            case errors.DataCorrupted() | errors.IndexCorrupted():
                return Corrupt(
                    f"{self._name} is damaged ({told}); nothing was changed: restore its latest backup"
                )
            case psycopg.OperationalError():
                return Unreachable(f"{self._name} cannot be reached: {told}")
        return StoreError(f"{self._name} could not be read or written: {told}")


def _parts(url: str) -> dict[str, Any]:
    """What a URL says, by libpq's names.

    Errors show host, port and name, but no password: so one whose @, / or : makes it look like those is refused.
    """
    try:
        known = psycopg.conninfo.conninfo_to_dict(url)
        ports = str(known.get("port", 5432)).split(",")
        if "@" not in f"{known.get('host')}{known.get('dbname')}" and all(port.isdigit() for port in ports):
            return known
    except psycopg.ProgrammingError:
        pass
    raise wrong(
        "where",
        "postgresql://…",
        "a URL that libpq reads, postgresql://user:password@host:port/name, with %40 for an @ in the password, "
        "%2F for a /, %3A for a :",
    )


def _version(db: Connection) -> int:
    """The schema's version, 0 where there is none."""
    # of the catalogue's rows: to_regclass remembers a moment ago, when another process had not made it yet
    there: LiteralString = (
        "SELECT FROM pg_tables "
        "WHERE tablename = 'sortes_schema' AND schemaname = ANY (current_schemas(false))"
    )
    if not db.execute(there).fetchall():
        return 0
    ((version,),) = db.execute("SELECT coalesce(max(version), 0) FROM sortes_schema").fetchall()
    return int(version)


def _rows(db: Connection, sql: LiteralString) -> Iterator[tuple[Any, ...]]:
    """Rows as they come, by a cursor of the server's, a page at a time."""
    with db.cursor("sortes_backup", binary=True) as cursor:
        cursor.itersize = 200
        yield from cursor.execute(sql)
