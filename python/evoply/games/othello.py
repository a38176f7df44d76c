"""Othello on boards of 4, 6, 8 and 10: positions, moves and the record of a game.

Black moves first. A side that cannot move while the other can must pass; that forced pass is a
legal move and counts as a ply. The game ends when neither side can move. This module knows no
players and no evaluation; the rules themselves are the kernel's.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Self

from evoply import _native
from evoply.games import drawing, othello_text
from evoply.games.draws import NO_DRAWS, DrawRules
from evoply.games.othello_move import LegalMoves, Move
from evoply.games.squares import SIZES, square_name, squares_in
from evoply.protocols import Color, Ending, IllegalMoveError, InvalidMoveError, Outcome, Row

__all__ = ["OTHELLO", "SIZES", "Game", "LegalMoves", "Move", "OthelloRules", "Position"]

_NAMES = {4: "othello-4", 6: "othello-6", 8: "othello", 10: "othello-10"}


@dataclass(frozen=True, init=False, repr=False)
class Position:
    """An Othello board and the side to move; immutable, compared without its ply.

    `Position(size)` is the start. *black* and *white* are sets of squares (see
    `evoply.games.squares`); *ply* counts the plies played, passes included.

    >>> position = Position().play("f5").play("d6")
    >>> position.turn, position.ply, position.legal_moves
    (<Color.BLACK: 'black'>, 2, LegalMoves(c3, c4, c5, c6, c7))
    """

    size: int
    black: int
    white: int
    turn: Color
    ply: int = field(compare=False)

    def __init__(
        self,
        size: int = 8,
        *,
        black: int | None = None,
        white: int | None = None,
        turn: Color = Color.BLACK,
        ply: int = 0,
    ) -> None:
        if size not in SIZES:
            raise ValueError(f"an Othello board of {size}x{size} does not exist: use 4, 6, 8, 10")
        if black is None and white is None:
            black, white = _start_squares(size)
        # Whole numbers of any kind, but no 1.5 and no text.
        black, white, ply = (
            operator.index(black or 0),
            operator.index(white or 0),
            operator.index(ply),
        )
        if black < 0 or white < 0 or (black | white) >> (size * size):
            raise ValueError(f"a disc lies outside the board of {size}x{size}")
        if black & white:
            square = next(squares_in(black & white))
            raise ValueError(f"{square_name(square, size)} holds a black and a white disc")
        if ply < 0:
            raise ValueError(f"ply must not be negative, and is {ply}")
        vars(self).update(size=int(size), black=black, white=white, turn=Color(turn), ply=ply)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the position that *text* shows, on one line or as a printed board.

        X x * B b are black, O o 0 W w white, - . empty; the side to move comes last; other
        characters are ignored. The ply is the number of discs beyond the first four, as if
        nobody had passed. Raises `InvalidMoveError` if it cannot be read.

        >>> Position.parse("---- -OX- -XO- ---- X") == Position(4)
        True
        """
        board = othello_text.parse_board(text)
        discs = (board.black | board.white).bit_count()
        return cls(
            board.size,
            black=board.black,
            white=board.white,
            turn=Color.BLACK if board.black_to_move else Color.WHITE,
            ply=max(0, discs - 4),
        )

    @classmethod
    def from_row(cls, game: str, row: Row) -> Self:
        """Return the position of *game* that the kernel holds as *row*."""
        sizes = {name: size for size, name in _NAMES.items()}
        if game not in sizes:
            raise ValueError(f"{game!r} is not one of {', '.join(sizes)}")
        black, white, kings, black_to_move, ply, quiet_plies = row
        if kings or quiet_plies:
            raise ValueError("Othello has neither kings nor quiet plies")
        turn = Color.BLACK if black_to_move else Color.WHITE
        return cls(sizes[game], black=black, white=white, turn=turn, ply=ply)

    @property
    def game(self) -> str:
        """The name of the game, which depends on the size: "othello", "othello-10", ..."""
        return _NAMES[self.size]

    @property
    def row(self) -> Row:
        """The kernel's form: black, white, no kings, whether Black moves, ply, no quiet plies."""
        return self.black, self.white, 0, self.turn is Color.BLACK, self.ply, 0

    @property
    def own(self) -> int:
        """The set of squares of the side to move."""
        return self.black if self.turn is Color.BLACK else self.white

    @property
    def opponent(self) -> int:
        """The set of squares of the side not to move."""
        return self.white if self.turn is Color.BLACK else self.black

    @property
    def empty(self) -> int:
        """The set of empty squares."""
        return ~(self.black | self.white) & ((1 << self.size * self.size) - 1)

    @property
    def clock(self) -> float:
        """How full the board is: 0 with four discs (the start), 1 when it is full."""
        discs = (self.black | self.white).bit_count()
        return (discs - 4) / (self.size * self.size - 4)

    def discs(self, color: Color) -> int:
        """Return the number of discs of *color* on the board."""
        return (self.black if color is Color.BLACK else self.white).bit_count()

    def pieces(self, color: Color) -> int:
        """Return the number of discs of *color*, as every game calls it."""
        return self.discs(color)

    def mobility(self, color: Color | None = None) -> int:
        """Return how many squares *color* (by default the side to move) could move to.

        A forced pass counts 0.
        """
        own, opponent = self.own, self.opponent
        if color is not None and color is not self.turn:
            own, opponent = opponent, own
        return _native.othello_moves(self.size, own, opponent).bit_count()

    @cached_property
    def legal_moves(self) -> LegalMoves:
        """The legal moves in square order; only `Move.PASS` if the side to move must pass.

        Empty exactly when the game is over.
        """
        squares = _native.othello_moves(self.size, self.own, self.opponent)
        must_pass = not squares and bool(_native.othello_moves(self.size, self.opponent, self.own))
        return LegalMoves(self.size, squares, must_pass)

    def play(self, move: Move | str, /) -> Self:
        """Return the position after *move*, a `Move` or its text.

        Raises `InvalidMoveError` if the text cannot be read and `IllegalMoveError`, which shows
        the position, if the rules forbid the move.
        """
        if isinstance(move, str):
            move = Move.parse(move, self.size)
        if move not in self.legal_moves:
            raise IllegalMoveError(f"illegal move {self._why_not(move)}")
        own, opponent = self.own, self.opponent
        if move.square is not None:
            flips = _native.othello_flips(self.size, own, opponent, move.square)
            own, opponent = own | flips | 1 << move.square, opponent & ~flips
        black, white = (own, opponent) if self.turn is Color.BLACK else (opponent, own)
        return self._replace(black, white, self.turn.opposite, self.ply + 1)

    def _replace(self, black: int, white: int, turn: Color, ply: int) -> Self:
        """Return a position of this size without checking what is known to be valid."""
        position = object.__new__(type(self))
        vars(position).update(size=self.size, black=black, white=white, turn=turn, ply=ply)
        return position

    def _why_not(self, move: Move) -> str:
        """Return the sentence and the board that explain why *move* is not legal here."""
        head = f"{move} for {self.turn} in {self.text()}"
        if not self.legal_moves:
            return f"{head}: the game is over\n{self}"
        return f"{head}: legal is {self.legal_moves}\n{self}"

    def outcome(self) -> Outcome | None:
        """Return the outcome by the discs on the board, or None while somebody can move."""
        if self.legal_moves:
            return None
        difference = self.discs(Color.BLACK) - self.discs(Color.WHITE)
        if difference == 0:
            return Outcome(None, 0)
        return Outcome(Color.BLACK if difference > 0 else Color.WHITE, difference)

    def official_difference(self) -> int | None:
        """Return Black's official score minus White's, empty squares given to the winner.

        None while the game goes on; 0 for a draw.
        """
        outcome = self.outcome()
        if outcome is None:
            return None
        empty = self.empty.bit_count()
        award = {Color.BLACK: empty, Color.WHITE: -empty, None: 0}[outcome.winner]
        return outcome.disc_difference + award

    def symmetry(self, index: int) -> Self:
        """Return the position turned by symmetry *index* (0 to 7; 0 keeps it, 3 is a half turn).

        The side to move and the ply stay. Raises `ValueError` for another index.
        """
        if index not in range(8):
            raise ValueError(f"no symmetry {index!r}: symmetries are 0 to 7")
        black = _native.symmetry(self.size, self.black, index)
        white = _native.symmetry(self.size, self.white, index)
        return self._replace(black, white, self.turn, self.ply)

    def colors_exchanged(self) -> Self:
        """Return the position with the colors exchanged: the same for the side to move."""
        return self._replace(self.white, self.black, self.turn.opposite, self.ply)

    def text(self) -> str:
        """Return the exact one-line form: squares row by row as X O -, a space, side to move."""
        return othello_text.format_board(self._board())

    def _board(self) -> othello_text.Board:
        return othello_text.Board(self.size, self.black, self.white, self.turn is Color.BLACK)

    def __str__(self) -> str:
        return othello_text.format_diagram(self._board())

    def __repr__(self) -> str:
        return f"Position.parse('{self.text()}')"

    def _repr_svg_(self) -> str:
        return drawing.board_svg(self)


