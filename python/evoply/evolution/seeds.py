"""Players whose trees begin a population: read, and checked against the config's primitives."""

from __future__ import annotations

from evoply.evolution.opponents import read_opponent
from evoply.expressions import Constant, PrimitiveSet
from evoply.gp import Limits, Tree, parse_tree
from evoply.players import AfterState, AlphaBeta, TreeEvaluator

__all__ = ["seed_tree"]


def seed_tree(text: str, game: str, primitives: PrimitiveSet, limits: Limits) -> Tree:
    """Return the tree of the player that *text* means, over *primitives*.

    A plain tree is read over *primitives* at once; anything else is a player, such as the file of
    a saved one. Raises ValueError, or OSError for a file, if there is no such tree, if it uses a
    primitive that the set does not have or defines otherwise, or if it is over the limits.
    """
    if text.lstrip().startswith("("):
        tree = parse_tree(text, primitives)
    else:
        tree = _tree_of_player(text, game, primitives)
    if len(tree) > limits.max_nodes or tree.depth > limits.max_depth:
        raise ValueError(
            f"its tree of {len(tree)} nodes and {tree.depth} levels is over the limits, "
            f"{limits.max_nodes} and {limits.max_depth}"
        )
    return tree


def _tree_of_player(text: str, game: str, primitives: PrimitiveSet) -> Tree:
    player = read_opponent(text, game)
    evaluator = player.evaluator if isinstance(player, AfterState | AlphaBeta) else None
    if not isinstance(evaluator, TreeEvaluator):
        raise ValueError(f"{player.label} has no tree")
    found = evaluator.parsed
    if not isinstance(found, Tree):
        raise ValueError(f"{player.label} has several trees")
    own = found.primitive_set
    for node in found.nodes:
        if isinstance(node, Constant):
            continue
        if (
            node.name not in primitives
            or primitives[node.name].expression != own[node.name].expression
        ):
            raise ValueError(
                f"its primitive {node.name} is not in the set {primitives.name}, "
                "or means something else there"
            )
    return parse_tree(str(found), primitives)
