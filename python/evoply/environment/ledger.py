"""SQLite files of servers: every commit is on disk, and one server at a time uses a file.

Each is one SQLite database, whose rows have checksums (`evoply.environment.checksums`). A
transaction is on disk when it is committed, so what a killed server had acknowledged is there when
another one goes on with the file. Games are numbered, and their moves lie in a table of the same
form in all files.
"""

import shlex
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evoply.environment.checksums import (
    CHECKSUMS,
    UNREADABLE,
    ChecksumError,
    Database,
    Group,
    check_beside,
    check_plain,
    damage_of,
)
from evoply.environment.refusals import refusal_of
from evoply.protocols import MALFORMED, RunError

Move = tuple[str, float | None, float | None]
"""A move as text, and the seconds that Black and White have after it, None without a clock."""

_PLIES = 1 << 20
"""The number of a move is that of its game times this, plus its ply: so both are one key."""


def _move_label(number: int) -> str:
    game, ply = divmod(number, _PLIES)
    return f"ply {ply} of game {game}"


MOVES_TABLE = """
CREATE TABLE moves (
    number INTEGER PRIMARY KEY, move TEXT NOT NULL, black_left REAL, white_left REAL
);
"""
HAS_MOVES = (
    f"EXISTS (SELECT 1 FROM moves WHERE moves.number >= games.number * {_PLIES}"
    f" AND moves.number < (games.number + 1) * {_PLIES})"
)
"""The condition of SQL that a row of a table `games` has moves; reads one row of an index."""
# One group for each move: the next one costs the same however long the game is.
_MOVES = Group(
    "moves",
    _move_label,
    "SELECT number, move, black_left, white_left FROM moves"
    " WHERE number BETWEEN ? AND ? ORDER BY number",
    "INSERT INTO moves VALUES (?, ?, ?, ?)",
    delete="DELETE FROM moves WHERE number BETWEEN ? AND ?",
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """A kind of such files, and the messages about one that cannot be used."""

    mark: bytes
    """Four letters in the head of each file."""
    format: int
    tables: str
    """The statements that make the tables of a new file, besides that of checksums."""
    error: type[RunError]
    """The error that its methods raise, with a message that names the file."""
    in_use: str
    foreign: str
    """What is wrong with a file without the mark, and what to do."""
    unreadable: str
    """What to do with a file of another format."""
    damaged: str
    """What to do with a damaged file."""
    afterwards: str
    """What to do when its disk can be used again; {path} stands for the file."""

    def create(self, path: Path, begin: Callable[[Database], object] | None = None) -> None:
        """Make a file at *path*, with what *begin* writes into it: all of it, or an empty file."""
        with self.explaining(path, is_there=False):
            # Not in WAL mode yet: `open` looks for the mark in the first bytes of the file.
            connection = _connect(path)
            try:
                database = Database(connection)
                with database.transaction():
                    mark = int.from_bytes(self.mark, "big")
                    connection.execute(f"PRAGMA application_id = {mark}")
                    connection.execute(f"PRAGMA user_version = {self.format}")
                    for statement in filter(str.strip, f"{CHECKSUMS}{self.tables}".split(";")):
                        connection.execute(statement)
                    if begin is not None:
                        begin(database)
            finally:
                connection.close()

    def open(self, path: Path) -> Database:
        """Open the file at *path*, which must be of this kind; nobody else can open it then.

        Its structure is checked, rows are whenever they are read. Statements outside transactions
        commit, and any thread may use the connection.
        """
        with self.explaining(path):
            self._check_head(path)
            connection = _connect(path)
            try:
                check_plain(connection, self.tables)
                connection.execute("PRAGMA journal_mode = WAL")
                database = Database(connection)
                database.check(())
            except BaseException:
                connection.close()
                raise
        return database

    @contextmanager
    def explaining(self, path: Path, *, is_there: bool = True) -> Iterator[None]:
        """Turn errors of SQLite and of the disk into ones that say what is wrong with *path*.

        *is_there*: whether the file can be gone on with.
        """
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            refusal = refusal_of(error, path)
            if refusal is None:
                raise self._damage(path, error) from None
            if refusal.is_busy:
                raise self.error(f"{path}: {self.in_use}") from None
            then = f", then {self.afterwards}".format(path=shlex.quote(str(path)))
            raise self.error(f"{path}: {refusal}{then if is_there else ''}") from None
        except (*UNREADABLE, ChecksumError) as error:
            raise self._damage(path, error) from None

    @contextmanager
    def reading(self, path: Path) -> Iterator[None]:
        """Do as `explaining` does, and report content that cannot be understood as damage."""
        with self.explaining(path):
            try:
                yield
            except RunError:
                raise
            except MALFORMED as error:
                raise self._damage(path, error) from None

    def _check_head(self, path: Path) -> None:
        """Raise the error unless the file says that it is of this kind; it is only read."""
        with path.open("rb") as file:
            head = file.read(100)
        if not head.startswith(b"SQLite format 3\0") or head[68:72] != self.mark:
            raise self.error(f"{path}: {self.foreign}")
        version = int.from_bytes(head[60:64], "big")
        if version != self.format:
            raise self.error(
                f"{path}: this file has format {version}, and this evoply reads {self.format} - "
                f"{self.unreadable}"
            )

    def _damage(self, path: Path, error: Exception) -> RunError:
        return self.error(f"{path}: the file is damaged ({damage_of(error)}) - {self.damaged}")


def write_moves(database: Database, game: int, since: int, moves: Iterable[Move]) -> None:
    """Write the moves of a game from ply number *since* on, inside a transaction."""
    for number, (move, *left) in enumerate(moves, start=game * _PLIES + since):
        # SQLite gives back 1 as 1.0 and -0.0 as 0.0: what is summed must be what is read.
        clocks = (None if seconds is None else float(seconds) + 0.0 for seconds in left)
        database.write(_MOVES, number, [(number, move, *clocks)])


def remove_moves(database: Database, game: int, since: int) -> None:
    """Remove the moves of a game from ply number *since* on, inside a transaction."""
    database.remove(_MOVES, game * _PLIES + since, _last(game))


def read_moves(database: Database, game: int) -> tuple[Move, ...]:
    """Return the moves of a game."""
    return tuple(move for _, move in _moves(database, game * _PLIES, _last(game)))


def read_all_moves(database: Database) -> dict[int, list[Move]]:
    """Return the moves of all games that have any, by number of the game."""
    games: dict[int, list[Move]] = {}
    for number, move in _moves(database):
        games.setdefault(number // _PLIES, []).append(move)
    return games


def _last(game: int) -> int:
    return (game + 1) * _PLIES - 1


def _moves(database: Database, *numbers: int) -> Iterator[tuple[int, Move]]:
    for rows in database.read(_MOVES, *numbers).values():
        for number, move, black, white in rows:
            yield number, (move, black, white)


def _connect(path: Path) -> sqlite3.Connection:
    check_beside(path)
    connection = sqlite3.connect(path, timeout=0.5, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA synchronous = FULL")
        # SQLite takes the lock with the first change.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection
