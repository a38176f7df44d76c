"""The result of a game is that of its final board, in every format, read from the bytes by hand."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable

import pytest

import evoply as ep
from evoply.games import GAMES, NO_DRAWS
from evoply.games.formats import (
    FORMATS,
    GamePlayed,
    format_named,
    ggf,
    obf,
    saved,
    transcript,
    wthor,
)
from evoply.protocols import Color, Ending


def finished(game: str, which: int) -> GamePlayed:
    """Return a game that is over on its board: the legal moves number *which* from behind."""
    record = GAMES[game].record("", NO_DRAWS)
    while record.outcome() is None and len(record) < 400:
        moves = record.position.legal_moves
        record = record.play(moves[-1 - which % len(moves)])
    return GamePlayed.of(record, black="Ann", white="Bob")


def last_discs(game: GamePlayed) -> tuple[int, int]:
    """Return the discs of both sides, counted in the text of the board."""
    board = game.record.position.text().split()[0]
    return board.count("X"), board.count("O")


SIGNS: dict[str, Callable[[bytes], int]] = {
    "ggf": lambda data: _sign(float(re.findall(rb"RE\[([-+0-9.]+)\]", data)[0])),
    "sgf": lambda data: {b"B": 1, b"W": -1, b"0": 0}[re.findall(rb"RE\[(.)", data)[0]],
    "wthor": lambda data: _sign(data[16 + 6] - 32),
    "games": lambda data: {"black": 1, "white": -1, None: 0}[json.loads(data)["result"]["winner"]],
}
"""Who won by the bytes of a file: 1 Black, -1 White; what the format's description says."""


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


@pytest.mark.parametrize("format", SIGNS)
@pytest.mark.parametrize("which", range(6))
def test_othello(format: str, which: int) -> None:
    game = finished("othello", which)
    black, white = last_discs(game)
    file = io.BytesIO()
    writer = FORMATS[format].writer(file)
    writer.add(game)
    writer.close()
    assert SIGNS[format](file.getvalue()) == _sign(black - white)
    file.seek(0)
    (again,) = format_named(format).games(file)
    assert again.winner is {1: Color.BLACK, -1: Color.WHITE, 0: None}[_sign(black - white)]
    assert (again.ending, again.doubts) == (Ending.BOARD, ())


def wtb(game: GamePlayed, score: int) -> bytes:
    file = io.BytesIO()
    wthor.write([game], file)
    data = bytearray(file.getvalue())
    data[16 + 6] = score
    return bytes(data)


