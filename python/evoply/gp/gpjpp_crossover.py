"""Crossover with gpjpp's choice of points: a terminal is drawn again before it is accepted.

It differs from `evoply.gp.crossover` in nothing else.
"""

from __future__ import annotations

from evoply._native import Stream
from evoply.gp.crossover import CROSSOVER_TRIES, fits
from evoply.gp.points import prefer_function
from evoply.gp.tree import Limits, Tree


def gpjpp_crossover(
    first: Tree,
    second: Tree,
    limits: Limits,
    stream: Stream,
    *,
    tries: int = CROSSOVER_TRIES,
    second_limits: Limits | None = None,
) -> tuple[Tree, Tree]:
    """Return two children: each parent with a subtree of the other in place of one of its own.

    In each parent a node is drawn uniformly, a terminal being drawn again up to min(length, 10)
    times. Points of different types, or a child over *limits*, are drawn again up to *tries*
    times; then the parents are returned. *second_limits* are for the second child, if they are not
    the same. Source: gpjpp, which never gives up.
    """
    others = second_limits or limits
    for _ in range(tries):
        i, j = prefer_function(first.nodes, stream), prefer_function(second.nodes, stream)
        if first.nodes[i].type != second.nodes[j].type:
            continue
        one = Tree(
            first.primitive_set,
            first.nodes[:i] + second.nodes[j : second.ends[j]] + first.nodes[first.ends[i] :],
        )
        two = Tree(
            second.primitive_set,
            second.nodes[:j] + first.nodes[i : first.ends[i]] + second.nodes[second.ends[j] :],
        )
        if (
            len(one) <= limits.max_nodes
            and len(two) <= others.max_nodes
            and fits(first, i, second.heights[j], one, limits)
            and fits(second, j, first.heights[i], two, others)
        ):
            return one, two
    return first, second
