"""Charts as inline SVG: lines over numbers, values with intervals, scattered points.

A chart is a Vega-Lite specification of plain values, which vl-convert draws without a network or a
browser, the same every time. Text and grid have the colour of the text around them, so one picture
fits light and dark pages; values are tooltips, and lines have a table beside.

Reasons: docs/design/page.md.
"""

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Protocol
from xml.etree import ElementTree

from evoply.environment.files import write_atomically
from evoply.environment.prerequisites import from_an_extra
from evoply.protocols.sections import LINE_COLORS, Intervals, Section, framed, value_in
from evoply.runs.kind import Plot, PlotOfRows, Row, Scatter
from evoply.wording import ends_in_words, keep_ends, named_apart

# The data of charts: named values over numbers.


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one name, some of which may be missing, with intervals where there are any."""

    name: str
    values: Sequence[float | None]
    intervals: Sequence[tuple[float, float] | None] = ()
    color: int | None = None
    """Its place among the colours; by default its place among the series."""
    is_dashed: bool = False
    symbol: str = "circle"


@dataclass(frozen=True, slots=True)
class Lines:
    """Everything that a chart of lines shows."""

    x: Sequence[float]
    series: Sequence[Series]
    x_title: str
    y_title: str
    is_share: bool = False
    """Whether values are shares in [0, 1]."""
    from_zero: bool = False
    is_log: bool = False
    """Whether x is logarithmic."""


def sampled(values: Sequence[Any], most: int) -> list[Any]:
    """Return at most *most* of *values*, evenly spaced, the first and the last among them.

    >>> sampled(range(11), 3)
    [0, 5, 10]
    """
    if len(values) <= most:
        return list(values)
    return [values[round(index * (len(values) - 1) / (most - 1))] for index in range(most)]


_WIDTH, _HEIGHT = 440, 190  # pixels of the whole chart, and of the field of lines
_LONG_NAME, _MIDDLE_NAME, _SHORT_NAME = 44, 22, 14  # of one, two and three columns of a legend
_ROW_NAME = 30
_LONG_NUMBER = 10_000_000  # from here on ticks are written as 20M
_MOST_MARKED = 32  # points of a line that are marked, and have a tooltip and a row of the table
_FEW = 8  # values of x that each have a tick
_SVG = "http://www.w3.org/2000/svg"
_NEEDLESS = {"class", "role", "font-family", "pointer-events", "stroke-miterlimit"}
_MOST_DRAWN = 400  # points of a line: more than the chart has pixels would only be bytes
_FAINT = {"labelColor": "currentColor", "titleColor": "currentColor", "labelOpacity": 0.75}
_CONFIG: Mapping[str, Any] = {
    "font": "DejaVu Sans",  # a wide one to measure with; pages use their own
    "view": {"stroke": None},
    "axis": {
        **_FAINT,
        "titleOpacity": 0.75,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
        "gridColor": "currentColor",
        "gridOpacity": 0.13,
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "labelFlush": False,
        "labelLimit": 0,
    },
    "legend": {
        **_FAINT,
        "labelOpacity": 1,
        "labelFontSize": 12,
        "title": None,
        "orient": "bottom",
        "direction": "horizontal",
        "labelLimit": 380,
        "symbolType": "stroke",
        "symbolOpacity": 1,
        "symbolStrokeWidth": 3,
        "symbolSize": 300,
        "columnPadding": 24,
        "rowPadding": 4,
    },
}


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of numbers; a notebook shows it as it stands."""

    title: str
    specification: Mapping[str, Any]
    """Vega-Lite, with all of its data."""
    note: str = ""
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """The values as text; none where a page has them in a table of its own."""
    lines: Lines | None = None
    """The same as numbers, of a chart of lines, for a page that draws it as it grows."""

    def svg(self) -> str:
        """Return the picture as SVG to stand inside a page."""
        # Imported here: a command that draws nothing should not wait for it.
        with from_an_extra():
            from vl_convert import vegalite_to_svg

        return _inline_svg(vegalite_to_svg(dict(self.specification)), self.title)

    def files(self) -> tuple[str, bytes]:
        """Return the picture on its own: as SVG, and as PDF."""
        with from_an_extra():
            from vl_convert import vegalite_to_pdf, vegalite_to_svg

        drawn = dict(self.specification)
        return vegalite_to_svg(drawn), vegalite_to_pdf(drawn)

    def _repr_html_(self) -> str:
        caption = f"<figcaption><b>{escape(self.title)}</b> {escape(self.note)}</figcaption>"
        return framed(f'<figure class="chart">{caption}{self.svg()}</figure>')


