"""OBF: text files of Othello positions with the known score of some of their moves, one a line.

A line holds the squares row by row, the side to move, then `MOVE:SCORE` pairs, each part ended by
a `;`. A score is the final difference for the side to move, empty squares given to the winner.
`%` begins a comment. This module reads what the file says and checks no score.
"""

import re
from dataclasses import dataclass

from evoply.games.othello import Move, Position
from evoply.protocols import InvalidMoveError
from evoply.wording import shorten

__all__ = ["Problem", "parse_obf"]

MAX_PROBLEMS = 100_000

_SCORED_MOVE = re.compile(r"([A-Za-z]+[0-9]*)\s*:\s*([+-]?[0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Problem:
    """A position and what the file says about its moves, in the file's order."""

    position: Position
    scores: tuple[tuple[Move, int], ...] = ()

    @property
    def score(self) -> int | None:
        """The best score among those of the moves, for the side to move; None without any."""
        return max((score for _, score in self.scores), default=None)

    @property
    def best_moves(self) -> tuple[Move, ...]:
        """The moves with the best score, in the file's order."""
        return tuple(move for move, score in self.scores if score == self.score)


def parse_obf(text: str) -> tuple[Problem, ...]:
    """Return the problems of *text*, skipping blank lines and comments.

    Raises `InvalidMoveError` that names the line if a position or a move cannot be read, a move
    is not legal, or there are more than 100,000 problems.

    >>> (problem,) = parse_obf("XXXX XOXO XOO- O--- X; B4:+10; D3:+4;  % ours")
    >>> problem.score, problem.best_moves
    (10, (Move.parse('b4', 4),))
    """
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("%")[0].strip()
        if not content:
            continue
        if len(problems) == MAX_PROBLEMS:
            raise InvalidMoveError(f"line {number}: at most {MAX_PROBLEMS:,} positions are read")
        try:
            problems.append(_parse_problem(content))
        except InvalidMoveError as error:
            raise InvalidMoveError(f"line {number}: {error}") from error
    return tuple(problems)


def _parse_problem(line: str) -> Problem:
    board, *parts = line.split(";")
    position = Position.parse(board)
    scores: list[tuple[Move, int]] = []
    for part in filter(None, map(str.strip, parts)):
        found = _SCORED_MOVE.fullmatch(part)
        if found is None:
            raise InvalidMoveError(
                f"cannot read {shorten(part)!r} as a move and its score: write them as A4:+10"
            )
        move = Move.parse(found[1], position.size)
        if move not in position.legal_moves:
            raise InvalidMoveError(f"{move} is not legal: legal is {position.legal_moves}")
        scores.append((move, int(found[2])))
    return Problem(position, tuple(scores))
