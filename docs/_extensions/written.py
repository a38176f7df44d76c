"""What the repository keeps although it is generated: a reader on the web builds nothing.

The README links to pages that must read well as they are, so their pictures are files and their
measurements a table in the page. `make docs` writes all of it anew; a test compares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pictures
import tables

_DOCS = Path(__file__).parents[1]
_RESULTS = re.compile(r"(<!-- begin results -->\n).*?(\n<!-- end results -->)", re.DOTALL)


def written_files() -> Mapping[Path, str]:
    """Return the text of every generated file by its path."""
    folder = _DOCS / "pictures"
    drawn = {
        "start": pictures.board("start"),
        "frontier": pictures.board("f5d6c3d3c4f4f6f3e6e7"),
        "tree": pictures.tree("( - ( * 10 white_corners ) black )"),
        "squares-of-swh": pictures.heat_map("swh"),
    }
    return {
        **{folder / f"{name}.svg": svg.rstrip() + "\n" for name, svg in drawn.items()},
        _DOCS / "performance.md": _with_results(_DOCS / "performance.md"),
    }


def _with_results(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    table = f"\n{tables.benchmarks()}\n"
    changed, count = _RESULTS.subn(lambda marks: f"{marks[1]}{table}{marks[2]}", text)
    if count != 1:
        raise ValueError(f"{page}: the marks around the results are missing")
    return changed


if __name__ == "__main__":
    for path, text in written_files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
