"""The rule of verdicts: what it says, and how often it is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply._native import Stream
from evoply.studies import Figure, difference, judge, mean_of, share_of_games


def exactly(value):
    return Figure(value, (value - 0.5, value + 0.5), 100)


def of_50(value):
    return Figure(value, (value - 0.5, value + 0.5), 100, (0, 50))


@pytest.mark.parametrize(
    ("ours", "paper", "reference", "verdict"),
    [
        # The margin is 2 of 100 on the scale: 1 of 50.
        (of_50(30), of_50(30.2), None, "matches"),  # 0.2 and 0.5 * sqrt(2) are within 1
        (of_50(30), of_50(30.4), 25, "not told apart"),  # they might be 1.1 apart
        (of_50(30), of_50(30.8), 25, "same direction"),  # 0.8 is beyond 0.5 * sqrt(2)
        (of_50(30), of_50(1), 25, "differs"),
        # Without a scale it is 5 % of the printed figure.
        (exactly(30), exactly(30.8), 25, "matches"),  # they differ, and by less than matters
        (exactly(30), exactly(31.4), 25, "same direction"),
        (exactly(3), exactly(3.1), None, "not told apart"),
        (exactly(30), exactly(44), 25, "same direction"),
        (exactly(20), exactly(1), 25, "same direction"),
        (exactly(30), exactly(1), 25, "differs"),
        (exactly(25.3), exactly(44), 25, "differs"),  # our interval does not exclude even
        (exactly(30), exactly(44), None, "differs"),
        (exactly(30), Figure(30.4, None), None, "matches"),
        (exactly(3), Figure(3.4, None), None, "not told apart"),
        (exactly(3), Figure(3.6, None), None, "differs"),
        (exactly(2), (1.4, 2.4), None, "matches"),  # a margin of 0.12 at both ends
        (exactly(2), (1.0, 2.3), None, "not told apart"),
        (exactly(0.6), (1.0, 2.4), None, "not told apart"),  # the intervals meet
        (exactly(3), (1.0, 2.4), None, "differs"),
        (exactly(3), (1.0, 2.4), 0, "same direction"),
        (exactly(3), None, 0, "no figure"),
        # Three runs of 50 against a printed 5.45 to 6.98: an interval that holds nearly anything.
        (Figure(50.33, (6.7, 93.95), 3), (5.45, 6.98), None, "too few runs to say"),
        (Figure(25.0, (11, 39), 4, (0, 50)), exactly(30), 25, "too few runs to say"),
        (Figure(25.0, (13, 37), 4, (0, 50)), exactly(30), 25, "not told apart"),
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


def share(stream, chance, games):
    return share_of_games(sum(stream.random() < chance for _ in range(games)), games, of=50)


def test_equal_strength_is_told_apart_about_5_times_in_100():
    """Ours of 500 games, the paper's of 50, both with the same chance of a win."""
    stream = Stream(1, "verdicts")
    kept = trials = 0
    for chance in (0.3, 0.6, 0.88):
        for _ in range(300):
            verdict = judge(share(stream, chance, 500), share(stream, chance, 50), 25.0)
            # A figure of 50 games is too vague to be shown the same.
            assert verdict != "matches"
            kept += verdict == "not told apart"
            trials += 1
    assert 0.92 <= kept / trials <= 0.985


def test_what_differs_by_the_margin_is_rarely_said_to_match():
    """Of many games on both sides; and equal strength is said to match nearly always."""
    draws = np.random.default_rng(3)
    for apart, least, most in ((0.02, 0.0, 0.05), (0.0, 0.9, 1.0)):
        matched = 0
        for ours, paper in draws.binomial(40_000, [0.6 + apart, 0.6], size=(1000, 2)):
            first, second = (share_of_games(int(n), 40_000, of=50) for n in (ours, paper))
            matched += judge(first, second, 25.0) == "matches"
        assert least <= matched / 1000 <= most


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
