"""A value as sums of weighted parts, one for each stage of the game: what pruning changes.

A part is a product of features, maybe over others, or 1. It has a weight in each stage, and the
weight 0 says that it is not there. This module plays nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce

from evoply.expressions import Expression, ExpressionError, Number, build, number
from evoply.expressions.functions import for_the_other_side
from evoply.expressions.written_form import FormulaNames, in_order
from evoply.gp.algebra.terms import Term, terms_of

LARGEST_WEIGHTS = (10, 20, 40, 100)
"""The largest whole numbers that weights are rounded to, the roundest first."""
_STEPS = (1.0, 0.25, 0.1, 0.05, 0.01, 0.001)
"""What products are counted in, the coarsest first."""
_CLOSE = 1 / 8
"""How near to a product's weight a multiple of its step must be, as a share."""
_DIGITS = 4
_BOARD = frozenset(
    {
        *("own", "opponent", "own_men", "own_kings", "opponent_men", "opponent_kings"),
        *("empty", "destinations", "number_of_moves", "moved_to", "pattern"),
    }
)
"""Operations that tell the boards after one position's moves apart; the clock does not."""


def depends_on_pieces(expression: Expression) -> bool:
    """Return whether *expression* tells boards apart that stand at the same time of a game."""
    return any(node.op in _BOARD for node in in_order([expression]))


@dataclass(frozen=True, slots=True)
class Factors:
    """A product of features, divided by others; the order of factors does not matter."""

    factors: tuple[Expression, ...]
    divisors: tuple[Expression, ...] = ()
    text: str = field(default="", compare=False)
    """What people call it."""

    @property
    def is_product(self) -> bool:
        """Whether more than one feature decides it."""
        return len(self.factors) + len(self.divisors) > 1

    def value(self, weight: float, convention: str) -> Number:
        """Return the part times *weight*."""
        numbers = [] if weight == 1 and self.factors else [number(weight)]
        value = reduce(partial(build, "multiply"), [*numbers, *self.factors])
        for divisor in self.divisors:
            value = build("divide", value, divisor, convention)
        assert isinstance(value, Number)  # made of numbers
        return value

    def mirrored(self) -> Factors | None:
        """Return the part with own and opponent exchanged; None where there is no such part."""
        try:
            above, below = (
                _in_order([for_the_other_side(part) for part in parts])
                for parts in (self.factors, self.divisors)
            )
        except ExpressionError:
            return None
        return Factors(above, below)


