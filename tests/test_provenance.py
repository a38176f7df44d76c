"""What results say of how they were made."""

import json
import platform
import subprocess
from pathlib import Path
from typing import Any

import pytest

import evoply
from evoply.cli import main
from evoply.protocols import provenance as module
from evoply.protocols.provenance import provenance, running


def test_it_names_what_is_needed_to_make_a_result_again() -> None:
    found = provenance()
    assert found.version == evoply.__version__
    assert found.python == platform.python_version()
    assert platform.machine() in found.machine
    assert found.command is None
    assert found.version in str(found)
    assert set(found.to_dict()) == {"version", "commit", "machine", "python", "rust", "command"}
    with running(["match", "greedy", "random", "--name", "a b"]):
        assert provenance().command == "evoply match greedy random --name 'a b'"
    assert provenance().command is None


def test_sources_are_looked_for_beside_the_package() -> None:
    assert Path(evoply.__file__).resolve().parents[2] == module._SOURCES


def test_no_secret_is_told() -> None:
    with running(["serve", "--password", "abc", "--token=def", "--html", "x.html"]):
        assert provenance().command == "evoply serve --password ... --token=... --html x.html"


def test_the_commit_is_that_of_the_source_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> str:
        options = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(tmp_path), *options, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    monkeypatch.setattr(module, "_SOURCES", tmp_path)
    module._commit.cache_clear()
    # An installed package stands in no source tree.
    assert provenance().commit is None
    (tmp_path / "crates").mkdir()
    (tmp_path / "crates" / "file").write_text("1")
    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    module._commit.cache_clear()
    assert provenance().commit == git("rev-parse", "HEAD")
    (tmp_path / "crates" / "file").write_text("2")
    module._commit.cache_clear()
    assert provenance().commit == f"{git('rev-parse', 'HEAD')}-dirty"
    module._commit.cache_clear()


@pytest.mark.parametrize(
    "command",
    [
        ["match", "greedy", "random", "--game", "othello-4", "--games", "20"],
        ["tournament", "greedy", "random", "--game", "othello-4", "--games", "4"],
    ],
)
def test_results_and_pages_of_commands_say_it(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    if command[0] == "tournament":
        command = [*command, "--html", "page.html"]
    assert main([*command, "--json"]) == 0
    made_by = json.loads(capsys.readouterr().out)["made_by"]
    assert made_by["command"] == f"evoply {' '.join(command)} --json"
    assert made_by["python"] == platform.python_version()
    if command[0] == "tournament":
        page = Path("page.html").read_text(encoding="utf-8")
        assert f"Made by evoply {evoply.__version__}" in page
        assert made_by["command"] in page
