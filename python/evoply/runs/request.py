"""A request left in a run folder: `pause`, `resume` or `stop`, read between generations.

Whoever watches a run never touches its loop; it writes `request.json`, and the loop looks.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Literal

from evoply.files import write_atomically
from evoply.protocols import RunError

__all__ = ["Request", "clear_request", "leave_request", "read_request"]

Request = Literal["pause", "resume", "stop"]
_REQUESTS: tuple[Request, ...] = ("pause", "resume", "stop")
_FILE = "request.json"


def leave_request(folder: Path, request: Request) -> None:
    """Ask the run in *folder* to pause, resume or stop after the current generation."""
    if request not in _REQUESTS:
        raise RunError(f"no request is called {request!r}: use pause, resume or stop")
    write_atomically(folder / _FILE, json.dumps({"format": 1, "request": request}))


def read_request(folder: Path) -> Request | None:
    """Return the request left in *folder*; None if there is none that can be understood."""
    try:
        content = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    request = content.get("request") if isinstance(content, dict) else None
    return next((known for known in _REQUESTS if request == known), None)


def clear_request(folder: Path) -> None:
    """Remove the request of *folder*, if there is one."""
    with contextlib.suppress(OSError):
        (folder / _FILE).unlink(missing_ok=True)
