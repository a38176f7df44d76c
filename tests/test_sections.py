"""Sections: a table declared once, which terminal, notebook, page and JSON draw."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from evoply.cli.output import rows_table
from evoply.protocols import Column, Intervals, Page, Section, Shown, cells_of, html_of
from evoply.protocols.sections import between, counted, share, shares
from evoply.reports import result_html
from evoply.reports.pages import _coded
from evoply.wording import signed

COLUMNS = (
    Column("player", "player", str, look="code"),
    Column("rating", "rating", signed, missing="too few games"),
    Column("score", "score", share),
    Column("games", "games", counted, is_listed=False),
)
ROWS = (
    {"player": "swh", "rating": 12.4, "score": 0.694, "games": 1200},
    {"player": f"( {'+ white ' * 20})", "rating": None, "score": 0.5, "games": 2},
)
RATINGS = Section("Ratings", COLUMNS, ROWS, "Elo.", ["swh leads."])


def terminal(section: Section) -> str:
    console = Console(width=200, color_system=None)
    with console.capture() as captured:
        console.print(rows_table(section.columns, section.rows))
    return captured.get()


def in_cells(html: str) -> list[str]:
    found = re.findall(r"<td[^>]*>(.*?)</td>", html, re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", "", cell).replace("\u00a0", " ").split()) for cell in found]


def test_all_draw_the_same_cells() -> None:
    shown, page, notebook = terminal(RATINGS), result_html(Page("All", [RATINGS])), html_of(RATINGS)
    first = ["swh", "+12", "69.4 %", "1,200"]
    assert shown.splitlines()[2].split("  ")[0] == "swh"
    assert [*filter(None, map(str.strip, shown.splitlines()[2].split("  ")))] == first[:3]
    assert in_cells(page)[:4] == in_cells(notebook)[:4] == first
    assert RATINGS.data() == [*ROWS]
    assert RATINGS.cells()[0] == tuple(first)
    assert "swh leads." in page
    assert "swh leads." in notebook


def test_little_room_cuts_names_and_says_nothing_in_short() -> None:
    last = terminal(RATINGS).splitlines()[3]
    assert "..." in last
    assert [*last.split()][-3:] == ["-", "50.0", "%"]
    assert "too few games" in result_html(Page("All", [RATINGS]))
    assert ROWS[1]["player"] in result_html(Page("All", [RATINGS]))


@pytest.mark.parametrize(
    ("section", "is_empty"),
    [
        (Section("A table without rows", COLUMNS, note="Elo."), True),
        (Section("A list without points"), True),
        (Section("Around nothing", parts=[Section("Nothing", COLUMNS)]), True),
        (Section("Around something", parts=[RATINGS]), False),
        (Section("A note alone", note="It was not played."), False),
        (Section("A text", text="seed = 1"), False),
    ],
)
def test_a_page_leaves_out_what_has_nothing_to_show(section: Section, is_empty: bool) -> None:
    assert section.is_empty == is_empty
    assert (section.title in result_html(Page("All", [section]))) != is_empty


def test_a_chart_is_drawn_of_the_rows_beside_it() -> None:
    rows = [{"player": "swh", "rating": 3.0, "interval": (1.0, 5.0)}]
    chart = Intervals("Strength", "Elo", "rating", "interval")
    html = result_html(Page("All", [Section("", COLUMNS[:2], rows, charts=[chart])]))
    assert "swh, strength: 3 (1 to 5)" in html


def test_code_within_a_text_is_marked_escaped_and_folded_where_it_is_long() -> None:
    assert str(_coded("Play `a & b`.")) == "Play <code>a &amp; b</code>."
    long = str(_coded(f"`{'<' * 500}`"))
    assert long.startswith('<details class="long"><summary><code>&lt;')
    assert "&l…" not in long
    assert long.count("&lt;") > 500


def test_a_result_that_does_not_say_what_is_shown_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Shown does not say what is shown of it"):
        Shown()._repr_html_()


@pytest.mark.parametrize(
    ("text", "value", "written"),
    [
        (share, 0.5, "50.0 %"),
        (shares, (0.1, 0.25), "10.0 to 25.0 %"),
        (between(signed), (float("-inf"), 3.0), "+3 or less"),
        (counted, 12345, "12,345"),
        (cells_of("a", "b")[1].text, ("1", "2"), "2"),
    ],
)
def test_formats(text: Callable[[Any], str], value: Any, written: str) -> None:
    assert text(value) == written
