"""What charts of a run show, declared once: the page of `evoply web` and the report draw them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A number of every step, as a line of a plot."""

    name: str
    of: str | Callable[[Row], float | None] = ""
    """Its key in a row, or how it follows from one; empty: its name."""
    color: int | None = None
    """Its place among the colours; by default its place among the lines."""
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
    """The key in a row of what the lines are drawn over."""
    x_title: str = ""
    """What it is called; empty: by its key."""
    is_share: bool = False
    """Whether the numbers are shares in [0, 1]."""
    from_zero: bool = False
    after: int = 0
    """How many of the first steps have no such number, if there are more steps than these."""
