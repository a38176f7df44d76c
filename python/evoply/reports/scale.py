"""What a player's values mean to people: a final difference in discs, or expected points.

Every evaluator has a scale of its own. Where nothing says what it means, games tell: the player
plays itself one ply ahead, with slips, and its values of the boards are compared with how the games
ended. In a game that is counted in pieces (Othello) a value times a factor is the final difference;
the factor changes with the pieces on the board. In other games a value times a factor is how far
the result is from a draw, squashed by tanh; points are 1 for a win and 0.5 for a draw.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena.schedule import Schedule, end_for_black, play_in_kernel
from evoply.expressions import outputs_to_json
from evoply.games import game_rules
from evoply.players import AlphaBeta, Player, PlayerKind, ValuingPlayer, model_of, steady_player
from evoply.players.packed import PackedTables
from evoply.players.strong import Strong, strong_tables
from evoply.protocols import CERTAIN, Position, Row

Grade = Literal["", "inaccuracy", "mistake", "blunder"]
_NAMES: tuple[Grade, ...] = ("inaccuracy", "mistake", "blunder")
Unit = Literal["discs", "points", "none"]
"""Discs, points of a game, or the player's own scale where its values foretell nothing."""

LEVEL_LOSSES = {
    "othello": (
        (14.0, 22.0, 34.0),
        (11.0, 20.0, 34.0),
        (10.0, 16.0, 26.0),
        (7.0, 12.0, 20.0),
        (4.5, 8.5, 17.0),
        (3.0, 6.0, 14.0),
    ),
    "checkers": ((0.075, 0.165, 0.36), (0.05, 0.135, 0.31)),
}
"""What a quarter, a tenth and a fiftieth of the moves of each level of `strong` lose at least, from
level 1 on, in the unit of the game; the next level loses what counts for everybody. Measured in 20
games of each level with itself: docs/design/page.md."""
_GAMES = 400
_SLIPS = 0.15
_KNOTS = 4
_LEAST_CORRELATION = 0.1
"""Values that foretell the end of games worse than this have no unit."""
_LARGEST_SLOPE = 1e6
_ROUNDS = 40

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scale:
    """Turns values of a player to the unit of its game."""

    unit: Unit
    squares: int
    """Squares of the board: the most discs that a game can be won by."""
    pieces: tuple[float, ...] = (0.0,)
    """Numbers of pieces on the board where the factors hold; between them they are interpolated."""
    factors: tuple[float, ...] = (1.0,)

    def factor(self, position: Position) -> float:
        """Return by what values at *position* are multiplied; always more than 0."""
        black, white = position.row[:2]
        return float(np.interp((black | white).bit_count(), self.pieces, self.factors))

    def worth(self, value: float, position: Position) -> float:
        """Return what a *value* that a search at *position* found is worth in the unit.

        It is for the same side as *value*. A certain win is all squares, or a whole point.
        """
        if self.unit == "none":
            return value + 0.0
        if self.unit == "points":
            certain = abs(value) >= CERTAIN
            share = math.copysign(1.0, value) if certain else self._share(value, position)
            return (1.0 + share) / 2.0
        if abs(value) >= CERTAIN:
            return math.copysign(float(self.squares), value)
        discs = value * self.factor(position)
        return min(max(discs, -float(self.squares)), float(self.squares)) + 0.0

    def _share(self, value: float, position: Position) -> float:
        return math.tanh(value * self.factor(position))

    def opposite(self, worth: float) -> float:
        """Return what is worth *worth* to one side for the other one."""
        return 1.0 - worth if self.unit == "points" else 0.0 - worth

    def text(self, worth: float, *, is_exact: bool = False) -> str:
        """Return a worth as people read it.

        >>> Scale("discs", 64).text(3.04), Scale("discs", 64).text(-4.0, is_exact=True)
        ('+3.0', '-4')
        >>> Scale("points", 64).text(0.5), Scale("none", 64).text(0.12345)
        ('50 %', '0.1235')
        """
        if self.unit == "points":
            return f"{100 * worth:.0f} %"
        if self.unit == "discs":
            return f"{worth + 0.0:+.0f}" if is_exact else f"{round(worth, 1) + 0.0:+.1f}"
        if abs(worth) >= CERTAIN:
            return "a win" if worth > 0 else "a loss"
        return f"{round(worth, 6) + 0.0:.4g}"

    def precise_text(self, worth: float) -> str:
        """Return a worth with two more digits, where two would look alike."""
        if self.unit == "none":
            return f"{worth:.6g}"
        return f"{100 * worth:.2f} %" if self.unit == "points" else f"{worth + 0.0:+.3f}"

    def change_text(self, difference: float) -> str:
        """Return a difference with its sign, in few digits.

        >>> Scale("discs", 64).change_text(-1.234), Scale("points", 64).change_text(0.0312)
        ('-1.2', '+3.1 %')
        """
        if self.unit == "points":
            return f"{100 * difference:+.2g} %"
        return f"{difference:+.2g}" if self.unit == "discs" else f"{difference:+.3g}"

    def difference_text(self, difference: float, *, is_exact: bool = False) -> str:
        """Return a difference of two worths, 0 or more, with its unit.

        >>> Scale("discs", 64).difference_text(1.0, is_exact=True)
        '1 disc'
        >>> Scale("points", 64).difference_text(0.127)
        '12.7 % of a point'
        """
        if self.unit == "points":
            return f"{100 * difference:.1f}".removesuffix(".0") + " % of a point"
        if self.unit == "discs":
            number = f"{difference:.0f}" if is_exact else f"{difference:.1f}".removesuffix(".0")
            return f"{number} disc{'s' * (number != '1')}"
        return "a certain result" if difference >= CERTAIN else f"{difference:.4g}"

    @property
    def bounds(self) -> tuple[tuple[Grade, float], ...]:
        """What a move loses at least to be an inaccuracy, a mistake, a blunder; none without unit.

        Two, five and ten discs; or 5, 10 and 20 % of a point.
        """
        sizes = {"discs": (2.0, 5.0, 10.0), "points": (0.05, 0.1, 0.2)}.get(self.unit, ())
        return tuple(zip(_NAMES, sizes, strict=False))

    def grade(self, loss: float) -> Grade:
        """Return what a move that loses *loss* is called; "" for less than an inaccuracy."""
        called: Grade = ""
        for name, least in self.bounds:
            called = name if loss >= least else called
        return called


