"""MAP-Elites as a kind of learner: how runs of `MapElitesConfig` are kept and shown."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evoply import gp
from evoply.configs.part import fields_of
from evoply.evolution.config.player_settings import (
    check_sendable,
    is_reproducible,
    self_contained,
)
from evoply.evolution.final_test import final_test
from evoply.evolution.fitness.measuring import fitness_text
from evoply.evolution.loop import Evolution
from evoply.evolution.map_elites.elites import cell_text
from evoply.evolution.map_elites.map_config import (
    MAP_ELITES_LEARNER,
    MapElitesConfig,
    load_map_config,
)
from evoply.evolution.map_elites.map_learner import MapElites, MapElitesStep
from evoply.players.own_player import OwnPlayer
from evoply.players.player_files import read_player
from evoply.protocols import Progress
from evoply.runs.columns import Columns, Row, framed
from evoply.runs.kind import ChampionFacts, Kind, Listing, Note, RunEnding, RunGames
from evoply.runs.model_kind import LearnersOfTrees, ModelConfigs
from evoply.runs.plain_display import PlainDisplay
from evoply.runs.plots import Plot, PlotLine
from evoply.runs.steps_store import StepsStore
from evoply.sections import Column, share
from evoply.wording import shorten

_MOST_LISTED = 10
_STAGES: Mapping[str, str] = {
    "training": "generation {}: elites and offspring play",
    "descriptions": "generation {}: finding the cells of offspring",
    "fresh": "generation {}: fresh games of the best",
    "final": "final test",
}


def map_elites_kind(learner: MapElites) -> Kind:
    """Return the kind of *learner*."""
    return Kind(
        MAP_ELITES_LEARNER,
        _Configs(learner),
        _Learners(learner),
        StepsStore(MAP_ELITES_LEARNER, learner, grows=("past",), lists={"elites": _elites}),
        _Display(),
        uses={"trees": _trees},
    )


def _elites(number: int, state: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each elite after generation *number*; axes are numbered from 1."""
    for elite in state["elites"]:
        yield {
            "generation": number,
            "cell": cell_text(elite["cell"]),
            **{name: elite[name] for name in ("tree", "nodes", "fitness", "origin", "born")},
            **{f"axis_{axis}": value for axis, value in enumerate(elite["description"], start=1)},
        }


def _trees(champion: Any, last: MapElitesStep) -> list[gp.Genotype]:
    """Return the champion's tree and those of all elites."""
    return [_tree_of(player) for player in (champion, *last.champions)]


def _tree_of(player: Any) -> gp.Genotype:
    playing: Any = player.individual if isinstance(player, OwnPlayer) else player
    tree: gp.Genotype = playing.evaluator.parsed
    return tree


class _Configs(ModelConfigs):
    """See `evoply.runs.kind.Configs`."""

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        return load_map_config(source, overrides, settings)

    def write(self, config: MapElitesConfig, /) -> str:
        return super().write(self.settled(config))

    def settled(self, config: MapElitesConfig, /) -> MapElitesConfig:
        """Return *config* with players from files written out; the digests stay equal."""
        whole = self_contained(config.evolution)
        settled = {"fitness": whole.fitness, "initialisation": whole.initialisation}
        return MapElitesConfig(**{**fields_of(config), **settled})


class _Learners(LearnersOfTrees):
    """See `evoply.runs.kind.Learners`."""

    no_arguments = "a run of MAP-Elites takes none as an argument - name it in the config"

    def check_sendable(self, config: MapElitesConfig, /, *, is_whole: bool = False) -> None:
        check_sendable(config.evolution, is_whole=is_whole)

    def check(self, learner: MapElites, config: MapElitesConfig, /) -> None:
        Evolution().check(config.evolution)

    def end(self, learner: MapElites, config: MapElitesConfig, last: MapElitesStep, /) -> RunEnding:
        """Play the final test, which names the champion."""
        evolution = config.evolution
        test = final_test(
            evolution,
            last.proved_trees(evolution),
            threads=learner.threads,
            progress=learner.progress,
            cluster=learner.cluster,
        )
        ranking = [
            {"tree": str(entry.tree), "entered": entry.generation, "fitness": fitness}
            for entry, fitness in zip(test.ranking, test.fitness, strict=True)
        ]
        data = {"generation": last.number, "games": test.games, "ranking": ranking}
        return RunEnding(
            ended_by=config.ended_by(last),
            champion=evolution.game_settings.player(test.champion.tree),
            notes={"final_test": json.dumps(data)},
        )

    def costs(self, step: MapElitesStep, previous: MapElitesStep | None, /) -> Mapping[str, float]:
        before = (0, 0) if previous is None else (previous.games, previous.work)
        return {"games": step.games - before[0], "work": step.work - before[1]}


