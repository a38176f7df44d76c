"""Who plays for fitness, and what came of it: values that all kinds of fitness share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evoply import _native, arena, gp
from evoply.evolution.config import EvolutionConfig, LexicaseSelection, ParetoSelection
from evoply.evolution.panel import players_of

__all__ = ["Entrants", "Measured", "Play", "black_half_points", "cases_of", "entrants_of", "shared"]

Play = Callable[[Sequence[_native.Player], arena.Schedule, bool], arena.Results]
"""Plays a schedule with these players; whether moves are recorded comes last."""


@dataclass(frozen=True, slots=True, eq=False)
class Entrants:
    """A population as players; equal trees share one."""

    trees: tuple[gp.Individual, ...]
    """The different trees."""
    players: tuple[_native.Player, ...]
    """The player of each different tree."""
    programs: tuple[_native.Program, ...]
    """The program of each different tree."""
    operations: NDArray[np.int64]
    """Operations of each different tree's program."""
    who: NDArray[np.int64]
    """The place in `trees` of each individual."""

    def __len__(self) -> int:
        return len(self.who)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The fitness of a population."""

    fitness: NDArray[np.float64]
    """Of each individual, maximised."""
    games: int
    work: int
    """Plies of the individuals' games times the operations of their programs."""
    cases: NDArray[np.float64] | None = None
    """Results of each individual on each case, maximised, if they were asked for."""


def entrants_of(config: EvolutionConfig, trees: Sequence[gp.Individual]) -> Entrants:
    """Return the population of *trees* as players; each different tree is lowered once."""
    places: dict[gp.Individual, int] = {}
    who = [places.setdefault(tree, len(places)) for tree in trees]
    programs = gp.lower(list(places), config.game)
    return Entrants(
        trees=tuple(places),
        players=tuple(players_of(config, programs)),
        programs=tuple(programs),
        operations=np.array([program.operations for program in programs], dtype=np.int64),
        who=np.array(who, dtype=np.int64),
    )


def cases_of(config: EvolutionConfig) -> Literal["opponents", "games", "stages"] | None:
    """Return what a case of the config's selection is, None if it selects by fitness alone."""
    match config.selection:
        case LexicaseSelection(cases=cases):
            return cases
        case ParetoSelection(objectives="opponents"):
            return "opponents"
        case _:
            return None


def shared(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return shared fitness in [0, 1] from *points* of shape (individuals, opponents).

    The points against an opponent, divided by all that anybody made against it, are an
    individual's share; its fitness is the mean of its shares. Source: Rosin & Belew, "New methods
    for competitive coevolution" (1997), section 3.1.
    """
    totals = points.sum(axis=0)
    shares: NDArray[np.float64] = np.divide(
        points, totals, out=np.zeros_like(points), where=totals > 0
    )
    means: NDArray[np.float64] = shares.mean(axis=1)
    return means


def black_half_points(results: arena.Results) -> NDArray[np.int64]:
    """Return Black's half points in each game: 2, 1 or 0."""
    half_points: NDArray[np.int64] = results.winners.astype(np.int64) + 1
    return half_points
