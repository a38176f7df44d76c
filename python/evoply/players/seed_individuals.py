"""Seeds of an evolution: individuals of saved players, made of the primitives of the run."""

from pathlib import Path

from evoply.expressions import ExpressionError, Primitive, PrimitiveSet
from evoply.gp.forest import Genotype, branches
from evoply.gp.individual_text import parse_individual
from evoply.gp.tree import TreeError
from evoply.players.evaluators import TreeEvaluator
from evoply.players.player import model_of
from evoply.players.player_files import load_player
from evoply.protocols import Player
from evoply.wording import shorten


def seed_individual(player: Player | str | Path, primitives: PrimitiveSet) -> Genotype:
    """Return the tree, or trees, of *player* with *primitives*; a path names a saved player.

    Every primitive must mean the same in the player's set and in *primitives*, and so must weights;
    the same name is not enough. Raises `TreeError` if the player has no tree, or if *primitives*
    lack one that it uses.
    """
    model = model_of(load_player(player) if isinstance(player, str | Path) else player)
    valuing = model.valuing()
    if valuing is None or not isinstance(valuing.evaluator, TreeEvaluator):
        raise TreeError(
            f"{shorten(str(player))} has no tree, so it cannot be a seed: name a tree or a player "
            "that was saved from one"
        )
    source, own = valuing.evaluator.parsed, valuing.evaluator.primitive_set
    if own.weights != primitives.weights:
        raise TreeError(
            f"the set {primitives.name} weighs leaves by their place in another way than "
            f"{own.name}, the set of this seed: choose a set with the same weights"
        )
    for node in (node for tree in branches(source) for node in tree.nodes):
        if isinstance(node, Primitive) and node.link is None:
            _check(node, primitives)
    try:
        return parse_individual(str(source), primitives)
    except (ValueError, ExpressionError) as error:
        raise TreeError(f"this seed cannot be read over {primitives.name}: {error}") from None


def _check(node: Primitive, primitives: PrimitiveSet) -> None:
    """Raise `TreeError` unless the set has the primitive of *node* with the same meaning."""
    if node.family not in primitives:
        raise TreeError(f"this seed needs {node.family}, which the set {primitives.name} lacks")
    known = primitives[node.family]
    same = (
        (known.expression, known.parameter, known.argument_types, known.introns, known.bits)
        == (node.expression, node.parameter, node.argument_types, node.introns, node.bits)
    )  # fmt: skip
    if not same:
        raise TreeError(
            f"{node.family} does not mean the same in {primitives.name} as in this seed"
        )
