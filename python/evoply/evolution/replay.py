"""Replay of training games from their keys: games are not stored but recomputed.

The games of a generation are numbered in the order in which its fitness was measured. If the
fitness of a tree depends on no other, only the games of this tree are played again, else all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evoply import arena
from evoply.evolution.config.player_settings import is_reproducible
from evoply.evolution.digest import stream_for
from evoply.evolution.fitness import Batch, FitnessKind, Population, Training
from evoply.evolution.fitness.measuring import measured
from evoply.evolution.fitness.own import FunctionFitness
from evoply.evolution.generation import Generation
from evoply.evolution.hall_of_fame import draw_earlier
from evoply.evolution.play.panel import Games, Panel, PreparedPlayer
from evoply.evolution.play.population import panel_of, population_of
from evoply.evolution.recorded_parts import naming_recorded
from evoply.games import game_rules
from evoply.protocols import GameRecord, RunError
from evoply.runs.run import Run


@dataclass(frozen=True, slots=True)
class Replay:
    """A training game, its players, and the individuals it counted for."""

    game: GameRecord
    black: str
    """The tree or the opponent's name."""
    white: str
    generation: int
    number: int
    games: int
    """Training games of the generation."""
    individuals: tuple[int, ...]
    """Positions of the individuals it counted for: equal trees may share their games. In a game
    between two of the population these played Black."""
    against: tuple[int, ...]
    """Positions of the individuals that it counted for on the other side."""
    opening_plies: int
    points: float
    """1, 0.5 or 0 for the individual; an individual on the other side has the rest."""


