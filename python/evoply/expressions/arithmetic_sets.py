"""Untyped sets over numbers: Liao's, the letters, Bellin's, those of checkers and of any game.

Sources: Liao, "Genetic Programming Applied to Board Game Othello", introduction (the primitives of
the course program); Bellin & Gasperin, "Genetic Programming and Othello", sections 2 and 3.2
(weights by position, no-ops, letters).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from evoply.expressions import features
from evoply.expressions.expression import Expression, Number, Squares, Truth
from evoply.expressions.features import mobility, pieces_of
from evoply.expressions.functions import (
    argument,
    board,
    count,
    destinations,
    divide,
    for_the_other_side,
    is_odd,
    number,
    number_of_moves,
    select,
    squares,
    squares_turned,
    weighted_sum,
)
from evoply.expressions.operations import ExpressionError, Weighing, class_letters, short
from evoply.expressions.primitives import PrimitiveSet, make_primitive, name_on
from evoply.games.squares import USUAL
from evoply.protocols import BoardShape

NO_OPS = ("B0", "B1", "B00", "B01", "B10", "B11")
"""Nodes that return their one operand and append their bits to the place of every node below."""


def liao(near_corners: str = "xc", edges: int = 28, division: str = "one") -> PrimitiveSet:
    """Return Liao's 13 primitives: + - * / 10 and counts of discs for both colours.

    White is own. *near_corners*, *edges* and *division* choose what the paper leaves open: which
    squares are near a corner or on the edge, and the value of x / 0.
    """
    primitives: list[tuple[str, Expression]] = [
        *_arithmetic(division),
        ("white", features.discs("own")),
        ("black", features.discs("opponent")),
        ("white_corners", features.corners("own")),
        ("black_corners", features.corners("opponent")),
        ("white_near_corners", features.near_corners("own", near_corners)),
        ("black_near_corners", features.near_corners("opponent", near_corners)),
        ("white_edges", features.edges("own", edges)),
        ("black_edges", features.edges("opponent", edges)),
    ]
    chosen = (("near_corners", near_corners, "xc"), ("edges", edges, 28))
    changed = [f"{option}={value}" for option, value, usual in chosen if value != usual]
    if division != "one":
        changed.append(f"division={division}")
    return set_of(f"liao({','.join(changed)})" if changed else "liao", primitives)


def letters(
    shape: BoardShape = USUAL, order: str = "corner_first", regions: Sequence[str] = ()
) -> PrimitiveSet:
    """Return + - * / 10 and the counts of each symmetry class of a board of *shape*.

    `aa`, `bb`, ... count White's (own) discs, `AA`, `BB`, ... Black's: 20 terminals on 8x8. Bellin
    & Gasperin's assignment of letters to classes is lost; *order* "centre_first" counts classes
    from the centre instead of from the corner. *regions* are other terminals: each a letter, or
    the letters of classes that are counted together, as `abe` and `ABE`.

    Raises `ExpressionError` for a region that is empty, or has a letter twice or one of no class.
    """
    known = class_letters(shape)
    used = "".join(regions)
    if not all(regions) or not set(used) <= set(known) or len(set(used)) < len(used):
        raise ExpressionError(f"regions are letters {known[0]} to {known[-1]}, each at most once")
    terminals: list[tuple[str, Expression]] = []
    for region in regions or known:
        text = region if len(region) > 1 else 2 * region
        terminals.append((text, features.square_class("own", region, order)))
        terminals.append((text.upper(), features.square_class("opponent", region, order)))
    name = "letters" if order == "corner_first" else "letters-centre"
    name += f"({'+'.join(regions)})" if regions else ""
    return set_of(name_on(name, shape), [*_arithmetic("one"), *terminals])


def bellin(
    terminals: Literal["liao", "letters"] = "liao",
    no_ops: Sequence[str] = ("B0", "B1"),
    mode: Weighing | None = "positional",
    *,
    constants: bool = True,
    shape: BoardShape = USUAL,
    order: str = "corner_first",
    regions: Sequence[str] = (),
) -> PrimitiveSet:
    """Return the functions + - * % and no-ops over *terminals*, with leaves weighed by place.

    `%` divides and gives 1 where the divisor is 0. *mode* None weighs nothing: no-ops are then
    inert. *constants* says whether numbers are weighed like features, which the paper leaves open.
    *shape*, *order* and *regions* are those of `letters`.
    """
    unknown = [name for name in no_ops if name not in NO_OPS]
    if unknown:
        raise ExpressionError(f"no-ops are {', '.join(NO_OPS)}, not {short(unknown[0])}")
    base = liao() if terminals == "liao" else letters(shape, order, regions)
    named = [("%" if node.name == "/" else node.name, node.expression) for node in base]
    name = base.name.replace("liao", "bellin").replace("letters", "bellin-letters")
    plain = set_of(name, named)
    inert = tuple(
        make_primitive(no_op, argument(0), len(plain) + index, bits=no_op[1:])
        for index, no_op in enumerate(no_ops)
    )
    chosen = replace(plain, primitives=plain.primitives + inert)
    usual = bool(constants) and mode == "positional" and tuple(no_ops) == ("B0", "B1")
    weighed = chosen.with_weights(mode, constants=constants)
    if usual:
        return weighed.renamed(name)
    options = [f"weights={mode or 'off'}", f"no_ops={'+'.join(no_ops) or 'none'}"]
    options += [] if constants else ["constants=off"]
    return weighed.renamed(f"{name}({','.join(options)})")


def _arithmetic(division: str) -> list[tuple[str, Expression]]:
    x, y = argument(0), argument(1)
    return [
        ("+", x + y),
        ("-", x - y),
        ("*", x * y),
        ("/", divide(x, y, division)),
        ("10", number(10.0)),
    ]


def liao_with_mobility() -> PrimitiveSet:
    """Return Liao's primitives and the numbers of legal moves of both colours."""
    liaos = [(primitive.name, primitive.expression) for primitive in liao()]
    mobility = [
        ("white_mobility", features.mobility("own")),
        ("black_mobility", features.mobility("opponent")),
    ]
    return set_of("liao+mobility", [*liaos, *mobility])


