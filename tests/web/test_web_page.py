"""Games in a browser: whole ones by mouse and keyboard, and all that can be done in them."""

from typing import Any

import pytest

from evoply.games import DATA_GAMES, GAMES
from web_browser import (
    DESKTOP,
    NEEDS_BROWSER,
    PHONE,
    begin,
    by_keyboard,
    by_mouse,
    nothing_keeps_anybody_out,
    opened,
    wait_for_turn,
)

pytestmark = NEEDS_BROWSER


MOST = 700


def give_up(page: Any) -> None:
    page.click("#resign")
    page.click("dialog .sure")
    page.wait_for_function(
        "() => /game is over/.test(document.getElementById('status').textContent)"
    )


SOME = (
    # Each way to move and each family of games; long runs have whole games of all.
    ("checkers", by_mouse, DESKTOP, 10),
    ("othello-6", by_keyboard, DESKTOP, MOST),
    ("breakthrough-6", by_mouse, PHONE, 5),
    ("connect-four", by_keyboard, DESKTOP, MOST),
    ("hex-9", by_mouse, PHONE, 5),
)
WHOLE = (
    *((game, move, DESKTOP, MOST) for game in GAMES for move in (by_mouse, by_keyboard)),
    ("breakthrough-6", by_mouse, PHONE, MOST),
    ("hex-9", by_mouse, PHONE, MOST),
    ("gomoku-9", by_keyboard, DESKTOP, MOST),
    ("ataxx", by_mouse, PHONE, MOST),
)


@pytest.mark.parametrize(
    "games",
    [
        pytest.param(SOME, id="some"),
        *(
            pytest.param([one], id=f"{one[0]}-{one[1].__name__}", marks=pytest.mark.long)
            for one in WHOLE
        ),
    ],
)
def test_games_are_played(games: Any, browser: Any, address: str) -> None:
    """Play to the end, or so many moves and then give up."""
    with opened(browser, address) as page:
        for game, move, size, most in games:
            page.set_viewport_size(size)
            begin(page, game)
            if game in DATA_GAMES:
                nothing_keeps_anybody_out(page, size["width"])
            moves = 0
            while moves < most and wait_for_turn(page):
                if moves == 0 and game in DATA_GAMES:
                    if page.get_attribute("#values", "aria-pressed") == "false":
                        page.keyboard.press("v")
                    page.wait_for_selector(".board .value")
                before = page.get_attribute("#board", "data-state")
                move(page)
                page.wait_for_function(
                    "before => before !== document.getElementById('board').dataset.state",
                    arg=before,
                )
                moves += 1
            if most < MOST and wait_for_turn(page):
                give_up(page)
            assert "The game is over" in page.inner_text("#status"), game
            # A move in checkers takes two clicks, and more if it jumps on.
            least = 2 if game in DATA_GAMES else 8 if most == MOST else 4
            assert page.locator("#moves li").count() > least, game
            assert page.inner_text("#message") == "", game


def test_the_x_ray_has_the_shape_of_the_squares(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        for game, shape in (("hex-9", "polygon"), ("connect-four", "rect")):
            begin(page, game, white="greedy")
            wait_for_turn(page)
            by_mouse(page)
            wait_for_turn(page)
            page.keyboard.press("x")
            page.wait_for_selector(".board .heat")
            squares = page.locator(".board [data-square]").count()
            assert page.locator(f".board {shape}.heat").count() == squares, game
            assert page.locator(".board .heat").count() == squares, game
            page.keyboard.press("x")


def test_undo_hint_values_and_steps_by_keyboard(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        begin(page, "othello", white="greedy")
        wait_for_turn(page)
        page.click("[data-name=f5]")
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 2")
        page.keyboard.press("h")
        page.wait_for_selector("#advice:not([hidden])")
        page.wait_for_function(
            "() => document.getElementById('advice').textContent.includes(' is best (')"
        )
        page.keyboard.press("v")
        page.wait_for_selector(".board .value-text.best")
        page.click("#back")
        assert "After 1 of 2" in page.inner_text("#status")
        assert page.query_selector(".target") is None
        page.click("#forward")
        page.keyboard.press("u")
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 0")
        page.click("#take-over")
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 1")
        assert "Black: Grabs what it can" in page.inner_text("#side-black")


def test_a_man_is_refused_where_it_would_be_a_king(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        page.click("#new summary")
        page.select_option("#game", "checkers")
        page.click("#set-up")
        page.wait_for_selector("#palette button")
        page.click("#palette >> text=clear")
        page.click("#palette >> text=black piece")
        page.click("[data-name='29']")
        page.wait_for_selector("text=A man on its last row becomes a king: put a black king there.")
        assert page.inner_text("#side-black").endswith("0")
        page.click("#palette >> text=black king")
        page.click("[data-name='29']")
        assert page.inner_text("#side-black").endswith("1")


def test_paste_set_up_copy_and_reload(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        page.click("#new summary")
        page.select_option("#white", "person")
        page.fill("#position", "1. 11-15 23-19 2. 8-11")
        page.click("#new .main")
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 3")
        assert page.input_value("#game") == "checkers"
        offered = page.locator("#copy option:not([hidden])").all_inner_texts()
        assert offered == ["choose", "moves", "moves with numbers", "PDN", "SVG picture", "link"]
        page.select_option("#copy", "pdn")
        page.wait_for_selector("#copied:not([hidden])")
        assert "11-15" in page.input_value("#copied")
        page.select_option("#copy", "link")
        page.wait_for_function("() => document.getElementById('copied').value.startsWith('http')")
        link = page.input_value("#copied")
        page.reload()
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 3")
        page.goto("about:blank")
        page.goto(link)
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 3")
        page.click("#new summary")
        page.select_option("#game", "othello-4")
        page.click("#set-up")
        page.click("dialog .sure")  # the game of the link is not over
        page.wait_for_selector("#palette button")
        page.click("text=clear")
        page.click("text=white piece")
        page.click("[data-name=b1]")
        page.click("text=black piece")
        assert page.evaluate("document.activeElement.textContent") == "black piece"
        page.click("[data-name=a1]")
        assert page.inner_text("#side-white").endswith("1")
        page.click("#new .main")
        page.wait_for_selector("[aria-label='c1, empty, legal move']")
        assert page.get_attribute("[data-name=b1]", "aria-label") == "b1, white"
