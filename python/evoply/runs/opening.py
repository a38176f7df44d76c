"""Opening a `run.db` of any format, and what is said of one that cannot be read.

Runs of format 1, all of evolution, had no steps, those of format 2 no checksums; both are read, and
nothing is added to them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

from evoply import _native
from evoply.evolution import signature
from evoply.protocols import RunError
from evoply.runs import database
from evoply.runs.creation import reason
from evoply.runs.evolution_store import FORMAT_1_STEPS, NO_DETAILS
from evoply.runs.groups import Database

__all__ = ["FORMAT", "damaged", "first_meta", "format_of", "open_database", "reading"]

FORMAT = 3
"""Version of the folder's form; a larger one was written by a newer evoply."""

_FIRST_WITH_STEPS, _FIRST_WITH_CHECKSUMS = 2, 3
_DAMAGE = (sqlite3.Error, LookupError, ValueError, TypeError, RecursionError)
"""What reading a damaged file may raise."""
_TABLES = "SELECT name FROM sqlite_master WHERE name IN ('checksums', 'details')"

_T = TypeVar("_T")


def first_meta(command: str) -> dict[str, str]:
    """Return what is known of a run that is made now by the command line *command*."""
    return {
        "format": str(FORMAT),
        "version": _native.__version__,
        "signature": signature(),
        "command": command,
        "created": database.now(),
        "status": "new",
    }


def open_database(path: Path) -> Database:
    """Return the open database at *path*; raise `RunError` if it cannot be read."""
    folder = path.parent
    try:
        connection = database.connect(path)
    except OSError as error:
        raise RunError(f"run {folder} cannot be read: {error.strerror}") from None
    except database.UNREADABLE as error:
        damaged(folder, error)
    try:
        return reading(folder, lambda: _opened(folder, connection))
    except BaseException:
        connection.close()
        raise


def _opened(folder: Path, connection: sqlite3.Connection) -> Database:
    tables = {name for (name,) in connection.execute(_TABLES)}
    opened = Database(connection, is_checked="checksums" in tables)
    version = format_of(opened)
    if version > FORMAT:
        raise RunError(
            f"run {folder} has format {version}, and this evoply reads up to {FORMAT}: "
            "install a newer evoply"
        )
    # Otherwise a damaged number would switch the checksums off.
    if opened.is_checked != (version >= _FIRST_WITH_CHECKSUMS):
        raise ValueError(f"its checksums do not go with format {version}")
    if version < _FIRST_WITH_STEPS:
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(FORMAT_1_STEPS)
        if "details" not in tables:
            connection.execute(NO_DETAILS)
    return opened


def format_of(opened: Database) -> int:
    """Return the version of the folder's form; `ValueError` if it does not say."""
    text = database.read_meta(opened).get("format", "")
    if not text.isdecimal() or len(text) > 9:
        raise ValueError("it does not say its format")
    return int(text)


def reading(folder: Path, read: Callable[[], _T]) -> _T:
    """Return what *read* returns; errors of damaged files become a `RunError`."""
    try:
        return read()
    except RunError:
        raise
    except _DAMAGE as error:
        damaged(folder, error)


def damaged(folder: Path, error: Exception) -> NoReturn:
    """Raise the `RunError` that says that the run in *folder* is damaged."""
    raise RunError(
        f"run {folder}: run.db is damaged or no run ({reason(error)}); "
        "put a copy back, or start a new run"
    ) from None
