"""Where players think: a few threads for everybody, in turns.

A game has at most one move and one question waiting, and who asked first is answered first: so
every other game is served once before the same one is served again.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from evoply.web.limits import LimitError

T = TypeVar("T")

_UNTIL_FREE = 0.01
"""Seconds between two looks whether an unwanted search has ended."""


class ThinkingPool:
    """*threads* that do the given work; work that is no longer wanted is not begun.

    The threads are daemons: a process that ends does not wait for a search, which changes nothing.
    """

    def __init__(self, threads: int, most_waiting: int) -> None:
        self._most_waiting = most_waiting
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._keys: dict[Hashable, asyncio.Future[Any]] = {}
        self._working = 0
        self._threads = [
            threading.Thread(target=self._serve, name=f"thinking-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """How many pieces of work wait or are being done."""
        return len(self._keys)

    @property
    def is_busy(self) -> bool:
        """Whether some thread is in the middle of something."""
        return self._working > 0

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return what *work* returns, called in one of the threads.

        Raises `LimitError` if something of this *key* waits already, or too much does. What is no
        longer wanted is ended first, if it was begun.
        """
        while key in self._keys and self._keys[key].cancelled():
            await asyncio.sleep(_UNTIL_FREE)
        if key in self._keys:
            raise LimitError("this game is being thought about already - wait for the answer", 409)
        if len(self._keys) >= self._most_waiting:
            raise LimitError(
                f"{self._most_waiting} moves wait for a core already - try again in a second", 503
            )
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def answer(result: Any, error: BaseException | None) -> None:
            self._keys.pop(key, None)
            if future.done():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        def do() -> None:
            result, error = None, None
            if not future.cancelled():
                try:
                    result = work()
                except BaseException as failed:
                    error = failed
            # The loop is closed if the server has ended meanwhile.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(answer, result, error)

        self._keys[key] = future
        self._queue.put(do)
        value: T = await future
        return value

    def close(self) -> None:
        """Let the threads end after what they are doing."""
        for _ in self._threads:
            self._queue.put(None)

    def _serve(self) -> None:
        while (work := self._queue.get()) is not None:
            self._working += 1
            try:
                work()
            finally:
                self._working -= 1
