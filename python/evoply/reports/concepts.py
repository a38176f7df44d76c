"""What players of a game count: concepts, read from the positions of expected lines.

A concept is read from boards and moves alone, never from the tables that valued them. Each has a
family, whose concepts are added up, and words. What a concept is worth was fitted once
(`benchmarks/fit_concepts.py`), with no weight below 0: so none speaks against its own sign. This
module knows no game; `concept_tables` has one table a game.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.expressions import Number, outputs_to_json
from evoply.games import game_rules
from evoply.games.squares import square_name, squares_in
from evoply.protocols import Color, GameRecord, Position

END = 99
"""Plies that no line has: the concept is read at its end."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """An expected line and what is counted along it, for the side that moves first."""

    record: GameRecord
    counts: NDArray[np.float64]
    """A row for each position, from that before the move on; a column for each expression."""

    @property
    def color(self) -> Color:
        """The side that moves first."""
        color: Color = self.record.positions[0].turn
        return color

    @property
    def move(self) -> str:
        """The first move as text."""
        return self.texts[0]

    @property
    def texts(self) -> tuple[str, ...]:
        """The moves as texts."""
        return self.record.move_texts()

    def at(self, plies: int) -> Position:
        """Return the position after so many *plies*, or the last one."""
        position: Position = self.record.positions[min(plies, len(self.record))]
        return position

    def arrivals(self, plies: int) -> list[tuple[bool, int]]:
        """Return who moved, the first side or not, and where to, for the first *plies* moves."""
        moves = zip(self.record.positions, self.record.moves[:plies], strict=False)
        return [
            (position.turn is self.color, -1 if move.is_pass else move.path[-1])
            for position, move in moves
        ]

    def named(self, squares: int) -> list[str]:
        """Return the names of *squares*, given as bits."""
        shape = self.record.position.shape
        return [square_name(square, shape) for square in squares_in(squares)]

    def until(self, ply: int) -> str:
        """Return the moves after the first one, up to that number *ply*, as text."""
        return " ".join(self.texts[1 : ply + 1])


@dataclass(frozen=True, slots=True)
class Told:
    """Two lines of which a concept speaks, that for which it speaks first."""

    good: ReadLine
    bad: ReadLine
    x: float
    """What the concept counts after the first move."""
    y: float
    is_bad_first: bool = False
    """Whether a clause about counts begins with the other line."""

    @property
    def me(self) -> str:
        """The side whose moves these are."""
        return str(self.good.color)

    @property
    def opp(self) -> str:
        """The other side."""
        return str(self.good.color.opposite)


Words = Callable[[Told], str]
"""A clause about two lines; "" if there is nothing that a person would see."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that players count; in its expression *own* is the side whose move it is."""

    family: str
    """Concepts of one family are added up."""
    sign: int
    """1 if more of it is good for that side, else -1."""
    plies: int
    """It is read so many plies after the beginning of the line; `END`: where the line ends."""
    value: Number | Callable[[ReadLine, ReadLine], float]
    """An expression, or a function of a line and the other one."""
    words: Words | None = None
    """None for what is counted but never said."""
    least: float = 1.0
    """A smaller difference is seen by nobody and not said."""
    answer: Words | None = None
    """The answer to the bad move that the words name, which a search can test; "" for none."""


def number_text(count: float, things: str) -> str:
    """Return a count with its things, which stand in the singular; of more the first word gets s.

    >>> number_text(0, "safe move"), number_text(1, "safe move"), number_text(3, "safe move")
    ('no safe move', '1 safe move', '3 safe moves')
    """
    return f"{f'{count:g}' if count else 'no'} {things}{'s' * (count > 1)}"


def counted(template: str, things: str) -> Words:
    """Return words that name both moves and both counts.

    The *template* has {a} and {c} for the moves, {x} for the first count with its *things*, {y} for
    the second count alone, {me} and {opp} for the sides.
    """

    def words(told: Told) -> str:
        (a, x), (c, y) = (told.good.move, told.x), (told.bad.move, told.y)
        if told.is_bad_first:
            a, x, c, y = c, y, a, x
        return template.format(
            a=a,
            c=c,
            x=number_text(x, things),
            y=f"{y:g}" if y else "none",
            me=told.me,
            opp=told.opp,
        )

    return words


