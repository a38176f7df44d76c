"""The file of all games: every move that was acknowledged is on disk before anybody is told of it.

Changes that wait while others are written go into one transaction together: a disk is slow to say
that it has something, and as quick for many changes as for one. Nothing acknowledged is lost to
`kill -9`.
"""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from evoply.ledger import Execute, Ledger, transaction
from evoply.protocols import Color, RunError

_TABLES = """
CREATE TABLE games (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, game TEXT NOT NULL, start TEXT NOT NULL,
    black TEXT NOT NULL, white TEXT NOT NULL, clock TEXT, seconds REAL NOT NULL,
    seed INTEGER NOT NULL, loser TEXT, reason TEXT
) WITHOUT ROWID;
CREATE INDEX by_time ON games (created);
CREATE TABLE moves (
    game TEXT NOT NULL, ply INTEGER NOT NULL, move TEXT NOT NULL,
    black_left REAL, white_left REAL, PRIMARY KEY (game, ply)
) WITHOUT ROWID;
"""
T = TypeVar("T")
_Change = Callable[[Execute], object]
"""Executes the statements of one change."""

Move = tuple[str, float | None, float | None]
"""A move as text, and the seconds that Black and White have after it, None without a clock."""


class StoreError(RunError):
    """A file of games that cannot be used; says why and what to do."""


_FILES = Ledger(
    mark=b"EVOW",
    format=1,
    tables=_TABLES,
    error=StoreError,
    in_use="another `evoply web` is using it - end that one, or name another folder with --runs",
    foreign="this is no file of games of evoply web - move it away",
    unreadable="move it away, or use the evoply that wrote it",
    damaged="move it away",
    afterwards="do it again",
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A game as it lies in the file."""

    id: str
    created: str
    """ISO time in UTC."""
    game: str
    start: str
    """The position before the first move."""
    black: str
    """A player's text, or "person"."""
    white: str
    clock: str | None
    seconds: float
    """What players may take for a move."""
    seed: int
    loser: str | None = None
    """The colour that has forfeited the game."""
    reason: str | None = None
    moves: tuple[Move, ...] = ()

    def who(self, color: Color) -> str:
        """Return who plays *color*."""
        return self.black if color is Color.BLACK else self.white


_COLUMNS = tuple(field.name for field in fields(Stored) if field.name != "moves")
_NAMES = ", ".join(_COLUMNS)


class GameStore:
    """The open file at a path; raises `StoreError` if it cannot be opened.

    Its methods that change something return when the change is on disk. All run in one thread of
    their own, so the server answers others meanwhile.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._waiting: list[tuple[_Change, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None
        if not path.exists() or path.stat().st_size == 0:
            _FILES.create(path)
        self._connection = _FILES.open(path)

    async def begin(self, game: Stored) -> None:
        """Write a new game with its moves so far."""

        def write(execute: Execute) -> None:
            row = [getattr(game, name) for name in _COLUMNS]
            execute(f"INSERT INTO games ({_NAMES}) VALUES ({', '.join('?' * len(row))})", row)
            _write_moves(execute, game.id, 0, game.moves)

        await self._write(write)

    async def go_on(self, game: str, since: int, moves: Iterable[Move]) -> None:
        """Write *moves* from ply number *since* on in place of those that were there."""

        def write(execute: Execute) -> None:
            execute("DELETE FROM moves WHERE game = ? AND ply >= ?", (game, since))
            execute("UPDATE games SET loser = NULL, reason = NULL WHERE id = ?", (game,))
            _write_moves(execute, game, since, moves)

        await self._write(write)

    async def seat(self, game: str, black: str, white: str) -> None:
        """Write down who plays from now on."""
        await self._update(game, black=black, white=white)

    async def forfeit(self, game: str, loser: Color, reason: str) -> None:
        """Write down that a side has lost otherwise than on the board."""
        await self._update(game, loser=loser.value, reason=reason)

    async def read(self, game: str) -> Stored | None:
        """Return a game, None if there is none with this id."""

        def find() -> Stored | None:
            rows = self._connection.execute(f"SELECT {_NAMES} FROM games WHERE id = ?", (game,))
            row = rows.fetchone()
            if row is None:
                return None
            moves = self._connection.execute(
                "SELECT move, black_left, white_left FROM moves WHERE game = ? ORDER BY ply",
                (game,),
            )
            return replace(Stored(*row), moves=tuple(moves))

        return await self._do(find)

    async def newest(self, count: int) -> list[tuple[Stored, int]]:
        """Return the games begun last, without their moves, and how many moves each has."""

        def find() -> list[tuple[Stored, int]]:
            rows = self._connection.execute(
                f"SELECT {_NAMES}, (SELECT count(*) FROM moves WHERE moves.game = games.id)"
                " FROM games ORDER BY created DESC, id LIMIT ?",
                (count,),
            )
            return [(Stored(*row[:-1]), row[-1]) for row in rows]

        return await self._do(find)

    def close(self) -> None:
        """Close the file, after all that is still to be written; a second call does nothing."""
        self._thread.shutdown()
        self._connection.close()

    async def _update(self, game: str, **columns: str) -> None:
        names = ", ".join(f"{name} = ?" for name in columns)
        statement = f"UPDATE games SET {names} WHERE id = ?"
        await self._write(lambda execute: execute(statement, (*columns.values(), game)))

    async def _write(self, change: _Change) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((change, done))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_all())
        await done

    async def _write_all(self) -> None:
        """Write the changes that wait, and those that come meanwhile."""
        while self._waiting:
            # Whoever has been cancelled no longer wants it.
            batch = [(change, done) for change, done in self._waiting if not done.done()]
            self._waiting.clear()
            error: BaseException | None = None
            try:
                await self._do(partial(self._commit, [change for change, _ in batch]))
            except RuntimeError:  # the file was closed: nobody waits any more
                for _, done in batch:
                    done.cancel()
            except Exception as failed:  # whatever it is, those who wait hear of it
                error = failed
            for _, done in batch:
                if done.done():
                    continue
                if error is None:
                    done.set_result(None)
                else:
                    done.set_exception(error)
        self._writer = None

    def _commit(self, changes: Iterable[_Change]) -> None:
        with transaction(self._connection) as execute:
            for change in changes:
                change(execute)

    async def _do(self, work: Callable[[], T]) -> T:
        def work_with_explanation() -> T:
            with _FILES.explaining(self.path):
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._thread, work_with_explanation)


def _write_moves(execute: Execute, game: str, since: int, moves: Iterable[Move]) -> None:
    for ply, move in enumerate(moves, start=since):
        execute("INSERT INTO moves VALUES (?, ?, ?, ?, ?)", (game, ply, *move))
