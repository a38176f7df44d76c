"""How many times as fast this kernel is as that of another commit, in pairs measured in one run.

Each kernel lives in a process of its own, with the Python of its own commit; they take turns. Of
each row it prints the middle of the ratios of all pairs and how far these lie apart, and says
whether both kernels did the same. Rows of games and of searches are kept in results.json, with the
commit. Times of one core are processor time, so what else the machine does matters little.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table
from workloads import ROWS

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("results.json")
KEPT = ("weighted-counter-search", "gp-games-1ply", "gp-games-3ply", "gp-games-4ply")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Return what a command prints; its errors are shown."""
    return subprocess.run(command, cwd=cwd, check=True, text=True, stdout=subprocess.PIPE).stdout


def commit_id(name: str) -> str:
    """Return the whole name of a commit."""
    try:
        return run("git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()
    except subprocess.CalledProcessError:
        sys.exit(f"COMMIT={name} - is no commit of this repository - name one that git log shows")


@contextmanager
def checked_out(commit: str, folder: Path) -> Iterator[Path]:
    """Give a worktree of a commit below *folder*, and take it away afterwards."""
    tree = Path(tempfile.mkdtemp(dir=folder, prefix="tree-"))
    run("git", "worktree", "add", "--quiet", "--force", "--detach", tree, commit)
    try:
        yield tree
    finally:
        run("git", "worktree", "remove", "--force", tree)


def built(commit: str) -> Path:
    """Return a folder with the evoply of a commit, as released; it is built once and kept."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evoply" / "kernels"
    folder = cache / commit
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    print(f"building the kernel of {commit[:12]}: some minutes, once", file=sys.stderr)
    with checked_out(commit, cache) as tree, tempfile.TemporaryDirectory(dir=cache) as made:
        maturin = Path(sys.executable).with_name("maturin")
        target = cache / "target"
        run(maturin, "build", "--quiet", "--release", "--locked", "--target-dir", target,
            "--interpreter", sys.executable, "--out", made, cwd=tree)  # fmt: skip
        unpacked = Path(made) / "unpacked"
        with zipfile.ZipFile(next(Path(made).glob("*.whl"))) as wheel:
            wheel.extractall(unpacked)
        shutil.move(unpacked, folder)
    return folder


class Side:
    """One kernel in a process of its own."""

    def __init__(self, package: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("workloads.py")],
            env={**os.environ, "PYTHONPATH": str(package)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self) -> "Side":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()

    def work(self, row: str) -> dict[str, Any]:
        """Do a row's work twice and return the faster time: the first one finds nothing ready."""
        return min((self._once(row) for _ in range(2)), key=lambda one: one.get("seconds", 0.0))

    def _once(self, row: str) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        print(row, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{row} - a kernel ended in the middle of it - see its error above")
        answer: dict[str, Any] = json.loads(line)
        return answer


Pair = tuple[dict[str, Any], dict[str, Any]]


def measured(folders: tuple[Path, Path], names: list[str], pairs: int) -> dict[str, list[Pair]]:
    """Return the pairs of answers of each row, ours first.

    Where a process lies in memory can make it some percent faster for all its life: each pair is
    one of new processes. Who works first changes from pair to pair.
    """
    found: dict[str, list[Pair]] = {name: [] for name in names}
    for pair in track(range(pairs), description="pairs", console=Console(stderr=True)):
        order = (0, 1) if pair % 2 else (1, 0)
        with Side(folders[0]) as ours, Side(folders[1]) as theirs:
            for name in names:
                answers = {place: (ours, theirs)[place].work(name) for place in order}
                found[name].append((answers[0], answers[1]))
    return found


def compared(name: str, pairs: list[Pair]) -> dict[str, Any]:
    """Return what the pairs of one row say."""
    errors = [answer["error"] for answer in pairs[0] if "error" in answer]
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
        "same": all(ours["answer"] == theirs["answer"] for ours, theirs in pairs),
        "ratio": statistics.median(beside) if beside else None,
    }


def shown(rows: list[dict[str, Any]], commit: str) -> Table:
    """Return the table of a comparison."""
    table = Table(
        "row", "unit", "ours", "theirs", "times as fast", "middle half", "", "ratio, today",
        title=f"against {commit[:12]}",
    )  # fmt: skip
    for row in rows:
        if "error" in row:
            table.add_row(row["name"], "", "", "", "", "", f"not there: {row['error']}")
            continue
        low, high = row["middle half"]
        beside = f"{row['ratio']:.2f} {ROWS[row['name']].beside}" if row["ratio"] else ""
        table.add_row(
            row["name"], row["unit"], f"{row['ours']:,.4g}", f"{row['theirs']:,.4g}",
            f"{row['before']:.3f}", f"{low:.3f} to {high:.3f}",
            "" if row["same"] else "other answers", beside,
        )  # fmt: skip
    return table


def keep(rows: list[dict[str, Any]], commit: str) -> None:
    """Write into results.json how many times as fast; rows that are not there yet have no peer."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    for row in rows:
        if row["name"] not in KEPT or "error" in row:
            continue
        kept = next((one for one in results["rows"] if one["name"] == row["name"]), None)
        if kept is None:
            kept = {key: row[key] for key in ("name", "unit", "ours")}
            kept |= {"peer": "none", "peer_value": None, "ratio": None}
            results["rows"].append(kept)
        kept.update(before=row["before"], before_commit=commit)
    written = RESULTS.with_suffix(".new")
    written.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    written.replace(RESULTS)


def main() -> None:
    """Build, measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="what to compare with, such as HEAD~1")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW")
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument(
        "--with", dest="ours", type=Path, default=ROOT / "python", metavar="FOLDER",
        help="the evoply to compare, where not that of this tree: then nothing is kept",
    )  # fmt: skip
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error(f"--pairs - {options.pairs} is too few - at least 1")
    commit = commit_id(options.commit)
    found = measured((options.ours, built(commit)), options.rows, options.pairs)
    rows = [compared(name, pairs) for name, pairs in found.items()]
    Console(width=150).print(shown(rows, commit))
    if options.ours == ROOT / "python":
        keep(rows, commit)


if __name__ == "__main__":
    main()
