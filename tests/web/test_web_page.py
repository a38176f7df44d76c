"""The page in a browser: whole games by mouse and keyboard, every look, and who cannot see it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from web_server import command

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = next(
    (
        path
        for path in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-headless-shell"))
        if path.exists()
    ),
    None,
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no /usr/bin/chromium: apt-get install chromium"
)
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 860}
MOST_BYTES = 300_000


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with command(tmp_path_factory.mktemp("runs")) as (_, told):
        yield told["url"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as tools:
        one = tools.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield one
        one.close()


@contextmanager
def opened(browser: Any, url: str, **options: Any) -> Iterator[Any]:
    """Give an open page; afterwards nothing was wrong in its console, and nothing came from
    elsewhere."""
    context = browser.new_context(reduced_motion="reduce", **options)
    page = context.new_page()
    wrong: list[str] = []
    page.on(
        "console", lambda one: wrong.append(one.text) if one.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda one: wrong.append(str(one)))
    page.on("request", lambda one: one.url.startswith(url) or wrong.append(one.url))
    page.goto(url)
    page.wait_for_function("() => location.hash.startsWith('#game=')")
    yield page
    assert wrong == []
    context.close()


def begin(page: Any, game: str, black: str = "person", white: str = "random") -> None:
    before = page.evaluate("location.hash")
    page.select_option("#game", game)
    page.select_option("#black", black)
    page.select_option("#white", white)
    page.click("#new .main")
    page.wait_for_function("before => location.hash !== before", arg=before)


def wait_for_turn(page: Any) -> bool:
    """Wait until a person can move; False at the end of the game."""
    state = page.wait_for_function(
        """() => {
            const text = document.getElementById('status').textContent;
            return document.querySelector('.target') ? 'turn' : /game is over/.test(text) && 'over';
        }""",
        timeout=60_000,
    )
    return bool(state.json_value() == "turn")


def by_mouse(page: Any) -> None:
    page.locator(".target").first.click()


def by_keyboard(page: Any) -> None:
    """Go to the first square that can be chosen by arrows, and choose it."""
    page.evaluate("document.querySelector('.board [tabindex=\"0\"]').focus()")
    size = page.evaluate("Math.sqrt(document.querySelectorAll('[data-square]').length)")
    to = page.evaluate("Number(document.querySelector('.target').dataset.square)")
    at = page.evaluate("Number(document.activeElement.dataset.square)")
    down, right = int(to // size - at // size), int(to % size - at % size)
    for key, count in (("Arrow" + ("Down" if down > 0 else "Up"), abs(down)),
                       ("Arrow" + ("Right" if right > 0 else "Left"), abs(right))):  # fmt: skip
        for _ in range(count):
            page.keyboard.press(key)
    page.keyboard.press("Enter")


@pytest.mark.parametrize("move", [by_mouse, by_keyboard])
@pytest.mark.parametrize("game", ["othello-6", "checkers", "lose-checkers"])
def test_a_whole_game(game: str, move: Any, browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        begin(page, game)
        for _ in range(700):
            if not wait_for_turn(page):
                break
            before = page.get_attribute("#board", "data-state")
            move(page)
            page.wait_for_function(
                "before => before !== document.getElementById('board').dataset.state", arg=before
            )
        assert "The game is over" in page.inner_text("#status")
        assert page.locator("#moves li").count() > 8
        assert page.inner_text("#message") == ""


@pytest.mark.parametrize("game", ["othello", "othello-10", "checkers-10", "othello-4"])
def test_a_move_on_every_other_board(game: str, browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        begin(page, game, white="person")
        for _ in range(2):
            by_mouse(page)
            page.wait_for_timeout(100)
        page.wait_for_selector("#moves li")


def test_undo_hint_values_and_steps_by_keyboard(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        begin(page, "othello", white="greedy")
        wait_for_turn(page)
        page.click("[data-name=f5]")
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 2")
        page.keyboard.press("h")
        page.wait_for_selector("#advice:not([hidden])")
        assert "would play" in page.inner_text("#advice")
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
        assert "Black: greedy" in page.inner_text("#side-black")


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_the_x_ray_follows_the_game(size: Any, scheme: str, browser: Any, address: str) -> None:
    from axe_core_python.sync_playwright import Axe

    with opened(browser, address, viewport=size, color_scheme=scheme) as page:
        begin(page, "othello", white="other")
        page.fill("#white-text", "( + ( * 2 white ) ( / black white_corners ) )")
        page.click("#new .main")
        page.wait_for_function(
            "() => document.getElementById('side-white').innerText.includes('+')"
        )
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
        found = Axe().run(page)["violations"]
        assert [(one["id"], [node["html"][:90] for node in one["nodes"]]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        page.keyboard.press("x")
        page.wait_for_selector("#xray-panel", state="hidden")
        assert page.locator(".board .heat").count() == 0


def test_mistakes_are_found_and_a_better_line_can_be_played(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=PHONE) as page:
        begin(page, "othello-6", white="person")
        for _ in range(5):
            before = page.get_attribute("#board", "data-state")
            by_mouse(page)
            page.wait_for_function(
                "before => before !== document.getElementById('board').dataset.state", arg=before
            )
        page.click("#analyse")
        page.wait_for_selector("#analyse:not(:disabled)")
        page.wait_for_selector(".losses .bar.marked")
        page.locator("#mistakes button").first.click()
        assert page.locator(".board .ring.best").count() == 1
        assert page.locator(".board .ring.played").count() == 1
        page.click("#play-on")
        page.wait_for_function("() => document.querySelectorAll('#moves li').length < 5")
        assert page.query_selector(".target") is not None


def test_paste_set_up_copy_and_reload(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        page.click("#new summary")
        page.select_option("#white", "person")
        page.fill("#position", "1. 11-15 23-19 2. 8-11")
        page.click("#new .main")
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 3")
        assert page.input_value("#game") == "checkers"
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
        page.wait_for_selector("#palette button")
        page.click("text=clear")
        page.click("text=white piece")
        page.click("[data-name=b1]")
        page.click("text=black piece")
        page.click("[data-name=a1]")
        page.click("#new .main")
        page.wait_for_selector("[aria-label='c1, empty, legal move']")
        assert page.get_attribute("[data-name=b1]", "aria-label") == "b1, white"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("game", ["othello", "checkers"])
def test_everybody_can_use_it(
    game: str, size: Any, scheme: str, browser: Any, address: str
) -> None:
    from axe_core_python.sync_playwright import Axe

    with opened(browser, address, viewport=size, color_scheme=scheme) as page:
        begin(page, game)
        page.click("#new summary")
        found = Axe().run(page)["violations"]
        assert [(one["id"], [node["html"][:90] for node in one["nodes"]]) for one in found] == []
        # Nothing is wider than the screen.
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_it_is_small_and_asks_nobody_else(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    sizes: list[int] = []
    page.on("requestfinished", lambda one: sizes.append(one.sizes()["responseBodySize"]))
    page.goto(address)
    wait_for_turn(page)
    assert 0 < sum(sizes) < MOST_BYTES
    context.close()


def test_a_server_that_has_gone_is_said_in_words(browser: Any, tmp_path: Path) -> None:
    with command(tmp_path) as (process, told):
        context = browser.new_context()
        page = context.new_page()
        page.goto(told["url"])
        wait_for_turn(page)
        process.kill()
        process.wait()
        by_mouse(page)
        page.wait_for_selector("#message:not(:empty)")
        assert "evoply web" in page.inner_text("#message")
        context.close()
