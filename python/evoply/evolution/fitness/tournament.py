"""A tournament within the population: everybody against everybody, or a knock-out."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from evoply.configs.part import Problem
from evoply.evolution.fitness.contract import (
    FitnessKind,
    Measured,
    Population,
    Task,
    Training,
    first_half_points,
    matches,
    shared,
)
from evoply.evolution.individuals import Case
from evoply.evolution.play.opponents import Batch
from evoply.permutations import shuffled


class TournamentFitness(FitnessKind):
    """A tournament within the population.

    Round robin: points per game, everybody against everybody. Elimination: the number of matches
    won in a knock-out with a random draw, in which a lot decides a tied match.
    """

    kind: Literal["tournament"] = "tournament"
    format: Literal["round_robin", "elimination"] = "round_robin"
    """How individuals are paired."""
    pairs: int = Field(default=1, ge=1, le=10_000)
    """Openings of a match; each is played twice with colours swapped."""
    sharing: bool = False
    """Competitive fitness sharing, as in kind = "points" (round robin only)."""

    def measured(self, population: Population, training: Training) -> Measured:
        """Return the points per game of *population* among themselves, or the matches they won."""
        if self.format == "elimination":
            return self._knock_out(population, training)
        return self._round_robin(population, training)

    def best(self, task: Task) -> float:
        """Return 1, or the rounds of the knock-out."""
        return 1.0 if self.format == "round_robin" else (task.population_size - 1).bit_length()

    is_relative: ClassVar[bool] = True
    """Points depend on the others."""

    @property
    def is_share(self) -> bool:
        """Whether fitness is points per game that are not shared."""
        return self.format == "round_robin" and not self.sharing

    @property
    def cases(self) -> tuple[Case, ...]:
        """Points against each other tree; a knock-out has none."""
        return ("opponents",) if self.format == "round_robin" else ()

    def text(self, fitness: float) -> str:
        """Return a percentage, or the share or the matches as a number."""
        return f"{100 * fitness:.1f} %" if self.is_share else super().text(fitness)

    def problems(self, task: Task) -> Iterator[Problem]:
        """Yield errors for sharing in a knock-out, for one colour only, for earlier champions."""
        if self.format == "elimination" and self.sharing:
            yield "fitness.measure.sharing", "is for a round robin only"
        yield from task.needs_both_colors(self.kind)
        if task.earlier_generations.champions:
            yield (
                "fitness.earlier_generations.champions",
                "a tournament within the population meets no earlier champions",
            )

    def games_of_each(self, task: Task) -> int:
        """Return half the games of a match, in a round robin with each of the others."""
        return self.pairs * (task.population_size - 1 if self.format == "round_robin" else 1)

    def _round_robin(self, population: Population, training: Training) -> Measured:
        """Return the points of all against all on the same openings; equal trees share their games.

        Two individuals with the same tree get half the points of their match, which is not played.
        """
        trees, games = len(population.players), 2 * self.pairs
        first, second = np.triu_indices(trees, k=1)
        schedule = matches(training.games, first, second, self.pairs, training.stream)
        half_points = np.full((trees, trees), games, dtype=np.int64)
        work = 0
        if len(schedule):
            results = training.play(Batch(population.players, schedule))
            points = first_half_points(results, games)
            half_points[first, second] = points
            half_points[second, first] = 2 * games - points
            work = population.work(schedule, results)
        against_trees = half_points[population.who]
        against_all = against_trees[:, population.who]
        np.fill_diagonal(against_all, 0)
        if self.sharing:
            fitness = shared(against_all / (2 * games))
        else:
            fitness = against_all.sum(axis=1) / (2 * games * (len(population) - 1))
        return Measured(
            fitness=fitness,
            games=len(schedule),
            work=work,
            cases=None if training.task.cases is None else against_trees / (2 * games),
        )

    def _knock_out(self, population: Population, training: Training) -> Measured:
        """Return the number of matches won; going on without a match does not count."""
        draws = training.stream.child("draw")
        left = shuffled(len(population), draws)
        wins = np.zeros(len(population))
        games = work = number = 0
        while len(left) > 1:
            # Step 1. A match for all but an odd one, by positions in the population.
            pairs, left = knock_out_rounds(left)
            first, second = np.array(pairs).T
            schedule = matches(
                training.games,
                population.who[first],
                population.who[second],
                self.pairs,
                training.stream.child("round", number),
            )
            both = np.stack([np.array(pairs), np.array(pairs)[:, ::-1]])  # colours swapped
            individuals = np.tile(both, self.pairs).reshape(2, -1)
            results = training.play(Batch(population.players, schedule, individuals=individuals))
            # Step 2. The winners; a lot decides a tie.
            points = first_half_points(results, 2 * self.pairs)
            winners = []
            for (player, opponent), halves in zip(pairs, points.tolist(), strict=True):
                is_tied = halves == 2 * self.pairs
                wins_first = draws.below(2) == 0 if is_tied else halves > 2 * self.pairs
                winners.append(player if wins_first else opponent)
            wins[winners] += 1
            left = winners + left
            games += len(schedule)
            work += population.work(schedule, results)
            number += 1
        return Measured(fitness=wins, games=games, work=work)


def knock_out_rounds(population: Sequence[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the matches of one round between neighbours, and those who go on without one."""
    pairs = list(zip(population[::2], population[1::2], strict=False))
    return pairs, list(population[len(pairs) * 2 :])
