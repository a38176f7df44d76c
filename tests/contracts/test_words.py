"""The documentation reads well: short sentences where people learn, and nothing but Markdown."""

from pathlib import Path

import pytest
from words import (
    DOCS,
    LONGEST,
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
    assert words_of_the_architecture() <= 1400
    assert lines_of_the_readme() <= 90


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
