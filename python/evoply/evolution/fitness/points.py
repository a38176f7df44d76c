"""Points per game against a panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from evoply.evolution.fitness.contract import Batch, Case, FitnessKind, Measured, Training
from evoply.evolution.fitness.games import shared
from evoply.evolution.play.panel import Panel, schedule_of, trial_of
from evoply.evolution.play.population import Population

if TYPE_CHECKING:
    from evoply.evolution.config.evolution_config import EvolutionConfig

__all__ = ["PointFitness", "by_tree", "cases_by_game", "panel_batch"]


def panel_batch(population: Population, training: Training, *, record_moves: bool = False) -> Batch:
    """Return the games of every different tree against the panel, all on the same openings."""
    return Batch(
        players=(*population.players, *training.panel.players),
        schedule=schedule_of(
            training.config, len(population.players), training.panel, training.stream
        ),
        record_moves=record_moves,
    )


def by_tree(
    panel: Panel, if_black: NDArray[np.float64], if_white: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the entry that belongs to the tree's colour in each game, shape (trees, games)."""
    is_black = panel.places.is_black
    games = len(is_black)
    return np.where(is_black, if_black.reshape(-1, games), if_white.reshape(-1, games))


def cases_by_game(
    training: Training, by_game: NDArray[np.float64], population: Population
) -> NDArray[np.float64] | None:
    """Return the cases that selection asks for: each game, or the sum against each opponent.

    *by_game* is of shape (trees, games).
    """
    kind = training.config.cases
    if kind is None:
        return None
    if kind == "opponents":
        starts = np.cumsum([0, *training.panel.games[:-1]])
        by_game = np.add.reduceat(by_game, starts, axis=1)
    return by_game[population.who]


class PointFitness(FitnessKind):
    """Points per game against the opponents: win 1, draw 1/2, loss 0; in [0, 1]."""

    kind: Literal["points"] = "points"
    sharing: bool = False
    """Whether the points against an opponent are shared among all who made them, so that beating
    one whom few beat counts more (competitive fitness sharing, Rosin & Belew 1997)."""

    def measured(self, population: Population, training: Training) -> Measured:
        """Return the points per game of *population* against the panel, or their shares."""
        batch = panel_batch(population, training)
        results = training.play(batch)
        trial = trial_of(training.panel, results, len(population.players))
        black = results.black_points
        fitness = np.array(trial.fitness)[population.who]
        if self.sharing:
            fitness = shared(trial.half_points[population.who] / 2)
        return Measured(
            fitness=fitness,
            games=len(batch.schedule),
            work=int((trial.plies * population.operations).sum()),
            cases=cases_by_game(training, by_tree(training.panel, black, 1 - black), population),
        )

    def best(self, config: EvolutionConfig) -> float:
        """Return 1."""
        return 1.0

    @property
    def is_relative(self) -> bool:
        """Whether points are shared."""
        return self.sharing

    @property
    def is_share(self) -> bool:
        """Whether points are not shared."""
        return not self.sharing

    @property
    def cases(self) -> tuple[Case, ...]:
        """Points against each opponent, or in each game."""
        return ("opponents", "games")

    def text(self, fitness: float) -> str:
        """Return a percentage, or the share as a number."""
        return super().text(fitness) if self.sharing else f"{100 * fitness:.1f} %"
