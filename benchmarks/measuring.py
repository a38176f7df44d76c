"""What a row of the benchmarks is, how its times are taken, and where rows are kept."""

import json
import os
import platform
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from workloads import ROWS

from evoply import _native

RESULTS = Path(__file__).resolve().with_name("results.json")


@dataclass(frozen=True)
class Row:
    """One line: *ratio* is how many times as fast ours is.

    *before* is how many times as fast as the kernel of *before_commit*; `against.py` measures it.
    """

    name: str
    unit: str
    ours: float
    peer: str
    peer_value: float | None
    ratio: float | None
    before: float | None = None
    before_commit: str | None = None


Work = Callable[[], Row | Iterable[Row] | None]
"""What measures a row or several; None where this machine has nothing to measure."""


def rate(name: str, repeats: int = 3) -> float:
    """Return the best rate of a few of a row that kernels are compared by."""
    runs = [ROWS[name].work() for _ in range(repeats)]
    return max(run.amount / run.seconds for run in runs)


def timed(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the best wall time of a few, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def cpu_timed(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the best CPU time of a few, in seconds: searches run on one core."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def machine() -> str:
    """Return what was measured on: processor, cores, system, and the kernel's CPU path."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores, {platform.system()}, CPU path {_native.cpu}"


def with_before(row: Row, rows: list[dict[str, Any]]) -> Row:
    """Return the row with what the last comparison of kernels said of it."""
    last = next((one for one in rows if one["name"] == row.name), {})
    return replace(row, before=last.get("before"), before_commit=last.get("before_commit"))


def known(row: Row) -> dict[str, Any]:
    """Return a row as it is kept: without the last comparison where there is none."""
    fields = asdict(row)
    return fields if row.before is not None else {key: fields[key] for key in list(fields)[:6]}


def written_to(name: str, *, keep: bool = False) -> Path:
    """Return the file of a measurement: below target, unless the documentation is to show it.

    So a measurement changes nothing that is committed, and no test notices it.
    """
    return RESULTS if keep else RESULTS.parents[1] / "target" / "bench" / name


def whole(file: Path, data: Any) -> None:
    """Write *data* as JSON, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.with_suffix(".new")
    written.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    written.replace(file)


def results_of(rows: list[Row], before: Path = RESULTS) -> dict[str, Any]:
    """Return the rows of this machine as a file has them, with the comparisons of *before*."""
    last = json.loads(before.read_text(encoding="utf-8"))["rows"]
    return {"machine": machine(), "rows": [known(with_before(row, last)) for row in rows]}


def bench(works: Mapping[str, Work], file: Path) -> int:
    """Print each row when it is measured; return 1 if one could not be, else 0.

    What was measured is written to *file*, also where somebody stops it in the middle.
    """
    rows, failed = [], 0
    print(f"{machine()}\n{'row':26} {'unit':12} {'ours':>10} {'peer':>10} {'ratio':>8}")
    try:
        for found in _measured(works):
            print(_line(found) if isinstance(found, Row) else found, flush=True)
            rows += [found] if isinstance(found, Row) else []
            failed += isinstance(found, str)
    finally:
        if rows:
            whole(file, results_of(rows))
            print(f"written to {file}: {len(rows)} rows")
    return int(failed > 0)


def _measured(works: Mapping[str, Work]) -> Iterator[Row | str]:
    """Yield rows, and a sentence in place of what fails."""
    for name, work in works.items():
        try:
            found = work()
            yield from [found] if isinstance(found, Row) else found or ()
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            why = (str(error).splitlines() or [place.line or ""])[0]
            at = f"{Path(place.filename).name}, line {place.lineno}"
            yield f"{name} - not measured: {type(error).__name__}: {why} - see {at}"


def _line(row: Row) -> str:
    theirs = "" if row.peer_value is None else f"{row.peer_value:,.3g}"
    ratio = "" if row.ratio is None else f"{row.ratio:,.2f}"
    return f"{row.name:26} {row.unit:12} {row.ours:>10,.4g} {theirs:>10} {ratio:>8}  {row.peer}"
