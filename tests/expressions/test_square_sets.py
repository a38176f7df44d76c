"""Named sets of squares against pictures drawn by hand and against plain geometry."""

import pytest

from evoply.expressions import ExpressionError, class_letters, named_squares, square_sets
from evoply.games import squares_in

SIZES = [4, 6, 8, 10]

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


def drawn(picture, mark):
    return sum(1 << index for index, square in enumerate(picture.split()) if square == mark)


@pytest.mark.parametrize(("size", "picture"), [(8, CLASSES_8), (6, CLASSES_6)])
def test_classes_are_lettered_from_the_corner(size, picture):
    for letter in class_letters(size):
        assert named_squares(size, f"class_{letter}") == drawn(picture, letter)


def test_near_corners_are_twelve_or_four():
    assert named_squares(8, "near_corners") == drawn(NEAR_CORNERS_8, "#")
    assert list(squares_in(named_squares(8, "x_squares"))) == [9, 14, 49, 54]
    near = named_squares(8, "near_corners")
    assert near & ~named_squares(8, "x_squares") == named_squares(8, "c_squares")


def test_class_sizes():
    sizes = [named_squares(8, f"class_{letter}").bit_count() for letter in "abcdefghij"]
    assert sizes == [4, 8, 8, 8, 4, 8, 8, 4, 8, 4]
    assert class_letters(10) == "abcdefghijklmno"
    assert named_squares(8, "class_a") == named_squares(8, "corners")
    assert named_squares(8, "centre_class_a") == named_squares(8, "centre") == 0x1818000000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("prefix", ["class_", "centre_class_", "ring_"])
def test_families_share_out_every_square_once(size, prefix):
    family = [squares for name, squares in square_sets(size).items() if name.startswith(prefix)]
    assert sum(squares.bit_count() for squares in family) == size * size
    union = 0
    for squares in family:
        union |= squares
    assert union == square_sets(size)["all"] == (1 << size * size) - 1


@pytest.mark.parametrize("size", SIZES)
def test_every_set_has_every_symmetry(size):
    for name, squares in square_sets(size).items():
        places = {divmod(index, size) for index in squares_in(squares)}
        assert {(column, row) for row, column in places} == places, name
        # A mirror takes dark squares to the others; half a turn does not.
        turned = {(size - 1 - row, column) for row, column in places}
        assert (turned == places) == (name != "dark"), name
        assert {(size - 1 - row, size - 1 - column) for row, column in places} == places, name


def test_edges_with_and_without_corners():
    assert named_squares(8, "edges").bit_count() == 28
    assert named_squares(8, "edges_without_corners").bit_count() == 24
    assert named_squares(10, "edges") == named_squares(10, "ring_1")


def test_unknown_names_and_sizes_are_refused():
    with pytest.raises(ExpressionError, match="8x8 board has no squares called 'corner'; did you"):
        named_squares(8, "corner")
    with pytest.raises(ExpressionError, match="it has all, corners"):
        named_squares(4, "zzz")
    for size in (5, 2, "8"):
        with pytest.raises(ValueError, match="even number of rows"):
            square_sets(size)
