"""Fitness from games within the population: guides and co-play, and tournaments.

The schedules are functions of their own, so that it can be counted who meets whom.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evoply import arena
from evoply._native import Stream
from evoply.evolution.config import EvolutionConfig, GuideFitness, TournamentFitness
from evoply.evolution.entrants import (
    Entrants,
    Measured,
    Play,
    black_half_points,
    cases_of,
    shared,
)
from evoply.evolution.opponents import read_opponent
from evoply.evolution.panel import Panel
from evoply.games import game_rules

__all__ = [
    "co_play_pairings",
    "derangement",
    "guides_measured",
    "knock_out_rounds",
    "tournament_measured",
]


def derangement(count: int, stream: Stream) -> list[int]:
    """Return a uniformly random permutation of *count* >= 2 numbers that moves each of them."""
    while True:
        drawn = list(range(count))
        for place in range(count - 1, 0, -1):
            other = stream.below(place + 1)
            drawn[place], drawn[other] = drawn[other], drawn[place]
        if all(place != number for place, number in enumerate(drawn)):
            return drawn


def co_play_pairings(count: int, rounds: int, stream: Stream) -> NDArray[np.int64]:
    """Return who meets whom in co-play, shape (rounds, count): i as Black meets White [r, i].

    In every round everybody plays one game as Black and one as White, never against itself.
    Source: Benbassat & Sipper, Algorithm 2.
    """
    drawn = [derangement(count, stream.child(number)) for number in range(rounds)]
    return np.array(drawn, dtype=np.int64).reshape(rounds, count)


def guides_measured(
    config: EvolutionConfig,
    measure: GuideFitness,
    entrants: Entrants,
    champions: Panel,
    stream: Stream,
    play: Play,
) -> Measured:
    """Return the points of *entrants* against guides and one another, added up.

    The players of *champions* are further guides with one round each. Every round of a guide has
    openings of its own, the same for all; so has every round of co-play. Source: Benbassat &
    Sipper, Algorithm 2.
    """
    rounds = [
        (read_opponent(guide.player, config.game).native(config.game), guide.rounds, guide.games)
        for guide in measure.guides
    ]
    rounds += [
        (player, 1, games) for player, games in zip(champions.players, champions.games, strict=True)
    ]
    half_points = np.zeros(len(entrants), dtype=np.int64)
    cases = []
    games = work = 0
    for number, (guide, count, games_of_round) in enumerate(rounds):
        before = half_points.copy()
        for one_round in range(count):
            # Step 1. Who is fit enough: before the first game everybody is.
            is_fit = np.ones(len(entrants), dtype=bool)
            if measure.fit_enough == "mean":
                is_fit = half_points * len(entrants) >= half_points.sum()
            # Step 2. Their games; equal trees play once.
            trees = np.unique(entrants.who[is_fit])
            draws = stream.child("guide", number, one_round)
            schedule = _guide_schedule(config, len(trees), games_of_round, draws)
            results = play([*(entrants.players[tree] for tree in trees), guide], schedule, False)
            # Step 3. Their points.
            points = np.zeros(len(entrants.players), dtype=np.int64)
            black = black_half_points(results).reshape(len(trees), -1)
            is_black = np.arange(games_of_round) % 2 == 0
            points[trees] = np.where(is_black, black, 2 - black).sum(axis=1)
            half_points += np.where(is_fit, points[entrants.who], 0)
            games += len(schedule)
            plies = results.plies.reshape(len(trees), -1).sum(axis=1, dtype=np.int64)
            work += int((plies * entrants.operations[trees]).sum())
        cases.append(half_points - before)
    co_play, games_among_themselves, work_among_themselves = _co_play(
        config, measure.co_play, entrants, stream.child("co_play"), play
    )
    half_points += co_play
    wants_cases = cases_of(config) is not None
    return Measured(
        fitness=half_points / 2,
        games=games + games_among_themselves,
        work=work + work_among_themselves,
        cases=np.stack([*cases, co_play], axis=1) / 2 if wants_cases else None,
    )


def _co_play(
    config: EvolutionConfig, rounds: int, entrants: Entrants, stream: Stream, play: Play
) -> tuple[NDArray[np.int64], int, int]:
    """Return the half points of each individual in co-play, the games and their work."""
    half_points = np.zeros(len(entrants), dtype=np.int64)
    if not rounds:
        return half_points, 0, 0
    white = co_play_pairings(len(entrants), rounds, stream.child("pairing")).reshape(-1)
    black = np.tile(np.arange(len(entrants)), rounds)
    schedule = _schedule(
        config,
        entrants.who[black],
        entrants.who[white],
        stream.child("opening").keys(rounds).repeat(len(entrants)),
        stream.child("game").keys(len(black)),
    )
    results = play(entrants.players, schedule, False)
    points = black_half_points(results)
    np.add.at(half_points, black, points)
    np.add.at(half_points, white, 2 - points)
    return half_points, len(schedule), _work(entrants, schedule, results)


def tournament_measured(
    config: EvolutionConfig,
    measure: TournamentFitness,
    entrants: Entrants,
    stream: Stream,
    play: Play,
) -> Measured:
    """Return the fitness of *entrants* from a tournament among themselves."""
    if measure.format == "elimination":
        return _knock_out(config, measure, entrants, stream, play)
    return _round_robin(config, measure, entrants, stream, play)


def _round_robin(
    config: EvolutionConfig,
    measure: TournamentFitness,
    entrants: Entrants,
    stream: Stream,
    play: Play,
) -> Measured:
    """Everybody against everybody, all on the same openings; equal trees share their games.

    Two individuals with the same tree get half the points of their match, which is not played.
    """
    trees, games = len(entrants.players), 2 * measure.pairs
    first, second = np.triu_indices(trees, k=1)
    schedule = _matches(config, first, second, measure.pairs, stream)
    half_points = np.full((trees, trees), games, dtype=np.int64)
    work = 0
    if len(schedule):
        results = play(entrants.players, schedule, False)
        points = _first_half_points(results, games)
        half_points[first, second] = points
        half_points[second, first] = 2 * games - points
        work = _work(entrants, schedule, results)
    against_trees = half_points[entrants.who]
    against_all = against_trees[:, entrants.who]
    np.fill_diagonal(against_all, 0)
    if measure.sharing:
        fitness = shared(against_all / (2 * games))
    else:
        fitness = against_all.sum(axis=1) / (2 * games * (len(entrants) - 1))
    return Measured(
        fitness=fitness,
        games=len(schedule),
        work=work,
        cases=None if cases_of(config) is None else against_trees / (2 * games),
    )


def knock_out_rounds(entrants: Sequence[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the matches of one round between neighbours, and who goes on without one."""
    pairs = list(zip(entrants[::2], entrants[1::2], strict=False))
    return pairs, list(entrants[len(pairs) * 2 :])


