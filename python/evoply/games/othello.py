"""Othello on boards of 4, 6, 8 and 10: positions, moves and the record of a game.

Black moves first. A side that cannot move while the other can must pass; that forced pass is a
legal move and counts as a ply. The game ends when neither side can move. This module knows no
players and no evaluation; the rules themselves are the kernel's.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

from evoply.games import drawing, othello_text
from evoply.games.draws import NO_DRAWS, DrawRules
from evoply.games.othello_move import LegalMoves, Move
from evoply.games.othello_position import Position
from evoply.games.squares import SIZES
from evoply.games.text import check_length, place
from evoply.protocols import Ending, IllegalMoveError, InvalidMoveError, Outcome, Row

__all__ = ["OTHELLO", "SIZES", "Game", "LegalMoves", "Move", "OthelloRules", "Position"]

_CHECKERS = re.compile(r"\s*[BW]:[BW]", re.IGNORECASE)


@dataclass(frozen=True, repr=False)
class Game:
    """The record of a game: where it started and the moves played, forced passes included.

    Immutable: `play` returns a longer record. Raises `IllegalMoveError` if *moves* cannot be
    played from *start*.

    >>> game = Game.from_transcript("f5d6c3d3c4")
    >>> game.position.turn, game.transcript(), game.play("f4").position.ply
    (<Color.WHITE: 'white'>, 'f5d6c3d3c4', 6)
    """

    start: Position = field(default_factory=Position)
    moves: tuple[Move, ...] = ()
    positions: tuple[Position, ...] = field(init=False, compare=False)
    """The positions from the start to the end, one more than moves."""

    def __post_init__(self) -> None:
        positions = [self.start]
        for number, move in enumerate(self.moves, start=1):
            if move not in positions[-1].legal_moves:
                raise IllegalMoveError(f"ply {number}: illegal move {positions[-1]._why_not(move)}")
            positions.append(positions[-1].play(move))
        vars(self).update(moves=tuple(self.moves), positions=tuple(positions))

    @property
    def position(self) -> Position:
        """The position after the last move."""
        return self.positions[-1]

    @classmethod
    def from_transcript(cls, text: str, size: int = 8, game: str | None = None) -> Self:
        """Return the game written as *text*, such as "f5d6c3", "F5 D6" or "1. F5 d6 2. C3".

        A board and side to move may come first; it then decides the size. *game* is the name of
        the game, by default the one that the size has. Forced passes are inferred where they are
        not written. Raises `InvalidMoveError` for what cannot be read and `IllegalMoveError` with
        the number, text, and place of the move and the position.
        """
        check_length(text)
        othello_text.check_is_no_ggf(text)
        board, begin = othello_text.split_leading_board(text)
        start = Position(size, game=game) if board is None else Position.parse(board, game)
        positions, moves = [start], list[Move]()
        placed = 0
        for word in othello_text.transcript_words(text, start.size, begin):
            move = Move.parse(word.text, start.size)
            position = positions[-1]
            if move.square is not None:
                placed += 1
                if position.legal_moves.must_pass:
                    moves.append(Move.PASS)
                    position = position.play(Move.PASS)
                    positions.append(position)
            if move not in position.legal_moves:
                where = place(text, word.index)
                raise IllegalMoveError(
                    f"move {placed + (move.square is None)} ({word.text}) at {where}:"
                    f" illegal move {position._why_not(move)}"
                )
            moves.append(move)
            positions.append(position.play(move))
        return cls._build(start, tuple(moves), tuple(positions))

    @classmethod
    def from_codes(cls, codes: Iterable[int], start: Position | None = None) -> Self:
        """Return the game whose moves the kernel recorded as *codes*, passes included."""
        start = Position() if start is None else start
        return cls(start, tuple(Move.from_code(code, start.size) for code in codes))

    @classmethod
    def _build(
        cls, start: Position, moves: tuple[Move, ...], positions: tuple[Position, ...]
    ) -> Self:
        """Return a game whose moves were already played, without playing them again."""
        game = object.__new__(cls)
        vars(game).update(start=start, moves=moves, positions=positions)
        return game

    def play(self, move: Move | str, /) -> Self:
        """Return the game with *move* added; errors as `Position.play`."""
        if isinstance(move, str):
            move = Move.parse(move, self.start.size)
        position = self.position.play(move)
        return self._build(self.start, (*self.moves, move), (*self.positions, position))

    def outcome(self) -> Outcome | None:
        """Return the outcome of the game, or None while it goes on."""
        return self.position.outcome()

    def ending(self) -> Ending | None:
        """Return what ended the game, always the board; None while it goes on."""
        return None if self.position.legal_moves else Ending.BOARD

    def draw_reason(self) -> None:
        """Return None: no rule but the board ends a game."""

    def move_texts(self) -> tuple[str, ...]:
        """Return each move as it is written, forced passes included."""
        return tuple(map(str, self.moves))

    def transcript(self) -> str:
        """Return the moves as "f5d6c3", as `from_transcript` reads them.

        Passes are left out, as the rules imply them, but for one that ends the record.
        """
        last = len(self.moves) - 1
        return "".join(
            str(move)
            for number, move in enumerate(self.moves)
            if move.square is not None or number == last
        )

    def __len__(self) -> int:
        return len(self.moves)

    def __str__(self) -> str:
        """Return text that `from_transcript` reads back: start if it is unusual, then moves."""
        transcript = self.transcript()
        if self.start == Position(game=self.start.game):
            return transcript
        return f"{self.start.text()} {transcript}".rstrip()

    def __repr__(self) -> str:
        game = self.start.game
        name = "" if game == self.start.kernel else f", {self.start.size}, '{game}'"
        return f"Game.from_transcript('{self}'{name})"

    def _repr_html_(self) -> str:
        return drawing.game_html(self)


@dataclass(frozen=True, slots=True)
class OthelloRules:
    """Othello on one board by name: a `evoply.games.GameRules`, whose facts are the fields.

    *kernel* is the kernel's name for the rules on this board, by default the one that *size* has.
    Raises `ValueError` if it is another.
    """

    name: str
    size: int
    title: str
    opening_plies: int = 8
    draws: DrawRules = NO_DRAWS
    kernel: str = ""
    piece: str = "disc"
    has_captures: bool = False
    fills_board: bool = True
    late_ply: int = 50
    guide: str = "material-alternating:depth={},ties=random"

    def __post_init__(self) -> None:
        kernel = Position(self.size).kernel
        if self.kernel not in ("", kernel):
            raise ValueError(
                f"{self.name}: the kernel's Othello {self.size}x{self.size} is {kernel},"
                f" not {self.kernel!r}"
            )
        object.__setattr__(self, "kernel", kernel)

    def start(self) -> Position:
        """Return the start position."""
        return Position(self.size, game=self.name)

    def parse(self, text: str) -> Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""
        return self._checked(Position.parse(text, self.name))

    def _checked(self, position: Position) -> Position:
        if position.size != self.size:
            raise InvalidMoveError(
                f"the position is {position.size}x{position.size}, and {self.name} is played on"
                f" {self.size}x{self.size}"
            )
        return position

    def position_from_row(self, row: Row) -> Position:
        """Return the position that the kernel holds as *row*."""
        return Position.from_row(self.kernel, row, self.name)

    def move_from_code(self, code: int) -> Move:
        """Return the move that the kernel knows as *code*."""
        return Move.from_code(code, self.size)

    def record(self, text: str = "") -> Game:
        """Return the game that the transcript *text* records, by default one not yet begun."""
        game = Game.from_transcript(text, self.size, self.name)
        self._checked(game.start)
        return game

    def read(self, text: str) -> Game:
        """Return what *text* shows: a board, moves, or a board and moves."""
        if _CHECKERS.match(text) is not None:
            raise InvalidMoveError(
                "the position is one of checkers: say which game is meant with --game checkers,"
                " lose-checkers or checkers-10"
            )
        has_moves = any(character.isdigit() for character in text)
        return self.record(text) if has_moves else Game(self.parse(text))

    def game(
        self, start: Position, codes: Iterable[int] = (), draws: DrawRules | None = None
    ) -> Game:
        """Return the game from *start* whose moves the kernel knows as *codes*.

        Raises `ValueError` for *draws*: Othello knows none but those of the board.
        """
        if draws is not None and draws != NO_DRAWS:
            raise ValueError("Othello has no draws but those of the board")
        return Game.from_codes(codes, start)

    def heat_map(self, values: Sequence[float], caption: str = "") -> str:
        """Return *values*, one for each square, row by row, as a picture of the board (SVG).

        *caption* is a line below the board.
        """
        return drawing.heat_map_svg(self.size, values, caption=caption)


OTHELLO: Mapping[str, OthelloRules] = MappingProxyType(
    {
        "othello": OthelloRules("othello", 8, "Othello 8x8"),
        "othello-4": OthelloRules("othello-4", 4, "Othello 4x4", late_ply=8),
        "othello-6": OthelloRules("othello-6", 6, "Othello 6x6", late_ply=28),
        "othello-10": OthelloRules("othello-10", 10, "Othello 10x10"),
    }
)
"""The games of this family by name."""
