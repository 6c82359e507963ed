"""How long work takes: the best of some runs in processor time, garbage collection on, from cold caches."""

from __future__ import annotations

import gc
import os
import pty
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter, process_time_ns
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[], Any]
Contender: TypeAlias = tuple[Work, Callable[[], None]]  # what is timed, and what empties its caches before

ROOT = Path(__file__).resolve().parent.parent


def once(work: Work, clear: Callable[[], None]) -> tuple[float, Any]:
    """Seconds of one run from cold caches, and what came of it."""
    clear()
    start = process_time_ns()
    found = work()
    return (process_time_ns() - start) / 1e9, found


def best(contenders: Sequence[Contender], seconds: float, most: int) -> tuple[list[float], int]:
    """The best time of each contender, taken in turn, 1 to `most` times each: what fits into `seconds`."""
    assert gc.isenabled()
    times, repeats = [float("inf")] * len(contenders), 0
    start = perf_counter()
    while repeats == 0 or (repeats < most and (perf_counter() - start) * (repeats + 1) / repeats < seconds):
        for i, (work, clear) in enumerate(contenders):
            if times[i] > 0.01:
                gc.collect()  # nobody pays for what another left
            times[i] = min(times[i], once(work, clear)[0])
        repeats += 1
    return times, repeats


# ---- other processes ---------------------------------------------------------------------------------------


def peak(code: str) -> float:
    """The most memory, in MB, that a new interpreter ever held which runs `code` from the checkout."""
    # ru_maxrss of a child starts at what its parent held; VmHWM is of the new program alone
    told = """
import resource, sys
try:
    kilobytes = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
except (OSError, StopIteration):
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)
print(kilobytes)
"""
    command = [sys.executable, "-c", code + told]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stderr.strip().rpartition("\n")[2])
    return float(ran.stdout.split()[-1]) * 1024 / 1e6


def script(name: str) -> str:
    """The path of an installed command, beside the interpreter that runs this."""
    return str(Path(sys.executable).parent / name)


def _start(command: Sequence[str], home: str) -> float:
    """Seconds on the clock until a command has ended that writes to a terminal, as people see it."""
    terminal, its_end = pty.openpty()
    homes = ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    env = {**os.environ, **dict.fromkeys(homes, home)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # installed programs are compiled once: by the run that warms up
    try:
        start = perf_counter()
        with subprocess.Popen(
            command, stdin=its_end, stdout=its_end, stderr=its_end, cwd=home, env=env
        ) as child:
            status = child.wait()
        seconds = perf_counter() - start
        os.set_blocking(terminal, False)
        said = b""
        with suppress(BlockingIOError, OSError):
            said = os.read(terminal, 65536)
    finally:
        os.close(terminal)
        os.close(its_end)
    if status:
        raise RuntimeError(
            f"{' '.join(command)} ended with {status}: {said.decode(errors='replace').strip()[-200:]}"
        )
    return seconds


def starts(commands: Sequence[Sequence[str]], seconds: float, most: int) -> tuple[list[float], int]:
    """The best start of each command, taken in turn, in a home of their own; one run before warms up."""
    times, repeats = [float("inf")] * len(commands), 0
    with tempfile.TemporaryDirectory() as home:
        for command in commands:
            _start(command, home)
        start = perf_counter()
        while repeats == 0 or (repeats < most and perf_counter() - start < seconds):
            times = [min(t, _start(command, home)) for t, command in zip(times, commands, strict=True)]
            repeats += 1
    return times, repeats
