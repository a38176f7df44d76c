"""What long work needs: an estimate, a limit in seconds, progress, an early end, and its result."""

from __future__ import annotations

import _thread
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from evoply.arena.throttle import Pace
from evoply.cli.output import Output, StoppedError, made, quiet, stderr
from evoply.environment.files import write_atomically
from evoply.protocols import CHECK_SHARE

if TYPE_CHECKING:
    from evoply.cli.shared_options import ClusterOptions
    from evoply.cluster import Dispatcher


Result = TypeVar("Result")

_WORTH_SAYING = 2.0
"""Work of fewer seconds is done before its estimate is read."""
_UNITS = (
    (365.25 * 86_400, "year"),
    (86_400.0, "day"),
    (3_600.0, "hour"),
    (60.0, "minute"),
    (1.0, "second"),
)
_MOST_YEARS = 1e6


@dataclass(slots=True)
class Early:
    """Whether work ended before it was done, and how."""

    is_stopped: bool = False
    """Ctrl-C came."""
    is_late: bool = False
    """The limit in seconds was reached."""


@contextmanager
def ending_early(seconds: float | None = None) -> Iterator[Early]:
    """End the `with` at Ctrl-C, or once *seconds* have passed (None: no limit); yield which it was.

    Work in the kernel is stopped by the limit as Ctrl-C stops it.
    """
    early, is_up = Early(), False

    def interrupt() -> None:
        nonlocal is_up
        is_up = True
        _thread.interrupt_main()

    timer = None if seconds is None else Timer(max(seconds, 0.0), interrupt)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield early
    except KeyboardInterrupt:
        early.is_stopped, early.is_late = not is_up, is_up
    finally:
        if timer is not None:
            timer.cancel()


@contextmanager
def on_cluster(
    chosen: ClusterOptions, output: Output, check_share: float = CHECK_SHARE
) -> Iterator[Dispatcher | None]:
    """Yield the cluster that --cluster names, None without one; `ClusterError` if it is missing.

    *check_share* is that of a config, for the case that --check-share was not given. Dask's own
    messages, such as those about workers that died, are left out: evoply says what matters of them.
    """
    if chosen.cluster is None:
        if chosen.check_share is not None:
            raise ValueError("--check-share: it is for the workers of --cluster - give one, too")
        yield None
        return
    from evoply.cluster import connect

    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    share = check_share if chosen.check_share is None else chosen.check_share
    with connect(chosen.cluster, check_share=share) as cluster:
        workers = f"{cluster.slots} unit{'s' * (cluster.slots != 1)} at a time"
        output.say(f"Cluster: {chosen.cluster}, {workers}")
        for address in cluster.lost_workers:
            output.say(f"Worker {address} was lost while evoply connected; the others go on.")
        yield cluster
        if cluster.lost:
            output.say(f"{cluster.lost:,} units were lost with their workers and done again.")


def played(play: Callable[[], Result]) -> tuple[Result, bool]:
    """Return the result of *play*, or its part when Ctrl-C came, and whether Ctrl-C came."""
    from evoply.arena import StoppedWithResultError

    try:
        return play(), False
    except StoppedWithResultError as stop:
        return stop.result, True


def give(output: Output, data: dict[str, Any], stopped: str = "") -> None:
    """Print *data* as JSON; raise `StoppedError` if *stopped* says that Ctrl-C ended the work."""
    if stopped:
        raise StoppedError(stopped, data)
    output.result(data)


def give_played(output: Output, data: dict[str, Any], stopped: str) -> None:
    """Give what was played; *stopped* is that of `give`, and a part says that it is not all."""
    give(output, made({**data, "complete": False} if stopped else data), stopped)


def say_estimate(what: str, seconds: float) -> None:
    """Say on standard error how long *what* will take, unless that is very short."""
    if seconds >= _WORTH_SAYING:
        stderr().print(
            f"{what}: {seconds_in_words(seconds)}; Ctrl-C stops and keeps what is done",
            soft_wrap=True,
        )


def seconds_in_words(seconds: float) -> str:
    """Return a rough time for people.

    >>> seconds_in_words(0.2), seconds_in_words(90), seconds_in_words(1e9), seconds_in_words(1e30)
    ('about 1 second', 'about 2 minutes', 'about 32 years', 'more than a million years')
    """
    if seconds >= _MOST_YEARS * _UNITS[0][0]:
        return "more than a million years"
    for unit, name in _UNITS:
        count = round(seconds / unit)
        if seconds >= unit:
            return f"about {count:,} {name}{'s' * (count > 1)}"
    return "about 1 second"


# What is shown while work goes on: a bar on standard error, and a page that is written again.

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
def progress_bar(
    title: str, total: int, *, is_shown: bool = True
) -> Iterator[Callable[[float], object]]:
    """Show a bar on standard error while something is done; yield the function that moves it."""
    console = stderr()
    if not is_shown or quiet.get() or not console.is_terminal:
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
    if quiet.get() or not console.is_terminal:
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
) -> Iterator[tuple[Callable[[float], object], Callable[[Any], object] | None]]:
    """Show a bar, and keep the page at *path* up to date, if there is one, while work goes on.

    Yields a function that takes how much is done, and one that takes the result so far (None
    without a page). *draw* returns the page about a result; before, it has only its *page_title*.
    """

    def draw_page(result: Any, /, *, state: str, goes_on: bool) -> str:
        if result is None:  # no command without a page waits for it
            from evoply.protocols.sections import Page
            from evoply.reports.pages import result_html

            return result_html(Page(page_title, ()), state=state, goes_on=goes_on)
        return draw(result, state=state, goes_on=goes_on)

    with (
        progress_bar(title, total) as moved,
        live_page(path, draw_page, words) as live,
    ):

        def move(done: float) -> None:
            moved(done)
            live.moved(done)

        yield move, None if path is None else live.show
