"""What results show, declared once: sections of columns and rows, JSON, and their style.

A terminal (`evoply.cli.output`), a notebook (`html_of`), a page (`evoply.reports.pages`) and JSON
(`Section.data`) draw the same sections. A chart is declared as data, which `evoply.reports` draws.
This module knows no result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from evoply.wording import ends_in_words, keep_ends, short_name, shorten

if TYPE_CHECKING:
    from jinja2 import Template


# JSON-ready data of results, derived from their fields.


class JsonData:
    """A dataclass whose JSON data has its fields by name, and some of its properties.

    The metadata `json` of a field is another name in JSON, "" for a field that is left out, or "*"
    for one whose own fields stand in its place. `if_any` leaves a field out where it is None,
    `as_text` writes its text, and `from` names a property that is written instead. Keyword-only
    fields, which results share, come last.

    >>> from dataclasses import dataclass, field
    >>> @dataclass
    ... class Score(JsonData):
    ...     also = ("share as percent",)
    ...     points: float = field(metadata={"json": "score"})
    ...     share = property(lambda self: 100 * self.points)
    >>> Score(0.5).to_dict()
    {'score': 0.5, 'percent': 50.0}
    """

    __slots__ = ()
    kind_in_json: ClassVar[Mapping[str, str]] = {}
    """What says in the data what it is, such as {"mode": "elimination"}; it comes first."""
    also: ClassVar[tuple[str, ...]] = ()
    """The properties that the data includes too; "share as accuracy" gives one another name."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; a number that is not finite is None."""
        own: dict[str, Any] = {**self.kind_in_json}
        shared: dict[str, Any] = {}
        for each in fields(self):  # type: ignore[arg-type]
            value = getattr(self, each.metadata.get("from", each.name))
            key = each.metadata.get("json", each.name)
            if not key or (value is None and "if_any" in each.metadata):
                continue
            if "as_text" in each.metadata:
                value = None if value is None else str(value)
            data = {key: json_ready(value)} if key != "*" else json_ready(value)
            (shared if each.kw_only else own).update(data)
        for entry in self.also:
            name, _, key = entry.partition(" as ")
            own[key or name] = json_ready(getattr(self, name))
        return own | shared


def json_ready(value: Any) -> Any:
    """Return *value*, the value of a field of `JsonData`, as JSON-ready data."""
    match value:
        case JsonData():
            return value.to_dict()
        case Enum():
            return value.value
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {key: json_ready(item) for key, item in value.items()}
        case tuple() | list():
            return [json_ready(item) for item in value]
        case _ if is_dataclass(value):
            return {field.name: json_ready(getattr(value, field.name)) for field in fields(value)}
        case _:
            return value


# Style and colours that the page, the HTML reports and notebooks share.
#
# `pieces.css` styles tables, charts, trees and facts by variables; each of the three gives these
# their colours. Boards have their colours in `evoply.games.drawing`.

LINE_COLORS = (
    "#2f9e6a", "#e08a2c", "#4a86e0", "#b565c9", "#d65a5a", "#2aa5b5", "#8a8f3a", "#888f99",
)  # fmt: skip
"""Colours of the lines of a chart, in order."""

# A style cannot ask whether a notebook is light or dark, so it takes the notebook's own ink.
_IN_NOTEBOOKS = """
  --ink: currentColor; --faint: color-mix(in srgb, currentColor 62%, transparent);
  --line: color-mix(in srgb, currentColor 18%, transparent);
  --raised: color-mix(in srgb, currentColor 6%, transparent);
  --track: color-mix(in srgb, currentColor 12%, transparent); --accent: #2f9e6a; --bar: #3d9a68;
  color: inherit;
"""


@cache
def pieces_css() -> str:
    """Return the style sheet of the pieces of pages."""
    return Path(__file__).with_name("pieces.css").read_text(encoding="utf-8").strip()


def framed(html: str) -> str:
    """Return *html* for a notebook, with a style that applies to nothing else in it.

    >>> framed("<p>1 &lt; 2</p>").endswith("</style><p>1 &lt; 2</p></div>")
    True
    """
    return f'<div class="evoply"><style>{_style()}</style>{html}</div>'


@cache
def _style() -> str:
    """Return the style of pieces as one rule in one line, because every output repeats it."""
    rules = f".evoply {{{_IN_NOTEBOOKS}{pieces_css()}}}"
    return " ".join(re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL).split())


NOTHING = "-"
"""What stands for a missing value where there is little room."""

_LONGEST = 48
"""Characters of a name where there is little room."""

counted = "{:,}".format
"""Writes a whole number."""


def number(value: float) -> str:
    """Return a number in a few digits."""
    return f"{value:,.4g}"


