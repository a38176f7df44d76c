"""The sets of primitives that come with evoply.

Sources: Liao, "Genetic Programming Applied to Board Game Othello", introduction (the primitives of
the course program); Bellin & Gasperin, "Genetic Programming and Othello", sections 3.2 and 5.1
(the letters).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from evoply.expressions import features
from evoply.expressions.expression import Expression
from evoply.expressions.functions import argument, divide, number
from evoply.expressions.operations import ExpressionError, short
from evoply.expressions.primitives import PrimitiveSet, make_primitive
from evoply.expressions.square_sets import class_letters
from evoply.wording import did_you_mean


def liao(near_corners: str = "xc", edges: int = 28, division: str = "one") -> PrimitiveSet:
    """Return Liao's 13 primitives: + - * / 10 and counts of discs for both colours.

    White is own. The paper does not say which squares are near a corner or on the edge, nor what
    x / 0 gives: *near_corners*, *edges* and *division* choose.
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
    return _of(f"liao({','.join(changed)})" if changed else "liao", primitives)


def letters(size: int = 8, order: str = "corner_first") -> PrimitiveSet:
    """Return + - * / 10 and the counts of each symmetry class of a board of *size*.

    `aa`, `bb`, ... count White's (own) discs, `AA`, `BB`, ... Black's: 20 terminals on 8x8. Which
    letter Bellin & Gasperin gave to which class is lost; *order* "centre_first" counts from the
    centre instead of from the corner.
    """
    terminals: list[tuple[str, Expression]] = []
    for letter in class_letters(size):
        terminals.append((2 * letter, features.square_class("own", letter, order)))
        terminals.append((2 * letter.upper(), features.square_class("opponent", letter, order)))
    name = "letters" if order == "corner_first" else "letters-centre"
    return _of(name if size == 8 else f"{name}-{size}", [*_arithmetic("one"), *terminals])


def _arithmetic(division: str) -> list[tuple[str, Expression]]:
    x, y = argument(0), argument(1)
    return [
        ("+", x + y),
        ("-", x - y),
        ("*", x * y),
        ("/", divide(x, y, division)),
        ("10", number(10.0)),
    ]


def _of(name: str, primitives: Iterable[tuple[str, Expression]]) -> PrimitiveSet:
    # Not with_primitive: its closure probe plays no part in importing; the tests run it.
    made = (
        make_primitive(name, expression, code) for code, (name, expression) in enumerate(primitives)
    )
    return PrimitiveSet(name, tuple(made))


_LIAO = liao()
_MOBILITY = [(primitive.name, primitive.expression) for primitive in _LIAO] + [
    ("white_mobility", features.mobility("own")),
    ("black_mobility", features.mobility("opponent")),
]


class _Sets(dict[str, PrimitiveSet]):
    def __missing__(self, name: object) -> PrimitiveSet:
        raise KeyError(_unknown(name))


PRIMITIVE_SETS: Mapping[str, PrimitiveSet] = MappingProxyType(
    _Sets(
        {
            "liao": _LIAO,
            "liao+mobility": _of("liao+mobility", _MOBILITY),
            "letters": letters(),
            "letters-centre": letters(order="centre_first"),
            "letters-6": letters(6),
            "letters-10": letters(10),
        }
    )
)


def find_primitive_set(name: str) -> PrimitiveSet:
    """Return the set called *name*; `ExpressionError` offers the nearest name and lists all."""
    if name in PRIMITIVE_SETS:
        return PRIMITIVE_SETS[name]
    raise ExpressionError(_unknown(name))


def _unknown(name: object) -> str:
    hint = did_you_mean(str(name), PRIMITIVE_SETS) or "."
    return f"no set of primitives {short(name)}{hint} There are {', '.join(PRIMITIVE_SETS)}"
