"""What a disk refuses: it is full, read-only, gone or in use, which is no damage of a file on it.

SQLite says "disk I/O error" for a full disk as for a broken one, and gives no number of the system.
So `refusal_of` asks the disk itself where the code of an error leaves that open.
"""

import errno
import os
import sqlite3
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from evoply.environment.checksums import damage_of


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something cannot be read or written now, although no file is damaged."""

    what: str
    """Such as "the disk is full"."""
    to_do: str
    """Such as "make room on it"."""
    is_full: bool = False
    is_busy: bool = False
    """Whether another program is using the file."""

    def __str__(self) -> str:
        return f"{self.what} - {self.to_do}"


_OTHER_DISK = "look after the disk, or work on another one"
_FULL = Refusal("the disk is full", "make room on it", is_full=True)
_READ_ONLY = Refusal("the disk is read-only", "make it writable, or copy the folder to another one")
_FORBIDDEN = Refusal("this is not allowed there", "change who may use the folder and its files")
_GONE = Refusal("the disk is gone or broken", _OTHER_DISK)
_MISSING = Refusal("the file or its folder is gone", "put it back, or name another path")
_CROWDED = Refusal("too many files are open", "close other programs, or allow more (ulimit -n)")
_BUSY = Refusal(
    "another program is using it", "wait until that one ends, and try again", is_busy=True
)
_NO_MEMORY = Refusal("there is not enough memory", "close other programs")
_UNKNOWN = Refusal("the system refuses it", _OTHER_DISK)

_OF_SYSTEM = {
    "ENOSPC": _FULL,
    "EDQUOT": Refusal("your share of the disk is used up", "make room on it", is_full=True),
    "EFBIG": Refusal("no file may be that large", "raise the limit (ulimit -f)", is_full=True),
    "EROFS": _READ_ONLY,
    "EACCES": _FORBIDDEN,
    "EPERM": _FORBIDDEN,
    "ENOENT": _MISSING,
    "ENOTDIR": _MISSING,
    "EMFILE": _CROWDED,
    "ENFILE": _CROWDED,
    "ENOMEM": _NO_MEMORY,
    "EIO": _GONE,
    "ENXIO": _GONE,
    "ENODEV": _GONE,
    "ESTALE": _GONE,
    "ENOTCONN": _GONE,
    "EHOSTDOWN": _GONE,
    "EREMOTEIO": _GONE,
    "ENOMEDIUM": _GONE,
    "ESHUTDOWN": _GONE,
}
_BY_NUMBER = {
    getattr(errno, name): refusal for name, refusal in _OF_SYSTEM.items() if hasattr(errno, name)
}
"""Refusals by the numbers of the system, which do not all have each of them."""

_DAMAGE = {
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_DATA,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
}
"""Codes of SQLite of the kind `SQLITE_IOERR` that tell of a damaged file."""
_CERTAIN = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PROTOCOL: _BUSY,
    sqlite3.SQLITE_NOMEM: _NO_MEMORY,
}
"""Refusals by those codes of SQLite (without their extension) that leave nothing open."""
_OPEN = {
    sqlite3.SQLITE_IOERR: Refusal(
        "the disk refuses it", "look whether it is full or broken, and how large files may be"
    ),
    sqlite3.SQLITE_CANTOPEN: Refusal(
        "a file that SQLite needs beside it cannot be opened", _OTHER_DISK
    ),
    sqlite3.SQLITE_READONLY: Refusal(
        "nothing can be written to it", "open it again, or copy the folder to another disk"
    ),
    sqlite3.SQLITE_PERM: _FORBIDDEN,
    sqlite3.SQLITE_NOLFS: _OF_SYSTEM["EFBIG"],
}
"""The same where the disk has to be asked, for a disk that answers that all is well."""
_PROBE_BYTES = 2**16
"""Twice what SQLite asks for at a time, for the memory that processes share."""


def refusal_of(error: Exception, path: Path) -> Refusal | None:
    """Return what refused to read or write *path*; None if *error* tells of damage, or of no disk.

    *error* is of the system or of sqlite3. If its code leaves open what is wrong, some bytes are
    written beside *path* and removed.
    """
    if isinstance(error, OSError):
        return _with_words(_BY_NUMBER.get(error.errno or 0, _UNKNOWN), error.strerror)
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(error, sqlite3.Error) or code is None or code in _DAMAGE:
        return None
    if code == sqlite3.SQLITE_IOERR_NOMEM:
        return _NO_MEMORY
    if code == sqlite3.SQLITE_READONLY_DBMOVED:
        return _MISSING
    kind = code & 0xFF
    if kind in _CERTAIN:
        return _with_words(_CERTAIN[kind], str(error))
    if kind not in _OPEN:
        return None
    refused = _refused_now(path)
    return _with_words(_OPEN[kind], str(error)) if refused is None else refusal_of(refused, path)


def reason(error: Exception, path: Path) -> str:
    """Return why *path* could not be read or written and what to do, in words."""
    refusal = refusal_of(error, path)
    return damage_of(error) if refusal is None else str(refusal)


def _with_words(refusal: Refusal, words: str | None) -> Refusal:
    """Return *refusal* with the *words* of the system or of SQLite, which can be looked up."""
    return replace(refusal, what=f"{refusal.what} ({words})") if words else refusal


def _refused_now(path: Path) -> OSError | None:
    """Return the error of writing beside *path* and of reading it; None if both can be done."""
    try:
        with tempfile.TemporaryFile(dir=path.parent) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        return error
    return None
