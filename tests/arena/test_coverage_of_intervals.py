"""Intervals of matches and ratings hold the truth as often as they say, near 0 and 1 too."""

import math
import os
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from evoply.arena import bradley_terry, elo_difference, pair_statistics, wilson
from evoply.arena.statistics import score_interval

Floats = NDArray[np.float64]

VALUES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Points a game of each result of a pair."""
SCORES = (0.5, 0.55, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99, 0.995)
DRAWS = (0.0, 0.3, 0.8)
"""Shares of the greatest possible number of draws."""
ALIKE = (-0.5, 0.0, 0.5, 1.0)
"""Shares of the openings that decide both games: alike, or below 0 against each other."""


def results_of_pairs(score: float, draws: float, alike: float) -> Floats:
    """The probabilities of 0, 1/2, 1, 3/2 and 2 points of a pair."""
    drawn = draws * 2 * (1 - score)
    game = np.array([1 - score - drawn / 2, drawn, score - drawn / 2])
    apart, both, against = np.convolve(game, game), np.zeros(5), np.zeros(5)
    both[::2] = game
    # As many lost games as possible are beside a won one.
    against[2], against[4] = 2 * game[0] + game[1], game[2] - game[0]
    return (1 - abs(alike)) * apart + abs(alike) * (both if alike > 0 else against)


def all_counts(pairs: int) -> NDArray[np.int64]:
    """Every way in which so many pairs can have the five results."""
    some = np.indices((pairs + 1,) * 3).reshape(3, -1).T
    some = some[some.sum(axis=1) <= pairs]
    left = pairs - some.sum(axis=1)
    rows = some.repeat(left + 1, axis=0)
    begins = np.cumsum(left + 1) - left - 1
    fourth = np.arange(len(rows)) - begins.repeat(left + 1)
    return np.column_stack([rows, fourth, pairs - rows.sum(axis=1) - fourth])


def before(counts: NDArray[np.int64]) -> tuple[float, float]:
    """The interval as it was: Wilson's, by the variance of the pairs as it came."""
    pairs, mean = counts.sum(), float(counts @ VALUES / counts.sum())
    variance = float(counts @ (VALUES - mean) ** 2) / (pairs - 1)
    games = mean * (1 - mean) / (variance / pairs) if variance > 1e-12 else pairs
    return wilson(mean, games)


def now(counts: NDArray[np.int64]) -> tuple[float, float]:
    points = VALUES.repeat(counts)
    games = np.column_stack([np.minimum(2 * points, 1), np.maximum(2 * points - 1, 0)]).ravel()
    interval = pair_statistics(games, np.arange(len(games), dtype=np.uint64)).interval
    assert interval is not None
    return interval


def coverage(pairs: int) -> dict[str, Floats]:
    """How often either interval holds the truth: nothing is drawn, every result is counted."""
    counts = all_counts(pairs)
    ends = {
        name: np.array([interval(row) for row in counts])
        for name, interval in (("before", before), ("now", now))
    }
    logs = np.cumsum([0.0, *np.log(np.arange(1, pairs + 1))])
    ways = logs[pairs] - logs[counts].sum(axis=1)
    found: dict[str, list[float]] = {"before": [], "now": []}
    for score, draws, alike in product(SCORES, DRAWS, ALIKE):
        shares = np.maximum(results_of_pairs(score, draws, alike), 1e-300)
        likely = np.exp(ways + counts @ np.log(shares))
        assert likely.sum() == pytest.approx(1)
        for name, (low, high) in ((name, both.T) for name, both in ends.items()):
            holds = (low - 1e-12 <= score) & (score <= high + 1e-12)
            found[name].append(float(likely[holds].sum()))
    return {name: np.array(shares) for name, shares in found.items()}


