"""The games of training: schedules, starts, points. What kinds of fitness have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evoply import arena
from evoply._native import Stream
from evoply.configs.part import Problem
from evoply.evolution.play.panel import schedule_of_games
from evoply.evolution.play.population import Population

if TYPE_CHECKING:
    from evoply.evolution.config.evolution_config import EvolutionConfig

__all__ = [
    "black_half_points",
    "both_sides_only",
    "first_half_points",
    "matches",
    "shared",
    "work_of",
]


def matches(
    config: EvolutionConfig,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    pairs: int,
    stream: Stream,
) -> arena.Schedule:
    """Return the games of matches: each opening twice with colours swapped, first as Black."""
    count, games = len(first), 2 * pairs
    is_black = np.tile(np.arange(games) % 2 == 0, count)
    one, other = first.repeat(games), second.repeat(games)
    return schedule_of_games(
        config,
        np.where(is_black, one, other),
        np.where(is_black, other, one),
        openings=np.tile(np.arange(pairs).repeat(2), count),
        game_keys=np.tile(stream.child("game").keys(games), count),
        stream=stream,
    )


def black_half_points(results: arena.Results) -> NDArray[np.int64]:
    """Return Black's half points in each game: 2, 1 or 0."""
    half_points: NDArray[np.int64] = results.winners.astype(np.int64) + 1
    return half_points


def first_half_points(results: arena.Results, games: int) -> NDArray[np.int64]:
    """Return the first player's half points in each match of *games* games, colours alternating."""
    black = black_half_points(results).reshape(-1, games)
    halves: NDArray[np.int64] = np.where(np.arange(games) % 2 == 0, black, 2 - black).sum(axis=1)
    return halves


def work_of(population: Population, schedule: arena.Schedule, results: arena.Results) -> int:
    """Return the work of games in which both players are different trees of *population*."""
    operations = population.operations[schedule.black] + population.operations[schedule.white]
    return int((results.plies.astype(np.int64) * operations).sum())


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


def both_sides_only(config: EvolutionConfig) -> Iterator[Problem]:
    """Yield an error if *config* asks for games with one colour only."""
    if config.fitness.sides != "both":
        kind = config.fitness.measure.kind
        yield "fitness.sides", f"with fitness.measure {kind} both colours are played"
