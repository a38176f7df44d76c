"""The sets of primitives that come with evoply, by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from importlib import import_module
from typing import Any

from evoply.expressions.expression import Number
from evoply.expressions.functions import argument, board, less, select
from evoply.expressions.operations import ExpressionError, short
from evoply.expressions.primitives import (
    FACTS,
    MAX_PRIMITIVES,
    Link,
    Primitive,
    PrimitiveSet,
    make_primitive,
)
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
        "othello-access": _set("arithmetic_sets.othello_access"),
        "othello-shapes": _set("arithmetic_sets.othello_shapes"),
        "any-game": _set("arithmetic_sets.any_game"),
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
        "benbassat-checkers": _set("typed_sets.benbassat_checkers"),
        "benbassat-checkers-10": _set("typed_sets.benbassat_checkers", SHAPES[10]),
        "benbassat-checkers-extended": _set("typed_sets.benbassat_checkers", extended=True),
        "benbassat-checkers-extended-10": _set(
            "typed_sets.benbassat_checkers", SHAPES[10], extended=True
        ),
        "checkers-positional": _set("arithmetic_sets.checkers_positional"),
        "checkers-positional-10": _set("arithmetic_sets.checkers_positional", SHAPES[10]),
        "lose-checkers-forcing": _set("arithmetic_sets.lose_checkers_forcing"),
        "squares": _set("typed_sets.compose_squares"),
    },
    _unknown,
)


DEFAULT_PRIMITIVES = "liao+mobility"
"""The set in which a tree is read unless something says otherwise."""


def find_primitive_set(name: PrimitiveSet | str, game: str = "") -> PrimitiveSet:
    """Return the set called *name*, and a set itself; `facts-GAME` is that of a game's rules.

    `facts` alone is that of *game*, if there is one. Raises `ExpressionError` that suggests the
    nearest name and lists all.
    """
    if isinstance(name, PrimitiveSet):
        return name
    if str(name) in PRIMITIVE_SETS:
        return PRIMITIVE_SETS[str(name)]
    family, _, named = str(name).partition("-")
    if family == FACTS and (named or game):
        from evoply.expressions.rule_facts import facts_set

        return facts_set(named or game)
    raise ExpressionError(_unknown(name))


# Sets for individuals with automatically defined functions (ADFs).
#
# Such an individual has a result branch, which may call `ADF0`, `ADF1`, ..., and for each of these
# a branch that defines it over its arguments `ARG0`, `ARG1`, .... Every branch has its own set.
# Source: Koza, "Genetic Programming II" (1994); gpjpp's option UseADFs.

MAX_DEFINITIONS = 8
MAX_ARGUMENTS = 4
WITH_DEFINITIONS = " with ADFs"
"""The end of the name of a result branch's set."""


@lru_cache(maxsize=64)
def definition_sets(
    base: PrimitiveSet,
    arities: Sequence[int] = (2,),
    *,
    functions: tuple[str, ...] | None = None,
    with_terminals: bool = False,
) -> tuple[PrimitiveSet, ...]:
    """Return the set of the result branch, then the set of each definition, in order.

    *arities* (a tuple) has the number of arguments of each definition; arguments and results are
    numbers. The result branch is over *base* and calls to all definitions. A definition is over
    the *functions* of *base* (by name, all by default), calls to earlier definitions, its
    arguments, and, if *with_terminals*, the terminals of *base*.
    """
    if not 1 <= len(arities) <= MAX_DEFINITIONS:
        raise ExpressionError(
            f"an individual has 1 to {MAX_DEFINITIONS} definitions, not {len(arities)}"
        )
    if any(not 1 <= arity <= MAX_ARGUMENTS for arity in arities):
        raise ExpressionError(f"a definition has 1 to {MAX_ARGUMENTS} arguments, not {arities}")
    calls = [_call(index, arity) for index, arity in enumerate(arities)]
    members = [base[name] for name in functions] if functions is not None else base.functions
    members = [*members, *(base.terminals if with_terminals else ())]
    sets = [_join(base.name + WITH_DEFINITIONS, base, (*base.primitives, *calls))]
    for index, arity in enumerate(arities):
        parts = (*members, *calls[:index], *(_argument(position) for position in range(arity)))
        sets.append(_join(f"{base.name} for ADF{index}", base, parts))
    return tuple(sets)


def _join(name: str, base: PrimitiveSet, parts: Iterable[Primitive]) -> PrimitiveSet:
    primitives = tuple(replace(part, code=code) for code, part in enumerate(parts))
    names = [primitive.name for primitive in primitives]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated or len(primitives) > MAX_PRIMITIVES:
        problem = f"the name {repeated[0]!r} twice" if repeated else "too many primitives"
        raise ExpressionError(f"the set {base.name} has {problem} with definitions added")
    return replace(base.renamed(name), primitives=primitives)


def _call(index: int, arity: int) -> Primitive:
    # A stand-in of the right type that cannot be mistaken for arithmetic.
    arguments: list[Number] = [argument(index) for index in range(arity)]
    stand_in = reduce(lambda left, right: select(less(board.pieces, 0), left, right), arguments)
    call = make_primitive(f"ADF{index}", stand_in, 0)
    return replace(call, link=Link("definition", index))


def _argument(index: int) -> Primitive:
    return replace(make_primitive(f"ARG{index}", board.pieces, 0), link=Link("argument", index))
