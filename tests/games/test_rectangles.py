"""What knows no rules works on boards with any numbers of rows and columns."""

from itertools import product
from string import ascii_lowercase
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from game_strategies import shapes
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply.expressions import straight_tuples, symmetric_copies
from evoply.games import (
    checkers,
    checkers_text,
    drawing,
    othello,
    othello_text,
    square_name,
    square_number,
)
from evoply.games.position import LegalMoves
from evoply.games.squares import is_dark
from evoply.protocols import BoardShape, Cell, Color, Diagram, DiagramSide, InvalidMoveError

SVG = "{http://www.w3.org/2000/svg}"
OBLONG = BoardShape(6, 9)
quick = settings(deadline=None, max_examples=40)


def diagram_of(
    shape: BoardShape, pieces: dict[int, Color], last: tuple[int, ...], *, numbered: bool
) -> Diagram:
    """Return a diagram of *shape*; *numbered* is as in checkers, with numbers on dark squares."""
    cells = []
    for square in range(shape.squares):
        is_playable = not numbered or is_dark(square, shape)
        label = str(square_number(square, shape)) if numbered and is_playable else ""
        color = pieces.get(square) if is_playable else None
        is_legal = is_playable and color is None
        cells.append(Cell(color, label=label, is_playable=is_playable, is_legal=is_legal))
    sides = {
        color: DiagramSide("xX", "oO", sum(cell.color is color for cell in cells), "")
        for color in Color
    }
    return Diagram(shape, tuple(cells), sides, Color.BLACK, "Black to move", last)


@st.composite
def diagrams(draw: st.DrawFn) -> Diagram:
    shape = draw(shapes)
    squares = st.integers(0, shape.squares - 1)
    pieces = draw(st.dictionaries(squares, st.sampled_from(Color), max_size=40))
    last = tuple(draw(st.lists(squares, max_size=3)))
    return diagram_of(shape, pieces, last, numbered=shape.squares > 1 and draw(st.booleans()))


def within(root: ET.Element, shape: BoardShape) -> None:
    """Everything in the picture lies on it, and every square has the place of its own."""
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
    assert width == 2 * 28 + 44 * shape.columns
    for element in root.iter():
        for across, down in (("x", "y"), ("cx", "cy")):
            if across in element.attrib:
                assert 0 <= float(element.attrib[across]) <= width
                assert 0 <= float(element.attrib[down]) <= height


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@given(shapes)
def test_squares_are_counted_row_by_row(shape: BoardShape) -> None:
    places = list(product(range(shape.rows), range(shape.columns)))
    assert [shape.index(*place) for place in places] == list(range(shape.squares))
    assert [divmod(square, shape.columns) for square in range(shape.squares)] == places
    assert all(place in shape for place in places)
    beyond = [(-1, 0), (0, -1), (shape.rows, 0), (0, shape.columns)]
    assert not any(place in shape for place in beyond)
    assert len(shape.letters) == shape.columns
    assert str(shape) == f"{shape.rows}x{shape.columns}"


@given(shapes, st.data())
def test_distances_are_steps_of_a_king(shape: BoardShape, data: st.DataObject) -> None:
    squares = st.integers(0, shape.squares - 1)
    one, other = data.draw(squares), data.draw(squares)
    reached, steps = {divmod(one, shape.columns)}, 0
    while divmod(other, shape.columns) not in reached:
        around = product((-1, 0, 1), repeat=2)
        reached = {(row + down, column + right)
                   for (down, right), (row, column) in product(list(around), reached)}  # fmt: skip
        reached = {place for place in reached if place in shape}
        steps += 1
    assert shape.distance(one, other) == shape.distance(other, one) == steps


def test_only_a_square_board_has_a_side() -> None:
    assert (BoardShape(8, 8).side, BoardShape(8, 8).symmetries) == (8, range(8))
    assert OBLONG.symmetries == range(4)
    with pytest.raises(ValueError, match="a board of 6x9 is not square"):
        _ = OBLONG.side


@quick
@given(diagrams())
def test_a_picture_shows_every_piece_and_square(diagram: Diagram) -> None:
    position: Any = SimpleNamespace(diagram=lambda **_: diagram)
    root = ET.fromstring(drawing.board_svg(position))
    within(root, diagram.shape)
    assert float(root.attrib["height"]) == 2 * 28 + 44 * diagram.shape.rows + 12
    rings = [one for one in root.iter(f"{SVG}circle") if one.attrib["r"] == "6"]
    assert len(rings) == sum(cell.is_legal for cell in diagram.cells)
    assert len({(one.attrib["cx"], one.attrib["cy"]) for one in rings}) == len(rings)
    written = texts(root)
    numbers = [str(number + 1) for number in range(diagram.shape.rows)]
    edges = [*diagram.shape.letters, *numbers]
    labels = [cell.label for cell in diagram.cells if cell.label]
    shown = labels if diagram.is_numbered else edges
    # After them come the counts of both sides and the status.
    assert sorted(written[: len(shown)]) == sorted(shown)
    assert len(written) == len(shown) + 3


