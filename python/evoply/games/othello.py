"""Othello on boards of 4, 6, 8 and 10: positions, moves and the record of a game.

Black moves first. A side that cannot move while the other can must pass; that forced pass is a
legal move and counts as a ply. The game ends when neither side can move. This module knows no
players and no evaluation; the rules themselves are the kernel's.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from types import MappingProxyType
from typing import ClassVar, Self

from evoply import _native
from evoply.games import othello_text
from evoply.games.position import NO_DRAWS, BoardPosition, DrawRules, LegalMoves, start_row
from evoply.games.record import BoardGame
from evoply.games.rules import GameRules
from evoply.games.squares import SHAPES, USUAL, Word, check_length, parse_square, place, square_name
from evoply.protocols import BoardShape, Color, IllegalMoveError, InvalidMoveError, Outcome
from evoply.wording import shorten

__all__ = ["OTHELLO", "SIZES", "Game", "LegalMoves", "Move", "OthelloRules", "Position"]

_NAMES = {4: "othello-4", 6: "othello-6", 8: "othello", 10: "othello-10"}
SIZES = tuple(_NAMES)
"""The squares along one side of the boards of Othello."""
_PASS_WORDS = frozenset({"pass", "pa", "ps"})


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A disc placed on *square* of a board of *shape*, or `Move.PASS` (square None).

    >>> Move.parse("F5"), str(Move.parse("f5")), Move.parse("f5").square
    (Move.parse('f5'), 'f5', 37)
    """

    PASS: ClassVar["Move"]

    square: int | None
    shape: BoardShape = USUAL

    def __post_init__(self) -> None:
        if self.square is None:
            object.__setattr__(self, "shape", USUAL)  # a pass is the same move on every board
        elif not 0 <= self.square < self.shape.squares:
            raise InvalidMoveError(f"square {self.square} is not on a {self.shape} board")

    @property
    def is_pass(self) -> bool:
        """Whether this is `Move.PASS`."""
        return self.square is None

    @property
    def path(self) -> tuple[int, ...]:
        """The square as a path of length one; empty for a pass."""
        return () if self.square is None else (self.square,)

    @classmethod
    def parse(cls, text: str, shape: BoardShape = USUAL) -> "Move":
        """Return the move that *text* names, such as "f5", "PA" or "pass".

        Raises `InvalidMoveError` if it cannot be read; the position decides whether it is legal.
        """
        try:
            return cls.from_code(_code_of(text, shape), shape)
        except InvalidMoveError as error:
            last = square_name(shape.squares - 1, shape)
            message = f"cannot read {shorten(text)!r} as a move: moves are a1 to {last}, or pass"
            raise InvalidMoveError(message) from error

    @classmethod
    def from_code(cls, code: int, shape: BoardShape = USUAL) -> "Move":
        """Return the move that the kernel knows as *code* on a board of *shape*."""
        if not 0 <= code <= shape.squares:
            raise InvalidMoveError(f"{code} is not a move code of a board of {shape}")
        return cls.PASS if code == shape.squares else cls(int(code), shape)

    def code(self, shape: BoardShape) -> int:
        """Return the kernel's number of this move: its square; for a pass, the squares' count."""
        return shape.squares if self.square is None else self.square

    def __str__(self) -> str:
        return "pass" if self.square is None else square_name(self.square, self.shape)

    def __repr__(self) -> str:
        if self.square is None:
            return "Move.PASS"
        return f"Move.parse('{self}'{'' if self.shape == USUAL else f', {self.shape!r}'})"


Move.PASS = Move(None)


