"""Every look of the page, who cannot see it, the x-ray, and how much it is to load."""

import asyncio
from typing import Any

from web_browser import (
    MOST_BYTES,
    NEEDS_BROWSER,
    begin,
    by_mouse,
    every_look,
    nothing_keeps_anybody_out,
    opened,
    wait_for_turn,
)

pytestmark = NEEDS_BROWSER


@every_look
def test_everybody_can_play(size: Any, scheme: str, browser: Any, address: str) -> None:
    with opened(browser, address, viewport=size, color_scheme=scheme) as page:
        the_x_ray_follows_the_game(page, size["width"])
        page.click("#new summary")
        for game in ("othello", "checkers"):
            begin(page, game)
            nothing_keeps_anybody_out(page, size["width"])


def the_x_ray_follows_the_game(page: Any, width: int) -> None:
    page.select_option("#white", "other")
    page.click("#new .main")
    page.wait_for_selector("#message:not(:empty)")
    assert page.inner_text("#message").startswith("White: another player has a text")
    page.fill("#white-text", "( + ( * 2 white ) ( / black white_corners ) )")
    page.click("#new .main")
    page.wait_for_function("() => document.getElementById('side-white').innerText.includes('+')")
    page.keyboard.press("x")
    page.wait_for_selector("#xray-tree svg")
    assert page.locator(".board .heat").count() == 64
    before = page.inner_text("#xray-features")
    by_mouse(page)
    page.wait_for_function(
        "before => document.getElementById('xray-features').innerText !== before", arg=before
    )
    wait_for_turn(page)
    assert "white_corners 0" in page.inner_text("#xray-tree")
    nothing_keeps_anybody_out(page, width)
    page.keyboard.press("x")
    page.wait_for_selector("#xray-panel", state="hidden")
    assert page.locator(".board .heat").count() == 0


def test_it_is_small_and_asks_nobody_else(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    sizes: list[int] = []
    page.on("requestfinished", lambda one: sizes.append(one.sizes()["responseBodySize"]))
    page.goto(address)
    wait_for_turn(page)
    assert 0 < sum(sizes) < MOST_BYTES
    context.close()


def test_others_may_have_a_loop_while_nobody_uses_the_browser(chromium: Any) -> None:
    with chromium() as browser:
        context = browser.new_context()
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"
    with chromium():
        page = context.new_page()
        assert page.evaluate("1 + 1") == 2
        context.close()
