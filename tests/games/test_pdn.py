"""PDN: what is written is read back, and what cannot be read is named with its place."""

import io
import os
import re
import string
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from game_strategies import checkers_games
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import checkers, othello
from evoply.games import NO_DRAWS, DrawRules
from evoply.games.formats import GamePlayed, Refused, pdn
from evoply.protocols import Color, Ending, GameRecord, IllegalMoveError, InvalidMoveError

FUZZ = settings(deadline=None, max_examples=20_000 if "EVOPLY_LONG" in os.environ else 300)
TESTDATA = Path(__file__).parents[2] / "testdata"
NAMES = st.sampled_from(sorted(checkers.CHECKERS))


def parse_pdn(text: str, game: str = "checkers") -> tuple[GamePlayed, ...]:
    return tuple(pdn.read(text, game))


def format_pdn(*games: GamePlayed | GameRecord) -> str:
    return "".join(pdn.write(games))


@given(NAMES.flatmap(checkers_games))
def test_games_read_back(game: checkers.Game) -> None:
    (played,) = parse_pdn(format_pdn(game))
    assert played == GamePlayed.of(game)
    assert played.record.draws == game.draws  # type: ignore[attr-defined]


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
def test_files_read_back(games: list[tuple[checkers.Game, dict[str, str], DrawRules]]) -> None:
    records = []
    for game, tags, draws in games:
        # Fewer moves than the tightest rule about draws can end.
        played = checkers.Game(game.start, game.moves[:49], draws)
        known = {tag: value for tag, value in tags.items() if value.strip("?.")}
        names = {tag.lower(): known.pop(tag) for tag in ("Black", "White") if tag in known}
        records.append(GamePlayed.of(played, tags=known, **names))
    text = format_pdn(*records)
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
    assert (one.black, one.white, one.tags) == ("?", 'A "B" C', {"Event": "One"})
    assert one.record.transcript() == "11-15 23-19 8-11 22-17 11-16"
    # An asterisk says nothing, so the tag does.
    assert (one.result, one.winner, one.ending) == ("0-1", Color.WHITE, Ending.STATED)
    assert one.record.draws == NO_DRAWS  # type: ignore[attr-defined]
    assert two.record.transcript() == "27x2"
    assert two.record.start.text() == "W:W27,32:B6,14,23"
    # White took everything: in American checkers Black moves first, so that is 0-1.
    assert (two.result, two.winner, two.ending) == ("0-1", Color.WHITE, Ending.BOARD)
    assert two.tags == {"Event": "Two"}
    (stated,) = parse_pdn("11-15 1-0")
    assert (stated.winner, stated.ending, stated.tags) == (Color.BLACK, Ending.STATED, {})
    assert stated.in_words() == "? wins as Black, as the file states"
    assert (three.record.transcript(), three.result) == ("11-15", "1/2-1/2")
    assert (three.winner, three.ending, three.tags) == (None, Ending.STATED, {})
    (without,) = parse_pdn('[Result "1-0"]')
    assert (len(without.record), without.result) == (0, "1-0")
    assert parse_pdn("") == parse_pdn(" {nothing} ") == ()
    assert parse_pdn("11-15", game="lose-checkers")[0].record.start.game == "lose-checkers"


def test_the_winner_is_who_is_left_on_the_board() -> None:
    """The results of the file are by hand: the first figure is that of Black, who moves first."""
    text = (TESTDATA / "pdn" / "english.pdn").read_text()
    games = parse_pdn(text)
    assert len(games) == 4
    for game in games:
        mine, others = (game.record.position.pieces(color) for color in Color)
        is_black = (mine > others) is (game.record.start.game == "checkers")
        assert game.winner is (Color.BLACK if is_black else Color.WHITE)
        assert (game.ending, game.doubts) == (Ending.BOARD, ())
        assert "Result" not in game.tags
    again = format_pdn(*games)
    assert re.findall('Result "(.*)"', again) == ["1-0", "0-1", "0-1", "1-0"]
    # The same games with their results exchanged are doubtful, each at its place.
    exchanged = re.sub(r"(?<=[ \n\"])(1-0|0-1)", lambda result: result[0][::-1], text)
    doubted = parse_pdn(exchanged)
    assert [game.winner for game in doubted] == [game.winner for game in games]
    assert [len(game.doubts) for game in doubted] == [1] * 4
    assert doubted[0].doubts[0] == (
        "game 1 at line 2, column 1: the result 0-1 says that White won, and the board that Black "
        "won: the board decides"
    )


