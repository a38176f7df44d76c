"""The notebooks of the documentation: every cell runs, and shows what is stored."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import evoply

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
SMALL: dict[str, dict[str, Any]] = {
    "a-learner-from-outside": {"episodes": 200, "test_games": 10},
    "first-evolution": {"population_size": 10, "generations": 2, "games": 20},
    "a-new-feature": {"seeds": 2, "generations": 1, "population_size": 6, "games": 20},
    "learned-weights": {"games": 200, "test_games": 20},
}
# Of jupyter's own, which says what will change in it.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def kernel_of_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has evoply from where this process has it, and no display."""
    monkeypatch.setenv("PYTHONPATH", str(Path(evoply.__file__).parents[1]))


def stored(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def text_of(shown: list[tuple[str, str]]) -> str:
    return "\n".join(text for _, text in shown)


def test_pages_list_them() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [path.stem for path in NOTEBOOKS] == sorted(SMALL)
    for path in NOTEBOOKS:
        assert index.count(f"notebooks/{path.stem}.ipynb") == 1
        assert path.stat().st_size < 150_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_runs_in_small(path: Path) -> None:
    from notebooks import executed, shown

    done = executed(path, SMALL[path.stem])
    assert len(shown(done)) == len(shown(stored(path)))
    code = [cell for cell in done.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]


def test_what_notebooks_found_is_what_they_say() -> None:
    from notebooks import shown

    texts = {path.stem: text_of(shown(stored(path))) for path in NOTEBOOKS}
    assert "with mobility is better than without" in texts["a-new-feature"]
    assert "mobility.html is there: True" in texts["a-new-feature"]
    assert "after 5,000 games against random" in texts["learned-weights"]
    assert "learned against random" in texts["a-learner-from-outside"]
    assert texts["first-evolution"].count("Match of Othello 6x6") == 2
    for text in texts.values():
        assert "Traceback" not in text
        assert str(ROOT) not in text


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_shows_the_same_again(path: Path) -> None:
    from notebooks import executed, shown

    found, kept = shown(executed(path)), shown(stored(path))
    assert found == kept, f"{path.stem}: `make notebooks` writes it anew"


def test_a_page_is_made_of_a_notebook() -> None:
    from notebooks import markdown_of

    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "source": "1 < 2",
            "outputs": [
                {"output_type": "stream", "text": ["a <b>\n"]},
                {"output_type": "execute_result", "data": {"text/html": "<i>x</i>"}},
            ],
        },
    ]
    page = markdown_of({"cells": cells}, "x.ipynb")
    assert page.startswith("# Title\ntext\n\n```python\n1 < 2\n```")
    assert "<pre>a &lt;b&gt;</pre>" in page
    assert '<div class="output"><i>x</i></div>' in page
    assert "{download}`This page as a notebook <x.ipynb>`" in page
