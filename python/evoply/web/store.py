"""The file of all games: every move that was acknowledged is on disk before anybody is told of it.

All rows have checksums, which are compared whenever a game is read.

Changes that wait while others are written go into one transaction together: a disk is slow to say
that it has something, and as quick for many changes as for one. Nothing acknowledged is lost to
`kill -9`.
"""

import asyncio
import hashlib
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from evoply.environment.checksums import ChecksumError, Database, Group
from evoply.environment.ledger import (
    HAS_MOVES,
    MOVES_TABLE,
    Ledger,
    Move,
    read_moves,
    remove_moves,
    write_moves,
)
from evoply.games import game_spoken, spoken_name
from evoply.protocols import Color, RunError

_TABLES = f"""
{MOVES_TABLE}
CREATE TABLE games (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created TEXT NOT NULL,
    game TEXT NOT NULL, start TEXT NOT NULL, black TEXT NOT NULL, white TEXT NOT NULL, clock TEXT,
    seconds REAL NOT NULL, seed INTEGER NOT NULL
);
CREATE INDEX by_time ON games (created);
CREATE TABLE forfeits (game INTEGER PRIMARY KEY, loser TEXT NOT NULL, reason TEXT NOT NULL);
"""
# Made when a file is opened that has none: earlier files are as good without.
_REVIEWS_TABLE = (
    "CREATE TABLE IF NOT EXISTS reviews (game INTEGER PRIMARY KEY, found TEXT NOT NULL)"
)
_ROOMS_TABLE = (
    "CREATE TABLE IF NOT EXISTS rooms (game INTEGER PRIMARY KEY, code TEXT NOT NULL,"
    " black TEXT NOT NULL, white TEXT NOT NULL)"
)
T = TypeVar("T")
_Change = Callable[[Database], object]
"""Writes one change, inside a transaction."""


class StoreError(RunError):
    """A file of games that cannot be used; says why and what to do."""


_FILES = Ledger(
    mark=b"EVOW",
    format=2,
    tables=_TABLES,
    error=StoreError,
    in_use="another `evoply web` is using it - end that one, or name another folder with --runs",
    foreign="this is no file of games of evoply web - move it away",
    unreadable="move it away, or use the evoply that wrote it",
    damaged="move it away",
    afterwards="do it again",
)


@dataclass(frozen=True, slots=True)
class Room:
    """The two seats of a game between people on different devices; whoever else comes watches."""

    code: str
    """What people type or open to come here: short, and no secret."""
    black: str = ""
    """The SHA-256 of the secret of whoever has this seat; "" while nobody has."""
    white: str = ""

    def seat_of(self, color: Color) -> str:
        """Return what is kept of the secret of a seat."""
        return self.black if color is Color.BLACK else self.white

    @property
    def taken(self) -> list[Color]:
        """The seats that somebody has."""
        return [color for color in Color if self.seat_of(color)]

    def owned(self, secret: str) -> Color | None:
        """Return the seat of whoever knows *secret*, None for others."""
        kept = seat_kept(secret)
        for color in self.taken:
            if secrets.compare_digest(self.seat_of(color), kept):
                return color
        return None

    def with_seat(self, color: Color, secret: str) -> "Room":
        """Return the room after somebody took a seat."""
        return replace(self, **{color.value: seat_kept(secret)})


def seat_kept(secret: str) -> str:
    """Return what the file keeps of the secret of a seat."""
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Stored:
    """A game as it lies in the file."""

    id: str
    created: str
    """ISO time in UTC."""
    game: str
    """The game's name; `NAME@DIGEST` if it is not known here, or has other rules."""
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
    room: Room | None = None

    def who(self, color: Color) -> str:
        """Return who plays *color*."""
        return self.black if color is Color.BLACK else self.white


_ELSEWHERE = ("loser", "reason", "moves", "room")
_COLUMNS = tuple(field.name for field in fields(Stored) if field.name not in _ELSEWHERE)
_GAMES = Group(
    "games",
    "game {}",
    f"SELECT number, {', '.join(_COLUMNS)} FROM games WHERE number BETWEEN ? AND ? ORDER BY number",
    f"INSERT OR REPLACE INTO games (number, {', '.join(_COLUMNS)})"
    f" VALUES (?{', ?' * len(_COLUMNS)})",
    delete="DELETE FROM games WHERE number BETWEEN ? AND ?",
)
# Apart from the games: most moves then change no row of theirs.
_FORFEITS = Group(
    "forfeits",
    "the forfeit of game {}",
    "SELECT game, loser, reason FROM forfeits WHERE game BETWEEN ? AND ? ORDER BY game",
    "INSERT OR REPLACE INTO forfeits VALUES (?, ?, ?)",
    delete="DELETE FROM forfeits WHERE game BETWEEN ? AND ?",
)


