"""Evolution as a kind of learner: how runs of `EvolutionConfig` are shown."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evoply import gp
from evoply.evolution.config.config_text import load_config
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.evolution_plots import evolution_plots
from evoply.evolution.final_test import FINAL_TEST, champion_of_test, final_test
from evoply.evolution.fitness.measuring import fitness_text
from evoply.evolution.generation import Generation
from evoply.evolution.generation_tables import TABLES
from evoply.evolution.individuals import HallOfFameEntry, front_of
from evoply.evolution.loop import Evolution
from evoply.evolution.map_elites.map_display import (
    MAP_COLUMNS,
    TREE,
    elites_listing,
    filled_cells,
    map_section,
)
from evoply.learning.tuning import check_installed
from evoply.protocols import RunError
from evoply.runs.columns import ChampionFacts, Columns, LiveFacts, Row, Scatter
from evoply.runs.kept_learners import EndOfRun, Note, RunEnding
from evoply.runs.kind import Kind
from evoply.runs.run import Run
from evoply.sections import Column, Section, cells_of, share

EVOLUTION = "evolution"
"""The name of the kind."""

_STAGES = {
    "training": "training games of generation {}",
    "descriptions": "finding the cells of the offspring of generation {}",
    "fresh": "fresh games of generation {}",
    "tuning": "tuning the constants of the best tree",
    "final": "final test of the hall of fame",
}
_GREEDY = "best against greedy"
_CHANGING = "opponents change with the generations: a level curve may still be progress"


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


def _check_installed(config: EvolutionConfig) -> None:
    if config.tuning is not None:
        check_installed()  # now rather than after all generations


def _columns(config: EvolutionConfig, row: Row) -> Columns:
    """Return the columns of a generation, the facts of the live display first."""
    fitness = partial(fitness_text, config)
    training = (
        Column("best", "best", fitness, fact="best, training"),
        Column("mean", "mean", fitness, is_fact=False),
    )
    if config.map is None:
        return (*_FRESH, *training, *_OTHERS)
    # Lines have room for the most important of both.
    others = [replace(column, is_listed=column.name in _LISTED) for column in _OTHERS]
    return (*MAP_COLUMNS, *_FRESH, *training, *others)


def _live(usual: LiveFacts, config: EvolutionConfig, step: Generation) -> LiveFacts:
    """Return *usual* with a line of fewer numbers; only points against greedy stand as numbers."""
    is_met = config.fitness.earlier_generations.champions
    newest = {name: text for name, text in usual.newest.items() if name == _GREEDY}
    return replace(
        usual,
        line=str(step),
        champion=str(step.champion),
        newest=newest,
        seconds_left=step.timing.left,
        note=_CHANGING if is_met else "",
    )


def _end(learner: Evolution, config: EvolutionConfig, last: Generation) -> RunEnding:
    """Play the final test, which names the champion."""
    test = final_test(
        config,
        last,
        threads=learner.threads,
        progress=learner.progress,
        cluster=learner.cluster,
    )
    return RunEnding(
        ended_by=config.ended_by(last),
        champion=config.game_settings.player(test.champion.tree),
        notes={"final_test": json.dumps(test.data(last))},
    )


def _champion(last: Generation, note: Note) -> HallOfFameEntry:
    """Return the winner of the final test; before it, the first of the hall of fame."""
    return champion_of_test(last, note("final_test", FINAL_TEST))


def _facts(champion: HallOfFameEntry, last: Generation) -> ChampionFacts:
    nodes = len(champion.tree)
    return ChampionFacts(
        f"{nodes} nodes, from generation {champion.generation} of {last.number + 1}",
        {"nodes": nodes, "generation": champion.generation},
        {"tree": str(champion.tree), "generation": last.number},
        f"{nodes} nodes on {champion.tree.depth} levels; entered the hall of fame in generation "
        f"{champion.generation}. In a tree, white means the player's own colour, whichever it "
        "plays.",
    )


def _listings(config: EvolutionConfig, last: Generation) -> list[Section]:
    """Return the elites of a map, and strength against size if the run goes by fronts."""
    elites = [] if config.map is None else [elites_listing(config, last.individuals)]
    return [*elites, _front(config, last)] if has_front(config) else elites


def _front(config: EvolutionConfig, last: Generation) -> Section:
    """Return strength against size: whoever no other beats in both, in the last generation."""
    rows = [
        {"nodes": len(best.tree), "fitness": best.fitness, "tree": str(best.tree)}
        for best in front_of(last.individuals)
    ]
    columns = (
        Column("nodes", "nodes", "{:d}".format),
        Column("fitness", "training fitness", partial(fitness_text, config)),
        TREE,
    )
    title = "Strength against size in the last generation: nobody smaller is as strong"
    return Section(title, columns, rows, name="front")


def has_front(config: EvolutionConfig) -> bool:
    """Return whether selection or survival goes by fronts."""
    return "pareto" in (config.selection.kind, config.survival.kind)


def _trees(champion: HallOfFameEntry, last: Generation) -> list[gp.Genotype]:
    """Return the champion's tree, those of the hall of fame and those of the population."""
    hall = [entry.tree for entry in last.hall_of_fame]
    return [champion.tree, *hall, *(individual.tree for individual in last.individuals)]


