"""Algebra on trees, for people: what an evolved tree comes to, and whether it is a constant.

Works with exact fractions of polynomials over + - * / min max; every other primitive is an atom.
Where a fraction would be too large or long, terms and powers of opaque parts are collected instead.
A simplified tree is for reading and statistics only and never plays: it equals the original up to
rounding, and only where no divisor is zero. Protected division is therefore flagged.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field

from evoply.expressions import Node, Primitive
from evoply.gp import rational
from evoply.gp.collection import Candidate, Collector, Views
from evoply.gp.forest import Individual
from evoply.gp.infix import infix, number_text, number_value, operation
from evoply.gp.introns import folded
from evoply.gp.plain import plain
from evoply.gp.rational import Polynomial, Rational, TooLargeError
from evoply.gp.rebuild import Builder, Nodes, to_float
from evoply.gp.tree import Tree

_MOST_EXCEPTIONS = 8
_LONGEST_VALUE = 200  # characters of the value at an exception
_MOST_NODES = 600
"""So many exceptions have their own value worked out, over so many nodes; others are only named."""
_SUMS = {"add": (1, 1), "subtract": (1, -1), "negate": (-1,)}
"""The signs of the operands."""


@dataclass(frozen=True, slots=True)
class Simplified:
    """A simplified tree with what must be said about it.

    *tree* is over the set of the plain tree; *constant* is its value if it depends on no feature;
    *exceptions* say, each for itself, where protected division gives another value.
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
    """A subtree: the shortest nodes found for it and, if it is a number, its value.

    *value* is a fraction, or None in the middle of a sum where it is too large. *views* are for
    collecting terms; a sum in the middle of a longer one has its signed *addends* instead.
    """

    nodes: tuple[Node, ...]
    value: Rational | None = None
    views: Views | None = None
    addends: tuple[tuple[int, Views], ...] = ()


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
    too_large: set[int] = field(default_factory=set)
    forms: dict[int, _Form] = field(default_factory=dict)
    builder: Builder = field(init=False)
    collector: Collector = field(init=False)
    operations: list[str | None] = field(init=False)
    parents: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.builder = Builder(self.tree.primitive_set, [])
        self.collector = Collector(self.builder, self.atom)
        self.operations = [operation(node) for node in self.tree.nodes]
        self.parents = self.tree.parents()
        # Terminals are numbered in the order in which a reader meets them.
        for node in self.tree.nodes:
            if not node.arity and node.type == "number" and _finite_value(node) is None:
                self.atom((node,))

    def run(self, forced: frozenset[int] = frozenset()) -> _Form:
        """Return the form of the tree; the second time only what *forced* changes is worked out."""
        self.forced = forced
        changed = set()
        for place in forced:
            while place >= 0 and place not in changed:
                changed.add(place)
                place = self.parents[place]
        finished: list[_Form] = []
        for index in range(len(self.tree.nodes) - 1, -1, -1):
            node = self.tree.nodes[index]
            operands = [finished.pop() for _ in range(node.arity)]
            if index in self.forms and index not in changed:
                finished.append(self.forms[index])
                continue
            finished.append(self.form(index, node, operands))
            if not forced:
                self.forms[index] = finished[-1]
        return finished[0]

    def atom(self, nodes: tuple[Node, ...]) -> int:
        if nodes not in self.atoms:
            self.atoms[nodes] = len(self.atoms)
            self.builder.atoms.append(nodes)
        return self.atoms[nodes]

    def form(self, index: int, node: Node, operands: list[_Form]) -> _Form:
        """Return the form of the subtree at *index* from those of its operands."""
        plain = (node, *(part for operand in operands for part in operand.nodes))
        if node.type != "number":
            return _Form(plain)
        value = self.bounded_value(index, node, operands)
        nodes = None if value is None else self.builder.nodes(value, len(plain))
        if self.is_inner_sum(index):
            return _Form(nodes or plain, value, addends=self.addends(index, operands))
        candidates = self.candidates(index, operands, value, nodes, len(plain))
        # Of equally short ones the first: they are ordered from expanded to grouped.
        short, views = min(candidates, key=lambda one: len(one[0]), default=(plain, None))
        if len(plain) < len(short):
            short = plain
        if views is None:
            views = self.collector.opaque(short)
        if value is None:
            value = self.opaque_value(index, short, views)
        return _Form(short, value, views)

    def opaque_value(self, index: int, nodes: Nodes, views: Views) -> Rational:
        """Return a constant, or else *nodes* as an atom."""
        number = views.constant
        if number is not None:
            return rational.constant(number)
        atom = self.atom(nodes)
        if self.operations[index] in ("add", "subtract", "multiply", "divide", "negate"):
            self.too_large.add(atom)
        return rational.atom(atom)

    def is_inner_sum(self, index: int) -> bool:
        """Return whether the node at *index* is a sum that is added to something else."""
        parent = self.parents[index]
        return parent >= 0 and self.operations[index] in _SUMS and self.operations[parent] in _SUMS

    def addends(self, index: int, operands: list[_Form]) -> tuple[tuple[int, Views], ...]:
        """Return what the sum at *index* adds up, with signs, from left to right."""
        found: list[tuple[int, Views]] = []
        for sign, operand in zip(_SUMS[self.operations[index] or ""], operands, strict=True):
            if operand.views is not None:
                found.append((sign, operand.views))
            found += [(sign * inner, views) for inner, views in operand.addends]
        return tuple(found)

    def candidates(
        self,
        index: int,
        operands: list[_Form],
        value: Rational | None,
        nodes: Nodes | None,
        longest: int,
    ) -> list[Candidate]:
        """Return the written forms of the subtree at *index*, the expanded ones first."""
        found: list[Candidate] = []
        last: list[Candidate] = []
        if value is not None and nodes is not None:
            # Where the fraction holds parts that were too large for it, the others know more.
            order = last if self.holds_too_large(value) else found
            try:
                order.append((nodes, self.collector.exact(value, nodes)))
            except TooLargeError:
                last.append((nodes, self.collector.opaque(nodes)))
        if value is None or value.constant is None:
            with suppress(TooLargeError):
                found += self.collected(index, operands, longest)
        return found + last

    def holds_too_large(self, value: Rational) -> bool:
        """Return whether arithmetic that was too large is an atom of *value*."""
        polynomials = [value.numerator, *(dict(factor) for factor in value.factors)]
        return bool(self.too_large) and any(
            index in self.too_large
            for polynomial in polynomials
            for monomial in polynomial
            for index, _ in monomial
        )

    def collected(self, index: int, operands: list[_Form], longest: int) -> list[Candidate]:
        """Return the forms that take as opaque what cannot be expanded."""
        name = self.operations[index]
        if name in _SUMS:
            return self.collector.sum(self.addends(index, operands), longest)
        if name not in ("multiply", "divide"):
            return []
        first, second = operands
        if first.views is None or second.views is None or second.value is None:
            return []
        if name == "multiply":
            return self.collector.product(first.views, second.views, 1, longest)
        if index in self.forced or not second.value.numerator or not second.views.grouped:
            return []
        return self.collector.product(first.views, second.views, -1, longest)

    def bounded_value(self, index: int, node: Node, operands: list[_Form]) -> Rational | None:
        """Return the value of an arithmetic node, None for any other or where it is too large."""
        try:
            return self.value(index, node, operands)
        except TooLargeError:
            return None

    def value(self, index: int, node: Node, operands: list[_Form]) -> Rational | None:
        """Return the value of an arithmetic node, None for any other."""
        number = _finite_value(node)
        if number is not None:
            return rational.constant(number)
        values = [operand.value for operand in operands if operand.value is not None]
        if not values or len(values) < len(operands):
            return None
        if self.operations[index] == "divide":
            return self.quotient(index, node, *values)
        return _arithmetic(self.operations[index], values)

    def quotient(
        self, index: int, node: Node, first: Rational, second: Rational
    ) -> Rational | None:
        """Return the quotient, and note where it is not what protected division gives."""
        protected = _protected(node, first)
        if index in self.forced or not second.numerator:
            return protected
        value: Rational | None = None
        is_same = False
        with suppress(TooLargeError):
            value = rational.divide(first, second)
            is_same = protected is not None and rational.is_equal(value, protected)
        if second.constant is None and not is_same:
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


