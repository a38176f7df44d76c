"""The contents of the documentation: the parts of its index, in the order of their links.

The index is plain Markdown, so it reads well where nothing is built; Sphinx gets its trees of
contents from the same links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any


def parts(index: str) -> Mapping[str, Sequence[str]]:
    """Return the files that each part of the index links to, by its heading."""
    _, *found = re.split(r"^## ", index, flags=re.MULTILINE)
    return {part.partition("\n")[0]: re.findall(r"\]\(([^)#:]+)\)", part) for part in found}


def _add_contents(_app: Any, name: str, source: list[str]) -> None:
    if name == "index":
        for part, pages in parts(source[0]).items():
            names = "\n".join(page.rpartition(".")[0] for page in pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {part}\n\n{names}\n```\n"


def setup(app: Any) -> None:
    """Give the index its trees of contents when Sphinx reads it."""
    app.connect("source-read", _add_contents)