def _knock_out(
    config: EvolutionConfig,
    measure: TournamentFitness,
    entrants: Entrants,
    stream: Stream,
    play: Play,
) -> Measured:
    """Fitness is the number of matches won; going on without a match is no win."""
    draws = stream.child("draw")
    left = list(range(len(entrants)))
    for place in range(len(left) - 1, 0, -1):
        other = draws.below(place + 1)
        left[place], left[other] = left[other], left[place]
    wins = np.zeros(len(entrants))
    games = work = number = 0
    while len(left) > 1:
        pairs, left = knock_out_rounds(left)
        seats = entrants.who[np.array(pairs)]
        schedule = _matches(
            config, seats[:, 0], seats[:, 1], measure.pairs, stream.child("round", number)
        )
        results = play(entrants.players, schedule, False)
        points = _first_half_points(results, 2 * measure.pairs)
        winners = []
        for (one, other), halves in zip(pairs, points.tolist(), strict=True):
            is_tied = halves == 2 * measure.pairs
            wins_first = draws.below(2) == 0 if is_tied else halves > 2 * measure.pairs
            winners.append(one if wins_first else other)
        wins[winners] += 1
        left = winners + left
        games += len(schedule)
        work += _work(entrants, schedule, results)
        number += 1
    return Measured(fitness=wins, games=games, work=work)


def _matches(
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
    return _schedule(
        config,
        np.where(is_black, one, other),
        np.where(is_black, other, one),
        np.tile(stream.child("opening").keys(pairs).repeat(2), count),
        np.tile(stream.child("game").keys(games), count),
    )


def _first_half_points(results: arena.Results, games: int) -> NDArray[np.int64]:
    """Return the first player's half points in each match of *games* games."""
    black = black_half_points(results).reshape(-1, games)
    halves: NDArray[np.int64] = np.where(np.arange(games) % 2 == 0, black, 2 - black).sum(axis=1)
    return halves


def _work(entrants: Entrants, schedule: arena.Schedule, results: arena.Results) -> int:
    operations = entrants.operations[schedule.black] + entrants.operations[schedule.white]
    return int((results.plies.astype(np.int64) * operations).sum())


def _schedule(
    config: EvolutionConfig,
    black: NDArray[np.int64],
    white: NDArray[np.int64],
    opening_keys: NDArray[np.uint64],
    game_keys: NDArray[np.uint64],
) -> arena.Schedule:
    return arena.Schedule(
        black=black.astype(np.uint32),
        white=white.astype(np.uint32),
        opening_keys=opening_keys,
        game_keys=game_keys,
        opening_plies=config.fitness.opening_plies,
        starts=(game_rules(config.game).start().row,),
    )


def _guide_schedule(
    config: EvolutionConfig, trees: int, games: int, stream: Stream
) -> arena.Schedule:
    """Return *games* of each tree against the player after the trees, colours alternating."""
    tree = np.repeat(np.arange(trees), games)
    guide = np.full(trees * games, trees)
    is_black = np.tile(np.arange(games) % 2 == 0, trees)
    openings = stream.child("opening").keys((games + 1) // 2).repeat(2)[:games]
    return _schedule(
        config,
        np.where(is_black, tree, guide),
        np.where(is_black, guide, tree),
        np.tile(openings, trees),
        np.tile(stream.child("game").keys(games), trees),
    )
