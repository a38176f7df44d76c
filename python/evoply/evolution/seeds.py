"""Players whose trees begin a population: read, and checked against the config's individuals."""

from __future__ import annotations

from evoply import gp
from evoply.evolution.opponents import read_opponent
from evoply.expressions import PrimitiveSet
from evoply.gp import Forest, Limits, Shape
from evoply.players import seed_individual

__all__ = ["is_tree_text", "seed_of"]


def is_tree_text(text: str) -> bool:
    """Return whether *text* is a tree, or several, and not a player with options or in JSON."""
    return text.lstrip().startswith(("(", "{")) and ":" not in text


def seed_of(
    text: str, game: str, primitives: PrimitiveSet, shape: Shape | None, limits: Limits
) -> gp.Individual:
    """Return the tree or trees of the player that *text* means, over *primitives*.

    A text of trees is read over *primitives* at once; anything else is a player, such as the file
    of a saved one. Raises ValueError, or OSError for a file, if there is no such tree, if it uses a
    primitive that the set does not have or defines otherwise, if it is not of the *shape* of the
    population, or if it is over the limits.
    """
    if is_tree_text(text):
        seed = gp.parse_individual(text, primitives)
    else:
        seed = seed_individual(read_opponent(text, game), primitives)
    _check_shape(seed, shape)
    if len(seed) > limits.max_nodes or seed.depth > limits.max_depth:
        raise ValueError(
            f"its tree of {len(seed)} nodes and {seed.depth} levels is over the limits, "
            f"{limits.max_nodes} and {limits.max_depth}"
        )
    return seed


def _check_shape(seed: gp.Individual, shape: Shape | None) -> None:
    """Raise ValueError unless *seed* is made as the individuals of a population are."""
    wanted = "tree" if shape is None else shape.role
    found = seed.role if isinstance(seed, Forest) else "tree"
    if found != wanted:
        raise ValueError(f"it is of kind {found}, and individual.kind is {wanted}")
    if not isinstance(seed, Forest) or shape is None:
        return
    if seed.percents != shape.percents:
        raise ValueError(
            f"its percentages {list(seed.percents)} are not those of individual.percents, "
            f"{list(shape.percents)}"
        )
    if [tree.primitive_set for tree in seed.trees] != list(shape.sets):
        raise ValueError(
            f"its {len(seed.trees)} trees do not fit individual, which asks for {len(shape.sets)}"
        )
