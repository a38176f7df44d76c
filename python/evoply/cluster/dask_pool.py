"""Dask as a pool: an existing cluster by its address, a client of the user's, or a local one.

Dask schedules, moves bytes and brings units of dead workers to others. This module only reconnects
to a restarted scheduler, and notices results that will never come.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from evoply.cluster.dispatch import Dispatcher, identity, other_version
from evoply.protocols import CHECK_SHARE, Cluster, ClusterError
from evoply.wording import shorten

_PATIENCE = 600.0
"""Seconds to wait for a lost scheduler."""
_FIRST_WORKER = 60.0
_CONNECT = 10.0
_LOOK = 1.0
"""Seconds for which the number of workers is cached."""
_MOST_LOCAL = 256
_LIGHT = {
    # Data for Dask's dashboard, which a local cluster does not have: on four workers it took 18 %
    # of a core, even while idle.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
    # Without Dask's own limit, which returns freed memory to the system at once, so that it comes
    # back page by page with the next unit.
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1},
}
"""Settings of a local cluster that differ from Dask's."""
_LOCAL = re.compile(r"local:([0-9]{1,4})")
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+")


@contextmanager
def connect(cluster: object, *, check_share: float = CHECK_SHARE) -> Iterator[Dispatcher]:
    """Yield the cluster that *cluster* names, until the end of the `with`.

    That is "local:N", N processes of one thread on this machine, which end with it; the address
    of a Dask scheduler, such as "tcp://host:8786"; or a `distributed.Client`, which stays open.
    *check_share* is the share of the units of work that a second worker computes too, from 0 to 1:
    what they say is compared.

    Raises `ValueError` or `TypeError` for anything else, and `ClusterError` if Dask is not
    installed, if no scheduler or worker answers, or if a worker has another version of evoply.

    >>> with connect("somewhere") as cluster:
    ...     pass
    Traceback (most recent call last):
        ...
    ValueError: cluster: 'somewhere' is not a cluster - give local:N, such as local:4, or ...
    """
    local = None
    if isinstance(cluster, str):
        local = _LOCAL.fullmatch(cluster)
        if local is None and _ADDRESS.fullmatch(cluster) is None:
            raise ValueError(
                f"cluster: {shorten(cluster)!r} is not a cluster - give local:N, such as local:4, "
                "or the address of a Dask scheduler, such as tcp://host:8786"
            )
    dask = _dask()
    if local is not None:
        with _local(dask, int(local[1])) as address, _pool(*address, is_local=True) as pool:
            yield _dispatcher(pool, check_share)
    elif isinstance(cluster, str):
        with _pool(cluster) as pool:
            yield _dispatcher(pool, check_share)
    elif isinstance(cluster, dask.Client):
        with _pool(cluster.scheduler.address, cluster.security, cluster) as pool:
            yield _dispatcher(pool, check_share)
    else:
        raise TypeError(
            f"cluster: {shorten(repr(cluster))} is not a cluster - give local:N, the address of a "
            "Dask scheduler, or a distributed.Client"
        )


def _dispatcher(pool: DaskPool, check_share: float) -> Dispatcher:
    return Dispatcher(pool, check_share, lost_workers=tuple(sorted(pool.lost)))


@contextmanager
def opened(cluster: object) -> Iterator[Cluster | None]:
    """Yield *cluster* itself if it is open already or None; otherwise as `connect` does."""
    if cluster is None or hasattr(cluster, "results"):
        yield cluster  # type: ignore[misc]  # it has the methods of the contract
    else:
        with connect(cluster) as dispatcher:
            yield dispatcher


def _dask() -> Any:
    try:
        import distributed
    except ImportError:
        from evoply.environment.prerequisites import missing_package

        raise ClusterError(f"cluster: {missing_package('distributed')}") from None
    return distributed


@contextmanager
def _local(dask: Any, workers: int) -> Iterator[tuple[str, Any]]:
    """Yield address and keys of a cluster on this machine, which nobody else can reach."""
    if not 1 <= workers <= _MOST_LOCAL:
        raise ValueError(
            f"cluster: local:{workers} - give a number of workers from 1 to {_MOST_LOCAL}"
        )
    from dask import config as dask_config

    # Whoever reaches a scheduler may run anything: others on this machine have no key.
    security = dask.Security.temporary()
    with dask_config.set(_LIGHT):  # which workers get as they are started
        cluster = dask.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            protocol="tls",
            security=security,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            memory_limit=0,
            silence_logs=50,
            preload=["evoply.cluster.preload"],
        )
    try:
        yield cluster.scheduler_address, security
    finally:
        cluster.close(timeout=5)


