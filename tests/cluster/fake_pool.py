"""A pool that reorders, loses, repeats and falsifies what it is given, by a seed."""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from evoply._native import Stream
from evoply.protocols import packed, unpacked


class GoneError(Exception):
    """A worker was lost."""


@dataclass(eq=False)
class FakePool:
    """Threads as workers; each call ends when it likes to, or is lost."""

    workers: int = 2
    seed: int = 0
    losses: float = 0.0
    """The share of calls that are lost, half of them after they were done."""
    liars: frozenset[str] = frozenset()
    """Workers whose results are falsified, with a digest that fits."""
    damages: bool = False
    """Whether bytes are changed on the way, so that the digest does not fit."""
    lie: str = "bit"
    """What liars do: change a "bit", return "nothing" as content, or "noise" in place of all."""
    version: str = ""
    """Another version that all workers have."""
    done: list[Any] = field(default_factory=list)
    renewed: int = 0

    def __post_init__(self) -> None:
        self._stream = Stream(self.seed, "fake pool")
        self._threads = ThreadPoolExecutor(self.workers)
        self._workers: dict[Future[bytes], str] = {}

    def __enter__(self) -> FakePool:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()

    @property
    def slots(self) -> int:
        return self.workers

    def submit(self, function: Any, /, *arguments: Any, without: str = "") -> Future[bytes]:
        names = [f"fake-{number}" for number in range(self.workers)]
        others = [name for name in names if name != without] or names
        worker = others[self._stream.below(len(others))]
        fate, delay = self._stream.random(), self._stream.random() * 0.003
        if fate < self.losses / 4:
            raise GoneError
        future = Future[bytes]()
        self._workers[future] = worker
        self._threads.submit(self._end, future, function, arguments, worker, fate, delay)
        return future

    def cancel_lost(self) -> None:
        pass

    def reconnect(self) -> None:
        self.renewed += 1

    def is_lost(self, error: BaseException) -> bool:
        return isinstance(error, GoneError)

    def explain(self, error: BaseException) -> str:
        return repr(error)

    def worker_of(self, future: Future[bytes]) -> str:
        return self._workers.get(future, "")

    def _end(
        self,
        future: Future[bytes],
        function: Any,
        arguments: tuple[Any, ...],
        worker: str,
        fate: float,
        delay: float,
    ) -> None:
        time.sleep(delay)
        if fate < self.losses / 2:
            future.cancel()
            future.set_running_or_notify_cancel()
            return
        self.done.append(arguments[1])
        if self.version:
            arguments = (*arguments[:2], self.version, arguments[3])
        header, blocks = unpacked(function(*arguments))
        header["worker"] = worker
        if worker in self.liars:
            blocks = [bytes([blocks[0][0] ^ 1]) + blocks[0][1:] if self.lie == "bit" else b""]
            header["digest"] = hashlib.sha256(blocks[0]).hexdigest()
        if self.damages:
            blocks = [blocks[0] + b"!"]
        if future.cancelled():
            return
        if fate < self.losses:
            future.set_exception(GoneError())
        else:
            is_noise = worker in self.liars and self.lie == "noise"
            future.set_result(b"\x00noise" if is_noise else packed(header, *blocks))
