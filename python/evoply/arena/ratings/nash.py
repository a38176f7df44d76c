"""Nash averages: how methods do against the mixture of them that nobody beats.

A mean over all opponents depends on who happens to be there: whoever beats a weak method gains
with every copy of it. The Nash average asks instead for a mixture of the methods that no method
beats, the Nash equilibrium of the game in which two people each name a method, and for what each
method scores against it. Of several equilibria the most even one is taken, that of greatest
entropy, so that copies of a method change nothing. Payoffs are log-odds of scores, as in the
source, so they are on the scale of ratings.

Source: Balduzzi, Tuyls, Perolat & Graepel, "Re-evaluating Evaluation" (NeurIPS 2018), section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evoply._native import Stream
from evoply.arena.ratings.result_tables import Table, payoff_matrix, points_and_games
from evoply.environment.prerequisites import from_an_extra
from evoply.permutations import shuffled

Interval = tuple[float, float]
_SAME = 1e-7
"""Equilibria are taken for one where no share differs by more."""
_NOTHING = 1e-9
"""A share below this is no part of an equilibrium."""


@dataclass(frozen=True, slots=True, eq=False)
class NashAverages:
    """The most even equilibrium, and what each method gets against it."""

    shares: NDArray[np.float64]
    """The share of each method in the mixture; they sum to 1."""
    averages: NDArray[np.float64]
    """The payoff of each method against the mixture: 0 for those in it, at most 0 for the rest."""

    def at_floor(self, won: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which methods got none of the points *won* from any method of the mixture."""
        has_none = won[:, self.shares > 0].sum(axis=1) == 0
        return np.asarray(has_none & (self.shares == 0), dtype=np.bool_)


def log_odds(points: ArrayLike, games: ArrayLike) -> NDArray[np.float64]:
    """Return the log-odds of scores: antisymmetric if *points* of a pair add up to its games.

    `points[i, j]` are those of i in its `games[i, j]` games with j. One drawn game is added to each
    pair, as in ratings, so that scores of 0 and 1 have finite log-odds; the diagonal is 0.

    >>> log_odds([[0, 3], [1, 0]], [[0, 4], [4, 0]]).round(3)
    array([[ 0.   ,  0.847],
           [-0.847,  0.   ]])
    """
    won, played = np.asarray(points, dtype=np.float64), np.asarray(games, dtype=np.float64)
    return np.asarray(np.log((won + 0.5) / (played - won + 0.5)), dtype=np.float64)


def nash_averages(table: Table) -> NashAverages:
    """Return the Nash averages of a table of results; of games by the `log_odds` of their scores.

    A matrix of payoffs has what a player gets from another with the sign of what that one loses, or
    points a game, which add up to 1. Raises `ValueError` for a matrix that has neither.

    >>> nash_averages([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]).shares.round(3)
    array([0.333, 0.333, 0.333])
    """
    games = points_and_games(table)
    matrix = payoff_matrix(table) if games is None else log_odds(*games)
    if np.allclose(matrix + matrix.T, 1, rtol=0, atol=1e-9):
        matrix = matrix - 0.5
    if not np.allclose(matrix, -matrix.T, rtol=0, atol=1e-9):
        raise ValueError("table: the payoffs of a pair must add up to 0, or to 1 for points a game")
    shares = _most_even(_scaled(matrix))
    return NashAverages(shares, np.asarray(matrix @ shares, dtype=np.float64))


