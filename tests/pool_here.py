"""Units of experiments in this process, for tests that do not ask how processes do them."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

from evoply.experiments import sent_units


class PoolHere:
    """A thread as `evoply.cluster.processes.ProcessPool`: to start Python takes longer than most
    units of tests."""

    slots = 1

    def __init__(self, slots: int, tended: Callable[[float], object]) -> None:
        self._tended = tended
        self._thread = ThreadPoolExecutor(1)
        sent_units._folder_at.cache_clear()  # which a process begins without

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=True)

    def submit(self, function: Any, /, *arguments: Any, without: str = "") -> Future[bytes]:
        return self._thread.submit(function, *arguments)

    def cancel_lost(self) -> None:
        self._tended(0.0)

    def reconnect(self) -> None:
        pass

    def is_lost(self, error: BaseException) -> bool:
        return False

    def explain(self, error: BaseException) -> str:
        return str(error)

    def worker_of(self, future: Future[bytes]) -> str:
        return ""
