"""How many cores there are for work of our own."""

import os


def core_count() -> int:
    """Return how many processor cores this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
