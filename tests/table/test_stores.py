"""One suite for all stores: what the contract says, of SQLite and of PostgreSQL."""

from __future__ import annotations

import sqlite3
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from sortes.core.errors import RuleError
from sortes.table import stores
from sortes.table.stores import Appended, Store, open_store
from tests.table.storing import everything, together

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


@pytest.mark.parametrize(
    "where",
    [
        *("", ".", "a\0b", b"tables.db"),
        "mysql://root:secret@host/db",
        "postgresql:/me:secret@host/db",
        "postgres:me:secret@host/db",
        # what looks like a port, a host or a name is part of a password
        "postgresql://me:secret/db",
        "postgresql://me:se@secret@host/db",
        "postgresql://me:12/secret@host/db",
        "postgresql://me:secret%zz@host/db",
    ],
)
def test_only_a_path_or_postgresql(where: str) -> None:
    """What else is given is refused, and shows no password."""
    if str(where).startswith("postgresql://"):
        pytest.importorskip("psycopg", reason="the extra postgres is not installed")
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


# ---- schemas ---------------------------------------------------------------------------------------------------


def test_a_migration_is_all_or_nothing(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails leaves the store as it was; mended, it runs on what is there."""
    steps = stores.migrations("postgres" if "://" in where else "sqlite")
    parts = ("sortes.table.stores.sqlite_file", "sortes.table.stores.postgres")
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
    for place in [where] if "://" in where else [f"{where}{i}" for i in range(10)]:
        opened = together(*[partial(open_store, place)] * 4)
        assert not [o for o in opened if isinstance(o, Exception)], opened
        for store in opened:
            assert store.tables() == []
            store.close()
