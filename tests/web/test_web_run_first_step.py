"""The first step of a new run in a browser: a few questions whose answers are settings."""

import json
from pathlib import Path
from typing import Any

from evoply import Run
from evoply.runs import is_locked, leave_request
from waiting import until
from web_browser import (
    DESKTOP,
    NEEDS_BROWSER,
    every_look_in_long_runs,
    nothing_keeps_anybody_out,
    opened,
)

pytestmark = NEEDS_BROWSER
ALL = "summary:text-is('All settings')"
BEGIN = "form.config .main"
NEW = "a:text-is('New run')"
READY = "form.config .tick"
PLAYERS = "fitness.opponents"


def tick(page: Any, value: str) -> Any:
    return page.locator(f".question input[value='{value}']")


def players(page: Any) -> list[str]:
    """Return the players of the list in all settings."""
    found: list[str] = page.eval_on_selector_all(
        f".list [name^='{PLAYERS}.'][name$='.player']", "all => all.map((one) => one.value)"
    )
    return found


def test_the_form(browser: Any, address: str) -> None:
    with opened(browser, f"{address}/#runs", NEW, viewport=DESKTOP) as page:
        for promise in (
            each_answer_is_a_setting_and_each_setting_an_answer,
            an_opponent_that_cannot_be_is_marked_where_it_was_chosen,
            what_is_no_number_is_said_also_where_nothing_was,
            another_game_has_its_own_presets_sets_and_opponents,
            settings_come_in_an_order_that_people_look_for,
        ):
            page.click(NEW)
            page.wait_for_selector(READY)
            promise(page)
            page.click("text=All runs")
            page.wait_for_selector(NEW)


def each_answer_is_a_setting_and_each_setting_an_answer(page: Any) -> None:
    assert page.locator(BEGIN).is_visible()
    assert not page.locator("[name=seed]").is_visible()  # folded
    assert players(page) == ["random", "greedy"]
    tick(page, "mobility").check()
    tick(page, "random").uncheck()
    assert players(page) == ["greedy", "mobility"]
    assert page.input_value(f"[name='{PLAYERS}.1.pairs']") == "4"  # as many as the others
    page.get_by_label("Minutes").fill("1.5")
    assert page.input_value("[name=time_limit]") == "90"
    tick(page, "black_edges").uncheck()
    part = json.loads(page.input_value("[name=primitives]"))
    names = [one["name"] for one in part["primitives"]]
    assert ("black_edges" in names, "white_edges" in names) == (False, True)
    tick(page, "black_edges").check()
    assert page.input_value("[name=primitives]") == "liao+mobility"
    page.click(ALL)
    page.fill("[name=time_limit]", "600")
    assert page.get_by_label("Minutes").input_value() == "10"
    page.fill("[name=generations]", "7")
    assert "after 7 generations in any case" in page.inner_text("#help-minutes")
    page.fill("[name=primitives]", "squares")
    assert tick(page, "reach").is_checked()
    page.fill("[name=primitives]", "bellin-noops")  # which is not offered
    page.wait_for_selector("text=Another set stands in all settings")
    page.click("summary:text-is('fitness')")
    page.get_by_label("Remove row 1").first.click()
    assert not tick(page, "greedy").is_checked()
    page.fill(f"[name='{PLAYERS}.0.player']", "material:depth=3")
    page.wait_for_selector("text=and, in all settings: material:depth=3")
    assert not tick(page, "mobility").is_checked()


def an_opponent_that_cannot_be_is_marked_where_it_was_chosen(page: Any) -> None:
    page.click(ALL)
    page.get_by_label("Minutes").fill("")
    page.fill("[name=generations]", "")
    page.click(BEGIN)  # without any limit
    page.wait_for_selector("#first-error-time_limit:not(:empty)")
    assert page.evaluate("document.activeElement.type") == "number"
    assert not page.locator("[id='error-fitness-opponents']").is_visible()
    page.get_by_label("Minutes").fill("1")
    page.click("summary:text-is('fitness')")
    page.fill(f"[name='{PLAYERS}.1.pairs']", "0")  # of the second, which has a tick
    page.click(BEGIN)
    page.wait_for_selector("#first-error-fitness-opponents:not(:empty)")
    assert page.evaluate("document.activeElement.value") == "greedy"


def what_is_no_number_is_said_also_where_nothing_was(page: Any) -> None:
    page.click(ALL)
    page.locator("[name=work_limit]").press_sequentially("e")
    page.click(BEGIN)
    page.wait_for_selector("#error-work_limit:not(:empty)")


def another_game_has_its_own_presets_sets_and_opponents(page: Any) -> None:
    page.get_by_label("Name", exact=True).fill("kept")
    page.select_option("#new-run-game", "lose-checkers")
    page.wait_for_selector(".question input[value='random-leaf:depth=5']")
    assert page.evaluate("location.hash") == "#runs-new=quick,lose-checkers"
    assert page.evaluate("document.activeElement.id") == "new-run-game"
    assert page.get_by_label("Name", exact=True).input_value() == "kept"
    titles = page.locator("#preset option").all_inner_texts()
    assert titles[0] == "A small run of evolution, made to fit Lose checkers (quick)"
    assert "lose checkers, counting kings" in titles[1]
    assert page.locator("#preset option").count() == 3
    page.click(ALL)
    page.select_option("[name=game]", "othello-10")  # the other way round
    page.wait_for_selector(".question input[value='firebrand']")
    assert page.input_value("#new-run-game") == "othello-10"
    page.select_option("#preset", "firebrand")
    page.wait_for_selector(".question input[value='near_corners']")
    assert tick(page, "corners").is_checked()
    assert not tick(page, "frontier").is_checked()
    assert page.evaluate("location.hash") == "#runs-new=firebrand"
    tick(page, "corners").uncheck()
    tick(page, "frontier").check()
    features = page.eval_on_selector_all(
        "[name^='features.'][name$='.name']", "all => all.map((one) => one.value)"
    )
    assert ("corners" in features, features[-1]) == (False, "frontier")


