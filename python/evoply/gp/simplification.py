"""Algebra on trees, for people: what an evolved tree comes to, and whether it is a constant.

Works with exact fractions of polynomials over + - * / min max; every other primitive is an atom.
A simplified tree is for reading and statistics only and never plays: it equals the original up to
rounding, and only where no divisor is zero. Protected division is therefore flagged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from evoply.expressions import Node, Primitive
from evoply.gp import rational
from evoply.gp.infix import infix, number_text, number_value, operation
from evoply.gp.rational import Polynomial, Rational, TooLargeError
from evoply.gp.rebuild import Builder, to_float
from evoply.gp.tree import Tree

_MOST_EXCEPTIONS = 8
_LONGEST_VALUE = 200  # characters of the value at an exception
_MOST_NODES = 600
"""So many exceptions have their own value worked out, over so many nodes; others are only named."""


@dataclass(frozen=True, slots=True)
class Simplified:
    """A simplified tree with what must be said about it.

    *tree* is over the same set; *constant* is its value if it depends on no feature; *exceptions*
    say, each for itself, where protected division gives another value.
    """

    tree: Tree
    constant: float | None
    exceptions: tuple[str, ...]

    @property
    def text(self) -> str:
        """The formula and the exceptions in one line."""
        formula = infix(self.tree)
        return f"{formula}, {'; '.join(self.exceptions)}" if self.exceptions else formula

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class _Form:
    """A subtree: its value as a fraction (numbers only) and the shortest nodes found for it."""

    value: Rational | None
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class _Division:
    """A division that may be by zero: its place, and the polynomial that is zero there."""

    index: int
    zeros: Polynomial


@dataclass(slots=True)
class _Simplifier:
    """One pass over a tree from its last node to its first; *forced* divisions divide by zero."""

    tree: Tree
    forced: frozenset[int] = frozenset()
    atoms: dict[tuple[Node, ...], int] = field(default_factory=dict)
    divisions: list[_Division] = field(default_factory=list)
    builder: Builder = field(init=False)

    def __post_init__(self) -> None:
        self.builder = Builder(self.tree.primitive_set, [])

    def run(self) -> _Form:
        # Terminals are numbered in the order in which a reader meets them.
        for node in self.tree.nodes:
            if not node.arity and node.type == "number" and _finite_value(node) is None:
                self.atom((node,))
        finished: list[_Form] = []
        for index in range(len(self.tree.nodes) - 1, -1, -1):
            node = self.tree.nodes[index]
            operands = [finished.pop() for _ in range(node.arity)]
            finished.append(self.form(index, node, operands))
        return finished[0]

    def atom(self, nodes: tuple[Node, ...]) -> Rational:
        if nodes not in self.atoms:
            self.atoms[nodes] = len(self.atoms)
            self.builder.atoms.append(nodes)
        return rational.atom(self.atoms[nodes])

    def form(self, index: int, node: Node, operands: list[_Form]) -> _Form:
        """Return the form of the subtree at *index* from those of its operands."""
        plain = (node, *(part for operand in operands for part in operand.nodes))
        if node.type != "number":
            return _Form(None, plain)
        value = self.bounded_value(index, node, operands)
        if value is None:
            return _Form(self.atom(plain), plain)
        short = self.builder.nodes(value, len(plain))
        return _Form(value, plain if short is None else short)

    def bounded_value(self, index: int, node: Node, operands: list[_Form]) -> Rational | None:
        """Return the value of an arithmetic node, None for any other or where it is too large."""
        try:
            return self.value(index, node, operands)
        except TooLargeError:
            if operation(node) not in ("add", "subtract"):
                return None
        # A sum may still collect its other terms when fractions are taken as they stand.
        whole = [
            _Form(self.atom(form.nodes), form.nodes)
            if form.value is not None and form.value.factors
            else form
            for form in operands
        ]
        try:
            return self.value(index, node, whole)
        except TooLargeError:
            return None

    def value(self, index: int, node: Node, operands: list[_Form]) -> Rational | None:
        """Return the value of an arithmetic node, None for any other."""
        number = _finite_value(node)
        if number is not None:
            return rational.constant(number)
        values = [operand.value for operand in operands if operand.value is not None]
        if len(values) != 2:
            return None
        first, second = values
        match operation(node):
            case "add":
                return rational.add(first, second)
            case "subtract":
                return rational.add(first, second, -1)
            case "multiply":
                return rational.multiply(first, second)
            case "divide":
                return self.quotient(index, node, first, second)
            case "minimum":
                return _extreme(first, second, -1)
            case "maximum":
                return _extreme(first, second, 1)
        return None

    def quotient(
        self, index: int, node: Node, first: Rational, second: Rational
    ) -> Rational | None:
        """Return the quotient, and note where it is not what protected division gives."""
        protected = _protected(node, first)
        if index in self.forced or not second.numerator:
            return protected
        value = rational.divide(first, second)
        if second.constant is None and not (
            protected is not None and rational.is_equal(value, protected)
        ):
            self.divisions.append(_Division(index, second.numerator))
        return value


def _finite_value(node: Node) -> float | None:
    value = number_value(node)
    return value if value is not None and math.isfinite(value) else None


def _protected(node: Node, numerator: Rational) -> Rational | None:
    """Return what *node*, a division, gives for a divisor of 0; None if that is no number."""
    operator = node.operator if isinstance(node, Primitive) else None
    match operator:
        case ("divide", "one"):
            return rational.constant(1)
        case ("divide", "zero"):
            return rational.constant(0)
        case ("divide", "numerator"):
            return numerator
    return None


def _extreme(first: Rational, second: Rational, sign: int) -> Rational | None:
    """Return the larger (*sign* 1) or smaller (-1) if their difference is a constant."""
    difference = rational.add(first, second, -1).constant
    if difference is None:
        return None
    return first if difference * sign >= 0 else second


def simplify(tree: Tree) -> Simplified:
    """Return what *tree* comes to: like terms collected, common factors cancelled.

    Takes milliseconds for 200 nodes: an operation that would pass 500 terms is kept as it is. Never
    longer than the original. Any type of tree is taken; only numbers have algebra.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> tree = parse_tree("( + white ( + ( - black black ) white ) )", PRIMITIVE_SETS["liao"])
    >>> print(simplify(tree))
    2 * white
    """
    simplifier = _Simplifier(tree)
    form = simplifier.run()
    constant = form.value.constant if form.value is not None else None
    return Simplified(
        Tree(tree.primitive_set, form.nodes),
        None if constant is None else to_float(constant),
        _exceptions(tree, form.nodes, simplifier),
    )


def _exceptions(tree: Tree, usual: tuple[Node, ...], simplifier: _Simplifier) -> tuple[str, ...]:
    """Return a sentence for each divisor that may be zero and then changes the *usual* value."""
    by_condition: dict[str, frozenset[int]] = {}
    for division in sorted(simplifier.divisions, key=lambda division: division.index):
        condition = condition_text(division.zeros, simplifier.builder)
        by_condition[condition] = by_condition.get(condition, frozenset()) | {division.index}
    # Step 1. What comes out at each exception, as far as that is affordable.
    most = min(_MOST_EXCEPTIONS, 1 + _MOST_NODES // len(tree))
    results = {
        condition: _Simplifier(tree, forced=indices).run().nodes
        for condition, indices in list(by_condition.items())[:most]
    }
    # Step 2. Those that change nothing, neither alone nor all together, are no exceptions.
    harmless = {condition for condition, nodes in results.items() if nodes == usual}
    together = frozenset().union(*(by_condition[condition] for condition in harmless))
    if together and _Simplifier(tree, forced=together).run().nodes != usual:
        harmless = set()
    # Step 3. The others in words.
    sentences: list[str] = []
    for condition in by_condition:
        if condition in harmless:
            continue
        sentence = f"except where {condition}"
        if results.get(condition, usual) != usual:
            value = infix(Tree(tree.primitive_set, results[condition]))
            sentence += f", where it is {value}" if len(value) <= _LONGEST_VALUE else ""
        sentences.append(sentence)
    return tuple(sentences)


def condition_text(zeros: Polynomial, builder: Builder) -> str:
    """Return in words where the polynomial *zeros* is 0: positive terms = negative terms."""
    scale = min(abs(value) for value in zeros.values())
    sides: tuple[list[str], list[str]] = ([], [])
    for monomial, value in zeros.items():
        factors = [
            infix(Tree(builder.primitive_set, builder.atoms[index]))
            for index, exponent in monomial
            for _ in range(exponent)
        ]
        size = abs(value) / scale if len(zeros) > 1 or monomial else abs(value)
        if size != 1 or not factors:
            factors.insert(0, number_text(float(size)))
        sides[value < 0].append(" * ".join(factors))
    if not sides[0]:
        sides = (sides[1], sides[0])
    return f"{' + '.join(sides[0])} = {' + '.join(sides[1]) or '0'}"