def line_chart(
    title: str,
    x: Sequence[float],
    series: Sequence[Series],
    y_title: str,
    *,
    x_title: str = "generation",
    note: str = "",
    is_share: bool = False,
    from_zero: bool = False,
    is_log: bool = False,
    joins_gaps: bool = False,
    has_bands: bool = False,
) -> Chart:
    """Return lines over the numbers *x*, with error bars where a series has intervals, or bands.

    A line is broken where a value is missing, unless it *joins_gaps*.

    With *is_share* values are shares in [0, 1], shown in percent. Long lines are drawn through
    evenly spaced points of theirs. With *is_log*, x is logarithmic and has a tick at each value.
    """
    named = _with_short_names(series)
    shifts = [0.0] * len(series) if has_bands else _shifts(x, series, is_log=is_log)
    drawn = sampled(range(len(x)), _MOST_DRAWN)
    marked = set(sampled(drawn, _MOST_MARKED))
    data = [
        {
            **_datum(
                x[index], line, index, is_marked=index in marked, is_share=is_share, x_title=x_title
            ),
            "x": x[index] + shift,
        }
        for line, shift in zip(named, shifts, strict=True)
        for index in drawn
    ]
    # The rims show a line at 0 or at 1 whole, and apart from the end of the field.
    share: dict[str, Any] = {"domain": [-0.02, 1.02], "nice": False}
    scale = share if is_share else {"zero": from_zero}
    y_axis = {"format": ".0%", "values": [0, 0.2, 0.4, 0.6, 0.8, 1]} if is_share else {}
    y = _field("y", y_title, scale=scale, axis={"tickCount": 6, **y_axis})
    across = _field("x", x_title, scale=_x_scale(x, is_log=is_log), axis=_x_axis(x, is_log=is_log))
    look = _look(series)
    joined = [{"filter": "isValid(datum.y)"}] if joins_gaps else []
    layers: list[dict[str, Any]] = [
        {
            "transform": joined,
            "mark": {"type": "line", "strokeWidth": 2, "strokeJoin": "round", "aria": False},
            "encoding": {"x": across, "y": y, **look},
        },
        {
            "transform": [{"filter": "datum.label && isValid(datum.y)"}],
            "mark": {"type": "point", "filled": True, "size": 22, "opacity": 1},
            "encoding": {"x": across, "y": y, "color": look["color"], **_DESCRIPTION},
        },
    ]
    if any(line.intervals for line in series):
        low, high = {**y, "field": "low"}, {"field": "high"}
        bars = {"x": across, "y": low, "y2": high, "color": look["color"]}
        if has_bands:
            known = [{"filter": "isValid(datum.low)"}]
            mark = {"type": "area", "opacity": min(0.15, 0.45 / len(series)), "aria": False}
            layers.insert(0, {"transform": known, "mark": mark, "encoding": bars})
        else:
            mark = {"type": "rule", "strokeWidth": 1.5, "aria": False}
            layers.append({"mark": mark, "encoding": bars})
    rows = tuple(
        (f"{x[index]:g}", *(_text(line, index, is_share=is_share) for line in series))
        for index in sorted(marked)
    )
    return Chart(
        title,
        _specification(data, layers, height=_HEIGHT),
        note,
        (x_title, *(line.name for line in series)),
        rows,
        Lines(x, named, x_title, y_title, is_share=is_share, from_zero=from_zero, is_log=is_log),
    )


