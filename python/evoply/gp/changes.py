"""The differences between two individuals: new nodes, and subtrees that are gone.

Nodes that are the same from the root on are kept, and so is a subtree of two nodes or more that the
other individual has anywhere: it has only moved. All other nodes are new.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evoply.gp.forest import Genotype
    from evoply.gp.tree import Tree


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
