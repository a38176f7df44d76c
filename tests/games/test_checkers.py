"""Checkers in Python: rules that have names, draws, records, pictures."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

import pytest
from game_strategies import checkers_positions
from hypothesis import given

from evoply import _native, checkers
from evoply.games import NO_DRAWS, DrawRules, drawing, squares_in
from evoply.protocols import Color, IllegalMoveError, InvalidMoveError, Outcome
from evoply.protocols import Position as AnyPosition

SVG = "{http://www.w3.org/2000/svg}"


def texts(position: checkers.Position) -> list[str]:
    return list(map(str, position.legal_moves))


@pytest.mark.parametrize(("game", "pieces"), [("checkers", 12), ("checkers-10", 15)])
def test_start(game: str, pieces: int) -> None:
    start = checkers.Position(game)
    assert start == checkers.CHECKERS[game].start()
    assert start.pieces(Color.BLACK) == start.pieces(Color.WHITE) == pieces
    assert start.black == min(start.own, start.opponent)
    assert start.kings == start.king_count(Color.BLACK) == 0
    assert start.mobility() == start.mobility(Color.WHITE) == len(start.legal_moves)
    assert start.colors_exchanged().colors_exchanged() == start
    assert start.colors_exchanged().black == start.black


def test_moves_from_the_start_have_their_usual_names() -> None:
    assert texts(checkers.Position()) == [
        "9-13",
        "9-14",
        "10-14",
        "10-15",
        "11-15",
        "11-16",
        "12-16",
    ]
    assert len(checkers.Position("checkers-10").legal_moves) == 9


def test_capture_is_compulsory_and_goes_on_as_far_as_it_can() -> None:
    position = checkers.Position.parse("B:W18,26,19:B15,1")
    assert texts(position) == ["15x22x31", "15x24"]
    with pytest.raises(IllegalMoveError, match="capture is compulsory") as caught:
        position.play("1-5")
    assert position.text() in str(caught.value)
    with pytest.raises(IllegalMoveError):
        position.play(checkers.Move.parse("15x22"))
    after = position.play("15x31")
    assert after.text() == "W:W19:B1,K31"


def test_crowning_ends_the_move() -> None:
    # A king on 31 could jump on over 27; the man that has just arrived may not.
    position = checkers.Position.parse("B:W26,27:B22")
    assert texts(position) == ["22x31"]
    assert position.play("22x31").text() == "W:W27:BK31"
    king = checkers.Position.parse("B:W26,27:BK22")
    assert texts(king) == ["22x31x24"]


def test_a_piece_is_jumped_once_and_leaves_at_the_end() -> None:
    # The king goes round four men and comes back to its square, either way.
    position = checkers.Position.parse("B:W6,7,14,15:BK2")
    assert texts(position) == ["2x9x18x11x2", "2x11x18x9x2"]
    assert position.play(position.legal_moves[0]).text() == "W:W:BK2"
    # Both ways take the same men, so it does not matter which one is meant.
    assert position.play("2x2") == position.play("2x9x18x2") == position.play("2x18x9x2")
    assert position.parse_move("2x18x9x2") == checkers.Move.parse("2x11x18x9x2")


def test_a_capture_that_takes_other_men_on_another_path_is_told_by_what_comes_later() -> None:
    start = "B:W14,15,22,23,32:B10,12"
    with pytest.raises(InvalidMoveError, match="10x17x26 or 10x19x26: write one of them"):
        checkers.Position.parse(start).parse_move("10x26")
    taken = {"23-19": "10x17x26", "22-18": "10x19x26"}
    for later, path in taken.items():
        assert str(checkers.Game.from_transcript(f"{start} 10x26 {later}").moves[0]) == path
    for later in ("", " 32-28", " 32-28 12-16", " 25-21"):  # both can be meant, or neither
        with pytest.raises(InvalidMoveError, match=r"move 1 \(10x26\).*10x17x26 or 10x19x26"):
            checkers.Game.from_transcript(f"{start} 10x26{later}")


def test_jumps_that_are_written_one_by_one() -> None:
    start = "B:W11,19,27,13:B7"
    for text in ("7x16 16x23 23x32", "7x16 1. 16x23 {on} 23x32", "0716 1623 2332", "7:16 16:23x32"):
        game = checkers.Game.from_transcript(f"{start} {text} 13-9")
        assert str(game.moves[0]) == "7x16x23x32"
        assert len(game) == 2
    with pytest.raises(IllegalMoveError, match=r"move 1 \(7x16x23\).*this capture goes on"):
        checkers.Game.from_transcript(f"{start} 7x16 16x23 13-9")
    round_trip = checkers.Game.from_transcript("B:W6,7,14,15:BK2 2x9 9x18 18x11 11x2")
    assert str(round_trip.moves[0]) == "2x9x18x11x2"


def test_a_move_without_a_sign() -> None:
    position = checkers.Position()
    assert str(position.parse_move("1115")) == "11-15"
    assert str(position.parse_move("0913")) == str(position.parse_move("913")) == "9-13"
    assert str(checkers.Position.parse("B:W19,27:BK15").parse_move("1531")) == "15x24x31"
    with pytest.raises(IllegalMoveError, match="illegal move 1116 for White"):
        checkers.Position().play("11-15").parse_move("1116")
    with pytest.raises(IllegalMoveError, match=r"1116 .*a capture is compulsory"):
        checkers.Position.parse("B:W19,27:BK15").parse_move("1116")


def test_men_step_and_jump_forward_only_and_kings_both_ways() -> None:
    assert texts(checkers.Position.parse("B:W6:B10")) == ["10-14", "10-15"]
    assert texts(checkers.Position.parse("B:W32:BK10")) == ["10-6", "10-7", "10-14", "10-15"]
    assert texts(checkers.Position.parse("W:W23:B1")) == ["23-18", "23-19"]


def test_a_side_that_cannot_move_loses_or_wins() -> None:
    blocked = "B:W5,9,14:B1"
    assert checkers.Position.parse("B:W5,6,9,10:B1").outcome() == Outcome(Color.WHITE, -3)
    assert checkers.Position.parse("B:W5,6,9,10:B1", "lose-checkers").outcome() == Outcome(
        Color.BLACK, -3
    )
    assert checkers.Position.parse("W:W:B1").outcome() == Outcome(Color.BLACK, 1)
    assert checkers.Position.parse("W:W:B1", "lose-checkers").outcome() == Outcome(Color.WHITE, 1)
    assert checkers.Position.parse(blocked).outcome() is None


def test_clock_counts_the_pieces_that_are_gone() -> None:
    assert checkers.Position("checkers-10").clock == 0
    assert checkers.Position.parse("B:W32:B1").clock == pytest.approx(22 / 24)


def test_quiet_plies_count_kings_steps_only() -> None:
    position = checkers.Position.parse("B:W32,25:BK1,12").play("1-6")
    assert position.quiet_plies == 1
    assert position.play("32-27").quiet_plies == 0
    position = checkers.Position.parse("B:W19:BK15,K1")
    assert position.play("15x24").quiet_plies == 0


@given(checkers_positions)
def test_mobility_and_destinations_agree_with_the_legal_moves(position: checkers.Position) -> None:
    moves = position.legal_moves
    assert position.mobility() == len(moves)
    ends = _native.destinations(position.game, position.row, position.row[3])
    assert sorted({move.path[-1] for move in moves}) == list(squares_in(ends))
    captures = {move.is_capture for move in moves}
    assert len(captures) <= 1
    for move in moves:
        after = position.play(move)
        assert after.pieces(after.turn) == position.pieces(after.turn) - len(move.captured)
        assert after.pieces(position.turn) == position.pieces(position.turn)
        assert after.quiet_plies in (0, position.quiet_plies + 1)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"black": 1, "white": 0}, "light square"),
        ({"black": 2, "white": 2}, "square 1 holds a black and a white piece"),
        ({"black": 2, "kings": 8}, "square 2 holds no piece, so it cannot hold a king"),
        ({"black": 1 << 56}, "square 29 holds a black man on the last row"),
        ({"white": 2}, "square 1 holds a white man on the last row"),
        ({"black": 1 << 64}, "outside the board of 8x8"),
        ({"black": -1}, "outside the board of 8x8"),
        ({"black": 0x55AA55AA}, "Black has 16 pieces: at most 12"),
        ({"ply": -1}, "ply must be"),
        ({"quiet_plies": 2**40}, "quiet_plies must be"),
    ],
)
def test_impossible_positions_are_refused(keywords: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        checkers.Position(**keywords)  # type: ignore[arg-type]


def test_unknown_games_are_refused() -> None:
    with pytest.raises(ValueError, match="checkers, lose-checkers, checkers-10"):
        checkers.Position("chess")
    with pytest.raises(ValueError, match="unknown game"):
        _native.legal_moves("chess", checkers.Position().row)
    with pytest.raises(ValueError, match="neither kings nor quiet plies"):
        _native.legal_moves("othello", (1, 2, 1, True, 0, 0))
    with pytest.raises(ValueError, match="no position of checkers"):
        _native.legal_moves("checkers", (2, 2, 0, True, 0, 0))
    with pytest.raises(ValueError, match="no legal move"):
        _native.row_after("checkers", checkers.Position().row, 5)


SHORT = ("1-6", "32-27", "6-1", "27-32")
LONG = ("1-6", "32-27", "6-10", "27-23", "10-6", "23-27", "6-1", "27-32")


def shuffled(rules: DrawRules, plies: int, moves: Sequence[str] = SHORT) -> checkers.Game:
    """Play kings to and fro from far corners."""
    game = checkers.Game(checkers.Position.parse("B:WK32:BK1"), draws=rules)
    for ply in range(plies):
        game = game.play(moves[ply % len(moves)])
    return game


def test_draw_by_repetition() -> None:
    assert shuffled(DrawRules(), 7).outcome() is None
    game = shuffled(DrawRules(), 8)
    assert game.outcome() == Outcome(None, 0)
    assert game.draw_reason() == "the position occurred 3 times"
    with pytest.raises(IllegalMoveError, match="the game is a draw: the position occurred 3 times"):
        game.play("1-6")
    with pytest.raises(IllegalMoveError, match=r"ply 9: .*is a draw"):
        checkers.Game(game.start, (*game.moves, game.moves[0]))
    assert shuffled(DrawRules(repetitions=2), 4).outcome() == Outcome(None, 0)
    # However long it is quiet, boards are counted.
    assert shuffled(DrawRules(), 9, LONG).outcome() is None
    assert shuffled(DrawRules(), 10, LONG).draw_reason() == "the position occurred 3 times"


def test_draw_by_quiet_plies_and_cap_and_no_draw() -> None:
    quiet = DrawRules(repetitions=None)
    assert shuffled(quiet, 79).outcome() is None
    assert shuffled(quiet, 80).draw_reason() == "80 plies without a capture or a move of a man"
    cap = DrawRules(quiet_plies=None, repetitions=None)
    assert shuffled(cap, 299).outcome() is None
    assert shuffled(cap, 300).draw_reason() == "300 plies played"
    assert shuffled(NO_DRAWS, 400).outcome() is None


def test_a_decided_board_is_no_draw() -> None:
    start = checkers.Position.parse("B:W15:BK10", "checkers")
    game = checkers.Game(start, draws=DrawRules(max_plies=1)).play("10x19")
    assert game.outcome() == Outcome(Color.BLACK, 1)
    assert game.draw_reason() is None


@pytest.mark.parametrize(
    ("name", "least"), [("quiet_plies", 1), ("repetitions", 2), ("max_plies", 1)]
)
def test_rules_about_draws_are_checked(name: str, least: int) -> None:
    assert DrawRules(**{name: least}) != DrawRules()
    with pytest.raises(ValueError, match=f"{name} must be at least {least}, or None, and is 0"):
        DrawRules(**{name: 0})


def test_records() -> None:
    game = checkers.Game.from_transcript("1. 11-15 22-18 2. 15x22 {takes} 25x18 (26x17 9-13) *")
    assert str(game) == game.transcript() == "11-15 22-18 15x22 25x18"
    assert len(game) == 4
    assert checkers.Game.from_transcript("W:W18:B14,1 18x9") == checkers.Game(
        checkers.Position.parse("W:W18:B14,1"), (checkers.Move.parse("18x9"),)
    )
    assert game != checkers.Game(game.start, game.moves, NO_DRAWS)
    with pytest.raises(IllegalMoveError, match=r"move 2 \(15-18\) at column 7: illegal move"):
        checkers.Game.from_transcript("11-15 15-18")
    with pytest.raises(InvalidMoveError, match="'11-15' at column 5 follows the result"):
        checkers.Game.from_transcript("1-0 11-15")
    with pytest.raises(
        InvalidMoveError, match="in the position at column 2: there is no square 99"
    ):
        checkers.Game.from_transcript(" W:W18:B99 18x9")
    with pytest.raises(InvalidMoveError, match=r"PDN, which evoply\.games\.formats\.pdn reads"):
        checkers.Game.from_transcript('11-15 [Event "x"]')


def test_a_position_fits_the_contract() -> None:
    position: AnyPosition = checkers.Position()  # type: ignore[assignment]
    assert isinstance(checkers.Position().legal_moves, checkers.LegalMoves)
    assert position.game == "checkers"


@given(checkers_positions)
def test_every_piece_is_drawn(position: checkers.Position) -> None:
    root = ET.fromstring(position._repr_svg_())
    circles = list(root.iter(f"{SVG}circle"))
    for color, fill in ((Color.BLACK, "#14191c"), (Color.WHITE, "#f7f7f2")):
        drawn = [c for c in circles if c.get("r") == f"{0.38 * 44:g}" and c.get("fill") == fill]
        assert len(drawn) == position.pieces(color)
    crowns = [path for path in root.iter(f"{SVG}path") if path.get("transform")]
    assert len(crowns) == position.kings.bit_count()
    rings = [c for c in circles if c.get("r") == "6"]
    assert len(rings) == len({move.path[-1] for move in position.legal_moves})
    numbers = {text.text for text in root.iter(f"{SVG}text")}
    assert {str(n) for n in range(1, position.shape.squares // 2 + 1)} <= numbers


def test_the_last_move_is_drawn_as_a_path() -> None:
    position = checkers.Position.parse("B:W18,26:B15")
    move = position.parse_move("15x31")
    svg = drawing.board_svg(position.play(move), last_move=move)
    lines = list(ET.fromstring(svg).iter(f"{SVG}polyline"))
    assert [len((line.get("points") or "").split()) for line in lines] == [3]
    assert "Black wins" in svg
    assert "x31</td>" in checkers.Game(position, (move,))._repr_html_()
    assert "Draw: the position" in shuffled(DrawRules(), 8)._repr_html_()
