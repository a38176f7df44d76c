"""Othello moves: one move as a value, and the legal moves of a position as a sequence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, overload

from evoply.games.squares import parse_square, square_name, squares_in
from evoply.protocols import InvalidMoveError
from evoply.wording import shorten

_PASS_WORDS = frozenset({"pass", "pa", "ps"})


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A disc placed on *square* of a board of *size*, or `Move.PASS` (square None).

    >>> Move.parse("F5"), str(Move.parse("f5")), Move.parse("f5").square
    (Move.parse('f5'), 'f5', 37)
    """

    PASS: ClassVar["Move"]

    square: int | None
    size: int = 8

    def __post_init__(self) -> None:
        if self.square is None:
            object.__setattr__(self, "size", 8)  # a pass is the same move on every board
        elif not 0 <= self.square < self.size * self.size:
            raise InvalidMoveError(
                f"square {self.square} is not on a {self.size}x{self.size} board"
            )

    @classmethod
    def parse(cls, text: str, size: int = 8) -> "Move":
        """Return the move that *text* names, such as "f5", "PA" or "pass".

        Raises `InvalidMoveError` if it cannot be read; whether it is legal is the position's
        question.
        """
        if text.strip().lower() in _PASS_WORDS:
            return cls.PASS
        try:
            return cls(parse_square(text, size), size)
        except InvalidMoveError as error:
            last = square_name(size * size - 1, size)
            message = f"cannot read {shorten(text)!r} as a move: moves are a1 to {last}, or pass"
            raise InvalidMoveError(message) from error

    @classmethod
    def from_code(cls, code: int, size: int = 8) -> "Move":
        """Return the move that the kernel knows as *code* on a board of *size*."""
        if not 0 <= code <= size * size:
            raise InvalidMoveError(f"{code} is not a move code of a board of {size}x{size}")
        return cls.PASS if code == size * size else cls(int(code), size)

    def code(self, size: int) -> int:
        """Return the kernel's number of this move: its square, or size * size for a pass."""
        return size * size if self.square is None else self.square

    def __str__(self) -> str:
        return "pass" if self.square is None else square_name(self.square, self.size)

    def __repr__(self) -> str:
        if self.square is None:
            return "Move.PASS"
        return f"Move.parse('{self}'{'' if self.size == 8 else f', {self.size}'})"


Move.PASS = Move(None)


@dataclass(frozen=True, slots=True, repr=False)
class LegalMoves(Sequence[Move]):
    """The legal moves of a position in square order: a sequence with a quick `in`.

    *squares* is the set of squares where a disc may be placed; *must_pass* says that the only
    legal move is the forced pass.
    """

    size: int
    squares: int
    must_pass: bool

    def __len__(self) -> int:
        return 1 if self.must_pass else self.squares.bit_count()

    def __iter__(self) -> Iterator[Move]:
        if self.must_pass:
            yield Move.PASS
        for square in squares_in(self.squares):
            yield Move(square, self.size)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, Move):
            return False
        if move.square is None:
            return self.must_pass
        return move.size == self.size and bool(self.squares >> move.square & 1)

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        return tuple(self)[index]

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"LegalMoves({', '.join(map(str, self))})"
