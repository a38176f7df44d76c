"""From a tree to one board expression: every primitive replaced by what it stands for.

The kernel does the same when it lowers trees (`lowering`), a population at a time and faster. Here
the result is an expression, so that it can become a part of a larger one.
"""

from __future__ import annotations

from collections.abc import Sequence

from evoply.expressions import Constant, Expression, number
from evoply.expressions.expression import build
from evoply.expressions.operations import NODE_KINDS, OPERATIONS
from evoply.gp.tree import Tree

__all__ = ["expression_of"]


def expression_of(tree: Tree) -> Expression:
    """Return the board expression that *tree* computes.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> tree = parse_tree("( - white ( * 2 white_corners ) )", PRIMITIVE_SETS["liao"])
    >>> print(expression_of(tree))
    count(own) - (2 * count(own & corners))
    """
    made: list[Expression] = []
    for node in reversed(tree.nodes):  # operands come before their function from the right
        if isinstance(node, Constant):
            made.append(number(node.value))
            continue
        operands = [made.pop() for _ in range(node.arity)]
        made.append(_applied(node.expression, operands, {}))
    return made[0]


def _applied(
    expression: Expression, operands: Sequence[Expression], done: dict[int, Expression]
) -> Expression:
    """Return the expression of a primitive with *operands* for its arguments."""
    if expression.op == "argument":
        operand: Expression = operands[expression.arguments[0]]
        return operand
    if id(expression) not in done:
        kinds = OPERATIONS[expression.op].arguments
        arguments = [
            _applied(argument, operands, done)
            if kind in NODE_KINDS and argument is not None
            else argument
            for kind, argument in zip(kinds, expression.arguments, strict=True)
        ]
        done[id(expression)] = build(expression.op, *arguments)
    return done[id(expression)]
