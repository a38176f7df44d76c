"""Selection by fitness, by cases and by Pareto fronts; and adjusted fitness.

Fitness is maximised. Functions return indices, or a fitness adjusted for parsimony, which counters
growth that does not add strength. An individual whose fitness is NaN is selected only if all are
NaN. This module does not know what an individual is.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evoply._native import Stream
from evoply.permutations import shuffled


def tournament_selection(
    fitness: Sequence[float],
    size: int,
    count: int,
    stream: Stream,
    *,
    lengths: Sequence[int] | None = None,
) -> list[int]:
    """Return *count* winners, each the best of *size* uniform picks with replacement.

    At equal fitness the smaller of *lengths* (numbers of nodes) wins, then the lower index.
    """
    _check(fitness)
    if size < 1:
        raise ValueError(f"size: a tournament needs at least one entrant, not {size}")
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


def double_tournament_selection(
    fitness: Sequence[float],
    lengths: Sequence[int],
    count: int,
    stream: Stream,
    *,
    size: int = 7,
    parsimony: float = 1.4,
    size_first: bool = False,
) -> list[int]:
    """Return *count* winners of tournaments on fitness and on the number of nodes.

    Two winners of fitness tournaments of *size* uniform picks meet, and the one of fewer nodes wins
    with the probability *parsimony* / 2, from 1/2 (no pressure) to 1; of equally long ones the
    first wins. With *size_first* pairs of uniform picks meet on length first, and *size* winners
    then meet on fitness. Source: Luke & Panait, "Fighting bloat with nonparametric parsimony
    pressure" (2002); they used 1.4 and tournaments of 7.
    """
    _check(fitness)
    if not 1 <= parsimony <= 2:
        raise ValueError(f"parsimony: must be from 1 to 2, not {parsimony}")
    if size < 1:
        raise ValueError(f"size: a tournament needs at least one entrant, not {size}")
    pool = [index for index, value in enumerate(fitness) if value == value] or range(len(fitness))

    def pick() -> int:
        return pool[stream.below(len(pool))]

    def shorter(draw: Callable[[], int]) -> int:
        first, second = draw(), draw()
        if lengths[second] == lengths[first]:
            return first
        small, large = sorted((first, second), key=lambda index: lengths[index])
        return small if stream.random() < parsimony / 2 else large

    def fitter(draw: Callable[[], int]) -> int:
        best = draw()
        for _ in range(size - 1):
            other = draw()
            if fitness[other] > fitness[best]:
                best = other
        return best

    if size_first:
        return [fitter(lambda: shorter(pick)) for _ in range(count)]
    return [shorter(lambda: fitter(pick)) for _ in range(count)]


def paired_tournament_selection(
    fitness: Sequence[float],
    size: int,
    count: int,
    stream: Stream,
    *,
    lengths: Sequence[int] | None = None,
) -> list[tuple[int, int]]:
    """Return *count* pairs of parents: the two best of *size* uniform picks with replacement.

    At equal fitness the smaller of *lengths* is better, and a later pick displaces an equal one.
    The best comes first; both may be the same individual, picked twice. Source: gpjpp.
    """
    _check(fitness)
    if size < 2:
        raise ValueError(f"size: a pair needs at least two entrants, not {size}")
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

    The draw is uniform if every fitness is 0. Raises ValueError for a negative or infinite fitness.
    """
    _check(fitness)
    sums = list(accumulate(_weights(fitness)))
    return [_spin(sums, stream) for _ in range(count)]


def _weights(fitness: Sequence[float]) -> list[float]:
    """Return the fitness over its maximum, or equal weights if all are 0."""
    for index, value in enumerate(fitness):
        if value < 0 or math.isinf(value):
            raise ValueError(
                f"roulette wants a finite, non-negative fitness; individual {index} has {value}"
            )
    valid = [value for value in fitness if value == value]
    greatest = max(valid, default=0.0)
    if greatest > 0:
        # Division by the maximum keeps the sum from overflowing and from losing tiny values.
        return [value / greatest if value == value else 0.0 for value in fitness]
    return [float(value == value or not valid) for value in fitness]


def _spin(sums: Sequence[float], stream: Stream) -> int:
    """Return an index drawn in proportion to the steps between the running *sums*."""
    # A weight of 0 repeats the sum before it, and bisect_right steps over it. If rounding makes the
    # product equal the total, the last positive weight is drawn.
    total = sums[-1]
    index = bisect_right(sums, stream.random() * total)
    return index if index < len(sums) else bisect_left(sums, total)


def worst_roulette_selection(
    standardized: Sequence[float], count: int, stream: Stream
) -> list[int]:
    """Return *count* indices, drawn in proportion to a fitness f >= 0 to be minimised.

    Bad individuals are drawn most, for a steady state to replace. An individual whose
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
    """Return *count* indices, most of them of the few best individuals.

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
        raise ValueError("fitness: the population is empty, so there is nobody to select from")


