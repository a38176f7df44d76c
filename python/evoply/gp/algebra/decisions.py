"""What of a value decides between boards, and what is the same on all that are compared.

A player that takes the best of the boards after its moves looks at differences only. What these
boards have in common, such as the ply, adds nothing to a difference, and a positive factor that
they have in common does not turn one round.
"""

from collections.abc import Collection

from evoply.expressions import Expression, board, build, count, number
from evoply.expressions.written_form import FormulaNames, children, in_order

_EMPTY = count(board.empty)
_FIXED = frozenset({"number", "truth", "squares", "named_squares"})


class Common:
    """Knows what is equal on all boards that are compared, where the operations *alike* are."""

    def __init__(self, alike: Collection[str], names: FormulaNames) -> None:
        self._alike = _FIXED | frozenset(alike)
        self.has_pieces = "pieces" in alike
        """Whether all these boards have equally many pieces: own ones and the opponent's."""
        self._names = names
        self._known: dict[int, tuple[Expression, bool]] = {}

    def holds(self, expression: Expression) -> bool:
        """Return whether *expression* is equal on all boards that are compared."""
        if id(expression) not in self._known:
            for node in in_order([expression]):
                parts = children(node)
                is_common = (self.has_pieces and node == _EMPTY) or (
                    all(self._known[id(part)][1] for part in parts)
                    if parts
                    else node.op in self._alike
                )
                self._known[id(node)] = node, is_common
        return self._known[id(expression)][1]

    def chooses(self, expression: Expression) -> bool:
        """Return whether *expression* is one of two values, the same one for all these boards."""
        is_named = expression in self._names.known
        return expression.op == "select" and not is_named and self.holds(expression.arguments[0])

    def dropped(self, expression: Expression) -> Expression:
        """Return *expression* without the addends that all boards that are compared have.

        The difference is the same number on all of them, also where a divisor is 0.
        """
        done: dict[int, Expression] = {}
        for node in in_order([expression]):
            done[id(node)] = self._dropped(node, done)
        return done[id(expression)]

    def _dropped(self, node: Expression, done: dict[int, Expression]) -> Expression:
        if node.type != "number" or node in self._names.known:
            return number(0.0) if node.type == "number" and self.holds(node) else node
        if self.holds(node):
            return number(0.0)
        if node.op in ("add", "subtract"):
            return build(node.op, *(done[id(part)] for part in node.arguments))
        if node.op == "multiply":
            first, second = node.arguments
            if self.holds(first):
                return build("multiply", first, done[id(second)])
            return build("multiply", done[id(first)], second) if self.holds(second) else node
        if node.op == "divide" and node.arguments[2] != "ieee" and self.holds(node.arguments[1]):
            return build("divide", done[id(node.arguments[0])], *node.arguments[1:])
        if self.chooses(node):
            return build(
                "select", node.arguments[0], *(done[id(way)] for way in node.arguments[1:])
            )
        return node
