"""The concepts of checkers: what the first exchange wins or loses, and who gets a king.

The rest is small, and counts without being said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from evoply.expressions import Number, arithmetic_sets, features
from evoply.expressions.functions import divide
from evoply.games import GameRules
from evoply.protocols import Color, Position
from evoply.reports.concepts import END, Concept, ReadLine, Told

_MOST_SHOWN = 8
"""Moves of a line that are shown at most."""


def _lead(feature: Callable[..., Number], *options: Any) -> Number:
    return feature("own", *options) - feature("opponent", *options)


def _pieces(side: str) -> Number:
    return arithmetic_sets.men(side) + arithmetic_sets.kings(side)


def _share() -> Number:
    """Return the lead in pieces as a share of all: a piece more counts for more among few."""
    return divide(_lead(_pieces), _pieces("own") + _pieces("opponent"), when_zero="one")


def _until_last_capture(line: ReadLine) -> str:
    """Return the moves up to the last capture in brackets; "" if the first move is that."""
    pieces = [sum(map(at.pieces, Color)) for at in line.record.positions]
    plies = [ply for ply, (before, after) in enumerate(pairwise(pieces)) if after < before]
    return shown(line, plies[-1] if plies else 0)


def shown(line: ReadLine, ply: int) -> str:
    """Return the moves after the first one up to that number *ply*, in brackets; "" for none."""
    moves = line.texts[1 : ply + 1]
    cut = " ..." if len(moves) > _MOST_SHOWN else ""
    return f" ({' '.join(moves[:_MOST_SHOWN])}{cut})" if moves else ""


def piece_words(told: Told) -> str:
    """Return who wins or loses how many pieces, with the moves up to the last capture."""
    won_by, lost = (_gain(line) for line in (told.good, told.bad))
    if won_by > 0:
        other = f", {told.bad.move} {lost}" if lost > 0 else ""
        what = _pieces_text(won_by)
        return f"{told.good.move} wins {what}{_until_last_capture(told.good)}{other}"
    other = f", {told.good.move} {-won_by}" if won_by < 0 else ""
    what = _pieces_text(-lost)
    return f"{told.bad.move} loses {what}{_until_last_capture(told.bad)}{other}"


def _pieces_text(count: int) -> str:
    return "a piece" if count == 1 else f"{count} pieces"


def _gain(line: ReadLine) -> int:
    """Return the pieces that the side wins along the line, less those that it loses."""
    color, start, end = line.color, line.at(0), line.at(END)
    return (end.pieces(color) - start.pieces(color)) - (
        end.pieces(color.opposite) - start.pieces(color.opposite)
    )


def _kings(position: Position, color: Color) -> int:
    held = position.row[0 if color is Color.BLACK else 1]
    return (held & position.row[2]).bit_count()


def _crowned(line: ReadLine, color: Color) -> int | None:
    """Return the number of the ply by which *color* gets a king; None if it gets none."""
    kings = [_kings(at, color) for at in line.record.positions]
    return next((ply for ply, (old, new) in enumerate(pairwise(kings)) if new > old), None)


def _king_words(told: Told) -> str:
    own, theirs = _crowned(told.good, told.good.color), _crowned(told.bad, told.good.color.opposite)
    if own is not None and _crowned(told.bad, told.good.color) is None:
        return f"{told.good.move} gets a king{shown(told.good, own)}"
    if theirs is not None and _crowned(told.good, told.good.color.opposite) is None:
        return f"{told.bad.move} lets {told.opp} get a king{shown(told.bad, theirs)}"
    return ""


def won(line: ReadLine, other: ReadLine) -> float:
    """Return 1 if the side has won at the end of the line, -1 if it has lost."""
    outcome = line.record.outcome()
    winner = None if outcome is None else outcome.winner
    return 0.0 if winner is None else 1.0 if winner is line.color else -1.0


def won_words(told: Told) -> str:
    """Return which move wins or loses the game, with the moves up to the end."""
    if told.x > 0:
        return f"{told.good.move} wins the game{shown(told.good, len(told.good.record) - 1)}"
    return f"{told.bad.move} loses the game{shown(told.bad, len(told.bad.record) - 1)}"


def checkers_concepts(rules: GameRules) -> Mapping[str, Concept]:
    """Return the concepts on the board of *rules*; all are read where the line is quiet."""
    shape = rules.shape
    return {
        "pieces": Concept("exchange", 1, END, _lead(_pieces), piece_words),
        "kings": Concept("kings", 1, END, _lead(arithmetic_sets.kings), _king_words),
        "share": Concept("exchange", 1, END, _share()),
        "won": Concept("exchange", 1, END, won, won_words),
        "hanging": Concept("exchange", -1, END, _lead(arithmetic_sets.must_be_taken)),
        "mobility": Concept("mobility", 1, END, _lead(features.mobility)),
        "back_row": Concept("place", 1, END, _lead(arithmetic_sets.back_row, shape)),
        "centre": Concept("place", 1, END, _lead(arithmetic_sets.centre, shape)),
        "advancement": Concept("place", 1, END, _lead(arithmetic_sets.advancement, shape)),
        "runaway_men": Concept("kings", 1, END, _lead(arithmetic_sets.runaway_men)),
        "trapped_kings": Concept("kings", -1, END, _lead(arithmetic_sets.trapped_kings)),
        "opposition": Concept("mobility", 1, END, _lead(arithmetic_sets.has_the_move, shape)),
    }
