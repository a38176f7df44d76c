"""`make chaos`: everything at once, while processes are killed, and then every promise looked at.

Runs of each learner, an experiment on Dask workers, tournaments with a bot and an engine, and
games on the page go on beside each other. Processes are killed with -9 and gone on with, files
reach their limit, clocks jump, connections break. In the end all that was acknowledged is there,
the digests are those of undisturbed runs, and no process and no handle is left.

A seed decides what is drawn: which process, after which time. How far a process has come then is
up to the machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
for _folder in ("", "chaos", "cluster", "server"):
    sys.path.insert(0, str(_TESTS / _folder))

from disorder import Disorder, nothing_left  # noqa: E402
from disturbed_cluster import DisturbedCluster  # noqa: E402
from disturbed_page import DisturbedPage  # noqa: E402
from disturbed_runs import DisturbedRuns  # noqa: E402
from disturbed_tournaments import DisturbedTournaments  # noqa: E402

Part = DisturbedRuns | DisturbedCluster | DisturbedTournaments | DisturbedPage


def main() -> int:
    """Return 0 if every promise was kept, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="default: 60")
    parser.add_argument("--seed", type=int, help="of an earlier chaos; default: one from the clock")
    parser.add_argument("--only", nargs="*", help="runs, cluster, tournament, page; default: all")
    parser.add_argument("--worker-kills", type=int, help="so many at the start of an experiment")
    options = parser.parse_args()
    seed = time.time_ns() % 10**9 if options.seed is None else options.seed
    print(f"seed {seed}: `--seed {seed}` draws the same again", flush=True)
    with tempfile.TemporaryDirectory(prefix="evoply-chaos-") as folder:
        disorder = Disorder(seed, Path(folder))
        disorder.left_out.append(
            "a full disk: it needs a file system of its own; limits of files stand for it"
        )
        with nothing_left(disorder):
            parts: list[Part] = [
                DisturbedRuns(disorder),
                DisturbedCluster(disorder, options.worker_kills),
                DisturbedTournaments(disorder),
                DisturbedPage(disorder),
            ]
            parts = [part for part in parts if not options.only or part.name in options.only]
            began = time.monotonic()
            for part in parts:
                part.prepare()
            print(f"undisturbed: {time.monotonic() - began:.0f} s", flush=True)
            began = time.monotonic()
            disorder.begin(60 * options.minutes)
            _at_once(parts, disorder)
            seconds = time.monotonic() - began
    return _report(disorder, seconds)


def _at_once(parts: list[Part], disorder: Disorder) -> None:
    """Disturb all parts beside each other, then let each settle."""

    def work(part: Part) -> None:
        try:
            part.disturb()
            part.settle()
        except Exception:  # also what chaos itself does wrong must not look like success
            disorder.promise(False, f"{part.name}: {traceback.format_exc()}")

    threads = [threading.Thread(target=work, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _report(disorder: Disorder, seconds: float) -> int:
    print(f"disturbed: {seconds / 60:.1f} minutes")
    for what, number in sorted(disorder.figures.items()):
        print(f"  {what:<34}{number:>9,}")
    for what in disorder.left_out:
        print(f"left out: {what}")
    for what in disorder.broken:
        print(f"BROKEN: {what}")
    kept = "every promise was kept" if not disorder.broken else f"{len(disorder.broken)} broken"
    print(f"seed {disorder.seed}: {kept}")
    return int(bool(disorder.broken))


if __name__ == "__main__":
    sys.exit(main())
