"""The rule that compares a measured figure with a printed one, computed from intervals.

The rule. Let *ours* be our figure with its 95 % interval, *paper* the printed one, with the 95 %
interval that its own number of games gives where it is a share of games. The interval of the
difference ours - paper is Newcombe's (1998, method 10) from the two; a printed figure without a
number of games is taken as exact. The *margin* is how far apart two figures may be and still count
as the same: 2 points in 100 of the scale, or where there is none 5 % of the printed figure.

* **matches**: the whole 95 % interval of the difference lies within the margin. That is a test of
  its own (Schuirmann 1987: two one-sided ones, each at 2.5 %), and vague figures do not pass it. A
  printed range matches if our whole interval lies in it, a margin added at both ends.
* **not told apart**: they do not match, but the interval of the difference holds 0, or ours meets
  the printed range. They may be the same, or differ by more than the margin.
* **same direction**: neither of these, but our whole interval lies on the same side of the
  reference as the printed figure. The reference is what the paper compares with: half of the games
  for a share of wins, 0 for a gain.
* **too few runs to say**: one of the first two would hold, but our interval says nothing: it holds
  nearly anything, being wider than half of the scale or, where the figure has no scale, than the
  larger of the two figures; or it has no width, because all runs gave the same.
* **differs**: none of these holds.

If a paper describes a behaviour without printing a number, its words are a *claim*: that the number
lies above, below or between bounds.

* **matches**: our whole interval lies there; a bound itself is outside.
* **differs**: our whole interval lies elsewhere.
* **too few runs to say**: neither of these holds, or there are fewer than five runs.

A row without a printed figure has **no figure**, one without an interval of ours is **undecided**.
No verdict is ever written by hand.

Reasons: docs/design/randomness.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from evoply.arena import mean_interval, wilson
from evoply.arena.statistics import difference_interval

Verdict = Literal[
    "matches",
    "not told apart",
    "too few runs to say",
    "same direction",
    "differs",
    "no figure",
    "undecided",
]

SAME_SHARE = 0.02
"""The share of its scale by which a figure may differ from a printed one and be the same."""
SAME_RATIO = 0.05
"""The share of the printed figure that counts where there is no scale."""

FEWEST_RUNS = 5
"""The fewest runs for which a claim is judged."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, measured or printed, and the 95 % interval in which it holds."""

    value: float
    interval: tuple[float, float] | None
    n: int | None = None
    """How many games, runs or others are behind it."""
    scale: tuple[float, float] | None = None
    """The least and the greatest possible value, if known."""
    counted: str = ""
    """What *n* counts: games, runs, moves, ..., in the plural."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A paper's claim that a number, which it does not print, lies between two bounds."""

    text: str
    """The claim in a few words."""
    low: float = -math.inf
    high: float = math.inf


def share_of_games(
    wins: float,
    games: int,
    *,
    of: float = 1.0,
    distinct: int | None = None,
    counted: str = "games",
) -> Figure:
    """Return *wins* of *games* on the scale 0 to *of*, with Wilson's interval.

    *distinct* is the number of different games, if fewer: repeated games are not evidence.
    *counted* says what else is counted, such as runs that did not settle among runs.

    >>> share_of_games(44, 50, of=50).interval
    (38.0..., 47.1...)
    """
    share = wins / games
    low, high = wilson(share, games if distinct is None else min(games, distinct))
    return Figure(of * share, (of * low, of * high), games, (0.0, of), counted)


def mean_of(
    values: Sequence[float],
    *,
    within: tuple[float, float] | None = None,
    counted: str = "runs",
) -> Figure:
    """Return the mean of independent runs with Student's 95 % interval; none for a single run.

    *within* are the least and the greatest possible values, at which the interval ends. *counted*
    says what there is a value of, if not of runs.
    """
    interval = mean_interval(values)
    if interval is None and len(values) > 1:
        # Without a width: the verdict says that it says nothing.
        interval = (fmean(values), fmean(values))
    if interval is not None and within is not None:
        interval = max(interval[0], within[0]), min(interval[1], within[1])
    return Figure(fmean(values), interval, len(values), within, counted)


