"""Points per game against a panel."""

from typing import ClassVar, Literal

import numpy as np

from evoply.evolution.fitness.contract import (
    FitnessKind,
    Measured,
    Population,
    Task,
    Training,
)
from evoply.evolution.fitness.training_games import shared
from evoply.evolution.individuals import Case
from evoply.evolution.play.panel import trial_of


class PointFitness(FitnessKind):
    """Points per game against the opponents: win 1, draw 1/2, loss 0; in [0, 1]."""

    kind: Literal["points"] = "points"
    sharing: bool = False
    """Whether all who score against an opponent share these points, so that beating one whom few
    beat counts more (competitive fitness sharing, Rosin & Belew 1997)."""

    def measured(self, population: Population, training: Training) -> Measured:
        """Return the points per game of *population* against the panel, or their shares."""
        batch = training.panel_batch(population)
        results = training.play(batch)
        trial = trial_of(training.panel, results, len(population.players))
        black = results.black_points
        fitness = np.array(trial.fitness)[population.who]
        if self.sharing:
            fitness = shared(trial.half_points[population.who] / 2)
        return Measured(
            fitness=fitness,
            games=len(batch.schedule),
            work=population.work_of(trial.plies),
            cases=training.panel_cases(training.panel.by_tree(black, 1 - black), population),
        )

    def best(self, task: Task) -> float:
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

    cases: ClassVar[tuple[Case, ...]] = ("opponents", "games")
    """Points against each opponent, or in each game."""

    def text(self, fitness: float) -> str:
        """Return a percentage, or the share as a number."""
        return super().text(fitness) if self.sharing else f"{100 * fitness:.1f} %"
