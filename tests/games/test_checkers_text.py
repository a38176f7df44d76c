"""Text of checkers: moves, positions, transcripts, PDN. What is written is read back."""

import os
import string

import pytest
from game_strategies import checkers_games, checkers_positions
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply.games.checkers import CHECKERS, NO_DRAWS, DrawRules, Game, Move, Position
from evoply.games.pdn import PdnGame, format_pdn, parse_pdn
from evoply.games.squares import numbered_square, square_number
from evoply.protocols import IllegalMoveError, InvalidMoveError

FUZZ = settings(deadline=None, max_examples=20_000 if "EVOPLY_LONG" in os.environ else 300)
NAMES = st.sampled_from(sorted(CHECKERS))
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


@pytest.mark.parametrize("size", [8, 10])
def test_numbers_of_squares(size: int) -> None:
    squares = [numbered_square(number, size) for number in range(1, size * size // 2 + 1)]
    assert squares == sorted(squares)
    assert [square_number(square, size) for square in squares] == list(
        range(1, size * size // 2 + 1)
    )
    assert squares[0] == 1
    with pytest.raises(InvalidMoveError, match=f"squares are 1 to {size * size // 2}"):
        numbered_square(size * size // 2 + 1, size)
    with pytest.raises(ValueError, match="no dark square"):
        square_number(0, size)


@given(checkers_positions)
def test_positions_read_back(position: Position) -> None:
    for text in (position.text(), str(position), f" {position.text().lower()} . "):
        assert Position.parse(text, position.game) == position
    game = position.game
    assert eval_repr(repr(position), game) == position


def eval_repr(text: str, game: str) -> Position:
    """Return the position of `Position.parse('TEXT', 'GAME')`, which a user could paste."""
    assert text.startswith("Position.parse('")
    assert (f", '{game}')" in text) == (game != "checkers")
    return Position.parse(text.split("'")[1], game)


@given(checkers_positions)
def test_moves_read_back(position: Position) -> None:
    for move in position.legal_moves:
        assert Move.parse(str(move), position.size) == move
        assert position.parse_move(str(move)) == move
        assert position.parse_move(str(move).replace("x", " X ")) == move
        assert Move.from_code(move.code(position.size), position.size) == move
        assert move.turned().turned() == move
        short = position.short_text(move)
        assert position.parse_move(short) == move
        assert len(short) <= len(str(move))
    codes = [move.code(position.size) for move in position.legal_moves]
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
        Move.parse(text)


@pytest.mark.parametrize(
    "code", [-1, 0, 1, 2**44, 2**63, 5 << 37, (1 << 37) | 17, (2 << 37) | 3 << 35]
)
def test_codes_that_are_no_moves(code: int) -> None:
    with pytest.raises(InvalidMoveError, match="not a move code"):
        Move.from_code(code)


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
        Position.parse(text)


def test_other_forms_of_positions() -> None:
    assert Position.parse("B:W21-32:B1-12.") == Position()
    assert Position.parse("b:b1-12:w21-32") == Position()
    counted = Position.parse("W:W18,K24:B1:H7:F12")
    assert (counted.quiet_plies, counted.ply) == (7, 23)


@given(NAMES.flatmap(checkers_games))
def test_games_read_back(game: Game) -> None:
    name = game.start.game
    assert Game.from_transcript(str(game), name) == game
    long = " ".join(map(str, game.moves))
    assert Game.from_transcript(long, name) == game
    (record,) = parse_pdn(format_pdn(game))
    assert record == PdnGame(game)
    assert record.game.draws == game.draws


TAGS = st.dictionaries(
    st.sampled_from(["Event", "Black", "White", "Date", "Annotator", "X_1"]),
    st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=20),
    max_size=4,
)
DRAWS = st.builds(
    DrawRules,
    st.none() | st.integers(50, 100),
    st.none() | st.integers(4, 9),
    st.none() | st.integers(200, 999),
)


@given(st.lists(st.tuples(NAMES.flatmap(checkers_games), TAGS, DRAWS), max_size=3))
def test_files_read_back(games: list[tuple[Game, dict[str, str], DrawRules]]) -> None:
    records = []
    for game, tags, draws in games:
        # Fewer moves than the tightest rule about draws can end.
        played = Game(game.start, game.moves[:49], draws)
        records.append(PdnGame(played, {tag: v for tag, v in tags.items() if v.strip("?.")}))
    text = "\n".join(map(str, records))
    assert all(len(line) <= 79 or line.startswith("[") for line in text.splitlines())
    assert parse_pdn(text) == tuple(records)
    assert parse_pdn(text.replace("\n", "\r\n")) == tuple(records)


FILE = """\
% a file
[Event "One"] ; the first
[White "A \\"B\\" C"]
[Result "0-1"]

1. 11-15 {a good {move} 23-19! $3 2. 8-11 (2. 9-14 {or ) so} 22-17 (22-18)) 22-17 ; 3. nonsense
3. 11-16 *
[Event "Two"]
[SetUp "1"] [FEN "W:W27,32:B6,14,23"]
1... 27x18x9x2 0-1
11-15 1/2-1/2
"""


def test_a_file_with_everything() -> None:
    one, two, three = parse_pdn(FILE)
    assert dict(one.tags) == {"Event": "One", "White": 'A "B" C'}
    assert one.game.transcript() == "11-15 23-19 8-11 22-17 11-16"
    assert one.result == "*"
    assert one.game.draws == NO_DRAWS
    assert two.game.transcript() == "27x2"
    assert two.game.start.text() == "W:W27,32:B6,14,23"
    assert two.result == "0-1"
    assert (three.game.transcript(), three.result, dict(three.tags)) == ("11-15", "1/2-1/2", {})
    (without,) = parse_pdn('[Result "1-0"]')
    assert (len(without.game), without.result) == (0, "1-0")
    assert parse_pdn("") == parse_pdn(" {nothing} ") == ()
    assert parse_pdn("11-15", game="lose-checkers")[0].game.start.game == "lose-checkers"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("1. 11-15\n22-19", IllegalMoveError, r"game 1: move 2 \(22-19\) at line 2, column 1: ill"),
        ("* 1. 11-99", InvalidMoveError, r"game 2: move 1 \(11-99\) at column 6.*no square 99"),
        ("1. 11-15 {open", InvalidMoveError, "the comment at column 10 is not closed"),
        ("1. 11-15 (22-18", InvalidMoveError, "the variation at column 10 is not closed"),
        ("1. 11-15 )", InvalidMoveError, r"'\)' at column 10 closes nothing"),
        ("(" * 200, InvalidMoveError, "more than 100 deep"),
        ("1. e4 e5", InvalidMoveError, "cannot read 'e4' at column 4"),
        ('[Event "x]', InvalidMoveError, r'cannot read the tag .* at column 1: write \[Name "val'),
        ('[Event "x"][Event "y"]', InvalidMoveError, "a second tag Event at column 12"),
        ('[GameType "20"] *', InvalidMoveError, "of type '20'; this reads American checkers"),
        ('[FEN "B:W99:B1"] *', InvalidMoveError, "in the tags at column 1: there is no square 99"),
        ('[FEN "B:W9:B1:F9999999999"] *', InvalidMoveError, "ply must be 0 to"),
        ('[DrawRules "x"] *', InvalidMoveError, "no rule about draws is called 'x'"),
        ('[DrawRules "max_plies=0"] *', InvalidMoveError, "max_plies must be at least 1"),
        ('[DrawRules "max_plies=1"] 11-15 22-18', IllegalMoveError, "move 2 .*1 plies played"),
        ('[E "' + "x" * 2000 + '"] *', InvalidMoveError, "at most 1,000 characters"),
        (" ".join(f'[T{n} "x"]' for n in range(101)), InvalidMoveError, "more than 100 tags"),
    ],
)
def test_files_that_cannot_be_read(text: str, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        parse_pdn(text)
    assert len(str(caught.value)) < 1000


def test_counters_of_the_start_are_written() -> None:
    start = Position.parse("W:WK30:BK3:H79:F9")
    game = Game(start).play("30-25")
    assert game.outcome() is not None
    text = format_pdn(game)
    assert '[FEN "W:WK30:BK3:H79:F9"]' in text
    (record,) = parse_pdn(text)
    assert record.game.start.row == start.row
    assert record.game.draw_reason() == game.draw_reason()
    later = Game(Position(ply=2**31 - 2, quiet_plies=2**31 - 1), draws=NO_DRAWS)
    assert parse_pdn(format_pdn(later))[0].game.start.row == later.start.row


def test_tags_and_results_that_cannot_be_written() -> None:
    for tags, result in (({"a b": ""}, "*"), ({"FEN": ""}, "*"), ({"Event": "\n"}, "*"), ({}, "2")):
        with pytest.raises(ValueError, match=r"tag|one line|not a result"):
            PdnGame(Game(), tags, result)


@FUZZ
@given(st.one_of(SOUP, WORDS))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    readers = (Move.parse, Position.parse, Position().parse_move, Game.from_transcript, parse_pdn)
    for reader in readers:
        try:
            value = reader(text)
        except (InvalidMoveError, IllegalMoveError) as error:
            message = str(error)
        else:
            message = "read"
            if isinstance(value, Position):
                assert Position.parse(value.text()) == value
            elif isinstance(value, Game):
                assert Game.from_transcript(str(value)) == value
            elif isinstance(value, Move):
                assert Move.parse(str(value)) == value
            else:
                assert len(parse_pdn("\n".join(map(format_pdn, value)))) == len(value)
        assert 0 < len(message) < 1500


@FUZZ
@given(st.data())
def test_damaged_games_are_read_or_refused(data: st.DataObject) -> None:
    text = format_pdn(Game.from_transcript("11-15 22-18 15x22 25x18 12-16 29-25 9-13 18-14 10x17"))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        text = text[:place] + data.draw(st.text(string.printable, max_size=3)) + text[place + cut :]
    records, message = (), "game 1"
    try:
        records = parse_pdn(text)
    except (InvalidMoveError, IllegalMoveError) as error:
        message = str(error)
    assert message.startswith("game ")
    assert parse_pdn("\n".join(map(str, records))) == records


def test_what_is_read_from_a_file_is_written_again() -> None:
    """One game or several: a tuple of records was refused."""
    text = "1. 11-15 22-18 1-0\n\n" + '[Black "Ann"]\n\n1. 9-13 *\n\n1. 10-14 24-19 1/2-1/2\n'
    records = parse_pdn(text)
    assert len(records) == 3
    assert parse_pdn(format_pdn(records)) == records
    assert format_pdn(records[:1]) == format_pdn(records[0])
    assert format_pdn([record.game for record in records[:1]]).startswith("[Event")
    assert format_pdn([]) == ""
