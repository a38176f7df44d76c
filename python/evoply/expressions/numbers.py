"""The numbers of an expression as a vector, so that a learner can change them and nothing else.

The parameters are every constant, every weight of a weighted sum and every entry of a pattern, node
by node, operands first; tables follow one another, from square a1 in a weighted sum and from index
0 in a pattern. A node that is used twice counts once; equal numbers that were written twice are two
parameters. `program_with_parameters` compiles once; its `with_parameters` is cheap, and
`with_parameters` here writes the learned numbers back.

Reasons: docs/design/kernel.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evoply import _native
from evoply.expressions import written_form
from evoply.expressions.expression import Expression, build
from evoply.expressions.operations import ExpressionError
from evoply.games import game_rules
from evoply.when_used import module_when_used

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = module_when_used("numpy")


def parameters_of(expression: Expression) -> NDArray[np.float64]:
    """Return the parameters of *expression*, in the order of this module.

    >>> from evoply.expressions import board, count
    >>> parameters_of(2.5 * count(board.own) + 1)
    array([2.5, 1. ])
    """
    values: list[float] = []
    for node in written_form.in_order([expression]):
        if node.op == "number":
            values.append(node.arguments[0])
        elif node.op == "weighted_sum":
            values.extend(weight for table in node.arguments[1] for weight in table)
        elif node.op == "pattern":
            for table in node.arguments[7]:
                values.extend(np.frombuffer(table, dtype="<f8").tolist())
    return np.array(values, dtype=np.float64)


def parameter_count(node: Expression) -> int:
    """Return the number of parameters that *node* itself has, its operands aside."""
    if node.op == "number":
        return 1
    if node.op == "weighted_sum":
        return sum(map(len, node.arguments[1]))
    return sum(map(len, node.arguments[7])) // 8 if node.op == "pattern" else 0


def with_parameters(
    expression: Expression, values: Sequence[float] | NDArray[np.float64]
) -> Expression:
    """Return *expression* with other parameters, equally many and in the same order.

    Raises `ExpressionError` for another count and for a parameter that is not finite.
    """
    count = len(parameters_of(expression))
    if len(values) != count:
        raise ExpressionError(f"{len(values)} values for {count} parameters")
    if not np.isfinite(values).all():
        raise ExpressionError("a parameter is not a finite number")
    rest = iter(np.asarray(values, dtype=np.float64).tolist())
    changed: dict[int, Expression] = {}
    for node in written_form.in_order([expression]):
        new: list[Any] = [
            changed[id(a)] if isinstance(a, Expression) else a for a in node.arguments
        ]
        if node.op == "number":
            new = [next(rest)]
        elif node.op == "weighted_sum":
            new[1] = tuple(_take(rest, len(table)) for table in new[1])
        elif node.op == "pattern":
            new[7] = tuple(_take(rest, len(table) // 8) for table in new[7])
        changed[id(node)] = build(node.op, *new)
    return changed[id(expression)]


def program_with_parameters(expression: Expression, game: str) -> _native.Program:
    """Return the kernel's form of *expression* for *game*, with replaceable parameters.

    Its `parameters` are those of `parameters_of`; `with_parameters(values)` gives the same program
    as lowering the expression with these values, value for value.
    """
    rules = game_rules(game)
    written = written_form.to_dict([expression], rules.shape, keep_parameters=True)
    return _native.Program(rules.kernel, json.dumps(written), keep_parameters=True)


def _take(values: Iterator[float], count: int) -> tuple[float, ...]:
    return tuple(next(values) for _ in range(count))
