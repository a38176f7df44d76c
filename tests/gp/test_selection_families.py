"""Paired tournaments, worst roulette, lexicase, Pareto and parsimony: distributions and oracles."""

import math
import tracemalloc
from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import LIAO, assert_drawn, seeds

from evoply._native import Stream
from evoply.gp import (
    Limits,
    covariant_penalised,
    crowding_distances,
    double_tournament_selection,
    grow,
    length_penalised,
    lexicase_selection,
    paired_tournament_selection,
    pareto_front,
    pareto_ranks,
    pareto_selection,
    pareto_survival,
    parse_tree,
    subtree_crossover,
    tarpeian_penalised,
    worst_roulette_selection,
)

NAN = math.nan
DRAWS = 20_000
few = st.integers(0, 4)
objective_rows = st.one_of(
    st.lists(st.tuples(few, few, st.integers(0, 2)), min_size=1, max_size=25),
    st.lists(st.tuples(few, few), min_size=1, max_size=25),  # has a faster way
)


def test_pairs_are_the_two_best_of_the_picks():
    fitness = [0.3, 0.9, 0.1, 0.5]
    drawn = Counter(paired_tournament_selection(fitness, 3, DRAWS, Stream(1)))
    expected: Counter[tuple[int, int]] = Counter()
    for picks in product(range(4), repeat=3):
        best, second, _ = sorted(picks, key=lambda index: -fitness[index])
        expected[best, second] += 1
    assert_drawn(drawn, expected)


def test_of_equal_pairs_the_smaller_then_the_later_pick_is_best():
    drawn = Counter(paired_tournament_selection([1.0] * 3, 2, DRAWS, Stream(2), lengths=[5, 3, 5]))
    # The picks (a, b): b comes first unless a is smaller.
    expected: Counter[tuple[int, int]] = Counter()
    for first, second in product(range(3), repeat=2):
        keeps = first == 1 != second
        expected[(first, second) if keeps else (second, first)] += 1
    assert_drawn(drawn, expected)
    with pytest.raises(ValueError, match="two entrants"):
        paired_tournament_selection([1.0], 1, 1, Stream(1))
    assert all(0 not in pair for pair in paired_tournament_selection([NAN, 1.0], 3, 50, Stream(1)))


def test_the_worst_are_drawn_in_proportion_to_what_is_minimised():
    counts = Counter(worst_roulette_selection([1.0, 0.0, 3.0, 4.0], DRAWS, Stream(3)))
    assert_drawn(counts, [1, 0, 3, 4])


def lexicase_probabilities(cases: list[tuple[float, ...]], epsilon: float) -> list[float]:
    """Return the probability of each individual over all orders of the cases."""
    shares = [0.0] * len(cases)
    orders = list(permutations(range(len(cases[0]))))
    for order in orders:
        left = list(range(len(cases)))
        for case in order:
            best = max(cases[index][case] for index in left)
            left = [index for index in left if cases[index][case] >= best - epsilon]
        for index in left:
            shares[index] += 1 / len(left) / len(orders)
    return shares


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_lexicase_follows_all_orders_of_the_cases(epsilon):
    cases = [(3, 0, 1), (0, 3, 1), (2, 2.5, 0), (3, 0, 1), (1, 1, 1)]
    counts = Counter(lexicase_selection(cases, DRAWS, Stream(4), epsilon=epsilon))
    assert_drawn(counts, lexicase_probabilities(cases, epsilon))


def test_lexicase_takes_nan_last():
    assert set(lexicase_selection([[NAN], [0.0]], 50, Stream(1))) == {1}
    assert set(lexicase_selection([[NAN], [NAN]], 50, Stream(1))) == {0, 1}
    with pytest.raises(ValueError, match="one case"):
        lexicase_selection([[]], 1, Stream(1))