def share(value: float) -> str:
    """Return a share as a percentage.

    >>> share(0.7123)
    '71.2 %'
    """
    return f"{100 * value:.1f} %"


def shares(interval: Sequence[float]) -> str:
    """Return an interval of shares as percentages.

    >>> shares((0.7, 0.8123))
    '70.0 to 81.2 %'
    """
    low, high = interval
    return f"{100 * low:.1f} to {share(high)}"


def between(text: Callable[[float], str]) -> Callable[[Sequence[float]], str]:
    """Return how an interval is written whose ends are written as *text*.

    >>> between("{:+.1f}".format)((-1.25, 2.0))
    '-1.2 to +2.0'
    """

    def written(interval: Sequence[float]) -> str:
        low, high = interval
        return ends_in_words(low, high, text)

    return written


def value_in(row: Any, what: str | Callable[[Any], Any]) -> Any:
    """Return the value of a key or an attribute of *row*, or of a function of it."""
    if not isinstance(what, str):
        return what(row)
    return row.get(what) if isinstance(row, Mapping) else getattr(row, what)


def item_of(name: str, place: Any) -> Callable[[Any], Any]:
    """Return what gives the item at *place* of a key or an attribute of a row."""
    return lambda row: value_in(row, name)[place]


@dataclass(frozen=True, slots=True)
class Column:
    """A value of every row: what it is called, and how people read it.

    A column whose format is `str` holds text and stands left; all others hold numbers.
    """

    name: str
    """Its key in a row, or the attribute of a row that holds it."""
    label: str
    format: Callable[[Any], str] = number
    curve: str = ""
    """The name of its curve in the live display of a run; empty: no curve."""
    is_fact: bool = True
    """Whether it is among the facts that a live display shows."""
    is_listed: bool = True
    """Whether it is shown where there is little room, as in a terminal."""
    read: Callable[[Any], Any] | None = None
    """Computes it from a row that does not hold it."""
    fact: str = ""
    """Its name in the live display, which has more room; empty: its label."""
    look: str = ""
    """How a page shows it: "code" for a formula or a name, which may be very long, "strong",
    "whole" (never broken), "faint", "verdict", "head" (the name of its row); or, on pages alone,
    "scale" (a share and its interval as a line from 0 to 1), "bar" (a share), "tint" (a `Tinted`)
    or "link" (a `LinkedCell`)."""
    missing: str = NOTHING
    """What a page shows where there is no value."""
    longest: int = 0
    """Characters of a text where there is little room; 0: as many as it has, or 48 of "code"."""

    @property
    def is_text(self) -> bool:
        """Whether it holds text."""
        return self.format is str

    def value(self, row: Any) -> Any:
        """Return the value in *row*; None if it is not there."""
        return value_in(row, self.read or self.name)

    def text(self, row: Any) -> str:
        """Return the value in *row* as people read it."""
        value = self.value(row)
        return self.missing if value is None else self.format(value)

    def short(self, row: Any) -> str:
        """Return the same for where there is little room: names are cut, and "-" is no value."""
        value = self.value(row)
        if value is None:
            return NOTHING
        text, is_name = self.format(value), self.look == "code"
        longest = self.longest or (_LONGEST if is_name else len(text))
        return keep_ends(text, longest) if is_name else shorten(text, longest)


def cells_of(*labels: str, **looks: str) -> tuple[Column, ...]:
    """Return the columns of rows that are texts already, by *labels*; *looks* are by label.

    >>> [column.text(("3", "white")) for column in cells_of("nodes", "tree", tree="code")]
    ['3', 'white']
    """
    return tuple(
        Column(label, label, str, read=itemgetter(place), look=looks.get(label, ""))
        for place, label in enumerate(labels)
    )


_DRAWN = ("scale", "bar", "tint")

FACTS = cells_of("", "")
"""The columns of pairs of a name and a value."""


def chosen(columns: Iterable[Column], names: str) -> tuple[Column, ...]:
    """Return those of *columns* that are called *names*, with spaces between, in that order."""
    by_name = {column.name: column for column in columns}
    return tuple(by_name[name] for name in names.split())


@dataclass(frozen=True, slots=True)
class Intervals:
    """A chart of the rows of a section: the value of each with its 95 % interval."""

    title: str
    unit: str
    value: str | Callable[[Any], float | None]
    """Its key or attribute in a row, or a function of a row."""
    interval: str
    names: str = "player"
    """The key or attribute that names a row."""
    name: str = ""
    """What the values are, for tips; empty: the title."""
    note: str = "with 95 % intervals"
    reference: float | None = None
    """Where a vertical line stands."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG that is no chart."""

    svg: str
    caption: str = ""
    kind: str = ""
    """Its class in the style sheet."""


