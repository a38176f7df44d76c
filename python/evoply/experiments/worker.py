"""What a worker process runs: `python -m evoply.experiments.worker FOLDER`, unit after unit.

Every line of standard input is a unit, `["SETUP", SEED]`; what is done of it is written as a share
of 1, and `done` at its end. To start Python for every short run would take longer than the run.
"""

from __future__ import annotations

import json
import os
import sys
from queue import SimpleQueue
from threading import Thread

from evoply.experiments.folder import ExperimentFolder
from evoply.experiments.units import run_unit

_LEAST_SHARE = 0.01


def _main(path: str) -> None:
    """Do units for a process that holds the other end of standard input."""
    lines = SimpleQueue[str]()
    Thread(target=_read, args=(lines,), daemon=True).start()
    folder = ExperimentFolder.open(path)
    while True:
        setup, seed = json.loads(lines.get())
        told = 0.0

        def on_step(share: float) -> None:
            nonlocal told
            if share >= told + _LEAST_SHARE or share >= 1:
                told = share
                _say(f"{share:.4f}")

        run_unit(folder.unit(setup, seed), folder.experiment, on_step=on_step)
        _say("done")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _read(lines: SimpleQueue[str]) -> None:
    """Take units, and end this process when the one that started it is gone.

    What was saved is whole.
    """
    for line in sys.stdin:
        lines.put(line)
    os._exit(1)


if __name__ == "__main__":
    try:
        _main(*sys.argv[1:])
    except ValueError as error:
        sys.exit(str(error))
