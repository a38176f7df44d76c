"""Evolution of tuples of squares that belong together; their tables are learned by play.

An individual is some lists of squares. Its tables begin at zero and are learned from games against
itself (TD, as patterns are); then all individuals of a generation play one another, and the points
are their fitness. Children inherit squares and never entries, so selection is for what can be
learned quickly. Sources: Lucas, "Learning to play Othello with n-tuple systems" (2007), for tuples
of neighbouring squares, which are random walks there and here connected shapes that grow square by
square; Szubert, Jaskowski & Krawiec, "Learning board evaluation function for Othello by hybridizing
coevolution with temporal difference learning" (2011).

Individuals learn side by side, all from the seed of their generation, so threads change nothing.

Reasons: docs/design/learning.md.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evoply._native import Stream
from evoply.arena import Schedule, play
from evoply.arena.round_robins import opponents
from evoply.configs.part import Part, Problem
from evoply.environment import core_count
from evoply.expressions import symmetric_copies
from evoply.expressions.operations import MAX_ENTRIES
from evoply.games import game_rules
from evoply.games.squares import parse_square, square_name
from evoply.learning.configs import (
    GameName,
    LearnerConfig,
    PatternConfig,
    PatternRates,
    PatternSettings,
    config_of,
)
from evoply.learning.pattern_learner import PatternLearning, PatternStep, pattern_player
from evoply.players import AlphaBeta, ValuingPlayer
from evoply.protocols import ConfigError, RunError, steps
from evoply.protocols.sections import Column, Section, counted, share
from evoply.runs.kept_learners import KeptLearner
from evoply.runs.kept_steps import Doubles, KeptStep
from evoply.runs.kind import ChampionFacts, Kind, LiveFacts

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


Individual = tuple[str, ...]
"""Tuples, each as text such as "a1 b1 b2", in alphabetical order; no two of them share a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuplesStep(KeptStep):
    """A generation, the champion so far with its tables, and all that the next one needs."""

    games: int
    """Games played so far, to learn and to compare."""
    population: tuple[Individual, ...]
    """Individuals, the best first."""
    fitness: tuple[float, ...]
    """Points a game of each individual against the others of its generation, in [0, 1]."""
    champion: Individual
    born: int
    """The generation of the champion."""
    entries: Doubles
    """Entries of its tables, tuple by tuple."""

    def player(self, config: TuplesConfig, /) -> AlphaBeta:
        """Return the champion with its tables."""
        values = np.frombuffer(self.entries, dtype="<f8").astype(np.float64)
        return pattern_player(config.patterns_of(self.champion), values)

    def check(self, config: TuplesConfig, /) -> None:
        """Raise `ValueError` unless every individual has its fitness."""
        if len(self.population) != len(self.fitness):
            raise ValueError("this generation has individuals without fitness")


