"""What evolution shows while it runs: a live panel in a terminal, plain lines elsewhere.

Views only look: nothing they do changes a run.
"""

from __future__ import annotations

from itertools import pairwise
from time import monotonic
from typing import Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from evoply.cli.output import percent
from evoply.evolution import EvolutionConfig, Generation, Progress
from evoply.wording import shorten

__all__ = ["LiveView", "PlainView", "View", "view_on"]

_CURVE_LENGTH = 48
_FIRST_LINES = 10
_SECONDS_BETWEEN_LINES = 1.0
_STAGES = {
    "training": "training games of generation {}",
    "fresh": "fresh games of generation {}",
    "final": "final test of the hall of fame",
}


class View(Protocol):
    """Shows generations as they come and the progress within one."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def progress(self, progress: Progress, /) -> None:
        """Take note of how far the generation in the making has come."""

    def show(self, generation: Generation, /) -> None:
        """Show a finished generation."""


def view_on(console: Console, config: EvolutionConfig, name: str) -> View:
    """Return the view that suits *console*, for the run called *name*."""
    return LiveView(console, config, name) if console.is_terminal else PlainView(console)


class PlainView:
    """A line for each of the first generations, then at most one a second, then the last."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._printed = 0
        self._time = float("-inf")
        self._held: Generation | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            self._print(self._held)

    def progress(self, progress: Progress, /) -> None:
        """Show nothing: lines are for finished generations."""

    def show(self, generation: Generation, /) -> None:
        """Print a line, or hold the generation back until the next one or the end."""
        is_early = self._printed < _FIRST_LINES
        if is_early or monotonic() - self._time >= _SECONDS_BETWEEN_LINES:
            self._print(generation)
        else:
            self._held = generation

    def _print(self, generation: Generation) -> None:
        self._held = None
        self._printed += 1
        self._time = monotonic()
        self._console.print(str(generation), soft_wrap=True)


class LiveView:
    """A panel that is drawn again and again in its place."""

    def __init__(self, console: Console, config: EvolutionConfig, name: str) -> None:
        self._config = config
        self._name = name
        self._generation: Generation | None = None
        self._progress: Progress | None = None
        self._best: list[float] = []
        self._mean: list[float] = []
        self._shown_at = monotonic()
        self._is_over = False
        is_unicode = console.encoding.lower().startswith("utf")
        self._levels = "▁▂▃▄▅▆▇█" if is_unicode else ".:-=+*#@"
        self._live = Live(
            get_renderable=self._panel,
            console=console,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._live.stop()

    def progress(self, progress: Progress, /) -> None:
        """Take note; the panel is drawn again by itself."""
        self._progress = progress

    def show(self, generation: Generation, /) -> None:
        """Show the numbers of *generation* from now on."""
        self._generation = generation
        self._progress = None
        self._best.append(generation.statistics.best_fresh)
        self._mean.append(generation.statistics.mean_fresh)
        self._shown_at = monotonic()

    def _panel(self) -> Panel:
        parts: list[Table | Text] = [] if self._generation is None else self._facts()
        if not self._is_over:
            parts.append(self._bar())
        title = Text.assemble((self._name, "bold"), f" · {self._config.game}")
        return Panel(Group(*parts), title=title, title_align="left", padding=(0, 1), width=84)

    def _facts(self) -> list[Table | Text]:
        generation = self._generation
        assert generation is not None
        numbers = generation.statistics
        of = f" of {self._config.generations - 1:,}" if self._config.generations else ""
        grid = Table.grid(padding=(0, 2))
        for style, width in (("dim", 17), ("bold", 18), ("dim", 16), ("bold", 20)):
            grid.add_column(style=style, width=width)
        best, mean = percent(numbers.best_fresh), percent(numbers.mean_fresh)
        size = f"{numbers.best_size} (mean {numbers.mean_size:.1f})"
        rate = f"{generation.games_per_second:,.0f}"
        grid.add_row("generation", f"{generation.number:,}{of}", "time left", self._time_left())
        grid.add_row("best, fresh games", best, "games per second", rate)
        grid.add_row("mean, fresh games", mean, "tree size", size)
        trees = f"{percent(numbers.diversity)}"
        grid.add_row("best, training", percent(numbers.best), "different trees", trees)
        curves = Table.grid(padding=(0, 2))
        curves.add_column(style="dim", width=17)
        curves.add_column(width=_CURVE_LENGTH, no_wrap=True)
        curves.add_row("best so far", Text(curve(self._best, self._levels), style="green"))
        curves.add_row("mean so far", Text(curve(self._mean, self._levels), style="cyan"))
        champion = Text.assemble(
            ("champion           ", "dim"), shorten(str(generation.champion), 58)
        )
        return [grid, curves, champion]

    def _bar(self) -> Table:
        progress = self._progress
        number = 0 if self._generation is None else self._generation.number + 1
        stage = _STAGES["training"] if progress is None else _STAGES[progress.stage]
        row = Table.grid(padding=(0, 2))
        row.add_column(width=38)
        row.add_column(width=28)
        row.add_column(justify="right", width=6)
        done = progress.done / max(progress.games, 1) if progress else 0.0
        row.add_row(stage.format(number), ProgressBar(100, 100 * done), f"{100 * done:.0f} %")
        return row

    def _time_left(self) -> str:
        generation = self._generation
        if generation is None or generation.seconds.left is None:
            return "no limit"
        return duration(max(0.0, generation.seconds.left - (monotonic() - self._shown_at)))


def curve(values: list[float], levels: str) -> str:
    """Return *values* as a line of small bars, lowest to highest; neighbours are averaged.

    >>> curve([0.1, 0.2, 0.3], "abc")
    'abc'
    """
    if not values:
        return ""
    count = min(len(values), _CURVE_LENGTH)
    edges = [len(values) * index // count for index in range(count + 1)]
    means = [sum(values[start:end]) / (end - start) for start, end in pairwise(edges)]
    low, high = min(means), max(means)
    steps = len(levels) - 1
    return "".join(
        levels[round(steps * (value - low) / (high - low)) if high > low else steps // 2]
        for value in means
    )


def duration(seconds: float) -> str:
    """Return a time in minutes and seconds, with hours if there are any.

    >>> duration(83.2), duration(3723)
    ('1:23', '1:02:03')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
