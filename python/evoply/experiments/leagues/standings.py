"""Standings of a league under one condition: ratings, all against all, Nash averages.

The players of a seed meet each other and the lines of reference, so every seed has ratings of its
own. Their zero is the mean of the lines, which are the same players in every seed. A method's
rating is the mean over seeds, and its interval Student's: it holds the chance in making players as
well as that in games, and is never narrower than the games alone allow. To draw five seeds again
and again instead would hold the truth in less than 17 of 20 leagues. Nothing depends on the order
in which entrants or games are given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evoply.arena.ratings import (
    PairsPlayed,
    Ratings,
    log_odds,
    nash_averages,
    nash_intervals,
)
from evoply.arena.statistics import FEWEST_PAIRS, mean_interval
from evoply.experiments.design import Condition, Entrant
from evoply.experiments.leagues.encounters import (
    FEWEST_SEEDS,
    Encounter,
    Interval,
    LeagueResults,
    encounters_of,
    opening_pairs,
    pairings_in_order,
)
from evoply.experiments.running import LeaguePairing
from evoply.experiments.setup_statistics import TWO_SEEDS
from evoply.protocols.sections import JsonData

_ELO = 400 / math.log(10)
_SEEDS_DRAWN = 5
"""From so many seeds on a Nash average's interval holds the chance in making players, too."""


@dataclass(frozen=True, slots=True)
class LeagueStanding(JsonData):
    """The place of a method or a line of reference."""

    also: ClassVar = ("score",)
    entrant: str
    title: str
    is_ranked: bool
    """False for a line of reference."""
    rank: int | None
    """1 and the number of methods that are surely rated above it, by the 95 % interval of the
    difference; None for a line of reference, and without a rating. Source: the lower end of a
    rank's confidence set in Mogstad, Romano, Shaikh & Wilhelm 2024, here for each two alone."""
    rating: float | None
    """On Elo's scale, its zero as `LeagueStandings.zero` says; None if too little was played."""
    interval: Interval | None
    """95 % interval of the rating; None where nothing can be said. An end is infinite if all games
    of a seed were won, or lost."""
    by_seed: Mapping[int, float]
    """The rating of each seed."""
    points: float
    games: int
    """All of its games, those that repeat others too."""
    lead: float | None = None
    """How far a method is rated above the next one, over the seeds that both have."""
    lead_interval: Interval | None = None
    """95 % interval of the lead, from the differences of each seed."""
    nash_share: float | None = None
    """Its share of the mixture of methods that no method beats; None without one."""
    nash_average: float | None = None
    """How far it is from holding its own against that mixture, on Elo's scale: at most 0."""
    nash_interval: Interval | None = None
    """95 % interval of it; the lower end is infinite if all games with the mixture were lost."""
    terms: float | None = None
    """Terms of its players' formulas, the median over seeds; None where no formula is read."""

    @property
    def score(self) -> float | None:
        """Points a game in [0, 1]; None without games."""
        return self.points / self.games if self.games else None

    @property
    def rating_is(self) -> str:
        """What a rating is of who lost, or won, all games: "at most" or "at least"; else ""."""
        known: dict[float | None, str] = {0.0: "at most", 1.0: "at least"}
        return known.get(self.score, "")

    @property
    def nash_is(self) -> str:
        """What a Nash average is of who lost all games with the mixture: "at most"; else ""."""
        return "at most" if self.nash_interval and self.nash_interval[0] == -math.inf else ""