@dataclass(frozen=True)
class TupleEvolution(KeptLearner[TuplesStep]):
    """The learner that `evoply.runs` drives; *threads* 0: all cores."""

    config_type: ClassVar[type[TuplesConfig]] = TuplesConfig
    step_type: ClassVar[type[TuplesStep]] = TuplesStep
    one_machine: ClassVar[str] = (
        "cluster: tuples evolve on the cores of one machine - leave the cluster out; "
        "`evoply compare --cluster` makes several runs beside one another"
    )

    def first(self, config: TuplesConfig, /) -> TuplesStep:
        """Return a generation of random tuples."""
        stream = Stream(config.seed, "tuples", 0)
        breed = _Breeding(config)
        population = [breed.random(stream) for _ in range(config.population_size)]
        return self._judge(config, None, population)

    def after(self, config: TuplesConfig, step: TuplesStep, /) -> TuplesStep:
        """Return the next generation: the elite, and children of the others."""
        stream = Stream(config.seed, "tuples", step.number + 1)
        breed = _Breeding(config)
        population = list(step.population[: config.elite])
        while len(population) < config.population_size:
            population.append(breed.child(step.population, stream))
        return self._judge(config, step, population)

    def _judge(
        self, config: TuplesConfig, before: TuplesStep | None, population: Sequence[Individual]
    ) -> TuplesStep:
        """Return the step of *population*: all learn, all play all, the best meets the champion."""
        began = perf_counter()
        number = 0 if before is None else before.number + 1
        learned = self._learn(config, number, population)
        players = [_with_random_moves(config, step.champions[0]) for step in learned]
        first, second = opponents(len(players), 2 * config.pairs)
        stream = Stream(config.seed, "tuples meet", number)
        points = self._points(config, players, first, second, stream)
        fitness = points / (2 * config.pairs * (len(players) - 1))
        order = np.argsort(-fitness, kind="stable")
        best = int(order[0])
        champion, born, entries, score = population[best], number, learned[best].entries, 0.5
        if before is not None:
            pair = [players[best], _with_random_moves(config, before.champions[0])]
            zeros = np.zeros(config.test_pairs, dtype=np.intp)
            met = Stream(config.seed, "tuples champion", number)
            score = float(self._points(config, pair, zeros, zeros + 1, met)[0])
            score /= 2 * config.test_pairs
            if score <= 0.5:
                champion, born, entries = before.champion, before.born, before.entries
        games = len(population) * config.lessons.games + 2 * len(first)
        games += 0 if before is None else before.games + 2 * config.test_pairs
        kinds = {text for individual in population for text in individual}
        squares = [len(text.split()) for text in champion]
        return TuplesStep.made(
            config,
            before,
            began,
            games=games,
            population=tuple(population[index] for index in order),
            fitness=tuple(fitness[order].tolist()),
            champion=champion,
            born=born,
            entries=entries,
            statistics={
                "games": games,
                "best": float(fitness[best]),
                "against_champion": score,
                "squares": float(np.mean(squares)),
                "distinct_tuples": len(kinds),
            },
        )

    def _learn(
        self, config: TuplesConfig, number: int, population: Sequence[Individual]
    ) -> list[PatternStep]:
        """Return the tables of all individuals; the games of a generation begin alike."""
        seed = Stream(config.seed, "tuples learn", number).key % 2**63

        def learn(individual: Individual) -> PatternStep:
            settings = config.patterns_of(individual, seed)
            learner = PatternLearning(threads=1)
            return learner.after(settings, learner.first(settings))

        pool = ThreadPoolExecutor(self.threads or core_count())
        try:
            return list(pool.map(learn, population))
        except RunError as error:
            raise RunError(f"lessons: {error}") from None
        finally:
            pool.shutdown(cancel_futures=True)

    def _points(
        self,
        config: TuplesConfig,
        players: Sequence[ValuingPlayer],
        first: NDArray[np.intp],
        second: NDArray[np.intp],
        stream: Stream,
    ) -> NDArray[np.float64]:
        """Return the points of all players in two games for each of the pairs."""
        schedule = Schedule.pairs(
            np.asarray(first, dtype=np.uint32),
            np.asarray(second, dtype=np.uint32),
            stream=stream,
            opening_plies=config.opening_plies,
            start=game_rules(config.game).start().row,
        )
        seats = [player.seat(config.game) for player in players]
        black = play(config.game, seats, schedule, threads=self.threads).black_points
        points = np.zeros(len(players))
        np.add.at(points, schedule.black, black)
        np.add.at(points, schedule.white, 1 - black)
        return points


def _with_random_moves(config: TuplesConfig, player: ValuingPlayer) -> ValuingPlayer:
    return player.model_copy(update={"epsilon": config.random_moves})


@dataclass(frozen=True)
class _Breeding:
    """The breeding of individuals; squares are drawn from those that games are played on."""

    config: TuplesConfig

    def random(self, stream: Stream) -> Individual:
        """Return an individual of connected squares."""
        return self._fill([], stream)

    def child(self, population: Sequence[Individual], stream: Stream) -> Individual:
        """Return a child of one or two parents, mutated; *population* has the best first."""
        config = self.config

        def parent() -> Individual:
            drawn = [stream.below(len(population)) for _ in range(config.tournament_size)]
            return population[min(drawn)]

        genes = list(parent())
        if stream.random() < config.crossover:
            pool = sorted({*genes, *parent()})
            genes = [
                pool.pop(stream.below(len(pool))) for _ in range(min(len(pool), config.tuples))
            ]
        for _ in range(config.mutations):
            index = stream.below(len(genes))
            genes[index] = self._change(genes[index], stream)
        return self._fill(genes, stream)

    def _fill(self, genes: Iterable[str], stream: Stream) -> Individual:
        """Return an individual of *genes*, each once, with new tuples where some are missing."""
        tuples = set(genes)
        # Small boards and short tuples have fewer different tuples, so draws may fail.
        for _ in range(100 * self.config.tuples):
            if len(tuples) >= self.config.tuples:
                break
            tuples.add(self._grow(stream))
        return tuple(sorted(tuples))

    def _grow(self, stream: Stream) -> str:
        """Return a tuple that begins with one square and gains neighbours of its squares."""
        config, squares = self.config, squares_of(self.config.game)
        length = config.shortest + stream.below(config.longest - config.shortest + 1)
        grown = [squares[stream.below(len(squares))]]
        while len(grown) < length:
            around = self._around(grown)
            if not around:
                break
            grown.append(around[stream.below(len(around))])
        return self._text(grown)

    def _change(self, text: str, stream: Stream) -> str:
        """Return a tuple with a square more, less, or moved; or a new tuple."""
        config = self.config
        squares = _squares(text, config.game)
        change = stream.below(4)
        if change == 0:
            return self._grow(stream)
        if change in (1, 3) and len(squares) > max(1, config.shortest - (change == 3)):
            squares.pop(stream.below(len(squares)))
        if change in (2, 3) and len(squares) < config.longest:
            around = self._around(squares)
            if around:
                squares.append(around[stream.below(len(around))])
        return self._text(squares)

    def _around(self, squares: Sequence[int]) -> list[int]:
        """Return the squares beside any of *squares*, in their order."""
        beside = _beside(self.config.game)
        return sorted({near for square in squares for near in beside[square]} - set(squares))

    def _text(self, squares: Iterable[int]) -> str:
        return _canonical(self.config.game, tuple(sorted(squares)))


