"""Execution of units by processes or workers, and of games where all play all.

Both get a config and do `unit_part`. On this machine a run lies in the experiment's folder from its
first step on, so a killed process loses nothing: the unit resumes where it was, three times at
most. Elsewhere a worker makes the run in its own temporary folder and returns its files. This
process checks them, and the run appears in the experiment's folder whole or not at all. A run that
began on this machine is made again there from its first step: files are never sent.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import combinations, islice, repeat
from typing import Any

import numpy as np

from evoply._native import Stream
from evoply.arena.conditions import Field, field_of
from evoply.arena.kept_games import LEDGER, KeptGames, kept_in
from evoply.arena.schedule import Schedule, whole_pairs
from evoply.cluster import Dispatcher, opened
from evoply.cluster.processes import ProcessPool
from evoply.configs.own_code import check_nothing_imports
from evoply.environment import core_count
from evoply.experiments.design import (
    AllPlayAll,
    Budget,
    Condition,
    Entrant,
    Setup,
)
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.sent_units import check_experiment_sendable, results
from evoply.experiments.units import Unit
from evoply.kinds import Run
from evoply.players import PlayerKind, model_of
from evoply.protocols import (
    Cluster,
    RunError,
)

# The games of a league: seed by seed all play all, under each condition, and every game is kept.
#
# Games at a time a move depend on the machine: they are played once and never again. Those at a
# depth are the same whenever and wherever they are played.

_LEDGER = replace(
    LEDGER,
    mark=b"EVLG",  # its games are none of a tournament's, whose numbers they have
    format=2,
    in_use="another process plays this league - wait until it has ended",
    foreign="this is no file of a league's games - give another --name",
    unreadable="give the league another --name",
    damaged="put a copy back, or remove it: all games are then played again",
)
_GAMES_FILE = "games.db"
_AT_A_TIME = 48
"""Games at a time a move that begin together: about ten seconds on two cores."""


@dataclass(frozen=True, slots=True)
class LeaguePairing:
    """The games of two players of one seed under one condition."""

    condition: Condition
    seed: int
    first: str
    second: str
    points: tuple[float, ...]
    """Points of *first*, game by game; games 2k and 2k+1 are an opening pair, in which it plays
    Black and then White."""
    hashes: tuple[int, ...]
    """Equal for games with equal moves."""


@dataclass(frozen=True, slots=True)
class LeagueRound:
    """All games of the players of one seed under one condition."""

    condition: Condition
    seed: int
    entrants: tuple[Entrant, ...]
    """Who takes part, in the order of the table."""
    games_a_pair: int
    first: int
    """The number of its first game in the file."""

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Who meets whom: every two methods, and every method the lines of reference."""
        return [
            (first, second)
            for first, second in combinations(range(len(self.entrants)), 2)
            if self.entrants[first].is_ranked or self.entrants[second].is_ranked
        ]

    def __len__(self) -> int:
        return len(self.pairs) * self.games_a_pair


def measure_of_league(folder: ExperimentFolder) -> AllPlayAll:
    """Return the measure of a league."""
    measure = folder.experiment.measure
    assert isinstance(measure, AllPlayAll), "its folder was opened as that of a league"
    return measure


def rounds_of(folder: ExperimentFolder) -> list[LeagueRound]:
    """Return the rounds of a league: those at equal depth, which take less, come first."""
    measure = measure_of_league(folder)
    rounds, number = [], 0
    for seed in folder.experiment.all_seeds:
        for condition in measure.conditions:
            taking = tuple(each for each in measure.entrants if _plays(folder, each, condition))
            rounds.append(LeagueRound(condition, seed, taking, measure.games, number))
            number += len(rounds[-1])
    return sorted(rounds, key=lambda each: each.condition == "time")


def _plays(folder: ExperimentFolder, entrant: Entrant, condition: Condition) -> bool:
    """Whether *entrant* plays under *condition*; a method without values of boards has no depth."""
    ready = folder.players.get(entrant.name)
    has_depth = ready is None or not entrant.is_ranked or ready.valuing() is not None
    return condition == "time" or has_depth


def player_under(
    folder: ExperimentFolder, entrant: Entrant, seed: int, condition: Condition
) -> PlayerKind:
    """Return a player as it plays under *condition*: lines of reference keep their own form."""
    model = folder.players.get(entrant.name)
    if model is None:
        with Run.open(folder.unit(entrant.name, seed).path) as run:
            model = model_of(run.champion_player)
    if not entrant.is_ranked:
        return model
    measure, valuing = measure_of_league(folder), model.valuing()
    if condition == "time":
        return (valuing or model).with_options({"time": measure.move_time})
    return model if valuing is None else valuing.with_options({"depth": measure.depth})


