"""Evolution as a kind of learner: how runs of `EvolutionConfig` are shown and drawn."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from statistics import fmean
from typing import Any

from evoply import gp
from evoply.arena.statistics import wilson
from evoply.evolution.breeding.proposals import answer_of
from evoply.evolution.champion_notes import champion_notes
from evoply.evolution.config.breeding import KnownAnswer
from evoply.evolution.config.evolution_config import EvolutionConfig, load_config
from evoply.evolution.generation import TABLES, Generation, fitness_text, is_share
from evoply.evolution.hall_of_fame import FINAL_TEST, champion_of_test, final_test
from evoply.evolution.individuals import HallOfFameEntry, front_of
from evoply.evolution.loop import Evolution
from evoply.evolution.map_elites.map_display import (
    ARCHIVED,
    MAP_COLUMNS,
    TREE,
    elites_listing,
    filled_cells,
    map_section,
)
from evoply.learning.tuning import check_installed
from evoply.protocols import RunError
from evoply.protocols.sections import Column, Section, cells_of, share
from evoply.runs.kept_learners import EndOfRun, Note, RunEnding
from evoply.runs.kind import ChampionFacts, Columns, Kind, LiveFacts, Plot, PlotLine, Row, Scatter
from evoply.runs.run import Run

# The charts of a run of evolution: fitness, opponents, trees and what they are made of.
#
# Rows are those of the table `generations`, each with its census.

_WINDOW = 5
"""Generations whose fresh games a point of a chart tells of: those of one are few."""
_TRAINING = (
    PlotLine("best, training", "best", color=0, is_dashed=True),
    PlotLine("median, training", "median", color=2, is_dashed=True),
)
_INTRONS = Plot(
    "Introns",
    "share of nodes",
    [
        PlotLine("never computed", "dead_introns", color=4),
        PlotLine("computed without effect", "live_introns", color=1),
    ],
    "never computed: of all; computed without effect: of 16 individuals",
    is_share=True,
)
_WEIGHTS = Plot(
    "Weights of leaves",
    "weight",
    [PlotLine("mean weight", "mean_weight", color=3)],
    "by their place, of 16 individuals",
    from_zero=True,
)
_TIME = Plot(
    "Time",
    "seconds",
    [PlotLine(name, f"seconds_{name}") for name in ("playing", "lowering", "breeding")],
    "in seconds, of each generation by step",
    from_zero=True,
)
_MAP = (
    Plot("Cells", "cells", [PlotLine("filled", "cells")], from_zero=True),
    Plot("QD score", "fitness", [PlotLine("of all cells", "qd_score")]),
    Plot(
        "New elites",
        "cells",
        [PlotLine("filled for the first time", "filled"), PlotLine("improved", "improved")],
        "in each generation",
        from_zero=True,
    ),
)


def evolution_plots(config: EvolutionConfig, rows: Sequence[Row]) -> list[Plot]:
    """Return the plots of all generations."""

    def individuals(row: Row) -> float:
        return float(config.population_size if config.map is None else row["cells"])

    return [
        *_fitness(config, rows),
        opponents_plot(rows),
        *(() if config.described is None else _MAP),
        _tree_plot("Tree sizes", "size", "nodes"),
        _tree_plot("Tree depths", "depth", "levels"),
        _diversity(rows, individuals),
        *_operators(rows),
        *_structure(rows, individuals),
        _TIME,
    ]


def opponents_plot(rows: Sequence[Row]) -> Plot:
    """Return the best individual's points per fresh game against each opponent.

    Earlier champions share a line, weighted by games, because each generation meets others.
    """
    names: dict[str, None] = {}
    scores: dict[int, dict[str, float]] = {}
    for row in rows:
        sums: dict[str, tuple[float, int]] = {}
        for result in json.loads(row["fresh"]):
            name = str(result["opponent"])
            if name.startswith("champion of generation "):
                name = "earlier champions"
            points, games = sums.get(name, (0.0, 0))
            sums[name] = (points + result["best"] * result["games"], games + result["games"])
        names.update(dict.fromkeys(sums))
        scores[row["number"]] = {
            name: points / games for name, (points, games) in sums.items() if games
        }

    def score(name: str, row: Row) -> float | None:
        return scores[row["number"]].get(name)

    return Plot(
        "The best against each opponent",
        "points per game",
        [PlotLine(name, partial(score, name)) for name in names],
        "on fresh games",
        is_share=True,
    )


def _fresh_score(rows: Sequence[Row]) -> tuple[float, tuple[float, float]] | None:
    """Return the best's points per fresh game of *rows*, with a 95 % interval; None without games.

    The two games of an opening count as one, so that the interval is never too narrow.
    """
    loads = [load for row in rows for load in json.loads(row["fresh"])]
    games = sum(load["games"] for load in loads)
    if not games:
        return None
    score = sum(load["best"] * load["games"] for load in loads) / games
    return score, wilson(score, games / 2)


def _fresh_lines(rows: Sequence[Row]) -> list[PlotLine]:
    """Return the curves of fresh games, each point the mean of the last generations."""
    best, median = {}, {}
    for place, row in enumerate(rows):
        last = rows[max(0, place + 1 - _WINDOW) : place + 1]
        best[row["number"]] = _fresh_score(last)
        medians = [one["median_fresh"] for one in last if one.get("median_fresh") is not None]
        median[row["number"]] = fmean(medians) if medians else None

    def score(row: Row) -> float | None:
        found = best.get(row["number"])
        return None if found is None else found[0]

    def interval(row: Row) -> tuple[float, float] | None:
        found = best.get(row["number"])
        return None if found is None else found[1]

    return [
        PlotLine("best, fresh games", score, color=0, interval=interval),
        PlotLine("median, fresh games", lambda row: median.get(row["number"]), color=2),
    ]


def _fitness(config: EvolutionConfig, rows: Sequence[Row]) -> list[Plot]:
    """Return fitness on fresh games and in training: one plot if both are shares of points."""
    are_shares = is_share(config)
    fitness = Plot(
        "Fitness",
        "points per game",
        (*_fresh_lines(rows), *(_TRAINING if are_shares else ())),
        "in points per game. Fresh games are played on openings nobody was selected on; a point is "
        f"the mean of {_WINDOW} generations, and the band the 95 % interval of the best.",
        is_share=True,
    )
    if are_shares:
        return [fitness]
    note = "as selection saw it: higher is better"
    return [fitness, Plot("Training fitness", config.fitness.measure.unit, _TRAINING, note)]


def _tree_plot(title: str, key: str, unit: str) -> Plot:
    lines = (PlotLine("mean", f"mean_{key}", color=2), PlotLine("best", f"best_{key}", color=0))
    return Plot(title, unit, lines, f"in {unit}", from_zero=True)


def _diversity(rows: Sequence[Row], individuals: Callable[[Row], float]) -> Plot:
    def behaviours(row: Row) -> float | None:
        distinct = row.get("distinct_behaviours")
        return distinct / individuals(row) if distinct else None

    lines = [PlotLine("different trees", "diversity", color=3)]
    if any(map(behaviours, rows)):
        lines.append(PlotLine("different behaviours", behaviours, color=1))
    note = "different trees, and trees that value 16 random positions differently"
    return Plot("Diversity", "share of population", lines, note, is_share=True)


def _operators(rows: Sequence[Row]) -> list[Plot]:
    """Return the plot of the share of each generation that every operator made."""

    def share_of(name: str, row: Row) -> float:
        operators = row.get("operators", {})
        return float(operators.get(name, 0) / (sum(operators.values()) or 1))

    names = dict.fromkeys(name for row in rows for name in row.get("operators", {}))
    lines = [PlotLine(name, partial(share_of, name)) for name in names]
    if any(row.get("one_way_share") is not None for row in rows):
        lines.append(PlotLine("one-way, of crossovers", "one_way_share", color=7, is_dashed=True))
    title, unit, note = "Operators", "share of operators", "that made the individuals"
    return [Plot(title, unit, lines, note, is_share=True)] if names else []


def _structure(rows: Sequence[Row], individuals: Callable[[Row], float]) -> list[Plot]:
    """Return the plots of introns, no-ops and weights for which the run has data."""

    def chains(lengths: slice, row: Row) -> float:
        return float(sum(row.get("no_op_chains", ())[lengths]) / individuals(row))

    def above(row: Row) -> float:
        return float(row.get("chains_above_terminals", 0) / individuals(row))

    plots = []
    if any(row.get("dead_introns") or row.get("live_introns") for row in rows):
        plots.append(_INTRONS)
    if any(row.get("no_op_chains") for row in rows):
        lengths = (("of 1", slice(0, 1)), ("of 2", slice(1, 2)), ("of 3 or more", slice(2, None)))
        lines = [PlotLine(name, partial(chains, part)) for name, part in lengths]
        lines.append(PlotLine("above a terminal", above, color=7, is_dashed=True))
        note = "that stand one above the other"
        title = "Chains of no-ops"
        plots.append(Plot(title, "chains per individual", lines, note, from_zero=True))
    if any(row.get("mean_weight") is not None for row in rows):
        plots.append(_WEIGHTS)
    return plots


EVOLUTION = "evolution"
"""The name of the kind."""

_STAGES = {
    "proposals": "asking programs for trees of generation {}",
    "training": "training games of generation {}",
    "descriptions": "finding the cells of the offspring of generation {}",
    "fresh": "fresh games of generation {}",
    "archive": "the champion of generation {} against the archive",
    "tuning": "tuning the constants of the best tree",
    "final": "final test of the hall of fame",
    "pruning": "leaving out what the champion can do without",
}
_GREEDY = "best against greedy"
_CHANGING = "opponents change with the generations: a level curve may still be progress"


def _games_per_second(row: Row) -> float:
    return float(row["games"] / max(row["seconds_playing"], 1e-9))


def _greedy(row: Row) -> float | None:
    """Return the points against greedy, which never changes; None if it was not met."""
    met = [load["best"] for load in json.loads(row["fresh"]) if load["opponent"] == "greedy"]
    return float(met[0]) if met else None


def _with_interval(found: tuple[float, tuple[float, float]]) -> str:
    score, (low, high) = (100 * found[0], (100 * end for end in found[1]))
    return f"{score:.0f} % ({low:.0f} to {high:.0f})"


_FRESH = (
    Column("best_fresh", "best fresh", share, "best, each generation", is_fact=False),
    Column(
        "fresh_score",
        "best, fresh games",
        _with_interval,
        is_listed=False,
        read=lambda row: _fresh_score([row]),
    ),
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
_PROPOSALS = (
    Column("taken", "proposals", "{:.0f}".format, fact="trees of programs"),
    Column("total_cost", "their cost", "{:g}".format, fact="their cost so far"),
)
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


def proposals_of(run: Run) -> tuple[KnownAnswer, ...]:
    """Return all that programs answered in *run*, for the key `proposals.answers` of another."""
    check_evolved(run)
    generations = (run.generation(step.number) for step in run.steps())
    return tuple(
        answer_of(proposed) for generation in generations for proposed in generation.proposed
    )


def stored_final_test(run: Run) -> dict[str, Any] | None:
    """Return the final test (generation, champion, games, ranking), or None before it."""
    check_evolved(run)
    return run.note("final_test", FINAL_TEST)


def _check_installed(config: EvolutionConfig) -> None:
    """Raise `RunError` without a package that is needed late: now, and not after generations."""
    if config.tuning is not None:
        check_installed()
    is_voronoi = config.described is not None and config.described.voronoi_cells is not None
    wants = {
        "fitness.earlier_generations.archive": config.fitness.earlier_generations.archive == "nash",
        "survival.voronoi_cells": is_voronoi,
    }
    for key, is_asked in wants.items():
        if is_asked and find_spec("scipy") is None:
            from evoply.environment.prerequisites import missing_package  # few have to read it

            raise RunError(f"{key}: {missing_package('scipy')}")


def _columns(config: EvolutionConfig, row: Row) -> Columns:
    """Return the columns of a generation, the facts of the live display first."""
    fitness = partial(fitness_text, config)
    training = (
        Column("best", "best", fitness, fact="best, training"),
        Column("mean", "mean", fitness, is_fact=False),
    )
    beside = (*_PROPOSALS, *_OTHERS) if config.variation.commands else _OTHERS
    if config.described is None:
        return (*_FRESH, *training, *beside)
    # Lines have room for the most important of both.
    others = [replace(column, is_listed=column.name in _LISTED) for column in beside]
    archive = () if config.map is not None else (ARCHIVED,)
    return (*MAP_COLUMNS, *archive, *_FRESH, *training, *others)


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
    """Play the final test, which names the champion, prune it, and measure it."""
    test = final_test(
        config,
        last,
        threads=learner.threads,
        progress=learner.progress,
        cluster=learner.cluster,
    )
    champion = config.game_settings.player(test.champion.tree)
    noted = champion_notes(
        config,
        champion,
        last.number,
        last.census.total_games,
        threads=learner.threads,
        progress=learner.progress,
    )
    return RunEnding(
        ended_by=config.ended_by(last),
        champion=champion,
        notes={"final_test": json.dumps(test.data(last)), **noted},
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
    elites = [] if config.described is None else [elites_listing(config, last)]
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
    """Return the champion's tree, those of the hall of fame, the population and its archive."""
    hall = [entry.tree for entry in last.hall_of_fame]
    return [champion.tree, *hall, *(each.tree for each in (*last.individuals, *last.novel))]


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
