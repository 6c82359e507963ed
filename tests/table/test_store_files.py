"""What goes wrong with a store in a file: a clear error, and the file as it was."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sortes.table import stores
from sortes.table.stores import open_store
from tests.table.storing import ROOT, lacking, played, together, untouched


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


def fill(disk: Path) -> None:
    with suppress(OSError), (disk / "filler").open("wb") as filler:
        while True:
            filler.write(bytes(4096))
            filler.flush()


def test_a_new_file_on_a_full_disk(small_disk: Path) -> None:
    fill(small_disk)
    with pytest.raises(stores.Full, match="no room"):
        open_store(small_disk / "tables.db")


def test_opening_a_file_on_a_full_disk(small_disk: Path) -> None:
    file = small_disk / "tables.db"
    log = played(file)
    fill(small_disk)
    with untouched(file), pytest.raises(stores.Full, match="no room"):
        open_store(file)
    (small_disk / "filler").unlink()
    with open_store(file) as store:
        assert list(store.read("t")) == log


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


def guarded(file: Path) -> list[str]:
    """A command that appends to a file, with the rights that its permissions give."""
    command = [sys.executable, "-c", TRY, str(file)]
    if os.geteuid() == 0:  # root may write anywhere, but not without that very right
        if not shutil.which("setpriv"):
            lacking("setpriv, to take from root the right to write anywhere")
        return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *command]
    return command


@pytest.mark.skipif(os.name != "posix", reason="needs the permissions of POSIX")
@pytest.mark.parametrize("mode", [0o000, 0o200])
def test_a_file_that_may_not_be_read(file: Path, mode: int) -> None:
    played(file)
    file.chmod(mode)
    said = subprocess.run(guarded(file), cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.startswith("StoreError ")
    assert "may not be read" in said
    file.chmod(0o600)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.skipif(os.name != "posix", reason="needs the permissions of POSIX")
@pytest.mark.parametrize(("of_file", "of_folder"), [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)])
def test_a_read_only_file(tmp_path: Path, of_file: int, of_folder: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "tables.db"
    played(file)

    def tried() -> str:
        return subprocess.run(guarded(file), cwd=ROOT, capture_output=True, text=True, check=True).stdout

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


def test_who_makes_a_file_waits_a_little_too(file: Path) -> None:
    file.touch()
    with closing(sqlite3.connect(file, check_same_thread=False)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM sqlite_schema").fetchall()

        def release() -> None:
            time.sleep(0.3)
            other.rollback()

        opened, _ = together(partial(open_store, file), release)
        assert not isinstance(opened, Exception), opened
        opened.close()


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


@pytest.mark.parametrize("text", ["x", "Session one. We met at the inn.\n", "{}" * 4000, "\0" * 8192])
def test_a_file_that_never_was_a_store(file: Path, text: str) -> None:
    file.write_text(text)
    with untouched(file), pytest.raises(stores.Corrupt, match=r"not a store .*nothing was changed"):
        open_store(file)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_an_empty_file_becomes_a_store(file: Path) -> None:
    """So that who makes it first can say whose it is."""
    file.touch()
    played(file)


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
        for call in (partial(store.append, "t", 0, [b"lost"]), partial(store.head, "t")):
            with pytest.raises(stores.StoreError, match="moved or deleted"):
                call()
    assert not file.exists()


def test_no_folder(file: Path) -> None:
    with pytest.raises(stores.StoreError, match="no folder"):
        open_store(file.parent / "nowhere" / "tables.db")
    with pytest.raises(stores.StoreError, match="is a folder"):
        open_store(file.parent)
    with open_store(file) as store, pytest.raises(stores.StoreError, match="no folder"):
        store.backup(file.parent / "nowhere" / "backup")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(stores.StoreError, match="is no file"):
            open_store(path)
    assert not Path(f"{os.devnull}-journal").exists()


def test_a_link_is_followed(tmp_path: Path) -> None:
    """Also one to a file that is not there yet; what SQLite adds is beside the file, not the link."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder / "tables.db")
    for head in range(2):
        with open_store(tmp_path / "link") as store:
            if not head:
                store.create("t")
            assert store.append("t", head, [b"event"]).last == head + 1
            assert {path.name for path in tmp_path.iterdir()} == {"folder", "link"}


@pytest.mark.parametrize("name", ["a?b#c%41 d&mode=ro.db", "Öffne mich.db", "a//b", "'quoted\".db"])
def test_names_of_all_kinds(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    log = played(file)
    with open_store(file) as store:
        assert list(store.read("t")) == log


# ---- a command that opens, acts once and leaves ------------------------------------------------------------


def test_one_append_takes_one_connection_and_no_thread(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command that plays waits for this."""
    played(file)
    made = []
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: made.append(a) or connect(*a, **k))
    before = threading.active_count()
    with open_store(file) as store:
        head = store.head("t")
        assert store.kept("t", "1") is None
        assert len(list(store.read("t", head - 20))) == 20
        assert store.find("t", "again") is None
        store.append("t", head, [b"a", b"b", b"c"], key="again")
        assert (threading.active_count(), len(made)) == (before, 1)


def test_opening_loads_little() -> None:
    """Of the standard library what takes long to load is left until it is needed."""
    code = "import sys, sortes; known = {*sys.modules}; import sortes.table.stores.sqlite; "
    code += "print({*sys.modules} - known)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "sortes.table.stores.writer" in said
    for slow in ("pathlib", "shutil", "urllib", "tempfile", "psycopg", "asyncio"):
        assert f"'{slow}" not in said
