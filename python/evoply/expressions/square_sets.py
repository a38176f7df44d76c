"""Named sets of squares, computed from the geometry of a board of any even size.

A set is an int whose bit row*size + column is a square; a1, top left, is bit 0. This module knows
neither pieces nor rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from operator import or_
from string import ascii_lowercase
from types import MappingProxyType

from evoply.expressions.operations import ExpressionError
from evoply.games.squares import SIZES
from evoply.wording import did_you_mean, shorten


@lru_cache(maxsize=16)
def square_sets(size: int) -> Mapping[str, int]:
    """Return every named set of squares of a *size* x *size* board, by name.

    `corners`; `near_corners`, the 12 squares beside a corner, made of `x_squares` (diagonally) and
    `c_squares` (along the edge); `edges` with and `edges_without_corners` without the corners;
    `ring_1` (the edge) inwards; `class_a`, `class_b`, ... the symmetry classes counted from the
    corner, row by row over the upper triangle of a quadrant; `centre_class_a`, ... the same
    classes counted from the centre; `all`.

    >>> sets = square_sets(8)
    >>> [sets[name].bit_count() for name in ("corners", "near_corners", "edges")]
    [4, 12, 28]
    >>> [sets[f"class_{letter}"].bit_count() for letter in "abcdefghij"]
    [4, 8, 8, 8, 4, 8, 8, 4, 8, 4]
    """
    if type(size) is not int or size < 4 or size % 2:
        raise ValueError(f"a board has an even number of rows, 4 or more, not {size!r}")
    half = size // 2
    # A class: its squares' distances from the nearest edges, the smaller first.
    classes = {
        (near, far): _symmetric_squares(size, near, far)
        for near in range(half)
        for far in range(near, half)
    }
    sets = {
        "all": (1 << size * size) - 1,
        "corners": classes[0, 0],
        "near_corners": classes[0, 1] | classes[1, 1],
        "x_squares": classes[1, 1],
        "c_squares": classes[0, 1],
        "centre": classes[half - 1, half - 1],
    }
    for ring in range(half):
        of_ring = [squares for (near, _), squares in classes.items() if near == ring]
        sets[f"ring_{ring + 1}"] = reduce(or_, of_ring)
    sets["edges"] = sets["ring_1"]
    sets["edges_without_corners"] = sets["edges"] & ~sets["corners"]
    sets["dark"] = sum(
        1 << square for square in range(size * size) if sum(divmod(square, size)) % 2
    )
    outwards = reversed(classes.values())
    for letter, squares, other in zip(class_letters(size), classes.values(), outwards, strict=True):
        sets[f"class_{letter}"] = squares
        sets[f"centre_class_{letter}"] = other
    return MappingProxyType(sets)


def _symmetric_squares(size: int, near: int, far: int) -> int:
    last = size - 1
    squares = 0
    for row, column in ((near, far), (far, near)):
        for turned_row in (row, last - row):
            for turned_column in (column, last - column):
                squares |= 1 << turned_row * size + turned_column
    return squares


def class_letters(size: int) -> str:
    """Return the letters of the symmetry classes: "abcdefghij" on 8x8, to "o" on 10x10."""
    half = size // 2
    return ascii_lowercase[: half * (half + 1) // 2]


def named_squares(size: int, name: str) -> int:
    """Return the set called *name* on a board of *size*; `ExpressionError` offers near names."""
    sets = square_sets(size)
    if name not in sets:
        hint = did_you_mean(name, sets) or f"; it has {', '.join(sets)}"
        raise ExpressionError(f"a {size}x{size} board has no squares called {name!r}{hint}")
    return sets[name]


def is_set_name(name: str) -> bool:
    """Return whether some board has a set of squares called *name*."""
    return any(name in square_sets(size) for size in SIZES)


def set_name_hint(name: str) -> str:
    """Return an unknown *name* for a message, with the nearest name or all but lettered classes."""
    if re.fullmatch("[a-z][1-9][0-9]?", name):
        return f"{name!r}; a square by name is in a list: squares([{name!r}])"
    names = dict.fromkeys(one for size in SIZES for one in square_sets(size))
    listed = [one for one in names if "class_" not in one]
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


def square_index(size: int, square: int | str) -> int:
    """Return the index of a square given by index or name ("e4"), checked against the board."""
    if isinstance(square, str):
        column, row = ascii_lowercase.index(square[0]), int(square[1:]) - 1
    else:
        row, column = divmod(square, size)
    if not (0 <= row < size and 0 <= column < size):
        raise ExpressionError(f"square {square!r} is not on a {size}x{size} board")
    return row * size + column
