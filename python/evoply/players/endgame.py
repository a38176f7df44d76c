"""Exact endgames: the final score under perfect play, or only who wins.

The solver is the kernel's. Scores, moves and lines depend only on the arguments, and so do the node
counts with one thread. It needs no evaluator; a limit in seconds and Ctrl-C stop it.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

from evoply import _native
from evoply.games import game_rules
from evoply.protocols import GameRecord, Move, Position

_LONGEST = 1e9
"""Seconds that stand for no limit."""

MOST_THREADS = 1024

Aim = Literal["exact", "outcome"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of perfect play; scores are for the side to move."""

    score: int
    """The final difference, or 1, 0 or -1 if only the outcome was asked for."""
    move: Move | None
    """The best move, among equals the one with the fewest replies; None if the game is over."""
    line: tuple[Move, ...]
    """Best play to the end, passes included. In mode outcome the loser's moves are arbitrary."""
    nodes: int
    """Positions entered."""
    seconds: float
    moves: tuple[tuple[Move, int], ...] = ()
    """Every legal move with its score, best first, if that was asked."""


def solve(
    position: Position | GameRecord,
    *,
    mode: Aim = "exact",
    every_move: bool = False,
    empties_to_winner: bool = True,
    table_mib: int = 256,
    threads: int = 1,
    seconds: float | None = None,
) -> Solution:
    """Return the value of *position* under perfect play to the end of the game.

    Mode "exact" finds the final difference: the official one, with the empty squares given to the
    winner, or that of the discs on the board. Mode "outcome" only finds who wins, in a fraction of
    the time. *table_mib* bounds the memory, in MiB. With more *threads* (0: one a core) it is
    faster, with the same answer. Eighteen empty squares of an 8x8 board take
    about a tenth of a second, and every two more about five times as long.

    Raises `TimeoutError` if *seconds* are not enough, and `ValueError` unless they are a number
    above 0 or None (no limit) and *threads* a whole number from 0.

    >>> from evoply.games.othello import Position
    >>> board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
    >>> solution = solve(Position.parse(board))
    >>> solution.score, str(solution.move), len(solution.line)
    (18, 'g8', 14)
    >>> solve(Position.parse(board), mode="outcome").score
    1
    """
    if seconds is not None and not 0 < seconds < math.inf:
        raise ValueError(f"seconds: {seconds!r} is not a limit: give a number above 0, or None")
    if not 0 <= threads <= MOST_THREADS:
        raise ValueError(f"threads: {threads!r} - give a whole number from 0 to {MOST_THREADS}")
    source: Any = position
    board: Position = getattr(source, "position", source)  # of a record: the last one
    if not hasattr(board, "row"):
        raise TypeError(f"position: {position!r:.60} is not a position of a game")
    rules = game_rules(board.game)
    try:
        score, code, nodes, taken, line, moves = _native.solve(
            board.kernel,
            board.row,
            mode,
            empties_to_winner=empties_to_winner,
            every_move=every_move,
            table_mib=table_mib,
            threads=threads,
            milliseconds=None if seconds is None else math.ceil(1000 * min(seconds, _LONGEST)),
        )
    except TimeoutError:
        cheaper = "" if mode == "outcome" else ', or ask only who wins (mode="outcome")'
        raise TimeoutError(
            f"seconds: {seconds:g} were not enough for {rules.moves_left(board)} empty squares:"
            f" give more{cheaper}"
        ) from None
    return Solution(
        score=score,
        move=None if code is None else rules.move_from_code(code),
        line=tuple(map(rules.move_from_code, line)),
        nodes=nodes,
        seconds=taken,
        moves=tuple((rules.move_from_code(code), score) for code, score in moves),
    )