def bellin_with_noops() -> PrimitiveSet:
    """Return Bellin's letters with all no-ops; only no-ops weigh leaves."""
    return bellin("letters", NO_OPS, "noop_only").renamed("bellin-noops")


def set_of(name: str, primitives: Iterable[tuple[str, Expression]]) -> PrimitiveSet:
    """Return the set of *primitives*, which are not checked for closure."""
    # with_primitive would run its closure probe at import; the tests run it instead.
    members = (
        make_primitive(name, expression, code) for code, (name, expression) in enumerate(primitives)
    )
    return PrimitiveSet(name, tuple(members))


# A set that any game has: pieces, moves, captures, rows to go, lines and neighbours.
#
# No paper has this set. It asks nothing of the rules but where moves end, so it fits games whose
# rules are data.

CONSTANTS = (0.0, 10.0)
_LINES = ("e", "s", "se", "sw")
_MOST_ROWS = 9


def any_game() -> PrimitiveSet:
    """Return + - *, constants, the clock, and eight features of each side.

    Constants are drawn from [0, 10). `own_moves` counts moves, `own_targets` the opponent's pieces
    where one of them ends, `own_rows_to_go` the rows from each piece to the farthest one,
    `own_twos`, `own_threes` and `own_fours` lines of so many pieces, and `own_linked` the pieces
    beside another one.
    """
    x, y = argument(0), argument(1)
    own: list[tuple[str, Expression]] = [
        ("pieces", count(board.own)),
        ("moves", number_of_moves("own")),
        ("targets", count(destinations("own") & board.opponent)),
        ("rows_to_go", _rows_to_go()),
        ("twos", _lines(2)),
        ("threes", _lines(3)),
        ("fours", _lines(4)),
        ("linked", count(board.own & board.own.neighbours())),
    ]
    primitives: list[tuple[str, Expression]] = [
        ("+", x + y),
        ("-", x - y),
        ("*", x * y),
        ("clock", board.t),
        *((f"own_{name}", feature) for name, feature in own),
        *((f"opponent_{name}", for_the_other_side(feature)) for name, feature in own),
    ]
    return replace(set_of("any-game", primitives), constants=CONSTANTS)


def _rows_to_go() -> Number:
    # As Black goes, who begins at the top: a piece stays on the board for each row it has to go.
    ahead: Squares = select(board.is_black, board.own, board.own.symmetry(3))
    ahead = ahead.shift("s")
    rows = count(ahead)
    for _ in range(_MOST_ROWS - 1):
        ahead = ahead.shift("s")
        rows = rows + count(ahead)
    return rows


def _lines(length: int) -> Number:
    lines: Number | None = None
    for direction in _LINES:
        ends = moved = board.own
        for _ in range(length - 1):
            moved = moved.shift(direction)
            ends = ends & moved
        lines = count(ends) if lines is None else lines + count(ends)
    assert lines is not None
    return lines


