"""Othello as data: the rules of the compiled games, and the same with fewest discs to win."""

from functools import reduce
from operator import or_

from evoply.expressions import DIRECTIONS, Squares, board
from evoply.rules import Rules, place

OPPOSITE = dict(zip(DIRECTIONS, DIRECTIONS[4:] + DIRECTIONS[:4], strict=True))


def bracketed(direction: str) -> Squares:
    """Return the opponent's discs that have one of ours behind them, seen in *direction*."""
    back = OPPOSITE[direction]
    return board.own.shift(back).fill(board.opponent, [back])


def othello(size: int, name: str, title: str, winner: str = "most") -> Rules:
    """Return the rules of Othello on a board of *size* rows and columns."""
    # A disc goes where it brackets some of the opponent's discs in a straight line.
    legal = [bracketed(way).shift(OPPOSITE[way]) & board.empty for way in DIRECTIONS]
    # All discs that it brackets turn over.
    turned = reduce(
        or_, (board.moved_to.shift(way).fill(bracketed(way), [way]) for way in DIRECTIONS)
    )
    above, left = size // 2, "abcdefghij"[size // 2 - 1]
    below, right = above + 1, "abcdefghij"[size // 2]
    return Rules(
        name=name,
        title=title,
        rows=size,
        columns=size,
        piece="disc",
        black=f"{right}{above} {left}{below}",
        white=f"{left}{above} {right}{below}",
        moves=(
            place(
                reduce(or_, legal),
                own=board.own | board.moved_to | turned,
                opponent=board.opponent - turned,
            ),
        ),
        # A side that cannot move passes; when both pass, most discs win.
        no_move="passes",
        both_pass=winner,
        symmetries="all",
        opening_plies=8,
    )


reversed_othello = othello(8, "reversed-othello", "Reversed Othello", "fewest")
