"""Counting what a generation is made of: operators, sizes, behaviours, work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from evoply import _native
from evoply.evolution.config import EvolutionConfig
from evoply.evolution.generation import Census, Individual

__all__ = ["behaviours", "census_of"]

_POSITIONS = 16


def census_of(
    config: EvolutionConfig,
    individuals: Sequence[Individual],
    programs: Sequence[_native.Program],
    *,
    work: int,
    work_before: int,
) -> Census:
    """Return the census of *individuals*; *programs* are those of their different trees."""
    operators = Counter(name for one in individuals for name in one.origin.split(", "))
    crossed = operators["crossover"] + operators["one_way_crossover"]
    sizes = np.quantile([len(one.tree) for one in individuals], (0, 0.25, 0.5, 0.75, 1))
    return Census(
        operators=dict(sorted(operators.items())),
        distinct_behaviours=len(set(behaviours(config, programs))),
        one_way_share=operators["one_way_crossover"] / crossed if crossed else None,
        sizes=tuple(sizes.tolist()),
        work=work,
        total_work=work_before + work,
    )


def behaviours(config: EvolutionConfig, programs: Sequence[_native.Program]) -> list[bytes]:
    """Return what each program says about the same 16 random positions of the config's game.

    Equal for programs that value these positions alike, however they are written.
    """
    key = _native.Stream(config.seed, "behaviour").key
    most = {"othello-4": 8, "othello-6": 28}.get(config.game, 50)
    positions = _native.Positions.random(config.game, _POSITIONS, key, 0, most)
    # -0.0 and 0.0 are the same value.
    return [(program.evaluate(positions) + 0.0).tobytes() for program in programs]