def _arithmetic(name: str | None, values: list[Rational]) -> Rational | None:
    """Return the value of any arithmetic operation but division, None for what is none."""
    match name, values:
        case "negate", [value]:
            return rational.add(rational.constant(0), value, -1)
        case "add", [first, second]:
            return rational.add(first, second)
        case "subtract", [first, second]:
            return rational.add(first, second, -1)
        case "multiply", [first, second]:
            return rational.multiply(first, second)
        case "minimum", [first, second]:
            return _extreme(first, second, -1)
        case "maximum", [first, second]:
            return _extreme(first, second, 1)
    return None


def _extreme(first: Rational, second: Rational, sign: int) -> Rational | None:
    """Return the larger (*sign* 1) or smaller (-1) if their difference is a constant."""
    difference = rational.add(first, second, -1).constant
    if difference is None:
        return None
    return first if difference * sign >= 0 else second


def simplify(individual: Individual) -> Simplified:
    """Return what *individual* comes to: like terms collected, common factors cancelled.

    Takes milliseconds for 200 nodes: an operation that would pass 500 terms is kept as it is. Never
    longer than the plain tree, with which it begins. Any type of tree is taken; numbers have
    algebra, and where there are truths, choices that are settled are taken.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> tree = parse_tree("( + white ( + ( - black black ) white ) )", PRIMITIVE_SETS["liao"])
    >>> print(simplify(tree))
    2 * white
    """
    tree = plain(individual)
    if any(node.type == "truth" for node in tree.nodes):
        tree = folded(tree)
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
        condition: simplifier.run(indices).nodes
        for condition, indices in list(by_condition.items())[:most]
    }
    # Step 2. Those that change nothing, neither alone nor all together, are no exceptions.
    harmless = {condition for condition, nodes in results.items() if nodes == usual}
    together = frozenset().union(*(by_condition[condition] for condition in harmless))
    if together and simplifier.run(together).nodes != usual:
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