def _squares(text: str, game: str) -> list[int]:
    shape = game_rules(game).shape
    return [parse_square(name, shape) for name in text.split()]


@lru_cache(maxsize=8)
def _beside(game: str) -> Mapping[int, tuple[int, ...]]:
    """Return the neighbours of each square, across corners too."""
    shape, squares = game_rules(game).shape, squares_of(game)
    return {
        square: tuple(other for other in squares if shape.distance(square, other) == 1)
        for square in squares
    }


@lru_cache(maxsize=100_000)
def _canonical(game: str, squares: tuple[int, ...]) -> str:
    """Return the text of the first of all tuples that share a table with *squares*."""
    rules = game_rules(game)
    copies = symmetric_copies(squares, rules.shape, rules.symmetries)
    return min(tuple_text(game, sorted(_squares(" ".join(copy), game))) for copy in copies)


def evolve_tuples(
    config: TuplesConfig | str | os.PathLike[str],
    *,
    resume_from: TuplesStep | None = None,
    threads: int = 0,
    **settings: Any,
) -> Iterator[TuplesStep]:
    """Yield the generations of tuples, from random ones or after *resume_from*.

    *config* is a config, the path of its file, or the name of a preset. Further keywords are keys
    of the config, which change it. The result does not depend on *threads* (0: all cores).

    >>> *_, last = evolve_tuples("tuples", generations=2, population_size=4, tuples=3,
    ...     lessons={"games": 50}, pairs=2, test_pairs=2)
    >>> last.number, len(last.champion)
    (1, 3)
    """
    if settings or not isinstance(config, TuplesConfig):
        config = load_tuples_config(config, settings=settings)
    return steps(TupleEvolution(threads), config, resume_from)


def _live(usual: LiveFacts, config: TuplesConfig, step: TuplesStep) -> LiveFacts:
    champion = f"{len(step.champion)} tuples: {', '.join(step.champion)}"
    return replace(usual, champion=champion)


def _facts(champion: Any, last: TuplesStep) -> ChampionFacts:
    """Return the number of tuples, and the generation of the champion."""
    about = {"generation": last.born, "tuples": list(last.champion)}
    title = f"{len(last.champion)} tuples, from generation {last.born} of {last.number + 1}"
    return ChampionFacts(title, about, {"digest": last.digest, "generation": last.number})


def _listings(config: TuplesConfig, last: TuplesStep) -> list[Section]:
    """Return the champion's tuples, which configs of patterns understand."""
    rows = [{"squares": squares} for squares in last.champion]
    many = Column("", "how many", counted, read=lambda row: len(row["squares"].split()))
    columns = Column("squares", "squares", str), many
    return [Section("The champion's tuples", columns, rows, name="tuples")]


KIND = Kind(
    name=TUPLES_LEARNER,
    learner=TupleEvolution(),
    read=load_tuples_config,
    columns=(
        Column("best", "best against the others", share, "best"),
        Column("against_champion", "against the champion", share, "against the champion"),
        Column("squares", "squares a tuple", "{:.1f}".format, "squares a tuple"),
        Column("distinct_tuples", "distinct tuples", "{:,.0f}".format),
        Column("games", "games", "{:,.0f}".format),
    ),
    word="generation",
    facts=_facts,
    live=_live,
    listings=_listings,
    uses={"patterns": lambda champion, last: list(last.champion)},
)
"""What runs show of an evolution of tuples."""
