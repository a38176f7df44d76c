"""Configs of runs of learning: of weights and of patterns, read from TOML and kept with the run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, Field, field_validator, model_validator

from evoply.configs.keys import read_toml
from evoply.configs.own_code import reading
from evoply.configs.part import Part, Problem
from evoply.configs.run_config import RunConfig, changed_config
from evoply.expressions import (
    OTHELLO_PATTERNS,
    Expression,
    Number,
    find_difference,
    from_dict,
    linear,
    sum_of_patterns,
)
from evoply.games import game_rules
from evoply.learning.curriculum import Curriculum, blanks_problem
from evoply.protocols import CHECK_SHARE, BoardShape, ConfigError
from evoply.rules.loading import RulesDigest, with_game_of_file
from evoply.runs.presets import config_text
from evoply.wording import did_you_mean

# The common base of configs of learners by play: their limits, and how they are read.

MOST_GAMES = 1_000_000_000
"""The largest number of games of a run."""


def _check_game_name(game: str) -> str:
    game_rules(game)
    return game


GameName = Annotated[str, AfterValidator(_check_game_name)]
"""The name of a game in evoply; any other is an error that lists the games."""


class LearnerConfig(RunConfig):
    """A run that ends after a number of games, or of generations, or after seconds."""

    def ended_by(self, step: Any) -> str:
        """Return the key whose limit *step* has reached; "" if none."""
        done = step.games if self.counts == "games" else step.number + 1
        return self.limit_reached({self.counts: done, "time_limit": step.total_seconds})

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        if all(getattr(self, name) is None for name in self.ends()):
            return [(self.counts, f"set {self.counts} or time_limit, or the run never ends")]
        return []


class GamesConfig(LearnerConfig):
    """A run that ends after a number of games, or seconds."""

    counts: ClassVar[str] = "games"
    most: ClassVar[int] = MOST_GAMES
    learner: str
    """The key that tells this file from those of other learners."""
    game: GameName
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers`, `checkers-10`, a game
    from data such as `breakthrough`, or in a file a JSON file of rules."""
    rules_digest: RulesDigest = None
    """The digest of the rules of a game from data, which evoply writes; other rules are refused."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """The number from which everything random in the run follows: the same seed, the same steps. A
    time limit decides how many of them."""
    games: int | None = Field(default=None, ge=1, le=MOST_GAMES)
    """Games in all; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds of learning, read between steps only; None for no limit."""
    games_per_step: int = Field(ge=1)
    """Games of a step, after which the learned values are kept."""

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games that each step plays."""
        return {"games_per_step": self.games_per_step}


def games_ahead(config: GamesConfig, played: int) -> int:
    """Return the games to the end of the step after *played* games, from which steps are counted.

    A run that ended in the middle of a step goes on to where the step would have ended.
    """
    return config.games_per_step - played % config.games_per_step


_Config = TypeVar("_Config", bound=RunConfig)


def config_of(
    model: type[_Config],
    source: _Config | str | os.PathLike[str],
    overrides: Iterable[str],
    settings: Mapping[str, Any],
) -> _Config:
    """Return the config of a TOML file or a preset, with changes as in `evoply.load_config`."""
    if isinstance(source, model):
        return changed_config(model, source.model_dump(), overrides, settings)
    name = os.fspath(source)  # type: ignore[arg-type]  # not a config, so a name
    with reading(name):
        data = with_game_of_file(read_toml(config_text(name), name), Path(name).parent)
        learner = model.model_fields["learner"].default
        if data.get("learner") != learner:
            wrong = f'{name} is not a config of {model.about}, which has learner = "{learner}"'
            raise ConfigError(
                [("learner", f"{wrong}: `evoply evolve` is for configs of evolution")]
            )
        return changed_config(model, data, overrides, settings)


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


# The config of a run that learns pattern tables: one frozen value, read from TOML.

PATTERN_LEARNER = "patterns"
"""The value of `learner` in `config.toml`."""