@pytest.mark.parametrize(
    ("text", "winner", "says"),
    [
        ('[Result "0-1"] 1. 11-15 1-0', Color.BLACK, "the tag Result says 0-1, and the text"),
        ('[Result "2-0"] 1. 11-15 1-0', Color.BLACK, ""),
        ('[Result "1-0"] 1. 11-15 *', Color.BLACK, ""),
        ('[Result "Red"] 1. 11-15 *', None, "the tag Result says 'Red', which is no result"),
        ('[Result "?"] 1. 11-15', None, ""),
        ('[Black "A"][Black "A"] 1. 11-15 0-2', Color.WHITE, ""),
        ('[Black "A"][Black "B"] 0-1', Color.WHITE, "a second Black at line 1, column 12"),
        ('[FEN "W:W21:B1"][FEN "W:W22:B1"] 21-17 *', None, "says something else: the first dec"),
    ],
)
def test_two_statements_of_one_fact(text: str, winner: Color | None, says: str) -> None:
    (game,) = parse_pdn(text)
    assert game.winner is winner
    assert says in " ".join(game.doubts)
    assert bool(game.doubts) is bool(says)


def test_what_is_not_known_is_no_draw() -> None:
    points = {}
    for result in ("*", "1/2-1/2", "1-1", "0-0", "1-0", "0-2"):
        (game,) = parse_pdn(f"1. 11-15 {result}")
        data = game.to_dict()["result"]
        points[result] = (*data["points"].values(), data["ending"])
        assert GamePlayed.from_dict(game.to_dict()) == game
        assert parse_pdn(format_pdn(game)) == (game,)
        assert game.result == result
    assert points == {
        "*": (None, None, None),
        "1/2-1/2": (0.5, 0.5, "stated"),
        "1-1": (0.5, 0.5, "stated"),
        "0-0": (0.0, 0.0, "stated"),
        "1-0": (1.0, 0.0, "stated"),
        "0-2": (0.0, 1.0, "stated"),
    }
    words = {result: parse_pdn(f"11-15 {result}")[0].in_words() for result in points}
    assert words["*"] == "not over after 1 ply"
    assert words["0-0"] == "lost by both sides, as the file states"
    assert words["1-1"] == "a draw, as the file states"


def test_captures_in_the_words_of_other_programs() -> None:
    text = '[SetUp "1"][FEN "B:W11,19,27,13:B7"] 1. 7x16 16x23 23x32 13-9 *'
    assert parse_pdn(text)[0].record.transcript() == "7x32 13-9"
    assert parse_pdn("1. 1115 2319 2. 0811 *")[0].record.transcript() == "11-15 23-19 8-11"
    windmill = '[FEN "W:WK2:B6,7,14,15"] 1... 2x2 *'
    assert parse_pdn(windmill)[0].record.position.text() == "B:WK2:B"
    either = '[FEN "B:W14,15,22,23,32:B10,12"] 1. 10x26 23-19 *'
    assert str(parse_pdn(either)[0].record.moves[0]) == "10x17x26"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "1. 11-15\n22-19",
            IllegalMoveError,
            r"game 1 at .*: move 2 \(22-19\) at line 2, column 1: ill",
        ),
        ("* 1. 11-99", InvalidMoveError, r"game 2 .* \(11-99\) at line 1, column 6.*square 99"),
        ("1. 11-15 {open", InvalidMoveError, "the comment at line 1, column 10 is not closed"),
        ("1. 11-15 (22-18", InvalidMoveError, "the variation at line 1, column 10 is not closed"),
        ("1. 11-15 )", InvalidMoveError, r"'\)' at line 1, column 10 closes nothing"),
        ("(" * 200, InvalidMoveError, "more than 100 deep"),
        ("1. e4 e5", InvalidMoveError, "cannot read 'e4' at line 1, column 4"),
        ("1. c3-d4 *", InvalidMoveError, "with letters are those of other kinds of draughts"),
        ('[Event "x]', InvalidMoveError, r"cannot read the tag .* at line 1, column 1: write \[Na"),
        ('[GameType "20"] *', InvalidMoveError, "of type '20', international draughts; this reads"),
        ('[GameType "25,W,8,8,A0"] *', InvalidMoveError, "of type '25', Russian draughts; this"),
        ('[GameType "77"] *', InvalidMoveError, "of type '77'; this reads American checkers"),
        ('[GameType "21,W,8,8,N1"] *', InvalidMoveError, "of a type in which White moves first"),
        (
            '[Variant "Suicide"] *',
            InvalidMoveError,
            "of the variant 'Suicide'; this reads checkers",
        ),
        ('[FEN "B:W99:B1"] *', InvalidMoveError, "in the tags at line 1, .*no square 99"),
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
    start = checkers.Position.parse("W:WK30:BK3:H79:F9")
    game = checkers.Game(start).play("30-25")
    assert game.outcome() is not None
    text = format_pdn(game)
    assert '[FEN "W:WK30:BK3:H79:F9"]' in text
    (record,) = parse_pdn(text)
    assert record.record.start.row == start.row
    assert record.record.draw_reason() == game.draw_reason()
    later = checkers.Game(checkers.Position(ply=2**31 - 2, quiet_plies=2**31 - 1), draws=NO_DRAWS)
    assert parse_pdn(format_pdn(later))[0].record.start.row == later.start.row


