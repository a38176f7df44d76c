import json
from pathlib import Path

import pytest
from command_line import call, ended, start

from waiting import until_it_computes

FFO = Path(__file__).parents[2] / "testdata" / "ffo" / "fforum-1-19.obf"
BOARD = "XXXX XOXO XOO- O--- X"


def test_a_position(capsys: pytest.CaptureFixture) -> None:
    data = call(capsys, "solve", BOARD, "--json").data
    (result,) = data["positions"]
    assert (result["empties"], result["score"], result["move"]) == (4, 10, "b4")
    assert "agrees" not in result
    plain = call(capsys, "solve", BOARD, "--every-move").out
    assert "+10" in plain
    assert "b4:+10" in plain


def test_nodes_of_several_threads_are_marked(capsys: pytest.CaptureFixture) -> None:
    mark = "nodes: not reproducible"
    assert mark in call(capsys, "solve", BOARD).out
    assert mark in call(capsys, "solve", BOARD, "--threads", "2").out
    assert mark not in call(capsys, "solve", BOARD, "--threads", "1").out
    for threads, repeats in (("1", True), ("2", False)):
        answer = call(capsys, "solve", BOARD, "--threads", threads, "--json").data
        assert answer["nodes_reproducible"] is repeats
        assert answer["positions"][0]["score"] == 10


def test_moves_and_a_finished_game(capsys: pytest.CaptureFixture) -> None:
    after = call(capsys, "solve", "XXXXXOXOXOO-O--- X b4", "--json").data["positions"][0]
    assert after["score"] == -10
    over = call(capsys, "solve", "XXXX XXXX XXXX XXXX O")
    assert "the game is over" in over.out


@pytest.mark.parametrize("mode", ["exact", "outcome"])
def test_a_file_beside_its_scores(capsys: pytest.CaptureFixture, mode: str) -> None:
    answer = call(capsys, "solve", str(FFO), "--mode", mode)
    assert "All agree." in answer.out
    assert "nodes/s" in answer.out
    data = call(capsys, "solve", str(FFO), "--mode", mode, "--json").data
    assert len(data["positions"]) == 19
    assert all(result["agrees"] for result in data["positions"])


def test_a_wrong_file_is_told(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    (tmp_path / "wrong.obf").write_text(f"{BOARD}; B4:+2;\n{BOARD}; B4:+10;\n")
    assert "1 of 2 differ from the file." in call(capsys, "solve", "wrong.obf").out
    (tmp_path / "bad.obf").write_text(f"{BOARD}; B4;\n")
    for name, code, says in (("bad.obf", 2, "line 1"), ("none.obf", 2, "none.obf")):
        answer = call(capsys, "solve", name)
        assert (answer.code, answer.out) == (code, "")
        assert says in answer.err


def test_a_file_of_problems_as_edax_has_them_and_one_bad_line(
    capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    lines = [f"{BOARD}; B4:+10; --:-127; --:-127;", f"{BOARD}; A1:+2;", f"{BOARD}; --;", "XX X"]
    (tmp_path / "hard.obf").write_text("\n".join(lines) + "\n")
    answer = call(capsys, "solve", "hard.obf", "--json")
    assert answer.code == 0
    assert [result["score"] for result in answer.data["positions"]] == [10, 10]
    assert [result.get("agrees") for result in answer.data["positions"]] == [True, None]
    assert [one["place"] for one in answer.data["refused"]] == ["line 2", "line 4"]
    plain = call(capsys, "solve", "hard.obf")
    assert "left out: line 2: a1 is not legal" in plain.err
    # Games of a game that is not solved are left out in the same way.
    (tmp_path / "games").write_text("11-15\nXXXXXOXOXOO-O--- X b4\n")
    mixed = call(capsys, "solve", "games", "--json").data
    assert [result["score"] for result in mixed["positions"]] == [-10]
    assert "checkers, which has no exact solver" in mixed["refused"][0]["reason"]


def test_hopeless_work_says_what_it_costs_and_can_be_limited(
    capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    answer = call(capsys, "solve", "f5d6c3d3c4", "--time-limit", "0.3", "--json")
    assert "years" in answer.err
    assert (answer.code, answer.data["positions"], answer.data["unsolved"]) == (0, [], 1)
    hopeless = "-" * 27 + "OX------XO" + "-" * 27
    (tmp_path / "two.obf").write_text(f"{BOARD}; B4:+10;\n{hopeless} X; F5:+0;\n")
    data = call(capsys, "solve", "two.obf", "--time-limit", "0.3", "--json").data
    assert [one["score"] for one in data["positions"]] == [10]
    assert data["unsolved"] == 1


def test_ctrl_c_keeps_what_is_solved(tmp_path: Path) -> None:
    hopeless = "-" * 27 + "OX------XO" + "-" * 27
    (tmp_path / "two.obf").write_text(f"{BOARD}; B4:+10;\n{hopeless} X; F5:+0;\n")
    process = start("solve", "two.obf", "--json", cwd=tmp_path)
    assert process.stderr is not None
    assert "years" in process.stderr.readline()
    out, err = ended(process, lambda: until_it_computes(process.pid))
    data = json.loads(out)
    assert process.returncode == 130
    assert [one["score"] for one in data["positions"]] == [10]
    assert data["error"] == "stopped; 1 of 2 positions unsolved"
    assert "Traceback" not in err


def test_the_last_positions_of_games_in_any_format(
    capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    record = "(;GM[Othello]PB[ann]PW[bob]RE[?]TY[4]BO[4 XXXX XOXO XOO- O--- *]B[B4];)"
    Path("games.ggf").write_text(record * 2)
    Path("games").write_text("XXXXXOXOXOO-O--- X b4\n")
    assert call(capsys, "convert", "games.ggf", "games.jsonl").code == 0
    expected = {"games.ggf": [-10, -10], "games": [-10], "games.jsonl": [-10, -10]}
    for name, scores in expected.items():
        data = call(capsys, "solve", name, "--json").data
        assert [one["score"] for one in data["positions"]] == scores
    assert call(capsys, "solve", record, "--json").data["positions"][0]["score"] == -10


def test_what_people_paste_is_understood(capsys: pytest.CaptureFixture) -> None:
    for text in ("XXXX XOXO XOO- O---", "XXXX XOXO XOO- O--- X; B4:+10;"):
        data = call(capsys, "solve", text, "--json").data
        assert data["positions"][0]["empties"] == 4


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("games.ggf", "(;GM[Othello]PB[ann];", "game 1 at line 1, column 1: cannot read"),
        ("games.SGF", "(;FF[4]GM[1];B[dd])", "GM[1]: Othello is GM[2]"),
        ("notes", "nothing of the kind", "line 1: cannot read"),
        ("games.pdn", "1. 11-15 *", "game 1: it is one of checkers, which has no exact solver"),
        ("empty.txt", "", "there is no position in this file"),
        ("missing.wtb", None, "missing.wtb: there is no such file"),
    ],
)
def test_a_file_that_cannot_be_solved_is_not_taken_for_a_board(
    name: str, content: str | None, says: str, capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    if content is not None:
        Path(name).write_text(content)
    answer = call(capsys, "solve", name)
    assert answer.code == 2
    assert f"evoply: {name}: " in answer.err
    assert says in answer.err
