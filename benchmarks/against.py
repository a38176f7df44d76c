"""How many times as fast this kernel is as that of another commit, in pairs measured in one run.

Each kernel lives in a process of its own, with the Python and the `workloads.py` of its own commit
(the protocol between us is in `rows`); they take turns, on the same CPU path. Of each row it prints
the middle of the ratios of all pairs and how far these lie apart, and says whether both kernels did
the same. Times of one core are processor time, so what else the machine does matters little.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from kernels import ROOT, built, built_here, library_of_the_tree, run
from measuring import RESULTS, whole, written_to
from rich.console import Console
from rich.progress import track
from rich.table import Table
from workloads import ROWS

HERE = Path(__file__).parent
KEPT = ("weighted-counter-search", "gp-games-1ply", "gp-games-3ply", "gp-games-4ply")


@dataclass(frozen=True)
class Kernel:
    """One side: a program that does rows, and what Python finds evoply and other modules in."""

    program: Path
    folders: tuple[Path, ...]

    def environment(self, path: str | None = None) -> dict[str, str]:
        """Return the environment of its processes, on a CPU path or on the best."""
        others = {name: value for name, value in os.environ.items() if name != "EVOPLY_CPU"}
        found = {"PYTHONPATH": os.pathsep.join(map(str, self.folders))}
        return {**others, **found, **({"EVOPLY_CPU": path} if path else {})}

    def cpu(self, path: str | None = None) -> str:
        """Return the CPU path it runs on; what it says against *path* ends the comparison."""
        done = subprocess.run(
            [sys.executable, "-c", "from evoply import _native; print(_native.cpu);"
             "print(_native.__file__)"],
            env=self.environment(path), capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            said = done.stderr.strip().splitlines()
            sys.exit(f"{self.folders[0]} - cannot be measured - {said[-1] if said else ''}")
        cpu, library = done.stdout.splitlines()
        if not Path(library).is_relative_to(self.folders[0]):
            sys.exit(f"{self.folders[0]} - has no evoply: Python finds {library} - build it there")
        return cpu


def commit_id(name: str) -> str:
    """Return the whole name of a commit."""
    try:
        return run("git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()
    except subprocess.CalledProcessError:
        sys.exit(f"COMMIT={name} - is no commit of this repository - name one that git log shows")


def adapter_of(commit: str, adapters: Path = HERE / "adapters") -> Path | None:
    """Return the program that does the rows with the names of an older commit, if there is one."""
    programs = sorted(adapters.glob("commit_*/side.py"))
    names = ((one.parent.name.removeprefix("commit_"), one) for one in programs)
    return next((one for name, one in names if commit.startswith(name)), None)


def kernel_of(commit: str) -> Kernel:
    """Return the side of a commit: its own workloads, or the adapter that adds rows to them."""
    folder = built(commit)
    program = adapter_of(commit) or folder / "benchmarks" / "workloads.py"
    if not program.is_file():
        sys.exit(f"COMMIT={commit[:12]} - has no benchmarks/workloads.py - name a later commit")
    return Kernel(program, (folder, folder / "benchmarks"))


def ours(folder: Path | None, is_quick: bool) -> Kernel:
    """Return our side: that of *folder*, the library of the tree, or the tree built as released."""
    if folder is not None:
        folder = folder.resolve()
        own = adapter_of(folder.name) or folder / "benchmarks" / "workloads.py"
        program = own if own.is_file() else HERE / "workloads.py"
        return Kernel(program, (folder, folder / "benchmarks"))
    if not is_quick:
        return Kernel(HERE / "workloads.py", (built_here(),))
    if library_of_the_tree() is None:
        sys.exit("--quick - there is no library in python/evoply - run `make setup` first")
    return Kernel(HERE / "workloads.py", (ROOT / "python",))


class Side:
    """One kernel in a process of its own."""

    def __init__(self, kernel: Kernel, path: str | None = None) -> None:
        self._kernel, self._path = kernel, path
        self._begin()

    def _begin(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, self._kernel.program], env=self._kernel.environment(self._path),
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self) -> "Side":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def work(self, row: str) -> dict[str, Any]:
        """Do a row's work twice and return the faster time: the first one finds nothing ready."""
        first = self._once(row)
        if "error" in first:
            return first
        return min(first, self._once(row), key=lambda one: one.get("seconds", 0.0))

    def _once(self, row: str) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        with suppress(BrokenPipeError):  # where it has ended, it has no line for us either
            print(row, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:  # A program of before the protocol said so ends where it has no such row.
            self._end()
            self._begin()
            return {"error": "its program ended, see above"}
        answer: dict[str, Any] = json.loads(line)
        return answer


Pair = tuple[dict[str, Any], dict[str, Any]]


def measured(
    kernels: tuple[Kernel, Kernel], names: list[str], pairs: int, path: str | None = None
) -> dict[str, list[Pair]]:
    """Return the pairs of answers of each row, ours first.

    Where a process lies in memory can make it some percent faster for all its life: each pair is
    one of new processes. Who works first changes from pair to pair.
    """
    found: dict[str, list[Pair]] = {name: [] for name in names}
    for pair in track(range(pairs), description="pairs", console=Console(stderr=True)):
        order = (0, 1) if pair % 2 else (1, 0)
        with Side(kernels[0], path) as ours, Side(kernels[1], path) as theirs:
            for name in names:
                if any("error" in answer for answer in chain(*found[name])):
                    continue
                answers = {place: (ours, theirs)[place].work(name) for place in order}
                found[name].append((answers[0], answers[1]))
    return found


def compared(name: str, pairs: list[Pair]) -> dict[str, Any]:
    """Return what the pairs of one row say."""
    errors = [answer["error"] for answer in chain(*pairs) if "error" in answer]
    if errors:
        return {"name": name, "error": errors[0]}
    rates = [[one["amount"] / one["seconds"] for one in pair] for pair in pairs]
    before = sorted(ours / theirs for ours, theirs in rates)
    quarter = len(before) // 4
    beside = [ours["ratio"] for ours, _ in pairs if ours["ratio"] is not None]
    return {
        "name": name,
        "unit": ROWS[name].unit,
        "ours": statistics.median(ours for ours, _ in rates),
        "theirs": statistics.median(theirs for _, theirs in rates),
        "before": statistics.median(before),
        "middle half": (before[quarter], before[-1 - quarter]),
        "seconds": statistics.median(ours["seconds"] for ours, _ in pairs),
        "same": all(ours["answer"] == theirs["answer"] for ours, theirs in pairs),
        "ratio": statistics.median(beside) if beside else None,
    }


def shown(rows: list[dict[str, Any]], title: str) -> Table:
    """Return the table of a comparison."""
    table = Table(
        "row", "unit", "ours", "theirs", "times as fast", "middle half", "", "ratio, today",
        title=title,
    )  # fmt: skip
    for row in rows:
        if "error" in row:
            table.add_row(*[row["name"], *[""] * 5, f"not there: {row['error']}"])
            continue
        low, high = row["middle half"]
        beside = f"{row['ratio']:.2f} {ROWS[row['name']].beside}" if row["ratio"] else ""
        table.add_row(
            row["name"], row["unit"], f"{row['ours']:,.4g}", f"{row['theirs']:,.4g}",
            f"{row['before']:.3f}", f"{low:.3f} to {high:.3f}",
            "" if row["same"] else "other answers", beside,
        )  # fmt: skip
    return table


def summed_up(rows: list[dict[str, Any]], least: float) -> str:
    """Return in a sentence which rows have other answers, and which are slower than *least*.

    A row is not slower as long as the middle half of its pairs reaches 1.
    """
    done = [row for row in rows if "error" not in row]
    other = [row["name"] for row in done if not row["same"]]
    slower = [row["name"] for row in done if row["before"] < least and row["middle half"][1] < 1]
    answers = f"other answers in {', '.join(other)}" if other else "equal answers in all of them"
    speeds = f"slower than {least}: {', '.join(slower)}" if slower else f"none slower than {least}"
    missing = f"; not there: {len(rows) - len(done)}" if len(rows) > len(done) else ""
    return f"{len(done)} rows; {answers}; {speeds}{missing}"


def keep(rows: list[dict[str, Any]], commit: str, file: Path) -> None:
    """Write into results.json how many times as fast; rows that are not there yet have no peer."""
    results = json.loads(file.read_text(encoding="utf-8"))
    for row in rows:
        if row["name"] not in KEPT or "error" in row:
            continue
        kept = next((one for one in results["rows"] if one["name"] == row["name"]), None)
        if kept is None:
            kept = {key: row[key] for key in ("name", "unit", "ours")}
            kept |= {"peer": "none", "peer_value": None, "ratio": None}
            results["rows"].append(kept)
        kept.update(before=row["before"], before_commit=commit)
    whole(file, results)


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Return what was asked for; what makes no sense is refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="what to compare with, such as HEAD~1")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW")
    parser.add_argument("--pairs", type=int, default=16)
    parser.add_argument(
        "--with", dest="folder", type=Path, metavar="FOLDER",
        help="compare the evoply of this folder; its benchmarks/workloads.py, if it has one, runs",
    )  # fmt: skip
    parser.add_argument(
        "--quick", action="store_true",
        help="compare the library that `make setup` built, instead of one as it is released",
    )  # fmt: skip
    parser.add_argument("--cpu", metavar="PATH", help="the CPU path of both, if not the best")
    parser.add_argument(
        "--keep", action="store_true", help="write the ratios into benchmarks/results.json"
    )
    options = parser.parse_args(words)
    if options.pairs < 1:
        parser.error(f"--pairs - {options.pairs} is too few - at least 1")
    if options.quick and options.folder is not None:
        parser.error("--quick - is the library of this tree - leave --with out")
    if options.keep and (options.quick or options.folder is not None or options.cpu):
        parser.error("--keep - is for this tree as it is released - leave the other options out")
    return options


def main() -> None:
    """Build, measure, print; keep what is to be kept."""
    options = arguments()
    commit = commit_id(options.commit)
    kernels = ours(options.folder, options.quick), kernel_of(commit)
    path = kernels[1].cpu(options.cpu)  # where it has all paths, by default the best of them
    kernels[0].cpu(path)
    found = measured(kernels, options.rows, options.pairs, path)
    rows = [compared(name, pairs) for name, pairs in found.items()]
    name = "the quick build in python/evoply" if options.quick else str(options.folder or "here")
    title = f"{name} against {commit[:12]}, CPU path {path}, {options.pairs} pairs"
    console = Console(width=150)
    console.print(shown(rows, title))
    console.print(summed_up(rows, 0.95 if options.quick else 0.98))
    if options.keep:
        keep(rows, commit, RESULTS)
    else:
        file = written_to(f"against-{commit[:12]}{'-quick' if options.quick else ''}.json")
        whole(file, {"title": title, "rows": rows})
        console.print(f"written to {file.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