# A set for Othello whose features show access: who can take corners, and which moves are safe.
#
# No paper has this set. The papers' sets count discs and moves, and their champions lose games by a
# corner that the opponent takes with its next move, which a count of discs does not show in time.


def othello_access() -> PrimitiveSet:
    """Return + - *, constants, the clock, and eleven features of each side; White is own.

    Constants are drawn from [0, 10). `clock` is 0 at the start and 1 on a full board. Fits every
    board of Othello.
    """
    x, y = argument(0), argument(1)
    primitives: list[tuple[str, Expression]] = [
        ("+", x + y),
        ("-", x - y),
        ("*", x * y),
        ("clock", board.t),
    ]
    for color, side in (("white", "own"), ("black", "opponent")):
        primitives += [
            (f"{color}_corners", features.corners(side)),
            (f"{color}_corner_moves", features.corner_moves(side)),
            (f"{color}_mobility", features.mobility(side)),
            (f"{color}_safe_moves", features.safe_moves(side)),
            (f"{color}_edge_moves", features.edge_moves(side)),
            (f"{color}_risky_x", features.risky(side, "x")),
            (f"{color}_risky_c", features.risky(side, "c")),
            (f"{color}_anchored", features.anchored_discs(side)),
            (f"{color}_frontier", features.frontier(side)),
            (f"{color}_edges", features.edges(side)),
            (color, features.discs(side)),
        ]
    return replace(set_of("othello-access", primitives), constants=CONSTANTS)


_KEPT = (
    "corners",
    "corner_moves",
    "safe_moves",
    "risky_x",
    "risky_c",
    "anchored",
    "frontier",
    "edges",
)
"""Of othello-access, what formulas of few terms keep."""


def othello_shapes() -> PrimitiveSet:
    """Return + - *, constants, the clock, and nineteen features of each side; White is own.

    They are those of `othello_access` that formulas of few terms keep, and `features.SHAPES`: what
    edges look like, which C discs and moves are in danger, and how far the discs reach. Constants
    are drawn from [0, 10). Fits every board of Othello.
    """
    primitives = operations()
    for color, side in (("white", "own"), ("black", "opponent")):
        for name in (*_KEPT, *features.SHAPES):
            primitives.append((f"{color}_{name}", features.FEATURES[f"{side}_{name}"]))
    return replace(set_of("othello-shapes", primitives), constants=CONSTANTS)


# Features of checkers that count where the pieces of a side stand and what they are forced to do.
#
# The papers' sets lack them. Each is a number for one side, "own" or "opponent"; the men of a side
# become kings on its far row. *shape* is the shape of the board.

_DIAGONALS = (("ne", "sw"), ("nw", "se"), ("se", "nw"), ("sw", "ne"))
"""Each direction with its opposite."""
_HALF_TURN = 3
"""The symmetry of the board that exchanges the sides."""
_DOWN, _UP = ("se", "sw"), ("ne", "nw")
"""The directions in which the men of Black and of White go."""


def men(side: str = "own") -> Number:
    """Return the number of men of *side*."""
    return count(_men(side))


def kings(side: str = "own") -> Number:
    """Return the number of kings of *side*."""
    return count(_kings(side))


def advancement(side: str = "own", shape: BoardShape = USUAL) -> Number:
    """Return the tempo of *side*: the sum of the rows by which its men have advanced."""
    rows = [float(row) for row in range(shape.rows) for _ in range(shape.columns)]
    moving_down = select(_is_black(side), number(0), number(1))
    return weighted_sum(_men(side), [rows, rows[::-1]], moving_down)


def back_row(side: str = "own", shape: BoardShape = USUAL) -> Number:
    """Return the number of men of *side* on its back row, which keep the opponent from kings."""
    return count(_men(side) & _back_row(side, shape))


