"""Islands as a kind of learner: how their runs are kept and shown.

Reasons: docs/design/evolution.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evoply import gp
from evoply.evolution.fitness.measuring import fitness_text
from evoply.islands.islands import IslandEvolution, IslandsStep, best_of
from evoply.islands.islands_config import ISLANDS_LEARNER, IslandsConfig, load_islands_config
from evoply.runs.columns import Columns, Plot, PlotLine, Row
from evoply.runs.display import ChampionFacts, Listing, LiveFacts
from evoply.runs.kind import Kind
from evoply.runs.steps_store import Tables
from evoply.sections import Column, share
from evoply.wording import shorten

_LONGEST_TREE = 100


def _trees(_: Any, last: IslandsStep) -> list[gp.Genotype]:
    """Return the champion's tree, those of the halls of fame and those of the populations."""
    halls = [entry.tree for island in last.generations for entry in island.hall_of_fame]
    everybody = [each.tree for island in last.generations for each in island.individuals]
    return [last.champion, *halls, *everybody]


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _columns(config: IslandsConfig, row: Row, is_own: bool) -> Columns:
    """Return the columns of a step; training fitness reads as that of the islands does."""

    def fitness(value: float) -> str:
        return fitness_text(config.of_islands[0], value, is_own=is_own)

    islands = (
        Column(name, f"island {place}", share, is_fact=False, is_listed=False)
        for place, name in enumerate(_of_islands(row), 1)
    )
    return (
        Column("generations", "generations", _whole),
        Column("best_fresh", "best fresh", share, "best of all", fact="best, fresh games"),
        Column("mean_fresh", "mean fresh", share, "mean of all", fact="mean, fresh games"),
        *islands,
        Column("best", "best", fitness, fact="best, training"),
        Column("mean", "mean", fitness, is_fact=False, is_listed=False),
        Column("distinct_trees", "distinct trees", _whole),
        Column("best_points", "champion against the others", share, is_fact=False, is_listed=False),
        Column("migrants", "migrants", _whole, is_fact=False, is_listed=False),
        Column("survived", "survived", _whole, fact="migrants that survived"),
        Column("games", "games", _whole, is_fact=False),
        Column("work", "work", _whole, is_fact=False, is_listed=False),
    )


def _plots(config: IslandsConfig, rows: Sequence[Row], is_own: bool) -> list[Plot]:
    """Return the best of every island, training, the variety of trees, and migrants."""
    islands = [
        PlotLine(f"island {place}", name)
        for place, name in enumerate(_of_islands(rows[-1] if rows else {}), 1)
    ]
    mean = PlotLine("mean of all", "mean_fresh", is_dashed=True)
    plots = (
        Plot(
            "The best of every island on fresh games",
            "points a game",
            [*islands, mean],
            "Opponents change with the generations: a level curve may still be progress.",
            is_share=True,
        ),
        Plot("Training", "fitness", [PlotLine("best"), PlotLine("mean")]),
        Plot(
            "Distinct trees on all islands",
            "trees",
            [PlotLine("distinct trees", "distinct_trees")],
            from_zero=True,
        ),
        Plot(
            "Migrants that survived until the next migration, themselves or in descendants",
            "migrants",
            [PlotLine("migrants that survived", "survived")],
            from_zero=True,
            after=1,
        ),
    )
    return [replace(plot, x="generations", x_title="generation") for plot in plots]


def _live(usual: LiveFacts, config: IslandsConfig, step: IslandsStep) -> LiveFacts:
    """Return *usual* with how far the limits are, which count generations."""
    every = config.islands.every
    most = None if config.generations is None else -(-config.generations // every) - 1
    left = [] if most is None else [max(most - step.number, 0) * step.seconds]
    if config.time_limit is not None:
        left.append(max(config.time_limit - step.total_seconds, 0.0))
    return replace(
        usual,
        champion=f"{step.champion} (island {step.island + 1})",
        last_number=most,
        seconds_left=min(left, default=None),
    )


def _facts(champion: Any, last: IslandsStep) -> ChampionFacts:
    """Return the nodes and the island of the champion."""
    nodes, island = len(last.champion), last.island + 1
    return ChampionFacts(
        f"{nodes} nodes, from island {island} of {len(last.generations)}",
        {"nodes": nodes, "island": island, "generation": last.number},
        {"tree": str(last.champion), "generation": last.number},
    )


def _listings(config: IslandsConfig, last: IslandsStep) -> list[Listing]:
    """Return the best of each island, with its points against the others."""
    data: list[dict[str, Any]] = []
    rows: list[tuple[str, ...]] = []
    for place, (points, island) in enumerate(zip(last.points, last.generations, strict=True), 1):
        tree = best_of(island)
        data.append({"island": place, "points": points, "nodes": len(tree), "tree": str(tree)})
        short = shorten(str(tree), _LONGEST_TREE)
        rows.append((str(place), share(points), str(len(tree)), short))
    head = ("island", "against the others", "nodes", "tree")
    return [Listing("islands", "The best of each island", head, ("tree",), rows, data)]


def _of_islands(row: Row) -> list[str]:
    """Return the keys of a row that belong to one island each, in their order."""
    names = (f"island_{place}" for place in range(1, len(row) + 1))
    return [name for name in names if name in row]


KIND = Kind(
    name=ISLANDS_LEARNER,
    learner=IslandEvolution(),
    read=load_islands_config,
    columns=_columns,
    stages={
        "begin": "step {}",
        "epoch": "step {}: {done:,} of {games:,} generations",
    },
    tables=Tables(grows=("archive",)),
    facts=_facts,
    live=_live,
    plots=_plots,
    listings=_listings,
    no_arguments=(
        "islands take no Python as an argument - name it in the config, as in python:FILE.py:NAME"
    ),
    uses={"trees": _trees},
)
