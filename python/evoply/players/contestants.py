"""Trees as players: whatever holds an evolved tree plays at once.

A tree knows its primitives, and nothing of a run: `evoply.evolution.individual_player` makes the
player that a tree is in a run whose config has other settings of `player`.
"""

from __future__ import annotations

from typing import Protocol

from evoply.gp.forest import Forest, Individual
from evoply.gp.tree import Tree
from evoply.players.evaluators import TreeEvaluator
from evoply.players.player import Player
from evoply.players.specs import AfterState, AlphaBeta, RandomPlayer
from evoply.players.staged import RandomStart, Staged


class HasTree(Protocol):
    """What holds a tree, such as an individual of a generation or an entry of a hall of fame."""

    @property
    def tree(self) -> Individual:
        """The tree."""


def player_of(source: Player | Individual | HasTree) -> Player:
    """Return a tree, or what holds one, as a player; a player is returned as it is.

    A tree compares the boards after each of its moves: one ply, own is the side that chooses, the
    first of equally good moves. `with_options` gives it another depth, ties or view. Raises
    TypeError for anything else.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> player_of(parse_tree("( + white 10 )", PRIMITIVE_SETS["liao"])).label
    '( + white 10 ):primitives=liao'
    """
    if isinstance(source, RandomPlayer | AfterState | AlphaBeta | Staged | RandomStart):
        return source
    tree = tree_of(source)
    if tree is None:
        raise TypeError(f"{source!r:.200} is neither a player nor a tree")
    return AfterState(evaluator=TreeEvaluator(tree=tree))


def tree_of(source: object) -> Individual | None:
    """Return *source* if it is a tree or several, the tree that it holds, or None."""
    tree = source if isinstance(source, Tree | Forest) else getattr(source, "tree", None)
    return tree if isinstance(tree, Tree | Forest) else None
