"""The counts on boards that an axis can name: those with names of their own, and a game's features.

Reasons: docs/design/evolution.md.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evoply.evolution.map_elites.space import At
from evoply.expressions import Number, divide, find_primitive_set, less, outputs_to_json, select
from evoply.expressions.features import FEATURES, corners, mobility
from evoply.games import game_rules
from evoply.wording import did_you_mean, shorten

_OWN, _TOTAL = mobility("own"), mobility("own") + mobility("opponent")


@dataclass(frozen=True, slots=True)
class NamedCount:
    """A count that every game has, with what is usual for it."""

    expression: Number
    at: At
    low: float
    high: float
    words: str
    """What an axis of it says in a picture."""


NAMED_COUNTS: Mapping[str, NamedCount] = MappingProxyType(
    {
        "mobility": NamedCount(
            select(less(0, _TOTAL), divide(_OWN, _TOTAL), 0.5),
            "turns", 0.4, 0.8, "mobility: own share of legal moves",
        ),
        "corners": NamedCount(corners("own"), "end", 0.0, 4.0, "corners held at the end"),
    }
)  # fmt: skip
"""Counts with names of their own, which come before those of a game."""


def counts_of(game: str) -> Mapping[str, Number]:
    """Return the features of the boards of *game* by name; some may not fit its board."""
    sets = [find_primitive_set(name, game) for name in ("any-game", *game_rules(game).readable)]
    return {
        **{
            primitive.name: primitive.expression
            for primitives in sets
            for primitive in primitives.terminals
            if isinstance(primitive.expression, Number) and primitive.parameter is None
        },
        **FEATURES,
    }


def count_called(name: str, game: str, others: Iterable[str] = ()) -> Number:
    """Return the count on boards of *game* that *name* means; `ValueError` if there is none.

    *others* are further names that the message knows.
    """
    if name in NAMED_COUNTS:
        return NAMED_COUNTS[name].expression
    counts = counts_of(game)
    if name not in counts:
        known = [*others, *NAMED_COUNTS, *counts]
        hint = did_you_mean(name, known) or f" - there are {', '.join(known)}"
        raise ValueError(f"{game} has no feature {shorten(name)!r}{hint}")
    try:
        outputs_to_json([counts[name]], game_rules(game).shape)
    except ValueError as error:
        raise ValueError(f"{name} does not fit the board of {game}: {error}") from None
    return counts[name]
