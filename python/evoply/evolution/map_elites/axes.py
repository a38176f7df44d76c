"""The axes of a map in a config: what each describes, in which range, and in how many bins.

A descriptor is a fact of an individual's games, a feature of the game's boards, or the user's own
function of the games. Those with names of their own stand in tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from evoply.configs.own_code import is_own_code, pinned_text, text_of
from evoply.configs.part import Part, Problem
from evoply.evolution.map_elites.space import At, Bins, Space
from evoply.expressions import Number, divide, find_primitive_set, less, outputs_to_json, select
from evoply.expressions.features import FEATURES, corners, mobility
from evoply.games import game_rules
from evoply.wording import did_you_mean, shorten

MOST_CELLS = 1024
"""Cells of the largest map: all its elites play in every generation."""
MOST_AXES = 8
FACTS_OF_GAMES = ("size", "length")
"""Descriptors that look at no board."""


_OWN, _TOTAL = mobility("own"), mobility("own") + mobility("opponent")


@dataclass(frozen=True, slots=True)
class NamedCount:
    """A count that every game has, with what is usual for it."""

    expression: Number
    at: At
    low: float
    high: float
    words: str
    """What an axis of it says in a picture."""


NAMED_COUNTS: Mapping[str, NamedCount] = MappingProxyType(
    {
        "mobility": NamedCount(
            select(less(0, _TOTAL), divide(_OWN, _TOTAL), 0.5),
            "turns", 0.4, 0.8, "mobility: own share of legal moves",
        ),
        "corners": NamedCount(corners("own"), "end", 0.0, 4.0, "corners held at the end"),
    }
)  # fmt: skip
"""Counts with names of their own, which come before those of a game."""


def counts_of(game: str) -> Mapping[str, Number]:
    """Return the features of the boards of *game* by name; some may not fit its board."""
    sets = [find_primitive_set(name, game) for name in ("any-game", *game_rules(game).readable)]
    return {
        **{
            primitive.name: primitive.expression
            for primitives in sets
            for primitive in primitives.terminals
            if isinstance(primitive.expression, Number) and primitive.parameter is None
        },
        **FEATURES,
    }


def count_called(name: str, game: str) -> Number:
    """Return the count on boards of *game* that *name* means; `ValueError` if there is none."""
    if name in NAMED_COUNTS:
        return NAMED_COUNTS[name].expression
    counts = counts_of(game)
    if name not in counts:
        known = [*FACTS_OF_GAMES, *NAMED_COUNTS, *counts]
        hint = did_you_mean(name, known) or f" - there are {', '.join(known)}"
        raise ValueError(f"{game} has no feature {shorten(name)!r}{hint}")
    try:
        outputs_to_json([counts[name]], game_rules(game).shape)
    except ValueError as error:
        raise ValueError(f"{name} does not fit the board of {game}: {error}") from None
    return counts[name]


def _named(given: Any) -> Any:
    """Return the text that names a descriptor; a function of the user becomes its pinned name."""
    if callable(given):
        return text_of(given)
    return pinned_text(given) if is_own_code(given) else given


class Axis(Part):
    """An axis of the map: what it describes, in which range, and in how many bins.

    A value outside the range counts as one of the first or of the last bin.
    """

    descriptor: Annotated[str, BeforeValidator(_named)]
    """`size`: nodes. `length`: mean plies of its games. `mobility`: the mean share of all legal
    moves that are its own where it is its turn, 0.5 for as many as the opponent's. `corners`: mean
    corners that it holds at the end. Any feature of the game, such as `own_frontier`. Or your own
    function of the games, as `python:FILE.py:NAME`."""
    bins: int = Field(default=10, ge=2, le=64)
    """How many cells a grid has along this axis; Voronoi cells know no bins."""
    low: float | None = None
    """Where the first bin begins; None: what is usual for the descriptor."""
    high: float | None = None
    """Where the last bin ends; None: what is usual for the descriptor."""
    at: At | None = None
    """Where a feature is counted: `turns`, the mean where it is the individual's turn, or `end`,
    the mean at the end of its games. None: what is usual for the descriptor, else `turns`."""

    def in_range(self, game: str, max_nodes: int | None) -> Bins:
        """Return the axis with its range; `ValueError` if it has none in *game*.

        *max_nodes* is None where individuals have no common limit.
        """
        low, high = self._usual_range(game, max_nodes)
        low = low if self.low is None else self.low
        high = high if self.high is None else self.high
        if low is None or high is None:
            raise ValueError(f"{self.descriptor} has no usual range in {game} - give low and high")
        named = NAMED_COUNTS.get(self.descriptor)
        at = self.at or (named.at if named is not None else "turns")
        return Bins(self.descriptor, self.bins, low, high, at)

    @property
    def is_count(self) -> bool:
        """Whether it is counted on boards."""
        return self.descriptor not in FACTS_OF_GAMES and not is_own_code(self.descriptor)

    def _usual_range(self, game: str, max_nodes: int | None) -> tuple[float | None, float | None]:
        """Return where most individuals lie, if it is known."""
        match self.descriptor:
            case "size":
                return 1.0, None if max_nodes is None else max_nodes + 1.0
            case "length":
                length = game_rules(game).length
                return (None, None) if length is None else (0.75 * length, length + 1.0)
            case name if name in NAMED_COUNTS:
                return NAMED_COUNTS[name].low, NAMED_COUNTS[name].high
        return None, None


def space_of(
    axes: Sequence[Axis], voronoi_cells: int | None, game: str, max_nodes: int | None
) -> Space:
    """Return the space of *axes*; `ValueError` if one of them has no range."""
    return Space(tuple(axis.in_range(game, max_nodes) for axis in axes), voronoi_cells)


def axis_problems(
    axes: Sequence[Axis], voronoi_cells: int | None, game: str, max_nodes: int | None
) -> Iterator[Problem]:
    """Yield what makes no map, with paths that begin at the axes."""
    known: set[str] = set()
    for number, axis in enumerate(axes):
        path = f"axes.{number}"
        try:
            if axis.is_count:
                count_called(axis.descriptor, game)
        except ValueError as error:
            yield f"{path}.descriptor", str(error)
            continue
        if axis.at is not None and not axis.is_count:
            name = "your own function" if is_own_code(axis.descriptor) else axis.descriptor
            yield f"{path}.at", f"{name} is not counted on boards - leave it out"
        try:
            bins = axis.in_range(game, max_nodes)
        except ValueError as error:
            yield f"{path}.low", str(error)
            continue
        if bins.name in known:
            yield f"{path}.descriptor", f"{bins.name} is an axis already - give another one"
        known.add(bins.name)
        if bins.low >= bins.high:
            order = f"{bins.low:g} is not below high, {bins.high:g} - give less"
            yield f"{path}.low", order
    cells = voronoi_cells or math.prod(axis.bins for axis in axes)
    if cells > MOST_CELLS:
        too_many = f"{cells:,} cells are more than {MOST_CELLS:,}"
        yield "axes", f"{too_many} - give fewer bins or axes, or voronoi_cells"
