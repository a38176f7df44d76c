"""Boards to learn from: the positions that a player meets, and the boards after their moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena import Schedule, play
from evoply.expressions import Number, board, outputs_to_json
from evoply.games import game_rules
from evoply.players import AlphaBeta, PlayerKind, ValuingPlayer
from evoply.players.kernel_seat import ALL_MOVES
from evoply.protocols import CERTAIN, Row

Array = NDArray[np.float64]
_AT_A_TIME = 100
"""Positions between two reports of progress, which also allow Ctrl-C."""


@dataclass(frozen=True, slots=True)
class Met:
    """Positions of games, with two legal moves or more."""

    rows: list[Row]
    games: NDArray[np.int64]
    """The game of each."""
    points: Array
    """Points of the side to move at the end of that game: 1, 0.5 or 0."""


@dataclass(frozen=True, slots=True)
class Boards:
    """The boards after every move of some positions, each seen by the same side as its position."""

    rows: list[Row]
    """Own is the side that chooses, as the kernel evaluates them."""
    position: NDArray[np.int64]
    """The position of each, ascending."""
    values: Array
    """The player's value of each; greater is better for the side that chooses."""
    clock: Array
    """The clock of its position, from 0 to 1."""
    games: NDArray[np.int64]
    """The game of its position."""

    def part(self, chosen: NDArray[np.bool_]) -> Boards:
        """Return some of the boards."""
        return Boards(
            [self.rows[index] for index in np.flatnonzero(chosen)],
            self.position[chosen],
            self.values[chosen],
            self.clock[chosen],
            self.games[chosen],
        )


def boards_met(
    player: PlayerKind,
    game: str,
    *,
    games: int,
    seed: int,
    random_moves: float,
    opening_plies: int,
    threads: int = 0,
) -> Met:
    """Return the positions of *games* games of *player* with itself, which errs now and then."""
    erring = player.erring(random_moves)
    rules = game_rules(game)
    start = rules.start().row
    schedule = Schedule.pairs(
        np.zeros((games + 1) // 2, dtype=np.uint32),
        np.ones((games + 1) // 2, dtype=np.uint32),
        stream=Stream(seed, "boards"),
        opening_plies=opening_plies,
        start=start,
    )
    results = play(game, [erring, erring], schedule, threads=threads, record_moves=True)
    rows: list[Row] = []
    of_game: list[int] = []
    points: list[float] = []
    for number, (codes, black) in enumerate(
        zip(results.moves or [], results.black_points.tolist(), strict=True)
    ):
        along = _native.rows_along(rules.kernel, start, codes)
        for row in along[opening_plies:]:
            if len(_native.legal_moves(rules.kernel, row)) > 1:
                rows.append(row)
                of_game.append(number)
                points.append(black if row[3] else 1 - black)
    return Met(rows, np.array(of_game, dtype=np.int64), np.array(points))


def boards_after(
    player: ValuingPlayer,
    game: str,
    met: Met,
    *,
    seed: int,
    progress: Callable[[int], object] | None = None,
) -> Boards:
    """Return the boards after all moves of the positions *met*, with *player*'s values of them.

    Positions are left out where a move ends the game, or where a search sees how it ends: such
    values are no opinions, and far from all others. So the exact solver is not asked, either.
    *progress* is called now and then with the number of positions done.
    """
    rules = game_rules(game)
    kernel = rules.kernel
    if isinstance(player, AlphaBeta):
        player = player.model_copy(update={"endgame": 0})
    native = player.native(game)
    keys = Stream(seed, "values").keys(len(met.rows))
    clocks = values_at([board.t], game, met.rows)[:, 0]
    rows: list[Row] = []
    position: list[int] = []
    values: list[float] = []
    for number, row in enumerate(met.rows):
        if progress is not None and number % _AT_A_TIME == 0:
            progress(number)
        after = {
            code: _native.row_after(kernel, row, code) for code in _native.legal_moves(kernel, row)
        }
        if any(not _native.legal_moves(kernel, next_row) for next_row in after.values()):
            continue
        answer = _native.analyse(native, *row, int(keys[number]), best=ALL_MOVES)
        depth, known = answer[4], dict(answer[6])
        left = rules.moves_left((row[0] | row[1]).bit_count())
        is_to_the_end = left is not None and depth >= left
        if is_to_the_end or any(abs(value) >= CERTAIN for value in known.values()):
            continue
        for code, next_row in after.items():
            rows.append((*next_row[:3], row[3], *next_row[4:]))
            position.append(number)
            values.append(known[code])
    where = np.array(position, dtype=np.int64)
    return Boards(rows, where, np.array(values), clocks[where], met.games[where])


def values_at(expressions: Sequence[Number], game: str, rows: Sequence[Row]) -> Array:
    """Return the values of *expressions*, a column each, at each of *rows*."""
    rules = game_rules(game)
    program = _native.Program(rules.kernel, outputs_to_json(list(expressions), rules.shape))
    return program.evaluate(_native.Positions(rules.kernel, rows))
