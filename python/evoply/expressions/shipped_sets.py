"""The sets of primitives that come with evoply, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evoply.expressions import features
from evoply.expressions.access_set import othello_access
from evoply.expressions.arithmetic_sets import NO_OPS, bellin, letters, liao, set_of
from evoply.expressions.checkers_features import checkers_positional, lose_checkers_forcing
from evoply.expressions.checkers_sets import benbassat_checkers
from evoply.expressions.operations import ExpressionError, short
from evoply.expressions.primitive_set import PrimitiveSet
from evoply.expressions.typed_sets import benbassat, compose_squares
from evoply.wording import did_you_mean

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
            "liao+mobility": set_of("liao+mobility", _MOBILITY),
            "othello-access": othello_access(),
            "letters": letters(),
            "letters-centre": letters(order="centre_first"),
            "letters-6": letters(6),
            "letters-10": letters(10),
            "bellin": bellin(),
            "bellin-letters": bellin("letters"),
            "bellin-noops": bellin("letters", NO_OPS, "noop_only").renamed("bellin-noops"),
            "benbassat": benbassat(),
            "benbassat-6": benbassat(6),
            "benbassat-10": benbassat(10),
            "benbassat-extended": benbassat(extended=True),
            "benbassat-extended-6": benbassat(6, extended=True),
            "benbassat-checkers": benbassat_checkers(),
            "benbassat-checkers-10": benbassat_checkers(10),
            "benbassat-checkers-extended": benbassat_checkers(extended=True),
            "benbassat-checkers-extended-10": benbassat_checkers(10, extended=True),
            "checkers-positional": checkers_positional(),
            "checkers-positional-10": checkers_positional(10),
            "lose-checkers-forcing": lose_checkers_forcing(),
            "squares": compose_squares(),
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
