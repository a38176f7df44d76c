"""What users get wrong: one message, an honest exit code, and with --json one object."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from command_line import call

from waiting import PATIENCE

WRONG = [
    ["perft", "othello-4", "1.5"],
    ["perft", "othello-4", "0x3"],
    ["perft", "othello-5", "1"],
    ["perft", "othello-4", "2", "--threads", "1.0"],
    ["match", "greedy", "random", "--seed", "1.7"],
    ["match", "greedy", "random", "--games", "3"],
    ["match", "greedy", "random", "--openings", "1.5"],
    ["match", "greedy", "random", "--openings", "NONE"],
    ["match", "greedy", "nobody"],
    ["match", "greedy"],
    ["match", "( white", "random"],
    ["show", "champion@nobody"],
    ["runs", "r" * 5000],
    ["evolve", "c" * 5000],
    ["evolve", "."],
    ["evolve", "small.toml", "--population-size", "12.5"],
    ["evolve", "small.toml", "--generations", "2.5"],
    ["evolve", "small.toml", "--set", "population_size.a.b=1"],
    ["config", "selektion"],
    ["play", "--against", ""],
    ["play", "--seed", "1.5"],
    ["presets", "nothing"],
]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            "tournament swh greedy --html nowhere/x.html",
            "--html nowhere/x.html: there is no folder",
        ),
        ("show swh --svg=nowhere/x.svg", "--svg nowhere/x.svg: there is no folder"),
        ("show swh --svg .", "--svg .: is a folder: name a file"),
        ("readability --charts small.toml", "--charts small.toml: is a file: name a folder"),
        ("readability --ways ,", "--ways ,: write names of ways with commas between"),
        ("readability --ways trees,,map", "--ways trees,,map: write names of ways"),
        ("readability --terms 3,", "--terms 3,: write numbers from 1 to 100 with commas between"),
        ("readability --scale large", "--scale: there is no 'large'"),
        ("match swh greedy --save-games nowhere/x", "--save-games nowhere/x: there is no folder"),
        ("convert games.txt nowhere/x.ggf", "evoply: nowhere/x.ggf: there is no folder"),
        ("convert games.txt small.toml/x.ggf", "evoply: small.toml/x.ggf: "),
    ],
)
def test_targets_that_cannot_be_written(
    arguments: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("games.txt").write_text("f5d6\n")
    answer = call(capsys, *arguments.split(), "--json")
    assert answer.code == answer.data["exit_code"] == 2
    assert says in answer.err
    assert len(answer.err.splitlines()) == 1
    assert "rrno" not in answer.err


@pytest.mark.parametrize("arguments", WRONG, ids=lambda words: " ".join(words)[:40])
def test_wrong_use(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    plain = call(capsys, *arguments)
    assert (plain.code, plain.out) == (2, "")
    assert len(plain.err) < 700
    answer = call(capsys, *arguments, "--json")
    assert answer.code == 2
    assert answer.err == plain.err
    assert answer.data["exit_code"] == 2
    assert answer.data["error"].split("\n")[0] in answer.err


def test_whole_numbers_are_never_rounded(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'1.5' is not a whole number" in call(capsys, "perft", "othello-4", "1.5").err
    assert call(capsys, "perft", "othello-4", "-1").code == 2
    assert call(capsys, "perft", "othello-4", "3", "--json").data["leaves"] == 44
    answer = call(capsys, "match", "greedy", "random", "--games", "2", "--openings", "none")
    assert answer.code == 0


def test_json_lists_the_errors_of_a_config(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "bad.toml").write_text("seed = -1\nelitisms = 3\n")
    data = call(capsys, "evolve", "bad.toml", "--json").data
    assert data["exit_code"] == 2
    assert {"seed", "elitisms"} == {error["path"] for error in data["errors"]}
    # What goes together is asked once every key is right by itself.
    (workplace / "bad.toml").write_text("seed = 1\n")
    data = call(capsys, "evolve", "bad.toml", "--json").data
    assert {"generations"} == {error["path"] for error in data["errors"]}


def test_more_errors_than_anybody_reads(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "bad.toml").write_text("\n".join(f"k{number} = 1" for number in range(5000)))
    answer = call(capsys, "evolve", "bad.toml", "--json")
    assert "5000 errors" in answer.err
    assert answer.err.endswith("and 4,001 more lines\n")
    assert len(answer.data["errors"]) == 5000


def test_json_of_a_failure_and_of_a_game_with_wrong_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(capsys, "evolve", "small.toml", "--name", "a", "--no-tests").code == 0
    answer = call(capsys, "replay", "a", "--generation", str(2**70), "--game", "0", "--json")
    assert answer.code == answer.data["exit_code"] == 1
    with open("lines", "w") as file:
        file.write("f5\nz9\n")
    with open("lines") as file:
        monkeypatch.setattr("sys.stdin", file)
        answer = call(capsys, "play", "--against", "greedy", "--game", "othello", "--json")
    assert answer.code == answer.data["exit_code"] == 2
    assert answer.data["transcript"].startswith("f5")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes the streams")
@pytest.mark.parametrize(
    ("command", "closed"),
    [
        *product(["perft othello 3", "presets nothing"], ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"]),
        ("play --against greedy", "<&-"),
        ("play --against greedy", "<&- >&- 2>&-"),
        ("evolve nothing", "2>&-"),
    ],
)
def test_closed_streams(command: str, closed: str) -> None:
    line = f'"{sys.executable}" -m evoply {command} {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == (2 if "nothing" in command else 0)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_config_may_come_through_a_pipe(workplace: Path) -> None:
    line = f'cat small.toml | "{sys.executable}" -m evoply evolve /dev/stdin --no-tests --json'
    done = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert json.loads(done.stdout)["generations"] == 3


@pytest.mark.parametrize(
    "command",
    [
        "tournament greedy random --position f5",
        "tournament greedy random --draws quiet_plies=4",
        "analyse greedy --clock 60",
        "why greedy --seed 3",
        "match greedy random --cluster local:2",
    ],
)
def test_a_verb_has_no_conditions_but_its_own(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """All are fields of one dataclass, of which a verb names some."""
    answer = call(capsys, *command.split())
    assert answer.code == 2
    assert f"Unknown option: {command.split()[-2]}" in answer.err