def test_a_sample_of_the_cases_decides_for_all_parents() -> None:
    cases = np.eye(8)
    for seed in range(20):
        assert len(set(lexicase_selection(cases, 50, Stream(seed), down_sampling=1 / 8))) == 1
        assert len(set(lexicase_selection(cases, 200, Stream(seed), down_sampling=0.5))) == 4
    alone = Counter(
        lexicase_selection(cases, 1, Stream(seed), down_sampling=0.25)[0] for seed in range(2000)
    )
    assert_drawn(alone, [1] * 8)
    rows = [[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]
    assert lexicase_selection(rows, 50, Stream(1), down_sampling=1.0) == lexicase_selection(
        rows, 50, Stream(1)
    )


@pytest.mark.parametrize("size_first", [False, True])
def test_double_tournaments_have_the_known_distribution(size_first: bool) -> None:
    fitness, lengths, size, parsimony = [0.0, 1.0, 2.0], [3, 5, 5], 2, 1.6
    drawn = Counter(
        double_tournament_selection(
            fitness, lengths, DRAWS, Stream(7), size=size, parsimony=parsimony,
            size_first=size_first,
        )
    )  # fmt: skip

    def shorter(odds: list[float]) -> list[float]:
        won = [0.0] * 3
        for first, second in product(range(3), repeat=2):
            both = odds[first] * odds[second]
            small, large = sorted((first, second), key=lambda index: lengths[index])
            tied = lengths[first] == lengths[second]
            won[first if tied else small] += both * (1 if tied else parsimony / 2)
            won[first if tied else large] += both * (0 if tied else 1 - parsimony / 2)
        return won

    def fitter(odds: list[float]) -> list[float]:
        won = [0.0] * 3
        for picks in product(range(3), repeat=size):
            won[max(picks, key=lambda index: fitness[index])] += math.prod(odds[i] for i in picks)
        return won

    even = [1 / 3] * 3
    assert_drawn(drawn, fitter(shorter(even)) if size_first else shorter(fitter(even)))


def test_double_tournaments_refuse_what_they_cannot_do() -> None:
    with pytest.raises(ValueError, match="parsimony: must be from 1 to 2, not 3"):
        double_tournament_selection([1.0], [1], 1, Stream(1), parsimony=3)
    with pytest.raises(ValueError, match="size: a tournament needs"):
        double_tournament_selection([1.0], [1], 1, Stream(1), size=0)
    assert set(double_tournament_selection([NAN, 1.0], [1, 9], 50, Stream(1))) == {1}


@given(objective_rows, st.data())
def test_the_first_fronts_survive(rows: list[tuple[int, ...]], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(rows)))
    alive = pareto_survival(rows, count)
    assert len(alive) == len(set(alive)) == count
    # The slow way: peel fronts off the different rows, then off their copies.
    different = [i for i, row in enumerate(rows) if row not in rows[:i]]
    copies = [i for i in range(len(rows)) if i not in different]
    ranks = pareto_ranks(rows).tolist()
    fronts = [
        [i for i in group if ranks[i] == rank]
        for group in (different, copies)
        for rank in range(len(rows))
    ]
    room = count
    for front in filter(None, fronts):
        here = [i for i in front if i in alive]
        assert len(here) == min(room, len(front))
        if 0 < len(here) < len(front) and front[0] in different:
            gaps = crowding_distances([rows[i] for i in front], np.zeros(len(front), int)).tolist()
            gap = dict(zip(front, gaps, strict=True))
            assert min(gap[i] for i in here) >= max(gap[i] for i in front if i not in here)
        room -= len(here)


def test_more_than_there_are_cannot_survive() -> None:
    with pytest.raises(ValueError, match="count: 2 cannot live on of 1"):
        pareto_survival([(0.0, 0.0)], 2)


def dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))


@given(objective_rows)
def test_ranks_are_the_fronts_peeled_off_one_by_one(rows):
    ranks = pareto_ranks(rows).tolist()
    left, rank = set(range(len(rows))), 0
    while left:
        front = {i for i in left if not any(dominates(rows[j], rows[i]) for j in left)}
        assert {i for i in left if ranks[i] == rank} == front
        left, rank = left - front, rank + 1
    front = pareto_front(rows)
    assert {rows[i] for i in front} == {rows[i] for i in range(len(rows)) if ranks[i] == 0}
    assert len({rows[i] for i in front}) == len(front)
    assert [rows[i] for i in front] == sorted((rows[i] for i in front), reverse=True)
    assert all(rows.index(rows[i]) == i for i in front)  # the first of equals


def test_the_front_of_many_takes_little_memory() -> None:
    """Once a matrix of all pairs was made of them: 2 GB for a population of 25,600."""
    draws = np.random.default_rng(1).random((20_000, 2)).round(2)
    tracemalloc.start()
    front = pareto_front(draws)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert front
    assert most < 20_000_000


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_the_ranks_of_many_take_little_memory(objectives: int) -> None:
    draws = np.random.default_rng(1).random((20_000, objectives)).round(2)
    tracemalloc.start()
    ranks = pareto_ranks(draws)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    front = {tuple(draws[index]) for index in pareto_front(draws)}
    assert {tuple(row) for row in draws[ranks == 0]} == front
    assert most < 20_000_000


