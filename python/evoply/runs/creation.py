"""Making a run folder: it appears with all that belongs into it, or not at all."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

from evoply.protocols import RunError, RunNameError

__all__ = ["create_folder", "reason"]


def create_folder(folder: Path, fill: Callable[[Path], object]) -> None:
    """Make *folder* with what *fill* writes into an empty one; `RunError` if that fails."""
    taken = RunNameError(
        f"{folder} exists already: give another name, or go on with `evoply resume {folder}`"
    )
    if folder.exists():
        raise taken
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    except OSError as error:
        raise RunError(f"{folder} cannot be created: {error.strerror}") from None
    try:
        new.chmod(0o755)
        fill(new)
        new.rename(folder)
    except (OSError, sqlite3.Error) as error:
        if folder.exists():  # another process was quicker
            raise taken from None
        raise RunError(f"{folder} cannot be created: {reason(error)}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def reason(error: Exception) -> str:
    """Return what an error of the system or of SQLite says."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
