"""What is done to processes on purpose, and what came of it: kills, jumping clocks, full files."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from evoply import Stream

LAUNCHER = """
import resource, sys, time
seed, most = int(sys.argv[1]), int(sys.argv[2])
true, state = time.time, [seed]
def jumping():
    state[0] = (state[0] * 6364136223846793005 + 1442695040888963407) % 2**64
    return max(1.0, true() + (state[0] >> 33) % 3_000_000_000 - 1_500_000_000)
if seed:
    time.time = jumping
if most:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
from evoply.cli import main
sys.exit(main(sys.argv[3:]))
"""
"""evoply with a clock that jumps by up to 47 years at each look, and a limit of its files' size."""

_LAST_SECONDS = 20.0
"""For which a process below one that was killed may go on: keepers look now and then."""
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what loses its parent becomes a child of this process


@dataclass
class Disorder:
    """The time that is left, what happened, and the promises that were broken."""

    seed: int
    home: Path
    figures: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    _end: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _logs: int = 0

    def begin(self, seconds: float) -> None:
        """Let the time run."""
        self._end = time.monotonic() + seconds

    @property
    def goes_on(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self._end

    def draws(self, *names: str) -> Stream:
        """Return the draws of a part."""
        return Stream(self.seed, "chaos", "/".join(names))

    def count(self, what: str, number: int = 1) -> None:
        """Add to a figure."""
        with self._lock:
            self.figures[what] += number

    def promise(self, is_kept: bool, what: str) -> None:
        """Note *what*, in full, unless it is kept."""
        with self._lock:
            self.figures["promises looked at"] += 1
            if not is_kept:
                self.broken.append(what)

    def start(
        self, *arguments: str, clock: int = 0, most_bytes: int = 0
    ) -> tuple[subprocess.Popen[bytes], Path]:
        """Start a command; return it with the file of all that it says."""
        with self._lock:
            self._logs += 1
            log = self.home / f"log-{self._logs}.txt"
        environment = {
            **os.environ,
            "EVOPLY_RUNS": str(self.home / "runs"),
            "PYTHONUNBUFFERED": "1",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        with log.open("wb") as said:
            process = subprocess.Popen(
                [sys.executable, "-c", LAUNCHER, str(clock), str(most_bytes), *arguments],
                cwd=self.home, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            )  # fmt: skip
        return process, log

    def kill(self, process: subprocess.Popen[bytes], what: str) -> None:
        """Kill a process as the system does that has no memory left."""
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            self.count(f"kills of {what}")
        process.wait()


def ended_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a process; return whether it has ended."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.poll() is not None


@contextmanager
def nothing_left(disorder: Disorder) -> Iterator[None]:
    """Note the processes and handles that are still there afterwards."""
    is_linux = sys.platform == "linux"
    if is_linux:
        ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    else:
        disorder.left_out.append("processes and handles that are left: only Linux shows them")
    handles = _handles()
    yield
    end = time.monotonic() + _LAST_SECONDS
    while is_linux and (left := _children()) and time.monotonic() < end:
        time.sleep(0.1)
    if is_linux:
        disorder.promise(not left, f"{len(left)} processes are left: {'; '.join(left)}")
        opened = _handles() - handles
        disorder.promise(not opened, f"handles of this program are left: {sorted(opened)}")


def handles_of(process: int) -> int:
    """Return how many files and connections a process holds; 0 where nobody says."""
    folder = Path(f"/proc/{process}/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def _handles() -> set[str]:
    found = set()
    for path in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):
            found.add(os.readlink(path))
    return {name for name in found if not name.startswith("/proc/")}


def _children() -> list[str]:
    """Return the commands of the processes below this one; those that have ended are reaped."""
    found = []
    for path in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            for number in path.read_text().split():
                if os.waitpid(int(number), os.WNOHANG)[0] == 0:
                    command = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
                    found.append(f"{number} {b' '.join(command).decode(errors='replace')[:200]}")
    return found
