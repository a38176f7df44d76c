"""A run as CSV files, for spreadsheets and statistics programs."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from evoply.files import write_atomically
from evoply.protocols import RunError
from evoply.runs.run import Run

__all__ = ["export_csv"]


def export_csv(run: Run, directory: str | Path) -> list[Path]:
    """Write the generations, and what evolution has beside, into *directory*; return the paths.

    Numbers are written so that they read back exactly. Generations of evolution have shares of
    introns too, empty where the primitives have none. Raises `RunError` if nothing can be written.
    """
    tables = {"generations.csv": run.generation_rows()}
    tables |= run.reading(run.kind.exports)
    paths = []
    for name, rows in tables.items():
        path = Path(directory) / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, _csv(rows))
        except OSError as error:
            raise RunError(f"{path} cannot be written: {error.strerror}") from None
        paths.append(path)
    return paths


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
