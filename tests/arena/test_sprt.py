"""Sequential tests: the ratio against an optimiser, errors within what was promised."""

import os

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from evoply._native import Stream
from evoply.arena import Results, Sprt, log_likelihood_ratio, match, sprt_match
from evoply.arena.matches import Evidence, _likeliest, expected_score

LONG = "EVOPLY_LONG" in os.environ
VALUES = np.array([0, 0.25, 0.5, 0.75, 1])


def best_likelihood(counts, score):
    """The greatest log-likelihood of any distribution with this mean, by a general optimiser."""
    shares = np.array(counts) / sum(counts)
    found = minimize(
        lambda p: -(shares * np.log(np.maximum(p, 1e-300))).sum(),
        np.full(5, 0.2),
        bounds=[(1e-9, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: (p * VALUES).sum() - score},
        ],
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    assert found.success
    return -found.fun * sum(counts)


@pytest.mark.parametrize("counts", [[5, 10, 40, 20, 8], [100, 50, 300, 70, 120], [1, 2, 3, 2, 9]])
def test_the_ratio_is_that_of_the_likeliest_distributions(counts):
    scores = (0.5, 0.55)
    wanted = best_likelihood(counts, scores[1]) - best_likelihood(counts, scores[0])
    assert log_likelihood_ratio(counts, *scores) == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("score", [0.01, 0.3, 0.5, 0.62, 0.99])
@pytest.mark.parametrize("counts", [[5, 10, 40, 20, 8], [0.001, 0.001, 0.001, 0.001, 300]])
def test_the_likeliest_distribution_is_that_of_a_root_found_otherwise(counts, score):
    shares = np.array(counts) / sum(counts)
    beyond = VALUES - score
    low, high = -1 / beyond.max(), -1 / beyond.min()
    margin = 1e-9 * (high - low)
    root = brentq(
        lambda x: (shares * beyond / (1 + x * beyond)).sum(),
        low + margin,
        high - margin,
        xtol=1e-15,
    )
    found = _likeliest(shares, score)
    assert found == pytest.approx(shares / (1 + root * beyond), rel=1e-6)
    assert (found * VALUES).sum() == pytest.approx(score, abs=1e-9)
    assert found.sum() == pytest.approx(1, abs=1e-9)


def test_the_ratio_is_antisymmetric():
    counts = [5, 10, 40, 20, 8]
    there = log_likelihood_ratio(counts, 0.45, 0.55)
    assert log_likelihood_ratio(counts[::-1], 0.45, 0.55) == pytest.approx(-there, abs=1e-9)
    assert log_likelihood_ratio([0] * 5, 0.5, 0.6) == 0


@pytest.mark.parametrize(("elo", "wrong"), [(0, "elo1"), (60, "elo0")])
def test_errors_are_as_rare_as_promised(elo, wrong):
    """Of 300 tests at 5 %, 15 err on average; 28 or more would be one chance in a thousand.

    So would be 8 or more of 40.
    """
    tests, most = (300, 28) if LONG else (40, 8)
    test = Sprt(0, 60)

    def mean_preserving(stream):
        share = expected_score(elo)
        while True:
            first = stream.random() < share
            second = first if stream.below(2) else stream.random() < share
            yield float(first) + float(second)

    verdicts, lengths = [], []
    for seed in range(tests):
        evidence = Evidence(test)
        assert any(map(evidence.add, mean_preserving(Stream(seed, "sprt"))))
        verdicts.append(evidence.verdict)
        lengths.append(sum(evidence.counts))
    assert verdicts.count(wrong) < most
    # A test of fixed length needs (2 * 1.645)**2 * 0.1875 / 0.0855**2 = 277 such pairs.
    assert np.mean(lengths) < 200


def test_each_error_has_its_bound():
    """Deciding for elo1 by mistake is rarer here than deciding for elo0 by mistake."""
    lower, upper = Sprt(0, 60, alpha=0.01, beta=0.2).bounds
    assert lower == pytest.approx(np.log(0.2 / 0.99))
    assert upper == pytest.approx(np.log(0.8 / 0.01))


def test_a_match_stops_early_and_says_why():
    result = sprt_match("swh", "random", Sprt(0, 50), seed=1)
    assert result.verdict == "elo1"
    assert result.ratio >= result.test.bounds[1]
    assert result.games < 200
    assert "accepted: 50 Elo for swh explain the games better than 0" in str(result)
    worse = sprt_match("random", "swh", Sprt(0, 50), seed=1)
    assert worse.verdict == "elo0"
    assert worse.in_words().startswith("rejected: ")


def test_its_games_are_those_of_the_match_with_the_same_seed():
    result = sprt_match("greedy", "random", Sprt(0, 50), seed=5)
    played = match("greedy", "random", games=result.games, seed=5)
    assert result.score == pytest.approx(played.score)
    assert result == sprt_match("greedy", "random", Sprt(0, 50), seed=5, threads=1)


def test_the_limit_on_games_holds():
    result = sprt_match("greedy", "greedy", Sprt(0, 1), games=100, seed=1)
    assert result.verdict == "undecided"
    assert result.games == 100
    assert "limit" in result.in_words()


def test_repeated_games_are_no_evidence():
    played = []
    result = sprt_match(
        "greedy", "swh", Sprt(-1, 1), openings=1, games=2000, seed=1, on_game=played.append
    )
    # Four openings of one ply: as many different pairs, and no more.
    assert sum(result.pairs) == 4
    assert result.verdict == "undecided"
    # It played 1,992 games more that could decide nothing.
    assert result.is_exhausted
    assert 64 <= result.repeated_pairs < 100
    assert len(played) < 500
    assert "only repeat themselves" in str(result)
    assert result.to_dict()["is_exhausted"] is True


def test_a_test_ends_where_nothing_new_comes_and_not_where_some_does() -> None:
    def weighed(numbers: list[int]) -> Evidence:
        """The evidence of drawn pairs; equal numbers are equal games."""
        hashes = np.array(numbers, dtype=np.uint64).repeat(2)
        nothing = np.zeros(len(hashes), dtype=np.int32)
        some = Evidence(Sprt(-1, 1))
        some.weigh(Results(nothing, nothing, nothing, nothing, nothing, hashes))
        return some

    assert not weighed([*range(200), *range(199)]).is_over
    over = weighed([*range(200), *range(200), *range(1000, 1010)])
    assert (over.is_exhausted, over.repeated, sum(over.counts)) == (True, 200, 200)
    now_and_then = [new for number in range(50) for new in (number, *[0] * 60)]
    assert not weighed(now_and_then).is_over


@pytest.mark.parametrize(
    ("test", "says"),
    [
        ((10, 0), "must be below elo1"),
        ((0, 0), "must be below elo1"),
        ((0, 1e9), "must be below elo1"),
        ((0, 10, 0.6), "alpha"),
        ((0, 10, 0.05, 0), "beta"),
        ((float("nan"), 3), "must be below elo1"),
    ],
)
def test_what_is_no_test(test, says):
    with pytest.raises(ValueError, match=says):
        Sprt(*test)


def test_what_is_no_sequential_match():
    with pytest.raises(ValueError, match="even"):
        sprt_match("greedy", "random", Sprt(0, 10), games=3)
    with pytest.raises(ValueError, match="openings"):
        sprt_match("greedy", "random", Sprt(0, 10), openings=0)