@dataclass(frozen=True)
class Concepts:
    """The concepts of a game with their weights."""

    game: str
    concepts: Mapping[str, Concept]
    least: float
    """A difference below this has no reason: half a disc, or so much on the scale of results."""
    bounds: tuple[int, ...] = ()
    """Stages of a game: the moves left above which each holds; the last has the rest."""
    weights: Mapping[str, Sequence[float]] | None = None
    """What one more of each concept is worth, by stage; None before they are fitted."""
    answer_words: Callable[[ReadLine], str] | None = None
    """What the answer to the move of a line does, in a clause after "which"; "" for nothing."""

    @cached_property
    def _expressions(self) -> dict[str, int]:
        """The columns of the concepts that are expressions; equal ones share a column."""
        columns: dict[Number, int] = {}
        return {
            name: columns.setdefault(concept.value, len(columns))
            for name, concept in self.concepts.items()
            if isinstance(concept.value, Number)
        }

    @cached_property
    def _program(self) -> _native.Program:
        rules = game_rules(self.game)
        outputs = dict.fromkeys(self.concepts[name].value for name in self._expressions)
        return _native.Program(rules.kernel, outputs_to_json(list(outputs), rules.shape))  # type: ignore[arg-type]

    def without(self, *families: str) -> Concepts:
        """Return the concepts of all other families."""
        kept = {
            name: concept
            for name, concept in self.concepts.items()
            if concept.family not in families
        }
        return replace(self, concepts=kept)

    def read(self, records: Sequence[GameRecord]) -> list[ReadLine]:
        """Return *records* as lines, their positions counted in one call of the kernel."""
        rows = []
        for record in records:
            is_black = record.positions[0].turn is Color.BLACK
            # The kernel takes own for the side to move; nothing counted depends on who moves.
            rows += [(*at.row[:3], is_black, *at.row[4:]) for at in record.positions]
        positions = _native.Positions(game_rules(self.game).kernel, rows)
        nothing = np.empty((len(rows), 0))
        counts = self._program.evaluate(positions) if self._expressions else nothing
        lengths = np.cumsum([len(record.positions) for record in records])[:-1]
        return [
            ReadLine(record, part)
            for record, part in zip(records, np.split(counts, lengths), strict=True)
        ]

    def count(self, name: str, line: ReadLine, other: ReadLine) -> float:
        """Return what the concept *name* counts along *line*."""
        concept = self.concepts[name]
        if isinstance(concept.value, Number):
            return float(line.counts[min(concept.plies, len(line.record)), self._expressions[name]])
        return float(concept.value(line, other))

    def counts(self, line: ReadLine, other: ReadLine) -> NDArray[np.float64]:
        """Return what each concept counts along *line*."""
        return np.array([self.count(name, line, other) for name in self.concepts])

    def differences(self, first: ReadLine, second: ReadLine) -> NDArray[np.float64]:
        """Return how much each concept speaks for *first* against *second*, unweighted."""
        signs = np.array([concept.sign for concept in self.concepts.values()])
        found: NDArray[np.float64] = signs * (
            self.counts(first, second) - self.counts(second, first)
        )
        return found

    def stage(self, position: Position) -> int:
        """Return the stage of the game at *position*, from 0 on."""
        left = game_rules(self.game).moves_left(position) or 0
        return sum(left <= bound for bound in self.bounds)

    def parts(self, first: ReadLine, second: ReadLine) -> dict[str, float]:
        """Return how much each concept makes *first* better than *second*, by its weight."""
        assert self.weights is not None  # only a fit reads without them
        stage = self.stage(first.at(0))
        weights = [self.weights[name][stage] for name in self.concepts]
        values = self.differences(first, second) * np.array(weights)
        return dict(zip(self.concepts, values.tolist(), strict=True))


def fitted(name: str) -> dict[str, Any]:
    """Return what the file of fitted weights *name* holds."""
    file = Path(__file__).with_name(f"concepts-{name}.json")
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data
