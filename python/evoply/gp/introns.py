"""Introns of both kinds, counted: what is never computed, and what is computed without effect.

Dead-code introns are explicit (`evoply.gp.sizes`). Live-code introns are found by folding constants
and a few laws (x - x, x * 0, x + 0, false and x, a choice that is settled): a tree may hold more
than are found. Laws are those of real numbers, for people; games never use them. Source: Benbassat
& Sipper (GECCO 2011), section 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from evoply.expressions import Constant, Expression, Node, written_form
from evoply.gp.forest import Individual, branches
from evoply.gp.sizes import dead_size
from evoply.gp.tree import Tree
from evoply.gp.weights import leaf_weights


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of nodes: all, dead-code introns, live-code introns; the rest has an effect."""

    nodes: int
    dead_introns: int
    live_introns: int

    @property
    def effective(self) -> int:
        """Nodes that are computed and have an effect."""
        return self.nodes - self.dead_introns - self.live_introns

    @property
    def live(self) -> int:
        """Nodes that are computed."""
        return self.nodes - self.dead_introns


def sizes(individual: Individual) -> Sizes:
    """Return the sizes of *individual*, over all its branches.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> text = "( IfTrue true ( NullJ Mobility 3 ) ( Plus 1 ManCount ) )"
    >>> sizes(parse_tree(text, PRIMITIVE_SETS["benbassat"]))
    Sizes(nodes=8, dead_introns=1, live_introns=6)
    """
    dead = dead_size(individual)
    effective = sum(sum(effective_nodes(tree)) for tree in branches(individual))
    return Sizes(len(individual), dead, len(individual) - dead - effective)


def effective_nodes(tree: Tree) -> list[bool]:
    """Return for each node whether it has an effect; a constant subtree counts as its root.

    A node that returns one of its operands has none. In a weighed tree no-ops have one.
    """
    values = _Folding(tree).values
    is_weighed = tree.primitive_set.weights is not None
    effective = [False] * len(tree)
    waiting = [0]
    while waiting:
        index = waiting.pop()
        node, value = tree.nodes[index], values[index]
        if value.is_constant:
            effective[index] = True
            continue
        live = tree.children(index)[: node.arity - node.introns]
        same = [child for child in live if values[child].key == value.key]
        if same and not (is_weighed and node.bits):
            waiting.append(same[0])
            continue
        effective[index] = True
        waiting += live
    return effective


def folded(tree: Tree) -> Tree:
    """Return *tree*, which is plain, without its live-code introns; for people.

    A number that is always the same becomes a constant; a truth that is, stays as it is written.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree, plain
    >>> text = "( IfTrue ( NOTG true true ) 1 ( Plus Mobility ( Minus ManCount ManCount ) ) )"
    >>> print(folded(plain(parse_tree(text, PRIMITIVE_SETS["benbassat"]))))
    ( Mobility )
    """
    values = _Folding(tree).values
    effective = effective_nodes(tree)
    kept: list[Node] = []
    index = 0
    while index < len(tree):
        node, key, end = tree.nodes[index], values[index].key, tree.ends[index]
        if effective[index] and node.arity and isinstance(key, bool | float):
            kept += tree.nodes[index:end] if isinstance(key, bool) else (Constant(key),)
        elif effective[index]:
            kept.append(node)
            end = index + 1
        elif any(effective[index:end]):  # it returns an operand: only that is kept
            end = index + 1
        index = end
    return Tree(tree.primitive_set, tuple(kept))


@dataclass(frozen=True, slots=True)
class _Value:
    """What is known of a value: equal keys are equal values; a constant is its own key."""

    key: object

    @property
    def is_constant(self) -> bool:
        return isinstance(self.key, bool | float)


_ZERO, _ONE = _Value(0.0), _Value(1.0)
_TRUE, _FALSE = _Value(True), _Value(False)


