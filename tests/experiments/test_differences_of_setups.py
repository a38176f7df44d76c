"""Differences of setups: known values, planted differences, and none where there is none."""

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evoply.experiments import compared, fewest_seeds, seeds_for, spread_of

LONG = "EVOPLY_LONG" in os.environ


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


ROUNDS = 2000 if LONG else 250
DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Any]] = {
    "normal": lambda draws, shape: draws.normal(size=shape),
    "skewed": lambda draws, shape: draws.exponential(size=shape),
    "heavy tails": lambda draws, shape: draws.standard_t(2, size=shape),
    # Scores in 400 games, of which many are equal.
    "scores": lambda draws, shape: draws.binomial(400, 0.6, size=shape) / 400,
}


def margin(share: float) -> float:
    """Return five deviations of a share that is found in all rounds."""
    return 5 * math.sqrt(share * (1 - share) / ROUNDS)


@pytest.mark.parametrize("effect", [0.7, 0.8, 0.9])
def test_a_planted_difference_is_found_at_the_stated_power(effect: float) -> None:
    """Of normal values that are so far apart that one of the first wins with this probability."""
    draws = np.random.default_rng(7)
    seeds = seeds_for(effect)
    assert seeds is not None
    shift = math.sqrt(2) * float(stats.norm.ppf(effect))
    found = 0
    for _ in range(ROUNDS):
        a, b = draws.normal(size=(2, seeds))
        (one,) = compared({"a": list(a + shift), "b": list(b)})
        found += one.is_certain and one.difference > 0
    # Noether's formula is near, and on the safe side where effects are large.
    assert found / ROUNDS > 0.8 - 0.05 - margin(0.8)
    assert found / ROUNDS < 0.8 + 0.13 + margin(0.8)


def test_a_planted_difference_among_many_setups_is_found_at_the_stated_power() -> None:
    draws = np.random.default_rng(9)
    setups, effect = 4, 0.85
    pairs = math.comb(setups, 2)
    seeds = seeds_for(effect, pairs)
    assert seeds is not None
    shift = math.sqrt(2) * float(stats.norm.ppf(effect))
    found, wrong = 0, 0
    for _ in range(ROUNDS):
        values = {str(name): list(draws.normal(size=seeds)) for name in range(setups)}
        values["0"] = [value + shift for value in values["0"]]
        certain = {(one.first, one.second) for one in compared(values) if one.is_certain}
        found += ("0", "1") in certain
        wrong += any(one != "0" for one, _ in certain)
    assert found / ROUNDS > 0.8 - 0.05 - margin(0.8)
    assert wrong / ROUNDS < 0.05 + margin(0.05)


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize(("setups", "seeds"), [(2, 4), (2, 12), (5, 8)])
def test_none_is_found_where_none_is_beyond_the_stated_rate(
    kind: str, setups: int, seeds: int
) -> None:
    draws = np.random.default_rng(8)
    wrong = 0
    for _ in range(ROUNDS):
        values = DRAWS[kind](draws, (setups, seeds))
        differences = compared({str(name): list(one) for name, one in enumerate(values)})
        wrong += any(one.is_certain for one in differences)
    assert wrong / ROUNDS < 0.05 + margin(0.05)


def test_intervals_cover_the_difference_as_often_as_they_say() -> None:
    draws = np.random.default_rng(10)
    covered = 0
    for _ in range(ROUNDS):
        a, b = draws.normal(0.3, 1, size=9), draws.normal(0, 2, size=12)
        (one,) = compared({"a": list(a), "b": list(b)})
        assert one.interval is not None
        covered += one.interval[0] <= 0.3 <= one.interval[1]
    assert abs(covered / ROUNDS - 0.95) < 0.01 + margin(0.95)


def test_more_seeds_of_setups_that_are_all_apart_are_never_less_certain() -> None:
    before = 1.0
    for seeds in range(2, 30):
        values = {str(name): [100.0 * name + run for run in range(seeds)] for name in range(6)}
        p = max(one.p for one in compared(values))
        assert p <= before
        before = p


def test_too_few_seeds_say_nothing_of_the_size_of_an_effect() -> None:
    (one,) = compared({"a": [0.5, 0.6], "b": [0.1, 0.2]})
    assert (one.effect, one.seeds_wanted) == (1.0, None)


def test_one_value_and_equal_values_say_nothing() -> None:
    (one,) = compared({"a": [0.5], "b": [0.5]})
    assert (one.p, one.interval, one.effect, one.seeds_wanted) == (1.0, None, 0.5, None)
    assert spread_of([0.5]).interval is None
    (one,) = compared({"a": [0.5, 0.5], "b": [0.25, 0.25]})
    assert one.interval == (0.25, 0.25)
