"""Rules in words and puzzles, on the API and on the page: by mouse, by keyboard, in every look."""

from pathlib import Path
from typing import Any

import pytest
from web_server import client

from evoply.games import DATA_GAMES, GAMES, game_rules
from evoply.games.rules import rules_in_words
from evoply.reports import puzzles
from evoply.reports.puzzle_book import puzzle_games
from web_browser import (
    DESKTOP,
    LANDSCAPE,
    NEEDS_BROWSER,
    every_look_in_long_runs,
    nothing_keeps_anybody_out,
    opened,
)

STATE = "document.getElementById('view-puzzles').dataset.state"
SMALL = {"width": 320, "height": 640}


def test_the_rules_of_every_game_are_told(home: Path) -> None:
    with client(home) as api:
        for game in (*GAMES, *DATA_GAMES):
            told = api.get(f"/api/rules/{game}").json()
            text = rules_in_words(game)
            assert (told["aim"], told["moves"], told["end"]) == (text.aim, text.moves, text.end)
            assert tuple(told["tips"]) == text.tips
            assert len(told["board"]["cells"]) == game_rules(game).shape.squares
        answer = api.get("/api/rules/chess")
        assert answer.status_code == 404
        assert "unknown game 'chess'" in answer.json()["error"]


def test_puzzles_and_their_solutions_are_told(home: Path) -> None:
    with client(home) as api:
        listed = api.get("/api/puzzles").json()
        counts = {one["game"]: one["count"] for one in listed}
        assert counts == {game: len(puzzles(game)) for game in puzzle_games()}
        opponents = {one["game"]: one["opponent"] for one in listed}
        assert (opponents["checkers"], opponents["gomoku-9"]) == ("strong", "material:depth=4")
        for game in puzzle_games():
            for told, puzzle in zip(
                api.get(f"/api/puzzles/{game}").json(), puzzles(game), strict=True
            ):
                assert told["explanation"] == puzzle.explanation
                assert [move["text"] for move in told["line"]] == list(puzzle.line)
                assert told["best"] in told["legal"]
                assert told["second"] in told["legal"]
                assert told["task"].startswith(str(puzzle.color))
                assert (told["theme"], told["stars"]) == (puzzle.theme, puzzle.stars)
                if puzzle.number > 5:
                    continue
                begun = api.post(
                    "/api/games", json={"game": game, "position": told["position"]}
                ).json()
                assert begun["start"] == told["board"]["cells"]
                assert begun["turn"] == told["board"]["turn"]
        answer = api.get("/api/puzzles/clobber")
        assert answer.status_code == 404
        assert "there are no puzzles of 'clobber'" in answer.json()["error"]


def by_squares(page: Any, path: list[int], *, keyboard: bool) -> None:
    """Choose the squares of a move; with the keyboard by arrows from where the focus is."""
    for square in path:
        if not keyboard:
            page.click(f"#view-puzzles [data-square='{square}']")
            continue
        page.locator("#view-puzzles .board [tabindex='0']").focus()
        at = page.evaluate("Number(document.activeElement.dataset.square)")
        down, right = square // 8 - at // 8, square % 8 - at % 8
        for key, steps in (
            ("Down" if down > 0 else "Up", down),
            ("Right" if right > 0 else "Left", right),
        ):
            for _ in range(abs(steps)):
                page.keyboard.press(f"Arrow{key}")
        page.keyboard.press("Enter")


def shown(page: Any, state: str) -> None:
    page.wait_for_function(f"state => {STATE} === state", arg=state)


@NEEDS_BROWSER
@pytest.mark.parametrize(
    "by_keyboard", ["othello", pytest.param("checkers", marks=pytest.mark.long)]
)
def test_puzzles_are_solved(by_keyboard: str, browser: Any, address: str) -> None:
    with opened(browser, f"{address}#puzzles", viewport=DESKTOP) as page:
        a_wrong_answer_is_told_and_counts_once(page)
        for game in ("othello", "checkers"):
            page.goto(f"{address}#puzzles={game},3")
            a_puzzle_is_solved_and_played_through(page, game, keyboard=game == by_keyboard)


def a_wrong_answer_is_told_and_counts_once(page: Any) -> None:
    puzzle = puzzles("othello")[0]
    wrong: Any = next(
        move
        for move in puzzle.start.legal_moves
        if str(move) != puzzle.best  # type: ignore[attr-defined]
    )
    best: Any = puzzle.start.parse_move(puzzle.best)
    shown(page, "othello:1:open:line:0")
    by_squares(page, list(wrong.path), keyboard=False)
    shown(page, "othello:1:wrong:line:0")
    assert page.inner_text("#view-puzzles .task") == (
        f"Not {wrong}: the best move is {puzzle.best}."
    )
    page.keyboard.press("t")
    shown(page, "othello:1:open:line:0")
    by_squares(page, list(best.path), keyboard=False)
    shown(page, "othello:1:right:line:0")
    # The first answer counts.
    assert "0 solved" in page.inner_text("#puzzle-count")
    page.click("#view-puzzles >> text=Play on from here")
    page.wait_for_function("() => /^#game=/.test(location.hash)")
    page.wait_for_selector("#view-play .target")
    assert str(puzzle.color) in page.inner_text("#status")


