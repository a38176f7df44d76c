"""The map of a run on the page: its cells are seen, chosen and played against."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from evoply import Run, load_config
from evoply.runs import advance
from web_browser import (
    NEEDS_BROWSER,
    every_look_in_long_runs,
    nothing_keeps_anybody_out,
    opened,
)

SMALL = ("game=othello-6", "population_size=12", "generations=2", "hall_of_fame.final_pairs=2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    with Run.create(runs / "map", load_config("map-elites", SMALL)) as run:
        for _ in advance(run, threads=1):
            pass
    return runs


def test_a_program_gets_the_picture_and_the_form(address: str) -> None:
    with urllib.request.urlopen(f"{address}/api/runs/map") as answer:
        table, hall = json.load(answer)["tables"]
    assert table["picture"].startswith("<svg")
    assert table["columns"][:2] == ["cell", "training"]
    assert not hall["picture"]
    with urllib.request.urlopen(f"{address}/api/presets/map-elites") as answer:
        form = json.load(answer)
    assert form["counts"] == "generations"
    assert [tick["path"] for tick in form["ticks"]] == ["fitness.opponents"]
    assert form["sets"]


@NEEDS_BROWSER
@every_look_in_long_runs
def test_a_cell_plays(
    browser: Any, address: str, folder: Path, size: dict[str, int], scheme: str
) -> None:
    with Run.open(folder / "map") as run:
        best = run.last().best
    cell = best.place.name
    url = f"{address}/#run=map"
    place = f".elites [data-cell='{cell}']"
    with opened(browser, url, place, viewport=size, color_scheme=scheme) as page:
        page.focus(place)
        page.keyboard.press("Enter")
        assert page.get_attribute(place, "aria-pressed") == "true"
        assert f"cell {cell}: " in page.inner_text(".elites .about")
        assert page.inner_text(".elites .about code") == str(best.tree)
        nothing_keeps_anybody_out(page, size["width"])
        page.click(".elites button.main")
        page.wait_for_selector(".target")
        # The form is filled when its list of players has come, which may be later.
        named = f"document.querySelector('#white-text').value === 'champion@map@{cell}'"
        page.wait_for_function(named)
