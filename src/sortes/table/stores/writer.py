"""One pen that writes, and commits for all who wait at once.

A commit costs what the disk takes to make it durable, however much is in it. So while one commit is under way the
next ones gather, and a thread of its own writes them together: over many tables as many times the events for the
same wait. Who finds nobody writing and nobody waiting takes the pen: to wake a thread and be woken by it would cost
a quick disk's commit again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from sortes.table.stores import StoreError

W = TypeVar("W")
MOST = 256  # jobs that go into one commit, so that nobody waits for a crowd without end
GATHER = 0.001  # seconds given to a crowd to come again


class Job(Generic[W]):
    """Work that somebody waits for, and what came of it."""

    __slots__ = ("work", "done", "result", "error")

    def __init__(self, work: W) -> None:
        self.work = work
        self.done = Lock()
        self.done.acquire()
        self.result: Any = None
        self.error: BaseException | None = None


class Writer(Generic[W]):
    """`commit` does the work of jobs that go together, and gives each its result or error; it never raises.

    One is under way at a time. What it left durable is acknowledged when it returns.
    """

    def __init__(self, commit: Callable[[Sequence[Job[W]]], None]) -> None:
        self._commit = commit
        self._pen = Lock()  # held by whoever commits
        self._gate = Lock()  # held by whoever looks at the four below
        self._jobs: list[Job[W]] = []
        self._wanted = 1  # jobs that are worth ringing for
        self._thread: Thread | None = None
        self._closed = False
        self._bell = Lock()  # the thread sleeps on it; released, it is rung
        self._bell.acquire()

    def do(self, work: W) -> Any:
        """The result of `work`, once it is durable. Its error is raised here."""
        job = Job(work)
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
        self._pen.acquire()  # the last one has it: who comes now is told that the store is closed
        self._pen.release()

    def _open(self) -> None:
        if self._closed:
            raise StoreError("the store is closed")

    def _alone(self, job: Job[W]) -> bool:
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
            with self._pen:  # kept while a crowd comes again: one alone with it would hold up all the others
                while jobs := self._gathered(crowd):
                    crowd = len(jobs)
                    self._commit(jobs)
                    for job in jobs:
                        job.done.release()

    def _gathered(self, crowd: int) -> list[Job[W]]:
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
