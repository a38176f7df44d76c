"""The contract of fitness: what a kind of fitness is, and the population and games it measures.

A kind is one class in one file: its fields are its keys in a config (`fitness.measure`), and the
engine calls its methods. It gets the population as players (`Population`) and the games it may play
(`Training`), and returns the results (`Measured`). A kind of your own is a subclass passed to
`evolve(config, fitness=...)`; ours are listed in `evoply.evolution.fitness.FITNESS`.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evoply import _native, arena, gp
from evoply._native import Stream
from evoply.arena import PreparedPlayer
from evoply.configs.part import Part, Problem
from evoply.evolution.config.breeding import IndividualShape
from evoply.evolution.config.game_settings import EarlierGenerations, Opponent
from evoply.evolution.individuals import Case
from evoply.evolution.play.opponents import (
    NOBODY,
    Batch,
    Games,
    Opponents,
    Play,
    Sides,
    schedule_of,
)


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """A population as players; equal trees share one."""

    trees: tuple[gp.Genotype, ...]
    """The different trees."""
    players: tuple[PreparedPlayer, ...]
    """The seat of each different tree, or its player where the config has one in Python."""
    programs: tuple[_native.Program, ...]
    """The program of each different tree."""
    operations: NDArray[np.int64]
    """Operations of each different tree's program."""
    who: NDArray[np.int64]
    """The index in `trees` of each individual."""

    def __len__(self) -> int:
        return len(self.who)

    def part(self, positions: Sequence[int]) -> Population:
        """Return only the individuals at these positions; players are the same objects."""
        used, who = np.unique(self.who[list(positions)], return_inverse=True)
        return Population(
            trees=tuple(self.trees[tree] for tree in used),
            players=tuple(self.players[tree] for tree in used),
            programs=tuple(self.programs[tree] for tree in used),
            operations=self.operations[used],
            who=who.astype(np.int64),
        )

    def work_of(self, plies: NDArray[np.int64]) -> int:
        """Return the work of games in which each different tree had so many *plies*."""
        return int((plies * self.operations).sum())

    def work(self, schedule: arena.Schedule, results: arena.Results) -> int:
        """Return the work of games in which both players are trees of this population."""
        operations = self.operations[schedule.black] + self.operations[schedule.white]
        return int((results.plies.astype(np.int64) * operations).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What a kind of fitness knows about its run."""

    game: str
    population_size: int
    elitism: int
    individual: IndividualShape
    opponents: tuple[Opponent, ...]
    earlier_generations: EarlierGenerations
    sides: Sides
    cases: Case | None
    """The cases that selection or survival looks at; None if fitness alone decides."""

    def needs_both_colors(self, kind: str) -> Iterator[Problem]:
        """Yield an error if the task is for one colour, since a fitness of *kind* plays both."""
        if self.sides != "both":
            yield "fitness.sides", f"with fitness.measure {kind} both colours are played"


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What a kind of fitness has to measure one population with."""

    task: Task
    games: Games
    """The rules of all games; it makes schedules."""
    opponents: Opponents
    """The config's opponents and the earlier champions that were drawn, in this order."""
    own_opponents: Opponents
    """The players that the kind itself invited (`FitnessKind.own_opponents`)."""
    stream: _native.Stream
    """The stream of this generation; all draws come from it and its children."""
    play: Play
    generation: int = 0
    """The number of the generation."""
    state: Any = None
    """What the kind returned as `Measured.state` last time; None before that."""

    @property
    def earlier_champions(self) -> Opponents:
        """The opponents without those of the config."""
        return self.opponents.after(len(self.task.opponents))

    def opponents_batch(self, population: Population, *, record_moves: bool = False) -> Batch:
        """Return the games of every different tree against the opponents, on the same openings."""
        return Batch(
            players=(*population.players, *self.opponents.players),
            schedule=schedule_of(self.games, len(population.players), self.opponents, self.stream),
            record_moves=record_moves,
        )

    def opponent_cases(
        self, by_game: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64] | None:
        """Return the cases that selection asks for: each game, or the sum against each opponent.

        *by_game* is of shape (trees, games).
        """
        if self.task.cases is None:
            return None
        if self.task.cases == "opponents":
            starts = np.cumsum([0, *self.opponents.games[:-1]])
            by_game = np.add.reduceat(by_game, starts, axis=1)
        return by_game[population.who]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The fitness of a population."""

    fitness: NDArray[np.float64]
    """The fitness of each individual, maximised: a minimised fitness has its sign changed."""
    games: int = 0
    work: int = 0
    """Plies of the individuals' games times the operations of their programs."""
    cases: NDArray[np.float64] | None = None
    """Results of each individual on each case, maximised, if `Task.cases` asks for them."""
    state: Any = None
    """What the kind wants to find again in `Training.state` next time, such as an archive: mappings
    by text, lists, texts, numbers, truths, None. It is stored and digested with the generation."""


class FitnessKind(Part):
    """A kind of fitness. A subclass defines `kind`, the fields it needs, and `measured`.

    A field called `player`, at any depth, is a player as text: it is checked with the config,
    counts in digests as the player it means, and is written out for run folders.
    """

    kind: str = "own"
    """Its name in a config."""

    minimised: ClassVar[bool] = False
    """Whether less is better. If so, `measured` returns it with its sign changed."""
    unit: ClassVar[str] = "fitness"
    """The label of the axis in charts of this fitness; higher is better."""

    def resolved(self) -> FitnessKind:
        """Return the kind itself, also where a config names one in a Python file."""
        return self

    def measured(self, population: Population, training: Training) -> Measured:
        """Return the fitness of *population*; equal trees share a player and should share games.

        Unless it `is_relative`, every different tree has the same number of games, and a batch
        holds the games of one tree after those of another, so that single games can be found again.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it measures")

    def best(self, task: Task) -> float | None:
        """Return the fitness that cannot be exceeded, on the maximised scale; None if unknown."""
        return None

    @property
    def is_relative(self) -> bool:
        """Whether the fitness of an individual depends on the rest of the population."""
        return False

    @property
    def is_share(self) -> bool:
        """Whether it is points per game, in [0, 1], and so comparable with fresh games."""
        return False

    @property
    def cases(self) -> tuple[Case, ...]:
        """The kinds of cases that it has for selections that look at each case by itself."""
        return ()

    def text(self, fitness: float) -> str:
        """Return a fitness, as `measured` returns it, on the scale that people know."""
        return f"{fitness:,.4g}"

    def problems(self, task: Task) -> Iterable[Problem]:
        """Return the problems of *task*, as (path, message) pairs with paths of a config."""
        return ()

    def own_opponents(self, task: Task) -> Opponents:
        """Return the players that this kind needs beside the config's opponents."""
        return NOBODY

    def games_of_each(self, task: Task) -> int:
        """Return the number of games for each individual, without those against the opponents.

        A game between two individuals counts for one of them.
        """
        return 0

    @classmethod
    def from_text(cls, text: str, game: str) -> Mapping[str, Any] | None:
        """Return the keys of this kind that a short *text* means in *game*, or None.

        Raises ValueError for a text that is nearly right.
        """
        return None


# The games of training that kinds of fitness have in common: schedules, starts, points.


def matches(
    games: Games,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    pairs: int,
    stream: Stream,
) -> arena.Schedule:
    """Return the games of matches: each opening twice with colours swapped, first as Black."""
    count, each = len(first), 2 * pairs
    is_black = np.tile(np.arange(each) % 2 == 0, count)
    firsts, seconds = first.repeat(each), second.repeat(each)
    return games.schedule(
        np.where(is_black, firsts, seconds),
        np.where(is_black, seconds, firsts),
        openings=np.tile(np.arange(pairs).repeat(2), count),
        game_keys=np.tile(stream.child("game").keys(each), count),
        stream=stream,
    )


def black_half_points(results: arena.Results) -> NDArray[np.int64]:
    """Return Black's half points in each game: 2, 1 or 0."""
    half_points: NDArray[np.int64] = results.winners.astype(np.int64) + 1
    return half_points


def first_half_points(results: arena.Results, games: int) -> NDArray[np.int64]:
    """Return the first player's half points in each match of *games* games, colours alternating."""
    black = black_half_points(results).reshape(-1, games)
    halves: NDArray[np.int64] = np.where(np.arange(games) % 2 == 0, black, 2 - black).sum(axis=1)
    return halves


def shared(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return shared fitness in [0, 1] from *points* of shape (individuals, opponents).

    An individual's share is its points against an opponent, divided by all points that were
    made against it; its fitness is the mean of its shares. Source: Rosin & Belew, "New methods
    for competitive coevolution" (1997), section 3.1.
    """
    totals = points.sum(axis=0)
    shares: NDArray[np.float64] = np.divide(
        points, totals, out=np.zeros_like(points), where=totals > 0
    )
    means: NDArray[np.float64] = shares.mean(axis=1)
    return means