def replay(run: Run, generation: int, game: int) -> Replay:
    """Play training game number *game* of a stored *generation* again.

    The games of its fitness are played, and the result is compared with the stored fitness. Raises
    `RunError` if there is no such game, if this evoply plays them differently, or if the user's own
    fitness cannot be imported or is a function, which says nothing of its games.
    """
    # Step 1. The stored population and its opponents.
    stored = run.generation(generation)
    config = run.config
    _check_replayable(run)
    kind, games = _kind(run), config.game_settings
    recorder = _Recorder(games, game)
    stream = stream_for(config, "training", generation)
    training = Training(
        config.task,
        games,
        _panel(run, stored),
        kind.guests(config.task),
        stream,
        recorder.play,
    )
    population = population_of(games, [individual.tree for individual in stored.individuals])

    # Step 2. The games that are needed to find this one, and their fitness.
    if kind.is_relative:
        result = measured(kind, population, training, config.parsimony)
        count = result.games
        fitness = dict(enumerate(result.fitness.tolist()))
    else:
        # Every different tree has as many games, one tree's after another's.
        result = measured(kind, _only(population, 0), training, config.parsimony)
        each, count = result.games, result.games * len(population.trees)
        if not each:
            raise RunError(f"run {run.path}: generation {generation} has no games, so not {game}")
        which = min(game // each, len(population.trees) - 1)
        if which:
            recorder = _Recorder(games, game - which * each)
            training = replace(training, play=recorder.play)
            result = measured(kind, _only(population, which), training, config.parsimony)
        fitness = dict.fromkeys(_positions(population, which), float(result.fitness[0]))
    if recorder.batch is None:
        numbers = f"games 0 to {count - 1}" if count else "no games"
        raise RunError(f"run {run.path}: generation {generation} has {numbers}, not {game}")
    _check_fitness(run, stored, fitness)

    # Step 3. The one game, with its moves.
    played = _Table(population, training, recorder.batch)
    batch = recorder.batch
    results = games.play(replace(batch, record_moves=True))
    rules = game_rules(config.game)
    start_of = batch.schedule.start_of
    start = rules.position_from_row(
        batch.schedule.starts[0 if start_of is None else int(start_of[0])]
    )
    moves = (results.moves or [[]])[0]
    black, white = played.individuals(0), played.individuals(1)
    black_points = float(results.black_points[0])
    return Replay(
        game=rules.game(start, moves, draws=games.draws),
        black=played.label(0),
        white=played.label(1),
        generation=generation,
        number=game,
        games=count,
        individuals=black or white,
        against=white if black else (),
        opening_plies=config.opening_plies,
        points=black_points if black else 1 - black_points,
    )


class _Recorder:
    """Plays batches, and keeps the game with a given number as its own batch."""

    def __init__(self, games: Games, wanted: int) -> None:
        self._games = games
        self._wanted = wanted
        self.batch: Batch | None = None

    def play(self, batch: Batch) -> arena.Results:
        if 0 <= self._wanted < len(batch.schedule):
            part = slice(self._wanted, self._wanted + 1)
            individuals = None if batch.individuals is None else batch.individuals[:, part]
            self.batch = replace(batch, schedule=batch.schedule.part(part), individuals=individuals)
        self._wanted -= len(batch.schedule)
        return self._games.play(batch)


@dataclass(frozen=True, slots=True)
class _Table:
    """The players in a batch of one game; side 0 is Black."""

    population: Population
    training: Training
    batch: Batch

    def label(self, side: int) -> str:
        tree = self._tree(side)
        if tree is not None:
            return str(self.population.trees[tree])
        for panel in (self.training.panel, self.training.guests):
            for player, label in zip(panel.players, panel.labels, strict=True):
                if player is self._player(side):
                    return label
        return "an opponent of its fitness"

    def individuals(self, side: int) -> tuple[int, ...]:
        """Return the positions of the individuals that the game counted for."""
        tree = self._tree(side)
        if self.batch.individuals is not None:
            return (int(self.batch.individuals[side, 0]),)
        return () if tree is None else _positions(self.population, tree)

    def _tree(self, side: int) -> int | None:
        for tree, player in enumerate(self.population.players):
            if player is self._player(side):
                return tree
        return None

    def _player(self, side: int) -> PreparedPlayer:
        schedule = self.batch.schedule
        return self.batch.players[int((schedule.black, schedule.white)[side][0])]


def _only(population: Population, tree: int) -> Population:
    """Return a population of one individual with this tree; its player is the same object."""
    part = slice(tree, tree + 1)
    return Population(
        trees=population.trees[part],
        players=population.players[part],
        programs=population.programs[part],
        operations=population.operations[part],
        who=np.zeros(1, dtype=np.int64),
    )


def _positions(population: Population, tree: int) -> tuple[int, ...]:
    return tuple(np.flatnonzero(population.who == tree).tolist())


def _check_replayable(run: Run) -> None:
    if isinstance(_kind(run), FunctionFitness):
        reason = "was evolved with Python code of your own as its fitness, which plays its games"
    elif run.config.steady_state is not None:
        reason = "has a steady state, whose survivors played in earlier generations"
    elif not is_reproducible(run.config):
        reason = "has opponents that do not play the same game twice"
    else:
        return
    raise RunError(f"single games of run {run.path} cannot be replayed: it {reason}")


def _kind(run: Run) -> FitnessKind:
    """Return the run's fitness, imported if it is the user's own; `RunError` if it is missing."""
    recorded = {what: part for what, part in run.python_parts().items() if what == "fitness"}
    try:
        return naming_recorded(run.config, recorded).fitness.measure.resolved()
    except ValueError as error:
        raise RunError(f"single games of run {run.path} cannot be replayed: {error}") from None


def _panel(run: Run, stored: Generation) -> Panel:
    before = [entry for entry in stored.archive if entry.generation < stored.number]
    stream = stream_for(run.config, "opponents", stored.number)
    return panel_of(
        run.config.game_settings, run.config.task, draw_earlier(run.config, before, stream)
    )


def _check_fitness(run: Run, generation: Generation, fitness: Mapping[int, float]) -> None:
    """Raise `RunError` unless the individuals at these positions have this fitness in the run."""
    for index, now in fitness.items():
        stored = generation.individuals[index].fitness
        if now != stored:
            raise RunError(
                f"run {run.path}: individual {index} of generation {generation.number} has fitness "
                f"{stored:.6f} in the run and {now:.6f} now: this evoply "
                f"({run.version} wrote the run) plays differently"
            )
