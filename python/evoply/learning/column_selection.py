"""Selection of a few columns whose weighted sum comes nearest to a target: forward, then swaps.

Orthogonal least squares (Chen, Cowan & Grant, 1991) adds the column that leaves the smallest
residual when the weights of all chosen columns are fitted again. Then chosen columns are swapped
for others while that leaves less. All of it works on sums of products, so many rows cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_RIDGE = 1e-8
"""Added to each diagonal, which is 1: columns that are sums of others get finite weights."""
_MOST_ROUNDS = 20
_WORTH_IT = 1e-6
"""How much more a swap must explain, as a share of the target."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chosen columns, in the order of choice, and their weights in every stage."""

    columns: tuple[int, ...]
    weights: Array
    """A row for each stage, a column for each of *columns*."""
    explained: tuple[float, ...]
    """The share of the target's squares that each number of columns explains, before swaps."""
    share: float
    """The share that the finally chosen columns explain."""


def chosen_columns(parts: Sequence[tuple[Array, Array, Array]], most: int) -> Chosen:
    """Return the best of at most *most* columns; each stage has its own weights.

    *parts* has for each stage the matrix (rows, columns), the target and a weight for each row.
    """
    fits = [_Fit.of(*part) for part in parts]
    total = sum(fit.total for fit in fits) or 1.0
    count = parts[0][0].shape[1]
    chosen: list[int] = []
    explained: list[float] = []

    def gain(columns: list[int]) -> float:
        return sum(fit.explained(columns) for fit in fits) / total

    while len(chosen) < min(most, count):
        best, column = max((gain([*chosen, c]), -c) for c in range(count) if c not in chosen)
        if best <= (explained[-1] if explained else 0.0) + _WORTH_IT:
            break
        chosen.append(-column)
        explained.append(best)
    share = explained[-1] if explained else 0.0
    for _ in range(_MOST_ROUNDS):
        before = share
        for index in range(len(chosen)):
            rest = [*chosen[:index], *chosen[index + 1 :]]
            others = [c for c in range(count) if c not in chosen]
            if not others:
                break
            best, column = max((gain([*rest, c]), -c) for c in others)
            if best > share + _WORTH_IT:
                chosen[index], share = -column, best
        if share <= before:
            break
    weights = np.array([fit.weights(chosen) for fit in fits])
    return Chosen(tuple(chosen), weights, tuple(explained), share)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Sums of products in one stage, of columns with length 1 there."""

    gram: Array
    to_target: Array
    total: float
    lengths: Array

    @classmethod
    def of(cls, matrix: Array, target: Array, weight: Array) -> _Fit:
        weighted = matrix * weight[:, np.newaxis]
        gram = matrix.T @ weighted
        squares = np.diagonal(gram)
        lengths: Array = np.sqrt(np.where(squares > 0, squares, 1.0))
        return cls(
            gram / np.outer(lengths, lengths),
            (weighted.T @ target) / lengths,
            float(target @ (weight * target)),
            lengths,
        )

    def _solve(self, columns: list[int]) -> Array:
        gram = self.gram[np.ix_(columns, columns)] + _RIDGE * np.eye(len(columns))
        solved: Array = np.linalg.solve(gram, self.to_target[columns]).astype(np.float64)
        return solved

    def explained(self, columns: list[int]) -> float:
        return float(self.to_target[columns] @ self._solve(columns))

    def weights(self, columns: list[int]) -> Array:
        if not columns:
            return np.zeros(0)
        return self._solve(columns) / self.lengths[columns]
