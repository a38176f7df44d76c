"""Today's figures beside the limits of limits.toml: what kernel, wheels, commands and tests cost.

`make limits` measures them; with names, some of them. The exit code is 1 where one is above its
limit. It uses the standard library and the setup alone, for wheels are weighed where nothing else
is installed.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "contracts")]

from house import Size, sizes  # noqa: E402
from setting_up.kernel import Kernel  # noqa: E402
from setting_up.machine import runnable_paths, wanted_paths  # noqa: E402
from setting_up.needs import find_rust  # noqa: E402
from setting_up.packages import Packages  # noqa: E402
from setting_up.running import Log, Programs  # noqa: E402
from setting_up.wrong import WrongError  # noqa: E402

Limits = Mapping[str, Any]

_FIXED = ROOT / "benchmarks" / "fixed.rs"
_SAME_MINUTES = 5.0
"""How long after `make setup` another crate meets the machine as it was."""
_MB = 1_000_000
_COUNTED = """
import json, sys
before = set(sys.modules)
from evoply.cli import main
main(sys.argv[1:])
names = [name.partition(".")[0] for name in sys.modules if name not in before]
own = names.count("evoply")
print(json.dumps({"own": own, "foreign": len(names) - own}))
"""
_COUNTS = {"lines": "lines of Python", "code": "lines of code", "files": "files"}
_RUN = "evolve quick --population-size 4 --generations 1 --no-tests --name one"
"""The run that some commands name."""


TIMES_DIFFER = 1.25
"""A time may be so many times its limit before that is an error.