def _page(run: Run, rows: Sequence[Row]) -> tuple[Mapping[str, str], list[Section]]:
    """Return the facts of all games, and the map, the hall of fame and the front."""
    last: Generation = run.last()
    games = sum(int(row["games"]) for row in rows)
    playing = sum(row["seconds_playing"] for row in rows)
    facts = {
        "population": f"{run.config.population_size:,}",
        **filled_cells(run.config, rows),
        "games played": f"{games:,}",
        "games per second": f"{games / max(playing, 1e-9):,.0f}",
    }
    return facts, [*map_section(run, last), _hall_of_fame(run, last), *_drawn_front(run, last)]


def _hall_of_fame(run: Run, last: Generation) -> Section:
    stored = stored_final_test(run)
    final: dict[str, float] = {}
    members = {str(entry.tree) for entry in last.hall_of_fame}
    entries: Sequence[HallOfFameEntry] = last.hall_of_fame
    note = "Ranked by fresh games of all generations, recent ones counting more."
    if stored is not None and stored["generation"] == last.number:
        final = {row["tree"]: row["fitness"] for row in stored["ranking"]}
        # Its order, not that of the numbers: a tie has a winner too.
        places = {tree: rank for rank, tree in enumerate(final)}
        if "tuned" in stored:  # the champion was a member before its numbers were tuned
            entries = (run.champion, *entries)
        entries = sorted(entries, key=lambda entry: places.get(str(entry.tree), len(places)))
        note = (
            f"Ranked by the final test: {stored['games']:,} games each, on openings used nowhere "
            "else, against the run's opponents, earlier champions and one another."
            + (" The first is a tree whose numbers were tuned." if "tuned" in stored else "")
        )
    rows = [
        (
            str(rank),
            str(entry.tree),
            str(len(entry.tree)),
            f"generation {entry.generation}",
            share(entry.fitness) if str(entry.tree) in members else "not played",
            share(final[str(entry.tree)]) if str(entry.tree) in final else "not yet",
        )
        for rank, entry in enumerate(entries, start=1)
    ]
    names = ("rank", "tree", "nodes", "entered", "fresh games", "final test")
    return Section("Hall of fame", cells_of(*names, tree="code"), rows, note)


def _drawn_front(run: Run, last: Generation) -> list[Section]:
    if not has_front(run.config):
        return []
    front = _front(run.config, last)
    groups = {
        "population": [(len(each.tree), each.fitness) for each in last.individuals],
        "front": [(row["nodes"], row["fitness"]) for row in front.rows],
    }
    note = f"Of generation {last.number}: nobody smaller is as strong as one of these."
    chart = Scatter("Front", groups, "nodes", "training fitness")
    return [replace(front, title="Strength against size", note=note, charts=[chart])]


KIND = Kind(
    name=EVOLUTION,
    learner=Evolution(),
    read=load_config,
    columns=_columns,
    word="generation",
    stages=_STAGES,
    tables=TABLES,
    seconds="seconds_total",
    facts=_facts,
    live=_live,
    plots=evolution_plots,
    listings=_listings,
    page=_page,
    ending=EndOfRun(_end, _champion),
    uses={"trees": _trees, "check_installed": _check_installed},
)
