"""Ratings: the strengths that explain the results of many pairs of players best.

The model is Bradley & Terry's (1952) on Elo's scale: a player rated 400 points above another scores
10 points for every point of the other; a draw counts half. Ratings are those of greatest likelihood
with one drawn game of every player against a player of average strength, which keeps the ratings of
players that won everything finite.

Games come in opening pairs, so standard errors come from pairs: the sandwich covariance (Huber
1967, White 1982), with the spread of the pairs of the same two players. An interval is that of the
player's score (`score_interval`, as in a match), whose ends are turned into ratings: so it ends
nowhere above for a player that won everything. This module knows numbers, not players.

Reasons: docs/design/randomness.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evoply.arena.schedule import Results
from evoply.arena.statistics import FEWEST_PAIRS, design_effect, score_interval, spread_of_pairs

_ELO = 400 / math.log(10)
"""Points of Elo's scale to one unit of log-odds."""
_MOST_STEPS = 200
_NOTHING = 1e-12
_HALVINGS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings of players on Elo's scale, their mean 0, with one entry a player.

    The mean counts a player that won, or lost, everything with its finite rating. Others are apart
    from each other by what their games say, whatever that is.
    """

    elo: NDArray[np.float64]
    covariance: NDArray[np.float64]
    """The covariance matrix of the ratings, in squared points."""
    distinct_pairs: NDArray[np.int64]
    """For each player, the number of pairs that do not repeat earlier ones."""
    won: NDArray[np.float64]
    """The points of the row's player against the column's."""
    games: NDArray[np.float64]
    """The games of both."""

    def interval(self, player: int) -> tuple[float, float] | None:
        """Return the 95 % interval of a rating; None if too few distinct pairs were played.

        An end is infinite if the player won, or lost, every game.
        """
        if self.distinct_pairs[player] < FEWEST_PAIRS:
            return None
        contrast = np.full(len(self.elo), -1 / len(self.elo))
        contrast[player] += 1
        return self.bounds(contrast, player)

    def bounds(self, contrast: NDArray[np.float64], player: int) -> tuple[float, float] | None:
        """Return the 95 % interval of a sum of ratings with the weights *contrast*, which add to 0.

        It is that of the score of *player*: its rating moves until its expected score is at an end,
        while all others stay. They are uncertain, too, so the score counts as one of fewer games,
        as many as give the variance of the sum. None if *player* has no weight, or no game.
        """
        weight = float(contrast[player])
        games = self.games[player]
        value = float(contrast @ self.elo)
        variance = (
            float(contrast @ self.covariance @ contrast) / (_ELO * weight) ** 2 if weight else 0
        )
        if variance < _NOTHING or not games.any():
            return None
        gaps = (self.elo[player] - self.elo) / _ELO

        all_games = games.sum()

        def expected(moved: float) -> NDArray[np.float64]:
            return np.asarray(1 / (1 + np.exp(-gaps - moved)))

        def mean(values: NDArray[np.float64]) -> float:
            # As `np.average` computes it, which takes twice as long as all else here.
            return float((values * games).sum() / all_games)

        now = expected(0.0)
        slope, score = mean(now * (1 - now)), mean(now)
        count = score * (1 - score) / (slope**2 * variance)
        ends = [
            value + _ELO * weight * _where(lambda moved: mean(expected(moved)), share)
            for share in score_interval(float(self.won[player].sum() / all_games), count)
        ]
        return min(value, *ends), max(value, *ends)

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
    covariance = _covariance(strengths, games, _design_effects(won, games, first, second, scores))
    return Ratings(
        elo=_ELO * (strengths - strengths.mean()),
        covariance=_ELO**2 * covariance,
        distinct_pairs=np.asarray(games.sum(axis=1) / 2, dtype=np.int64),
        won=won,
        games=games,
    )


def _where(expected: Callable[[float], float], share: float) -> float:
    """Return how far a rating moves until the score that is *expected* is *share*."""
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    low, high = -1.0, 1.0
    while expected(low) > share:
        low *= 2
    while expected(high) < share:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) < share else (low, middle)
    return low


def _expected(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(strengths[None, :] - strengths[:, None])), dtype=np.float64)


def _information(strengths: NDArray[np.float64], games: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the negative second derivative of the log-likelihood, the drawn game included."""
    expected = _expected(strengths)
    weights = games * expected * (1 - expected)
    drawn = 1 / (1 + np.exp(-strengths))
    return _laplacian(weights) + np.diag(drawn * (1 - drawn))


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


def _design_effects(
    won: NDArray[np.float64],
    games: NDArray[np.float64],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    scores: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the design effect of the pairs of each two players, from all pairs of either.

    Pairs of the same two players show how far pairs spread; a pair alone doesn't.
    """
    pairs = games / 2
    # From a half, so that they are the same from both sides.
    squares, means = np.zeros((2, *games.shape))
    np.add.at(squares, (first, second), (scores / 2 - 0.5) ** 2)
    several = pairs > 1
    np.divide(won, games, out=means, where=several)
    variances = np.zeros(games.shape)
    rest = squares + squares.T - pairs * (means - 0.5) ** 2
    np.divide(rest, pairs - 1, out=variances, where=several)
    effect = design_effect(
        *(
            each.sum(axis=1, keepdims=True) + each.sum(axis=1) - each
            for each in spread_of_pairs(pairs * several, means, variances.clip(0.0))
        )
    )
    return np.asarray(effect)


def _covariance(
    strengths: NDArray[np.float64], games: NDArray[np.float64], effects: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sandwich covariance of the strengths around their mean."""
    expected = _expected(strengths)
    weights = games * expected * (1 - expected)
    # Only differences of strengths matter, and only between players that games tie together.
    inverse = np.linalg.pinv(_laplacian(weights), rcond=_NOTHING, hermitian=True)
    return np.asarray(inverse @ _laplacian(2 * effects * weights) @ inverse)


def _laplacian(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix of a sum of squared differences with *weights*."""
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


# Opening pairs, each two games of the same two players, and the ratings they give.


def pair_points(results: Results) -> NDArray[np.float64]:
    """Return the points of the first player of each pair, 0 to 2."""
    black = results.black_points
    return black[0::2] + 1 - black[1::2]


@dataclass(frozen=True, slots=True, eq=False)
class PairsPlayed:
    """Opening pairs and the points of the first player of each, 0 to 2."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    points: NDArray[np.float64]
    hashes: NDArray[np.uint64]
    """Two columns: the two games of each pair."""

    @classmethod
    def of(cls, first: NDArray[np.intp], second: NDArray[np.intp], results: Results) -> PairsPlayed:
        """Return the pairs of *first* and *second*; *results* has their games in order."""
        return cls(first, second, pair_points(results), results.hashes.reshape(-1, 2))

    @classmethod
    def joined(cls, parts: Sequence[PairsPlayed]) -> PairsPlayed:
        """Return all pairs of *parts* as one."""
        nobody = np.zeros(0, dtype=np.intp)
        none = cls(nobody, nobody, np.zeros(0), np.zeros((0, 2), dtype=np.uint64))
        each = [none, *parts]
        columns = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in each]) for name in columns))

    def ratings(self, players: int) -> Ratings:
        """Return the ratings of *players* players.

        Pairs that repeat both games of an earlier pair are not evidence and are left out.
        """
        sides = np.column_stack([self.first, self.second]).astype(np.uint64)
        _, places = np.unique(np.hstack([sides, self.hashes]), axis=0, return_index=True)
        new = np.sort(places)
        return bradley_terry(self.first[new], self.second[new], self.points[new], players)
