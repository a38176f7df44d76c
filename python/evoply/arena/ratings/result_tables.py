"""Tables of results: who scored what against whom, in any of the forms in which they come.

A table is a square matrix of payoffs of the row's player against the column's; or wins, draws and
losses of the row's player as an array of shape (players, players, 3); or a result with pairings,
such as a round robin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray


@runtime_checkable
class Paired(Protocol):
    """A result with pairings, whose players are indices: a `RoundRobin` is one."""

    @property
    def players(self) -> Sequence[Any]:
        """The players, in the order of rows and columns."""

    @property
    def pairings(self) -> Sequence[Any]:
        """The pairings: `first`, `second`, `wins`, `draws` and `losses` of the first."""


Table = Paired | ArrayLike
"""What `alpha_rank` and `nash_averages` take."""


def points_and_games(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return points and games of each row against each column; None for a matrix of payoffs.

    Raises `ValueError` if two players never met, or a table is none.
    """
    if isinstance(table, Paired):
        counts = np.zeros((len(table.players), len(table.players), 3))
        for pair in table.pairings:
            results = (pair.wins, pair.draws, pair.losses)
            counts[pair.first, pair.second] += results
            counts[pair.second, pair.first] += results[::-1]
    elif hasattr(table, "stars"):
        raise ValueError(
            "table: an elimination does not say who scored what against whom - play a round robin"
        )
    else:
        counts = _array(table)
    if counts.ndim == 2:
        return None
    if counts.shape[2] != 3 or (counts < 0).any():
        raise ValueError("table: three numbers a pair are its wins, draws and losses, from 0 on")
    if not np.array_equal(counts, counts.swapaxes(0, 1)[:, :, ::-1]):
        raise ValueError("table: the wins of one are the losses of the other - give both sides")
    games = counts.sum(axis=2)
    unmet = np.argwhere((games == 0) & ~np.eye(len(games), dtype=bool))
    if len(unmet):
        first, second = unmet[0].tolist()
        raise ValueError(f"table: players {first} and {second} never met - let all meet all")
    return counts[:, :, 0] + counts[:, :, 1] / 2, games


def payoff_matrix(table: Table) -> NDArray[np.float64]:
    """Return what each row gets a game against each column; half a point against itself."""
    found = points_and_games(table)
    if found is None:
        return _array(table)
    points, games = found
    half = np.full(games.shape, 0.5)
    return np.asarray(np.divide(points, games, out=half, where=games > 0))


def _array(table: Any) -> NDArray[np.float64]:
    try:
        array = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"table: a {type(table).__name__} is no table - give a matrix") from None
    if array.ndim not in (2, 3) or array.shape[0] != array.shape[1] or not len(array):
        raise ValueError("table: must have a row and a column for each player")
    if not np.isfinite(array).all():
        raise ValueError("table: payoffs must be finite")
    return array
