"""The games of a league: seed by seed all play all, under each condition, and every game is kept.

Games at a time a move depend on the machine: they are played once and never again. Those at a depth
are the same whenever and wherever they are played.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import combinations, repeat

import numpy as np

from evoply._native import Stream
from evoply.arena.conditions import Field, field_of
from evoply.arena.kept_games import LEDGER, KeptGames, kept_in
from evoply.arena.schedule import Schedule, whole_pairs
from evoply.experiments.design import AllPlayAll, Condition, Entrant
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.kinds import Run
from evoply.players import PlayerKind, model_of
from evoply.protocols import Cluster, RunError

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
            with field.tables() as tables:
                # A call of the kernel is all or nothing: Ctrl-C would lose every game of it.
                is_timed = round_.condition == "time"
                sizes = repeat(_AT_A_TIME) if is_timed else tables.sizes(len(missing))
                for part in kept.play(tables, schedule, round_.first, missing, sizes=sizes):
                    done += len(part)
                    if progress is not None:
                        progress(done, total)


def schedule_of(
    folder: ExperimentFolder, round_: LeagueRound, threads: int = 0, cluster: Cluster | None = None
) -> tuple[Field, Schedule]:
    """Return the players of *round_* with its conditions, and all its games, pair by pair."""
    seed, condition = round_.seed, round_.condition
    players = [player_under(folder, each, seed, condition) for each in round_.entrants]
    is_sent = all(player.reproducible for player in players)
    field = field_of(
        players,
        game=folder.experiment.game,
        seed=seed,
        threads=threads,
        cluster=cluster if is_sent else None,
    )
    first, second = np.array(round_.pairs).repeat(round_.games_a_pair // 2, axis=0).T
    return field, field.conditions.pairs(first, second, Stream(seed, "league", condition))


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
