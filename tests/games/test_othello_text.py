"""Boards and transcripts as text: every accepted form, and errors that say what and where."""

import contextlib
import json
import re
from pathlib import Path
from string import ascii_lowercase

import pytest
from game_strategies import positions, shapes
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import othello
from evoply.games import GAMES, parse_square, square_name
from evoply.protocols import BoardShape, Color, IllegalMoveError, InvalidMoveError

TESTDATA = Path(__file__).parents[2] / "testdata"
TRANSCRIPTS: dict[str, str] = json.loads((TESTDATA / "transcripts.json").read_text())
quick = settings(deadline=None, max_examples=150)


@quick
@given(positions)
def test_positions_read_back(position: othello.Position) -> None:
    assert othello.Position.parse(position.text()) == position
    assert othello.Position.parse(str(position)) == position
    assert repr(position) == f"Position.parse('{position.text()}')"


def test_the_form_of_the_start() -> None:
    text = "---------------------------OX------XO--------------------------- X"
    assert othello.Position().text() == text
    # The form of the Othello world, with the other symbols.
    assert othello.Position.parse(text.replace("X", "*")) == othello.Position()


@pytest.mark.parametrize("black", "Xx*Bb")
@pytest.mark.parametrize("white", "Oo0Ww")
@pytest.mark.parametrize("empty", "-.")
def test_every_symbol_is_read(black: str, white: str, empty: str) -> None:
    text = othello.Position(6).play("e4").text()
    text = text.translate(str.maketrans("XO-", black + white + empty))
    assert othello.Position.parse(text) == othello.Position(6).play("e4")
    assert othello.Position.parse(text).turn is Color.WHITE


def test_what_surrounds_a_board_is_ignored() -> None:
    position = othello.Position(10).play("g6")
    for text in (
        str(position).upper().replace("TO MOVE", "to play"),
        position.text() + "; A2:+38; B2:+2;",
        position.text() + " % a comment with X and O",
        "\n" + str(position).replace("\n", "  \r\n") + "\n",
        "\n".join(
            f"{line} {line[:2]}" if line[:2].strip() else line
            for line in str(position).splitlines()[:-1]
        )
        + "\nO",
    ):
        assert othello.Position.parse(text) == position, text


def test_ply_of_a_parsed_position_counts_the_discs_beyond_four() -> None:
    assert othello.Position.parse(othello.Position().play("f5").play("d6").text()).ply == 2
    assert othello.Position.parse("---- ---- ---- ---X O").ply == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 of the characters"),
        ("-" * 64, "side to move is missing"),
        ("-" * 65, "side to move is '-'"),
        ("-" * 70 + " X", "71 of the characters"),
        ("-" * 200_000, "200,000 characters; at most 100,000"),
        ("hello", "16, 36, 64 or 100"),
    ],
)
def test_errors_of_boards(text: str, message: str) -> None:
    with pytest.raises(InvalidMoveError, match=message) as caught:
        othello.Position.parse(text)
    assert len(str(caught.value)) < 300


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (othello.Position.parse, othello.Game.from_transcript, othello.Move.parse):
        with contextlib.suppress(InvalidMoveError, IllegalMoveError):
            parse(text)


@given(shapes)
def test_square_names_read_back(shape: BoardShape) -> None:
    names = [square_name(square, shape) for square in range(shape.squares)]
    assert len(set(names)) == shape.squares
    for square, name in enumerate(names):
        assert parse_square(name, shape) == square
        assert parse_square(f" {name.upper()} ", shape) == square
    for square in (-1, shape.squares):
        with pytest.raises(ValueError, match="not on a board"):
            square_name(square, shape)
    for name in (f"a{shape.rows + 1}", *(f"{one}1" for one in ascii_lowercase[shape.columns :])):
        with pytest.raises(InvalidMoveError, match=f"'{name}' is not a square"):
            parse_square(name, shape)


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3d3c4",
        "F5D6C3D3C4",
        "F5 D6 C3 D3 C4",
        "F5-D6-C3-D3-C4",
        "1. F5 d6 2. C3 d3 3. C4",
        "1.f5 d6\n2.c3 d3\n3.c4\n",
        "f5, d6, c3, d3, c4",
        "---------------------------O*------*O--------------------------- * f5d6c3d3c4",
        "---------------------------OX------XO---------------------------X; f5 d6 c3 d3 c4",
        " \n" + othello.Position().text() + "\nf5d6c3d3c4",
    ],
)
def test_accepted_forms_of_a_transcript(text: str) -> None:
    game = othello.Game.from_transcript(text)
    assert game.transcript() == "f5d6c3d3c4"
    assert str(game) == "f5d6c3d3c4"
    assert repr(game) == "Game.from_transcript('f5d6c3d3c4')"
    assert len(game) == len(game.positions) - 1 == 5
    assert othello.Game.from_transcript(repr(game).split("'")[1]) == game


def test_rows_of_ten_are_read_greedily() -> None:
    start = othello.Position(10)
    game = othello.Game.from_transcript("f7 g7 h7", size=10)
    assert game.start == start
    last = next(played for played in _walk_to_row_ten(start) if played.transcript().endswith("10"))
    assert othello.Game.from_transcript(last.transcript(), size=10) == last
    assert othello.Game.from_transcript(str(last)) == last
    with pytest.raises(InvalidMoveError, match=r"cannot read 'f11' at column 1"):
        othello.Game.from_transcript("f11", size=10)