def interval_chart(
    title: str,
    names: Sequence[str],
    series: Sequence[Series],
    x_title: str,
    *,
    note: str = "",
    reference: float | None = None,
) -> Chart:
    """Return one row per name, the first on top, with a mark and a bar for each of *series*.

    The bar of an interval with an infinite end goes on to the rim, where an arrow says so.
    *reference* draws a vertical line. Names that are cut stay apart by their number.
    """
    rows = _apart(names, _ROW_NAME)
    data = [
        {**datum, "name": name}
        for entry in _with_short_names(series)
        for index, name in enumerate(rows)
        for datum in [_datum(entry.values[index], entry, index, is_marked=True, x_title=name)]
        if datum["y"] is not None
    ]
    open_ends = _drawn_to_the_rim(data)
    many = len(series) > 1
    row = _field("name", None, kind="nominal", scale={"domain": rows}, axis={"grid": True})
    position = {"y": row, **({"yOffset": {"field": "s", "sort": None}} if many else {})}
    scale = {"zero": False, "nice": False, "padding": 10}
    across = _field("y", x_title, scale=scale, axis={"tickCount": 6})
    look = _look(series)
    bar = {"x": {**across, "field": "low"}, "x2": {"field": "high"}, **position}
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
            "encoding": {**bar, "color": look["color"]},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {"x": across, **position, **look, **_DESCRIPTION},
        },
    ]
    for end, arrow in open_ends:
        mark = {"type": "point", "filled": True, "opacity": 1, "shape": arrow, "size": 60}
        ends = {"x": {**across, "field": end}, **position, "color": look["color"]}
        layers.append({"mark": mark | {"aria": False}, "encoding": ends})
    if reference is not None:
        rule = {
            "type": "rule",
            "aria": False,
            "strokeDash": [2, 3],
            "color": "currentColor",
            "opacity": 0.6,
        }
        layers.append(
            {"mark": rule, "encoding": {"x": {"datum": reference, "type": "quantitative"}}}
        )
    step = 26 if not many else 14 * len(series) + 10
    specification = _specification(data, layers, height={"step": step, "for": "position"})
    return Chart(title, specification, note)


def charts_of(section: Section) -> list[Any]:
    """Return the charts of a section; those that are only declared are made of its rows."""
    return [_of_rows(chart, section.rows) for chart in section.charts]


def _of_rows(chart: Any, rows: Sequence[Any]) -> Any:
    if isinstance(chart, Scatter):
        return scatter_chart(chart.title, chart.groups, chart.x_title, chart.y_title)
    if isinstance(chart, PlotOfRows):
        return plot_charts([chart.plot], chart.rows)[0]
    if not isinstance(chart, Intervals):
        return chart
    rows = [row for row in rows if value_in(row, chart.value) is not None]
    names, values, intervals = (
        [value_in(row, what) for row in rows] for what in (chart.names, chart.value, chart.interval)
    )
    series = Series(chart.name or chart.title.lower(), values, intervals)
    note, line = chart.note, chart.reference
    return interval_chart(chart.title, names, [series], chart.unit, note=note, reference=line)


def plot_charts(plots: Sequence[Plot], rows: Sequence[Row]) -> list[Chart]:
    """Return *plots* of the steps of a run, or of other *rows*, as charts."""
    return [_plot_chart(plot, rows[plot.after :] or rows) for plot in plots]


def _plot_chart(plot: Plot, rows: Sequence[Row]) -> Chart:
    return line_chart(
        plot.title,
        [row[plot.x] for row in rows],
        [
            Series(
                line.name,
                [*map(line.value, rows)],
                [] if line.interval is None else [*map(line.interval, rows)],
                color=line.color,
                is_dashed=line.is_dashed,
            )
            for line in plot.lines
        ],
        plot.unit,
        x_title=plot.x_title or ("generation" if plot.x == "number" else plot.x),
        note=plot.note,
        is_share=plot.is_share,
        from_zero=plot.from_zero,
    )


