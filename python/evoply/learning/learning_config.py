"""The config of a run of learning: one frozen value, read from TOML and kept with the run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, model_validator

from evoply.configs.part import Part, Problem
from evoply.expressions import Expression, Number, find_difference, from_dict, linear
from evoply.games import game_rules
from evoply.learning.curriculum import Curriculum, blanks_problem
from evoply.learning.games_config import MOST_GAMES, GameName, GamesConfig, config_of
from evoply.protocols import CHECK_SHARE, BoardShape

LEARNER = "learning"
"""The value of `learner` in `config.toml`."""

_LARGEST_RATE = 100.0


class FeatureSettings(Part):
    """A feature: the name of one of evoply's, or your own board expression."""

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")
    """The name of its weight."""
    expression: str | None = None
    """A count of own minus that of the opponent, as JSON; None: the feature of this name."""
    scale: float | None = Field(default=None, gt=0, le=1e9)
    """Divisor of its values; None: that of the feature of this name, or 1 for your own."""

    @model_validator(mode="before")
    @classmethod
    def _names_are_features(cls, feature: Any) -> Any:
        if isinstance(feature, str):
            return {"name": feature}
        if isinstance(feature, Mapping) and isinstance(feature.get("expression"), Expression):
            return {**feature, "expression": feature["expression"].to_json()}
        return feature

    @model_validator(mode="after")
    def _can_be_read(self) -> FeatureSettings:
        if self.expression is None:
            find_difference(self.name)
        elif not isinstance(from_dict(json.loads(self.expression)), Number):
            raise ValueError("expression: a feature is a number")
        return self

    def feature(self, shape: BoardShape) -> linear.Feature:
        """Return the feature on a board of *shape*."""
        if self.expression is None:
            known = find_difference(self.name)
            return linear.Feature(self.name, known.expression, self.scale or known.scale(shape))
        expression = from_dict(json.loads(self.expression))
        return linear.Feature(self.name, expression, self.scale or 1.0)


class Rates(Part):
    """How far a weight moves for an error of 1."""

    weights: float = Field(default=0.01, ge=0, le=_LARGEST_RATE)
    """Rate of the weights; the paper tried 0.001 to 1."""
    time_weights: float = Field(default=0.01, ge=0, le=_LARGEST_RATE)
    """Rate of the time weights."""
    schedule: Literal["constant", "decay", "adaptive"] = "constant"
    """`decay`: the rate after g games is rate / (1 + g / half); `adaptive`: each weight's own,
    smaller where its steps cancel out (temporal coherence: Beal & Smith)."""
    half: int = Field(default=1000, ge=1, le=1_000_000_000)
    """With `decay`: games after which the rate is half as large."""


class TimeWeights(Part):
    """Weights that change with the clock (see `evoply.expressions.linear`)."""

    degree: int = Field(default=0, ge=0, le=8)
    """0: none; 1: the paper's; more: polynomials."""
    after: int = Field(default=0, ge=0)
    """Games before they begin to learn; until then values do not depend on time."""


class LearningOpponent(Part):
    """The opponent against whom the weights learn."""

    kind: Literal["itself", "frozen", "pool"] = "itself"
    """`itself`: with its current weights; `frozen`: an earlier version of itself; `pool`:
    one of several earlier versions, drawn anew for each step."""
    refresh: int = Field(default=1000, ge=1, le=1_000_000_000)
    """Games after which the current weights become the earlier version, or join the pool."""
    size: int = Field(default=5, ge=1, le=100)
    """Versions in the pool; the oldest is replaced."""


class LearningMachine(Part):
    """How this machine is used; changes no result and is not part of a digest."""

    threads: int = Field(default=0, ge=0, le=1024)
    """Threads that play games; 0 means all cores. More than one needs `batch`."""
    check_share: float = Field(default=CHECK_SHARE, ge=0, le=1)
    """With `--cluster`: the share of the units of work that a second worker computes too."""


