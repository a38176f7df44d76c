"""The additive terms of a tree, each with its place, so that one of them can be left out.

Sums are taken apart wherever they add to the value: under numeric factors, as one factor of a
product, and as the numerator of a quotient. This module knows nothing of words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evoply.expressions import Constant, Node
from evoply.gp import Tree
from evoply.gp.infix import infix, number_text, number_value, operation

__all__ = ["TreeTerm", "features", "formula", "terms_of", "with_feature", "without"]

_ARITHMETIC = ("add", "subtract", "multiply", "divide")


@dataclass(frozen=True, slots=True)
class TreeTerm:
    """One term: *coefficient* times its factors by its divisors.

    *indices* are the nodes in the tree that stand for the term and nothing else: with 0 in their
    places the term is gone.
    """

    indices: tuple[int, ...]
    coefficient: float
    factors: tuple[Tree, ...]
    divisors: tuple[Tree, ...]

    @property
    def is_constant(self) -> bool:
        """Whether it is a number that depends on no feature."""
        return not self.factors and not self.divisors

    @property
    def text(self) -> str:
        """The term as a formula, with its sign."""
        above = [_bracketed(tree) for tree in self.factors]
        if abs(self.coefficient) != 1 or not above:
            above.insert(0, number_text(abs(self.coefficient)))
        below = [_bracketed(tree) for tree in self.divisors]
        sign = "-" if self.coefficient < 0 else ""
        return sign + " / ".join([" * ".join(above), *below])


@dataclass(slots=True)
class _Product:
    """What multiplies and divides the sum that is being taken apart."""

    coefficient: float
    factors: tuple[int, ...] = ()
    divisors: tuple[int, ...] = ()


def terms_of(tree: Tree) -> list[TreeTerm]:
    """Return the terms whose sum is *tree* (where no divisor is 0), like terms collected.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> tree = parse_tree("( / ( - white ( * 10 white_corners ) ) black )", PRIMITIVE_SETS["liao"])
    >>> [term.text for term in terms_of(tree)]
    ['white / black', '-10 * white_corners / black']
    """
    terms: list[TreeTerm] = []
    waiting = [(0, _Product(1.0))]
    while waiting:
        index, outer = waiting.pop()
        inner = _inner_sum(tree, index, outer)
        if inner is None:
            terms.append(_term(tree, index, outer))
            continue
        place, product = inner
        first, second = tree.children(place)
        sign = -1 if operation(tree.nodes[place]) == "subtract" else 1
        waiting.append((second, _scaled(product, sign)))
        waiting.append((first, product))
    return _collected(terms)


def formula(terms: Sequence[TreeTerm]) -> str:
    """Return the sum of *terms* as a formula, those that are subtracted last."""
    ordered = sorted(terms, key=lambda term: (term.is_constant, term.coefficient < 0))
    text = " + ".join(term.text for term in ordered) or "0"
    return text.replace("+ -", "- ")


def without(tree: Tree, term: TreeTerm) -> Tree:
    """Return *tree* with 0 in place of *term*."""
    zero = Tree(tree.primitive_set, (Constant(0.0),))
    for index in sorted(term.indices, reverse=True):  # what stands before keeps its place
        tree = tree.replace(index, zero)
    return tree


def features(tree: Tree) -> list[Tree]:
    """Return the different parts of *tree* that are measured on the board, in order.

    These are the subtrees of type number whose root does not compute with numbers: leaves such
    as `white`, or a count of a set of squares.
    """
    found: dict[tuple[Node, ...], Tree] = {}
    index = 0
    while index < len(tree):
        node = tree.nodes[index]
        if _is_feature(node):
            part = tree.subtree(index)
            found.setdefault(part.nodes, part)
            index = tree.subtree_end(index)
        else:
            index += 1
    return list(found.values())


def with_feature(tree: Tree, feature: Tree, replacement: Tree) -> Tree:
    """Return *tree* with *replacement* wherever *feature* stands."""
    nodes: list[Node] = []
    index = 0
    length = len(feature)
    while index < len(tree):
        if tree.nodes[index : index + length] == feature.nodes:
            nodes += replacement.nodes
            index += length
        else:
            nodes.append(tree.nodes[index])
            index += 1
    return Tree(tree.primitive_set, tuple(nodes))


def _is_feature(node: Node) -> bool:
    if node.type != "number" or number_value(node) is not None or isinstance(node, Constant):
        return False
    return "number" not in node.argument_types


def _inner_sum(tree: Tree, index: int, outer: _Product) -> tuple[int, _Product] | None:
    """Return the sum that alone carries the value at *index*, and what multiplies it."""
    product = outer
    while True:
        name = operation(tree.nodes[index])
        if name in ("add", "subtract"):
            return index, product
        if name not in ("multiply", "divide"):
            return None
        first, second = tree.children(index)
        if name == "divide":
            index, product = first, _divided(tree, product, second)
        elif _carries_sum(tree, first):
            index, product = first, _multiplied(tree, product, second)
        elif _carries_sum(tree, second):
            index, product = second, _multiplied(tree, product, first)
        else:
            return None


def _carries_sum(tree: Tree, index: int) -> bool:
    """Return whether a sum stands at *index*, maybe under factors and over divisors."""
    waiting = [index]
    while waiting:
        place = waiting.pop()
        name = operation(tree.nodes[place])
        if name in ("add", "subtract"):
            return True
        if name == "divide":
            waiting.append(place + 1)
        elif name == "multiply":
            waiting += tree.children(place)
    return False


def _term(tree: Tree, index: int, outer: _Product) -> TreeTerm:
    """Return the term at *index*: its product flattened, numbers gathered in the coefficient."""
    coefficient = outer.coefficient
    above: list[int] = []
    below: list[int] = []
    waiting = [*((place, False) for place in reversed(outer.divisors))]
    waiting += [(place, True) for place in reversed((index, *outer.factors))]
    while waiting:
        place, is_above = waiting.pop()
        name = operation(tree.nodes[place])
        value = number_value(tree.nodes[place])
        if value is not None and (is_above or value):
            coefficient = coefficient * value if is_above else coefficient / value
        elif name in ("multiply", "divide"):
            first, second = tree.children(place)
            waiting += [(second, is_above == (name == "multiply")), (first, is_above)]
        else:
            (above if is_above else below).append(place)
    factors = tuple(tree.subtree(place) for place in above)
    return TreeTerm((index,), coefficient, factors, tuple(tree.subtree(place) for place in below))


def _collected(terms: Sequence[TreeTerm]) -> list[TreeTerm]:
    """Return the terms with like ones added up, in the order of their first."""
    found: dict[tuple[frozenset[tuple[Tree, int]], ...], TreeTerm] = {}
    for term in terms:
        # The order of factors does not matter, their number does.
        key = tuple(frozenset(Counter(trees).items()) for trees in (term.factors, term.divisors))
        known = found.get(key)
        found[key] = (
            term
            if known is None
            else replace(
                known,
                indices=known.indices + term.indices,
                coefficient=known.coefficient + term.coefficient,
            )
        )
    return [term for term in found.values() if term.coefficient]


def _scaled(product: _Product, scale: float) -> _Product:
    return _Product(product.coefficient * scale, product.factors, product.divisors)


def _multiplied(tree: Tree, product: _Product, factor: int) -> _Product:
    value = number_value(tree.nodes[factor])
    if value is not None:
        return _scaled(product, value)
    return _Product(product.coefficient, (*product.factors, factor), product.divisors)


def _divided(tree: Tree, product: _Product, divisor: int) -> _Product:
    value = number_value(tree.nodes[divisor])
    if value:
        return _scaled(product, 1 / value)
    return _Product(product.coefficient, product.factors, (*product.divisors, divisor))


def _bracketed(tree: Tree) -> str:
    text = infix(tree)
    return f"({text})" if operation(tree.nodes[0]) in _ARITHMETIC else text
