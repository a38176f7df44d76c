"""A bar on standard error while something is done, and a page beside it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evoply.cli.live_page import live_page
from evoply.cli.output import stderr


@contextmanager
def progress_bar(title: str, total: int, *, is_shown: bool) -> Iterator[Callable[[float], object]]:
    """Show a bar on standard error while something is done; yield the function that moves it."""
    console = stderr()
    if not (is_shown and console.is_terminal):
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeLeft(),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def share_bar(name: str) -> Iterator[Callable[..., object]]:
    """Show a bar of long work in a terminal; yield the function that moves it.

    It takes the share done, a count in words, and if known the seconds left and the stage.
    """
    console = stderr()
    if not console.is_terminal:
        yield lambda *_: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[count]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=1.0, count="")

        def show(share: float, count: str, seconds: float | None = None, stage: str = "") -> None:
            left = "" if seconds is None else f", {duration(seconds)} left"
            title = f"{name}: {stage}" if stage else name
            bar.update(task, completed=share, count=f"{count}{left}", description=title)

        yield show


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours.

    >>> duration(0.2), duration(95), duration(9000)
    ('1 s', '2 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


@contextmanager
def progress_and_page(
    title: str,
    total: int,
    path: Path | None,
    page_title: str,
    draw: Callable[..., str],
    words: Callable[[float], str],
    *,
    is_shown: bool,
) -> Iterator[tuple[Callable[[float], object], Callable[[Any], object] | None]]:
    """Show a bar, and keep the page at *path* up to date, if there is one, while work goes on.

    Yields a function that takes how much is done, and one that takes the result so far (None
    without a page). *draw* returns the page about a result; before, it has only its *page_title*.
    """

    def draw_page(result: Any, /, *, state: str, goes_on: bool) -> str:
        if result is None:  # no command without a page waits for it
            from evoply.reports.pages import Page, result_html

            return result_html(Page(page_title, ()), state=state, goes_on=goes_on)
        return draw(result, state=state, goes_on=goes_on)

    with (
        progress_bar(title, total, is_shown=is_shown) as moved,
        live_page(path, draw_page, words) as live,
    ):

        def move(done: float) -> None:
            moved(done)
            live.moved(done)

        yield move, None if path is None else live.show
