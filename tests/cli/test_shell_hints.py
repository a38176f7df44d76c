import os
import sys
from pathlib import Path

import pytest
from command_line import call

from evoply.cli.shell_hints import suggested, with_suggested


@pytest.fixture
def without_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A shell in which no environment is activated."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


def script(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_command_the_shell_finds_is_suggested_by_name() -> None:
    assert suggested("play") == "evoply play"


@pytest.mark.skipif(os.name != "posix", reason="scripts are programs of another kind there")
@pytest.mark.usefixtures("without_path")
def test_else_it_is_the_running_script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", [str(script(tmp_path / ".venv/bin/evoply")), "runs"])
    assert suggested("play --seed 1") == ".venv/bin/evoply play --seed 1"
    assert with_suggested("use `evoply runs`") == "use `.venv/bin/evoply runs`"
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert suggested("play") == f"{tmp_path}/.venv/bin/evoply play"
    monkeypatch.chdir(tmp_path / ".venv/bin")
    assert suggested("play") == "./evoply play"


@pytest.mark.skipif(os.name != "posix", reason="scripts are programs of another kind there")
@pytest.mark.usefixtures("without_path")
def test_without_a_script_it_is_the_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", ["python -m evoply"])
    monkeypatch.setattr(sys, "executable", str(script(tmp_path / "my env/python")))
    assert suggested("play") == "'my env/python' -m evoply play"


@pytest.mark.parametrize(("command", "code"), [("resume", 2), ("runs", 0)])
def test_without_runs_the_folder_and_the_demo_are_named(
    command: str, code: int, capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    answer = call(capsys, command)
    assert answer.code == code
    said = answer.out + answer.err
    assert str(tmp_path / "runs") in said
    assert "`evoply evolve demo`" in said


@pytest.mark.usefixtures("without_path")
def test_what_is_suggested_after_a_run_can_be_typed(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", [str(script(tmp_path / "bin/evoply"))])
    answer = call(capsys, "evolve", "small.toml", "--name", "small", "--no-tests")
    assert "bin/evoply play --against champion@small" in answer.out
    assert "bin/evoply resume small goes on" in answer.out
