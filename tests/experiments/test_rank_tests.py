"""Tests by ranks, shifts and looks: scipy's and printed results, slow oracles, known cases."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evoply.experiments import compared
from evoply.experiments.findings import verdict_on
from evoply.experiments.rank_tests import (
    least_p,
    rank_test,
    same_within,
    shift_interval,
    shift_of,
)
from evoply.experiments.setup_statistics import Look, levels, overall_p

# Values with many ties, and with few.
tied = st.lists(st.integers(0, 4).map(lambda value: value / 4), min_size=2, max_size=6)
fine = st.lists(st.integers(0, 400).map(lambda value: value / 400), min_size=2, max_size=30)


@given(fine, fine)
def test_the_permutation_p_is_scipys_without_ties(a: list[float], b: list[float]) -> None:
    a = [value + place / 1e5 for place, value in enumerate(a)]
    b = [value + (place + 0.5) / 1e5 for place, value in enumerate(b)]
    if len({*a, *b}) == len(a) + len(b):
        expected = stats.mannwhitneyu(a, b, method="exact").pvalue
        assert rank_test(a, b).permutation_p == pytest.approx(expected)


@given(tied, tied)
def test_the_permutation_p_is_scipys_with_ties(a: list[float], b: list[float]) -> None:
    def distance(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
        above = np.sign(x[..., :, None] - y[..., None, :]).sum(axis=(-1, -2))
        return np.abs(above)

    expected = stats.permutation_test(
        (a, b), distance, alternative="greater", vectorized=True, n_resamples=np.inf
    ).pvalue
    if len({*a, *b}) > 1:
        assert rank_test(a, b).permutation_p == pytest.approx(expected)


@given(tied, tied)
def test_brunner_and_munzels_p_is_the_larger_of_scipys_and_of_all_permutations(
    a: list[float], b: list[float]
) -> None:
    """The oracle goes through all ways to deal out the values, and divides A's logit by its s."""
    values, found = [*a, *b], rank_test(a, b)
    if len({*values}) < 2:
        return
    known = [
        slow_logit(
            [values[i] for i in chosen], [v for i, v in enumerate(values) if i not in chosen]
        )
        for chosen in itertools.combinations(range(len(values)), len(a))
    ]
    own = abs(slow_logit(a, b))
    share = sum(abs(one) >= own - 1e-9 for one in known) / len(known)
    with np.errstate(all="ignore"):
        student = float(stats.brunnermunzel(a, b).pvalue) if math.isfinite(own) and own else 0.0
    assert found.brunner_munzel_p == pytest.approx(max(share, student), abs=1e-9)


def slow_logit(a: list[float], b: list[float]) -> float:
    """Return the logit of A in standard errors; infinite for values all apart."""
    first = [sum((y < x) + (y == x) / 2 for y in b) / len(b) for x in a]
    second = [sum((x < y) + (x == y) / 2 for x in a) / len(a) for y in b]
    effect = float(np.mean(first))
    if effect in (0, 1):
        return math.copysign(math.inf, effect - 0.5)
    if abs(effect - 0.5) < 1e-12:
        return 0.0
    error = math.sqrt(np.var(first, ddof=1) / len(a) + np.var(second, ddof=1) / len(b))
    return math.log(effect / (1 - effect)) * effect * (1 - effect) / error


def test_large_samples_are_tested_as_scipy_does() -> None:
    draws = np.random.default_rng(3)
    a, b = np.round(draws.normal(size=80), 1), np.round(draws.normal(0.5, 2, size=90), 1)
    found = rank_test(a.tolist(), b.tolist())
    assert found.permutation_p == pytest.approx(
        stats.mannwhitneyu(a, b, method="asymptotic").pvalue
    )
    assert found.brunner_munzel_p >= stats.brunnermunzel(a, b).pvalue
    assert found.brunner_munzel_p == pytest.approx(stats.brunnermunzel(a, b).pvalue, rel=0.5)


def test_no_p_is_below_what_values_all_apart_reach_by_chance() -> None:
    """One setup that hardly varies, in the middle of one that does: A is 1/2."""
    draws = np.random.default_rng(5)
    for seeds in (4, 6, 8):
        wide = draws.choice([-1.0, 1.0], size=(20_000, seeds))
        apart = (np.abs(wide.sum(axis=1)) == seeds).mean()
        assert apart == pytest.approx(least_p(seeds, seeds), rel=0.2)
        a, b = [1.0] * seeds, [0.0] * seeds
        assert rank_test(a, b).p == least_p(seeds, seeds)


@given(tied | fine, tied | fine)
def test_the_shift_never_contradicts_a(a: list[float], b: list[float]) -> None:
    test, shift = rank_test(a, b), shift_of(a, b)
    assert shift == np.median([x - y for x in a for y in b])
    if test.effect != 0.5:
        assert shift * (test.effect - 0.5) >= 0
    interval = shift_interval(a, b, test)
    if interval is None:
        assert min(len(a), len(b)) < 6
        return
    low, high = interval
    assert low <= shift <= high
    if test.p < 0.05:
        assert (low >= 0) if test.effect > 0.5 else (high <= 0)
    else:
        assert low <= 0 <= high


samples = st.lists(st.integers(-8, 8).map(float), min_size=6, max_size=10)


