"""evoply doctor: a line for each part, honest exit codes, and never an error of its own."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from command_line import call

import evoply
from evoply.environment import prerequisites
from evoply.environment.prerequisites import EXTRAS, Examination, Prerequisite

ROOT = Path(__file__).parents[2]
_WITHOUT = """
import sys
for name in sys.argv[1].split():
    sys.modules[name] = None
from evoply.cli import main
sys.exit(main(sys.argv[2:]))
"""


def run_without(names: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in a Python that cannot import the modules *names*."""
    return subprocess.run(
        [sys.executable, "-c", _WITHOUT, names, *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def examine_without(names: str, *options: str) -> "subprocess.CompletedProcess[str]":
    """Do the same with `evoply doctor`."""
    return run_without(names, "doctor", *options)


MATCH = ("match", "random", "greedy", "--games", "2")
TOURNAMENT = ("tournament", *MATCH[1:])
NEEDED = {
    "cyclopts": MATCH,
    "jinja2": (*TOURNAMENT, "--html", "page.html"),
    "numpy": MATCH,
    "vl_convert": ("report", "first", "--charts", "drawn"),
    "pydantic": MATCH,
    "rich": MATCH,
    "scipy": ("compare", "small.toml", "small.toml", "--seeds", "2"),
    "tomli_w": ("evolve", "small.toml"),
    "fastapi": ("web", "--no-browser", "--port", "0"),
    "uvicorn": ("web", "--no-browser", "--port", "0"),
    "distributed": ("evolve", "small.toml", "--cluster", "local:1"),
    "cmaes": (
        "tune",
        "( + white_corners ( * 2 white_mobility ) )",
        "--generations",
        "1",
        "--pairs",
        "1",
    ),
    "pyarrow": ("runs", "first", "--parquet", "tables"),
}
"""A command that needs each package, by the module's name."""
PARTS = {"distributed": "cluster: ", "cmaes": "tuning: ", "pyarrow": "Parquet files: "}
"""What is said before the sentence where a command has begun and a part of it needs more."""


@pytest.mark.parametrize("name", NEEDED)
def test_a_package_that_is_missing_gets_a_sentence(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "first" in NEEDED[name]:
        assert call(capsys, "evolve", "small.toml", "--name", "first", "--no-tests").code == 0
    done = run_without(name, *NEEDED[name], "--json")
    assert "Traceback" not in done.stderr
    assert done.returncode == (1 if name in PARTS else 2)
    sentence = f"{PARTS.get(name, '')}the package {name} - is not installed - `"
    assert f"evoply: {sentence}" in done.stderr
    assert "make setup" in done.stderr or "pip install" in done.stderr
    assert json.loads(done.stdout)["error"].startswith(sentence)


def test_a_package_that_is_missing_is_a_sentence_for_people_too() -> None:
    done = run_without("cyclopts", "runs")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("evoply: the package cyclopts - is not installed - `")


def test_all_that_is_needed_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    answer = call(capsys, "doctor")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    names = [line[9:22].strip() for line in lines]
    assert names[:4] == ["evoply", "Python", "packages", "kernel"]
    assert {f"[{extra}]" for extra in EXTRAS} <= set(names)
    assert {"browser", "bubblewrap", "runs folder", "disk", "memory", "cores"} <= set(names)
    assert "CPU path" in lines[3]
    assert f"{os.path.sep}runs" in lines[names.index("runs folder")]
    assert not Path("runs").exists()


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    data = call(capsys, "doctor", "--json").data
    assert data["ok"] is True
    assert {"name", "state", "found", "remedy", "is_required"} == set(data["parts"][0])
    assert all(part["state"] in ("ok", "absent") for part in data["parts"])


@pytest.mark.parametrize("names", ["evoply._native", "cyclopts rich", "numpy evoply._native"])
def test_what_commands_are_made_of_may_be_missing(names: str) -> None:
    done = examine_without(names)
    is_kernel = "evoply._native" in names
    assert done.returncode == int(is_kernel)
    kernel = next(line for line in done.stdout.splitlines() if line[9:].startswith("kernel"))
    assert kernel.startswith("missing" if is_kernel else "ok")
    assert ("make setup" in kernel or "pip install" in kernel) is is_kernel
    assert done.stderr.startswith("evoply: kernel - " if is_kernel else "")
    as_data = examine_without(names, "--json")
    data = json.loads(as_data.stdout)
    assert data["ok"] is not is_kernel
    assert data.get("exit_code", 0) == as_data.returncode == int(is_kernel)


def test_a_kernel_that_does_not_run_here_says_why() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "evoply", "doctor"],
        env={**os.environ, "EVOPLY_CPU": "nonsense"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "EVOPLY_CPU" in done.stdout
    assert "Traceback" not in done.stderr


def test_packages_that_are_missing_or_too_old(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    true_version = metadata.version

    def version(name: str) -> str:
        if name in ("jinja2", "scipy", "uvicorn"):
            raise metadata.PackageNotFoundError(name)
        return "12.9rc1" if name == "rich" else true_version(name)

    monkeypatch.setattr(metadata, "version", version)
    answer = call(capsys, "doctor", "--json")
    assert answer.code == answer.data["exit_code"] == 1
    assert answer.data["error"].startswith("packages - ")
    parts = {part["name"]: part for part in answer.data["parts"]}
    assert "jinja2 is missing" in parts["packages"]["found"]
    assert parts["[statistics]"]["found"] == "scipy is missing"
    assert "rich is 12.9rc1, and 13 is the oldest" in parts["packages"]["found"]
    assert (parts["[web]"]["state"], parts["[web]"]["found"]) == ("absent", "uvicorn is missing")
    assert parts["[web]"]["remedy"].startswith(prerequisites.how_to_install("web"))


def installed_from(
    monkeypatch: pytest.MonkeyPatch, clone: Path | None, **noted: Any
) -> Callable[[str], str]:
    """Return `how_to_install` for an evoply in *clone*, or of which the installer *noted* that."""
    true_distribution = metadata.distribution

    class Installed:
        def __init__(self, name: str) -> None:
            self.requires = true_distribution(name).requires

        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return json.dumps(noted) if noted else None

    monkeypatch.setattr(metadata, "distribution", Installed)
    monkeypatch.setattr(prerequisites, "_clone", lambda: clone)
    return prerequisites.how_to_install


def test_the_package_and_its_clone_are_found_where_they_are() -> None:
    package = Path(evoply.__file__).resolve().parent
    is_clone = (package.parents[1] / "Cargo.toml").is_file()
    assert prerequisites._clone() == (package.parents[1] if is_clone else None)
    # Not where links lead to: `make test-long` takes a folder of links beside a kernel of its own.
    assert prerequisites._evoply().found.endswith(f", in {Path(evoply.__file__).parent}")


def test_a_clone_is_installed_by_its_setup_or_from_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clone = tmp_path / "a clone"
    how = installed_from(monkeypatch, clone)
    assert how("web") == f"`pip install -e '{clone}[web]'`"
    monkeypatch.setattr(sys, "prefix", str(clone / ".venv"))
    assert how("web") == how("") == "`make setup` in the clone"


def test_an_installed_evoply_is_installed_again_from_where_it_came(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheel = tmp_path / "evoply-0.1.0-cp311-abi3-any.whl"
    wheel.touch()
    how = installed_from(monkeypatch, None, url=wheel.as_uri(), archive_info={})
    assert how("web") == f"`pip install '{wheel}[web]'`"
    assert prerequisites.missing_kernel().endswith(f"--force-reinstall --no-deps {wheel}`")
    missing = prerequisites.missing_package("cmaes")
    assert missing == f"the package cmaes - is not installed - `pip install '{wheel}[tune]'`"
    assert prerequisites.missing_package("vl_convert").endswith(f"'{wheel}[charts]'`")
    assert prerequisites.missing_package("numpy").endswith(f"`pip install {wheel}`")
    how = installed_from(monkeypatch, None, url=tmp_path.as_uri(), dir_info={})
    assert how("web") == f"`pip install '{tmp_path}[web]'`"
    source = {"vcs": "git", "commit_id": "123abc"}
    how = installed_from(monkeypatch, None, url="https://example.org/evoply", vcs_info=source)
    assert how("") == "`pip install 'evoply @ git+https://example.org/evoply@123abc'`"


@pytest.mark.parametrize("noted", [{}, {"url": "file:///nowhere/evoply.whl"}])
def test_where_the_origin_is_unknown_or_gone_the_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, noted: dict[str, Any]
) -> None:
    how = installed_from(monkeypatch, None, **noted)
    words = shlex.split(how("web").strip("`"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert words == ["pip", "install", *project["optional-dependencies"]["web"]]
    assert shlex.split(how("").strip("`"))[2:] == project["dependencies"]


def test_nothing_tells_people_to_install_evoply_by_its_name_alone() -> None:
    """It is on no package index: whoever took the name there would be asked."""
    by_name = re.compile(r"pip install [^\n`]*(?<![/\w.])evoply(?=[\[\s'\"`]|$)", re.MULTILINE)
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
    found = {
        f"{page.name}: {match[0]}"
        for page in [*pages, *(ROOT / "python").rglob("*.py")]
        for match in by_name.finditer(page.read_text(encoding="utf-8"))
    }
    assert found == {"installation.md: pip install evoply"}  # where it says that this is wrong


def test_a_folder_of_runs_that_cannot_be_written(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(workplace / "small.toml" / "runs"))
    answer = call(capsys, "doctor")
    assert answer.code == 1
    assert "runs folder - " in answer.err
    assert "EVOPLY_RUNS" in next(line for line in answer.out.splitlines() if "runs folder" in line)


def test_too_little_of_disk_or_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prerequisites, "_LEAST_ROOM", 1 << 80)
    monkeypatch.setattr(prerequisites, "_LEAST_MEMORY", 1 << 80)
    found = Examination.of_this_machine()
    assert [part.name for part in found.parts if part.is_failure] == ["disk", "memory"]


def test_a_part_that_cannot_be_looked_at_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("nobody\nknows")

    looks = prerequisites._looks()
    monkeypatch.setattr(prerequisites, "_looks", lambda: [(*look[:2], broken) for look in looks])
    parts = Examination.of_this_machine().parts
    assert [part.name for part in parts] == [look[0] for look in looks]
    assert {part.state for part in parts} == {"unknown"}
    assert all("RuntimeError: nobody knows" in part.line for part in parts)
    assert [part.is_failure for part in parts] == [look[1] for look in looks]


def test_nothing_that_the_system_says_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise OSError("refused")

    monkeypatch.setattr(prerequisites.shutil, "which", lambda name: f"/{name}")
    monkeypatch.setattr(prerequisites.subprocess, "run", refused)
    monkeypatch.setattr(prerequisites.shutil, "disk_usage", refused)
    states = {part.name: part.state for part in Examination.of_this_machine().parts}
    assert states["bubblewrap"] == states["disk"] == "unknown"
    assert states["kernel"] == "ok"


def test_every_extra_for_users_is_looked_at() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    not_looked_at = {"all", "build", "dev", "bench", "notebooks"}
    assert set(project["optional-dependencies"]) - not_looked_at == set(EXTRAS)
    for extra in EXTRAS:
        found, wrong = prerequisites._installed(extra)
        assert len(found) + len(wrong) == len(project["optional-dependencies"][extra])
    found, wrong = prerequisites._installed("")
    assert len(found) + len(wrong) == len(project["dependencies"])


def test_a_line_says_what_to_do() -> None:
    part = Prerequisite("kernel", "missing", "is not built", "`make setup`", is_required=True)
    assert part.line == "missing  kernel       is not built - `make setup`"
    assert part.is_failure
