"""Long work at a terminal: it shows that it goes on, stops at Ctrl-C, and some of it is given up in time."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

from sortes.engine.odds import Watch

T = TypeVar("T")
PATIENCE = 0.5  # seconds before progress is shown


class TooLong(Exception):
    """Work was given up because its time was over."""


def within(seconds: float, work: Callable[[Watch], T]) -> T | None:
    """What `work` finds, or None where it takes longer. It is stopped by a timer where the machine has one
    (some of the work watches nothing), else by what it tells its watch."""
    until = monotonic() + seconds

    def watch(nodes: int, resolved: float) -> None:
        if monotonic() > until:
            raise TooLong

    if not hasattr(signal, "setitimer") or not _alone():
        try:
            return work(watch)
        except TooLong:
            return None

    def ring(number: int, frame: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return work(watch)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TooLong:
        return None
    finally:
        signal.signal(signal.SIGALRM, before)


def _alone() -> bool:
    """Whether this is the main thread, which alone hears signals."""
    threading = sys.modules.get("threading")  # if nobody has imported it, there are no others
    return threading is None or threading.current_thread() is threading.main_thread()


@contextmanager
def progress(doing: str, *, shown: bool = True) -> Iterator[Watch | None]:
    """A watch for long work, which shows on stderr how far it is: at a terminal, and after half a second."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    import threading

    seen = [0, 0.0]
    over = threading.Event()

    def watch(nodes: int, resolved: float) -> None:
        seen[:] = nodes, resolved

    def show() -> None:
        if over.wait(PATIENCE):
            return
        from rich.console import Console
        from rich.status import Status

        with Status(doing, console=Console(stderr=True)) as status:
            while not over.wait(0.2):
                nodes, resolved = seen
                told = f", {nodes:,} positions" if nodes else ""
                told += f", {resolved:.1%} resolved" if resolved else ""
                status.update(f"{doing}{told}. Ctrl-C stops it.")

    teller = threading.Thread(target=show, daemon=True)
    teller.start()
    try:
        yield watch
    finally:
        over.set()
        teller.join()
