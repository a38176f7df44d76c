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


def drawn_units(
    strengths: list[float], seeds: int, pairs: int, spread: float, draws: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points, games and strata of a league, as `nash_intervals` takes them.

    *strengths* are on Elo's scale, and the player of a seed is *spread* stronger or weaker. Units
    are seeds from five on, and pairs of games of a seed below.
    """
    count = len(strengths)
    units, strata = [], []
    for seed in range(seeds):
        own = np.array(strengths) + spread * draws.normal(size=count)
        share = 1 / (1 + 10 ** (np.subtract.outer(own, own).T / 400))
        won = np.triu(draws.binomial(2, share, size=(pairs, count, count)), 1).astype(float)
        lost = np.tril(2 - won.swapaxes(1, 2), -1)
        played = won + lost
        units += [played.sum(axis=0)] if seeds >= 5 else [*played]
        strata += [0] if seeds >= 5 else [seed] * pairs
    points = np.array(units)
    games = np.broadcast_to(points[0] + points[0].T, points.shape)
    return points, games, np.array(strata)