The same sources differ by a tenth from run to run on one machine, and by more between machines.
"""


@dataclass(frozen=True)
class Figure:
    """What something costs today, or why that is not known; more than *limit* is marked.

    More than *allowed* times the limit is too much.
    """

    what: str
    limit: float
    today: float | str
    allowed: float = 1.0

    @property
    def is_above(self) -> bool:
        """Whether it is above the limit."""
        return not isinstance(self.today, str) and self.today > self.limit

    @property
    def is_too_much(self) -> bool:
        """Whether it costs more than it may."""
        return not isinstance(self.today, str) and self.today > self.limit * self.allowed

    def __str__(self) -> str:
        today = self.today if isinstance(self.today, str) else f"{self.today:8.1f}"
        return f"{'!' if self.is_above else ' '} {self.what:56} {self.limit:8.1f}  {today}"


def figures_of_kernel(limits: Mapping[str, Limits]) -> Iterator[Figure]:
    """Build what `make setup` builds, unless it has just done so, beside the fixed crate."""
    rust = find_rust(ROOT)
    paths = wanted_paths(os.environ.get("EVOPLY_PATHS", ""), runnable_paths(rust.features))
    kernel = Kernel(ROOT, paths, rust, Packages(ROOT, ()))
    build, wheel = "kernel's build, times fixed.rs", "MB of the wheel of one CPU path"
    if len(paths) > 1:
        why = "not measured: EVOPLY_PATHS asks for several CPU paths, and limits are those of one"
        yield Figure(build, limits["kernel"]["build"], why)
        yield Figure(wheel, limits["wheel"]["setup"], why)
        return
    folder = ROOT / "target" / "limits"
    log = Log(folder / "limits.log", "make limits")
    seconds, packing = kernel.cost(_SAME_MINUTES), list[float]()
    if is_anew := seconds is None:
        print("  (the kernel is built anew, for a minute or two)", flush=True)
    made = kernel.pack(Programs(ROOT), log, folder, anew=is_anew, on_end=packing.append)
    size = made.stat().st_size / _MB
    shutil.rmtree(folder / "built", ignore_errors=True)
    spent, fixed = sum(packing) if seconds is None else seconds, fixed_seconds()
    what, limit = f"{build} ({spent:.0f} : {fixed:.1f} s)", limits["kernel"]["build"]
    yield Figure(what, limit, spent / fixed, TIMES_DIFFER)
    yield Figure(wheel, limits["wheel"]["setup"], size)


def fixed_seconds() -> float:
    """Return the processor seconds that the compiler takes for the fixed crate.

    It is compiled once on every core, as the kernel's build keeps all of them busy: what shares a
    core or a cache with others takes up to half as long again.
    """
    before, copies = _of_children(), os.cpu_count() or 1
    options = ["--edition=2021", "--crate-type=lib", "-Copt-level=3", "-Ccodegen-units=1"]
    with tempfile.TemporaryDirectory() as folder:
        builds = [
            subprocess.Popen(["rustc", *options, "--out-dir", f"{folder}/{copy}", _FIXED])
            for copy in range(copies)
        ]
        failed = [build for build in builds if build.wait()]
    if failed:
        raise WrongError(_FIXED.name, "is not compiled", "see above what rustc says")
    return (_of_children() - before) / copies


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def figures_of_dist(limits: Mapping[str, Limits]) -> Iterator[Figure]:
    """Weigh what `make dist` has made of the sources as they are."""
    wheels = [(wheel.stat().st_mtime, wheel) for wheel in (ROOT / "dist").glob("*.whl")]
    today: float | str = "not measured: no wheel in dist/ (`make dist`)"
    if wheels:
        made, wheel = max(wheels)
        sources = [*(ROOT / "crates").rglob("*.rs"), *(ROOT / "python" / "evoply").rglob("*.*")]
        is_old = any(one.stat().st_mtime > made for one in sources if one.suffix in (".rs", ".py"))
        size = wheel.stat().st_size / _MB
        today = "not measured: the wheel in dist/ is an old one (`make dist`)" if is_old else size
    yield Figure("MB of the wheel of all CPU paths", limits["wheel"]["dist"], today)


def figures_of_modules(limits: Mapping[str, Limits]) -> Iterator[Figure]:
    """Count what each command imports, of evoply and of others."""
    for command, kinds in limits["modules"].items():
        found = modules_of(command)
        for kind, most in kinds.items():
            today = found if isinstance(found, str) else found[kind]
            yield Figure(f"{kind} modules of `evoply {command}`", most, today)


def modules_of(command: str) -> dict[str, float] | str:
    """Return how many modules a command imports in a folder of its own, by whose they are."""
    words = command.split()
    with tempfile.TemporaryDirectory() as folder:
        for arguments in [_RUN.split()] * ("one" in command.replace("@", " ").split()) + [words]:
            done = subprocess.run(
                [sys.executable, "-c", _COUNTED, *arguments],
                cwd=folder, input="quit\n", capture_output=True, text=True, check=False,
            )  # fmt: skip
    if done.returncode:
        return f"not measured: {(done.stderr.splitlines() or ['it failed'])[-1]}"
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def figures_of_tests(limits: Mapping[str, Limits]) -> Iterator[Figure]:
    """Take what the last run of tests has kept: each file that costs too much, or the dearest."""
    kept = ROOT / "target" / "test-seconds.json"
    most, own = limits["tests"]["file"], limits["tests"].get("files", {})
    if not kept.exists():
        why = "not measured: `make test TEST_OPTIONS=--seconds` keeps it"
        yield Figure("seconds of a file of tests", most, why)
        yield Figure("seconds of all tests", limits["tests"]["sum"], why)
        return
    found = json.loads(kept.read_text(encoding="utf-8"))
    files = {name: spent for name, spent in found["files"].items() if name.endswith((".py", ".md"))}
    each = [
        Figure(f"seconds of {name}", own.get(name, most), spent, TIMES_DIFFER)
        for name, spent in files.items()
    ]
    each.sort(key=lambda figure: (figure.is_above, figure.today), reverse=True)
    yield from [figure for figure in each if figure.is_above] or each[:1]
    what, limit = f"seconds of all tests ({len(files)} files)", limits["tests"]["sum"]
    yield Figure(what, limit, found["sum"], TIMES_DIFFER)


def figures_of_lines(limits: Mapping[str, Limits]) -> Iterator[Figure]:
    """Count the lines, the lines of code and the files of every package."""
    found = sizes()
    for package in sorted({*found, *limits["lines"]}):
        most = limits["lines"].get(package, {})
        for what, today in found.get(package, Size(0, 0, 0))._asdict().items():
            yield Figure(f"{_COUNTS[what]} of {package}", most.get(what, 0), today)


PARTS: Mapping[str, Callable[[Mapping[str, Limits]], Iterator[Figure]]] = {
    "lines": figures_of_lines,
    "kernel": figures_of_kernel,
    "dist": figures_of_dist,
    "modules": figures_of_modules,
    "tests": figures_of_tests,
}


def main(arguments: Sequence[str]) -> int:
    """Print the figures as they are measured; return 1 if one is too much, else 0."""
    parser = argparse.ArgumentParser(prog="make limits", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"{', '.join(PARTS)}; all of them if none is named")
    parts = parser.parse_args(arguments).part or list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"{unknown[0]} - is no part of the limits - give some of {', '.join(PARTS)}")
    try:
        limits = tomllib.loads((ROOT / "limits.toml").read_text(encoding="utf-8"))
        print(f"  {'what':56} {'limit':>8}  {'today':>8}")
        above = [figure.what for figure in _printed(parts, limits) if figure.is_too_much]
    except KeyError as missing:
        return _complain(f"limits.toml - lacks {missing.args[0]} - write the limit there")
    except WrongError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return 130
    if not above:
        return 0
    return _complain(
        f"{'; '.join(above)} - above the limit - make it cost less, or raise the limit in "
        "limits.toml in a commit whose message says why"
    )


def _complain(message: str) -> int:
    sys.stdout.flush()
    print(f"limits: {message}", file=sys.stderr)
    return 1


def _printed(parts: Sequence[str], limits: Mapping[str, Limits]) -> Iterator[Figure]:
    for part in parts:
        for figure in PARTS[part](limits):
            print(figure, flush=True)
            yield figure


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
