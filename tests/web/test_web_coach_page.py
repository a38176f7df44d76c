"""The page as a coach: hints, values, reviews, and why a click is refused."""

import os
import re
from typing import Any

from web_browser import (
    DESKTOP,
    LANDSCAPE,
    NEEDS_BROWSER,
    PHONE,
    begin,
    by_mouse,
    moves_are,
    nothing_keeps_anybody_out,
    opened,
    paste,
    wait_for_turn,
)

pytestmark = NEEDS_BROWSER

LONG = "EVOPLY_LONG" in os.environ
RANDOM_GAME = (
    "f5f6e6f4g6d7c3c5d3g4c6c4e8g7f3c7h4b2g5h3b4f2e7e3g8a4c2c8b5d6a2c1b1h8d1a5h2e2b7a6g3f7g2h5d2b6"
    "h7g1h6a1a7d8f1h1b3e1b8a8a3f8"
)


def _advice(page: Any, having: str) -> str:
    page.wait_for_function(
        """having => !document.getElementById('advice').hidden
        && document.getElementById('advice').textContent.includes(having)""",
        arg=having,
    )
    return str(page.inner_text("#advice"))


def test_hints_and_values(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        undo_leaves_no_values_of_another_board(page)
        for game, unit in (("othello", r"[+-]?\d+(\.\d)?"), ("checkers", r"\d")):
            a_hint_is_the_advisers_whoever_plays(page, game, unit)
        what_it_would_play_is_a_question_of_its_own(page)
        hint_and_rings_end_with_their_game(page)


def undo_leaves_no_values_of_another_board(page: Any) -> None:
    begin(page, "othello", white="person")
    page.keyboard.press("v")
    page.wait_for_selector(".board .value")
    first = sorted(page.locator(".board .value-text").all_text_contents())
    page.click("[data-name=f5]")
    moves_are(page, 1)
    page.wait_for_selector("[aria-label^='d6, empty'][aria-label*=value]")
    page.keyboard.press("u")
    moves_are(page, 0)
    page.wait_for_selector("[aria-label^='f5, empty'][aria-label*=value]")
    assert page.locator("[aria-label^='d6, empty'][aria-label*=value]").count() == 0
    assert sorted(page.locator(".board .value-text").all_text_contents()) == first
    page.keyboard.press("v")
    assert page.locator(".board .value").count() == 0


def a_hint_is_the_advisers_whoever_plays(page: Any, game: str, unit: str) -> None:
    begin(page, game, white="strong:level=2")
    wait_for_turn(page)
    if game == "othello":
        page.click("[data-name=f5]")
        moves_are(page, 2)
        wait_for_turn(page)
    page.keyboard.press("h")
    said = _advice(page, " is best (")
    found = re.match(r"(\S+) is best \((.+?)\), looking (\d+) moves? ahead", said)
    assert found, said
    best, value, depth = found.groups()
    assert re.match(unit, value)
    assert int(depth) >= 1
    # The reason is about the move that the hint names.
    reason = said[found.end() :]
    named = re.search(r"It plays (\S+)", reason)
    assert named is None or named[1] == best, said
    # The best of the values is that move, with that value.
    page.keyboard.press("v")
    page.wait_for_selector(".board .value-text.best")
    assert value in page.locator(".board .value-text.best").all_text_contents()[0]
    # Not that of the opponent, which is strong:level=2.
    assert page.inner_text("#values-note").endswith("By strong.")
    assert ("discs" if game == "othello" else "expected points") in page.inner_text("#values-note")
    page.keyboard.press("v")


def what_it_would_play_is_a_question_of_its_own(page: Any) -> None:
    begin(page, "othello", white="greedy")
    wait_for_turn(page)
    page.click("[data-name=f5]")
    moves_are(page, 2)
    wait_for_turn(page)
    page.keyboard.press("w")
    said = _advice(page, "would play")
    found = re.match(r"Grabs what it can would play (\S+) in your place\. (.+)", said)
    assert found, said
    assert f"plays {found[1]}" in found[2]
    assert page.locator(".board .ring.theirs").count() == 1
    begin(page, "othello", white="person")
    assert page.locator("#choice").is_disabled()
    assert page.locator("#advice").is_hidden()


def hint_and_rings_end_with_their_game(page: Any) -> None:
    begin(page, "othello", white="person")
    page.click("[data-name=f5]")
    moves_are(page, 1)
    page.keyboard.press("h")
    _advice(page, " is best (")
    assert page.locator(".board .ring.best").count() == 1
    begin(page, "checkers")
    wait_for_turn(page)
    assert page.locator("#advice").is_hidden()
    assert page.locator(".board .ring").count() == 0
    # They end with their board, too.
    page.keyboard.press("h")
    _advice(page, " is best (")
    by_mouse(page)
    page.locator(".target:not([aria-label*='man'])").first.click()
    page.wait_for_function("() => document.querySelectorAll('#moves li').length > 0")
    assert page.locator("#advice").is_hidden()


COUNTING = """() => {
    Object.assign(window, { told: 0, asked: 0, clicks: 0 });
    window.WebSocket = class extends WebSocket {
        set onmessage(hear) {
            super.onmessage = async (event) => {
                await window.silence;
                hear(event);
                window.told += 1;
            };
        }
    };
    const plain = window.fetch;
    window.fetch = (...what) => { window.asked += 1; return plain(...what); };
    window.AudioContext = class extends AudioContext {
        createOscillator() { window.clicks += 1; return super.createOscillator(); }
    };
}"""
"""Counts what the server tells by itself, what it is asked, and what is heard."""
SILENCE = "() => { window.silence = new Promise((done) => { window.speak = done; }); }"


def test_the_table(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=DESKTOP) as page:
        page.evaluate(COUNTING)
        a_click_that_is_refused_says_why(page)
        moves_are_heard_if_somebody_wants_that(page)
        take_over_between_two_persons_says_why_not(page)
        a_flipped_board_is_the_same_game(page)
        the_answer_is_announced_and_shortcuts_can_be_switched_off(page)


def a_click_that_is_refused_says_why(page: Any) -> None:
    page.evaluate(SILENCE)
    begin(page, "othello", white="person")
    page.click("[data-name=a1]")
    page.evaluate("window.speak()")
    page.wait_for_function("() => window.told > 0")  # what is no news leaves it there
    assert page.inner_text("#status") == "a1 takes nothing. Black to move."
    page.click("[data-name=e4]")
    assert page.inner_text("#status").startswith("e4 is taken.")
    page.click("[data-name=f5]")
    moves_are(page, 1)
    assert page.inner_text("#status") == "White to move."
    paste(page, "11-15 22-18", "checkers")
    page.click("[data-name='9']")
    assert page.inner_text("#status").startswith("9 cannot capture: you must capture with 15.")
    page.click("[data-name='16']")
    assert page.inner_text("#status").startswith("You must capture with 15.")
    page.click("[data-name='32']")
    assert page.inner_text("#status").startswith("The piece on 32 is White's.")
    page.click("[data-name='15']")
    page.click("[data-name='19']")
    assert "15 cannot go to 19: you must capture, and go to 22." in page.inner_text("#status")
    page.click("[data-name='22']")
    moves_are(page, 3)


def moves_are_heard_if_somebody_wants_that(page: Any) -> None:
    begin(page, "othello", white="person")
    page.click("[data-name=f5]")
    moves_are(page, 1)
    assert page.evaluate("window.clicks") == 0
    page.check("#wish-sound")
    page.click("[data-name=d6]")
    moves_are(page, 2)
    assert page.evaluate("window.clicks") == 1
    page.uncheck("#wish-sound")


def take_over_between_two_persons_says_why_not(page: Any) -> None:
    begin(page, "checkers", white="person")
    assert page.get_attribute("#take-over", "aria-disabled") == "true"
    page.locator("#take-over").focus()
    page.keyboard.press("Enter")
    assert "yours already" in page.inner_text("#message")
    assert page.get_attribute("[data-name='7']", "aria-label").startswith("7, black man")


def a_flipped_board_is_the_same_game(page: Any) -> None:
    begin(page, "othello", white="person")
    page.click("#flip")
    corner, middle = (page.locator(f"[data-name={name}]").bounding_box() for name in ("a1", "d4"))
    assert corner["x"] > middle["x"]
    assert corner["y"] > middle["y"]
    sides = [page.locator(f"#side-{color}").bounding_box()["y"] for color in ("black", "white")]
    assert sides[0] < sides[1]
    page.locator("[data-name=h8]").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.name") == "g8"
    page.click("[data-name=f5]")
    moves_are(page, 1)
    names = page.locator("[role=row]").first.locator("[data-square]")
    assert names.first.get_attribute("data-name") == "h8"
    page.click("#flip")


def the_answer_is_announced_and_shortcuts_can_be_switched_off(page: Any) -> None:
    begin(page, "othello", white="greedy")
    wait_for_turn(page)
    page.click("[data-name=f5]")
    moves_are(page, 2)
    move = page.locator("#moves li").last.inner_text().split()[-1]
    assert page.inner_text("#said") == f"White plays {move}."
    assert page.get_attribute("#said", "aria-live") == "polite"
    page.uncheck("#wish-keys")
    page.locator("h1").click()
    before = page.evaluate("window.asked")
    page.keyboard.press("u")
    page.keyboard.press("v")
    assert page.evaluate("window.asked") == before
    assert page.locator("#moves li").count() == 2
    assert page.get_attribute("#values", "aria-pressed") == "false"
    page.reload()
    page.wait_for_selector(".target")
    assert not page.is_checked("#wish-keys")
    page.check("#wish-keys")
    page.locator("h1").click()
    page.keyboard.press("u")
    moves_are(page, 0)


def test_a_phone_shows_reviews_and_lies_on_its_side(browser: Any, address: str) -> None:
    with opened(browser, address, viewport=PHONE) as page:
        only_new_moves_are_looked_at_again(page)
        the_opponents_mistakes_are_folded_and_her_level_decides(page)
        a_review_shows_the_curve_and_plays_the_better_line(page)
        page.click("nav >> text=Play")
        page.set_viewport_size(LANDSCAPE)
        for game in ("othello", "checkers-10", "hex-9") if LONG else ("othello",):
            a_phone_on_its_side_shows_board_and_status(page, game)


def a_review_shows_the_curve_and_plays_the_better_line(page: Any) -> None:
    begin(page, "othello", white="strong:level=2")
    page.fill("#review-text", RANDOM_GAME)
    page.click("#review-paste button")
    moves_are(page, 60)
    page.wait_for_selector(".curve")
    assert "numbers may still change" in page.inner_text("#review-note")
    page.wait_for_selector("#analyse:not(:disabled)")
    assert re.fullmatch(
        r"Looked \d moves ahead(, some moves further)?; the last 16 squares exactly\.",
        page.inner_text("#review-note"),
    )
    for color in ("Black", "White"):
        mistakes = page.locator(f"[aria-label^='Mistakes of {color}'] li").all_inner_texts()
        losses = [float(re.search(r"lost ([\d.]+) discs", one)[1]) for one in mistakes]  # type: ignore[index]
        assert losses == sorted(losses, reverse=True)
        for one, loss in zip(mistakes, losses, strict=True):
            grade = "blunder" if loss >= 10 else "mistake" if loss >= 5 else "inaccuracy"
            assert re.match(rf"\d+\. {color} ", one)
            assert f" {grade} " in one
    mistakes = page.locator("#mistakes li").all_inner_texts()
    accuracy = page.locator("#accuracy li").all_inner_texts()
    for color, said in zip(("Black", "White"), accuracy, strict=True):
        share, good, all_of = re.match(rf"{color}: (\d+) % \((\d+) of (\d+) moves\)", said).groups()  # type: ignore[union-attr]
        assert int(share) == round(100 * int(good) / int(all_of))
    assert "inaccuracy ?! 2" in page.inner_text("#review-more")
    nothing_keeps_anybody_out(page, PHONE["width"])

    found = re.match(r"(\d+)\. (\w+) (\w+) .*better was (\w+)", mistakes[0])
    assert found, mistakes[0]
    ply, better = int(found[1]), found[4]
    page.locator("#mistakes button").first.click()
    page.wait_for_selector("#line:not([hidden])")
    assert page.locator(".board .ring.best").count() == 1
    assert page.locator(".board .ring.played").count() == 1
    page.click("#forward")
    assert "move 1 of" in page.inner_text("#status")
    assert page.get_attribute(f"[data-name={better}]", "aria-label").endswith("last move")
    page.click("#forward")
    page.click("#back")
    page.click("#play-on")
    moves_are(page, ply)
    assert page.locator("#moves li").last.inner_text().split()[-1] == better
    assert page.query_selector(".target") is not None
    # The whole game lies behind it.
    page.click("text=Games")
    page.wait_for_selector("#games-list td >> text=60")


def the_opponents_mistakes_are_folded_and_her_level_decides(page: Any) -> None:
    paste(page, RANDOM_GAME, white="strong:level=2")
    moves_are(page, 60)
    page.click("#analyse")
    page.wait_for_selector("#analyse:not(:disabled)", timeout=20_000)
    assert page.input_value("#review-bounds") == "2"
    assert "inaccuracy ?! 11 discs" in page.inner_text("#review-more")
    assert page.is_visible("[aria-label^='Mistakes of Black']")
    assert page.is_hidden("[aria-label^='Mistakes of White']")
    few = page.locator("#mistakes li").count()
    page.select_option("#review-bounds", "usual")
    assert "inaccuracy ?! 2 discs" in page.inner_text("#review-more")
    many = page.locator("#mistakes li").count()
    assert many > few > 0
    page.reload()
    page.wait_for_selector("[aria-label^='Mistakes of Black']")
    assert "As it was reviewed before." in page.inner_text("#review-note")
    assert page.locator("#mistakes li").count() == few


def only_new_moves_are_looked_at_again(page: Any) -> None:
    paste(page, "f5d6c3d3c4f4")
    page.click("#analyse")
    page.wait_for_selector("#analyse:not(:disabled)")
    asked: list[Any] = []
    page.on("request", lambda one: one.url.endswith("/review") and asked.append(one.post_data_json))
    page.click(".target >> nth=0")
    moves_are(page, 7)
    assert "not looked at" in page.inner_text("#review-note")
    page.click("#analyse")
    page.wait_for_selector("#analyse:not(:disabled)")
    assert {(one["since"], one["count"]) for one in asked if one["depth"] <= 6} == {(6, 1)}


def a_phone_on_its_side_shows_board_and_status(page: Any, game: str) -> None:
    begin(page, game, white="random")
    wait_for_turn(page)
    page.evaluate("scrollTo(0, 0)")
    for place in ("#board", "#status", "#side-white", "#side-black", "#hint"):
        box = page.locator(place).bounding_box()
        assert box["y"] >= 0, place
        assert box["y"] + box["height"] <= LANDSCAPE["height"], place
    assert page.locator("#board").bounding_box()["width"] > 250
    nothing_keeps_anybody_out(page, LANDSCAPE["width"])
    # The board stays while one looks at what is below.
    page.locator("#copy").scroll_into_view_if_needed()
    assert page.locator("#board").bounding_box()["y"] >= 0
