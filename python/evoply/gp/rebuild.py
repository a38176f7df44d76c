"""From polynomials back to the nodes of a tree over a given primitive set.

Knows which primitives of the set add, subtract, multiply and divide; what the set cannot express is
not rebuilt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from evoply.expressions import Constant, Node, Primitive, PrimitiveSet
from evoply.gp.infix import number_value, operation
from evoply.gp.laurent import Terms, scaled
from evoply.gp.rational import Monomial, Polynomial, Rational

Nodes = tuple[Node, ...]
_Group = tuple[Terms, int | None, int]  # terms, and the atom that multiplies or (-1) divides them
_Place = tuple[bool, int, Monomial]


class _InexpressibleError(Exception):
    """The set lacks an operation that is needed, or a number is no float."""


class Builder:
    """Writes values as nodes; *atoms* are the nodes that each atom stands for, by its number.

    *sums* holds the terms of those atoms that are sums.
    """

    def __init__(self, primitive_set: PrimitiveSet, atoms: list[Nodes]) -> None:
        self.primitive_set = primitive_set
        self.atoms = atoms
        self.sums: dict[int, Terms] = {}
        self._atom_places: dict[int, tuple[bool, int, int]] = {}
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

    def terms(self, terms: Terms, longest: int) -> Nodes | None:
        """Return the nodes of a sum of products and quotients, None as for `nodes`.

        A part of several nodes that many terms share is written only once.
        """
        size = sum(
            abs(exponent) * (1 + len(self.atoms[index]))
            for monomial in terms
            for index, exponent in monomial
        )
        # Writing shared parts once can halve it more than once, but not without end.
        if size > 8 * longest + 64:
            return None
        try:
            nodes = self._sum(terms)
        except _InexpressibleError:
            return None
        return nodes if len(nodes) <= longest else None

    def _denominator(self, factors: Mapping[tuple[tuple[Monomial, Fraction], ...], int]) -> Nodes:
        parts = [
            self._sum(dict(factor)) for factor, exponent in factors.items() for _ in range(exponent)
        ]
        return self._product(parts)

    def _sum(self, terms: Terms) -> Nodes:
        """Return the sum of the terms: positive ones first, each group by degree and atoms."""
        if not terms:
            return (self._number(Fraction(0)),)
        can_subtract = "subtract" in self._operations
        operations: list[Node] = []
        parts: list[Nodes] = []
        for is_negative, _, group in sorted(self._groups(terms), key=lambda group: group[:2]):
            if parts:
                is_subtracted = is_negative and can_subtract
                operations.append(self._operation("subtract" if is_subtracted else "add"))
            else:
                is_subtracted = False
            parts.append(self._group(group, -1 if is_subtracted else 1))
        return (*reversed(operations), *(node for part in parts for node in part))

    def _groups(self, terms: Terms) -> list[tuple[bool, _Place, _Group]]:
        """Return what is added up: terms, and sums of terms that share a long factor."""
        rest = dict(terms)
        groups: list[tuple[bool, _Place, _Group]] = []
        while (shared := self._shared(rest)) is not None:
            index, sign = shared
            inner: Terms = {}
            for monomial, value in terms.items():
                exponent = dict(monomial).get(index, 0)
                if monomial in rest and exponent * sign > 0:
                    del rest[monomial]
                    inner[_with_exponent(monomial, index, exponent - sign)] = value
            is_negative = all(value < 0 for value in inner.values())
            groups.append((is_negative, min(map(_place, inner)), (inner, index, sign)))
        for monomial, value in rest.items():
            groups.append((value < 0, _place(monomial), ({monomial: value}, None, 1)))
        return groups

    def _shared(self, terms: Terms) -> tuple[int, int] | None:
        """Return the long atom, and 1 or -1 for factor or divisor, that most is saved with."""
        counts = Counter(
            (index, 1 if exponent > 0 else -1)
            for monomial in terms
            for index, exponent in monomial
            if len(self.atoms[index]) > 1
        )
        saved = {
            key: (count - 1) * len(self.atoms[key[0]]) for key, count in counts.items() if count > 1
        }
        return max(saved, key=saved.__getitem__) if saved else None

    def _group(self, group: _Group, sign: int) -> Nodes:
        terms, index, exponent = group
        if sign < 0:
            terms = {monomial: -value for monomial, value in terms.items()}
        if index is None:
            ((monomial, value),) = terms.items()
            return self._term(monomial, value)
        name = "multiply" if exponent > 0 else "divide"
        return (self._operation(name), *self._sum(terms), *self.atoms[index])

    def _term(self, monomial: Monomial, value: Fraction) -> Nodes:
        plain = self._quotient(monomial, value, {})
        if value == 1:
            return plain
        # Multiplying a sum among the factors by the number may be shorter.
        for index, exponent in monomial:
            if exponent == 1 and index in self.sums:
                factor = self._sum(scaled(self.sums[index], value))
                other = self._quotient(monomial, Fraction(1), {index: factor})
                return other if len(other) < len(plain) else plain
        return plain

    def _quotient(self, monomial: Monomial, value: Fraction, instead: dict[int, Nodes]) -> Nodes:
        """Return value * *monomial*, with other nodes for the atoms of *instead*."""
        above: list[Nodes] = []
        below: list[Nodes] = []
        for index, exponent in sorted(monomial, key=lambda power: self._atom_place(power[0])):
            nodes = instead.get(index, self.atoms[index])
            (above if exponent > 0 else below).extend([nodes] * abs(exponent))
        if value != 1 or not above:
            above.insert(0, (self._number(value),))
        top = self._product(above)
        return (self._operation("divide"), *top, *self._product(below)) if below else top

    def _atom_place(self, index: int) -> tuple[bool, int, int]:
        """Return a key that puts single nodes first, then by the first terminal, as it is read."""
        if index not in self._atom_places:
            nodes = self.atoms[index]
            terminals = {atom[0]: place for place, atom in enumerate(self.atoms) if len(atom) == 1}
            first = next((terminals[node] for node in nodes if node in terminals), index)
            self._atom_places[index] = (len(nodes) > 1, first, index)
        return self._atom_places[index]

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


def _with_exponent(monomial: Monomial, index: int, exponent: int) -> Monomial:
    """Return *monomial*, which has that atom, with another exponent of it."""
    return tuple(
        (other, exponent if other == index else power)
        for other, power in monomial
        if other != index or exponent
    )


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


def _place(monomial: Monomial) -> _Place:
    """Return a key that puts low degrees first and the constant last."""
    return (not monomial, sum(abs(exponent) for _, exponent in monomial), monomial)
