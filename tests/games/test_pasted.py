"""What people paste where one position or game is asked for."""

from __future__ import annotations

import pytest

from evoply import othello
from evoply.games.formats import read_pasted
from evoply.protocols import IllegalMoveError, InvalidMoveError

GAME = othello.Game.from_transcript("f5d6c3d3c4")
GGF = (
    "1 (;GM[Othello]PC[GGS/os]DT[2003.12.15]PB[ann]PW[bob]RE[?]TI[15:00]TY[8]BO[8 "
    "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    "B[F5//2.4]W[d6/-1.0]B[C3]W[D3]B[C4];)"
)
BARE = GAME.position.text()[:64]
ROWS = [BARE[row : row + 8] for row in range(0, 64, 8)]
HEAD = "  a b c d e f g h\n"


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3d3c4",
        "1. F5 d6 2. C3 d3 3. C4",
        "F5-D6-C3-D3-C4\n",
        GGF,
        f"\n{GGF}\n{GGF}",
        f"{othello.Position().text()} f5d6c3d3c4",
    ],
)
def test_moves_in_many_forms(text: str) -> None:
    record = read_pasted("othello", text)
    assert record.transcript() == "f5d6c3d3c4"
    assert record.position == GAME.position


@pytest.mark.parametrize(
    "text",
    [
        GAME.position.text(),
        str(GAME.position),
        BARE,  # five moves: White is to move
        BARE.replace("X", "*").replace("-", "."),
        "\n".join(BARE[row : row + 8] for row in range(0, 64, 8)),
        "\n".join(str(GAME.position).splitlines()[:-1]),
        f"{BARE} O; C6:+2;",
        "  abcdefgh\n" + "\n".join(f"{row + 1} {ROWS[row]}" for row in range(8)),
        HEAD
        + "\n".join(f"{row + 1} {' '.join(ROWS[row])} {row + 1}" for row in range(8))
        + "\n"
        + HEAD,
        "\n".join(ROWS).replace("X", "⚫\ufe0f").replace("O", "⚪").replace("-", "·"),
    ],
)
def test_boards_in_many_forms(text: str) -> None:
    assert read_pasted("othello", text).position == GAME.position


def test_checkers_in_many_forms() -> None:
    game = read_pasted("checkers", "1. 11-15 23-19 2. 8-11")
    pdn = '[Event "x"]\n[White "y"]\n\n1. 11-15 {c} 23-19 2. 8-11 *\n'
    assert read_pasted("checkers", pdn) == game
    for text in (game.position.text(), str(game.position)):
        assert read_pasted("checkers", text).position == game.position


@pytest.mark.parametrize(
    ("game", "text", "error", "says"),
    [
        ("othello", "f5d6q3", InvalidMoveError, "'q3' at column 5"),
        ("othello", "f5d6\nc3 d9", InvalidMoveError, "'d9' at line 2, column 4"),
        ("othello", "f5f5", IllegalMoveError, r"move 2 \(f5\) at column 3"),
        ("othello", BARE.replace("X", "?", 1) + " O", InvalidMoveError, r"'\?' at column 19"),
        ("othello", GGF.replace("W[d6", "W[d7"), IllegalMoveError, r"\(d7\) at line 1, column 164"),
        ("othello", GGF.replace("B[C3]", "C3"), InvalidMoveError, "'C3W.* at line 1, column 172"),
        ("othello", GGF.replace("B[C3]", "W[C3]"), IllegalMoveError, "Black is to move"),
        ("othello", BARE[1:] + " O", InvalidMoveError, "side to move is missing"),
        ("othello-6", GGF, InvalidMoveError, "a game of othello: write --game othello"),
        ("checkers", GGF, InvalidMoveError, "a game of othello: write --game othello"),
        ("checkers", '[Event "x"] 1. 11-15 22-19', IllegalMoveError, "at line 1, column 22"),
        ("othello", '[Event "x"] 1. 11-15', InvalidMoveError, "PDN .* of checkers"),
        ("othello", "(;GM[Othello]", InvalidMoveError, "the end of the text"),
        ("othello", "", InvalidMoveError, "0 of the characters"),
    ],
)
def test_what_is_wrong_is_shown_with_its_place(
    game: str, text: str, error: type[ValueError], says: str
) -> None:
    with pytest.raises(error, match=says):
        read_pasted(game, text)


def test_a_flood_of_blanks_is_refused_at_once() -> None:
    # Each blank once: cutting them in two in every way would take minutes, not this test's seconds.
    with pytest.raises(InvalidMoveError):
        read_pasted("othello", " " * 90_000 + "!")
