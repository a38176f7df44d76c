"""What the page of a run says of evolution alone: its charts, hall of fame and front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evoply.evolution import Generation, HallOfFameEntry, fitness_text, front_of, is_share
from evoply.reports import charts
from evoply.reports.html import Html, block, chart, element, shortened, table
from evoply.runs import Run, censuses, stored_final_test

__all__ = ["EvolutionPage"]

Rows = Sequence[Mapping[str, Any]]


class EvolutionPage:
    """See `evoply.reports.report.KindPage`."""

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

    def charts(self, run: Run, rows: Rows) -> list[Html]:
        """Return the charts of all generations."""
        return _charts(run, rows)

    def numbers(self, rows: Rows) -> Html:
        """Return the numbers of the charts as a table."""
        return _numbers(rows)

    def sections(self, run: Run) -> list[Html]:
        """Return what follows the charts."""
        last: Generation = run.last()
        return [_hall_of_fame(run, last), _front(run, last)]


def _charts(run: Run, rows: Rows) -> list[Html]:
    fresh = "Fresh games are played on openings nobody was selected on."
    counts = censuses(run)
    size = run.config.population_size
    behaviours = [
        census["distinct_behaviours"] / size if census.get("distinct_behaviours") else None
        for census in counts
    ]
    is_share = _is_share(run)
    shares = charts.fitness_figure(rows, with_training=is_share)
    figures = [chart("Fitness", shares, f"in points per game. {fresh}")]
    if not is_share:
        training = charts.training_figure(rows, _unit(run))
        figures.append(chart("Training fitness", training, "as selection saw it: higher is better"))
    figures += [
        chart("The best against each opponent", charts.opponents_figure(rows), "on fresh games"),
        chart("Tree sizes", charts.size_figure(rows), "in nodes"),
        chart("Tree depths", charts.depth_figure(rows), "in levels"),
        chart(
            "Diversity",
            charts.diversity_figure(rows, behaviours),
            "different trees, and trees that value 16 random positions differently",
        ),
    ]
    if any(census.get("operators") for census in counts):
        operators = charts.operators_figure(rows, counts)
        figures.append(chart("Operators", operators, "that made the individuals"))
    figures += _structure(run, rows, counts)
    figures.append(chart("Time", charts.time_figure(rows), "of each generation, by step"))
    return figures


def _structure(run: Run, rows: Rows, counts: Rows) -> list[Html]:
    """Return the charts of introns, no-ops and weights that the run has something to say about."""
    figures = []
    if any(census.get("dead_introns") or census.get("live_introns") for census in counts):
        note = "never computed: of all; computed without effect: of 16 individuals"
        figures.append(chart("Introns", charts.introns_figure(rows, counts), note))
    if any(census.get("no_op_chains") for census in counts):
        chains = charts.chains_figure(rows, counts, run.config.population_size)
        figures.append(chart("Chains of no-ops", chains, "that stand one above the other"))
    if any(census.get("mean_weight") is not None for census in counts):
        weights = charts.weights_figure(rows, counts)
        figures.append(chart("Weights of leaves", weights, "by their place, of 16 individuals"))
    return figures


def _is_share(run: Run) -> bool:
    return is_share(run.config) and "fitness" not in run.python_parts()


def _unit(run: Run) -> str:
    if "fitness" in run.python_parts():
        return "your own fitness"
    unit: str = run.config.fitness.measure.unit
    return unit


def _numbers(rows: Rows) -> Html:
    head = ("generation", "best", "mean", "best, fresh", "mean, fresh", "nodes", "depth", "games")
    return table(
        head,
        (
            (
                str(row["number"]),
                *(f"{row[key]:.3f}" for key in ("best", "mean", "best_fresh", "mean_fresh")),
                f"{row['mean_size']:.1f}",
                f"{row['mean_depth']:.1f}",
                f"{row['games']:,.0f}",
            )
            for row in rows
        ),
    )


def _hall_of_fame(run: Run, last: Generation) -> Html:
    stored = stored_final_test(run)
    final: dict[str, float] = {}
    entries: Sequence[HallOfFameEntry] = last.hall_of_fame
    note = "Ranked by fresh games of all generations, recent ones counting more."
    if stored is not None and stored["generation"] == last.number:
        final = {one["tree"]: one["fitness"] for one in stored["ranking"]}
        # Its order, not that of the numbers: a tie has a winner too.
        places = {tree: place for place, tree in enumerate(final)}
        entries = sorted(entries, key=lambda entry: places.get(str(entry.tree), len(places)))
        note = (
            f"Ranked by the final test: {stored['games']:,} games each, on openings used nowhere "
            "else, against the run's opponents, earlier champions and one another."
        )
    head = ("rank", "tree", "nodes", "entered", "fresh games", "final test")
    rows = [
        (
            str(rank),
            shortened(str(entry.tree)),
            str(len(entry.tree)),
            f"generation {entry.generation}",
            f"{entry.fitness:.1%}",
            f"{final[str(entry.tree)]:.1%}" if str(entry.tree) in final else "not yet",
        )
        for rank, entry in enumerate(entries, start=1)
    ]
    return block(
        element("h2", "Hall of fame"), element("p", note, class_="note"), table(head, rows)
    )


def _front(run: Run, last: Generation) -> Html:
    """Return strength against size: whoever no other beats in both, in the last generation."""
    front = front_of(last.individuals)
    if run.config.selection.kind != "pareto" or not front:
        return Html()
    places = {last.individuals.index(one) for one in front}
    everybody = [(len(one.tree), one.fitness) for one in last.individuals]
    figure = charts.front_figure(everybody, places, "training fitness")
    head = ("nodes", "training fitness", "tree")
    is_own = "fitness" in run.python_parts()
    rows = [
        (
            str(len(one.tree)),
            fitness_text(run.config, one.fitness, is_own=is_own),
            shortened(str(one.tree)),
        )
        for one in front
    ]
    note = f"Of generation {last.number}: nobody smaller is as strong as one of these."
    return block(
        element("h2", "Strength against size"),
        element("p", note, class_="note"),
        element("div", chart("Front", figure), class_="charts"),
        table(head, rows),
    )
