"""The processor cores and the Python that evoply may use for processes of its own."""

import os
import sys


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