class LearningConfig(GamesConfig):
    """Everything that decides a run of learning; the same config and seed give the same weights.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> LearningConfig(game="othello-6", features=["corners", "mobility"], games=100).games
    100
    """

    learner: Literal["learning"] = "learning"
    """The key that tells this file from one of evolution."""
    game: GameName = "othello-10"
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers`, `checkers-10`, a game
    from data such as `breakthrough`, or in a file a JSON file of rules."""
    games: int | None = Field(default=5000, ge=1, le=MOST_GAMES)
    """Games in all; None for no limit."""
    games_per_step: int = Field(default=50, ge=1, le=1_000_000)
    """Games after which the weights are kept."""
    features: tuple[FeatureSettings, ...] = Field(max_length=100, strict=False)
    """Names of features, or tables with name, expression and scale."""
    scaling: Literal["normalised", "raw"] = "normalised"
    """`normalised`: features are divided by their scales and kept within -1 and 1; `raw`: as they
    are."""
    rule: Literal["td", "td-lambda", "td-leaf"] = "td"
    """`td`: the paper's, towards the value of the board at its own next turn; `td-lambda`: with
    traces; `td-leaf`: the values are those of searches, the gradient is at their leaves."""
    decay: float = Field(default=0.7, ge=0, le=1)
    """Lambda of `td-lambda` and `td-leaf`: how much earlier boards learn from a later error."""
    outcome: Literal["sign", "discs"] = "sign"
    """The value of the end of a game: 1, 0, -1; or the difference in discs by the squares."""
    depth: int = Field(default=1, ge=1, le=12)
    """Plies that both sides look ahead, their own move included."""
    backed_up: bool = False
    """Whether the target of learning is the value of the search at its own next turn."""
    epsilon: float = Field(default=0.1, ge=0, le=1)
    """Probability that a move is random."""
    learns: Literal["both", "alternate", "black", "white"] = "alternate"
    """Whose boards weights learn from; `alternate`: Black's in one game, White's in the next."""
    initial: float = Field(default=0.1, ge=0, le=1000)
    """Weights start at random between minus this and this."""
    batch: int = Field(default=1, ge=1, le=100_000)
    """Games that begin with the same weights and whose changes are added afterwards, so that they
    can be played in parallel; 1: every game learns from the one before. A run ends with a whole
    batch."""
    rates: Rates = Rates()
    time_weights: TimeWeights = TimeWeights()
    curriculum: Curriculum = Curriculum()
    opponent: LearningOpponent = LearningOpponent()
    machine: LearningMachine = LearningMachine()

    def model(self) -> linear.LinearModel:
        """Return the features with all weights 0."""
        shape = game_rules(self.game).shape
        features = tuple(feature.feature(shape) for feature in self.features)
        count, degree = len(features), max(1, self.time_weights.degree)
        return linear.LinearModel(
            self.game,
            features,
            (0.0,) * count,
            linear.untimed(count, degree),
            is_clipped=self.scaling == "normalised",
        )

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        problems = super().problems()
        names = [feature.name for feature in self.features]
        if not names:
            problems.append(("features", "must not be empty"))
        problems += [
            (f"features.{index}", f"{name} occurs twice - leave one out")
            for index, name in enumerate(names)
            if name in names[:index]
        ]
        shape = game_rules(self.game).shape
        for index, feature in enumerate(self.features):
            try:
                feature.feature(shape).expression.to_dict(shape)
            except ValueError as error:
                problems.append((f"features.{index}", str(error)))
        if self.curriculum.order != "none":
            wrong = blanks_problem(self.game, self.curriculum.blanks)
            if wrong is not None:
                problems.append(("curriculum.blanks", wrong))
        if self.machine.threads > 1 and self.batch == 1:
            problems.append(
                ("batch", "is 1, so each game waits for the one before: more threads need more")
            )
        if self.scaling == "raw" and self.rates.weights > 1:
            problems.append(
                ("rates.weights", "above 1 with scaling raw: weights diverge, set less")
            )
        return problems


def load_learning_config(
    source: LearningConfig | str | os.PathLike[str],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> LearningConfig:
    """Return the config of a TOML file or a preset, with changes as in `evoply.load_config`.

    >>> load_learning_config("firebrand", ["rates.weights=0.05"]).rates.weights
    0.05
    """
    return config_of(LearningConfig, source, overrides, settings)
