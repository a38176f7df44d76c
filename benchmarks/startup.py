"""What commands cost before they do anything: processor time, modules, memory, as a table.

    python benchmarks/startup.py [TIMES]

Every command runs TIMES times (by default 9) in a folder of its own, once more before to compile
what it imports; the middle of user and system time is shown, and the most memory that one had. A
machine that is busy with other work shows more. Modules are evoply's own and all others.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

COMMANDS = (
    "--version",
    "--help",
    "play --help",
    "evolve --help",
    "presets",
    "runs",
    "play --against greedy",
    "analyse greedy",
    "show greedy",
    "match greedy random --games 2",
    "tournament greedy random swh --games 2",
    "show champion@nothing",
    "evolve nothing",
    "pley",
)
_ROWS = {
    "start-up-help": "--help",
    "start-up-match": "match greedy random --games 2",
    "start-up-refusal": "show champion@nothing",
}
"""The commands of `make bench`."""
_MEASURED = """
import resource, sys
from evoply.cli import main
main()
own = sum(name.partition(".")[0] == "evoply" for name in sys.modules)
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(own, len(sys.modules) - own, most, file=sys.stderr)
"""


class Cost(NamedTuple):
    """What a command costs."""

    seconds: float
    own: int
    others: int
    megabytes: float


def spent() -> float:
    """Return the processor time of all processes that ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def costs(commands: Sequence[str], times: int) -> Iterator[Cost]:
    """Yield what each command costs, measured *times* times."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as compiled:
        settings = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        settings.pop("PYTHONDONTWRITEBYTECODE", None)
        for command in commands:
            seconds, found = [], []
            for _ in range(times + 1):
                before = spent()
                done = subprocess.run(
                    [sys.executable, "-c", _MEASURED, *command.split()],
                    cwd=folder, env=settings, input="quit\n", capture_output=True, text=True,
                    check=True,
                )  # fmt: skip
                seconds.append(spent() - before)
                found.append([int(word) for word in done.stderr.splitlines()[-1].split()])
            own, others, kilobytes = map(max, zip(*found, strict=True))
            yield Cost(median(seconds[1:]), own, others, kilobytes / 1024)


def rows() -> Iterator[tuple[str, str, float, str, None, None]]:
    """Yield rows of `make bench`."""
    for name, cost in zip(_ROWS, costs(list(_ROWS.values()), 5), strict=True):
        yield name, "processor s", cost.seconds, "none", None, None


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print("| command | processor seconds | own modules | others | MB |")
    print("| --- | --- | --- | --- | --- |")
    for command, cost in zip(COMMANDS, costs(COMMANDS, times), strict=True):
        figures = f"{cost.seconds:.2f} | {cost.own} | {cost.others} | {cost.megabytes:.0f}"
        print(f"| `evoply {command}` | {figures} |", flush=True)


if __name__ == "__main__":
    main()
