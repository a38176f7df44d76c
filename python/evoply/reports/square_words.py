"""What a count of a set of squares counts, in words that name the squares.

Trees that compose sets of squares are read from here: "own discs on a1, a6, f1 and f6", "empty
squares beside discs of the opponent".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evoply.expressions import Expression, Squares, square_sets
from evoply.expressions.written_form import in_order
from evoply.games import GAMES
from evoply.games.squares import square_name, squares_in
from evoply.protocols import BoardShape, Color

_MOST_NAMED = 8
_LONGEST = 160
_DEPENDS = frozenset(
    {"own", "opponent", "empty", "destinations", "moved_to", "moved_from", "argument"}
    | {"own_men", "own_kings", "opponent_men", "opponent_kings"}
)
_HOLDERS: Mapping[str, str] = {
    "own": "own {}s",
    "opponent": "{}s of the opponent",
    "empty": "empty squares",
    "own_men": "own men",
    "own_kings": "own kings",
    "opponent_men": "men of the opponent",
    "opponent_kings": "kings of the opponent",
}
_COMPASS: Mapping[str, str] = {
    "n": "above",
    "ne": "above right of",
    "e": "right of",
    "se": "below right of",
    "s": "below",
    "sw": "below left of",
    "w": "left of",
    "nw": "above left of",
}
_REGIONS: Mapping[str, tuple[str, str]] = {
    "corners": ("the corners", "in the corners"),
    "edges": ("the edge", "on the edge"),
    "edges_without_corners": ("the edge without corners", "on the edge outside the corners"),
    "x_squares": ("X squares", "on X squares"),
    "c_squares": ("C squares", "on C squares"),
    "near_corners": ("squares next to a corner", "next to a corner"),
}
"""Named sets as things, and as places."""


def squares_phrase(expression: Expression, piece: str, shape: BoardShape) -> str | None:
    """Return what a count of squares counts on a board of *shape*; None if words would be long.

    Constant sets are named by their squares, those of Black if they turn with the board. *piece* is
    what the game calls a piece.

    >>> from evoply.expressions import board, count, squares
    >>> from evoply.games import SHAPES
    >>> squares_phrase(count(board.own & squares("corners").shift("e")), "disc", SHAPES[6])
    'own discs on b1 and b6'
    >>> squares_phrase(count(board.empty & board.opponent.neighbours()), "disc", SHAPES[6])
    'empty squares beside discs of the opponent'
    """
    if expression.op != "count":
        return None
    phrase = _Board(piece, shape).things(expression.arguments[0])
    return phrase if len(phrase) <= _LONGEST else None


class _Board:
    """Says sets of squares of a board."""

    def __init__(self, piece: str, shape: BoardShape) -> None:
        self.piece, self.shape = piece, shape
        self.start = next(rules.start() for rules in GAMES.values() if rules.shape == shape)
        self.all = (1 << shape.squares) - 1

    def things(self, of: Squares) -> str:
        """Return a noun phrase for the squares of *of*."""
        if _is_constant(of):
            bits = self._bits(of)
            return f"the {bits.bit_count()} squares {self._on(bits)}"
        union = list(dict.fromkeys(_union(of)))
        if len(union) > 1:
            return " or ".join(self._thing(part) for part in union)
        within, without = self._conjuncts(union[0])
        fixed = self.all
        for part in filter(_is_constant, within):
            fixed &= self._bits(part)
        for part in filter(_is_constant, without):
            fixed &= ~self._bits(part)
        holders = {part.op for part in within if part.op in _HOLDERS}
        if len(holders) > 1 or not fixed:
            return "squares that there never are"
        unions = [part for part in within if part.op == "or" and _beside(part) is None]
        if holders:
            noun = _HOLDERS[holders.pop()].format(self.piece)
        elif fixed == self.all and len(unions) == 1:
            noun = self.things(unions[0])
            within.remove(unions[0])
        else:
            noun = "squares"
        said = [noun] if fixed == self.all else [noun, self._on(fixed)]
        said += [
            self._where(part)
            for part in within
            if part.op not in _HOLDERS and not _is_constant(part)
        ]
        is_held = noun != "squares"
        said += [
            self._not(part)
            for part in without
            if not _is_constant(part) and not (is_held and part.op in _HOLDERS)
        ]
        return " ".join(said)

    def _conjuncts(self, of: Squares) -> tuple[list[Squares], list[Squares]]:
        """Return sets of which *of* is the intersection, and sets that it leaves out."""
        match of.op, of.arguments:
            case "and", (first, second):
                within, without = self._conjuncts(first)
                more, left_out = self._conjuncts(second)
                return [*within, *more], [*without, *left_out]
            case "minus", (first, second):
                within, without = self._conjuncts(first)
                return within, [*without, *_union(second)]
            case "not", (inner,):
                return [], list(_union(inner))
            case "fill", (begin, through, _):
                within, without = self._conjuncts(through)
                is_apart = _is_constant(through) and not self._bits(through & through.neighbours())
                more, left_out = self._conjuncts(begin) if is_apart else ([of], [])
                return [*within, *more], [*without, *left_out]
        return [of], []

    def _where(self, of: Squares) -> str:
        """Return a clause that follows a noun: "beside own discs"."""
        inner = _beside(of)
        if inner is not None:
            return f"beside {self._thing(inner)}"
        if of.op == "shift":
            return f"{_COMPASS[of.arguments[1]]} {self._thing(of.arguments[0])}"
        if of.op == "fill":
            return f"joined to {self._thing(of.arguments[0])}"
        return f"among {self._thing(of)}"

    def _not(self, of: Squares) -> str:
        if of.op == "empty":
            return "that are not empty"
        if of.op in _HOLDERS:
            return f"without {_HOLDERS[of.op].format(self.piece)}"
        return f"not {self._where(of)}"

    def _thing(self, of: Squares) -> str:
        if _is_constant(of):
            return self._on(self._bits(of), is_thing=True)
        return self.things(of)

    def _on(self, bits: int, *, is_thing: bool = False) -> str:
        """Return where *bits* are, or with *is_thing* what they are."""
        on = "" if is_thing else "on "
        if not bits:
            return f"{on}no square"
        for name, (thing, where) in _REGIONS.items():
            if square_sets(self.shape).get(name) == bits:
                return thing if is_thing else where
        chosen = list(squares_in(bits))
        others = list(squares_in(self.all & ~bits))
        if len(others) <= min(_MOST_NAMED, len(chosen)):
            return f"{on}any square but {self._names(others)}" if others else f"{on}any square"
        return f"{on}{self._names(chosen)}"

    def _names(self, chosen: Sequence[int]) -> str:
        names = [square_name(square, self.shape) for square in chosen]
        if len(names) > _MOST_NAMED:
            return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

    def _bits(self, of: Squares) -> int:
        bits: int = of.evaluate(self.start, Color.BLACK)
        return bits


def _is_constant(of: Expression) -> bool:
    return not any(node.op in _DEPENDS for node in in_order([of]))


def _union(of: Squares) -> Iterator[Squares]:
    if of.op == "or" and _beside(of) is None:
        for part in of.arguments:
            yield from _union(part)
    else:
        yield of


def _beside(of: Squares) -> Squares | None:
    """Return the set of which *of* are the neighbours, else None."""
    node: Expression = of
    while node.op == "or":
        node = node.arguments[0]
    if node.op != "shift":
        return None
    inner: Squares = node.arguments[0]
    return inner if of == inner.neighbours() else None
