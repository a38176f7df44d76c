"""A result of a study as one HTML page that opens without a network."""

from __future__ import annotations

import os
from pathlib import Path

from evoply import _native
from evoply.files import write_atomically
from evoply.reports.html import Html, chart, element, page, shortened, table
from evoply.studies.study import Result, Row, Study

_LONGEST_NAME = 70

RULE = (
    "The verdict is computed, never written: matches, if the 95 % interval of the difference "
    "between our figure and the printed one holds 0, the printed one having the uncertainty of its "
    "own number of games; same direction, if our whole interval lies on the same side of the "
    "reference (an even score, or no gain) as the printed figure; else differs."
)


def write_study(result: Result, study: Study, path: str | os.PathLike[str]) -> Path:
    """Write the page about *result* to *path*, whole or not at all, and return the path.

    Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), study_html(result, study))
    return Path(path)


def study_html(result: Result, study: Study) -> str:
    """Return the page about a result as text, of about 5 MB: plotly's JavaScript is in it."""
    title = f"{study.authors}: {result.title}"
    return page(title, *_sections(result, study, title))


def _sections(result: Result, study: Study, title: str) -> list[Html]:
    has_paper = any(one.paper is not None for one in result.rows)
    facts = {
        "table": result.table,
        "scale": result.scale,
        "seed": str(result.seed),
        "rules": result.rules,
        "evoply": _native.__version__,
    }
    cells = (
        element("div", element("dt", name), element("dd", value))
        for name, value in facts.items()
        if value
    )
    sections = [
        element("h1", title),
        element("p", study.paper, class_="note"),
        element("dl", *cells, class_="facts"),
        *(element("p", note, class_="sentence") for note in result.notes[:1]),
        *(element("p", note, class_="note") for note in result.notes[1:]),
        *(chart(one.title, one.chart, one.note, height=one.height) for one in result.pictures),
        element("h2", "Beside the paper" if has_paper else "Figures"),
        element(
            "p",
            f"Figures are {result.unit}, with 95 % intervals.{f' {RULE}' * has_paper}",
            class_="note",
        ),
        _rows(result.rows),
        element("h2", "Run it again"),
        element("pre", result.command),
    ]
    if study.choices:
        sections += [
            element("h2", "What the paper leaves open, and how it is read here"),
            element("ul", *(element("li", text) for text in study.choices)),
        ]
    if study.contradictions:
        sections += [
            element("h2", "Where the paper contradicts itself"),
            element("ul", *(element("li", text) for text in study.contradictions)),
        ]
    return sections


def _rows(rows: tuple[Row, ...]) -> Html:
    has_paper = any(one.paper is not None for one in rows)
    head = ["", *(["paper"] if has_paper else []), "here", "95 % interval", "n"]
    head += ["verdict", "why, as far as is known"] if has_paper else ["remark"]
    body = []
    for one in rows:
        cells: list[str] = [shortened(one.name, _LONGEST_NAME)]
        if has_paper:
            cells.append(element("span", _number(one.paper), class_="whole"))
        cells += [
            element("b", "not measured" if one.ours is None else f"{one.ours:.4g}"),
            element(
                "span",
                "" if one.interval is None else "{:.4g} to {:.4g}".format(*one.interval),
                class_="whole",
            ),
            "" if one.n is None else f"{one.n:,}",
        ]
        if has_paper:
            cells.append(element("span", one.verdict, class_=_CLASSES[one.verdict]))
        cells.append(element("span", one.reason, class_="note"))
        body.append(cells)
    return table(head, body, class_="study")


_CLASSES = {
    "matches": "verdict good",
    "same direction": "verdict fair",
    "differs": "verdict poor",
    "no figure": "verdict",
    "undecided": "verdict",
    "too few runs to say": "verdict",
}


def _number(value: float | str | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:g}"
