"""`evoply game`, and `--game FILE` in other commands."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import call

from evoply.games.known_games import _TABLE
from evoply.rules import read_rules
from evoply.rules.shipped.clobber import clobber

SOURCE = """
import evoply as ep
from evoply.rules import Rules, step

mine = Rules(
    name="mine", rows=5, columns=4, black="1", white="5",
    moves=step(ep.board.own, ["forward", "forward_left", "forward_right"], onto=~ep.board.own),
    wins=ep.board.own & ep.squares("farthest_rank"), symmetries="mirror",
)
"""


@pytest.fixture(autouse=True)
def file(workplace: Path) -> Any:
    path = workplace / "mine.py"
    path.write_text(SOURCE)
    yield path
    _TABLE.pop("mine", None)


def test_rules_are_checked_counted_and_written(capsys: Any, workplace: Path) -> None:
    answer = call(
        capsys, "game", "mine.py", "--check", "--perft", "3", "--write", "mine.json", "--json"
    )
    assert answer.code == 0, answer.err
    assert answer.data["perft"][:2] == [10, 100]
    assert set(answer.data["checks"].values()) == {""}
    rules = read_rules(workplace / "mine.json")
    assert rules.digest == answer.data["digest"]
    again = call(capsys, "game", "mine.json", "--json")
    assert again.data["digest"] == rules.digest


def test_every_command_takes_a_file(capsys: Any) -> None:
    answer = call(
        capsys, "match", "greedy", "random", "--game", "mine.py", "--games", "20", "--seed", "1",
        "--json",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert answer.data["games"] == 20
    counted = call(capsys, "perft", "mine.py", "2", "--json")
    assert (counted.data["game"], counted.data["leaves"]) == ("mine", 100)


@pytest.mark.parametrize("played", ["play --against random --game mine.py", "game mine.py --play"])
def test_a_command_to_go_on_names_the_file(
    played: str, workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (workplace / "lines").write_text("a1-a2\n")
    with open("lines") as lines:
        monkeypatch.setattr("sys.stdin", lines)
        answer = call(capsys, *played.split())
    assert "--game mine.py --color black" in answer.out + answer.err


def test_games_that_come_are_known_by_name(capsys: Any) -> None:
    answer = call(capsys, "game", "clobber", "--json")
    assert answer.data["digest"] == clobber.digest
    assert call(capsys, "perft", "clobber", "1", "--json").data["leaves"] == 49


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "mine.py - makes no rules - put a value"),
        ("x =", r"mine.py (line 1) - cannot be run: SyntaxError"),
        ("\n1 / 0", "mine.py (line 2) - cannot be run: ZeroDivisionError"),
        (SOURCE.replace("rows=5", "rows=50"), "mine.py: rows - 50 - write a whole number"),
        (SOURCE + "more = Rules(name='more', rows=4, columns=4, moves=mine.moves)", "2 games"),
        (SOURCE.replace('"mirror"', '"turn"'), "declare fewer"),
    ],
)
def test_a_mistake_is_one_sentence(capsys: Any, file: Path, text: str, message: str) -> None:
    file.write_text(text)
    answer = call(capsys, "game", "mine.py", "--check")
    assert answer.code == 2
    assert message in " ".join(answer.err.split())
    assert "Traceback" not in answer.err


def test_what_is_no_file_of_rules_is_named(capsys: Any, file: Path) -> None:
    assert "there is no such file" in call(capsys, "game", "other.py").err
    assert "compiled, not data" in call(capsys, "game", "othello").err
    (file.parent / "mine.json").write_text(json.dumps({"format": 1, "name": "mine"}))
    assert "rows - is missing" in call(capsys, "game", "mine.json").err
