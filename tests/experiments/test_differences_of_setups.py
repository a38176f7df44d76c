"""Differences of setups: known values, planted differences, and none where there is none."""

import math
import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evoply.experiments import compared, fewest_seeds, spread_of
from evoply.experiments.rank_tests import rank_test


def test_fewest_seeds_are_those_whose_smallest_p_is_certain() -> None:
    for pairs in (1, 3, 6, 45):
        seeds = fewest_seeds(pairs)
        smallest = [2 * 0.5**n * pairs for n in (seeds - 1, seeds)]
        assert smallest[0] >= 0.05 > smallest[1]
        # The tests themselves agree: values that are all apart are certain with these seeds only,
        # with ties within a setup or without.
        for count, certain in ((seeds - 1, False), (seeds, True)):
            for step in (0.0, 1.0):
                values = {
                    str(setup): [10.0 * setup + step * run / count for run in range(count)]
                    for setup in range(round((1 + math.sqrt(1 + 8 * pairs)) / 2))
                }
                assert all(one.is_certain for one in compared(values)) == certain


def test_p_is_that_of_both_tests_times_holms_correction() -> None:
    values = {
        "a": [1.0, 2, 3, 4, 5, 6, 7, 8],
        "b": [4.0, 5, 6, 7, 8, 9, 10, 11],
        "c": [20.0, 21, 22, 23, 24, 25, 26, 27],
    }
    found = {(one.first, one.second): one for one in compared(values)}
    tests = {pair: rank_test(values[pair[0]], values[pair[1]]) for pair in found}
    for name, holm in (
        ("p", "p"),
        ("permutation_p", "permutation_holm"),
        ("brunner_munzel_p", "brunner_munzel_holm"),
    ):
        plain = {pair: getattr(test, name) for pair, test in tests.items()}
        largest = 0.0
        for rank, pair in enumerate(sorted(plain, key=lambda pair: plain[pair])):
            largest = max(largest, min(1.0, plain[pair] * (3 - rank)))
            assert getattr(found[pair], holm) == pytest.approx(largest)
    assert found["a", "b"].plain_p == tests["a", "b"].p
    assert found["a", "b"].effect == pytest.approx(12.5 / 64)
    assert found["a", "b"].shift == pytest.approx(-3)


numbers = st.lists(st.integers(0, 20).map(lambda value: value / 20), min_size=1, max_size=12)


@given(numbers, numbers)
@example(
    [0.0, 0.0, 0.1, 0.15, 0.15, 0.15, 0.2, 0.4],
    [0.0, 0.0, 0.05, 0.4, 0.4, 0.4, 0.4, 0.4, 0.45, 0.5, 0.5],
)
@example([0.0] * 5 + [0.05] * 2, [0.0] * 11 + [0.05])
def test_effect_and_sign_turn_round_with_the_pair(a: list[float], b: list[float]) -> None:
    (one,) = compared({"a": a, "b": b})
    (other,) = compared({"b": b, "a": a})
    assert one.effect == pytest.approx(1 - other.effect)
    assert one.shift == pytest.approx(-other.shift)
    assert one.p == pytest.approx(other.p)
    assert 0 <= one.p <= 1
    if one.interval is not None and other.interval is not None:
        assert one.interval == pytest.approx((-other.interval[1], -other.interval[0]))


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
    assert spread_of([0.4, 0.6]).interval is None  # once from -0.77 to 1.77
    assert spread_of([0.4, 0.5, 0.6]).interval is not None
    (one,) = compared({"a": [0.5] * 6, "b": [0.25] * 6})
    assert one.interval == (0.25, 0.25)


def test_many_setups_are_compared_at_once() -> None:
    draws = np.random.default_rng(2)
    values = {str(name): np.round(draws.normal(size=40), 1).tolist() for name in range(8)}
    begun = time.process_time()
    assert len(compared(values)) == 28
    assert time.process_time() - begun < 5
