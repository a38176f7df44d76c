"""Charts as files: SVG for pages and slides, PDF for papers."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from evoply.files import write_atomically

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
