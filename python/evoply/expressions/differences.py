"""Features that subtract the opponent's count from the own count.

These are the features of FIREBRAND (Almgren, Berglund & Milstein) for Othello boards of every
size, and the simplest ones of checkers. Learners divide each by its scale: a bound, or a value that
it hardly ever exceeds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

from evoply.expressions import features
from evoply.expressions.expression import Expression, Number, Squares
from evoply.expressions.functions import board, clamp, count, divide, number, select, squares
from evoply.protocols import BoardShape
from evoply.wording import did_you_mean

_LAST_PLY = 75
"""The ply, counted in discs beyond the first four, from which FIREBRAND ignored locked pieces."""


_ORDINALS = ("", "first", "second", "third", "fourth", "fifth")


_ALL = squares("all")


_EDGES = squares("edges")


_ROW_ENDS = ~_ALL.shift("s") | ~_ALL.shift("n")


_COLUMN_ENDS = ~_ALL.shift("e") | ~_ALL.shift("w")


@dataclass(frozen=True)
class Difference:
    """A feature: *of* one side ("own" or "opponent") minus *of* the other."""

    title: str
    """What it counts, in words that follow "more"; a number in brackets is the paper's."""
    of: Callable[[str], Number]
    scale: Callable[[BoardShape], float]
    """The scale by the shape of the board."""

    @cached_property
    def expression(self) -> Number:
        """The own count minus the opponent's."""
        return self.of("own") - self.of("opponent")


def _other(side: str) -> str:
    return "opponent" if side == "own" else "own"


def _inside(name: str) -> Callable[[str], Number]:
    return lambda side: count(features.pieces_of(side) & squares(name))


def locked_always(side: str) -> Number:
    """Return the number of discs of *side* between two opposing neighbours on a line (7a)."""
    other = features.pieces_of(_other(side))
    lines = (("n", "s"), ("e", "w"), ("ne", "sw"), ("nw", "se"))
    between = [other.shift(direction) & other.shift(opposite) for direction, opposite in lines]
    caught = between[0] | between[1] | between[2] | between[3]
    return count(features.pieces_of(side) & caught)


def locked(side: str) -> Number:
    """Return the same as `locked_always`, but 0 from 75 plies on, counted by discs.

    The paper limits it so, because near the end all weights grew without bound.
    """
    is_early = board.pieces - number(4) < number(_LAST_PLY)
    return select(is_early, locked_always(side), number(0))


def _most_locked(shape: BoardShape) -> float:
    return float(round(0.36 * shape.squares))


def open_edge(side: str) -> Number:
    """Return the number of edge discs of *side* with two empty squares to each side (7b)."""
    own = features.pieces_of(side)

    def free(towards: str) -> Squares:
        beside = board.empty.shift(towards)
        return beside & beside.shift(towards)

    along_rows = own & _ROW_ENDS & free("e") & free("w")
    along_columns = own & _COLUMN_ENDS & free("n") & free("s")
    return count(along_rows | along_columns)


def anchored(side: str) -> Number:
    """Return 4 for each corner of *side* plus 1 for each edge disc in a run from such a corner (8).

    A disc counts once, even where runs from both corners reach it.
    """
    own = features.pieces_of(side)
    held = own & squares("corners")
    runs = held.fill(own & _EDGES, ["n", "e", "s", "w"])
    return number(4) * count(held) + count(runs - held)


def _rim(shape: BoardShape, ring: int = 1) -> float:
    """Return the number of squares of a ring, counted from the edge."""
    return 2.0 * (shape.rows + shape.columns + 2 - 4 * ring)


def _first_pieces(shape: BoardShape) -> float:
    """Return the number of pieces of a side of checkers at the start: all but two rows are full."""
    return float(shape.columns * (shape.rows // 2 - 1) // 2)


def _ring(index: int) -> Difference:
    return Difference(
        f"discs on the {_ORDINALS[index]} ring from the edge",
        _inside(f"ring_{index}"),
        lambda shape: _rim(shape, index),
    )


DIFFERENCES: Mapping[str, Difference] = MappingProxyType(
    {
        "corners": Difference("discs on the corners (1)", features.corners, lambda shape: 4.0),
        "near_corners": Difference(
            "discs one step from a corner (2)", features.near_corners, lambda shape: 12.0
        ),
        "edges": Difference("discs on the edge (3)", features.edges, _rim),
        "edges_without_corners": Difference(
            "discs on the edge, without the corners",
            lambda side: features.edges(side, 24),
            lambda shape: _rim(shape) - 4.0,
        ),
        "ring_2": _ring(2),
        "ring_3": _ring(3),
        "ring_4": _ring(4),
        "ring_5": _ring(5),
        "pieces": Difference("pieces (5)", features.discs, lambda shape: float(shape.squares)),
        "mobility": Difference(
            "legal moves (6)", features.mobility, lambda shape: float(round(0.3 * shape.squares))
        ),
        "locked": Difference(
            "discs caught between opponents (7a), until ply 75",
            locked,
            _most_locked,
        ),
        "locked_always": Difference(
            "discs caught between opponents (7a), to the end of the game",
            locked_always,
            _most_locked,
        ),
        "open_edge": Difference(
            "edge discs with two empty squares beside them both ways (7b)", open_edge, _rim
        ),
        "anchored": Difference(
            "discs on corners, counted 4 times, and in runs along the edge from them (8)",
            anchored,
            lambda shape: 12.0 + _rim(shape),
        ),
        "frontier": Difference(
            "discs beside an empty square", features.frontier, lambda shape: shape.squares / 2
        ),
        "men": Difference(
            "pieces that are no kings",
            lambda side: count(board.own_men if side == "own" else board.opponent_men),
            _first_pieces,
        ),
        "kings": Difference(
            "kings",
            lambda side: count(board.own_kings if side == "own" else board.opponent_kings),
            _first_pieces,
        ),
    }
)
"""Features by name; a number in brackets is the paper's."""


FIREBRAND_FEATURES = (
    "corners", "near_corners", "edges", "ring_2", "ring_3", "ring_4", "ring_5", "pieces",
    "mobility", "open_edge", "anchored",
)  # fmt: skip
"""The final set of the 10x10 program, in the paper's order; 8x8 lacks ring_5."""


def scaled(difference: Number, scale: float, *, is_clipped: bool = True) -> Number:
    """Return a feature divided by *scale* and, if *is_clipped*, limited to [-1, 1]."""
    share = divide(difference, number(scale))
    return clamp(share, number(-1.0), number(1.0)) if is_clipped else share


@lru_cache(maxsize=8)
def difference_names(shape: BoardShape) -> Mapping[Expression, str]:
    """Return the names of scaled features on a board of *shape*, such as "anchored/48" on 10x10."""
    return MappingProxyType(
        {
            scaled(feature.expression, feature.scale(shape)): f"{name}/{feature.scale(shape):g}"
            for name, feature in DIFFERENCES.items()
        }
    )


def find_difference(name: str) -> Difference:
    """Return the feature called *name*; `ValueError` offers near names."""
    if name not in DIFFERENCES:
        hint = did_you_mean(name, DIFFERENCES) or f"; there are {', '.join(DIFFERENCES)}"
        raise ValueError(f"there is no feature {name!r}{hint}")
    return DIFFERENCES[name]