_REVIEWS = Group(
    "reviews",
    "the review of game {}",
    "SELECT game, found FROM reviews WHERE game BETWEEN ? AND ? ORDER BY game",
    "INSERT OR REPLACE INTO reviews VALUES (?, ?)",
    delete="DELETE FROM reviews WHERE game BETWEEN ? AND ?",
)
_ROOMS = Group(
    "rooms",
    "the room of game {}",
    "SELECT game, code, black, white FROM rooms WHERE game BETWEEN ? AND ? ORDER BY game",
    "INSERT OR REPLACE INTO rooms VALUES (?, ?, ?, ?)",
    delete="DELETE FROM rooms WHERE game BETWEEN ? AND ?",
)


@dataclass(frozen=True, slots=True)
class SearchWord:
    """What a word of a search stands for in the columns of the file."""

    text: str
    """As it was typed; it may be a part of a date, a game's name or a player's text."""
    games: tuple[str, ...] = ()
    """Games whose titles have the word."""
    players: tuple[str, ...] = ()
    """Players whose titles have it."""


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
        self._database = _FILES.open(path)
        with _FILES.explaining(path):
            self._database.connection.execute(_REVIEWS_TABLE)
            self._database.connection.execute(_ROOMS_TABLE)

    async def begin(self, game: Stored) -> None:
        """Write a new game with its moves so far."""

        def write(database: Database) -> None:
            number = database.append(_GAMES, *_row(game))
            write_moves(database, number, 0, game.moves)
            if game.room is not None:
                _write_room(database, number, game.room)

        await self._write(write)

    async def take_seats(self, game: str, room: Room) -> None:
        """Write down who has the seats of a room now."""
        await self._write(
            lambda database: _write_room(database, _known_number(database, game), room)
        )

    async def in_room(self, code: str) -> str | None:
        """Return the id of the game in the room with this code, the newest; None if none is."""
        query = (
            "SELECT games.id FROM rooms JOIN games ON games.number = rooms.game"
            " WHERE code = ? ORDER BY rooms.game DESC LIMIT 1"
        )

        def find() -> str | None:
            row = self._database.connection.execute(query, (code,)).fetchone()
            return None if row is None else str(row[0])

        return await self._do(find)

    async def go_on(self, game: str, since: int, moves: Iterable[Move]) -> None:
        """Write *moves* from ply number *since* on in place of those that were there."""

        def write(database: Database) -> None:
            number = _known_number(database, game)
            remove_moves(database, number, since)
            database.remove(_FORFEITS, number, number)
            write_moves(database, number, since, moves)

        await self._write(write)

    async def seat(self, game: str, black: str, white: str) -> None:
        """Write down who plays from now on."""

        def write(database: Database) -> None:
            number = _known_number(database, game)
            seated = replace(_read(database, number), black=black, white=white)
            database.write(_GAMES, number, [(number, *_row(seated))])

        await self._write(write)

    async def forfeit(self, game: str, loser: Color, reason: str) -> None:
        """Write down that a side has lost otherwise than on the board."""

        def write(database: Database) -> None:
            number = _known_number(database, game)
            database.write(_FORFEITS, number, [(number, loser.value, reason)])

        await self._write(write)

    async def keep_review(self, game: str, found: str) -> None:
        """Write down what a review found, a text of its own form, in place of an earlier one."""

        def write(database: Database) -> None:
            if (number := _number(database, game)) is not None:  # it may be deleted meanwhile
                database.write(_REVIEWS, number, [(number, found)])

        await self._write(write)

    async def review(self, game: str) -> str | None:
        """Return what the last review of a game found; None if there was none."""

        def find() -> str | None:
            number = _known_number(self._database, game)
            for ((_, found),) in self._database.read(_REVIEWS, number, number).values():
                return str(found)
            return None

        return await self._do(find)

    async def read(self, game: str) -> Stored | None:
        """Return a game, None if there is none with this id."""

        def find() -> Stored | None:
            number = _number(self._database, game)
            if number is None:
                return None
            stored = _read(self._database, number)
            return replace(stored, moves=read_moves(self._database, number))

        return await self._do(find)

    async def delete(self, game: str) -> bool:
        """Remove a game with everything about it; return whether there was one with this id."""
        found: list[int] = []

        def write(database: Database) -> None:
            number = _number(database, game)
            if number is not None:
                found.append(number)
                remove_moves(database, number, 0)
                for group in (_FORFEITS, _REVIEWS, _ROOMS, _GAMES):
                    database.remove(group, number, number)

        await self._write(write)
        return bool(found)

    async def newest(
        self,
        count: int,
        *,
        since: int = 0,
        words: Iterable[SearchWord] = (),
        game: str | None = None,
        played: bool = False,
    ) -> list[Stored]:
        """Return *count* games, those begun last first, without the first *since* of them.

        Every one of *words* is in them; they are of *game*, if it is given; with *played* they have
        a move.
        """
        conditions: list[str] = []
        values: list[object] = []
        for word in words:
            condition, its_values = _condition(word)
            conditions.append(condition)
            values += its_values
        if game is not None:
            conditions.append("game = ?")
            values.append(spoken_name(game))
        if played:
            conditions.append(HAS_MOVES)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        query = f"SELECT number FROM games{where} ORDER BY created DESC, id LIMIT ? OFFSET ?"
        games = await self._some(query, [*values, count, since])
        return [game for _, game in games]

    async def after(self, number: int, count: int) -> list[tuple[int, Stored]]:
        """Return the *count* games of the file after that of *number*, with their numbers."""
        query = "SELECT number FROM games WHERE number > ? ORDER BY number LIMIT ?"
        return await self._some(query, [number, count])

    async def _some(self, query: str, values: Sequence[object]) -> list[tuple[int, Stored]]:
        """Return the games whose numbers *query* gives."""

        def find() -> list[tuple[int, Stored]]:
            database = self._database
            with database.snapshot():
                numbers = [number for (number,) in database.connection.execute(query, values)]
                return [
                    (
                        number,
                        replace(_read(database, number), moves=read_moves(database, number)),
                    )
                    for number in numbers
                ]

        return await self._do(find)

    def close(self) -> None:
        """Close the file, after all that is still to be written; a second call does nothing."""
        self._thread.shutdown()
        self._database.connection.close()

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
        with self._database.transaction():
            for change in changes:
                change(self._database)

    async def _do(self, work: Callable[[], T]) -> T:
        def work_with_explanation() -> T:
            with _FILES.explaining(self.path):
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._thread, work_with_explanation)