def _most_even(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the equilibrium of greatest entropy of an antisymmetric matrix of size at most 1.

    The equilibria are the mixtures against which nobody has a payoff above 0. The largest share
    that each method has in any of them says who can be part of one, and whether there are several.
    """
    extremes = [_equilibrium(matrix, method) for method in range(len(matrix))]
    inner = np.mean(extremes, axis=0)
    support = inner > _NOTHING
    if np.ptp(extremes, axis=0).max() <= _SAME:
        return _exact(matrix, inner, support)
    return _of_greatest_entropy(matrix, support)


def _equilibrium(matrix: NDArray[np.float64], method: int) -> NDArray[np.float64]:
    """Return an equilibrium in which *method* has its largest share."""
    with from_an_extra():  # slow to import, and rarely needed
        from scipy.optimize import linprog

    count = len(matrix)
    found = linprog(
        -np.eye(count)[method],
        A_ub=matrix,
        b_ub=np.zeros(count),
        A_eq=np.ones((1, count)),
        b_eq=[1.0],
        bounds=(0, 1),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        raise RuntimeError(f"no equilibrium was found: {found.message}")
    return np.asarray(found.x, dtype=np.float64)


def _exact(
    matrix: NDArray[np.float64], shares: NDArray[np.float64], support: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the only equilibrium to the last digits: each method of its support has payoff 0."""
    inside = np.flatnonzero(support)
    system = np.vstack([matrix[np.ix_(inside, inside)], np.ones(len(inside))])
    wanted = np.zeros(len(inside) + 1)
    wanted[-1] = 1.0
    near = shares[inside]
    # The smallest change: the system alone may have more solutions.
    near = near + np.linalg.lstsq(system, wanted - system @ near, rcond=None)[0]
    exact = np.zeros(len(shares))
    exact[inside] = near
    return exact


def _of_greatest_entropy(
    matrix: NDArray[np.float64], support: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the mixture of *support* with the greatest entropy that nobody beats.

    By the dual problem: shares are in proportion to exp(matrix @ prices), where a method that would
    otherwise gain has a price above 0.
    """
    with from_an_extra():
        from scipy.optimize import minimize
        from scipy.special import logsumexp, softmax

    rows = matrix[support]

    def cost(prices: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = rows @ prices
        return float(logsumexp(weights)), np.asarray(softmax(weights) @ rows)

    count = len(matrix)
    found = minimize(
        cost,
        np.zeros(count),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * count,
        options={"maxiter": 20_000, "maxfun": 50_000, "ftol": 0.0, "gtol": 1e-12, "maxcor": 40},
    )
    shares = np.zeros(count)
    shares[support] = softmax(rows @ found.x)
    return shares


# How sure Nash averages are.

_SPLITS = 10
"""Times that the games are halved."""
_HALF = math.sqrt(0.5)
"""What is chance falls with the root of the games: in all of them it is that share of a half's."""


def nash_intervals(
    points: NDArray[np.float64], games: NDArray[np.float64], strata: NDArray[np.int64]
) -> list[Interval | None]:
    """Return the 95 % interval of each Nash average, in log-odds, at most 0; None without spread.

    `points[u, i, j]` are those of i in its `games[u, i, j]` games with j in the unit u: a seed, or
    an opening of a seed. Units of one of *strata* are alike. None if no stratum has two.

    Units are left out one after the other, with the mixture as it is (the jackknife, Tukey 1958),
    and the interval is Student's. It is never narrower than that of as many independent games, and
    has no lower end for a method that lost all games with the mixture.

    A method of the mixture is measured against the mixture of the others (`_against`). A mixture is
    found in the very games that count against it, so all others look worse than they are: of eight
    equal methods up to one in ten would be called worse. So the upper end is higher by as much as
    this may come to (`_optimism`); then it is three in a hundred at most.
    """
    counts = np.bincount(strata)
    degrees = int((counts[counts > 0] - 1).sum())
    if degrees < 1:
        return [None] * points.shape[1]
    with from_an_extra():  # slow to import, and rarely needed
        from scipy.special import stdtrit

    won, played = points.sum(axis=0), games.sum(axis=0)
    payoffs = log_odds(won, played)
    found = nash_averages(payoffs)
    mixtures = _against(payoffs, found.shares)
    left_out = (log_odds(won - points, played - games) * mixtures).sum(axis=2)
    variance = 1 / (won + 0.5) + 1 / (played - won + 0.5)
    np.fill_diagonal(variance, 0.0)
    least = (variance * mixtures**2).sum(axis=1)
    spread = np.zeros(len(won))
    for stratum in np.flatnonzero(counts):
        own = left_out[strata == stratum]
        spread += (len(own) - 1) * own.var(axis=0)
    by_units, by_games = stdtrit(degrees, 0.975), NormalDist().inv_cdf(0.975)
    half = np.maximum(by_units * np.sqrt(spread), by_games * np.sqrt(least))
    middle = (payoffs * mixtures).sum(axis=1)
    low = np.where(found.at_floor(won), -math.inf, np.minimum(middle - half, found.averages))
    high = middle + half + _HALF * np.maximum(_optimism(points, games, strata), 0.0)
    return [*zip(low.tolist(), np.minimum(high, 0.0).tolist(), strict=True)]


def _against(payoffs: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, in rows, the mixture that each method is measured against.

    Against a mixture that has it a method has 0 for certain, though another may be better. So it
    is measured against the mixture of the others, which does not beat it.
    """
    mixtures = np.tile(shares, (len(shares), 1))
    for method in np.flatnonzero(shares):
        others = np.flatnonzero(np.arange(len(shares)) != method)
        if len(others):
            mixtures[method] = 0.0
            matrix = _scaled(payoffs[np.ix_(others, others)])
            mixtures[method, others] = _equilibrium(matrix, 0)
    return mixtures


def _scaled(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return *matrix* with a size of 1."""
    return matrix / max(float(np.abs(matrix).max(initial=0.0)), _NOTHING)


def _optimism(
    points: NDArray[np.float64], games: NDArray[np.float64], strata: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how much each payoff gains if other units find the mixture than are counted.

    That is, from one half of the units to the other, the mean of several halvings: "optimism" in
    Efron 1983.
    """
    draws = Stream(0, "nash")
    gained = np.zeros(points.shape[1])
    for _ in range(_SPLITS):
        order = np.array(shuffled(len(strata), draws))
        order = order[np.argsort(strata[order], kind="stable")]
        halves = [
            log_odds(points[part].sum(axis=0), games[part].sum(axis=0))
            for part in (order[::2], order[1::2])
        ]
        for own, other in (halves, halves[::-1]):
            # One equilibrium will do, if no method is preferred in all.
            gained += (other - own) @ _equilibrium(_scaled(own), draws.below(len(own)))
    return gained / (2 * _SPLITS)
