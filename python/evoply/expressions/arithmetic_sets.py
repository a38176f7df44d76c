"""Untyped sets over numbers: Liao's thirteen primitives, the letters, and Bellin's no-ops.

Sources: Liao, "Genetic Programming Applied to Board Game Othello", introduction (the primitives of
the course program); Bellin & Gasperin, "Genetic Programming and Othello", sections 2 and 3.2
(weights by position, no-ops, letters).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from evoply.expressions import features
from evoply.expressions.expression import Expression
from evoply.expressions.functions import argument, divide, number
from evoply.expressions.operations import ExpressionError, short
from evoply.expressions.primitive import make_primitive
from evoply.expressions.primitive_set import PrimitiveSet, name_on
from evoply.expressions.square_sets import class_letters
from evoply.expressions.weights import Weighing
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


def letters(shape: BoardShape = USUAL, order: str = "corner_first") -> PrimitiveSet:
    """Return + - * / 10 and the counts of each symmetry class of a board of *shape*.

    `aa`, `bb`, ... count White's (own) discs, `AA`, `BB`, ... Black's: 20 terminals on 8x8. Bellin
    & Gasperin's assignment of letters to classes is lost; *order* "centre_first" counts classes
    from the centre instead of from the corner.
    """
    terminals: list[tuple[str, Expression]] = []
    for letter in class_letters(shape):
        terminals.append((2 * letter, features.square_class("own", letter, order)))
        terminals.append((2 * letter.upper(), features.square_class("opponent", letter, order)))
    name = "letters" if order == "corner_first" else "letters-centre"
    return set_of(name_on(name, shape), [*_arithmetic("one"), *terminals])


def bellin(
    terminals: Literal["liao", "letters"] = "liao",
    no_ops: Sequence[str] = ("B0", "B1"),
    mode: Weighing | None = "positional",
    *,
    constants: bool = True,
    shape: BoardShape = USUAL,
    order: str = "corner_first",
) -> PrimitiveSet:
    """Return the functions + - * % and no-ops over *terminals*, with leaves weighed by place.

    `%` divides and gives 1 where the divisor is 0. *mode* None weighs nothing: no-ops are then
    inert. *constants* says whether numbers are weighed like features, which the paper leaves open.
    *shape* and *order* are those of `letters`.
    """
    unknown = [name for name in no_ops if name not in NO_OPS]
    if unknown:
        raise ExpressionError(f"no-ops are {', '.join(NO_OPS)}, not {short(unknown[0])}")
    base = liao() if terminals == "liao" else letters(shape, order)
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
