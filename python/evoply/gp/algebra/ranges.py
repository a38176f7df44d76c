"""Between which numbers a value lies, from what is known of every board of a game.

A clock is from 0 to 1, and a count is at least 0 and at most the squares of the largest board. The
bounds of sums of products are those of their parts, so they may be wide, and never too narrow but
for rounding. This module decides nothing.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from evoply.expressions import Expression
from evoply.expressions.operations import MAX_SQUARES
from evoply.expressions.written_form import in_order
from evoply.gp.algebra.polynomials import Terms

Range = tuple[float, float]
"""The least and the greatest value; either may be infinite."""
ANY: Range = (-math.inf, math.inf)
_KNOWN: Mapping[str, Range] = MappingProxyType(
    {
        "t": (0.0, 1.0),
        "root_t": (0.0, 1.0),
        **dict.fromkeys(("count", "pieces"), (0.0, float(MAX_SQUARES))),
        **dict.fromkeys(("number_of_moves", "ply", "quiet_plies", "root_ply"), (0.0, math.inf)),
    }
)


class Ranges:
    """Finds the ranges of expressions, each node once; it keeps what it has seen."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expression, Range | None]] = {}

    def of(self, expression: Expression) -> Range | None:
        """Return the range of a number, or None if it may be no number at all (NaN)."""
        if id(expression) not in self._known:
            for node in in_order([expression]):
                if id(node) not in self._known:
                    self._known[id(node)] = node, self._of(node)
        return self._known[id(expression)][1]

    def of_terms(self, terms: Terms, expression_of: Callable[[int], Expression]) -> Range | None:
        """Return the range of a sum of products of atoms, which stand for expressions."""
        low, high = 0.0, 0.0
        for monomial, value in terms.items():
            try:
                product: Range = (float(value), float(value))
            except OverflowError:
                return ANY
            for atom, exponent in monomial:
                power = self.of(expression_of(atom))
                if power is None:
                    return None
                power = _power(power, abs(exponent))
                product = _times(product, power if exponent > 0 else _inverse(power))
            low, high = low + product[0], high + product[1]
        return (low, high) if low <= high else ANY

    def _of(self, node: Expression) -> Range | None:
        if node.type != "number":
            return ANY
        if node.op == "number":
            value = node.arguments[0]
            return (value, value) if math.isfinite(value) else None
        if node.op in _KNOWN:
            return _KNOWN[node.op]
        if node.op == "weighted_sum":
            tables = node.arguments[1]
            return (
                min(sum(min(weight, 0.0) for weight in table) for table in tables),
                max(sum(max(weight, 0.0) for weight in table) for table in tables),
            )
        numbers = [part for part in node.arguments if getattr(part, "type", "") == "number"]
        ranges = [self._known[id(part)][1] for part in numbers]
        if len(ranges) != 2 or node.op == "pattern":
            return ANY
        first, second = ranges
        if first is None or second is None:
            return None
        if node.op == "divide" and node.arguments[2] == "ieee" and second[0] <= 0 <= second[1]:
            return None
        low, high = _computed(node.op, first, second)
        return (low, high) if low <= high else ANY  # infinities may have met


def _computed(op: str, first: Range, second: Range) -> Range:
    (low, high), (least, greatest) = first, second
    match op:
        case "add":
            return low + least, high + greatest
        case "subtract":
            return low - greatest, high - least
        case "multiply":
            return _times(first, second)
        case "divide":
            return _times(first, _inverse(second))
        case "minimum":
            return min(low, least), min(high, greatest)
        case "maximum":
            return max(low, least), max(high, greatest)
        case "select":
            return min(low, least), max(high, greatest)
    return ANY


def _times(first: Range, second: Range) -> Range:
    # Nothing times what is without bounds is nothing: no value is infinite.
    products = [left * right if left and right else 0.0 for left in first for right in second]
    return min(products), max(products)


def _power(base: Range, exponent: int) -> Range:
    if exponent > 1 and exponent % 2 == 0:
        most = max(map(abs, base))
        base = 0.0 if base[0] <= 0 <= base[1] else min(map(abs, base)), most
    try:
        return base[0] ** exponent, base[1] ** exponent
    except OverflowError:
        return ANY


def _inverse(divisor: Range) -> Range:
    """Return the range of 1 / *divisor*; where that may be 0 the quotient is anything."""
    low, high = divisor
    return (1 / high, 1 / low) if low > 0 or high < 0 else ANY
