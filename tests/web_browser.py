"""Pages in a browser, for tests: where one is, how it is opened, what people do there."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from programs import needs

# The shell draws no window, and a page takes a third as long in it.
CHROMIUM = next(
    (
        path
        for path in map(Path, ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium"))
        if path.exists()
    ),
    None,
)
NEEDS_BROWSER = needs("a browser", is_there=CHROMIUM is not None)
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 860}
LANDSCAPE = {"width": 844, "height": 390}
USUAL = {"width": 1280, "height": 720}
"""What a browser has if nobody says anything."""
MOST_BYTES = 300_000
PATIENCE = 100_000.0
"""Milliseconds until something is not there: a slow machine is no error."""


def every_look(test: Any) -> Any:
    """Run *test* on a phone and on a desk, in the dark and in the light; all four in long runs."""
    looks = [
        pytest.param(DESKTOP, "light", id="desktop-light"),
        pytest.param(PHONE, "dark", id="phone-dark"),
        pytest.param(DESKTOP, "dark", id="desktop-dark", marks=pytest.mark.long),
        pytest.param(PHONE, "light", id="phone-light", marks=pytest.mark.long),
    ]
    return pytest.mark.parametrize(("size", "scheme"), looks)(test)


def every_look_in_long_runs(test: Any) -> Any:
    """Run *test* on a phone in the dark, and in long runs on a phone and on a desk in both."""
    looks = [
        pytest.param(PHONE, "dark", id="phone-dark"),
        pytest.param(DESKTOP, "light", id="desktop-light", marks=pytest.mark.long),
        pytest.param(DESKTOP, "dark", id="desktop-dark", marks=pytest.mark.long),
        pytest.param(PHONE, "light", id="phone-light", marks=pytest.mark.long),
    ]
    return pytest.mark.parametrize(("size", "scheme"), looks)(test)


@contextmanager
def shared_browser() -> Iterator[Callable[[], AbstractContextManager[Any]]]:
    """Give what gives a browser, for as long as one uses it.

    Its loop stands still in this thread between two calls. Where it is not used it is out of the
    way of others, who may want a loop of their own.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        loop = asyncio.get_running_loop()

        @contextmanager
        def used() -> Iterator[Any]:
            before = asyncio._get_running_loop()
            asyncio._set_running_loop(loop)
            try:
                yield browser
            finally:
                asyncio._set_running_loop(before)

        asyncio._set_running_loop(None)
        try:
            yield used
        finally:
            asyncio._set_running_loop(loop)
            browser.close()


_free: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""The page of each browser that was used and emptied."""


@contextmanager
def opened(
    browser: Any,
    url: str,
    ready: str = ".target",
    *,
    viewport: dict[str, int] = USUAL,
    color_scheme: str = "light",
) -> Iterator[Any]:
    """Give a page where *ready* is to be seen; afterwards nothing was wrong in its console, and
    nothing came from elsewhere.

    It is one that was used before, with nothing left in it: a new one takes five times as long.
    """
    page = _free.pop(browser, None) or browser.new_context(reduced_motion="reduce").new_page()
    page.set_default_timeout(PATIENCE)
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
    wrong: list[str] = []
    server = url.partition("#")[0]
    listeners = {
        "console": lambda one: one.type in ("error", "warning") and wrong.append(one.text),
        "pageerror": lambda one: wrong.append(str(one)),
        "request": lambda one: one.url.startswith(server) or wrong.append(one.url),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    is_right = False
    try:
        page.goto(url)
        page.wait_for_selector(ready)
        yield page
        # A form that is wrong is answered with 422, which browsers note; and that axe, which no
        # page of ours is, cannot speak to a frame that may run nothing.
        known = ("422", "'postMessage' on 'DOMWindow'")
        unknown = [one for one in wrong if not any(part in one for part in known)]
        assert unknown == [], f"{page.url}: {unknown}"
        is_right = True
    finally:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        if is_right:
            _empty(page, server)
            _free[browser] = page
        else:
            page.context.close()


def _empty(page: Any, server: str) -> None:
    """Leave the page, and forget all that it knew and kept."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.evaluate("sessionStorage.clear()")
    page.mouse.move(0, 0)
    page.goto("about:blank")
    tools = page.context.new_cdp_session(page)
    origin = "/".join(server.split("/")[:3])
    tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    tools.detach()


