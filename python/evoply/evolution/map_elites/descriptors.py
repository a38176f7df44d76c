"""What describes an individual on the map: facts of its games, counts on boards, your own function.

Every individual of a run is described by the same games against the config's opponents, which are
no games of training. So its description is a fact about it, and no elite drifts to another cell
because a generation has other openings.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evoply._native import Stream
from evoply.configs.own_code import is_own_code
from evoply.evolution.fitness import Batch, Play, Population
from evoply.evolution.individuals import Individual, MapPlace
from evoply.evolution.map_elites.axes import FACTS_OF_GAMES
from evoply.evolution.map_elites.space import Array, Space
from evoply.evolution.play.opponents import Games, Opponents, schedule_of

if TYPE_CHECKING:
    from evoply.evolution.map_elites.played_games import PlayedGames


@dataclass(frozen=True, slots=True)
class RunMap:
    """The space of a run, and the games by which an individual gets its place there."""

    space: Space
    games: Games
    opponents: Opponents
    """Whom everybody meets, with the games against each."""
    stream: Stream
    """Draws the openings."""
    qd_score_offset: float = 0.0
    """The fitness that counts 0 in the QD score."""


@dataclass(frozen=True, slots=True)
class Described:
    """Descriptions of individuals, and what they cost."""

    values: Array
    """Shape (individuals, axes)."""
    points: Array
    """Points per game of each in these games."""
    games: int
    work: int


def placed(
    run_map: RunMap | None,
    individuals: tuple[Individual, ...],
    population: Population,
    generation: int,
    play: Play,
) -> tuple[tuple[Individual, ...], int, int]:
    """Return *individuals* with places if there is a map, and the games and work that it took.

    Whoever has a place keeps it. *population* are the same; *play* plays the games that describe.
    """
    new = [index for index, each in enumerate(individuals) if each.place is None]
    if run_map is None or not new:
        return individuals, 0, 0
    part = population.part(new)
    about = described(run_map, part, play)
    cells = run_map.space.cells_of(about.values)
    found = list(individuals)
    for index, which in zip(new, part.who.tolist(), strict=True):
        place = MapPlace(cells[which], tuple(about.values[which].tolist()), generation)
        found[index] = replace(individuals[index], place=place)
    return tuple(found), about.games, about.work


def described(run_map: RunMap, population: Population, play: Play) -> Described:
    """Return the place of each different tree of *population* along each axis of the map.

    The games of all are one batch.
    """
    from evoply.evolution.map_elites.played_games import PlayedGames  # few runs have a map

    games, opponents, axes = run_map.games, run_map.opponents, run_map.space.axes
    trees = len(population.players)
    schedule = schedule_of(games, trees, opponents, run_map.stream)
    looks = any(axis.descriptor not in FACTS_OF_GAMES for axis in axes)
    results = play(Batch((*population.players, *opponents.players), schedule, record_moves=looks))
    black = results.black_points
    played = PlayedGames(
        game=games.game,
        trees=population.trees,
        is_black=opponents.places.is_black,
        plies=results.plies.astype(np.int64).reshape(trees, -1),
        points=opponents.by_tree(black, 1 - black),
        opening_plies=games.opening_plies,
        schedule=schedule,
        moves=results.moves or (),
    )
    return Described(
        values=_values(run_map.space, played),
        points=played.points.mean(axis=1),
        games=len(schedule),
        work=population.work_of(played.plies.sum(axis=1)),
    )


def _values(space: Space, played: PlayedGames) -> Array:
    """Return what each axis says, a column each; all that is counted on boards in one look."""
    from evoply.evolution.map_elites.played_games import FACTS, own_values

    columns: dict[str, Array] = {}
    counted = []
    for axis in space.axes:
        if axis.descriptor in FACTS:
            columns[axis.descriptor] = FACTS[axis.descriptor](played)
        elif is_own_code(axis.descriptor):
            columns[axis.descriptor] = own_values(axis.descriptor, played)
        else:
            counted.append(axis)
    if counted:
        means = played.means([(axis.descriptor, axis.at) for axis in counted])
        columns |= {axis.descriptor: means[:, at] for at, axis in enumerate(counted)}
    return np.column_stack([columns[axis.descriptor] for axis in space.axes])
