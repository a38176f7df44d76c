"""The data of charts: named values over numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one name, some of which may be missing, with intervals where there are any."""

    name: str
    values: Sequence[float | None]
    intervals: Sequence[tuple[float, float] | None] = ()
    color: int | None = None
    """Its place among the colours; by default its place among the series."""
    is_dashed: bool = False
    symbol: str = "circle"


@dataclass(frozen=True, slots=True)
class Lines:
    """Everything that a chart of lines shows."""

    x: Sequence[float]
    series: Sequence[Series]
    x_title: str
    y_title: str
    is_share: bool = False
    """Whether values are shares in [0, 1]."""
    from_zero: bool = False
    is_log: bool = False
    """Whether x is logarithmic."""


def sampled(values: Sequence[Any], most: int) -> list[Any]:
    """Return at most *most* of *values*, evenly spaced, the first and the last among them.

    >>> sampled(range(11), 3)
    [0, 5, 10]
    """
    if len(values) <= most:
        return list(values)
    return [values[round(index * (len(values) - 1) / (most - 1))] for index in range(most)]
