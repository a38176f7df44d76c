"""What the setup knows: instructions, memory, logs, crates, lock files."""

import importlib.util
import io
import re
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from clone import ROOT
from setting_up.kernel import Crates
from setting_up.running import Progress, spoken
from setting_up.wrong import FailedError, WrongError, reason

from setting_up import machine, needs, packages

GIB = machine.GIB


def test_paths_need_what_the_kernel_asks_for() -> None:
    source = (ROOT / "crates/core/src/cpu/machine.rs").read_text()
    avx2, avx512 = source.split("impl Avx512")
    asked = [
        set(re.findall(r'is_x86_feature_detected!\("(\w+)"\)', part)) for part in (avx2, avx512)
    ]
    assert machine.runnable_paths(asked[0]) == ("baseline", "avx2")
    assert machine.runnable_paths(asked[0] | asked[1]) == machine.PATHS
    for missing in asked[0]:
        assert machine.runnable_paths(asked[0] - {missing}) == ("baseline",)
    for missing in asked[1]:
        assert "avx512" not in machine.runnable_paths((asked[0] | asked[1]) - {missing})


@pytest.mark.parametrize("crate", ["core", "python"])
def test_every_path_is_a_feature_of_the_crates(crate: str) -> None:
    features = (ROOT / "crates" / crate / "Cargo.toml").read_text()
    assert sorted(re.findall(r"(?m)^path-(\w+) = ", features)) == sorted(machine.PATHS)


def test_the_best_path_is_built_unless_others_are_asked_for() -> None:
    assert machine.wanted_paths("", ("baseline", "avx2")) == ("avx2",)
    assert machine.wanted_paths("all", ("baseline",)) == machine.PATHS
    assert machine.wanted_paths("avx2,baseline,", ("baseline",)) == ("baseline", "avx2")


def system(folder: Path, available: int, groups: str = "") -> tuple[Path, Path]:
    """Return folders like /proc and /sys/fs/cgroup."""
    proc, cgroups = folder / "proc", folder / "cgroup"
    (proc / "self").mkdir(parents=True)
    cgroups.mkdir()
    (proc / "meminfo").write_text(f"MemTotal: 99999999 kB\nMemAvailable: {available // 1024} kB\n")
    (proc / "self/cgroup").write_text(groups)
    return proc, cgroups


def test_free_memory_is_the_least_that_anybody_grants(tmp_path: Path) -> None:
    proc, cgroups = system(tmp_path, 8 * GIB, "0::/user/box\n")
    unlimited = -1
    assert machine.free_memory(proc, cgroups, unlimited) == 8 * GIB
    assert machine.free_memory(proc, cgroups, 4 * GIB) == 4 * GIB
    inner, outer = cgroups / "user/box", cgroups / "user"
    inner.mkdir(parents=True)
    (inner / "memory.max").write_text("max\n")
    (inner / "memory.current").write_text("5\n")
    assert machine.free_memory(proc, cgroups, unlimited) == 8 * GIB
    (outer / "memory.max").write_text(f"{3 * GIB}\n")
    (outer / "memory.current").write_text(f"{2 * GIB}\n")
    (outer / "memory.stat").write_text(f"anon 7\ninactive_file {GIB // 2}\n")
    assert machine.free_memory(proc, cgroups, unlimited) == 3 * GIB // 2


def test_free_memory_knows_the_older_control_groups(tmp_path: Path) -> None:
    proc, cgroups = system(tmp_path, 8 * GIB, "9:cpu:/\n4:memory:/box\n")
    (cgroups / "memory").mkdir()  # a container sees its own group at the top
    (cgroups / "memory/memory.limit_in_bytes").write_text(f"{2 * GIB}")
    (cgroups / "memory/memory.usage_in_bytes").write_text(f"{GIB}")
    assert machine.free_memory(proc, cgroups, -1) == GIB


@pytest.mark.parametrize(
    ("memory", "cores", "count"),
    [(None, 8, 8), (64, 8, 8), (3, 2, 2), (2.9, 2, 1), (2.9, 1, 1), (1, 4, 1), (6, 16, 4)],
)
def test_jobs_fit_the_memory(memory: float | None, cores: int, count: int) -> None:
    taken, why = machine.jobs(None if memory is None else int(memory * GIB), cores)
    assert taken == count
    assert bool(why) == (count < cores)


def test_a_gigabyte_is_the_least() -> None:
    with pytest.raises(WrongError, match=r"^memory - is too little: 0\.9 GiB are free"):
        machine.jobs(int(0.9 * GIB), 2)


