"""The file `run.db`, and its rows in groups with checksums, compared whenever a group is read.

A group is the rows of a table with the same number: the state of a step, one match, all facts
about the run. The table `checksums` has a row for each group, also for empty ones, so that missing
rows are noticed like changed ones. This module knows only that table.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.files import checksum
from evoply.protocols import RunError
from evoply.refusals import refusal_of

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Errors of sqlite3 for a damaged file; the second if even its message is damaged."""


CHECKSUMS = """
CREATE TABLE checksums (
    name TEXT NOT NULL, number INTEGER NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (name, number)
) WITHOUT ROWID;
"""
_STORED = "SELECT number, sha256 FROM checksums WHERE name = ? AND number BETWEEN ? AND ?"
_LEAST, _MOST = -(2**63), 2**63 - 1
_AT_ONCE = 100
"""Groups in memory while all are checked."""

Row = tuple[Any, ...]


class ChecksumError(ValueError):
    """The stored content differs from what was written; the message names it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that belong together, and the SQL that reads and writes them.

    The rows that *select* returns are the parameters of *insert*, in the same types.
    """

    name: str
    label: str
    """The name of a group in messages; {} stands for its number."""
    select: str
    """Has two parameters, the first and the last number; the number is the first column."""
    insert: str
    columns: tuple[str, ...] = ()
    """Names of the columns, if they are needed."""


class Database:
    """An open `run.db`; everything read through it is compared with its checksum."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Show all statements inside one state, whatever another process writes meanwhile."""
        if self.connection.in_transaction:
            yield
            return
        try:
            self.connection.execute("BEGIN")
            yield
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all statements inside, or none."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            # A full disk may have rolled back by itself.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def read(self, group: Group, first: int = _LEAST, last: int = _MOST) -> dict[int, list[Row]]:
        """Return the rows of the groups numbered *first* to *last*, by number.

        Raises `ChecksumError` that names a group with another checksum.
        """
        rows: dict[int, list[Row]] = {}
        with self.snapshot():
            for row in self.connection.execute(group.select, (first, last)):
                rows.setdefault(row[0], []).append(row)
            stored = dict(self.connection.execute(_STORED, (group.name, first, last)))
        for number in stored.keys() | rows.keys():
            if stored.get(number) != _checksum(group, number, rows.get(number, ())):
                raise ChecksumError(
                    f"its checksum does not match {group.label.format(_label_number(number))}"
                )
        return {number: rows.get(number, []) for number in sorted(stored)}

    def one(self, group: Group, number: int) -> list[Row]:
        """Return the rows of one group; `LookupError` if it is not there."""
        groups = self.read(group, number, number)
        if number not in groups:
            raise LookupError(f"{group.label.format(number)} is missing")
        return groups[number]

    def records(self, group: Group) -> list[dict[str, Any]]:
        """Return the rows of all groups as mappings by the group's columns."""
        return [
            dict(zip(group.columns, row, strict=True))
            for rows in self.read(group).values()
            for row in rows
        ]

    def count(self, group: Group, table: str) -> int:
        """Return the number of groups of one row in *table*, without reading them."""
        with self.snapshot():
            (rows,) = self.connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            query = "SELECT count(*) FROM checksums WHERE name = ?"
            (stored,) = self.connection.execute(query, (group.name,)).fetchone()
            if rows != stored:
                raise ChecksumError(f"it has {rows} rows of {table}, and checksums of {stored}")
        return int(rows)

    def write(self, group: Group, number: int, rows: Sequence[Row]) -> None:
        """Write all *rows* of one group, and their checksum, inside a transaction."""
        self.connection.executemany(group.insert, rows)
        self.connection.execute(
            "INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)",
            (group.name, number, _checksum(group, number, rows)),
        )

    def append(self, group: Group, *cells: Any) -> int:
        """Write a group of one row after the existing ones, inside a transaction.

        Returns its number; the first is 1.
        """
        query = "SELECT coalesce(max(number), 0) + 1 FROM checksums WHERE name = ?"
        number = int(self.connection.execute(query, (group.name,)).fetchone()[0])
        self.write(group, number, [(number, *cells)])
        return number

    def check(self, groups: Iterable[Group]) -> int:
        """Compare every group with its checksum; return the number of groups.

        Raises `ChecksumError` that names the damage, which may be in the file's structure: SQLite
        then finds rows in wrong places.
        """
        for (problem,) in self.connection.execute("PRAGMA integrity_check(1)"):
            if problem != "ok":
                raise ChecksumError(str(problem).partition("\n")[2] or problem)
        return sum(self._check(group) for group in groups)

    def _check(self, group: Group) -> int:
        query = "SELECT number FROM checksums WHERE name = ? ORDER BY number"
        numbers = [number for (number,) in self.connection.execute(query, (group.name,))]
        first = _LEAST
        for last in (*numbers[_AT_ONCE - 1 :: _AT_ONCE], _MOST):
            self.read(group, first, last)
            first = min(last + 1, _MOST)
        return len(numbers)


def connect(path: Path) -> sqlite3.Connection:
    """Open the database at *path*, which must exist; statements outside transactions commit.

    On a full disk it is read without memory shared with other processes, which would need room
    there; others wait meanwhile. If nothing can be written, as on read-only media, it is opened for
    reading only. Raises `OSError` if it cannot be read, `RunError` if a part of it lies in a file
    beside it that SQLite cannot read there, and errors of sqlite3 if it is damaged or in use.
    """
    try:
        return _open(path, "mode=rw")
    except sqlite3.OperationalError as error:
        refusal = refusal_of(error, path)
        if refusal is None or refusal.is_busy:
            raise
    if refusal.is_full:
        with suppress(sqlite3.OperationalError):
            return _open(path, "mode=rw", locking="EXCLUSIVE")
    with path.open("rb"):
        pass
    beside = path.with_name(f"{path.name}-wal")
    if beside.is_file() and beside.stat().st_size:
        raise RunError(
            f"run {path.parent} cannot be read where nothing can be written ({refusal.what}): "
            f"{beside.name} holds its newest part; copy the folder to a place that can be written, "
            f"or {refusal.to_do}"
        )
    # SQLite's mode for media that do not change: no lock, no file beside the database.
    return _open(path, "mode=ro&immutable=1")


def _open(path: Path, mode: str, *, locking: str = "NORMAL") -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{_quote(path)}?{mode}", uri=True, isolation_level=None, timeout=30
    )
    try:
        connection.execute(f"PRAGMA locking_mode = {locking}")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def identity(path: Path) -> tuple[int, int] | None:
    """Return the numbers that distinguish files of the same name; None without a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _checksum(group: Group, number: int, rows: Sequence[Row]) -> str:
    return checksum([group.name, number, rows])


def _label_number(number: object) -> object:
    return number if isinstance(number, int) else "?"


def _quote(path: Path) -> str:
    # These characters have a special meaning in a SQLite URI.
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
