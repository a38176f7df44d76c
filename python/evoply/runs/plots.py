"""The charts of a run, declared once: the page of `evoply web` and the report draw them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A number of every step, as a line of a plot."""

    name: str
    of: str | Callable[[Row], float | None] = ""
    """Its key in a row, or a function of a row; empty: its name."""
    color: int | None = None
    """Its index among the colours; by default its index among the lines."""
    is_dashed: bool = False

    def value(self, row: Row) -> float | None:
        """Return the number in *row*; None if it is not there."""
        return row.get(self.of or self.name) if isinstance(self.of, str) else self.of(row)


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines over the steps of a run."""

    title: str
    unit: str
    lines: Sequence[PlotLine]
    note: str = ""
    x: str = "number"
    """The key in a row of the horizontal axis."""
    x_title: str = ""
    """The title of that axis; empty: its key."""
    is_share: bool = False
    """Whether the numbers are shares in [0, 1]."""
    from_zero: bool = False
    after: int = 0
    """Number of first steps without such a number, if there are more steps."""
