"""Fitness by single games: discs (at the end, in an epoch, in each stage), and points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evoply import _native, arena
from evoply.configs.part import Problem
from evoply.evolution.config.breeding import Stages
from evoply.evolution.fitness.contract import (
    FitnessKind,
    Measured,
    Population,
    Task,
    Training,
    shared,
)
from evoply.evolution.individuals import Case
from evoply.evolution.play.opponents import trial_of
from evoply.games import GAMES

BySide = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The discs of Black, and of White, in each game."""


class _Discs(FitnessKind):
    """Discs of the opponents, added up over all games against the opponents as they are met."""

    minimised = True
    unit = "minus the opponents' discs"

    def best(self, task: Task) -> float:
        """Return 0, for no disc."""
        return 0.0

    cases: ClassVar[tuple[Case, ...]] = ("opponents", "games")
    """Discs of each opponent, or in each game."""

    def text(self, fitness: float) -> str:
        """Return the discs."""
        return f"{-fitness:,.4g} discs"

    def _measure(
        self, population: Population, training: Training, *, record_moves: bool
    ) -> tuple[Measured, list[NDArray[np.float64]]]:
        """Return the fitness, and minus the sum of every tree for each part of the discs."""
        batch = training.opponents_batch(population, record_moves=record_moves)
        results = training.play(batch)
        opponents, trees = training.opponents, len(population.players)
        parts = self._parts(results, batch.schedule, training.task)
        by_game = [-opponents.by_tree(white, black) for black, white in parts]
        total: NDArray[np.float64] = np.sum(by_game, axis=0)
        plies = results.plies.astype(np.int64).reshape(trees, -1).sum(axis=1)
        measured = Measured(
            fitness=total.sum(axis=1)[population.who],
            games=len(batch.schedule),
            work=population.work_of(plies),
            cases=training.opponent_cases(total, population),
        )
        return measured, [part.sum(axis=1) for part in by_game]

    def _parts(self, results: arena.Results, schedule: arena.Schedule, task: Task) -> list[BySide]:
        raise NotImplementedError


class DiscFitness(_Discs):
    """The opponents' discs at the end of all games, added up and minimised (Liao; Bellin)."""

    kind: Literal["opponent_discs"] = "opponent_discs"

    def measured(self, population: Population, training: Training) -> Measured:
        """Return minus the discs that the opponents have at the end."""
        return self._measure(population, training, record_moves=False)[0]

    def _parts(self, results: arena.Results, schedule: arena.Schedule, task: Task) -> list[BySide]:
        return [(results.black_discs.astype(np.float64), results.white_discs.astype(np.float64))]


class EpochFitness(_Discs):
    """The discs that opponents gained while the clock was in an epoch, minimised (Liao).

    The individual plays whole games. The clock is the share of the board filled since the start,
    in percent; the epoch ends with the game if the clock does not get there.
    """

    kind: Literal["epoch_discs"] = "epoch_discs"
    start: float = Field(default=0.0, ge=0, lt=100)
    """Clock at which the epoch begins."""
    end: float = Field(default=100.0, gt=0, le=100)
    """Clock at which it ends."""
    gain: Literal["net", "gross"] = "net"
    """Discs at the end less those at the start, at least 0; or the discs that the opponent's own
    moves added, whatever it lost in between."""

    @model_validator(mode="after")
    def _start_before_end(self) -> EpochFitness:
        if self.start >= self.end:
            raise ValueError(f"start {self.start:g} is not below end {self.end:g}")
        return self

    def measured(self, population: Population, training: Training) -> Measured:
        """Return minus the discs that the opponents gained in the epoch."""
        return self._measure(population, training, record_moves=True)[0]

    def problems(self, task: Task) -> Iterator[Problem]:
        """Yield an error for a game whose board is not filled."""
        yield from _filling_problems(self.kind, task)

    def _parts(self, results: arena.Results, schedule: arena.Schedule, task: Task) -> list[BySide]:
        return epoch_gains(results, schedule, task.game, [self])


