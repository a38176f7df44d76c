import importlib.util
import io
import os
import re
from pathlib import Path

import pytest
from command_line import Answer, call, terminal

from evoply import _native, othello
from waiting import read_until


def play(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, typed: str, *arguments: str
) -> Answer:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return call(capsys, "play", "--seed", "1", *arguments)


def first_moves(count: int, size: int) -> str:
    """Enough words to play any game on: every square, again and again."""
    squares = [f"{chr(97 + column)}{row + 1}" for row in range(size) for column in range(size)]
    return "\n".join(squares * count)


def test_end_of_input_ends_the_game_cleanly(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = play(capsys, monkeypatch, "f5\n", "--against", "greedy")
    assert answer.code == 0
    assert "greedy plays" in answer.out
    assert "Go on with: evoply play --against greedy --game othello --color black" in answer.out
    assert " *  O  X " in answer.out


def test_commands(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = play(capsys, monkeypatch, "moves\nhint\nf5\nundo\nhelp\nquit\n", "--against", "random")
    assert answer.code == 0
    assert "d3 c4 f5 e6" in answer.out
    assert "is best (+2.8), says strong, looking 4 plies ahead." in answer.out
    assert "c4 is worth the same" in answer.out  # the first moves are alike
    assert "undo    take back" in answer.out
    assert answer.out.rstrip().endswith("No move was played.")


def test_a_hint_where_nobody_knows_the_game_says_so(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once it was 81 rows of 0, with the worst square first."""
    hex_9 = ("--game", "hex-9", "--against", "random")
    answer = play(capsys, monkeypatch, "hint\nquit\n", *hex_9)
    assert "sees no difference between the 81 moves, but nobody here knows this" in answer.out
    assert "worth" not in answer.out


def test_a_column_names_the_only_move_in_it(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    four = ("--game", "connect-four", "--against", "random")
    answer = play(capsys, monkeypatch, "d\nd\nquit\n", *four)
    assert answer.code == 0
    assert "you play d6" in answer.out
    assert re.search("you play d[45]", answer.out)
    refused = play(capsys, monkeypatch, "d\nquit\n", "--game", "hex-9", "--against", "random")
    assert "cannot read 'd' as a move" in refused.out


def test_what_cannot_be_played_is_said_and_counted(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = play(capsys, monkeypatch, "a1\nzz\nundo\nf5\n", "--against", "greedy")
    assert answer.code == 2
    assert "a1 is not legal here; legal: d3 c4 f5 e6" in answer.out
    assert "cannot read 'zz'" in answer.out
    assert "nothing to take back" in answer.out
    assert "you play f5" in answer.out
    assert "command: 3" in answer.err


def test_several_moves_on_a_line_are_played_all_or_not_at_all(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_by_one = play(capsys, monkeypatch, "f5\ne3\n", "--against", "greedy", "--json")
    together = play(capsys, monkeypatch, "f5 e3\n", "--against", "greedy", "--json")
    assert together.data == one_by_one.data
    assert together.data["transcript"].startswith("f5f4e3")
    for line, said in (("f5 a1", "a1 is not legal here"), ("f5 zz", "cannot read 'zz'")):
        answer = play(capsys, monkeypatch, f"{line}\n", "--against", "greedy", "--json")
        assert answer.code == 2
        assert answer.data["transcript"] == ""
        assert said in answer.err
        assert "Nothing of this line counts" in answer.err
    kept = play(capsys, monkeypatch, "f5\nhint zz\n", "--against", "greedy", "--json")
    assert kept.data["transcript"].startswith("f5")


@pytest.mark.parametrize("color", ["black", "white"])
def test_a_whole_game_as_json(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, color: str
) -> None:
    answer = play(
        capsys, monkeypatch, first_moves(40, 4),
        "--against", "random", "--game", "othello-4", "--color", color, "--json",
    )  # fmt: skip
    data = answer.data
    game = othello.Game.from_transcript(data["transcript"], 4)
    outcome = game.outcome()
    assert data["finished"]
    assert outcome is not None
    assert data["disc_difference"] == outcome.disc_difference
    assert (data["game"], data["against"], data["color"]) == ("othello-4", "random", color)
    assert "The game is over" in answer.err


def test_a_position_may_be_moves(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = play(
        capsys, monkeypatch, "", "--against", "greedy", "--position", "f5d6c3d3", "--json"
    ).data
    assert data["transcript"] == "f5d6c3d3"


def test_the_newest_champion_is_the_opponent(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert play(capsys, monkeypatch, "", "--json").data["against"] == "greedy"
    assert call(capsys, "evolve", "small.toml", "--name", "small", "--no-tests").code == 0
    newest = play(capsys, monkeypatch, "", "--json").data
    assert (newest["against"], newest["game"]) == ("champion@small", "othello-4")
    small = play(capsys, monkeypatch, "", "--game", "othello-4", "--json").data
    assert small["against"] == "champion@small"
    other = play(capsys, monkeypatch, "", "--game", "othello-6", "--json").data
    assert (other["against"], other["game"]) == ("greedy", "othello-6")
    placed = play(capsys, monkeypatch, "", "--position", "f5d6", "--json").data
    assert (placed["against"], placed["game"]) == ("greedy", "othello")


def test_in_a_terminal(tmp_path: Path) -> None:
    command = ("play", "--against", "greedy", "--seed", "1")
    with terminal(*command, cwd=tmp_path) as (leader, process):
        seen = read_until(leader, "(you)")
        assert "●" in seen
        assert "\x1b[" in seen
        os.write(leader, b"f6\x1b[D\x1b[3~5\n" if has_readline() else b"f5\n")  # left, delete
        assert "greedy plays" in read_until(leader, "(you)")
        os.write(leader, b"\x04")
        assert "Moves so far: f5" in read_until(leader, "Go on with")
    assert process.returncode == 0


def has_readline() -> bool:
    return importlib.util.find_spec("readline") is not None


def test_an_online_player_shows_its_weights_on_the_board(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy = [10, 1, 20, 7, 2, 9, 8, 14, 30], (True, False, True)

    def online_move(game: str, row: object, key: int, **settings: object) -> tuple[object, ...]:
        assert settings["threads"] == 0
        code = _native.legal_moves(game, row)[0]
        return code, [0], *strategy, 20, 21_000, 0.0125, []

    monkeypatch.setattr(_native, "online_move", online_move, raising=False)
    answer = play(capsys, monkeypatch, "f5\nhint\nquit\n", "--against", "online")
    assert "online plays f4" in answer.out
    # Of the top row the corners a1, d1, e1 and h1 of the quadrants are doubled: 2 * 10, 2 * 20.
    assert " 1  20   1  14  40  40  14   1  20" in answer.out
    assert " 4  40   8   9   O   O  [O]  8  40" in answer.out
    notes = "areas: A 10, B 1, C 14, D 20, E 7, F 30, G 8, H 2, I 9"
    assert f"{notes}; flags: corners yes, edges no, most_pieces yes" in answer.out
    assert "generation: 20; games: 21,000; 0.01 s" in answer.out
    assert "says strong, looking 4 plies ahead" in answer.out
    assert "weights:" not in answer.out
