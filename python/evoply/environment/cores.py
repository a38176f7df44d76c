"""The processor cores and the Python that evoply may use, and the processor time that it takes."""

import os
import sys
import threading
import time
from typing import ClassVar, Self


def core_count() -> int:
    """Return the number of processor cores that this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def own_python() -> list[str]:
    """Return the command of this Python for a process that imports what this one would.

    Python adds the folder in which `python -m` is called. Where this process has not got it, nor
    has the other: a file there may have come with a run, and the name of a module.
    """
    has_folder = os.getcwd() in map(os.path.abspath, sys.path)
    return [sys.executable, *([] if has_folder else ["-P"])]


class ProcessorClock:
    """Processor seconds of what is done inside its `with`, the kernel's threads included.

    What this process does at once shares its seconds equally: nothing says which thread of the
    kernel works for whom. Other processes, such as bots, do not count.
    """

    _lock: ClassVar = threading.Lock()
    _running: ClassVar[list["ProcessorClock"]] = []
    _settled: ClassVar[float] = 0.0

    def __init__(self) -> None:
        self._seconds = 0.0

    @property
    def seconds(self) -> float:
        """The processor seconds so far."""
        with self._lock:
            self._settle()
        return self._seconds

    def __enter__(self) -> Self:
        with self._lock:
            self._settle()
            self._running.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._settle()
            self._running.remove(self)

    @classmethod
    def _settle(cls) -> None:
        """Share out what the process has taken since the last time."""
        now = time.process_time()
        for clock in cls._running:
            clock._seconds += (now - cls._settled) / len(cls._running)
        cls._settled = now