def bounds_of_levels(game: str) -> tuple[tuple[tuple[Grade, float], ...], ...]:
    """Return `Scale.bounds` for people who play like a level of `strong`, from level 1 on.

    Whoever plays like a beginner has enough to do with what costs a beginner most. Levels that are
    not there have the bounds of the scale.

    >>> bounds_of_levels("othello")[0][1]
    ('mistake', 22.0)
    """
    return tuple(tuple(zip(_NAMES, sizes, strict=True)) for sizes in LEVEL_LOSSES.get(game, ()))


def scale_of(player: Player, game: str) -> Scale:
    """Return the scale of *player*'s values in *game*.

    `ValueError` if its boards have no values.
    """
    model = model_of(player)
    packed = tables_of(model)
    squares = game_rules(game).shape.squares
    if packed is not None and packed.unit == "discs":
        return Scale("discs", squares)
    if packed is not None:
        return Scale("points", squares)  # a value is the result that tables expect, by tanh
    return _fitted(steady_player(model), game)


def tables_of(model: PlayerKind) -> PackedTables | None:
    """Return the tables of a player that comes with some."""
    return strong_tables(model.game) if isinstance(model, Strong) else None


@lru_cache(maxsize=64)
def _fitted(player: ValuingPlayer, game: str) -> Scale:
    """Return the scale that games of *player* with itself tell; the same every time."""
    rules = game_rules(game)
    unit: Unit = "discs" if rules.solver else "points"
    program = _native.Program(rules.kernel, outputs_to_json((player.evaluator.value,), rules.shape))
    rows, ends = _boards_and_ends(player, program, game)
    # Where own is who chooses, boards with the other side to move are valued as well.
    if player.view == "player" and player.plies_ahead % 2 == 1:
        rows = [(row[0], row[1], row[2], not row[3], row[4], row[5]) for row in rows]
        ends = -ends
    values = program.evaluate(_native.Positions(rules.kernel, rows))[:, 0] if rows else ends
    known = np.isfinite(values)
    rows = [row for row, is_known in zip(rows, known.tolist(), strict=True) if is_known]
    values, ends = values[known], ends[known]
    size = float(np.sqrt((values**2).sum() * (ends**2).sum()))
    if size == 0.0 or float((values * ends).sum()) / size < _LEAST_CORRELATION:
        return Scale("none", rules.shape.squares)
    pieces = np.array([(row[0] | row[1]).bit_count() for row in rows], dtype=np.float64)
    if unit == "discs":
        return _discs(values, ends, pieces, rules.shape.squares)
    return Scale("points", rules.shape.squares, factors=(_steepness(values, ends),))