@given(samples, samples, st.sampled_from([0.0, 0.5, 4.0]))
def test_the_interval_has_the_shifts_that_are_not_rejected(
    a: list[float], b: list[float], apart: float
) -> None:
    """The oracle tests the first sample moved by each shift between two differences."""
    # No two values of one sample are equal, or those ties would count.
    a = [value + apart + place / 64 for place, value in enumerate(a)]
    b = [value + (place + 0.3) / 64 for place, value in enumerate(b)]
    places = sorted({round(x - y, 12) for x in a for y in b})
    ends = [places[0] - 1, *places, places[-1] + 1]
    held = [
        index
        for index, (low, high) in enumerate(itertools.pairwise(ends))
        if rank_test([x - (low + high) / 2 for x in a], b).p >= 0.05
    ]
    low, high = ends[held[0]], ends[held[-1] + 1]
    test, found = rank_test(a, b), shift_interval(a, b)
    if test.p >= 0.05:
        expected = min(low, 0.0), max(high, 0.0)
    else:
        expected = (max(low, 0.0), high) if test.effect > 0.5 else (low, min(high, 0.0))
    assert found == pytest.approx(expected)


def test_a_verdict_takes_direction_and_amount_from_the_same_numbers() -> None:
    """The mean of "new" is lower, because of one run that failed; nearly all runs are better."""
    old = [0.740, 0.745, 0.750, 0.755, 0.760, 0.765, 0.770, 0.775, 0.780, 0.785]
    new = [value + 0.061 for value in old[:-1]] + [0.0]
    assert np.mean(new) < np.mean(old)
    (pair,) = compared({"new": new, "old": old})
    assert pair.is_certain
    assert pair.shift == np.median(np.subtract.outer(new, old))
    assert pair.shift > 0.05
    verdict = verdict_on([pair], [], Look((10, 10), (10,)))
    assert verdict.startswith(f"new is better than old (by {pair.shift:.3f}, ")


def test_a_shift_of_nothing_is_said_so() -> None:
    """Most values are equal, and the others all speak for one side."""
    a = [0.5] * 40 + [0.9] * 12
    b = [0.5] * 40 + [0.1] * 12
    (pair,) = compared({"a": a, "b": b})
    assert (pair.is_certain, pair.shift) == (True, 0.0)
    verdict = verdict_on([pair], [], Look((52, 52), (52,)))
    assert "a is more often better than b than worse" in verdict
    assert "the typical difference is 0" in verdict


def test_a_few_ties_take_no_certainty_away() -> None:
    values = {
        str(setup): [10.0 * setup + place for place in (0, 0, 1, 2, 3, 4, 5, 6)]
        for setup in range(4)
    }
    assert all(pair.is_certain for pair in compared(values))


def test_bounds_of_looks_are_those_in_print() -> None:
    """Of five looks at equal steps, as printed for O'Brien and Fleming's spending function."""
    z = [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]
    found = levels([10, 20, 30, 40, 50])
    assert found == pytest.approx([2 * stats.norm.sf(one) for one in z], rel=2e-3)
    assert levels([12]) == pytest.approx([0.05])


@given(st.floats(1e-12, 1.0), st.integers(1, 3))
def test_overall_p_grows_with_p_and_is_never_smaller(p: float, number: int) -> None:
    plan = (10, 20, 40)
    assert overall_p(plan, number, p) >= p
    assert overall_p(plan, number, p) <= overall_p(plan, number, min(1.0, p * 1.5)) + 1e-12
    assert overall_p(plan, number, levels(plan)[number - 1]) == pytest.approx(0.05, rel=1e-3)


def test_looks_that_were_not_planned_are_exploratory() -> None:
    plan = (10, 20)
    for seeds, is_exploratory in (((10, 10), False), ((20, 20), False), ((15, 15), True)):
        assert Look(seeds, plan).is_exploratory == is_exploratory
    assert Look((10, 20), plan).is_exploratory
    assert Look((), plan).number == 0
    values = {"a": [float(run) for run in range(15)], "b": [100.0 + run for run in range(15)]}
    (pair,) = compared(values, Look((15, 15), plan))
    assert not pair.is_certain
    verdict = verdict_on([pair], [], Look((15, 15), plan))
    assert verdict == (
        "Exploratory (15 seeds a setup, and planned were looks at 10, 20): nothing is certain. "
        "As the only look, 1 of 1 pairs would differ."
    )
    assert compared(values, Look((15, 15), (15,)))[0].is_certain


def test_an_early_look_says_that_it_cannot_tell_yet() -> None:
    values = {"a": [float(run) for run in range(8)], "b": [100.0 + run for run in range(8)]}
    look = Look((8, 8), (8, 40))
    verdict = verdict_on(compared(values, look), [], look)
    assert "look 1 of 2" in verdict
    assert "go on to the next" in verdict


def test_sameness_is_asked_for_and_needs_evidence() -> None:
    draws = np.random.default_rng(1)
    a, b = draws.normal(0.7, 0.02, size=(2, 30)).tolist()
    (pair,) = compared({"a": a, "b": b}, margin=0.02)
    assert pair.is_same
    assert not pair.is_certain
    assert "a and b are the same within 0.02 points per game" in verdict_on(
        [pair], [], Look((30, 30), (30,))
    )
    few = same_within(a[:5], b[:5], 0.02)
    assert not few.is_certain
    far = same_within(a, [value + 0.05 for value in b], 0.02)
    assert far.p > 0.9
    (unasked,) = compared({"a": a, "b": b})
    assert unasked.same is None
