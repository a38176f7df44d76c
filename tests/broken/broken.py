"""`make broken`: break one mechanism after the other on purpose, and name the test that sees it.

`mechanisms.toml` lists them: a text of one file, what stands there instead, the tests that should
see that. It is broken in a copy. Before, all of these tests must pass with nothing broken.
"""

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = "tests/broken/mechanisms.toml"
_COPIED = ("python", "tests", "benchmarks", "setting_up", "testdata", "pyproject.toml")
_TO_DO = {
    "is not seen": f"write a test that sees it, and name it in {LIST}",
    "does not apply": f"what it breaks was changed: renew it in {LIST}",
    "is not tested": "its tests are skipped here: install what they need",
}


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Something that evoply promises, and how to break it."""

    name: str
    """What is wrong when it is broken."""
    file: str
    old: str
    """The text that is replaced; it stands in the file once."""
    new: str
    seen_by: list[str]
    """The tests that should see it, as pytest names them: `FILE` or `FILE::TEST`."""

    def broken(self, text: str) -> str:
        """Return the *text* of its file with the mechanism broken; `ValueError` if it cannot be."""
        count = text.count(self.old)
        if count != 1:
            raise ValueError(f"{self.name}: its old text stands {count} times in {self.file}")
        return text.replace(self.old, self.new)


def mechanisms(root: Path = ROOT) -> list[Mechanism]:
    """Return all mechanisms, in the order of the list."""
    listed = tomllib.loads((root / LIST).read_text(encoding="utf-8"))["mechanism"]
    return [Mechanism(**one) for one in listed]


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Return 0 if every mechanism that was asked for was broken and seen, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="numbers, or parts of names; default: all")
    words = [word.strip() for word in parser.parse_args(arguments).only.split(",")]
    chosen = [
        (number, one)
        for number, one in enumerate(mechanisms(root), 1)
        if any(word == str(number) if word.isdigit() else word in one.name for word in words)
    ]
    if not chosen:
        parser.error(f"--only - names no mechanism - see {LIST}")
    with _folder() as copy:
        for path in filter(Path.exists, (root / name for name in _COPIED)):
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, copy / path.name)
        print(f"the tests of {len(chosen)} mechanisms, with nothing broken", flush=True)
        tests = {test: None for _, mechanism in chosen for test in mechanism.seen_by}
        code, said, whole = _tested(copy, [*tests])
        if code:
            print(f"{said}\nNothing is broken yet, and pytest ends with {code} - mend that first.")
            return 1
        width = max(len(mechanism.name) for _, mechanism in chosen)
        print(f"{'':4}{'broken':{width}}  {'s':>4}  seen by")
        wrong = []
        for number, mechanism in chosen:
            print(f"{number:>2}  {mechanism.name:{width}}  ", end="", flush=True)
            result, seconds = _tried(copy, mechanism)
            print(f"{seconds:>4.1f}  {result}", flush=True)
            whole += seconds
            if result in _TO_DO:
                wrong.append(f"{mechanism.name} - {result} - {_TO_DO[result]}")
    seen = len(chosen) - len(wrong)
    print(*wrong, f"{seen} of {len(chosen)} seen, {whole:.0f} processor seconds", sep="\n")
    return 1 if wrong else 0


@contextmanager
def _folder() -> Iterator[Path]:
    """Give an empty folder that is gone afterwards, also if Ctrl-C comes while it is removed."""
    folder = Path(tempfile.mkdtemp(prefix="evoply-broken-"))
    try:
        yield folder
    finally:
        usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
        shutil.rmtree(folder)
        signal.signal(signal.SIGINT, usual)


def _tried(copy: Path, mechanism: Mechanism) -> tuple[str, float]:
    """Break it, and return the test that sees it, or what is wrong; and the seconds it took."""
    file = copy / mechanism.file
    before = file.read_text(encoding="utf-8")
    try:
        file.write_text(mechanism.broken(before), encoding="utf-8")
        code, said, seconds = _tested(copy, [*mechanism.seen_by, "-x"])
    except ValueError:
        return "does not apply", 0.0
    finally:
        file.write_text(before, encoding="utf-8")
    # Other codes: no test was run, for example because the broken file is no Python.
    seen = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
    if code == 1 and seen:
        return seen[1], seconds
    if code:
        return "does not apply", seconds
    return ("is not tested" if "\nskipped: " in said else "is not seen"), seconds


def _tested(copy: Path, tests: Sequence[str]) -> tuple[int, str, float]:
    """Run tests in the copy; return pytest's exit code, what it said, and processor seconds."""
    usual = ("-q", "--tb=line", "-o", "timeout=100", "-m", "not long", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *usual, f"--basetemp={copy / 'made'}", *tests]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        command, cwd=copy, env={**os.environ, "PYTHONPATH": str(copy / "python")}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate()
    finally:  # whatever a broken test, or Ctrl-C, leaves
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return process.returncode, said, used


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
