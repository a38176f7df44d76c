"""The additive terms of an expression, each with its places.

Sums are taken apart wherever they add to the value: under numeric factors, as one factor of a
product, and as the numerator of a quotient. What has a name is not taken apart. This module knows
nothing of words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce

from evoply.expressions import Expression, build, number
from evoply.expressions.written_form import (
    UNNAMED,
    FormulaNames,
    children,
    formula,
    in_order,
    number_text,
)
from evoply.gp.algebra.formulas import DIGITS

TIMES = ("t", "root_t", "ply", "root_ply")
"""Factors that follow the course of a game and are not features."""
_ARITHMETIC = ("add", "subtract", "multiply", "divide")
_Place = tuple[tuple[int, ...], Expression]
"""A part of an expression, and the arguments that lead to it."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term: *coefficient* times its factors, divided by its divisors.

    *paths* lead to the parts of the expression that stand for the term and nothing else: with 0 in
    their places the term is gone.
    """

    paths: tuple[tuple[int, ...], ...]
    coefficient: float
    factors: tuple[Expression, ...]
    divisors: tuple[Expression, ...]
    names: FormulaNames = field(default=UNNAMED, repr=False, compare=False)

    @property
    def is_constant(self) -> bool:
        """Whether it is a number that depends on no feature."""
        return not self.factors and not self.divisors

    @property
    def expression(self) -> Expression:
        """The term as an expression; it is 0 where a divisor is."""
        value: Expression = number(self.coefficient)
        for part in self.factors:
            value = build("multiply", value, part)
        for part in self.divisors:
            value = build("divide", value, part, "zero")
        return value

    @property
    def text(self) -> str:
        """The term as a formula, with its sign."""
        above = [self._in_brackets(part) for part in self.factors]
        if abs(self.coefficient) != 1 or not above:
            above.insert(0, number_text(abs(self.coefficient), DIGITS))
        below = [self._in_brackets(part) for part in self.divisors]
        sign = "-" if self.coefficient < 0 else ""
        return sign + " / ".join([" * ".join(above), *below])

    def _in_brackets(self, part: Expression) -> str:
        text = formula(part, self.names, digits=DIGITS)
        return f"({text})" if _operation(part, self.names) in _ARITHMETIC else text


@dataclass(frozen=True, slots=True)
class _Product:
    """What multiplies and divides the sum that is being taken apart."""

    coefficient: float = 1.0
    factors: tuple[_Place, ...] = ()
    divisors: tuple[_Place, ...] = ()

    def times(self, place: _Place) -> _Product:
        value = _value(place[1])
        if value is not None:
            return replace(self, coefficient=self.coefficient * value)
        return replace(self, factors=(*self.factors, place))

    def over(self, place: _Place) -> _Product:
        value = _value(place[1])
        if value:
            return replace(self, coefficient=self.coefficient / value)
        return replace(self, divisors=(*self.divisors, place))


def terms_of(expression: Expression, names: FormulaNames = UNNAMED) -> list[Term]:
    """Return the terms whose sum *expression* is (where no divisor is 0), like terms collected.

    >>> from evoply.expressions import board, count, divide
    >>> value = divide(count(board.own) - 10 * count(board.empty), board.ply)
    >>> [term.text for term in terms_of(value)]
    ['count(own) / ply', '-10 * count(empty) / ply']
    """
    terms: list[Term] = []
    waiting: list[tuple[_Place, _Product]] = [(((), expression), _Product())]
    while waiting:
        place, outer = waiting.pop()
        inner = _inner_sum(place, outer, names)
        if inner is None:
            terms.append(_term(place, outer, names))
            continue
        place, product = inner
        first, second = _operands(place)
        sign = -1.0 if place[1].op == "subtract" else 1.0
        waiting.append((second, replace(product, coefficient=product.coefficient * sign)))
        waiting.append((first, product))
    return _collect(terms)


def sum_text(terms: Sequence[Term]) -> str:
    """Return the sum of *terms* as a formula, those that are subtracted last."""
    ordered = sorted(terms, key=lambda term: (term.is_constant, term.coefficient < 0))
    text = " + ".join(term.text for term in ordered) or "0"
    return text.replace("+ -", "- ")


def sum_of(terms: Sequence[Term]) -> Expression:
    """Return the sum of *terms*, one at least, as an expression."""
    return reduce(partial(build, "add"), (term.expression for term in terms))


def without(expression: Expression, term: Term) -> Expression:
    """Return *expression* with 0 in place of *term*."""
    for path in term.paths:
        parts = [expression]
        for step in path:
            parts.append(parts[-1].arguments[step])
        expression = number(0.0)
        for part, step in zip(reversed(parts[:-1]), reversed(path), strict=True):
            arguments = [*part.arguments]
            arguments[step] = expression
            expression = build(part.op, *arguments)
    return expression


def features(expression: Expression, names: FormulaNames = UNNAMED) -> list[Expression]:
    """Return the distinct parts of *expression* that are measured on the board, in order.

    These are the numbers that are not computed from numbers: what has a name, such as `white`, or a
    count or weighted sum of a set of squares.
    """
    parts: dict[Expression, None] = {}
    seen: set[int] = set()
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if is_feature(node, names):
            parts.setdefault(node)
        elif node not in names.known:
            waiting += reversed(children(node))
    return list(parts)


def is_feature(node: Expression, names: FormulaNames) -> bool:
    """Return whether *node* is a number that is measured on the board."""
    if node.type != "number" or node.op == "number":
        return False
    is_whole = node in names.known or node.op == "weighted_sum"
    return is_whole or all(child.type == "squares" for child in children(node))


def with_feature(
    expression: Expression,
    feature: Expression,
    replacement: Expression,
    names: FormulaNames = UNNAMED,
) -> Expression:
    """Return *expression* with *replacement* wherever *feature* stands, but for inside of names."""
    changed: dict[int, Expression] = {}
    for node in in_order([expression]):
        if node == feature or node in names.known:
            changed[id(node)] = replacement if node == feature else node
            continue
        arguments = [
            changed[id(argument)] if isinstance(argument, Expression) else argument
            for argument in node.arguments
        ]
        is_same = all(
            argument is other for argument, other in zip(arguments, node.arguments, strict=True)
        )
        changed[id(node)] = node if is_same else build(node.op, *arguments)
    return changed[id(expression)]


def _operation(node: Expression, names: FormulaNames) -> str:
    return "" if node in names.known else node.op


def _value(node: Expression) -> float | None:
    return float(node.arguments[0]) if node.op == "number" else None


def _operands(place: _Place) -> tuple[_Place, _Place]:
    path, node = place
    return ((*path, 0), node.arguments[0]), ((*path, 1), node.arguments[1])


def _inner_sum(
    place: _Place, product: _Product, names: FormulaNames
) -> tuple[_Place, _Product] | None:
    """Return the sum that alone carries the value at *place*, and what multiplies it."""
    while True:
        name = _operation(place[1], names)
        if name in ("add", "subtract"):
            return place, product
        if name not in ("multiply", "divide"):
            return None
        first, second = _operands(place)
        if name == "divide":
            place, product = first, product.over(second)
        elif _carries_sum(first[1], names):
            place, product = first, product.times(second)
        elif _carries_sum(second[1], names):
            place, product = second, product.times(first)
        else:
            return None


def _carries_sum(expression: Expression, names: FormulaNames) -> bool:
    """Return whether *expression* is a sum, maybe under factors and over divisors."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        name = _operation(node, names)
        if name in ("add", "subtract"):
            return True
        if name in ("multiply", "divide"):
            waiting += node.arguments[: 1 if name == "divide" else 2]
    return False


