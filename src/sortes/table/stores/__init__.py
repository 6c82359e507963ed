"""Where a table's log is kept: one contract, and two stores that hold to it.

A store knows nothing of play. To it an event is bytes with a number: 1, 2, 3 … in each table, in one order, never
changed. Every call may come from any thread, and several processes may have one store open.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import NamedTuple, Protocol

from sortes.core.errors import RuleError, wrong

WAIT = 5.0  # seconds that a store waits for another process
EVENT = 1 << 24  # bytes an event, a snapshot or a house's settings may have
BATCH = 10_000  # events that one append may have
LAST = (1 << 40) - 1  # the highest number an event may have
NAME = 200  # characters a name may have


class StoreError(Exception):
    """What a store cannot do, in a sentence for people. What was kept before is as it was."""


class Full(StoreError):
    """There is no room left on the disk."""


class ReadOnly(StoreError):
    """The store may be read, not written."""


class Locked(StoreError):
    """Another program held the store for longer than this one waits."""


class Corrupt(StoreError):
    """What is read is not what was written, or never was a store."""


class NewerSchema(StoreError):
    """A later version of Sortes wrote this store."""


class Unreachable(StoreError):
    """The database's server does not answer, turns us away, or went away."""


class Missing(StoreError):
    """There is no table, or there are no settings, of that name."""


class Exists(StoreError):
    """That name is taken already, by a table or by a file."""


class Conflict(StoreError):
    """Others appended first: `head` is the table's last number now, and what changed is what follows `after`."""

    def __init__(self, table: str, after: int, head: int) -> None:
        super().__init__(
            f"the table {table} is at event {head}, not at {after}: see what changed, then ask again"
        )
        self.table, self.after, self.head = table, after, head


class Appended(NamedTuple):
    """The numbers an append's events got, and whether it was a repeat of one made before under the same key."""

    first: int
    last: int
    repeated: bool


class Store(Protocol):
    """A store of tables. All methods raise StoreError, and RuleError for input that no store takes.

    Names (of tables, keys, forms and digests) have 1 to 200 printable characters; an event, a snapshot or settings
    have up to 16 MiB.
    """

    def create(self, table: str) -> None:
        """Make a table without events. Raises Exists where there is one of that name."""

    def tables(self) -> list[str]:
        """The names of all tables, in order of the alphabet."""

    def delete(self, table: str) -> None:
        """Take a table away with all its events, requests and snapshots; house settings stay."""

    def append(self, table: str, after: int, events: Sequence[bytes], key: str | None = None) -> Appended:
        """Append 1 to 10,000 events behind number `after`: all of them or none, and durable when this returns.

        `after` must be the table's head (0 when it is empty), else Conflict says what the head is. A `key` that
        the table has seen appends nothing, whatever else is given, and returns what it returned the first time.
        """

    def find(self, table: str, key: str) -> Appended | None:
        """What the append under this key returned, as a repeat; None where the table has not seen it."""

    def read(self, table: str, after: int = 0, limit: int | None = None) -> Iterator[tuple[int, bytes]]:
        """The events behind number `after`, at most `limit`, each with its number, up to the head of this moment.

        They stream: neither memory nor a lock is held for a long log. Raises Missing when called, not when read;
        also in the midst of reading, where the table is deleted.
        """

    def head(self, table: str) -> int:
        """The number of the last event, 0 where there is none."""

    def keep(self, table: str, number: int, form: str, snapshot: bytes) -> None:
        """Keep a snapshot of the fold up to event `number`, for folds of the same `form`; an older one goes.

        One that is older than what is kept is passed over.
        """

    def kept(self, table: str, form: str) -> tuple[int, bytes] | None:
        """The newest snapshot of a form, with its number; None where there is none."""

    def put(self, digest: str, data: bytes) -> None:
        """Keep house settings under their digest. What is there already is not written again."""

    def get(self, digest: str) -> bytes:
        """The house settings of a digest. Raises Missing."""

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write all of the store, as it is at one moment, to a new SQLite file, which `open_store` opens.

        Play goes on meanwhile. Raises Exists where there is such a file.
        """

    def close(self) -> None:
        """Finish what was asked, and let go of file or server. Whatever is asked later raises StoreError."""

    def __enter__(self) -> Store: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_store(where: str | os.PathLike[str], wait: float = WAIT) -> Store:
    """The store at a path (an SQLite file, made where there is none) or a URL, postgresql://…

    `wait` is how long, in seconds from 0 to 600, a call waits for other processes before it raises Locked.
    """
    if not isinstance(wait, int | float) or not 0 <= wait <= 600:
        raise wrong("wait", wait, "seconds from 0 to 600")
    place = os.fspath(where) if isinstance(where, str | os.PathLike) else None
    if not isinstance(place, str) or place in ("", "."):
        raise wrong("where", where, "the path of a file, or postgresql://…")
    if "\0" in place:
        raise wrong("where", "a name with a NUL in it", "the path of a file, or postgresql://…")
    scheme, colon, _ = place.partition("://")
    if not colon and not place.startswith(("postgresql:", "postgres:")):
        from sortes.table.stores.sqlite import SqliteStore

        return SqliteStore(place, wait)
    if scheme not in ("postgresql", "postgres"):  # not to be shown: it may hold a password
        raise wrong("where", f"{scheme.partition(':')[0]}:…", "the path of a file, or postgresql://…")
    try:
        from sortes.table.stores.postgres import PostgresStore
    except ImportError:
        raise Unreachable(
            "PostgreSQL needs a part that is not installed: pip install 'sortes[postgres]'"
        ) from None
    return PostgresStore(place, wait)


# ---- what both stores share --------------------------------------------------------------------------------


def named(parameter: str, value: object) -> str:
    """A name as given, if every store can hold it."""
    if not isinstance(value, str) or not 0 < len(value) <= NAME or not value.isprintable():
        raise wrong(parameter, value, f"1 to {NAME} printable characters")
    return value


def numbered(parameter: str, value: object) -> int:
    """A number as given, if an event can have it, or 0."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LAST:
        raise wrong(parameter, value, f"a number from 0 to {LAST:,}")
    return value


