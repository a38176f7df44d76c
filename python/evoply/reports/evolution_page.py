"""The parts of a run's page that only evolution has: its hall of fame and front."""

from collections.abc import Mapping, Sequence

from evoply.evolution import (
    Generation,
    HallOfFameEntry,
    censuses,
    fitness_text,
    front_of,
    has_front,
    stored_final_test,
)
from evoply.reports.charts import scatter_chart
from evoply.reports.kind_page import KindPage, Rows
from evoply.reports.map_picture import filled_cells, map_section
from evoply.runs import Run
from evoply.sections import Section, cells_of, share


class EvolutionPage(KindPage):
    """See `evoply.reports.kind_page`."""

    def facts(self, run: Run, rows: Rows) -> Mapping[str, str]:
        """Return the facts at the top of the page."""
        games = sum(int(row["games"]) for row in rows)
        playing = sum(row["seconds_playing"] for row in rows)
        return {
            "population": f"{run.config.population_size:,}",
            **filled_cells(run.config, rows),
            "games played": f"{games:,}",
            "games per second": f"{games / max(playing, 1e-9):,.0f}",
        }

    def champion_note(self, run: Run) -> str:
        """Return a note on the champion."""
        entry = run.champion
        return (
            f"{len(entry.tree)} nodes on {entry.tree.depth} levels; entered the hall of fame in "
            f"generation {entry.generation}. In a tree, white means the player's own colour, "
            "whichever it plays."
        )

    def drawn_rows(self, run: Run, rows: Rows) -> Rows:
        """Return *rows* with their censuses; the run may have gone on since they were read."""
        return [{**row, **census} for row, census in zip(rows, censuses(run), strict=False)]

    def sections(self, run: Run) -> list[Section]:
        """Return the sections after the charts."""
        last: Generation = run.last()
        return [*map_section(run, last), _hall_of_fame(run, last), *_front(run, last)]


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


def _front(run: Run, last: Generation) -> list[Section]:
    """Return strength against size: whoever no other beats in both, in the last generation."""
    if not has_front(run.config):
        return []
    front = front_of(last.individuals)
    groups = {
        "population": [
            (len(individual.tree), individual.fitness) for individual in last.individuals
        ],
        "front": [(len(individual.tree), individual.fitness) for individual in front],
    }
    is_own = "fitness" in run.python_parts()
    rows = [
        (
            str(len(individual.tree)),
            fitness_text(run.config, individual.fitness, is_own=is_own),
            str(individual.tree),
        )
        for individual in front
    ]
    note = f"Of generation {last.number}: nobody smaller is as strong as one of these."
    columns = cells_of("nodes", "training fitness", "tree", tree="code")
    chart = scatter_chart("Front", groups, "nodes", "training fitness")
    return [Section("Strength against size", columns, rows, note, charts=[chart])]
