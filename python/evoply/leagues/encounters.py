"""The games of a league under one condition: who met whom, with what score.

Reading them here makes their order, and who stands first, change nothing that comes of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evoply.arena.pairs import PairsPlayed
from evoply.arena.statistics import mean_interval, pair_statistics
from evoply.experiments.all_play_all import LeaguePairing
from evoply.experiments.design import Condition
from evoply.json_data import JsonData
from evoply.leagues.league_data import LeagueResults

Interval = tuple[float, float]

FEWEST_SEEDS = 3
"""The number of seeds below which nothing is said about others: Student's interval of two values is
six times as wide as they are apart to either side, and hides everything. One seed alone has the
interval of its games."""


@dataclass(frozen=True, slots=True)
class Encounter(JsonData):
    """All games of two entrants, of all seeds, from the point of view of the first."""

    first: str
    second: str
    score: float
    """Points a game in [0, 1]."""
    interval: Interval | None
    """95 % interval of the score: the wider of that over seeds and that over opening pairs; None
    where too little was played, and of two seeds."""
    points: float
    games: int

    def turned(self) -> Encounter:
        """Return the same from the point of view of the second."""
        interval = self.interval and (1 - self.interval[1], 1 - self.interval[0])
        return replace(
            self,
            first=self.second,
            second=self.first,
            score=1 - self.score,
            interval=interval,
            points=self.games - self.points,
        )


def pairings_in_order(results: LeagueResults, condition: Condition) -> list[LeaguePairing]:
    """Return the pairings under *condition* so that their order and sides change nothing."""
    names = {entrant.name for entrant in results.entrants}
    found = []
    for pairing in results.pairings:
        if pairing.condition != condition:
            continue
        sides = f"pairing of {pairing.first} and {pairing.second}, seed {pairing.seed}"
        if not {pairing.first, pairing.second} <= names or pairing.first == pairing.second:
            raise ValueError(f"{sides}: these are not two entrants of the league")
        if len(pairing.points) % 2 or len(pairing.points) != len(pairing.hashes):
            raise ValueError(f"{sides}: needs whole pairs of games, and a hash for each game")
        if pairing.points:
            found.append(pairing if pairing.first < pairing.second else _turned(pairing))
    return sorted(found, key=lambda pairing: (pairing.seed, pairing.first, pairing.second))


def _turned(pairing: LeaguePairing) -> LeaguePairing:
    """Return the same games from the point of view of the second, who was Black in every other."""
    order = [game ^ 1 for game in range(len(pairing.points))]
    return replace(
        pairing,
        first=pairing.second,
        second=pairing.first,
        points=tuple(1 - pairing.points[game] for game in order),
        hashes=tuple(pairing.hashes[game] for game in order),
    )


def encounters_of(pairings: Iterable[LeaguePairing]) -> dict[tuple[str, str], Encounter]:
    """Return the games of each two entrants, in both directions."""
    by_sides: dict[tuple[str, str], list[LeaguePairing]] = {}
    for pairing in pairings:
        by_sides.setdefault((pairing.first, pairing.second), []).append(pairing)
    found: dict[tuple[str, str], Encounter] = {}
    for (first, second), games in by_sides.items():
        points = np.concatenate([np.array(pairing.points) for pairing in games])
        of_pairs = pair_statistics(points, np.concatenate([_hashes(pairing) for pairing in games]))
        of_seeds = mean_interval([fmean(pairing.points) for pairing in games])
        interval = of_pairs.interval if len(games) == 1 or len(games) >= FEWEST_SEEDS else None
        if interval is not None and of_seeds is not None:
            # Seeds that happen to agree prove nothing beyond their games.
            low, high = min(interval[0], of_seeds[0]), max(interval[1], of_seeds[1])
            interval = max(low, 0.0), min(high, 1.0)
        met = Encounter(
            first, second, of_pairs.score, interval, float(points.sum()), int(points.size)
        )
        found[first, second], found[second, first] = met, met.turned()
    return found


def opening_pairs(pairing: LeaguePairing, first: int, second: int) -> PairsPlayed:
    """Return the opening pairs of *pairing*, whose sides are the players *first* and *second*."""
    points = np.array(pairing.points, dtype=np.float64).reshape(-1, 2).sum(axis=1)
    sides = np.full(len(points), first), np.full(len(points), second)
    return PairsPlayed(*sides, points, _hashes(pairing).reshape(-1, 2))


def _hashes(pairing: LeaguePairing) -> NDArray[np.uint64]:
    return np.array(pairing.hashes, dtype=np.uint64)
