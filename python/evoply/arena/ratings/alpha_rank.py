"""Alpha-rank: how long a population stays with each player if better ones take it over.

All of a population play alike. Now and then one tries another player, and the population takes it
over with the more likelihood the more it gains. The shares of time that the population spends with
each player are its alpha-rank; where players beat one another in a circle, all of it have a share.

Source: Omidshafiei et al., "α-Rank: Multi-Agent Evaluation by Evolution" (Scientific Reports 9,
2019), the chain for a single population. Answers are those of OpenSpiel's `egt.alpharank`.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evoply.arena.ratings.result_tables import Table, payoff_matrix

_NEVER = 1e-280
"""The least probability of a step, so that the chain never ends."""
_SAME = 1e-12


def alpha_rank(
    table: Table,
    *,
    alpha: float = math.inf,
    population: int = 50,
    noise: float = 0.01,
    against: Literal["each other", "everybody"] = "each other",
) -> NDArray[np.float64]:
    """Return each player's share of the time, in the order of rows; they sum to 1.

    *alpha* is how much payoffs count, and *population* the number of its individuals. They are
    compared by their payoffs `against` "each other", as OpenSpiel's are, or "everybody" in the
    population. In the limit of an infinite *alpha*, the better one takes over with probability
    1 - *noise*, the worse one with *noise*, equals with 1/2; *population* plays no part.

    Raises `ValueError` for a table or a number that cannot be.

    >>> alpha_rank([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]).round(3)
    array([0.333, 0.333, 0.333])
    >>> alpha_rank([[0.5, 0.9], [0.1, 0.5]], alpha=3.0).round(3)
    array([1., 0.])
    """
    matrix = payoff_matrix(table)
    if not alpha >= 0:
        raise ValueError(f"alpha: {alpha} is not 0 or more, or math.inf")
    if population < 2:
        raise ValueError(f"population: {population} individuals are not two or more")
    if not 0 < noise < 0.5:
        raise ValueError(f"noise: {noise} is not between 0 and 0.5")
    if against not in ("each other", "everybody"):
        raise ValueError(f"against: {against!r} is not 'each other' or 'everybody'")
    if math.isinf(alpha):
        gain = matrix.T - matrix
        taken = np.where(np.abs(gain) <= _SAME, 0.5, np.where(gain > 0, 1 - noise, noise))
    else:
        taken = _taken_over(matrix, alpha, population, is_local=against == "each other")
    return _stationary(taken / max(len(matrix) - 1, 1))


def _taken_over(
    matrix: NDArray[np.float64], alpha: float, population: int, *, is_local: bool
) -> NDArray[np.float64]:
    """Return the probability that one who plays the column's takes over all who play the row's.

    That is 1 / (1 + the sum over l from 1 to m - 1 of the product over k up to l of exp(-alpha
    gain of k mutants)), by the logarithms of the products.
    """
    mutant, resident = matrix.T[:, :, None], matrix[:, :, None]  # against one another
    own, theirs = np.diag(matrix)[None, :, None], np.diag(matrix)[:, None, None]
    mutants = np.arange(1, population)
    if is_local:
        gains = (mutant - resident) * np.ones(population - 1)
    else:
        gains = (mutants - 1) * own + (population - mutants) * mutant
        gains = gains - (population - mutants - 1) * theirs - mutants * resident
        gains /= population - 1
    exponents = np.concatenate(
        [np.zeros((*matrix.shape, 1)), -alpha * gains.cumsum(axis=2)], axis=2
    )
    return np.asarray(np.exp(-np.logaddexp.reduce(exponents, axis=2)))


def _stationary(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shares of time in a chain of *steps*; its diagonal is not looked at.

    One state after the other is left out. Nothing is subtracted, so that tiny shares are exact, too
    (Grassmann, Taksar & Heyman, Operations Research 33, 1985).
    """
    chain = np.maximum(steps, _NEVER)
    for last in range(len(chain) - 1, 0, -1):
        chain[:last, last] /= chain[last, :last].sum()
        chain[:last, :last] += np.outer(chain[:last, last], chain[last, :last])
    shares = np.ones(len(chain))
    for state in range(1, len(chain)):
        shares[state] = shares[:state] @ chain[:state, state]
        shares /= shares[: state + 1].sum()
    return np.asarray(shares)
