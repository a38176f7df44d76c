"""Intervals from opening pairs."""

import math

import numpy as np
import pytest

from evoply._native import Stream
from evoply.arena import elo_difference, pair_statistics


def hashes(count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.arange(count, dtype=np.uint64)


def test_the_interval_covers_the_truth() -> None:
    """95 % intervals of correlated pairs hold the true score about 95 times in 100."""
    stream = Stream(1, "coverage")
    covered, trials = 0, 400
    for _ in range(trials):
        points = []
        for _ in range(100):
            # Half of the openings decide both games; the others are two fair coins.
            if stream.below(2):
                points += [1.0, 1.0] if stream.random() < 0.7 else [0.0, 0.0]
            else:
                points += [float(stream.random() < 0.7), float(stream.random() < 0.7)]
        interval = pair_statistics(np.array(points), hashes(200)).interval
        assert interval is not None
        covered += interval[0] <= 0.7 <= interval[1]
    assert 0.91 <= covered / trials <= 0.985


def test_all_won_is_not_certain() -> None:
    statistics = pair_statistics(np.ones(40), hashes(40))
    assert statistics.score == 1
    assert statistics.interval is not None
    assert 0.8 < statistics.interval[0] < 0.9
    assert statistics.interval[1] == 1


def test_repeated_games_are_no_evidence() -> None:
    points = np.array([1.0, 0.0] * 500)
    assert pair_statistics(points, np.array([1, 2] * 500, dtype=np.uint64)).interval is None
    few = pair_statistics(np.array([1.0, 1.0, 0.0, 1.0] * 250), hashes(1000) % 24)
    many = pair_statistics(np.array([1.0, 1.0, 0.0, 1.0] * 250), hashes(1000))
    assert few.interval is not None
    assert many.interval is not None
    assert few.interval[1] - few.interval[0] > 3 * (many.interval[1] - many.interval[0])


@pytest.mark.parametrize(("score", "elo"), [(0.5, 0), (0.75, 190.8), (1, math.inf), (0, -math.inf)])
def test_elo(score: float, elo: float) -> None:
    assert elo_difference(score) == pytest.approx(elo, abs=0.1)
    assert elo_difference(1 - score) == pytest.approx(-elo, abs=0.1)
