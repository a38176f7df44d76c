"""The wheel in an environment that has neither Rust nor this repository."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DATA = (
    "evoply/py.typed",
    "evoply/_native.pyi",
    "evoply/course/files/student/README.md",
    "evoply/course/files/teacher/2-evolution/config.toml",
    "evoply/protocols/pieces.css",
    "evoply/runs/presets/demo.toml",
    "evoply/studies/papers/liao.toml",
    "evoply/arena/yardsticks.toml",
    "evoply/experiments/readable_sizes.toml",
    "evoply/expressions/languages/c.toml",
    "evoply/players/edgar.json",
    "evoply/players/readable.toml",
    "evoply/players/strong-othello.json",
    "evoply/players/strong-checkers.json",
    "evoply/players/strong-checkers-10.json",
    "evoply/players/strong-lose-checkers.json",
    "evoply/reports/templates/base.html",
    "evoply/reports/templates/page.css",
    "evoply/web/ladder.toml",
    "evoply/web/static/index.html",
    "evoply/web/static/play.js",
)

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(shutil.which("cargo") is None, reason="builds the kernel"),
]


def output_of(*command: str | Path, cwd: Path, env: Mapping[str, str]) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    maturin = Path(sys.executable).with_name("maturin")
    output_of(
        maturin, "build", "--profile", "dist", "--locked", "--out", folder, cwd=ROOT, env=os.environ
    )
    (built,) = folder.glob("evoply-*.whl")
    return built


def test_the_wheel_holds_all_data_and_one_kernel(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert set(DATA) <= set(names)
    kernels = [name for name in names if "_native" in name and name.endswith((".so", ".pyd"))]
    assert len(kernels) == 1
    ours = {f.relative_to(ROOT / "python").as_posix() for f in (ROOT / "python").rglob("*.py")}
    assert ours <= set(names)


def test_the_wheel_is_as_small_as_its_limit(wheel: Path) -> None:
    limit = tomllib.loads((ROOT / "limits.toml").read_text(encoding="utf-8"))["wheel"]["dist"]
    assert wheel.stat().st_size / 1_000_000 <= limit


def test_the_wheel_plays_where_there_is_no_rust(wheel: Path, tmp_path: Path) -> None:
    output_of(sys.executable, "-m", "venv", "empty", cwd=tmp_path, env=os.environ)
    programs = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin")
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "COVERAGE", "VIRTUAL_ENV", "CARGO", "RUST"))
    }
    alone = {**inherited, "PATH": str(programs)}
    assert shutil.which("cargo", path=alone["PATH"]) is None
    pip = (programs / "python", "-m", "pip")
    locked = ("--require-hashes", "-r", ROOT / "requirements.lock")
    output_of(*pip, "install", "--quiet", *locked, cwd=tmp_path, env=alone)
    output_of(*pip, "install", "--quiet", "--no-deps", wheel, cwd=tmp_path, env=alone)
    output_of(*pip, "check", cwd=tmp_path, env=alone)

    def evoply(*arguments: str) -> dict[str, Any]:
        text = output_of(programs / "evoply", *arguments, "--json", cwd=tmp_path, env=alone)
        data: dict[str, Any] = json.loads(text)
        return data

    played = evoply("match", "swh", "random", "--games", "100", "--seed", "1")
    assert played["games"] == 100
    assert played["score"] > 0.7
    evolved = evoply("evolve", "quick", "--generations", "2", "--no-tests")
    assert evolved["generations"] == 2
    where = "import evoply._native as kernel; print(kernel.__file__)"
    kernel = output_of(programs / "python", "-c", where, cwd=tmp_path, env=alone)
    assert Path(kernel.strip()).is_relative_to(tmp_path / "empty")