@dataclass(frozen=True, slots=True)
class LeagueStandings(JsonData):
    """Who is how strong under a condition."""

    condition: Condition
    words: str
    """The condition in words."""
    standings: tuple[LeagueStanding, ...]
    """The best first, lines of reference among the methods; then those without a rating."""
    encounters: tuple[Encounter, ...]
    """Each two entrants that met, in both directions."""
    seeds: tuple[int, ...]
    """The seeds that have ratings."""
    zero: str
    """What is rated 0, in words."""
    notes: tuple[str, ...] = ()
    """What is missing or must be known to read the numbers, in sentences."""

    def of(self, first: str, second: str) -> Encounter | None:
        """Return the games of *first* against *second*; None if they have not met."""
        return next(
            (met for met in self.encounters if (met.first, met.second) == (first, second)), None
        )

    @property
    def why_no_interval(self) -> str:
        """Why a rating or a score has no interval, for the place where it would stand."""
        return "two seeds: too few" if len(self.seeds) == 2 else "too few games"

    @property
    def methods(self) -> tuple[LeagueStanding, ...]:
        """The ranked methods, the best first."""
        return tuple(row for row in self.standings if row.rank is not None)


class _Measured(NamedTuple):
    """A rating of one seed, or a difference of two, with its interval from these games alone."""

    value: float
    bounds: Interval | None
    """95 % interval; None for a player that is the zero itself: it is not measured."""
    is_enough: bool
    """Whether these games alone can say how sure it is."""


class _SeedRatings(NamedTuple):
    """The ratings of one seed, with the mean of *anchors* as zero."""

    names: Sequence[str]
    ratings: Ratings
    anchors: Sequence[int]

    def of(self, name: str) -> _Measured:
        """Return the rating of a player."""
        place = self.names.index(name)
        contrast = np.zeros(len(self.names))
        contrast[list(self.anchors)] -= 1 / len(self.anchors)
        contrast[place] += 1
        return self._compared(contrast, [place])

    def difference(self, first: str, second: str) -> _Measured:
        """Return how far *first* is rated above *second*."""
        places = [self.names.index(first), self.names.index(second)]
        contrast = np.zeros(len(self.names))
        contrast[places] = [1, -1]
        return self._compared(contrast, places)

    def _compared(self, contrast: NDArray[np.float64], places: Sequence[int]) -> _Measured:
        pairs = min(int(self.ratings.distinct_pairs[place]) for place in places)
        found = [self.ratings.bounds(contrast, place) for place in places]
        known = [each for each in found if each is not None]
        # Of two players either may have won, or lost, everything: the wider interval holds.
        bounds = (min(low for low, _ in known), max(high for _, high in known)) if known else None
        return _Measured(float(contrast @ self.ratings.elo), bounds, pairs >= FEWEST_PAIRS)


def standings_of(
    results: LeagueResults,
    condition: Condition,
    terms: Mapping[str, float] = MappingProxyType({}),
) -> LeagueStandings:
    """Return the standings of *results* under *condition*, of whatever has been played.

    *terms* are those of the methods' players, if they were counted. Opening pairs that repeat
    earlier ones of the same seed are no evidence. Raises `ValueError` for a pairing of unknown
    entrants or without whole pairs of games.
    """
    entrants = sorted(results.entrants, key=lambda entrant: entrant.name)
    pairings = pairings_in_order(results, condition)
    playing = {name for pairing in pairings for name in (pairing.first, pairing.second)}
    lines = [line.name for line in entrants if not line.is_ranked and line.name in playing]
    anchors = lines or sorted(playing)
    seeds = sorted({pairing.seed for pairing in pairings})
    rated = {
        seed: found
        for seed in seeds
        for found in [_rate([game for game in pairings if game.seed == seed], anchors)]
        if found is not None
    }
    encounters = encounters_of(pairings)
    rows = sorted(
        (_standing(entrant, rated, encounters) for entrant in entrants),
        key=lambda row: (row.rating is None, -(row.rating or 0.0), row.entrant),
    )
    rows = [replace(row, terms=terms.get(row.entrant)) for row in rows]
    rows = _ranked(rows, rated)
    rows, missing = _with_nash(rows, encounters, pairings)
    return LeagueStandings(
        condition=condition,
        words=results.conditions[condition],
        standings=tuple(rows),
        encounters=tuple(sorted(encounters.values(), key=lambda met: (met.first, met.second))),
        seeds=tuple(rated),
        zero="the mean of the lines of reference" if lines else "the mean of all methods",
        notes=(*_notes(seeds, rated, anchors), *missing, *_absent(entrants, playing)),
    )


