"""What long work needs: an estimate before it begins, a limit in seconds, and words for both."""

from __future__ import annotations

import _thread
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from evoply.cli.output import stderr

__all__ = ["TimeIsUpError", "limited", "say_estimate", "seconds_in_words"]

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


class TimeIsUpError(Exception):
    """The limit in seconds was reached before the work was done."""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `TimeIsUpError` inside the `with` once *seconds* have passed; None is no limit.

    Work in the kernel is stopped as Ctrl-C stops it.
    """
    if seconds is None:
        yield
        return
    is_up = False

    def interrupt() -> None:
        nonlocal is_up
        is_up = True
        _thread.interrupt_main()

    timer = Timer(max(seconds, 0.0), interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if not is_up:
            raise
        raise TimeIsUpError from None
    finally:
        timer.cancel()


def say_estimate(what: str, seconds: float) -> None:
    """Say on standard error how long *what* will take, if it is worth waiting for the words."""
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
