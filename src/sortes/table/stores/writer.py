"""One pen that writes, and commits for all who wait at once.

A commit costs what the disk takes to make it durable, however much is in it. So while one commit is under way the
next ones gather, and a thread of its own writes them together: over many tables as many times the events for the
same wait. Who finds nobody writing and nobody waiting takes the pen: to wake a thread and be woken by it would cost
a quick disk's commit again.
"""

from __future__ import annotations

from collections.abc import Callable
from sqlite3 import Connection, Error
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from sortes.core.errors import RuleError
from sortes.table.stores import StoreError

T = TypeVar("T")
MOST = 256  # jobs that go into one commit, so that nobody waits for a crowd without end
GATHER = 0.001  # seconds given to a crowd to come again


class _Job(Generic[T]):
    __slots__ = ("work", "done", "result", "error")

    def __init__(self, work: Callable[[Connection], T]) -> None:
        self.work = work
        self.done = Lock()
        self.done.acquire()
        self.result: T
        self.error: BaseException | None = None


class Writer:
    """The only connection that writes, opened with the first job.

    `begun` is called at the start of every transaction, and may raise; `undone` when one was rolled back.
    """

    def __init__(
        self,
        connect: Callable[[], Connection],
        begun: Callable[[Connection], None],
        undone: Callable[[], None],
        said: Callable[[Exception], StoreError],
    ) -> None:
        self._connect, self._begun, self._undone, self._said = connect, begun, undone, said
        self.connection: Connection | None = None
        self._pen = Lock()  # held by whoever uses the connection
        self._gate = Lock()  # held by whoever looks at the four below
        self._jobs: list[_Job[Any]] = []
        self._wanted = 1  # jobs that are worth ringing for
        self._thread: Thread | None = None
        self._closed = False
        self._bell = Lock()  # the thread sleeps on it; released, it is rung
        self._bell.acquire()

    def do(self, work: Callable[[Connection], T]) -> T:
        """Do `work` in a transaction; when this returns, it is durable. What it raises is raised here.

        Work that raises StoreError or RuleError must have written nothing: others share its transaction.
        """
        job = _Job(work)
        if not self._alone(job):
            with self._gate:
                self._open()
                if self._thread is None:
                    self._thread = Thread(target=self._run, name="sortes-writer", daemon=True)
                    self._thread.start()
                self._jobs.append(job)
                if len(self._jobs) >= self._wanted:
                    self._ring()
            job.done.acquire()
        if job.error is not None:
            raise job.error
        return job.result

    def close(self) -> None:
        """Finish what was asked, then end the thread."""
        with self._gate:
            self._closed = True
            thread = self._thread
            self._ring()
        if thread is not None:
            thread.join()
        with self._pen:
            if self.connection is not None:
                self.connection.close()
                self.connection = None

    def _open(self) -> None:
        if self._closed:
            raise StoreError("the store is closed")

    def _alone(self, job: _Job[Any]) -> bool:
        """Do a job here and now if nobody writes and nobody waits."""
        if self._jobs or not self._pen.acquire(blocking=False):
            return False
        try:
            self._open()
            self._commit([job])
            return True
        finally:
            self._pen.release()

    def _ring(self) -> None:
        """Wake the thread. Behind the gate: nobody else rings meanwhile."""
        if self._bell.locked():
            self._bell.release()

    def _run(self) -> None:
        while not self._closed or self._jobs:
            crowd = 1
            self._bell.acquire()
            with (
                self._pen
            ):  # and kept while a crowd comes again: one alone with it would hold up all the others
                while jobs := self._gathered(crowd):
                    crowd = len(jobs)
                    self._commit(jobs)
                    for job in jobs:
                        job.done.release()

    def _gathered(self, crowd: int) -> list[_Job[Any]]:
        """The jobs that go together: a moment is given to as many as came last time, who were just let go."""
        with self._gate:
            self._wanted = crowd
            self._bell.acquire(blocking=False)  # what was rung for is seen
            ready = len(self._jobs) >= crowd or crowd == 1 or self._closed
        if not ready:
            self._bell.acquire(timeout=GATHER)
        with self._gate:
            self._wanted = 1
            jobs, self._jobs = self._jobs[:MOST], self._jobs[MOST:]
            return jobs

    def _commit(self, jobs: list[_Job[Any]]) -> None:
        begun = False
        try:
            if self.connection is None:
                self.connection = self._connect()
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                begun = True
                self._begun(self.connection)
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
            self._undone()  # by us, or by SQLite itself where the disk is full
            if begun and len(jobs) > 1:  # one that does not fit is no reason to refuse the others
                for job in jobs:
                    self._commit([job])
                return
            for job in jobs:
                job.error = self._said(e) if isinstance(e, Error | OSError | UnicodeDecodeError) else e
