"""New individuals: random ones, and those read from players that exist already."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config.breeding import Initialisation
from evoply.evolution.play.opponents import read_opponent
from evoply.expressions import PrimitiveSet, find_primitive_set
from evoply.gp import Forest, Limits, Shape
from evoply.gp.creation import Method
from evoply.players import seed_individual


def named_set(primitives: str | Mapping[str, Any]) -> PrimitiveSet:
    """Return the primitive set of this name or JSON form, the same object for equal ones."""
    if isinstance(primitives, str):
        return find_primitive_set(primitives)
    return _set_from_json(json.dumps(primitives, sort_keys=True))


@lru_cache(maxsize=16)
def _set_from_json(text: str) -> PrimitiveSet:
    return PrimitiveSet.from_dict(json.loads(text))


def new_individual(
    what: PrimitiveSet | Shape, settings: Initialisation, limits: Limits, index: int, stream: Stream
) -> gp.Genotype:
    """Return a random individual of a method without halves, for position *index* of a population.

    A ramp's depth limit rises by one from position to position, then begins again. Ramped
    half-and-half gives only its half that grows, as gpjpp's creation does.
    """
    depth = settings.max_depth
    if settings.method.startswith("ramped"):
        depth = settings.min_depth + index % (depth - settings.min_depth + 1)
    method: Literal["grow", "full"] = "full" if settings.method.endswith("full") else "grow"
    return random_individuals(
        what,
        method,
        1,
        stream,
        min_depth=min(settings.min_depth, depth),
        max_depth=depth,
        limits=limits,
    )[0]


def random_individuals(
    what: PrimitiveSet | Shape, method: Method, count: int, stream: Stream, **settings: Any
) -> Sequence[gp.Genotype]:
    """Return random trees over a set, or individuals of a shape; *settings* as in `gp.create`."""
    if isinstance(what, Shape) and what.role == "terms":
        return gp.create_terms(what, count, stream, limits=settings["limits"])
    if isinstance(what, Shape):
        return gp.create_forests(what, method, count, stream, **settings)
    return gp.create(what, method, count, stream, **settings)


def is_tree_text(text: str) -> bool:
    """Return whether *text* is one or several trees, not a player with options or in JSON."""
    return text.lstrip().startswith(("(", "{")) and ":" not in text


def seed_of(
    text: str, game: str, primitives: PrimitiveSet, shape: Shape | None, limits: Limits
) -> gp.Genotype:
    """Return the tree or trees of the player that *text* means, over *primitives*.

    A text of trees is read over *primitives* at once; anything else is a player, such as the file
    of a saved one. Raises ValueError, or OSError for a file, if the text means no tree, if the tree
    uses a primitive that the set lacks or defines otherwise, if it does not have the *shape* of
    the population, or if it is over the limits.
    """
    if is_tree_text(text):
        return individual_of(text, primitives, shape, limits)
    seed = seed_individual(read_opponent(text, game), primitives)
    _check_fits(seed, shape, limits)
    return seed


def individual_of(
    text: str, primitives: PrimitiveSet, shape: Shape | None, limits: Limits
) -> gp.Genotype:
    """Return the tree or trees that *text* writes; `ValueError` unless they fit the population."""
    individual = gp.parse_individual(text, primitives)
    _check_fits(individual, shape, limits)
    return individual


def _check_fits(seed: gp.Genotype, shape: Shape | None, limits: Limits) -> None:
    _check_shape(seed, shape)
    if shape is not None:
        limits = shape.within(limits)
    if len(seed) > limits.max_nodes or seed.depth > limits.max_depth:
        raise ValueError(
            f"its tree of {len(seed)} nodes and {seed.depth} levels is over the limits, "
            f"{limits.max_nodes} and {limits.max_depth}"
        )


def _check_shape(seed: gp.Genotype, shape: Shape | None) -> None:
    """Raise ValueError unless *seed* has the form of the individuals of a population."""
    wanted = "tree" if shape is None else shape.role
    role = seed.role if isinstance(seed, Forest) else "tree"
    if role != wanted:
        raise ValueError(f"it is of kind {role}, and individual asks for {wanted}")
    if not isinstance(seed, Forest) or shape is None:
        return
    if seed.percents != shape.percents:
        raise ValueError(
            f"its percentages {list(seed.percents)} are not those of individual.percents, "
            f"{list(shape.percents)}"
        )
    if shape.role == "terms":
        if len(seed.trees) > shape.most:
            raise ValueError(
                f"its {len(seed.trees)} terms are more than individual.most {shape.most}"
            )
    elif [tree.primitive_set for tree in seed.trees] != list(shape.sets):
        raise ValueError(
            f"its {len(seed.trees)} trees do not fit individual, which asks for {len(shape.sets)}"
        )
