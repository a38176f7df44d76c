"""Tables for notebooks: light enough for pages of either brightness, every text escaped.

This module knows nothing of evoply.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["table_html"]

_TABLE = """
{%- set cell = "text-align:left;vertical-align:top;padding:2px 14px 2px 0" -%}
{%- set faint = cell ~ ";opacity:.6;font-weight:normal" -%}
<div><p style="margin:0 0 6px"><strong>{{ title }}</strong></p>
{% for text in texts %}<p style="margin:0 0 6px">{{ text }}</p>
{% endfor -%}
<table style="border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums">
{%- if head %}<tr>{% for name in head %}<th style="{{ faint }}">{{ name }}</th>{% endfor %}</tr>
{%- endif %}
{%- for row in rows %}
<tr>{% for one in row -%}
<td style="{{ faint if loop.first and not head else cell }}">{{ one }}</td>
{%- endfor %}</tr>
{%- endfor %}
</table></div>"""


def table_html(
    title: str,
    rows: Iterable[Sequence[object]],
    head: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> str:
    """Return a heading, *texts*, and a table whose first column, or *head* if given, stands back.

    >>> "&lt;b&gt;" in table_html("<b>", [("name", 1)])
    True
    """
    return _template().render(title=title, rows=rows, head=head, texts=texts)


@lru_cache(maxsize=1)
def _template() -> Template:
    # Only here: nothing but a notebook should wait for it.
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(_TABLE)
