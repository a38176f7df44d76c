"""Named features of Othello positions, as board expressions over own and opponent.

Each is a number for one side, "own" or "opponent", and fits every board.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from evoply.expressions.expression import Number, Squares
from evoply.expressions.functions import board, count, destinations, number_of_moves, squares
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


def pieces_of(side: str = "own") -> Squares:
    """Return the squares with discs of *side*."""
    if side not in SIDES:
        raise ExpressionError(f"a side must be one of {', '.join(SIDES)}, not {short(side)}")
    return board.own if side == "own" else board.opponent


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


def square_class(side: str, letter: str, order: str = "corner_first") -> Number:
    """Return the number of discs of *side* on the symmetry class *letter*."""
    if order not in ORDERS:
        raise ExpressionError(f"order must be one of {', '.join(ORDERS)}, not {short(order)}")
    return count(pieces_of(side) & squares(ORDERS[order] + letter))


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
    }
)

NAMED_FEATURES: Mapping[str, Number] = MappingProxyType(
    {
        name: feature
        for name, feature in FEATURES.items()
        if not name.endswith(("discs", "mobility", "_difference"))
    }
)
"""The features that formulas call by name: all that are longer than a count of discs."""


def __getattr__(name: str) -> NoReturn:
    known = [word for word in globals() if not word.startswith("_")]
    raise unknown_attribute("evoply.features", name, known)
