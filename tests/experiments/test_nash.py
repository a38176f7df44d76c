"""Nash averages: equal to a linear program's, even where there are several, blind to copies."""

import numpy as np
import pytest
from sample_matrices import antisymmetric, equilibrium_of_program, is_equilibrium

from evoply.experiments.leagues.nash import log_odds, nash_averages


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
    with pytest.raises(ValueError, match="payoffs"):
        nash_averages(wrong)
