"""Pages from the templates in `templates/`, which escape every text that is put into them.

A page loads nothing: style and pictures are inside, there is no script, and its content security
policy forbids the rest.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from evoply.files import write_atomically
from evoply.look import pieces_css
from evoply.provenance import provenance
from evoply.reports.charts import charts_of
from evoply.sections import Page, Shown

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


_LONG_CODE = 120
"""Characters of code within a text before the rest is folded away."""


def result_html(result: Shown | Page, *, state: str = "", goes_on: bool = False) -> str:
    """Return the page about *result*.

    *state* says how far unfinished work has come; if it *goes_on*, an opened page reloads itself
    every few seconds.
    """
    shown = result if isinstance(result, Page) else result.shown()
    template = _environment().get_template("page.html")
    return template.render(shown=shown, state=state, goes_on=goes_on, made_by=provenance())


def write_result(result: Shown | Page, path: str | os.PathLike[str], *, state: str = "") -> Path:
    """Write the page about *result* to *path*, whole or not at all, and return the path.

    *state* says how far work came that was stopped. Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), result_html(result, state=state))
    return Path(path)


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
    environment.filters |= {"coded": _coded, "charts": charts_of}
    return environment


def _coded(text: str, longest: int = _LONG_CODE) -> Markup:
    """Return *text* with what stands between backticks as code, folded where it is too long."""
    from markupsafe import Markup, escape

    def code(found: re.Match[str]) -> str:
        whole = f"<code>{found[1]}</code>"
        if len(found[1]) <= longest:
            return whole
        start = f"<code>{re.sub('&[^;]*$', '', found[1][:longest])}…</code>"
        return f'<details class="long"><summary>{start}</summary>{whole}</details>'

    return Markup(re.sub("`([^`]+)`", code, str(escape(text))))
