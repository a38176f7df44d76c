"""Selection by several objectives at once, all maximised: fronts, crowding, tournaments.

Source: Deb, Pratap, Agarwal & Meyarivan, "A fast and elitist multiobjective genetic algorithm:
NSGA-II" (2002). Nothing here knows what an individual is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evoply._native import Stream


def pareto_ranks(objectives: ArrayLike) -> NDArray[np.int64]:
    """Return the front of each row of *objectives*, of shape (individuals, objectives).

    0 is the front of those that nobody dominates, 1 the front when these are taken away, and so
    on. One dominates another by being nowhere worse and somewhere better; NaN is worse than any
    number.
    """
    values = _checked(objectives)
    count = len(values)
    nowhere_worse = np.ones((count, count), dtype=bool)
    somewhere_better = np.zeros((count, count), dtype=bool)
    for column in values.T:
        nowhere_worse &= column[:, None] >= column
        somewhere_better |= column[:, None] > column
    dominates = nowhere_worse & somewhere_better
    dominators = dominates.sum(axis=0)
    ranks = np.full(count, -1, dtype=np.int64)
    rank = 0
    while (ranks < 0).any():
        front = (ranks < 0) & (dominators == 0)
        ranks[front] = rank
        dominators -= dominates[front].sum(axis=0)
        rank += 1
    return ranks


def crowding_distances(objectives: ArrayLike, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how far each individual is from its neighbours on its front; ends are infinite.

    A distance is the sum over the objectives of the gap between both neighbours, as a share of
    the objective's range on the front.
    """
    values = _checked(objectives)
    distances = np.zeros(len(values))
    for rank in np.unique(ranks):
        members = np.flatnonzero(ranks == rank)
        for column in values.T:
            order = members[np.argsort(column[members], kind="stable")]
            sorted_values = column[order]
            distances[order[[0, -1]]] = np.inf
            span = sorted_values[-1] - sorted_values[0]
            if span > 0 and np.isfinite(span):
                distances[order[1:-1]] += (sorted_values[2:] - sorted_values[:-2]) / span
    return distances


def pareto_selection(objectives: ArrayLike, count: int, stream: Stream) -> list[int]:
    """Return *count* winners of tournaments between two uniform picks with replacement.

    The lower front wins, on the same front the less crowded one, among equals the first pick.
    Of individuals equal in all objectives only the first belongs to its front, the others come
    behind everybody: copies would fill a front, and the smallest trees are copied most.
    """
    values = _checked(objectives)
    ranks = pareto_ranks(values)
    seen: set[tuple[float, ...]] = set()
    for index, row in enumerate(map(tuple, values.tolist())):
        if row in seen:
            ranks[index] = len(values)
        seen.add(row)
    distances = crowding_distances(values, ranks)
    keys = list(zip(ranks.tolist(), (-distances).tolist(), strict=True))
    winners: list[int] = []
    for _ in range(count):
        first, second = stream.below(len(keys)), stream.below(len(keys))
        winners.append(second if keys[second] < keys[first] else first)
    return winners


def pareto_front(objectives: ArrayLike) -> list[int]:
    """Return the indices nobody dominates, the greatest first objective first.

    Of individuals equal in all objectives the first one stands for all.
    """
    values = _checked(objectives)
    front = np.flatnonzero(pareto_ranks(values) == 0).tolist()
    first = {tuple(values[index]): index for index in reversed(front)}
    return sorted(first.values(), key=lambda index: (*(-values[index]), index))


def _checked(objectives: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(objectives, dtype=np.float64)
    if values.ndim != 2 or not values.size:
        raise ValueError("wanted at least one individual and one objective")
    return np.where(np.isnan(values), -np.inf, values)
