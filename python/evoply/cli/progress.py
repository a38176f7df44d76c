"""What is shown while work goes on: a bar on standard error, and a page that is written again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from evoply.cli.output import stderr
from evoply.files import write_atomically
from evoply.throttle import Pace

Result = TypeVar("Result")
_Drawn = TypeVar("_Drawn", contravariant=True)


class _Drawing(Protocol[_Drawn]):
    """Returns a page about the result so far, None before there is one."""

    def __call__(self, result: _Drawn | None, /, *, state: str, goes_on: bool) -> str: ...


class LivePage(Generic[Result]):
    """The page at *path* while the work goes on; None: no page.

    It is written whole every few seconds: the progress that `moved` got last, put into words by
    *words*, and below it the result that `show` got last. If it cannot be written, the work goes on
    without it.
    """

    def __init__(
        self,
        path: Path | None,
        draw: _Drawing[Result],
        words: Callable[[float], str],
    ) -> None:
        # Only a file can be written twice.
        can_be_anew = path is not None and (path.is_file() or not path.exists())
        self._path = path if can_be_anew else None
        self._before: bytes | None = None
        if self._path is not None and self._path.is_file():
            try:
                self._before = self._path.read_bytes()
            except OSError:  # what cannot be put back is not overwritten before there is a result
                self._path = None
        self._draw = draw
        self._words = words
        self._done = 0.0
        self._result: Result | None = None
        self._pace = Pace()
        self._is_written = False

    def moved(self, done: float) -> None:
        """Note how much is done."""
        self._done = done
        self._pace.look(self._write)

    def show(self, result: Result) -> None:
        """Note the result so far."""
        self._result = result
        self._pace.look(self._write)

    def stopped(self) -> None:
        """Say on the page that the work has ended too early.

        If nothing was done, such as after a mistyped option, the earlier file comes back.
        """
        if self._path is None or not self._is_written:
            return
        if self._done or self._result is not None:
            self._write(goes_on=False)
            return
        with suppress(OSError):
            if self._before is None:
                self._path.unlink(missing_ok=True)
            else:
                write_atomically(self._path, self._before)

    def _write(self, *, goes_on: bool = True) -> None:
        if self._path is None:
            return
        state = f"{'Still going on' if goes_on else 'Stopped'}: {self._words(self._done)}"
        text = self._draw(self._result, state=state, goes_on=goes_on)
        with suppress(OSError):
            write_atomically(self._path, text)
            self._is_written = True


@contextmanager
def live_page(
    path: Path | None,
    draw: _Drawing[Result],
    words: Callable[[float], str],
) -> Iterator[LivePage[Result]]:
    """Yield a `LivePage`; if an error or Ctrl-C ends the work, the page says so."""
    live = LivePage(path, draw, words)
    try:
        live.moved(0)  # some work says nothing for long
        yield live
    except BaseException:
        live.stopped()
        raise


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

    It takes the share done, a count in words, and the seconds left if they are known.
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

        def show(share: float, count: str, seconds: float | None = None) -> None:
            left = "" if seconds is None else f", {duration(seconds)} left"
            bar.update(task, completed=share, count=f"{count}{left}")

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
            from evoply.reports.pages import result_html
            from evoply.sections import Page

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