def test_a_full_disk_is_seen_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=GIB // 2))
    machine.check_disk(tmp_path, GIB // 4)
    with pytest.raises(
        WrongError, match=r"^the disk - has too little room .*: 0\.5 GiB of 3\.0 GiB"
    ):
        machine.check_disk(tmp_path, 3 * GIB)


def test_a_python_without_venv_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.check_venv()
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ensurepip" else 1
    )
    with pytest.raises(WrongError, match=r"^the module venv - is missing from .* - .*python3-venv"):
        needs.check_venv()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("error: linker `cc` not found", "the linker"),
        ("LLVM ERROR: out of memory", "memory"),
        ("memory allocation of 4096 bytes failed", "memory"),
        ("OSError: [Errno 28] No space left on device", "the disk"),
        (
            "warning: spurious network error (3 tries remaining): [7] Could not connect",
            "the network",
        ),
        ("error: Request failed after 3 retries in 8.2s", "the network"),
        ("Failed to establish: Temporary failure in name resolution", "the network"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "a package"),
        ("ERROR: No matching distribution found for numpy==2", "the package index"),
        ("error: cannot update the lock file Cargo.lock because --locked was passed", "Cargo.lock"),
    ],
)
def test_logs_are_understood(text: str, what: str) -> None:
    error = FailedError("cargo", 101, f"   Compiling a v1\n{text}\n")
    assert str(reason(error, "compiling", Path("a.log"))).startswith(f"{what} - ")


def test_a_killed_program_lacked_memory() -> None:
    assert str(reason(FailedError("maturin", -9, ""), "compiling", Path("l"))).startswith(
        "memory - "
    )


def test_crates_are_counted_once_from_what_cargo_says() -> None:
    crates = Crates(3)
    said = [
        crates.after(line)
        for line in (
            "    Blocking waiting for file lock on build directory",
            "       Fresh one v1.0.0",
            "   Compiling two v1.0.0",
            "     Running `rustc --crate-name two`",
            "   Compiling two v1.0.0",
            "   Compiling evoply-core v0.1.0 (/somewhere)",
            "   Compiling four v1.0.0",
        )
    ]
    assert said == [
        "waiting for another cargo that runs in this folder",
        "",
        "compiling crate 2 of 3: two",
        "",
        "",
        "compiling crate 3 of 3: evoply-core",
        "compiling crate 4 of 4: four",
    ]
    assert crates.compiled == 3


def test_what_is_installed_first_stands_in_the_lock_file() -> None:
    text = (ROOT / "requirements-dev.lock").read_text()
    first = packages.locked(text, ("maturin", "uv"))
    assert re.findall(r"(?m)^[^\s]+(?===)", first) == ["maturin", "uv"]
    assert first.count("--hash=sha256:") > 10
    assert set(first.splitlines()) <= set(text.splitlines())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_one_line_that_changes() -> None:
    stream = Terminal()
    progress = Progress(stream)
    progress.say("packages", "downloading numpy")
    progress.say("kernel", "compiling crate 2 of 3: two")
    progress.draw()
    progress.end("packages", "ready after 9 s")
    progress.draw()
    progress.wipe()
    shown = stream.getvalue()
    assert "packages: downloading numpy, 0 s | kernel: compiling crate 2 of 3: two, 0 s" in shown
    assert shown.count("\n") == 1
    assert "\r\x1b[2Kpackages: ready after 9 s\n" in shown
    assert shown.endswith("\r\x1b[2K")


def test_elsewhere_a_line_comes_now_and_then() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    for crate in range(100):
        progress.say("kernel", f"compiling crate {crate} of 100")
        progress.draw()
    assert stream.getvalue() == "kernel: compiling crate 0 of 100, 0 s\n"


def test_elsewhere_long_work_shows_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, clock = io.StringIO(), [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    progress = Progress(stream)
    progress.say("kernel", "compiling crate 3 of 3: three")
    for _ in range(130):
        progress.draw()
        clock[0] += 1
    assert stream.getvalue().splitlines() == [
        f"kernel: compiling crate 3 of 3: three, {text}"
        for text in ("0 s", "1 min 0 s", "2 min 0 s")
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (1.26, "1.3 s"), (12.4, "12 s"), (59.7, "1 min 0 s"), (61, "1 min 1 s")],
)
def test_times_are_said_as_people_do(seconds: float, text: str) -> None:
    assert spoken(seconds) == text
