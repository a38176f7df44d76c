"""What is new in an individual, compared with another one: which nodes, and what has gone.

What stands in both at the same place from the root on is kept, and so is a subtree of two nodes or
more that stands anywhere in the other one: it has only moved. Everything else is new.
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
    """How an individual differs from the one before."""

    new: tuple[frozenset[int], ...]
    """The nodes of each branch that were not there, by index."""
    gone: tuple[str, ...]
    """Subtrees of the one before that are not there any more, each as text."""

    @property
    def count(self) -> int:
        """How many nodes are new."""
        return sum(map(len, self.new))


def changes(before: Genotype, after: Genotype) -> Changes:
    """Return what is new in *after*, branch by branch.

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
    """Return the nodes of *tree* that *other* does not have."""
    apart = []
    both = [(0, 0)]
    while both:
        index, place = both.pop()
        if tree.nodes[index] == other.nodes[place]:
            both += zip(tree.children(index), other.children(place), strict=True)
        else:
            apart.append(index)
    known = {other.subtree(place) for place, node in enumerate(other.nodes) if node.arity}
    unknown = []
    while apart:
        index = apart.pop()
        if tree.subtree(index) not in known:
            unknown.append(index)
            apart += tree.children(index)
    return frozenset(unknown)


def _tops(tree: Tree, nodes: frozenset[int]) -> list[int]:
    """Return those of *nodes* whose parent is none of them, in order."""
    return sorted(nodes - {child for index in nodes for child in tree.children(index)})
