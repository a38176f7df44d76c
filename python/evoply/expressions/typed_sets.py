"""Typed sets: Benbassat & Sipper's for Othello and checkers, and primitives over square sets.

Source: Benbassat & Sipper, "Evolving Board-Game Players with Genetic Programming" (GECCO 2011),
Tables 1 and 2. That paper's type F is "number" here, its B is "truth".
"""

from collections.abc import Iterable
from dataclasses import dataclass

from evoply.expressions import features
from evoply.expressions.expression import Expression, Number, Squares, Truth
from evoply.expressions.functions import (
    argument,
    board,
    count,
    is_empty,
    less_equal,
    number,
    select,
    squares,
    truth,
)
from evoply.expressions.operations import DIRECTIONS, ExpressionError
from evoply.expressions.parameters import NumberParameter, Parameter, SquareParameter
from evoply.expressions.primitives import Primitive, PrimitiveSet, make_primitive, name_on
from evoply.games.squares import USUAL
from evoply.protocols import BoardShape

CONSTANTS = (-5.0, 5.0)
"""The range of ERC and, in this reading of the paper, of the factor of MultERC."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The squares of a game that hold men and, if it has any, kings, for Benbassat's sets.

    Every disc of Othello is a man. A game with kings passes its own sets; nothing else changes.
    """

    friendly_men: Squares = board.own
    enemy_men: Squares = board.opponent
    friendly_kings: Squares | None = None
    enemy_kings: Squares | None = None

    @property
    def friendly(self) -> Squares:
        """All pieces of the side that the evaluator speaks for."""
        return _with(self.friendly_men, self.friendly_kings)

    @property
    def enemy(self) -> Squares:
        """All pieces of the other side."""
        return _with(self.enemy_men, self.enemy_kings)


def _with(men: Squares, kings: Squares | None) -> Squares:
    return men if kings is None else men | kings


@dataclass(frozen=True, slots=True)
class _Entry:
    """A primitive before it has a code."""

    name: str
    expression: Expression
    parameter: Parameter | None = None
    introns: tuple[str, ...] = ()


def benbassat(
    shape: BoardShape = USUAL,
    *,
    extended: bool = False,
    relative: bool = True,
    playable: str = "all",
    pieces: Pieces | None = None,
) -> PrimitiveSet:
    """Return Benbassat & Sipper's basic set for a board of *shape*; the root is a number.

    Constants (ERC) are drawn from [-5, 5). Nodes such as `IsEmptySquare[c4]` have a square from
    the named set *playable*, which by default turns with the board for White; without *relative*
    it is absolute. The second operands of `NOTG` and `NullJ` are introns. *extended* adds what the
    basic set lacks: counts of corners or, if *pieces* have kings, counts of kings and of all
    pieces and the test for a king.
    """
    pieces = pieces or Pieces()
    square = SquareParameter(shape, playable, relative)
    name = "benbassat-extended" if extended else "benbassat"
    name = name_on(name, shape)
    options = [] if relative else ["squares=absolute"]
    options += [] if playable == "all" else [f"playable={playable}"]
    entries = [*_features(pieces, square), *_functions()]
    if extended:
        entries += _corners() if pieces.friendly_kings is None else _kings(pieces, square)
    return _set(f"{name}({','.join(options)})" if options else name, entries, CONSTANTS)


def _features(pieces: Pieces, square: SquareParameter) -> list[_Entry]:
    mine, theirs = count(pieces.friendly_men), count(pieces.enemy_men)
    return [
        _Entry("EnemyManCount", theirs),
        _Entry("FriendlyManCount", mine),
        _Entry("ManCount", mine - theirs),
        _Entry("Mobility", features.mobility("own")),
        _Entry("IsEmptySquare", _holds(board.empty), square),
        _Entry("IsFriendlyPiece", _holds(pieces.friendly), square),
        _Entry("IsManPiece", _holds(pieces.friendly_men | pieces.enemy_men), square),
        _Entry("true", truth(True)),
        _Entry("false", truth(False)),
        _Entry("0", number(0.0)),
        _Entry("1", number(1.0)),
    ]


def _holds(where: Squares) -> Truth:
    """Return whether the square of argument 0 is in *where*."""
    return is_empty(argument(0, "squares") - where)