def _walk_to_row_ten(start: othello.Position) -> list[othello.Game]:
    """Return the games that go on with the last legal move: soon one is in row ten."""
    games = [othello.Game(start)]
    while games[-1].position.legal_moves:
        games.append(games[-1].play(games[-1].position.legal_moves[-1]))
    return games


@pytest.mark.parametrize(
    ("text", "size", "error", "message"),
    [
        ("f5d6c3e3", 8, IllegalMoveError, r"move 4 \(e3\) at column 7: illegal move e3 for White"),
        ("f5 d6\n1. c3 e3", 8, IllegalMoveError, r"move 4 \(e3\) at line 2, column 7"),
        ("f5f5", 8, IllegalMoveError, r"move 2 \(f5\) at column 3"),
        ("pa", 8, IllegalMoveError, r"move 1 \(pa\) at column 1: illegal move pass for Black"),
        ("f5d6i3", 8, InvalidMoveError, r"cannot read 'i3' at column 5"),
        ("f5d9", 8, InvalidMoveError, r"cannot read 'd9' at column 3.*a1 to h8"),
        ("f5 (d6)", 8, InvalidMoveError, r"cannot read '\(' at column 4"),
        ("e5", 4, InvalidMoveError, r"cannot read 'e5' at column 1.*a1 to d4"),
        ("f5" * 60_000, 8, InvalidMoveError, "120,000 characters; at most 100,000"),
        ("z" * 90_000, 8, InvalidMoveError, r"cannot read 'zzz"),
    ],
)
def test_errors_of_transcripts(text: str, size: int, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        othello.Game.from_transcript(text, size)
    if error is IllegalMoveError:
        assert "  a b c d e f g h\n1 -" in str(caught.value)
        assert " in --------" not in str(caught.value)  # the board is shown once
    assert len(str(caught.value)) < 700


def test_moves_after_the_end_are_illegal() -> None:
    wiped_out = TRANSCRIPTS["smith_64_0_23passes"]
    with pytest.raises(IllegalMoveError, match=r"move 56 .*the game is over"):
        othello.Game.from_transcript(wiped_out + "a8")


def test_a_last_pass_is_written_where_it_would_be_lost() -> None:
    """Every beginning of a game with 23 passes comes back, those that end in a pass too."""
    game = othello.Game.from_transcript(TRANSCRIPTS["smith_64_0_23passes"])
    passes = 0
    for ply in range(len(game) + 1):
        begun = othello.Game(game.start, game.moves[:ply])
        ends_in_pass = bool(begun.moves) and begun.moves[-1] == othello.Move.PASS
        passes += ends_in_pass
        assert begun.transcript().endswith("pass") == ends_in_pass
        assert begun.transcript().count("pass") == ends_in_pass
        assert othello.Game.from_transcript(begun.transcript()) == begun
        assert othello.Game.from_transcript(str(begun)) == begun
    assert passes == 23


# name, size, moves placed, passes, disc difference on the board, official difference
RESULTS = [
    ("takizawa_draw", 60, 0, 0, 0),
    ("smith_64_0_23passes", 55, 23, -59, -64),
    ("smith_11move_nonwipeout", 11, 0, 13, 62),
]


@pytest.mark.parametrize(("name", "placed", "passes", "difference", "official"), RESULTS)
def test_known_games_end_as_known(
    name: str, placed: int, passes: int, difference: int, official: int
) -> None:
    game = othello.Game.from_transcript(TRANSCRIPTS[name])
    outcome = game.outcome()
    assert outcome is not None
    assert len(game.transcript()) == 2 * placed
    assert game.moves.count(othello.Move.PASS) == passes
    assert len(game) == placed + passes
    assert outcome.disc_difference == difference
    assert game.position.official_difference() == official


def test_feinsteins_perfect_game_on_six_by_six() -> None:
    # Its squares are named b2 to g7, as if the board were the middle of an 8x8 board.
    text = TRANSCRIPTS["feinstein_6x6(b2..g7 labels)"]
    shifted = re.sub(
        r"([b-g])([2-7])", lambda match: chr(ord(match[1]) - 1) + str(int(match[2]) - 1), text
    )
    game = othello.Game.from_transcript(shifted, size=6)
    outcome = game.outcome()
    assert outcome.disc_difference == -4
    assert game.position.discs(Color.BLACK) == 16
    assert game.position.discs(Color.WHITE) == 20


@pytest.mark.parametrize("name", ["fforum-1-19.obf", "fforum-20-39.obf"])
def test_problem_files_are_read_as_positions(name: str) -> None:
    for line in (TESTDATA / "ffo" / name).read_text().splitlines():
        position = othello.Position.parse(line)
        assert line.startswith(position.text())
        scores = re.findall(r"([A-H][1-8]):([+-]\d+)", line)
        assert scores
        assert {othello.Move.parse(move) for move, _ in scores} == set(position.legal_moves)
        assert [int(score) for _, score in scores] == sorted(
            (int(score) for _, score in scores), reverse=True
        )


GGF = (
    "(;GM[Othello]PC[GGS/os]PB[ann]PW[bob]RE[+4.000]TY[8]BO[8 ---------------------------O*------"
    "*O--------------------------- *]B[d3//0.01]W[c5]B[f6];)"
)


@pytest.mark.parametrize("text", [GGF, f"1 {GGF}", f"\n{GGF.lower()}", "(;FF[4]GM[Othello]"])
def test_a_game_in_ggf_is_not_taken_for_a_board(text: str) -> None:
    for read in (GAMES["othello"].read, othello.Position.parse, othello.Game.from_transcript):
        with pytest.raises(InvalidMoveError, match="begins like a GGF game"):
            read(text)
