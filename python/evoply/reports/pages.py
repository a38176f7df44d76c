"""Pages from the templates in `templates/`, which escape every text that is put into them.

A page loads nothing: style and pictures are inside, there is no script, and its content security
policy forbids the rest.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evoply.files import write_atomically
from evoply.look import pieces_css
from evoply.provenance import provenance
from evoply.reports.charts import drawn
from evoply.reports.phrases import Influence, percent
from evoply.sections import Section, Shown

if TYPE_CHECKING:
    from jinja2 import Environment


def page(template: str, *, state: str = "", goes_on: bool = False, **values: Any) -> str:
    """Return the page that *template* makes of *values*, of which `title` is one.

    *state* says how far unfinished work has come; if it *goes_on*, an opened page reloads itself
    every few seconds.
    """
    return (
        _environment()
        .get_template(template)
        .render(values, state=state, goes_on=goes_on, made_by=provenance())
    )


def sections_page(
    title: str,
    sections: Sequence[Section],
    *,
    facts: Mapping[str, str] | None = None,
    warnings: Sequence[str] = (),
    sentences: Sequence[str] = (),
    note: str = "",
    state: str = "",
    goes_on: bool = False,
) -> str:
    """Return the page of a result: its *facts*, what is found in *sentences*, and its *sections*.

    A fact without a value is left out. *state* and *goes_on* are those of `page`.
    """
    return page(
        "page.html",
        title=title,
        sections=sections,
        facts=facts or {},
        warnings=warnings,
        sentences=sentences,
        note=note,
        state=state,
        goes_on=goes_on,
    )


def result_html(result: Shown, *, state: str = "", goes_on: bool = False) -> str:
    """Return the page about *result*; *state* and *goes_on* are those of `page`."""
    return sections_page(
        result.heading,
        result.sections(),
        facts=result.facts,
        note=result.note,
        state=state,
        goes_on=goes_on,
    )


def write_result(result: Shown, path: str | os.PathLike[str], *, state: str = "") -> Path:
    """Write the page about *result* to *path*, whole or not at all, and return the path.

    *state* says how far work came that was stopped. Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), result_html(result, state=state))
    return Path(path)


def begun_html(title: str, *, state: str, goes_on: bool) -> str:
    """Return the page of work that has no results yet, only a *state*; see `page`."""
    return sections_page(title, (), state=state, goes_on=goes_on)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    # Imported here: a command that writes no page should not wait for it.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("evoply.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["pieces_css"] = Markup(pieces_css())
    environment.filters |= {
        "percent": percent,
        "drawn": drawn,
        "moment": _moment,
        "by_share": _by_share,
    }
    return environment


def _moment(text: str) -> str:
    """Return an ISO time in UTC without its fractions."""
    return f"{text[:16].replace('T', ' ')} UTC"


def _by_share(parts: Sequence[Influence]) -> list[Influence]:
    return sorted(parts, key=lambda part: -part.share)
