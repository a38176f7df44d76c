"""The setup as `make` calls it, in a clone whose programs only pretend."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from clone import ROOT, Clone

from waiting import PATIENCE, until


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence of a setup that failed: what - is wrong - what to do."""
    assert done.returncode == 1, done.stdout + done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("setup: ")
    assert line.count(" - ") == 2
    return line


def test_packages_and_kernel_are_made_once(clone: Clone) -> None:
    done = clone.set_up("development")
    assert (done.returncode, done.stderr) == (0, "")
    assert "CPU path avx2" in done.stdout
    assert "2 crates compiled" in done.stdout
    calls = clone.calls()
    (uv,) = [call for call in calls if call.startswith("uv ")]
    assert uv.endswith("--require-hashes -r requirements-dev.lock")
    only_built, installed = [call for call in calls if call.startswith("maturin develop")]
    assert "--release" in only_built
    assert "--no-default-features --features pyo3/extension-module,path-avx2" in only_built
    assert "--skip-install" in only_built
    assert "--skip-install" not in installed
    again = clone.set_up("development")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert {call.split()[0] for call in clone.calls()} == {"cargo", "rustc"}  # asked who they are


def builds(clone: Clone, **environment: str) -> bool:
    """Return whether setting up again builds the kernel."""
    assert clone.set_up("development", **environment).returncode == 0
    return any(call.startswith("maturin") for call in clone.calls())


def test_the_kernel_is_built_again_when_what_it_is_made_of_changes(clone: Clone) -> None:
    assert builds(clone)
    assert not builds(clone)
    source = clone.folder / "crates/core/src/lib.rs"
    source.write_text("// something\n")
    assert builds(clone)
    os.utime(source, (1, 1))  # as a switch of branches leaves it
    assert not builds(clone)
    assert builds(clone, EVOPLY_PATHS="all")
    assert not builds(clone, EVOPLY_PATHS="avx512,avx2,baseline")  # the same
    assert builds(clone)
    assert builds(clone, RUSTFLAGS="-g")
    assert builds(clone)
    (clone.folder / "rust").write_text("1.96.0")
    assert builds(clone)
    (clone.folder / "python/evoply/_native.abi3.so").write_text("by hand")
    assert builds(clone)
    (clone.folder / "python/evoply/_native.abi3.so").unlink()
    assert builds(clone)
    assert not builds(clone)


def test_packages_are_installed_again_when_a_lock_file_changes(clone: Clone) -> None:
    assert clone.set_up("development").returncode == 0
    clone.calls()
    (clone.folder / "requirements-dev.lock").write_text("maturin==2\nuv==2\n")
    assert clone.set_up("development").returncode == 0
    assert any(call.startswith("uv pip install") for call in clone.calls())


def test_pip_installs_what_uv_cannot(clone: Clone) -> None:
    clone.fail("uv-pip", "error: no such index")
    done = clone.set_up("demo")
    assert done.returncode == 0
    assert "a champion" in done.stdout
    pips = [call for call in clone.calls() if call.startswith("python -m pip")]
    assert pips[-1].endswith("--require-hashes -r requirements.lock")


def test_packages_that_were_stopped_in_the_middle_are_written_anew(clone: Clone) -> None:
    clone.fail("uv-pip", "Installed 3 packages, then came Ctrl-C")
    clone.fail("python-pip", "ERROR: the first ones are all that is there")
    complaint(clone.set_up("packages"))
    (clone.folder / "fails/uv-pip").unlink()
    (clone.folder / "fails/python-pip").unlink()
    clone.calls()
    assert clone.set_up("packages").returncode == 0
    assert any("--reinstall" in call for call in clone.calls())
    assert clone.set_up("packages").returncode == 0
    assert not any(call.startswith("uv") for call in clone.calls())