@lru_cache(maxsize=4096)
def _code_of(text: str, shape: BoardShape) -> int:
    """Return the kernel's number of the move that *text* names."""
    return shape.squares if text.strip().lower() in _PASS_WORDS else parse_square(text, shape)


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Position(BoardPosition[Move]):
    """An Othello board and the side to move; immutable, compared without its ply.

    `Position(size)` is the start. *black* and *white* are sets of squares (see
    `evoply.games.squares`); *ply* counts the plies played, passes included. *game* is the name of
    the game, by default that of the size: "othello", "othello-10", ...

    >>> position = Position().play("f5").play("d6")
    >>> position.turn, position.ply, position.legal_moves
    (<Color.BLACK: 'black'>, 2, LegalMoves(c3, c4, c5, c6, c7))
    """

    FAMILY = "Othello"
    SHAPES: ClassVar = {name: SHAPES[size] for size, name in _NAMES.items()}
    PIECE = "disc"
    SYMBOLS: ClassVar = {Color.BLACK: ("X", "●"), Color.WHITE: ("O", "○")}
    MOVE = Move

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
        if size not in _NAMES:
            if not isinstance(size, int):
                raise TypeError(
                    f"size: {size!r:.40} is no number: Position.parse reads a board from its text,"
                    " Game.from_transcript a game"
                )
            raise ValueError(f"an Othello board of {size}x{size} does not exist: use 4, 6, 8, 10")
        kernel = _NAMES[size]
        if black is None and white is None:
            black, white = start_row(kernel)[:2]
        row = (black or 0, white or 0, 0, Color(turn) is Color.BLACK, ply, 0)
        self._become(kernel, kernel if game is None else game, row)

    @classmethod
    def parse(cls, text: str, game: str | None = None) -> Self:
        """Return the position that *text* shows, on one line or as a printed board.

        X x * B b are black, O o 0 W w white, - . empty; the side to move comes last; other
        characters are ignored. The ply is the number of discs beyond the first four, as if
        there had been no passes. Raises `InvalidMoveError` if it cannot be read.

        >>> Position.parse("---- -OX- -XO- ---- X") == Position(4)
        True
        """
        shape, row = othello_text.parse_board(text)
        return cls.from_row(_NAMES[shape.side], row, game)

    def _check(self) -> None:
        if self.row[2] or self.row[5]:
            raise ValueError("Othello has neither kings nor quiet plies")

    def _square_text(self, square: int) -> str:
        return square_name(square, self.shape)

    def _square(self, text: str) -> int:
        return parse_square(text, self.shape)

    def discs(self, color: Color) -> int:
        """Return the number of discs of *color* on the board."""
        return self.pieces(color)

    def parse_move(self, text: str, /) -> Move:
        """Return the move that *text* names; `play` checks whether it is legal."""
        return Move.parse(text, self.shape)

    def outcome(self) -> Outcome | None:
        """Return the outcome by the discs on the board, or None while somebody can move."""
        if self.legal_moves:
            return None
        difference = self.pieces(Color.BLACK) - self.pieces(Color.WHITE)
        if difference == 0:
            return Outcome(None, 0)
        return Outcome(Color.BLACK if difference > 0 else Color.WHITE, difference)

    def official_difference(self) -> int | None:
        """Return Black's official score minus White's, with empty squares given to the winner.

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
        black, white = (_native.symmetry(self.shape.side, side, index) for side in self.row[:2])
        return self._with((black, white, *self.row[2:]))

    def text(self) -> str:
        """Return the exact one-line form: squares row by row as X O -, a space, side to move."""
        return othello_text.format_board(self.shape, self.row)

    def __str__(self) -> str:
        return othello_text.format_diagram(self.shape, self.row)

    def __repr__(self) -> str:
        game = "" if self.game == self.kernel else f", '{self.game}'"
        return f"Position.parse('{self.text()}'{game})"


@dataclass(frozen=True, repr=False)
class Game(BoardGame[Position, Move]):
    """The record of a game: where it started and the moves played, forced passes included.

    Immutable: `play` returns a longer record. Raises `IllegalMoveError` if *moves* cannot be
    played from *start*.

    >>> game = Game.from_transcript("f5d6c3d3c4")
    >>> game.position.turn, game.transcript(), game.play("f4").position.ply
    (<Color.WHITE: 'white'>, 'f5d6c3d3c4', 6)
    """

    POSITION = Position

    start: Position = field(default_factory=Position)

    @classmethod
    def from_transcript(cls, text: str, size: int = 8, game: str | None = None) -> Self:
        """Return the game written as *text*, such as "f5d6c3", "F5 D6" or "1. F5 d6 2. C3".

        A board and side to move may come first; it then decides the size. *game* is the name of the
        game, by default that of the size. Missing forced passes are inferred. Raises
        `InvalidMoveError` for what cannot be read and `IllegalMoveError` with the number, text, and
        place of the move and the position.
        """
        check_length(text)
        othello_text.check_is_othello(text)
        board, begin = othello_text.split_leading_board(text)
        start = Position(size, game=game) if board is None else Position.parse(board, game)
        words = othello_text.TranscriptWords(text, start.shape, begin)
        return cls.from_words(words, partial(place, text), start, NO_DRAWS)

    @classmethod
    def from_words(
        cls, words: Iterable[Word], where: Callable[[int], str], start: Position, draws: DrawRules
    ) -> Self:
        """Return the game whose moves are *words*, which may be iterated twice.

        See `BoardGame.from_words`. The text of a move of Othello does not depend on the position,
        so the kernel plays all at once; if it fails, playing move by move finds the error.
        """
        with suppress(InvalidMoveError, IllegalMoveError):
            return cls.from_codes([_code_of(word.text, start.shape) for word in words], start)
        return super().from_words(words, where, start, draws)

    def transcript(self) -> str:
        """Return the moves as "f5d6c3", as `from_transcript` reads them.

        Passes are left out, because the rules imply them, except for one at the end.
        """
        last = len(self.moves) - 1
        return "".join(
            str(move)
            for number, move in enumerate(self.moves)
            if not move.is_pass or number == last
        )

    def _start_goes_without_saying(self) -> bool:
        return self.start.shape == USUAL and super()._start_goes_without_saying()

    def __repr__(self) -> str:
        game = self.start.game
        name = "" if game == self.start.kernel else f", {self.start.shape.side}, '{game}'"
        return f"Game.from_transcript('{self}'{name})"


@dataclass(frozen=True)
class OthelloRules(GameRules):
    """Othello on one board by name; see `evoply.games.GameRules`."""

    RECORD = Game

    opening_plies: int = 8
    piece: str = "disc"
    pieces_added: int = 1
    fills_evenly: bool = True
    symmetries: tuple[int, ...] = tuple(range(8))
    has_draw_rules: bool = False
    solver: str = "othello"
    engines: tuple[str, ...] = ("gtp", "nboard")
    format: str = "ggf"
    guide: str = "material-alternating:depth={},ties=random"
    readable: tuple[str, ...] = ("othello-access", "othello-shapes")

    def parse(self, text: str) -> Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""
        position = Position.parse(text, self.name)
        self._check_shape(position)
        return position

    def _check_shape(self, position: Position) -> None:
        if position.shape != self.shape:
            raise InvalidMoveError(
                f"the position is {position.shape}, and {self.name} is played on {self.shape}"
            )

    def record(self, text: str = "", draws: DrawRules | None = None) -> Game:
        """Return the game that the transcript *text* records, by default one not yet begun."""
        game = Game.from_transcript(text, self.shape.side, self.name)
        self._check_shape(game.start)
        return game


OTHELLO: Mapping[str, OthelloRules] = MappingProxyType(
    {
        "othello": OthelloRules(
            "othello",
            USUAL,
            "Othello 8x8",
            adviser="strong",
            concepts="othello",
            readable=("othello-access", "othello-shapes", "letters"),
        ),
        "othello-4": OthelloRules(
            "othello-4", SHAPES[4], "Othello 4x4", late_ply=8, adviser="mobility:depth=4"
        ),
        "othello-6": OthelloRules(
            "othello-6",
            SHAPES[6],
            "Othello 6x6",
            late_ply=28,
            adviser="mobility:depth=4",
            concepts="othello",
            readable=("othello-access", "othello-shapes", "letters-6"),
        ),
        "othello-10": OthelloRules(
            "othello-10",
            SHAPES[10],
            "Othello 10x10",
            adviser="firebrand",
            concepts="othello",
            readable=("othello-access", "othello-shapes", "letters-10"),
        ),
    }
)
"""The games of this family by name."""