def _boards_and_ends(
    player: ValuingPlayer, program: _native.Program, game: str
) -> tuple[list[Row], Array]:
    """Return boards of games of *player* one ply ahead, and how each ended for its side to move."""
    rules = game_rules(game)
    seats = np.zeros(_GAMES // 2, dtype=np.uint32)
    start = rules.start().row
    opening = min(rules.opening_plies, 8)
    schedule = Schedule.pairs(
        seats, seats, stream=Stream(0, "scale"), opening_plies=opening, start=start
    )
    search = AlphaBeta(
        evaluator=player.evaluator, view=player.view, depth=1, ties="random", epsilon=_SLIPS
    )
    played = play_in_kernel(game, [search.with_program(game, program)], schedule, record_moves=True)
    assert played.moves is not None  # they were recorded
    rows: list[Row] = []
    ends: list[float] = []
    for number, codes in enumerate(played.moves):
        end = end_for_black(played, number, game)
        along = _native.rows_along(rules.kernel, start, codes)[opening:-1]
        rows += along
        ends += [end if row[3] else -end for row in along]
    return rows, np.array(ends)


def _discs(values: Array, ends: Array, pieces: Array, squares: int) -> Scale:
    """Return the factors by which *values* come nearest to the differences *ends*."""
    knots = np.linspace(pieces.min(), pieces.max(), _KNOTS)
    hats = np.stack([np.interp(pieces, knots, row) for row in np.eye(_KNOTS)], axis=1)
    seen = hats * values[:, None]
    # A little of the factor of all stages together holds stages that say nothing.
    overall = float((values * ends).sum() / (values**2).sum())
    pull = 1e-3 * float((values**2).sum()) / _KNOTS
    left, right = seen.T @ seen + pull * np.eye(_KNOTS), seen.T @ ends + pull * overall
    factors = np.linalg.solve(left, right).clip(0.05 * overall, _LARGEST_SLOPE)
    return Scale("discs", squares, tuple(knots.tolist()), tuple(map(_rounded, factors.tolist())))


def _steepness(values: Array, ends: Array) -> float:
    """Return the factor k by which tanh(k * value) comes nearest to the results *ends*."""
    # The error has one valley between a slope that says nothing and one that says all.
    low, high = math.log(1e-4 / np.abs(values).max()), math.log(1e2 / np.abs(values).mean())
    golden = (math.sqrt(5.0) - 1.0) / 2.0

    def error(exponent: float) -> float:
        return float(((ends - np.tanh(math.exp(exponent) * values)) ** 2).sum())

    for _ in range(_ROUNDS):
        first, second = high - golden * (high - low), low + golden * (high - low)
        if error(first) < error(second):
            high = second
        else:
            low = first
    return _rounded(math.exp((low + high) / 2))


def _rounded(factor: float) -> float:
    """Return *factor* in four digits, so that no library's rounding is seen."""
    return float(f"{factor:.4g}")
