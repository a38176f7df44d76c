"""Standings of a league under one condition: ratings, all against all, Nash averages.

The players of a seed meet each other and the lines of reference, so every seed has ratings of its
own. Their zero is the mean of the lines, which are the same players in every seed. A method's
rating is the mean over seeds, and its interval Student's: it holds the chance in making players as
well as that in games, and is never narrower than the games alone allow. Nothing depends on the
order in which entrants or games are given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evoply.arena.ratings import PairsPlayed, Ratings
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

# Nash averages: how methods do against the mixture of them that nobody beats.
#
# A mean over all opponents depends on who happens to be there: whoever beats a weak method gains
# with every copy of it. The Nash average asks instead for a mixture of the methods that no method
# beats, the Nash equilibrium of the game in which two people each name a method, and for what each
# method scores against it. Of several equilibria the most even one is taken, that of greatest
# entropy, so that copies of a method change nothing. Payoffs are log-odds of scores, as in the
# source, so they are on the scale of ratings.
#
# Source: Balduzzi, Tuyls, Perolat & Graepel, "Re-evaluating Evaluation" (NeurIPS 2018), section 4.

_SAME = 1e-7
"""Equilibria are taken for one where no share differs by more."""
_NOTHING = 1e-9
"""A share below this is no part of an equilibrium."""


@dataclass(frozen=True, slots=True, eq=False)
class NashAverages:
    """The most even equilibrium, and what each method gets against it."""

    shares: NDArray[np.float64]
    """The share of each method in the mixture; they sum to 1."""
    averages: NDArray[np.float64]
    """The payoff of each method against the mixture: 0 for those in it, at most 0 for the rest."""


def log_odds(points: ArrayLike, games: ArrayLike) -> NDArray[np.float64]:
    """Return the log-odds of scores: antisymmetric if *points* of a pair add up to its games.

    `points[i, j]` are those of i in its `games[i, j]` games with j. One drawn game is added to each
    pair, as in ratings, so that scores of 0 and 1 have finite log-odds; the diagonal is 0.

    >>> log_odds([[0, 3], [1, 0]], [[0, 4], [4, 0]]).round(3)
    array([[ 0.   ,  0.847],
           [-0.847,  0.   ]])
    """
    won, played = np.asarray(points, dtype=np.float64), np.asarray(games, dtype=np.float64)
    return np.asarray(np.log((won + 0.5) / (played - won + 0.5)), dtype=np.float64)


def nash_averages(payoffs: ArrayLike) -> NashAverages:
    """Return the Nash averages of an antisymmetric matrix, such as that of `log_odds`.

    Raises `ValueError` for a matrix that is not finite or not antisymmetric.

    >>> nash_averages([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]).shares.round(3)
    array([0.333, 0.333, 0.333])
    """
    matrix = np.asarray(payoffs, dtype=np.float64)
    if not np.isfinite(matrix).all() or not np.allclose(matrix, -matrix.T, rtol=0, atol=1e-9):
        raise ValueError("payoffs: must be finite, and those of a pair must add up to 0")
    shares = _most_even(matrix / max(float(np.abs(matrix).max(initial=0.0)), _NOTHING))
    return NashAverages(shares, np.asarray(matrix @ shares, dtype=np.float64))


def _most_even(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the equilibrium of greatest entropy of an antisymmetric matrix of size at most 1.

    The equilibria are the mixtures against which nobody has a payoff above 0. The largest share
    that each method has in any of them says who can be part of one, and whether there are several.
    """
    extremes = [_equilibrium(matrix, method) for method in range(len(matrix))]
    inner = np.mean(extremes, axis=0)
    support = inner > _NOTHING
    if np.ptp(extremes, axis=0).max() <= _SAME:
        return _exact(matrix, inner, support)
    return _of_greatest_entropy(matrix, support)


