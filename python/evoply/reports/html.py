"""Small pieces of HTML and the page around them; every text that goes in is escaped.

`Html` is text that is HTML already; any other text is escaped where it is used. The page loads
nothing: style, script and pictures are inside, and its content security policy forbids the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

__all__ = ["Html", "block", "chart", "details", "element", "page", "shortened", "table"]

_LONGEST_TEXT = 56


class Html(str):
    """Text that is HTML; made by the functions of this module only."""

    __slots__ = ()


def element(name: str, *content: str, **attributes: str) -> Html:
    """Return an element; an attribute that is a word of Python ends in an underscore.

    >>> element("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
    )
    return Html(f"<{name}{written}>{block(*content)}</{name}>")


def block(*content: str) -> Html:
    """Return pieces one after the other, escaping those that are no HTML."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in content))


def details(summary: str, *content: str, class_: str = "more") -> Html:
    """Return content that is hidden until it is asked for."""
    return element("details", element("summary", summary), *content, class_=class_)


def shortened(text: str, limit: int = _LONGEST_TEXT) -> Html:
    """Return *text* as code; what is longer than *limit* unfolds to the whole."""
    if len(text) <= limit:
        return element("code", text)
    beginning = element("code", text[: limit - 1].rstrip() + "…")
    return details(beginning, element("code", text), class_="long")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, class_: str = "") -> Html:
    """Return a table; on a narrow page each row becomes a block that repeats the head."""
    header = element("tr", *(element("th", name, scope="col") for name in head))
    body = [
        element(
            "tr",
            *(element("td", cell, data_label=name) for name, cell in zip(head, row, strict=True)),
        )
        for row in rows
    ]
    return element("table", element("thead", header), element("tbody", *body), class_=class_)


def chart(
    title: str, figure: Mapping[str, Any], note: str = "", *, height: int | None = None
) -> Html:
    """Return a place where the page's script draws *figure* (data and layout of plotly).

    *height* is in pixels, for figures that need another than the usual.
    """
    style = {} if height is None else {"style": f"height: {height:d}px"}
    # Inside a script element only "<" could end it early.
    content = json.dumps(figure, allow_nan=False).replace("<", "\\u003c")
    return element(
        "figure",
        element("figcaption", element("b", title), f" {note}" if note else ""),
        element("div", class_="chart", role="img", aria_label=title, **style),
        Html(f'<script type="application/json">{content}</script>'),
    )


def page(title: str, *content: str) -> str:
    """Return the whole page with its style and, if it has charts, plotly's JavaScript."""
    body = block(*content)
    folder = files("evoply.reports")
    template = Template((folder / "page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(title),
        style=(folder / "page.css").read_text(encoding="utf-8"),
        body=body,
        scripts=_scripts() if 'class="chart"' in body else "",
    )


def _scripts() -> str:
    # Only here: importing plotly takes longer than most commands.
    from plotly.offline import get_plotlyjs

    draw = (files("evoply.reports") / "page.js").read_text(encoding="utf-8")
    return f"<script>{get_plotlyjs()}</script>\n<script>{draw}</script>"
