import subprocess
import sys
from typing import Any

import pytest
from command_line import call

from evoply import _native
from evoply.cli.commands import COMMANDS, command_named
from evoply.games import GAMES
from waiting import children_seconds

NAMES = list(COMMANDS)


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_examples_in_eighty_columns(name: str, capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, name, "--help")
    assert answer.code == 0
    assert f"Usage: evoply {name}" in answer.out
    examples = answer.out.partition("Examples:")[2].strip().splitlines()
    assert len(examples) >= 2
    assert any(line.strip().startswith(f"evoply {name}") for line in examples)
    assert max(map(len, answer.out.splitlines())) <= 80
    assert "--json" in answer.out


def test_usage_names_the_arguments(capsys: pytest.CaptureFixture) -> None:
    for name, usage in {
        "match": "match FIRST SECOND [OPTIONS]",
        "resume": "resume [RUN] [OPTIONS]",
        "tournament": "tournament [PLAYERS...] [OPTIONS]",
        "replay": "replay [RUN] --generation GENERATION --game GAME [OPTIONS]",
    }.items():
        assert call(capsys, name, "--help").out.startswith(f"Usage: evoply {usage}\n")
    text = call(capsys, "match", "--help").out
    assert "--openings INT|none" in text
    assert "edgar-like" in text


def test_alone_it_shows_its_help(capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys)
    assert answer.code == 0
    assert all(name in answer.out for name in NAMES)
    assert answer.out == call(capsys, "--help").out


@pytest.mark.parametrize("name", NAMES)
def test_the_line_of_a_command_begins_its_docstring(name: str) -> None:
    """It stands in the table, too, so that the help of all commands imports none of them."""
    assert COMMANDS[name].splitlines()[0] == (command_named(name).__doc__ or "").splitlines()[0]


def test_version(capsys: pytest.CaptureFixture) -> None:
    said = call(capsys, "--version").out
    assert said.startswith("evoply ")
    assert ", ".join(_native.paths) in said
    assert _native.cpu in said


def test_every_option_is_explained(capsys: pytest.CaptureFixture) -> None:
    for name in NAMES:
        for line in call(capsys, name, "--help").out.splitlines():
            words = line.strip("│ ").split()
            if words and words[0].startswith("--") and "│" in line:
                assert len(words) > 2, line


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from evoply.cli import main; main(['evolve', '--help']);"
        "print([name for name in ('scipy', 'jinja2', 'vl_convert', 'pydantic', 'sqlite3.dbapi2')"
        " if name in sys.modules], file=sys.stderr)"
    )
    before = children_seconds()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert children_seconds() - before < 5
    heavy = {"'scipy'", "'jinja2'", "'vl_convert'", "'pydantic'"}
    assert heavy.isdisjoint(done.stderr.strip("[]\n").split(", "))


def test_colours_only_where_they_are_wanted(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in call(capsys, "presets").out
    assert "\x1b" not in call(capsys, "match", "a", "b").err


def wrong(*arguments: str, says: str) -> Any:
    return pytest.param(arguments, says, id=" ".join(arguments)[:40])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        wrong("mtach", says='Did you mean "match"'),
        wrong("match", "greedy", "random", "--thread", "1", says="Did you mean --threads"),
        wrong("match", "greedy", says="SECOND"),
        wrong("match", "greedy", "random", "swh", says="Too many arguments: swh"),
        wrong("match", "greedy", "random", "--games", "x", says="--games"),
        wrong("match", "greedy", "random", "--games", "7", says="even"),
        wrong("match", "greedy", "random", "--openings", "-2", says="--openings"),
        wrong("match", "greedy", "random", "--seed", "-1", says="--seed"),
        wrong("match", "greedy", "random", "--threads", "-1", says="--threads"),
        wrong("match", "greedy", "nobody", says="nobody"),
        wrong("match", "greedy", "( + white", says="column"),
        wrong("match", "greedy", "missing.json", says="missing.json"),
        wrong("match", "greedy", "swh", "--game", "othello-6", says="othello-6"),
        wrong("match", "greedy", "random", "--game", "chess", says="othello-10"),
        wrong("match", "champion", "random", says="there is no run"),
        wrong("match", "champion@x", "random", says="'x'"),
        wrong("perft", "othello", "-1", says=">= 0"),
        wrong("perft", "chess", "3", says="othello-10"),
        wrong("perft", "othello", "3", "--position", "rubbish", says="rubbish"),
        wrong("perft", "othello", "3", "--position", "f5f5", says="illegal move"),
        wrong("perft", "othello", "3", "--position", "---- -OX- -XO- ---- X", says="4x4"),
        wrong(
            "perft",
            "othello-6",
            "3",
            "--position",
            f"{'-' * 27}OX{'-' * 6}XO{'-' * 27} X d3",
            says="8x8",
        ),
        wrong("play", "--color", "green", says="--color"),
        wrong("play", "--seed", "-1", says="--seed"),
        wrong("show", "nobody", says="nobody"),
        wrong("show", "white", says="did you mean the tree '( white )'?"),
        wrong("match", "greedy", "random", "--game", "othelo", says="did you mean 'othello'?"),
        wrong("show", "greedy", "--svg", "x.svg", says="no tree"),
        wrong("show", "random", "--heat-map", "x.svg", says="squares"),
        wrong("match", "greedy", "mobilty", says="did you mean 'mobility'?"),
        wrong("match", "greedy", "nobody", says="`evoply match --help` says what a player may be"),
        wrong("match", "swh", "greedy", "--game", "othello-6", says="for a board of 8x8"),
        wrong("analyse", "small.toml.txt", says="no player is called"),
        wrong("evolve", "demmo", says="did you mean 'demo'?"),
        wrong("evolve", "small.toml", "--set", "sead=3", says="did you mean 'seed'?"),
        wrong("evolve", "small.toml", "--set", "nothing", says="path=value"),
        wrong("evolve", "small.toml", "--name", "../x", says="../x"),
        wrong("evolve", "small.toml", "--generations", "0", says="generations"),
        wrong("runs", "x", says="'x'"),
        wrong("runs", "--csv", "folder", says="--csv"),
        wrong("resume", says="there is no run"),
        wrong("report", says="there is no run"),
        wrong("replay", "x", says="--generation"),
        wrong("replay", "x", "--generation", "0", "--game", "0", says="'x'"),
        wrong("presets", "x", says="demo"),
        wrong("config", "selektion", says="did you mean 'selection'?"),
        wrong("config", "selection.sice", says="selection has no key 'sice'; did you mean 'size'?"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture
) -> None:
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert says in " ".join(answer.err.split())
    assert "Traceback" not in answer.err


def test_all_errors_of_a_config_are_listed(capsys: pytest.CaptureFixture) -> None:
    answer = call(
        capsys, "evolve", "small.toml", "--population-size", "1", "--set", "elitism=-1",
        "--set", "fitness.opening_plies=many",
    )  # fmt: skip
    assert answer.code == 2
    for path in ("population_size", "elitism", "fitness.opening_plies"):
        assert path in answer.err


def test_help_of_match_names_whoever_is_worth_playing(capsys: pytest.CaptureFixture[str]) -> None:
    """Once the two strongest players of Othello were missing."""
    text = call(capsys, "match", "--help").out
    advisers = {rules.adviser.partition(":")[0] for rules in GAMES.values()}
    assert {"strong", "firebrand", "few-pieces", "mobility"} == advisers
    assert [name for name in advisers if name not in text] == []
