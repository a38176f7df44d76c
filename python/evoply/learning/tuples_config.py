"""The config of an evolution of tuples: one frozen value, read from TOML."""

import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from pydantic import Field

from evoply.configs.part import Part, Problem
from evoply.expressions.operations import MAX_ENTRIES
from evoply.games import game_rules
from evoply.games.squares import square_name
from evoply.learning.games_config import GameName, LearnerConfig, config_of
from evoply.learning.pattern_config import PatternConfig, PatternRates, PatternSettings
from evoply.protocols import ConfigError

TUPLES_LEARNER = "tuples"
"""The value of `learner` in `config.toml`."""
_DIGITS = {False: 3, True: 5}
"""Number of contents of a square, by whether the game has kings."""


class TupleLessons(Part):
    """How an individual's tables are learned, as in a run of patterns."""

    games: int = Field(default=4_000, ge=1, le=10_000_000)
    """Games of self-play of every individual in every generation."""
    first_rate: float = Field(default=0.02, ge=0, le=1)
    """How far an entry moves for an error of 1 in the first tenth of the games."""
    last_rate: float = Field(default=0.002, ge=0, le=1)
    """The rate in the last tenth; between them it falls in equal ratios."""
    stages: tuple[int, ...] = Field(default=(), max_length=63, strict=False)
    """Numbers of pieces on the board from which the next table of every tuple is used."""
    epsilon: float = Field(default=0.1, ge=0, le=1)
    """Probability that a move is random."""
    random_plies: int = Field(default=9, ge=0, le=100)
    """A game begins with 0 to this many random plies."""


class TuplesConfig(LearnerConfig):
    """Everything that decides a run of tuples; the same config and seed give the same tuples.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> TuplesConfig(game="othello-6", tuples=5, generations=30).longest
    6
    """

    about: ClassVar[str] = "an evolution of tuples"
    most: ClassVar[int] = 100_000
    learner: Literal["tuples"] = "tuples"
    """The key that tells this file from those of other learners."""
    game: GameName = "othello"
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers`, `checkers-10`, a game
    from data such as `breakthrough`, or in a file a JSON file of rules."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """The number from which everything random in the run follows: the same seed, the same steps. A
    time limit decides how many of them."""
    generations: int | None = Field(default=None, ge=1, le=100_000)
    """Number of generations; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds, read between generations only; None for no limit."""
    population_size: int = Field(default=16, ge=4, le=200)
    """Individuals in a generation."""
    tuples: int = Field(default=12, ge=1, le=40)
    """Lists of squares of an individual; fewer if the board has no more of them."""
    shortest: int = Field(default=2, ge=1, le=10)
    """The fewest squares of a tuple."""
    longest: int = Field(default=6, ge=1, le=10)
    """The most squares of a tuple."""
    lessons: TupleLessons = TupleLessons()
    pairs: int = Field(default=10, ge=1, le=10_000)
    """Openings that every two individuals play against each other, twice with colours swapped."""
    opening_plies: int = Field(default=8, ge=0, le=60)
    """Uniformly random plies that these games begin with."""
    random_moves: float = Field(default=0.1, ge=0, le=1)
    """Probability that either side plays a random move there, so that odd boards count too."""
    elite: int = Field(default=2, ge=0, le=100)
    """The best individuals, which stay as they are and learn again."""
    tournament_size: int = Field(default=3, ge=1, le=100)
    """Individuals drawn for each parent; the best becomes it."""
    crossover: float = Field(default=0.5, ge=0, le=1)
    """Probability that a child has tuples of two parents."""
    mutations: int = Field(default=2, ge=0, le=100)
    """Changes of each child: a square more, a square less, a square moved, or a new tuple."""
    test_pairs: int = Field(default=200, ge=1, le=100_000)
    """Openings that the best of a generation plays against the champion to replace it."""

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games of lessons and among a generation, and those of the best."""
        size = self.population_size
        return {
            "lessons.games": size * (self.lessons.games + (size - 1) * self.pairs),
            "test_pairs": 2 * self.test_pairs,
        }

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        problems = super().problems()
        if self.shortest > self.longest:
            problems.append(("shortest", f"{self.shortest} is more than longest, {self.longest}"))
        digits = _DIGITS[game_rules(self.game).has_kings]
        if digits**self.longest > MAX_ENTRIES:
            most = max(n for n in range(11) if digits**n <= MAX_ENTRIES)
            limit = f"a table of this game has at most {most} squares"
            problems.append(("longest", f"{self.longest} - {limit}, give less"))
        size = self.population_size
        if self.tournament_size > size:
            more = f"{self.tournament_size} is more than the population, {size} - give less"
            problems.append(("tournament_size", more))
        if self.elite >= size:
            full = f"{self.elite} of {size} individuals leave no place for children - give less"
            problems.append(("elite", full))
        try:
            self.patterns_of([tuple_text(self.game, squares_of(self.game)[:1])])
        except ConfigError as error:
            problems += [(f"lessons.{path}", message) for path, message in error.errors]
        return problems

    def patterns_of(self, tuples: Iterable[str], seed: int = 1) -> PatternConfig:
        """Return the config that learns the tables of *tuples*."""
        lessons = self.lessons
        return PatternConfig(
            game=self.game,
            seed=seed,
            games=lessons.games,
            games_per_step=lessons.games,
            patterns=tuple(PatternSettings(squares=squares) for squares in tuples),
            stages=lessons.stages,
            epsilon=lessons.epsilon,
            random_plies=lessons.random_plies,
            rates=PatternRates(
                first=lessons.first_rate, last=lessons.last_rate, steps=10, games=lessons.games
            ),
        )


def squares_of(game: str) -> tuple[int, ...]:
    """Return the squares that *game* is played on, in their order."""
    cells = game_rules(game).start().diagram().cells
    labelled = tuple(square for square, cell in enumerate(cells) if cell.label)
    return labelled or tuple(range(len(cells)))


def tuple_text(game: str, squares: Iterable[int]) -> str:
    """Return *squares* as configs of patterns write them, such as "a1 b1".

    >>> tuple_text("othello", [0, 9])
    'a1 b2'
    """
    shape = game_rules(game).shape
    return " ".join(square_name(square, shape) for square in squares)


def load_tuples_config(
    source: TuplesConfig | str | os.PathLike[str],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> TuplesConfig:
    """Return the config of a TOML file or a preset, with changes as in `evoply.load_config`.

    >>> load_tuples_config("tuples", ["lessons.games=100"]).lessons.games
    100
    """
    return config_of(TuplesConfig, source, overrides, settings)
