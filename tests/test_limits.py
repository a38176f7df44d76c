"""What `make limits` says, without building anything."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("resource", reason="`make` is for systems like Unix")

import limits
from setting_up.needs import Rust
from setting_up.running import Log, Programs

ROOT = Path(__file__).parents[1]
LIMITS = {
    "kernel": {"build": 25.0},
    "wheel": {"dist": 12.0, "setup": 8.0},
    "tests": {"file": 20.0, "sum": 100.0},
}
MODULES = {"modules": {"--version": {"own": 1, "foreign": 1000}}}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(limits, "ROOT", tmp_path)
    write_limits(tmp_path, LIMITS)
    return tmp_path


def write_limits(root: Path, tables: dict[str, dict[str, float]]) -> None:
    lines = []
    for table, values in tables.items():
        lines += [f"[{table}]", *(f'"{key}" = {value}' for key, value in values.items())]
    (root / "limits.toml").write_text("\n".join(lines))


def keep_seconds(root: Path, **files: float) -> None:
    (root / "target").mkdir(exist_ok=True)
    named = {f"tests/test_{name}.py": spent for name, spent in files.items()}
    kept = {"sum": sum(files.values()) + 50, "slowness": 1, "files": {"collecting": 50, **named}}
    (root / "target" / "test-seconds.json").write_text(json.dumps(kept))


def test_the_limits_of_evoply_have_all_that_is_compared() -> None:
    text = (ROOT / "limits.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)
    assert found.keys() == {*LIMITS, *MODULES, "lines"}
    for table, values in LIMITS.items():
        assert values.keys() <= found[table].keys() <= {*values, "files"}
    assert all((ROOT / name).is_file() for name in found["tests"]["files"])
    # A line says what each is.
    lines = text.splitlines()
    named = [
        number
        for number, line in enumerate(lines)
        if " = " in line and line[0].isalpha() and " = { lines" not in line
    ]
    assert all(lines[number - 1].startswith("# ") for number in named)


def test_what_is_above_its_limit_is_named_with_what_to_do(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_seconds(root, slow=26.0, quick=1.0, slower=50.0)
    assert limits.main(["tests"]) == 1
    shown = capsys.readouterr()
    marked = [line.split()[3] for line in shown.out.splitlines() if line.startswith("!")]
    assert marked == ["tests/test_slower.py", "tests/test_slow.py", "all"]
    assert shown.err == (
        "limits: seconds of tests/test_slower.py; seconds of tests/test_slow.py; "
        "seconds of all tests (3 files) - above the limit - make it cost less, or raise the limit "
        "in limits.toml in a commit whose message says why\n"
    )
    keep_seconds(root, slow=20.0, quick=1.0)
    assert limits.main(["tests"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "tests/test_slow.py" in shown.out
    assert "test_quick" not in shown.out


def test_a_time_a_little_above_its_limit_is_marked_and_no_error(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_seconds(root, slow=24.9, quick=1.0)
    assert limits.main(["tests"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("! seconds of tests/test_slow.py")


def test_a_file_may_have_a_limit_of_its_own(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = {"tests/test_slow.py": 30.0}
    write_limits(root, {"tests": {"file": 20.0, "sum": 90.0}, "tests.files": own})
    keep_seconds(root, slow=29.0, quick=1.0)
    assert limits.main(["tests"]) == 0
    keep_seconds(root, slow=38.0, quick=1.0)
    assert limits.main(["tests"]) == 1
    assert "seconds of tests/test_slow.py - above the limit" in capsys.readouterr().err


def test_what_was_not_measured_is_no_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert limits.main(["tests"]) == 0
    assert "make test TEST_OPTIONS=--seconds" in capsys.readouterr().out


def test_a_limit_that_is_missing_and_a_part_that_is_none_are_sentences(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_limits(root, {"tests": {"file": 20.0}})
    assert limits.main(["tests"]) == 1
    assert capsys.readouterr().err == "limits: limits.toml - lacks sum - write the limit there\n"
    with pytest.raises(SystemExit):
        limits.main(["nothing"])
    assert (
        "nothing - is no part of the limits - give some of lines, kernel" in capsys.readouterr().err
    )


def test_ctrl_c_ends_it_without_a_traceback(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(limits, "PARTS", {"tests": interrupted})
    assert limits.main(["tests"]) == 130
    assert capsys.readouterr().err == ""


def test_only_a_wheel_of_the_sources_as_they_are_is_weighed(root: Path) -> None:
    source = root / "python" / "evoply" / "__init__.py"
    wheel = root / "dist" / "evoply-1.whl"
    for file in (source, wheel):
        file.parent.mkdir(parents=True)
        file.write_bytes(b"x" * 2_500_000)

    def weighed() -> float | str:
        (figure,) = limits.figures_of_dist(LIMITS)
        return figure.today

    os.utime(source, (1, 1))
    assert weighed() == 2.5
    os.utime(wheel, (0, 0))
    assert "old one" in str(weighed())
    wheel.unlink()
    assert "no wheel" in str(weighed())


def stub_of_kernel(cost: float | None, packing: float) -> type:
    """Return a kernel that `make setup` built for *cost*, and that takes *packing* to pack."""

    class Stub:
        def __init__(self, root: Path, paths: tuple[str, ...], *_: Any) -> None: ...

        def cost(self, minutes: float) -> float | None:
            return cost

        def pack(
            self, _: Any, __: Any, folder: Path, *, anew: bool, on_end: Callable[[float], None]
        ) -> Path:
            assert anew == (cost is None)
            wheel = folder / "a.whl"
            wheel.write_bytes(b"x" * 7_500_000)
            on_end(packing)
            return wheel

    return Stub


@pytest.mark.parametrize(("cost", "packing", "ratio"), [(200.0, 1.0, 25.0), (None, 160.0, 20.0)])
def test_the_kernels_build_is_that_of_the_setup_or_one_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch, cost: float | None, packing: float, ratio: float
) -> None:
    monkeypatch.setattr(limits, "Kernel", stub_of_kernel(cost, packing))
    monkeypatch.setattr(limits, "find_rust", lambda _: Rust("1.95", "", frozenset()))
    monkeypatch.setattr(limits, "fixed_seconds", lambda: 8.0)
    build, wheel = limits.figures_of_kernel(LIMITS)
    assert (build.today, build.is_above) == (ratio, False)
    assert (wheel.today, wheel.is_above) == (7.5, False)
    monkeypatch.setenv("EVOPLY_PATHS", "all")
    assert all("EVOPLY_PATHS" in str(one.today) for one in limits.figures_of_kernel(LIMITS))


def test_modules_of_a_command_are_counted_and_a_failure_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, foreign = limits.figures_of_modules(MODULES)
    assert own.is_above
    assert not foreign.is_above
    assert 20 < float(foreign.today) < 500
    mistyped = limits.modules_of("no-such-verb")
    assert isinstance(mistyped, dict)
    monkeypatch.setattr(limits, "_COUNTED", "raise SystemExit('no kernel')")
    assert limits.modules_of("--version") == "not measured: no kernel"


def test_a_program_of_the_setup_costs_what_its_children_cost(tmp_path: Path) -> None:
    burns = "import time\nwhile time.process_time() < 0.4: pass"
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burns!r}])"
    spent: list[float] = []
    log = Log(tmp_path / "log", "a test")
    Programs(tmp_path).run([sys.executable, "-c", starts], log, on_end=spent.append)
    assert 0.4 <= spent[0] < 5
    assert f"{spent[0]:.1f} s of processor time" in log.path.read_text()


def test_the_verb_says_what_can_be_asked() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "limits.py", "--help"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "kernel, dist, modules, tests" in done.stdout