def _functions() -> list[_Entry]:
    x, y = argument(0), argument(1)
    a, b = argument(0, "truth"), argument(1, "truth")
    return [
        _Entry("LowerEqual", less_equal(x, y)),
        _Entry("NOTG", ~a, introns=("truth",)),
        _Entry("AND", a & b),
        _Entry("NAND", ~(a & b)),
        _Entry("NOR", ~(a | b)),
        _Entry("OR", a | b),
        _Entry("IfTrue", select(a, argument(1), argument(2))),
        _Entry("Minus", x - y),
        _Entry("Plus", x + y),
        _Entry("MultERC", x * y, NumberParameter(*CONSTANTS)),
        _Entry("NullJ", x, introns=("number",)),
    ]


def _corners() -> list[_Entry]:
    mine, theirs = features.corners("own"), features.corners("opponent")
    return [
        _Entry("FriendlyCornerCount", mine),
        _Entry("EnemyCornerCount", theirs),
        _Entry("CornerCount", mine - theirs),
    ]


def _kings(pieces: Pieces, square: SquareParameter) -> list[_Entry]:
    """Return the primitives about kings; the names come from the authors' other papers."""
    my_kings, their_kings = pieces.friendly_kings, pieces.enemy_kings
    if my_kings is None or their_kings is None:
        raise ExpressionError("pieces: kings must be given for both sides or for neither")
    mine, theirs = count(pieces.friendly), count(pieces.enemy)
    return [
        _Entry("FriendlyKingCount", count(my_kings)),
        _Entry("EnemyKingCount", count(their_kings)),
        _Entry("KingCount", count(my_kings) - count(their_kings)),
        _Entry("FriendlyPieceCount", mine),
        _Entry("EnemyPieceCount", theirs),
        _Entry("PieceCount", mine - theirs),
        _Entry("IsKingPiece", _holds(my_kings | their_kings), square),
    ]


def compose_squares() -> PrimitiveSet:
    """Return a set whose trees compose sets of squares and count them.

    No paper has this set: evolution can find frontier discs, stable discs or regions by shifts,
    intersections and fills (`reach`). It fits every board.
    """
    x, y = argument(0), argument(1)
    s, t = argument(0, "squares"), argument(1, "squares")
    shifts = [_Entry(f"shift_{direction}", s.shift(direction)) for direction in DIRECTIONS]
    numbers: list[tuple[str, Number]] = [
        ("+", x + y),
        ("-", x - y),
        ("*", x * y),
        ("count", count(s)),
    ]
    sets: list[tuple[str, Squares]] = [
        ("own", board.own),
        ("opponent", board.opponent),
        ("empty", board.empty),
        ("corners", squares("corners")),
        ("edges", squares("edges")),
        ("and", s & t),
        ("or", s | t),
        ("minus", s - t),
        ("not", ~s),
        ("beside", s.neighbours()),
        ("reach", s.fill(t)),
    ]
    entries = [_Entry(name, expression) for name, expression in (*numbers, *sets)]
    return _set("squares", [*entries, *shifts], CONSTANTS)


def _set(name: str, entries: Iterable[_Entry], constants: tuple[float, float]) -> PrimitiveSet:
    return PrimitiveSet(name, tuple(_make(*entry) for entry in enumerate(entries)), constants)


def _make(code: int, entry: _Entry) -> Primitive:
    return make_primitive(
        entry.name, entry.expression, code, parameter=entry.parameter, introns=entry.introns
    )


# Benbassat & Sipper's primitives for checkers, a game with kings and men.
#
# The basic set of the paper counts men only and cannot tell a king from an enemy: only
# `IsFriendlyPiece` sees kings. The extended set also counts kings and all pieces.

CHECKERS = Pieces(board.own_men, board.opponent_men, board.own_kings, board.opponent_kings)
"""The men and kings of checkers, for Benbassat's sets."""


def benbassat_checkers(shape: BoardShape = USUAL, *, extended: bool = False) -> PrimitiveSet:
    """Return Benbassat & Sipper's set for checkers on a board of *shape*, over dark squares."""
    primitives = benbassat(shape, extended=extended, playable="dark", pieces=CHECKERS)
    name = "benbassat-checkers" + ("-extended" if extended else "")
    return primitives.renamed(name_on(name, shape))
