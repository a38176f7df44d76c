"""Prints a player's evaluator: expression, simplified form, words, influence of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from evoply.cli.output import Output
from evoply.sections import share
from evoply.wording import shorten

if TYPE_CHECKING:
    from evoply.reports import Explanation

_MOST_PARTS = 8
_MOST_EXCEPTIONS = 3
_LONGEST = 72
"""Characters of a part or an exception that is still easy to read."""


def say_explanation(output: Output, explained: Explanation) -> None:
    """Print everything an explanation says; last the expression in full, which may be long."""
    if explained.simplified is not None:
        output.labelled("Simplified", explained.simplified)
    for exception in explained.exceptions[:_MOST_EXCEPTIONS]:
        where = exception if len(exception) <= _LONGEST else exception.split(", where it is")[0]
        output.labelled("", shorten(where, 2 * _LONGEST))
    more = len(explained.exceptions) - _MOST_EXCEPTIONS
    if more > 0:
        output.labelled("", f"and {more} more such place{'s' * (more > 1)}")
    output.labelled("In words", explained.sentence)
    _say_parts(output, explained)
    if explained.tree is not None:
        output.labelled("Expression", explained.tree)


def _say_parts(output: Output, explained: Explanation) -> None:
    terms, what = explained.terms, "were left out"
    if not terms or any(len(part.text) > _LONGEST for part in terms):
        terms, what = explained.features, "were held at its average"
    if not terms:
        return
    count = f"{explained.positions:,}"
    output.say(
        f"Measured    how often it would choose another move if this {what} ({count} boards)"
    )
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", no_wrap=True, width=20)
    grid.add_column(overflow="fold")
    ordered = sorted(terms, key=lambda part: -part.share)
    for part in ordered[:_MOST_PARTS]:
        grid.add_row(share(part.share), part.text)
    if len(ordered) > _MOST_PARTS:
        grid.add_row("", f"and {len(ordered) - _MOST_PARTS} smaller ones")
    output.people.print(grid)
