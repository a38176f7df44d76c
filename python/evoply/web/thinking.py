"""Where players think: a few threads for everybody, in turns; players from outside.

A game has at most one move and one question waiting, and who asked first is answered first: so
every other game is served once before the same one is served again.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, TypeVar

from evoply.configs.own_code import carried
from evoply.games import game_rules
from evoply.players import PlayerKind, parse_player
from evoply.protocols import Player, RunError
from evoply.web.limits import LimitError, ServerLimits
from evoply.wording import shorten

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


# Reads players from texts of requests: only players that are data, and within limits.

OpponentReader = Callable[[str, str], PlayerKind]
"""The player that a text names in a game."""

_RUN = "@"
"""Every text that names a run contains this."""


def read_opponent(text: str, game: str, limits: ServerLimits) -> PlayerKind:
    """Return the player that *text* names, for *game*.

    No text from outside may name a file or a program: champions are those of the folder of runs,
    by name. Raises `ValueError` for a text that is not a player or not one of *game*, and
    `LimitError` for a player that asks for too much.
    """
    game_rules(game)
    # A champion may change at any moment; other players never change.
    return _read(text, game, limits) if _RUN in text else _read_once(text, game, limits)


def _read(text: str, game: str, limits: ServerLimits) -> PlayerKind:
    try:
        with carried(with_programs=False):
            player = parse_player(text, game=game, runs=_champion)
    except RunError as error:  # there is no such run, or it has no such champion
        raise ValueError(str(error)) from None
    if not player.is_portable:
        raise ValueError(f"{shorten(text)}: this player is not data - use `evoply match`")
    player.check_fits(game)
    _check_work(player, limits)
    return player


def _champion(run: str) -> Player:
    from evoply.runs import named_champion  # only here: what knows runs takes a second to load

    return named_champion(run)


_read_once = lru_cache(maxsize=128)(_read)


def _check_work(player: PlayerKind, limits: ServerLimits) -> None:
    """Raise `LimitError` for a player that asks for too much."""
    if player.plies_ahead > limits.depth and player.reproducible:  # no limit in time
        raise LimitError(
            f"depth: {player.plies_ahead} - players look at most {limits.depth} plies ahead here - "
            "give less",
            422,
        )
    if player.games_before_move > limits.games_before_move:
        raise LimitError(
            f"games before a move: {player.games_before_move:,} - players play at most "
            f"{limits.games_before_move:,} here - give less",
            422,
        )