def _start_squares(size: int) -> tuple[int, int]:
    """Return the black and the white squares of the start: white on the falling diagonal."""
    low, high = size // 2 - 1, size // 2
    white = 1 << low * size + low | 1 << high * size + high
    black = 1 << low * size + high | 1 << high * size + low
    return black, white


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
    def from_transcript(cls, text: str, size: int = 8) -> Self:
        """Return the game written as *text*, such as "f5d6c3", "F5 D6" or "1. F5 d6 2. C3".

        A board and side to move may come first; it then decides the size. Forced passes are
        inferred where they are not written. Raises `InvalidMoveError` for what cannot be read
        and `IllegalMoveError` with the number, text, and place of the move and the position.
        """
        othello_text.check_length(text)
        board, begin = othello_text.split_leading_board(text)
        start = Position(size) if board is None else Position.parse(board)
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
                where = othello_text.place(text, word.index)
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

    def transcript(self) -> str:
        """Return the moves as "f5d6c3", without the passes, which the rules imply."""
        return "".join(str(move) for move in self.moves if move.square is not None)

    def __len__(self) -> int:
        return len(self.moves)

    def __str__(self) -> str:
        """Return text that `from_transcript` reads back: start if it is unusual, then moves."""
        transcript = self.transcript()
        if self.moves and self.moves[-1].square is None:
            transcript += "pass"
        if self.start == Position():
            return transcript
        return f"{self.start.text()} {transcript}".rstrip()

    def __repr__(self) -> str:
        return f"Game.from_transcript('{self}')"

    def _repr_html_(self) -> str:
        return drawing.game_html(self)