def lexicase_selection(
    cases: ArrayLike,
    count: int,
    stream: Stream,
    *,
    epsilon: float = 0.0,
    down_sampling: float = 1.0,
) -> list[int]:
    """Return *count* indices of parents; *cases* has shape (individuals, cases).

    A case is one test, such as one opponent or one game; its results are maximised. For each
    parent the cases are put in a random order, and case by case only the individuals within
    *epsilon* of the best remain; one of the individuals left after the last case is drawn
    uniformly. NaN is worse than any number. With *down_sampling* below 1 all these parents are
    chosen by one random sample of the cases, this share of them, at least one. Sources: Spector
    (2012); with *epsilon*: La Cava, Spector & Danai (2016); samples: Hernandez, Lalejini,
    Dolson & Ofria (2019).
    """
    table = np.asarray(cases, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError("cases: at least one individual and one case are needed")
    columns = np.ascontiguousarray(np.where(np.isnan(table), -np.inf, table).T)
    if down_sampling < 1:
        sample = shuffled(len(columns), stream.child("cases"))
        columns = columns[sample[: max(round(down_sampling * len(columns)), 1)]]
    everybody = np.arange(table.shape[0])
    return [_parent(columns, everybody, stream, epsilon) for _ in range(count)]


def _parent(columns: np.ndarray, everybody: np.ndarray, stream: Stream, epsilon: float) -> int:
    left = everybody
    order = list(range(len(columns)))
    for step in range(len(order)):
        # The order is drawn step by step, only as far as needed.
        other = step + stream.below(len(order) - step)
        order[step], order[other] = order[other], order[step]
        results = columns[order[step]][left]
        left = left[results >= results.max() - epsilon]
        if len(left) == 1:
            return int(left[0])
    return int(left[stream.below(len(left))])


def length_penalised(
    fitness: Sequence[float], lengths: Sequence[int], coefficient: float
) -> list[float]:
    """Return the fitness less *coefficient* times the length (gpjpp: length / 1000)."""
    return [value - coefficient * length for value, length in zip(fitness, lengths, strict=True)]


def covariant_penalised(fitness: Sequence[float], lengths: Sequence[int]) -> list[float]:
    """Return the fitness less c times the length, with c = cov(length, fitness) / var(length).

    Under selection in proportion to fitness this keeps the expected mean length constant; under
    other selections it also counters growth. Source: Poli & McPhee, "Parsimony pressure made easy"
    (2008).
    """
    mean_length, mean_fitness = fmean(lengths), fmean(fitness)
    variance = math.fsum((length - mean_length) ** 2 for length in lengths)
    if variance == 0:
        return list(fitness)
    covariance = math.fsum(
        (length - mean_length) * (value - mean_fitness)
        for length, value in zip(lengths, fitness, strict=True)
    )
    return length_penalised(fitness, lengths, covariance / variance)


def tarpeian_penalised(
    fitness: Sequence[float], lengths: Sequence[int], probability: float, stream: Stream
) -> list[float]:
    """Return the fitness, replaced by NaN with *probability* for individuals longer than the mean.

    NaN is selected only if all are NaN. Source: Poli, "A simple but theoretically
    motivated method to control bloat in genetic programming" (2003).
    """
    mean = fmean(lengths)
    return [
        math.nan if length > mean and stream.random() < probability else value
        for value, length in zip(fitness, lengths, strict=True)
    ]


# Selection and survival by several objectives, which are maximised: fronts and crowding.
#
# This module does not know what the objectives are.


def pareto_ranks(objectives: ArrayLike) -> NDArray[np.int64]:
    """Return the front of each row of *objectives*, of shape (individuals, objectives).

    Front 0 has the individuals that none dominates, front 1 those that only front 0 dominates, and
    so on. An individual dominates another if it is nowhere worse and somewhere better; NaN is worse
    than any number.
    """
    values = _as_objectives(objectives)
    return _ranks_by_two(values) if values.shape[1] == 2 else _ranks_by_many(values)


def _ranks_by_many(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the same for any number of objectives, without a matrix of all pairs.

    Whoever dominates another comes before it in the order of the objectives, and if a front has one
    that does, so have all fronts before. Source: Zhang, Tian, Cheng & Jin, "An efficient approach
    to nondominated sorting" (2015), the search by halves.
    """
    ranks = np.empty(len(values), dtype=np.int64)
    fronts: list[NDArray[np.float64]] = []  # with room for more
    sizes: list[int] = []
    before: NDArray[np.float64] | None = None
    rank = 0

    def is_free(front: int) -> bool:
        return not (fronts[front][: sizes[front]] >= row).all(axis=1).any()

    for index in np.lexsort(-values.T[::-1]).tolist():
        row = values[index]
        if before is None or (row != before).any():  # equals share a front
            rank = bisect_left(range(len(fronts)), True, key=is_free)
            if rank == len(fronts):
                fronts.append(np.empty((4, len(row))))
                sizes.append(0)
            elif sizes[rank] == len(fronts[rank]):
                fronts[rank] = np.concatenate([fronts[rank], np.empty_like(fronts[rank])])
            fronts[rank][sizes[rank]] = row
            sizes[rank] += 1
            before = row
        ranks[index] = rank
    return ranks


def _ranks_by_two(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the same for two objectives, in n log n steps and without a matrix of all pairs.

    Whoever dominates another comes before it, by the first objective and then by the second. So an
    individual belongs to the first front whose best second objective so far is below its own.
    Source: Jensen, "Reducing the run-time complexity of multiobjective EAs" (2003).
    """
    ranks = np.empty(len(values), dtype=np.int64)
    tops: list[float] = []  # of each front, with the sign changed: they rise from front to front
    before: tuple[float, float] | None = None
    rank = 0
    for index in np.lexsort((-values[:, 1], -values[:, 0])).tolist():
        first, second = values[index].tolist()
        if (first, second) != before:  # equals share a front
            rank = bisect_right(tops, -second)
            tops[rank : rank + 1] = [-second]
            before = first, second
        ranks[index] = rank
    return ranks


def crowding_distances(objectives: ArrayLike, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distance of each individual from its neighbours on its front; ends are infinite.

    A distance is the sum, over the objectives, of the gap between both neighbours as a share of the
    range on the front.
    """
    values = _as_objectives(objectives)
    distances = np.zeros(len(values))
    by_rank = np.argsort(ranks, kind="stable")
    _, begins = np.unique(ranks[by_rank], return_index=True)
    for members in np.split(by_rank, begins[1:]):
        for column in values.T:
            order = members[np.argsort(column[members], kind="stable")]
            sorted_values = column[order]
            distances[order[[0, -1]]] = np.inf
            span = sorted_values[-1] - sorted_values[0]
            if span > 0 and np.isfinite(span):
                distances[order[1:-1]] += (sorted_values[2:] - sorted_values[:-2]) / span
    return distances


def pareto_selection(objectives: ArrayLike, count: int, stream: Stream) -> list[int]:
    """Return *count* winners of tournaments between two uniform picks with replacement.

    The lower front wins, on the same front the less crowded pick, among equals the first pick.
    Of individuals equal in all objectives only the first belongs to its front, and the others rank
    last: copies would fill a front, and the smallest trees are copied most. Source:
    Deb, Pratap, Agarwal & Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II"
    (2002).
    """
    values = _as_objectives(objectives)
    ranks = pareto_ranks(values)
    ranks[list(_copies(values))] = len(values)
    distances = crowding_distances(values, ranks)
    keys = list(zip(ranks.tolist(), (-distances).tolist(), strict=True))
    winners: list[int] = []
    for _ in range(count):
        first, second = stream.below(len(keys)), stream.below(len(keys))
        winners.append(second if keys[second] < keys[first] else first)
    return winners


def pareto_survival(objectives: ArrayLike, count: int) -> list[int]:
    """Return the *count* individuals that live on: front after front, the least crowded first.

    It draws nothing. No individual of a front is left out for one of a later front; only the last
    front that has room is cut, where it is most crowded. As in `pareto_selection`, of individuals
    equal in all objectives the first stands on its front, and the others come after all fronts.
    With *objectives* of parents and their offspring, and parents drawn by `pareto_selection`, this
    is NSGA-II. Source: Deb, Pratap, Agarwal & Meyarivan (2002), section III.C.
    """
    values = _as_objectives(objectives)
    if not 0 <= count <= len(values):
        raise ValueError(f"count: {count} cannot live on of {len(values)}")
    ranks = pareto_ranks(values)
    ranks[list(_copies(values))] += len(values)
    distances = crowding_distances(values, ranks)
    order: list[int] = np.lexsort((-distances, ranks)).tolist()
    return order[:count]


def _copies(values: NDArray[np.float64]) -> Iterator[int]:
    """Yield the individuals that equal an earlier one in all objectives."""
    seen: set[tuple[float, ...]] = set()
    for index, row in enumerate(map(tuple, values.tolist())):
        if row in seen:
            yield index
        seen.add(row)


def pareto_front(objectives: ArrayLike) -> list[int]:
    """Return the indices of undominated individuals, by descending first objective.

    Only the first of individuals that are equal in all objectives is returned.
    """
    values = _as_objectives(objectives)
    front: list[int] = []
    # Whoever dominates another comes before it in this order, and so does the first of equals.
    for index in np.lexsort(-values.T[::-1]).tolist():
        if not (values[front] >= values[index]).all(axis=1).any():
            front.append(index)
    return front


def _as_objectives(objectives: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(objectives, dtype=np.float64)
    if values.ndim != 2 or not values.size:
        raise ValueError("objectives: at least one individual and one objective are needed")
    return np.where(np.isnan(values), -np.inf, values)
