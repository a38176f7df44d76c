"""What people see of a map beside what they see of any run of evolution, among it a picture.

The picture is SVG, which stands in a light or dark page of any width. A cell is a square whose
colour is the fitness of its elite; where maps have few columns the number stands in it. Further
axes are seen from above: a square shows the best elite there. Each square names its cell
(`data-cell`), so a page can let it play.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape

from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.generation import Generation, fitness_text
from evoply.evolution.generation import is_share as has_shares
from evoply.evolution.individuals import Individual, MapPlace, ranking
from evoply.evolution.selections import Bins
from evoply.protocols.sections import Column, Picture, Section, share
from evoply.runs.kind import Row
from evoply.runs.run import Run
from evoply.wording import shorten

_WIDTH, _HEIGHT = 400, 320  # of the field of cells
_LEFT, _TOP, _BELOW, _RIGHT = 58, 34, 50, 14
_MOST_NUMBERED = 14
"""Columns of a map whose squares have room for a number."""
_MOST_TICKS = 6
_LONGEST_TREE = 300
# From dark to light, and apart from the ground of a light and of a dark page; viridis, cut.
_COLORS = ("#46327e", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#f4e326")
_DARK = 3  # colours on which white is read better than black

MAP_COLUMNS = (
    Column("cells", "cells", "{:,.0f}".format, "cells", fact="filled cells"),
    Column("filled", "newly filled", "{:,.0f}".format),
    Column("improved", "improved", "{:,.0f}".format),
    Column("coverage", "coverage", share, is_fact=False, is_listed=False),
    Column("mean_fresh", "mean fresh", share, is_fact=False, is_listed=False),
)
_MOST_LISTED = 10
TREE = Column("tree", "tree", str, look="code", longest=100)


def elites_of(individuals: Sequence[Individual]) -> list[tuple[MapPlace, Individual]]:
    """Return those of *individuals* that stand on a map, each with its place, the best first."""
    ranked = (individuals[index] for index in ranking(tuple(individuals)))
    return [(elite.place, elite) for elite in ranked if elite.place is not None]


def elites_listing(config: EvolutionConfig, individuals: Sequence[Individual]) -> Section:
    """Return the elites of a map as a table, the best first."""
    names = [axis.descriptor for axis in config.axes]
    rows = [
        {
            "cell": place.name,
            "fitness": elite.fitness,
            **dict(zip(names, place.description, strict=True)),
            "tree": str(elite.tree),
        }
        for place, elite in elites_of(individuals)
    ]
    columns = (
        Column("cell", "cell", str),
        Column("fitness", "training", partial(fitness_text, config)),
        *(Column(name, name, "{:.3g}".format) for name in names),
        TREE,
    )
    title = "The best elites of the map; each plays as champion@RUN@CELL"
    return Section(title, columns, rows, name="elites", most=_MOST_LISTED)


def filled_cells(config: EvolutionConfig, rows: Sequence[Row]) -> Mapping[str, str]:
    """Return the fact how many cells of a map are filled; none without a map."""
    if config.map is None:
        return {}
    cells = math.prod(axis.count for axis in config.axes)
    return {"filled cells": f"{int(rows[-1]['cells']):,} of {cells:,}"}


def map_section(run: Run, last: Generation) -> list[Section]:
    """Return the map of *run*, if it has one, and the best of its elites."""
    config = run.config
    if config.map is None:
        return []
    picture = map_svg(
        config.axes,
        last.individuals,
        partial(fitness_text, config),
        is_share=has_shares(config),
    )
    note = (
        f"The best of each cell after generation {last.number}, by their games of that "
        f"generation; the outlined one is the best of all. champion@{run.name}@3-5 is the "
        "player of cell 3-5, counted from 0: 3 to the right, 5 upwards."
    )
    if len(config.axes) > 2:
        note += " Of cells above one another the best is shown."
    listing = elites_listing(config, last.individuals)
    drawn = Picture(picture, kind="map elites")
    return [replace(listing, title="Map", note=note, pictures=[drawn])]


def map_svg(
    axes: Sequence[Bins],
    individuals: Sequence[Individual],
    text: Callable[[float], str],
    *,
    is_share: bool,
) -> str:
    """Return the picture of *individuals* with places on the first two of *axes*.

    *text* writes a fitness; if it *is_share*, squares have it in percent where there is room.
    """
    across, upwards = axes[:2]
    width, height = _WIDTH / across.count, _HEIGHT / upwards.count
    # The best of cells above one another.
    seen: dict[tuple[int, ...], tuple[MapPlace, Individual]] = {}
    for place, elite in elites_of(individuals):
        seen.setdefault(place.cell[:2], (place, elite))
    values = [elite.fitness for _, elite in seen.values()]
    low, high = min(values, default=0.0), max(values, default=0.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="group" viewBox="0 0 '
        f'{_LEFT + _WIDTH + _RIGHT} {_TOP + _HEIGHT + _BELOW}" fill="currentColor" font-size="11" '
        f'aria-label="Map of {across.descriptor} and {upwards.descriptor}">',
        *_legend(text(low), text(high)),
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" '
        'stroke="currentColor" stroke-opacity=".25"/>',
    ]
    for (column, row), (place, elite) in sorted(seen.items()):
        strength = (elite.fitness - low) / (high - low) if high > low else 0.5
        shade = min(int(strength * len(_COLORS)), len(_COLORS) - 1)
        x, y = _LEFT + column * width, _TOP + _HEIGHT - (row + 1) * height
        stroke = ' stroke="currentColor" stroke-width="2.5"' if elite.fitness == high else ""
        inside = ""
        if is_share and across.count <= _MOST_NUMBERED:
            ink = "#fff" if shade < _DARK else "#111"
            inside = (
                f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + 4:.1f}" fill="{ink}" '
                f'text-anchor="middle">{100 * elite.fitness:.0f}</text>'
            )
        parts.append(
            f'<g class="cell" data-cell="{place.name}">'
            f"<title>{escape(_about(place, elite, axes, text))}</title>"
            f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{width - 2:.1f}" '
            f'height="{height - 2:.1f}" rx="2" fill="{_COLORS[shade]}"{stroke}/>{inside}</g>'
        )
    return "".join([*parts, *_ticks(across, upwards), "</svg>"])


def _about(
    place: MapPlace, elite: Individual, axes: Sequence[Bins], text: Callable[[float], str]
) -> str:
    """Return what is said of an elite when somebody points at it."""
    places = ", ".join(
        f"{axis.descriptor} {value:.3g}"
        for axis, value in zip(axes, place.description, strict=True)
    )
    return (
        f"cell {place.name}: {text(elite.fitness)}, {places}, since generation "
        f"{place.born}\n{shorten(str(elite.tree), _LONGEST_TREE)}"
    )


def _legend(low: str, high: str) -> list[str]:
    """Return the colours in order, between the lowest fitness and the highest."""
    size, begin = 18, _LEFT + 78
    end = begin + size * len(_COLORS)
    squares = [
        f'<rect x="{begin + size * index}" y="8" width="{size}" height="12" fill="{color}"/>'
        for index, color in enumerate(_COLORS)
    ]
    return [
        f'<text x="{begin - 6}" y="18" text-anchor="end">{escape(low)}</text>',
        *squares,
        f'<text x="{end + 6}" y="18">{escape(high)}</text>',
    ]


def _ticks(across: Bins, upwards: Bins) -> list[str]:
    """Return the names of both axes, and numbers at the bounds of their bins."""
    middle_x, middle_y = _LEFT + _WIDTH / 2, _TOP + _HEIGHT / 2
    texts = [
        f'<text x="{_LEFT + share * _WIDTH:.1f}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle">'
        f"{value:.4g}</text>"
        for share, value in _bounds(across)
    ]
    texts += [
        f'<text x="{_LEFT - 6}" y="{_TOP + _HEIGHT - share * _HEIGHT + 4:.1f}" text-anchor="end">'
        f"{value:.4g}</text>"
        for share, value in _bounds(upwards)
    ]
    return [
        *texts,
        f'<text x="{middle_x}" y="{_TOP + _HEIGHT + 40}" text-anchor="middle" font-size="13">'
        f"{_NAMES[across.descriptor]}</text>",
        f'<text x="14" y="{middle_y}" text-anchor="middle" font-size="13" '
        f'transform="rotate(-90 14 {middle_y})">{_NAMES[upwards.descriptor]}</text>',
    ]


def _bounds(axis: Bins) -> list[tuple[float, float]]:
    """Return the share of an axis and the value at some bounds of its bins, both ends included."""
    step = -(-axis.count // (_MOST_TICKS - 1))
    places = [*range(0, axis.count - step // 2, step), axis.count]
    width = (axis.high - axis.low) / axis.count
    return [(place / axis.count, axis.low + place * width) for place in places]


_NAMES = {
    "mobility": "mobility: own share of legal moves",
    "size": "size: nodes",
    "length": "length: plies of a game",
    "corners": "corners held at the end",
}