def a_puzzle_is_solved_and_played_through(page: Any, game: str, *, keyboard: bool) -> None:
    puzzle = puzzles(game)[2]
    best: Any = puzzle.start.parse_move(puzzle.best)
    shown(page, f"{game}:3:open:line:0")
    assert page.inner_text("#view-puzzles .task") == (
        f"{puzzle.color} to move: find the best move."
    )
    assert page.locator("#view-puzzles .advice").is_hidden()
    assert "0 solved" in page.inner_text("#puzzle-count")
    by_squares(page, list(best.path), keyboard=keyboard)
    shown(page, f"{game}:3:right:line:0")
    assert page.inner_text("#view-puzzles .advice") == puzzle.explanation
    assert page.inner_text("#view-puzzles .task").startswith(f"Right: {puzzle.best}")
    assert "1 solved" in page.inner_text("#puzzle-count")
    forward = page.get_by_role("button", name="One move forward")
    for ply in range(1, len(puzzle.line) + 1):
        if keyboard:
            forward.focus()
            page.keyboard.press("Enter")
        else:
            forward.click()
        shown(page, f"{game}:3:right:line:{ply}")
    assert forward.is_disabled()
    if keyboard:
        # The focus is not lost when the button under it can no longer be pressed.
        assert page.evaluate("document.activeElement.tagName") == "BUTTON"
    page.get_by_role("button", name=f"After {puzzle.second}").click()
    shown(page, f"{game}:3:right:second_line:1")
    page.keyboard.press("n")
    shown(page, f"{game}:4:open:line:0")
    page.reload()
    page.wait_for_selector("#view-puzzles .target")
    assert "1 solved" in page.inner_text("#puzzle-count")


@NEEDS_BROWSER
def test_a_theme_leaves_its_puzzles(browser: Any, address: str) -> None:
    known = puzzles("othello")
    corners = [one.number for one in known if one.theme == "corner"]
    options = "#puzzles-number option"
    with opened(browser, f"{address}#puzzles=othello,1", viewport=DESKTOP) as page:
        shown(page, "othello:1:open:line:0")
        assert page.locator(options).count() == len(known)
        first = page.locator(options).first.inner_text()
        assert first == f"1. {'★' * known[0].stars} {known[0].theme}"
        page.select_option("#puzzles-theme", "corner")
        shown(page, f"othello:{corners[0]}:open:line:0")
        assert page.locator(options).count() == len(corners)
        assert page.get_by_role("button", name="Previous").is_disabled()
        page.keyboard.press("n")
        shown(page, f"othello:{corners[1]}:open:line:0")
        page.select_option("#puzzles-number", str(corners[-1]))
        shown(page, f"othello:{corners[-1]}:open:line:0")
        assert page.get_by_role("button", name="Next").is_disabled()
        # An address outside the theme shows its puzzle all the same.
        outside = next(one.number for one in known if one.theme != "corner")
        page.goto(f"{address}#puzzles=othello,{outside}")
        shown(page, f"othello:{outside}:open:line:0")
        assert page.locator(options).count() == len(known)
        page.goto(f"{address}#puzzles=gomoku-9,1")
        shown(page, "gomoku-9:1:open:line:0")
        page.click("#view-puzzles >> text=Play on from here")
        page.wait_for_function("() => /^#game=/.test(location.hash)")


@NEEDS_BROWSER
@every_look_in_long_runs
def test_everybody_can_read_rules_and_solve_puzzles(
    size: Any, scheme: str, browser: Any, address: str
) -> None:
    start = f"{address}#rules=hex-9"
    with opened(browser, start, "#view-rules .tips", viewport=size, color_scheme=scheme) as page:
        assert page.locator("#view-rules .tips li").count() == 3
        nothing_keeps_anybody_out(page, size["width"])
        page.select_option("#rules-game", "checkers")
        page.wait_for_function("() => /king/.test(document.querySelector('.words').textContent)")
        nothing_keeps_anybody_out(page, size["width"])
        for game in puzzle_games():
            page.goto(f"{address}#puzzles={game},2")
            shown(page, f"{game}:2:open:line:0")
            nothing_keeps_anybody_out(page, size["width"])
            page.keyboard.press("s")
            shown(page, f"{game}:2:wrong:line:0")
            if game in ("othello", "gomoku-9"):
                nothing_keeps_anybody_out(page, size["width"])
        rules_begin_a_game(page, f"{address}#rules=connect-four")


def rules_begin_a_game(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_function("() => document.getElementById('rules-game').value === 'connect-four'")
    assert page.get_attribute("nav [data-view=rules]", "aria-current") == "page"
    page.click("#view-rules .begin")
    page.wait_for_function("() => /^#game=/.test(location.hash)")
    page.wait_for_selector("#view-play .target")
    assert page.locator("#view-play .target").count() == 7


@NEEDS_BROWSER
def test_nothing_is_wider_than_a_small_screen(browser: Any, address: str) -> None:
    with opened(browser, f"{address}#rules=checkers-10", "#view-rules .tips") as page:
        for puzzle in (None, "checkers:1", "othello:20"):
            if puzzle is not None:
                page.goto(f"{address}#puzzles={puzzle.replace(':', ',')}")
                shown(page, f"{puzzle}:open:line:0")
            for size in (LANDSCAPE, SMALL):
                page.set_viewport_size(size)
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= size["width"], page.url
