"""The closure probe, which tries a primitive on hard arguments before trees use it."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from types import MappingProxyType

from evoply.expressions.expression import Expression, Number, substitute
from evoply.expressions.functions import board, number, squares, truth
from evoply.expressions.operations import ExpressionError
from evoply.games import GAMES
from evoply.games.squares import USUAL

MAX_ARITY = 4

PROBES: Mapping[str, tuple[Expression, ...]] = MappingProxyType(
    {
        "number": tuple(number(x) for x in (0.0, -0.0, 1.0, -1.0, 1e30, -1e30)),
        "squares": (board.own, squares([]), squares("all")),
        "truth": (truth(True), truth(False)),
    }
)


def check_closure(name: str, expression: Expression, argument_types: Sequence[str]) -> None:
    """Raise `ExpressionError` if *expression* is not finite on the probes, or fits no board."""
    if len(argument_types) > MAX_ARITY:
        raise ExpressionError(
            f"primitive {name!r} takes {len(argument_types)} arguments; at most {MAX_ARITY} can "
            "be tried"
        )
    errors: list[ExpressionError] = []
    for rules in sorted(GAMES.values(), key=lambda rules: rules.shape != USUAL):
        try:
            expression.to_dict(rules.shape)
        except ExpressionError as error:
            errors.append(error)
            continue
        for arguments in product(*(PROBES[of_type] for of_type in argument_types)):
            value = substitute(expression, arguments)
            result = value.evaluate(rules.start())
            if isinstance(value, Number) and not math.isfinite(result):
                tried = ", ".join(str(argument) for argument in arguments)
                raise ExpressionError(
                    f"primitive {name!r} gives {result} for ({tried}): trees need finite values; "
                    "protect it, for example by divide(..., when_zero='one'), or pass "
                    "allow_infinite=True"
                )
        return
    raise ExpressionError(f"primitive {name!r} fits no board: {errors[0]}")
