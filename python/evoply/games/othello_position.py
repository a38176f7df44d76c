"""Positions of Othello: the board, the side to move, the ply. The rules are the kernel's."""

import operator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from evoply import _native
from evoply.games import drawing, othello_text
from evoply.games.othello_move import LegalMoves, Move
from evoply.games.squares import SIZES, square_name, squares_in
from evoply.games.text import status
from evoply.protocols import (
    Cell,
    Color,
    Diagram,
    IllegalMoveError,
    Outcome,
    Row,
    Side,
)

__all__ = ["NAMES", "Position"]

NAMES = {4: "othello-4", 6: "othello-6", 8: "othello", 10: "othello-10"}
"""What the kernel calls Othello on each board, by the squares along one side."""


@dataclass(frozen=True, init=False, repr=False)
class Position:
    """An Othello board and the side to move; immutable, compared without its ply.

    `Position(size)` is the start. *black* and *white* are sets of squares (see
    `evoply.games.squares`); *ply* counts the plies played, passes included. *game* is the name of
    the game, by default the one that the size has: "othello", "othello-10", ...

    >>> position = Position().play("f5").play("d6")
    >>> position.turn, position.ply, position.legal_moves
    (<Color.BLACK: 'black'>, 2, LegalMoves(c3, c4, c5, c6, c7))
    """

    size: int
    black: int
    white: int
    turn: Color
    ply: int = field(compare=False)
    game: str

    def __init__(
        self,
        size: int = 8,
        *,
        black: int | None = None,
        white: int | None = None,
        turn: Color = Color.BLACK,
        ply: int = 0,
        game: str | None = None,
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
        vars(self).update(game=NAMES[self.size] if game is None else game)

    @classmethod
    def parse(cls, text: str, game: str | None = None) -> Self:
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
            game=game,
        )

    @classmethod
    def from_row(cls, kernel: str, row: Row, game: str | None = None) -> Self:
        """Return the position that the kernel's rules *kernel* hold as *row*."""
        sizes = {name: size for size, name in NAMES.items()}
        if kernel not in sizes:
            raise ValueError(f"{kernel!r} is not one of {', '.join(sizes)}")
        black, white, kings, black_to_move, ply, quiet_plies = row
        if kings or quiet_plies:
            raise ValueError("Othello has neither kings nor quiet plies")
        turn = Color.BLACK if black_to_move else Color.WHITE
        return cls(sizes[kernel], black=black, white=white, turn=turn, ply=ply, game=game)

    @property
    def kernel(self) -> str:
        """The name of the rules in the kernel."""
        return NAMES[self.size]

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
        fields = vars(position)
        fields.update(size=self.size, black=black, white=white, turn=turn, ply=ply, game=self.game)
        return position

    def what_must_be(self, text: str, /) -> str:
        """Return "": a disc may be placed wherever it encloses others, and nothing else counts."""
        return ""

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
        game = "" if self.game == self.kernel else f", '{self.game}'"
        return f"Position.parse('{self.text()}'{game})"

    def diagram(self, *, last_move: Move | None = None, legal: bool = True) -> Diagram:
        """Return what the board shows after *last_move*, legal moves marked unless told not."""
        moves = self.legal_moves.squares if legal else 0
        discs = {color: self.discs(color) for color in Color}
        return Diagram(
            cells=tuple(
                Cell(self._color_on(square), is_legal=bool(moves >> square & 1))
                for square in range(self.size * self.size)
            ),
            sides={
                Color.BLACK: Side("X", "●", discs[Color.BLACK], str(discs[Color.BLACK])),
                Color.WHITE: Side("O", "○", discs[Color.WHITE], str(discs[Color.WHITE])),
            },
            turn=self.turn,
            status=status(self),
            last=() if last_move is None or last_move.square is None else (last_move.square,),
        )

    def _color_on(self, square: int) -> Color | None:
        if self.black >> square & 1:
            return Color.BLACK
        return Color.WHITE if self.white >> square & 1 else None

    def _repr_svg_(self) -> str:
        return drawing.board_svg(self)


def _start_squares(size: int) -> tuple[int, int]:
    """Return the black and the white squares of the start: white on the falling diagonal."""
    low, high = size // 2 - 1, size // 2
    white = 1 << low * size + low | 1 << high * size + high
    black = 1 << low * size + high | 1 << high * size + low
    return black, white
