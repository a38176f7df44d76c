"""Linear evaluators whose weights may change with the clock, and differences as features.

V = sum of w_i F_i factor_i(T). F_i is a feature, own minus opponent, divided by its scale and
limited to [-1, 1]. T is the clock of the evaluated board, and factor_i(T) = 2T + O_i1 u + O_i2 u^2
+ ..., where u = 1 - 2T. With only O_i1 = 1 the factor is always 1; with one time weight it is
FIREBRAND's (Almgren, Berglund & Milstein): O_i at the start of the game, 1 in the middle, 2 - O_i
at the end. V speaks for the side to move; the value for the other side is -V.

Reasons: docs/design/expressions.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.expressions.differences import find_difference, scaled
from evoply.expressions.expression import Expression, Number, outputs_to_json
from evoply.expressions.functions import (
    board,
    number,
    parameters_of,
    program_with_parameters,
)
from evoply.games import game_rules

LARGEST_WEIGHT = 1e6
"""The largest size of a weight; beyond it the learning rate was too large."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Feature:
    """A named feature: the own count minus the opponent's, and the scale that divides it."""

    name: str
    expression: Expression
    scale: float


@dataclass(frozen=True, slots=True)
class ValueProgram:
    """The value as a program with replaceable parameters, and the indices of the weights in it."""

    program: _native.Program
    weights: NDArray[np.int64]
    """The index of each feature's weight among the parameters."""
    time_weights: NDArray[np.int64]
    """The index of the time weight of each feature and power of u."""


@dataclass(frozen=True)
class LinearModel:
    """Features of one game, each with a weight and time weights."""

    game: str
    features: tuple[Feature, ...]
    weights: tuple[float, ...]
    time_weights: tuple[tuple[float, ...], ...]
    """For each feature the weights of u, u^2, ...: at least one."""
    is_clipped: bool = True
    """Whether features are limited to [-1, 1]."""

    @property
    def is_timed(self) -> bool:
        """Whether some weight depends on the time."""
        return any(row != _untimed(len(row)) for row in self.time_weights)

    @property
    def array(self) -> Array:
        """A row for each feature: its weight, then its time weights."""
        rows = zip(self.weights, self.time_weights, strict=True)
        return np.array([[weight, *times] for weight, times in rows], dtype=np.float64)

    def with_array(self, array: Array) -> LinearModel:
        """Return the model with other weights, as in `array`."""
        rows = np.asarray(array, dtype=np.float64).tolist()
        return replace(
            self,
            weights=tuple(row[0] for row in rows),
            time_weights=tuple(tuple(row[1:]) for row in rows),
        )

    @property
    def scales(self) -> Array:
        """The divisors of the features."""
        return np.array([feature.scale for feature in self.features])

    def factor(self, index: int, clock: float) -> float:
        """Return the factor of a feature's weight at *clock*, from 0 to 1."""
        u = 1.0 - 2.0 * clock
        powers = (time * u ** (power + 1) for power, time in enumerate(self.time_weights[index]))
        return 2.0 * clock + math.fsum(powers)

    @cached_property
    def expression(self) -> Number:
        """The value of a board for own, to be used with the view "turn"."""
        return self._value(self.array, is_timed=self.is_timed)

    def feature_program(self) -> _native.Program:
        """Return the kernel's form of the unscaled features, one output each."""
        rules = game_rules(self.game)
        outputs = [feature.expression for feature in self.features]
        return _native.Program(rules.kernel, outputs_to_json(outputs, rules.shape))

    def value_program(self) -> ValueProgram:
        """Return the value as a program whose weights and time weights can be replaced."""
        array = self.array
        # A number that occurs nowhere else in the expression marks each weight.
        marks = -(2.0**40) - np.arange(array.size, dtype=np.float64).reshape(array.shape)
        index_of = {value: index for index, value in enumerate(parameters_of(self._value(marks)))}
        places = np.vectorize(index_of.__getitem__, otypes=[np.int64])(marks)
        program = program_with_parameters(self._value(array), self.game)
        return ValueProgram(program, places[:, 0].copy(), places[:, 1:].copy())

    def _value(self, array: Array, *, is_timed: bool = True) -> Number:
        u = number(1.0) - number(2.0) * board.t
        middle = number(2.0) * board.t
        powers = [u]
        while len(powers) < array.shape[1] - 1:
            powers.append(powers[-1] * u)
        total: Number | None = None
        for feature, row in zip(self.features, array.tolist(), strict=True):
            term = number(row[0]) * scaled(
                _as_number(feature.expression), feature.scale, is_clipped=self.is_clipped
            )
            if is_timed:
                factor = middle
                for time, power in zip(row[1:], powers, strict=True):
                    factor = factor + number(time) * power
                term = term * factor
            total = term if total is None else total + term
        return number(0.0) if total is None else total


def known_features(game: str, names: Sequence[str]) -> tuple[Feature, ...]:
    """Return the features called *names* with their scales on the board of *game*."""
    shape = game_rules(game).shape
    known = [(name, find_difference(name)) for name in names]
    return tuple(Feature(name, feature.expression, feature.scale(shape)) for name, feature in known)


def _untimed(degree: int) -> tuple[float, ...]:
    return (1.0, *[0.0] * (degree - 1))


def untimed(count: int, degree: int) -> tuple[tuple[float, ...], ...]:
    """Return time weights of *count* features that do not change their weights."""
    return (_untimed(degree),) * count


def _as_number(expression: Expression) -> Number:
    if not isinstance(expression, Number):
        raise ValueError(f"a feature must be a number, not {expression.type}")
    return expression
