"""Candidates for terms of formulas: the features of primitive sets, and parts of evolved trees."""

from collections.abc import Iterable
from dataclasses import dataclass

from evoply.expressions import (
    Expression,
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
"""Operations that tell the boards after one position's moves apart; the clock does not."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number that a formula may weigh, by name."""

    name: str
    expression: Number
    is_difference: bool = False
    """Whether it is a count of own minus the same count of the opponent."""


def usual_sets(game: str) -> tuple[str, ...]:
    """Return the names of the sets whose features make up formulas for *game* by default."""
    names = game_rules(game).readable
    if not names:
        raise ValueError(f"primitives: {game} has no usual set - name one that has its features")
    return names


def candidates_of_sets(sets: Iterable[PrimitiveSet | str], game: str) -> tuple[Candidate, ...]:
    """Return the features of *sets*: the numbers without operands that depend on pieces.

    If a set has a feature for both sides, their difference is another candidate. Features that do
    not fit the board are left out; `ValueError` if none remains.
    """
    shape = game_rules(game).shape
    names: dict[Number, str] = {}
    for primitives in sets:
        chosen = find_primitive_set(primitives)
        for primitive in chosen.terminals:
            # The written form makes equal features of two sets one value.
            expression = from_dict(primitive.expression.to_dict())
            if (
                primitive.parameter is None
                and isinstance(expression, Number)
                and depends_on_pieces(expression)
                and _fits(expression, shape)
            ):
                names.setdefault(expression, primitive.name)
    differences: dict[Number, str] = {}
    for expression, name in names.items():
        try:
            other = mirrored(expression)
        except ExpressionError:
            continue
        if other in names and names[other] != name and other - expression not in differences:
            differences[expression - other] = f"{name} - {names[other]}"
    if not names:
        raise ValueError(f"primitives: these sets have no features for {game}")
    return (
        *(Candidate(name, term) for term, name in names.items()),
        *(Candidate(name, term, is_difference=True) for term, name in differences.items()),
    )


def mirrored(expression: Number) -> Number:
    """Return *expression* with own and opponent swapped; or raise `ExpressionError`."""
    other = for_the_other_side(expression)
    assert isinstance(other, Number)  # made of the same operations
    return other


def depends_on_pieces(expression: Expression) -> bool:
    """Return whether *expression* tells boards apart that stand at the same time of a game."""
    return any(node.op in _BOARD for node in in_order([expression]))


def _fits(expression: Number, shape: BoardShape) -> bool:
    try:
        expression.to_dict(shape)
    except ExpressionError:
        return False
    return True
