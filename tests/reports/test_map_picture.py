"""The picture of a map: every cell stands where it belongs, and says what it is."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evoply import Run, load_config, write_report
from evoply.evolution import Bins, Individual, MapPlace, Space
from evoply.evolution.map_elites.map_display import map_svg
from evoply.reports import run_charts
from evoply.runs import advance

SVG = "{http://www.w3.org/2000/svg}"
AXES = (Bins("mobility", 4, 0.4, 0.8), Bins("size", 5, 1, 41), Bins("corners", 2, 0, 4))


def elite(cell: tuple[int, ...], fitness: float, tree: Any = "( white )") -> Individual:
    place = MapPlace(cell, (0.5, 1.0, 2.0), 3)
    return Individual(tree, fitness, "crossover", place=place)


def drawn(elites: list[Individual], axes: tuple[Bins, ...] = AXES) -> ElementTree.Element:
    text = map_svg(Space(axes), elites, lambda fitness: f"{fitness:.2f} points", is_share=True)
    return ElementTree.fromstring(text)


def test_cells_stand_in_their_columns_and_rows_from_below() -> None:
    elites = [
        elite((column, row, 0), (column + 4 * row) / 20) for column in range(4) for row in range(5)
    ]
    cells = {one.get("data-cell"): one for one in drawn(elites).iter(f"{SVG}g")}
    assert set(cells) == {f"{column}-{row}-0" for column in range(4) for row in range(5)}
    boxes = {name: cell.find(f"{SVG}rect") for name, cell in cells.items()}
    place = {
        name: (float(box.get("x", "")), float(box.get("y", "")))
        for name, box in boxes.items()
        if box is not None
    }
    for column in range(4):
        for row in range(5):
            x, y = place[f"{column}-{row}-0"]
            assert x == pytest.approx(place["0-0-0"][0] + 100 * column)
            assert y == pytest.approx(place["0-0-0"][1] - 64 * row)
    colors = [boxes[f"{n % 4}-{n // 4}-0"].get("fill") for n in range(20)]  # type: ignore[union-attr]
    assert len(set(colors)) == 8
    assert colors == sorted(
        colors, key=colors.index
    )  # one colour after the other, as fitness rises
    outlined = [name for name, box in boxes.items() if box is not None and box.get("stroke")]
    assert outlined == ["3-4-0"]


def test_a_square_shows_the_best_of_cells_above_one_another_and_escapes_its_tree() -> None:
    (cell,) = drawn([elite((1, 1, 0), 0.25), elite((1, 1, 1), 0.75, "( < & )")]).iter(f"{SVG}g")
    assert cell.get("data-cell") == "1-1-1"
    title = cell.findtext(f"{SVG}title") or ""
    assert title.split("\n") == [
        "cell 1-1-1: 0.75 points, mobility 0.5, size 1, corners 2, since generation 3", "( < & )",
    ]  # fmt: skip
    assert cell.findtext(f"{SVG}text") == "75"


def test_narrow_squares_have_no_number_and_bounds_are_read_at_both_ends() -> None:
    picture = drawn([elite((30, 1, 0), 0.5)], (Bins("length", 31, 30, 61), *AXES[1:]))
    assert [one.text for one in picture.iter(f"{SVG}text") if one.text == "50"] == []
    texts = [one.text for one in picture.iter(f"{SVG}text")]
    assert {"30", "61", "1", "41", "length: plies of a game"} <= set(texts)


def test_the_report_of_a_run_has_its_map(tmp_path: Path) -> None:
    config = load_config("map-elites", ["game=othello-6", "population_size=12", "generations=2"])
    with Run.create(tmp_path / "found", config) as run:
        *_, last = advance(run, threads=1)
        page = write_report(run).read_text(encoding="utf-8")
        charts = {chart.title: chart.lines for chart in run_charts(run)}
    for each in last.individuals:
        assert f'data-cell="{each.place.name}"' in page
    assert f"{len(last.individuals)} of 100" in page
    assert "champion@found@3-5" in page
    assert {"Cells", "New elites"} <= set(charts)
    # Shares of those who stand on the map, who are not as many as offspring.
    diversity = charts["Diversity"]
    assert diversity is not None
    assert all(value <= 1 for line in diversity.series for value in line.values)