@quick
@given(shapes, st.data())
def test_a_heat_map_has_every_value_where_it_belongs(
    shape: BoardShape, data: st.DataObject
) -> None:
    values = data.draw(
        st.lists(st.integers(-99, 99), min_size=shape.squares, max_size=shape.squares)
    )
    labels = data.draw(st.sampled_from([None, {shape.squares - 1: "last"}]))
    root = ET.fromstring(drawing.heat_map_svg(shape, values, caption="below", labels=labels))
    within(root, shape)
    written = [text.replace("\N{MINUS SIGN}", "-") for text in texts(root)]
    assert written[-1] == "below"
    if labels:
        assert written[:-1] == [str(values[-1]), "last"]
    else:
        assert written[-1 - shape.squares : -1] == [str(value) for value in values]
    with pytest.raises(ValueError, match=f"a {shape} board has {shape.squares} squares, not 0"):
        drawing.heat_map_svg(shape, [])


@st.composite
def rows_of_pieces(draw: st.DrawFn, shape: BoardShape, *, dark: bool) -> Any:
    """Return a row of the kernel with pieces anywhere on the board, or on its dark squares."""
    allowed = sum(1 << one for one in range(shape.squares) if not dark or is_dark(one, shape))
    sets = st.integers(0, (1 << shape.squares) - 1)
    black = draw(sets) & allowed
    white = draw(sets) & allowed & ~black
    kings = (black | white) & draw(sets) if dark else 0
    return black, white, kings, draw(st.booleans()), 0, 0


@quick
@given(shapes, st.data())
def test_boards_of_checkers_read_back(shape: BoardShape, data: st.DataObject) -> None:
    row = data.draw(rows_of_pieces(shape, dark=True))
    for written in (checkers_text.format_board, checkers_text.format_diagram):
        if shape.columns > 1 or written is checkers_text.format_board:
            assert checkers_text.parse_board(written(shape, row), shape) == row


@quick
@given(shapes, st.data())
def test_boards_of_othello_are_written_row_by_row(shape: BoardShape, data: st.DataObject) -> None:
    row = data.draw(rows_of_pieces(shape, dark=False))
    cells, side = othello_text.format_board(shape, row).split(" ")
    assert len(cells) == shape.squares
    head, *lines, last = othello_text.format_diagram(shape, row).splitlines()
    assert head.split() == list(shape.letters)
    assert [line.split()[0] for line in lines] == [str(one + 1) for one in range(shape.rows)]
    assert "".join("".join(line.split()[1:]) for line in lines) == cells
    assert last == f"{side} to move"


@quick
@given(shapes, st.data())
def test_moves_of_othello_read_back(shape: BoardShape, data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.integers(0, shape.squares), max_size=30))
    moves = [othello.Move.from_code(code, shape) for code in codes]
    assert [move.code(shape) for move in moves] == codes
    assert [othello.Move.parse(str(move), shape) for move in moves] == moves
    words = othello_text.TranscriptWords(" ".join(map(str, moves)), shape)
    assert [word.text for word in words] == [str(move) for move in moves]
    legal = LegalMoves(tuple(codes), shape, othello.Move)
    assert list(legal) == moves
    assert all(move in legal for move in moves)
    with pytest.raises(InvalidMoveError, match=f"{shape.squares + 1} is not a move code"):
        othello.Move.from_code(shape.squares + 1, shape)


def test_moves_of_checkers_read_back() -> None:
    found = 0
    for path in product(range(OBLONG.squares), repeat=2):
        try:
            move = checkers.Move(path, OBLONG)
        except InvalidMoveError:
            continue
        found += 1
        assert OBLONG.distance(*path) == 1 + move.is_capture
        assert checkers.Move.from_code(move.code(OBLONG), OBLONG) == move
        assert checkers.Move.parse(str(move), OBLONG) == move
    # Both ways: the diagonal neighbours of dark squares, and those beyond them.
    assert found == 2 * (5 * 8) + 2 * (4 * 7)


@given(shapes.filter(lambda shape: not shape.is_square), st.data())
def test_copies_of_a_pattern_are_mirror_images(shape: BoardShape, data: st.DataObject) -> None:
    square = data.draw(st.integers(0, shape.squares - 1))
    row, column = divmod(square, shape.columns)
    images = {
        square_name(shape.index(one, other), shape)
        for one in (row, shape.rows - 1 - row)
        for other in (column, shape.columns - 1 - column)
    }
    assert {name for (name,) in symmetric_copies([square], shape)} == images


def test_straight_tuples_of_a_rectangle() -> None:
    shape = BoardShape(3, 4)
    lines = {
        frozenset(copy) for one in straight_tuples(3, shape)
        for copy in symmetric_copies(one.split(), shape)
    }  # fmt: skip
    # Two in each row, one in each column, two diagonals each way.
    assert len(lines) == 3 * 2 + 4 + 2 * 2
    assert all(name[0] in ascii_lowercase[:4] and name[1] in "123" for one in lines for name in one)
