"""Lexicase selection: parents that are best on one case after another, in random order.

A case is one test, such as one opponent or one game; its results are maximised. Nothing here
knows what an individual is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evoply._native import Stream


def lexicase_selection(
    cases: ArrayLike, count: int, stream: Stream, *, epsilon: float = 0.0
) -> list[int]:
    """Return *count* indices of parents; *cases* has shape (individuals, cases).

    For each parent the cases are put in a random order, and case by case only those within
    *epsilon* of the best of the remaining individuals remain; of what is left after the last case
    one is drawn uniformly. NaN is worse than any number. Sources: Spector (2012); with *epsilon*:
    La Cava, Spector & Danai (2016).
    """
    table = np.asarray(cases, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError("lexicase wants at least one individual and one case")
    columns = np.ascontiguousarray(np.where(np.isnan(table), -np.inf, table).T)
    everybody = np.arange(table.shape[0])
    return [_parent(columns, everybody, stream, epsilon) for _ in range(count)]


def _parent(columns: np.ndarray, everybody: np.ndarray, stream: Stream, epsilon: float) -> int:
    left = everybody
    order = list(range(len(columns)))
    for place in range(len(order)):
        # One case a step: an order is drawn no further than it is needed.
        other = place + stream.below(len(order) - place)
        order[place], order[other] = order[other], order[place]
        results = columns[order[place]][left]
        left = left[results >= results.max() - epsilon]
        if len(left) == 1:
            return int(left[0])
    return int(left[stream.below(len(left))])
