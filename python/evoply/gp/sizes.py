"""Sizes of individuals: what is live, what is an intron, and what comes out when it is lowered.

Explicit introns are dead code: the operands of `NOTG` and `NullJ` that are never computed. Source:
Benbassat & Sipper (GECCO 2011), section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from evoply.expressions import Constant
from evoply.gp.forest import Forest, Individual, branches
from evoply.gp.tree import Tree

MAX_OPERATIONS = 4096
"""The most operations that an individual with definitions may have once they are written out."""


def dead_size(individual: Individual) -> int:
    """Return how many nodes are explicit introns, over all branches."""
    return sum(sum(tree.dead) for tree in branches(individual))


def live_size(individual: Individual) -> int:
    """Return how many nodes are not explicit introns, over all branches."""
    return len(individual) - dead_size(individual)


def lowered_size(individual: Individual) -> int:
    """Return how many nodes there are without introns, each call being its definition written out.

    Computed without writing anything out, so also where the number is astronomical. Weights and
    what joins several trees are not counted.
    """
    if isinstance(individual, Forest) and individual.role == "adf":
        shapes: list[tuple[int, tuple[int, ...]]] = []
        for tree in individual.trees[1:]:
            shapes.append(_shape(tree, shapes))
        return _shape(individual.trees[0], shapes)[0]
    return live_size(individual)


def _shape(
    tree: Tree, definitions: Sequence[tuple[int, tuple[int, ...]]]
) -> tuple[int, tuple[int, ...]]:
    """Return the nodes of a branch without its arguments, and how often it holds each of these."""
    places = 1 + max(
        (
            node.link.index
            for node in tree.nodes
            if not isinstance(node, Constant) and node.link and node.link.kind == "argument"
        ),
        default=-1,
    )
    finished: list[tuple[int, list[int]]] = []
    for node in reversed(tree.nodes):
        operands = [finished.pop() for _ in range(node.arity)]
        link = None if isinstance(node, Constant) else node.link
        size, uses, times = 1, [0] * places, (1,) * (node.arity - node.introns)
        if link is not None and link.kind == "argument":
            size = 0
            uses[link.index] = 1
        elif link is not None:
            size, times = definitions[link.index]
        for (operand_size, operand_uses), count in zip(operands, times, strict=False):
            size += count * operand_size
            uses = [one + count * other for one, other in zip(uses, operand_uses, strict=True)]
        finished.append((size, uses))
    return finished[0][0], tuple(finished[0][1])
