"""Nash averages: equal to a linear program's, even where there are several, blind to copies."""

import math
import os

import numpy as np
import pytest
from sample_matrices import (
    antisymmetric,
    drawn_units,
    equilibrium_of_program,
    is_equilibrium,
)

from evoply.arena.ratings import log_odds, nash_averages, nash_intervals

LEAGUES = 200 if "EVOPLY_LONG" in os.environ else 20
ELO = 400 / math.log(10)


@pytest.mark.parametrize("count", [1, 3, 5, 7, 13])
@pytest.mark.parametrize("seed", range(4))
def test_an_equilibrium_that_is_unique_is_that_of_a_linear_program(count: int, seed: int) -> None:
    """That of a matrix of normal draws is, almost surely."""
    payoffs = antisymmetric(count, seed)
    found = nash_averages(payoffs)
    assert found.shares == pytest.approx(equilibrium_of_program(payoffs), abs=1e-7)
    assert found.shares @ payoffs @ found.shares == pytest.approx(0, abs=1e-12)
    assert found.averages.max() == pytest.approx(0, abs=1e-9)
    assert found.averages[found.shares > 1e-6] == pytest.approx(0, abs=1e-9)


def entropy(shares: np.ndarray) -> float:
    return float(-(shares * np.log(np.maximum(shares, 1e-300))).sum())


@pytest.mark.parametrize("seed", range(8))
def test_of_several_equilibria_none_is_more_even(seed: int) -> None:
    """Matrices of few whole numbers have many equilibria; mixtures of them are others."""
    draws = np.random.default_rng(seed)
    drawn = draws.integers(-1, 2, size=(6, 6))
    payoffs = np.triu(drawn, 1) - np.triu(drawn, 1).T
    found = nash_averages(payoffs)
    assert is_equilibrium(payoffs, found.shares)
    corners = [equilibrium_of_program(payoffs, draws.normal(size=6)) for _ in range(30)]
    assert np.ptp(corners, axis=0).max() > 0.01
    for _ in range(50):
        other = draws.dirichlet(np.ones(len(corners))) @ np.array(corners)
        assert is_equilibrium(payoffs, other)
        assert entropy(other) <= entropy(found.shares) + 1e-7


def test_the_most_even_of_all_mixtures_where_nobody_is_better() -> None:
    assert nash_averages(np.zeros((4, 4))).shares == pytest.approx([0.25] * 4, abs=1e-9)


def test_two_cycles_that_draw_against_each_other_get_equal_parts() -> None:
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    nothing = np.zeros((3, 3))
    both = np.block([[cycle, nothing], [nothing, 3 * cycle]])
    assert nash_averages(both).shares == pytest.approx([1 / 6] * 6, abs=1e-7)


def test_a_cycle_of_three_gives_each_a_third() -> None:
    payoffs = log_odds([[0, 9, 1], [1, 0, 9], [9, 1, 0]], 10 * (1 - np.eye(3)))
    found = nash_averages(payoffs)
    assert found.shares == pytest.approx([1 / 3] * 3, abs=1e-12)
    assert found.averages == pytest.approx([0] * 3, abs=1e-12)


def test_who_beats_everybody_is_the_whole_mixture() -> None:
    payoffs = [[0, 1, 2], [-1, 0, 5], [-2, -5, 0]]
    found = nash_averages(payoffs)
    assert found.shares == pytest.approx([1, 0, 0], abs=1e-12)
    assert found.averages == pytest.approx([0, -1, -2], abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_copy_changes_nobodys_average(seed: int) -> None:
    payoffs = antisymmetric(5, seed)
    alone = nash_averages(payoffs)
    for copied in range(5):
        order = [*range(5), copied]
        found = nash_averages(payoffs[np.ix_(order, order)])
        assert found.averages[:5] == pytest.approx(alone.averages, abs=1e-6)
        assert found.averages[5] == pytest.approx(alone.averages[copied], abs=1e-6)
        # The two share what it had alone, in equal parts.
        assert found.shares[[copied, 5]] == pytest.approx([alone.shares[copied] / 2] * 2, abs=1e-6)


def test_log_odds_of_certain_scores_are_finite_and_antisymmetric() -> None:
    payoffs = log_odds([[0, 10], [0, 0]], [[0, 10], [10, 0]])
    assert payoffs[0, 1] == pytest.approx(np.log(10.5 / 0.5))
    assert payoffs == pytest.approx(-payoffs.T)


@pytest.mark.parametrize("wrong", [[[0, 1], [1, 0]], [[0, np.inf], [-np.inf, 0]], [[1.0]]])
def test_a_matrix_that_is_no_game_is_refused(wrong: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="table"):
        nash_averages(wrong)


@pytest.mark.parametrize(
    ("seeds", "pairs", "spread"),
    [
        (1, 4, 0.0),
        (3, 4, 0.0),
        (5, 4, 80.0),
        pytest.param(5, 4, 0.0, marks=pytest.mark.long),
        pytest.param(10, 4, 80.0, marks=pytest.mark.long),
        (20, 20, 80.0),
        pytest.param(5, 20, 150.0, marks=pytest.mark.long),
        pytest.param(4, 100, 0.0, marks=pytest.mark.long),
    ],
)
def test_of_eight_equal_methods_few_are_called_worse(seeds: int, pairs: int, spread: float) -> None:
    """A twentieth at most. The mixture is found in the same games, so that without an allowance for
    it there are twice as many with 20 seeds of 20 pairs."""
    draws = np.random.default_rng(seeds)
    called = [
        high < 0
        for _ in range(LEAGUES)
        for _, high in nash_intervals(*drawn_units([0.0] * 8, seeds, pairs, spread, draws))
    ]
    assert len(called) == 8 * LEAGUES
    assert sum(called) <= len(called) / 20


@pytest.mark.parametrize(
    ("seeds", "spread"), [(3, 0.0), (5, 80.0), pytest.param(10, 80.0, marks=pytest.mark.long)]
)
def test_intervals_hold_the_averages_of_methods_that_differ(seeds: int, spread: float) -> None:
    """Nominally 19 of 20; and one that is 500 weaker is told apart."""
    strengths = [200.0, 150.0, 100.0, 50.0, 0.0, -50.0, -150.0, -300.0]
    draws = np.random.default_rng(seeds)
    held, called = [], []
    for _ in range(LEAGUES):
        found = nash_intervals(*drawn_units(strengths, seeds, 4, spread, draws))
        for (low, high), strength in zip(found, strengths, strict=True):
            held.append(low * ELO <= strength - 200 <= high * ELO + 1e-9)
        called.append(found[-1][1] < 0)
    assert 0.9 <= np.mean(held) <= 0.99
    assert np.mean(called) > 0.8


def test_who_lost_all_games_with_the_mixture_has_no_lower_end() -> None:
    points, games, strata = drawn_units([2000.0, 0.0, 0.0], 3, 4, 0.0, np.random.default_rng(1))
    found = nash_averages(log_odds(points.sum(axis=0), games.sum(axis=0)))
    assert found.shares == pytest.approx([1, 0, 0])
    best, *others = nash_intervals(points, games, strata)
    assert best[1] == 0
    assert all(low == -math.inf and high < 0 for low, high in others)
    # It is that of 24 games at least: their exact bound, by Clopper and Pearson, is -277.
    assert all(-700 < high * ELO < -100 for _, high in others)


def test_a_single_unit_says_nothing_of_chance() -> None:
    assert (
        nash_intervals(*drawn_units([0.0] * 3, 1, 1, 0.0, np.random.default_rng(0))) == [None] * 3
    )