def difference(first: Figure, second: Figure) -> Figure:
    """Return *first* - *second* with Newcombe's interval, or without if either lacks one."""
    value = first.value - second.value
    interval = difference_interval((first.value, first.interval), (second.value, second.interval))
    counts = [figure.n for figure in (first, second) if figure.n is not None and interval]
    counted = first.counted if first.counted == second.counted else ""
    return Figure(value, interval, sum(counts) or None, counted=counted)


def ratio_of(values: Sequence[float], *, counted: str = "runs") -> Figure:
    """Return the geometric mean of ratios of independent runs, with Student's interval of the logs.

    *counted* says what there is a ratio of, if not of runs.

    Raises `ValueError` for a ratio that is not above 0.

    >>> ratio_of([0.5, 2.0]).value
    1.0
    """
    logs = mean_of([math.log(value) for value in values])
    interval = None
    if logs.interval is not None:
        interval = _power(logs.interval[0]), _power(logs.interval[1])
    return Figure(_power(logs.value), interval, logs.n, counted=counted)


def _power(exponent: float) -> float:
    return math.exp(min(exponent, 700.0))


def judge(
    ours: Figure | None,
    paper: Figure | Claim | tuple[float, float] | None,
    reference: float | None = None,
) -> Verdict:
    """Return the verdict on *ours* beside *paper*, by the rule in the module's docstring.

    >>> judge(share_of_games(310, 500, of=50), share_of_games(44, 50, of=50), reference=25)
    'same direction'
    """
    if paper is None:
        return "no figure"
    if ours is None or ours.interval is None:
        return "undecided"
    low, high = ours.interval
    if isinstance(paper, Claim):
        return _judge_claim(low, high, ours.n, paper)
    margin = margin_of(ours, paper) or 0.0
    if isinstance(paper, tuple):
        is_same = paper[0] - margin <= low and high <= paper[1] + margin
        is_near = low <= paper[1] and high >= paper[0]
        middle = (paper[0] + paper[1]) / 2
    else:
        exact = paper if paper.interval is not None else Figure(paper.value, (paper.value,) * 2)
        apart = difference(ours, exact).interval or (-math.inf, math.inf)
        is_same = -margin <= apart[0] and apart[1] <= margin
        is_near = apart[0] <= 0 <= apart[1]
        middle = paper.value
    if (is_same or is_near) and _says_nothing(ours, middle):
        return "too few runs to say"
    if is_same or is_near:
        return "matches" if is_same else "not told apart"
    if reference is not None and (
        (middle > reference and low > reference) or (middle < reference and high < reference)
    ):
        return "same direction"
    return "differs"


def margin_of(
    ours: Figure | None, paper: Figure | Claim | tuple[float, float] | None
) -> float | None:
    """Return how far *ours* may be from *paper* and be the same; None without a printed figure.

    >>> margin_of(share_of_games(310, 500, of=50), Figure(44, None))
    1.0
    """
    if ours is None or paper is None or isinstance(paper, Claim):
        return None
    if ours.scale is not None:
        return SAME_SHARE * (ours.scale[1] - ours.scale[0])
    return SAME_RATIO * (max(map(abs, paper)) if isinstance(paper, tuple) else abs(paper.value))


def _judge_claim(low: float, high: float, n: int | None, claim: Claim) -> Verdict:
    if n is not None and n < FEWEST_RUNS:
        return "too few runs to say"
    if claim.low < low and high < claim.high:
        return "matches"
    return "differs" if high <= claim.low or low >= claim.high else "too few runs to say"


def _says_nothing(ours: Figure, printed: float) -> bool:
    """Return whether our interval is too wide, or too narrow, for a match with *printed*."""
    if ours.interval is None:
        return True
    width = ours.interval[1] - ours.interval[0]
    if width == 0:
        return True
    if ours.scale is not None:
        return width > (ours.scale[1] - ours.scale[0]) / 2
    return width > max(abs(ours.value), abs(printed))
