"""Islands as a kind of learner: how their runs are kept and shown.

Reasons: docs/design/evolution.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evoply import gp
from evoply.arena.on_cluster import check_game
from evoply.evolution.config.config_text import config_to_toml
from evoply.evolution.config.player_settings import check_sendable, is_reproducible
from evoply.evolution.fitness.measuring import fitness_text
from evoply.evolution.loop import Evolution
from evoply.islands.islands import IslandEvolution, IslandsStep, best_of
from evoply.islands.islands_config import (
    ISLANDS_LEARNER,
    IslandsConfig,
    load_islands_config,
    settled,
)
from evoply.protocols import Progress
from evoply.runs.columns import Columns, Row, curves, facts, framed
from evoply.runs.kind import ChampionFacts, Kind, Listing, LiveFacts, RunEnding, RunGames
from evoply.runs.model_kind import LearnersOfTrees, ModelConfigs
from evoply.runs.plain_display import PlainDisplay
from evoply.runs.plots import Plot, PlotLine
from evoply.runs.steps_store import StepsStore
from evoply.sections import Column, share
from evoply.wording import shorten

_LONGEST_TREE = 100


def islands_kind(learner: IslandEvolution) -> Kind:
    """Return the kind of *learner*."""
    return Kind(
        ISLANDS_LEARNER,
        _Configs(learner),
        _Learners(learner),
        StepsStore(ISLANDS_LEARNER, learner, grows=("archive",)),
        _Display(),
        uses={"trees": _trees},
    )


def _trees(_: Any, last: IslandsStep) -> list[gp.Genotype]:
    """Return the champion's tree, those of the halls of fame and those of the populations."""
    halls = [entry.tree for island in last.generations for entry in island.hall_of_fame]
    everybody = [each.tree for island in last.generations for each in island.individuals]
    return [last.champion, *halls, *everybody]


class _Configs(ModelConfigs):
    """See `evoply.runs.kind.Configs`."""

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        return load_islands_config(source, overrides, settings)

    def write(self, config: IslandsConfig, /) -> str:
        return config_to_toml(settled(config))

    def settled(self, config: IslandsConfig, /) -> IslandsConfig:
        return settled(config)


class _Learners(LearnersOfTrees):
    """See `evoply.runs.kind.Learners`."""

    no_arguments = (
        "islands take no Python as an argument - name it in the config, as in python:FILE.py:NAME"
    )

    def check_sendable(self, config: IslandsConfig, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if a worker cannot make all generations of an island."""
        check_game(config.game)
        for island in config.of_islands:
            check_sendable(island, is_whole=True)

    def check(self, learner: IslandEvolution, config: IslandsConfig, /) -> None:
        """Raise ValueError unless the Python that the islands name can be had, and fits."""
        for island in config.of_islands:
            Evolution().check(island)

    def end(self, learner: IslandEvolution, config: IslandsConfig, last: Any, /) -> RunEnding:
        return RunEnding(config.ended_by(last), last.champions[0])

    def costs(self, step: IslandsStep, previous: Any, /) -> Mapping[str, float]:
        games, work = (0, 0) if previous is None else (previous.games, previous.work)
        return {"games": step.games - games, "work": step.work - work}


def _whole(value: float) -> str:
    return f"{value:,.0f}"


class _Display(PlainDisplay):
    """The display of islands."""

    def columns(self, config: Any, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of a step; training fitness reads as that of the islands does."""

        def fitness(value: float) -> str:
            return fitness_text(config.of_islands[0], value, is_own=is_own)

        islands = (
            Column(name, f"island {place}", share, is_fact=False, is_listed=False)
            for place, name in enumerate(_of_islands(row), 1)
        )
        table = (
            Column("generations", "generations", _whole),
            Column("best_fresh", "best fresh", share, "best of all", fact="best, fresh games"),
            Column("mean_fresh", "mean fresh", share, "mean of all", fact="mean, fresh games"),
            *islands,
            Column("best", "best", fitness, fact="best, training"),
            Column("mean", "mean", fitness, is_fact=False, is_listed=False),
            Column("distinct_trees", "distinct trees", _whole),
            Column(
                "best_points", "champion against the others", share, is_fact=False, is_listed=False
            ),
            Column("migrants", "migrants", _whole, is_fact=False, is_listed=False),
            Column("survived", "survived", _whole, fact="migrants that survived"),
            Column("games", "games", _whole, is_fact=False),
            Column("work", "work", _whole, is_fact=False, is_listed=False),
        )
        return framed(self.word, table)

    def plots(self, config: Any, rows: Sequence[Row], /, *, is_own: bool = False) -> Sequence[Plot]:
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

    def live(self, config: IslandsConfig, step: IslandsStep, /) -> LiveFacts:
        """Return the newest values of the columns, and how far the limits are."""
        row = {**step.statistics, "number": step.number, "seconds": step.seconds}
        columns = self.columns(config, row)
        values = "".join(
            f", {column.label} {column.text(row)}" for column in columns if column.is_fact
        )
        most = (
            None
            if config.generations is None
            else -(-config.generations // config.islands.every) - 1
        )
        left = [] if most is None else [max(most - step.number, 0) * step.seconds]
        if config.time_limit is not None:
            left.append(max(config.time_limit - step.total_seconds, 0.0))
        return LiveFacts(
            line=f"{self.word} {step.number}: {step.seconds:.2f} s{values}",
            facts=facts(columns, row),
            points=curves(columns, row),
            champion=f"{step.champion} (island {step.island + 1})",
            newest={column.curve: column.text(row) for column in columns if column.curve},
            last_number=most,
            seconds_left=min(left, default=None),
        )

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return how many generations the islands have made since they exchanged migrants."""
        if progress is None or not progress.games:
            return f"{self.word} {number}"
        return f"{self.word} {number}: {progress.done:,} of {progress.games:,} generations"

    def champion_facts(self, champion: Any, last: IslandsStep, /) -> ChampionFacts:
        """Return the nodes and the island of the champion."""
        nodes, island = len(last.champion), last.island + 1
        return ChampionFacts(
            f"{nodes} nodes, from island {island} of {len(last.generations)}",
            {"nodes": nodes, "island": island, "generation": last.number},
            {"tree": str(last.champion), "generation": last.number},
        )

    def listings(self, config: IslandsConfig, last: IslandsStep, /) -> list[Listing]:
        """Return the best of each island, with its points against the others."""
        data: list[dict[str, Any]] = []
        rows: list[tuple[str, ...]] = []
        for place, (points, island) in enumerate(
            zip(last.points, last.generations, strict=True), 1
        ):
            tree = best_of(island)
            data.append({"island": place, "points": points, "nodes": len(tree), "tree": str(tree)})
            short = shorten(str(tree), _LONGEST_TREE)
            rows.append((str(place), share(points), str(len(tree)), short))
        head = ("island", "against the others", "nodes", "tree")
        return [Listing("islands", "The best of each island", head, ("tree",), rows, data)]

    def games(self, config: IslandsConfig, /) -> RunGames:
        """Return the rules about draws of the first island, and whether all repeat their games."""
        islands = config.of_islands
        return RunGames(islands[0].draws.rules(config.game), all(map(is_reproducible, islands)))


def _of_islands(row: Row) -> list[str]:
    """Return the keys of a row that belong to one island each, in their order."""
    names = (f"island_{place}" for place in range(1, len(row) + 1))
    return [name for name in names if name in row]