# Only what is wrong, of all that axe looks at, which is ten times as much to send. Colours that
# are mixed have a form that it cannot read, and then it looks at no colour of the page.
_WRONG = r"""async () => {
    const plain = window.getComputedStyle;
    const mixed = /color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.]+))?\)/g;
    const rgba = (_, red, green, blue, alpha) => (
        `rgba(${[red, green, blue].map((one) => Math.round(255 * one))}, ${alpha ?? 1})`);
    const read = (value) => (typeof value === "string" ? value.replace(mixed, rgba) : value);
    const get = (style, name) => (typeof style[name] === "function"
        ? (...more) => read(style[name](...more)) : read(style[name]));
    window.getComputedStyle = (...what) => new Proxy(plain(...what), { get });
    try {
        const { violations, incomplete } = await axe.run({ resultTypes: ["violations"] });
        return [
            ...violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 90))]),
            ...incomplete.filter((one) => one.error).map((one) => [one.id, String(one.error)]),
        ];
    } finally {
        window.getComputedStyle = plain;
    }
}"""


def nothing_keeps_anybody_out(page: Any, width: int) -> None:
    """Nothing that axe looks for is wrong, and nothing is wider than the screen."""
    from axe_core_python.base import AXE_SCRIPT

    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    where = f"{page.evaluate('location.hash') or page.url}, {page.viewport_size['width']} wide"
    wrong = page.evaluate(_WRONG)
    assert wrong == [], f"{where}: {wrong}"
    needed = page.evaluate("document.documentElement.scrollWidth")
    assert needed <= width, f"{where}: {needed} are needed"


def begin(page: Any, game: str, black: str = "person", white: str = "random") -> None:
    page.select_option("#game", game)
    page.select_option("#black", black)
    page.select_option("#white", white)
    press_begin(page)


def paste(page: Any, moves: str, game: str = "othello", white: str = "person") -> None:
    """Begin a game at the end of *moves*."""
    page.select_option("#game", game)
    page.select_option("#black", "person")
    page.select_option("#white", white)
    if not page.locator("#position").is_visible():
        page.click("#new summary")
    page.fill("#position", moves)
    press_begin(page)


def press_begin(page: Any) -> None:
    """Begin what the form says, also if the game on the table is not over."""
    before = page.evaluate("location.hash")
    page.click("#new .main")
    page.wait_for_function(
        "before => location.hash !== before || document.querySelector('dialog') !== null",
        arg=before,
    )
    if page.locator("dialog").count():
        page.click("dialog .sure")
        page.wait_for_function("before => location.hash !== before", arg=before)


def wait_for_turn(page: Any) -> bool:
    """Wait until a person can move; False at the end of the game."""
    state = page.wait_for_function(
        """() => {
            const text = document.getElementById('status').textContent;
            return document.querySelector('.target') ? 'turn' : /game is over/.test(text) && 'over';
        }"""
    )
    return bool(state.json_value() == "turn")


def moves_are(page: Any, count: int) -> None:
    """Wait until so many plies were played."""
    page.wait_for_function(
        "count => document.querySelectorAll('#moves li').length === count", arg=count
    )


def by_mouse(page: Any) -> None:
    page.locator(".target").first.click()


def by_keyboard(page: Any) -> None:
    """Go to the first square that can be chosen by arrows, and choose it."""
    page.evaluate("document.querySelector('.board [tabindex=\"0\"]').focus()")
    size = page.locator("[role=row]").first.locator("[data-square]").count()
    to = page.evaluate("Number(document.querySelector('.target').dataset.square)")
    at = page.evaluate("Number(document.activeElement.dataset.square)")
    down, right = to // size - at // size, to % size - at % size
    for key, count in (("Arrow" + ("Down" if down > 0 else "Up"), abs(down)),
                       ("Arrow" + ("Right" if right > 0 else "Left"), abs(right))):  # fmt: skip
        for _ in range(count):
            page.keyboard.press(key)
    page.keyboard.press("Enter")
