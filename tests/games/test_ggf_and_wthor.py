"""GGF and WTHOR as other programs write them, byte by byte."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest

from evoply import othello
from evoply.games.formats import GamePlayed, Refused, ggf, names_beside, wthor
from evoply.protocols import Color, Ending, IllegalMoveError, InvalidMoveError

# As FORMATS of the field give it: blanks in the board, values and times, a written pass.
NBOARD = (
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[8 "
    "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    "B[F5//2.4]W[D6/0.00]B[C3];)"
)
PASSES = "(;GM[Othello]PB[x]PW[y]RE[+16:t]BO[4 XO-- ---- ---- ---- O]W[PA]B[C1];)"


def test_a_game_of_a_server() -> None:
    (game,) = ggf.read(NBOARD)
    assert (game.black, game.white, game.result) == ("a", "b", "*")
    assert game.record.transcript() == "f5d6c3"
    assert game.record.start == othello.Position()
    assert game.tags == {"Site": "NBoard", "Date": "2014-02-21 20:52:27 GMT", "TI": "15:00"}
    (line,) = ggf.write([game])
    assert line == (
        "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[a]PW[b]RE[?]TY[8]TI[15:00]BO[8 "
        f"{othello.Position().text()[:64].replace('X', '*')} *]B[F5]W[D6]B[C3];)\n"
    )


def test_passes_and_results() -> None:
    (game,) = ggf.read(PASSES)
    assert list(map(str, game.record.moves)) == ["pass", "c1"]
    assert game.record.outcome() is not None
    assert (game.winner, game.ending, game.tags) == (Color.BLACK, Ending.BOARD, {})
    (inferred,) = ggf.read(PASSES.replace("W[PA]", ""))
    assert inferred == game
    for result, winner, reason, said in (
        ("-2.00:r", Color.WHITE, "resigned", "0-1"),
        ("+8:t", Color.BLACK, "out of time", "1-0"),
        ("0:s", None, None, "1/2-1/2"),
        ("+2:s", Color.BLACK, None, "1-0"),
        ("-6", Color.WHITE, None, "0-1"),
        ("what", None, None, "*"),
    ):
        (game,) = ggf.read(NBOARD.replace("RE[?]", f"RE[{result}]"))
        assert (game.winner, game.forfeit, game.result) == (winner, reason, said)
        ending = Ending.STATED if reason is None else Ending.FORFEIT
        assert game.ending is (None if said == "*" else ending)
        assert list(ggf.read("".join(ggf.write([game])))) == [game]
    (game,) = ggf.read(NBOARD.replace("RE[?]", "RE[-2.00:r]"))
    assert game.in_words() == "b wins as White: a forfeits, resigned"


def test_a_file_of_many_and_boards_of_other_sizes() -> None:
    bad = NBOARD.replace("D6", "E6")
    file = f"2 {NBOARD}{bad}\n\n1 {NBOARD.replace('BO[8', 'XX[8').replace('TY[8]', 'TY[s10r18]')}\n"
    refused: list[Refused] = []
    one, ten = ggf.read(file.replace("B[F5//2.4]W[D6/0.00]B[C3];)\n", ";)\n"), refused.append)
    assert one.record.transcript() == "f5d6c3"
    assert (ten.record.start, ten.tags["TY"]) == (othello.Position(10), "s10r18")
    (told,) = refused
    assert told.number == 2
    assert told.place.startswith("game 2 at line 1, column ")
    assert "move 2 (E6)" in told.reason
    with pytest.raises(InvalidMoveError, match="GM: 'Chess' is another game"):
        list(ggf.read("(;GM[Chess];)"))
    with pytest.raises(InvalidMoveError, match="BO: '6' is not the size"):
        list(ggf.read(NBOARD.replace("BO[8", "BO[6")))


def wtb(moves: str, *, score: int, event: int = 0, black: int = 0, white: int = 1) -> bytes:
    """Return one record, made from the description of the format and nothing of ours."""
    squares = [
        10 * int(moves[i + 1]) + ord(moves[i]) - ord("a") + 1 for i in range(0, len(moves), 2)
    ]
    return struct.pack("<HHHBB", event, black, white, score, 40) + bytes(squares).ljust(60, b"\0")


def header(games: int, names: int = 0, *, size: int = 8, year: int = 2004) -> bytes:
    return struct.pack("<BBBBIHHBBBB", 20, 5, 2, 28, games, names, year, size, 0, 22, 0)


def name_file(names: list[str], length: int) -> bytes:
    return header(0, len(names), size=0) + b"".join(
        name.encode("latin-1").ljust(length, b"\0") for name in names
    )


def finished() -> tuple[othello.Game, int]:
    """Return a whole game and Black's official score."""
    game = othello.Game()
    while game.outcome() is None:
        game = game.play(game.position.legal_moves[-1])
    difference = game.position.official_difference()
    assert difference is not None
    return game, (difference + 64) // 2


