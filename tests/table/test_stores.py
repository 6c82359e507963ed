"""One suite for all stores: what the contract says, of SQLite and of PostgreSQL, and what goes wrong with each."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from sortes.core.errors import RuleError
from sortes.table import stores
from sortes.table.stores import Appended, Store, open_store
from tests.table.killed import TABLES, batch

ROOT = Path(__file__).parents[2]
SERVER = os.environ.get("SORTES_TEST_POSTGRES") or "postgresql://postgres@127.0.0.1/test"


def lacking(what: str) -> None:
    """Skip for want of a service, by its name; where CI is set it may not be wanting."""
    if os.environ.get("CI"):
        pytest.fail(f"CI needs {what}")
    pytest.skip(f"needs {what}")


def server() -> Any:
    """A connection to the server, beside the store's own."""
    try:
        import psycopg

        return psycopg.connect(SERVER, autocommit=True, connect_timeout=3)
    except Exception as e:  # noqa: BLE001  not installed, not there, not ours
        lacking(f"PostgreSQL at SORTES_TEST_POSTGRES or 127.0.0.1, database test ({type(e).__name__})")


@contextmanager
def schema(options: str = "") -> Iterator[str]:
    """A schema of its own in the server, as a store's URL; it is dropped afterwards."""
    name = f"sortes_test_{uuid4().hex}"
    with server() as db:
        db.execute(f"CREATE SCHEMA {name}")
        try:
            yield f"{SERVER}{'&' if '?' in SERVER else '?'}options={quote(f'-csearch_path={name} {options}')}"
        finally:
            db.execute("SET client_min_messages = warning")
            db.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.service)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store is to be, one after the other of each kind."""
    if request.param == "sqlite":
        yield str(tmp_path / "tables.db")
    else:
        with schema() as url:
            yield url


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    with open_store(where) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tables.db"


@pytest.fixture
def url() -> Iterator[str]:
    with schema() as made:
        yield made


def together(*works: Callable[[], Any]) -> list[Any]:
    """What each work returned or raised, all begun at once in threads of their own."""
    barrier, out = Barrier(len(works)), [None] * len(works)

    def run(i: int) -> None:
        barrier.wait()
        try:
            out[i] = works[i]()
        except Exception as e:  # noqa: BLE001  for the test to judge
            out[i] = e

    threads = [Thread(target=run, args=(i,)) for i in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out


def everything(store: Store) -> dict[str, list[tuple[int, bytes]]]:
    return {table: list(store.read(table)) for table in store.tables()}


# ---- the contract, against a model -------------------------------------------------------------------------

TABLE = st.sampled_from(["Ash", "börse", "x" * 200, "' OR 1"])
KEY = st.one_of(st.none(), st.sampled_from(["k1", "k2", "ключ"]))
DATA = st.binary(max_size=40)


class Contract(RuleBasedStateMachine):
    """Any calls in any order: the store does what lists and dictionaries do."""

    def __init__(self, where: str, folder: Path) -> None:
        super().__init__()
        self.where, self.folder = where, folder
        self.store = open_store(where)
        self.events: dict[str, list[bytes]] = {}
        self.keys: dict[tuple[str, str], tuple[int, int]] = {}
        self.snapshots: dict[tuple[str, str], tuple[int, bytes]] = {}
        self.settings: dict[str, bytes] = {}
        self.salt = uuid4().hex  # settings outlast tables, and so an example

    @initialize()
    def empty(self) -> None:
        for table in self.store.tables():
            self.store.delete(table)
        self.create("Ash")
        self.create("börse")

    def teardown(self) -> None:
        self.store.close()

    @contextmanager
    def there(self, table: str) -> Iterator[bool]:
        """Whether the table is there; where not, what is done must raise Missing."""
        if table in self.events:
            yield True
        else:
            with pytest.raises(stores.Missing, match="no table"):
                yield False

    @rule(table=TABLE)
    def create(self, table: str) -> None:
        if table in self.events:
            with pytest.raises(stores.Exists, match="already"):
                self.store.create(table)
        else:
            self.store.create(table)
            self.events[table] = []

    @rule(table=TABLE)
    def delete(self, table: str) -> None:
        with self.there(table):
            self.store.delete(table)
        self.events.pop(table, None)
        for kept in (self.keys, self.snapshots):
            for place in [place for place in kept if place[0] == table]:
                del kept[place]

    @rule(
        table=TABLE, behind=st.sampled_from([0, 0, 0, 0, -1, 1]), events=st.lists(DATA, min_size=1), key=KEY
    )
    def append(self, table: str, behind: int, events: list[bytes], key: str | None) -> None:
        log = self.events.get(table, [])
        after = max(0, len(log) + behind)
        with self.there(table) as there:
            if there and key is not None and (former := self.keys.get((table, key))):
                assert self.store.append(table, after, events, key) == Appended(*former, repeated=True)
                return
            if there and after != len(log):
                with pytest.raises(stores.Conflict) as conflict:
                    self.store.append(table, after, events, key)
                assert conflict.value.head == len(log)
                return
            appended = self.store.append(table, after, events, key)
            assert appended == (after + 1, after + len(events), False)
            log += events
            if key is not None:
                self.keys[table, key] = appended[:2]

    @rule(table=TABLE, events=st.lists(DATA, min_size=1, max_size=3), key=KEY)
    def act(self, table: str, events: list[bytes], key: str | None) -> None:
        self.append(table, 0, events, key)

    @rule(table=TABLE, behind=st.sampled_from([-1, 1]))
    def act_late_or_early(self, table: str, behind: int) -> None:
        self.append(table, behind, [b"late"], None)

    @rule(table=TABLE, key=KEY.filter(bool))
    def find(self, table: str, key: str) -> None:
        with self.there(table):
            former = self.keys.get((table, key))
            assert self.store.find(table, key) == (former and Appended(*former, repeated=True))

    @rule(table=TABLE, after=st.integers(0, 12), limit=st.one_of(st.none(), st.integers(0, 12)))
    def read(self, table: str, after: int, limit: int | None) -> None:
        with self.there(table):
            read = list(self.store.read(table, after, limit))
            numbered = list(enumerate(self.events[table], 1))[after:]
            assert read == (numbered if limit is None else numbered[:limit])

    @rule(table=TABLE, number=st.integers(0, 12), form=st.sampled_from(["1", "2"]), data=DATA)
    def keep(self, table: str, number: int, form: str, data: bytes) -> None:
        with self.there(table) as there:
            if there and number > len(self.events[table]):
                with pytest.raises(RuleError, match="head"):
                    self.store.keep(table, number, form, data)
                return
            self.store.keep(table, number, form, data)
            if number >= self.snapshots.get((table, form), (0, b""))[0]:
                self.snapshots[table, form] = number, data

    @rule(table=TABLE, form=st.sampled_from(["1", "2"]))
    def kept(self, table: str, form: str) -> None:
        with self.there(table):
            assert self.store.kept(table, form) == self.snapshots.get((table, form))

    @rule(name=st.sampled_from("ab"), data=st.sampled_from([b"", b"one", b"two"]))
    def put(self, name: str, data: bytes) -> None:
        if self.settings.get(name, data) != data:
            with pytest.raises(RuleError, match="other settings"):
                self.store.put(name + self.salt, data)
        else:
            self.store.put(name + self.salt, data)
            self.settings[name] = data

    @rule(name=st.sampled_from("ab"))
    def get(self, name: str) -> None:
        if name in self.settings:
            assert self.store.get(name + self.salt) == self.settings[name]
        else:
            with pytest.raises(stores.Missing):
                self.store.get(name + self.salt)

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(self.where)

    @rule()
    def backup(self) -> None:
        path = self.folder / f"{uuid4().hex}.db"
        self.store.backup(path)
        with open_store(path) as copy:
            assert everything(copy) == {table: [*enumerate(log, 1)] for table, log in self.events.items()}
            for (table, form), snapshot in self.snapshots.items():
                assert copy.kept(table, form) == snapshot
            for name, data in self.settings.items():
                assert copy.get(name + self.salt) == data
            for (table, key), numbers in self.keys.items():
                assert copy.find(table, key) == copy.append(table, 0, [b""], key) == (*numbers, True)

    @invariant()
    def heads(self) -> None:
        assert self.store.tables() == sorted(self.events)
        for table, log in self.events.items():
            assert self.store.head(table) == len(log)


def test_the_contract(where: str, tmp_path: Path) -> None:
    few = settings(
        max_examples=40,
        stateful_step_count=30,
        suppress_health_check=[*HealthCheck],
        deadline=None,
    )
    with open_store(where) as opened:
        for table in opened.tables():
            opened.delete(table)
    run_state_machine_as_test(partial(Contract, where, tmp_path), settings=few)


@pytest.mark.soak
def test_the_contract_at_length(where: str, tmp_path: Path) -> None:
    many = settings(
        max_examples=300, stateful_step_count=50, suppress_health_check=[*HealthCheck], deadline=None
    )
    run_state_machine_as_test(partial(Contract, where, tmp_path), settings=many)


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda s: s.create(""), "table"),
        (lambda s: s.create("a\nb"), "table"),
        (lambda s: s.create("x" * 201), "table"),
        (lambda s: s.append("t", -1, [b""]), "after"),
        (lambda s: s.append("t", True, [b""]), "after"),
        (lambda s: s.append("t", 2**40 - 1, [b""]), "after"),
        (lambda s: s.append("t", 0, []), "events"),
        (lambda s: s.append("t", 0, b"text"), "events"),
        (lambda s: s.append("t", 0, ["text"]), "events"),
        (lambda s: s.append("t", 0, [b""] * 10_001), "events"),
        (lambda s: s.append("t", 0, [bytes(2**24 + 1)]), "events"),
        (lambda s: s.append("t", 0, [b""], key=""), "key"),
        (lambda s: s.find("", "k"), "table"),
        (lambda s: s.find("t", ""), "key"),
        (lambda s: s.find("t", None), "key"),
        (lambda s: s.read("t", after=-1), "after"),
        (lambda s: s.read("t", limit=-1), "limit"),
        (lambda s: s.keep("t", 0, "", b""), "form"),
        (lambda s: s.keep("t", 0, "1", "text"), "snapshot"),
        (lambda s: s.put("d", "text"), "data"),
    ],
)
def test_bad_input_is_named(store: Store, call: Callable[[Store], object], parameter: str) -> None:
    store.create("t")
    with pytest.raises(RuleError) as error:
        call(store)
    assert error.value.parameter == parameter
    assert store.head("t") == 0


@pytest.mark.parametrize("where", ["mysql://root:secret@host/db", "", "."])
def test_only_a_path_or_postgresql(where: str) -> None:
    with pytest.raises(RuleError) as error:
        open_store(where)
    assert error.value.parameter == "where"
    assert "secret" not in str(error.value)


def test_the_largest_fit(store: Store) -> None:
    store.create("t")
    assert store.append("t", 0, [bytes(2**24)]).last == 1
    assert store.append("t", 1, [b""] * 10_000).last == 10_001
    assert [len(data) for _, data in store.read("t", limit=2)] == [2**24, 0]


@pytest.mark.parametrize("head", [2**15 - 2, 2**16 - 2])
def test_numbers_of_any_size(store: Store, head: int) -> None:
    """PostgreSQL takes small numbers for small kinds, whose sums end at 32,767."""
    store.create("t")
    for after in range(0, head, 10_000):
        store.append("t", after, [b""] * min(10_000, head - after))
    assert store.append("t", head, [b"a", b"b", b"c"], key="k") == (head + 1, head + 3, False)
    assert store.append("t", head + 3, [b"d"], key="l") == (head + 4, head + 4, False)
    assert store.find("t", "k") == (head + 1, head + 3, True)
    assert list(store.read("t", head, 2)) == [(head + 1, b"a"), (head + 2, b"b")]


def test_a_closed_store_says_so(where: str) -> None:
    store = open_store(where)
    store.create("t")
    store.close()
    store.close()
    for call in (store.tables, partial(store.append, "t", 0, [b""]), partial(store.read, "t")):
        with pytest.raises(stores.StoreError, match="closed"):
            call()


def test_a_table_made_anew_has_nothing_of_the_old_one(store: Store) -> None:
    store.create("t")
    store.append("t", 0, [b"old"], key="k")
    store.keep("t", 1, "1", b"old")
    reading = store.read("t")
    store.delete("t")
    store.create("t")
    assert (store.head("t"), store.kept("t", "1"), list(store.read("t"))) == (0, None, [])
    assert store.find("t", "k") is None
    assert store.append("t", 0, [b"new"], key="k") == (1, 1, False)
    with pytest.raises(stores.StoreError):
        list(reading)


# ---- many at once ------------------------------------------------------------------------------------------


def test_of_two_who_act_at_once_one_wins(where: str) -> None:
    """The other learns what the head is. Two stores on one place stand for two processes."""
    with open_store(where) as one, open_store(where) as other:
        one.create("t")
        for after in range(30):
            works = [partial(s.append, "t", after, [f"{i}".encode()]) for i, s in enumerate((one, other) * 3)]
            said = together(*works)
            won = [i for i, s in enumerate(said) if s == (after + 1, after + 1, False)]
            assert len(won) == 1, said
            lost = [s for s in said if isinstance(s, stores.Conflict)]
            assert [c.head for c in lost] == [after + 1] * 5, said
            assert list(other.read("t", after)) == [(after + 1, f"{won[0]}".encode())]


def test_one_request_many_times_at_once_acts_once(where: str) -> None:
    with open_store(where) as one, open_store(where) as other:
        one.create("t")
        for after in range(0, 40, 2):
            work = [partial(s.append, "t", after, [b"a", b"b"], key=f"k{after}") for s in (one, other) * 3]
            said = together(*work)
            assert sorted(said) == [(after + 1, after + 2, False)] + [(after + 1, after + 2, True)] * 5
        assert one.head("t") == 40


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize("events", [[b"a"], [b"a", b"b"]])
def test_after_must_be_the_head(store: Store, key: str | None, events: list[bytes]) -> None:
    store.create("t")
    store.append("t", 0, [b"one", b"two", b"three"])
    for after in (0, 1, 2, 4, 5):
        with pytest.raises(stores.Conflict) as conflict:
            store.append("t", after, events, key)
        assert (conflict.value.table, conflict.value.after, conflict.value.head) == ("t", after, 3)
        assert list(store.read("t")) == [(1, b"one"), (2, b"two"), (3, b"three")]
    assert store.append("t", 3, events, key) == (4, 3 + len(events), False)


@pytest.mark.parametrize("events", [[b"a"], [b"a", b"b"]])
def test_a_repeated_request_acts_once(where: str, events: list[bytes]) -> None:
    """Whatever has happened since, wherever it says it is, and after a restart."""
    with open_store(where) as store:
        store.create("t")
        first = store.append("t", 0, events, key="k")
        store.append("t", first.last, [b"since"], key="l")
    with open_store(where) as store:
        for after in range(5):
            for again in ([b"x"], [b"x", b"y"]):
                assert store.append("t", after, again, key="k") == (1, len(events), True)
        assert store.find("t", "k") == (1, len(events), True)
        assert store.find("t", "l") == (len(events) + 1, len(events) + 1, True)
        assert store.find("t", "m") is None
        assert [data for _, data in store.read("t")] == [*events, b"since"]


def test_a_key_is_a_table_s_own(store: Store) -> None:
    for table in "tu":
        store.create(table)
        assert store.find(table, "k") is None
        assert store.append(table, 0, [table.encode()], key="k") == (1, 1, False)


def test_many_over_many_tables(store: Store) -> None:
    """Commits are shared between tables; their numbers, refusals and readers are not."""
    names = [f"t{i}" for i in range(8)]
    for table in names:
        store.create(table)

    def play(table: str) -> int:
        refused = 0
        for after in range(40):
            store.append(table, after, [f"{table} {after + 1}".encode()])
            try:
                store.append(table, after, [b"too late"])
            except stores.Conflict:
                refused += 1
            assert [n for n, _ in store.read(table, after)] == [after + 1]
        return refused

    assert together(*(partial(play, table) for table in names)) == [40] * 8
    for table in names:
        assert [data.decode() for _, data in store.read(table)] == [f"{table} {n}" for n in range(1, 41)]


def test_a_batch_is_all_or_nothing(store: Store) -> None:
    """A failure in the midst of what is committed together spoils neither the others nor leaves half."""
    store.create("t")
    store.create("u")
    works = [partial(store.append, "t", 0, [b"a", b"b"]) for _ in range(4)]
    works += [partial(store.append, "nowhere", 0, [b"c"]) for _ in range(4)]
    works += [partial(store.append, "u", n, [b"d"]) for n in (0, 7)]
    together(*works)
    assert everything(store) == {"t": [(1, b"a"), (2, b"b")], "u": [(1, b"d")]}


def test_closing_finishes_what_was_asked(where: str) -> None:
    """Who asked is told, one way or the other: nobody waits for ever, and what was said to be there is."""
    for _ in range(5):
        store = open_store(where)
        for table in store.tables():
            store.delete(table)

        def play(store: Store, table: str) -> int:
            store.create(table)
            for head in range(10_000):
                try:
                    store.append(table, head, [b"event"])
                except stores.StoreError as e:
                    if "closed" in str(e):
                        return head
                    raise
            raise AssertionError("was never closed")

        def close(store: Store) -> None:
            time.sleep(0.1)
            store.close()

        told = together(*(partial(play, store, f"t{i}") for i in range(6)), partial(close, store))
        with open_store(where) as store:
            assert [store.head(f"t{i}") for i in range(6)] == told[:6]


# ---- long logs ---------------------------------------------------------------------------------------------


def stream(store: Store, events: int, size: int) -> int:
    """The most memory, in bytes, that it took to append and read so many events."""
    store.create("long")
    tracemalloc.start()
    try:
        for after in range(0, events, 500):
            store.append("long", after, [bytes(size)] * 500)
        assert sum(1 for _ in store.read("long")) == events
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_reading_streams(store: Store) -> None:
    assert stream(store, 20_000, 2_000) < 8e6  # of 40 MB


@pytest.mark.soak
def test_a_million_events_stream(store: Store) -> None:
    assert stream(store, 1_000_000, 200) < 8e6


def test_reading_ends_at_the_head_of_its_moment(store: Store) -> None:
    store.create("t")
    store.append("t", 0, [b""] * 30)
    reading = store.read("t")
    next(reading)
    store.append("t", 30, [b""])
    assert [n for n, _ in reading] == [*range(2, 31)]


def test_who_stops_reading_holds_nothing_up(file: Path) -> None:
    """An open cursor would keep the log beside the file from ever being taken in."""
    with open_store(file) as store:
        store.create("t")
        store.append("t", 0, [bytes(100)] * 2000)
        reading = store.read("t")
        next(reading)
        store.append("t", 2000, [b""])
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
        assert sum(1 for _ in reading) == 1999


def test_opening_is_quick_however_long_the_log(file: Path) -> None:
    with open_store(file) as store:
        store.create("t")
        for after in range(0, 100_000, 10_000):
            store.append("t", after, [b"event"] * 10_000)
        store.keep("t", 100_000, "1", b"state")
    start = time.perf_counter()
    with open_store(file) as store:
        assert store.kept("t", "1") == (100_000, b"state")
        assert list(store.read("t", 99_999)) == [(100_000, b"event")]
    assert time.perf_counter() - start < 0.2


# ---- backup ------------------------------------------------------------------------------------------------


def test_a_backup_of_one_moment_while_play_goes_on(store: Store, tmp_path: Path) -> None:
    store.create("t")
    store.create("u")
    ended = []

    def play() -> None:
        n = 0
        while not ended:  # the two logs in step, t first
            store.append("t", n, [f"{n}".encode()])
            store.append("u", n, [f"{n}".encode()])
            n += 1

    def save() -> None:
        try:
            for i in range(5):
                store.backup(tmp_path / f"backup {i}")
        finally:
            ended.append(True)

    assert together(play, save) == [None, None]
    for i in range(5):
        with open_store(tmp_path / f"backup {i}") as copy:
            assert copy.head("t") - copy.head("u") in (0, 1)
            assert [data for _, data in copy.read("t")] == [f"{n}".encode() for n in range(copy.head("t"))]


def test_a_backup_writes_over_nothing(store: Store, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("dear")
    with pytest.raises(stores.Exists, match="mine"):
        store.backup(tmp_path / "mine")
    with pytest.raises(stores.StoreError):
        store.backup(tmp_path / "no folder" / "backup")
    assert (tmp_path / "mine").read_text() == "dear"
    assert not [*tmp_path.glob("*.part")]


# ---- what goes wrong with a file ---------------------------------------------------------------------------


def played(file: Path, events: int = 200) -> list[tuple[int, bytes]]:
    """A store with a log at `file`, closed; and that log."""
    log = [f"event {n} ".encode() * (n % 40) for n in range(1, events + 1)]
    with open_store(file) as store:
        store.create("t")
        store.append("t", 0, log, key="k")
    assert [path.name for path in file.parent.iterdir()] == [file.name]  # nothing waits beside it
    return [*enumerate(log, 1)]


@contextmanager
def untouched(file: Path) -> Iterator[None]:
    before = file.read_bytes()
    yield
    assert file.read_bytes() == before


def test_what_is_acknowledged_is_durable(file: Path) -> None:
    """No test can pull the plug; this one sees that SQLite was told to wait for the disk."""
    from sortes.table.stores.sqlite import SqliteStore

    with SqliteStore(file) as store:
        store.create("t")
        db = store._pen
        assert db is not None
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.skipif(os.name != "posix", reason="needs the permissions of POSIX")
def test_the_file_is_its_owner_s(file: Path) -> None:
    """It holds what seats may not see."""
    with open_store(file) as store:
        store.create("t")
        assert {path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {0o600}


def test_a_full_file(file: Path) -> None:
    from sortes.table.stores.sqlite import SqliteStore

    log = played(file)
    with SqliteStore(file) as store:
        store.append("t", 200, [b"fits"], key="fits")
        db = store._pen
        assert db is not None
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        with untouched(file):
            # one that does not fit is no reason to refuse those who were to be committed with it
            large = [partial(store.append, "t", 201, [bytes(100_000)], key=f"large {i}") for i in range(3)]
            small = [partial(store.append, "t", 201, [b"small"], key="small") for _ in range(3)]
            said = together(*large, *small)
            assert all(isinstance(s, stores.Full | stores.Conflict) for s in said[:3]), said
            assert sorted(said[3:]) == [(202, 202, False), (202, 202, True), (202, 202, True)]
            with pytest.raises(stores.Full, match="no room"):
                store.append("t", 202, [b"a", bytes(100_000)])
            assert list(store.read("t")) == [*log, (201, b"fits"), (202, b"small")]
        db.execute("PRAGMA max_page_count = 1000000")
        assert store.append("t", 202, [bytes(100_000)], key="large 0") == (203, 203, False)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    file = small_disk / "tables.db"
    log = played(file)
    with open_store(file) as store:
        store.append("t", 200, [b"there"])
        before = file.read_bytes()
        head = 201
        with suppress(stores.Full):
            while True:
                head = store.append("t", head, [bytes(9000)]).last
        with pytest.raises(stores.Full, match="no room"):
            store.append("t", head, [bytes(90_000)])
        assert file.read_bytes()[: 1 << 14] == before[: 1 << 14]
        assert list(store.read("t"))[:201] == [*log, (201, b"there")]
        assert store.head("t") == head
        with pytest.raises(stores.Full):
            store.backup(small_disk / "backup")
        assert not [*small_disk.glob("backup*")]
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    with open_store(file) as store:
        assert store.append("t", head, [bytes(9000)]).last == head + 1


def test_a_new_file_on_a_full_disk(small_disk: Path) -> None:
    with suppress(OSError), (small_disk / "filler").open("wb") as filler:
        while True:
            filler.write(bytes(4096))
            filler.flush()
    with pytest.raises(stores.Full, match="no room"):
        open_store(small_disk / "tables.db")


TRY = """
import sys
from sortes.table.stores import StoreError, open_store
try:
    with open_store(sys.argv[1]) as store:
        store.append("t", store.head("t"), [b"new"])
