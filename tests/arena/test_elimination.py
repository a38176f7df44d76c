"""Elimination tournaments: who meets whom, who is out, and that every tournament ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from evoply._native import Stream
from evoply.arena import Results, eliminate, rank_correlation, tournament
from evoply.arena.tournaments import drawn_pairs

MODES = ["all", "same", "other"]


def results_of(winners, hashes):
    """Return results with these winners, all of games of 60 plies that the board ended."""
    return Results(
        black_discs=32 + winners,
        white_discs=32 - winners,
        winners=winners.astype(np.int8),
        endings=np.zeros(len(winners), dtype=np.uint8),
        plies=0 * winners + 60,
        hashes=hashes,
    )


def coin_games(strengths, draws=0.1):
    """A game of chance: the stronger wins more often; plays any number of pairs."""

    def play(first, second, stream):
        black = []
        for one, other in zip(first, second, strict=True):
            share = 1 / (1 + math.exp(strengths[other] - strengths[one]))
            for is_swapped in (False, True):
                if stream.random() < draws:
                    black.append(0)
                else:
                    won = stream.random() < share
                    black.append(1 if won != is_swapped else -1)
        signs = np.array(black, dtype=np.int32)
        hashes = np.array([stream.bits() for _ in black], dtype=np.uint64)
        return results_of(signs, hashes)

    return play


@given(st.integers(2, 30), st.integers(1, 6), st.integers(0, 1000))
def test_everybody_plays_the_same_number_of_games(count, opponents, seed):
    field = list(range(5, 5 + count))
    first, second = drawn_pairs(field, [0] * (5 + count), "all", opponents, Stream(seed))
    assert len(first) == count * opponents
    assert (first != second).all()
    games = np.bincount(first, minlength=5 + count) + np.bincount(second, minlength=5 + count)
    assert games[5:].tolist() == [2 * opponents] * count


def test_opponents_are_uniform():
    counts = np.zeros((5, 5))
    first, second = drawn_pairs(range(5), [0] * 5, "all", 4000, Stream(3))
    np.add.at(counts, (first, second), 1)
    off = counts[~np.eye(5, dtype=bool)]
    # Chi-square with about 11 degrees of freedom; 33 is beyond the 0.999 quantile.
    assert ((off - 1000) ** 2 / 1000).sum() < 33


@given(st.lists(st.integers(0, 3), min_size=2, max_size=20), st.integers(0, 100))
def test_other_brackets_only(brackets, seed):
    field = range(len(brackets))
    first, second = drawn_pairs(field, brackets, "other", 3, Stream(seed))
    assert bool(len(first)) == (len(set(brackets)) > 1)
    assert all(
        brackets[a] != brackets[b] for a, b in zip(first.tolist(), second.tolist(), strict=True)
    )


@given(
    st.lists(st.floats(-2, 2), min_size=2, max_size=24),
    st.sampled_from([0.5, 0.6, 0.75]),
    st.integers(0, 10_000),
)
def test_a_round_removes_at_least_a_sixth(strengths, threshold, seed):
    """With 60 %: wins average at most a half of equal schedules, so five sixths at most stay."""
    run = eliminate(
        [0] * len(strengths), coin_games(strengths), Stream(seed), games=4, threshold=threshold
    )
    for one in run.rounds:
        assert sum(one.wins) <= sum(one.games) / 2
        assert len(one.survivors) < len(one.players) / (2 * threshold)
        for player in one.players:
            assert (player in one.survivors) == (one.rate(player) > threshold)
    for before, after in zip(run.rounds, run.rounds[1:], strict=False):
        assert before.survivors == after.players


@given(
    st.lists(st.tuples(st.floats(-2, 2), st.integers(0, 3)), min_size=2, max_size=16),
    st.sampled_from(MODES),
    st.integers(0, 10_000),
)
def test_every_tournament_ends_with_its_champions(players, mode, seed):
    strengths, brackets = zip(*players, strict=True)
    run = eliminate(brackets, coin_games(strengths), Stream(seed), mode=mode, games=4)
    count = len(players)
    if mode == "same":
        assert [brackets[one] for one in run.champions] == sorted(set(brackets))
        for bracket in set(brackets):
            size = brackets.count(bracket)
            total = sum(run.ranks[p] for p in range(count) if brackets[p] == bracket)
            assert total == size * (size + 1) / 2
    else:
        assert len(run.champions) == 1
        assert sum(run.ranks) == count * (count + 1) / 2
    for champion in run.champions:
        assert champion in run.finalists
        group = [p for p in range(count) if mode != "same" or brackets[p] == brackets[champion]]
        assert run.ranks[champion] == min(run.ranks[p] for p in group)
    pairs = zip(run.played.first.tolist(), run.played.second.tolist(), strict=True)
    for one, other in pairs:
        if mode == "same":
            assert brackets[one] == brackets[other]
        if mode == "other":
            assert brackets[one] != brackets[other]


def test_a_draw_is_not_a_win_and_the_threshold_is_more_than():
    def all_drawn(first, second, stream):
        nobody = np.zeros(2 * len(first), dtype=np.int32)
        return results_of(nobody, np.arange(2 * len(first), dtype=np.uint64))

    run = eliminate([0, 0, 0], all_drawn, Stream(1))
    assert len(run.rounds) == 1
    assert run.rounds[0].survivors == ()
    assert run.ranks == (2.0, 2.0, 2.0)
    assert run.champions[0] in (0, 1, 2)

    def first_player_wins_three_of_five(first, second, stream):
        # Player 0 wins 60 % of its games, no more: that is not enough.
        points = {(0, 1): [1, 1, 1, 0, 0]}
        black = []
        for number, (one, _) in enumerate(zip(first, second, strict=True)):
            won = points[0, 1][number % 5] if one == 0 else 1 - points[0, 1][number % 5]
            black += [won, 1 - won]
        signs = 2 * np.array(black, dtype=np.int32) - 1
        return results_of(signs, np.arange(len(black), dtype=np.uint64))

    run = eliminate([0, 0], first_player_wins_three_of_five, Stream(1), games=10)
    assert run.rounds[0].rate(0) == 0.6
    assert run.rounds[0].survivors == ()
    assert run.champions == (0,)
    assert run.ranks == (1.0, 2.0)


def test_brackets_of_one_have_their_champion_at_once():
    run = eliminate([0, 1, 1], coin_games([0, 0, 3]), Stream(2), mode="same")
    assert run.champions[0] == 0
    assert run.ranks[0] == 1
    assert 0 in run.finalists


@pytest.mark.parametrize(
    ("options", "says"), [({"threshold": 0.4}, "threshold"), ({"games": 3}, "games")]
)
def test_what_is_no_tournament(options, says):
    with pytest.raises(ValueError, match=says):
        eliminate([0, 0], coin_games([0, 0]), Stream(1), **options)


PLAYERS = ["swh", "mobility", "greedy", "random", "( white )", "( black )"]
BRACKETS = ["square", "count", "count", "none", "count", "none"]


def test_stars_of_many_runs():
    arguments = {"brackets": BRACKETS, "times": 20, "seed": 3, "fitness": [6, 5, 4, 2, 3, 1]}
    result = tournament(PLAYERS, **arguments)
    assert result.stars[0].player == "swh"
    assert result.stars[-1].player == "( black )"
    assert [one.mean_rank for one in result.stars] == sorted(one.mean_rank for one in result.stars)
    assert sum(one.titles for one in result.stars) == 20
    for one in result.stars:
        # A player with the same rank in each run does not show how often it would have another.
        is_always_first = one.titles == 20
        assert (one.rank_interval is None) is is_always_first
    assert result.stars[0].rating > result.stars[-1].rating + 300
    assert result.fitness_correlation.rho > 0.8
    assert result == tournament(PLAYERS, **arguments, threads=1)
    # The stars are the same players whatever the seed: that is what many runs are for.
    other = tournament(PLAYERS, **{**arguments, "seed": 4})
    assert [one.player for one in other.stars][:2] == [one.player for one in result.stars][:2]
    assert result.to_dict()["stars"][0]["titles"] == result.stars[0].titles


def test_every_bracket_has_a_champion_in_mode_same():
    result = tournament(PLAYERS, brackets=BRACKETS, mode="same", times=10, seed=1)
    titles = {}
    for star in result.stars:
        titles[star.bracket] = titles.get(star.bracket, 0) + star.titles
    assert titles == {"square": 10, "count": 10, "none": 10}


def test_ranks_with_ties_correlate_as_scipy_says():
    drawn = Stream(5, "ranks")
    for count in range(2, 40):
        x, y = ([drawn.below(1 + count // 2) for _ in range(count)] for _ in range(2))
        if len({*x}) > 1 < len({*y}):
            assert rank_correlation(x, y).rho == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_rank_correlation():
    assert rank_correlation([1, 2, 3, 4], [2, 4, 8, 16]).rho == 1
    assert rank_correlation([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]).rho == -1
    assert math.isnan(rank_correlation([1, 1], [1, 2]).rho)
    found = rank_correlation([1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 4, 3, 6, 5, 8, 7])
    assert found.rho == pytest.approx(1 - 6 * 8 / (8 * 63))
    assert found.interval[0] < found.rho < found.interval[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"times": 0}, "times"),
        ({"brackets": ["a"]}, "brackets"),
        ({"games": 7}, "games"),
        ({"threshold": 1.0}, "threshold"),
        ({"mode": "same", "fitness": [1]}, "fitness"),
    ],
)
def test_wrong_arguments(options, says):
    with pytest.raises(ValueError, match=says):
        tournament(["greedy", "random"], **options)


def test_one_bracket_has_no_opponents_outside():
    result = tournament(["greedy", "random"], mode="other", times=3)
    assert result.games == 0
    assert sum(star.titles for star in result.stars) == 3
    assert [star.mean_rank for star in result.stars] == [1.5, 1.5]
    assert [star.rating_interval for star in result.stars] == [None, None]
