"""What evolution shows while it runs: a live panel in a terminal, plain lines elsewhere.

Views only look: nothing they do changes a run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from time import monotonic
from typing import Any, Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from evoply.cli.output import percent
from evoply.evolution import EvolutionConfig, Generation, Progress, fitness_text

__all__ = ["LiveView", "PlainView", "View", "view_on"]

_WIDTH = 80
"""Columns of the panel where the terminal has them."""
_FRAME = 4
_LABEL = 21
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


def view_on(
    console: Console,
    config: EvolutionConfig,
    name: str,
    earlier: Sequence[Mapping[str, Any]] = (),
) -> View:
    """Return the view that suits *console*, for the run called *name*.

    *earlier* are the rows of the generations that are stored already.
    """
    if not console.is_terminal:
        return PlainView(console)
    return LiveView(console, config, name, earlier)


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

    def __init__(
        self,
        console: Console,
        config: EvolutionConfig,
        name: str,
        earlier: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._console = console
        self._config = config
        self._name = name
        self._generation: Generation | None = None
        self._progress: Progress | None = None
        self._best = [float(row["best_fresh"]) for row in earlier]
        self._mean = [float(row["mean_fresh"]) for row in earlier]
        scores = (_against_greedy(json.loads(row["fresh"])) for row in earlier)
        self._greedy = [score for score in scores if score is not None]
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
        score = _against_greedy([asdict(result) for result in generation.fresh])
        if score is not None:
            self._greedy.append(score)
        self._shown_at = monotonic()

    def _panel(self) -> Panel:
        width = min(_WIDTH, self._console.width)
        inner = width - _FRAME
        parts: list[Table | Text] = [] if self._generation is None else self._facts(inner)
        if not self._is_over:
            parts.append(self._bar(inner))
        title = Text.assemble((self._name, "bold"), f" · {self._config.game}")
        return Panel(Group(*parts), title=title, title_align="left", padding=(0, 1), width=width)

    def _facts(self, width: int) -> list[Table | Text]:
        generation = self._generation
        assert generation is not None
        champion = Text.assemble(
            (f"{'champion':<{_LABEL + 2}}", "dim"), str(generation.champion).replace("\n", " ")
        )
        champion.no_wrap, champion.overflow = True, "ellipsis"
        return [self._numbers(generation, width), *self._curves(width), champion]

    def _numbers(self, generation: Generation, width: int) -> Table:
        """Return what is known of the generation, in two columns where there is room."""
        numbers = generation.statistics
        of = f" of {self._config.generations - 1:,}" if self._config.generations else ""
        facts = (
            ("generation", f"{generation.number:,}{of}"),
            ("best, fresh games", percent(numbers.best_fresh)),
            ("mean, fresh games", percent(numbers.mean_fresh)),
            ("best, training", fitness_text(self._config, numbers.best)),
            ("time left", self._time_left()),
            ("games per second", f"{generation.games_per_second:,.0f}"),
            ("tree size", f"{numbers.best_size} (mean {numbers.mean_size:.1f})"),
            ("different trees", percent(numbers.diversity)),
        )
        grid = Table.grid(padding=(0, 2))
        columns = 2 if width >= _WIDTH - _FRAME else 1
        for label, value in ((_LABEL, 16), (16, None))[:columns]:
            grid.add_column(style="dim", width=label, no_wrap=True)
            grid.add_column(style="bold", width=value, no_wrap=True, overflow="ellipsis")
        half = len(facts) // columns
        for row in range(half):
            grid.add_row(*facts[row], *(facts[half + row] if columns == 2 else ()))
        return grid

    def _curves(self, width: int) -> list[Table | Text]:
        """Return how the generations did; against greedy too, who never changes."""
        length = max(1, min(_CURVE_LENGTH, width - _LABEL - 2))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", width=_LABEL, no_wrap=True)
        grid.add_column(no_wrap=True)

        def add(label: str, values: list[float], color: str) -> None:
            grid.add_row(label, Text(curve(values, self._levels, length), style=color))

        add("best, each generation", self._best, "green")
        add("mean, each generation", self._mean, "cyan")
        if self._greedy:
            bars = curve(self._greedy, self._levels, max(1, length - 8))
            text = Text.assemble((bars, "yellow"), (f" {percent(self._greedy[-1])}", "bold"))
            grid.add_row("best against greedy", text)
        if not self._config.fitness.earlier_generations.champions:
            return [grid]
        note = Text(f"{'':<{_LABEL + 2}}opponents grow stronger: level is progress", style="dim")
        note.no_wrap, note.overflow = True, "ellipsis"
        return [grid, note]

    def _bar(self, width: int) -> Table:
        progress = self._progress
        number = 0 if self._generation is None else self._generation.number + 1
        stage = _STAGES["training"] if progress is None else _STAGES[progress.stage]
        text = min(38, max(1, width - 6 - 4 - 10))
        row = Table.grid(padding=(0, 2))
        row.add_column(width=text, no_wrap=True, overflow="ellipsis")
        row.add_column(width=max(1, min(28, width - text - 6 - 4)))
        row.add_column(justify="right", width=6, no_wrap=True)
        done = progress.done / max(progress.games, 1) if progress else 0.0
        row.add_row(stage.format(number), ProgressBar(100, 100 * done), f"{100 * done:.0f} %")
        return row

    def _time_left(self) -> str:
        generation = self._generation
        if generation is None or generation.timing.left is None:
            return "no limit"
        return duration(max(0.0, generation.timing.left - (monotonic() - self._shown_at)))


def _against_greedy(results: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the best individual's points per fresh game against greedy, if it was met."""
    return next((float(one["best"]) for one in results if one["opponent"] == "greedy"), None)


def curve(values: list[float], levels: str, length: int = _CURVE_LENGTH) -> str:
    """Return *values* as a line of small bars, lowest to highest, at most *length* of them.

    Neighbours are averaged.

    >>> curve([0.1, 0.2, 0.3], "abc")
    'abc'
    """
    if not values:
        return ""
    count = min(len(values), length)
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
