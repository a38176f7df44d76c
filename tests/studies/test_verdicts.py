"""The rule of verdicts: what it says, and how often it is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply._native import Stream
from evoply.studies import Figure, difference, judge, mean_of, share_of_games


def exactly(value):
    return Figure(value, (value - 0.5, value + 0.5), 100)


@pytest.mark.parametrize(
    ("ours", "paper", "reference", "verdict"),
    [
        (exactly(30), exactly(30.4), None, "matches"),
        (exactly(30), exactly(30.8), 25, "same direction"),  # 0.8 is beyond 0.5 * sqrt(2)
        (exactly(30), exactly(30.6), 25, "matches"),
        (exactly(30), exactly(44), 25, "same direction"),
        (exactly(20), exactly(1), 25, "same direction"),
        (exactly(30), exactly(1), 25, "differs"),
        (exactly(25.3), exactly(44), 25, "differs"),  # our interval does not exclude even
        (exactly(30), exactly(44), None, "differs"),
        (exactly(30), Figure(30.4, None), None, "matches"),
        (exactly(30), Figure(30.6, None), None, "differs"),
        (exactly(2), (1.0, 2.4), None, "matches"),
        (exactly(0.6), (1.0, 2.4), None, "matches"),  # the intervals meet
        (exactly(3), (1.0, 2.4), None, "differs"),
        (exactly(3), (1.0, 2.4), 0, "same direction"),
        (exactly(3), None, 0, "no figure"),
        # Three runs of 50 against a printed 5.45 to 6.98: an interval that holds nearly anything.
        (Figure(50.33, (6.7, 93.95), 3), (5.45, 6.98), None, "too few runs to say"),
        (Figure(25.0, (11, 39), 4, (0, 50)), exactly(30), 25, "too few runs to say"),
        (Figure(25.0, (13, 37), 4, (0, 50)), exactly(30), 25, "matches"),
        (Figure(25.0, (13, 37), 4, (0, 50)), exactly(44), 25, "differs"),
        # Student's interval of runs that were all equal has no width.
        (mean_of([30.0] * 3), exactly(30), 25, "too few runs to say"),
        (mean_of([30.0] * 3), (29.0, 31.0), 25, "too few runs to say"),
        (mean_of([30.0] * 3), exactly(44), 25, "same direction"),
        (Figure(3, None), exactly(3), 0, "undecided"),
        (None, exactly(3), 0, "undecided"),
    ],
)
def test_the_rule(ours, paper, reference, verdict):
    assert judge(ours, paper, reference) == verdict


def test_equal_strength_matches_about_95_times_in_100():
    """Ours of 500 games, the paper's of 50, both with the same chance of a win."""
    stream = Stream(1, "verdicts")
    matched = trials = 0
    for share in (0.3, 0.6, 0.88):
        for _ in range(300):
            ours = share_of_games(sum(stream.random() < share for _ in range(500)), 500, of=50)
            paper = share_of_games(sum(stream.random() < share for _ in range(50)), 50, of=50)
            matched += judge(ours, paper, 25.0) == "matches"
            trials += 1
    assert 0.92 <= matched / trials <= 0.985


def test_a_wrong_direction_is_rarely_claimed():
    """Even players beside a paper that claims 40 of 50: "same direction" at most 1 in 20."""
    stream = Stream(2, "verdicts")
    claimed = 0
    for _ in range(400):
        ours = share_of_games(sum(stream.random() < 0.5 for _ in range(500)), 500, of=50)
        claimed += judge(ours, share_of_games(40, 50, of=50), 25.0) != "differs"
    assert claimed / 400 < 0.05


@given(st.integers(0, 200), st.integers(0, 200))
def test_differences_are_antisymmetric(one, other):
    first, second = share_of_games(one, 200), share_of_games(other, 200)
    there, back = difference(first, second), difference(second, first)
    assert there.value == -back.value
    assert there.interval == pytest.approx((-back.interval[1], -back.interval[0]))
    assert there.interval[0] <= there.value <= there.interval[1]


def test_repeated_games_widen_the_interval():
    wide, narrow = share_of_games(30, 50, distinct=20), share_of_games(30, 50)
    assert np.ptp(wide.interval) > np.ptp(narrow.interval)
    assert wide.n == 50
