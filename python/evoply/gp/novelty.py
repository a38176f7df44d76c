"""Novelty: how unlike others a point is, what it beats near it, and which points stay apart.

This module does not know what a point describes.

Sources: Lehman & Stanley, "Abandoning objectives: evolution through the search for novelty alone"
(2011); with local competition Lehman & Stanley, "Evolving a diversity of virtual creatures through
novelty search and local competition" (2011).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_ROWS_AT_ONCE = 256


def distances(points: Array, others: Array) -> Array:
    """Return the distance of each of *points* from each of *others*, shape (points, others).

    Axis after axis, which is the same to the last bit on every machine.
    """
    squares = np.zeros((len(points), len(others)))
    for axis in range(points.shape[1]):
        squares += (points[:, axis, np.newaxis] - others[np.newaxis, :, axis]) ** 2
    root: Array = np.sqrt(squares)
    return root


def nearest_others(
    points: Array, archive: Array, neighbours: int
) -> tuple[Array, NDArray[np.int64]]:
    """Return distance and number of those nearest to each of *points*, shape (points, neighbours).

    They are other points and the *archive*, which is numbered after the points; of equally near
    ones the first. Where there are fewer, there are fewer columns.
    """
    everybody = np.concatenate([points, archive])
    count = max(min(neighbours, len(everybody) - 1), 0)
    found, which = np.zeros((len(points), count)), np.zeros((len(points), count), dtype=np.int64)
    for first in range(0, len(points), _ROWS_AT_ONCE):
        part = slice(first, first + _ROWS_AT_ONCE)
        away = distances(points[part], everybody)
        rows = np.arange(len(away))
        away[rows, first + rows] = np.inf  # nobody is a neighbour of itself
        which[part] = np.argsort(away, axis=1, kind="stable")[:, :count]
        found[part] = np.take_along_axis(away, which[part], axis=1)
    return found, which


def novelty_of(points: Array, archive: Array, neighbours: int) -> Array:
    """Return the mean distance of each of *points* from its nearest; 0 of one alone."""
    found, _ = nearest_others(points, archive, neighbours)
    mean: Array = found.mean(axis=1) if found.shape[1] else np.zeros(len(points))
    return mean


def locally_beaten(
    points: Array, fitness: Array, archive: Array, archived: Array, neighbours: int
) -> Array:
    """Return how many of its nearest each of *points* beats in fitness; *archived* is theirs."""
    _, which = nearest_others(points, archive, neighbours)
    beaten: Array = (
        (np.concatenate([fitness, archived])[which] < fitness[:, np.newaxis])
        .sum(axis=1)
        .astype(np.float64)
    )
    return beaten


def most_novel(
    novelty: Array, fitness: Sequence[float], lengths: Sequence[int], count: int
) -> list[int]:
    """Return the *count* most novel; of equals the fitter, then the smaller, then the earlier."""
    keys = np.lexsort((np.asarray(lengths), -np.nan_to_num(fitness, nan=-np.inf), -novelty))
    chosen: list[int] = keys[:count].tolist()
    return chosen


def kept_apart(points: Array, most: int) -> list[int]:
    """Return *most* of the archive's *points*, oldest first: of the nearest two the older leaves.

    So a full archive still reaches as far as ever, and no region is crowded.
    """
    if len(points) <= most or not most:
        return list(range(min(len(points), most)))
    away = distances(points, points)
    np.fill_diagonal(away, np.inf)
    left = len(points)
    gone = np.zeros(left, dtype=bool)
    while left > most:
        older = int(away.argmin()) // len(points)  # the first of the pair is the older one
        away[older, :] = away[:, older] = np.inf
        gone[older] = True
        left -= 1
    return np.flatnonzero(~gone).tolist()
