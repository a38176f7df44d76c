"""The Python examples of README.md and of pages, a module for each page, for a type checker.

`make check` writes them to target/examples and asks mypy. What an example shows is tested
elsewhere: it is a doctest.
"""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_FOLDER = _ROOT / "target" / "examples"
_NOT_YET = {
    "add-a-feature", "add-an-operator", "clusters", "concepts", "config", "contradictions",
    "engines", "evolution", "experiments", "formats", "games-as-data", "learning",
    "patterns", "players", "python", "readable-players", "study-bellin", "study-liao",
    "tournaments", "trees", "web",
}  # fmt: skip
"""Pages whose examples mypy does not accept. Most give configs what these read, as a text for a
tuple, or ask a player that was a text for an option of its kind. Make the list shorter."""
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def examples_of(text: str) -> str:
    """Return the source of all examples of a page, in their order."""
    sources = [one.source for one in doctest.DocTestParser().get_examples(text)]
    return "".join([*sources, *_BLOCK.findall(text)])


def write_examples(folder: Path = _FOLDER) -> list[Path]:
    """Write the examples of each page that has some into *folder*, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    written = []
    for page in (_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))):
        source = examples_of(page.read_text(encoding="utf-8"))
        if source and "_build" not in page.parts and page.stem not in _NOT_YET:
            path = folder / f"example_{page.stem.replace('-', '_').lower()}.py"
            path.write_text(source, encoding="utf-8")
            written.append(path)
    return written


if __name__ == "__main__":
    write_examples()