@dataclass(frozen=True, slots=True)
class OthelloRules:
    """Othello on one board by name: how to begin it and how to read it."""

    name: str
    size: int
    title: str
    opening_plies: int = 8
    """Random plies of a usual opening."""
    draws: DrawRules = NO_DRAWS

    def start(self) -> Position:
        """Return the start position."""
        return Position(self.size)

    def parse(self, text: str) -> Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""
        position = Position.parse(text)
        if position.size != self.size:
            raise InvalidMoveError(
                f"the position is {position.size}x{position.size}, and {self.name} is played on"
                f" {self.size}x{self.size}"
            )
        return position

    def position_from_row(self, row: Row) -> Position:
        """Return the position that the kernel holds as *row*."""
        return Position.from_row(self.name, row)

    def move_from_code(self, code: int) -> Move:
        """Return the move that the kernel knows as *code*."""
        return Move.from_code(code, self.size)

    def record(self, text: str = "") -> Game:
        """Return the game that the transcript *text* records, by default one not yet begun."""
        return Game.from_transcript(text, self.size)

    def game(
        self, start: Position, codes: Iterable[int] = (), draws: DrawRules | None = None
    ) -> Game:
        """Return the game from *start* whose moves the kernel knows as *codes*.

        Raises `ValueError` for *draws*: Othello knows none but those of the board.
        """
        if draws is not None and draws != NO_DRAWS:
            raise ValueError("Othello has no draws but those of the board")
        return Game.from_codes(codes, start)

    def heat_map(self, values: Sequence[float]) -> str:
        """Return *values*, one a square, row by row, as a picture of the board (SVG)."""
        return drawing.heat_map_svg(self.size, values)


OTHELLO: Mapping[str, OthelloRules] = MappingProxyType(
    {
        "othello": OthelloRules("othello", 8, "Othello 8x8"),
        "othello-4": OthelloRules("othello-4", 4, "Othello 4x4"),
        "othello-6": OthelloRules("othello-6", 6, "Othello 6x6"),
        "othello-10": OthelloRules("othello-10", 10, "Othello 10x10"),
    }
)
"""The games of this family by name."""
