"""The file of an SQLite store: opened, made, brought up to date; and what goes wrong with it, in words for people."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from time import monotonic, sleep

from sortes.table.stores import (
    Corrupt,
    Exists,
    Full,
    Locked,
    ReadOnly,
    StoreError,
    migrations,
    newer,
)

OURS = 0x536F7274  # "Sort", by which a file says whose it is
LEAST = 512  # bytes that an SQLite database has, unless it is empty

# what SQLite, the system and, over text that is none, Python raise
FAULTS = (sqlite3.Error, OSError, UnicodeDecodeError)


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


def identity(path: str) -> tuple[int, int]:
    stat = os.stat(path)
    return stat.st_dev, stat.st_ino


def prepared(path: str, wait: float) -> tuple[tuple[int, int], sqlite3.Connection]:
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
        return identity(path), db
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
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_ERROR | sqlite3.SQLITE_CONSTRAINT:
            return damaged(path, str(e))  # an error in our SQL: what it names is not there any more
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
        return damaged(path, "text that is none")
    if _code(e) == sqlite3.SQLITE_CANTOPEN and os.path.isdir(folder) and not os.path.exists(path):
        return moved(path)
    # SQLite has many ways to trip over a full or guarded disk beside its files
    if _code(e) in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and os.path.isdir(folder):
        from shutil import disk_usage

        if disk_usage(folder).free < 1 << 20:
            return _full(path)
        if not os.access(folder, os.W_OK):
            return _read_only(path)
    return StoreError(f"{path} could not be read or written: {e}")


def moved(path: str) -> StoreError:
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


def damaged(path: str, how: str) -> Corrupt:
    return Corrupt(f"{path} is damaged ({how}); nothing was changed: open its latest backup instead")
