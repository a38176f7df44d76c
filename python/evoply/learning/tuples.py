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
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena import Schedule, play
from evoply.arena.round_robins import opponents
from evoply.expressions import symmetric_copies
from evoply.games import game_rules
from evoply.games.squares import parse_square
from evoply.learning.pattern_learner import PatternLearning, PatternStep, pattern_player
from evoply.learning.tuples_config import (
    TUPLES_LEARNER,
    TuplesConfig,
    load_tuples_config,
    squares_of,
    tuple_text,
)
from evoply.players import AlphaBeta, ValuingPlayer
from evoply.processes import core_count
from evoply.protocols import RunError, steps
from evoply.runs.display import ChampionFacts, Listing, LiveFacts
from evoply.runs.kind import Kind
from evoply.runs.learners import KeptLearner
from evoply.runs.steps import Doubles, KeptStep
from evoply.sections import Column, share

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


def _listings(config: TuplesConfig, last: TuplesStep) -> list[Listing]:
    """Return the champion's tuples, which configs of patterns understand."""
    data = [{"squares": squares} for squares in last.champion]
    rows = [(squares, str(len(squares.split()))) for squares in last.champion]
    title = "The champion's tuples"
    return [Listing("tuples", title, ("squares", "how many"), ("squares",), rows, data)]


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
