"""What long work needs: an estimate before it begins, a limit in seconds, and words for both."""

from __future__ import annotations

import _thread
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import TYPE_CHECKING, Any, TypeVar

from evoply.cli.output import Output, StoppedError, made, stderr
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