except StoreError as e:
    print(type(e).__name__, e)
else:
    print("appended")
"""


@pytest.mark.skipif(os.name != "posix", reason="needs the permissions of POSIX")
@pytest.mark.parametrize(("of_file", "of_folder"), [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)])
def test_a_read_only_file(tmp_path: Path, of_file: int, of_folder: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "tables.db"
    played(file)
    command = [sys.executable, "-c", TRY, str(file)]
    if os.geteuid() == 0:  # root may write anywhere, but not without that very right
        if not shutil.which("setpriv"):
            lacking("setpriv, to take from root the right to write anywhere")
        command = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *command]

    def tried() -> str:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    try:
        file.chmod(of_file)
        folder.chmod(of_folder)
        with untouched(file):
            assert tried().startswith("ReadOnly ")
            assert [path.name for path in folder.iterdir()] == [file.name]
    finally:
        folder.chmod(0o700)
        file.chmod(0o600)
    assert tried() == "appended\n"


def test_a_locked_file(file: Path) -> None:
    log = played(file)
    with open_store(file, wait=0.2) as store, closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with untouched(file):
            with pytest.raises(stores.Locked, match="another program"):
                store.append("t", 200, [b"new"])
            assert list(store.read("t")) == log  # readers need not wait
            with open_store(file, wait=0) as second:
                assert second.head("t") == 200
        other.execute("ROLLBACK")
        assert store.append("t", 200, [b"new"]).last == 201


def test_a_file_that_another_keeps_to_itself(file: Path) -> None:
    log = played(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with untouched(file), pytest.raises(stores.Locked, match="another program"):
            open_store(file, wait=0.1)
    with open_store(file) as store:
        assert list(store.read("t")) == log


def test_who_waits_a_little_is_served(file: Path) -> None:
    played(file)
    with open_store(file) as store, closing(sqlite3.connect(file, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")

        def release() -> None:
            time.sleep(0.3)
            other.rollback()

        assert together(partial(store.append, "t", 200, [b"new"]), release)[0] == (201, 201, False)


def overwrite(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(data)


@pytest.mark.parametrize("at", [0, 16, 40, 99])
def test_a_file_without_its_head(file: Path, at: int) -> None:
    played(file)
    overwrite(file, at, b"\xff" * 4096)
    with (
        untouched(file),
        pytest.raises(stores.Corrupt, match="nothing was changed"),
        open_store(file) as store,
    ):
        list(store.read("t"))


def test_a_file_cut_short(file: Path) -> None:
    played(file)
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)
    with untouched(file), pytest.raises(stores.Corrupt), open_store(file) as store:
        list(store.read("t"))


@pytest.mark.parametrize("text", ["Session one. We met at the inn.\n", "{}" * 4000])
def test_a_file_that_never_was_a_store(file: Path, text: str) -> None:
    file.write_text(text)
    with untouched(file), pytest.raises(stores.Corrupt):
        open_store(file)


def test_a_database_of_another_program(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE bookmarks (address TEXT)")
    with untouched(file), pytest.raises(stores.Corrupt, match="another program"):
        open_store(file)


@given(st.data())
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_is_taken_for_an_event(tmp_path: Path, data: st.DataObject) -> None:
    """Wherever bytes are overwritten: what is read is what was written, or a clear error."""
    whole = tmp_path / "whole" / "tables.db"
    if not whole.exists():
        whole.parent.mkdir()
        played(whole)
    at = data.draw(st.integers(100, whole.stat().st_size - 1))
    new = data.draw(st.binary(min_size=1, max_size=20))
    file = tmp_path / "damaged.db"
    shutil.copyfile(whole, file)
    overwrite(file, at, new)
    with open_store(whole) as store:
        log = list(store.read("t"))
    read: list[tuple[int, bytes]] = []
    with untouched(file), suppress(stores.Corrupt, stores.Missing), open_store(file) as store:
        read.extend(store.read("t"))
    assert read == log[: len(read)]


def test_an_event_that_is_gone_is_missed(file: Path) -> None:
    log = played(file)
    with closing(sqlite3.connect(file)) as db:
        db.execute("DELETE FROM events WHERE place & 0xFFFFFFFFFF IN (50, 51)")
        db.commit()
    with open_store(file) as store:
        assert list(store.read("t", limit=49)) == log[:49]
        assert list(store.read("t", after=51)) == log[51:]
        with pytest.raises(stores.Corrupt, match="event 50 of the table t is not there"):
            list(store.read("t"))


def test_a_damaged_file_is_not_backed_up(file: Path, tmp_path: Path) -> None:
    played(file, 2000)
    size = file.stat().st_size
    overwrite(file, size // 8192 * 4096, b"\xff" * 4096)
    with untouched(file), open_store(file) as store, pytest.raises(stores.Corrupt, match="damaged"):
        store.backup(tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_a_newer_file(file: Path) -> None:
    log = played(file)
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 99")
    with untouched(file), pytest.raises(stores.NewerSchema, match="update Sortes"):
        open_store(file)
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 1")
    with open_store(file) as store:
        assert list(store.read("t")) == log


def test_a_file_moved_away(file: Path) -> None:
    with open_store(file) as store:
        store.create("t")
        file.rename(file.with_name("elsewhere"))
        with pytest.raises(stores.StoreError, match="moved or deleted"):
            store.append("t", 0, [b"lost"])


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(stores.StoreError, match="no folder"):
        open_store(tmp_path / "nowhere" / "tables.db")
    with pytest.raises(stores.StoreError, match="is a folder"):
        open_store(tmp_path)


def test_a_migration_is_all_or_nothing(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails leaves the store as it was; mended, it runs on what is there."""
    steps = stores.migrations("postgres" if "://" in where else "sqlite")
    parts = ("sortes.table.stores.sqlite", "sortes.table.stores.postgres")
    with open_store(where) as store:
        store.create("t")
        store.append("t", 0, [b"one"])
    module = sys.modules[parts["://" in where]]
    table = "sortes_later" if "://" in where else "later"
    bad = {**steps, 2: f"CREATE TABLE {table} (a integer);\nINSERT INTO nowhere VALUES (1);\n"}
    monkeypatch.setattr(module, "migrations", lambda kind: bad)
    with pytest.raises(stores.StoreError, match="nowhere"):
        open_store(where)
    monkeypatch.undo()
    with open_store(where) as store:  # still of version 1
        assert list(store.read("t")) == [(1, b"one")]
    monkeypatch.setattr(module, "migrations", lambda kind: {**steps, 2: f"CREATE TABLE {table} (a integer);"})
    for _ in range(2):
        with open_store(where) as store:
            assert list(store.read("t")) == [(1, b"one")]
    monkeypatch.undo()
    with pytest.raises(stores.NewerSchema):
        open_store(where)


