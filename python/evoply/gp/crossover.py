"""Subtree crossover: two parents exchange subtrees of one type, or one gives and one receives.

Parents never change; if no child fits the limits, the children are the parents themselves.
"""

from evoply._native import Stream
from evoply.gp.node_choice import Bias, choose_point, choose_point_of_type, prefer_function
from evoply.gp.tree import Limits, Tree

CROSSOVER_TRIES = 50
"""The number of pairs of points to try before the parents are returned (unbounded in gpjpp)."""
ONE_WAY_TRIES = 10
"""The number of pairs of points to try before a one-way crossover is skipped."""


def subtree_crossover(
    first: Tree,
    second: Tree,
    limits: Limits,
    stream: Stream,
    *,
    function_bias: Bias = 0.9,
    tries: int = CROSSOVER_TRIES,
    second_limits: Limits | None = None,
) -> tuple[Tree, Tree]:
    """Return two children: each parent with a subtree of the other in place of one of its own.

    With probability *function_bias* a point is drawn uniformly among the function nodes (if any),
    else among the terminals; None draws uniformly among all nodes. The second point has the type of
    the first. "gpjpp" is the method of that engine: it draws a node uniformly in each parent, draws
    a terminal again up to min(length, 10) times, and refuses points of different types.
    *second_limits* are for the second child, by default the same. If a child exceeds its limits,
    both points are drawn again, up to *tries* times; then the parents are returned (gpjpp never
    gives up). Both parents must be over one primitive set. Takes about 5 us for parents of 50
    nodes. Source: Koza (1992), section 6.1.2.
    """
    first_nodes, second_nodes = first.nodes, second.nodes
    total = len(first_nodes) + len(second_nodes)
    others = second_limits or limits
    for _ in range(tries):
        # Step 1. Draw a point of one type in each parent.
        j: int | None
        if function_bias == "gpjpp":
            i, j = prefer_function(first_nodes, stream), prefer_function(second_nodes, stream)
            if first_nodes[i].type != second_nodes[j].type:
                continue
        else:
            i = choose_point(first_nodes, function_bias, stream)
            j = choose_point_of_type(second_nodes, first_nodes[i].type, function_bias, stream)
            if j is None:
                continue
        # Step 2. Check both sizes before building anything.
        i_end, j_end = first.ends[i], second.ends[j]
        size = len(first_nodes) - (i_end - i) + (j_end - j)
        if size > limits.max_nodes or total - size > others.max_nodes:
            continue
        # Step 3. Build the children and check their depths.
        first_child = Tree(
            first.primitive_set, first_nodes[:i] + second_nodes[j:j_end] + first_nodes[i_end:]
        )
        if not fits(first, i, second.heights[j], first_child, limits):
            continue
        second_child = Tree(
            second.primitive_set, second_nodes[:j] + first_nodes[i:i_end] + second_nodes[j_end:]
        )
        if fits(second, j, first.heights[i], second_child, others):
            return first_child, second_child
    return first, second


def one_way_crossover(
    donor: Tree,
    receiver: Tree,
    limits: Limits,
    stream: Stream,
    *,
    function_bias: Bias = None,
    tries: int = ONE_WAY_TRIES,
) -> Tree:
    """Return *receiver* with one of its subtrees replaced by a copy of one of *donor*'s.

    Both points are drawn uniformly over all nodes, or biased as in `subtree_crossover`. If *donor*
    has no node of the type, or the child exceeds *limits*, both are drawn again, up to *tries*
    times; then the receiver itself is returned. Source: Benbassat & Sipper (GECCO 2011), section
    4.1.
    """
    for _ in range(tries):
        i = choose_point(receiver.nodes, function_bias, stream)
        j = choose_point_of_type(donor.nodes, receiver.nodes[i].type, function_bias, stream)
        if j is None:
            continue
        i_end, j_end = receiver.ends[i], donor.ends[j]
        if len(receiver) - (i_end - i) + (j_end - j) > limits.max_nodes:
            continue
        child = Tree(
            receiver.primitive_set,
            receiver.nodes[:i] + donor.nodes[j:j_end] + receiver.nodes[i_end:],
        )
        if fits(receiver, i, donor.heights[j], child, limits):
            return child
    return receiver


def fits(parent: Tree, index: int, height: int, child: Tree, limits: Limits) -> bool:
    """Return whether *child* has at most ``limits.max_depth`` levels.

    *child* is *parent* with a subtree of *height* levels at *index*; it is measured only if the
    parent itself is too deep.
    """
    if parent.heights[0] > limits.max_depth:
        return child.depth <= limits.max_depth
    # The lowest level on which the subtree can start: no node of the parent stands below the
    # parent's depth or below its index + 1.
    lowest = limits.max_depth - height + 1
    return index < lowest or parent.heights[0] <= lowest or parent.level(index) <= lowest