def _rate(pairings: Sequence[LeaguePairing], anchors: Sequence[str]) -> _SeedRatings | None:
    """Return the ratings of the players that games tie to *anchors*.

    None unless all of *anchors* are tied to each other: another zero would be another scale.
    """
    together = _tied_to(anchors[0], pairings) if anchors else set()
    if not together.issuperset(anchors) or not pairings:
        return None
    names = sorted(together)
    parts = [
        opening_pairs(pairing, names.index(pairing.first), names.index(pairing.second))
        for pairing in pairings
        if pairing.first in together
    ]
    ratings = PairsPlayed.joined(parts).ratings(len(names))
    return _SeedRatings(names, ratings, [names.index(name) for name in anchors])


def _tied_to(name: str, pairings: Sequence[LeaguePairing]) -> set[str]:
    """Return *name* and all who are tied to it by games, maybe over others."""
    tied, before = {name}, 0
    while len(tied) > before:
        before = len(tied)
        for pairing in pairings:
            sides = {pairing.first, pairing.second}
            if sides & tied:
                tied |= sides
    return tied


def _standing(
    entrant: Entrant,
    rated: Mapping[int, _SeedRatings],
    encounters: Mapping[tuple[str, str], Encounter],
) -> LeagueStanding:
    """Return the place of *entrant*, still without rank, lead and Nash average."""
    own = [met for (first, _), met in encounters.items() if first == entrant.name]
    found = {
        seed: ratings.of(entrant.name)
        for seed, ratings in rated.items()
        if entrant.name in ratings.names
    }
    rating, interval = _over_seeds([*found.values()], is_alone=len(rated) == 1)
    return LeagueStanding(
        entrant=entrant.name,
        title=entrant.title,
        is_ranked=entrant.is_ranked,
        rank=None,
        rating=rating,
        interval=interval,
        by_seed={seed: measured.value for seed, measured in found.items()},
        points=sum(met.points for met in own),
        games=sum(met.games for met in own),
    )


def _over_seeds(
    measured: Sequence[_Measured], *, is_alone: bool
) -> tuple[float | None, Interval | None]:
    """Return the mean of values and Student's interval; with one seed alone that of its games.

    Few seeds may agree by chance: no interval is narrower than the games of all seeds allow, as
    Knapp & Hartung (2003) advise for a mean over few studies. Two seeds have none.
    """
    if not measured:
        return None, None
    mean = fmean(each.value for each in measured)
    bounds = [each.bounds for each in measured if each.bounds is not None]
    is_enough = measured[0].is_enough if is_alone else len(measured) >= FEWEST_SEEDS
    if not is_enough or len(bounds) < len(measured):
        return mean, None
    values = [each.value for each in measured]
    below, above = (
        math.hypot(*(bound[end] - value for bound, value in zip(bounds, values, strict=True)))
        / len(values)
        for end in (0, 1)
    )
    low, high = mean_interval(values) or (mean, mean)
    return mean, (min(low, mean - below), max(high, mean + above))


def _ranked(
    rows: Sequence[LeagueStanding], rated: Mapping[int, _SeedRatings]
) -> list[LeagueStanding]:
    """Return *rows* with the ranks of methods, and how far each is above the next method."""
    methods = [row.entrant for row in rows if row.is_ranked and row.rating is not None]
    ranks = dict.fromkeys(methods, 1)
    leads: dict[str, tuple[float | None, Interval | None]] = {}
    for first, second in combinations(methods, 2):
        shared = [
            ratings.difference(first, second)
            for ratings in rated.values()
            if {first, second} <= set(ratings.names)
        ]
        lead, interval = _over_seeds(shared, is_alone=len(rated) == 1)
        leads.setdefault(first, (lead, interval))
        ranks[second] += interval is not None and interval[0] > 0
    return [
        replace(
            row,
            rank=ranks.get(row.entrant),
            lead=leads.get(row.entrant, (None, None))[0],
            lead_interval=leads.get(row.entrant, (None, None))[1],
        )
        for row in rows
    ]


