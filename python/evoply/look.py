"""Style and colours that the page, the HTML reports and notebooks share.

`pieces.css` styles tables, charts, trees and facts by variables; each of the three gives these
their colours. Boards have their colours in `evoply.games.drawing`. This module knows nothing of
evoply.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

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