def settings_come_in_an_order_that_people_look_for(page: Any) -> None:
    page.click(ALL)
    titles = page.locator(".all > details > summary").all_inner_texts()
    assert titles[0] == "fitness"
    assert titles[-2:] == ["starts", "The preset as a file"]
    assert titles.index("fitness") < titles.index("hall_of_fame") < titles.index("machine")
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    text = page.inner_text("form.config").replace(page.inner_text("form.config pre"), "")
    assert "empty: no limit" in text
    assert "None" not in text
    placeholders = page.eval_on_selector_all(
        "[placeholder]", "all => all.map(one => one.placeholder)"
    )
    assert "empty" in placeholders
    assert page.get_attribute("[name=primitives]", "list") == "sets"


def test_a_run_is_what_was_ticked_and_can_be_paused_at_once(
    browser: Any, address: str, folder: Path
) -> None:
    first = """() => {
        const see = new MutationObserver(() => {
            const status = document.querySelector('.run-head .status');
            if (!status || window.firstSeen) return;
            const pause = [...document.querySelectorAll('.run-head button')]
                .find((one) => one.textContent === 'Pause');
            window.firstSeen = [status.className, Boolean(pause) && !pause.disabled];
        });
        see.observe(document.body, { childList: true, subtree: true });
    }"""
    try:
        with opened(browser, f"{address}/#runs-new=quick,checkers", READY) as page:
            assert page.input_value("#new-run-game") == "checkers"
            tick(page, "own_runaway_men").uncheck()
            tick(page, "strong:level=1").check()
            page.get_by_label("Minutes").fill("5")
            page.get_by_label("Name", exact=True).fill("ticked")
            page.click(ALL)
            page.fill("[name=population_size]", "12")
            page.fill("[name=generations]", "100000")
            page.uncheck("text=Play test matches")
            page.evaluate(first)
            page.click(BEGIN)
            page.wait_for_function("() => window.firstSeen")
            status, can_pause = page.evaluate("() => window.firstSeen")
            assert status in ("status starting", "status running")
            assert can_pause
            page.click("text=Pause")
            page.wait_for_selector(".status.paused")
            page.click("text=Stop")
            page.wait_for_selector(".status.stopped")
        with Run.open(folder / "ticked") as run:
            config = run.config
        assert (config.game, config.time_limit) == ("checkers", 300)
        assert [one.player for one in config.fitness.opponents] == [
            "random", "greedy", "strong:level=1",
        ]  # fmt: skip
        names = {one["name"] for one in config.primitives["primitives"]}
        assert "own_runaway_men" not in names
        assert "opponent_runaway_men" in names
    finally:
        if (folder / "ticked").exists():
            leave_request(folder / "ticked", "stop")
            until(lambda: not is_locked(folder / "ticked"))


@every_look_in_long_runs
def test_all_that_is_wrong_is_marked_in_one_round(
    size: Any, scheme: str, browser: Any, address: str
) -> None:
    looks = {"viewport": size, "color_scheme": scheme}
    with opened(browser, f"{address}/#runs-new", READY, **looks) as page:
        page.click(ALL)
        page.get_by_label("Name", exact=True).fill("two words")
        page.fill("[name=population_size]", "1")
        page.fill("[name=primitives]", "nothing")
        page.fill("[name=time_limit]", "-3")
        for one in ("random", "greedy"):
            tick(page, one).uncheck()
        page.click(ALL)  # folded again
        page.click(BEGIN)
        page.wait_for_selector("#error-name:not(:empty)")
        wrong = page.eval_on_selector_all(
            ".error[id]:not(:empty)", "all => all.map((one) => one.id)"
        )
        assert set(wrong) == {
            "error-name", "error-population_size", "error-primitives", "first-error-primitives",
            "error-time_limit", "first-error-time_limit", "error-fitness-opponents",
            "first-error-fitness-opponents",
        }  # fmt: skip
        focus = "document.activeElement.getAttribute('aria-label')"
        assert page.evaluate(focus) == "Set of primitives"  # the topmost
        assert page.locator("#error-population_size").is_visible()  # asked only in all settings
        assert "5 fields" in page.inner_text(".summary")
        nothing_keeps_anybody_out(page, size["width"])
        tick(page, "mobility").check()
        page.get_by_label("Set of primitives").select_option("squares")
        page.fill("[name=time_limit]", "3")
        page.fill("[name=population_size]", "0")
        page.click(BEGIN)
        page.wait_for_function("() => document.activeElement.name === 'name'")
        assert page.inner_text("#first-error-primitives") == ""
        assert "2 fields" in page.inner_text(".summary")
