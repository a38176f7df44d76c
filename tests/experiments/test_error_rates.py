"""Simulated experiments: errors are as rare as they are called, and power is told beside.

Spreads that differ, ties, values all apart and looks on the way are what breaks such tests. A rate
may be above its name by the error of the simulation alone; `make test-long` has ten times as many.
"""

import math
import os
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from evoply.experiments import compared, seeds_for
from evoply.experiments.rank_tests import (
    least_p,
    p_values,
    rank_test,
    same_within,
    shift_interval,
)
from evoply.experiments.setup_statistics import Look, corrected, grid_effects

LONG = "EVOPLY_LONG" in os.environ
COLUMNS = 40_000 if LONG else 4_000
ROUNDS = 2_000 if LONG else 200

Floats = NDArray[np.float64]


def margin(share: float, rounds: int) -> float:
    """Return four deviations of a share that is found in so many rounds."""
    return 4 * math.sqrt(share * (1 - share) / rounds)


def p_of(a: Floats, b: Floats) -> Floats:
    """Return the p of `rank_test` for each column of values without ties."""
    both = np.concatenate([a, b])
    counts = (both.argsort(axis=0) < len(a)).astype(np.int64)
    found = np.maximum(*p_values(counts, (1,) * len(both)))
    return np.maximum(found, least_p(len(a), len(b)))


def test_many_columns_are_tested_as_one_by_one() -> None:
    draws = np.random.default_rng(4)
    a, b = draws.normal(size=(2, 9, 20))
    assert p_of(a, b) == pytest.approx(
        [rank_test(a[:, at].tolist(), b[:, at].tolist()).p for at in range(20)]
    )


@pytest.mark.parametrize("seeds", [4, 5, 6, 7, 8, 10, 15, 25, 40])
@pytest.mark.parametrize("spread", [1.0, 3.0, 5.0, 100.0])
def test_one_in_twenty_at_most_is_wrong_whatever_the_spreads(seeds: int, spread: float) -> None:
    draws = np.random.default_rng(11)
    a = draws.normal(size=(seeds, COLUMNS))
    b = draws.normal(0, spread, size=(seeds, COLUMNS))
    assert (p_of(a, b) < 0.05).mean() <= 0.05 + margin(0.05, COLUMNS)


@pytest.mark.parametrize(("first", "second"), [(6, 20), (20, 6), (10, 40), (40, 10)])
def test_unequal_numbers_of_seeds_do_no_harm(first: int, second: int) -> None:
    draws = np.random.default_rng(12)
    for spread in (1.0, 3.0):
        a = draws.normal(size=(first, COLUMNS))
        b = draws.normal(0, spread, size=(second, COLUMNS))
        assert (p_of(a, b) < 0.05).mean() <= 0.05 + margin(0.05, COLUMNS)


TIED: dict[str, Callable[[np.random.Generator, int], tuple[Floats, Floats]]] = {
    "scores of 20 games": lambda draws, n: (
        draws.binomial(20, 0.6, size=n) / 20,
        draws.binomial(20, 0.6, size=n) / 20,
    ),
    "rounded, unlike spreads": lambda draws, n: (
        np.round(draws.normal(size=n)),
        np.round(draws.normal(0, 4, size=n)),
    ),
    "two values": lambda draws, n: (
        draws.integers(0, 2, size=n) / 2,
        draws.integers(0, 2, size=n) / 2,
    ),
    "nearly always one": lambda draws, n: (
        np.where(draws.random(n) < 0.8, 0.5, draws.normal(0.5, 1, size=n).round(1)),
        np.where(draws.random(n) < 0.8, 0.5, draws.normal(0.5, 3, size=n).round(1)),
    ),
}


