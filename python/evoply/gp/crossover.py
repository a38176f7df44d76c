"""Subtree crossover: two parents exchange subtrees of one type.

Parents are never changed; where the limits leave no room, the children are the parents themselves.
"""

from __future__ import annotations

from evoply._native import Stream
from evoply.gp.points import choose_point, choose_point_of_type
from evoply.gp.tree import Limits, Tree

CROSSOVER_TRIES = 50
"""How many pairs of points are tried before the parents are returned (the original: no bound)."""


def subtree_crossover(
    first: Tree,
    second: Tree,
    limits: Limits,
    stream: Stream,
    *,
    function_bias: float | None = 0.9,
    tries: int = CROSSOVER_TRIES,
) -> tuple[Tree, Tree]:
    """Return two children: each parent with a subtree of the other in place of one of its own.

    With probability *function_bias* a point is drawn uniformly among the function nodes (if there
    are any), else among the terminals; None draws uniformly among all nodes. The second point has
    the type of the first. If a child passes *limits*, both points are drawn again, up to *tries*
    times; then the parents are returned. Both parents are over one primitive set. About 5 us for
    parents of 50 nodes. Source: Koza (1992), section 6.1.2.
    """
    first_nodes, second_nodes = first.nodes, second.nodes
    total = len(first_nodes) + len(second_nodes)
    for _ in range(tries):
        # Step 1. A point in each parent, of one type.
        i = choose_point(first_nodes, function_bias, stream)
        j = choose_point_of_type(second_nodes, first_nodes[i].type, function_bias, stream)
        if j is None:
            continue
        # Step 2. Both sizes, before anything is built.
        i_end, j_end = first.ends[i], second.ends[j]
        size = len(first_nodes) - (i_end - i) + (j_end - j)
        if size > limits.max_nodes or total - size > limits.max_nodes:
            continue
        # Step 3. The children, unless one is too deep.
        one = Tree(
            first.primitive_set, first_nodes[:i] + second_nodes[j:j_end] + first_nodes[i_end:]
        )
        if not fits(first, i, second.heights[j], one, limits):
            continue
        two = Tree(
            second.primitive_set, second_nodes[:j] + first_nodes[i:i_end] + second_nodes[j_end:]
        )
        if fits(second, j, first.heights[i], two, limits):
            return one, two
    return first, second


def fits(parent: Tree, index: int, height: int, child: Tree, limits: Limits) -> bool:
    """Return whether *child* has at most ``limits.max_depth`` levels.

    It is *parent* with a subtree of *height* levels at *index*; this is enough to know without
    measuring the child, unless the parent itself is too deep.
    """
    if parent.heights[0] > limits.max_depth:
        return child.depth <= limits.max_depth
    # The lowest level on which the subtree may start; no node of the parent stands lower than the
    # parent's depth, nor lower than its index + 1.
    lowest = limits.max_depth - height + 1
    return index < lowest or parent.heights[0] <= lowest or parent.level(index) <= lowest