@dataclass(frozen=True, slots=True)
class StagedSum:
    """The weights of parts in stages; a stage lasts while its condition holds, the last to the end.

    >>> from evoply.expressions import board, count
    >>> value = 3 * count(board.own) - 2 * (count(board.opponent) - count(board.own))
    >>> both = StagedSum.of(value, FormulaNames({}))
    >>> [(part.text, *row) for part, row in both.weights.items()]
    [('count(own)', 5.0), ('count(opponent)', -2.0)]
    """

    conditions: tuple[Expression, ...]
    weights: Mapping[Factors, tuple[float, ...]]
    convention: str = "one"
    """What a division by 0 gives."""

    @classmethod
    def of(cls, value: Expression, names: FormulaNames) -> StagedSum:
        """Return *value*, taken apart: it is the same where no divisor is 0."""
        conditions: list[Expression] = []
        stages: list[Expression] = []
        while value.op == "select" and value not in names.known:
            condition, now, later = value.arguments
            if depends_on_pieces(condition):
                break
            conditions.append(condition)
            stages.append(now)
            value = later
        stages.append(value)
        weights: dict[Factors, list[float]] = {}
        for stage, expression in enumerate(stages):
            for term in terms_of(expression, names):
                row = weights.setdefault(_factors_of(term), [0.0] * len(stages))
                row[stage] = term.coefficient
        divisions = {
            str(node.arguments[2])
            for node in in_order(stages)
            if node.op == "divide" and node not in names.known
        }
        return cls(
            tuple(conditions),
            {part: tuple(row) for part, row in weights.items()},
            min(divisions, default="one"),
        )

    @property
    def value(self) -> Number:
        """The value as one expression."""
        stages = [self._stage(stage) for stage in range(len(self.conditions) + 1)]
        value: Expression = stages.pop()
        for condition, now in zip(reversed(self.conditions), reversed(stages), strict=True):
            value = build("select", condition, now, value)
        assert isinstance(value, Number)  # made of numbers
        return value

    def _stage(self, stage: int) -> Number:
        rows = [(part, row[stage]) for part, row in self.weights.items() if row[stage]]
        total: Number | None = None
        for part, weight in sorted(rows, key=lambda row: row[1] < 0):
            if total is None:
                total = part.value(weight, self.convention)
            elif weight < 0:
                total = total - part.value(-weight, self.convention)
            else:
                total = total + part.value(weight, self.convention)
        return number(0.0) if total is None else total

    def without(self, parts: Sequence[Factors], stage: int | None = None) -> StagedSum:
        """Return the sum without *parts*, in one *stage* or in all of them."""
        weights = dict(self.weights)
        for part in parts:
            row = [
                0.0 if stage in (None, place) else weight
                for place, weight in enumerate(weights.pop(part))
            ]
            if any(row):
                weights[part] = tuple(row)
        ordered = {part: weights[part] for part in self.weights if part in weights}
        return replace(self, weights=ordered)

    def merged(self, stage: int, kept: int) -> StagedSum:
        """Return the sum with *stage* and the next one as one, with the weights of stage *kept*."""
        weights = {}
        for part, row in self.weights.items():
            merged = (*row[:stage], row[kept], *row[stage + 2 :])
            if any(merged):
                weights[part] = merged
        conditions = (*self.conditions[:stage], *self.conditions[stage + 1 :])
        return replace(self, conditions=conditions, weights=weights)

    def opposites(self) -> list[tuple[Factors, Factors]]:
        """Return the pairs of parts of which one is the other with own and opponent exchanged."""
        known = list(self.weights)
        ordered = {
            Factors(_in_order(part.factors), _in_order(part.divisors)): part for part in known
        }
        pairs = []
        for place, part in enumerate(known):
            other = ordered.get(part.mirrored() or part, part)
            if known.index(other) > place:
                pairs.append((part, other))
        return pairs

    def rounded(self, largest: int | None = None) -> StagedSum:
        """Return the sum in whole numbers, *largest* the greatest; None: as they are, but rounded.

        Products are counted in their own steps, such as quarters, and so is what would become 0.
        Whole numbers with a common divisor are divided by it. The scale is that of all stages.
        """
        plain = [max(map(abs, row)) for part, row in self.weights.items() if not part.is_product]
        every = [max(map(abs, row)) for row in self.weights.values()]
        scale = 1.0 if largest is None else largest / max(plain or every)
        weights = {
            part: tuple(_rounded(scale * weight, part.is_product) for weight in row)
            for part, row in self.weights.items()
        }
        if all(weight.is_integer() for row in weights.values() for weight in row):
            common = math.gcd(*(int(weight) for row in weights.values() for weight in row))
            weights = {
                part: tuple(weight / common for weight in row) for part, row in weights.items()
            }
        return replace(self, weights=weights)


def _factors_of(term: Term) -> Factors:
    text = replace(term, coefficient=1.0).text
    return Factors(_in_order(term.factors), _in_order(term.divisors), text)


def _in_order(parts: Sequence[Expression]) -> tuple[Expression, ...]:
    return tuple(sorted(parts, key=str))


def _rounded(weight: float, is_product: bool) -> float:
    if not weight:
        return 0.0
    for step in _STEPS:
        count = round(weight / step)
        is_near = not is_product or abs(count * step - weight) <= _CLOSE * abs(weight)
        if count and is_near:
            return float(f"{count * step:.{_DIGITS}g}")
    return float(f"{weight:.{_DIGITS}g}")