def test_crowding_is_the_gap_between_neighbours():
    rows = [(0, 4), (1, 3), (3, 1), (4, 0)]
    distances = crowding_distances(rows, pareto_ranks(rows)).tolist()
    assert distances == [math.inf, 0.75 + 0.75, 0.75 + 0.75, math.inf]
    same = [(1, 1)] * 3
    assert crowding_distances(same, pareto_ranks(same)).tolist() == [math.inf, 0.0, math.inf]


def test_pareto_tournaments_have_the_known_distribution():
    rows = [(0, 4), (1, 3), (2, 1.5), (4, 0), (0, 0)]  # one front, and one that all dominate
    keys = {0: 0, 3: 0, 4: 3}
    distances = crowding_distances(rows, pareto_ranks(rows))
    keys |= {1: 1 if distances[1] > distances[2] else 2, 2: 2 if distances[1] > distances[2] else 1}
    counts = Counter(pareto_selection(rows, DRAWS, Stream(5)))
    expected = Counter(
        second if keys[second] < keys[first] else first
        for first, second in product(range(5), repeat=2)
    )
    assert_drawn(counts, expected)


def test_copies_lose_pareto_tournaments():
    rows = [(1, 1), (1, 1), (0, 0)]  # the second is a copy, worse than what the first dominates
    assert_drawn(Counter(pareto_selection(rows, DRAWS, Stream(8))), [5, 1, 3])


def test_covariant_parsimony_takes_away_what_length_explains():
    lengths = [10, 20, 30, 40]
    assert covariant_penalised([1.0, 2.0, 3.0, 4.0], lengths) == pytest.approx([0.0] * 4)
    unrelated = [2.0, 1.0, 1.0, 2.0]
    assert covariant_penalised(unrelated, lengths) == pytest.approx(unrelated)
    assert covariant_penalised([1.0, 5.0], [7, 7]) == [1.0, 5.0]
    assert length_penalised([1.0, 2.0], [100, 200], 0.001) == pytest.approx([0.9, 1.8])


@given(st.lists(st.tuples(st.floats(-9, 9), st.integers(1, 200)), min_size=2, max_size=40))
def test_after_covariant_parsimony_fitness_and_length_are_uncorrelated(pairs):
    fitness, lengths = [one for one, _ in pairs], [one for _, one in pairs]
    penalised = covariant_penalised(fitness, lengths)
    mean = sum(lengths) / len(lengths)
    centre = sum(penalised) / len(penalised)
    pull = sum((a - mean) * (b - centre) for a, b in zip(lengths, penalised, strict=True))
    assert abs(pull) < 1e-6


def test_the_tarpeian_rock_takes_long_ones_at_its_rate():
    lengths = [1] * 1000 + [9] * 1000
    penalised = tarpeian_penalised([1.0] * 2000, lengths, 0.3, Stream(6))
    thrown = [value != value for value in penalised]
    assert not any(thrown[:1000])
    assert abs(sum(thrown) - 300) < 5 * math.sqrt(1000 * 0.3 * 0.7)
    assert tarpeian_penalised([1.0, 2.0], [3, 3], 1.0, Stream(1)) == [1.0, 2.0]


@given(seeds)
def test_gpjpp_crossover_obeys_limits_and_keeps_all_nodes(seed):
    stream = Stream(seed)
    first, second = grow(LIAO, 6, stream), grow(LIAO, 6, stream)
    limits = Limits(8, max(len(first), len(second)) + 5)
    one, two = subtree_crossover(first, second, limits, stream, function_bias="gpjpp")
    assert Counter(one.nodes) + Counter(two.nodes) == Counter(first.nodes) + Counter(second.nodes)
    for child in (one, two):
        assert child.depth <= 8
        assert len(child) <= limits.max_nodes
        assert type(child).checked(LIAO, child.nodes) == child


def test_gpjpp_crossover_accepts_a_terminal_after_its_redraws():
    tree, small = parse_tree("( + white black )", LIAO), parse_tree("( 10 )", LIAO)
    children = Counter(
        str(subtree_crossover(small, tree, Limits(), Stream(seed), function_bias="gpjpp")[0])
        for seed in range(DRAWS // 4)
    )
    # Four draws (one and three redraws) of three nodes, two of which are terminals.
    leaf = (2 / 3) ** 4 / 2
    expected = {"( + white black )": 1 - 2 * leaf, "( white )": leaf, "( black )": leaf}
    assert_drawn(children, expected)
