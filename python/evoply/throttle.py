"""How often work that goes on is looked at: every few seconds, and hardly at its cost."""

import time
from collections.abc import Callable

SECONDS = 2.0
"""Between the end of a look and the next one, at least."""
_REST = 50
"""How many times as long as a look took nobody looks again, at least."""


class Pace:
    """Takes looks at something when it is time for one again, and drops them otherwise."""

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
