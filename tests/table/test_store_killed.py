"""Who appends is killed in the midst, again and again: what was acknowledged is there, and no half of the rest."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from sortes.table.stores import open_store
from tests.table.killed import TABLES, batch
from tests.table.storing import ROOT


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
