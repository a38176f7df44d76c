"""Positions of checkers: the board, the side to move, counters. The rules are the kernel's."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from evoply import _native
from evoply.games import checkers_text, drawing
from evoply.games.checkers_move import LegalMoves, Move, parse_squares, square_number, text_of
from evoply.games.squares import squares_in
from evoply.games.text import status
from evoply.protocols import (
    Cell,
    Color,
    Diagram,
    IllegalMoveError,
    InvalidMoveError,
    Outcome,
    Row,
    Side,
)

__all__ = ["SIZES", "Position"]

SIZES = {"checkers": 8, "lose-checkers": 8, "checkers-10": 10}
"""Squares along one side of each game's board."""
_ROWS_OF_MEN = 3


@dataclass(frozen=True, init=False, repr=False)
class Position:
    """A board of checkers and the side to move; immutable, compared without its counters.

    `Position(game)` is the start. *black*, *white* and *kings* (of both) are sets of squares of
    the whole board (see `evoply.games.squares`); *ply* counts the plies played, *quiet_plies*
    those since the last capture or move of a man. *kernel* is the name of the rules in the kernel,
    by default that of the game.

    >>> position = Position().play("11-15").play("24-20")
    >>> position.turn, position.ply, len(position.legal_moves), str(position.legal_moves[0])
    (<Color.BLACK: 'black'>, 2, 8, '7-11')
    """

    game: str
    black: int
    white: int
    kings: int
    turn: Color
    ply: int = field(compare=False)
    quiet_plies: int = field(compare=False)
    kernel: str = field(compare=False)

    def __init__(
        self,
        game: str = "checkers",
        *,
        black: int | None = None,
        white: int | None = None,
        kings: int = 0,
        turn: Color = Color.BLACK,
        ply: int = 0,
        quiet_plies: int = 0,
        kernel: str | None = None,
    ) -> None:
        kernel = game if kernel is None else kernel
        size = _size(kernel)
        if black is None and white is None:
            black, white = _start_squares(size)
        # Whole numbers of any kind, but no 1.5 and no text.
        black, white, kings = (operator.index(pieces or 0) for pieces in (black, white, kings))
        ply, quiet_plies = operator.index(ply), operator.index(quiet_plies)
        _check_pieces(size, black, white, kings)
        for name, count in (("ply", ply), ("quiet_plies", quiet_plies)):
            if not 0 <= count < 2**31:
                raise ValueError(f"{name} must be 0 to {2**31 - 1}, and is {count}")
        vars(self).update(game=str(game), black=black, white=white, kings=kings)
        vars(self).update(turn=Color(turn), ply=ply, quiet_plies=quiet_plies, kernel=str(kernel))

    @classmethod
    def parse(cls, text: str, game: str = "checkers", kernel: str | None = None) -> Self:
        """Return the position of *game* that *text* shows.

        *text* is PDN's form of a position or a printed board (`str` of a position). Ply and quiet
        plies are 0 unless `:H` (quiet plies) and `:F` (full moves) follow. Raises
        `InvalidMoveError` if it cannot be read or no such position can be.

        >>> Position.parse("W:W18,24,K27:B1,12").mobility()
        7
        """
        board = checkers_text.parse_board(text, _size(game if kernel is None else kernel))
        try:
            return cls(
                game,
                black=board.black,
                white=board.white,
                kings=board.kings,
                turn=Color.BLACK if board.black_to_move else Color.WHITE,
                ply=board.ply,
                quiet_plies=board.quiet_plies,
                kernel=kernel,
            )
        except ValueError as error:
            raise InvalidMoveError(str(error)) from error

    @classmethod
    def from_row(cls, kernel: str, row: Row, game: str | None = None) -> Self:
        """Return the position that the kernel's rules *kernel* hold as *row*."""
        black, white, kings, black_to_move, ply, quiet_plies = row
        turn = Color.BLACK if black_to_move else Color.WHITE
        return cls(
            kernel if game is None else game,
            black=black,
            white=white,
            kings=kings,
            turn=turn,
            ply=ply,
            quiet_plies=quiet_plies,
            kernel=kernel,
        )

    @property
    def size(self) -> int:
        """The squares along one side of the board."""
        return SIZES[self.kernel]

    @property
    def row(self) -> Row:
        """The kernel's form: black, white, kings, whether Black is to move, ply, quiet plies."""
        is_black = self.turn is Color.BLACK
        return self.black, self.white, self.kings, is_black, self.ply, self.quiet_plies

    @property
    def own(self) -> int:
        """The set of squares of the side to move."""
        return self.black if self.turn is Color.BLACK else self.white

    @property
    def opponent(self) -> int:
        """The set of squares of the side not to move."""
        return self.white if self.turn is Color.BLACK else self.black

    @property
    def clock(self) -> float:
        """How many of the pieces are gone: 0 at the start, 1 on an empty board."""
        start = 2 * _most_pieces(self.size)
        return (start - (self.black | self.white).bit_count()) / start

    def pieces(self, color: Color) -> int:
        """Return the number of pieces of *color*, men and kings."""
        return (self.black if color is Color.BLACK else self.white).bit_count()

    def king_count(self, color: Color) -> int:
        """Return the number of kings of *color*."""
        own = self.black if color is Color.BLACK else self.white
        return (own & self.kings).bit_count()

    def mobility(self, color: Color | None = None) -> int:
        """Return how many legal moves *color* (by default the side to move) would have to move."""
        is_black = (self.turn if color is None else color) is Color.BLACK
        return _native.mobility(self.kernel, self.row, is_black)

    @cached_property
    def legal_moves(self) -> LegalMoves:
        """The legal moves by square and path; empty exactly when the game is over."""
        codes = _native.legal_moves(self.kernel, self.row)
        return LegalMoves(tuple(Move.from_code(code, self.size) for code in codes))

    def parse_move(self, text: str, /) -> Move:
        """Return the legal move that *text* names: "11-15", "15x24x31", or "15x31" in short.

        Raises `InvalidMoveError` if it cannot be read or several moves fit, which it lists, and
        `IllegalMoveError` if none does.

        >>> Position.parse("B:W19,27,10:BK15").parse_move("15x31")
        Move.parse('15x24x31')
        """
        squares = parse_squares(text, self.size)
        fitting = [move for move in self.legal_moves if _fits(squares, move.path)]
        exact = [move for move in fitting if move.path == squares]
        if len(exact or fitting) == 1:
            return (exact or fitting)[0]
        if fitting:
            names = " or ".join(map(str, fitting))
            raise InvalidMoveError(f"{text.strip()!r} can be {names}: write one of them")
        raise IllegalMoveError(f"illegal move {self._why_not(text.strip())}")

    def short_text(self, move: Move) -> str:
        """Return the text of a legal move, its squares between left out where one move fits.

        >>> position = Position.parse("B:W19,27,10:BK15")
        >>> [position.short_text(move) for move in position.legal_moves]
        ['15x6', '15x31']
        """
        ends = (move.path[0], move.path[-1])
        if sum(_fits(ends, other.path) for other in self.legal_moves) > 1:
            return str(move)
        return text_of(ends, self.size, is_capture=move.is_capture)

    def play(self, move: Move | str, /) -> Self:
        """Return the position after *move*, a `Move` or its text.

        Raises `InvalidMoveError` if the text cannot be read or fits several moves and
        `IllegalMoveError`, which shows the position, if the rules forbid the move.
        """
        if isinstance(move, str):
            move = self.parse_move(move)
        elif move not in self.legal_moves:
            raise IllegalMoveError(f"illegal move {self._why_not(str(move))}")
        row = _native.row_after(self.kernel, self.row, move.code(self.size))
        return self._replace(row)

    def _replace(self, row: Row) -> Self:
        """Return a position of this game without checking what is known to be valid."""
        black, white, kings, black_to_move, ply, quiet_plies = row
        position = object.__new__(type(self))
        turn = Color.BLACK if black_to_move else Color.WHITE
        vars(position).update(game=self.game, black=black, white=white, kings=kings)
        vars(position).update(turn=turn, ply=ply, quiet_plies=quiet_plies, kernel=self.kernel)
        return position

    def what_must_be(self, text: str) -> str:
        """Return what the rules about captures ask for that the illegal move *text* is not, or "".

        >>> position = Position.parse("B:W19,27:BK15,1")
        >>> position.what_must_be("1-5"), position.what_must_be("15x24")
        ('a capture is compulsory', 'this capture goes on')
        """
        if not self.legal_moves or not self.legal_moves[0].is_capture:
            return ""
        squares = parse_squares(text, self.size)
        goes_on = any(move.path[: len(squares)] == squares for move in self.legal_moves)
        return "this capture goes on" if goes_on else "a capture is compulsory"

    def _why_not(self, move: str) -> str:
        """Return the sentence and the board that explain why *move* is not legal here."""
        head = f"{move} for {self.turn} in {self.text()}"
        if not self.legal_moves:
            return f"{head}: the game is over\n{self}"
        must = self.what_must_be(move)
        return f"{head}: {must}{', ' if must else ''}legal is {self.legal_moves}\n{self}"

    def outcome(self) -> Outcome | None:
        """Return who won, or None while the side to move can; draws are the game's affair."""
        if self.legal_moves:
            return None
        winner = self.turn if self.kernel == "lose-checkers" else self.turn.opposite
        difference = self.pieces(Color.BLACK) - self.pieces(Color.WHITE)
        return Outcome(winner, difference, by_count=False)

    def colors_exchanged(self) -> Self:
        """Return the board turned half round with the colors exchanged: the same for the mover."""
        black, white, kings = (
            _native.symmetry(self.size, squares, 3)
            for squares in (self.white, self.black, self.kings)
        )
        is_black = self.turn is not Color.BLACK
        return self._replace((black, white, kings, is_black, self.ply, self.quiet_plies))

    def text(self) -> str:
        """Return the exact one-line form, PDN's: "B:W21,K22:B1,2"."""
        return checkers_text.format_board(self._board())

    def _board(self) -> checkers_text.Board:
        is_black = self.turn is Color.BLACK
        return checkers_text.Board(self.size, self.black, self.white, self.kings, is_black)

    def __str__(self) -> str:
        return checkers_text.format_diagram(self._board())

    def __repr__(self) -> str:
        game = "" if self.game == "checkers" else f", '{self.game}'"
        kernel = "" if self.kernel == self.game else f", '{self.kernel}'"
        return f"Position.parse('{self.text()}'{game}{kernel})"

    def diagram(self, *, last_move: Move | None = None, legal: bool = True) -> Diagram:
        """Return what the board shows after *last_move*, legal moves marked unless told not.

        Dark squares carry their numbers; a legal move is marked where it ends.
        """
        ends = {move.path[-1] for move in self.legal_moves} if legal else set()
        squares = range(self.size * self.size)
        return Diagram(
            cells=tuple(self._cell(square, is_legal=square in ends) for square in squares),
            sides={
                Color.BLACK: Side("bB", "●♚", self.pieces(Color.BLACK), self._count(Color.BLACK)),
                Color.WHITE: Side("wW", "○♔", self.pieces(Color.WHITE), self._count(Color.WHITE)),
            },
            turn=self.turn,
            status=status(self),
            last=() if last_move is None else last_move.path,
        )

    def _cell(self, square: int, *, is_legal: bool) -> Cell:
        if (square // self.size + square % self.size) % 2 == 0:
            return Cell(is_playable=False)
        color = None
        if (self.black | self.white) >> square & 1:
            color = Color.BLACK if self.black >> square & 1 else Color.WHITE
        is_king = bool(self.kings >> square & 1)
        return Cell(color, is_king, str(square_number(square, self.size)), is_legal=is_legal)

    def _count(self, color: Color) -> str:
        kings = self.king_count(color)
        men = self.pieces(color) - kings
        return f"{men} m{'a' if men == 1 else 'e'}n, {kings} king{'' if kings == 1 else 's'}"

    def _repr_svg_(self) -> str:
        return drawing.board_svg(self)


def _size(game: str) -> int:
    if game not in SIZES:
        raise ValueError(f"{game!r} is not one of {', '.join(SIZES)}")
    return SIZES[game]


def _most_pieces(size: int) -> int:
    """Return the pieces of a side at the start."""
    return _ROWS_OF_MEN * size // 2


def _start_squares(size: int) -> tuple[int, int]:
    """Return the black and the white squares of the start: three rows of men each."""
    dark = sum(
        1 << row * size + col for row in range(size) for col in range((row + 1) % 2, size, 2)
    )
    rows = _ROWS_OF_MEN * size
    return dark & ((1 << rows) - 1), dark >> (size * size - rows) << (size * size - rows)


def _check_pieces(size: int, black: int, white: int, kings: int) -> None:
    """Raise `ValueError` that names the square if no position has these pieces."""
    top, bottom = (1 << size) - 1, ((1 << size) - 1) << (size * size - size)
    if min(black, white, kings) < 0 or (black | white | kings) >> (size * size):
        raise ValueError(f"a piece lies outside the board of {size}x{size}")
    for square in squares_in(black | white | kings):
        if (square // size + square % size) % 2 == 0:
            raise ValueError(f"a piece stands on a light square, bit {square}")
    wrong = {
        "holds a black and a white piece": black & white,
        "holds no piece, so it cannot hold a king": kings & ~(black | white),
        "holds a black man on the last row: it must be a king": black & bottom & ~kings,
        "holds a white man on the last row: it must be a king": white & top & ~kings,
    }
    for what, squares in wrong.items():
        for square in squares_in(squares):
            raise ValueError(f"square {square_number(square, size)} {what}")
    most = _most_pieces(size)
    for color, count in ((Color.BLACK, black.bit_count()), (Color.WHITE, white.bit_count())):
        if count > most:
            raise ValueError(f"{color} has {count} pieces: at most {most} on {size}x{size}")


def _fits(squares: Sequence[int], path: Sequence[int]) -> bool:
    """Return whether *squares* are *path* with some of the squares between left out."""
    if (squares[0], squares[-1]) != (path[0], path[-1]) or len(squares) < 2:
        return False
    between = iter(path[1:-1])
    return all(square in between for square in squares[1:-1])
