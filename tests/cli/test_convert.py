"""evoply convert: files, standard streams, formats by ending and content, games left out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import call

from evoply.games import GAMES
from evoply.games.formats import wthor
from waiting import PATIENCE

GGF = "(;GM[Othello]PB[ann]PW[bob]RE[?]TY[8]B[F5]W[D6]B[C3];)\n"
BAD = "(;GM[Othello]PB[ann]PW[bob]RE[?]TY[8]B[F5]W[F5];)\n"


def test_a_file_becomes_another(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (workplace / "games.ggf").write_text(GGF + BAD + GGF)
    answer = call(capsys, "convert", "games.ggf", "games.txt")
    assert answer.code == 0
    assert Path("games.txt").read_text() == "f5d6c3\nf5d6c3\n"
    assert "2 games of 6 plies from ggf to transcript: games.txt" in answer.out
    assert "left out: game 2 at line 2, column 1: move 2 (F5)" in answer.err
    data = call(capsys, "convert", "games.ggf", "games.jsonl", "--json").data
    (one,) = data.pop("refused")
    assert data == {
        "source": "games.ggf",
        "target": "games.jsonl",
        "from": "ggf",
        "to": "games",
        "games": 2,
        "moves": 6,
        "doubts": [],
    }
    assert (one["number"], one["place"]) == (2, "game 2 at line 2, column 1")
    assert "move 2 (F5) at line 2, column" in one["reason"]
    saved = [json.loads(line) for line in Path("games.jsonl").read_text().splitlines()]
    assert [game["players"]["black"] for game in saved] == ["ann", "ann"]
    assert call(capsys, "convert", "games.jsonl", "again.ggf").code == 0
    assert Path("again.ggf").read_text().count("PB[ann]PW[bob]") == 2


def test_what_a_file_says_twice_and_not_alike_is_told(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '[Black "Müller"]\n[Result "0-1"]\n\n1. 11-15 23-19 1-0\n\n[White "A"]\n\n1. 9-13 *\n'
    (workplace / "games.pdn").write_bytes(text.encode("cp1252"))
    answer = call(capsys, "convert", "games.pdn", "games.jsonl")
    assert answer.code == 0
    said = [line for line in answer.err.splitlines() if line.startswith("doubtful: ")]
    assert said == [
        "doubtful: game 1 at line 1, column 1: the tag Result says 0-1, and the text behind the "
        "moves 1-0: the text decides",
        "doubtful: 1 byte is not UTF-8: read as Windows-1252",
    ]
    assert json.loads(Path("games.jsonl").read_text().splitlines()[0])["players"]["black"] == (
        "Müller"
    )
    for command in (
        ("convert", "games.pdn", "x.jsonl"),
        ("watch", "games.pdn"),
        ("analyse", "material", "--games", "games.pdn"),
    ):
        doubts = call(capsys, *command, "--json").data["doubts"]
        assert [f"doubtful: {doubt}" for doubt in doubts] == said


def test_sgf_is_told_from_ggf_by_its_content(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "game").write_text("(;FF[4]GM[2]PB[ann]\n;B[f5];W[d6])\n")
    data = call(capsys, "convert", "game", "game.ggf", "--json").data
    assert (data["from"], data["games"]) == ("sgf", 1)
    assert call(capsys, "convert", "game.ggf", "again.sgf").code == 0
    assert ";B[f5];W[d6])" in Path("again.sgf").read_text()
    assert call(capsys, "solve", "again.sgf", "--time-limit", "0.2").code == 0
    assert call(capsys, "perft", "othello", "1", "--position", "(;GM[2];B[f5])").code == 0


def test_the_content_says_the_format_where_the_ending_does_not(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "games").write_text('[Black "Ann"]\n\n1. 11-15 23-19 1-0\n')
    answer = call(capsys, "convert", "games", "out", "--to", "games", "--json")
    assert (answer.data["from"], answer.data["games"], answer.data["moves"]) == ("pdn", 1, 2)
    assert call(capsys, "convert", "out", "-", "--to", "transcript").out == "11-15 23-19\n"
    lose = call(capsys, "convert", "games", "-", "--to", "games", "--game", "lose-checkers").out
    assert json.loads(lose)["game"] == "lose-checkers"


def test_positions_of_games_and_games_of_positions(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "games.txt").write_text("# two games\n1. F5 d6\n2. C3\n\nf5\n")
    assert call(capsys, "convert", "games.txt", "positions.obf").code == 0
    lines = Path("positions.obf").read_text().splitlines()
    assert len(lines) == 4 + 2
    assert lines[0] == GAMES["othello"].start().text() + ";"
    data = call(capsys, "convert", "positions.obf", "back.jsonl", "--json").data
    assert (data["games"], data["moves"]) == (6, 0)


def test_a_database_and_its_names(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = GAMES["othello"]
    game = rules.record()
    while game.outcome() is None:
        game = game.play(game.position.legal_moves[0])
    (workplace / "games.ggf").write_text(
        f"(;GM[Othello]PB[Ann]PW[Bob]{''.join(_ggf_moves(game))};)\n" + GGF
    )
    data = call(capsys, "convert", "games.ggf", "base.wtb", "--json").data
    assert (data["games"], len(data["refused"])) == (1, 1)
    assert "WTHOR holds finished games" in data["refused"][0]["reason"]
    assert wthor.read_names(Path("base.jou").read_bytes()) == ("Ann", "Bob")
    assert Path("base.trn").exists()
    assert call(capsys, "convert", "base.wtb", "-").out == game.transcript() + "\n"
    shown = call(capsys, "convert", "base.wtb", "-", "--to", "ggf").out
    assert "PB[Ann]PW[Bob]" in shown
    watched = call(capsys, "watch", "base.wtb").out
    assert watched.startswith("Game 0: Ann (Black) against Bob (White)\nMoves: ")
    judged = call(capsys, "analyse", "greedy", "--games", "base.wtb", "--exact", "none", "--json")
    assert set(judged.data["players"]) == {"Ann", "Bob"}


def _ggf_moves(game: object) -> list[str]:
    return [
        f"{position.turn.value[0].upper()}[{'PA' if move.is_pass else move}]"
        for position, move in zip(game.positions, game.moves, strict=False)  # type: ignore[attr-defined]
    ]


def test_through_pipes_also_bytes(workplace: Path) -> None:
    def run(*arguments: str, content: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "evoply", "convert", *arguments],
            input=content,
            capture_output=True,
            check=False,
            timeout=PATIENCE,
            env=os.environ,
        )

    over = b"(;GM[Othello]RE[-64.00:r]TY[8]B[F5]W[D6];)\n"
    base = run("-", "-", "--to", "wthor", content=over)
    assert (base.returncode, len(base.stdout), base.stderr) == (0, 16 + 68, b"")
    back = run("-", "-", "--to", "ggf", content=base.stdout)
    assert (back.returncode, back.stderr) == (0, b"")
    assert b"RE[-64]" in back.stdout
    assert b"B[F5]W[D6]" in back.stdout
    nothing = run("-", "-", content=b"")
    assert (nothing.returncode, nothing.stdout) == (2, b"")
    assert b"there is no transcript in it" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.ggf", "x.txt"), "none.ggf: there is no such file"),
        ((".", "x.txt"), ".: is a folder: name a file"),
        (("games.ggf", "x.unknown"), "its ending says no format: add --to"),
        (("games.ggf", "-", "--json"), "--json and - both need standard output"),
        (("games.ggf", "x.pdn"), "PDN holds games of checkers, not of othello"),
        (("games.ggf", "x.txt", "--from", "wthor"), "and a header has 16|record|header"),
        (("games.ggf", "x.txt", "--from", "pgn"), "--from"),
        (("games.ggf", "x.txt", "--game", "go"), "unknown game 'go'"),
        (("games.ggf", "x.txt", "--from", "pdn"), "game 1 at line 1, column 1"),
        (("games.ggf", "no/such/folder.txt"), "no/such"),
    ],
)
def test_wrong_use_is_a_sentence_and_leaves_no_file(
    arguments: tuple[str, ...], says: str, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "games.ggf").write_text(GGF)
    before = set(workplace.iterdir())
    answer = call(capsys, "convert", *arguments)
    assert answer.code == 2
    assert any(part in " ".join(answer.err.split()) for part in says.split("|")), answer.err
    assert "Traceback" not in answer.err
    assert set(workplace.iterdir()) == before


def test_what_is_refused_is_in_the_json_of_a_failure(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "games.ggf").write_text(BAD)
    answer = call(capsys, "convert", "games.ggf", "x.txt", "--json")
    assert answer.code == 2
    assert answer.data["games"] == 0
    assert len(answer.data["refused"]) == 1
    assert "games.ggf: game 1 at line 1" in answer.data["error"]


def test_a_position_may_be_a_game_of_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--position", "--moves"):
        data = call(capsys, "analyse", "greedy", option, GGF, "--json").data
        assert data["position"].endswith(" O")
    answer = call(capsys, "perft", "othello-6", "2", "--position", GGF)
    assert answer.code == 2
    assert "write --game othello" in answer.err
