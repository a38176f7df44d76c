"""The config of a run that learns pattern tables: one frozen value, read from TOML."""

import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from pydantic import (
    Field,
    field_validator,
    model_validator,
)

from evoply.configs.part import Part, Problem
from evoply.expressions import OTHELLO_PATTERNS, Number, sum_of_patterns
from evoply.games import game_rules
from evoply.learning.games_config import MOST_GAMES, GameName, GamesConfig, config_of
from evoply.wording import did_you_mean

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
        rules = game_rules(self.game)
        return sum_of_patterns(
            [(pattern.squares, pattern.symmetries) for pattern in self.patterns],
            rules.shape,
            moves_pieces=rules.moves_pieces,
            stages=self.stages,
        )

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
                self.model_copy(update={"patterns": (pattern,), "stages": ()}).value()
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