def _write_room(database: Database, number: int, room: Room) -> None:
    database.write(_ROOMS, number, [(number, room.code, room.black, room.white)])


def _row(game: Stored) -> tuple[object, ...]:
    # SQLite gives back 1 as 1.0: what is summed must be what is read.
    # Of a game from data the file says which rules it has.
    plain = replace(game, game=spoken_name(game.game), seconds=float(game.seconds))
    return tuple(getattr(plain, name) for name in _COLUMNS)


def _condition(word: SearchWord) -> tuple[str, list[object]]:
    """Return the condition that a game has *word*, and the values of its parameters."""
    escaped = re.sub(r"([\\%_])", r"\\\1", word.text)
    columns = ("created", "game", "black", "white")
    parts = [f"{column} LIKE ? ESCAPE '\\'" for column in columns]
    values: list[object] = [f"{escaped}%", *[f"%{escaped}%"] * 3]
    for column, names in (("game", word.games), ("black", word.players), ("white", word.players)):
        parts.append(f"{column} IN ({', '.join('?' * len(names))})")
        values += names
    return f"({' OR '.join(parts)})", values


def _number(database: Database, game: str) -> int | None:
    """Return the number of a game in the file, None if there is none with this id."""
    query = "SELECT number FROM games WHERE id = ?"
    row = database.connection.execute(query, (game,)).fetchone()
    return None if row is None else int(row[0])


def _known_number(database: Database, game: str) -> int:
    number = _number(database, game)
    if number is None:
        raise ChecksumError(f"game {game} is missing")
    return number


def _read(database: Database, number: int) -> Stored:
    """Return a game without its moves."""
    ((_, *row),) = database.one(_GAMES, number)
    stored = Stored(*row)
    if "@" in stored.game:
        with suppress(ValueError):
            stored = replace(stored, game=game_spoken(stored.game))
    for rows in database.read(_FORFEITS, number, number).values():
        ((_, loser, reason),) = rows
        stored = replace(stored, loser=loser, reason=reason)
    for ((_, *room),) in database.read(_ROOMS, number, number).values():
        stored = replace(stored, room=Room(*room))
    return stored
