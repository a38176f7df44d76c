"""Differences of setups: known values, planted differences, and none where there is none."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evoply.experiments.statistics import compared, fewest_seeds, seeds_for, spread_of


def test_fewest_seeds_are_those_whose_smallest_p_is_certain() -> None:
    for pairs in (1, 3, 6, 45):
        seeds = fewest_seeds(pairs)
        smallest = [2 / math.comb(2 * n, n) * pairs for n in (seeds - 1, seeds)]
        assert smallest[0] >= 0.05 > smallest[1]
        # The test itself agrees: values that are all apart are certain with these seeds only.
        for count, certain in ((seeds - 1, False), (seeds, True)):
            values = {
                str(setup): [10.0 * setup + run for run in range(count)]
                for setup in range(round((1 + math.sqrt(1 + 8 * pairs)) / 2))
            }
            if count > 0:
                assert all(one.is_certain for one in compared(values)) == certain


def test_p_is_scipys_times_holms_correction() -> None:
    values = {"a": [1.0, 2, 3, 4, 5, 6], "b": [4.0, 5, 6, 7, 8, 9], "c": [20.0, 21, 22, 23, 24, 25]}
    found = {(one.first, one.second): one for one in compared(values)}
    plain = {
        pair: float(stats.mannwhitneyu(values[pair[0]], values[pair[1]]).pvalue) for pair in found
    }
    ordered = sorted(plain, key=lambda pair: plain[pair])
    largest = 0.0
    for rank, pair in enumerate(ordered):
        largest = max(largest, min(1.0, plain[pair] * (3 - rank)))
        assert found[pair].p == pytest.approx(largest)
    assert found["a", "b"].effect == pytest.approx(4.5 / 36)
    assert found["a", "b"].difference == pytest.approx(-3)
    for (one, other), difference in found.items():
        test = stats.ttest_ind(values[one], values[other], equal_var=False)
        expected = test.confidence_interval()
        assert difference.interval == pytest.approx((expected.low, expected.high))


numbers = st.lists(st.integers(0, 20).map(lambda value: value / 20), min_size=1, max_size=12)


@given(numbers, numbers)
def test_effect_and_sign_turn_round_with_the_pair(a: list[float], b: list[float]) -> None:
    (one,) = compared({"a": a, "b": b})
    (other,) = compared({"b": b, "a": a})
    assert one.effect == pytest.approx(1 - other.effect)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p == pytest.approx(other.p)
    assert 0 <= one.p <= 1
    if one.interval is not None:
        assert one.interval[0] <= one.difference + 1e-9
        assert one.interval[1] >= one.difference - 1e-9


def test_a_planted_difference_is_found_at_the_stated_power_and_none_at_the_stated_rate() -> None:
    draws = np.random.default_rng(7)
    effect = 0.8  # of normal values that are 1.19 deviations apart
    seeds = seeds_for(effect)
    assert seeds is not None
    shift = math.sqrt(2) * float(stats.norm.ppf(effect))
    rounds, found, wrong = 400, 0, 0
    for _ in range(rounds):
        a, b, c = draws.normal(size=(3, seeds))
        found += compared({"a": list(a + shift), "b": list(b)})[0].is_certain
        wrong += compared({"b": list(b), "c": list(c)})[0].is_certain
    # Five deviations of a binomial share of 400 are 0.1 and 0.055.
    assert found / rounds > 0.7
    assert wrong / rounds < 0.05 + 0.055


def test_of_many_setups_without_a_difference_hardly_any_experiment_finds_one() -> None:
    draws = np.random.default_rng(8)
    wrong = 0
    for _ in range(200):
        values = {str(name): list(draws.normal(size=8)) for name in range(5)}
        wrong += any(one.is_certain for one in compared(values))
    assert wrong / 200 < 0.05 + 0.08


def test_one_value_and_equal_values_say_nothing() -> None:
    (one,) = compared({"a": [0.5], "b": [0.5]})
    assert (one.p, one.interval, one.effect, one.seeds_wanted) == (1.0, None, 0.5, None)
    assert spread_of([0.5]).interval is None
    (one,) = compared({"a": [0.5, 0.5], "b": [0.25, 0.25]})
    assert one.interval == (0.25, 0.25)
