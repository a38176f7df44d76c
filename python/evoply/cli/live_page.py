"""A page about running work, which is written again while the work goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar

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
