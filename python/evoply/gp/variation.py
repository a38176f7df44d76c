"""Crossover and mutation: each returns a new tree of the same type, or the same object.

Parents never change. Every mutation takes the tree, the limits of the result and a stream, even if
its results are never larger. Names follow the literature: subtree, point, constant, hoist; swap and
shrink are gpjpp's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from statistics import NormalDist
from typing import Literal

from evoply._native import Stream
from evoply.expressions import (
    Constant,
    Node,
    NumberParameter,
    Primitive,
    PrimitiveSet,
    SquareParameter,
)
from evoply.gp.creation import random_constant, random_subtree, with_parameter
from evoply.gp.tree import Genotype, Limits, Tree, branches, with_branch

# The choice of a node of a tree at which an operator works.

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


# Subtree crossover: two parents exchange subtrees of one type, or one gives and one receives.
#
# Parents never change; if no child fits the limits, the children are the parents themselves.

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


MUTATION_TRIES = 50
_SWAP_TRIES = 5
_NORMAL = NormalDist()


def reproduction(tree: Tree, limits: Limits, stream: Stream) -> Tree:
    """Return *tree* itself, which needs no copy."""
    return tree


def subtree_mutation(
    tree: Tree,
    limits: Limits,
    stream: Stream,
    *,
    max_subtree_depth: int = 4,
    function_bias: Bias = None,
    tries: int = MUTATION_TRIES,
) -> Tree:
    """Return *tree* with one subtree replaced by a random one, grown to *max_subtree_depth* levels.

    The point is uniform over all nodes, or biased as in crossover; the new subtree has the type of
    the old and may be a single terminal. A child over *limits* is drawn again, up to *tries* times;
    then the tree itself is returned. Source: Koza (1992), section 6.2.1.
    """
    nodes = tree.nodes
    for _ in range(tries):
        index = choose_point(nodes, function_bias, stream)
        end = tree.ends[index]
        room = limits.max_nodes - len(nodes) + (end - index)
        subtree = random_subtree(
            tree.primitive_set,
            max_subtree_depth,
            stream,
            root_type=nodes[index].type,
            max_nodes=room,
        )
        if subtree is None or len(subtree) > room:
            continue
        child = Tree(tree.primitive_set, nodes[:index] + subtree.nodes + nodes[end:])
        if fits(tree, index, subtree.depth, child, limits):
            return child
    return tree


def point_mutation(
    tree: Tree, limits: Limits, stream: Stream, *, rate: float | None = None
) -> Tree:
    """Return *tree* with nodes replaced by other primitives of the same types and arity.

    One node, drawn uniformly, is replaced, or each node with probability *rate*. A node without an
    alternative stays; if the set draws constants, a new constant can replace any number terminal.
    """
    nodes = tree.nodes
    places: Iterable[int]
    if rate is None:
        places = (stream.below(len(nodes)),)
    else:
        places = [index for index in range(len(nodes)) if stream.random() < rate]
    changed: list[Node] | None = None
    for index in places:
        other = other_node(nodes[index], tree.primitive_set, stream)
        if other is not None:
            changed = changed or list(nodes)
            changed[index] = other
    return tree if changed is None else Tree(tree.primitive_set, tuple(changed))


def other_node(node: Node, primitive_set: PrimitiveSet, stream: Stream) -> Node | None:
    """Return another node of the same types and arity, drawn uniformly, or None."""
    alternatives = alternatives_of(primitive_set, node.code)
    draws_constant = (
        primitive_set.constants is not None and not node.arity and node.type == "number"
    )
    count = len(alternatives) + draws_constant
    if count == 0:
        return None
    index = stream.below(count)
    if index == len(alternatives):
        return random_constant(primitive_set.constants, stream)
    return with_parameter(alternatives[index], stream)


@lru_cache(maxsize=4096)
def alternatives_of(primitive_set: PrimitiveSet, code: int) -> tuple[Primitive, ...]:
    """Return the other primitives that can replace the node of *code*."""
    if code == Constant.code:
        return tuple(other for other in primitive_set.terminals if other.type == Constant.type)
    node = primitive_set.primitives[code]
    return tuple(
        other
        for other in primitive_set.primitives
        if other.type == node.type
        and other.argument_types == node.argument_types
        and other.code != code
    )


def swap_mutation(tree: Tree, limits: Limits, stream: Stream) -> Tree:
    """Return *tree* with the primitive of one node replaced by another of equal types and arity.

    The node is drawn uniformly; a terminal is drawn again, up to min(length, 10) times. Then up
    to 5 primitives of the set are drawn until one fits; if none does, the tree itself is returned.
    Source: gpjpp.
    """
    nodes = tree.nodes
    index = prefer_function(nodes, stream)
    node = nodes[index]
    alternatives = alternatives_of(tree.primitive_set, node.code)
    same_kind = tree.primitive_set.functions if node.arity else tree.primitive_set.terminals
    for _ in range(_SWAP_TRIES if same_kind else 0):
        other = same_kind[stream.below(len(same_kind))]
        if other in alternatives:
            other = with_parameter(other, stream)
            return Tree(tree.primitive_set, (*nodes[:index], other, *nodes[index + 1 :]))
    return tree


def shrink_mutation(tree: Tree, limits: Limits, stream: Stream) -> Tree:
    """Return *tree* with one function node replaced by one of its operands of the same type.

    The function is drawn uniformly, then the operand. The tree itself is returned if no operand
    has the type or if a single terminal would remain. Source: gpjpp.
    """
    nodes = tree.nodes
    functions = [index for index, node in enumerate(nodes) if node.arity]
    if not functions:
        return tree
    index = functions[stream.below(len(functions))]
    children = [child for child in tree.children(index) if nodes[child].type == nodes[index].type]
    if not children:
        return tree
    child = children[stream.below(len(children))]
    if index == 0 and not nodes[child].arity:
        return tree
    ends = tree.ends
    return Tree(
        tree.primitive_set, nodes[:index] + nodes[child : ends[child]] + nodes[ends[index] :]
    )


def hoist_mutation(tree: Tree, limits: Limits, stream: Stream) -> Tree:
    """Return a subtree of *tree* of its own type, drawn uniformly (Kinnear 1993)."""
    places = [index for index, node in enumerate(tree.nodes) if node.type == tree.type]
    index = places[stream.below(len(places))]
    return tree if index == 0 else tree.subtree(index)


def constant_mutation(
    tree: Tree,
    limits: Limits,
    stream: Stream,
    *,
    scale: float = 1.0,
    noise: Literal["gaussian", "factor"] = "gaussian",
    rate: float = 1.0,
) -> Tree:
    """Return *tree* with each drawn number changed with probability *rate*, or *tree* itself.

    Drawn numbers are constants and the values of nodes such as `MultERC[2.5]`.

    "gaussian" adds a normal deviate of standard deviation *scale*; "factor" multiplies by the
    exponential of one, so the sign stays. Changes to infinity are skipped. Primitives such as the
    terminal `10` are not constants and stay.
    """
    changed: list[Node] | None = None
    for index, node in enumerate(tree.nodes):
        number = drawn_number(node)
        if number is None or (rate < 1 and stream.random() >= rate):
            continue
        # One draw makes a deviate: the inverse normal distribution at a number in (0, 1).
        deviate = scale * _NORMAL.inv_cdf(stream.random() or 2.0**-54)
        factor = math.exp(min(deviate, 700.0))
        value = number * factor if noise == "factor" else number + deviate
        if math.isfinite(value):
            changed = changed or list(tree.nodes)
            changed[index] = (
                Constant(value) if isinstance(node, Constant) else node.with_value(value)
            )
    return tree if changed is None else Tree(tree.primitive_set, tuple(changed))


def drawn_number(node: Node) -> float | None:
    """Return the number that was drawn for *node*, or None."""
    if isinstance(node, Constant):
        return node.value
    is_number = node.parameter is not None and node.parameter.type == "number"
    return float(node.value) if is_number and node.value is not None else None


def drawn_numbers(individual: Genotype) -> list[float]:
    """Return the drawn numbers of *individual* from left to right, without those in introns."""
    nodes = (node for tree in branches(individual) for node in _computed_nodes(tree))
    return [value for node in nodes if (value := drawn_number(node)) is not None]


def with_drawn_numbers(individual: Genotype, numbers: Sequence[float]) -> Genotype:
    """Return *individual* with *numbers* in place of its `drawn_numbers`.

    Raises `ValueError` unless they are equally many.
    """
    if len(numbers) != (count := len(drawn_numbers(individual))):
        raise ValueError(f"{len(numbers)} numbers are not the {count} that were drawn")
    left = iter(numbers)
    for index, tree in enumerate(branches(individual)):
        nodes = tuple(
            node
            if dead or drawn_number(node) is None
            else Constant(next(left))
            if isinstance(node, Constant)
            else node.with_value(next(left))
            for node, dead in zip(tree.nodes, tree.dead, strict=True)
        )
        individual = with_branch(individual, index, Tree(tree.primitive_set, nodes))
    return individual


def _computed_nodes(tree: Tree) -> Iterator[Node]:
    return (node for node, dead in zip(tree.nodes, tree.dead, strict=True) if not dead)


def local_mutation(tree: Tree, limits: Limits, stream: Stream, *, scale: float = 0.5) -> Tree:
    """Return *tree* with one node changed a little, or itself; types and arity stay.

    The node is drawn uniformly among those that can change. A drawn number (a constant, or the
    value of a node) moves by a normal deviate of standard deviation *scale* within its range; a
    square moves to a neighbour; any other primitive becomes another of the same
    types, drawn uniformly. Benbassat & Sipper (GECCO 2011) name local mutation without defining it.
    """
    nodes, chosen = tree.nodes, tree.primitive_set
    places = [index for index, node in enumerate(nodes) if _can_change(node, chosen)]
    if not places:
        return tree
    index = places[stream.below(len(places))]
    return Tree(
        chosen, (*nodes[:index], _move(nodes[index], chosen, scale, stream), *nodes[index + 1 :])
    )


def orbit_mutation(tree: Tree, limits: Limits, stream: Stream) -> Tree:
    """Return *tree* with a subtree that asks a square copied to all squares of its orbit, added up.

    The subtree is drawn uniformly among those that give a number, ask a square, and differ where a
    symmetry of the board moves their squares; the sum of its different images takes its place. So
    one step leads from one corner to four, where each corner alone gains little. The tree itself is
    returned if there is none, if the set cannot add, or if the sum passes the limits. The idea is
    ours: it helps trees of Benbassat & Sipper's primitives across a gap, and adds no primitive.
    """
    nodes, ends, chosen = tree.nodes, tree.ends, tree.primitive_set
    adds = [primitive for primitive in chosen.primitives if primitive.operator == ("add",)]
    sums = {}
    for index, end in enumerate(ends):
        if adds and nodes[index].type == "number":
            images = _images(nodes[index:end])
            if len(images) > 1:
                sums[index] = images
    if not sums:
        return tree
    index = list(sums)[stream.below(len(sums))]
    images = sums[index]
    added = (*[adds[0]] * (len(images) - 1), *(node for image in images for node in image))
    child = Tree(chosen, (*nodes[:index], *added, *nodes[ends[index] :]))
    return child if len(child) <= limits.max_nodes and child.depth <= limits.max_depth else tree


def _images(nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
    """Return the different images of a subtree under symmetries of its squares, itself first."""
    places = {
        index: node.parameter.images(node.value)
        for index, node in enumerate(nodes)
        if isinstance(node, Primitive)
        and isinstance(node.parameter, SquareParameter)
        and node.value is not None
    }
    counts = {len(images) for images in places.values()}
    if len(counts) != 1:  # no square, or squares of sets with other symmetries
        return [tuple(nodes)]
    found = dict[tuple[Node, ...], None]()
    for symmetry in range(counts.pop()):
        image = list(nodes)
        for index, images in places.items():
            node = nodes[index]
            assert isinstance(node, Primitive)
            image[index] = node.with_value(images[symmetry])
        found[tuple(image)] = None
    return list(found)


def _can_change(node: Node, primitive_set: PrimitiveSet) -> bool:
    if isinstance(node, Constant) or node.parameter is not None:
        return True
    return bool(alternatives_of(primitive_set, node.code)) or _may_be_constant(node, primitive_set)


def _may_be_constant(node: Node, primitive_set: PrimitiveSet) -> bool:
    return primitive_set.constants is not None and not node.arity and node.type == "number"


def _move(node: Node, primitive_set: PrimitiveSet, scale: float, stream: Stream) -> Node:
    def noise(draws: Stream) -> float:
        return scale * _NORMAL.inv_cdf(draws.random() or 2.0**-54)

    if isinstance(node, Constant):
        if primitive_set.constants is None:
            return Constant(node.value + noise(stream))
        return Constant(NumberParameter(*primitive_set.constants).step(node.value, stream, noise))
    if node.parameter is not None and node.value is not None:
        return node.with_value(node.parameter.step(node.value, stream, noise))
    return other_node(node, primitive_set, stream) or node


# The differences between two individuals: new nodes, and subtrees that are gone.
#
# Nodes that are the same from the root on are kept, and so is a subtree of two nodes or more that
# the other individual has anywhere: it has only moved. All other nodes are new.


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between an individual and an earlier one."""

    new: tuple[frozenset[int], ...]
    """The new nodes of each branch, by index."""
    gone: tuple[str, ...]
    """Subtrees of the earlier individual that are gone, as texts."""

    @property
    def count(self) -> int:
        """The number of new nodes."""
        return sum(map(len, self.new))


