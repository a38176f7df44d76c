"""Boards in a terminal that no game has yet: any rows and columns."""

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from evoply.cli.board_view import board_text, weights_text
from evoply.games import square_number
from evoply.games.squares import is_dark
from evoply.protocols import BoardShape, Cell, Color, Diagram, DiagramSide

OBLONG = BoardShape(6, 9)


def game_on(shape: BoardShape, *, numbered: bool = False) -> Any:
    """Return what the terminal asks of a game, with a black piece on the last square."""
    cells = [
        Cell(
            label=str(square_number(one, shape)) if numbered and is_dark(one, shape) else "",
            is_playable=not numbered or is_dark(one, shape),
        )
        for one in range(shape.squares)
    ]
    cells[-1] = Cell(Color.BLACK, label=cells[-1].label)
    sides = {color: DiagramSide("xX", "xX", 0, "0") for color in Color}
    diagram = Diagram(shape, tuple(cells), sides, Color.BLACK, "", last=(shape.squares - 1,))
    return SimpleNamespace(moves=(), position=SimpleNamespace(diagram=lambda **_: diagram))


@pytest.mark.parametrize("is_colored", [False, True])
@pytest.mark.parametrize("shape", [OBLONG, BoardShape(9, 6), BoardShape(12, 3)], ids=str)
def test_lettered_boards_have_letters_and_rows(shape: BoardShape, is_colored: bool) -> None:
    file = io.TextIOWrapper(io.BytesIO(), "utf-8")
    console = Console(file=file, force_terminal=is_colored, color_system="truecolor")
    head, *rows = board_text(game_on(shape), console).plain.splitlines()
    assert head.split() == list(shape.letters)
    board = rows[: shape.rows]
    assert [int(line[:3]) for line in board] == list(range(1, shape.rows + 1))
    assert {len(line) for line in board} == {3 + 3 * shape.columns}
    assert board[-1].endswith(" ● " if is_colored else "[x]")
    assert not is_colored or board[0].strip() == "1"


def test_numbered_boards_have_numbers() -> None:
    console = Console(file=io.StringIO())
    rows = board_text(game_on(OBLONG, numbered=True), console).plain.splitlines()[:6]
    found = "".join(rows).replace("x<", "").replace(".", "").split()
    assert found == [str(number) for number in range(1, 28)]
    assert {len(line) for line in rows} == {2 + 4 * 9}


def test_weights_stand_on_their_squares() -> None:
    head, *rows = weights_text(
        game_on(OBLONG), range(OBLONG.squares), Console(file=io.StringIO())
    ).splitlines()
    assert head.split() == list(OBLONG.letters)
    numbers = [[row + 1, *range(9 * row, 9 * row + 9)] for row in range(6)]
    numbers[-1].pop()
    assert " ".join(rows).split() == [*(str(one) for row in numbers for one in row), "[x]"]
