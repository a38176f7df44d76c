"""Names of files that are not UTF-8, and a working folder that is gone."""

import os
from pathlib import Path

import pytest
from command_line import Answer, call

NAME = os.fsdecode(b"b\xf6se")
"""As a program that writes Latin-1 calls a file."""
SHOWN = "b\\xf6se"
BOT = """
class Bot:
    def choose(self, game, stream, clock=None):
        return game.position.legal_moves[0]
"""
GAME = "f5d6c3d3c4f4f6g5e6c5f3"


@pytest.fixture
def files(workplace: Path) -> Path:
    """A folder with a config, a bot and games of such a name."""
    try:
        Path(f"{NAME}.toml").write_text(Path("small.toml").read_text())
    except OSError:
        pytest.skip("this system has no such names")
    Path("bots").mkdir()
    for path in (Path(f"{NAME}.py"), Path("bots") / f"{NAME}.py", Path("bots") / "good.py"):
        path.write_text(BOT)
    Path(f"{NAME}.txt").write_text(f"{GAME}\n")
    return workplace


RUNNING = [
    ("evolve", f"{NAME}.toml", "--no-tests", "--name", "first"),
    ("match", "random", "greedy", "--games", "2", "--save-games", f"{NAME}.jsonl"),
    ("tournament", "random", "greedy", "--games", "2", "--html", f"{NAME}.html"),
    ("analyse", "greedy", "--games", f"{NAME}.txt", "--html", f"{NAME}.html", "--exact", "none"),
    ("convert", f"{NAME}.txt", f"{NAME}.ggf"),
    ("reproduce", "liao", "--table", "1", "--html", f"{NAME}.html"),
    ("show", "( + white black )", "--svg", f"{NAME}.svg"),
    ("match", f"python:{NAME}.py:Bot", "random", "--games", "2"),
]
REFUSED = [
    ("match", f"{NAME}.py", "random", "--games", "2"),
    ("play", "--against", f"{NAME}.py"),
    ("match", f"engine:gtp:{NAME}", "random", "--games", "2"),
    ("compare", f"{NAME}.toml", "small.toml", "--seeds", "2"),
]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("arguments", RUNNING, ids=lambda words: words[0])
def test_commands_take_files_with_such_names(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, *arguments).code == 0


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("arguments", REFUSED, ids=lambda words: words[0])
def test_or_say_what_to_do(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert "is not UTF-8" in answer.err
    assert "rename" in answer.err
    assert "codec" not in answer.err
    assert not Path("runs").exists()


@pytest.mark.usefixtures("files")
def test_a_run_and_results_hold_the_command_in_writing(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, *RUNNING[0]).code == 0
    command = call(capsys, "runs", "first", "--json").data["command"]
    command.encode()
    result = call(capsys, *RUNNING[1], "--json")
    assert SHOWN in result.data["made_by"]["command"]
    assert f"{SHOWN}.jsonl" in result.err


@pytest.mark.usefixtures("files")
def test_a_bot_with_such_a_name_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    answer = call(capsys, "tournament", "bots", "greedy", "--games", "2")
    assert answer.code == 0
    assert f"{SHOWN}.py is left out: its name is not UTF-8: rename it" in answer.out


GONE = [
    ("runs",),
    ("report",),
    ("match", "random", "greedy", "--games", "2", "--save-games", "x.jsonl"),
    ("reproduce", "liao", "--html", "x.html"),
]


@pytest.mark.parametrize("arguments", GONE, ids=lambda words: words[0])
def test_a_working_folder_that_is_gone(
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    answer: Answer = call(capsys, *arguments)
    monkeypatch.chdir(tmp_path)
    assert answer.code == 2
    assert "the working folder - is gone - go to another one (cd)" in answer.err