def test_what_a_tag_cannot_hold_is_left_out() -> None:
    tags = {"a b": "x", "FEN": "y", "Event": "one\ntwo\x00", "Long": "z" * 2000}
    (played,) = parse_pdn(format_pdn(GamePlayed.of(checkers.Game(), tags=tags)))
    assert played.tags == {"Event": "one two", "Long": "z" * 1000}
    odd = GamePlayed.of(checkers.Game(), result="who knows")
    assert parse_pdn(format_pdn(odd))[0].result == "*"


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="PDN holds games of checkers, not of othello-6"):
        format_pdn(othello.OTHELLO["othello-6"].record())


@FUZZ
@given(st.data())
def test_damaged_games_are_read_or_refused(data: st.DataObject) -> None:
    text = format_pdn(
        checkers.Game.from_transcript("11-15 22-18 15x22 25x18 12-16 29-25 9-13 18-14 10x17")
    )
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        text = text[:place] + data.draw(st.text(string.printable, max_size=3)) + text[place + cut :]
    records: tuple[GamePlayed, ...] = ()
    message = "game 1"
    try:
        records = parse_pdn(text)
    except (InvalidMoveError, IllegalMoveError) as error:
        message = str(error)
    assert message.startswith("game ")
    assert parse_pdn(format_pdn(*records)) == records


def test_what_is_read_from_a_file_is_written_again() -> None:
    """One game or several: a tuple of records was refused."""
    text = "1. 11-15 22-18 1-0\n\n" + '[Black "Ann"]\n\n1. 9-13 *\n\n1. 10-14 24-19 1/2-1/2\n'
    records = parse_pdn(text)
    assert len(records) == 3
    assert parse_pdn(format_pdn(*records)) == records
    assert format_pdn() == ""


def test_one_bad_game_does_not_hide_the_others() -> None:
    bad = '[Event "bad"]\n\n1. 11-15 {[x]} 22-99 2. 8-11 *\n'
    good = format_pdn(checkers.Game.from_transcript("11-15 23-19"))
    refused: list[Refused] = []
    games = list(pdn.read("\n".join([good, bad, good, bad, good]), on_refused=refused.append))
    assert [game.record.transcript() for game in games] == ["11-15 23-19"] * 3
    assert [one.number for one in refused] == [2, 4]
    assert refused[0].place == "game 2 at line 14, column 1"
    assert "move 2 (22-99) at line 16, column 16" in refused[0].reason


def test_a_long_file_takes_little_memory() -> None:
    class Endless(io.RawIOBase):
        """Games without end, and how much of them was asked for."""

        def __init__(self) -> None:
            self.given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            text = format_pdn(checkers.Game.from_transcript("11-15 23-19")).encode() + b"\n"
            begin = self.given % len(text)
            part = (text * (len(buffer) // len(text) + 2))[begin : begin + len(buffer)]
            buffer[:] = part
            self.given += len(part)
            return len(part)

    source = Endless()
    games = pdn.read(io.BufferedReader(source))
    tracemalloc.start()
    for _, game in zip(range(1_500), games, strict=False):
        assert len(game.record) == 2
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert source.given > 250_000
    assert most < 3_000_000