def _with_nash(
    rows: Sequence[LeagueStanding],
    encounters: Mapping[tuple[str, str], Encounter],
    pairings: Sequence[LeaguePairing],
) -> tuple[list[LeagueStanding], list[str]]:
    """Return *rows* with the Nash averages of methods, and a note if games for them are missing."""
    methods = sorted(row.entrant for row in rows if row.rank is not None)
    unmet = [
        (first, second)
        for place, first in enumerate(methods)
        for second in methods[place + 1 :]
        if (first, second) not in encounters
    ]
    if unmet or len(methods) < 2:
        first, second = unmet[0] if unmet else ("", "")
        note = f"There are no Nash averages yet: {first} and {second} have not met."
        return [*rows], [note] if unmet else []
    points, games, strata = _units(pairings, methods)
    found = nash_averages(log_odds(points.sum(axis=0), games.sum(axis=0)))
    intervals = nash_intervals(points, games, strata)
    places = {name: place for place, name in enumerate(methods)}
    return [
        replace(
            row,
            nash_share=float(found.shares[place]),
            nash_average=float(_ELO * found.averages[place]),
            nash_interval=interval and (_ELO * interval[0], _ELO * interval[1]),
        )
        if place is not None
        else row
        for row in rows
        for place in [places.get(row.entrant)]
        for interval in [None if place is None else intervals[place]]
    ], []


def _units(
    pairings: Sequence[LeaguePairing], methods: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return points, games and strata of *methods* as `nash_intervals` takes them.

    Units are seeds where there are enough; else the openings of each seed, and then only the chance
    in games is seen.
    """
    seeds = sorted({pairing.seed for pairing in pairings})
    are_drawn = len(seeds) >= _SEEDS_DRAWN
    most = 1 if are_drawn else max(len(pairing.points) // 2 for pairing in pairings)
    points, games = np.zeros((2, len(seeds), most, len(methods), len(methods)))
    for pairing in pairings:
        if not {pairing.first, pairing.second} <= {*methods}:
            continue
        seed = seeds.index(pairing.seed)
        first, second = methods.index(pairing.first), methods.index(pairing.second)
        parts = np.array(pairing.points).reshape(1 if are_drawn else -1, -1 if are_drawn else 2)
        for unit, part in enumerate(parts):
            points[seed, unit, [first, second], [second, first]] += part.sum(), (1 - part).sum()
            games[seed, unit, [first, second], [second, first]] += len(part)
    strata = np.zeros(len(seeds)) if are_drawn else np.repeat(np.arange(len(seeds)), most)
    size = (-1, len(methods), len(methods))
    return points.reshape(size), games.reshape(size), strata.astype(np.int64)


def _notes(
    seeds: Sequence[int], rated: Mapping[int, _SeedRatings], anchors: Sequence[str]
) -> list[str]:
    notes = []
    if len(rated) == 1:
        (seed,) = rated
        notes.append(
            f"Only seed {seed} has ratings: intervals hold the chance in its games alone. Another "
            "seed would make other players, so more seeds are needed to compare methods."
        )
    elif 1 < len(rated) < FEWEST_SEEDS:
        notes.append(TWO_SEEDS)
    left_out = [seed for seed in seeds if seed not in rated]
    if left_out:
        shown = ", ".join(map(str, left_out))
        notes.append(
            f"Seed{'' if len(left_out) == 1 else 's'} {shown}: not in the ratings yet, because "
            f"games that tie {', '.join(anchors)} to each other are missing."
        )
    return notes


def _absent(entrants: Sequence[Entrant], playing: set[str]) -> list[str]:
    absent = [entrant.name for entrant in entrants if entrant.name not in playing]
    if not absent or not playing:
        return []
    return [f"Without a game under this condition: {', '.join(absent)}."]
