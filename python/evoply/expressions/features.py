"""Named features of Othello positions, as board expressions over own and opponent.

Each is a number for one side, "own" or "opponent", and fits every board.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from types import MappingProxyType
from typing import NoReturn

from evoply.expressions.expression import Number, Squares
from evoply.expressions.functions import (
    board,
    count,
    destinations,
    is_empty,
    minimum,
    number,
    number_of_moves,
    select,
    squares,
)
from evoply.expressions.operations import SIDES, ExpressionError, short
from evoply.wording import unknown_attribute

NEAR_CORNERS: Mapping[str, str] = MappingProxyType({"xc": "near_corners", "x": "x_squares"})
RISKY: Mapping[str, str] = MappingProxyType(
    {"xc": "near_corners", "x": "x_squares", "c": "c_squares"}
)
EDGES: Mapping[int, str] = MappingProxyType({28: "edges", 24: "edges_without_corners"})
ORDERS: Mapping[str, str] = MappingProxyType(
    {"corner_first": "class_", "centre_first": "centre_class_"}
)


def other_side(side: str) -> str:
    """Return "opponent" for "own", and "own" for "opponent"."""
    if side not in SIDES:
        raise ExpressionError(f"a side must be one of {', '.join(SIDES)}, not {short(side)}")
    return SIDES[1 - SIDES.index(side)]


def pieces_of(side: str = "own") -> Squares:
    """Return the squares with discs of *side*."""
    return board.own if other_side(side) == "opponent" else board.opponent


def discs(side: str = "own") -> Number:
    """Return the number of discs of *side*."""
    return count(pieces_of(side))


def corners(side: str = "own") -> Number:
    """Return the number of corners held by *side*."""
    return count(pieces_of(side) & squares("corners"))


def near_corners(side: str = "own", kind: str = "xc") -> Number:
    """Return the number of discs of *side* beside a corner: 12 squares ("xc"), or 4 ("x")."""
    if kind not in NEAR_CORNERS:
        raise ExpressionError(f"near_corners must be xc or x, not {short(kind)}")
    return count(pieces_of(side) & squares(NEAR_CORNERS[kind]))


def edges(side: str = "own", kind: int = 28) -> Number:
    """Return the number of discs of *side* on the edge; *kind* 24 leaves out the corners."""
    if kind not in EDGES:
        raise ExpressionError(f"edges must be 28 or 24, not {short(kind)}")
    return count(pieces_of(side) & squares(EDGES[kind]))


def square_class(side: str, letters: str, order: str = "corner_first") -> Number:
    """Return the number of discs of *side* on the symmetry class, or the classes, of *letters*."""
    if order not in ORDERS:
        raise ExpressionError(f"order must be one of {', '.join(ORDERS)}, not {short(order)}")
    first, *others = (squares(ORDERS[order] + letter) for letter in letters or [""])
    return count(pieces_of(side) & reduce(or_, others, first))


def frontier(side: str = "own") -> Number:
    """Return the number of discs of *side* beside an empty square."""
    return count(pieces_of(side) & board.empty.neighbours())


def mobility(side: str = "own") -> Number:
    """Return the number of legal moves of *side*, whoever is to move, without a forced pass."""
    return number_of_moves(side)


def corner_moves(side: str = "own") -> Number:
    """Return the number of corners that *side* can take in its next move, whoever is to move."""
    return count(destinations(side) & squares("corners"))


def edge_moves(side: str = "own") -> Number:
    """Return the number of legal moves of *side* to the edge, corners included."""
    return count(destinations(side) & squares("edges"))


def safe_moves(side: str = "own") -> Number:
    """Return the number of legal moves of *side* to squares that are not beside an empty corner."""
    return count(destinations(side) - beside_empty_corners())


def risky(side: str = "own", kind: str = "xc") -> Number:
    """Return the number of discs of *side* beside a corner that is still empty.

    *kind* is "x" for the squares diagonally beside it (X squares), "c" for those along the edge (C
    squares), "xc" for both.
    """
    if kind not in RISKY:
        raise ExpressionError(f"risky must be one of {', '.join(RISKY)}, not {short(kind)}")
    return count(pieces_of(side) & squares(RISKY[kind]) & beside_empty_corners())


def beside_empty_corners() -> Squares:
    """Return the squares beside a corner that is still empty."""
    return (squares("corners") & board.empty).neighbours()


def anchored_discs(side: str = "own") -> Number:
    """Return the number of discs of *side* on corners and in runs along the edge from them.

    Such discs can never be turned again.
    """
    own = pieces_of(side)
    held = own & squares("corners")
    return count(held.fill(own & squares("edges"), ["n", "e", "s", "w"]))


# Shapes of edges and corners, and who can move where: what players talk of and counts do not show.
#
# Words are those of Rose, "Othello: A Minute to Learn... A Lifetime to Master" (2005), where it has
# them. Edges include corners, and every board from 4x4 has all of these.

FEW = 8
"""Up to how many discs `few_discs` counts."""
_ALONG = ("n", "e", "s", "w")
_AXES = (("e", "w"), ("n", "s"))


def wedges(side: str = "own") -> Number:
    """Return the number of empty edge squares between two discs of *side* along the edge.

    There the other side wedges in: a disc between two of them cannot be turned along the edge.
    """
    own = pieces_of(side)
    first, second = (own.shift(there) & own.shift(back) for there, back in _AXES)
    return count(board.empty & squares("edges") & (first | second))


def gaps(side: str = "own") -> Number:
    """Return the number of places where two empty squares part two discs of *side* on the edge."""
    # An empty edge square, the next one along the edge and the discs beyond: each gap once.
    holes, own = board.empty & squares("edges"), pieces_of(side) & squares("edges")
    first, second = (
        holes & own.shift(there) & holes.shift(back) & own.shift(back).shift(back)
        for there, back in _AXES
    )
    return count(first) + count(second)


def touch(side: str = "own") -> Number:
    """Return the number of edge discs of *side* with a disc of the other beside them on the edge.

    The corner belongs to both its edges; discs inside the board do not count.
    """
    other = pieces_of(other_side(side)) & squares("edges")
    return count(pieces_of(side) & squares("edges") & _along_the_edge(other))


def unbalanced(side: str = "own") -> Number:
    """Return the number of unbalanced edges of *side*: on 8x8, fives.

    All squares of the edge between its empty corners hold discs of *side* except one C square,
    which is empty: five discs on 8x8, one on 4x4.
    """
    open_corners = squares("corners") & board.empty
    own = pieces_of(side) & squares("edges_without_corners")
    edges_found: Number | None = None
    for along in _ALONG:
        hole = open_corners.shift(along) & board.empty
        run = hole.shift(along).fill(own, [along])
        found = count(run.shift(along) & open_corners)
        edges_found = found if edges_found is None else edges_found + found
    assert edges_found is not None  # there are four directions
    return edges_found


def open_c(side: str = "own") -> Number:
    """Return the number of C discs of *side* beside a corner the other side can take next.

    A C square is beside a corner along the edge. The corner is a legal move of the other side,
    whoever is to move.
    """
    taken = destinations(other_side(side)) & squares("corners")
    return count(pieces_of(side) & squares("c_squares") & taken.neighbours())


def no_safe_move(side: str = "own") -> Number:
    """Return 1 if *side* has no `safe_moves` (it may have none at all), else 0."""
    safe = destinations(side) - beside_empty_corners()
    return select(is_empty(safe), number(1), number(0))


def reach(side: str = "own") -> Number:
    """Return the number of empty squares beside discs of *side*: where the other may come to move.

    Books call it the potential mobility of the other side.
    """
    return count(board.empty & pieces_of(side).neighbours())


def inner_frontier(side: str = "own") -> Number:
    """Return the number of discs of *side* beside an empty square that are not on the edge."""
    return count((pieces_of(side) - squares("edges")) & board.empty.neighbours())


def second_ring(side: str = "own") -> Number:
    """Return the number of discs of *side* one step inside the edge, X squares included."""
    edge = squares("edges")
    return count(pieces_of(side) & (edge.neighbours() - edge))


def exclusive_moves(side: str = "own") -> Number:
    """Return the number of legal moves of *side* to squares where the other cannot move."""
    return count(destinations(side) - destinations(other_side(side)))


def few_discs(side: str = "own") -> Number:
    """Return the number of discs of *side*, or 8 if it has more: how far it is from a wipe-out."""
    return minimum(discs(side), number(FEW))


def _along_the_edge(of: Squares) -> Squares:
    north, east, south, west = (of.shift(along) for along in _ALONG)
    return north | east | south | west


SHAPES: Mapping[str, Callable[[str], Number]] = MappingProxyType(
    {
        "wedges": wedges,
        "gaps": gaps,
        "touch": touch,
        "unbalanced": unbalanced,
        "open_c": open_c,
        "no_safe_move": no_safe_move,
        "reach": reach,
        "inner_frontier": inner_frontier,
        "second_ring": second_ring,
        "exclusive_moves": exclusive_moves,
        "few_discs": few_discs,
    }
)
"""The shapes of a side, by name."""

FEATURES: Mapping[str, Number] = MappingProxyType(
    {
        "own_discs": discs("own"),
        "opponent_discs": discs("opponent"),
        "disc_difference": discs("own") - discs("opponent"),
        "own_corners": corners("own"),
        "opponent_corners": corners("opponent"),
        "own_near_corners": near_corners("own"),
        "opponent_near_corners": near_corners("opponent"),
        "own_edges": edges("own"),
        "opponent_edges": edges("opponent"),
        "own_mobility": mobility("own"),
        "opponent_mobility": mobility("opponent"),
        "mobility_difference": mobility("own") - mobility("opponent"),
        "own_frontier": frontier("own"),
        "opponent_frontier": frontier("opponent"),
        "own_corner_moves": corner_moves("own"),
        "opponent_corner_moves": corner_moves("opponent"),
        "own_edge_moves": edge_moves("own"),
        "opponent_edge_moves": edge_moves("opponent"),
        "own_safe_moves": safe_moves("own"),
        "opponent_safe_moves": safe_moves("opponent"),
        "own_risky_x": risky("own", "x"),
        "opponent_risky_x": risky("opponent", "x"),
        "own_risky_c": risky("own", "c"),
        "opponent_risky_c": risky("opponent", "c"),
        "own_anchored": anchored_discs("own"),
        "opponent_anchored": anchored_discs("opponent"),
        **{f"{side}_{name}": shape(side) for name, shape in SHAPES.items() for side in SIDES},
    }
)

NAMED_FEATURES: Mapping[str, Number] = MappingProxyType(
    {
        name: feature
        for name, feature in FEATURES.items()
        if not name.endswith(("own_discs", "opponent_discs", "mobility", "_difference"))
    }
)
"""The features that formulas call by name: all that are longer than a count of discs."""


def __getattr__(name: str) -> NoReturn:
    known = [word for word in globals() if not word.startswith("_")]
    raise unknown_attribute("evoply.features", name, known)
