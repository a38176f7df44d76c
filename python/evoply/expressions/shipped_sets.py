"""The sets of primitives that come with evoply, by name."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from evoply.expressions.operations import ExpressionError, short
from evoply.expressions.primitive_set import PrimitiveSet
from evoply.games.squares import SHAPES
from evoply.when_used import MadeWhenUsed
from evoply.wording import did_you_mean


def _set(path: str, *arguments: Any, **options: Any) -> Callable[[], PrimitiveSet]:
    """Return a function that calls *path*, `module.name` in this package, to make a set."""
    module, _, name = path.partition(".")

    def make() -> PrimitiveSet:
        primitives: PrimitiveSet = getattr(import_module(f"evoply.expressions.{module}"), name)(
            *arguments, **options
        )
        return primitives

    return make


def _unknown(name: object) -> str:
    hint = did_you_mean(str(name), PRIMITIVE_SETS) or "."
    return f"no set of primitives {short(name)}{hint} There are {', '.join(PRIMITIVE_SETS)}"


PRIMITIVE_SETS: Mapping[str, PrimitiveSet] = MadeWhenUsed(
    {
        "liao": _set("arithmetic_sets.liao"),
        "liao+mobility": _set("arithmetic_sets.liao_with_mobility"),
        "othello-access": _set("access_set.othello_access"),
        "any-game": _set("any_game_set.any_game"),
        "letters": _set("arithmetic_sets.letters"),
        "letters-centre": _set("arithmetic_sets.letters", order="centre_first"),
        "letters-6": _set("arithmetic_sets.letters", SHAPES[6]),
        "letters-10": _set("arithmetic_sets.letters", SHAPES[10]),
        "bellin": _set("arithmetic_sets.bellin"),
        "bellin-letters": _set("arithmetic_sets.bellin", "letters"),
        "bellin-noops": _set("arithmetic_sets.bellin_with_noops"),
        "benbassat": _set("typed_sets.benbassat"),
        "benbassat-6": _set("typed_sets.benbassat", SHAPES[6]),
        "benbassat-10": _set("typed_sets.benbassat", SHAPES[10]),
        "benbassat-extended": _set("typed_sets.benbassat", extended=True),
        "benbassat-extended-6": _set("typed_sets.benbassat", SHAPES[6], extended=True),
        "benbassat-checkers": _set("checkers_sets.benbassat_checkers"),
        "benbassat-checkers-10": _set("checkers_sets.benbassat_checkers", SHAPES[10]),
        "benbassat-checkers-extended": _set("checkers_sets.benbassat_checkers", extended=True),
        "benbassat-checkers-extended-10": _set(
            "checkers_sets.benbassat_checkers", SHAPES[10], extended=True
        ),
        "checkers-positional": _set("checkers_features.checkers_positional"),
        "checkers-positional-10": _set("checkers_features.checkers_positional", SHAPES[10]),
        "lose-checkers-forcing": _set("checkers_features.lose_checkers_forcing"),
        "squares": _set("typed_sets.compose_squares"),
    },
    _unknown,
)


DEFAULT_PRIMITIVES = "liao+mobility"
"""The set in which a tree is read unless something says otherwise."""


def find_primitive_set(name: PrimitiveSet | str) -> PrimitiveSet:
    """Return the set called *name*, and a set itself.

    Raises `ExpressionError` that suggests the nearest name and lists all.
    """
    if isinstance(name, PrimitiveSet):
        return name
    if str(name) in PRIMITIVE_SETS:
        return PRIMITIVE_SETS[str(name)]
    raise ExpressionError(_unknown(name))
