"""The numbers of every step of a run as columns, declared once.

The live display, the table of steps, charts and the table of a page follow from the same columns. A
row is a step from the store: number, digest, statistics, seconds.
"""

from collections.abc import Mapping, Sequence
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


def table(
    columns: Columns, rows: Sequence[Row], *, is_whole: bool = False
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return head and rows of the table of steps, *is_whole*: all columns, not only listed ones."""
    listed = [column for column in columns if is_whole or column.is_listed]
    cells = [tuple(column.text(row) for column in listed) for row in rows]
    return tuple(column.label for column in listed), cells
