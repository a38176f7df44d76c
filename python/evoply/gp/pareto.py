"""Selection and survival by several objectives, which are maximised: fronts and crowding.

This module does not know what the objectives are.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evoply._native import Stream


def pareto_ranks(objectives: ArrayLike) -> NDArray[np.int64]:
    """Return the front of each row of *objectives*, of shape (individuals, objectives).

    Front 0 has the individuals that none dominates, front 1 those that only front 0 dominates, and
    so on. An individual dominates another if it is nowhere worse and somewhere better; NaN is worse
    than any number.
    """
    values = _as_objectives(objectives)
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
    """Return the distance of each individual from its neighbours on its front; ends are infinite.

    A distance is the sum, over the objectives, of the gap between both neighbours as a share of the
    range on the front.
    """
    values = _as_objectives(objectives)
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

    The lower front wins, on the same front the less crowded pick, among equals the first pick.
    Of individuals equal in all objectives only the first belongs to its front, and the others rank
    last: copies would fill a front, and the smallest trees are copied most. Source:
    Deb, Pratap, Agarwal & Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II"
    (2002).
    """
    values = _as_objectives(objectives)
    ranks = pareto_ranks(values)
    ranks[list(_copies(values))] = len(values)
    distances = crowding_distances(values, ranks)
    keys = list(zip(ranks.tolist(), (-distances).tolist(), strict=True))
    winners: list[int] = []
    for _ in range(count):
        first, second = stream.below(len(keys)), stream.below(len(keys))
        winners.append(second if keys[second] < keys[first] else first)
    return winners


def pareto_survival(objectives: ArrayLike, count: int) -> list[int]:
    """Return the *count* individuals that live on: front after front, the least crowded first.

    It draws nothing. No individual of a front is left out for one of a later front; only the last
    front that has room is cut, where it is most crowded. As in `pareto_selection`, of individuals
    equal in all objectives the first stands on its front, and the others come after all fronts.
    With *objectives* of parents and their offspring, and parents drawn by `pareto_selection`, this
    is NSGA-II. Source: Deb, Pratap, Agarwal & Meyarivan (2002), section III.C.
    """
    values = _as_objectives(objectives)
    if not 0 <= count <= len(values):
        raise ValueError(f"count: {count} cannot live on of {len(values)}")
    ranks = pareto_ranks(values)
    ranks[list(_copies(values))] += len(values)
    distances = crowding_distances(values, ranks)
    order: list[int] = np.lexsort((-distances, ranks)).tolist()
    return order[:count]


def _copies(values: NDArray[np.float64]) -> Iterator[int]:
    """Yield the individuals that equal an earlier one in all objectives."""
    seen: set[tuple[float, ...]] = set()
    for index, row in enumerate(map(tuple, values.tolist())):
        if row in seen:
            yield index
        seen.add(row)


def pareto_front(objectives: ArrayLike) -> list[int]:
    """Return the indices of undominated individuals, by descending first objective.

    Only the first of individuals that are equal in all objectives is returned.
    """
    values = _as_objectives(objectives)
    front: list[int] = []
    # Whoever dominates another comes before it in this order, and so does the first of equals.
    for index in np.lexsort(-values.T[::-1]).tolist():
        if not (values[front] >= values[index]).all(axis=1).any():
            front.append(index)
    return front


def _as_objectives(objectives: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(objectives, dtype=np.float64)
    if values.ndim != 2 or not values.size:
        raise ValueError("objectives: at least one individual and one objective are needed")
    return np.where(np.isnan(values), -np.inf, values)
