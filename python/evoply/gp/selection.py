"""Selection of parents by fitness, which is maximised.

Each function returns indices into the fitness. An individual whose fitness is NaN is selected only
if all are NaN. Nothing here knows what an individual is.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from evoply._native import Stream


def tournament_selection(
    fitness: Sequence[float],
    size: int,
    count: int,
    stream: Stream,
    *,
    lengths: Sequence[int] | None = None,
) -> list[int]:
    """Return *count* winners, each the best of *size* uniform picks with replacement.

    Of equal fitness the smaller of *lengths* (numbers of nodes) wins, then the lower index.
    """
    _check(fitness)
    if size < 1:
        raise ValueError(f"a tournament has at least one entrant, not {size}")
    valid = [index for index, value in enumerate(fitness) if value == value]
    pool = valid or range(len(fitness))
    entrants = len(pool)
    below = stream.below
    winners: list[int] = []
    for _ in range(count):
        best = pool[below(entrants)]
        for _ in range(size - 1):
            other = pool[below(entrants)]
            if fitness[other] > fitness[best] or (
                not fitness[other] < fitness[best] and _wins_tie(other, best, lengths)
            ):
                best = other
        winners.append(best)
    return winners


def paired_tournament_selection(
    fitness: Sequence[float],
    size: int,
    count: int,
    stream: Stream,
    *,
    lengths: Sequence[int] | None = None,
) -> list[tuple[int, int]]:
    """Return *count* pairs of parents: the two best of *size* uniform picks with replacement.

    Of equal fitness the smaller of *lengths* is better, and a later pick displaces an equal one.
    The best comes first; both may be one individual, picked twice. Source: gpjpp.
    """
    _check(fitness)
    if size < 2:
        raise ValueError(f"a pair needs at least two entrants, not {size}")
    pool = [index for index, value in enumerate(fitness) if value == value] or range(len(fitness))
    entrants = len(pool)
    keys = [(fitness[index], -lengths[index] if lengths else 0) for index in range(len(fitness))]
    pairs: list[tuple[int, int]] = []
    for _ in range(count):
        best, second = pool[stream.below(entrants)], -1
        for _ in range(size - 1):
            other = pool[stream.below(entrants)]
            if not keys[other] < keys[best]:
                best, second = other, best
            elif second < 0 or not keys[other] < keys[second]:
                second = other
        pairs.append((best, second))
    return pairs


def _wins_tie(other: int, best: int, lengths: Sequence[int] | None) -> bool:
    if lengths is not None and lengths[other] != lengths[best]:
        return lengths[other] < lengths[best]
    return other < best


def roulette_selection(fitness: Sequence[float], count: int, stream: Stream) -> list[int]:
    """Return *count* indices, each drawn with a probability proportional to its fitness.

    Uniform where every fitness is 0. Raises ValueError for a negative or infinite fitness.
    """
    _check(fitness)
    sums = list(accumulate(_weights(fitness)))
    return [_spin(sums, stream) for _ in range(count)]


def _weights(fitness: Sequence[float]) -> list[float]:
    """Return the fitness over its maximum, or equal weights where nobody has any fitness."""
    for index, value in enumerate(fitness):
        if value < 0 or math.isinf(value):
            raise ValueError(
                f"roulette wants a finite, non-negative fitness; individual {index} has {value}"
            )
    valid = [value for value in fitness if value == value]
    greatest = max(valid, default=0.0)
    if greatest > 0:
        # Divided by the maximum, so that the sum neither overflows nor loses tiny values.
        return [value / greatest if value == value else 0.0 for value in fitness]
    return [float(value == value or not valid) for value in fitness]


def _spin(sums: Sequence[float], stream: Stream) -> int:
    """Return an index drawn in proportion to the steps between the running *sums*."""
    # A weight of 0 repeats the sum before it, and bisect_right steps over it. Rounding may carry
    # the product up to the total; the last positive weight is then meant.
    total = sums[-1]
    index = bisect_right(sums, stream.random() * total)
    return index if index < len(sums) else bisect_left(sums, total)


def worst_roulette_selection(
    standardized: Sequence[float], count: int, stream: Stream
) -> list[int]:
    """Return *count* indices, drawn in proportion to a fitness f >= 0 that is to be minimised.

    So bad individuals are drawn most: those that a steady state replaces. An individual whose
    fitness is NaN is drawn only if all are. Source: gpjpp.
    """
    return roulette_selection(standardized, count, stream)


def adjusted_fitness(standardized: float) -> float:
    """Return Koza's adjusted fitness 1 / (1 + f) in (0, 1] of a fitness f >= 0 to be minimised."""
    return 1.0 / (1.0 + standardized)


def greedy_over_selection(
    fitness: Sequence[float],
    count: int,
    stream: Stream,
    *,
    top_share: float | None = None,
    top_probability: float = 0.8,
) -> list[int]:
    """Return *count* indices, most of them from the few best individuals.

    The best individuals that together hold *top_share* of the fitness form the top group (default
    0.32 up to 1,000 individuals, then 320 / their number). A draw comes from it with
    *top_probability*, else from the rest, by roulette within the group. Source: Koza (1992),
    section 6.3.5, with the shares of gpjpp.
    """
    _check(fitness)
    weights = _weights(fitness)
    share = top_share if top_share is not None else min(0.32, 320 / len(fitness))
    ranked = sorted(range(len(fitness)), key=lambda index: (-weights[index], index))
    sums = list(accumulate(weights[index] for index in ranked))
    border = bisect_left(sums, min(share, 1.0) * sums[-1]) + 1
    top = list(accumulate(weights[index] for index in ranked[:border]))
    rest = list(accumulate(weights[index] for index in ranked[border:]))
    selected: list[int] = []
    for _ in range(count):
        if stream.random() < top_probability or not rest or rest[-1] <= 0:
            selected.append(ranked[_spin(top, stream)])
        else:
            selected.append(ranked[border + _spin(rest, stream)])
    return selected


def _check(fitness: Sequence[float]) -> None:
    if not fitness:
        raise ValueError("nobody to select from: the population is empty")
