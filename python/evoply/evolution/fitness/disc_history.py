"""How many discs each side had along games that are known by their moves.

Thousands of games are replayed side by side as arrays of bitboards; boards of more than 64
squares are replayed one by one. This module knows no fitness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evoply.games.othello import Game, Position
from evoply.protocols import Color

__all__ = ["DiscHistory", "disc_history", "disc_history_one_by_one"]

Boards = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class DiscHistory:
    """Discs after every ply; arrays of shape (games, most plies + 1), the start first.

    After its end a game keeps its last counts.
    """

    black: NDArray[np.int64]
    white: NDArray[np.int64]
    black_moves: NDArray[np.bool_]
    """Whether Black makes ply p (a pass included), shape (games, most plies)."""


def disc_history(moves: Sequence[Sequence[int]], start: Position) -> DiscHistory:
    """Return the discs along the games that begin at *start*; *moves* are the kernel's codes."""
    if start.size * start.size > 64:
        return disc_history_one_by_one(moves, start)
    games, plies = len(moves), max(map(len, moves), default=0)
    ended = start.size * start.size  # the code of a pass changes nothing either
    codes = np.full((games, plies), ended, dtype=np.uint8)
    for row, game in zip(codes, moves, strict=True):
        row[: len(game)] = game
    sides = [np.full(games, side, dtype=np.uint64) for side in (start.black, start.white)]
    counts = np.empty((2, games, plies + 1), dtype=np.int64)
    counts[:, :, 0] = np.array([[start.black.bit_count()], [start.white.bit_count()]])
    first = 0 if start.turn is Color.BLACK else 1
    for ply in range(plies):
        mover = (first + ply) % 2
        sides[mover], sides[1 - mover] = _after(
            sides[mover], sides[1 - mover], codes[:, ply], start.size
        )
        for side in (0, 1):
            counts[side, :, ply + 1] = _count(sides[side])
    return DiscHistory(counts[0], counts[1], _turns(games, plies, first))


def disc_history_one_by_one(moves: Sequence[Sequence[int]], start: Position) -> DiscHistory:
    """Return the same as `disc_history`, game by game from positions: the plain account of it."""
    games, plies = len(moves), max(map(len, moves), default=0)
    counts = np.empty((2, games, plies + 1), dtype=np.int64)
    for number, codes in enumerate(moves):
        positions = Game.from_codes(codes, start).positions
        for side, color in enumerate((Color.BLACK, Color.WHITE)):
            discs = [position.discs(color) for position in positions]
            counts[side, number] = discs + discs[-1:] * (plies + 1 - len(discs))
    return DiscHistory(
        counts[0], counts[1], _turns(games, plies, 0 if start.turn is Color.BLACK else 1)
    )


def _turns(games: int, plies: int, first: int) -> NDArray[np.bool_]:
    return np.broadcast_to((first + np.arange(plies)) % 2 == 0, (games, plies))


def _count(boards: Boards) -> NDArray[np.int64]:
    bits = np.unpackbits(np.ascontiguousarray(boards).view(np.uint8)).reshape(-1, 64)
    counts: NDArray[np.int64] = bits.sum(axis=1, dtype=np.int64)
    return counts


def _after(
    own: Boards, opponent: Boards, codes: NDArray[np.uint8], size: int
) -> tuple[Boards, Boards]:
    """Return own and opponent's discs after a move each; the code size * size changes nothing."""
    is_move = codes < size * size
    squares = np.where(is_move, codes, 0).astype(np.uint64)
    placed = np.where(is_move, np.left_shift(np.uint64(1), squares), np.uint64(0))
    flipped = np.zeros_like(own)
    for step, mask in _directions(size):
        run = _shifted(placed, step) & mask & opponent
        for _ in range(size - 3):
            run |= _shifted(run, step) & mask & opponent
        is_closed = (_shifted(run, step) & mask & own) != 0
        flipped |= np.where(is_closed, run, np.uint64(0))
    return own | placed | flipped, opponent & ~flipped


def _directions(size: int) -> list[tuple[int, np.uint64]]:
    """Return for each direction the change of a square's number and the squares it can reach."""
    board = (1 << size * size) - 1
    first_column = sum(1 << size * row for row in range(size))
    reach = {0: board, 1: board & ~first_column, -1: board & ~(first_column << size - 1)}
    return [
        (down * size + right, np.uint64(reach[right]))
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if (down, right) != (0, 0)
    ]


def _shifted(boards: Boards, step: int) -> Boards:
    if step > 0:
        return np.left_shift(boards, np.uint64(step))
    return np.right_shift(boards, np.uint64(-step))