def games_of(folder: ExperimentFolder) -> AbstractContextManager[KeptGames]:
    """Open the file of the games that were played, made if it is not there."""
    path = folder.path / _GAMES_FILE
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise RunError(f"{path}: this is no plain file - put a copy back, or give another --name")
    return kept_in(path, _LEDGER)


def play_games(
    folder: ExperimentFolder,
    *,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
    cluster: Cluster | None = None,
) -> None:
    """Play all games of a league that are missing, between the players of its finished runs.

    Each is kept as soon as it is finished. *progress* gets the games that are played and those of
    the whole league. A *cluster* plays those at equal depth.
    """
    rounds = rounds_of(folder)
    total = sum(map(len, rounds))
    with games_of(folder) as kept:
        done = kept.count(0, total)
        for round_ in rounds:
            if kept.count(round_.first, len(round_)) == len(round_):
                continue
            # All pairs meet once before any meet again.
            places = np.arange(len(round_)).reshape(len(round_.pairs), -1, 2).swapaxes(0, 1).ravel()
            missing = places[~np.isin(places, kept.read(round_.first, len(round_)).places)]
            field, schedule = schedule_of(folder, round_, threads, cluster)
            with field.runner() as runner:
                # A call of the kernel is all or nothing: Ctrl-C would lose every game of it.
                is_timed = round_.condition == "time"
                sizes = repeat(_AT_A_TIME) if is_timed else runner.sizes(len(missing))
                for part in kept.play(runner, schedule, round_.first, missing, sizes=sizes):
                    done += len(part)
                    if progress is not None:
                        progress(done, total)


def schedule_of(
    folder: ExperimentFolder, round_: LeagueRound, threads: int = 0, cluster: Cluster | None = None
) -> tuple[Field, Schedule]:
    """Return the players of *round_* with its conditions, and all its games, pair by pair."""
    seed, condition = round_.seed, round_.condition
    players = [player_under(folder, each, seed, condition) for each in round_.entrants]
    is_sent = all(player.reproducible and player.is_portable for player in players)
    field = field_of(
        players,
        game=folder.experiment.game,
        openings=measure_of_league(folder).openings.of(folder.experiment.game) or "usual",
        seed=seed,
        threads=threads,
        cluster=cluster if is_sent else None,
    )
    each = round_.games_a_pair // 2
    first, second = np.array(round_.pairs).repeat(each, axis=0).T
    turns = np.tile(np.arange(each), len(round_.pairs))
    return field, field.conditions.pairs(first, second, Stream(seed, "league", condition), turns)


def pairings_of(folder: ExperimentFolder) -> tuple[LeaguePairing, ...]:
    """Return the whole opening pairs that were played, pairing by pairing."""
    pairings = []
    if not os.path.lexists(folder.path / _GAMES_FILE):
        return ()
    with games_of(folder) as kept:
        for round_ in rounds_of(folder):
            played = whole_pairs([kept.read(round_.first, len(round_))])
            if played is None:
                continue
            black = played.results.black_points
            points = np.where(played.places % 2, 1 - black, black)
            pair_of = played.places // round_.games_a_pair
            for number in np.unique(pair_of):
                first, second = (round_.entrants[side].name for side in round_.pairs[number])
                of_pair = pair_of == number
                hashes = played.results.hashes[of_pair].tolist()
                pairings.append(
                    LeaguePairing(
                        condition=round_.condition,
                        seed=round_.seed,
                        first=first,
                        second=second,
                        points=tuple(points[of_pair].tolist()),
                        hashes=tuple(hashes),
                    )
                )
    return tuple(pairings)


_MOST_TRIES = 3
_PROBE_STEPS = 3


@dataclass(frozen=True, slots=True)
class Status:
    """How far an experiment is."""

    done: int
    """Runs that are made, or games that are played."""
    units: int
    """All of them."""
    share: float
    """Share of them that is done, what is at work counted in part."""
    seconds_left: float | None = None
    stage: str = "runs"
    """What is being done, in words: "runs", then in a league "games"."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of an experiment."""

    runs: int
    seconds: float | None
    """On *workers* cores, without the games that measure; None if unknown."""
    workers: int


