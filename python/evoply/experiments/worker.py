"""What a worker process runs: `python -m evoply.experiments.worker FOLDER SETUP SEED`, one unit."""

from __future__ import annotations

import os
import sys
from threading import Thread

from evoply.experiments.folder import ExperimentFolder
from evoply.experiments.units import run_unit


def _main(folder: str, setup: str, seed: str) -> None:
    """Do one unit for a process that holds the other end of standard input."""
    Thread(target=_end_with_the_other, daemon=True).start()
    experiment = ExperimentFolder.open(folder)
    unit = experiment.unit(setup, int(seed))
    told = 0.0

    def on_step(share: float) -> None:
        nonlocal told
        if share >= told + 0.01 or share >= 1:
            told = share
            sys.stdout.write(f"{share:.4f}\n")
            sys.stdout.flush()

    run_unit(unit, experiment.experiment, on_step=on_step)


def _end_with_the_other() -> None:
    """End this process when the one that started it is gone; what was saved is whole."""
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    try:
        _main(*sys.argv[1:])
    except ValueError as error:
        sys.exit(str(error))
