"""Text of checkers: moves, positions, transcripts, PDN. What is written is read back."""

import os

import pytest
from game_strategies import checkers_games, checkers_positions, shapes
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import checkers
from evoply.games import game_rules, numbered_square, square_number
from evoply.protocols import BoardShape, IllegalMoveError, InvalidMoveError

FUZZ = settings(deadline=None, max_examples=20_000 if "EVOPLY_LONG" in os.environ else 300)
NAMES = st.sampled_from(sorted(checkers.CHECKERS))
# Characters of moves, positions and PDN far more often than others.
SOUP = st.text(
    st.one_of(st.sampled_from('0123456789-x:.,KBW[]{}();$%*/!? \n"\\'), st.characters()),
    max_size=60,
)
PIECES_OF_FILES = (
    '11-15|22-18|15x22|1.|2...|1-0|*|{c}|(|)|$1|[Event|"x"]|[FEN "B:W1:B2"]|B:W18:B1|K12|{|;|\n'
    "|11x|99-1|1/2-1/2|!?"
)
WORDS = st.lists(st.sampled_from(PIECES_OF_FILES.split("|")), max_size=12).map(" ".join)


@given(shapes)
def test_numbers_of_squares(shape: BoardShape) -> None:
    last = shape.squares // 2
    squares = [numbered_square(number, shape) for number in range(1, last + 1)]
    assert (
        squares
        == sorted(squares)
        == [one for one in range(shape.squares) if sum(divmod(one, shape.columns)) % 2]
    )
    assert [square_number(square, shape) for square in squares] == list(range(1, last + 1))
    with pytest.raises(InvalidMoveError, match=f"squares are 1 to {last}"):
        numbered_square(last + 1, shape)
    for square in (0, -1, shape.squares, shape.squares + 1):
        with pytest.raises(ValueError, match="not a dark square"):
            square_number(square, shape)


@given(checkers_positions)
def test_positions_read_back(position: checkers.Position) -> None:
    for text in (position.text(), str(position), f" {position.text().lower()} . "):
        assert checkers.Position.parse(text, position.game) == position
    game = position.game
    assert eval_repr(repr(position), game) == position


def eval_repr(text: str, game: str) -> checkers.Position:
    """Return the position of `Position.parse('TEXT', 'GAME')`, which a user could paste."""
    assert text.startswith("Position.parse('")
    assert (f", '{game}')" in text) == (game != "checkers")
    return checkers.Position.parse(text.split("'")[1], game)


@given(checkers_positions)
def test_moves_read_back(position: checkers.Position) -> None:
    for move in position.legal_moves:
        assert checkers.Move.parse(str(move), position.shape) == move
        assert position.parse_move(str(move)) == move
        assert position.parse_move(str(move).replace("x", " X ")) == move
        assert checkers.Move.from_code(move.code(position.shape), position.shape) == move
        assert move.turned().turned() == move
        short = position.short_text(move)
        assert position.parse_move(short) == move
        assert len(short) <= len(str(move))
    codes = [move.code(position.shape) for move in position.legal_moves]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot read '' as a move"),
        ("11", "cannot read '11' as a move"),
        ("33-1", "no square 33 on 8x8: squares are 1 to 32"),
        ("11-0", "no square 0"),
        ("11-32", "no piece moves along the squares 11, 32"),
        ("1-6-9", "no piece moves along the squares 1, 6, 9"),
        ("1-6-15", "no piece moves"),
        ("11-15-", "cannot read"),
        ("11–15", "cannot read"),
        ("1１-15", "cannot read"),
    ],
)
def test_moves_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(InvalidMoveError, match=message):
        checkers.Move.parse(text)


@pytest.mark.parametrize(
    "code", [-1, 0, 1, 2**44, 2**63, 5 << 37, (1 << 37) | 17, (2 << 37) | 3 << 35]
)
def test_codes_that_are_no_moves(code: int) -> None:
    with pytest.raises(InvalidMoveError, match="not a move code"):
        checkers.Move.from_code(code)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "printed board"),
        ("B:W1", "cannot read the position"),
        ("B:W1:W2", "cannot read the position"),
        ("X:W1:B2", "cannot read the position"),
        ("B:W33:B1", "no square 33"),
        ("B:W18,18:B1", "square 18 holds more than one piece"),
        ("B:W18:B18", "square 18 holds more than one piece"),
        ("B:W1x:B2", "cannot read '1x' as a piece"),
        ("B:W20-18:B2", "the squares 20-18 run backwards"),
        ("B:WK281-12:B2", "the squares 281-12 run backwards"),
        ("B:W2:B1", "square 2 holds a white man on the last row: it must be a king"),
        ("B:W1-32:B", "last row|at most 12"),
        ("B:" + "W" * 3000, "at most 2,000"),
        ("b b\nBlack to move", "the board has 1 row, not 8"),
        (
            "\n".join(["........"] * 7 + [".b......", "White to move"]),
            "row 8, column 2 is a light square and holds 'b'",
        ),
        ("\n".join(["........"] * 7 + ["......", "White to move"]), "cannot read row 8"),
        ("\n".join(["........"] * 8), "printed board"),
    ],
)
def test_positions_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(InvalidMoveError, match=message):
        checkers.Position.parse(text)


def test_other_forms_of_positions() -> None:
    assert checkers.Position.parse("B:W21-32:B1-12.") == checkers.Position()
    assert checkers.Position.parse("b:b1-12:w21-32") == checkers.Position()
    counted = checkers.Position.parse("W:W18,K24:B1:H7:F12")
    assert (counted.quiet_plies, counted.ply) == (7, 23)


@given(NAMES.flatmap(checkers_games))
def test_games_read_back(game: checkers.Game) -> None:
    name = game.start.game
    assert checkers.Game.from_transcript(str(game), name) == game
    long = " ".join(map(str, game.moves))
    assert checkers.Game.from_transcript(long, name) == game


@FUZZ
@given(st.one_of(SOUP, WORDS))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    readers = (
        checkers.Move.parse,
        checkers.Position.parse,
        checkers.Position().parse_move,
        checkers.Game.from_transcript,
    )
    for reader in readers:
        try:
            value = reader(text)
        except (InvalidMoveError, IllegalMoveError) as error:
            message = str(error)
        else:
            message = "read"
            if isinstance(value, checkers.Position):
                assert checkers.Position.parse(value.text()) == value
            elif isinstance(value, checkers.Game):
                assert checkers.Game.from_transcript(str(value)) == value
            else:
                assert checkers.Move.parse(str(value)) == value
        assert 0 < len(message) < 1500


def test_a_piece_on_a_light_square_is_named_by_its_place() -> None:
    rules = game_rules("checkers")
    black, *rest = rules.start().row
    with pytest.raises(ValueError, match="row 1, column 1 is a light square and holds a piece"):
        rules.position_from_row((black | 1, *rest))
