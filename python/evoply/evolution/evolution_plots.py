"""The charts of a run of evolution: fitness, opponents, trees and what they are made of.

Rows are those of the table `generations`, each with its census.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial

from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness.measuring import is_share
from evoply.runs.columns import Plot, PlotLine, Row

_FRESH = (
    PlotLine("best, fresh games", "best_fresh", color=0),
    PlotLine("median, fresh games", "median_fresh", color=2),
)
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
        return float(row.get("cells", config.population_size))

    return [
        *_fitness(config),
        opponents_plot(rows),
        *(() if config.map is None else _MAP),
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


def _fitness(config: EvolutionConfig) -> list[Plot]:
    """Return fitness on fresh games and in training: one plot if both are shares of points."""
    are_shares = is_share(config)
    fitness = Plot(
        "Fitness",
        "points per game",
        (*_FRESH, *(_TRAINING if are_shares else ())),
        "in points per game. Fresh games are played on openings nobody was selected on.",
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