def run_experiment(
    folder: ExperimentFolder,
    *,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
) -> None:
    """Run all unfinished units of *folder* on *workers* processes (0: one a core).

    Or on the workers of a *cluster*: an argument or a result of `evoply.cluster.connect`. In a
    league the games that are missing are then played, those at a time a move on this machine alone.
    Results do not depend on the workers. Ctrl-C and every error end all processes; finished steps
    and games are kept. Raises `RunError` with the message of a unit that failed, and `ValueError`
    before anything starts for units that cannot be sent to a cluster.
    """
    check_nothing_imports("an experiment")
    folder.check_measure()
    if cluster is not None:
        check_experiment_sendable(folder)
    tell = progress or (lambda status: None)
    with opened(cluster) as others:
        _run_units(folder, others, workers or core_count(), tell)
        if isinstance(folder.experiment.measure, AllPlayAll):

            def tell_of_games(done: int, total: int) -> None:
                tell(Status(done, total, done / max(total, 1), stage="games"))

            play_games(folder, threads=workers, progress=tell_of_games, cluster=others)


def _run_units(
    folder: ExperimentFolder,
    cluster: Cluster | None,
    workers: int,
    progress: Callable[[Status], object],
) -> None:
    waiting = folder.waiting()
    units = len(folder.units())
    done = first = units - len(waiting)
    began = time.monotonic()

    def tell(at_work: float = 0.0) -> None:
        gained, left = done + at_work - first, units - done - at_work
        seconds = (time.monotonic() - began) * left / gained if gained > 0 else None
        progress(Status(done, units, 1 - left / units, seconds))

    def make(others: Cluster, told: Callable[[], object]) -> None:
        nonlocal done
        # Units that need what others made come when these are done.
        for is_late in (False, True):
            wave = [unit for unit in waiting if (unit.setup.after is not None) is is_late]
            for _ in results(folder, wave, others, is_here=cluster is None):
                done += 1
                told()

    if cluster is not None:
        make(cluster, tell)
        return
    with ProcessPool(workers, tell) as pool:
        make(Dispatcher(pool, most_losses=_MOST_TRIES - 1), pool.cancel_lost)


def estimated_cost(folder: ExperimentFolder, *, workers: int = 0) -> Cost:
    """Return the cost of the unfinished units, estimated from a few steps of each setup in memory.

    Budgets and limits in seconds count in full.
    """
    units, count = folder.waiting(), workers or core_count()
    of_setup: dict[str, float | None] = {}
    for unit in units:
        if unit.setup.name not in of_setup:
            of_setup[unit.setup.name] = _seconds_of(unit, folder.experiment.budget)
    seconds = [of_setup[unit.setup.name] for unit in units]
    known = [second for second in seconds if second is not None]
    if len(known) < len(units):
        return Cost(len(units), None, count)
    # The last units of an uneven number leave cores idle.
    rounds = -(-len(units) // count)
    return Cost(len(units), rounds * sum(known) / max(1, len(known)), count)


def _steps_in_memory(setup: Setup, config: Any) -> Iterator[tuple[Any, Mapping[str, float], bool]]:
    """Yield steps on one thread, each with what it cost and whether it is the last one."""
    learners = setup.kind.learners
    learner = learners.made(threads=1)
    step: Any = None
    is_last = False
    while not is_last:
        before = step
        step = learner.first(config) if step is None else learner.after(config, step)
        is_last = learner.is_finished(config, step)
        yield step, learners.costs(step, before), is_last


def _seconds_of(unit: Unit, budget: Budget) -> float | None:
    setup = unit.setup.ready()
    config = setup.with_seed(unit.seed, budget)
    if budget.seconds is not None:
        return budget.seconds
    costs, seconds = {"games": 0.0, "work": 0.0}, 0.0
    for step, taken, is_last in islice(_steps_in_memory(setup, config), _PROBE_STEPS):
        costs = {name: costs[name] + taken.get(name, 0.0) for name in costs}
        seconds += float(step.seconds)
        if is_last:
            return seconds
    if budget.is_set:
        return _scale(seconds, getattr(budget, budget.kind), costs[budget.kind])
    guesses = [
        _scale(seconds, config.generations, _PROBE_STEPS)
        if getattr(config, "generations", None)
        else None,
        _scale(seconds, config.games, costs["games"]) if getattr(config, "games", None) else None,
        getattr(config, "time_limit", None),
    ]
    known = [guess for guess in guesses if guess is not None]
    return min(known) if known else None


def _scale(seconds: float, most: float, taken: float) -> float | None:
    return seconds * most / taken if taken else None
