"""Training games played again from their keys: games are not stored, they are recomputed.

Game k of a generation belongs to its k // (2 * slots)-th different tree, in the order of the
population; see `evoply.evolution.panel`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from evoply import arena
from evoply.evolution import Generation
from evoply.evolution.digest import stream_for
from evoply.evolution.hall_of_fame import draw_earlier
from evoply.evolution.panel import Panel, native_players, panel_of, schedule_of, trial
from evoply.games import game_rules
from evoply.games.othello import Game
from evoply.protocols import RunError
from evoply.runs.run import Run

__all__ = ["Replay", "replay"]


@dataclass(frozen=True, slots=True)
class Replay:
    """A training game, who played it, and which individual it counted for."""

    game: Game
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
    distinct = list(dict.fromkeys(one.tree for one in stored.individuals))
    panel = _panel(run, stored)
    slots = panel.slots
    games = 2 * len(slots) * len(distinct)
    if not 0 <= game < games:
        raise RunError(
            f"run {run.path}: generation {generation} has games 0 to {games - 1}, not {game}"
        )
    which, place = divmod(game, 2 * len(slots))
    tree = distinct[which]
    counted_for = [index for index, one in enumerate(stored.individuals) if one.tree == tree]

    # Step 2. The points of the tree must be those of the run.
    stream = stream_for(config, "training", generation)
    players = native_players(config, [tree])
    found = trial(config, players, panel, stream).fitness[0]
    _check_fitness(run, stored, counted_for[0], found)

    # Step 3. The one game, with its moves.
    schedule = _only(schedule_of(config, 1, panel, stream), place)
    results = arena.play(config.game, [*players, *panel.players], schedule, record_moves=True)
    record = Game.from_codes((results.moves or [b""])[0], game_rules(config.game).start())
    is_black = place % 2 == 0
    opponent = panel.labels[slots[place // 2]]
    difference = int(results.black_discs[0]) - int(results.white_discs[0])
    return Replay(
        game=record,
        black=str(tree) if is_black else opponent,
        white=opponent if is_black else str(tree),
        generation=generation,
        number=game,
        games=games,
        individuals=tuple(counted_for),
        opening_plies=config.fitness.opening_plies,
        points=0.5 if difference == 0 else float((difference > 0) == is_black),
    )


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
