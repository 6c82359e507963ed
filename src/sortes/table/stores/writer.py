"""One thread that writes, and commits for all who wait at once.

A commit costs what the disk takes to make it durable, however much is in it. So while one commit is under way the
next ones gather, and go together: over many tables as many times the events for the same wait.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from sqlite3 import Connection, Error
from threading import Lock, Thread
from time import perf_counter
from typing import Any, Generic, TypeVar

from sortes.core.errors import RuleError
from sortes.table.stores import StoreError

T = TypeVar("T")
MOST = 256  # jobs that go into one commit, so that nobody waits for a crowd without end
GATHER = 0.001  # seconds that the writer waits for as many as came last time: they are just being woken


class _Job(Generic[T]):
    __slots__ = ("work", "done", "result", "error")

    def __init__(self, work: Callable[[Connection], T]) -> None:
        self.work = work
        self.done = Lock()
        self.done.acquire()
        self.result: T
        self.error: BaseException | None = None


class Writer:
    """The only connection that writes. It is opened, and its thread started, with the first job."""

    def __init__(
        self,
        connect: Callable[[], Connection],
        check: Callable[[], None],
        said: Callable[[Exception], StoreError],
    ) -> None:
        self._connect, self._check, self._said = connect, check, said
        self._jobs: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._gate = Lock()  # no job may come behind the one that ends it all
        self._thread: Thread | None = None
        self._closed = False
        self.connection: Connection | None = None

    def do(self, work: Callable[[Connection], T]) -> T:
        """Do `work` in a transaction; when this returns, it is durable. What it raises is raised here.

        Work that raises StoreError or RuleError must have written nothing: others share its transaction.
        """
        job = _Job(work)
        with self._gate:
            if self._closed:
                raise StoreError("the store is closed")
            if self._thread is None:
                self._thread = Thread(target=self._run, name="sortes-writer", daemon=True)
                self._thread.start()
            self._jobs.put(job)
        job.done.acquire()
        if job.error is not None:
            raise job.error
        return job.result

    def close(self) -> None:
        """Finish what was asked, then end the thread."""
        with self._gate:
            self._closed = True
            thread, self._thread = self._thread, None
            if thread is not None:
                self._jobs.put(None)
        if thread is not None:
            thread.join()
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _run(self) -> None:
        crowd = 1
        while True:
            jobs, last = self._gathered(crowd)
            crowd = len(jobs)
            if jobs:
                self._commit(jobs)
                for job in jobs:
                    job.done.release()
            if last:
                return

    def _gathered(self, crowd: int) -> tuple[list[_Job[Any]], bool]:
        """The jobs that go together, and whether they are the last."""
        jobs: list[_Job[Any]] = []
        until = 0.0
        while len(jobs) < MOST:
            try:
                if not jobs:
                    job = self._jobs.get()
                    until = perf_counter() + GATHER
                elif len(jobs) < crowd and (left := until - perf_counter()) > 0:
                    job = self._jobs.get(timeout=left)
                else:
                    job = self._jobs.get_nowait()
            except Empty:
                break
            if job is None:
                return jobs, True
            jobs.append(job)
        return jobs, False

    def _commit(self, jobs: list[_Job[Any]]) -> None:
        begun = False
        try:
            if self.connection is None:
                self.connection = self._connect()
            self._check()
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                begun = True
                for job in jobs:
                    try:
                        job.result, job.error = job.work(self.connection), None
                    except (StoreError, RuleError) as refused:
                        job.error = refused
                self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
        except BaseException as e:  # noqa: BLE001  whoever asked must hear of it, and this thread goes on
            if begun and len(jobs) > 1:  # one that does not fit is no reason to refuse the others
                for job in jobs:
                    self._commit([job])
                return
            for job in jobs:
                job.error = self._said(e) if isinstance(e, Error | OSError | UnicodeDecodeError) else e
