"""What the tests of stores share: a server to try, several who act at once, a file that was played on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Thread
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest

from sortes.table.stores import Store, open_store

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