@contextmanager
def _pool(
    address: str, security: Any = None, client: Any = None, *, is_local: bool = False
) -> Iterator[DaskPool]:
    pool = DaskPool(address, security, client, is_local=is_local)
    try:
        pool.begin()
        yield pool
    finally:
        pool.close()


@dataclass(eq=False)
class _Call:
    """A submitted call."""

    remote: Any
    client: Any
    only: frozenset[str] = frozenset()
    """The workers that may do it; empty: all."""


class DaskPool:
    """The contract `evoply.cluster.dispatch.Pool` over a Dask scheduler."""

    def __init__(
        self, address: str, security: Any = None, client: Any = None, *, is_local: bool = False
    ) -> None:
        self._address = address
        self._security = security
        self._theirs = client
        """The user's client, which is not closed."""
        self._client: Any = client
        self._calls: dict[Future[bytes], _Call] = {}
        self._remotes = WeakKeyDictionary[Future[bytes], Any]()
        """Dask's futures of calls whose results somebody still looks at."""
        self.lost: set[str] = set()
        """The workers that were lost before the first unit."""
        self._lock = threading.Lock()
        self._here: ThreadPoolExecutor | None = None
        self._threads: dict[str, int] = {}
        self._looked = -_LOOK
        self._is_local = is_local
        self._seen = time.monotonic()
        """The last time with a worker."""

    def begin(self) -> None:
        """Connect, wait for the first worker, and check that all have this evoply."""
        dask = _dask()
        try:
            if self._client is None:
                self._client = self._new_client()
            wrong = self._first_answers(time.monotonic() + _FIRST_WORKER)
            self._seen = time.monotonic()
        except (OSError, TimeoutError, dask.TimeoutError) as error:
            if self._client is None:
                raise ClusterError(
                    f"cluster: no scheduler answers at {self._address} - start one there with "
                    f"`dask scheduler`, or look at the address ({_first_line(error)})"
                ) from None
            raise ClusterError(
                f"cluster: no worker has come to {self._address} within {_FIRST_WORKER:.0f} s - "
                f"start some with `dask worker {self._address} --nthreads 1`"
            ) from None
        if wrong:
            raise ClusterError(wrong)

    def close(self) -> None:
        """Cancel unfinished calls, and close the connection."""
        with self._lock:
            waiting = list(self._calls)
        for future in waiting:
            future.cancel()
        if self._client is not None and self._client is not self._theirs:
            self._client.close(timeout=5)
        if self._here is not None:
            self._here.shutdown(wait=False, cancel_futures=True)

    @property
    def slots(self) -> int:
        """The number of units that run at a time, now."""
        return sum(self._known().values())

    def submit(self, function: Any, /, *arguments: Any, without: str = "") -> Future[bytes]:
        """Submit a call to any worker but the one called *without*."""
        only: list[str] = []
        if without:
            only = [address for address in self._known() if address != without.partition(" ")[0]]
            if not only:  # no other worker: this process does it
                return self._run_here(function, *arguments)
        client = self._client
        options: dict[str, Any] = {"workers": only, "allow_other_workers": False} if only else {}
        remote = client.submit(function, *arguments, pure=False, **options)
        future = Future[bytes]()
        with self._lock:
            self._calls[future] = _Call(remote, client, frozenset(only))
            self._remotes[future] = remote
        future.add_done_callback(self._forget)
        client.loop.add_callback(_bring, remote, future)
        return future

    def cancel_lost(self) -> None:
        """Cancel calls of closed clients, and calls whose workers are gone.

        Workers of an existing cluster may come whenever its queue lets them; Dask restarts those of
        a local one, unless they died while they started.
        """
        known = self._known().keys()
        if known:
            self._seen = time.monotonic()
        elif self._is_local and time.monotonic() - self._seen > _FIRST_WORKER:
            raise ClusterError(
                "cluster: all workers on this machine died and did not come back - look at its "
                "memory, and give the same command to go on"
            )
        with self._lock:
            calls = list(self._calls.items())
        for future, call in calls:
            is_closed = call.client.status not in ("running", "connecting")
            if is_closed or (call.only and known and call.only.isdisjoint(known)):
                future.cancel()

    def reconnect(self) -> None:
        """Wait until the scheduler is there, and connect again; `ClusterError` if it stays away."""
        ends = time.monotonic() + _PATIENCE
        self._looked = -_LOOK
        while True:
            client = self._client
            if client is not None and client.status == "running":
                return
            if client is None or client.status != "connecting":
                try:
                    self._client = self._new_client()
                    return
                except (OSError, TimeoutError):
                    pass
            if time.monotonic() > ends:
                raise ClusterError(
                    f"cluster: the scheduler at {self._address} has not answered for "
                    f"{_PATIENCE / 60:.0f} minutes - start it again and give the same command"
                )
            time.sleep(0.2)

    def is_lost(self, error: BaseException) -> bool:
        """Return whether an error says that a worker or the scheduler was lost."""
        return _is_loss(error) or (self._client is not None and self._client.status != "running")

    def worker_of(self, future: Future[bytes]) -> str:
        """Return the address of the worker that ended a call; "" if Dask does not know it."""
        with self._lock:
            remote = self._remotes.get(future)
        try:
            holders = self._client.who_has([remote]) if remote is not None else {}
            # The scheduler may have copied the result to others, who come after.
            return next((str(places[0]) for places in holders.values() if places), "")
        except Exception:  # Dask has many for a scheduler that is gone
            return ""

    def explain(self, error: BaseException) -> str:
        """Return the reason why a unit could not start."""
        return self._wrong_worker() or f"{type(error).__name__}: {_first_line(error)}"

    def _new_client(self) -> Any:
        return _dask().Client(
            self._address,
            security=self._security,
            timeout=_CONNECT,
            set_as_default=False,
            name="evoply",
            # The scheduler of a local cluster is in this process, and results need not pass it.
            direct_to_workers=self._is_local or None,
        )

    def _known(self) -> dict[str, int]:
        """Return the threads of each worker, by its address; as they were a moment ago."""
        if time.monotonic() - self._looked >= _LOOK:
            client = self._client
            try:
                if client is not None and client.status == "running":
                    self._threads = dict(client.nthreads())
            except Exception:  # Dask has many for a scheduler that is gone
                self._threads = {}
            self._looked = time.monotonic()
        return self._threads

    def _first_answers(self, ends: float) -> str:
        """Wait until a worker says which evoply it has; return the problem of one, or "".

        A worker that is lost meanwhile is no problem: the others go on, and it is remembered.
        Raises `TimeoutError` if no worker answers in time.
        """
        while (left := ends - time.monotonic()) > 0:
            self._client.wait_for_workers(1, timeout=left)
            answers = self._identities()
            lost = {address for address, answer in answers.items() if _is_loss(answer)}
            self.lost |= lost
            if answers.keys() - lost:
                return self._problem(answers)
            time.sleep(0.2)
        raise TimeoutError("every worker was lost before it said which evoply it has")

    def _identities(self) -> dict[str, Any]:
        """Return what each worker says it is, or its error; nothing if all were lost."""
        try:
            return dict(self._client.run(identity, on_error="return"))
        except Exception as error:
            if self.is_lost(error):
                return {}
            raise

    def _wrong_worker(self) -> str:
        """Return the problem of the first worker that has another evoply; "" if none has."""
        return "" if self._client is None else self._problem(self._identities())

    def _problem(self, identities: dict[str, Any]) -> str:
        own = identity()
        for address, answer in sorted(identities.items()):
            if _is_loss(answer):
                continue
            if isinstance(answer, BaseException):
                return (
                    f"cluster: worker {address} has no evoply like this one "
                    f"({type(answer).__name__}: {_first_line(answer)}) - install evoply "
                    f"{own['version']} there"
                )
            if (answer["version"], answer["signature"]) != (own["version"], own["signature"]):
                return other_version(answer, own)
        return ""

    def _run_here(self, function: Any, *arguments: Any) -> Future[bytes]:
        if self._here is None:
            self._here = ThreadPoolExecutor(1, "evoply-check")
        future: Future[bytes] = self._here.submit(function, *arguments)
        return future

    def _forget(self, future: Future[bytes]) -> None:
        with self._lock:
            call = self._calls.pop(future, None)
        if call is not None and future.cancelled() and call.client.status == "running":
            # Dask's own thread does it, since the canceller may be about to exit.
            call.client.loop.add_callback(call.client.cancel, [call.remote], asynchronous=True)


def _is_loss(error: object) -> bool:
    """Return whether an error of Dask's says that a worker or the scheduler was lost."""
    from distributed.client import ClosedClientError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker, NoValidWorkerError

    lost = (
        *(KilledWorker, NoValidWorkerError, CommClosedError, ClosedClientError),
        *(ConnectionError, TimeoutError),
    )
    # Dask's own errors of connections have no number; those of a worker's files have one.
    return isinstance(error, lost) or (isinstance(error, OSError) and error.errno is None)


async def _bring(remote: Any, future: Future[bytes]) -> None:
    """Copy the result of a call to *future*, in the thread of Dask's client."""
    try:
        content = await remote
    except BaseException as error:
        # A cancelled future is done already.
        if not future.done():
            future.set_exception(error)
        if not isinstance(error, Exception):
            raise
    else:
        if not future.done():
            future.set_result(content)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return shorten(lines[0] if lines else type(error).__name__, 300)
