"""The choice of a node of a tree at which an operator works."""

from typing import Literal

from evoply._native import Stream
from evoply.expressions import Node

Bias = float | Literal["gpjpp"] | None
"""The probability of a function node; None for uniform over all nodes; or gpjpp's method."""


def choose_point(nodes: tuple[Node, ...], function_bias: Bias, stream: Stream) -> int:
    """Return the index of a node: a function with probability *function_bias*, else a terminal.

    The choice is uniform within the kind, or over all nodes if *function_bias* is None. "gpjpp" is
    `prefer_function`. The index of a lone terminal is 0. Nodes are redrawn until the kind fits,
    which takes two draws on average in a tree of binary functions.
    """
    count = len(nodes)
    if count == 1:
        return 0
    if function_bias is None:
        return stream.below(count)
    if function_bias == "gpjpp":
        return prefer_function(nodes, stream)
    if stream.random() < function_bias:
        while True:
            index = stream.below(count)
            if nodes[index].arity:
                return index
    while True:
        index = stream.below(count)
        if not nodes[index].arity:
            return index


def prefer_function(nodes: tuple[Node, ...], stream: Stream) -> int:
    """Return the index of a uniform node; terminals are redrawn up to min(length, 10) times.

    This is gpjpp's preference for functions.
    """
    index = stream.below(len(nodes))
    for _ in range(min(len(nodes), 10)):
        if nodes[index].arity:
            break
        index = stream.below(len(nodes))
    return index


def choose_point_of_type(
    nodes: tuple[Node, ...], wanted: str, function_bias: Bias, stream: Stream
) -> int | None:
    """Return the index of a node of type *wanted*, biased as in `choose_point`, or None.

    If the drawn kind has no node of that type, the other kind is taken.
    """
    index = choose_point(nodes, function_bias, stream)
    if nodes[index].type == wanted:
        return index
    # Redrawing until a node fits is uniform over its kind and type; so is a choice from this list.
    of_type = [index for index, node in enumerate(nodes) if node.type == wanted]
    if not of_type:
        return None
    if function_bias is None:
        return of_type[stream.below(len(of_type))]
    is_function = nodes[index].arity > 0
    of_kind = [index for index in of_type if (nodes[index].arity > 0) == is_function] or of_type
    return of_kind[stream.below(len(of_kind))]
