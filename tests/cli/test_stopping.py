import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import call, ended, shown_in_terminal, start

from waiting import PATIENCE, children_seconds, cpu_seconds, until, until_it_computes

pytest.importorskip("pty", reason="needs terminals, signals and processes of Unix")

LONG_MATCH = ("match", "material:depth=5", "material:depth=5", "--games", "100000", "--json")
GAME = "f5d6c3d3c4f4f6g5e6c5f3"


LONG = (
    LONG_MATCH,
    ("perft", "othello", "20", "--json"),
    (*LONG_MATCH, "--sprt", "0", "0.01"),
    ("tournament", "swh", "greedy", "--mode", "elimination", "--times", "90000", "--json"),
    ("reproduce", "liao", "--table", "2", "--scale", "paper", "--json"),
    ("analyse", "material:depth=7", "--games", "games.txt", "--json"),
)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("arguments", LONG)
def test_ctrl_c_ends_at_once_with_130(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(f"{GAME}\n" * 1000)
    before = children_seconds()
    process = start(*arguments, cwd=tmp_path)
    computed: list[float] = []

    def when() -> None:
        until_it_computes(process.pid)
        computed.append(cpu_seconds(process.pid))

    out, err = ended(process, when)
    # In seconds of its own: a loaded machine may keep it waiting.
    assert children_seconds() - before - computed[0] < 3
    assert process.returncode == 130
    answer = json.loads(out)
    assert answer["exit_code"] == 130
    assert answer["error"].startswith("stopped")
    assert "Traceback" not in err


def test_ctrl_c_keeps_what_was_played_of_a_match(tmp_path: Path) -> None:
    process = start(
        "match", "swh:depth=2", "greedy", "--games", "100000", "--json",
        "--save-games", "games.jsonl", cwd=tmp_path,
    )  # fmt: skip
    out, err = ended(
        process,
        lambda: until(lambda: any(p.stat().st_size for p in tmp_path.glob(".games.jsonl.*"))),
    )
    assert process.returncode == 130
    data = json.loads(out)
    assert data["complete"] is False
    assert 0 < data["games"] < 100_000
    assert data["games"] == data["wins"] + data["draws"] + data["losses"]
    assert data["error"].startswith(f"stopped after {data['games']:,} of 100,000 games")
    lines = (tmp_path / "games.jsonl").read_text().splitlines()
    assert len(lines) == data["games"]
    first = sum(
        (0.5 if won is None else float(one["players"][won] != "greedy"))
        for one in map(json.loads, lines)
        for won in [one["result"]["winner"]]
    )
    assert first / len(lines) == data["score"]
    assert "swh:depth=2" in err  # the table, beside JSON
    assert "Traceback" not in err


def test_ctrl_c_keeps_what_was_played_of_a_tournament(tmp_path: Path) -> None:
    process = start(
        "tournament", "swh:depth=3", "greedy:depth=2", "random", "--games", "100000", "--json",
        "--html", "page.html", cwd=tmp_path,
    )  # fmt: skip
    out, err = ended(process, lambda: until_it_computes(process.pid))
    assert process.returncode == 130
    data = json.loads(out)
    assert data["complete"] is False
    assert len(data["pairings"]) == 3
    assert 0 < data["games"] < 300_000
    assert data["error"].startswith(f"stopped after {data['games']:,} of 300,000 games")
    assert "swh:depth=3" in (tmp_path / "page.html").read_text()
    assert "Traceback" not in err


INTERRUPTED = """
import runpy
import evoply.cli.app

def run(arguments):
    try:
        exec("raise KeyboardInterrupt")  # as while a module with dataclasses is imported
    except KeyboardInterrupt:
        return 130

evoply.cli.app.run = run
runpy.run_module("evoply", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_within_evaluated_text_ends_with_130_too(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    command = [sys.executable, "-m", "interrupted"]
    assert subprocess.run(command, cwd=tmp_path, timeout=PATIENCE, check=False).returncode == 130


def test_ctrl_c_that_a_library_made_its_own_error_ends_with_130_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(arguments: list[str]) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            raise SystemError("initialization raised unreported exception") from stop

    monkeypatch.setattr("evoply.cli.app._do", interrupted)
    answer = call(capsys, "presets")
    assert (answer.code, answer.err.strip()) == (130, "stopped")


def test_what_fails_after_ctrl_c_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(arguments: list[str]) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            raise sqlite3.OperationalError("nothing was kept") from stop

    monkeypatch.setattr("evoply.cli.app._do", failing)
    answer = call(capsys, "presets")
    assert answer.code == 1
    assert "nothing was kept" in answer.err


def test_ctrl_c_keeps_every_whole_generation(tmp_path: Path) -> None:
    arguments = ("evolve", "small.toml", "--name", "first", "--generations", "none")
    process = start(*arguments, "--time-limit", "60", cwd=tmp_path, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    said = ""
    while "generation 3:" not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "evoply resume first" in rest
    assert "Traceback" not in rest
    listed = start("runs", "first", "--json", cwd=tmp_path)
    data = json.loads(listed.communicate(timeout=PATIENCE)[0])
    assert data["status"] == "stopped"
    numbers = [entry["number"] for entry in data["generations"]]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 3


ENDING = [(signal.SIGTERM, 143), (signal.SIGHUP, 129)]
"""What batch systems send, and a terminal that is closed, with the exit codes that shells give."""


@pytest.mark.parametrize(("number", "code"), ENDING)
@pytest.mark.parametrize("ctrl_c", [signal.SIG_DFL, signal.SIG_IGN], ids=["front", "background"])
def test_other_signals_end_a_run_as_ctrl_c_does(
    number: signal.Signals, code: int, ctrl_c: signal.Handlers, tmp_path: Path
) -> None:
    arguments = ("evolve", "small.toml", "--name", "first", "--generations", "none")
    process = start(
        *arguments, "--time-limit", "60", cwd=tmp_path, stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, ctrl_c),
    )  # fmt: skip
    assert process.stdout is not None
    while "generation 1:" not in (line := process.stdout.readline()):
        assert line
    process.send_signal(number)
    rest, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert "Stopped; the run has " in rest
    assert "evoply resume first" in rest
    assert "Traceback" not in rest


@pytest.mark.parametrize(("number", "code"), ENDING)
def test_other_signals_keep_what_was_played(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    process = start("match", "swh:depth=2", "greedy", "--games", "100000", "--json", cwd=tmp_path)
    out, err = ended(process, lambda: until_it_computes(process.pid), number)
    data = json.loads(out)
    assert process.returncode == data["exit_code"] == code
    assert data["complete"] is False
    assert data["error"].startswith(f"stopped after {data['games']:,} of 100,000 games")
    assert "Traceback" not in err


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As `nohup` asks for."""
    process = start(
        "evolve", "small.toml", "--name", "first", "--no-tests", cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )  # fmt: skip
    assert process.stdout is not None
    assert "Run folder" in process.stdout.readline()
    process.send_signal(signal.SIGHUP)
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "generation 2:" in said


@pytest.mark.parametrize(
    "arguments",
    [("presets", "demo"), ("runs",), ("match", "--help")],
)
def test_a_reader_that_leaves_is_no_error_message(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    process = start(*arguments, cwd=tmp_path)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=PATIENCE) == 141  # as of a program that the signal of a pipe ended
    process.stderr.close()


@pytest.mark.skipif(
    not Path("/dev/full").is_char_device(), reason="needs a device that is always full"
)
@pytest.mark.parametrize("arguments", [("perft", "othello", "3", "--json"), ("presets", "demo")])
def test_a_full_disk_is_told_in_a_sentence(arguments: tuple[str, ...], tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        process = start(*arguments, cwd=tmp_path, stdout=full)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "standard output cannot be written: no space is left there: send it somewhere" in err
    assert "Traceback" not in err


def test_the_live_display(tmp_path: Path) -> None:
    code, text = shown_in_terminal(
        "evolve", "small.toml", "--no-tests", "--generations", "none", "--time-limit", "1",
        cwd=tmp_path, columns=100,
    )  # fmt: skip
    assert code == 0
    for part in ("generation", "best, fresh games", "time left", "games per second", "tree size"):
        assert part in text
    assert "evoply play --against champion@othello-4-1" in text.replace("\r\n", "")
