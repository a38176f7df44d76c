"""Intervals from opening pairs."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from evoply._native import Stream
from evoply.arena import Star, elo_difference, mean_interval, pair_statistics, tournament
from evoply.arena.statistics import _ODD, distinct_rows


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
        covered += interval[0] <= 0.7 <= interval[1]
    assert 0.91 <= covered / trials <= 0.985


def test_all_won_is_not_certain() -> None:
    statistics = pair_statistics(np.ones(40), hashes(40))
    assert statistics.score == 1
    assert 0.8 < statistics.interval[0] < 0.9
    assert statistics.interval[1] == 1


def test_few_pairs_say_something_only_if_all_are_won_or_lost() -> None:
    few = pair_statistics(np.zeros(10), hashes(10))
    low, high = few.interval
    # Exact and one-sided at twice the doubt: five games are lost with probability 10 %.
    assert (low, few.distinct_pairs) == (0, 5)
    assert (1 - high) ** 5 <= 0.1
    assert high < 0.5
    assert pair_statistics(np.ones(10), hashes(10)).interval == pytest.approx((1 - high, 1))
    assert pair_statistics(np.array([1.0] * 9 + [0.5]), hashes(10)).interval is None
    assert pair_statistics(np.ones(1000), hashes(1000) % 2).interval is None  # one pair, repeated


def test_repeated_games_are_no_evidence() -> None:
    points = np.array([1.0, 0.0] * 500)
    assert pair_statistics(points, np.array([1, 2] * 500, dtype=np.uint64)).interval is None
    few = pair_statistics(np.array([1.0, 1.0, 0.0, 1.0] * 250), hashes(1000) % 24)
    many = pair_statistics(np.array([1.0, 1.0, 0.0, 1.0] * 250), hashes(1000))
    assert few.interval[1] - few.interval[0] > 3 * (many.interval[1] - many.interval[0])


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 7, 500])
def test_different_rows_are_counted_as_a_set_of_them_is(columns: int, count: int) -> None:
    rng = np.random.default_rng(count)
    for most in (2, 30, 2**64 - 1):
        rows = rng.integers(0, most, (count, columns), dtype=np.uint64, endpoint=True)
        assert distinct_rows(rows) == len(set(map(tuple, rows.tolist())))


def test_rows_of_equal_marks_are_told_apart() -> None:
    odd = int(_ODD)
    rows = np.array([[0, odd], [1, 0], [0, odd], [2, 2**64 - odd], [7, 7]], dtype=np.uint64)
    assert distinct_rows(rows) == 4


@pytest.mark.parametrize(("score", "elo"), [(0.5, 0), (0.75, 190.8), (1, math.inf), (0, -math.inf)])
def test_elo(score: float, elo: float) -> None:
    assert elo_difference(score) == pytest.approx(elo, abs=0.1)
    assert elo_difference(1 - score) == pytest.approx(-elo, abs=0.1)


@pytest.mark.parametrize(
    "values", [[3.0, 4.5], [1.0, 2.0, 2.0, 5.0], [float(n) for n in range(10)]]
)
def test_means_of_runs_have_students_interval(values: list[float]) -> None:
    spread = np.std(values, ddof=1) / math.sqrt(len(values))
    expected = student.interval(0.95, len(values) - 1, loc=np.mean(values), scale=spread)
    assert mean_interval(values) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_students_quantile_is_that_of_scipy(confidence: float) -> None:
    for freedom in (*range(1, 40), 99, 100, 999, 5000):
        values = [0.0] * freedom + [1.0]
        _, high = mean_interval(values, confidence)
        half = student.ppf((1 + confidence) / 2, freedom) * np.std(values, ddof=1)
        assert high - np.mean(values) == pytest.approx(half / math.sqrt(freedom + 1), rel=1e-9), (
            freedom
        )


def test_a_single_run_has_no_interval() -> None:
    assert mean_interval([2.0]) is None


def test_runs_that_are_all_equal_have_no_interval_without_width() -> None:
    """Ten titles of ten gave the mean rank 1 with the interval [1, 1]."""
    assert mean_interval([1.0] * 10) is None


def test_mean_ranks_of_few_tournaments_have_students_interval() -> None:
    """At ten runs it is 15 % wider than the normal one."""

    def star(times: int) -> Star:
        stars = tournament(["greedy", "random"], games=4, times=times, game="othello-4").stars
        return next(one for one in stars if one.player == "random")

    # Runs do not depend on how many follow, so sums of ranks give the rank in each.
    sums = [0.0, *(times * star(times).mean_rank for times in range(1, 11))]
    ranks = np.diff(sums).tolist()
    assert len({round(rank, 6) for rank in ranks}) > 1
    assert star(10).rank_interval == pytest.approx(mean_interval(ranks))
    assert star(9).rank_interval is None