def changes(before: Genotype, after: Genotype) -> Changes:
    """Return the changes from *before* to *after*, branch by branch.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> before, after = (
    ...     parse_tree(text, PRIMITIVE_SETS["liao"])
    ...     for text in ("( + white 10 )", "( + ( * white 2 ) 10 )")
    ... )
    >>> changes(before, after)
    Changes(new=(frozenset({1, 2, 3}),), gone=('( white )',))
    """
    new, gone = [], []
    for old, now in zip_longest(before.trees, after.trees):
        if now is not None:
            new.append(frozenset(range(len(now))) if old is None else _unknown(now, old))
        if old is not None:
            lost = frozenset(range(len(old))) if now is None else _unknown(old, now)
            gone += [str(old.subtree(top)) for top in _tops(old, lost)]
    return Changes(tuple(new), tuple(gone))


def _unknown(tree: Tree, other: Tree) -> frozenset[int]:
    """Return the nodes of *tree* that *other* lacks."""
    apart = []
    both = [(0, 0)]
    while both:
        index, other_index = both.pop()
        if tree.nodes[index] == other.nodes[other_index]:
            both += zip(tree.children(index), other.children(other_index), strict=True)
        else:
            apart.append(index)
    known = {other.subtree(index) for index, node in enumerate(other.nodes) if node.arity}
    unknown = []
    while apart:
        index = apart.pop()
        if tree.subtree(index) not in known:
            unknown.append(index)
            apart += tree.children(index)
    return frozenset(unknown)


def _tops(tree: Tree, nodes: frozenset[int]) -> list[int]:
    """Return the members of *nodes* whose parents are not in *nodes*, in order."""
    return sorted(nodes - {child for index in nodes for child in tree.children(index)})
