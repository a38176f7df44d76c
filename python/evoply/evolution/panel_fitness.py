"""Fitness from games against a panel: points, the opponents' discs, and their gains in an epoch.

Each different tree plays once for all individuals that have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply import arena
from evoply._native import Stream
from evoply.evolution.config import (
    DiscFitness,
    EpochFitness,
    EvolutionConfig,
    PointFitness,
    StageFitness,
    Stages,
)
from evoply.evolution.disc_history import DiscHistory, disc_history
from evoply.evolution.entrants import Entrants, Measured, Play, cases_of, shared
from evoply.evolution.panel import Panel, schedule_of, trial_of
from evoply.games import game_rules

__all__ = ["epoch_gains", "panel_measured", "stage_epochs"]


def panel_measured(
    config: EvolutionConfig,
    measure: PointFitness | DiscFitness | EpochFitness | StageFitness,
    entrants: Entrants,
    panel: Panel,
    stream: Stream,
    play: Play,
) -> Measured:
    """Return the fitness of *entrants* from their games against *panel*.

    Points per game are maximised. Discs are added up over all games, against the opponents as
    they are met, and stored with their sign changed. Cases are what selection asks for: points
    (0 to 1) or minus discs, a game, the sum of the games against one opponent, or one stage.
    """
    trees = len(entrants.players)
    schedule = schedule_of(config, trees, panel, stream)
    needs_moves = isinstance(measure, EpochFitness | StageFitness)
    results = play([*entrants.players, *panel.players], schedule, needs_moves)
    trial = trial_of(panel, results, trees)
    by_stage: NDArray[np.float64] | None = None
    if isinstance(measure, PointFitness):
        black = results.black_points
        by_game = _for_trees(panel, black, 1 - black)
        fitness = np.array(trial.fitness)[entrants.who]
        if measure.sharing:
            fitness = shared(trial.half_points[entrants.who] / 2)
    else:
        if isinstance(measure, DiscFitness):
            black = results.black_discs.astype(np.float64)
            white = results.white_discs.astype(np.float64)
        elif isinstance(measure, EpochFitness):
            black, white = epoch_gains(results, config.game, measure)
        else:
            gains = all_epoch_gains(results, config.game, stage_epochs(config, measure))
            by_stage = -np.stack(
                [_for_trees(panel, theirs, own).sum(axis=1) for own, theirs in gains], axis=1
            )
            black, white = (np.sum(side, axis=0) for side in zip(*gains, strict=True))
        by_game = -_for_trees(panel, white, black)
        fitness = by_game.sum(axis=1)[entrants.who]
    return Measured(
        fitness=fitness,
        games=len(schedule),
        work=int((trial.plies * entrants.operations).sum()),
        cases=_cases(config, panel, by_game, by_stage, entrants),
    )


def _for_trees(
    panel: Panel, if_black: NDArray[np.float64], if_white: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the entry that belongs to the tree's colour in each game, shape (trees, games)."""
    is_black = panel.seats.is_black
    games = len(is_black)
    return np.where(is_black, if_black.reshape(-1, games), if_white.reshape(-1, games))


def _cases(
    config: EvolutionConfig,
    panel: Panel,
    by_game: NDArray[np.float64],
    by_stage: NDArray[np.float64] | None,
    entrants: Entrants,
) -> NDArray[np.float64] | None:
    kind = cases_of(config)
    if kind is None:
        return None
    if kind == "stages" and by_stage is not None:
        return by_stage[entrants.who]
    if kind == "opponents":
        starts = np.cumsum([0, *panel.games[:-1]])
        by_game = np.add.reduceat(by_game, starts, axis=1)
    return by_game[entrants.who]


def stage_epochs(config: EvolutionConfig, measure: StageFitness) -> list[EpochFitness]:
    """Return the epoch of each stage of the config's individuals."""
    assert isinstance(config.individual, Stages)  # a config is checked for it
    ends = [0, *accumulate(config.individual.percents)]
    return [
        EpochFitness(start=float(start), end=float(end), gain=measure.gain)
        for start, end in pairwise(ends)
    ]


def epoch_gains(
    results: arena.Results, game: str, measure: EpochFitness
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the discs that Black, and that White, gained in each game within an epoch.

    The clock of a position is 100 (discs - 4) / (squares - 4). A move is made within the epoch
    [start, end) if the clock stands there when it is chosen. "net" is the discs at the first
    position with the clock at `end`, or at the end of the game, less those at the first position
    with the clock at `start`, at least 0. "gross" is the sum of what a side's own moves within
    the epoch added to its discs.
    """
    return all_epoch_gains(results, game, [measure])[0]


def all_epoch_gains(
    results: arena.Results, game: str, epochs: Sequence[EpochFitness]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return `epoch_gains` of each of *epochs*, replaying the games once."""
    rules = game_rules(game)
    start: Any = rules.start()  # what fills its board is Othello so far
    history = disc_history(results.moves or [], start)
    clock = 100 * (history.black + history.white - 4) / (rules.size * rules.size - 4)
    return [_gains(history, clock, epoch) for epoch in epochs]


def _gains(
    history: DiscHistory, clock: NDArray[np.float64], measure: EpochFitness
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if measure.gain == "gross":
        is_within = (clock[:, :-1] >= measure.start) & (clock[:, :-1] < measure.end)
        return (
            _added(history.black, is_within & history.black_moves),
            _added(history.white, is_within & ~history.black_moves),
        )
    first, last = (_first(clock >= bound) for bound in (measure.start, measure.end))
    games = np.arange(len(clock))
    black, white = (
        np.maximum(side[games, last] - side[games, first], 0).astype(np.float64)
        for side in (history.black, history.white)
    )
    return black, white


def _added(discs: NDArray[np.int64], counts: NDArray[np.bool_]) -> NDArray[np.float64]:
    added: NDArray[np.int64] = np.where(counts, np.diff(discs, axis=1), 0).sum(axis=1)
    return added.astype(np.float64)


def _first(is_reached: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first true place of each row; the last place of all if there is none."""
    last = is_reached.shape[1] - 1
    places: NDArray[np.int64] = np.where(is_reached.any(axis=1), is_reached.argmax(axis=1), last)
    return places
