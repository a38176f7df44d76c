"""Training games played again from their keys: games are not stored, they are recomputed.

With g games a tree, game k of a generation belongs to its k // g-th different tree, in the order
of the population; see `evoply.evolution.panel`. Only games against a panel can be replayed so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evoply import _native, arena
from evoply.evolution import (
    DiscFitness,
    EpochFitness,
    EvolutionConfig,
    Generation,
    PointFitness,
    StageFitness,
)
from evoply.evolution.digest import stream_for
from evoply.evolution.entrants import Play, entrants_of
from evoply.evolution.hall_of_fame import draw_earlier
from evoply.evolution.measures import measured
from evoply.evolution.panel import (
    Panel,
    native_players,
    panel_of,
    play_by_config,
    schedule_of,
)
from evoply.evolution.python_parts import PythonParts
from evoply.games import game_rules
from evoply.protocols import GameRecord, RunError
from evoply.runs.run import Run

__all__ = ["Replay", "replay"]


@dataclass(frozen=True, slots=True)
class Replay:
    """A training game, who played it, and which individual it counted for."""

    game: GameRecord
    black: str
    """The tree or the opponent's name."""
    white: str
    generation: int
    number: int
    games: int
    """Training games of the generation."""
    individuals: tuple[int, ...]
    """Positions of the individuals it counted for: equal trees share their games."""
    opening_plies: int
    points: float
    """1, 0.5 or 0 for the individual."""


def replay(run: Run, generation: int, game: int) -> Replay:
    """Play training game number *game* of a stored *generation* again.

    All games of its tree are played and their points compared with the stored fitness. Raises
    `RunError` if there is no such game, or if this evoply plays them differently.
    """
    # Step 1. The schedule, from the stored population and archive.
    stored = run.generation(generation)
    config = run.config
    _check_replayable(run)
    distinct = list(dict.fromkeys(one.tree for one in stored.individuals))
    panel = _panel(run, stored)
    seats = panel.seats
    games = len(seats) * len(distinct)
    if not 0 <= game < games:
        raise RunError(
            f"run {run.path}: generation {generation} has games 0 to {games - 1}, not {game}"
        )
    which, place = divmod(game, len(seats))
    tree = distinct[which]
    counted_for = [index for index, one in enumerate(stored.individuals) if one.tree == tree]

    # Step 2. The points of the tree must be those of the run.
    stream = stream_for(config, "training", generation)
    players = native_players(config, [tree])
    if not (isinstance(config.fitness.measure, PointFitness) and config.fitness.measure.sharing):
        entrants = entrants_of(config, [tree])
        found = measured(config, PythonParts(), entrants, panel, stream, _play(config)).fitness[0]
        _check_fitness(run, stored, counted_for[0], float(found))

    # Step 3. The one game, with its moves.
    schedule = _only(schedule_of(config, 1, panel, stream), place)
    results = play_by_config(config, [*players, *panel.players], schedule, record_moves=True)
    rules = game_rules(config.game)
    draws = config.draws.rules(config.game)
    record = rules.game(rules.start(), (results.moves or [[]])[0], draws=draws)
    is_black = bool(seats.is_black[place])
    opponent = panel.labels[seats.opponents[place]]
    black_points = float(results.black_points[0])
    return Replay(
        game=record,
        black=str(tree) if is_black else opponent,
        white=opponent if is_black else str(tree),
        generation=generation,
        number=game,
        games=games,
        individuals=tuple(counted_for),
        opening_plies=config.fitness.opening_plies,
        points=black_points if is_black else 1 - black_points,
    )


def _check_replayable(run: Run) -> None:
    measure = run.config.fitness.measure
    if run.python_parts():
        reason = "was evolved with Python code of your own"
    elif run.config.steady_state is not None:
        reason = "has a steady state, whose survivors played in earlier generations"
    elif not isinstance(measure, PointFitness | DiscFitness | EpochFitness | StageFitness):
        reason = f"has fitness {measure.kind}, whose games are among those who were evolved"
    else:
        return
    raise RunError(f"single games of run {run.path} cannot be replayed: it {reason}")


def _play(config: EvolutionConfig) -> Play:
    def play(
        players: Sequence[_native.Player], schedule: arena.Schedule, record_moves: bool
    ) -> arena.Results:
        return play_by_config(config, list(players), schedule, record_moves=record_moves)

    return play


def _panel(run: Run, stored: Generation) -> Panel:
    before = [entry for entry in stored.archive if entry.generation < stored.number]
    stream = stream_for(run.config, "opponents", stored.number)
    return panel_of(run.config, draw_earlier(run.config, before, stream))


def _only(schedule: arena.Schedule, game: int) -> arena.Schedule:
    one = slice(game, game + 1)
    return replace(
        schedule,
        black=schedule.black[one],
        white=schedule.white[one],
        opening_keys=schedule.opening_keys[one],
        game_keys=schedule.game_keys[one],
    )


def _check_fitness(run: Run, generation: Generation, index: int, found: float) -> None:
    stored = generation.individuals[index].fitness
    if found != stored:
        raise RunError(
            f"run {run.path}: individual {index} of generation {generation.number} has fitness "
            f"{stored:.6f} in the run and {found:.6f} now: this evoply "
            f"({run.version} wrote the run) plays differently"
        )