@pytest.mark.parametrize(
    "pairs",
    [
        10,
        pytest.param(20, marks=pytest.mark.long),
        pytest.param(30, marks=pytest.mark.long),
        pytest.param(50, marks=pytest.mark.long),
    ],
)
def test_intervals_of_a_match_hold_the_truth_near_the_ends_too(pairs: int) -> None:
    """With few pairs the number of lost games jumps: no interval holds exactly 95 % everywhere."""
    found = coverage(pairs)
    assert found["before"].min() < 0.92
    assert found["now"].min() > (0.92 if pairs == 10 else 0.929)
    assert 0.95 < found["now"].mean() < 0.975
    assert np.mean(found["now"] < 0.94) < np.mean(found["before"] < 0.94) / 5 < 0.07


def test_the_exact_end_is_that_of_clopper_and_pearson() -> None:
    from scipy.stats import beta

    for lost, count in ((0.5, 50.0), (1, 20), (2.3, 77.7), (4, 400), (9, 1000)):
        low, high = score_interval(1 - lost / count, count)
        assert high == pytest.approx(1 - beta.ppf(0.05, lost, count - lost + 1), abs=1e-8)
        assert low == pytest.approx(wilson(1 - lost / count, count)[0])
        mirrored = score_interval(lost / count, count)
        assert mirrored == pytest.approx((1 - high, 1 - low))
    for score in (0.3, 0.5, 0.6):
        assert score_interval(score, 60) == wilson(score, 60)


MATCHES = {
    "all won": [2.0] * 10,
    "all lost": [0.0] * 30,
    "one lost": [2.0] * 199 + [1.0],
    "always one each": [1.0] * 20,
    "anything": [2.0, 1.5, 0.0, 1.0, 2.0, 0.5, 2.0, 2.0, 1.0, 1.5, 0.0, 2.0],
}


@pytest.mark.parametrize("points", MATCHES.values(), ids=MATCHES)
def test_a_tournament_of_two_has_the_interval_of_their_match(points: list[float]) -> None:
    """20 games of 20 had [295, 391], 399 of 400 had [372, 604], where a match gave 83 and more."""
    pairs = len(points)
    scored = np.column_stack([np.minimum(points, 1), np.maximum(np.array(points) - 1, 0)]).ravel()
    interval = pair_statistics(scored, np.arange(2 * pairs, dtype=np.uint64)).interval
    assert interval is not None
    ratings = bradley_terry([0] * pairs, [1] * pairs, points, 2)
    # Their mean is 0, so each is half of the difference away from it.
    expected = [elo_difference(end) / 2 for end in interval]
    assert ratings.interval(0) == pytest.approx(expected, abs=1e-6)
    assert ratings.interval(1) == pytest.approx([-end for end in reversed(expected)], abs=1e-6)
    assert (ratings.interval(0)[1] == math.inf) is (sum(points) == 2 * pairs)


def test_the_more_games_are_won_the_higher_the_lower_end() -> None:
    lows = [
        bradley_terry([0] * pairs, [1] * pairs, [2.0] * pairs, 2).interval(0)[0]
        for pairs in (10, 20, 50, 200)
    ]
    assert lows == sorted(lows)
    assert 80 < lows[0] < 90


@pytest.mark.parametrize(
    ("strengths", "pairs"),
    [((0.0, 400.0), 20), ((0.0, 700.0), 20), ((-500.0, 0.0, 60.0, 900.0), 15)],
)
def test_intervals_of_ratings_hold_whoever_wins_everything(
    strengths: tuple[float, ...], pairs: int
) -> None:
    """With 0 and 700 points and 20 pairs they held the truth 30 times in 100."""
    truth = np.array(strengths) - np.mean(strengths)
    players = len(truth)
    first, second = np.array(np.triu_indices(players, 1)).repeat(pairs, axis=1)
    share = 1 / (1 + 10 ** ((truth[second] - truth[first]) / 400))
    random = np.random.default_rng(7)
    held, times = np.zeros(players), 400 if "EVOPLY_LONG" in os.environ else 80
    for _ in range(times):
        one, other = random.random((2, len(share))) < share
        alike = random.random(len(share)) < 0.5
        points = one.astype(float) + np.where(alike, one, other)
        ratings = bradley_terry(first, second, points, players)
        for player, strength in enumerate(truth):
            low, high = ratings.interval(player)
            held[player] += low <= strength <= high
    assert held.min() / times > 0.92
