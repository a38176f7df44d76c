"""Dispatch of units of work to workers, and checks of their results.

Nothing here knows Dask: a pool takes a function and returns a future, as `concurrent.futures` does.
A future that was cancelled, or whose error the pool recognises, was lost with its worker or with
the scheduler, and its unit is submitted again; that is safe, because units are pure functions.
Every result is compared with its digest. A share of the units, chosen by their checksums, is
computed by a second worker; if the two differ, this process computes it a third time and names the
worker that was wrong.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import islice
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, Protocol

from evoply import _native
from evoply.arena.behaviour import signature
from evoply.protocols import (
    CHECK_SHARE,
    MALFORMED,
    Answer,
    ClusterError,
    Same,
    UnitError,
    UnitFunction,
    WrongResultError,
    packed,
    unpacked,
)
from evoply.wording import shorten

# The work of a worker: one unit, if it has the same evoply; and its identity.
#
# Workers import these functions by their names. Every result returns as bytes: evoply's exceptions
# never cross the network.

LISTENER: ContextVar[Callable[[float], object] | None] = ContextVar("LISTENER", default=None)
"""The callable that gets the share done of the running unit."""
_LONGEST_ERROR = 2000


def identity() -> dict[str, str]:
    """Return what decides whether two evoplys compute the same, and the worker's name."""
    return {"version": _native.__version__, "signature": signature(), "worker": _name()}


def perform(function: UnitFunction, data: bytes, version: str, expected: str) -> bytes:
    """Return *function* of *data* behind a header: its worker, its seconds, its digest.

    A worker of another *version* or behaviour (*expected* signature) does nothing and says so.
    """
    own = identity()
    if (own["version"], own["signature"]) != (version, expected):
        return packed({**own, "refused": True})
    begun = perf_counter()
    try:
        content = function(data)
    except ValueError as error:
        return packed({**own, "error": str(error)[:_LONGEST_ERROR]})
    except Exception:
        trace = traceback.format_exc(limit=-3)[-_LONGEST_ERROR:]
        return packed({**own, "error": f"an error of evoply's: {trace}"})
    seconds = perf_counter() - begun
    digest = hashlib.sha256(content).hexdigest()
    return packed({**own, "seconds": seconds, "digest": digest}, content)


def report(share: float) -> bool:
    """Report the *share* done of the running unit; return whether its result is still wanted.

    Dask cannot end a running function, so a long one checks here.
    """
    listener = LISTENER.get()
    if listener is not None:
        listener(share)
    current = _current()
    if current is None:
        return True
    worker, key = current
    task = worker.state.tasks.get(key)
    return task is not None and task.state == "executing"


def _name() -> str:
    current = _current()
    process = f"process {os.getpid()} on {socket.gethostname()}"
    return process if current is None else f"{current[0].address} ({process})"


def _current() -> tuple[Any, Any] | None:
    """Return Dask's worker and the key of the task, in a thread of a worker."""
    # Dask is not imported only to find that this is not a worker.
    distributed = sys.modules.get("distributed.worker")
    if distributed is None:
        return None
    try:
        return distributed.get_worker(), distributed.thread_state.key
    except (ValueError, AttributeError):
        return None


_AHEAD = 2
"""Units submitted for each slot: one runs, and one waits."""
_TICK = 0.2


class Pool(Protocol):
    """A pool of workers; `submit` is that of `concurrent.futures.Executor`."""

    @property
    def slots(self) -> int:
        """The number of units that run at a time, now."""

    def submit(self, function: Any, /, *arguments: Any, without: str = "") -> Future[bytes]:
        """Submit a call, but not to the worker called *without*, as `identity` names it."""

    def cancel_lost(self) -> None:
        """Cancel futures that will never end; called a few times a second while units wait."""

    def reconnect(self) -> None:
        """Reconnect to the workers after a unit was lost; `ClusterError` if that fails."""

    def is_lost(self, error: BaseException) -> bool:
        """Return whether an error of `submit` or of a future means that a worker was lost."""

    def explain(self, error: BaseException) -> str:
        """Return the reason why a unit could not start, in words for users."""

    def worker_of(self, future: Future[bytes]) -> str:
        """Return the worker that ended a call, for a result that does not say; "" if unknown."""


