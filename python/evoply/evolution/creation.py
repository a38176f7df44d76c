"""The first population: random individuals, and those of players that were there before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config import EvolutionConfig
from evoply.evolution.config_individual import shape_of
from evoply.evolution.offspring import Offspring
from evoply.evolution.seeds import seed_of
from evoply.expressions import PrimitiveSet, find_primitive_set
from evoply.gp import Limits

__all__ = ["first_population", "limits_of", "new_individual", "primitive_set_of"]


def primitive_set_of(config: EvolutionConfig) -> PrimitiveSet:
    """Return the primitive set of a config, the same object for equal settings."""
    if isinstance(config.primitives, str):
        return find_primitive_set(config.primitives)
    return _set_from_json(json.dumps(config.primitives, sort_keys=True))


@lru_cache(maxsize=16)
def _set_from_json(text: str) -> PrimitiveSet:
    return PrimitiveSet.from_dict(json.loads(text))


def limits_of(config: EvolutionConfig) -> Limits:
    """Return what no tree of the config's population may exceed."""
    return Limits(config.limits.max_depth, config.limits.max_nodes)


def first_population(config: EvolutionConfig, stream: Stream) -> tuple[Offspring, ...]:
    """Return the first population: individuals of seeds, then random ones.

    The random ones obey the config's initialisation, all of them its limits.
    """
    settings = config.initialisation
    primitives, limits = primitive_set_of(config), limits_of(config)
    shape = shape_of(config.individual, primitives)
    seeds = [seed_of(text, config.game, primitives, shape, limits) for text in settings.seeds]
    size = config.population_size - len(seeds)
    made: Sequence[gp.Individual]
    if shape is not None:
        made = gp.create_forests(
            shape,
            settings.method,
            size,
            stream,
            min_depth=settings.min_depth,
            max_depth=settings.max_depth,
            limits=limits,
            duplicates=settings.duplicates,
        )
    else:
        made = gp.create(
            primitives,
            settings.method,
            size,
            stream,
            min_depth=settings.min_depth,
            max_depth=settings.max_depth,
            limits=limits,
            duplicates=settings.duplicates,
        )
    return (
        *(Offspring(one, "seed") for one in seeds),
        *(Offspring(one, settings.method) for one in made),
    )


def new_individual(config: EvolutionConfig, place: int, stream: Stream) -> gp.Individual:
    """Return a random individual of a method without halves, for *place* in a population.

    A ramp's depth limit goes up by one from place to place, and begins again. Of
    ramped half-and-half this gives the half that grows, as gpjpp's creation does.
    """
    settings = config.initialisation
    primitives = primitive_set_of(config)
    shape = shape_of(config.individual, primitives)
    depth = settings.max_depth
    if settings.method.startswith("ramped"):
        depth = settings.min_depth + place % (depth - settings.min_depth + 1)
    method: Literal["grow", "full"] = "full" if settings.method.endswith("full") else "grow"
    lowest, limits = min(settings.min_depth, depth), limits_of(config)
    made: Sequence[gp.Individual]
    if shape is not None:
        made = gp.create_forests(
            shape, method, 1, stream, min_depth=lowest, max_depth=depth, limits=limits
        )
    else:
        made = gp.create(
            primitives, method, 1, stream, min_depth=lowest, max_depth=depth, limits=limits
        )
    return made[0]
