"""What the page of a run says of evolution alone: its charts, hall of fame and front.

Rows are those of the table `generations`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evoply.evolution import (
    Generation,
    HallOfFameEntry,
    censuses,
    fitness_text,
    front_of,
    is_share,
    stored_final_test,
)
from evoply.reports.charts import Chart, line_chart, scatter_chart
from evoply.reports.pages import Section
from evoply.reports.series import Series
from evoply.runs import Run

Rows = Sequence[Mapping[str, Any]]


class EvolutionPage:
    """See `evoply.reports.run_page.KindPage`."""

    def facts(self, run: Run, rows: Rows) -> Mapping[str, str]:
        """Return what stands at the top of the page."""
        games = sum(int(row["games"]) for row in rows)
        playing = sum(row["seconds_playing"] for row in rows)
        return {
            "population": f"{run.config.population_size:,}",
            "games played": f"{games:,}",
            "games per second": f"{games / max(playing, 1e-9):,.0f}",
        }

    def champion_note(self, run: Run) -> str:
        """Return what is to be known of the champion."""
        entry = run.champion
        return (
            f"{len(entry.tree)} nodes on {entry.tree.depth} levels; entered the hall of fame in "
            f"generation {entry.generation}. In a tree, white means the player's own colour, "
            "whichever it plays."
        )

    def charts(self, run: Run, rows: Rows) -> list[Chart]:
        """Return the charts of all generations."""
        counts = censuses(run)[: len(rows)]  # the run may have gone on since they were read
        return [
            *_fitness_charts(run, rows),
            opponents_chart(rows),
            *_tree_charts(rows, counts, run.config.population_size),
            *_structure_charts(rows, counts, run.config.population_size),
            line_chart(
                "Time",
                _generations(rows),
                [
                    _series(rows, name, f"seconds_{name}")
                    for name in ("playing", "lowering", "breeding")
                ],
                "seconds",
                note="in seconds, of each generation by step",
                from_zero=True,
            ),
        ]

    def sections(self, run: Run) -> list[Section]:
        """Return what follows the charts."""
        last: Generation = run.last()
        return [_hall_of_fame(run, last), *_front(run, last)]


def opponents_chart(rows: Rows) -> Chart:
    """Return the best individual's points per fresh game against each opponent.

    Champions of earlier generations are one line, weighted by games: every generation meets others.
    """
    names: dict[str, None] = {}
    scores: list[dict[str, float]] = []
    for row in rows:
        sums: dict[str, tuple[float, int]] = {}
        for result in json.loads(row["fresh"]):
            name = str(result["opponent"])
            if name.startswith("champion of generation "):
                name = "earlier champions"
            points, games = sums.get(name, (0.0, 0))
            sums[name] = (points + result["best"] * result["games"], games + result["games"])
        scores.append({name: points / games for name, (points, games) in sums.items() if games})
        names.update(dict.fromkeys(sums))
    return line_chart(
        "The best against each opponent",
        _generations(rows),
        [Series(name, [score.get(name) for score in scores]) for name in names],
        "points per game",
        note="on fresh games",
        is_share=True,
    )


def introns_chart(rows: Rows, censuses: Rows) -> Chart:
    """Return the share of nodes that is never computed, and that is computed without effect."""
    kinds = (("never computed", "dead_introns", 4), ("computed without effect", "live_introns", 1))
    return line_chart(
        "Introns",
        _generations(rows),
        [_series(censuses, name, key, color=color) for name, key, color in kinds],
        "share of nodes",
        note="never computed: of all; computed without effect: of 16 individuals",
        is_share=True,
    )


def _generations(rows: Rows) -> list[int]:
    return [row["number"] for row in rows]


def _series(rows: Rows, name: str, key: str, **look: Any) -> Series:
    return Series(name, [row.get(key) for row in rows], **look)


def _fitness_charts(run: Run, rows: Rows) -> list[Chart]:
    """Return fitness on fresh games and in training: one chart, if both are shares of points."""
    fresh = [
        _series(rows, "best, fresh games", "best_fresh", color=0),
        _series(rows, "median, fresh games", "median_fresh", color=2),
    ]
    training = [
        _series(rows, "best, training", "best", color=0, is_dashed=True),
        _series(rows, "median, training", "median", color=2, is_dashed=True),
    ]
    is_own = "fitness" in run.python_parts()
    are_shares = is_share(run.config) and not is_own
    x = _generations(rows)
    charts = [
        line_chart(
            "Fitness",
            x,
            [*fresh, *(training if are_shares else ())],
            "points per game",
            note="in points per game. Fresh games are played on openings nobody was selected on.",
            is_share=True,
        )
    ]
    if not are_shares:
        unit = "your own fitness" if is_own else run.config.fitness.measure.unit
        note = "as selection saw it: higher is better"
        charts.append(line_chart("Training fitness", x, training, unit, note=note))
    return charts


def _tree_charts(rows: Rows, censuses: Rows, population: int) -> list[Chart]:
    """Return sizes, depths, diversity and where the individuals come from."""
    x = _generations(rows)
    charts = [
        line_chart(
            title,
            x,
            [
                _series(rows, "mean", f"mean_{key}", color=2),
                _series(rows, "best", f"best_{key}", color=0),
            ],
            unit,
            note=f"in {unit}",
            from_zero=True,
        )
        for title, key, unit in (
            ("Tree sizes", "size", "nodes"),
            ("Tree depths", "depth", "levels"),
        )
    ]
    diversity = [_series(rows, "different trees", "diversity", color=3)]
    if any(one.get("distinct_behaviours") for one in censuses):
        shares = [
            one["distinct_behaviours"] / population if one.get("distinct_behaviours") else None
            for one in censuses
        ]
        diversity.append(Series("different behaviours", shares, color=1))
    note = "different trees, and trees that value 16 random positions differently"
    title = "share of population"
    charts.append(line_chart("Diversity", x, diversity, title, note=note, is_share=True))
    names = dict.fromkeys(name for one in censuses for name in one.get("operators", {}))
    if names:
        sizes = [sum(one.get("operators", {}).values()) or 1 for one in censuses]
        made = [
            Series(
                name,
                [
                    one.get("operators", {}).get(name, 0) / size
                    for one, size in zip(censuses, sizes, strict=True)
                ],
            )
            for name in names
        ]
        if any(one.get("one_way_share") is not None for one in censuses):
            one_way = _series(
                censuses, "one-way, of crossovers", "one_way_share", color=7, is_dashed=True
            )
            made.append(one_way)
        note = "that made the individuals"
        charts.append(
            line_chart("Operators", x, made, "share of operators", note=note, is_share=True)
        )
    return charts


def _structure_charts(rows: Rows, censuses: Rows, population: int) -> list[Chart]:
    """Return the charts of introns, no-ops and weights that the run has something to say about."""
    charts = []
    x = _generations(rows)
    if any(one.get("dead_introns") or one.get("live_introns") for one in censuses):
        charts.append(introns_chart(rows, censuses))
    if any(one.get("no_op_chains") for one in censuses):
        lengths = (("of 1", slice(0, 1)), ("of 2", slice(1, 2)), ("of 3 or more", slice(2, None)))
        chains = [
            Series(name, [sum(one.get("no_op_chains", ())[part]) / population for one in censuses])
            for name, part in lengths
        ]
        above = [one.get("chains_above_terminals", 0) / population for one in censuses]
        chains.append(Series("above a terminal", above, color=7, is_dashed=True))
        note = "that stand one above the other"
        title = "chains per individual"
        charts.append(line_chart("Chains of no-ops", x, chains, title, note=note, from_zero=True))
    if any(one.get("mean_weight") is not None for one in censuses):
        weights = [_series(censuses, "mean weight", "mean_weight", color=3)]
        note = "by their place, of 16 individuals"
        charts.append(
            line_chart("Weights of leaves", x, weights, "weight", note=note, from_zero=True)
        )
    return charts


def _hall_of_fame(run: Run, last: Generation) -> Section:
    stored = stored_final_test(run)
    final: dict[str, float] = {}
    members = {str(entry.tree) for entry in last.hall_of_fame}
    entries: Sequence[HallOfFameEntry] = last.hall_of_fame
    note = "Ranked by fresh games of all generations, recent ones counting more."
    if stored is not None and stored["generation"] == last.number:
        final = {one["tree"]: one["fitness"] for one in stored["ranking"]}
        # Its order, not that of the numbers: a tie has a winner too.
        places = {tree: place for place, tree in enumerate(final)}
        if "tuned" in stored:  # the champion is no member as it was: its numbers were tuned
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
            f"{entry.fitness:.1%}" if str(entry.tree) in members else "not played",
            f"{final[str(entry.tree)]:.1%}" if str(entry.tree) in final else "not yet",
        )
        for rank, entry in enumerate(entries, start=1)
    ]
    names = ("rank", "tree", "nodes", "entered", "fresh games", "final test")
    columns = [(name, "code" if name == "tree" else "") for name in names]
    return Section("Hall of fame", note, columns, rows)


def _front(run: Run, last: Generation) -> list[Section]:
    """Return strength against size: whoever no other beats in both, in the last generation."""
    front = front_of(last.individuals)
    if run.config.selection.kind != "pareto" or not front:
        return []
    groups = {
        "population": [(len(one.tree), one.fitness) for one in last.individuals],
        "front": [(len(one.tree), one.fitness) for one in front],
    }
    is_own = "fitness" in run.python_parts()
    rows = [
        (
            str(len(one.tree)),
            fitness_text(run.config, one.fitness, is_own=is_own),
            str(one.tree),
        )
        for one in front
    ]
    note = f"Of generation {last.number}: nobody smaller is as strong as one of these."
    columns = [("nodes", ""), ("training fitness", ""), ("tree", "code")]
    chart = scatter_chart("Front", groups, "nodes", "training fitness")
    return [Section("Strength against size", note, columns, rows, chart)]
