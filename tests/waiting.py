"""Waiting for what happens, however long that takes on a busy machine."""

import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

with suppress(ImportError):  # Unix alone has it
    import resource

Found = TypeVar("Found")

PATIENCE = 200.0
"""Seconds after which what has not happened never will; only what is broken takes so long."""


def until(happened: Callable[[], Found], what: str = "it") -> Found:
    """Return what *happened* returns, as soon as that is something."""
    end, pause = time.monotonic() + PATIENCE, 0.005
    while not (found := happened()):
        assert time.monotonic() < end, f"{what} never came"
        time.sleep(pause)
        pause = min(1.2 * pause, 0.05)
    return found


def read_until(descriptor: int, text: str) -> str:
    """Return what a terminal shows until it has shown *text*."""
    seen = b""
    end = time.monotonic() + PATIENCE
    while text.encode() not in seen and time.monotonic() < end:
        if select.select([descriptor], [], [], 0.2)[0]:
            try:
                seen += os.read(descriptor, 65536)
            except OSError:
                break
    assert text.encode() in seen, seen.decode(errors="replace")
    return seen.decode(errors="replace")


def until_it_computes(process: int, seconds: float = 0.5) -> None:
    """Wait until a process has computed for so many seconds beside its first thread.

    There the kernel does all that takes long, and nothing else does much. Python 3.11 ends with
    the signal itself, which only a shell calls 130, where Ctrl-C meets one that runs a text as
    code, as many modules of scipy do when they are imported, in the first thread.
    """
    first = Path(f"/proc/{process}/task/{process}")
    until(
        lambda: cpu_seconds(process) - _used(first) >= seconds,  # threads that have ended count
        f"work of process {process}",
    )


def cpu_seconds(process: int) -> float:
    """Return how long a running process has computed, on all cores together."""
    return _used(Path(f"/proc/{process}"))


def children_seconds() -> float:
    """Return how long all processes that were started here and have ended computed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _used(folder: Path) -> float:
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