def test_the_files_of_the_french_federation(tmp_path: Path) -> None:
    game, score = finished()
    (tmp_path / "WTH_2004.wtb").write_bytes(
        header(3)
        + wtb(game.transcript(), score=score, event=1, black=1, white=0)
        + wtb("f5d6", score=40)
        + wtb("f5d6e9", score=1).replace(bytes([95]), bytes([99]))
    )
    (tmp_path / "WTHOR.JOU").write_bytes(name_file(["Andr\u00e9", "Bo"], 20))
    (tmp_path / "WTHOR.TRN").write_bytes(name_file(["Paris", "L\u00fcbeck"], 26))
    names = names_beside(tmp_path / "WTH_2004.wtb")
    assert names == wthor.WthorNames(("Andr\u00e9", "Bo"), ("Paris", "L\u00fcbeck"))
    refused: list[Refused] = []
    with (tmp_path / "WTH_2004.wtb").open("rb") as file:
        whole, begun = wthor.read(file, names, refused.append)
    assert whole.record.moves == game.moves
    assert (whole.black, whole.white) == ("Bo", "Andr\u00e9")
    expected = {"Event": "L\u00fcbeck", "Date": "2004", "Theoretical": "40", "Depth": "22"}
    assert whole.tags == expected
    # White gave up, or the rest is not recorded: 40 of 64 are Black's.
    assert (begun.winner, begun.ending, begun.tags["RE"]) == (Color.BLACK, Ending.STATED, "+16")
    assert begun.in_words() == "Bo wins as Black, as the file states".replace("Bo", begun.black)
    assert [(one.number, one.place) for one in refused] == [(3, "record 3")]
    assert "move 3: 99 is not a square" in refused[0].reason
    written = io.BytesIO()
    players, events = wthor.write([whole, begun], written)
    again = wthor.WthorNames(wthor.read_names(players), wthor.read_names(events))
    assert list(wthor.read(written.getvalue(), again)) == [whole, begun]
    record = written.getvalue()[16 : 16 + 68]
    assert record[6:] == wtb(game.transcript(), score=score)[6:]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "has 0 bytes"),
        (header(1, size=10), "a board of 10x10"),
        (header(2) + wtb("f5", score=33), "record 2: the file ends here"),
        (header(1) + wtb("f5f5", score=33), "record 1: ply 2: illegal move f5"),
        (header(1) + wtb("f5", score=65), "record 1: Black's score 65"),
    ],
)
def test_damaged_databases_are_refused(content: bytes, says: str) -> None:
    with pytest.raises((InvalidMoveError, IllegalMoveError), match=says):
        list(wthor.read(content))


def test_what_wthor_cannot_hold() -> None:
    for game in (
        GamePlayed.of(othello.Game.from_transcript("f5")),
        GamePlayed.of(othello.Game(othello.Position(6)), result="1-0"),
        GamePlayed.of(othello.Game(othello.Position().play("f5")), result="1-0"),
    ):
        with pytest.raises(ValueError, match="WTHOR holds"):
            wthor.write([game], io.BytesIO())
    with pytest.raises(InvalidMoveError, match="2 names take 40 bytes"):
        wthor.read_names(header(0, 2) + b"short")