def scatter_chart(
    title: str,
    groups: Mapping[str, Sequence[tuple[float, float]]],
    x_title: str,
    y_title: str,
) -> Chart:
    """Return points (x, y) of two groups; the second stands out and has tooltips.

    Its `lines` are the second group alone.
    """
    data = [
        {"x": x, "y": _number(y), "s": name, "label": f"{x:g} {x_title}: {y:.4g}" if rank else ""}
        for rank, (name, points) in enumerate(groups.items())
        for x, y in sorted(set(points))
        if math.isfinite(y)
    ]
    names = list(groups)
    encoding = {
        "x": _field("x", x_title, scale={"zero": True}, axis={"tickCount": 8}),
        "y": _field("y", y_title, scale={"zero": False}, axis={"tickCount": 6}),
        "color": _scale_encoding("color", names, [LINE_COLORS[2], LINE_COLORS[0]]),
        "size": {**_scale_encoding("size", names, [18, 80]), "legend": None},
        **_DESCRIPTION,
    }
    layer = {"mark": {"type": "point", "filled": True, "opacity": 0.85}, "encoding": encoding}
    second = sorted(set(groups[names[-1]]))
    return Chart(
        title,
        _specification(data, [layer], height=_HEIGHT),
        lines=Lines(
            [x for x, _ in second],
            [Series(names[-1], [_number(y) for _, y in second])],
            x_title,
            y_title,
        ),
    )


_DESCRIPTION: Mapping[str, Any] = {"description": {"field": "label"}}


def _specification(
    data: list[dict[str, Any]], layers: list[dict[str, Any]], *, height: Any
) -> dict[str, Any]:
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": _WIDTH,
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": 4,
        "background": None,
        "config": _CONFIG,
        "data": {"values": data},
        "layer": layers,
    }


def _datum(
    x: float | None,
    series: Series,
    index: int,
    *,
    is_marked: bool,
    x_title: str,
    is_share: bool = False,
) -> dict[str, Any]:
    value = _number(series.values[index])
    datum = {"x": x, "y": value, "s": series.name}
    if is_marked and value is not None:
        where = x_title if x is None or x is series.values[index] else f"{x_title} {x:g}"
        datum["label"] = f"{where}, {series.name}: {_text(series, index, is_share=is_share)}"
    interval = series.intervals[index] if series.intervals else None
    if interval is not None:
        datum |= {"low": _number(interval[0]), "high": _number(interval[1])}
    return datum


