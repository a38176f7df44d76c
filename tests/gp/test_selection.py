import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import assert_drawn, seeds

from evoply._native import Stream
from evoply.gp import (
    adjusted_fitness,
    greedy_over_selection,
    roulette_selection,
    tournament_selection,
)

NAN = math.nan
DRAWS = 20_000


def test_tournament_winners_have_the_known_distribution():
    fitness = [0.3, 0.9, 0.1, 0.5, 0.7]
    counts = Counter(tournament_selection(fitness, 3, DRAWS, Stream(1)))
    ranked = sorted(range(5), key=lambda index: fitness[index])
    assert_drawn(counts, {one: (rank + 1) ** 3 - rank**3 for rank, one in enumerate(ranked)})


def test_ties_go_to_the_smaller_tree_then_to_the_lower_index():
    stream = Stream(2)
    lengths = [9, 3, 3, 7]
    winners = Counter(tournament_selection([1.0] * 4, 2, DRAWS, stream, lengths=lengths))
    # Order of preference 1, 2, 3, 0; two picks of four.
    assert_drawn(winners, [1, 7, 5, 3])
    plain = Counter(tournament_selection([1.0] * 4, 2, DRAWS, stream))
    assert plain[0] > plain[1] > plain[2] > plain[3]


@given(
    st.lists(st.floats(0, 1e308) | st.just(NAN), min_size=1, max_size=30), st.integers(1, 9), seeds
)
def test_nan_is_selected_only_if_there_is_nothing_else(fitness, size, seed):
    has_valid = any(value == value for value in fitness)
    for selected in (
        tournament_selection(fitness, size, 20, Stream(seed)),
        roulette_selection(fitness, 20, Stream(seed)),
        greedy_over_selection(fitness, 20, Stream(seed)),
    ):
        assert len(selected) == 20
        assert all(0 <= index < len(fitness) for index in selected)
        assert not has_valid or all(fitness[index] == fitness[index] for index in selected)
    assert roulette_selection(fitness, 5, Stream(seed)) == roulette_selection(
        fitness, 5, Stream(seed)
    )


def test_roulette_is_proportional():
    fitness = [1.0, 0.0, 3.0, NAN, 4.0]
    counts = Counter(roulette_selection(fitness, DRAWS, Stream(3)))
    assert_drawn(counts, [1, 0, 3, 0, 4])


@pytest.mark.parametrize("fitness", [[0.0, 0.0, 0.0], [NAN, NAN, NAN], [5e-324] * 3, [1e308] * 3])
def test_roulette_without_differences_is_even(fitness):
    assert_drawn(Counter(roulette_selection(fitness, DRAWS, Stream(4))), [1, 1, 1])


def test_greedy_over_selection_draws_four_fifths_from_the_top_group():
    fitness = [float(value) for value in range(1, 11)]  # 55 in all; 10 + 9 hold 0.345 of it
    counts = Counter(greedy_over_selection(fitness, DRAWS, Stream(5)))
    rest = [0.2 * value / 36 for value in range(1, 9)]
    assert_drawn(counts, [*rest, 0.8 * 9 / 19, 0.8 * 10 / 19])
    everything = greedy_over_selection(fitness, 50, Stream(6), top_share=1.0)
    assert len(everything) == 50


def test_impossible_selections_are_refused():
    stream = Stream(7)
    with pytest.raises(ValueError, match=r"individual 1 has -0\.5"):
        roulette_selection([1.0, -0.5], 1, stream)
    with pytest.raises(ValueError, match="individual 0 has inf"):
        roulette_selection([math.inf, 1.0], 1, stream)
    with pytest.raises(ValueError, match="at least one entrant"):
        tournament_selection([1.0], 0, 1, stream)
    with pytest.raises(ValueError, match="population is empty"):
        tournament_selection([], 2, 1, stream)
    assert adjusted_fitness(0.0) == 1.0
    assert adjusted_fitness(3.0) == 0.25