class Tinted(NamedTuple):
    """A cell with a colour behind its text, and a tip."""

    text: str
    tint: int
    """Percent of colour."""
    side: str
    """Which colour, as a class of the style sheet: "above" or "below"."""
    tip: str


class LinkedCell(NamedTuple):
    """A cell that leads to another page; without *href* it is only text."""

    text: str
    href: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a result: a table, and what is said and drawn about it."""

    title: str
    columns: Sequence[Column] = ()
    rows: Sequence[Any] = ()
    note: str = ""
    """How to read it, for pages, which have room."""
    sentences: Sequence[str] = ()
    """What is found, said everywhere."""
    points: Sequence[str] = ()
    """The same as a list."""
    charts: Sequence[Any] = ()
    """Charts: of `evoply.reports`, or declared as data that it draws."""
    pictures: Sequence[Picture] = ()
    text: str = ""
    """A text that keeps its lines, such as a config."""
    parts: Sequence[Section] = ()
    """Sections within it, on pages."""
    folded: str = ""
    """Where a page folds it away: what stands instead."""
    look: str = ""
    """A class of the table in the style sheet; "numbers", "grid" and "cross" scroll, all others
    become cards where a page is narrow."""
    longest: int = 56
    """Characters of a cell of look "code" before a page folds the rest away."""
    most: int = 0
    """Rows that people see, the first ones; 0: all."""
    name: str = ""
    """Its key in JSON."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be shown: a page leaves out a table without rows."""
        shown = (self.sentences, self.points, self.charts, self.pictures, self.text)
        has_parts = any(not part.is_empty for part in self.parts)
        is_note = bool(self.note) and not self.columns
        return not (self.rows or any(shown) or has_parts or is_note)

    @property
    def listed(self) -> Sequence[Any]:
        """The rows that people see."""
        return self.rows[: self.most] if self.most else self.rows

    @property
    def head(self) -> tuple[str, ...]:
        """The labels of all columns."""
        return tuple(column.label for column in self.columns)

    def cells(self) -> list[tuple[str, ...]]:
        """Return all cells as people read them, row by row."""
        return [tuple(column.text(row) for column in self.columns) for row in self.listed]

    def data(self) -> list[dict[str, Any]]:
        """Return all rows as JSON-ready data: as they are, or by the names of columns."""
        return [
            dict(row)
            if isinstance(row, Mapping)
            else {column.name: column.value(row) for column in self.columns}
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown of a result."""

    title: str
    sections: Sequence[Section]
    facts: Mapping[str, str] = field(default_factory=dict)
    """What stands first, by name; what is empty is left out."""
    note: str = ""
    """What must be known before all else."""
    summary: Sequence[Section] = ()
    """What a notebook shows; empty: the first section."""


def facts_page(title: str, facts: Iterable[tuple[str, object]]) -> Page:
    """Return names and values as a page of one table."""
    return Page(title, [Section("", FACTS, [(name, str(value)) for name, value in facts])])


class Shown:
    """A result that notebooks and pages show."""

    __slots__ = ()

    def shown(self) -> Page:
        """Return what is shown of it."""
        raise NotImplementedError(f"{type(self).__name__} does not say what is shown of it")

    def _repr_html_(self) -> str:
        page = self.shown()
        first, *others = page.summary or page.sections[:1]
        return "".join(map(html_of, [replace(first, title=page.title), *others]))


def html_of(section: Section) -> str:
    """Return a section as a notebook shows it; long names are cut.

    >>> "<td>1</td>" in html_of(Section("Sizes", cells_of("nodes"), [("1",)]))
    True
    """
    columns = [column for column in section.columns if column.look not in _DRAWN]
    rows = [
        [short_name(text) if column.look == "code" else text for column, text in cells]
        for row in section.listed
        for cells in [[(column, column.text(row)) for column in columns]]
    ]
    head = [column.label for column in columns]
    values = {"title": section.title, "texts": section.sentences, "rows": rows}
    table = framed(_notebook().render(values, head=head if any(head) and rows else ()))
    # A chart that is only declared needs `evoply.reports`, which this module does not know.
    drawn = (chart._repr_html_() for chart in section.charts if hasattr(chart, "_repr_html_"))
    return "".join([table, *drawn])


@cache
def _notebook() -> Template:
    # Imported here: only a notebook should wait for it.
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(_NOTEBOOK.strip())


# A table without heads stands back in its first column.
_NOTEBOOK = """
<p><strong>{{ title }}</strong></p>
{% for text in texts %}<p>{{ text }}</p>
{% endfor -%}
<table{% if not head %} class="plain"{% endif %}>
{%- if head %}<tr>{% for name in head %}<th>{{ name }}</th>{% endfor %}</tr>
{%- endif %}
{%- for row in rows %}
<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{%- endfor %}
</table>"""
