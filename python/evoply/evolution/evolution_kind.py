"""Evolution as a kind of learner: how runs of `EvolutionConfig` are kept and shown."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from evoply import gp
from evoply.evolution.config.config_text import config_to_toml, load_config
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.config.player_settings import check_sendable, is_reproducible, self_contained
from evoply.evolution.evolution_plots import evolution_plots
from evoply.evolution.final_test import FinalTest, final_test
from evoply.evolution.fitness.measuring import fitness_text
from evoply.evolution.generation import Generation, individual_player
from evoply.evolution.generation_tables import (
    BESIDE,
    generation_lists,
    generation_row,
    generation_views,
)
from evoply.evolution.individuals import HallOfFameEntry, front_of
from evoply.evolution.loop import Evolution, ended_by
from evoply.evolution.map_elites.map_display import MAP_COLUMNS, elites_listing
from evoply.learning.tuning import check_installed
from evoply.protocols import Cluster, Progress, RunError
from evoply.runs.columns import Columns, Row, curves, facts, framed
from evoply.runs.kind import ChampionFacts, Kind, Listing, LiveFacts, Note, RunEnding, RunGames
from evoply.runs.model_kind import ModelConfigs
from evoply.runs.run import Run
from evoply.runs.steps_store import StepsStore
from evoply.sections import Column, share
from evoply.wording import shorten

EVOLUTION = "evolution"
"""The name of the kind."""
FINAL_TEST = ("generation", "champion", "games", "ranking")
"""The keys without which the note of the final test is damaged."""

_STAGES = {
    "training": "training games of generation {}",
    "descriptions": "finding the cells of the offspring of generation {}",
    "fresh": "fresh games of generation {}",
    "tuning": "tuning the constants of the best tree",
    "final": "final test of the hall of fame",
}
_GREEDY = "best against greedy"
_CHANGING = "opponents change with the generations: a level curve may still be progress"
_HIDDEN = ("seed", "champion", "fresh", "champion_tree")


def _games_per_second(row: Row) -> float:
    return float(row["games"] / max(row["seconds_playing"], 1e-9))


def _greedy(row: Row) -> float | None:
    """Return the points against greedy, which never changes; None if it was not met."""
    met = [load["best"] for load in json.loads(row["fresh"]) if load["opponent"] == "greedy"]
    return float(met[0]) if met else None


_FRESH = (
    Column("best_fresh", "best fresh", share, "best, each generation", fact="best, fresh games"),
    Column(
        "median_fresh", "median fresh", share, "median, each generation", fact="median, fresh games"
    ),
)
_OTHERS = (
    Column(
        "games_per_second", "games/s", "{:,.0f}".format, read=_games_per_second,
        fact="games per second",
    ),
    Column("best_size", "size", "{:.0f}".format, fact="tree size"),
    Column("mean_size", "mean size", "{:.1f}".format, is_fact=False),
    Column("diversity", "different", share, fact="different trees"),
    Column("dead_introns", "never computed", share, is_fact=False),
    Column("live_introns", "no effect", share, is_fact=False),
    Column("games", "games", "{:,.0f}".format, is_fact=False),
    Column("greedy", _GREEDY, share, _GREEDY, is_fact=False, is_listed=False, read=_greedy),
)  # fmt: skip
"""Columns of a generation before and after those of training."""
_LISTED = ("best_size", "games")
"""Those that are in a table beside the columns of a map."""


def check_evolved(run: Run) -> None:
    """Raise `RunError` unless *run* is one of evolution."""
    if run.kind.name != EVOLUTION:
        raise RunError(
            f"run {run.path} was made by the learner {run.kind.name}, not by evolution: "
            "use `evoply runs` or `evoply report`, which show any run"
        )


def censuses(run: Run) -> list[dict[str, Any]]:
    """Return the census of every generation in order."""
    check_evolved(run)
    return [step.fields["census"] for step in run.steps()]


def stored_final_test(run: Run) -> dict[str, Any] | None:
    """Return the final test (generation, champion, games, ranking), or None before it."""
    check_evolved(run)
    return run.note("final_test", FINAL_TEST)


def evolution_kind(learner: Evolution) -> Kind:
    """Return the kind of *learner*."""
    configs, learners = _Configs(learner), _Learners(learner)
    return Kind(
        EVOLUTION,
        configs,
        learners,
        StepsStore(
            EVOLUTION,
            learner,
            beside=BESIDE,
            grows=("archive",),
            row=generation_row,
            lists=generation_lists,
            views=generation_views,
            data=_step_data,
        ),
        _Display(),
        uses={"trees": _trees, "check_installed": _check_installed},
    )


def _step_data(row: Row) -> dict[str, Any]:
    """Return the *row* of a generation for programs."""
    data = {name: value for name, value in row.items() if name not in _HIDDEN}
    return {**data, "champion": row["champion_tree"]}


def _check_installed(config: EvolutionConfig) -> None:
    if config.tuning is not None:
        check_installed()  # now rather than after all generations


class _Configs(ModelConfigs):
    """See `evoply.runs.kind.Configs`."""

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        return load_config(source, overrides, settings)

    def write(self, config: EvolutionConfig, /) -> str:
        return config_to_toml(self_contained(config))

    def settled(self, config: EvolutionConfig, /) -> EvolutionConfig:
        return self_contained(config)


@dataclass(frozen=True)
class _Learners:
    """See `evoply.runs.kind.Learners`."""

    given: Evolution
    counted: ClassVar[frozenset[str]] = frozenset({"games", "work"})

    def made(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        cluster: Cluster | None = None,
        **parts: Any,
    ) -> Evolution:
        """Return the learner with these arguments; *parts* are those of `evolve`."""
        options = {"threads": threads, "progress": progress, "cluster": cluster, **parts}
        return replace(self.given, **{name: value for name, value in options.items() if value})

    def check_sendable(self, config: EvolutionConfig, /, *, is_whole: bool = False) -> None:
        check_sendable(config, is_whole=is_whole)

    def check(self, learner: Evolution, config: EvolutionConfig, /) -> None:
        learner.check(config)

    def identities(self, learner: Evolution, /) -> dict[str, dict[str, Any]]:
        return learner.parts.identities()

    def end(self, learner: Evolution, config: EvolutionConfig, last: Generation, /) -> RunEnding:
        """Play the final test, which names the champion."""
        test = final_test(
            config,
            last,
            threads=learner.threads,
            progress=learner.progress,
            cluster=learner.cluster,
        )
        return RunEnding(
            ended_by=ended_by(config, last),
            champion=individual_player(config, test.champion.tree),
            notes={"final_test": json.dumps(_test_data(last, test))},
        )

    def costs(self, step: Generation, previous: Generation | None, /) -> Mapping[str, float]:
        return {"games": step.statistics.games, "work": step.census.work}


class _Display:
    """See `evoply.runs.kind.Display`."""

    plots = staticmethod(evolution_plots)

    def columns(self, config: EvolutionConfig, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of a generation, the facts of the live display first."""

        def fitness(value: float) -> str:
            return fitness_text(config, value, is_own=is_own)

        training = (
            Column("best", "best", fitness, fact="best, training"),
            Column("mean", "mean", fitness, is_fact=False),
        )
        columns: Columns = (*_FRESH, *training, *_OTHERS)
        if config.map is not None:  # lines have room for the most important of both
            others = [replace(column, is_listed=column.name in _LISTED) for column in _OTHERS]
            columns = (*MAP_COLUMNS, *_FRESH, *training, *others)
        return framed("generation", columns, seconds="seconds_total")

    def live(self, config: EvolutionConfig, step: Generation, /) -> LiveFacts:
        fresh = json.dumps([asdict(result) for result in step.fresh])
        row: Row = {
            **step.statistics,
            "fresh": fresh,
            "median_fresh": step.census.median_fresh,
            "seconds_playing": step.timing.playing,
        }
        columns = self.columns(config, row)
        is_met = config.fitness.earlier_generations.champions
        return LiveFacts(
            line=str(step),
            facts=facts(columns, row),
            points=curves(columns, row),
            champion=str(step.champion),
            newest={
                column.curve: column.text(row) for column in columns if column.curve == _GREEDY
            },
            last_number=config.generations - 1 if config.generations else None,
            seconds_left=step.timing.left,
            note=_CHANGING if is_met else "",
        )

    def stage(self, progress: Progress | None, number: int, /) -> str:
        return _STAGES["training" if progress is None else progress.stage].format(number)

    def champion(self, last: Generation, note: Note, /) -> HallOfFameEntry:
        """Return the winner of the final test; before it, the first of the hall of fame."""
        stored = note("final_test", FINAL_TEST)
        if stored is not None and stored["generation"] == last.number:
            for entry in last.hall_of_fame:
                if str(entry.tree) == stored["champion"]:
                    return entry
            first = last.hall_of_fame[0]
            numbers = stored.get("tuned")
            tree = first.tree if numbers is None else gp.with_drawn_numbers(first.tree, numbers)
            if str(tree) != stored["champion"]:
                raise ValueError("the champion of its final test is not in the hall of fame")
            return replace(first, tree=tree)
        return last.hall_of_fame[0]

    def champion_facts(self, champion: HallOfFameEntry, last: Generation, /) -> ChampionFacts:
        nodes = len(champion.tree)
        return ChampionFacts(
            title=f"{nodes} nodes, from generation {champion.generation} of {last.number + 1}",
            data={"nodes": nodes, "generation": champion.generation},
            identity={"tree": str(champion.tree), "generation": last.number},
        )

    def listings(self, config: EvolutionConfig, last: Generation, /) -> list[Listing]:
        """Return the elites of a map, and strength against size if the run goes by fronts."""
        elites = [] if config.map is None else [elites_listing(config, last.individuals)]
        if not has_front(config):
            return elites
        front = [
            (len(best.tree), best.fitness, str(best.tree)) for best in front_of(last.individuals)
        ]
        rows = [
            (str(nodes), fitness_text(config, fitness), shorten(tree, 100))
            for nodes, fitness, tree in front
        ]
        data = [
            {"nodes": nodes, "fitness": fitness, "tree": tree} for nodes, fitness, tree in front
        ]
        title = "Strength against size in the last generation: nobody smaller is as strong"
        head = ("nodes", "training", "tree")
        return [*elites, Listing("front", title, head, ("tree",), rows, data)]

    def games(self, config: EvolutionConfig, /) -> RunGames:
        """Return the run's own rules about draws, and whether no opponent varies its play."""
        return RunGames(config.draws.rules(config.game), is_reproducible(config))


def has_front(config: EvolutionConfig) -> bool:
    """Return whether selection or survival goes by fronts."""
    return "pareto" in (config.selection.kind, config.survival.kind)


def _trees(champion: HallOfFameEntry, last: Generation) -> list[gp.Genotype]:
    """Return the champion's tree, those of the hall of fame and those of the population."""
    hall = [entry.tree for entry in last.hall_of_fame]
    return [champion.tree, *hall, *(individual.tree for individual in last.individuals)]


def _test_data(last: Generation, test: FinalTest) -> dict[str, Any]:
    champion = test.champion.tree
    is_known = any(entry.tree == champion for entry in last.hall_of_fame)
    return {
        "generation": last.number,
        "champion": str(champion),
        **({} if is_known else {"tuned": gp.drawn_numbers(champion)}),
        "games": test.games,
        "ranking": [
            {"tree": str(entry.tree), "entered": entry.generation, "fitness": fitness}
            for entry, fitness in zip(test.ranking, test.fitness, strict=True)
        ],
    }
