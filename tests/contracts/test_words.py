"""The documentation reads well: short sentences where people learn, and nothing but Markdown."""

import re
from pathlib import Path

import pytest
from words import (
    DOCS,
    LONGEST,
    ROOT,
    average_and_longest,
    learned_pages,
    lines_of_the_readme,
    parts,
    raw_markup,
    sentences,
    words,
    words_of_the_architecture,
)


@pytest.mark.parametrize("page", learned_pages(), ids=lambda page: str(page.stem))
def test_sentences_are_short_where_people_learn(page: Path) -> None:
    average, longest = average_and_longest(page.read_text(encoding="utf-8"))
    assert (average <= 18, longest <= LONGEST) == (True, True), (average, longest)


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: str(page.stem))
def test_pages_show_no_markup(page: Path) -> None:
    assert raw_markup(page.read_text(encoding="utf-8")) == []


def test_the_index_lists_every_page_once_in_parts_of_ten_lines() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = sorted(name for names in parts(index).values() for name in names)
    inner = [*DOCS.glob("design/*.md"), *DOCS.glob("notebooks/*.ipynb"), DOCS / "api" / "index.md"]
    pages = {*DOCS.glob("*.md"), *inner} - {DOCS / "index.md"}
    assert listed == sorted(page.relative_to(DOCS).as_posix() for page in pages)
    assert all(len(part.strip().split("\n")) <= 12 for part in index.split("\n## ")[1:])


def test_the_architecture_and_the_readme_are_read_in_minutes() -> None:
    assert words_of_the_architecture() <= 1200
    assert lines_of_the_readme() <= 90


def _sources() -> list[str]:
    kinds = ("python/evoply/**/*.py", "crates/*/src/**/*.rs", "setting_up/*.py")
    return [path.relative_to(ROOT).as_posix() for kind in kinds for path in ROOT.glob(kind)]


@pytest.mark.parametrize("page", sorted(DOCS.glob("design/*.md")), ids=lambda page: str(page.stem))
def test_decisions_are_found_from_their_code(page: Path) -> None:
    """The module where a section says that its code begins, or that it names first, links back."""
    sources = _sources()
    for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        said = re.findall(r"Its code begins in `([^`]+)`", section)
        named = said or re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:py|rs))`", section)
        found = [[path for path in sources if f"/{path}".endswith(f"/{name}")] for name in named]
        first = next((paths[0] for paths in found if len(paths) == 1), None)
        assert first is not None, section
        text = (ROOT / first).read_text(encoding="utf-8")
        assert re.search(rf"Reasons: .*\bdocs/design/{page.name}", text), (first, section[:40])


def test_links_to_decisions_lead_somewhere() -> None:
    linked = {
        name
        for path in _sources()
        for name in re.findall(r"docs/design/([\w-]+\.md)", (ROOT / path).read_text("utf-8"))
    }
    assert len(linked) >= 9
    assert all((DOCS / "design" / name).is_file() for name in linked)


def test_only_prose_counts() -> None:
    page = """# A heading of many words

One sentence, with `code of many words` in [a link](page.md) of 0.5
lines. A second! `x` begins a third: 3 words more.

    indented code. It has sentences.

- An item
- another item. It has two sentences.

| a | table. Of sentences. |

```text
Code. More code.
```

<!-- generated: x -->
Text. Text.
<!-- end of generated -->
"""
    assert [words(one) for one in sentences(page)] == [10, 2, 7, 2, 2, 4]
    assert average_and_longest(page) == (27 / 6, 10)
    assert raw_markup("```{toctree}\nx\n```\n: text\n<!-- a\n: comment -->\n") == [
        "```{toctree}",
        ": text",
    ]
