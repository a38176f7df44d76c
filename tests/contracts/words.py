"""Count what says how well documentation and code read: sentences, markup, names.

Run it for a table: `python tests/contracts/words.py`; with paths of pages it also prints their
sentences that are too long. Only prose counts: no code, tables, headings, pictures, comments or
generated text. An item of a list is a paragraph of its own, and inline code is one word. Of code,
names count that tell nothing or that two things share.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_extensions"))

from contents import parts
from house import modules

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LEARNED = ("Install", "Play", "Evolve", "Understand")
"""The parts of the documentation that are read from end to end, by people who learn."""
LONGEST = 30
"""How many words a sentence of these parts may have."""

_GENERATED = re.compile(r"<!-- generated: .*?<!-- end of generated -->", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^( *)(`{3,})(?!\{).*?^\1\2`*$", re.DOTALL | re.MULTILINE)
_NO_PROSE = re.compile(r"^(?: *\||#|!\[).*", re.MULTILINE)
_INDENTED_CODE = re.compile(r"(?<=\n\n)(?: {4}.*\n)+(?=\n)")
_ITEM = re.compile(r"^ *(?:[*>-]|\d+\.) +", re.MULTILINE)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_END = re.compile(r"(?<=[.?!])[\"')*]*\s+(?=[\"'(*]*(?:[A-Z0-9½\[]|evoply\b)|[*(])")
_RAW = re.compile(r"^(?:: +|:::|>>> |\(\S+\)=$|`{3,}\{|\{\S+\}$|</?[a-z]+[^>]*>)|(?<!`)\{[a-z]+\}`")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of the prose of a page, the words of each between single spaces."""
    for pattern in (_GENERATED, _COMMENT, _FENCE, _INDENTED_CODE, _NO_PROSE):
        text = pattern.sub("\n", text)
    text = _CODE.sub("Code", _ITEM.sub("\n\n", text))
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in _END.split(" ".join(paragraph.split())):
            if words(sentence):
                yield _LINK.sub(r"\1", sentence)


def words(sentence: str) -> int:
    """Return how many words a sentence has; signs that stand alone do not count."""
    return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


def average_and_longest(text: str) -> tuple[float, int]:
    """Return how many words the sentences of a page have on average, and the longest one."""
    counts = [words(sentence) for sentence in sentences(text)]
    return fmean(counts), max(counts)


def raw_markup(text: str) -> list[str]:
    """Return the lines outside code that a reader of plain Markdown sees as markup."""
    text = _FENCE.sub("\n", _COMMENT.sub("\n", text))
    return [line for line in text.splitlines() if _RAW.search(line)]


def learned_pages() -> list[Path]:
    """Return the pages that people learn from; the notebooks among them are not counted."""
    index = parts((DOCS / "index.md").read_text(encoding="utf-8"))
    return [DOCS / name for part in LEARNED for name in index[part] if name.endswith(".md")]


def words_of_the_architecture() -> int:
    """Return how long ARCHITECTURE.md is: all of it, tables and headings too."""
    return len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split())


def lines_of_the_readme() -> int:
    """Return how many lines README.md has."""
    return len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())


def bindings(name: str) -> list[str]:
    """Return where a variable or an argument of the package is called *name*: file and line."""
    return [
        f"{path}:{node.lineno}"
        for path in modules().values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name)
        or (isinstance(node, ast.arg) and node.arg == name)
    ]


def shared_modules() -> dict[str, list[str]]:
    """Return the last parts of module names that several modules have, packages left out."""
    return _shared(
        (name.rpartition(".")[2], name)
        for name, path in modules().items()
        if path.stem != "__init__"
    )


def shared_classes() -> dict[str, list[str]]:
    """Return the names of public classes that several modules define."""
    return _shared(
        (node.name, name)
        for name, path in modules().items()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def _shared(names: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    homes: dict[str, list[str]] = defaultdict(list)
    for name, home in names:
        homes[name].append(home)
    return {name: several for name, several in homes.items() if len(several) > 1}


def main(names: list[str]) -> None:
    """Print the table, for some pages or for all that people learn from."""
    print(f"{len(bindings('one')):7} variables called one")
    print(f"{len(shared_modules()):7} module names shared: {', '.join(shared_modules())}")
    print(f"{len(shared_classes()):7} class names shared: {', '.join(shared_classes())}")
    raw = sum(len(raw_markup(page.read_text(encoding="utf-8"))) for page in DOCS.glob("*.md"))
    print(f"{words_of_the_architecture():7} words of ARCHITECTURE.md")
    print(f"{lines_of_the_readme():7} lines of README.md")
    print(f"{raw:7} lines of raw markup in docs")
    print("average  longest  page")
    for page in [Path(name) for name in names] or learned_pages():
        text = page.read_text(encoding="utf-8")
        average, longest = average_and_longest(text)
        print(f"{average:7.1f}  {longest:7}  {page.name}")
        for sentence in sentences(text) if names else ():
            if words(sentence) > LONGEST:
                print(f"{words(sentence):7}  {sentence}")


if __name__ == "__main__":
    main(sys.argv[1:])
