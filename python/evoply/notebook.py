"""Tables for notebooks: light enough for pages of either brightness, every text escaped.

This module knows nothing of evoply.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["table_html"]

_TABLE = "border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums"
_CELL = "text-align:left;vertical-align:top;padding:2px 14px 2px 0"


def table_html(title: str, rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> str:
    """Return a heading, and a table whose first column, or *head* if it is given, stands back.

    >>> "&lt;b&gt;" in table_html("<b>", [("name", 1)])
    True
    """
    faint = f"{_CELL};opacity:.6;font-weight:normal"
    lines = []
    if head:
        names = "".join(f'<th style="{faint}">{escape(name)}</th>' for name in head)
        lines.append(f"<tr>{names}</tr>")
    for row in rows:
        cells = [
            f'<td style="{faint if not head and place == 0 else _CELL}">{escape(str(value))}</td>'
            for place, value in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div><p style="margin:0 0 6px"><strong>{escape(title)}</strong></p>'
        f'<table style="{_TABLE}">{"".join(lines)}</table></div>'
    )
