"""Pruning: offspring that are too large are cut instead of refused."""

from __future__ import annotations

from collections.abc import Mapping

from evoply.expressions import Node
from evoply.gp.tree import Tree


def pruned(tree: Tree, max_nodes: int = 64) -> Tree:
    """Return *tree* cut to at most *max_nodes*: functions replaced by their rightmost terminals.

    The deepest function is cut first, of equally deep ones the rightmost, until the size fits, so
    that the rightmost terminal of the tree is kept. In a typed tree the rightmost terminal of the
    function's own type takes its place; a function without any is cut with one above it. The tree
    itself is returned where it fits or nothing can be cut. Source: Frankland & Pillay (CEC 2015),
    who do not say which function comes first.
    """
    nodes, ends = tree.nodes, tree.ends
    sizes = [end - index for index, end in enumerate(ends)]
    parents = tree.parents()
    levels = [1] * len(nodes)
    for index, parent in enumerate(parents[1:], start=1):
        levels[index] = levels[parent] + 1
    cut: dict[int, Node] = {}
    functions = [index for index, node in enumerate(nodes) if node.arity]
    for index in sorted(functions, key=lambda place: (-levels[place], -place)):
        if sizes[0] <= max_nodes:
            break
        terminal = next(
            (
                node
                for node in reversed(nodes[index + 1 : ends[index]])
                if not node.arity and node.type == nodes[index].type
            ),
            None,
        )
        if terminal is None:
            continue
        cut[index] = terminal
        removed, place = sizes[index] - 1, index
        while place >= 0:
            sizes[place] -= removed
            place = parents[place]
    return _without_cut(tree, cut) if cut else tree


def _without_cut(tree: Tree, cut: Mapping[int, Node]) -> Tree:
    """Return *tree* with each outermost function of *cut* replaced by its terminal."""
    kept: list[Node] = []
    index = 0
    while index < len(tree):
        kept.append(cut.get(index, tree.nodes[index]))
        index = tree.ends[index] if index in cut else index + 1
    return Tree(tree.primitive_set, tuple(kept))
