"""Parsimony: pressure against growth that costs no strength.

Each function returns the fitness to select by; the fitness itself is maximised and stays what it
was. Breaking ties in favour of the smaller tree (lexicographic parsimony) is part of
`evoply.gp.tournament_selection`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from evoply._native import Stream


def length_penalised(
    fitness: Sequence[float], lengths: Sequence[int], coefficient: float
) -> list[float]:
    """Return the fitness less *coefficient* times the length (gpjpp: length / 1000)."""
    return [value - coefficient * length for value, length in zip(fitness, lengths, strict=True)]


def covariant_penalised(fitness: Sequence[float], lengths: Sequence[int]) -> list[float]:
    """Return the fitness less c times the length, c = cov(length, fitness) / var(length).

    Under selection in proportion to fitness this keeps the expected mean length where it is; with
    other selections it works against growth all the same. Source: Poli & McPhee, "Parsimony
    pressure made easy" (2008).
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
    """Return the fitness, NaN with *probability* for each individual longer than the mean.

    NaN is selected only if there is nothing else. Source: Poli, "A simple but theoretically
    motivated method to control bloat in genetic programming" (2003).
    """
    mean = fmean(lengths)
    return [
        math.nan if length > mean and stream.random() < probability else value
        for value, length in zip(fitness, lengths, strict=True)
    ]
