"""The result of a study as one HTML page that needs no network."""

import os
from pathlib import Path

from evoply import _native
from evoply.files import write_atomically
from evoply.reports.pages import page
from evoply.studies.study import Result, Row, Study


def write_study(result: Result, study: Study, path: str | os.PathLike[str]) -> Path:
    """Write the page about *result* to *path*, whole or not at all, and return the path.

    Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), study_html(result, study))
    return Path(path)


def study_html(result: Result, study: Study, *, state: str = "", goes_on: bool = False) -> str:
    """Return the page about a result as HTML; *state* and *goes_on* are those of `page`."""
    has_paper = any(row.paper is not None for row in result.rows)
    columns = [("", "code"), ("paper", "whole"), ("here", "strong"), ("95 % interval", "whole")]
    columns += [("n", ""), ("verdict", "verdict"), ("why, as far as is known", "faint")]
    if not has_paper:
        columns = [*columns[:1], *columns[2:5], ("remark", "faint")]
    return page(
        "study.html",
        title=f"{study.authors}: {result.title}",
        state=state,
        goes_on=goes_on,
        study=study,
        result=result,
        facts={
            "table": result.table,
            "scale": result.scale,
            "seed": str(result.seed),
            "rules": result.rules,
            "evoply": _native.__version__,
        },
        has_paper=has_paper,
        columns=columns,
        rows=[_cells(row, has_paper=has_paper) for row in result.rows],
    )


def _cells(row: Row, *, has_paper: bool) -> list[str]:
    cells = [
        row.name,
        row.paper if isinstance(row.paper, str) else "" if row.paper is None else f"{row.paper:g}",
        "not measured" if row.ours is None else f"{row.ours:.4g}",
        row.interval_text,
        "" if row.n is None else f"{row.n:,}",
        row.verdict,
        row.reason,
    ]
    return cells if has_paper else [*cells[:1], *cells[2:5], row.reason]
