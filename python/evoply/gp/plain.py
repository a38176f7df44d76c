"""The plain tree that says what an individual computes: for people, and as lowering's oracle.

A plain tree has nothing but expressions: introns and no-ops are gone, weights and factors are
multiplications, squares are part of their primitives, definitions are written out, several trees
are joined. It is over a set of its own, made for it. Games never use it; `evoply.gp.lowering` does
the same faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from evoply.expressions import (
    Constant,
    Expression,
    Node,
    Primitive,
    PrimitiveSet,
    argument,
    board,
    less,
    select,
    substitute,
)
from evoply.expressions.primitive import make_primitive
from evoply.gp.forest import Forest, Individual, branches, value_of
from evoply.gp.sizes import MAX_OPERATIONS, lowered_size
from evoply.gp.tree import Tree
from evoply.gp.weights import leaf_weights

Nodes = tuple[Node, ...]

_TIMES = make_primitive("*", argument(0) * argument(1), 0)
_PLUS = make_primitive("+", argument(0) + argument(1), 0)


def plain(individual: Individual) -> Tree:
    """Return the plain tree with the value of *individual*; a plain tree itself is returned as is.

    A tree that orders moves has no part in the value.

    Raises ValueError where definitions would be written out to more than 4,096 nodes.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> text = "( NullJ ( MultERC[2.5] Mobility ) 1 )"
    >>> print(plain(parse_tree(text, PRIMITIVE_SETS["benbassat"])))
    ( * 2.5 Mobility )
    """
    individual = value_of(individual)
    if isinstance(individual, Tree) and individual.primitive_set.is_plain:
        return individual
    size = lowered_size(individual)
    if size > MAX_OPERATIONS:
        raise ValueError(
            f"with its definitions written out, an individual has {size:,} nodes, more than the "
            f"{MAX_OPERATIONS:,} allowed"
        )
    sets = dict.fromkeys(tree.primitive_set.name for tree in branches(individual))
    return _tree(f"{next(iter(sets))}, plain", _nodes(individual))


def _nodes(individual: Individual) -> Nodes:
    if isinstance(individual, Tree):
        return _branch(individual, (), ())
    if individual.role == "adf":
        return _branch(individual.trees[0], (), individual.trees[1:])
    parts = [_branch(tree, (), ()) for tree in individual.trees]
    if individual.role == "sum":
        joined: Nodes = (_PLUS,) * (len(parts) - 1)
        return joined + tuple(node for part in parts for node in part)
    return _timed(individual, parts)


def _timed(forest: Forest, parts: Sequence[Nodes]) -> Nodes:
    """Return the parts that take turns, each but the last behind its end."""
    clock = board.t if forest.role == "phases" else board.root_t
    name = "board_until" if forest.role == "phases" else "until"
    nodes: list[Node] = []
    for end, part in zip(forest.ends, parts[:-1], strict=False):
        before = select(less(clock, end), argument(0), argument(1))
        nodes += (make_primitive(f"{name}_{end:.0%}", before, 0), *part)
    return (*nodes, *parts[-1])


def _branch(tree: Tree, arguments: Sequence[Nodes], definitions: Sequence[Tree]) -> Nodes:
    """Return the plain nodes of *tree*, its *arguments* and *definitions* put in."""
    weights = leaf_weights(tree)
    finished: list[Nodes] = []  # operands that are done, the last one first
    for index in range(len(tree) - 1, -1, -1):
        node = tree.nodes[index]
        operands = [finished.pop() for _ in range(node.arity)]
        live = operands[: node.arity - node.introns]
        finished.append(_weighed(_node(node, live, arguments, definitions), weights[index]))
    return finished[0]


def _node(
    node: Node, operands: list[Nodes], arguments: Sequence[Nodes], definitions: Sequence[Tree]
) -> Nodes:
    if isinstance(node, Constant):
        return (node,)
    if node.link is not None:
        if node.link.kind == "argument":
            return arguments[node.link.index]
        return _branch(definitions[node.link.index], operands, definitions)
    if node.expression.op == "argument" and node.parameter is None:
        return operands[0]
    return (*_without_value(node), *(part for operand in operands for part in operand))


def _without_value(node: Primitive) -> Nodes:
    """Return *node* without value and introns, and maybe its value as a first operand."""
    live = node.argument_types[: node.live_arity]
    if node.parameter is None or node.value is None:
        return (_bare(node, node.expression, live, node.name),)
    if node.parameter.type == "number" and node.expression == _TIMES.expression:
        return _TIMES, Constant(float(node.value))
    operands = [argument(place, kind) for place, kind in enumerate(live)]
    value = node.parameter.expression(node.value)
    return (_bare(node, substitute(node.expression, [value, *operands]), live, node.name),)


@lru_cache(maxsize=4096)
def _bare(node: Primitive, expression: Expression, live: tuple[str, ...], name: str) -> Primitive:
    return Primitive(name, expression, 0, len(live), node.type, live)


def _weighed(nodes: Nodes, weight: float | None) -> Nodes:
    return nodes if weight is None or weight == 1 else (_TIMES, Constant(weight), *nodes)


def _tree(name: str, nodes: Nodes) -> Tree:
    """Return the tree of *nodes* over the set of just their primitives."""
    known: dict[str, Primitive] = {}
    for node in nodes:
        if isinstance(node, Primitive) and node.name not in known:
            known[node.name] = replace(node, code=len(known))
    chosen = PrimitiveSet(name, tuple(known.values()), constants=(-1.0, 1.0))
    final = (known[node.name] if isinstance(node, Primitive) else node for node in nodes)
    return Tree(chosen, tuple(final))
