"""Named sets of squares, computed from the geometry of a board.

A set is an int: bit row * columns + column stands for a square, bit 0 for a1 at the top left. This
module knows neither pieces nor rules.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from string import ascii_lowercase
from types import MappingProxyType

from evoply.expressions.operations import ExpressionError
from evoply.games.squares import SHAPES, is_dark
from evoply.protocols import BoardShape
from evoply.wording import did_you_mean, shorten


@lru_cache(maxsize=16)
def square_sets(shape: BoardShape) -> Mapping[str, int]:
    """Return every named set of squares of a board of *shape*, by name.

    `corners`; `near_corners`, the 12 squares beside a corner, made of `x_squares` (diagonally) and
    `c_squares` (along the edge); `edges` with and `edges_without_corners` without the corners;
    `ring_1` (the edge) inwards; `class_a`, `class_b`, ... the symmetry classes counted from the
    corner, row by row over the upper triangle of a quadrant; `centre_class_a`, ... the same
    classes counted from the centre; `all`. On a board that is not square a class has four squares
    at most. Raises `ValueError` if there are fewer than 4 rows or columns.

    >>> sets = square_sets(BoardShape(8, 8))
    >>> [sets[name].bit_count() for name in ("corners", "near_corners", "edges")]
    [4, 12, 28]
    >>> [sets[f"class_{letter}"].bit_count() for letter in "abcdefghij"]
    [4, 8, 8, 8, 4, 8, 8, 4, 8, 4]
    """
    classes = _classes(shape)
    rings: dict[int, int] = {}
    for distances, squares in classes.items():
        rings[min(distances)] = rings.get(min(distances), 0) | squares
    sets = {
        "all": (1 << shape.squares) - 1,
        "corners": classes[0, 0],
        "near_corners": classes[0, 1] | classes.get((1, 0), 0) | classes[1, 1],
        "x_squares": classes[1, 1],
        "c_squares": classes[0, 1] | classes.get((1, 0), 0),
        "centre": classes[max(classes)],
        **{f"ring_{ring + 1}": squares for ring, squares in rings.items()},
        "edges": rings[0],
        "edges_without_corners": rings[0] & ~classes[0, 0],
        "dark": bits(square for square in range(shape.squares) if is_dark(square, shape)),
    }
    outwards = reversed(classes.values())
    for letter, squares, other in zip(ascii_lowercase, classes.values(), outwards, strict=False):
        sets[f"class_{letter}"] = squares
        sets[f"centre_class_{letter}"] = other
    return MappingProxyType(sets)


def _classes(shape: BoardShape) -> dict[tuple[int, int], int]:
    """Return the classes by the distances of their squares from the nearest edges.

    On a square board the smaller distance comes first, on others the distance by rows.
    """
    if min(shape.rows, shape.columns) < 4:
        raise ValueError(f"a board must have at least 4 rows and 4 columns, not {shape}")
    classes: dict[tuple[int, int], int] = {}
    for square in range(shape.squares):
        row, column = divmod(square, shape.columns)
        down, right = min(row, shape.rows - 1 - row), min(column, shape.columns - 1 - column)
        key = (right, down) if shape.is_square and right < down else (down, right)
        classes[key] = classes.get(key, 0) | 1 << square
    return classes


def class_letters(shape: BoardShape) -> str:
    """Return the letters of the symmetry classes: "abcdefghij" on 8x8, to "o" on 10x10."""
    return ascii_lowercase[: len(_classes(shape))]


RANKS = ("farthest_rank", "nearest_rank")
"""Sets that each side has for itself: the ranks farthest from and nearest to where it begins.

They are written for Black, who begins at the top, and turned half round for White.
"""


def named_squares(shape: BoardShape, name: str) -> int:
    """Return the set called *name* on a board of *shape*; `ExpressionError` offers near names."""
    if name in RANKS or name == "all":
        rank = (1 << shape.columns) - 1
        last = rank << shape.index(shape.rows - 1, 0)
        return {"all": (1 << shape.squares) - 1, RANKS[0]: last, RANKS[1]: rank}[name]
    sets = square_sets(shape)
    if name not in sets:
        hint = did_you_mean(name, sets) or f"; it has {', '.join(sets)}"
        raise ExpressionError(f"a {shape} board has no squares called {name!r}{hint}")
    return sets[name]


def is_set_name(name: str) -> bool:
    """Return whether some board has a set of squares called *name*."""
    return name in RANKS or any(name in square_sets(shape) for shape in SHAPES.values())


def set_name_hint(name: str) -> str:
    """Return an unknown *name* for a message, with the nearest name or most set names."""
    if re.fullmatch("[a-z][1-9][0-9]?", name):
        return f"{name!r}; a square by name is in a list: squares([{name!r}])"
    names = dict.fromkeys(set_name for shape in SHAPES.values() for set_name in square_sets(shape))
    names.update(dict.fromkeys(RANKS))
    listed = [name for name in names if "class_" not in name]
    hint = did_you_mean(name, names) or "."
    return (
        f"{shorten(name)!r}{hint} There are {', '.join(listed)}, class_a, class_b, ... and "
        "centre_class_a, ..."
    )


def bits(indices: Iterable[int]) -> int:
    """Return the set of the squares with these indices."""
    squares = 0
    for index in indices:
        squares |= 1 << index
    return squares


def square_index(shape: BoardShape, square: int | str) -> int:
    """Return the checked index of a square, from an index or a name ("e4")."""
    if isinstance(square, str):
        column, row = ascii_lowercase.index(square[0]), int(square[1:]) - 1
    else:
        row, column = divmod(square, shape.columns)
    if (row, column) not in shape:
        raise ExpressionError(f"square {square!r} is not on a {shape} board")
    return shape.index(row, column)
