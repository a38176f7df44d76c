"""When a process that runs one command looks for garbage: not while it starts, nor when it ends.

Nearly all that importing makes lives as long as the process. Python would look through it again
and again, and twice more at the end: a quarter of what a short command costs.
"""

import atexit
import gc
from typing import Any

_STARTED = 200_000
"""Objects that no command has when it begins its work; `evoply report` has 130,000."""


def collect_late() -> None:
    """Let the first collection wait for many objects; those after it come as they always do.

    What is left at the end is given back with the process, so nobody looks through it.
    """
    usual = gc.get_threshold()

    def collected(phase: str, _: dict[str, Any]) -> None:
        if phase == "stop":
            gc.callbacks.remove(collected)
            gc.set_threshold(*usual)

    gc.callbacks.append(collected)
    gc.set_threshold(_STARTED, *usual[1:])
    atexit.register(gc.freeze)
