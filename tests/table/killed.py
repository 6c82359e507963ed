"""A process that appends as fast as it can, from several threads over several tables, until it is killed.

    python -m tests.table.killed WHERE

It says each acknowledged event as it learns of it: "TABLE LAST". What it appends is foretold by `batch`.
"""

from __future__ import annotations

import os
import sys
from itertools import count
from threading import Thread

from sortes.table.stores import Conflict, Store, open_store

TABLES, THREADS = 4, 8  # two threads a table: they race, too


def batch(table: str, first: int) -> list[bytes]:
    """The events that are appended from number `first` on: 1 to 4 of them, of up to 3 kB."""
    return [f"{table}:{n}:".encode() + b"." * (n * 997 % 3000) for n in range(first, first + 1 + first % 4)]


def run(store: Store, table: str) -> None:
    head = store.head(table)
    for _ in count():
        try:
            head = store.append(table, head, batch(table, head + 1), key=f"from {head}").last
        except Conflict as conflict:
            head = conflict.head
        else:
            os.write(1, f"{table} {head}\n".encode())  # one call: not even the line is cut in two


if __name__ == "__main__":
    with open_store(sys.argv[1]) as opened:
        threads = [Thread(target=run, args=(opened, f"table {i % TABLES}")) for i in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
