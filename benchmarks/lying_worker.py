"""How often one lying worker of four changes a run of evolution unnoticed, for each check share.

Four workers are started, and one of them swaps the winners of every game that it plays. The same
small runs are made with each share, and compared with those of this process.

    python benchmarks/lying_worker.py [--runs 20]
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from evoply.cluster import connect
from evoply.evolution import evolve
from evoply.protocols import WrongResultError

_SHARES = (0.01, 0.1, 1.0)
_HONEST = 3
_START_LIMIT = 60.0
_SETTINGS: dict[str, Any] = {
    "game": "othello-6",
    "population_size": 40,
    "generations": 10,
    "fitness": {"opponents": [{"player": "random", "pairs": 4}]},
}
_LIE = """
import evoply.arena.playing as playing
from dataclasses import replace
from evoply.arena.on_cluster import packed_results, unpacked_part
right = getattr(playing, "right", playing.play_batch)  # Dask loads this twice
playing.right = right
def play_batch(data):
    from evoply.arena.on_cluster import _results_from
    results = _results_from(right(data))
    return packed_results(replace(results, black_discs=results.white_discs,
                                  white_discs=results.black_discs, winners=-results.winners))
playing.play_batch = play_batch
"""


def main() -> None:
    """Print a row for each share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    expected = [_digests(seed, None)[-1] for seed in range(runs)]
    with tempfile.TemporaryDirectory() as folder, _workers(Path(folder)) as address:
        print("share  runs  noticed  unchanged  changed unnoticed  units computed twice")
        for share in _SHARES:
            counts = {"noticed": 0, "unchanged": 0, "changed": 0}
            checked = 0
            for seed in range(runs):
                with connect(address, check_share=share) as cluster:
                    while cluster.slots <= _HONEST:
                        time.sleep(0.1)
                    try:
                        is_equal = _digests(seed, cluster)[-1] == expected[seed]
                        counts["unchanged" if is_equal else "changed"] += 1
                    except WrongResultError:
                        counts["noticed"] += 1
                    checked += cluster.checked
            print(
                f"{share:<5g}  {runs:4}  {counts['noticed']:7}  {counts['unchanged']:9}  "
                f"{counts['changed']:17}  {checked:20}",
                flush=True,
            )


def _digests(seed: int, cluster: Any) -> list[str]:
    return [one.digest for one in evolve("quick", seed=seed, cluster=cluster, **_SETTINGS)]


@contextmanager
def _workers(folder: Path) -> Iterator[str]:
    """Yield the address of a scheduler with three honest workers and one that lies."""
    lie = folder / "lie.py"
    lie.write_text(_LIE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    processes = [_started("scheduler", "--host", "127.0.0.1", "--port", str(port))]
    try:
        ends = time.monotonic() + _START_LIMIT
        while time.monotonic() < ends:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.2)
        usual = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
        processes += [_started("worker", address, *usual) for _ in range(_HONEST)]
        processes.append(_started("worker", address, *usual, "--preload", str(lie)))
        yield address
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _started(what: str, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
