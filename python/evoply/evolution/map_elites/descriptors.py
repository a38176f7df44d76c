"""What describes an individual on the map: its size, and how its games go.

Every individual of a run is described by the same games against the config's opponents, which are
no games of training. So its description is a fact about it, and no elite drifts to another cell
because a generation has other openings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evoply import _native, arena
from evoply._native import Stream
from evoply.evolution.fitness import Batch, Play, Population, Task
from evoply.evolution.map_elites.elites import Bins
from evoply.evolution.play.panel import Games, Panel, schedule_of
from evoply.evolution.play.population import panel_of
from evoply.expressions import features
from evoply.games import game_rules
from evoply.learning.boards import values_at
from evoply.protocols import Row

Array = NDArray[np.float64]
_EVEN = 0.5
"""The share of moves of an individual whose games were over before its turn."""


@dataclass(frozen=True, slots=True)
class Described:
    """Descriptions of individuals, and what they cost."""

    values: Array
    """Shape (individuals, axes)."""
    games: int
    work: int


def described(
    population: Population,
    axes: Sequence[Bins],
    games: Games,
    task: Task,
    pairs: int,
    stream: Stream,
    play: Play,
) -> Described:
    """Return the place of each different tree of *population* along each of *axes*.

    The games of all are one batch, with *pairs* openings of *stream* against every opponent.
    """
    panel = panel_of(games, task, ()).with_pairs(pairs)
    trees = len(population.players)
    schedule = schedule_of(games, trees, panel, stream)
    names = [axis.descriptor for axis in axes]
    looks = not {"mobility", "corners"}.isdisjoint(names)
    results = play(Batch((*population.players, *panel.players), schedule, record_moves=looks))
    plies = results.plies.astype(np.int64).reshape(trees, -1)
    found: dict[str, Array] = {
        "size": np.array([len(tree) for tree in population.trees], dtype=np.float64),
        "length": plies.mean(axis=1),
    }
    if looks:
        found |= _on_the_board(games, panel, schedule, results, trees)
    return Described(
        values=np.column_stack([found[name] for name in names]),
        games=len(schedule),
        work=population.work_of(plies.sum(axis=1)),
    )


def _on_the_board(
    games: Games, panel: Panel, schedule: arena.Schedule, results: arena.Results, trees: int
) -> dict[str, Array]:
    """Return mobility and corners of each tree, from all positions of its games at once."""
    kernel = game_rules(games.game).kernel
    is_black = np.tile(panel.places.is_black, trees).tolist()
    turns: list[Row] = []
    counts: list[int] = []
    ends: list[Row] = []
    for number, codes in enumerate(results.moves or ()):
        *along, end = _native.rows_along(kernel, schedule.start_row(number), codes)
        before = len(turns)
        turns += [row for row in along[games.opening_plies :] if row[3] == is_black[number]]
        counts.append(len(turns) - before)
        ends.append((*end[:3], is_black[number], *end[4:]))
    sides = [features.mobility("own"), features.mobility("opponent"), features.corners("own")]
    values = values_at(sides, games.game, [*turns, *ends])
    own, other = values[: len(turns), 0], values[: len(turns), 1]
    total = own + other
    shares = np.divide(own, total, out=np.full(len(turns), _EVEN), where=total > 0)
    each = len(panel.places)
    of_tree = np.repeat(np.repeat(np.arange(trees), each), counts)
    sums = np.bincount(of_tree, weights=shares, minlength=trees)
    seen = np.bincount(of_tree, minlength=trees)
    corners: Array = values[len(turns) :, 2].reshape(trees, each).mean(axis=1)
    return {
        "mobility": np.divide(sums, seen, out=np.full(trees, _EVEN), where=seen > 0),
        "corners": corners,
    }
