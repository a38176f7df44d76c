"""`evoply export`: a player as one file."""

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import call

import evoply as ep


def test_a_player_is_printed_written_or_given_as_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = ep.export("swh", to="python")
    assert call(capsys, "export", "swh", "--to", "python").out == text
    said = call(capsys, "export", "swh", "--to", "python", "--json").data
    assert said == {"player": "swh", "game": "othello", "to": "python", "text": text}
    path = tmp_path / "player.py"
    answer = call(capsys, "export", "swh", "--to", "python", "--output", str(path))
    assert answer.out == f"Written: {path}\n"
    board = ep.othello.Position().text()
    done = subprocess.run([sys.executable, path], input=board, capture_output=True, text=True)
    assert done.returncode == 0
    assert float(done.stdout) == 0.0  # both sides have the same


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("random", "--to", "c"), "random: it gives boards no values - export a tree, a formula"),
        (("by-hand", "--to", "pascal"), "--to"),
        (("by-hand",), "--to"),
        (("mobility", "--to", "c", "--game", "hex-9"), "not written in c - name a game of"),
    ],
)
def test_wrong_use_is_told(
    wrong: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = call(capsys, "export", *wrong)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("evoply: ")
    assert words in answer.err