def weighed(parameter: str, value: object) -> bytes:
    """Bytes as given, if they are not too many."""
    if not isinstance(value, bytes):
        raise wrong(parameter, value, "bytes")
    if len(value) > EVENT:
        raise RuleError(parameter, f"got {len(value):,} bytes; takes up to {EVENT:,}")
    return value


def asked(table: object, after: object, events: Sequence[bytes], key: object) -> None:
    """Check what an append was given."""
    named("table", table)
    if numbered("after", after) + len(events) > LAST:
        raise RuleError("after", f"a table takes up to {LAST:,} events")
    if key is not None:
        named("key", key)
    if isinstance(events, bytes | str) or not 0 < len(events) <= BATCH:
        raise RuleError("events", f"got {len(events):,}; takes a list of 1 to {BATCH:,} events")
    for event in events:
        weighed("events", event)


def no_table(table: str) -> Missing:
    """The error where a table is asked for that is not there."""
    return Missing(f"there is no table {table}")


Page = Callable[[int, int], list[tuple[int, bytes]]]  # (after, at most so many) -> what follows


def streamed(table: str, after: int, last: int, page: Page) -> Iterator[tuple[int, bytes]]:
    """The events from `after` to `last`, fetched a page of about 1 MiB at a time. Raises Corrupt at a gap.

    No cursor stays open between pages: a reader who walks away holds up neither checkpoint nor vacuum.
    """
    rows = 16
    while after < last:
        got = page(after, min(rows, last - after))
        for number, data in got:
            if number != after + 1:
                break
            after = number
            yield number, data
        else:
            if got:
                mean = sum(len(data) for _, data in got) // len(got) + 1
                rows = max(1, min(4 * rows, 512, (1 << 20) // mean))
                continue
        raise Corrupt(f"event {after + 1} of the table {table} is not there; open the latest backup instead")


def migrations(kind: str) -> dict[int, str]:
    """The numbered SQL of a store, by the version that each leads to."""
    folder = os.path.join(os.path.dirname(__file__), "sql", kind)
    steps = {}
    for name in sorted(os.listdir(folder)):
        number, ending = os.path.splitext(name)
        if ending == ".sql":
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                steps[int(number)] = file.read()
    return steps


def newer(where: str, version: int, ours: int) -> NewerSchema:
    """The error where a later Sortes was here before."""
    return NewerSchema(
        f"{where} is of a newer Sortes (its schema is {version}, and this one knows up to {ours}): "
        "update Sortes to open it; nothing was changed"
    )
