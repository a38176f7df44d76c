"""Named sets of squares against pictures drawn by hand and against plain geometry."""

import pytest

from evoply.expressions import ExpressionError, class_letters, named_squares, square_sets
from evoply.games import SHAPES, squares_in
from evoply.protocols import BoardShape

SQUARES = list(SHAPES.values())
RECTANGLES = [BoardShape(4, 7), BoardShape(6, 9), BoardShape(9, 10), BoardShape(19, 19)]

CLASSES_8 = """
    a b c d d c b a
    b e f g g f e b
    c f h i i h f c
    d g i j j i g d
    d g i j j i g d
    c f h i i h f c
    b e f g g f e b
    a b c d d c b a
"""
NEAR_CORNERS_8 = """
    . # . . . . # .
    # # . . . . # #
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    # # . . . . # #
    . # . . . . # .
"""
CLASSES_6 = """
    a b c c b a
    b d e e d b
    c e f f e c
    c e f f e c
    b d e e d b
    a b c c b a
"""
CLASSES_4X7 = """
    a b c d c b a
    e f g h g f e
    e f g h g f e
    a b c d c b a
"""


def drawn(picture, mark):
    return sum(1 << index for index, square in enumerate(picture.split()) if square == mark)


@pytest.mark.parametrize(
    ("shape", "picture"),
    [(SHAPES[8], CLASSES_8), (SHAPES[6], CLASSES_6), (BoardShape(4, 7), CLASSES_4X7)],
)
def test_classes_are_lettered_from_the_corner(shape, picture):
    letters = class_letters(shape)
    assert set(letters) == set(picture.split())
    for letter in letters:
        assert named_squares(shape, f"class_{letter}") == drawn(picture, letter)


def test_near_corners_are_twelve_or_four():
    assert named_squares(SHAPES[8], "near_corners") == drawn(NEAR_CORNERS_8, "#")
    assert list(squares_in(named_squares(SHAPES[8], "x_squares"))) == [9, 14, 49, 54]
    near = named_squares(SHAPES[8], "near_corners")
    assert near & ~named_squares(SHAPES[8], "x_squares") == named_squares(SHAPES[8], "c_squares")


def test_class_sizes():
    sizes = [named_squares(SHAPES[8], f"class_{letter}").bit_count() for letter in "abcdefghij"]
    assert sizes == [4, 8, 8, 8, 4, 8, 8, 4, 8, 4]
    assert class_letters(SHAPES[10]) == "abcdefghijklmno"
    assert named_squares(SHAPES[8], "class_a") == named_squares(SHAPES[8], "corners")
    assert (
        named_squares(SHAPES[8], "centre_class_a")
        == named_squares(SHAPES[8], "centre")
        == 0x1818000000
    )


@pytest.mark.parametrize("shape", [*SQUARES, *RECTANGLES[:3], BoardShape(5, 5)], ids=str)
@pytest.mark.parametrize("prefix", ["class_", "centre_class_", "ring_"])
def test_families_share_out_every_square_once(shape, prefix):
    family = [squares for name, squares in square_sets(shape).items() if name.startswith(prefix)]
    assert sum(squares.bit_count() for squares in family) == shape.squares
    union = 0
    for squares in family:
        union |= squares
    assert union == square_sets(shape)["all"] == (1 << shape.squares) - 1


@pytest.mark.parametrize("shape", SQUARES, ids=str)
def test_every_set_has_every_symmetry(shape):
    size = shape.side
    for name, squares in square_sets(shape).items():
        places = {divmod(index, size) for index in squares_in(squares)}
        assert {(column, row) for row, column in places} == places, name
        # A mirror takes dark squares to the others; half a turn does not.
        turned = {(size - 1 - row, column) for row, column in places}
        assert (turned == places) == (name != "dark"), name
        assert {(size - 1 - row, size - 1 - column) for row, column in places} == places, name


@pytest.mark.parametrize("shape", RECTANGLES, ids=str)
def test_every_set_of_a_rectangle_has_its_mirror_images(shape):
    sets = square_sets(shape)
    for name in sets.keys() - {"dark"}:
        places = {divmod(index, shape.columns) for index in squares_in(sets[name])}
        assert places
        assert all(place in shape for place in places), name
        assert {(shape.rows - 1 - row, column) for row, column in places} == places, name
        assert {(row, shape.columns - 1 - column) for row, column in places} == places, name
    assert sets["corners"].bit_count() == 4
    assert sets["near_corners"].bit_count() == 12
    assert sets["edges"].bit_count() == 2 * (shape.rows + shape.columns) - 4
    assert sets["dark"].bit_count() == shape.squares // 2


def test_edges_with_and_without_corners():
    assert named_squares(SHAPES[8], "edges").bit_count() == 28
    assert named_squares(SHAPES[8], "edges_without_corners").bit_count() == 24
    assert named_squares(SHAPES[10], "edges") == named_squares(SHAPES[10], "ring_1")


def test_unknown_names_and_sizes_are_refused():
    with pytest.raises(ExpressionError, match="8x8 board has no squares called 'corner'; did you"):
        named_squares(SHAPES[8], "corner")
    with pytest.raises(ExpressionError, match="it has all, corners"):
        named_squares(SHAPES[4], "zzz")
    for shape in (BoardShape(3, 8), BoardShape(8, 3), BoardShape(2, 2)):
        with pytest.raises(ValueError, match=f"at least 4 rows and 4 columns, not {shape}"):
            square_sets(shape)
