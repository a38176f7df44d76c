"""Making a run folder: it appears with all that belongs into it, or not at all."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from evoply.protocols import RunError, RunNameError
from evoply.runs.lock import WriterLock, is_locked

__all__ = ["create_folder", "reason"]

_PREFIX = ".new-"
_OLD_SECONDS = 3600.0


def create_folder(folder: Path, fill: Callable[[Path], object]) -> None:
    """Make *folder* with what *fill* writes into an empty one; `RunError` if that fails."""
    taken = RunNameError(
        f"{folder} exists already: give another name, or go on with `evoply resume {folder}`"
    )
    if folder.exists():
        raise taken
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_remains(folder.parent)
        new = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder.parent))
    except OSError as error:
        raise RunError(f"{folder} cannot be created: {error.strerror}") from None
    try:
        new.chmod(0o755)
        lock = WriterLock(new)  # or another process might take it for remains
        try:
            fill(new)
        finally:
            lock.release()  # Windows renames no folder with an open file
        new.rename(folder)
    except (OSError, sqlite3.Error) as error:
        if folder.exists():  # another process was quicker
            raise taken from None
        raise RunError(f"{folder} cannot be created: {reason(error)}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _remove_remains(directory: Path) -> None:
    """Remove what processes left behind that were killed while they made a run."""
    for remains in directory.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            is_old = time.time() - remains.stat().st_mtime > _OLD_SECONDS
            if is_old and remains.is_dir() and not remains.is_symlink() and not is_locked(remains):
                shutil.rmtree(remains)


def reason(error: Exception) -> str:
    """Return what an error of the system or of SQLite says."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