def test_the_demo_ends_with_how_long_each_part_took(clone: Clone) -> None:
    done = clone.set_up("demo", "--generations", "2")
    assert done.returncode == 0
    assert "evoply evolve readable --generations 2" in clone.calls()
    *_, champion, times = done.stdout.splitlines()
    assert champion == "a champion"
    assert times.startswith("Time        packages ")
    for part in ("kernel ", "evolution and tests ", " in all"):
        assert part in times
    again = clone.set_up("demo").stdout.splitlines()
    assert len(again) == 2
    assert again[1].startswith("Time        packages ready, kernel ready, evolution and tests ")


def test_the_exit_code_of_the_run_is_that_of_the_demo(clone: Clone) -> None:
    (clone.folder / "evolved").write_text("7")
    done = clone.set_up("demo")
    assert done.returncode == 7
    assert "in all" not in done.stdout


def test_features_are_those_of_the_paths(clone: Clone) -> None:
    assert clone.set_up("features").stdout == "--no-default-features --features path-avx2\n"
    (clone.folder / "instructions").write_text('target_arch="aarch64"\ntarget_feature="neon"\n')
    assert clone.set_up("features").stdout == "--no-default-features --features path-baseline\n"
    several = clone.set_up("features", EVOPLY_PATHS=" avx512 , baseline ").stdout
    assert several == "--no-default-features --features path-baseline,path-avx512\n"


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ("sse", "EVOPLY_PATHS - is 'sse' - give all, or some of baseline, avx2, avx512"),
        (",", "EVOPLY_PATHS - is ','"),
        (
            "avx512",
            "is avx512, which this machine cannot run - give at least one of baseline, avx2",
        ),
    ],
)
def test_paths_that_are_none_are_refused(clone: Clone, paths: str, said: str) -> None:
    assert said in complaint(clone.set_up("development", EVOPLY_PATHS=paths))


@pytest.mark.parametrize("program", ["cargo", "rustc"])
def test_a_missing_rust_is_named(clone: Clone, program: str) -> None:
    (clone.folder / "programs" / program).unlink()
    said = complaint(clone.set_up("development"))
    assert said.startswith(f"setup: {program} - is missing - evoply needs Rust 1.89 or later")
    assert "rustup" in said


def test_a_rust_that_is_too_old_is_named(clone: Clone) -> None:
    (clone.folder / "rust").write_text("1.88.1")
    said = complaint(clone.set_up("development"))
    assert "Rust - is 1.88, and evoply needs 1.89 or later - run `rustup update`" in said


def test_a_rustup_without_a_rust_is_named(clone: Clone) -> None:
    clone.fail("rustc--vV", "error: rustup could not choose a version of rustc to run\nhelp")
    said = complaint(clone.set_up("development"))
    assert (
        "rustc - does not run: error: rustup could not choose a version of rustc to run - " in said
    )


def test_a_missing_compiler_is_named_before_anything_is_downloaded(clone: Clone) -> None:
    (clone.folder / "programs/cc").unlink()
    said = complaint(clone.set_up("development"))
    assert "the C compiler cc - is missing - install one" in said
    assert "build-essential" in said
    assert not any("fetch" in call or "pip" in call for call in clone.calls())


def test_a_compiler_that_makes_no_program_is_named(clone: Clone) -> None:
    program = clone.folder / "programs/cc"
    program.write_text("#!/bin/sh\necho 'ld: cannot find crt1.o' >&2\nexit 1\n")
    assert "cc - makes no program: ld: cannot find crt1.o - " in complaint(clone.set_up("demo"))


limits_memory = pytest.mark.skipif(sys.platform != "linux", reason="needs `ulimit -v`")


@limits_memory
def test_too_little_memory_is_refused_before_anything_begins(clone: Clone) -> None:
    done = clone.set_up("development", memory=900 * 2**20)
    assert "memory - is too little: 0.9 GiB are free, and the kernel takes" in complaint(done)
    assert not any("fetch" in call or "pip" in call for call in clone.calls())


@limits_memory
def test_little_memory_takes_one_job_and_says_so(clone: Clone) -> None:
    if (os.cpu_count() or 1) == 1:
        pytest.skip("one core: it is one job anyway")
    done = clone.set_up("development", memory=2 * 2**30)
    assert done.returncode == 0
    assert "2.0 GiB are free, so the kernel is compiled by 1 job instead of" in done.stdout
    assert any("maturin" in call and "--jobs 1" in call for call in clone.calls())


