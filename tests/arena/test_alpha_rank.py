"""Alpha-rank: OpenSpiel's on its own examples and on random tables, and every form of a table."""

import math
import sys
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from sample_matrices import antisymmetric

import evoply as ep

# OpenSpiel's own test, after Han et al. 2013.
FIVE: list[list[float]] = [
    [0.875, 0.75, 0, 2.75, 0.75],
    [1, 1, -1, -1, -1],
    [0, 2, 0, 0, 0],
    [-2, 2, 0, 0, 0],
    [1, 2, 0, 0, 0],
]
CYCLE = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], dtype=float)


def openspiel(matrix: Any, **options: Any) -> Any:
    pytest.importorskip("pyspiel")
    # It also draws, for which it imports Matplotlib.
    name = "open_spiel.python.egt.alpharank_visualizer"
    with patch.dict(sys.modules, {name: ModuleType(name)}):
        alpharank = import_module("open_spiel.python.egt.alpharank")
    return alpharank.compute([np.asarray(matrix, dtype=float)], **options)[2]


def slow(matrix: Any, alpha: float, population: int, against: str) -> Any:
    """The paper's formulas word for word, and the chain followed for long."""
    count = len(matrix)
    chain = np.zeros((count, count))
    for old in range(count):
        for new in set(range(count)) - {old}:
            total = 1.0
            for last in range(1, population):
                product = 1.0
                for k in range(1, last + 1):
                    if against == "each other":
                        mine, theirs = matrix[new][old], matrix[old][new]
                    else:
                        n = population - 1
                        mine = (k - 1) / n * matrix[new][new] + (n - k + 1) / n * matrix[new][old]
                        theirs = (n - k) / n * matrix[old][old] + k / n * matrix[old][new]
                    product *= math.exp(-alpha * (mine - theirs))
                total += product
            chain[old, new] = 1 / total / (count - 1)
        chain[old, old] = 1 - chain[old].sum()
    return np.linalg.matrix_power(chain, 2**30)[0]


def test_open_spiels_example_of_five_strategies() -> None:
    found = ep.ratings.alpha_rank(FIVE, alpha=0.1, population=20, against="everybody")
    assert found == pytest.approx(
        [0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039], abs=1e-6
    )
    theirs = openspiel(FIVE, alpha=0.1, m=20, use_local_selection_model=False)
    assert found == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("count", [2, 3, 7, 20])
def test_random_tables_are_ranked_as_by_openspiel(count: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).normal(size=(count, count))
    for alpha, population in ((0.0, 5), (0.05, 50), (0.7, 10)):
        for local in (True, False):
            found = ep.ratings.alpha_rank(
                matrix, alpha=alpha, population=population,
                against="each other" if local else "everybody",
            )  # fmt: skip
            theirs = openspiel(matrix, alpha=alpha, m=population, use_local_selection_model=local)
            assert found == pytest.approx(theirs, abs=1e-8)
    for noise in (0.1, 0.01, 0.001):
        theirs = openspiel(matrix, use_inf_alpha=True, inf_alpha_eps=noise)
        assert ep.ratings.alpha_rank(matrix, noise=noise) == pytest.approx(theirs, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("against", ["each other", "everybody"])
def test_it_is_the_chain_of_the_paper(seed: int, against: Any) -> None:
    matrix = np.random.default_rng(seed).normal(size=(4, 4))
    found = ep.ratings.alpha_rank(matrix, alpha=0.3, population=6, against=against)
    assert found == pytest.approx(slow(matrix, 0.3, 6, against), abs=1e-6)


def test_a_cycle_shares_and_who_beats_all_has_everything() -> None:
    assert ep.ratings.alpha_rank(CYCLE) == pytest.approx([1 / 3] * 3)
    assert ep.ratings.alpha_rank(CYCLE, alpha=5.0) == pytest.approx([1 / 3] * 3)
    best = np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]])
    assert ep.ratings.alpha_rank(best, noise=1e-9) == pytest.approx([1, 0, 0], abs=1e-7)
    assert ep.ratings.alpha_rank(best, alpha=1e6) == pytest.approx([1, 0, 0], abs=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_a_great_alpha_comes_to_its_limit_without_draws(seed: int) -> None:
    matrix = antisymmetric(6, seed)
    limit = ep.ratings.alpha_rank(matrix, noise=1e-12)
    assert ep.ratings.alpha_rank(matrix, alpha=1e5) == pytest.approx(limit, abs=1e-6)
    assert limit.sum() == pytest.approx(1)


def test_all_forms_of_a_table_say_the_same() -> None:
    players = ["greedy", "random", "mobility"]
    result = ep.round_robin(players, games=40, game="othello-6", seed=3)
    counts = np.zeros((3, 3, 3))
    for pair in result.pairings:
        counts[pair.first, pair.second] = pair.wins, pair.draws, pair.losses
        counts[pair.second, pair.first] = pair.losses, pair.draws, pair.wins
    points = np.full((3, 3), 0.5)
    for pair in result.pairings:
        points[pair.first, pair.second] = pair.score
        points[pair.second, pair.first] = 1 - pair.score
    by_result = ep.ratings.alpha_rank(result, alpha=2.0)
    assert by_result == pytest.approx(ep.ratings.alpha_rank(counts, alpha=2.0))
    assert by_result == pytest.approx(ep.ratings.alpha_rank(points, alpha=2.0))
    shares = ep.ratings.nash_averages(result).shares
    assert shares == pytest.approx(ep.ratings.nash_averages(counts).shares)
    won, games = counts[:, :, 0] + counts[:, :, 1] / 2, counts.sum(axis=2)
    log_odds = ep.ratings.log_odds(won, games)
    assert shares == pytest.approx(ep.ratings.nash_averages(log_odds).shares)
    # Points a game are payoffs as they are.
    of_points = ep.ratings.nash_averages(points)
    assert of_points.shares == pytest.approx(ep.ratings.nash_averages(points - 0.5).shares)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("greedy", "no table"),
        ([[0, 1]], "a row and a column"),
        ([], "a row and a column"),
        ([[0, math.nan], [0, 0]], "finite"),
        (np.zeros((2, 2, 3)), "never met"),
        (-np.ones((2, 2, 3)), "from 0 on"),
        ([[[0, 0, 0], [3, 0, 0]], [[3, 0, 0], [0, 0, 0]]], "both sides"),
    ],
)
def test_what_is_no_table_is_refused(table: Any, says: str) -> None:
    for function in (ep.ratings.alpha_rank, ep.ratings.nash_averages):
        with pytest.raises(ValueError, match=says):
            function(table)


def test_an_elimination_is_no_table() -> None:
    result: Any = ep.tournament(["greedy", "random"], game="othello-4", seed=1)
    with pytest.raises(ValueError, match="round robin"):
        ep.ratings.alpha_rank(result)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": math.nan}, "alpha"),
        ({"population": 1}, "population"),
        ({"noise": 0.0}, "noise"),
        ({"against": "nobody"}, "against"),
    ],
)
def test_numbers_that_cannot_be_are_refused(options: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ep.ratings.alpha_rank(CYCLE, **options)


def test_a_single_player_has_all_of_the_time() -> None:
    assert ep.ratings.alpha_rank([[0.5]]).tolist() == [1.0]