class _Display(PlainDisplay):
    """See `evoply.runs.kind.Display`."""

    word = "generation"

    def columns(self, config: MapElitesConfig, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of a generation."""
        evolution = config.evolution

        def fitness(value: float) -> str:
            return fitness_text(evolution, value)

        return framed(
            self.word,
            (
                Column("cells", "cells", "{:,.0f}".format, "cells", fact="filled cells"),
                Column("best_fresh", "best fresh", share, "best, fresh", fact="best, fresh games"),
                Column("mean_fresh", "mean fresh", share, is_fact=False),
                Column("best", "best", fitness, "best of the map", fact="best, training"),
                Column("mean", "mean", fitness, "mean of the map", fact="mean of the map"),
                Column("filled", "newly filled", "{:,.0f}".format, fact="newly filled"),
                Column("improved", "improved", "{:,.0f}".format, fact="improved"),
                Column("coverage", "coverage", share, is_fact=False),
                Column("best_size", "size", "{:.0f}".format, is_fact=False),
                Column("games", "games", "{:,.0f}".format, is_fact=False),
                Column("work", "work", "{:,.0f}".format, is_fact=False, is_listed=False),
            ),
        )

    def plots(
        self, config: MapElitesConfig, rows: Sequence[Row], /, *, is_own: bool = False
    ) -> Sequence[Plot]:
        """Return the plots of fresh games, of the map's fitness, and of its cells."""
        measure = config.fitness.measure
        fresh = [PlotLine("best", "best_fresh"), PlotLine("mean of a sample", "mean_fresh", 2)]
        of_map = [PlotLine("best", "best"), PlotLine("mean of all cells", "mean", 2)]
        cells = [PlotLine("filled", "cells")]
        news = [PlotLine("filled for the first time", "filled"), PlotLine("improved", "improved")]
        note = "in games of the generation, whose opponents grow stronger"
        return [
            Plot("Fresh games", "points per game", fresh, is_share=True),
            Plot("Fitness of the map", measure.unit, of_map, note, is_share=measure.is_share),
            Plot("Cells", "cells", cells, from_zero=True),
            Plot("New elites", "cells", news, "in each generation", from_zero=True),
        ]

    def champion(self, last: MapElitesStep, note: Note, /) -> Any:
        """Return the winner of the final test; before it, the first of the hall of fame."""
        stored = note("champion", ("generation", "player"))
        if stored is not None and stored["generation"] == last.number:
            return read_player(stored["player"])
        return last.champions[0]

    def champion_text(self, step: MapElitesStep) -> str:
        """Return the champion's tree."""
        return step.proved[0].tree

    def seconds_left(self, config: MapElitesConfig, step: MapElitesStep) -> float | None:
        """Return the seconds until the generations or the seconds of *config* are over."""
        left = []
        if config.generations is not None:
            left.append(max(config.generations - step.number - 1, 0) * step.seconds)
        if config.time_limit is not None:
            left.append(max(config.time_limit - step.total_seconds, 0.0))
        return min(left, default=None)

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return the current stage of generation *number* in words."""
        return _STAGES["training" if progress is None else progress.stage].format(number)

    def champion_facts(self, champion: Any, last: MapElitesStep, /) -> ChampionFacts:
        """Return the size of the champion, and the generation of the map."""
        tree = _tree_of(champion)
        return ChampionFacts(
            f"{len(tree)} nodes, from a map of {len(last.elites)} elites",
            {"nodes": len(tree), "generation": last.number},
            {"tree": str(tree), "generation": last.number},
        )

    def listings(self, config: MapElitesConfig, last: MapElitesStep, /) -> list[Listing]:
        """Return the elites, the best first."""
        evolution = config.evolution
        names = [axis.descriptor for axis in config.axes]
        best = sorted(last.elites, key=lambda elite: elite.rank, reverse=True)
        rows = [
            (
                cell_text(elite.cell),
                fitness_text(evolution, elite.fitness),
                *(f"{value:.3g}" for value in elite.description),
                shorten(elite.tree, 100),
            )
            for elite in best[:_MOST_LISTED]
        ]
        data = [
            {
                "cell": cell_text(elite.cell),
                "fitness": elite.fitness,
                **dict(zip(names, elite.description, strict=True)),
                "tree": elite.tree,
            }
            for elite in best
        ]
        title = "The best elites of the map; each plays as champion@RUN@CELL"
        head = ("cell", "training", *names, "tree")
        return [Listing("elites", title, head, ("cell", "tree"), rows, data)]

    def games(self, config: MapElitesConfig, /) -> RunGames:
        """Return the run's own rules about draws, and whether no opponent varies its play."""
        return RunGames(config.draws.rules(config.game), is_reproducible(config.evolution))
