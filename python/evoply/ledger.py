"""SQLite files of servers: every commit is on disk, and one server at a time uses a file.

Each is one SQLite database. A transaction is on disk when it is committed, so what a killed server
had acknowledged is there when another one goes on with the file.
"""

import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evoply.protocols import RunError
from evoply.refusals import refusal_of

Execute = Callable[..., object]
"""Runs a statement inside a transaction."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """A kind of such files, and the messages about one that cannot be used."""

    mark: bytes
    """Four letters in the head of each file."""
    format: int
    tables: str
    """The statements that make the tables of a new file."""
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

    def create(self, path: Path, begin: Callable[[Execute], object] | None = None) -> None:
        """Make a file at *path*, with what *begin* writes into it: all of it, or an empty file."""
        with self.explaining(path, is_there=False):
            # Not in WAL mode yet: `open` looks for the mark in the first bytes of the file.
            connection = _connect(path)
            try:
                with transaction(connection) as execute:
                    execute(f"PRAGMA application_id = {int.from_bytes(self.mark, 'big')}")
                    execute(f"PRAGMA user_version = {self.format}")
                    for statement in filter(str.strip, self.tables.split(";")):
                        execute(statement)
                    if begin is not None:
                        begin(execute)
            finally:
                connection.close()

    def open(self, path: Path) -> sqlite3.Connection:
        """Open the file at *path*, which must be of this kind; nobody else can open it then.

        Statements outside transactions commit, and any thread may use the connection.
        """
        with self.explaining(path):
            self._check_head(path)
            connection = _connect(path)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                checked = connection.execute("PRAGMA quick_check").fetchone()[0]
                if checked != "ok":
                    raise self._damage(path, ValueError(checked))
            except BaseException:
                connection.close()
                raise
        return connection

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

    @contextmanager
    def reading(self, path: Path) -> Iterator[None]:
        """Do as `explaining` does, and report content that cannot be understood as damage."""
        with self.explaining(path):
            try:
                yield
            except RunError:
                raise
            except (ValueError, KeyError, TypeError, RecursionError) as error:
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
        what = str(error).partition("\n")[0]
        return self.error(f"{path}: the file is damaged ({what}) - {self.damaged}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[Execute]:
    """Yield a function that runs statements; afterwards all of them are on disk, or none."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection.execute


def _connect(path: Path) -> sqlite3.Connection:
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
