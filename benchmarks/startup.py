"""What commands cost before they do anything: processor time, modules, memory, as a table.

    python benchmarks/startup.py [TIMES]

Every command runs TIMES times (by default 9) in an empty folder; the middle of user and system time
is shown, and the most memory that one had. A machine that is busy with other work shows more.
"""

import resource
import subprocess
import sys
import tempfile
from statistics import median

COMMANDS = (
    "--version",
    "--help",
    "presets",
    "runs",
    "play --against greedy",
    "analyse greedy",
    "show greedy",
    "match random greedy --games 2",
)
_MEASURED = """
import resource, sys
from evoply.cli import main
main(sys.argv[1:])
print(len(sys.modules), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def spent() -> float:
    """Return the processor time of all processes that ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(command: str, times: int, folder: str) -> str:
    """Return the line of the table about *command*."""
    seconds, modules, most = [], 0, 0
    for _ in range(times):
        before = spent()
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, *command.split()],
            cwd=folder, input="quit\n", capture_output=True, text=True, check=True,
        )  # fmt: skip
        seconds.append(spent() - before)
        modules, kilobytes = map(int, done.stderr.splitlines()[-1].split())
        most = max(most, kilobytes)
    return f"| `evoply {command}` | {median(seconds):.2f} | {modules} | {most / 1024:.0f} |"


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print("| command | processor seconds | modules | MB |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            print(row(command, times, folder), flush=True)


if __name__ == "__main__":
    main()