@pytest.mark.parametrize("kind", TIED)
@pytest.mark.parametrize("seeds", [4, 8, 12, *([6, 25, 40] if LONG else [])])
def test_one_in_twenty_at_most_is_wrong_with_ties(kind: str, seeds: int) -> None:
    draws = np.random.default_rng(13)
    tests = [rank_test(*(one.tolist() for one in TIED[kind](draws, seeds))) for _ in range(ROUNDS)]
    assert np.mean([one.p < 0.05 for one in tests]) <= 0.05 + margin(0.05, ROUNDS)


@pytest.mark.parametrize("spread", [1.0, 5.0])
def test_three_planned_looks_are_wrong_no_more_often_than_one(spread: float) -> None:
    draws = np.random.default_rng(14)
    plan = (10, 20, 40)
    a, b = draws.normal(size=(40, COLUMNS)), draws.normal(0, spread, size=(40, COLUMNS))
    found = np.zeros(COLUMNS, bool)
    unplanned = np.zeros(COLUMNS, bool)
    for seeds in plan:
        look = Look((seeds, seeds), plan)
        p = p_of(a[:seeds], b[:seeds])
        unplanned |= p < 0.05
        for column in np.flatnonzero(p < 0.05):
            found[column] |= look.overall_p(float(p[column])) < 0.05
    assert found.mean() <= 0.05 + margin(0.05, COLUMNS)
    # What the plan is for: looking three times without one.
    assert unplanned.mean() > 0.08


def test_looks_cost_little_power() -> None:
    """A of 0.7 is found nearly as often at the last of three looks as at the only one."""
    draws = np.random.default_rng(15)
    shift = math.sqrt(2) * float(stats.norm.ppf(0.7))
    a, b = draws.normal(shift, 1, size=(40, COLUMNS)), draws.normal(size=(40, COLUMNS))
    p = p_of(a, b)
    only = (p < 0.05).mean()
    last = np.mean([Look((40, 40), (10, 20, 40)).overall_p(float(one)) < 0.05 for one in p])
    assert 0.80 < only < 0.95
    assert only - 0.02 < last <= only


@pytest.mark.parametrize("effect", [0.7, 0.8, 0.9])
@pytest.mark.parametrize("pairs", [1, 6])
def test_a_planted_difference_is_found_at_the_stated_power(effect: float, pairs: int) -> None:
    """Of normal values that are so far apart that one of the first wins with this probability."""
    draws = np.random.default_rng(16)
    seeds = seeds_for(effect, pairs)
    assert seeds is not None
    shift = math.sqrt(2) * float(stats.norm.ppf(effect))
    a, b = draws.normal(shift, 1, size=(seeds, COLUMNS)), draws.normal(size=(seeds, COLUMNS))
    power = (p_of(a, b) * pairs < 0.05).mean()
    # Noether's formula is near, and on the safe side where effects are large.
    assert 0.8 - 0.07 - margin(0.8, COLUMNS) < power < 0.8 + 0.13 + margin(0.8, COLUMNS)


@pytest.mark.parametrize(("setups", "seeds"), [(3, 8), (5, 12)])
@pytest.mark.parametrize("spread", [1.0, 4.0])
def test_one_family_in_twenty_at_most_has_a_wrong_pair(
    setups: int, seeds: int, spread: float
) -> None:
    draws = np.random.default_rng(17)
    wrong = 0
    for _ in range(ROUNDS):
        values = draws.normal(size=(setups, seeds)) * np.linspace(1, spread, setups)[:, None]
        p = [
            rank_test(values[first].tolist(), values[second].tolist()).p
            for first in range(setups)
            for second in range(first)
        ]
        wrong += min(corrected(p)) < 0.05
    assert wrong / ROUNDS <= 0.05 + margin(0.05, ROUNDS)


