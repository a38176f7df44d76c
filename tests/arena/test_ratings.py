"""Ratings: planted strengths come back, intervals hold, nobody is infinitely strong."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from evoply._native import Stream
from evoply.arena import bradley_terry, round_robin
from evoply.wording import signed, span

PLANTED = np.array([-250.0, -120.0, -30.0, 0.0, 60.0, 120.0, 220.0])


def played(strengths, pairs_each, seed):
    """Pairs of games of players of known strength; half of the pairs decide both games alike."""
    stream = Stream(seed, "planted")
    first, second, points = [], [], []
    for one in range(len(strengths)):
        for other in range(one + 1, len(strengths)):
            share = 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400))
            for _ in range(pairs_each):
                draws = [stream.random() < share, stream.random() < share]
                if stream.below(2):
                    draws[1] = draws[0]
                first.append(one)
                second.append(other)
                points.append(float(sum(draws)))
    return np.array(first), np.array(second), np.array(points)


def test_planted_strengths_are_recovered():
    ratings = bradley_terry(*played(PLANTED, 400, 1), len(PLANTED))
    assert ratings.elo == pytest.approx(PLANTED - PLANTED.mean(), abs=25)
    assert abs(ratings.elo.mean()) < 1e-9
    assert ratings.distinct_pairs.tolist() == [400 * (len(PLANTED) - 1)] * len(PLANTED)


def test_intervals_hold_the_planted_strengths():
    """Although pairs are correlated: intervals that took games for independent would not."""
    truth = PLANTED - PLANTED.mean()
    held = trials = 0
    for seed in range(60):
        ratings = bradley_terry(*played(PLANTED, 40, seed), len(PLANTED))
        for place, strength in enumerate(truth):
            low, high = ratings.interval(place)
            held += low <= strength <= high
            trials += 1
    assert 0.91 <= held / trials <= 0.985


def test_the_likelihood_has_no_better_point():
    """A general optimiser finds the same ratings."""
    first, second, points = played(PLANTED[:4], 30, 5)

    def cost(x):
        share = 1 / (1 + np.exp(x[second] - x[first]))
        drawn = 1 / (1 + np.exp(-x))
        sums = points * np.log(share) + (2 - points) * np.log1p(-share)
        return -(sums.sum() + np.log(drawn * (1 - drawn)).sum() / 2)

    best = minimize(cost, np.zeros(4), tol=1e-12).x
    ratings = bradley_terry(first, second, points, 4)
    assert ratings.elo == pytest.approx((best - best.mean()) * 400 / math.log(10), abs=0.05)


def test_who_won_everything_is_rated_finitely():
    ratings = bradley_terry([0] * 50, [1] * 50, [2.0] * 50, 2)
    assert 300 < ratings.elo[0] < 2000
    low, high = ratings.interval(0)
    assert low < ratings.elo[0] < high
    assert bradley_terry([0] * 9, [1] * 9, [2.0] * 9, 2).interval(0) is None


def test_a_difference_is_more_certain_than_its_parts():
    first, second, points = played([0.0, 0.0], 500, 2)
    ratings = bradley_terry(first, second, points, 2)
    difference, error = ratings.difference(0, 1)
    assert abs(difference) < 4 * error
    assert 8 < error < 20


def test_nobody_plays_itself():
    with pytest.raises(ValueError, match="cannot meet itself"):
        bradley_terry([0], [0], [1.0], 1)


def test_a_round_robin_orders_players():
    names = ["random", "swh", "greedy", "mobility"]
    result = round_robin(names, games=200, seed=1)
    assert result.standings[0].player == "swh"
    assert result.standings[-1].player == "random"
    assert [one.rank for one in result.standings] == [1, 2, 3, 4]
    assert result.games == 6 * 200
    assert sum(one.points for one in result.standings) == result.games
    for one in result.standings:
        assert one.interval[0] < one.rating < one.interval[1]
    assert result == round_robin(names, games=200, seed=1, threads=1)
    assert result != round_robin(names, games=200, seed=2)


def test_games_that_repeat_are_no_evidence():
    result = round_robin(["greedy", "swh"], games=100, openings=None)
    assert result.distinct_games == 2
    assert [one.interval for one in result.standings] == [None, None]
    assert result.standings[0].games == 100
    few = round_robin(["greedy", "swh"], games=2, openings=None)
    assert few.standings[0].rating == result.standings[0].rating


def test_equal_names_are_told_apart():
    result = round_robin(["greedy", "random", "greedy"], games=20)
    assert set(result.players) == {"greedy", "random", "greedy (2)"}


@pytest.mark.parametrize(
    ("players", "games", "says"),
    [(["greedy"], 2, "players"), (["greedy", "random"], 3, "even"), ([], 2, "players")],
)
def test_what_is_no_round_robin(players, games, says):
    with pytest.raises(ValueError, match=says):
        round_robin(players, games=games)


def test_a_rating_of_nearly_nothing_has_no_minus_sign() -> None:
    """An elimination tournament printed a rating of -0."""
    assert [signed(value) for value in (-0.4, -0.0, 0.4, -0.6, 12.5)] == [
        "+0", "+0", "+0", "-1", "+12",
    ]  # fmt: skip
    assert span((-0.2, 7.8), "-") == "+0 to +8"
    assert span(None, "-") == "-"
