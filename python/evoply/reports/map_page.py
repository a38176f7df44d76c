"""The parts of a run's page that only MAP-Elites has: its map."""

from collections.abc import Mapping

from evoply.evolution import MapElitesStep, fitness_text, is_share
from evoply.reports.kind_page import KindPage, Rows
from evoply.reports.map_picture import map_svg
from evoply.runs import Run
from evoply.sections import Picture, Section, cells_of


class MapPage(KindPage):
    """See `evoply.reports.kind_page`."""

    def facts(self, run: Run, rows: Rows) -> Mapping[str, str]:
        """Return the facts at the top of the page."""
        last = rows[-1]
        cells = round(last["cells"] / last["coverage"])
        return {
            "learner": run.kind.name,
            "filled cells": f"{int(last['cells']):,} of {cells:,}",
            "games played": f"{int(last['games']):,}",
        }

    def champion_note(self, run: Run) -> str:
        """Return a note on the champion."""
        return (
            "The best on fresh games of all whom the map ever held. In a tree, white means the "
            "player's own colour, whichever it plays."
        )

    def sections(self, run: Run) -> list[Section]:
        """Return the map, and the best of its elites."""
        last: MapElitesStep = run.last()
        evolution = run.config.evolution
        listing = run.kind.display.listings(run.config, last)[0]
        picture = map_svg(
            run.config.axes,
            last.elites,
            lambda fitness: fitness_text(evolution, fitness),
            is_share=is_share(evolution),
        )
        note = (
            f"The best of each cell after generation {last.number}, by their games of that "
            f"generation; the outlined one is the best of all. champion@{run.name}@3-5 is the "
            "player of cell 3-5, counted from 0: 3 to the right, 5 upwards."
        )
        if len(run.config.axes) > 2:
            note += " Of cells above one another the best is shown."
        columns = cells_of(*listing.head, tree="code")
        drawn = Picture(picture, kind="map elites")
        return [Section("Map", columns, listing.rows, note, pictures=[drawn])]
