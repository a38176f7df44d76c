"""OBF: text files of Othello positions, one per line, with the known scores of some moves.

A line has the squares row by row, the side to move, then `MOVE:SCORE` pairs; each part ends with
`;`. A score is the final difference for the side to move, with empty squares for the winner.
`--` in place of a move, as Edax fills its lines, is no move. `%` begins a comment. This module does
not check scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from evoply.games.formats.sources import (
    LONGEST,
    GamePlayed,
    OnRefused,
    Source,
    as_played,
    lines_of,
    refuse,
)
from evoply.games.othello import Game, Move, Position
from evoply.protocols import GameRecord, InvalidMoveError
from evoply.wording import shorten

_NO_MOVE = re.compile(r"--\s*(?::.*)?")
_SCORED_MOVE = re.compile(r"([A-Za-z]+[0-9]*)\s*:\s*([+-]?[0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Problem:
    """A position and the scores of its moves, in the file's order."""

    position: Position
    scores: tuple[tuple[Move, int], ...] = ()

    @property
    def score(self) -> int | None:
        """The best score of a move, for the side to move; None without scores."""
        return max((score for _, score in self.scores), default=None)

    @property
    def best_moves(self) -> tuple[Move, ...]:
        """The moves with the best score, in the file's order."""
        return tuple(move for move, score in self.scores if score == self.score)

    @classmethod
    def of(cls, game: GamePlayed) -> Problem:
        """Return the last position of a game, with the scores that `game` has given it."""
        position = cast(Position, game.record.position)
        known = "" if game.record.moves else game.tags.get("Scores", "")
        return cls(position, tuple(_scores(known.split(), position)))

    def game(self) -> GamePlayed:
        """Return the position as a game without moves; scores are in the tag Scores."""
        scores = " ".join(f"{move}:{score:+}" for move, score in self.scores)
        return GamePlayed.of(Game(self.position), tags={"Scores": scores} if scores else {})


def read(source: Source, on_refused: OnRefused = None) -> Iterator[Problem]:
    """Yield the problems of *source*, skipping blank lines and comments.

    Raises `InvalidMoveError` with the line if a position or a move cannot be read, or a move is not
    legal.

    >>> (problem,) = read("XXXX XOXO XOO- O--- X; B4:+10; D3:+4;  % ours")
    >>> problem.score, problem.best_moves
    (10, (Move.parse('b4', BoardShape(rows=4, columns=4)),))
    """
    count = 0
    for number, line in lines_of(source):
        content = line.partition("%")[0].strip()
        if not content:
            continue
        count += 1
        try:
            if len(line) > LONGEST:
                raise InvalidMoveError("the line is too long for a position")
            problem = _problem(content)
        except InvalidMoveError as error:
            refuse(error, count, f"line {number}", on_refused)
        else:
            yield problem


def _problem(line: str) -> Problem:
    board, *parts = line.split(";")
    position = Position.parse(board)
    return Problem(position, tuple(_scores(filter(None, map(str.strip, parts)), position)))


def _scores(parts: Iterable[str], position: Position) -> Iterator[tuple[Move, int]]:
    """Yield the moves and scores of *parts*; raise `InvalidMoveError` for an illegal move."""
    for part in parts:
        if _NO_MOVE.fullmatch(part):
            continue
        match = _SCORED_MOVE.fullmatch(part)
        if match is None:
            raise InvalidMoveError(
                f"cannot read {shorten(part)!r} as a move and its score: write them as A4:+10"
            )
        move = Move.parse(match[1], position.shape)
        if move not in position.legal_moves:
            raise InvalidMoveError(f"{move} is not legal: legal are {position.legal_moves}")
        yield move, int(match[2])


def write(games: Iterable[GamePlayed | GameRecord]) -> Iterator[str]:
    """Yield the positions of *games* in order, one line each; ValueError if one is not Othello.

    >>> print("".join(write([Game.from_transcript("b1", 4)])), end="")
    -----OX--XO----- X;
    -X---XX--XO----- O;
    """
    for game in games:
        played = as_played(game)
        record = played.record
        if not isinstance(record.start, Position):
            raise ValueError(f"OBF holds positions of Othello, not of {record.start.game}")
        scores = played.tags.get("Scores", "")
        for position in record.positions:
            # The tag has the scores of the only position of a game without moves.
            known = "".join(f" {score.upper()};" for score in scores.split() if not record.moves)
            yield f"{position.text()};{known}\n"
