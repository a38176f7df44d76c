"""Archives of opponents: which champions of earlier generations are worth meeting again.

An archive remembers a few champions and what each scored against each. Each generation's champion
meets all of them, on openings that stay the same, and one of two rules says who stays:

`nash_memory` keeps the mixture that nobody met so far beats, and some who were part of one before.
Source: Ficici & Pollack, "A Game-Theoretic Memory Mechanism for Coevolution" (GECCO 2003).

`pareto_archive` keeps layers of champions whom no other equals against everybody, and the opponents
who tell them apart. Source: de Jong, "A Monotonic Archive for Pareto-Coevolution" (Evolutionary
Computation 15, 2007): the layered archive, LAPCA.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, permutations, zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evoply import gp
from evoply._native import Stream
from evoply.arena import ratings
from evoply.evolution.config.game_settings import EarlierGenerations
from evoply.evolution.fitness.contract import first_half_points, matches
from evoply.evolution.individuals import Remembered
from evoply.evolution.play.opponents import Batch, Games, Play
from evoply.evolution.play.population import population_of

_DIGITS = 4
"""Decimals of a share: those that solvers on all machines agree on."""
_NOTHING = 1e-3
"""A gain below this may come from rounded shares."""


class Kept(NamedTuple):
    """Who stays, by position."""

    members: list[int]
    shares: list[float]
    """How often each is drawn as an opponent; they sum to 1."""
    ranks: list[int]
    """What the rule wants to know of each next time."""


def nash_memory(
    points: NDArray[np.int64],
    shares: Sequence[float],
    ranks: Sequence[int],
    *,
    now: int,
    size: int,
) -> Kept:
    """Return who stays in a Nash memory of at most *size* whose last member is new.

    `points[i, j]`, of i against j, and `points[j, i]` add up to the same for all pairs. *shares*
    and *ranks* are those of the others. A rank is the generation in which a member was last in the
    mixture (N in the source), *now* the number of this one. A newcomer that does not beat the
    mixture is not kept. Of those that left the mixture (M), the last to leave stay.
    """
    payoffs = (points - points.T) / max(int((points + points.T).max()), 1)
    new = len(points) - 1
    mixture = np.array([*shares, 0.0])
    known = [*ranks, now]
    members = list(range(new))
    if not members or payoffs[new] @ mixture > _NOTHING:
        mixture = ratings.nash_averages(payoffs).shares.round(_DIGITS)
        left = [each for each in range(new + 1) if mixture[each] or each != new]
        left.sort(key=lambda each: (-mixture[each], -known[each], -each))
        members = sorted(left[:size])
    kept = mixture[members] / mixture[members].sum()
    ranks = [now if share else known[each] for each, share in zip(members, kept, strict=True)]
    return Kept(members, kept.tolist(), ranks)


def pareto_archive(
    points: NDArray[np.int64],
    shares: Sequence[float],
    ranks: Sequence[int],
    *,
    layers: int,
    size: int,
) -> Kept:
    """Return who stays in a layered Pareto archive of at most *size* whose last member is new.

    Arguments are those of `nash_memory`, but a rank is a layer from 1 on, or 0 for a member that is
    there only as an opponent. The first *layers* fronts stay, and of opponents as many as make
    every distinction within a layer and between neighbours. All opponents are drawn as often. If
    there are too many, the oldest of the last layer goes.
    """
    new = len(points) - 1
    candidates = [*(each for each in range(new) if ranks[each]), new]
    tests = [*(each for each in range(new) if shares[each]), new]
    fronts = fronts_of(points[:, tests], candidates)[:layers]
    while True:
        chosen = distinguishing(points, fronts, tests) or fronts[0]
        members = sorted({*chosen, *chain(*fronts)})
        if len(members) <= size:
            break
        fronts = [front for front in (*fronts[:-1], fronts[-1][1:]) if front]
    layer = {each: number for number, front in enumerate(fronts, start=1) for each in front}
    return Kept(
        members,
        [(each in chosen) / len(chosen) for each in members],
        [layer.get(each, 0) for each in members],
    )


def fronts_of(results: NDArray[np.int64], candidates: Sequence[int]) -> list[list[int]]:
    """Return the fronts of *candidates* by their rows of *results*, each in the order given.

    Nobody of a front is at least as good as another of it everywhere, and better somewhere. Of
    those with equal results the first counts, and the others stand nowhere.
    """
    first: dict[bytes, int] = {}
    for each in candidates:
        first.setdefault(results[each].tobytes(), each)
    rest = list(first.values())
    fronts = []
    while rest:
        front = [
            each
            for each in rest
            if not any(other != each and (results[other] >= results[each]).all() for other in rest)
        ]
        fronts.append(front)
        rest = [each for each in rest if each not in front]
    return fronts


def distinguishing(
    points: NDArray[np.int64], fronts: Sequence[Sequence[int]], tests: Sequence[int]
) -> list[int]:
    """Return opponents of *tests* that make all distinctions that all of them make.

    One distinguishes a from b if a has more *points* against it. Pairs of one front count, and of
    neighbours. Again and again the opponent that makes most of those that are missing is chosen,
    the first of equals.
    """
    pairs = {
        pair
        for front, following in zip_longest(fronts, fronts[1:], fillvalue=())
        for pair in permutations([*front, *following], 2)
    }
    ahead = [points[one, tests] > points[other, tests] for one, other in sorted(pairs)]
    missing = np.array(ahead, dtype=bool).reshape(-1, len(tests))
    chosen = []
    while missing.any():
        best = int(missing.sum(axis=0).argmax())
        chosen.append(tests[best])
        missing = missing[~missing[:, best]]
    return sorted(chosen)


def with_champion(
    settings: EarlierGenerations,
    games: Games,
    memory: Sequence[Remembered],
    champion: tuple[gp.Genotype, int],
    stream: Stream,
    play: Play,
) -> tuple[tuple[Remembered, ...], int, int]:
    """Return *memory* after a new *champion* (tree, generation), and the games and work it took.

    The openings come from *stream* alone, so that results of all generations are comparable.
    """
    tree, now = champion
    new, whole = len(memory), 4 * settings.pairs
    points = np.full((new + 1, new + 1), whole // 2, dtype=np.int64)
    played = work = 0
    if new:
        points[:new, :new] = [entry.half_points for entry in memory]
        population = population_of(games, [*(entry.tree for entry in memory), tree])
        others = np.arange(new)
        schedule = matches(games, np.full(new, new), others, settings.pairs, stream)
        results = play(Batch(population.players, schedule))
        points[new, :new] = first_half_points(results, 2 * settings.pairs)
        points[:new, new] = whole - points[new, :new]
        played, work = len(schedule), population.work(schedule, results)
    shares, ranks = [entry.share for entry in memory], [entry.rank for entry in memory]
    if settings.archive == "nash":
        kept = nash_memory(points, shares, ranks, now=now, size=settings.size)
    else:
        size, layers = settings.size, settings.layers
        kept = pareto_archive(points, shares, ranks, layers=layers, size=size)
    known = [*((entry.tree, entry.generation) for entry in memory), (tree, now)]
    return (
        tuple(
            Remembered(*known[each], tuple(points[each, kept.members].tolist()), share, rank)
            for each, share, rank in zip(*kept, strict=True)
        ),
        played,
        work,
    )


def drawn(memory: Sequence[Remembered], count: int, stream: Stream) -> list[Remembered]:
    """Return *count* members of *memory* in order, drawn by their shares; fewer if fewer have one.

    Nobody is drawn twice.
    """
    left = {place: entry.share for place, entry in enumerate(memory) if entry.share > 0}
    found: list[int] = []
    while left and len(found) < count:
        bounds = list(accumulate(left.values()))
        at = min(bisect_right(bounds, stream.random() * bounds[-1]), len(left) - 1)
        found.append(list(left)[at])
        del left[found[-1]]
    return [memory[place] for place in sorted(found)]