class StageFitness(_Discs):
    """The discs that opponents gained in each stage of staged individuals, minimised (Liao).

    The trees of an individual are trained together: each plays its own stage, and the discs that
    the opponent gains in a stage count against the tree that plays it. The fitness is the sum over
    the stages; `selection = { kind = "lexicase", cases = "stages" }` looks at each by itself.
    """

    kind: Literal["stage_discs"] = "stage_discs"
    gain: Literal["net", "gross"] = "net"
    """As in kind = "epoch_discs"; net gains are at least 0 in every stage."""

    def measured(self, population: Population, training: Training) -> Measured:
        """Return minus the discs that the opponents gained in all stages, or in each as cases."""
        measured, by_stage = self._measure(population, training, record_moves=True)
        if training.task.cases != "stages":
            return measured
        return replace(measured, cases=np.stack(by_stage, axis=1)[population.who])

    cases: ClassVar[tuple[Case, ...]] = ("opponents", "games", "stages")
    """Discs of each opponent, in each game, or in each stage."""

    def problems(self, task: Task) -> Iterator[Problem]:
        """Yield errors for individuals without stages, and for a board that is not filled."""
        individual = task.individual
        if not isinstance(individual, Stages):
            message = f'stage_discs needs individual.kind = "stages", not "{individual.kind}"'
            yield "fitness.measure", message
        elif individual.clock == "ply":
            message = "stage_discs measures stages by the discs placed: leave ply out"
            yield "individual.clock", message
        yield from _filling_problems(self.kind, task)

    def _parts(self, results: arena.Results, schedule: arena.Schedule, task: Task) -> list[BySide]:
        assert isinstance(task.individual, Stages)  # a task is checked for it
        ends = [0, *accumulate(task.individual.percents)]
        epochs = [
            EpochFitness(start=float(start), end=float(end), gain=self.gain)
            for start, end in pairwise(ends)
        ]
        return epoch_gains(results, schedule, task.game, epochs)


def _filling_problems(kind: str, task: Task) -> Iterator[Problem]:
    if GAMES[task.game].length is None:
        message = f"{kind} counts discs as a board is filled, not {task.game}"
        yield "fitness.measure.kind", message


def epoch_gains(
    results: arena.Results, schedule: arena.Schedule, game: str, epochs: Sequence[EpochFitness]
) -> list[BySide]:
    """Return the discs that Black, and that White, gained in each game within each of *epochs*.

    The clock of a position is 100 (discs - 4) / (squares - 4). A move is made within the epoch
    [start, end) if the clock stands there when it is chosen. "net" is the discs at the first
    position with the clock at `end`, or at the end of the game, less those at the first position
    with the clock at `start`, at least 0. "gross" is the sum of the discs that a side's own
    moves within the epoch added.
    """
    squares = GAMES[game].shape.squares
    black, white = _native.piece_counts(
        GAMES[game].kernel,
        results.moves or [],
        starts=schedule.starts,
        start_of=schedule.start_of,
    )
    clock = 100 * (black + white - 4) / (squares - 4)
    begins = np.array([row[3] for row in schedule.starts])
    which = np.zeros(len(black), np.uint32) if schedule.start_of is None else schedule.start_of
    black_moves = begins[which][:, None] ^ (np.arange(black.shape[1] - 1) % 2 == 1)
    return [
        (_gains(black, clock, black_moves, epoch), _gains(white, clock, ~black_moves, epoch))
        for epoch in epochs
    ]


def _gains(
    discs: NDArray[np.int32],
    clock: NDArray[np.float64],
    is_own: NDArray[np.bool_],
    epoch: EpochFitness,
) -> NDArray[np.float64]:
    """Return a side's gains within *epoch*, from its discs by ply and which plies are its own."""
    gains: NDArray[np.int32]
    if epoch.gain == "gross":
        counts = is_own & (clock[:, :-1] >= epoch.start) & (clock[:, :-1] < epoch.end)
        gains = np.diff(discs, axis=1).sum(axis=1, where=counts)
    else:
        games = np.arange(len(discs))
        start, end = (discs[games, _first(clock >= bound)] for bound in (epoch.start, epoch.end))
        gains = np.maximum(end - start, 0)
    return gains.astype(np.float64)


def _first(is_reached: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the index of the first true entry of each row; the last index if none is true."""
    last = is_reached.shape[1] - 1
    indices: NDArray[np.int64] = np.where(is_reached.any(axis=1), is_reached.argmax(axis=1), last)
    return indices


# Points per game against opponents.


class PointFitness(FitnessKind):
    """Points per game against the opponents: win 1, draw 1/2, loss 0; in [0, 1]."""

    kind: Literal["points"] = "points"
    sharing: bool = False
    """Whether all who score against an opponent share these points, so that beating one whom few
    beat counts more (competitive fitness sharing, Rosin & Belew 1997)."""

    def measured(self, population: Population, training: Training) -> Measured:
        """Return the points per game of *population* against the opponents, or their shares."""
        batch = training.opponents_batch(population)
        results = training.play(batch)
        trial = trial_of(training.opponents, results, len(population.players))
        black = results.black_points
        fitness = np.array(trial.fitness)[population.who]
        if self.sharing:
            fitness = shared(trial.half_points[population.who] / 2)
        return Measured(
            fitness=fitness,
            games=len(batch.schedule),
            work=population.work_of(trial.plies),
            cases=training.opponent_cases(training.opponents.by_tree(black, 1 - black), population),
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
