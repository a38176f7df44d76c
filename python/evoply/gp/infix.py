"""Trees as formulas for people: `white + 2 * white_corners - black`.

Only printed, never read back; the text form of a tree is `evoply.gp.text`.
"""

from __future__ import annotations

from collections.abc import Callable

from evoply.expressions import Constant, Node, Primitive, argument, negate
from evoply.gp.tree import Tree

# The sign of each operation, how strongly it binds, and whether a second operand of the same
# strength needs brackets.
_SIGNS = {
    "add": (" + ", 1, False),
    "subtract": (" - ", 1, True),
    "multiply": (" * ", 2, False),
    "divide": (" / ", 2, True),
}
_WHOLE = 3
_NEGATED = negate(argument(0))


def operation(node: Node) -> str | None:
    """Return which board operation *node* is, such as "add", "divide" or "negate", or None."""
    if not isinstance(node, Primitive):
        return None
    if node.arity == 1 and node.expression == _NEGATED:
        return "negate"
    operator = node.operator
    return operator[0] if operator else None


def number_value(node: Node) -> float | None:
    """Return the value of a constant or of a terminal that is a number, else None."""
    if isinstance(node, Constant):
        return node.value
    if node.arity == 0 and node.expression.op == "number":
        return float(node.expression.arguments[0])
    return None


def number_text(value: float) -> str:
    """Return *value* with at most six significant digits."""
    return f"{value:.6g}"


def infix(tree: Tree, name: Callable[[str], str] = str) -> str:
    """Return *tree* as a formula with as few brackets as its operations allow.

    *name* changes the names of primitives. Functions other than + - * / are written
    ``name(operand, ...)``.
    """
    finished: list[tuple[str, int]] = []  # texts and how strongly they bind, the last one first
    for node in reversed(tree.nodes):
        operands = [finished.pop() for _ in range(node.arity)]
        finished.append(_combined(node, operands, name))
    return finished[0][0]


def _combined(
    node: Node, operands: list[tuple[str, int]], name: Callable[[str], str]
) -> tuple[str, int]:
    value = number_value(node)
    if value is not None:
        return number_text(value), _WHOLE
    sign = _SIGNS.get(operation(node) or "")
    if sign is None:
        texts = ", ".join(text for text, _ in operands)
        return (f"{name(node.name)}({texts})" if operands else name(node.name)), _WHOLE
    mark, strength, is_strict = sign
    (left, left_strength), (right, right_strength) = operands
    if left_strength < strength:
        left = f"({left})"
    if right_strength < strength + is_strict or right.startswith("-"):
        right = f"({right})"
    if mark == " * " and left == "-1":
        return f"-{right}", strength
    return f"{left}{mark}{right}", strength
