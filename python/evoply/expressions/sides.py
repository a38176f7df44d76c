"""An expression seen from the other side, with own and opponent exchanged."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evoply.expressions.expression import Expression, build
from evoply.expressions.operations import ExpressionError
from evoply.expressions.square_sets import RANKS
from evoply.expressions.written_form import in_order

_SWAPPED: Mapping[str, str] = MappingProxyType(
    {
        "own": "opponent",
        "own_men": "opponent_men",
        "own_kings": "opponent_kings",
        "opponent": "own",
        "opponent_men": "own_men",
        "opponent_kings": "own_kings",
    }
)
_HALF_TURN = 3
"""The symmetry of the board that exchanges the sides of the players."""


def for_the_other_side(expression: Expression) -> Expression:
    """Return *expression* with own and opponent exchanged.

    Raises `ExpressionError` for patterns on a turned board, which depend on the colour of own.

    >>> from evoply.expressions.features import corner_moves
    >>> for_the_other_side(corner_moves("own")) == corner_moves("opponent")
    True
    """
    other: dict[int, Expression] = {}
    for node in in_order([expression]):
        arguments: list[Any] = [
            other[id(argument)] if isinstance(argument, Expression) else argument
            for argument in node.arguments
        ]
        if node.op in _SWAPPED:
            swapped = build(_SWAPPED[node.op])
        elif node.op in ("destinations", "number_of_moves"):
            swapped = build(node.op, _SWAPPED[arguments[0]])
        elif node.op == "is_black":
            swapped = build("negation", build("is_black"))
        elif node.op == "named_squares" and arguments[0] in RANKS:
            swapped = build(node.op, RANKS[1 - RANKS.index(arguments[0])])
        elif node.op == "squares_turned":
            swapped = build("symmetry", build(node.op, *arguments), _HALF_TURN)
        elif node.op == "pattern" and arguments[5]:
            raise ExpressionError("a pattern on a turned board cannot be seen from the other side")
        else:
            swapped = build(node.op, *arguments)
        other[id(node)] = swapped
    return other[id(expression)]
