"""Limits how often running work is looked at: every few seconds, at hardly any cost."""

import time
from collections.abc import Callable

SECONDS = 2.0
"""The least seconds between the end of a look and the next one."""


_REST = 50
"""The pause after a look takes at least this many times as long as the look."""


class Pace:
    """Takes a look at something when it is time for one again, and drops it otherwise."""

    def __init__(self) -> None:
        self._next = time.monotonic()

    def look(self, take: Callable[[], object]) -> None:
        """Call *take* if it is time."""
        began = time.monotonic()
        if began < self._next:
            return
        take()
        ended = time.monotonic()
        self._next = ended + max(SECONDS, _REST * (ended - began))