@dataclass(eq=False)
class _Task:
    """A submitted unit."""

    place: int
    data: bytes
    first: _Done | None = None
    """The result of another worker, to compare with."""


@dataclass(frozen=True, slots=True)
class _Done:
    worker: str
    seconds: float
    content: bytes


@dataclass(eq=False)
class Dispatcher:
    """The contract `evoply.protocols.Cluster`, for any pool."""

    pool: Pool
    check_share: float = CHECK_SHARE
    """The share of the units that are computed twice; 0: none, 1: all."""
    most_losses: int = 20
    """How often a unit is submitted again whose workers die."""
    lost: int = 0
    """Units that were submitted again, so far."""
    checked: int = 0
    """Units that were computed twice, so far."""
    lost_workers: tuple[str, ...] = ()
    """Workers that were lost before the first unit."""
    _own: dict[str, str] = field(default_factory=identity)

    def __post_init__(self) -> None:
        if not 0 <= self.check_share <= 1:
            raise ValueError(
                f"check_share: {self.check_share:g} is not a share - give a number from 0 (no unit "
                "is computed twice) to 1 (all are)"
            )

    @property
    def slots(self) -> int:
        """The number of units that run at a time, now."""
        return max(1, self.pool.slots)

    def results(
        self, function: UnitFunction, parts: Iterable[bytes], *, same: Same | None = bytes
    ) -> Iterator[Answer]:
        """Yield *function* of every part; see `evoply.protocols.Cluster`."""
        yield from _Job(self, function, same).results(parts)

    def is_checked(self, data: bytes) -> bool:
        """Return whether the unit of *data* is computed twice; always the same ones."""
        digest = hashlib.sha256(data).digest()
        return int.from_bytes(digest[:8], "little") < self.check_share * 2**64


