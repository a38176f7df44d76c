"""The list of games on the page, opponents of one's own, and a server that comes and goes."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from web_server import command, serving

from evoply import Run
from evoply.evolution import load_config
from evoply.runs import advance
from web_browser import (
    DESKTOP,
    NEEDS_BROWSER,
    PHONE,
    begin,
    by_mouse,
    moves_are,
    nothing_keeps_anybody_out,
    opened,
    paste,
    press_begin,
    wait_for_turn,
)

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    settings = ("population_size=8", "time_limit=none", "generations=1", "machine.threads=1",
                "hall_of_fame.final_pairs=2")  # fmt: skip
    with Run.create(runs / "first", load_config("quick", settings)) as run:
        for _ in advance(run, threads=1):
            pass
    return runs


def test_games_and_their_list(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        begin_asks_before_a_running_game_is_left(page)
        the_form_follows_the_game_on_the_table(page, address)
        the_list_of_games_is_searched_and_games_deleted(page)


def begin_asks_before_a_running_game_is_left(page: Any) -> None:
    begin(page, "othello", white="random")
    before = page.evaluate("location.hash")
    page.click("#new .main")  # nobody has moved: nothing is lost
    page.wait_for_function("before => location.hash !== before", arg=before)
    wait_for_turn(page)
    page.click("[data-name=f5]")
    moves_are(page, 2)
    here = page.evaluate("location.hash")
    page.click("#new .main")
    page.wait_for_selector("dialog")
    assert "not over" in page.inner_text("dialog")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("location.hash") == here
    page.click("#new .main")
    page.click("dialog .sure")
    page.wait_for_function("here => location.hash !== here", arg=here)
    # It can be gone on with.
    page.click("text=Games")
    page.click(f"#games-list a[href='{here}']")
    moves_are(page, 2)
    page.click("#resign")
    page.click("dialog .sure")
    page.wait_for_function("() => /gives up/.test(document.getElementById('status').textContent)")
    page.click("#rematch")
    moves_are(page, 0)
    assert "Black: you" in page.inner_text("#side-black")
    assert "White: Just learned the rules" in page.inner_text("#side-white")


def the_list_of_games_is_searched_and_games_deleted(page: Any) -> None:
    paste(page, "f5d6c3", white="person")
    here = page.evaluate("location.hash")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".target")
    page.click("text=Games")
    page.fill("#games-search", "no-such-player")
    page.wait_for_function(
        "() => /No game/.test(document.querySelector('#view-games .note').textContent)"
    )
    page.fill("#games-search", "othello")
    row = page.locator(f"tr:has(a[href='{here}'])")
    row.wait_for()
    nothing_keeps_anybody_out(page, DESKTOP["width"])
    # Buttons of rows with the same players are told apart by when the games began.
    names = [
        row.locator(f"text={what}").get_attribute("aria-label") for what in ("Rematch", "Delete")
    ]
    assert all(", begun " in (name or "") for name in names), names
    row.locator("text=Delete").click()
    page.click("dialog >> text=Keep it")
    assert row.count() == 1
    row.locator("text=Delete").click()
    page.click("dialog .sure")
    row.wait_for(state="detached")
    # The other page on it hears of that.
    other.wait_for_function("() => /deleted/.test(document.getElementById('status').textContent)")
    assert other.locator(".target").count() == 0
    with page.expect_download() as told:
        page.click("#games-download")
    assert told.value.suggested_filename == "evoply-games.jsonl"
    page.fill("#games-search", "")
    page.wait_for_selector("#games-list td >> text=Checkers")
    for size, scheme in product((DESKTOP, PHONE), ("light", "dark")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        nothing_keeps_anybody_out(page, size["width"])


def the_form_follows_the_game_on_the_table(page: Any, address: str) -> None:
    state = page.evaluate(
        """async () => {
            const { post } = await import('/static/api.js');
            const asked = { game: 'checkers', black: 'material:depth=3', white: 'person' };
            return post('/api/games', asked);
        }"""
    )
    page.goto(f"{address}#game={state['id']}")  # as "Play this one" of a run does
    page.wait_for_function("() => document.getElementById('game').value === 'checkers'")
    assert page.input_value("#white") == "person"
    assert page.input_value("#black") == "other"
    assert page.input_value("#black-text") == "material:depth=3"
    wait_for_turn(page)
    here = page.evaluate("location.hash")
    page.click("#new .main")
    page.wait_for_function("here => location.hash !== here", arg=here)
    assert "material:depth=3" in page.inner_text("#side-black")
    assert "White: you" in page.inner_text("#side-white")


def test_champions_of_runs_are_opponents_of_their_game(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        page.select_option("#game", "othello-6")
        group = page.locator("#white optgroup[label='Your champions'] option")
        group.wait_for(state="attached")
        assert group.get_attribute("value") == "champion@first"
        assert page.input_value("#black") == "person"
        page.select_option("#white", "champion@first")
        page.wait_for_function(
            "() => document.getElementById('ratings').textContent.startsWith('first')"
        )
        assert re.search("Elo above random|every game|no test match", page.inner_text("#ratings"))
        press_begin(page)
        wait_for_turn(page)
        assert "champion@first" in page.inner_text("#side-white")
        page.select_option("#game", "othello")
        assert group.count() == 0


def test_a_server_that_has_gone_is_told_and_gone_on_with_when_it_is_back(
    browser: Any, home: Path
) -> None:
    context = browser.new_context()
    page = context.new_page()
    with command(home) as (process, told):
        port = int(told["url"].rpartition(":")[2])
        page.goto(told["url"])
        page.wait_for_selector(".target")
        page.select_option("#white", "person")
        page.click("#new .main")
        page.wait_for_function(
            "() => /Black to move\\.$/.test(document.getElementById('status').textContent)"
        )
        for name in ("f5", "d6", "c3"):
            page.click(f"[data-name={name}]")
            page.wait_for_selector(f"#moves li:last-child >> text={name}")
        process.kill()
        process.wait()
        # It is said at once, without a click.
        page.wait_for_selector("#gone:not(:empty)")
        assert "when it is back" in page.inner_text("#gone")
    with serving(home, port=port):  # whose token is another one
        page.wait_for_function("() => document.getElementById('gone').textContent === ''")
        page.click("[data-name=d3]")
        moves_are(page, 4)
        assert page.inner_text("#message") == ""
        # And the page hears what happens from the new server.
        page.keyboard.press("u")
        moves_are(page, 3)
    page.click("[data-name=d3]")
    page.wait_for_selector("#message:not(:empty)")
    assert "evoply web" in page.inner_text("#message")
    context.close()


def test_a_request_of_an_old_token_is_asked_again(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    # As if the server had been started again between two clicks.
    page.route(
        f"{address}*",
        lambda route: route.fulfill(
            response=(found := route.fetch()),
            body=re.sub(r'(evoply-token" content=")[^"]+', r"\1old", found.text()),
        ),
        times=1,
    )
    page.goto(address)
    page.wait_for_selector(".target")
    assert page.evaluate("document.querySelector('meta[name=evoply-token]').content") == "old"
    by_mouse(page)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length > 0")
    assert page.inner_text("#message") == ""
    context.close()
