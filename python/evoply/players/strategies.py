"""Strategies of an online player: a weight for each area of the board, and three flags.

A strategy values a move by the square where it ends and by nothing else, unless options of the
player let it see the board after the move. An area is the set of squares that the symmetries of the
board exchange. In Othello the four centre squares, which are filled from the start, are in no area.

Source: Frankland & Pillay, "Evolving Game Playing Strategies for Othello" (CEC 2015). Its figure of
the nine areas is lost. Here they are the unordered pairs of row and column in a 4x4 quadrant, the
corner being (1, 1), without the centre.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from evoply.games import game_rules
from evoply.games.squares import is_dark
from evoply.gp.tree import bracketed
from evoply.protocols import BoardShape

Scope = Literal["quadrant", "board", "edge8"]
"""The squares whose weights the first two flags double: the corners and edges of a quadrant, as in
the one example of the paper; those of the board; or the corners of the board and the eight squares
two away from them along an edge."""

FLAGS = ("corners", "edges", "most_pieces")
"""The flags, in the paper tCnrH, tEdgH and tCntH. The first two double the weights of corners and
of edges; with the third the move that leaves most own pieces wins a tie."""

MEASURES = ("mobility", "frontier")
"""The optional measures, as terminals tMobH and tFrnH: what each legal move that the opponent has
after a move costs, and each own piece beside an empty square, in eighths of a weight."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PAPERS_ORDER = "ABDEHIGCF"
"""The areas of tBH1 to tBH9."""


@dataclass(frozen=True)
class Areas:
    """The areas of one board."""

    shape: BoardShape
    of_square: tuple[int, ...]
    """The area of every square, row by row; -1 for squares in none."""
    letters: str
    """The letter of every area, in the order of the terminals tBH1, tBH2, ..."""
    corners: frozenset[int]
    """Squares whose weight the first flag doubles."""
    edges: frozenset[int]
    """Squares whose weight the second flag doubles; no corner is one."""


@dataclass(frozen=True)
class Strategy:
    """A strategy as it was decoded from a tree."""

    areas: Areas
    weights: tuple[int, ...]
    """The weight of every area; 0 for one that the tree does not name."""
    flags: tuple[bool, bool, bool]
    """In the order of `FLAGS`."""
    measures: tuple[int, ...] = ()
    """In the order of `MEASURES`; none if strategies have none."""

    @cached_property
    def board(self) -> tuple[int, ...]:
        """What a move to each square is worth, row by row; 0 for squares in no area."""
        corners, edges, _ = self.flags
        return tuple(
            (0 if area < 0 else self.weights[area])
            * (
                1
                + (
                    (corners and square in self.areas.corners)
                    or (edges and square in self.areas.edges)
                )
            )
            for square, area in enumerate(self.areas.of_square)
        )


def tree_text(codes: Sequence[int], areas: Areas) -> str:
    """Return as text a tree that the kernel gives as codes in prefix order.

    The number of a node is its code plus 256 times its value. Codes 0 and 1 are fArg2 and fArg3,
    which have two and three operands. Then come the areas with their weights, the flags with 0 or
    1, and the measures with their weights.

    >>> tree_text([0, 2 + 256 * 28, 11 + 256], areas_of("othello"))
    '( fArg2 tBH1[28] tCnrH[true] )'
    """
    names = ["fArg2", "fArg3", *(f"tBH{index + 1}" for index in range(len(areas.letters)))]
    flags = range(len(names), len(names) + 3)
    names += ["tCnrH", "tEdgH", "tCntH", "tMobH", "tFrnH"]
    words: list[tuple[str, int]] = []
    for node in codes:
        value, code = divmod(node, 256)
        if code < 2:
            words.append((names[code], code + 2))
        else:
            text = ("false", "true")[value] if code in flags else value
            words.append((f"{names[code]}[{text}]", 0))
    return bracketed(words)


@lru_cache(maxsize=64)
def areas_of(game: str, scope: Scope = "quadrant") -> Areas:
    """Return the areas of *game*'s board, and what the flags double in *scope*.

    In checkers an area has the dark squares that half a turn of the board and the reversal of a row
    exchange. A quadrant has no corner there, so *scope* changes nothing.

    >>> areas = areas_of("othello")
    >>> [areas.letters[areas.of_square[square]] for square in (0, 1, 2, 3, 9, 10, 11, 18, 19)]
    ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I']
    """
    rules = game_rules(game)
    shape, is_whole = rules.shape, len(rules.symmetries) == 8
    keys: list[tuple[int, int] | None] = []
    middle = (shape.rows - 1) // 2, (shape.columns - 1) // 2
    for square in range(shape.squares):
        row, column = divmod(square, shape.columns)
        row = min(row, shape.rows - 1 - row)
        if is_whole:
            key = row, min(column, shape.columns - 1 - column)
            keys.append(None if key == middle else (min(key), max(key)))
        else:
            file = min(column // 2, middle[1] - column // 2)
            keys.append((row, file) if is_dark(square, shape) else None)
    known = sorted({key for key in keys if key is not None})
    letters = _LETTERS[: len(known)]
    order = _PAPERS_ORDER if sorted(_PAPERS_ORDER) == list(letters) else letters
    number = {key: order.index(letter) for key, letter in zip(known, letters, strict=True)}
    corners, edges = _corners_and_edges(shape, quadrant=is_whole and scope == "quadrant")
    in_area = {square for square, key in enumerate(keys) if key is not None}
    if scope == "edge8" and is_whole:
        edges = {square for square, key in enumerate(keys) if key == (0, 2)}
    return Areas(
        shape=shape,
        of_square=tuple(-1 if key is None else number[key] for key in keys),
        letters=order,
        corners=frozenset(corners & in_area),
        edges=frozenset(edges & in_area),
    )


def _corners_and_edges(shape: BoardShape, *, quadrant: bool) -> tuple[set[int], set[int]]:
    """Return the corners and the other border squares of the board, or of its four quadrants."""
    rows, columns = (
        {0, side // 2 - 1, side // 2, side - 1} if quadrant else {0, side - 1}
        for side in (shape.rows, shape.columns)
    )
    corners = {shape.index(row, column) for row in rows for column in columns}
    border = {
        square
        for square in range(shape.squares)
        if square // shape.columns in rows or square % shape.columns in columns
    }
    return corners, border - corners
