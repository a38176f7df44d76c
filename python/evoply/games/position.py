"""Positions of any game, stored as rows of the kernel, their legal moves, and rules of draws.

A game defines the rest: texts of moves and boards, checks of boards, and the outcome.

Reasons: docs/design/kernel.md, docs/design/randomness.md.
"""

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

from evoply import _native
from evoply.games import drawing
from evoply.games.squares import USUAL, squares_in, status
from evoply.protocols import (
    BoardShape,
    Cell,
    Color,
    Diagram,
    DiagramSide,
    Ending,
    IllegalMoveError,
    Outcome,
    Row,
)
from evoply.wording import did_you_mean, shorten

_MOST = 2**31 - 1


class BoardMove(Protocol):
    """A move on a board of the kernel; its str is its text."""

    @property
    def shape(self) -> BoardShape:
        """The rows and columns of the board; without meaning for a pass."""

    @property
    def path(self) -> tuple[int, ...]:
        """The squares that it touches, the last one where it ends; empty for a pass."""

    @property
    def is_pass(self) -> bool:
        """Whether it is a forced pass."""

    def code(self, shape: BoardShape) -> int:
        """Return the kernel's number of this move on a board of *shape*."""

    @classmethod
    def from_code(cls, code: int, shape: BoardShape = USUAL) -> Self:
        """Return the move with the kernel's number *code*; raise `InvalidMoveError` without one."""


M = TypeVar("M", bound=BoardMove)

_MOST_MOVES = 1 << 14


class _Moves(dict[int, Any]):
    """The moves of a board by their codes, made on first use."""

    def __init__(self, from_code: Callable[[int, BoardShape], Any], shape: BoardShape) -> None:
        super().__init__()
        self._from_code, self._shape = from_code, shape

    def __missing__(self, code: int) -> Any:
        if len(self) >= _MOST_MOVES:
            self.clear()
        self[code] = move = self._from_code(code, self._shape)
        return move


moves_of = cache(_Moves)


@dataclass(frozen=True, slots=True, repr=False)
class LegalMoves(Sequence[M], Generic[M]):
    """The legal moves of a position, a sequence in the kernel's order: by squares and paths.

    *codes* are the kernel's numbers. A move is made from its code on access.
    """

    codes: tuple[int, ...]
    shape: BoardShape
    move_type: type[M]

    @property
    def must_pass(self) -> bool:
        """Whether the only legal move is a forced pass."""
        return len(self.codes) == 1 and self[0].is_pass

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[M]:
        return map(moves_of(self.move_type.from_code, self.shape).__getitem__, self.codes)

    def __contains__(self, move: object) -> bool:
        return (
            isinstance(move, self.move_type)
            and (move.shape == self.shape or move.is_pass)
            and move.code(self.shape) in self.codes
        )

    @overload
    def __getitem__(self, index: int) -> M: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[M]: ...
    def __getitem__(self, index: int | slice) -> M | Sequence[M]:
        if isinstance(index, slice):
            return tuple(self)[index]
        move: M = moves_of(self.move_type.from_code, self.shape)[self.codes[index]]
        return move

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"LegalMoves({', '.join(map(str, self))})"


@cache
def start_row(kernel: str) -> Row:
    """Return the start of the rules that the kernel calls *kernel*."""
    return _native.Positions.random(kernel, 1, 0, 0, 0)[0]  # no random plies


