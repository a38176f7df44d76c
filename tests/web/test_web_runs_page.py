"""The views of runs in a browser: a real run begun, watched, steered and played against."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from evoply import Run
from evoply.evolution import load_config
from evoply.runs import advance, is_locked, leave_request
from waiting import until
from web_browser import (
    DESKTOP,
    MOST_BYTES,
    NEEDS_BROWSER,
    PHONE,
    every_look_in_long_runs,
    nothing_keeps_anybody_out,
    opened,
)

pytestmark = NEEDS_BROWSER
SMALL = (
    "population_size=12", "time_limit=none", "generations=4", "hall_of_fame.final_pairs=2",
    "machine.threads=1",
)  # fmt: skip
ALL = "summary:text-is('All settings')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    with Run.create(runs / "evolved", load_config("quick", SMALL)) as run:
        for _ in advance(run, threads=1):
            pass
    return runs


def generations(url: str, name: str) -> int:
    with urllib.request.urlopen(f"{url}/api/runs/{name}") as answer:
        return int(json.load(answer)["generations"])


def test_a_run_is_begun_watched_steered_and_played(
    browser: Any, address: str, folder: Path
) -> None:
    try:
        with opened(browser, f"{address}/#runs-new", "form.config", viewport=DESKTOP) as page:
            page.click(ALL)
            page.fill("[name=population_size]", "1")
            page.fill("[name=time_limit]", "")
            page.fill("[name=generations]", "100000")
            page.fill("[name=name]", "mine")
            page.click("summary:text-is('machine')")
            page.fill("[name='machine.threads']", "1")
            page.uncheck("text=Play test matches")
            page.click("form.config .main")
            page.wait_for_selector("#error-population_size:not(:empty)")
            assert "2" in page.inner_text("#error-population_size")
            assert page.evaluate("document.activeElement.name") == "population_size"
            page.fill("[name=population_size]", "12")
            page.click("form.config .main")
            page.wait_for_selector(".run-charts .lines path[d*=L]")
            page.click("text=Pause")  # it computes no longer than it must
            page.wait_for_selector(".status.paused")
            assert page.evaluate("location.hash") == "#run=mine"
            assert "of 100,000 generations" in page.inner_text(".run-progress p")
            page.hover(".run-charts .lines svg")
            assert "at generation" in str(
                page.get_attribute(".run-charts .lines svg", "aria-label")
            )
            count = generations(address, "mine")
            page.click("text=Go on")
            until(lambda: generations(address, "mine") > count)
            page.wait_for_selector(".status.running")
            page.wait_for_function(
                """count => {
                    const { textContent } = document.querySelector('.run-progress p');
                    return Number(/([\\d,]+) of/.exec(textContent)[1].replaceAll(',', '')) > count;
                }""",
                arg=count,
            )
            page.click("text=Stop")
            page.wait_for_selector(".status.stopped")
            page.wait_for_selector(".run-champion .tree svg")
            first = page.locator(".run-champion select").first
            first.select_option("0")
            page.wait_for_selector("text=champion after generation 0")
            page.click("text=Watch")
            page.wait_for_selector(".watched .piece")
            page.wait_for_function("() => document.querySelectorAll('.watched .piece').length > 5")
            page.click("text=Play this one")
            page.wait_for_selector("#view-play .target, #view-play .side.turn")
            assert "White: champion@mine@0" in page.inner_text("#side-white")
            page.click("nav >> text=Runs")
            page.wait_for_selector("td a")
            assert {"mine", "evolved"} <= set(page.locator("td a").all_inner_texts())
            page.click("nav >> text=Play")
            page.wait_for_function("() => location.hash.startsWith('#game=')")
    finally:
        if (folder / "mine").exists():
            leave_request(folder / "mine", "stop")
        until(lambda: not is_locked(folder / "mine"))


def test_rows_of_a_list_are_added_moved_and_removed(
    browser: Any, address: str, folder: Path
) -> None:
    place = "fitness.opponents"
    try:
        with opened(browser, f"{address}/#runs-new=quick", "form.config", viewport=PHONE) as page:
            page.click(ALL)
            page.click("summary:text-is('fitness')")
            rows = page.locator(f".list:has([name='{place}.0.player']) li")
            assert rows.count() == 2
            page.locator("fieldset", has_text="opponents").last.get_by_text("Add a row").click()
            assert page.evaluate("document.activeElement.name") == f"{place}.2.player"
            page.keyboard.type("greedy:depth=99")
            page.fill(f"[name='{place}.2.pairs']", "3")
            rows.nth(2).get_by_label("Move row 3 up").click()
            page.keyboard.press("Enter")
            assert page.input_value(f"[name='{place}.0.player']") == "greedy:depth=99"
            rows.nth(1).get_by_label("Remove row 2").click()
            page.fill("[name=name]", "rows")
            page.fill("[name=population_size]", "12")
            page.fill("[name=generations]", "1")
            page.uncheck("text=Play test matches")
            page.click("form.config .main")
            page.wait_for_selector("[id='error-fitness-opponents-0-player']:not(:empty)")
            assert page.evaluate("document.activeElement.name") == f"{place}.0.player"
            nothing_keeps_anybody_out(page, PHONE["width"])
            page.fill(f"[name='{place}.0.player']", "mobility")
            page.click("form.config .main")
            page.wait_for_selector(".run-config")
        with Run.open(folder / "rows") as run:
            found = [(one.player, one.pairs) for one in run.config.fitness.opponents]
        assert found == [("mobility", 3), ("greedy", 4)]
    finally:
        until(lambda: not is_locked(folder / "rows"))


def test_a_run_goes_on_in_another_process_and_the_page_sees_it(
    browser: Any, address: str, folder: Path
) -> None:
    config = load_config("quick", [*SMALL, "generations=6"])
    with Run.create(folder / "elsewhere", config) as run:
        going = advance(run, threads=1)
        for _ in range(4):
            next(going)
        with opened(
            browser, f"{address}/#run=elsewhere", "text=4 of 6 generations", viewport=PHONE
        ) as page:
            assert page.inner_text(".run-head .status").endswith("still running")
            for _ in going:
                pass
            page.wait_for_selector(".status.finished")
            assert "6 of 6" in page.inner_text(".run-progress p")
            page.wait_for_selector("text=Ranked by the final test")


VIEWS = {
    "#runs": "td a",
    "#run=evolved": ".run-champion .tree svg",
    "#runs-new=quick": "form.config",
}


@every_look_in_long_runs
def test_everybody_can_use_it(size: Any, scheme: str, browser: Any, address: str) -> None:
    with opened(browser, f"{address}/#runs", "td a", viewport=size, color_scheme=scheme) as page:
        for view, ready in VIEWS.items():
            page.evaluate("to => { location.hash = to; }", view)
            page.wait_for_selector(ready)
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            nothing_keeps_anybody_out(page, size["width"])


def test_a_run_is_small_to_load(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    sizes: list[int] = []
    page.on("requestfinished", lambda one: sizes.append(one.sizes()["responseBodySize"]))
    page.goto(f"{address}/#run=evolved")
    page.wait_for_selector(".run-champion .tree svg")
    assert 0 < sum(sizes) < MOST_BYTES
    context.close()
