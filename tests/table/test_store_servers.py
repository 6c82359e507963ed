"""What goes wrong with a store in a server: a clear error, and the log as it was."""

from __future__ import annotations

import time
from functools import partial
from urllib.parse import quote

import pytest

from sortes.table import stores
from sortes.table.stores import open_store
from tests.table.storing import server, together


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
