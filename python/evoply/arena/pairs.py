"""Opening pairs, each two games of the same two players, and the ratings they give.

Reasons: docs/design/randomness.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from evoply.arena.ratings import Ratings, bradley_terry
from evoply.arena.schedule import Results


def pair_points(results: Results) -> NDArray[np.float64]:
    """Return the points of the first player of each pair, 0 to 2."""
    black = results.black_points
    return black[0::2] + 1 - black[1::2]


@dataclass(frozen=True, slots=True, eq=False)
class PairsPlayed:
    """Opening pairs and the points of the first player of each, 0 to 2."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    points: NDArray[np.float64]
    hashes: NDArray[np.uint64]
    """Two columns: the two games of each pair."""

    @classmethod
    def of(cls, first: NDArray[np.intp], second: NDArray[np.intp], results: Results) -> PairsPlayed:
        """Return the pairs of *first* and *second*; *results* has their games in order."""
        return cls(first, second, pair_points(results), results.hashes.reshape(-1, 2))

    @classmethod
    def joined(cls, parts: Sequence[PairsPlayed]) -> PairsPlayed:
        """Return all pairs of *parts* as one."""
        nobody = np.zeros(0, dtype=np.intp)
        none = cls(nobody, nobody, np.zeros(0), np.zeros((0, 2), dtype=np.uint64))
        each = [none, *parts]
        columns = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in each]) for name in columns))

    def ratings(self, players: int) -> Ratings:
        """Return the ratings of *players* players.

        Pairs that repeat both games of an earlier pair are not evidence and are left out.
        """
        sides = np.column_stack([self.first, self.second]).astype(np.uint64)
        _, places = np.unique(np.hstack([sides, self.hashes]), axis=0, return_index=True)
        new = np.sort(places)
        return bradley_terry(self.first[new], self.second[new], self.points[new], players)
