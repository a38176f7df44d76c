"""The variety of the individuals with which runs end, on one map that is common to all setups.

A run's own map says nothing of a run that has none, or another one. So all trees of each run's end
play the same games, which no run trained on, and stand on the same map.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from evoply import arena
from evoply._native import Stream
from evoply.configs.own_code import is_own_code
from evoply.configs.part import Part, Problem
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.individuals import behaviours
from evoply.evolution.map_elites.axes import MOST_AXES, MOST_CELLS, Axis, axis_problems, space_of
from evoply.evolution.map_elites.descriptors import RunMap, described
from evoply.evolution.map_elites.played_games import own_axis
from evoply.evolution.map_elites.space import ArchiveFigures
from evoply.evolution.play.opponents import Opponents, read_opponent
from evoply.evolution.play.population import population_of
from evoply.games import game_rules
from evoply.permutations import shuffled
from evoply.runs import Run

FIGURES = ("coverage", "qd_score", "obj_max", "behaviours", "trees")
"""The figures of a run: those of its trees on the common map, with points per game as objective;
the trees that value random positions differently; and all that count."""
_KINDS = ("evolution", "islands")


class Variety(Part):
    """The common map: its axes, and the games by which the trees of a run get their places."""

    axes: tuple[Axis, ...] = Field(strict=False, min_length=2, max_length=MOST_AXES)
    """The axes, as in `survival.axes`; each with `low` and `high` unless the game says them."""
    voronoi_cells: int | None = Field(default=None, ge=2, le=MOST_CELLS)
    """Voronoi cells in place of a grid of bins, as in `survival`."""
    pairs: int = Field(default=4, ge=1, le=1000)
    """Opening pairs of each tree against each opponent of the measure."""
    most_trees: int | None = Field(default=None, ge=1)
    """How many trees of a run count at most, drawn from all: more trees fill more cells. None:
    all."""

    def check(self) -> None:
        """Import the user's own axes; `ValueError` if one cannot be had."""
        for axis in self.axes:
            if is_own_code(axis.descriptor):
                own_axis(axis.descriptor)


def variety_problems(
    variety: Variety | None, game: str, kinds: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield what prevents that *variety* is measured; *kinds* are those of setups, by name."""
    if variety is None:
        return
    for path, message in axis_problems(variety.axes, variety.voronoi_cells, game, None):
        yield f"variety.{path}", message
    for name, kind in kinds.items():
        if kind not in _KINDS:
            yield "variety", f"{name} is {kind}, which has no population - leave variety out"


def variety_of(
    run: Run, variety: Variety, opponents: Sequence[str], *, seed: int, threads: int = 0
) -> dict[str, float]:
    """Return the `FIGURES` of the trees with which *run* ends: population, archive, hall of fame.

    The games begin as matches of the game do, and *seed* draws them: the same for all runs.
    """
    config: Any = run.config
    assert isinstance(config, EvolutionConfig), "others are refused before"
    models = [read_opponent(text, run.game) for text in opponents]
    begins = game_rules(config.game)
    games = replace(
        config.game_settings,
        opening_plies=begins.opening_plies,
        starts=(begins.start().row,),
        weights=(),
    )
    met = Opponents(
        players=tuple(arena.prepared(models, config.game)),
        labels=tuple(model.label for model in models),
        games=(2 * variety.pairs,) * len(models),
    )
    space = space_of(variety.axes, variety.voronoi_cells, config.game, None)
    trees = list(dict.fromkeys(run.kind.uses["trees"](run.champion, run.last())))
    if variety.most_trees is not None:
        drawn = shuffled(len(trees), Stream(seed, "trees"))[: variety.most_trees]
        trees = [trees[place] for place in sorted(drawn)]
    population = population_of(games, trees)
    run_map = RunMap(space, games, met, Stream(seed, "variety"))
    about = described(run_map, population, lambda batch: games.play(batch, threads=threads))
    best: dict[tuple[int, ...], float] = {}
    for cell, points in zip(space.cells_of(about.values), about.points.tolist(), strict=True):
        best[cell] = max(points, best.get(cell, points))
    figures = ArchiveFigures.of(list(best.values()), len(space))
    assert figures.obj_max is not None, "every run has a champion"
    return {
        "coverage": figures.coverage,
        "qd_score": figures.qd_score,
        "obj_max": figures.obj_max,
        "behaviours": float(len(set(behaviours(config.game, seed, population.programs)))),
        "trees": float(len(trees)),
    }
