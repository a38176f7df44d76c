"""Steps of learning as values: weights after some games, their digest and statistics.

Reasons: docs/design/learning.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evoply.expressions.linear import LARGEST_WEIGHT, LinearModel
from evoply.learning.curriculum import stages
from evoply.learning.learning_config import LearningConfig
from evoply.players import AlphaBeta, ExpressionEvaluator
from evoply.runs.kept_steps import KeptStep

Array = NDArray[np.float64]
Weights = tuple[tuple[float, ...], ...]


class Edit(NamedTuple):
    """A change of a weight by hand."""

    feature: str
    weight: float
    """Addition to the weight."""
    time_weight: float
    """Addition to the first time weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStep(KeptStep):
    """The weights after some games, and all that the next games need."""

    counts_games: ClassVar[bool] = True
    games: int
    """Games played so far."""
    weights: Weights
    """The weight of each feature, then its time weights."""
    earlier: tuple[Weights, ...]
    """Versions that play as opponents, the newest last; empty where the weights play themselves."""
    adaptive: tuple[Weights, ...]
    """Sums of steps and of their sizes, for adaptive rates, shaped like the weights."""
    edit: Edit | None = None
    """The edit that made this step, if no games did."""

    def player(self, config: LearningConfig, /) -> AlphaBeta:
        """Return the player with these weights."""
        return learned_player(model_of(config, self), depth=config.depth)

    def check(self, config: LearningConfig, /) -> None:
        """Raise `ValueError` unless there are as many weights as *config* has features."""
        shape = config.model().array.shape
        if any(np.shape(part) != shape for part in (self.weights, *self.earlier, *self.adaptive)):
            raise ValueError(f"this step has other weights than the {shape[0]} features")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of the next game in the curriculum."""

    stage: int
    """Number of the stage, from 0; whole games follow the last."""
    blanks: tuple[int, ...]
    played: int
    """Games of the stage so far."""
    left: int | None
    """Games of the stage that remain; None: no end."""


def place_of(config: LearningConfig, games: int) -> Place:
    """Return the place in the curriculum after *games* games."""
    all_stages = stages(config.curriculum, config.game)
    for number, stage in enumerate(all_stages):
        if games < stage.games:
            return Place(number, stage.blanks, games, stage.games - games)
        games -= stage.games
    return Place(len(all_stages), (), games, None)


def model_of(config: LearningConfig, step: LearningStep) -> LinearModel:
    """Return the features with the weights of *step*."""
    return config.model().with_array(np.array(step.weights))


def learned_player(model: LinearModel, *, depth: int = 1, name: str | None = None) -> AlphaBeta:
    """Return the player that looks *depth* plies ahead with the values of *model*."""
    evaluator = ExpressionEvaluator(expression=model.expression.to_dict())
    return AlphaBeta(evaluator=evaluator, view="turn", depth=depth, ties="random", name=name)


def edited(
    config: LearningConfig,
    step: LearningStep,
    feature: str,
    *,
    weight: float = 0.0,
    time_weight: float = 0.0,
) -> LearningStep:
    """Return the step after *step* that only adds to the weights of one feature.

    Raises `ValueError` for a feature that the run does not have, and if nothing changes.
    """
    names = [feature.name for feature in config.features]
    if feature not in names:
        raise ValueError(f"{feature!r}: this run has the features {', '.join(names)}")
    if time_weight and not config.time_weights.degree:
        raise ValueError("this run has no time weights: set time_weights.degree in its config")
    if not weight and not time_weight:
        raise ValueError(f"{feature}: say by how much, as in --weight 0.4 or --time-weight=-0.1")
    array = np.array(step.weights)
    array[names.index(feature), 0] += weight
    array[names.index(feature), 1] += time_weight
    if not (np.abs(array) <= LARGEST_WEIGHT).all():
        raise ValueError(f"{feature}: a weight may be at most {LARGEST_WEIGHT:,.0f} either way")
    rows = rows_of(array)
    changed = replace(
        step,
        number=step.number + 1,
        weights=rows,
        statistics={**statistics_of(config, step.games, rows, None), "by_hand": 1.0},
        seconds=0.0,
        edit=Edit(feature, weight, time_weight),
    )
    return changed.completed(config)


def time_name(feature: str, power: int = 1) -> str:
    """Return the name of the statistic of a time weight, that of u to the *power*."""
    return f"{feature} (time{'' if power == 1 else f'^{power}'})"


def statistics_of(
    config: LearningConfig,
    games: int,
    rows: tuple[tuple[float, ...], ...],
    played: Mapping[str, Any] | None,
) -> dict[str, float]:
    """Return the statistics of a step: the last three are 0 if no game was played."""
    values: dict[str, float] = {"games": games, "stage": place_of(config, games).stage}
    for feature, row in zip(config.features, rows, strict=True):
        values[feature.name] = row[0]
    for power in range(1, config.time_weights.degree + 1):
        for feature, row in zip(config.features, rows, strict=True):
            values[time_name(feature.name, power)] = row[power]
    updates = 0 if played is None else int(np.sum(played["updates"]))
    terms = updates * len(rows)
    values["error"] = _share(played, "squared_errors", updates) ** 0.5
    values["clipped"] = _share(played, "clipped", terms)
    values["black_points"] = _share(
        played, "points", 0 if played is None else len(played["points"])
    )
    return values


def _share(played: Mapping[str, Any] | None, name: str, count: int) -> float:
    return float(np.sum(played[name])) / count if played is not None and count else 0.0


def rows_of(data: Array | Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    """Return rows of numbers as tuples."""
    return tuple(tuple(float(value) for value in row) for row in data)
