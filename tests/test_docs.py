"""Pages of the documentation: they must read well where nobody has built anything."""

import re
import sys
from pathlib import Path

import pytest

import evoply

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
ONLY_SPHINX = re.compile(r"^\s*(?::::+|```+)\{|(?<!`)\{[a-z:]+\}`|^\([a-z-]+\)=$", re.MULTILINE)


def links_of(page: Path) -> list[Path]:
    """Return the files that a page links to or shows."""
    text = page.read_text(encoding="utf-8")
    return [page.parent / target for target in LINK.findall(text)]


PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_pages_need_no_building(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [match[0] for match in ONLY_SPHINX.finditer(text)] == []
    missing = [str(target) for target in links_of(page) if not target.exists()]
    assert missing == []


def test_the_readme_links_pages() -> None:
    names = {page.name for page in links_of(ROOT / "README.md")}
    assert {"quickstart.md", "concepts.md", "add-a-feature.md", "performance.md"} <= names
    assert all(page.exists() for page in links_of(ROOT / "README.md"))


def test_one_page_shows_every_public_name_once() -> None:
    """Each name begins a row of a table, beside what it is; examples there are doctests."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", text, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted({*evoply.__all__} - {"__version__"})
    assert all(len(what.split()) > 2 for _, what in rows)


def test_generated_files_are_as_they_would_be_written_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "_extensions"), *sys.path])
    from written import written_files

    files = written_files()
    assert sum(path.suffix == ".md" for path in files) == 14
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: `make docs` writes it anew"
