"""What holds for all commands: groups of the help, shared options, completion, narrow terminals."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from command_line import call
from rich.console import Console

from evoply.cli import output
from evoply.cli.commands import COMMANDS, GROUPS, WITHOUT, takes
from evoply.cli.output import Output, fitting, rows_table
from evoply.protocols.sections import Column, share
from evoply.wording import json_line

MOST_USED = ("play", "web", "evolve", "resume", "show", "runs", "match", "tournament", "doctor")


def test_every_command_stands_in_one_group_of_the_help(capsys: pytest.CaptureFixture) -> None:
    grouped = [name for names in GROUPS.values() for name in names.split()]
    assert sorted(grouped) == sorted(COMMANDS)
    lines = call(capsys, "--help").out.splitlines()
    titles = [found[1] for line in lines if (found := re.match(r"╭─ (\w+) ─", line))]
    assert titles == ["Play", "Evolve", "Understand", "Compare", "Class", "Tools", "Options"]
    assert "│ play " in lines[lines.index(next(line for line in lines if "─ Play ─" in line)) + 1]


def test_the_most_used_commands_are_the_first_of_their_groups() -> None:
    first = [name for names in GROUPS.values() for name in names.split()[:2]]
    assert set(MOST_USED) <= set(first)


@pytest.mark.parametrize("name", COMMANDS)
def test_shared_options_are_in_every_command_where_they_make_sense(
    name: str, capsys: pytest.CaptureFixture
) -> None:
    words = call(capsys, name, "--help").out.split()
    assert {option: option in words for option in WITHOUT} == {
        option: takes(name, option) for option in WITHOUT
    }


def test_a_folder_of_runs_holds_for_one_command(capsys: pytest.CaptureFixture) -> None:
    made = call(capsys, "evolve", "small.toml", "--no-tests", "--name", "one", "--runs", "others")
    assert made.code == 0
    assert Path("others/one").is_dir()
    assert "play --against champion@one --runs others" in made.out
    assert "EVOPLY_RUNS" not in os.environ
    assert call(capsys, "runs", "--json").data["runs"] == []
    assert call(capsys, "runs", "--json", "--runs", "others").data["runs"][0]["name"] == "one"
    assert call(capsys, "show", "champion@one", "--runs=others").code == 0
    wrong = call(capsys, "resume", "two", "--runs", "others")
    assert "`evoply runs --runs others`" in wrong.err or "there are: one" in wrong.err
    assert "is a file - name a folder" in call(capsys, "runs", "--runs", "small.toml").err


def test_quiet_shows_no_progress_but_the_result(capsys: pytest.CaptureFixture) -> None:
    loud = call(capsys, "evolve", "small.toml", "--no-tests", "--name", "loud").out
    calm = call(capsys, "evolve", "small.toml", "--no-tests", "--name", "calm", "--quiet").out
    assert "generation 1" in loud
    assert "generation 1:" not in calm.replace("from generation 1", "")
    assert "Champion of calm" in calm
    assert len(calm.splitlines()) < len(loud.splitlines())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("perft", "othello", "3", "--runs", "x"), "--runs: this command reads no runs"),
        (("show", "swh", "--quiet"), "--quiet: this command shows no progress"),
        (("compare", "--set", "seed=3"), "`evoply evolve` and `evoply learn`"),
        (("play", "--player", "swh"), "`evoply play --against PLAYER`"),
        (("analyse", "games.pgn", "swh"), "`evoply analyse swh --games games.pgn`"),
        (("analyse", "swh", "games.pgn"), "`evoply analyse swh --games games.pgn`"),
    ],
)
def test_an_option_that_makes_no_sense_is_answered_with_what_to_do(
    arguments: Sequence[str], says: str, capsys: pytest.CaptureFixture
) -> None:
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert says in answer.err


def test_a_file_of_games_is_no_player(capsys: pytest.CaptureFixture) -> None:
    Path("games.txt").write_text("f5d6\n")
    answer = call(capsys, "analyse", "games.txt")
    assert answer.code == 2
    assert "`evoply analyse PLAYER --games games.txt`" in answer.err


def test_a_mistyped_run_is_answered_with_the_nearest(capsys: pytest.CaptureFixture) -> None:
    for number in range(12):
        Path(f"runs/first-{number}").mkdir(parents=True)
        Path(f"runs/first-{number}/run.db").touch()
    near, far = (call(capsys, "runs", name).err for name in ("frst-3", "zzz"))
    assert "did you mean 'first-3'?" in near
    assert "the newest are: " in far
    assert "`evoply runs` lists all" in far


def completed(script: str, *words: str) -> list[str]:
    """Return what bash offers after *words*, the last of which is being typed."""
    typed = " ".join(f"'{word}'" for word in words)
    command = (
        f"source /dev/stdin; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _evoply; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", command], input=script, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_and_options(capsys: pytest.CaptureFixture) -> None:
    script = call(capsys, "completion", "bash", "--json").data["script"]
    assert completed(script, "evoply", "evol") == ["evolve"]
    assert {"--seed", "--set"} <= set(completed(script, "evoply", "evolve", "--se"))


def test_completion_has_its_own_words_for_each_shell(capsys: pytest.CaptureFixture) -> None:
    assert call(capsys, "completion", "fish").out.startswith("# Fish completion for evoply")


def test_help_in_forty_columns_breaks_between_words(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = call(capsys, "play", "--help").out
    monkeypatch.setenv("COLUMNS", "40")
    narrow = call(capsys, "play", "--help").out
    assert max(map(len, narrow.splitlines())) <= 75  # examples are commands, and stay whole
    words = set(re.findall(r"[a-z0-9+:\[\]-]+", narrow.partition("Examples")[0].lower()))
    known = set(re.findall(r"[a-z0-9+:\[\]-]+", wide.lower()))
    assert words <= known


COLUMNS = (
    Column("name", "run", str),
    Column("status", "status", str),
    Column("steps", "steps"),
    Column("score", "score", share, look="strong"),
)
ROWS = [{"name": "o-6-1", "status": "stopped, can be resumed", "steps": 3, "score": 0.5}]


@pytest.mark.parametrize(
    ("width", "left"),
    [
        (80, []),
        (33, []),
        (25, ["steps"]),
        (20, ["status", "steps"]),
        (5, ["status", "steps", "score"]),
    ],
)
def test_a_narrow_table_leaves_out_columns_and_breaks_no_name(width: int, left: list[str]) -> None:
    kept, dropped = fitting(COLUMNS, ROWS, width)
    assert dropped == left
    shown = StringIO()
    Console(width=width, file=shown).print(rows_table(kept, ROWS))
    assert "o-6-1" in shown.getvalue()


def test_a_table_in_a_file_has_all_columns(capsys: pytest.CaptureFixture) -> None:
    many = [Column(f"column-{number}", f"column-{number}") for number in range(40)]
    Output(is_json=False).table(many, [{column.name: 12345.0 for column in many}])
    shown = capsys.readouterr().out
    assert "column-39" in shown
    assert "no room" not in shown


@pytest.mark.parametrize("count", [0, 1, 2000])
def test_a_long_list_is_written_as_if_it_had_been_in_memory(
    count: int, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_IN_MEMORY", 1000)
    items = [
        {"name": f"ä \x1b[31m {number}", "list": [number, None, 0.1]} for number in range(count)
    ]
    kept = output.JsonList()
    for item in items:
        kept.append(item)
    output.write_json({"before": 1, "items": kept, "after\x1b": ["ä"]})
    said = capsys.readouterr().out
    assert said == json_line({"before": 1, "items": items, "after\x1b": ["ä"]}) + "\n"
    output.write_json({})
    assert capsys.readouterr().out == "{}\n"
