"""Rules of moves: pieces are placed, step or slide, and what that does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, cast

from evoply import _native
from evoply.expressions import Squares
from evoply.expressions.operations import OFFSETS, ExpressionError, short
from evoply.games.squares import square_name, squares_in
from evoply.protocols import Row
from evoply.wording import did_you_mean

__all__ = [
    "Offset",
    "Placing",
    "RuleOfMoves",
    "RulesError",
    "Sliding",
    "Stepping",
    "place",
    "slide",
    "step",
]

_Maker = TypeVar("_Maker", bound=Callable[..., Any])

MOST = 9
"""The farthest that a step goes, in rows and in columns."""


class RulesError(ExpressionError):
    """Rules that make no game: *rule - what is wrong - what to do*."""


def names_arguments(maker: _Maker) -> _Maker:
    """Have a function or class refuse wrong arguments with a `RulesError` that names them."""
    made: Any = vars(maker)["__init__"] if isinstance(maker, type) else maker
    signature, takes = inspect.signature(made), [*inspect.signature(maker).parameters]

    @wraps(made)
    def checked(*arguments: Any, **named: Any) -> Any:
        unknown = [name for name in named if name not in takes]
        if unknown:
            hint = did_you_mean(unknown[0], takes)
            raise RulesError(
                f"{maker.__name__}, {unknown[0]} - is no part of it{hint} - write one of"
                f" {', '.join(takes)}"
            )
        try:
            signature.bind(*arguments, **named)
        except TypeError as error:
            raise RulesError(f"{maker.__name__} - {error} - it takes {', '.join(takes)}") from None
        return made(*arguments, **named)

    if not isinstance(maker, type):
        return cast(_Maker, checked)
    setattr(maker, "__init__", checked)  # noqa: B010  # which no type checker lets assign
    return maker


@dataclass(frozen=True, slots=True, order=True)
class Offset:
    """A step: rows down, columns to the right, and whether it is turned half round for White."""

    down: int
    right: int
    turned: bool


_OF_PIECES = {  # as Black goes, who begins at the top
    "forward": (1, 0),
    "forward_left": (1, 1),
    "forward_right": (1, -1),
    "left": (0, 1),
    "right": (0, -1),
    "backward": (-1, 0),
    "backward_left": (-1, 1),
    "backward_right": (-1, -1),
}
_WORDS: Mapping[str, tuple[Offset, ...]] = MappingProxyType(
    {
        **{word: (Offset(*by, False),) for word, by in OFFSETS.items()},
        **{word: (Offset(*by, True),) for word, by in _OF_PIECES.items()},
        "orthogonal": tuple(Offset(*OFFSETS[word], False) for word in ("n", "e", "s", "w")),
        "diagonal": tuple(Offset(*OFFSETS[word], False) for word in ("ne", "se", "sw", "nw")),
        "any": tuple(Offset(*by, False) for by in OFFSETS.values()),
    }
)


@dataclass(frozen=True, kw_only=True)
class RuleOfMoves:
    """One rule: the sets of squares that allow a move, and the pieces after it.

    *own* and *opponent* are the pieces after the move, as the side that moves sees them; they may
    read `board.moved_from` and `board.moved_to`. If both are None, a piece is put or moved, and one
    that stood there is gone.
    """

    KIND: ClassVar[str]
    SETS: ClassVar[tuple[str, ...]]

    offsets: tuple[Offset, ...] = ()
    own: Squares | None = None
    opponent: Squares | None = None

    @property
    def sets(self) -> dict[str, Squares]:
        """The sets that say which moves are legal, by their names in the written form."""
        return {name: getattr(self, _field(name)) for name in self.SETS}

    def __post_init__(self) -> None:
        for name, chosen in self.sets.items():
            _check_set(self.KIND, name, chosen)
        effects = {"own": self.own, "opponent": self.opponent}
        for name, effect in effects.items():
            if effect is not None:
                _check_set(self.KIND, name, effect)
        missing = [name for name, effect in effects.items() if effect is None]
        if len(missing) == 1:
            raise RulesError(
                f"{self.KIND}, {missing[0]} - is missing - say what both sides have after the move,"
                f" such as {missing[0]}=board.{missing[0]}"
            )


@dataclass(frozen=True, kw_only=True)
class Placing(RuleOfMoves):
    """A piece is put on a square of *on*."""

    KIND = "place"
    SETS = ("on",)

    on: Squares


@dataclass(frozen=True, kw_only=True)
class Stepping(RuleOfMoves):
    """A piece of *from* goes by an offset to a square of *onto*."""

    KIND = "step"
    SETS = ("from", "onto")

    from_: Squares
    onto: Squares


@dataclass(frozen=True, kw_only=True)
class Sliding(RuleOfMoves):
    """A piece of *from* goes in a direction as far as squares of *through* go, and onto *onto*."""

    KIND = "slide"
    SETS = ("from", "through", "onto")

    from_: Squares
    through: Squares
    onto: Squares


@names_arguments
def place(on: Squares, *, own: Squares | None = None, opponent: Squares | None = None) -> Placing:
    """Return the rule that a piece may be put on any square of *on*.

    *own* and *opponent* are explained at `RuleOfMoves`.
    """
    return Placing(on=on, own=own, opponent=opponent)


@names_arguments
def step(
    from_: Squares,
    directions: object,
    *,
    onto: Squares,
    own: Squares | None = None,
    opponent: Squares | None = None,
) -> Stepping:
    """Return the rule that a piece of *from_* may go one step, to a square of *onto*.

    *directions* are words or offsets (rows down, columns to the right), one or a list: n, ne, e,
    se, s, sw, w, nw; forward, forward_left, left, backward_right, and so on, which are turned for
    White; orthogonal, diagonal, any. Raises `RulesError`.

    >>> from evoply.expressions import board
    >>> knights = step(board.own, [(1, 2), (2, 1)], onto=~board.own)
    """
    offsets = _offsets("step", directions)
    return Stepping(offsets=offsets, own=own, opponent=opponent, from_=from_, onto=onto)


@names_arguments
def slide(
    from_: Squares,
    directions: object,
    *,
    through: Squares,
    onto: Squares | None = None,
    own: Squares | None = None,
    opponent: Squares | None = None,
) -> Sliding:
    """Return the rule that a piece of *from_* may go straight on through squares of *through*.

    It ends on a square of *onto*, by default of *through*. Directions as in `step`, without
    offsets. Raises `RulesError`.
    """
    offsets = _offsets("slide", directions)
    for offset in offsets:
        if max(abs(offset.down), abs(offset.right)) > 1:
            raise RulesError(
                f"slide, directions - {(offset.down, offset.right)} is no direction - write words"
                " such as forward or diagonal"
            )
    onto = through if onto is None else onto
    return Sliding(
        offsets=offsets, own=own, opponent=opponent, from_=from_, through=through, onto=onto
    )


def _field(name: str) -> str:
    return "from_" if name == "from" else name


def _check_set(kind: str, name: str, chosen: object) -> None:
    if not isinstance(chosen, Squares):
        what = type(chosen).__name__.lower() if hasattr(chosen, "op") else short(chosen)
        raise RulesError(
            f"{kind}, {name} - is {what} and no set of squares - write an expression of sets, such"
            " as board.empty or squares(['e4'])"
        )


def _offsets(kind: str, directions: Any) -> tuple[Offset, ...]:
    single = isinstance(directions, str) or _is_pair(directions)
    if not single and not isinstance(directions, Iterable):
        raise RulesError(
            f"{kind}, directions - {short(directions)} is no direction - write one such as forward,"
            " or a list"
        )
    found = dict.fromkeys(
        offset
        for one in ([directions] if single else directions)
        for offset in _read_offset(kind, one)
    )
    if not found:
        raise RulesError(f"{kind}, directions - there is none - name at least one, such as forward")
    return tuple(found)


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(type(by) is int for by in value)


def _read_offset(kind: str, value: object) -> tuple[Offset, ...]:
    if isinstance(value, Offset):
        return (value,)
    if isinstance(value, str):
        if value not in _WORDS:
            hint = did_you_mean(value, _WORDS)
            raise RulesError(
                f"{kind}, directions - {short(value)} is no direction{hint} - write one of"
                f" {', '.join(_WORDS)}"
            )
        return _WORDS[value]
    if not _is_pair(value):
        raise RulesError(
            f"{kind}, directions - {short(value)} is no direction - write a word such as forward,"
            " or a pair (rows down, columns to the right)"
        )
    down, right = _pair(value)
    if (down, right) == (0, 0) or max(abs(down), abs(right)) > MOST:
        raise RulesError(
            f"{kind}, directions - {value} goes nowhere on a board - write at least one and at most"
            f" {MOST} rows or columns"
        )
    return (Offset(down, right, False),)


def _pair(value: Any) -> tuple[int, int]:
    return value[0], value[1]


def rows_after(position: Any) -> list[Row]:
    """Return the kernel's rows after each legal move of a *position*."""
    kernel, row = position.kernel, position.row
    return [_native.row_after(kernel, row, code) for code in position.legal_moves.codes]


def wrong_squares(row: Row, playable: int | None) -> int:
    """Return the squares of a *row* with pieces of both sides, or else where none can stand."""
    black, white = row[:2]
    return black & white or (0 if playable is None else (black | white) & ~playable)


def wrong_after(position: Any, moves: Sequence[RuleOfMoves], playable: int | None) -> Iterator[str]:
    """Yield what is wrong with the pieces after each legal move, by rules with own and opponent."""
    rules = [f"move {number}" for number, move in enumerate(moves, 1) if move.own is not None]
    for move, row in zip(position.legal_moves, rows_after(position), strict=True):
        wrong = wrong_squares(row, playable)
        if wrong:
            square = square_name(next(squares_in(wrong)), position.shape)
            what = "holds a piece of both sides" if row[0] & row[1] else "is not playable"
            yield (
                f"{', '.join(rules)}, own and opponent - after {move} in {position.text()} {square}"
                f" {what} - leave it out, as in opponent=board.opponent - board.moved_to"
            )
