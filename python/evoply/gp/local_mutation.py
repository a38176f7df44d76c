"""Local mutation: one node changes a little, and everything else stays."""

from __future__ import annotations

from statistics import NormalDist

from evoply._native import Stream
from evoply.expressions import Constant, Node, NumberParameter, PrimitiveSet
from evoply.gp.mutation import alternatives_of, other_node
from evoply.gp.tree import Limits, Tree

_NORMAL = NormalDist()


def local_mutation(tree: Tree, limits: Limits, stream: Stream, *, scale: float = 0.5) -> Tree:
    """Return *tree* with one node changed a little, its types and arity kept; itself if none can.

    The node is drawn uniformly among those that can change. A drawn number (a constant, or the
    value of a node) moves by a normal deviate of standard deviation *scale* within the range it is
    drawn from; a square moves to one beside it; any other primitive becomes another of the same
    types, drawn uniformly. Benbassat & Sipper (GECCO 2011) name local mutation without defining it.
    """
    nodes, chosen = tree.nodes, tree.primitive_set
    places = [index for index, node in enumerate(nodes) if _can_change(node, chosen)]
    if not places:
        return tree
    index = places[stream.below(len(places))]
    return Tree(
        chosen, (*nodes[:index], _moved(nodes[index], chosen, scale, stream), *nodes[index + 1 :])
    )


def _can_change(node: Node, primitive_set: PrimitiveSet) -> bool:
    if isinstance(node, Constant) or node.parameter is not None:
        return True
    return bool(alternatives_of(primitive_set, node.code)) or _may_be_constant(node, primitive_set)


def _may_be_constant(node: Node, primitive_set: PrimitiveSet) -> bool:
    return primitive_set.constants is not None and not node.arity and node.type == "number"


def _moved(node: Node, primitive_set: PrimitiveSet, scale: float, stream: Stream) -> Node:
    def noise(draws: Stream) -> float:
        return scale * _NORMAL.inv_cdf(draws.random() or 2.0**-54)

    if isinstance(node, Constant):
        if primitive_set.constants is None:
            return Constant(node.value + noise(stream))
        return Constant(NumberParameter(*primitive_set.constants).step(node.value, stream, noise))
    if node.parameter is not None and node.value is not None:
        return node.with_value(node.parameter.step(node.value, stream, noise))
    return other_node(node, primitive_set, stream) or node
