"""Results counted: scores, intervals and Elo; forfeits, time used, games that repeat themselves.

Games come in pairs that share an opening, and the two games of a pair are not independent, so
intervals are computed from pairs. This module knows numbers, not players.

Reasons: docs/design/randomness.md.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist, fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply.arena.schedule import Results, Schedule
from evoply.protocols import Color, TimeControl
from evoply.protocols.sections import Column, JsonData, Section, Shown, counted
from evoply.wording import short_name

FEWEST_PAIRS = 10
"""Below so many distinct pairs their spread says nothing."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_ADDED_SPREAD = 1 / 8
"""That of half a pair between equal players, whose games go alike."""
_NO_HIT = 1e-9
_MANY = 20
_HALVINGS = 40


def difference_interval(
    first: tuple[float, Sequence[float] | None], second: tuple[float, Sequence[float] | None]
) -> tuple[float, float] | None:
    """Return Newcombe's interval of *first* - *second*, each a value with its interval.

    None if either has no interval.

    >>> low, high = difference_interval((0.6, (0.5, 0.7)), (0.5, (0.4, 0.6)))
    >>> round(low, 3), round(high, 3)
    (-0.041, 0.241)
    """
    (value, interval), (other, of_other) = first, second
    if interval is None or of_other is None:
        return None
    below = math.hypot(value - interval[0], of_other[1] - other)
    above = math.hypot(interval[1] - value, other - of_other[0])
    return value - other - below, value - other + above


@dataclass(frozen=True, slots=True)
class PairStatistics:
    """A score in [0, 1] and its interval."""

    score: float
    interval: tuple[float, float] | None
    """None if there are too few distinct pairs of games to say anything; all won or all lost two
    say something."""
    distinct_pairs: int


def pair_statistics(
    points: NDArray[np.float64], hashes: NDArray[np.uint64], confidence: float = 0.95
) -> PairStatistics:
    """Return the mean of *points* with an interval from opening pairs.

    *points* (one entry a game: 1, 0.5, 0) and *hashes* hold pairs in consecutive entries. A pair
    that repeats an earlier one does not count as distinct. The interval is `score_interval`, with
    the number of independent games that are as good as these pairs (`design_effect`). Few pairs
    have none, unless all are won or lost: then each is as good as one game at least.

    >>> pair_statistics(np.array([1.0, 1.0, 1.0, 0.0] * 10), np.arange(40, dtype=np.uint64))
    PairStatistics(score=0.75, interval=(0.62..., 0.84...), distinct_pairs=20)
    """
    score = float(points.mean())
    pairs = points.reshape(-1, 2).mean(axis=1)
    distinct = distinct_rows(hashes.reshape(-1, 2))
    if distinct < FEWEST_PAIRS:
        is_known = score in (0, 1) and distinct > 1
        few = score_interval(score, distinct, confidence) if is_known else None
        return PairStatistics(score, few, distinct)
    effect = design_effect(*spread_of_pairs(distinct, score, float(pairs.var(ddof=1))))
    return PairStatistics(score, score_interval(score, distinct / effect, confidence), distinct)


def ways_to_end(points: NDArray[np.float64]) -> dict[str, Any]:
    """Return how many games were won, drawn and lost by who got *points* (1, 0.5 or 0 a game).

    >>> ways_to_end(np.array([1.0, 0.5, 1.0]))
    {'wins': 2, 'draws': 1, 'losses': 0}
    """
    each = {"wins": 1.0, "draws": 0.5, "losses": 0.0}
    return {name: int((points == worth).sum()) for name, worth in each.items()}


def spread_of_pairs(count: Any, mean: Any, variance: Any) -> tuple[Any, Any]:
    """Return how far *count* pairs spread, and how far they would if both games went alike.

    *mean* and *variance* are those of the pairs' points a game. Numbers or arrays of them.
    """
    return count * variance, count * mean * (1 - mean) + variance