@pytest.mark.parametrize("seeds", [6, 9, *([14, 25, 40] if LONG else [])])
@pytest.mark.parametrize("spread", [1.0, 4.0])
@pytest.mark.parametrize("digits", [1, 6])
def test_intervals_cover_the_shift_as_often_as_they_say(
    seeds: int, spread: float, digits: int
) -> None:
    """Of values that are symmetric around their centres, with many ties and without."""
    draws = np.random.default_rng(18)
    covered = 0
    for _ in range(ROUNDS):
        a = np.round(draws.normal(size=seeds), digits) + 0.5
        b = np.round(draws.normal(0, spread, size=seeds), digits)
        interval = shift_interval(a.tolist(), b.tolist())
        assert interval is not None
        covered += interval[0] - 1e-9 <= 0.5 <= interval[1] + 1e-9
    assert covered / ROUNDS >= 0.95 - margin(0.95, ROUNDS)


@pytest.mark.parametrize("seeds", [6, 12, *([30] if LONG else [])])
@pytest.mark.parametrize("spread", [1.0, 3.0])
def test_setups_that_differ_by_the_margin_are_rarely_called_the_same(
    seeds: int, spread: float
) -> None:
    draws = np.random.default_rng(19)
    wrong = right = 0
    apart = 2.5 * spread
    for _ in range(ROUNDS):
        a, b = draws.normal(0, 1, size=seeds), draws.normal(0, spread, size=seeds)
        wrong += same_within((a + apart).tolist(), b.tolist(), apart).is_certain
        right += same_within(a.tolist(), b.tolist(), apart).is_certain
    assert wrong / ROUNDS <= 0.05 + margin(0.05, ROUNDS)
    # The power beside it: setups that are the same are called so more often.
    assert right / ROUNDS > 0.5


@pytest.mark.parametrize("seeds", [6, 12, 30])
@pytest.mark.parametrize("spread", [1.0, 3.0])
@pytest.mark.parametrize("digits", [0, 6])
def test_keys_that_do_nothing_rarely_matter(seeds: int, spread: float, digits: int) -> None:
    draws = np.random.default_rng(20)
    levels = {"size": ["2", "4"], "primitives": ["a", "b", "c"]}
    wrong = found = 0
    for _ in range(ROUNDS):
        values = draws.normal(size=(6, seeds)) * np.linspace(1, spread, 6)[:, None]
        values = np.round(values, digits)
        wrong += any(one.is_certain for one in grid_effects(levels, values.tolist()))
        values[3:] += 1.5 * spread
        effects = {one.name: one for one in grid_effects(levels, values.tolist())}
        found += effects["size"].is_certain
        assert set(effects) == {"size", "primitives", "size × primitives"}
    assert wrong / ROUNDS <= 0.05 + margin(0.05, ROUNDS)
    assert found / ROUNDS > 0.75


def test_two_values_of_one_key_are_tested_as_welch_does() -> None:
    draws = np.random.default_rng(21)
    a, b = draws.normal(size=8).tolist(), draws.normal(1, 3, size=11).tolist()
    (effect,) = grid_effects({"size": ["2", "4"]}, [a, b])
    assert effect.plain_p == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
    assert effect.means == pytest.approx({"2": np.mean(a), "4": np.mean(b)})
    assert grid_effects({"size": ["2", "4"]}, [a[:5], b]) == []


def test_an_interaction_is_what_keys_do_together_beyond_each_alone() -> None:
    draws = np.random.default_rng(22)
    centres = [0.0, 2.0, 2.0, 0.0]
    values = [draws.normal(centre, 0.5, size=10).tolist() for centre in centres]
    effects = grid_effects({"size": ["2", "4"], "primitives": ["a", "b"]}, values)
    assert {one.name: one.is_certain for one in effects} == {
        "size": False,
        "primitives": False,
        "size × primitives": True,
    }


def test_a_difference_among_many_setups_is_told_and_no_other() -> None:
    draws = np.random.default_rng(9)
    values = {str(name): draws.normal(size=20).tolist() for name in range(4)}
    values["0"] = [value + 3 for value in values["0"]]
    certain = {(one.first, one.second) for one in compared(values) if one.is_certain}
    assert certain == {("0", "1"), ("0", "2"), ("0", "3")}