class PatternSettings(Part):
    """Squares whose contents are looked up in a table, and the images of them that share it."""

    squares: str = Field(max_length=200)
    """Names of squares, such as "a1 b1 a2 b2"; or the name of one of evoply's patterns for 8x8."""
    symmetries: tuple[int, ...] | None = Field(default=None, max_length=8, strict=False)
    """Numbers of symmetries of the board, 0 to 7; None: all of them, or only 0 where pieces move,
    since each side reads those boards from its own end."""

    @model_validator(mode="before")
    @classmethod
    def _text_is_squares(cls, value: Any) -> Any:
        return {"squares": value} if isinstance(value, str) else value

    @field_validator("squares")
    @classmethod
    def _is_known(cls, squares: str) -> str:
        words = squares.split()
        if len(words) == 1 and len(words[0]) > 3 and words[0] not in OTHELLO_PATTERNS:
            hint = did_you_mean(words[0], OTHELLO_PATTERNS) or ""
            raise ValueError(f"there is no pattern {words[0]!r}{hint}")
        return squares


class PatternRates(Part):
    """How far an entry moves for an error of 1: in equal ratios from the first to the last."""

    first: float = Field(default=0.004, ge=0, le=1)
    """The first rate."""
    last: float = Field(default=0.0004, ge=0, le=1)
    """The last rate."""
    steps: int = Field(default=10, ge=1, le=10_000)
    """Number of rates, one after another."""
    games: int = Field(default=400_000, ge=1, le=MOST_GAMES)
    """Games that the rates share; afterwards the last rate stays."""

    def rate(self, game: int) -> float:
        """Return the rate of a *game*, counted from 0.

        >>> [PatternRates(steps=2, games=10).rate(game) for game in (0, 4, 5, 1000)]
        [0.004, 0.004, 0.0004, 0.0004]
        """
        step = min(game * self.steps // self.games, self.steps - 1)
        if step == 0 or self.first == 0:
            return self.first
        if step == self.steps - 1:
            return self.last
        return float(self.first * (self.last / self.first) ** (step / (self.steps - 1)))


class LabelSettings(Part):
    """Games after the others, which look ahead and give each of their boards a label."""

    games: int = Field(default=400_000, ge=1, le=MOST_GAMES)
    """Games in all whose boards get labels."""
    games_per_step: int = Field(default=20_000, ge=1, le=1_000_000)
    """Games after which the tables learn from the labels and are kept."""
    depth: int = Field(default=4, ge=1, le=12)
    """Plies that both sides look ahead."""
    endgame: int = Field(default=12, ge=0, le=20)
    """In Othello: with at most so many empty squares both play perfectly."""
    mix: float = Field(default=0.0, ge=0, le=1)
    """The share of the end of the game in a label; the rest is the value of the search."""
    epsilon: float = Field(default=0.2, ge=0, le=1)
    """Probability of a random move in the shallow games from whose positions these begin."""
    random_moves: int = Field(default=3, ge=0, le=100)
    """From there a game begins with 0 to this many random moves."""
    pull: float = Field(default=60.0, gt=0, le=1e9)
    """How firmly each entry stays where it is: as if so many boards held it there."""
    keep: float = Field(default=0.5, ge=0, le=1)
    """The share of the tables that games taught in those that play; the rest is the fit.
    One ply ahead the mean is stronger than both (docs/strong.md)."""
    memory: float = Field(default=0.7, ge=0, le=1)
    """The share of the boards of earlier steps that hold an entry, too; less after each step."""


class PatternConfig(GamesConfig):
    """Everything that decides a run of patterns; the same config and seed give the same tables.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> PatternConfig(game="othello-6", patterns=["a1 b1 c1 a2 b2 c2"], games=100).games
    100
    """

    about: ClassVar[str] = "patterns"
    learner: Literal["patterns"] = "patterns"
    """The key that tells this file from those of other learners."""
    game: GameName = "othello"
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers`, `checkers-10`, a game
    from data such as `breakthrough`, or in a file a JSON file of rules."""
    games: int | None = Field(default=400_000, ge=1, le=MOST_GAMES)
    """Games in all; None for no limit."""
    games_per_step: int = Field(default=50_000, ge=1, le=10_000_000)
    """Games after which the tables are kept."""
    patterns: tuple[PatternSettings, ...] = Field(min_length=1, max_length=100, strict=False)
    """Squares, or tables with squares and symmetries; their values are added."""
    stages: tuple[int, ...] = Field(default=(), max_length=63, strict=False)
    """Numbers of pieces on the board from which the next table of every pattern is used."""
    mixed: bool = False
    """Whether a table holds in the middle of its stage, and between two middles a linear mix of
    both: in play, and where labels fit tables. Games teach the tables of stages as they are."""
    epsilon: float = Field(default=0.1, ge=0, le=1)
    """Probability that a move is random."""
    random_plies: int = Field(default=9, ge=0, le=100)
    """A game begins with 0 to this many random plies."""
    outcome: Literal["sign", "discs"] = "sign"
    """The value of the end of a game: 1, 0, -1; or the difference in discs by the squares."""
    max_plies: int | None = Field(default=None, ge=1, le=10_000)
    """Plies after which a game is drawn; None: 300 where pieces move, as such games may not end."""
    rates: PatternRates = PatternRates()
    labels: LabelSettings | None = None
    """Games that look ahead and give labels, after the others; None: none."""

    def ended_by(self, step: Any) -> str:
        """Return the key whose limit *step* has reached; "" if none: labels come last."""
        done = {"games": step.games, "time_limit": step.total_seconds}
        if self.labels_left(step):
            del done["games"]
        return self.limit_reached(done)

    def labels_left(self, step: Any) -> bool:
        """Return whether the step after *step* makes labels: after the last of the other games."""
        if self.labels is None or self.games is None or step.games < self.games:
            return False
        return bool(step.labelled < self.labels.games)

    def value(self) -> Number:
        """Return the sum of the patterns, every entry 0, as the side to move sees a board."""
        return self._sum(mixed=self.mixed)

    def taught(self) -> Number:
        """Return the same as games teach it: no table is mixed."""
        return self._sum(mixed=False)

    def _sum(self, *, mixed: bool) -> Number:
        rules = game_rules(self.game)
        return sum_of_patterns(
            [(pattern.squares, pattern.symmetries) for pattern in self.patterns],
            rules.shape,
            moves_pieces=rules.moves_pieces,
            stages=self.stages,
            mixed=mixed,
        )

    def decisive(self) -> dict[str, Any]:
        """Return what decides the steps; runs that are older than mixed tables had none."""
        data = super().decisive()
        if not self.mixed:
            del data["mixed"]
        return data

    @property
    def counts_discs(self) -> bool:
        """Whether labels are in discs: in Othello; elsewhere they say who wins."""
        return bool(game_rules(self.game).solver)

    def entries_of_tables(self) -> list[int]:
        """Return the number of entries of a table of each pattern, in the order of patterns."""
        radix = 5 if game_rules(self.game).has_kings else 3
        squares = [OTHELLO_PATTERNS.get(one.squares, one.squares) for one in self.patterns]
        return [radix ** len(names.split()) for names in squares]

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games of each step, and those that give labels."""
        labels = (
            {} if self.labels is None else {"labels.games_per_step": self.labels.games_per_step}
        )
        return {**super().games_of_a_step(), **labels}

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        problems = super().problems()
        for index, pattern in enumerate(self.patterns):
            try:
                self.model_copy(update={"patterns": (pattern,), "stages": ()}).taught()
            except ValueError as error:
                problems.append((f"patterns.{index}", str(error)))
        if not problems:
            try:
                self.value()
            except ValueError as error:
                problems.append(("stages", str(error)))
        most = game_rules(self.game).shape.squares
        if any(pieces > most for pieces in self.stages):
            problems.append(("stages", f"no board of this game has more than {most} pieces"))
        if self.mixed and not self.stages:
            problems.append(("mixed", "there is one table for all boards: name stages, too"))
        if self.labels is not None and self.games is None:
            problems.append(("labels", "come after the last game: set games, too"))
        return problems


def load_pattern_config(
    source: PatternConfig | str | os.PathLike[str],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> PatternConfig:
    """Return the config of a TOML file or a preset, with changes as in `evoply.load_config`.

    >>> load_pattern_config("patterns-8", ["rates.first=0.01"]).rates.first
    0.01
    """
    return config_of(PatternConfig, source, overrides, settings)
