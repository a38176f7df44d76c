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
        from evoply.reports.pages import begun_html  # no command without a page waits for it

        if result is None:
            return begun_html(page_title, state=state, goes_on=goes_on)
        return draw(result, state=state, goes_on=goes_on)

    with (
        progress_bar(title, total, is_shown=is_shown) as moved,
        live_page(path, draw_page, words) as live,
    ):

        def move(done: float) -> None:
            moved(done)
            live.moved(done)

        yield move, None if path is None else live.show