def test_two_make_one_store_at_once(where: str) -> None:
    opened = together(*[partial(open_store, where)] * 4)
    assert not [o for o in opened if isinstance(o, Exception)], opened
    for store in opened:
        assert store.tables() == []
        store.close()


# ---- what goes wrong with a server -------------------------------------------------------------------------


@pytest.mark.service
def test_a_newer_database(url: str) -> None:
    import psycopg

    with open_store(url) as store:
        store.create("t")
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("UPDATE sortes_schema SET version = 99")
        with pytest.raises(stores.NewerSchema, match="update Sortes"):
            open_store(url)
        assert db.execute("SELECT version FROM sortes_schema").fetchall() == [(99,)]


@pytest.mark.service
def test_a_locked_database(url: str) -> None:
    import psycopg

    with open_store(url, wait=0.2) as store, psycopg.connect(url) as db:
        store.create("t")
        db.execute("LOCK TABLE sortes_event IN EXCLUSIVE MODE")
        with pytest.raises(stores.Locked, match="another program"):
            store.append("t", 0, [b"new"])
        assert list(store.read("t")) == []
        db.rollback()
        assert store.append("t", 0, [b"new"]).last == 1


@pytest.mark.service
def test_a_read_only_database(url: str) -> None:
    with open_store(url) as store:
        store.create("t")
    guarded = f"{url}{quote(' -cdefault_transaction_read_only=on')}"
    with open_store(guarded) as store:
        with pytest.raises(stores.ReadOnly, match="cannot be written"):
            store.append("t", 0, [b"new"])
        assert store.head("t") == 0