@dataclass(frozen=True, init=False, repr=False, eq=False)
class BoardPosition(ABC, Generic[M]):
    """A board, the side to move and counters as a row of the kernel; immutable.

    Equality and hash use the game, the board and the side to move, not the counters.
    """

    FAMILY: ClassVar[str]
    """The name of the family of games."""
    SHAPES: ClassVar[Mapping[str, BoardShape]]
    """The kernel's names of the rules, with the shape of each board."""
    PIECE: ClassVar[str]
    """The name of a piece."""
    SYMBOLS: ClassVar[Mapping[Color, tuple[str, str]]]
    """A piece, and a king if the games have kings, as letters and as symbols."""
    MOVE: ClassVar[type[Any]]
    """The class of the moves."""

    kernel: str
    """The name of the rules in the kernel."""
    game: str
    """The name of the game, usually that of the rules."""
    row: Row
    """The kernel's form: black, white, kings, whether Black is to move, ply, quiet plies."""

    @classmethod
    def from_row(cls, kernel: str, row: Row, game: str | None = None) -> Self:
        """Return the position of the kernel's rules *kernel* with *row*.

        Raises `ValueError` that names the square if such a position cannot exist.
        """
        position = object.__new__(cls)
        position._become(kernel, kernel if game is None else game, row)
        return position

    def _become(self, kernel: str, game: str, row: Row) -> None:
        """Check these values and set the fields."""
        if kernel not in self.SHAPES:
            raise ValueError(f"{kernel!r} is not one of {', '.join(self.SHAPES)}")
        *sets, black_to_move, ply, quiet_plies = row
        # Whole numbers of any type are accepted, but not 1.5 or text.
        black, white, kings = map(operator.index, sets)
        ply, quiet_plies = operator.index(ply), operator.index(quiet_plies)
        checked = black, white, kings, bool(black_to_move), ply, quiet_plies
        vars(self).update(kernel=str(kernel), game=str(game), row=checked)
        if min(black, white, kings) < 0 or (black | white | kings) >> self.shape.squares:
            raise ValueError(f"a {self.PIECE} lies outside the board of {self.shape}")
        for square in squares_in(black & white):
            name = self._square_text(square)
            raise ValueError(f"{name} holds a black and a white {self.PIECE}")
        for counter, count in (("ply", ply), ("quiet_plies", quiet_plies)):
            if not 0 <= count <= _MOST:
                raise ValueError(f"{counter} must be 0 to {_MOST}, and is {count}")
        self._check()

    def _with(self, row: Row) -> Self:
        """Return the position of this game with a *row* of the kernel, unchecked."""
        position = object.__new__(type(self))
        vars(position).update(kernel=self.kernel, game=self.game, row=row)
        return position

    def at_start(self) -> Self:
        """Return the start position of this game."""
        return self._with(start_row(self.kernel))

    @property
    def shape(self) -> BoardShape:
        """The rows and columns of the board."""
        return self.SHAPES[self.kernel]

    @property
    def black(self) -> int:
        """The set of Black's squares."""
        return self.row[0]

    @property
    def white(self) -> int:
        """The set of White's squares."""
        return self.row[1]

    @property
    def turn(self) -> Color:
        """The side to move."""
        return Color.BLACK if self.row[3] else Color.WHITE

    @property
    def ply(self) -> int:
        """The plies played so far, forced passes included."""
        return self.row[4]

    @property
    def quiet_plies(self) -> int:
        """The plies since the last capture or move of a man; always 0 where there are no kings."""
        return self.row[5]

    @property
    def own(self) -> int:
        """The set of squares of the side to move."""
        return self.row[0] if self.row[3] else self.row[1]

    @property
    def opponent(self) -> int:
        """The set of squares of the side not to move."""
        return self.row[1] if self.row[3] else self.row[0]

    @property
    def empty(self) -> int:
        """The set of empty squares, including squares where no piece can stand."""
        return ~(self.row[0] | self.row[1]) & ((1 << self.shape.squares) - 1)

    @property
    def clock(self) -> float:
        """The share of the longest possible game that has been played: 0 to 1.

        It is told by the pieces, unless the rules of a game from data say otherwise.
        """
        return _native.clock_at(self.kernel, self.row)

    def pieces(self, color: Color) -> int:
        """Return the number of pieces of *color*."""
        return self.row[0 if color is Color.BLACK else 1].bit_count()

    def __getitem__(self, square: str | int) -> Color | None:
        """Return whose piece stands on *square*, as moves name it: "d3", in checkers "18" or 18.

        None for an empty square. Raises `InvalidMoveError` if there is no such square.
        """
        bit = self._square(str(square))
        return next((color for color in Color if self.row[color is Color.WHITE] >> bit & 1), None)

    __iter__: ClassVar[None] = None  # squares are no sequence, though they can be asked by name

    def mobility(self, color: Color | None = None) -> int:
        """Return how many moves *color*, by default the side to move, has if it is to move.

        A forced pass counts 0.
        """
        is_black = self.row[3] if color is None else color is Color.BLACK
        return _native.mobility(self.kernel, self.row, is_black)

    @cached_property
    def legal_moves(self) -> LegalMoves[M]:
        """The legal moves in the kernel's order; empty exactly when the game is over.

        A forced pass is a legal move.
        """
        codes = _native.legal_moves(self.kernel, self.row)
        return LegalMoves(tuple(codes), self.shape, self.MOVE)

    def play(self, move: M | str, /) -> Self:
        """Return the position after *move*, a move or its text.

        Raises `InvalidMoveError` if the text cannot be read or fits several moves and
        `IllegalMoveError`, which names the position, if the rules forbid the move.
        """
        if isinstance(move, str):
            move = self.parse_move(move)
        if move not in self.legal_moves:
            raise IllegalMoveError(f"illegal move {self._why_not(str(move))}")
        return self._with(_native.row_after(self.kernel, self.row, move.code(self.shape)))

    def _why_not(self, move: str) -> str:
        """Return the line that explains why *move* is not legal here; a page may show it, too."""
        head = f"{move} for {self.turn} in {self.text()}"
        if not self.legal_moves:
            return f"{head}: the game is over"
        must = self.what_must_be(move)
        return f"{head}: {must}{', ' if must else ''}legal is {self.legal_moves}"

    def what_must_be(self, text: str, /) -> str:
        """Return what the rules demand and the illegal move *text* does not do, or ""."""
        return ""

    def short_text(self, move: M) -> str:
        """Return the shortest text that names a legal move here."""
        return str(move)

    def colors_exchanged(self) -> Self:
        """Return the position with colours exchanged, which is the same for the side to move."""
        black, white, kings, black_to_move, ply, quiet_plies = self.row
        return self._with((white, black, kings, not black_to_move, ply, quiet_plies))

    def diagram(self, *, last_move: M | None = None, legal: bool = True) -> Diagram:
        """Return what the board shows after *last_move*; if *legal*, legal moves are marked.

        A legal move is marked where it ends.
        """
        ends = _native.destinations(self.kernel, self.row, self.row[3]) if legal else 0
        return Diagram(
            shape=self.shape,
            cells=tuple(
                self._cell(square, is_legal=bool(ends >> square & 1))
                for square in range(self.shape.squares)
            ),
            sides={
                color: DiagramSide(*self.SYMBOLS[color], self.pieces(color), self._count(color))
                for color in Color
            },
            turn=self.turn,
            status=status(self),
            last=() if last_move is None else last_move.path,
        )

    def _cell(self, square: int, *, is_legal: bool) -> Cell:
        black, white, king = (bool(pieces >> square & 1) for pieces in self.row[:3])
        color = Color.BLACK if black else Color.WHITE if white else None
        label = self._label(square)
        return Cell(color, king, label or "", is_playable=label is not None, is_legal=is_legal)

    def _label(self, square: int) -> str | None:
        """Return the name written on *square*, or ""; None if no piece can stand there."""
        return ""

    def _count(self, color: Color) -> str:
        """Return the pieces of *color* in words."""
        return str(self.pieces(color))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoardPosition)
            and self.row[:4] == other.row[:4]
            and (self.game, self.kernel) == (other.game, other.kernel)
        )

    def __hash__(self) -> int:
        return hash((self.game, *self.row[:4]))

    def _repr_svg_(self) -> str:
        return drawing.board_svg(self)

    @abstractmethod
    def _check(self) -> None:
        """Raise `ValueError` that names the square if such a position cannot exist."""

    @abstractmethod
    def _square_text(self, square: int) -> str:
        """Return the name of *square* for messages."""

    @abstractmethod
    def _square(self, text: str) -> int:
        """Return the square that *text* names; raise `InvalidMoveError` if it names none."""

    @abstractmethod
    def parse_move(self, text: str, /) -> M:
        """Return the move that *text* names here; raise `InvalidMoveError` if it names none."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the side to move has a legal move."""

    @abstractmethod
    def text(self) -> str:
        """Return the exact one-line text form."""


