"""SGF as other programs write it: results, passes, set-ups, variations, files of many games."""

from __future__ import annotations

import pytest

from evoply import othello
from evoply.games.formats import GamePlayed, Refused, convert, format_named, ggf, sgf
from evoply.protocols import Color, Ending, InvalidMoveError

QUARRY = """\
(;FF[4]CA[UTF-8]AP[quarry:0.2.0]
GM[2]SZ[8]PB[Ann]PW[Bob \\] C]DT[2026-11-28]EV[Club]RE[{result}]
;B[f5];W[d6]C[a comment (with ;brackets)]
;B[c3](;W[d3];B[c4])(;W[f4];B[e3]))
"""


def read_one(result: str) -> GamePlayed:
    (game,) = sgf.read(QUARRY.format(result=result))
    return game


def test_the_main_line_and_the_facts() -> None:
    game = read_one("B+R")
    assert game.record.transcript() == "f5d6c3d3c4"
    assert (game.black, game.white) == ("Ann", "Bob ] C")
    assert game.tags == {"Date": "2026-11-28", "Event": "Club"}


@pytest.mark.parametrize(
    ("text", "winner", "ending", "reason", "again"),
    [
        ("B+R", Color.BLACK, Ending.FORFEIT, "resigned", "B+R"),
        ("W+Time", Color.WHITE, Ending.FORFEIT, "out of time", "W+T"),
        ("B+F", Color.BLACK, Ending.FORFEIT, "for a reason that the file does not say", "B+F"),
        ("W+12", Color.WHITE, Ending.STATED, None, "W+12"),
        ("B+", Color.BLACK, Ending.STATED, None, "B+"),
        ("0", None, Ending.STATED, None, "0"),
        ("Draw", None, Ending.STATED, None, "0"),
        ("?", None, None, None, "?"),
        ("Void", None, None, None, "?"),
    ],
)
def test_results(
    text: str, winner: Color | None, ending: Ending | None, reason: str | None, again: str
) -> None:
    game = read_one(text)
    assert (game.winner, game.ending, game.forfeit) == (winner, ending, reason)
    (line,) = sgf.write([game])
    assert f"RE[{again}]" in line
    assert list(sgf.read(line)) == [game]


def test_a_reason_that_a_format_has_no_sign_for_is_not_made_up() -> None:
    record = othello.Game.from_transcript("f5d6")
    for reason, in_sgf, in_ggf in (
        (None, "W+R", "-64.00:r"),  # somebody gave up
        ("out of time", "W+T", "-64.00:t"),
        ("played the illegal move 'a1'", "W+F", "-64.00"),
    ):
        game = GamePlayed(record, winner=Color.WHITE, ending=Ending.FORFEIT, forfeit=reason)
        assert f"RE[{in_sgf}]" in "".join(sgf.write([game]))
        assert f"RE[{in_ggf}]" in "".join(ggf.write([game]))


def test_a_start_that_is_set_up_and_a_pass() -> None:
    text = "(;GM[2]SZ[4]AB[a1]AW[b1]PL[W];W[];B[ca])"
    (game,) = sgf.read(text)
    assert game.record.start.text() == "XO-------------- O"
    assert [str(move) for move in game.record.moves] == ["pass", "c1"]
    assert (game.winner, game.ending, game.doubts) == (Color.BLACK, Ending.BOARD, ())
    assert list(sgf.read("".join(sgf.write([game])))) == [game]
    usual = "(;GM[2]AB[e4][d5]AW[d4][e5];B[f5])"
    assert next(sgf.read(usual)).record == othello.Game.from_transcript("f5")


def test_a_game_that_cannot_be_read_is_left_out() -> None:
    good = QUARRY.format(result="?")
    bad = good.replace("W[d6]", "W[d7]")
    refused: list[Refused] = []
    games = list(sgf.read(f"{good}\n{bad}{good}(;FF[4]GM[1];B[dd])", refused.append))
    assert [game.record.transcript() for game in games] == ["f5d6c3d3c4"] * 2
    assert [one.place for one in refused] == [
        "game 2 at line 6, column 1",
        "game 4 at line 14, column 1",
    ]
    assert "move 2 (d7) at line 8" in refused[0].reason
    assert "GM[1]: Othello is GM[2]" in refused[1].reason
    for text, says in (
        ("(;GM[2];B[f5]", "cannot read 'the end|the end of the text"),
        ("(;GM[2]SZ[7];B[f5])", r"SZ\[7\] is not a size"),
        ("(;GM[2]AB[z9])", "z9 is not a square"),
        ("f5d6", "cannot read 'f5d6' at line 1, column 1 as SGF"),
    ):
        with pytest.raises(InvalidMoveError, match=says):
            list(sgf.read(text))


def test_a_file_of_sgf_is_converted(tmp_path: object) -> None:
    import io

    target = io.BytesIO()
    source = io.BytesIO(QUARRY.format(result="W+4").encode())
    converted, _ = convert(source, target, read=format_named("sgf"), write=format_named("ggf"))
    assert (converted.games, converted.doubts) == (1, ())
    assert b"PB[Ann]PW[Bob \\] C]RE[-4]" in target.getvalue()
