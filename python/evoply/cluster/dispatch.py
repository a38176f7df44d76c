"""Units of work given to workers, and whom of them to believe.

Nothing here knows Dask: a pool takes a function and returns a future, as `concurrent.futures` does.
A future that was cancelled, or of whose error the pool says so, was lost with its worker or with
the scheduler, and its unit is given to somebody again; that is safe: units are pure functions.
Every result is compared with its digest. One unit in a hundred, drawn by a checksum of its own, is
computed by a second worker; if the two differ, this process computes it a third time and says who
was wrong.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from evoply.cluster.worker import identity, perform
from evoply.protocols import (
    Answer,
    ClusterError,
    Same,
    UnitError,
    UnitFunction,
    WrongResultError,
    unpacked,
)
from evoply.wording import shorten

CHECK_EVERY = 100
_AHEAD = 2
"""Units given out for each slot: one is done, and one waits beside it."""
_TICK = 0.2


class Pool(Protocol):
    """What gives functions to workers; `submit` is that of `concurrent.futures.Executor`."""

    @property
    def slots(self) -> int:
        """How many units are worked on at a time, now."""

    def submit(self, function: Any, /, *arguments: Any, without: str = "") -> Future[bytes]:
        """Give out a call; not to the worker called *without*, as `identity` names it."""

    def tend(self) -> None:
        """Cancel futures that nobody will end; called a few times a second while units wait."""

    def renew(self) -> None:
        """Find the way back to the workers, after a unit was lost; `ClusterError` if in vain."""

    def is_lost(self, error: BaseException) -> bool:
        """Return whether an error of `submit` or of a future says that a worker was lost."""

    def explain(self, error: BaseException) -> str:
        """Return why a unit could not even be begun, in words for users."""


@dataclass(eq=False)
class _Task:
    """A unit given to somebody."""

    place: int
    data: bytes
    first: _Done | None = None
    """What somebody else returned, with which this is compared."""


@dataclass(frozen=True, slots=True)
class _Done:
    worker: str
    seconds: float
    content: bytes


@dataclass(eq=False)
class Dispatcher:
    """The contract `evoply.protocols.Cluster`, for any pool."""

    pool: Pool
    check_every: int = CHECK_EVERY
    """One unit in so many is computed twice; 1: all."""
    most_losses: int = 20
    """How often a unit is given out again, of which all workers die."""
    lost: int = 0
    """Units that were given out again, so far."""
    checked: int = 0
    """Units that were computed twice, so far."""
    _own: dict[str, str] = field(default_factory=identity)

    @property
    def slots(self) -> int:
        """How many units are worked on at a time, now."""
        return max(1, self.pool.slots)

    def results(
        self, function: UnitFunction, parts: Iterable[bytes], *, same: Same | None = bytes
    ) -> Iterator[Answer]:
        """Yield *function* of every part; see `evoply.protocols.Cluster`."""
        yield from _Job(self, function, same).results(parts)

    def is_checked(self, data: bytes) -> bool:
        """Return whether the unit of *data* is computed twice; always the same ones."""
        digest = hashlib.sha256(data).digest()
        return int.from_bytes(digest[:8], "little") % self.check_every == 0


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
        """The places of the results of each worker that were yielded."""

    def results(self, parts: Iterable[bytes]) -> Iterator[Answer]:
        waiting = enumerate(parts)
        try:
            while True:
                self._submit(waiting)
                if not self._active:
                    if self._lost:
                        continue
                    return
                # A wait with an end: a lock held by another thread would keep Ctrl-C out.
                try:
                    future = self._ended.get(timeout=_TICK)
                except Empty:
                    self._owner.pool.tend()
                    continue
                task = self._active.pop(future, None)
                if task is not None:
                    yield from self._taken(task, future)
        finally:
            for future in self._active:
                future.cancel()

    def _submit(self, waiting: Iterator[tuple[int, bytes]]) -> None:
        while self._lost:
            self._give(self._lost.popleft())
        room = _AHEAD * self._owner.slots - len(self._active)
        for place, data in islice(waiting, max(0, room)):
            self._give(_Task(place, data))

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
        """Remember a unit that was lost by *error*, to be given out once there are workers."""
        self._owner.lost += 1
        self._losses[task.place] = losses = self._losses.get(task.place, 0) + 1
        if losses > self._owner.most_losses:
            raise UnitError(
                f"cluster: {losses} times whoever worked on one unit was lost - look at the logs "
                "of the workers, whose memory or time may be too small for it",
                task.place,
                self._owner.pool.explain(error),
            ) from None
        self._owner.pool.renew()
        self._lost.append(task)

    def _taken(self, task: _Task, future: Future[bytes]) -> Iterator[Answer]:
        """Take what came of *task*; yield it if it is done with."""
        try:
            done = _believed(future.result(), task.place, self._owner._own)
        except CancelledError as error:
            self._again(task, error)
            return
        except WrongResultError as error:
            places = tuple(self._given_out.get(error.worker, ()))
            raise WrongResultError(str(error), error.worker, places) from None
        except ClusterError:
            raise
        except Exception as error:
            if self._owner.pool.is_lost(error):
                self._again(task, error)
                return
            said = self._owner.pool.explain(error)
            message = f"cluster: a unit could not be done: {said}"
            raise UnitError(message, task.place, said) from None
        if task.first is not None:
            self._owner.checked += 1
            done = self._compared(task, task.first, done)
        elif self._same is not None and self._owner.is_checked(task.data):
            self._give(_Task(task.place, task.data, first=done))
            return
        self._given_out.setdefault(done.worker, []).append(task.place)
        yield Answer(task.place, done.content, done.seconds, done.worker)

    def _compared(self, task: _Task, first: _Done, second: _Done) -> _Done:
        """Return *first* if the two agree; raise `WrongResultError` naming who was wrong."""
        assert self._same is not None
        if self._same(first.content) == self._same(second.content):
            return first
        right = self._same(self._function(task.data))
        liars = [one.worker for one in (first, second) if self._same(one.content) != right]
        raise WrongResultError(
            f"cluster: worker {' and worker '.join(liars)} returned a wrong result: another "
            "computation, and one here, say otherwise. Take it out of the cluster, and look at its "
            "memory and its installation; what it did in this call is not kept",
            liars[0],
            sorted(place for liar in liars for place in self._given_out.get(liar, ())),
        )


def _believed(data: bytes, place: int, own: dict[str, str]) -> _Done:
    """Return what a worker returned; raise `ClusterError` if it refused, failed or was damaged."""
    try:
        header, blocks = unpacked(data)
        worker = str(header["worker"])
        if header.get("refused"):
            raise ClusterError(other_version(header, own))
        if "error" in header:
            said = shorten(header["error"], 2000)
            raise UnitError(f"cluster: worker {worker} says: {said}", place, said)
        (content,) = blocks
        seconds, digest = float(header["seconds"]), header["digest"]
    except ClusterError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise WrongResultError(f"cluster: a worker returned what is no result: {error}") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise WrongResultError(
            f"cluster: worker {worker} returned a result that is not what its digest says. Take "
            "it out of the cluster, and look at its memory",
            worker,
        )
    return _Done(worker, seconds, content)


def other_version(told: dict[str, Any], own: dict[str, str]) -> str:
    """Return what is said of a worker that computes differently."""
    return (
        f"cluster: worker {told.get('worker')} has evoply {told.get('version')} (signature "
        f"{told.get('signature')}), and this is {own['version']} (signature {own['signature']}) - "
        "install the same evoply there"
    )
