"""The file `run.db`: opened for writing, or for reading where nothing can be written."""

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

from evoply.checksums import BoundedConnection, check_beside
from evoply.protocols import RunError
from evoply.refusals import refusal_of
from evoply.runs.states import unzipped

_UNCHANGING = "mode=ro&immutable=1"
"""SQLite's mode for media that do not change: no lock, no file beside the database."""


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
    return _open(path, _UNCHANGING)


def connect_at_rest(path: Path) -> sqlite3.Connection:
    """Open the database at *path* for a short look while nobody writes it.

    It takes no lock and makes no file beside the database, which is most of what opening costs.
    What is read counts only if `state_at_rest` is the same before and after, and not None.
    """
    return _connection(path, _UNCHANGING)


def state_at_rest(path: Path) -> tuple[int, ...] | None:
    """Return numbers that a writer changes; None while a part lies in a file beside *path*."""
    status = os.lstat(path)
    # The file beside a link lies elsewhere.
    if not stat.S_ISREG(status.st_mode) or os.path.exists(f"{path}-wal"):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _open(path: Path, mode: str, *, locking: str = "NORMAL") -> sqlite3.Connection:
    connection = _connection(path, mode)
    try:
        connection.execute(f"PRAGMA locking_mode = {locking}")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _connection(path: Path, mode: str) -> sqlite3.Connection:
    check_beside(path)
    connection = sqlite3.connect(
        f"file:{_quote(path)}?{mode}",
        uri=True,
        isolation_level=None,
        timeout=30,
        factory=BoundedConnection,
    )
    connection.bound(path)
    connection.create_function("unzipped", 1, unzipped, deterministic=True)
    return connection


def identity(path: Path) -> tuple[int, int] | None:
    """Return the numbers that distinguish files of the same name; None without a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _quote(path: Path) -> str:
    # These characters have a special meaning in a SQLite URI.
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
