"""What the repository keeps although it is generated: a reader on the web builds nothing.

Pages read well as they lie there, so pictures are files, and tables and help texts stand in the
pages between marks:

    <!-- generated: NAME ARGUMENT
    entry: what it means
    -->
    ...
    <!-- end of generated -->

Where a page adds the meaning of each entry, an entry without a meaning, or a meaning without an
entry, is an error. `make docs` writes all of it anew; a test compares.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pictures
import tables

_DOCS = Path(__file__).parents[1]
_ROOT = _DOCS.parent
_END = "<!-- end of generated -->"
_MARKED = re.compile(
    r"<!-- generated: (?P<name>[a-z-]+) ?(?P<argument>[^\n]*?)(?P<lines>\n.*?\n| )-->\n"
    rf"(?:(?!<!-- generated).)*?{_END}",
    re.DOTALL,
)
_LINK = re.compile(r"(?P<head>(?P<picture>!?)\[[^\]]*\]\()(?P<target>[^):#]+)")
_TEXTS: Mapping[str, Callable[[str, list[str]], str]] = {
    "command-help": tables.command_help,
    "config-keys": tables.config_keys,
    "figures": tables.figures,
    "how-to-play": tables.how_to_play,
    "league": tables.league,
    "named-players": tables.named_players,
    "mcts-options": tables.mcts_options,
    "online-options": tables.online_options,
    "operations": tables.operations,
    "preset": tables.preset,
    "presets": tables.presets,
    "primitive-sets": tables.primitive_sets,
    "puzzle-counts": tables.puzzle_counts,
    "results": lambda *_: tables.benchmarks(),
    "run-tables": tables.run_tables,
    "square-sets": tables.named_square_sets,
    "strong-levels": tables.strong_levels,
    "strong-options": tables.strong_options,
    "study": tables.study,
}


def written_files() -> Mapping[Path, str]:
    """Return the text of every generated file by its path."""
    folder = _DOCS / "pictures"
    drawn = {
        "start": pictures.board("start"),
        "frontier": pictures.board("f5d6c3d3c4f4f6f3e6e7"),
        "tree": pictures.tree("( - ( * 10 white_corners ) black )"),
        "near-corners": pictures.squares("near_corners"),
        "squares-of-swh": pictures.heat_map("swh"),
    }
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(_DOCS.glob("*.md"))}
    return {
        **{folder / f"{name}.svg": svg.rstrip() + "\n" for name, svg in drawn.items()},
        **{page: _filled(page, text) for page, text in pages.items() if _END in text},
        _ROOT / "PACKAGE.md": _with_whole_addresses((_ROOT / "README.md").read_text("utf-8")),
    }


def _with_whole_addresses(text: str) -> str:
    """Return a page of the repository for places that hold no other file of it."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    def whole(link: re.Match[str]) -> str:
        way = "raw" if link["picture"] else "blob"
        return f"{link['head']}{project['urls']['Repository']}/{way}/main/{link['target']}"

    return _LINK.sub(whole, text)


def _filled(page: Path, text: str) -> str:
    """Return the text of a page with everything between its marks made anew."""

    def made(marks: re.Match[str]) -> str:
        if marks["name"] not in _TEXTS:
            raise ValueError(f"{page}: {marks['name']} is not generated: {', '.join(_TEXTS)} are")
        lines = marks["lines"].strip("\n").split("\n") if marks["lines"].strip() else []
        new = _TEXTS[marks["name"]](marks["argument"].strip(), lines).strip("\n")
        head = marks[0][: marks[0].index("-->") + len("-->")]
        return f"{head}\n\n{new}\n\n{_END}"

    filled, count = _MARKED.subn(made, text)
    if count != text.count(_END) or count != text.count("<!-- generated: "):
        raise ValueError(f"{page}: a mark of what is generated has no other one")
    return filled


if __name__ == "__main__":
    for path, text in written_files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
