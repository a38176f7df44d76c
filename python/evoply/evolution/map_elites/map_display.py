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
from evoply.evolution.individuals import Individual, MapPlace, best_of_each_cell
from evoply.evolution.map_elites.axes import NAMED_COUNTS
from evoply.evolution.map_elites.space import Bins, Space
from evoply.protocols.sections import Column, Picture, Section, number, share
from evoply.runs.kind import Row
from evoply.runs.run import Run
from evoply.wording import shorten

_WIDTH, _HEIGHT = 400, 320  # of the field of cells
_LEFT, _TOP, _BELOW, _RIGHT = 58, 34, 50, 14
_MOST_NUMBERED = 14
"""Columns of a map whose squares have room for a number."""
_MOST_TICKS = 6
_LARGEST_DOT = 40.0
_LONGEST_TREE = 300
# From dark to light, and apart from the ground of a light and of a dark page; viridis, cut.
_COLORS = ("#46327e", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#f4e326")
_DARK = 3  # colours on which white is read better than black

MAP_COLUMNS = (
    Column("cells", "cells", "{:,.0f}".format, "cells", fact="filled cells"),
    Column("filled", "newly filled", "{:,.0f}".format),
    Column("improved", "improved", "{:,.0f}".format),
    Column("coverage", "coverage", share, is_fact=False, is_listed=False),
    Column("qd_score", "QD score", number, is_fact=False),
    Column("norm_qd_score", "QD score by cells", number, is_fact=False, is_listed=False),
    Column("obj_max", "obj_max", number, is_fact=False, is_listed=False),
    Column("mean_fresh", "mean fresh", share, is_fact=False, is_listed=False),
)
"""The figures have the names of pyribs."""
ARCHIVED = Column("archived", "archive", "{:,.0f}".format, fact="archive of novelty")
_MOST_LISTED = 10
TREE = Column("tree", "tree", str, look="code", longest=100)


def elites_listing(config: EvolutionConfig, last: Generation) -> Section:
    """Return the best of each cell as a table, the best first."""
    names = [] if config.space is None else config.space.names
    rows = [
        {
            "cell": place.name,
            "fitness": elite.fitness,
            **dict(zip(names, place.description, strict=True)),
            "tree": str(elite.tree),
        }
        for place, elite in last.elites
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
    """Return the facts how many cells of a map are filled, and how well; none without a map."""
    if config.described is None or config.space is None:
        return {}
    last, offset = rows[-1], config.described.qd_score_offset
    return {
        "filled cells": f"{int(last['cells']):,} of {len(config.space):,}",
        "QD score": f"{number(last['qd_score'])}" + f", each less {offset:g}" * (offset != 0),
    }


def map_section(run: Run, last: Generation) -> list[Section]:
    """Return the map of *run*, if it has one, and the best of its elites."""
    config, space = run.config, run.config.space
    if space is None:
        return []
    picture = map_svg(
        space, last.individuals, partial(fitness_text, config), is_share=has_shares(config)
    )
    is_grid = space.voronoi_cells is None
    example = "3-5" if is_grid else "v17"
    note = (
        f"The best of each cell after generation {last.number}, by their games of that "
        f"generation; the outlined one is the best of all. champion@{run.name}@{example} is the "
        f"player of cell {example}"
        + (", counted from 0: 3 to the right, 5 upwards." if is_grid else ".")
    )
    if is_grid and len(space.axes) > 2:
        note += " Of cells above one another the best is shown."
    if not is_grid:
        note += " Each stands at its centroid; what is nearest to a centroid is its cell."
    listing = elites_listing(config, last)
    drawn = Picture(picture, kind="map elites")
    return [replace(listing, title="Map", note=note, pictures=[drawn])]


def map_svg(
    space: Space,
    individuals: Sequence[Individual],
    text: Callable[[float], str],
    *,
    is_share: bool,
) -> str:
    """Return the picture of *individuals* with places on the first two axes of *space*.

    *text* writes a fitness; if it *is_share*, squares have it in percent where there is room.
    """
    across, upwards = space.axes[:2]
    # The best of cells above one another; Voronoi cells lie beside one another.
    seen: dict[tuple[int, ...], tuple[MapPlace, Individual]] = {}
    for place, elite in best_of_each_cell(individuals):
        seen.setdefault(place.cell[:2], (place, elite))
    values = [elite.fitness for _, elite in seen.values()]
    low, high = min(values, default=0.0), max(values, default=0.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="group" viewBox="0 0 '
        f'{_LEFT + _WIDTH + _RIGHT} {_TOP + _HEIGHT + _BELOW}" fill="currentColor" font-size="11" '
        f'aria-label="{escape(f"Map of {across.name} and {upwards.name}")}">',
        *_legend(text(low), text(high)),
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" '
        'stroke="currentColor" stroke-opacity=".25"/>',
    ]
    for cell, (place, elite) in sorted(seen.items()):
        left, below, width, height = _box(space, cell)
        strength = (elite.fitness - low) / (high - low) if high > low else 0.5
        shade = min(int(strength * len(_COLORS)), len(_COLORS) - 1)
        x, y = _LEFT + left, _TOP + _HEIGHT - below - height
        stroke = ' stroke="currentColor" stroke-width="2.5"' if elite.fitness == high else ""
        inside = ""
        if is_share and width >= _WIDTH / _MOST_NUMBERED:
            ink = "#fff" if shade < _DARK else "#111"
            inside = (
                f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + 4:.1f}" fill="{ink}" '
                f'text-anchor="middle">{100 * elite.fitness:.0f}</text>'
            )
        round_ = 2 if space.voronoi_cells is None else width / 2
        parts.append(
            f'<g class="cell" data-cell="{place.name}">'
            f"<title>{escape(_about(place, elite, space, text))}</title>"
            f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{width - 2:.1f}" '
            f'height="{height - 2:.1f}" rx="{round_:.3g}" fill="{_COLORS[shade]}"{stroke}/>'
            f"{inside}</g>"
        )
    return "".join([*parts, *_ticks(across, upwards), "</svg>"])


def _box(space: Space, cell: Sequence[int]) -> tuple[float, float, float, float]:
    """Return the square of a cell in the field: its left and lower end, its width and height.

    Of a Voronoi cell it is a dot at the centroid, about as large as a cell is in the mean.
    """
    if space.voronoi_cells is None:
        across, upwards = space.axes[:2]
        width, height = _WIDTH / across.count, _HEIGHT / upwards.count
        return cell[0] * width, cell[1] * height, width, height
    x, y = space.centroids[cell[0], :2].tolist()
    size = min(_LARGEST_DOT, 0.7 * math.sqrt(_WIDTH * _HEIGHT / space.voronoi_cells))
    return x * _WIDTH - size / 2, y * _HEIGHT - size / 2, size, size


def _about(place: MapPlace, elite: Individual, space: Space, text: Callable[[float], str]) -> str:
    """Return what is said of an elite when somebody points at it."""
    places = ", ".join(
        f"{name} {value:.3g}" for name, value in zip(space.names, place.description, strict=True)
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
        f"{_words(across)}</text>",
        f'<text x="14" y="{middle_y}" text-anchor="middle" font-size="13" '
        f'transform="rotate(-90 14 {middle_y})">{_words(upwards)}</text>',
    ]


def _bounds(axis: Bins) -> list[tuple[float, float]]:
    """Return the share of an axis and the value at some bounds of its bins, both ends included."""
    step = -(-axis.count // (_MOST_TICKS - 1))
    places = [*range(0, axis.count - step // 2, step), axis.count]
    width = (axis.high - axis.low) / axis.count
    return [(place / axis.count, axis.low + place * width) for place in places]


_NAMES = {"size": "size: nodes", "length": "length: plies of a game"}


def _words(axis: Bins) -> str:
    """Return what a picture says along an axis."""
    named = NAMED_COUNTS.get(axis.descriptor)
    words = _NAMES.get(axis.descriptor, axis.name) if named is None else named.words
    return escape(shorten(words))
