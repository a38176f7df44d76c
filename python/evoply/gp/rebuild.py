"""From polynomials back to the nodes of a tree over a given primitive set.

Knows which primitives of the set add, subtract, multiply and divide; what the set cannot express is
not rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from evoply.expressions import Constant, Node, Primitive, PrimitiveSet
from evoply.gp.infix import number_value, operation
from evoply.gp.rational import Monomial, Polynomial, Rational

Nodes = tuple[Node, ...]


class _InexpressibleError(Exception):
    """The set lacks an operation that is needed, or a number is no float."""


class Builder:
    """Writes values as nodes; *atoms* are the nodes that each atom stands for, by its number."""

    def __init__(self, primitive_set: PrimitiveSet, atoms: list[Nodes]) -> None:
        self.primitive_set = primitive_set
        self.atoms = atoms
        self._operations: dict[str, Primitive] = {}
        self._numbers: dict[float, Node] = {}
        for primitive in primitive_set.primitives:
            name = operation(primitive)
            if name is not None:
                self._operations.setdefault(name, primitive)
            value = number_value(primitive)
            if value is not None:
                self._numbers.setdefault(value, primitive)

    def nodes(self, value: Rational, longest: int) -> Nodes | None:
        """Return the nodes of *value*, or None if they are more than *longest* or impossible."""
        terms = [value.numerator, *(dict(factor) for factor in value.factors)]
        if sum(_least_length(polynomial) for polynomial in terms) > longest:
            return None
        try:
            nodes = self._sum(value.numerator)
            if value.factors:
                nodes = (self._operation("divide"), *nodes, *self._denominator(value.factors))
        except _InexpressibleError:
            return None
        return nodes if len(nodes) <= longest else None

    def _denominator(self, factors: Mapping[tuple[tuple[Monomial, Fraction], ...], int]) -> Nodes:
        parts = [
            self._sum(dict(factor)) for factor, exponent in factors.items() for _ in range(exponent)
        ]
        return self._product(parts)

    def _sum(self, polynomial: Polynomial) -> Nodes:
        """Return the sum of the terms: positive ones first, each group by degree and atoms."""
        if not polynomial:
            return (self._number(Fraction(0)),)
        ordered = sorted(polynomial.items(), key=lambda term: (term[1] < 0, *_place(term[0])))
        can_subtract = "subtract" in self._operations
        operations: list[Node] = []
        parts: list[Nodes] = []
        for monomial, value in ordered:
            if not parts:
                parts.append(self._term(monomial, value))
            elif value < 0 and can_subtract:
                operations.append(self._operation("subtract"))
                parts.append(self._term(monomial, -value))
            else:
                operations.append(self._operation("add"))
                parts.append(self._term(monomial, value))
        return (*reversed(operations), *(node for part in parts for node in part))

    def _term(self, monomial: Monomial, value: Fraction) -> Nodes:
        parts = [self.atoms[index] for index, exponent in monomial for _ in range(exponent)]
        if value != 1 or not parts:
            parts.insert(0, (self._number(value),))
        return self._product(parts)

    def _product(self, parts: Sequence[Nodes]) -> Nodes:
        if len(parts) == 1:
            return parts[0]
        operations = (self._operation("multiply"),) * (len(parts) - 1)
        return (*operations, *(node for part in parts for node in part))

    def _number(self, value: Fraction) -> Node:
        number = to_float(value)
        if number is None:
            raise _InexpressibleError
        return self._numbers.get(number) or Constant(number)

    def _operation(self, name: str) -> Primitive:
        if name not in self._operations:
            raise _InexpressibleError
        return self._operations[name]


def to_float(value: Fraction) -> float | None:
    """Return the nearest float, or None where that is infinite or a zero that *value* is not."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if value and not number else number


def _least_length(polynomial: Polynomial) -> int:
    """Return a lower bound of the number of nodes of a sum."""
    return sum(max(1, 2 * sum(exponent for _, exponent in monomial) - 1) for monomial in polynomial)


def _place(monomial: Monomial) -> tuple[bool, int, Monomial]:
    """Return a key that puts low degrees first and the constant last."""
    return (not monomial, sum(exponent for _, exponent in monomial), monomial)
