"""Figures of values with intervals, one line a name, as plotly's data and layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from evoply.reports.charts import Figure

__all__ = ["Points", "chart_height", "intervals_figure", "lines_figure"]

_COLORS = ("#2f9e6a", "#e08a2c", "#4a86e0", "#b565c9", "#d65a5a", "#2aa5b5")
_LONGEST_NAME = 34
_LINE_HEIGHT = 26
_FRAME_HEIGHT = 110


@dataclass(frozen=True, slots=True)
class Points:
    """One series: values with intervals, either of which may be missing."""

    name: str
    values: Sequence[float | None]
    intervals: Sequence[tuple[float, float] | None]
    symbol: str = "circle"
    text: Sequence[str] = ()


def chart_height(names: int) -> int:
    """Return the height in pixels that a figure with so many names needs."""
    return _FRAME_HEIGHT + _LINE_HEIGHT * names


def intervals_figure(
    names: Sequence[str], series: Sequence[Points], title: str, *, reference: float | None = None
) -> Figure:
    """Return one row a name, the first on top, with a mark and a bar for each of *series*.

    *reference* draws a vertical line. Names that are cut stay apart by their number.
    """
    shown = _apart([escape(_cut(name)) for name in names])
    data: list[dict[str, Any]] = []
    for number, points in enumerate(series):
        kept = [
            (name, value, interval)
            for name, value, interval in zip(shown, points.values, points.intervals, strict=True)
            if value is not None
        ]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": points.name,
                "x": [round(value, 6) for _, value, _ in kept],
                "y": [name for name, _, _ in kept],
                "marker": {
                    "size": 9,
                    "symbol": points.symbol,
                    "color": _COLORS[number % len(_COLORS)],
                },
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_beyond(value, interval, 1) for _, value, interval in kept],
                    "arrayminus": [_beyond(value, interval, 0) for _, value, interval in kept],
                    "thickness": 2,
                    "width": 4,
                },
                "hovertemplate": "%{y}: %{x:.4g}<extra>" + escape(points.name) + "</extra>",
            }
        )
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": title}},
        "yaxis": {
            "categoryorder": "array",
            "categoryarray": list(reversed(shown)),
            "range": [-0.6, len(shown) - 0.4],
        },
        "showlegend": len(series) > 1,
        "hovermode": "closest",
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    }
    if reference is not None:
        layout["shapes"] = [_line_at(reference)]
    return {"data": data, "layout": layout}


def lines_figure(
    x: Sequence[float], series: Sequence[Points], x_title: str, y_title: str, **xaxis: Any
) -> Figure:
    """Return lines with error bars over numbers; a reference may be a series without marks."""
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": points.name,
            "x": list(x),
            "y": [None if value is None else round(value, 6) for value in points.values],
            "line": {"color": _COLORS[number % len(_COLORS)], "width": 2},
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [_beyond(v, i, 1) for v, i in _both(points)],
                "arrayminus": [_beyond(v, i, 0) for v, i in _both(points)],
                "thickness": 1.5,
                "width": 3,
            },
            "hovertemplate": "%{y:.4g}",
        }
        for number, points in enumerate(series)
    ]
    layout = {
        "xaxis": {"title": {"text": x_title}, **xaxis},
        "yaxis": {"title": {"text": y_title}},
        "showlegend": len(series) > 1,
    }
    return {"data": data, "layout": layout}


def _both(points: Points) -> list[tuple[float | None, tuple[float, float] | None]]:
    return list(zip(points.values, points.intervals, strict=True))


def _beyond(value: float | None, interval: tuple[float, float] | None, side: int) -> float:
    if value is None or interval is None:
        return 0.0
    return round(abs(interval[side] - value), 6)


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _apart(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    made = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return made


def _line_at(x: float) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": "#888f99", "width": 1, "dash": "dot"},
    }