# Rules for draws beyond the board: by quiet plies, by repetition, by a cap on length.
#
# They belong to a game or a schedule, not to a position, which has counters but no history.

_LEAST = {"quiet_plies": 1, "repetitions": 2, "max_plies": 1}
_LIMIT = re.compile(r"[0-9]{1,9}|never|none")


@dataclass(frozen=True, slots=True)
class DrawRules:
    """When a game is drawn though the board allows moves; None switches a rule off.

    A game is drawn after *quiet_plies* without a capture or a move of a man, when a board occurs
    with the same side to move *repetitions* times, or after *max_plies*. The defaults are evoply's
    own, because the sources on checkers differ.
    """

    quiet_plies: int | None = 80
    repetitions: int | None = 3
    max_plies: int | None = 300

    def __post_init__(self) -> None:
        for (name, least), limit in zip(_LEAST.items(), self.limits, strict=True):
            if limit is not None and operator.index(limit) < least:
                raise ValueError(f"{name} must be at least {least}, or None, and is {limit}")

    @classmethod
    def parse(cls, text: str, usual: "DrawRules | None" = None) -> "DrawRules":
        """Return *usual* with the limits in *text*, which are separated by commas or blanks.

        `never` and `none` switch a rule off. *usual* is `USUAL_DRAWS` by default. Raises
        ValueError that names what cannot be read.

        >>> DrawRules.parse("repetitions=never,quiet_plies=40")
        DrawRules(quiet_plies=40, repetitions=None, max_plies=300)
        """
        limits: dict[str, int | None] = {}
        for part in re.split(r"[,\s]+", re.sub(r"\s*=\s*", "=", text.strip())):
            name, _, value = part.partition("=")
            if name not in _LEAST:
                hint = did_you_mean(name, _LEAST)
                names = ", ".join(_LEAST)
                raise ValueError(f"no rule about draws is called {shorten(name)!r}{hint} ({names})")
            if name in limits:
                raise ValueError(f"{name} is given twice")
            if _LIMIT.fullmatch(value) is None:
                raise ValueError(f"{name} must be a whole number or never, not {shorten(value)!r}")
            limits[name] = int(value) if value.isdigit() else None
        return replace(cls() if usual is None else usual, **limits)

    @property
    def limits(self) -> tuple[int | None, int | None, int | None]:
        """The limits as the kernel takes them."""
        return self.quiet_plies, self.repetitions, self.max_plies

    def text(self) -> str:
        """Return all limits as `parse` reads them, with `none` for a rule that is off."""
        return " ".join(
            f"{name}={'none' if limit is None else limit}"
            for name, limit in zip(_LEAST, self.limits, strict=True)
        )

    def ending(self, positions: Sequence[Any]) -> Ending | None:
        """Return the rule by which an undecided game with these *positions* is a draw, or None."""
        last = positions[-1]
        if self.quiet_plies is not None and last.quiet_plies >= self.quiet_plies:
            return Ending.QUIET_PLIES
        if self.repetitions is not None:
            # Only positions since the last capture or move of a man can be the same, and both
            # sides need two plies to come back.
            quiet = min(last.quiet_plies, len(positions) - 1)
            if (
                quiet >= 4 * (self.repetitions - 1)
                and positions[-1 - quiet : -1].count(last) + 1 >= self.repetitions
            ):
                return Ending.REPETITION
        if self.max_plies is not None and last.ply >= self.max_plies:
            return Ending.CAP
        return None

    def reason(self, positions: Sequence[Any]) -> str | None:
        """Return in words why a game with these *positions* is a draw; see `ending`."""
        match self.ending(positions):
            case Ending.QUIET_PLIES:
                return f"{self.quiet_plies} plies without a capture or a move of a man"
            case Ending.REPETITION:
                return f"the position occurred {self.repetitions} times"
            case Ending.CAP:
                return f"{self.max_plies} plies played"
            case _:
                return None


NO_DRAWS = DrawRules(None, None, None)
"""No draws but those of the board: for Othello, perft and records with unknown rules."""

USUAL_DRAWS = DrawRules()
"""The default rules of checkers."""