@pytest.mark.service
@pytest.mark.parametrize(("state", "error"), [("53100", stores.Full), ("XX001", stores.Corrupt)])
def test_a_server_with_a_full_or_bad_disk(url: str, state: str, error: type[stores.StoreError]) -> None:
    """What the server would say, said by a trigger at the last of three events."""
    import psycopg

    with open_store(url) as store, psycopg.connect(url, autocommit=True) as db:
        store.create("t")
        db.execute(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION 'as the disk says' USING ERRCODE = '{state}'; END $$"
        )
        db.execute(
            "CREATE TRIGGER fail BEFORE INSERT ON sortes_event FOR EACH ROW WHEN (NEW.number = 3) "
            "EXECUTE FUNCTION fail()"
        )
        with pytest.raises(error, match="nothing was changed"):
            store.append("t", 0, [b"a", b"b", b"c"], key="k")
        assert (store.head("t"), list(store.read("t"))) == (0, [])
        db.execute("DROP TRIGGER fail ON sortes_event")
        assert store.append("t", 0, [b"a", b"b", b"c"], key="k") == (1, 3, False)


@pytest.mark.service
def test_a_server_that_went_away_and_came_back(url: str) -> None:
    """Connections that died at rest are replaced, unseen by who asks."""
    from sortes.table.stores.postgres import PostgresStore

    with PostgresStore(url) as store, server() as db:
        store.create("t")
        for after in range(3):
            resting = store._taken()
            assert resting is not None
            db.execute("SELECT pg_terminate_backend(%s, 5000)", (resting.connection.info.backend_pid,))
            store._rest(resting)
            assert store.append("t", after, [b"new"], key=f"{after}") == (after + 1, after + 1, False)