def design_effect(spread: Any, greatest: Any) -> Any:
    """Return the variance of a pair's mean as a share of that of a single game (Kish 1965).

    It is 1 if the two games of each pair go alike, 1/2 if they are independent, and less if one
    makes up for the other. The arguments are sums of `spread_of_pairs`. Pairs that happen to score
    alike do not show that all will: half a pair is added that would go alike, which counts most
    where little was seen. Without any spread a pair counts as one game.

    >>> design_effect(0.0, 0.0), round(design_effect(5.0, 10.0), 2)
    (1.0, 0.51)
    """
    return (_ADDED_SPREAD + spread) / (_ADDED_SPREAD + greatest)


def score_interval(score: float, count: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of a score in [0, 1] of *count* independent games, maybe a fraction.

    It is Wilson's, and near 0 and 1, where Wilson's holds the truth too rarely, at least the exact
    one of Clopper & Pearson (1934) at twice the doubt, as Brown, Cai & DasGupta (2001) advise with
    Poisson's distribution in place of the exact one. A side that lost no point has 1 as its end.

    >>> score_interval(1.0, 10)
    (0.72..., 1.0)
    """
    low, high = wilson(score, count, confidence)
    doubt = 1 - confidence
    return (
        min(low, _exact_end(score * count, count, doubt)),
        max(high, 1 - _exact_end((1 - score) * count, count, doubt)),
    )


def _exact_end(hits: float, count: float, level: float) -> float:
    """Return the share at which *hits* of *count* or more have the probability *level*.

    1 where *hits* are so many that Wilson's interval is wider anyway.
    """
    if hits <= _NO_HIT:
        return 0.0
    if hits >= _MANY:
        return 1.0
    low, high = 0.0, min(hits / count, 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(middle, hits, count) < level else (low, middle)
    return low


def _tail(share: float, hits: float, count: float) -> float:
    """Return the probability of *hits* or more of *count*, by the incomplete beta function.

    By its series: `scipy.special` takes longer to import than a short match takes.
    """
    misses = count - hits + 1
    scale = math.lgamma(count + 1) - math.lgamma(hits + 1) - math.lgamma(misses)
    term = math.exp(scale + hits * math.log(share) + misses * math.log1p(-share))
    total, step = 0.0, 0
    while term > 1e-9 * total:
        total += term
        step += 1
        term *= share * (count + step) / (hits + step)
    return total


def distinct_rows(rows: NDArray[np.uint64]) -> int:
    """Return the number of different rows.

    `numpy.unique` would import masked arrays, which takes longer than a short match.

    >>> distinct_rows(np.array([[1, 2], [3, 4], [1, 2]], dtype=np.uint64))
    2
    """
    # Equal rows have equal marks, and few others do: to sort numbers is ten times as fast as rows.
    marks = rows[:, 0]
    for column in rows.T[1:]:
        marks = marks * _ODD + column
    ordered = np.sort(marks)
    is_again = ordered[1:] == ordered[:-1]
    if rows.shape[1] == 1 or not is_again.any():
        return len(rows) - int(is_again.sum())
    may_be_equal = rows[np.isin(marks, ordered[1:][is_again])]
    alike = may_be_equal[np.lexsort(may_be_equal.T)]
    return len(rows) - int((alike[1:] == alike[:-1]).all(axis=1).sum())


def wilson(share: float, count: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval (Wilson 1927) of a share of *count* trials."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float] | None:
    """Return Student's interval of the mean of independent runs; None for fewer than two.

    None, too, if all values are equal: they do not show how far others would be from them. The
    values should be roughly normal. Source: Student 1908.

    >>> mean_interval([1.0, 2.0, 3.0])
    (-0.48..., 4.48...)
    """
    count = len(values)
    if count < 2 or min(values) == max(values):
        return None
    half = _student(count - 1, confidence) * stdev(values) / math.sqrt(count)
    mean = fmean(values)
    return mean - half, mean + half


@lru_cache
def _student(freedom: int, confidence: float) -> float:
    """Return the t that a Student variable stays within, either side of 0, with *confidence*.

    For whole degrees of freedom that share is a finite sum in the angle arctan(t / sqrt(freedom)).
    Source: Abramowitz and Stegun 1964, 26.7.3 and 26.7.4.
    """
    is_odd = freedom % 2
    powers = np.arange(2 + is_odd, freedom, 2)
    factors = np.cumprod((powers - 1) / powers)

    def share(angle: float) -> float:
        within = 1 + float(factors @ math.cos(angle) ** (powers - is_odd))
        if not is_odd:
            return math.sin(angle) * within
        several = math.sin(angle) * math.cos(angle) * within if freedom > 1 else 0.0
        return 2 / math.pi * (angle + several)

    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if share(middle) < confidence else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def elo_difference(score: float) -> float:
    """Return the rating difference at which *score* is expected; infinite at 0 and 1.

    >>> round(elo_difference(0.64))
    100
    """
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


# Forfeits, time used and circumstances, which results report beside the score.


@dataclass(frozen=True, slots=True)
class LostGames(JsonData):
    """Games that one player forfeited against another for one reason."""

    player: str
    opponent: str
    reason: str
    games: int
    by_time: bool = False

    def __str__(self) -> str:
        many = "a game" if self.games == 1 else f"{self.games:,} games"
        return (
            f"{short_name(self.player)} forfeited {many} against "
            f"{short_name(self.opponent)}: {self.reason}"
        )


_FORFEITS = (
    Column("player", "player", str, look="code"),
    Column("opponent", "opponent", str, look="code"),
    Column("reason", "why", str),
    Column("games", "games", counted),
)


@dataclass(frozen=True, slots=True)
class TimeUsed(JsonData):
    """The seconds that a player's moves of a game took."""

    mean: float
    most: float

    def __str__(self) -> str:
        return f"{self.mean:.3g} s a game, at most {self.most:.3g} s"


def listed_in_words(facts: Mapping[str, Any]) -> str:
    """Return what `OpeningList.facts` says in words."""
    how = "in their order" if facts["order"] == "in-order" else "drawn by the seed"
    checksum = facts["sha256"][:12]
    return f"openings from a list of {facts['positions']:,} ({how}; SHA-256 {checksum})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances(JsonData, Shown):
    """How games were played: what the results of matches and tournaments share."""

    game: str
    opening_plies: int = field(metadata={"json": "openings"})
    seed: int
    clock: str | None = None
    """Seconds that each side had for a game, and what each move added, such as 150+2."""
    reproducible: bool = True
    """False if a player is limited in time, or forfeited by time: the same games may end
    differently next time."""
    forfeits: tuple[LostGames, ...] = ()
    """Games that were forfeited: by whom, against whom and why."""
    opening_list: Mapping[str, Any] | None = field(default=None, metadata={"if_any": True})
    """Of a list of openings: its number of `positions`, its `order`, and its file's `sha256`."""

    @property
    def openings(self) -> str:
        """The openings in words."""
        if self.opening_list is not None:
            return listed_in_words(self.opening_list)
        plies = self.opening_plies
        return f"openings of {plies} random pl{'ies' if plies > 1 else 'y'}" if plies else ""

    @property
    def usual_facts(self) -> dict[str, str]:
        """How the games were played, as facts of a page."""
        plies = {"opening plies": str(self.opening_plies or "none")}
        return {
            **(plies if self.opening_list is None else {"openings": self.openings}),
            "seconds a side (clock)": self.clock or "",
            "seed": str(self.seed),
            "reproducible": "" if self.reproducible else "no",
        }

    def forfeited(self) -> Section:
        """Return the forfeited games."""
        note = "A player that fails in a game loses that game, and the tournament goes on."
        return Section("Forfeited games", _FORFEITS, self.forfeits, note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Competition(Circumstances):
    """What results of tournaments share besides: a title, how much was planned, who is missing."""

    title: str | None = field(default=None, metadata={"if_any": True})
    """What somebody called it."""
    planned: int = 0
    """How many games, or runs, there are when all are played."""
    left_out: Mapping[str, str] | None = field(default=None, metadata={"if_any": True})
    """Players that could not take part, by name, and why."""

    def state(self, done: int, unit: str) -> str:
        """Return how far it came, if it is not over; else ""."""
        of = f"{done:,} of {self.planned:,} {unit}"
        return f"stopped after {of}" if done < self.planned else ""

    def with_fates(
        self, columns: Sequence[Column], rows: Sequence[Any]
    ) -> tuple[tuple[Column, ...], list[Any]]:
        """Return a table of players with who was left out, and why somebody lost games unplayed."""
        reasons: dict[str, Counter[str]] = {}
        for lost in self.forfeits:
            reasons.setdefault(lost.player, Counter())[lost.reason] += lost.games
        fates = {name: _fate(each) for name, each in reasons.items()}
        left_out = [
            {"player": name, _FATE: f"left out: {reason}"}
            for name, reason in (self.left_out or {}).items()
        ]
        if not fates and not left_out:
            return tuple(columns), [*rows]

        def fate(row: Any) -> str | None:
            return row[_FATE] if isinstance(row, Mapping) else fates.get(row.player)

        column = Column(_FATE, "forfeits", str, read=fate, missing="", longest=_LONGEST_FATE)
        return (*columns, column), [*rows, *left_out]


_FATE = "forfeits"
_LONGEST_FATE = 120


def _fate(reasons: Counter[str]) -> str:
    """Return how many games were forfeited, and the reason of most of them."""
    (reason, _), *others = reasons.most_common()
    also = f" (and {len(others)} other reason{'s' * (len(others) > 1)})" if others else ""
    return f"{reasons.total():,}: {reason}{also}"


class Tally:
    """The forfeits of a field and the time it used, counted while its schedules are played."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._counts: dict[tuple[int, int, str, bool], int] = {}
        self._times: dict[int, tuple[float, float, int]] = {}
        """Seconds in all, the most in a game, and the number of games, by player."""

    def add(self, schedule: Schedule, results: Results) -> None:
        """Count the forfeits and times of *results*."""
        seconds = np.zeros((0, 2)) if results.seconds is None else results.seconds
        sides = np.column_stack([schedule.black, schedule.white])[: len(seconds)]
        for player, took in zip(sides.ravel().tolist(), seconds.ravel().tolist(), strict=True):
            total, most, games = self._times.get(player, (0.0, 0.0, 0))
            self._times[player] = total + took, max(most, took), games + 1
        for forfeit in results.forfeits:
            black, white = int(schedule.black[forfeit.game]), int(schedule.white[forfeit.game])
            player, opponent = (black, white) if forfeit.color is Color.BLACK else (white, black)
            key = player, opponent, forfeit.reason, forfeit.by_time
            self._counts[key] = self._counts.get(key, 0) + 1

    @property
    def lost(self) -> tuple[LostGames, ...]:
        """The forfeited games: by whom, against whom and why, in the order of the players."""
        return tuple(
            LostGames(self.names[player], self.names[opponent], reason, games, by_time)
            for (player, opponent, reason, by_time), games in sorted(self._counts.items())
        )

    def games_of(self, player: int) -> int:
        """Return how many games the player with that index forfeited."""
        return sum(games for (loser, *_), games in self._counts.items() if loser == player)

    def time_of(self, player: int) -> TimeUsed:
        """Return the time that the games of a player took; 0 without a clock."""
        total, most, games = self._times.get(player, (0.0, 0.0, 0))
        return TimeUsed(total / max(games, 1), most)

    def times(self, clock: TimeControl | None) -> list[TimeUsed | None]:
        """Return the time that the games of each player took; None for all without a *clock*."""
        return [None if clock is None else self.time_of(index) for index in range(len(self.names))]

    @property
    def are_reproducible(self) -> bool:
        """Whether no forfeit was decided by a clock."""
        return not any(by_time for *_, by_time in self._counts)
