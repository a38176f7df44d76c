"""The board of the page by itself: any rows and columns, without a game that has them."""

from typing import Any

from web_browser import DESKTOP, NEEDS_BROWSER, opened

pytestmark = NEEDS_BROWSER

SHOWN = """async ([rows, columns]) => {
    const { Board } = await import('/static/board.js');
    document.getElementById('oblong')?.remove();
    const place = document.createElement('div');
    place.id = 'oblong';
    document.body.append(place);
    const squares = Array.from({ length: rows * columns }, (_, square) => `s${square}`);
    const board = new Board(place, (square) => { document.body.dataset.chosen = square; });
    board.show({ rows, columns, squares, labels: squares.map(() => ''),
                 cells: '.'.repeat(rows * columns), turn: 'black', last: [rows * columns - 1] });
    board.focusSquare();
}"""
FOCUSED = "() => Number(document.activeElement.dataset.square)"


def test_rectangles(browser: Any, address: str) -> None:
    with opened(browser, address, ready="#new", viewport=DESKTOP) as page:
        page.wait_for_load_state("networkidle")
        for rows, columns in ((6, 9), (9, 6), (10, 8)):
            a_rectangle_is_drawn_and_chosen_from(page, rows, columns)


def a_rectangle_is_drawn_and_chosen_from(page: Any, rows: int, columns: int) -> None:
    page.evaluate(SHOWN, [rows, columns])
    width, height = 2 * 28 + 44 * columns, 2 * 28 + 44 * rows
    assert page.get_attribute("#oblong svg", "viewBox") == f"0 0 {width} {height}"
    lengths = page.evaluate(
        "() => [...document.querySelectorAll('#oblong [role=row]')]"
        ".map((row) => row.childElementCount)"
    )
    assert lengths == [columns] * rows
    edges = page.locator("#oblong text.edge").all_text_contents()
    letters = [chr(ord("a") + column) for column in range(columns)]
    assert edges == [*letters, *(str(row + 1) for row in range(rows))]
    last = page.locator("#oblong circle.last")
    assert float(last.get_attribute("cx")) == width - 28 - 22
    assert float(last.get_attribute("cy")) == height - 28 - 22
    assert page.locator("#oblong circle.dot").count() == (4 if min(rows, columns) >= 8 else 0)
    for key, square in (
        ("End", columns - 1), ("ArrowRight", columns - 1), ("ArrowDown", 2 * columns - 1),
        ("Home", columns), ("ArrowUp", 0),
        *(("ArrowDown", row * columns) for row in range(1, rows)),
        ("ArrowDown", (rows - 1) * columns), ("ArrowRight", (rows - 1) * columns + 1),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate(FOCUSED) == square, key
    page.keyboard.press("Enter")
    assert page.get_attribute("body", "data-chosen") == str((rows - 1) * columns + 1)
