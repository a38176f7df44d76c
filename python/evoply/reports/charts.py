"""Figures of a run as plotly's data and layout: plain values, the same for a page and a notebook.

`plotly.graph_objects.Figure(figure)` shows one in a notebook. Colors of text and grid are left to
whoever draws them. Rows are those of the table `generations`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

__all__ = [
    "Figure",
    "chains_figure",
    "depth_figure",
    "diversity_figure",
    "fitness_figure",
    "front_figure",
    "introns_figure",
    "operators_figure",
    "opponents_figure",
    "size_figure",
    "statistic_figure",
    "time_figure",
    "training_figure",
    "weights_figure",
]

Figure = dict[str, Any]
Rows = Sequence[Mapping[str, Any]]

_COLORS = ("#2f9e6a", "#e08a2c", "#4a86e0", "#b565c9", "#d65a5a", "#2aa5b5", "#8a8f3a", "#888f99")
_LONGEST_NAME = 30
_FEW = 6  # generations that would stand at the edges of a chart
_MOST_MARKED = 40  # generations whose points are marked


_TRAINING = (("best, training", "best", 0, "dot"), ("mean, training", "mean", 2, "dot"))


def fitness_figure(rows: Rows, *, with_training: bool = True) -> Figure:
    """Return best and mean fitness on fresh games and in training, in points per game.

    Training is left out where its fitness is no share of points.
    """
    lines = (
        ("best, fresh games", "best_fresh", 0, "solid"),
        ("mean, fresh games", "mean_fresh", 2, "solid"),
        *(_TRAINING if with_training else ()),
    )
    data = [
        _line(rows, [row[key] for row in rows], name, color=color, dash=dash)
        for name, key, color, dash in lines
    ]
    return _figure(data, _share_axis("points per game"))


def opponents_figure(rows: Rows) -> Figure:
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
            # plotly reads names as HTML of its own kind.
            name = escape(name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…")
            points, games = sums.get(name, (0.0, 0))
            sums[name] = (points + result["best"] * result["games"], games + result["games"])
        scores.append({name: points / games for name, (points, games) in sums.items() if games})
        names.update(dict.fromkeys(sums))
    data = [
        _line(rows, [score.get(name) for score in scores], name, color=color)
        for color, name in enumerate(names)
    ]
    return _figure(data, _share_axis("points per game"))


def size_figure(rows: Rows) -> Figure:
    """Return the nodes of the best tree and of the mean one."""
    data = [
        _line(rows, [row["mean_size"] for row in rows], "mean", color=2),
        _line(rows, [row["best_size"] for row in rows], "best", color=0),
    ]
    return _figure(data, {"title": {"text": "nodes"}, "rangemode": "tozero"})


def depth_figure(rows: Rows) -> Figure:
    """Return the levels of the best tree and of the mean one."""
    data = [
        _line(rows, [row["mean_depth"] for row in rows], "mean", color=2),
        _line(rows, [row["best_depth"] for row in rows], "best", color=0),
    ]
    return _figure(data, {"title": {"text": "levels"}, "rangemode": "tozero"})


def diversity_figure(rows: Rows, behaviours: Sequence[float | None] = ()) -> Figure:
    """Return the share of different trees in the population, and of different behaviours."""
    data = [_line(rows, [row["diversity"] for row in rows], "different trees", color=3)]
    if any(share is not None for share in behaviours):
        data.append(_line(rows, behaviours, "different behaviours", color=1))
    return _figure(data, _share_axis("share of population"), showlegend=len(data) > 1)


def training_figure(rows: Rows, unit: str) -> Figure:
    """Return best and mean training fitness, maximised, in a unit that is no share of points."""
    data = [
        _line(rows, [row[key] for row in rows], name, color=color, dash=dash)
        for name, key, color, dash in _TRAINING
    ]
    return _figure(data, {"title": {"text": unit}})


def operators_figure(rows: Rows, censuses: Rows) -> Figure:
    """Return the share of individuals that each operator took part in."""
    names = dict.fromkeys(name for census in censuses for name in census.get("operators", {}))
    sizes = [sum(census.get("operators", {}).values()) or 1 for census in censuses]
    data = [
        _line(
            rows,
            [
                census.get("operators", {}).get(name, 0) / size
                for census, size in zip(censuses, sizes, strict=True)
            ],
            escape(name),
            color=color,
        )
        for color, name in enumerate(names)
    ]
    if any(census.get("one_way_share") is not None for census in censuses):
        shares = [census.get("one_way_share") for census in censuses]
        data.append(_line(rows, shares, "one-way, of crossovers", color=7, dash="dot"))
    return _figure(data, _share_axis("share of operators"))


def introns_figure(rows: Rows, censuses: Rows) -> Figure:
    """Return the share of nodes that is never computed, and that is computed without effect."""
    kinds = (("never computed", "dead_introns", 4), ("computed without effect", "live_introns", 1))
    data = [
        _line(rows, [census.get(key) for census in censuses], name, color=color)
        for name, key, color in kinds
    ]
    # A line at 0 lies above the axis, not on it, where nobody would see it.
    return _figure(data, {**_share_axis("share of nodes"), "range": [-0.02, 1.02]})


def chains_figure(rows: Rows, censuses: Rows, population: int) -> Figure:
    """Return how many chains of no-ops an individual has, by their length."""
    lengths = (("of 1", slice(0, 1)), ("of 2", slice(1, 2)), ("of 3 or more", slice(2, None)))
    data = [
        _line(
            rows,
            [sum(census.get("no_op_chains", ())[part]) / population for census in censuses],
            name,
            color=color,
        )
        for color, (name, part) in enumerate(lengths)
    ]
    above = [census.get("chains_above_terminals", 0) / population for census in censuses]
    data.append(_line(rows, above, "above a terminal", color=7, dash="dot"))
    return _figure(data, {"title": {"text": "chains an individual"}, "rangemode": "tozero"})


def weights_figure(rows: Rows, censuses: Rows) -> Figure:
    """Return the mean weight of leaves, in [0, 1]."""
    weights = [census.get("mean_weight") for census in censuses]
    data = [_line(rows, weights, "mean weight", color=3)]
    axis = {"title": {"text": "weight"}, "range": [0, 1.02]}
    return _figure(data, axis, showlegend=False)


def front_figure(individuals: Sequence[tuple[int, float]], front: set[int], unit: str) -> Figure:
    """Return strength against size of a generation; places of its *front* stand out."""
    marks = [
        ("population", [one for place, one in enumerate(individuals) if place not in front], 2),
        ("front", [one for place, one in enumerate(individuals) if place in front], 0),
    ]
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [size for size, _ in points],
            "y": [_number(fitness) for _, fitness in points],
            "marker": {"color": _COLORS[color], "size": 9 if name == "front" else 5},
        }
        for name, points, color in marks
    ]
    figure = _figure(data, {"title": {"text": unit}})
    figure["layout"]["xaxis"] = {"title": {"text": "nodes"}, "rangemode": "tozero"}
    return figure


def statistic_figure(rows: Rows, name: str) -> Figure:
    """Return one number of each generation, by its name."""
    data = [_line(rows, [row.get(name) for row in rows], escape(name), color=0)]
    return _figure(data, {"title": {"text": escape(name)}}, showlegend=False)


def time_figure(rows: Rows) -> Figure:
    """Return where the seconds of each generation went, as stacked bars."""
    steps = (("playing", 0), ("lowering", 1), ("breeding", 2))
    data: list[dict[str, Any]] = []
    for name, color in steps:
        data.append(
            {
                "type": "bar",
                "name": name,
                "x": [row["number"] for row in rows],
                "y": [_number(row[f"seconds_{name}"]) for row in rows],
                "marker": {"color": _COLORS[color], "line": {"width": 0}},
                "hovertemplate": "%{y:.3f} s",
            }
        )
    axis = {"title": {"text": "seconds"}, "rangemode": "tozero"}
    return _figure(data, axis, barmode="stack", bargap=0.15)


def _line(
    rows: Rows,
    values: Sequence[float | None],
    name: str,
    *,
    color: int,
    dash: str = "solid",
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(rows) <= _MOST_MARKED else "lines",
        "name": name,
        "x": [row["number"] for row in rows],
        "y": [_number(value) for value in values],
        "line": {"color": _COLORS[color % len(_COLORS)], "dash": dash, "width": 2},
        "marker": {"size": 5},
    }


def _number(value: float | None) -> float | None:
    """Return *value* rounded for drawing; what is not finite leaves a gap."""
    return round(float(value), 6) if value is not None and math.isfinite(value) else None


def _share_axis(title: str) -> dict[str, Any]:
    return {"title": {"text": title}, "range": [0, 1.02], "tickformat": ".0%"}


def _figure(data: list[dict[str, Any]], yaxis: dict[str, Any], **layout: Any) -> Figure:
    xaxis: dict[str, Any] = {
        "title": {"text": "generation"},
        "rangemode": "tozero",
        "tickformat": "d",
    }
    numbers = data[0]["x"] if data else []
    if 0 < len(numbers) < _FEW:
        xaxis |= {"dtick": 1, "range": [numbers[0] - 0.5, numbers[-1] + 0.5]}
    return {"data": data, "layout": {"xaxis": xaxis, "yaxis": yaxis, "showlegend": True, **layout}}
