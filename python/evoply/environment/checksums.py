"""Rows of SQLite files in groups with checksums, compared whenever a group is read.

A group is the rows of a table with the same number: the state of a step, a move of a game, all
facts about a run. The table `checksums` has a row for each group, also for empty ones, so that
missing rows are noticed like changed ones. This module knows only that table.
"""

import errno
import hashlib
import math
import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.environment.files import checksum

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Errors of sqlite3 for a damaged file; the second if even its message is damaged."""

CHECKSUMS = """
CREATE TABLE checksums (
    name TEXT NOT NULL, number INTEGER NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (name, number)
) WITHOUT ROWID;
"""
_STORED = "SELECT number, sha256 FROM checksums WHERE name = ? AND number BETWEEN ? AND ?"
_LEAST, MOST = -(2**63), 2**63 - 1
_LEAST_STEPS, _STEPS_A_BYTE, _AT_A_TIME = 10_000_000, 50, 10_000
"""Steps of SQLite's machine that a read may take, and after how many it is looked at."""
_AT_ONCE = 100
"""Groups in memory while all are checked."""

Row = tuple[Any, ...]


_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that names another file, which SQLite would delete (sqlite.org/fileformat,
The Rollback Journal): evoply writes none."""


def check_beside(path: Path) -> None:
    """Raise `OSError` if what lies beside the database at *path* would do harm when it is opened.

    A file from somebody else may come with a journal that names a file of the user's, or with a
    pipe, for which SQLite would wait.
    """
    path = path.resolve()  # as SQLite does, which opens its other files without waiting
    journal = path.with_name(f"{path.name}-journal")
    try:
        mode = os.lstat(journal).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "this is no plain file", str(journal))
    with journal.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - len(_SUPER_JOURNAL)))
        if file.read() == _SUPER_JOURNAL:
            raise OSError(errno.EINVAL, "this journal names another file", str(journal))


_STRANGE = (
    "SELECT sql FROM sqlite_master WHERE type NOT IN ('table', 'index')"
    " OR (type = 'table' AND rootpage = 0) OR (type = 'index' AND sql IS NOT NULL)",
    "SELECT '?' FROM sqlite_master AS tables, pragma_table_xinfo(tables.name) AS columns"
    " WHERE tables.type = 'table' AND columns.hidden",
)
"""Find what computes when it is read: views, triggers, virtual tables, generated columns."""


def check_plain(connection: sqlite3.Connection, tables: str = "") -> None:
    """Raise `ChecksumError` if something in a database computes when it is read.

    The statements of *tables* may make indices, too.
    """
    found = [sql for query in _STRANGE for (sql,) in connection.execute(query)]
    if any(str(sql) not in tables for sql in found):
        raise ChecksumError(
            "it has views, triggers or columns that compute, which evoply has nowhere"
        )


class BoundedConnection(sqlite3.Connection):
    """A connection whose reads end, however often a damaged file leads to the same page.

    `Database` gives each read steps in proportion to the size of the file. Ctrl-C is heard between
    steps, too.
    """

    path: Path | None = None
    _left: float = 0

    def renew(self, *, is_bounded: bool = True) -> None:
        """Begin a read, which may take as many steps as a whole file needs."""
        size = os.path.getsize(self.path) if self.path is not None else 0
        self._left = (_LEAST_STEPS + _STEPS_A_BYTE * size) / _AT_A_TIME if is_bounded else math.inf

    def bound(self, path: Path) -> None:
        """Count the steps from now on; *path* is the file."""
        self.path = path
        self.renew()
        self.set_progress_handler(self._is_too_long, _AT_A_TIME)

    def _is_too_long(self) -> bool:
        self._left -= 1
        return self._left < 0


class ChecksumError(ValueError):
    """The stored content differs from what was written; the message names it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that belong together, and the SQL that reads and writes them.

    The rows that *select* returns are the parameters of *insert*, in the same types.
    """

    name: str
    label: str | Callable[[int], str]
    """The name of a group in messages, or what makes it of the number; {} stands for the number."""
    select: str
    """Has two parameters, the first and the last number; the number is the first column."""
    insert: str
    columns: tuple[str, ...] = ()
    """Names of the columns, if they are needed."""
    delete: str = ""
    """Has the parameters of *select*; empty if groups are never removed."""

    def label_of(self, number: object) -> str:
        """Return the name of a group in messages; a damaged number is a question mark."""
        if not isinstance(number, int):
            return "one that has no number"
        return self.label.format(number) if isinstance(self.label, str) else self.label(number)


class Database:
    """An open file; everything read through it is compared with its checksum."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Show all statements inside one state, whatever another process writes meanwhile."""
        if self.connection.in_transaction:
            yield
            return
        self._renew()
        try:
            self.connection.execute("BEGIN")
            yield
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all statements inside, or none."""
        self._renew()
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            # A full disk may have rolled back by itself.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def _renew(self) -> None:
        if isinstance(self.connection, BoundedConnection):
            self.connection.renew()

    def read(self, group: Group, first: int = _LEAST, last: int = MOST) -> dict[int, list[Row]]:
        """Return the rows of the groups numbered *first* to *last*, by number.

        Raises `ChecksumError` that names a group with another checksum.
        """
        rows: dict[int, list[Row]] = {}
        with self.snapshot():
            for row in self.connection.execute(group.select, (first, last)):
                rows.setdefault(row[0], []).append(row)
            stored = dict(self.connection.execute(_STORED, (group.name, first, last)))
        for number in stored.keys() | rows.keys():
            if stored.get(number) != checksum_of(group, number, rows.get(number, ())):
                raise ChecksumError(f"its checksum does not match {group.label_of(number)}")
        return {number: rows.get(number, []) for number in sorted(stored)}

    def one(self, group: Group, number: int) -> list[Row]:
        """Return the rows of one group; `LookupError` if it is not there."""
        groups = self.read(group, number, number)
        if number not in groups:
            raise LookupError(f"{group.label_of(number)} is missing")
        return groups[number]

    def records(self, group: Group) -> list[dict[str, Any]]:
        """Return the rows of all groups as mappings by the group's columns."""
        return [
            dict(zip(group.columns, row, strict=True))
            for rows in self.read(group).values()
            for row in rows
        ]

    def count(self, group: Group, first: int = _LEAST, last: int = MOST) -> int:
        """Return the number of groups of one row numbered *first* to *last*, without reading them.

        Raises `ChecksumError` if there are more or fewer checksums.
        """
        with self.snapshot():
            query = f"SELECT count(*) FROM ({group.select})"
            (rows,) = self.connection.execute(query, (first, last)).fetchone()
            query = f"SELECT count(*) FROM ({_STORED})"
            (stored,) = self.connection.execute(query, (group.name, first, last)).fetchone()
            if rows != stored:
                raise ChecksumError(
                    f"it has {rows} rows of {group.name}, and checksums of {stored}"
                )
        return int(rows)

    def write(self, group: Group, number: int, rows: Sequence[Row]) -> None:
        """Write all *rows* of one group, and their checksum, inside a transaction."""
        self.connection.executemany(group.insert, rows)
        self.connection.execute(
            "INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)",
            (group.name, number, checksum_of(group, number, rows)),
        )

    def remove(self, group: Group, first: int, last: int) -> None:
        """Remove the groups numbered *first* to *last*, inside a transaction."""
        query = "DELETE FROM checksums WHERE name = ? AND number BETWEEN ? AND ?"
        # Every group has a checksum: mostly there is none, and nothing more to do.
        if self.connection.execute(query, (group.name, first, last)).rowcount:
            self.connection.execute(group.delete, (first, last))

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
        self._renew()
        for (problem,) in self.connection.execute("PRAGMA integrity_check(1)"):
            if problem != "ok":
                raise ChecksumError(str(problem).partition("\n")[2] or problem)
        return sum(self._check(group) for group in groups)

    def _check(self, group: Group) -> int:
        query = "SELECT number FROM checksums WHERE name = ? ORDER BY number"
        numbers = [number for (number,) in self.connection.execute(query, (group.name,))]
        first = _LEAST
        for last in (*numbers[_AT_ONCE - 1 :: _AT_ONCE], MOST):
            self.read(group, first, last)
            first = min(last + 1, MOST)
        return len(numbers)


def damage_of(error: Exception) -> str:
    """Return in a line what is wrong with a file, of which reading raised *error*."""
    if isinstance(error, UnicodeDecodeError):
        return "a text in it is not UTF-8"
    first, _, rest = str(error).partition("\n")
    # What is wrong with a config follows on lines of its own.
    return f"{first} {rest.strip()}".splitlines()[0] if first.endswith(":") else first


def checksum_of(group: Group, number: int, rows: Sequence[Row]) -> str:
    """Return the checksum of the *rows* of one group."""
    plain = [[_plain(cell) for cell in row] for row in rows]
    return checksum([group.name, number, plain])


def _plain(cell: Any) -> Any:
    """Return *cell* as JSON has it; of bytes their checksum."""
    return {"sha256": hashlib.sha256(cell).hexdigest()} if isinstance(cell, bytes) else cell