def _equilibrium(matrix: NDArray[np.float64], method: int) -> NDArray[np.float64]:
    """Return an equilibrium in which *method* has its largest share."""
    from scipy.optimize import linprog  # slow to import, and rarely needed

    count = len(matrix)
    found = linprog(
        -np.eye(count)[method],
        A_ub=matrix,
        b_ub=np.zeros(count),
        A_eq=np.ones((1, count)),
        b_eq=[1.0],
        bounds=(0, 1),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        raise RuntimeError(f"no equilibrium was found: {found.message}")
    return np.asarray(found.x, dtype=np.float64)


def _exact(
    matrix: NDArray[np.float64], shares: NDArray[np.float64], support: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the only equilibrium to the last digits: each method of its support has payoff 0."""
    inside = np.flatnonzero(support)
    system = np.vstack([matrix[np.ix_(inside, inside)], np.ones(len(inside))])
    wanted = np.zeros(len(inside) + 1)
    wanted[-1] = 1.0
    near = shares[inside]
    # The smallest change: the system alone may have more solutions.
    near = near + np.linalg.lstsq(system, wanted - system @ near, rcond=None)[0]
    exact = np.zeros(len(shares))
    exact[inside] = near
    return exact


def _of_greatest_entropy(
    matrix: NDArray[np.float64], support: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the mixture of *support* with the greatest entropy that nobody beats.

    By the dual problem: shares are in proportion to exp(matrix @ prices), where a method that would
    otherwise gain has a price above 0.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp, softmax

    rows = matrix[support]

    def cost(prices: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = rows @ prices
        return float(logsumexp(weights)), np.asarray(softmax(weights) @ rows)

    count = len(matrix)
    found = minimize(
        cost,
        np.zeros(count),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * count,
        options={"maxiter": 20_000, "maxfun": 50_000, "ftol": 0.0, "gtol": 1e-12, "maxcor": 40},
    )
    shares = np.zeros(count)
    shares[support] = softmax(rows @ found.x)
    return shares


_ELO = 400 / math.log(10)


@dataclass(frozen=True, slots=True)
class LeagueStanding(JsonData):
    """The place of a method or a line of reference."""

    also: ClassVar = ("score",)
    entrant: str
    title: str
    is_ranked: bool
    """False for a line of reference."""
    rank: int | None
    """From 1; None for a line of reference, and without a rating."""
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

    @property
    def score(self) -> float | None:
        """Points a game in [0, 1]; None without games."""
        return self.points / self.games if self.games else None


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


def standings_of(results: LeagueResults, condition: Condition) -> LeagueStandings:
    """Return the standings of *results* under *condition*, of whatever has been played.

    Opening pairs that repeat earlier ones of the same seed are no evidence. Raises `ValueError`
    for a pairing of unknown entrants or without whole pairs of games.
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
    rows = _ranked(rows, rated)
    rows, missing = _with_nash(rows, encounters)
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
    leads = {}
    for first, second in pairwise(methods):
        shared = [
            ratings.difference(first, second)
            for ratings in rated.values()
            if {first, second} <= set(ratings.names)
        ]
        leads[first] = _over_seeds(shared, is_alone=len(rated) == 1)
    return [
        replace(
            row,
            rank=methods.index(row.entrant) + 1,
            lead=leads.get(row.entrant, (None, None))[0],
            lead_interval=leads.get(row.entrant, (None, None))[1],
        )
        if row.entrant in methods
        else row
        for row in rows
    ]


def _with_nash(
    rows: Sequence[LeagueStanding], encounters: Mapping[tuple[str, str], Encounter]
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
    points, games = np.zeros((2, len(methods), len(methods)))
    for row, first in enumerate(methods):
        for column, second in enumerate(methods):
            if row != column:
                met = encounters[first, second]
                points[row, column], games[row, column] = met.points, met.games
    found = nash_averages(log_odds(points, games))
    of_method = dict(zip(methods, zip(found.shares, found.averages, strict=True), strict=True))
    return [
        replace(
            row,
            nash_share=float(of_method[row.entrant][0]),
            nash_average=float(_ELO * of_method[row.entrant][1]),
        )
        if row.entrant in of_method
        else row
        for row in rows
    ], []


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