def centre(side: str = "own", shape: BoardShape = USUAL) -> Number:
    """Return the number of pieces of *side* on the middle half of the rows and of the columns."""
    rows, columns = (range(side // 4, side - side // 4) for side in (shape.rows, shape.columns))
    inside = [shape.index(row, column) for row in rows for column in columns]
    return count(pieces_of(side) & squares(inside))


def runaway_men(side: str = "own") -> Number:
    """Return the number of men of *side* that no piece of the other side can meet on their way."""
    other = pieces_of("opponent" if side == "own" else "own")
    below = count(_men(side) - other.fill(squares("all"), _UP))
    above = count(_men(side) - other.fill(squares("all"), _DOWN))
    return select(_is_black(side), below, above)


def trapped_kings(side: str = "own") -> Number:
    """Return the number of kings of *side* that can neither step nor capture."""
    other = pieces_of("opponent" if side == "own" else "own")
    mobile: Squares | None = None
    for _, back in _DIAGONALS:
        steps = board.empty.shift(back)
        jumps = other.shift(back) & board.empty.shift(back).shift(back)
        ways = steps | jumps
        mobile = ways if mobile is None else mobile | ways
    assert mobile is not None  # there are four diagonals
    return count(_kings(side) - mobile)


def has_the_move(side: str = "own", shape: BoardShape = USUAL) -> Number:
    """Return 1 if the columns of the playable squares of *side*'s back row hold an odd piece count.

    With equal pieces and *side* to move it then has the opposition of books on checkers: it makes
    the last free move.
    """
    columns = [square for square in range(shape.squares) if square % shape.columns % 2]
    turned = squares_turned(columns)
    system = turned if side == "own" else turned.symmetry(_HALF_TURN)
    return select(is_odd(~board.empty & system), number(1), number(0))


def must_be_taken(side: str = "own") -> Number:
    """Return the number of pieces of *side* that the other could capture first in its next move."""
    other = "opponent" if side == "own" else "own"
    other_men, other_kings = _men(other), _kings(other)

    def count_caught(forward: tuple[str, ...]) -> Number:
        caught: Squares | None = None
        for towards, back in _DIAGONALS:
            capturing = other_kings | other_men if towards in forward else other_kings
            here = capturing.shift(towards) & board.empty.shift(back)
            caught = here if caught is None else caught | here
        assert caught is not None  # there are four diagonals
        return count(pieces_of(side) & caught)

    return select(_is_black(other), count_caught(_DOWN), count_caught(_UP))


def checkers_positional(shape: BoardShape = USUAL) -> PrimitiveSet:
    """Return + - *, constants, the clock, and positional features of checkers for each side.

    The features are men, kings, advancement, back row, centre, runaway men, trapped kings, the move
    and mobility. No paper has this set. Constants are drawn from [0, 10).
    """
    primitives = operations()
    for side in ("own", "opponent"):
        primitives += [
            (f"{side}_men", men(side)),
            (f"{side}_kings", kings(side)),
            (f"{side}_advancement", advancement(side, shape)),
            (f"{side}_back_row", back_row(side, shape)),
            (f"{side}_centre", centre(side, shape)),
            (f"{side}_runaway_men", runaway_men(side)),
            (f"{side}_trapped_kings", trapped_kings(side)),
            (f"{side}_has_the_move", has_the_move(side, shape)),
            (f"{side}_mobility", mobility(side)),
        ]
    name = name_on("checkers-positional", shape)
    return replace(set_of(name, primitives), constants=CONSTANTS)


def lose_checkers_forcing(shape: BoardShape = USUAL) -> PrimitiveSet:
    """Return + - *, constants, the clock, and features for a game that a side without moves wins.

    For each side they are men, kings, advancement, pieces that the other could take, whether the
    side must take, its forced replies, and its mobility. No paper has this set. Constants are drawn
    from [0, 10).
    """
    primitives = operations()
    for side in ("own", "opponent"):
        other = "opponent" if side == "own" else "own"
        is_forced = must_be_taken(other) > number(0)
        primitives += [
            (f"{side}_men", men(side)),
            (f"{side}_kings", kings(side)),
            (f"{side}_advancement", advancement(side, shape)),
            (f"{side}_must_be_taken", must_be_taken(side)),
            (f"{side}_must_take", select(is_forced, number(1), number(0))),
            (f"{side}_forced_replies", select(is_forced, mobility(side), number(0))),
            (f"{side}_mobility", mobility(side)),
        ]
    name = name_on("lose-checkers-forcing", shape)
    return replace(set_of(name, primitives), constants=CONSTANTS)


def operations() -> list[tuple[str, Expression]]:
    """Return the primitives + - * and clock, by their names."""
    x, y = argument(0), argument(1)
    return [("+", x + y), ("-", x - y), ("*", x * y), ("clock", board.t)]


def _men(side: str) -> Squares:
    return board.own_men if side == "own" else board.opponent_men


def _kings(side: str) -> Squares:
    return board.own_kings if side == "own" else board.opponent_kings


def _is_black(side: str) -> Truth:
    return board.is_black if side == "own" else ~board.is_black


def _back_row(side: str, shape: BoardShape) -> Squares:
    first = squares_turned(range(shape.columns))
    return first if side == "own" else first.symmetry(_HALF_TURN)
