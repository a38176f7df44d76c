"""The games of training that kinds of fitness have in common: schedules, starts, points."""

import numpy as np
from numpy.typing import NDArray

from evoply import arena
from evoply._native import Stream
from evoply.evolution.play.panel import Games


def matches(
    games: Games,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    pairs: int,
    stream: Stream,
) -> arena.Schedule:
    """Return the games of matches: each opening twice with colours swapped, first as Black."""
    count, each = len(first), 2 * pairs
    is_black = np.tile(np.arange(each) % 2 == 0, count)
    firsts, seconds = first.repeat(each), second.repeat(each)
    return games.schedule(
        np.where(is_black, firsts, seconds),
        np.where(is_black, seconds, firsts),
        openings=np.tile(np.arange(pairs).repeat(2), count),
        game_keys=np.tile(stream.child("game").keys(each), count),
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


def shared(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return shared fitness in [0, 1] from *points* of shape (individuals, opponents).

    An individual's share is its points against an opponent, divided by all points that were
    made against it; its fitness is the mean of its shares. Source: Rosin & Belew, "New methods
    for competitive coevolution" (1997), section 3.1.
    """
    totals = points.sum(axis=0)
    shares: NDArray[np.float64] = np.divide(
        points, totals, out=np.zeros_like(points), where=totals > 0
    )
    means: NDArray[np.float64] = shares.mean(axis=1)
    return means