def test_a_score_that_is_not_that_of_the_board_is_told() -> None:
    game = finished("othello", 0)
    black, white = last_discs(game)
    assert black != white
    difference = game.record.position.official_difference()
    loser = Color.BLACK if black < white else Color.WHITE
    # The same winner, other discs; then the other winner: the board decides, and both are kept.
    for stated in (difference + (2 if difference < 60 else -2), -difference):
        doubts: list[str] = []
        (read,) = format_named("wthor").games(
            io.BytesIO(wtb(game, (stated + 64) // 2)), on_doubt=doubts.append
        )
        assert read.winner is not loser
        assert [doubt.partition(":")[0] for doubt in doubts] == ["record 1"]
        assert "the board decides" in doubts[0]
        text = "".join(ggf.write([read]))
        assert f"RE[{stated:+}]" in text
        (from_ggf,) = ggf.read(text)
        assert (from_ggf.winner, len(from_ggf.doubts)) == (read.winner, 1)
    right = io.BytesIO(wtb(game, (difference + 64) // 2))
    assert [one.doubts for one in format_named("wthor").games(right)] == [()]


def test_a_game_that_is_not_over_has_the_result_that_a_file_states() -> None:
    begun = GAMES["othello"].record("f5d6")
    for score, winner, words in (
        (40, Color.BLACK, "a wins as Black, as the file states"),
        (20, Color.WHITE, "b wins as White, as the file states"),
        (32, None, "a draw, as the file states"),
    ):
        whole = GamePlayed.of(begun, black="a", white="b", result="1-0")
        (game,) = wthor.read(wtb(whole, score), wthor.WthorNames(("a", "b"), ()))
        assert (game.winner, game.ending, game.in_words()) == (winner, Ending.STATED, words)
        assert game.forfeit is None
        # GGF's sign for whoever resigned is not made up.
        assert f"RE[{2 * score - 64:+}]" in "".join(ggf.write([game]))
        assert list(saved.read("".join(saved.write([game])))) == [game]
    (position,) = obf.read(f"{begun.position.text()}; C3:+2;")
    assert position.game().to_dict()["result"]["points"] == {"black": None, "white": None}


def test_a_result_behind_the_moves_of_a_transcript() -> None:
    text = "11-15 22-18\t1-0\nf5d6 0-1\n1. 11-15 22-18\n2. 15x22 1/2-1/2\n11-15 22-18\nf5d6 0-0\n"
    games = list(transcript.read(text))
    assert [game.result for game in games] == ["1-0", "0-1", "1/2-1/2", "*", "0-0"]
    assert [game.winner for game in games] == [Color.BLACK, Color.WHITE, None, None, None]
    over = finished("othello-4", 0)
    assert over.winner is not None
    wrong = "0-1" if over.winner is Color.BLACK else "1-0"
    (doubtful,) = transcript.read(f"{over.record} {wrong}")
    assert (doubtful.winner, len(doubtful.doubts)) == (over.winner, 1)
    assert doubtful.doubts[0].startswith(f"line 1: the result {wrong} says")


def test_anti_othello_is_another_game() -> None:
    board = "-" * 27 + "O*------*O" + "-" * 27
    for kind in ("8a", "s8A", "8ar18", "8r18a"):
        text = f"(;GM[Othello]PB[a]PW[b]RE[0.00]TY[{kind}]BO[8 {board} *]B[F5];)"
        with pytest.raises(ValueError, match=f"TY: '{kind}' is anti Othello.*reversed-othello"):
            list(ggf.read(text))
    for kind in ("8", "s8r18", "8K", "8 rated"):
        assert list(ggf.read(f"(;GM[Othello]TY[{kind}]BO[8 {board} *]B[F5];)"))


def test_saved_games_say_what_their_moves_do_not() -> None:
    game = finished("othello", 1)
    data = game.to_dict()
    wrong = {
        "winner": (game.winner.opposite.value, "winner says"),
        "pieces": ({"black": 1, "white": 2}, "pieces says"),
        "plies": (3, "plies says 3, and the moves and the ending"),
    }
    for name, (value, says) in wrong.items():
        edited = json.dumps(data | {"result": data["result"] | {name: value}})
        (read,) = saved.read(edited)
        assert read.winner is game.winner
        assert len(read.doubts) == 1
        assert read.doubts[0].startswith("line 1: ")
        assert says in read.doubts[0]
    begun = GamePlayed.of(GAMES["othello"].record("f5d6")).to_dict()
    stated = begun["result"] | {"winner": "black", "ending": "board", "points": {}}
    (read,) = saved.read(json.dumps(begun | {"result": stated}))
    assert (read.winner, read.ending) == (Color.BLACK, Ending.STATED)
    assert any("ending says" in doubt for doubt in read.doubts)


@pytest.mark.parametrize(
    ("encoding", "doubts"),
    [
        ("utf-8", []),
        ("utf-8-sig", []),
        ("utf-16", []),
        ("utf-16-le", []),
        ("utf-16-be", []),
        ("cp1252", ["3 bytes are not UTF-8: read as Windows-1252"]),
    ],
)
@pytest.mark.parametrize("format", ["pdn", "ggf", "sgf", "games"])
def test_text_is_decoded_as_what_it_is(format: str, encoding: str, doubts: list[str]) -> None:
    record = GAMES["checkers" if format == "pdn" else "othello"].record("", NO_DRAWS)
    game = GamePlayed.of(record, black="Müller, Renée", white="“x”" if not doubts else "Öde")
    file = io.BytesIO()
    FORMATS[format].writer(file).add(game)
    told: list[str] = []
    source = io.BytesIO(file.getvalue().decode().encode(encoding))
    read = format_named(format).games(source, on_doubt=told.append)
    (again,) = read
    assert (again.black, again.white) == (game.black, game.white)
    assert told == doubts


def test_pieces_are_no_result_where_they_do_not_decide() -> None:
    """Once Hex ended with "13 to 12"."""
    for game, is_counted in (("connect-four", False), ("othello-4", True)):
        seen: list[str] = []
        ep.match(
            "random", "greedy", game=game, games=2,
            on_game=lambda played, seen=seen: seen.append(played.in_words()),
        )  # fmt: skip
        won = [words for words in seen if "wins" in words]
        assert won
        assert all((" to " in words) == is_counted for words in won)
