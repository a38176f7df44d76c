"""The number of processor cores that evoply may use."""

import os


def core_count() -> int:
    """Return the number of processor cores that this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
