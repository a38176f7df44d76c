"""The work of a worker: one unit, if it has the same evoply; and its identity.

Workers import these functions by their names. Every result returns as bytes: evoply's exceptions
never cross the network.
"""

import hashlib
import os
import socket
import sys
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from evoply import _native
from evoply.arena.behaviour import signature
from evoply.protocols import UnitFunction, packed

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
