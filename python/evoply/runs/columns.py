"""What a run shows: the numbers of every step as columns, charts, and facts about its champion.

The live display, the table of steps, charts and the table of a page follow from the same columns. A
row is a step from the store: number, digest, statistics, seconds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evoply.sections import Column

Row = Mapping[str, Any]
_MOST_FACTS = 6
USUAL = ("number", "digest", "seconds")
"""Keys of a row beside its statistics."""


def even_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *rows* with the same cells, in the order in which they first occur; None is a gap.

    >>> even_rows([{"number": 0}, {"number": 1, "by_hand": 1.0}])
    [{'number': 0, 'by_hand': None}, {'number': 1, 'by_hand': 1.0}]
    """
    if all(row.keys() == rows[0].keys() for row in rows):
        return rows
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


Columns = Sequence[Column]


def framed(word: str, columns: Columns, *, seconds: str = "seconds") -> tuple[Column, ...]:
    """Return *columns* between those that every step has; *word* is the name of a step."""
    return (
        Column("number", word, "{:,}".format, is_fact=False),
        *columns,
        Column(seconds, "seconds", "{:.2f}".format, is_fact=False),
        Column("digest", "digest", lambda digest: str(digest[:8]), is_fact=False),
    )


def facts(columns: Columns, row: Row) -> tuple[tuple[str, str], ...]:
    """Return labels and values of the most important columns that are facts."""
    important = [column for column in columns if column.is_fact][:_MOST_FACTS]
    return tuple((column.fact or column.label, column.text(row)) for column in important)


def curves(columns: Columns, row: Row) -> dict[str, float]:
    """Return the newest point of each curve, by the curve's label."""
    points = {column.curve: column.value(row) for column in columns if column.curve}
    return {label: float(value) for label, value in points.items() if value is not None}


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


@dataclass(frozen=True, slots=True)
class PlotOfRows:
    """A plot of rows that are not the steps of a run."""

    plot: Plot
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points (x, y) of two groups; the second stands out."""

    title: str
    groups: Mapping[str, Sequence[tuple[float, float]]]
    x_title: str
    y_title: str


@dataclass(frozen=True, slots=True)
class ChampionFacts:
    """Facts about a champion beside its explanation."""

    title: str
    """Such as "19 nodes, from step 2"."""
    data: Mapping[str, Any]
    """The same facts as keys of the summary."""
    identity: Mapping[str, Any]
    """Keys that distinguish matches of this champion from those of another."""
    note: str = ""
    """What a page says beside the explanation."""


@dataclass(frozen=True, slots=True)
class LiveFacts:
    """What a live display shows of one finished step."""

    line: str
    """The step in one line of a log."""
    facts: tuple[tuple[str, str], ...]
    """Labels and values, the most important first."""
    points: Mapping[str, float]
    """The newest point of each curve, by the curve's label."""
    champion: str
    newest: Mapping[str, str] = field(default_factory=dict)
    """The newest points in words, for the curves that show them."""
    last_number: int | None = None
    """The last step the limits allow, if they count steps."""
    seconds_left: float | None = None
    note: str = ""
    """A sentence about the curves."""
