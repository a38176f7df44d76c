"""One writer a run: a lock on a file of the folder, released by the system when a process ends.

So a killed process leaves no lock behind, and the number written in the file is only for people.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

from evoply.protocols import RunError

__all__ = ["WriterLock", "is_locked"]

_FILE = "lock"
_TRIES, _TRY_SECONDS = 5, 0.02


if sys.platform == "win32":
    import msvcrt

    _PLACE = 1_000_000  # beyond the text, which others may then still read

    _LOOK = os.O_RDWR

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _PLACE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    _LOOK = os.O_RDONLY  # enough to see a lock in a folder of somebody else's

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class WriterLock:
    """The right to write a run, from construction to `release`.

    Raises `RunError` naming the process if another one holds it.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / _FILE
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise RunError(f"run {folder} cannot be written: {error.strerror}") from None
        if not self._is_taken():
            owner = os.pread(self._descriptor, 40, 0) if hasattr(os, "pread") else b""
            os.close(self._descriptor)
            name = owner.decode("ascii", "replace").strip() or "unknown"
            raise RunError(
                f"run {folder} is being written by process {name}: wait until it ends, "
                "or stop it, and try again"
            ) from None
        # Only for the message above; a full disk must not keep anybody from the lock.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"{os.getpid()}\n".encode("ascii"))

    def _is_taken(self) -> bool:
        # Another process may hold it for an instant, to see whether somebody writes.
        for _ in range(_TRIES):
            try:
                _take(self._descriptor)
            except OSError:
                time.sleep(_TRY_SECONDS)
            else:
                return True
        return False

    def release(self) -> None:
        """Give the right back; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def is_locked(folder: Path) -> bool:
    """Return whether some process is writing the run now."""
    try:
        descriptor = os.open(folder / _FILE, _LOOK)
    except OSError:
        return False
    try:
        _take(descriptor)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
