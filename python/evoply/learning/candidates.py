"""What formulas may be made of: the features of primitive sets, and parts of evolved trees."""

from collections.abc import Iterable
from dataclasses import dataclass

from evoply.expressions import (
    ExpressionError,
    Number,
    PrimitiveSet,
    find_primitive_set,
    from_dict,
)
from evoply.expressions.sides import for_the_other_side
from evoply.expressions.written_form import in_order
from evoply.games import game_rules
from evoply.protocols import BoardShape

_BOARD = frozenset(
    {
        *("own", "opponent", "own_men", "own_kings", "opponent_men", "opponent_kings"),
        *("empty", "destinations", "number_of_moves", "moved_to", "pattern"),
    }
)
"""What tells the boards after one position's moves apart; the clock does not."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number that a formula may weigh, by name."""

    name: str
    expression: Number
    is_difference: bool = False
    """Whether it is what own has minus what the opponent has."""


def usual_sets(game: str) -> tuple[str, ...]:
    """Return the names of the sets whose features a formula for *game* is usually made of."""
    names = game_rules(game).readable
    if not names:
        raise ValueError(f"primitives: say which set has the features of {game}")
    return names


def candidates_of_sets(sets: Iterable[PrimitiveSet | str], game: str) -> tuple[Candidate, ...]:
    """Return the features of *sets*: the numbers without operands that depend on pieces.

    Where a set has a feature of both sides, the difference of the two is one candidate more.
    Features that do not fit the board are left out; `ValueError` if none is left.
    """
    shape = game_rules(game).shape
    found: dict[Number, str] = {}
    for one in sets:
        chosen = find_primitive_set(one) if isinstance(one, str) else one
        for primitive in chosen.terminals:
            # Equal features of two sets are one: through the written form they are equal values.
            expression = from_dict(primitive.expression.to_dict())
            if (
                primitive.parameter is None
                and isinstance(expression, Number)
                and _depends_on_pieces(expression)
                and _fits(expression, shape)
            ):
                found.setdefault(expression, primitive.name)
    differences: dict[Number, str] = {}
    for expression, name in found.items():
        try:
            other = mirrored(expression)
        except ExpressionError:
            continue
        if other in found and found[other] != name and other - expression not in differences:
            differences[expression - other] = f"{name} - {found[other]}"
    if not found:
        raise ValueError(f"primitives: these sets have no features for {game}")
    return (
        *(Candidate(name, one) for one, name in found.items()),
        *(Candidate(name, one, is_difference=True) for one, name in differences.items()),
    )


def mirrored(expression: Number) -> Number:
    """Return what *expression* says of own, said of the opponent; `ExpressionError` if nothing."""
    other = for_the_other_side(expression)
    assert isinstance(other, Number)  # made of the same operations
    return other


def _depends_on_pieces(expression: Number) -> bool:
    return any(node.op in _BOARD for node in in_order([expression]))


def _fits(expression: Number, shape: BoardShape) -> bool:
    try:
        expression.to_dict(shape)
    except ExpressionError:
        return False
    return True