class _Job:
    """One call of `Dispatcher.results`."""

    def __init__(self, owner: Dispatcher, function: UnitFunction, same: Same | None) -> None:
        self._owner = owner
        self._function = function
        self._same = same
        self._ended = SimpleQueue[Future[bytes]]()
        self._active: dict[Future[bytes], _Task] = {}
        self._lost: deque[_Task] = deque()
        self._losses: dict[int, int] = {}
        self._given_out: dict[str, list[int]] = {}
        """The places of the yielded results of each worker."""

    def results(self, parts: Iterable[bytes]) -> Iterator[Answer]:
        waiting = enumerate(parts)
        try:
            while True:
                self._submit(waiting)
                if not self._active:
                    if self._lost:
                        continue
                    return
                # With a timeout: a lock of another thread would block Ctrl-C.
                try:
                    future = self._ended.get(timeout=_TICK)
                except Empty:
                    self._owner.pool.cancel_lost()
                    continue
                task = self._active.pop(future, None)
                if task is not None:
                    yield from self._take_result(task, future)
        finally:
            for future in self._active:
                future.cancel()

    def _submit(self, waiting: Iterator[tuple[int, bytes]]) -> None:
        while self._lost:
            self._give(self._lost.popleft())
        room = _AHEAD * self._owner.slots - len(self._active)
        for index, data in islice(waiting, max(0, room)):
            self._give(_Task(index, data))

    def _give(self, task: _Task) -> None:
        own = self._owner._own
        arguments = self._function, task.data, own["version"], own["signature"]
        without = "" if task.first is None else task.first.worker
        try:
            future = self._owner.pool.submit(perform, *arguments, without=without)
        except Exception as error:
            if not self._owner.pool.is_lost(error):
                raise
            self._again(task, error)
            return
        self._active[future] = task
        future.add_done_callback(self._ended.put)

    def _again(self, task: _Task, error: BaseException) -> None:
        """Remember a unit that *error* lost, to submit it again once there are workers."""
        self._owner.lost += 1
        self._losses[task.place] = losses = self._losses.get(task.place, 0) + 1
        if losses > self._owner.most_losses:
            raise UnitError(
                f"cluster: the worker of one unit was lost {losses} times - look at the logs "
                "of the workers, whose memory or time may be too small for it",
                task.place,
                self._owner.pool.explain(error),
            ) from None
        self._owner.pool.reconnect()
        self._lost.append(task)

    def _take_result(self, task: _Task, future: Future[bytes]) -> Iterator[Answer]:
        """Check the result of *task*; yield it if it is complete."""
        try:
            data = future.result()
        except CancelledError as error:
            self._again(task, error)
            return
        except ClusterError:
            raise
        except Exception as error:
            if self._owner.pool.is_lost(error):
                self._again(task, error)
                return
            reason = self._owner.pool.explain(error)
            message = f"cluster: a unit could not be done: {reason}"
            raise UnitError(message, task.place, reason) from None
        done = self._read(data, task, future)
        if task.first is not None:
            self._owner.checked += 1
            done = self._compare(task, task.first, done)
        elif self._same is not None and self._owner.is_checked(task.data):
            self._give(_Task(task.place, task.data, first=done))
            return
        places = self._given_out.setdefault(done.worker, [])
        places.append(task.place)
        yield Answer(task.place, done.content, done.seconds, done.worker, places)

    def _read(self, data: bytes, task: _Task, future: Future[bytes]) -> _Done:
        """Return a worker's result; raise `ClusterError` if it refused, failed or is damaged."""
        try:
            header, blocks = unpacked(data)
            if "error" not in header and not header.get("refused"):
                done = _Done(str(header["worker"]), float(header["seconds"]), *blocks)
                is_whole = hashlib.sha256(done.content).hexdigest() == header["digest"]
            worker = str(header["worker"])
        except MALFORMED as error:
            worker = self._owner.pool.worker_of(future)
            raise self._wrong(worker, f"a result that cannot be read ({error})") from None
        if header.get("refused"):
            raise ClusterError(other_version(header, self._owner._own))
        if "error" in header:
            reason = shorten(str(header["error"]), 2000)
            raise UnitError(f"cluster: worker {worker} says: {reason}", task.place, reason)
        if not is_whole:
            raise self._wrong(worker, "a result that is not what its digest says")
        return done

    def _wrong(self, worker: str, what: str) -> WrongResultError:
        """Return the error for a result that is not that of its unit."""
        # A pool knows only the address, with which the worker's own name begins.
        places = [
            place
            for name, places in self._given_out.items()
            if worker and (name == worker or name.startswith(f"{worker} "))
            for place in places
        ]
        return Answer(-1, b"", 0.0, worker or "(unknown)", sorted(places)).wrong(what)

    def _compare(self, task: _Task, first: _Done, second: _Done) -> _Done:
        """Return *first* if the two agree; raise `WrongResultError` naming the wrong worker."""
        said = [(result.worker, self._what_counts(result.content)) for result in (first, second)]
        if said[0][1] == said[1][1]:
            return first
        right = self._what_counts(self._function(task.data))
        liars = [worker for worker, content in said if content != right]
        raise WrongResultError(
            f"cluster: worker {' and worker '.join(liars)} returned a wrong result: another "
            "computation, and one here, say otherwise. Take it out of the cluster, and look at its "
            "memory and its installation; what it did in this call is not kept",
            liars[0],
            sorted(index for liar in liars for index in self._given_out.get(liar, ())),
        )

    def _what_counts(self, content: bytes) -> object:
        """Return what every worker must compute alike; what cannot be read is like nothing else."""
        assert self._same is not None
        try:
            return self._same(content)
        except MALFORMED:
            return object()


def other_version(header: dict[str, Any], own: dict[str, str]) -> str:
    """Return the message about a worker that computes differently."""
    return (
        f"cluster: worker {header.get('worker')} has evoply {header.get('version')} (signature "
        f"{header.get('signature')}), and this is {own['version']} (signature {own['signature']})"
        " - install the same evoply there"
    )