@pytest.mark.parametrize(
    ("call", "text", "said", "log"),
    [
        ("cargo-fetch", "[6] Could not resolve host: index.crates.io", "the network - ", "kernel"),
        ("python-pip", "NewConnectionError: failed to connect", "the network - ", "packages"),
        ("python-pip", "ERROR: No space left on device", "the disk - is full", "packages"),
        ("maturin-develop", "(signal: 9, SIGKILL: kill)", "memory - ran out", "kernel"),
        (
            "maturin-develop",
            "error[E0308]: mismatched",
            "failed: error[E0308]: mismatched",
            "kernel",
        ),
    ],
)
def test_what_fails_is_one_sentence_with_its_log(
    clone: Clone, call: str, text: str, said: str, log: str
) -> None:
    clone.fail(call, f"first\n{text}\nlast")
    line = complaint(clone.set_up("development"))
    assert said in line
    path = clone.folder / "target/setup" / f"{log}.log"
    assert line.endswith(f"(all of it: {path})")
    assert text in path.read_text()
    (clone.folder / "fails" / call).unlink()
    assert clone.set_up("development").returncode == 0


def gone(pid: int) -> bool:
    """Return whether a process has ended, though nobody may have asked for its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def number_in(file: Path) -> int:
    """Return the number in a file, as soon as it stands there."""
    return int(until(lambda: file.exists() and file.read_text().strip(), f"a number in {file}"))


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")


@needs_proc
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_stop_ends_all_that_was_begun(clone: Clone, number: signal.Signals, code: int) -> None:
    waits = clone.folder / "waits/maturin-develop"
    waits.touch()
    process = subprocess.Popen(
        clone.command("development"),
        cwd=clone.folder,
        env=clone.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    child = number_in(waits.with_suffix(".child"))
    process.send_signal(number)
    errors = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == code
    assert errors == (
        "setup: stopped - run it again, and it goes on from what is done\n" if code == 130 else ""
    )
    assert gone(child)
    assert gone(number_in(waits))


@needs_proc
def test_a_part_that_fails_ends_the_other(clone: Clone) -> None:
    waits = clone.folder / "waits/uv-pip"
    waits.touch()
    clone.fail("maturin-develop", "error: no")
    assert "compiling the kernel - failed: error: no - " in complaint(clone.set_up("development"))
    assert gone(number_in(waits.with_suffix(".child")))


def test_a_clone_that_was_moved_says_what_to_do(clone: Clone) -> None:
    assert clone.set_up("demo").returncode == 0
    moved = Clone(clone.folder.rename(clone.folder.with_name("moved")))
    said = complaint(moved.set_up("demo"))
    assert f".venv - was made in {clone.folder} - remove it" in said


def test_a_venv_whose_python_is_gone_says_what_to_do(clone: Clone) -> None:
    python = clone.folder / ".venv/bin/python"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    said = complaint(clone.set_up("demo"))
    assert ".venv - has lost its Python (/nowhere/python3) - remove it" in said


def test_what_cannot_be_written_is_named(clone: Clone) -> None:
    (clone.folder / "target").write_text("a file")
    assert "target/setup - cannot be used: Not a directory - " in complaint(clone.set_up("demo"))


def test_an_old_python_can_read_why_it_is_refused() -> None:
    for name in ("__init__", "__main__"):
        source = (ROOT / "setting_up" / f"{name}.py").read_text()
        ast.parse(source, feature_version=(3, 6))
    old = (
        "import runpy, sys; sys.version_info = (3, 10, 4); sys.version = '3.10.4 (old)';"
        "runpy.run_module('setting_up', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", old], cwd=ROOT, capture_output=True, text=True)
    assert "setup: Python - is 3.10.4, and evoply needs 3.11 or later - " in complaint(done)
    oldest = 'requires-python = ">=3.11"'
    assert oldest in (ROOT / "pyproject.toml").read_text()
