"""Evolution as a kind of learner: what runs of `EvolutionConfig` have beside their steps."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from evoply import gp
from evoply.evolution import (
    Evolution,
    EvolutionConfig,
    FinalTest,
    Generation,
    HallOfFameEntry,
    Progress,
    config_to_toml,
    final_test,
    fitness_text,
    front_of,
    individual_player,
    is_finished,
    is_good,
    is_reproducible,
    load_config,
    self_contained,
)
from evoply.evolution.config.evolution_config import MOST_GENERATIONS
from evoply.evolution.config.players import check_sendable
from evoply.evolution.digest import LIMITS, digest_of
from evoply.evolution.python_parts import PythonParts
from evoply.learning.tuning import check_installed
from evoply.protocols import Cluster
from evoply.runs import evolution_store as store
from evoply.runs.database import Database
from evoply.runs.kind import ChampionFacts, Ending, Listing, LiveFacts, Note, Row
from evoply.wording import shorten

__all__ = ["FINAL_TEST", "EvolutionKind", "final_test_note"]

FINAL_TEST = ("generation", "champion", "games", "ranking")
"""The keys without which the note of the final test is damaged."""

_STAGES = {
    "training": "training games of generation {}",
    "fresh": "fresh games of generation {}",
    "tuning": "tuning the constants of the best tree",
    "final": "final test of the hall of fame",
}
_HEAD = (
    "generation", "best fresh", "mean fresh", "best", "mean", "size", "mean size",
    "games", "seconds", "digest",
)  # fmt: skip
_CHANGING = "opponents change with the generations: a level curve may still be progress"
_GREEDY = "best against greedy"
_HIDDEN = ("seed", "champion", "fresh", "champion_tree")


def final_test_note(note: Note) -> dict[str, Any] | None:
    """Return the stored final test (generation, champion, games, ranking), or None."""
    return note("final_test", FINAL_TEST)


class EvolutionKind:
    """See `evoply.runs.kind.Kind`."""

    name = "evolution"
    is_built_in = True
    learner_type = Evolution
    limits = LIMITS
    counted = frozenset({"games", "work"})
    tables = store.TABLES
    groups = store.GROUPS
    exports = store.EXPORTS

    def __init__(self, learner: Evolution | None = None) -> None:
        self._learner = learner or Evolution()

    def read_config(self, path: Path, /) -> EvolutionConfig:
        return load_config(path)

    def load_config(self, source: Any, overrides: Sequence[str], /) -> EvolutionConfig:
        return load_config(source, overrides)

    def write_config(self, config: EvolutionConfig, /) -> str:
        return config_to_toml(self_contained(config))

    def settled(self, config: EvolutionConfig, /) -> EvolutionConfig:
        return self_contained(config)

    def fixed(self, config: EvolutionConfig, /) -> Any:
        return config.model_dump(exclude=set(LIMITS))

    def with_limits(
        self, config: EvolutionConfig, limits: Mapping[str, Any], last: Any, /
    ) -> EvolutionConfig:
        if not limits:
            return config
        settings = {**config.model_dump(mode="python"), **limits}
        changed = EvolutionConfig(**settings)
        if all(value is None for value in limits.values()) or not is_finished(changed, last):
            return changed
        others = ("generations", "time_limit", "work_limit", "termination")
        lifted = {key: None for key in others if key not in limits}
        return EvolutionConfig(**{**settings, **lifted})

    def endless(self, config: EvolutionConfig, /) -> EvolutionConfig:
        # A config without any limit is refused as one that never ends.
        others = {"time_limit": None, "work_limit": None, "termination": None}
        return config.model_copy(update={"generations": MOST_GENERATIONS, **others})

    def learner(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        parts: PythonParts | None = None,
        cluster: Cluster | None = None,
    ) -> Evolution:
        learner = self._learner
        if parts is not None and (parts.fitness is not None or parts.operators):
            learner = replace(learner, fitness=parts.fitness, operators=parts.operators)
        return replace(
            learner,
            threads=threads or learner.threads,
            progress=progress or learner.progress,
            cluster=cluster or learner.cluster,
        )

    def check_sendable(self, config: EvolutionConfig, /) -> None:
        check_sendable(config)

    def check(self, learner: Evolution, config: EvolutionConfig, /) -> None:
        learner.parts.check(config.variation, config.selection, config.task)
        if config.tuning is not None:
            check_installed()  # rather now than when all generations are made

    def identities(self, learner: Evolution, /) -> dict[str, dict[str, str]]:
        return learner.parts.identities()

    def end(self, learner: Evolution, config: EvolutionConfig, last: Generation, /) -> Ending:
        """Play the final test, which names the champion."""
        test = final_test(
            config,
            last,
            threads=learner.threads,
            progress=learner.progress,
            cluster=learner.cluster,
        )
        is_whole = config.generations is not None and last.number + 1 >= config.generations
        return Ending(
            status="finished" if is_whole or is_good(config, last.statistics.best) else "limit",
            champion=individual_player(config, test.champion.tree),
            notes={"final_test": json.dumps(_test_data(last, test))},
        )

    def check_step(self, config: EvolutionConfig, step: Any, /) -> None:
        if not isinstance(step, Generation):
            raise ValueError(
                f"{step!r:.80} is no generation: a run of evolution keeps nothing else"
            )

    def write(self, database: Database, step: Generation, /) -> None:
        store.write_generation(database, step)

    def read(self, database: Database, config: EvolutionConfig, number: int, /) -> Generation:
        return store.read_generation(database, config, number)

    def is_unchanged(self, config: EvolutionConfig, step: Generation, digest: str, /) -> bool:
        computed = digest_of(
            config,
            step.number,
            step.individuals,
            step.fresh,
            step.hall_of_fame,
            step.champion,
            step.archive,
        )
        return computed == step.digest == digest

    def rows(self, database: Database, /) -> list[dict[str, Any]]:
        return store.generation_rows(database)

    def games_of_a_step(self, config: EvolutionConfig, /) -> Mapping[str, int]:
        fitness, earlier = config.fitness, config.fitness.earlier_generations
        each = sum(one.games or 2 * one.pairs for one in fitness.opponents)
        each += fitness.measure.games_of_each(config.task)
        each += 2 * earlier.champions * earlier.pairs
        games = {"fitness": config.population_size * each}
        if config.tuning is not None:  # a generation of CMA-ES has four vectors at least
            size = config.tuning.population_size or 4
            games["tuning.pairs"] = size * 2 * config.tuning.pairs * len(fitness.opponents)
        return games

    def costs(self, step: Generation, previous: Generation | None, /) -> Mapping[str, float]:
        return {"games": step.statistics.games, "work": step.census.work}

    def champion(self, last: Generation, note: Note, /) -> HallOfFameEntry:
        """Return the winner of the final test; before it, the first of the hall of fame."""
        stored = final_test_note(note)
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

    def player_of(self, config: EvolutionConfig, champion: HallOfFameEntry, /) -> Any:
        return individual_player(config, champion.tree)

    def champion_text(self, player: Any, /) -> str:
        tree: str = player.evaluator.tree
        return tree

    def champion_facts(self, champion: HallOfFameEntry, last: Generation, /) -> ChampionFacts:
        nodes = len(champion.tree)
        return ChampionFacts(
            title=f"{nodes} nodes, from generation {champion.generation}",
            data={"nodes": nodes, "generation": champion.generation},
            identity={"tree": str(champion.tree), "generation": last.number},
        )

    def live(self, config: EvolutionConfig, step: Generation, /) -> LiveFacts:
        numbers = step.statistics
        fresh = json.dumps([asdict(result) for result in step.fresh])
        row: Row = {**numbers, "fresh": fresh, "median_fresh": step.census.median_fresh}
        points = self.earlier_points(row)
        is_met = config.fitness.earlier_generations.champions
        return LiveFacts(
            line=str(step),
            facts=(
                ("best, fresh games", _percent(numbers.best_fresh)),
                ("median, fresh games", _percent(row["median_fresh"])),
                ("best, training", fitness_text(config, numbers.best)),
                ("games per second", f"{step.games_per_second:,.0f}"),
                ("tree size", f"{numbers.best_size} (mean {numbers.mean_size:.1f})"),
                ("different trees", _percent(numbers.diversity)),
            ),
            points=points,
            champion=str(step.champion),
            newest={_GREEDY: _percent(points[_GREEDY])} if _GREEDY in points else {},
            last_number=config.generations - 1 if config.generations else None,
            seconds_left=step.timing.left,
            note=_CHANGING if is_met else "",
        )

    def earlier_points(self, row: Row, /) -> Mapping[str, float]:
        """Return the best and the median; against greedy too, who never changes."""
        points = {
            "best, each generation": float(row["best_fresh"]),
            "median, each generation": float(row["median_fresh"]),
        }
        met = [one for one in json.loads(row["fresh"]) if one["opponent"] == "greedy"]
        if met:
            points[_GREEDY] = float(met[0]["best"])
        return points

    def stage(self, progress: Progress | None, number: int, /) -> str:
        return _STAGES["training" if progress is None else progress.stage].format(number)

    def step_table(
        self, config: EvolutionConfig, rows: Sequence[Row], is_own: bool, /
    ) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        has_introns = any(row[name] is not None for row in rows for name in store.INTRONS)
        introns = store.INTRONS if has_introns else ()

        def cells(row: Row) -> tuple[str, ...]:
            return (
                f"{row['number']:,}",
                *(_percent(row[name]) for name in ("best_fresh", "mean_fresh")),
                *(fitness_text(config, row[name], is_own=is_own) for name in ("best", "mean")),
                f"{row['best_size']:.0f}",
                f"{row['mean_size']:.1f}",
                *("-" if row[name] is None else _percent(row[name]) for name in introns),
                f"{row['games']:,.0f}",
                f"{row['seconds_total']:.2f}",
                row["digest"][:8],
            )

        names = ("never computed", "no effect") if introns else ()
        return (*_HEAD[:7], *names, *_HEAD[7:]), [cells(row) for row in rows]

    def step_data(self, row: Row, /) -> dict[str, Any]:
        data = {name: value for name, value in row.items() if name not in _HIDDEN}
        return {**data, "champion": row["champion_tree"]}

    def listings(self, config: EvolutionConfig, last: Generation, /) -> list[Listing]:
        """Return the front of strength against size, for selection that looks at both."""
        front = front_of(last.individuals) if config.selection.kind == "pareto" else ()
        if not front:
            return []
        rows = [
            (
                str(len(one.tree)),
                fitness_text(config, one.fitness),
                shorten(str(one.tree), 100),
            )
            for one in front
        ]
        data = [
            {"nodes": len(one.tree), "fitness": one.fitness, "tree": str(one.tree)} for one in front
        ]
        title = "Strength against size in the last generation: nobody smaller is as strong"
        head = ("nodes", "training", "tree")
        return [Listing("front", title, head, ("tree",), rows, data)]

    def is_reproducible(self, config: EvolutionConfig, /) -> bool:
        """Return whether no opponent plays otherwise in the same game."""
        return is_reproducible(config)

    def draws(self, config: EvolutionConfig, /) -> Any:
        return config.draws.rules(config.game)


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


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