def _term(place: _Place, outer: _Product, names: FormulaNames) -> Term:
    """Return the term at *place*: its product flattened, numbers gathered in the coefficient."""
    coefficient = outer.coefficient
    above: list[Expression] = []
    below: list[Expression] = []
    waiting = [(part, False) for _, part in reversed(outer.divisors)]
    waiting += [(part, True) for _, part in reversed((place, *outer.factors))]
    while waiting:
        node, is_above = waiting.pop()
        name, value = _operation(node, names), _value(node)
        if value is not None and (is_above or value):
            coefficient = coefficient * value if is_above else coefficient / value
        elif name in ("multiply", "divide"):
            first, second = node.arguments[:2]
            waiting += [(second, is_above == (name == "multiply")), (first, is_above)]
        else:
            (above if is_above else below).append(node)
    return Term((place[0],), coefficient, tuple(above), tuple(below), names)


def _collect(terms: Sequence[Term]) -> list[Term]:
    """Return the terms with like ones added up, in the order of their first."""
    like: dict[tuple[frozenset[tuple[Expression, int]], ...], Term] = {}
    for term in terms:
        # The order of factors does not matter, their number does.
        key = tuple(frozenset(Counter(parts).items()) for parts in (term.factors, term.divisors))
        known = like.get(key)
        if known is not None:
            term = replace(
                known,
                paths=known.paths + term.paths,
                coefficient=known.coefficient + term.coefficient,
            )
        like[key] = term
    return [term for term in like.values() if term.coefficient]
