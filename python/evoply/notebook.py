"""Tables for notebooks, in the look of the reports, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from evoply.look import framed

if TYPE_CHECKING:
    from jinja2 import Template

_TABLE = """
<p><strong>{{ title }}</strong></p>
{% for text in texts %}<p>{{ text }}</p>
{% endfor -%}
<table{% if not head %} class="plain"{% endif %}>
{%- if head %}<tr>{% for name in head %}<th>{{ name }}</th>{% endfor %}</tr>
{%- endif %}
{%- for row in rows %}
<tr>{% for one in row %}<td>{{ one }}</td>{% endfor %}</tr>
{%- endfor %}
</table>"""


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
    return framed(_template().render(title=title, rows=rows, head=head, texts=texts))


@lru_cache(maxsize=1)
def _template() -> Template:
    # Only here: nothing but a notebook should wait for it.
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(_TABLE.strip())
