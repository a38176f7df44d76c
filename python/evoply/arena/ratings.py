"""Ratings: the strengths that explain the results of many pairs of players best.

The model is Bradley & Terry's (1952) on Elo's scale: a player rated 400 points above another scores
10 points for every point of the other; a draw counts half. Ratings are those of greatest likelihood
with one drawn game of every player against a player of average strength, which keeps the ratings of
players that won everything finite. Games come in opening pairs, so standard errors come from pairs:
the sandwich covariance (Huber 1967, White 1982) with a pair as its unit. This module knows numbers,
not players.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evoply.arena.statistics import FEWEST_PAIRS

_ELO = 400 / math.log(10)
"""Points of Elo's scale to one unit of log-odds."""
_MOST_STEPS = 200
_Z = 1.959963984540054  # of a 95 % interval


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings of players on Elo's scale, their mean 0, with one entry a player."""

    elo: NDArray[np.float64]
    covariance: NDArray[np.float64]
    """The covariance matrix of the ratings, in squared points."""
    distinct_pairs: NDArray[np.int64]
    """For each player, the number of pairs that do not repeat earlier ones."""

    def interval(self, player: int) -> tuple[float, float] | None:
        """Return the 95 % interval of a rating; None if too few distinct pairs were played."""
        if self.distinct_pairs[player] < FEWEST_PAIRS:
            return None
        half = _Z * math.sqrt(self.covariance[player, player])
        return float(self.elo[player] - half), float(self.elo[player] + half)

    def difference(self, first: int, second: int) -> tuple[float, float]:
        """Return how far *first* is rated above *second*, and the standard error of that."""
        part = self.covariance[np.ix_([first, second], [first, second])]
        variance = float(part[0, 0] + part[1, 1] - 2 * part[0, 1])
        return float(self.elo[first] - self.elo[second]), math.sqrt(max(variance, 0.0))


def bradley_terry(first: ArrayLike, second: ArrayLike, points: ArrayLike, players: int) -> Ratings:
    """Return the ratings of *players* players from opening pairs, each played once.

    In pair p player `first[p]` scored `points[p]` of 2 points against `second[p]`. A pair of games
    that repeats an earlier one is not evidence and must be left out (`PairsPlayed.ratings`).
    Raises `ValueError` for a pair of a player with itself.

    >>> bradley_terry([0] * 100, [1] * 100, [1.28] * 100, 2).elo.round()
    array([ 50., -50.])
    """
    first, second = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    scores = np.asarray(points, dtype=np.float64)
    if (first == second).any():
        raise ValueError("first, second: a player cannot meet itself")
    won, games = np.zeros((players, players)), np.zeros((players, players))
    np.add.at(won, (first, second), scores)
    np.add.at(won, (second, first), 2 - scores)
    np.add.at(games, (first, second), 2.0)
    games += games.T
    strengths = _most_likely(won, games)
    # Only differences of ratings matter, so their mean may be 0.
    centring = np.eye(players) - 1 / players
    covariance = centring @ _covariance(strengths, games, first, second, scores) @ centring
    return Ratings(
        elo=_ELO * (strengths - strengths.mean()),
        covariance=_ELO**2 * covariance,
        distinct_pairs=np.asarray(games.sum(axis=1) / 2, dtype=np.int64),
    )


def _expected(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected points of the row's player in a game against the column's."""
    return np.asarray(1 / (1 + np.exp(strengths[None, :] - strengths[:, None])), dtype=np.float64)


def _information(strengths: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the negative second derivative of the log-likelihood, the drawn game included."""
    expected = _expected(strengths)
    weights = games * expected * (1 - expected)
    drawn = 1 / (1 + np.exp(-strengths))
    return np.asarray(np.diag(weights.sum(axis=1) + drawn * (1 - drawn)) - weights)


def _log_likelihood(
    strengths: NDArray[np.float64], won: NDArray[np.float64], games: NDArray[np.float64]
) -> float:
    losing = np.logaddexp(0.0, strengths[None, :] - strengths[:, None])
    drawn = np.logaddexp(0.0, strengths) / 2 + np.logaddexp(0.0, -strengths) / 2
    return float(-(won * losing).sum() - drawn.sum())


def _most_likely(won: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the strengths of greatest likelihood, by Newton's method with shorter steps.

    The drawn games make the logarithm of the likelihood strictly concave: there is one maximum.
    """
    strengths = np.zeros(len(won))
    value = _log_likelihood(strengths, won, games)
    for _ in range(_MOST_STEPS):
        gradient = won.sum(axis=1) - (games * _expected(strengths)).sum(axis=1)
        gradient += 0.5 - 1 / (1 + np.exp(-strengths))
        step = np.linalg.solve(_information(strengths, games), gradient)
        length = 1.0
        while length > 1e-6:
            tried = strengths + length * step
            likelihood = _log_likelihood(tried, won, games)
            if likelihood >= value:
                break
            length /= 2
        else:
            break
        strengths, value = tried, likelihood
        if np.abs(length * step).max() < 1e-10:
            break
    return strengths


def _covariance(
    strengths: NDArray[np.float64],
    games: NDArray[np.float64],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    scores: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the sandwich covariance of the strengths; see the docstring of the module."""
    inverse = np.linalg.inv(_information(strengths, games))
    expected = _expected(strengths)
    squares = np.zeros(games.shape)
    np.add.at(squares, (first, second), (scores - 2 * expected[first, second]) ** 2)
    squares += squares.T
    # If every pair scored exactly as expected, the estimate would be 0, which is too small:
    # then a pair counts as one game.
    one_game = games / 2 * 4 * expected * (1 - expected)
    squares = np.where(squares > 1e-12 * games, squares, one_game)
    meat = np.diag(squares.sum(axis=1)) - squares
    return np.asarray(inverse @ meat @ inverse)