def _drawn_to_the_rim(data: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Let open ends in *data* end at the rim; return the fields that hold them, and their arrows.

    The rim is a tenth beyond all that has a place.
    """
    ends = ("y", "low", "high")
    known = [datum[key] for datum in data for key in ends if datum.get(key) is not None] or [0.0]
    beyond = (max(known) - min(known)) / 10 or 1.0
    rims = {
        "low": (min(known) - beyond, "triangle-left"),
        "high": (max(known) + beyond, "triangle-right"),
    }
    used = []
    for key, (rim, arrow) in rims.items():
        for datum in data:
            if key in datum and datum[key] is None:
                datum[key] = datum[f"open_{key}"] = _number(rim)
        if any(f"open_{key}" in datum for datum in data):
            used.append((f"open_{key}", arrow))
    return used


def _text(series: Series, index: int, *, is_share: bool) -> str:
    value = _number(series.values[index])
    if value is None:
        return ""
    form = "{:.1%}" if is_share else "{:.4g}"
    interval = series.intervals[index] if series.intervals else None
    text = form.format(value)
    text += "" if interval is None else f" ({ends_in_words(*interval, form.format)})"
    return text.replace("%", " %")


def _number(value: float | None) -> float | None:
    """Return *value* rounded for drawing; what is not finite leaves a gap."""
    return round(float(value), 6) if value is not None and math.isfinite(value) else None


def _field(name: str, title: str | None, *, kind: str = "quantitative", **more: Any) -> Any:
    return {"field": name, "type": kind, "title": title, **more}


def _scale_encoding(name: str, names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    longest = max(map(len, names), default=0)
    columns = 3 if longest <= _SHORT_NAME else 2 if longest <= _MIDDLE_NAME else 1
    legend = {"columns": columns} if len(names) > 1 else None
    scale = {"domain": list(names), "range": list(values)}
    return {"field": "s", "type": "nominal", "sort": None, "scale": scale, "legend": legend}


def _look(series: Sequence[Series]) -> dict[str, Any]:
    names = [line.name for line in _with_short_names(series)]
    places = [index if line.color is None else line.color for index, line in enumerate(series)]
    look = {
        "color": _scale_encoding(
            "color", names, [LINE_COLORS[index_ % len(LINE_COLORS)] for index_ in places]
        )
    }
    if any(line.is_dashed for line in series):
        dashes = [[2, 3] if line.is_dashed else [1, 0] for line in series]
        look["strokeDash"] = _scale_encoding("strokeDash", names, dashes)
    if any(line.symbol != "circle" for line in series):
        look["color"]["legend"] = {"symbolType": "circle", "symbolSize": 80}
        look["shape"] = _scale_encoding("shape", names, [line.symbol for line in series])
    return look


def _shifts(x: Sequence[float], series: Sequence[Series], *, is_log: bool) -> list[float]:
    """Return how far each of *series* is moved aside, so that error bars do not hide others."""
    if is_log or len(x) < 2 or not any(line.intervals for line in series):
        return [0.0] * len(series)
    step = (max(x) - min(x)) / 100
    return [step * (index - (len(series) - 1) / 2) for index in range(len(series))]


def _x_scale(x: Sequence[float], *, is_log: bool) -> dict[str, Any]:
    if is_log:
        return {"type": "log", "base": 2, "nice": False, "padding": 10}
    # One number alone stands in the middle.
    rim = 0.5 if len(set(x)) < 2 else 0.0
    domain = [min(x, default=0) - rim, max(x, default=0) + rim]
    return {"domain": domain, "nice": False, "zero": False, "padding": 8}


def _x_axis(x: Sequence[float], *, is_log: bool) -> dict[str, Any]:
    is_whole = not any(value % 1 for value in x)
    if is_log or (len(set(x)) <= _FEW and is_whole):
        return {"values": list(x), "format": ",d" if is_whole else "~g", "grid": False}
    if max(x) - min(x) < _FEW and not is_whole:
        return {"tickCount": 6, "format": "~g", "grid": False}
    form = "~s" if max(x) >= _LONG_NUMBER else ",d"
    return {"tickMinStep": 1, "tickCount": 8, "format": form, "grid": False}


def _with_short_names(series: Sequence[Series]) -> list[Series]:
    names = _apart([line.name for line in series], _LONG_NAME)
    return [replace(line, name=name) for name, line in zip(names, series, strict=True)]


def _apart(names: Iterable[str], most: int) -> tuple[str, ...]:
    """Return *names*, each unlike the others; longer ones keep both ends, *most* characters."""
    return named_apart([keep_ends(name, most) for name in names])


def _inline_svg(svg: str, title: str) -> str:
    """Return Vega's *svg* as a page holds it: of any width, with tooltips, without the rest.

    Roles and classes mean nothing in a page, and a tenth of a pixel is fine enough.
    """
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        label = element.attrib.pop("aria-label", "")
        for name in [name for name in element.attrib if name in _NEEDLESS or "aria" in name]:
            del element.attrib[name]
        for name in element.attrib.keys() & {"d", "transform", "x", "y", "x1", "x2", "y1", "y2"}:
            element.set(name, re.sub(r"\d+\.\d+", _tenth, element.attrib[name]))
        if label and element is not root and not len(element):
            ElementTree.SubElement(element, f"{{{_SVG}}}title").text = label
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", title)
    return ElementTree.tostring(root, encoding="unicode")


def _tenth(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


# Charts as files: SVG for pages and slides, PDF for papers.

_LONGEST_NAME = 60


class Drawable(Protocol):
    """A picture with a title that can be drawn as a file."""

    @property
    def title(self) -> str:
        """What it shows, in a few words."""
        ...

    def files(self) -> tuple[str, bytes]:
        """Return the picture on its own: as SVG, and as PDF."""
        ...


def save_charts(charts: Iterable[Drawable], folder: str | os.PathLike[str]) -> list[Path]:
    """Write each chart as SVG and as PDF into *folder*, made if needed, and return the paths.

    The names are the places and titles of the charts, such as `1-strength-at-the-end.svg`. Raises
    `OSError` if a file cannot be written.
    """
    into, paths = Path(folder), []
    into.mkdir(parents=True, exist_ok=True)
    for number, chart in enumerate(charts, 1):
        name = f"{number}-{_plain(chart.title)}"
        svg, pdf = chart.files()
        for ending, content in (("svg", svg), ("pdf", pdf)):
            paths.append(into / f"{name}.{ending}")
            write_atomically(paths[-1], content)
    return paths


def _plain(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:_LONGEST_NAME] or "chart"