@dataclass(slots=True)
class _Folding:
    """The values of all nodes of a tree, from the last to the first."""

    tree: Tree
    values: list[_Value] = field(init=False)
    known: dict[object, _Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = [_ZERO] * len(self.tree)
        weights = leaf_weights(self.tree)
        for index in range(len(self.tree) - 1, -1, -1):
            node = self.tree.nodes[index]
            live = self.tree.children(index)[: node.arity - node.introns]
            value = self.node_value(node, [self.values[child] for child in live])
            weight = weights[index]
            if weight is not None and weight != 1:
                value = self.combined("multiply", (), (_Value(weight), value))
            self.values[index] = value

    def atom(self, key: object) -> _Value:
        """Return the value of that key; keys of operands are numbers, so that they stay short."""
        return self.known.setdefault(key, _Value(("atom", len(self.known))))

    def node_value(self, node: Node, operands: Sequence[_Value]) -> _Value:
        if isinstance(node, Constant):
            return _Value(float(node.value))
        if node.link is not None:
            return self.atom((node.link, *(operand.key for operand in operands)))
        arguments = [*operands]
        if node.parameter is not None and node.value is not None:
            arguments.insert(0, self.expression_value(node.parameter.expression(node.value), ()))
        return self.expression_value(node.expression, arguments)

    def expression_value(self, expression: Expression, arguments: Sequence[_Value]) -> _Value:
        found: dict[int, _Value] = {}
        parts = _in_order(expression)  # of an equal expression, maybe not of this one
        for part in parts:
            if part.op == "argument":
                found[id(part)] = arguments[part.arguments[0]]
                continue
            literals = tuple(one for one in part.arguments if not isinstance(one, Expression))
            operands = tuple(
                found[id(one)] for one in part.arguments if isinstance(one, Expression)
            )
            found[id(part)] = self.combined(part.op, literals, operands)
        return found[id(parts[-1])]

    def combined(self, op: str, literals: tuple[Any, ...], operands: tuple[_Value, ...]) -> _Value:
        """Return the value of one operation."""
        if op in ("number", "truth"):
            (literal,) = literals
            return _Value(literal)
        folded = _folded(op, literals, operands)
        if folded is not None:
            return folded
        return self.atom((op, repr(literals), *(operand.key for operand in operands)))


@lru_cache(maxsize=1024)
def _in_order(expression: Expression) -> tuple[Any, ...]:
    return tuple(written_form.in_order([expression]))


def _folded(op: str, literals: tuple[Any, ...], operands: tuple[_Value, ...]) -> _Value | None:
    """Return a constant or one of the operands if the operation comes to that, else None."""
    keys = tuple(operand.key for operand in operands)
    if op == "select":
        condition, one, other = operands
        if condition.is_constant:
            return one if condition.key else other
        return one if one == other else None
    if op == "negation":
        return _Value(not keys[0]) if operands[0].is_constant else None
    if op not in _COMPUTED:
        return None
    if all(operand.is_constant for operand in operands):
        return _constant(op, literals, keys)
    return _by_law(op, operands)


_COMPUTED = frozenset(
    ("add", "subtract", "multiply", "divide", "minimum", "maximum", "both", "either")
) | {"less", "less_equal", "equal"}


def _constant(op: str, literals: tuple[Any, ...], keys: tuple[Any, ...]) -> _Value | None:
    """Return the value of an operation on two constants, None if it is not finite."""
    a, b = keys
    match op:
        case "add":
            result = a + b
        case "subtract":
            result = a - b
        case "multiply":
            result = a * b
        case "divide":
            protected = {"one": 1.0, "zero": 0.0, "numerator": a, "ieee": math.nan}
            result = a / b if b else protected[literals[0]]
        case "minimum":
            result = a if a < b else b
        case "maximum":
            result = a if a > b else b
        case _:
            return _Value(_truth(op, a, b))
    return _Value(result) if math.isfinite(result) else None


def _truth(op: str, a: Any, b: Any) -> bool:
    results = {"less": a < b, "less_equal": a <= b, "equal": a == b}
    return bool({**results, "both": a and b, "either": a or b}[op])


def _by_law(op: str, operands: tuple[_Value, ...]) -> _Value | None:
    """Return what a law of algebra or logic says where not both operands are constants."""
    one, other = operands
    neutral = {"add": _ZERO, "multiply": _ONE, "both": _TRUE, "either": _FALSE}.get(op)
    absorbing = {"multiply": _ZERO, "both": _FALSE, "either": _TRUE}.get(op)
    if absorbing in operands:
        return absorbing
    if neutral is not None and neutral in operands:
        return other if one == neutral else one
    if op in ("subtract", "divide") and other == (_ZERO if op == "subtract" else _ONE):
        return one
    if one != other:
        return None
    same = {"subtract": _ZERO, "less": _FALSE, "less_equal": _TRUE, "equal": _TRUE}
    return one if op in ("minimum", "maximum", "both", "either") else same.get(op)
