"""A population as players: what the kernel plays, and what is kept of an individual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evoply import _native, gp
from evoply.players import AfterState, AlphaBeta, KernelSeat, TreeEvaluator

if TYPE_CHECKING:
    from evoply.evolution.config.evolution_config import EvolutionConfig

__all__ = ["Population", "individual_player", "population_of", "seats_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """A population as players; equal trees share one."""

    trees: tuple[gp.Genotype, ...]
    """The different trees."""
    players: tuple[KernelSeat, ...]
    """The seat of each different tree."""
    programs: tuple[_native.Program, ...]
    """The program of each different tree."""
    operations: NDArray[np.int64]
    """Operations of each different tree's program."""
    who: NDArray[np.int64]
    """The place in `trees` of each individual."""

    def __len__(self) -> int:
        return len(self.who)


def population_of(config: EvolutionConfig, trees: Sequence[gp.Genotype]) -> Population:
    """Return the population of *trees* as players; each different tree is lowered once."""
    places: dict[gp.Genotype, int] = {}
    who = [places.setdefault(tree, len(places)) for tree in trees]
    programs = gp.lower(list(places), config.game)
    return Population(
        trees=tuple(places),
        players=tuple(_seats(config, list(places), programs)),
        programs=tuple(programs),
        operations=np.array([program.operations for program in programs], dtype=np.int64),
        who=np.array(who, dtype=np.int64),
    )


def seats_of(config: EvolutionConfig, trees: Sequence[gp.Genotype]) -> list[KernelSeat]:
    """Return a seat in the kernel for each tree, lowered together."""
    return _seats(config, trees, gp.lower(trees, config.game))


def _seats(
    config: EvolutionConfig, trees: Sequence[gp.Genotype], programs: Sequence[_native.Program]
) -> list[KernelSeat]:
    """Return a seat in the kernel for each lowered tree, with the config's settings."""
    # A player whose evaluator is not needed, because it is lowered already.
    model = config.player.kind.model_construct(**config.player.options)
    return [
        KernelSeat(
            model.with_program(config.game, program),
            player=partial(individual_player, config, tree),
        )
        for tree, program in zip(trees, programs, strict=True)
    ]


def individual_player(config: EvolutionConfig, tree: gp.Genotype) -> AfterState | AlphaBeta:
    """Return the player that *tree* is in a run of *config*, as data that can be saved."""
    evaluator = TreeEvaluator.of_tree(tree, config.primitives)
    return config.player.kind(evaluator=evaluator, **config.player.options)
