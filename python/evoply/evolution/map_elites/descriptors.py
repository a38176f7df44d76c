"""What describes an individual on the map: its size, and how its games go.

Every individual of a run is described by the same games against the config's opponents, which are
no games of training. So its description is a fact about it, and no elite drifts to another cell
because a generation has other openings.

Reasons: docs/design/evolution.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evoply import _native, arena
from evoply._native import Stream
from evoply.evolution.fitness import Batch, Play, Population, Task
from evoply.evolution.individuals import Individual, MapPlace
from evoply.evolution.play.opponents import Games, Opponents, schedule_of
from evoply.evolution.play.population import opponents_of
from evoply.evolution.selections import Bins
from evoply.expressions import features
from evoply.games import game_rules
from evoply.protocols import Row

Array = NDArray[np.float64]
_GAMES_AT_ONCE = 1000
"""Games whose positions are in memory at a time."""
_EVEN = 0.5
"""The share of moves of an individual whose games were over before its turn."""


@dataclass(frozen=True, slots=True)
class RunMap:
    """The map of a run, and the games by which an individual gets its place there."""

    axes: tuple[Bins, ...]
    pairs: int
    """Opening pairs against each opponent."""
    games: Games
    task: Task
    stream: Stream
    """Draws the openings."""


@dataclass(frozen=True, slots=True)
class Described:
    """Descriptions of individuals, and what they cost."""

    values: Array
    """Shape (individuals, axes)."""
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
    part, axes = population.part(new), run_map.axes
    about = described(run_map, part, play)
    found = list(individuals)
    for index, which in zip(new, part.who, strict=True):
        values: tuple[float, ...] = tuple(about.values[which].tolist())
        cell = tuple(axis.index(value) for axis, value in zip(axes, values, strict=True))
        found[index] = replace(individuals[index], place=MapPlace(cell, values, generation))
    return tuple(found), about.games, about.work


def described(run_map: RunMap, population: Population, play: Play) -> Described:
    """Return the place of each different tree of *population* along each axis of the map.

    The games of all are one batch.
    """
    games = run_map.games
    opponents = opponents_of(games, run_map.task, ()).with_pairs(run_map.pairs)
    trees = len(population.players)
    schedule = schedule_of(games, trees, opponents, run_map.stream)
    names = [axis.descriptor for axis in run_map.axes]
    looks = not {"mobility", "corners"}.isdisjoint(names)
    results = play(Batch((*population.players, *opponents.players), schedule, record_moves=looks))
    plies = results.plies.astype(np.int64).reshape(trees, -1)
    found: dict[str, Array] = {
        "size": np.array([len(tree) for tree in population.trees], dtype=np.float64),
        "length": plies.mean(axis=1),
    }
    if looks:
        found |= _on_the_board(games, opponents, schedule, results, trees)
    return Described(
        values=np.column_stack([found[name] for name in names]),
        games=len(schedule),
        work=population.work_of(plies.sum(axis=1)),
    )


def _on_the_board(
    games: Games, opponents: Opponents, schedule: arena.Schedule, results: arena.Results, trees: int
) -> dict[str, Array]:
    """Return mobility and corners of each tree, from the positions of its games."""
    from evoply.learning.choices import values_at  # only maps of such axes look at boards

    each, moves = len(opponents.places), results.moves or []
    is_black: list[bool] = np.tile(opponents.places.is_black, trees).tolist()
    sides = [features.mobility("own"), features.mobility("opponent"), features.corners("own")]
    sums, turns, corners = np.zeros(trees), np.zeros(trees), np.zeros(trees)
    for first in range(0, len(moves), _GAMES_AT_ONCE):
        part = range(first, min(first + _GAMES_AT_ONCE, len(moves)))
        of_tree = np.array(part) // each
        rows, counts, ends = _positions(games, schedule, moves, is_black, part)
        values = values_at(sides, games.game, [*rows, *ends])
        own, other = values[: len(rows), 0], values[: len(rows), 1]
        total = own + other
        shares = np.divide(own, total, out=np.full(len(rows), _EVEN), where=total > 0)
        sums += np.bincount(np.repeat(of_tree, counts), weights=shares, minlength=trees)
        turns += np.bincount(of_tree, weights=counts, minlength=trees)
        corners += np.bincount(of_tree, weights=values[len(rows) :, 2], minlength=trees)
    return {
        "mobility": np.divide(sums, turns, out=np.full(trees, _EVEN), where=turns > 0),
        "corners": corners / each,
    }


def _positions(
    games: Games,
    schedule: arena.Schedule,
    moves: Sequence[Sequence[int]],
    is_black: Sequence[bool],
    part: range,
) -> tuple[list[Row], list[int], list[Row]]:
    """Return the tree's own turns after the opening, how many each game has, and all ends.

    *part* has the numbers of the games. An end is seen by the tree, whoever would be to move.
    """
    kernel = game_rules(games.game).kernel
    turns: list[Row] = []
    counts: list[int] = []
    ends: list[Row] = []
    for number in part:
        along = _native.rows_along(kernel, schedule.start_row(number), moves[number])
        black, end = is_black[number], along[-1]
        own = [row for row in along[games.opening_plies : -1] if row[3] == black]
        turns += own
        counts.append(len(own))
        ends.append((*end[:3], black, *end[4:]))
    return turns, counts, ends
