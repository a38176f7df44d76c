"""Replay of training games from their keys: games are not stored but recomputed.

The games of a generation are numbered in the order in which its fitness was measured. If the
fitness of a tree depends on no other, only the games of this tree are played again, else all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from evoply import arena, gp
from evoply.arena import PreparedPlayer
from evoply.configs.own_code import other_codes
from evoply.evolution.breeding.offspring import Offspring
from evoply.evolution.breeding.proposals import answer_of
from evoply.evolution.config.breeding import Variation
from evoply.evolution.fitness import Batch, FitnessKind, Population, Training
from evoply.evolution.fitness.own import FunctionFitness
from evoply.evolution.generation import Generation, measured
from evoply.evolution.loop import individuals_of, players_of, survivors_of, training_of
from evoply.evolution.map_elites.descriptors import placed
from evoply.evolution.play.opponents import Games
from evoply.evolution.play.population import population_of
from evoply.evolution.selections import survival_method
from evoply.evolution.toolbox import Toolbox, toolbox_of
from evoply.evolution.user_code import check_parts, is_reproducible, with_parts
from evoply.games import game_rules
from evoply.protocols import GameRecord, RunError
from evoply.runs.kept_learners import PythonArguments
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
    """Positions of the individuals it counted for: equal trees may share their games; none if who
    played did not survive. In a game between two of the population these played Black."""
    against: tuple[int, ...]
    """Positions of the individuals that it counted for on the other side."""
    opening_plies: int
    points: float
    """1, 0.5 or 0 for the individual; an individual on the other side has the rest."""


def replay(
    run: Run,
    generation: int,
    game: int,
    **parts: Unpack[PythonArguments],
) -> Replay:
    """Play training game number *game* of a stored *generation* again.

    The games of its fitness are played, and the result is compared with the stored fitness. Python
    that the run was given is imported from its file, or is given again as *parts*: a fitness, and
    for a run whose parents compete with their offspring, which are bred again, all others too.

    Raises `RunError` if there is no such game, if this evoply plays them differently, if Python
    cannot be had or is other code, or if the fitness is a function, which says nothing of its
    games.
    """
    if not isinstance(run, Run):
        raise TypeError(f"run: {run!r:.60} is not an open run: give evoply.find_run(...)")
    # Step 1. Everybody who played, and their opponents.
    stored = run.generation(generation)
    before = None if generation == 0 else run.generation(generation - 1)
    toolbox = _recorded_toolbox(run, stored, parts)
    kind, games, parsimony = toolbox.kind, toolbox.games, toolbox.parsimony
    _check_replayable(run, kind)
    recorder = _Recorder(games, game)
    training = training_of(toolbox, before, recorder.play)
    if toolbox.breeder.selector.chooses_survivors(generation):
        players, _ = players_of(toolbox, before)
    else:
        players = tuple(Offspring(old.tree, old.origin, old.parents) for old in stored.individuals)
    population = population_of(games, [player.tree for player in players])

    # Step 2. The games that are needed to find this one, and their fitness.
    chosen = list(range(len(players)))
    if kind.is_relative:
        result = measured(kind, population, training, parsimony)
        count, everybody = result.games, individuals_of(players, result)
        everybody, _, _ = placed(toolbox.map, everybody, population, generation, games.play)
        chosen, _ = survivors_of(toolbox, before, everybody)
        now = {place: float(result.fitness[who]) for place, who in enumerate(chosen)}
    else:
        # Every different tree has as many games, one tree's after another's.
        result = measured(kind, _only(population, 0), training, parsimony)
        each, count = result.games, result.games * len(population.trees)
        if not each:
            raise RunError(f"run {run.path}: generation {generation} has no games, so not {game}")
        which = min(game // each, len(population.trees) - 1)
        if which:
            recorder = _Recorder(games, game - which * each)
            training = replace(training, play=recorder.play)
            result = measured(kind, _only(population, which), training, parsimony)
        where = _positions(stored, population.trees[which])
        now = dict.fromkeys(where, float(result.fitness[0]))
    if recorder.batch is None:
        numbers = f"games 0 to {count - 1}" if count else "no games"
        raise RunError(f"run {run.path}: generation {generation} has {numbers}, not {game}")
    _check_fitness(run, stored, now)

    # Step 3. The one game, with its moves.
    played = _Table(population, training, recorder.batch, stored, chosen)
    batch = recorder.batch
    results = games.play(replace(batch, record_moves=True))
    rules = game_rules(games.game)
    start_of = batch.schedule.start_of
    start = rules.position_from_row(
        batch.schedule.starts[0 if start_of is None else int(start_of[0])]
    )
    moves = (results.moves or [[]])[0]
    black, white = played.individuals(0), played.individuals(1)
    black_points = float(results.black_points[0])
    has_black = played.has_tree(0)
    return Replay(
        game=rules.game(start, moves, draws=games.draws),
        black=played.label(0),
        white=played.label(1),
        generation=generation,
        number=game,
        games=count,
        individuals=black if has_black else white,
        against=white if has_black else (),
        opening_plies=games.opening_plies,
        points=black_points if has_black else 1 - black_points,
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
            self.batch = replace(
                batch, schedule=batch.schedule.batch(part), individuals=individuals
            )
        self._wanted -= len(batch.schedule)
        return self._games.play(batch)


@dataclass(frozen=True, slots=True)
class _Table:
    """The players in a batch of one game; side 0 is Black."""

    population: Population
    training: Training
    batch: Batch
    stored: Generation
    chosen: Sequence[int]
    """Who of all players became each stored individual."""

    def has_tree(self, side: int) -> bool:
        """Return whether a tree of the population plays this side."""
        return self._tree(side) is not None

    def label(self, side: int) -> str:
        tree = self._tree(side)
        if tree is not None:
            return str(self.population.trees[tree])
        for opponents in (self.training.opponents, self.training.own_opponents):
            for player, label in zip(opponents.players, opponents.labels, strict=True):
                if player is self._player(side):
                    return label
        return "an opponent of its fitness"

    def individuals(self, side: int) -> tuple[int, ...]:
        """Return the positions of the individuals that the game counted for."""
        tree = self._tree(side)
        if self.batch.individuals is not None:
            player = int(self.batch.individuals[side, 0])
            return tuple(place for place, who in enumerate(self.chosen) if who == player)
        return () if tree is None else _positions(self.stored, self.population.trees[tree])

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
    return population.part([int(np.flatnonzero(population.who == tree)[0])])


def _positions(stored: Generation, tree: gp.Genotype) -> tuple[int, ...]:
    return tuple(i for i, old in enumerate(stored.individuals) if old.tree == tree)


def _check_replayable(run: Run, kind: FitnessKind) -> None:
    if isinstance(kind, FunctionFitness):
        reason = "was evolved with Python code of your own as its fitness, which plays its games"
    elif run.config.steady_state is not None:
        reason = "has a steady state, whose survivors played in earlier generations"
    elif not is_reproducible(run.config):
        reason = "has opponents that do not play the same game twice"
    else:
        return
    raise RunError(f"single games of run {run.path} cannot be replayed: it {reason}")


def _recorded_toolbox(run: Run, generation: Generation, given: PythonArguments) -> Toolbox:
    """Return the toolbox of *run* with what is *given* again of the Python that its config names.

    Programs are not asked again for what they proposed for *generation*. Raises `RunError` if what
    is needed cannot be had, or is not what the run was evolved with.
    """
    config = with_parts(run.config, **given)
    for _, other in other_codes(run.config.model_dump(), config.model_dump()):
        raise RunError(f"run {run.path} was not evolved with this {other.path}: give the same code")
    try:
        if survival_method(config.survival).function is not None:
            known = {"answers": tuple(map(answer_of, generation.proposed)), "failures": 0}
            proposals = config.proposals.model_copy(update=known)
            config = config.model_copy(update={"proposals": proposals})
            check_parts(config)
        else:  # nothing is bred again, so nobody needs the operators
            config = config.model_copy(update={"variation": Variation()})
        return toolbox_of(config)
    except ValueError as error:
        raise RunError(
            f"single games of run {run.path} cannot be replayed: {error} - or give it again, as in "
            "evoply.replay(run, GENERATION, GAME, fitness=...)"
        ) from None


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
