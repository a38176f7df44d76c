"""What players read: numbers of moves, mistakes at their fields, a hint beside the board, help."""

import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from web_server import client

from evoply.games import game_rules
from web_browser import NEEDS_BROWSER, PHONE, nothing_keeps_anybody_out, opened

DESK = {"width": 1280, "height": 900}


@cache
def with_a_pass() -> tuple[str, list[str]]:
    """Return a game of Othello 4x4 in which somebody passes, as text and as its moves."""
    for step in range(1, 50):
        record = game_rules("othello-4").record()
        while record.outcome() is None:
            legal = record.position.legal_moves
            record = record.play(legal[len(record) * step % len(legal)])
        texts = list(record.move_texts())
        if "pass" in texts:
            return str(record), texts
    raise AssertionError("nobody passes")


@NEEDS_BROWSER
def test_passes_have_no_number(browser: Any, address: str) -> None:
    transcript, texts = with_a_pass()
    with opened(browser, f"{address}/#link=othello-4,{quote(transcript)}", "#moves li") as page:
        page.wait_for_function(
            "n => document.querySelectorAll('#moves li').length === n", arg=len(texts)
        )
        shown = [
            re.sub(r"\s+", " ", text).strip()
            for text in page.locator("#moves li").all_inner_texts()
        ]
        discs = [text for text in texts if text != "pass"]
        numbered = [text for text in shown if text != "pass"]
        assert numbered == [f"{number}. {text}" for number, text in enumerate(discs, start=1)]
        assert len(shown) - len(numbered) == len(texts) - len(discs) > 0
        page.click("#back")
        assert f"of {len(discs)} moves" in page.inner_text("#status")
        assert "pl" not in page.inner_text("#status").split()


def test_a_picture_and_the_list_count_no_passes(tmp_path: Path) -> None:
    transcript, texts = with_a_pass()
    discs = len(texts) - texts.count("pass")
    with client(tmp_path) as api:
        body = {"game": "othello-4", "position": transcript, "white": "greedy"}
        game = api.post("/api/games", json=body).json()
        picture = api.get(f"/api/games/{game['id']}/copy?form=svg").text
        assert f">{discs}<" in picture
        assert f">{discs + 1}<" not in picture
        row = api.get("/api/games").json()["games"][0]
        assert (row["count"], row["plies"]) == (discs, len(texts))
        assert game["white"]["label"] == "greedy"  # not on the ladder of this board
        level = api.post("/api/games", json={"white": "strong:level=5"}).json()["white"]
        assert (level["label"], level["player"]) == ("Hobbyist", "strong:level=5")


def test_whether_a_game_can_be_begun_is_checked_first(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        assert api.post("/api/games/check", json={"position": "f5d6"}).status_code == 204
        answer = api.post("/api/games/check", json={"position": "f5x9"})
        assert (answer.status_code, answer.json()["error"][:9]) == (422, "position:")
        assert api.get("/api/games").json()["games"] == []


@NEEDS_BROWSER
def test_what_is_wrong_is_said_at_its_field_before_a_game_is_left(
    browser: Any, address: str
) -> None:
    with opened(browser, address) as page:
        page.click(".target >> nth=0")
        page.wait_for_selector("#moves li")
        before = page.url
        page.click("#new summary")
        page.fill("#position", "https://www.eothello.com/game/1")
        page.click("#new .main")
        page.wait_for_selector("#position[aria-invalid]")
        assert page.inner_text("#position-wrong").startswith("cannot read 'https'")
        assert page.inner_text("#message") == ""
        assert page.locator("dialog").count() == 0
        assert page.evaluate("document.activeElement.id") == "position"
        page.fill("#position", "f5d6")
        page.click("#new .main")
        page.click("dialog .sure")
        page.wait_for_function("before => location.href !== before", arg=before)
        assert page.get_attribute("#position", "aria-invalid") is None
        assert page.inner_text("#position-wrong") == ""


@NEEDS_BROWSER
def test_a_hint_is_beside_the_board_and_help_on_every_page(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESK) as page:
        page.click("#hint")
        page.wait_for_function("() => / ahead/.test(document.getElementById('advice').textContent)")
        said, board = page.locator("#advice").bounding_box(), page.locator("#board").bounding_box()
        assert said["y"] + said["height"] < DESK["height"]
        assert said["x"] >= board["x"] + board["width"]
        assert "ply" not in page.inner_text("#advice")
        page.set_viewport_size(PHONE)
        for view in ("play", "runs", "rules", "puzzles", "help"):
            page.goto(f"{address}/#{view}")
            page.wait_for_selector(f"#view-{view}:not([hidden])")
            assert page.is_visible("footer a[href='#help']")
        nothing_keeps_anybody_out(page, PHONE["width"])
        page.click("footer a[href='#help-cite']")
        assert "The evoply founders" in page.inner_text("#view-help")
