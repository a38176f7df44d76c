"""Sets for individuals with automatically defined functions (ADFs).

Such an individual has a result branch, which may call `ADF0`, `ADF1`, ..., and for each of these a
branch that defines it over its arguments `ARG0`, `ARG1`, .... Every branch has its own set.
Source: Koza, "Genetic Programming II" (1994); gpjpp's option UseADFs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, reduce

from evoply.expressions.expression import Number
from evoply.expressions.functions import argument, board, less, select
from evoply.expressions.operations import ExpressionError
from evoply.expressions.primitive import Link, Primitive, make_primitive
from evoply.expressions.primitive_set import MAX_PRIMITIVES, PrimitiveSet

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
