"""Antisymmetric matrices, and their equilibria by a linear program as textbooks have it."""

import numpy as np
from scipy.optimize import linprog


def antisymmetric(count: int, seed: int) -> np.ndarray:
    drawn = np.triu(np.random.default_rng(seed).normal(size=(count, count)), 1)
    return drawn - drawn.T


def equilibrium_of_program(payoffs: np.ndarray, aim: np.ndarray | None = None) -> np.ndarray:
    """Return the mixture that guarantees its owner most; of several, the best for *aim*.

    The value of the game is a variable too, here: that it is 0 comes out.
    """
    count = len(payoffs)
    wanted = np.zeros(count) if aim is None else aim
    # A mixture p guarantees v if p' A >= v in every column.
    guarantees = np.hstack([-payoffs.T, np.ones((count, 1))])
    sums = np.append(np.ones(count), 0.0)[None, :]
    bounds = [(0, 1)] * count + [(None, None)]
    best = linprog(
        np.append(np.zeros(count), -1.0), guarantees, np.zeros(count), sums, [1.0], bounds
    )
    assert abs(best.x[-1]) < 1e-9
    bounds[-1] = (0.0, None)
    found = linprog(np.append(wanted, 0.0), guarantees, np.zeros(count), sums, [1.0], bounds)
    return np.asarray(found.x[:count])


def is_equilibrium(payoffs: np.ndarray, shares: np.ndarray) -> bool:
    is_mixture = bool(shares.min() >= -1e-9 and abs(shares.sum() - 1) < 1e-9)
    return is_mixture and bool((payoffs @ shares).max() <= 1e-6)