@pytest.mark.service
def test_more_at_once_than_a_store_has_connections(url: str) -> None:
    """They wait for each other; and a store that is closed meanwhile leaves nobody waiting."""
    from sortes.table.stores.postgres import CONNECTIONS

    store = open_store(url)
    names = [f"t{i}" for i in range(2 * CONNECTIONS)]
    for table in names:
        store.create(table)
    works = [partial(store.append, table, 0, [b"one"]) for table in names]
    assert together(*works) == [(1, 1, False)] * len(names)

    def play(table: str) -> None:
        for head in range(1, 10_000):
            store.append(table, head, [b"event"])

    def close() -> None:
        time.sleep(0.2)
        store.close()

    said = together(*(partial(play, table) for table in names), close)
    assert [str(e) for e in said[:-1]] == ["the store is closed"] * len(names)


def test_no_server() -> None:
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with pytest.raises(stores.Unreachable, match="cannot be reached") as error:
        open_store("postgresql://me:secret@127.0.0.1:1/nothing", wait=1)
    assert "secret" not in str(error.value)


# ---- killed in the midst -----------------------------------------------------------------------------------


def kill(where: str, times: int) -> None:
    """Kill who appends, so many times, at random moments: every event it was told of is there, and no half batch."""
    with open_store(where) as store:
        for i in range(TABLES):
            store.create(f"table {i}")
    acknowledged = {f"table {i}": 0 for i in range(TABLES)}
    ends: dict[str, set[int]] = {}
    for table in acknowledged:  # where a batch may end, and so a log
        end, ends[table] = 0, {0}
        while end < 100_000:
            end += 1 + (end + 1) % 4
            ends[table].add(end)
    for _ in range(times):
        before = dict(acknowledged)
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.table.killed", where],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        with child, child.stdout as said:
            first = said.readline()
            time.sleep(random.uniform(0, 0.3))
            child.send_signal(signal.SIGKILL)
            for line in [first, *said]:
                if line.endswith("\n"):
                    table, _, last = line.strip().rpartition(" ")
                    acknowledged[table] = max(acknowledged[table], int(last))
        assert child.returncode == -signal.SIGKILL, "the child ended by itself"
        assert acknowledged != before
        with open_store(where) as store:
            for table, last in acknowledged.items():
                head = store.head(table)
                assert head >= last, f"{table}: {last} was acknowledged, and the log ends at {head}"
                assert head in ends[table], f"{table}: half a batch"
                start = max(end for end in ends[table] if end <= before[table])
                number = start
                for number, data in store.read(table, start):
                    assert data == batch(table, number)[0], (table, number)
                assert number >= head
                if head:
                    start = max(end for end in ends[table] if end < head)
                    again = store.append(table, 0, [b"again"], key=f"from {start}")
                    assert again.repeated, "a batch without its key"
                    assert again.first == start + 1


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_in_the_midst(where: str) -> None:
    kill(where, 10)


@pytest.mark.soak
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_two_hundred_times(where: str) -> None:
    kill(where, 200)
