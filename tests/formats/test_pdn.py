"""PDN: what is written is read back, and what cannot be read is named with its place."""

import io
import os
import string
import tracemalloc
from typing import Any

import pytest
from game_strategies import checkers_games
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import checkers, othello
from evoply.formats import GamePlayed, Refused, pdn
from evoply.games import NO_DRAWS, DrawRules
from evoply.protocols import Color, Ending, GameRecord, IllegalMoveError, InvalidMoveError

FUZZ = settings(deadline=None, max_examples=20_000 if "EVOPLY_LONG" in os.environ else 300)
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
    assert (one.result, one.winner, one.ending) == ("*", None, None)
    assert one.record.draws == NO_DRAWS  # type: ignore[attr-defined]
    assert two.record.transcript() == "27x2"
    assert two.record.start.text() == "W:W27,32:B6,14,23"
    # The file says what it says; that White took everything says the board.
    assert (two.result, two.winner, two.ending) == ("0-1", Color.WHITE, Ending.BOARD)
    (gave_up,) = parse_pdn("11-15 1-0")
    assert (gave_up.winner, gave_up.ending, gave_up.tags) == (Color.WHITE, Ending.FORFEIT, {})
    assert (three.record.transcript(), three.result) == ("11-15", "1/2-1/2")
    assert three.tags == {"Result": "1/2-1/2"}
    (without,) = parse_pdn('[Result "1-0"]')
    assert (len(without.record), without.result) == (0, "1-0")
    assert parse_pdn("") == parse_pdn(" {nothing} ") == ()
    assert parse_pdn("11-15", game="lose-checkers")[0].record.start.game == "lose-checkers"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "1. 11-15\n22-19",
            IllegalMoveError,
            r"game 1 at .*: move 2 \(22-19\) at line 2, column 1: ill",
        ),
        (
            "* 1. 11-99",
            InvalidMoveError,
            r"game 2 .* \(11-99\) at line 1, column 6.*square 99",
        ),
        ("1. 11-15 {open", InvalidMoveError, "the comment at line 1, column 10 is not closed"),
        ("1. 11-15 (22-18", InvalidMoveError, "the variation at line 1, column 10 is not closed"),
        ("1. 11-15 )", InvalidMoveError, r"'\)' at line 1, column 10 closes nothing"),
        ("(" * 200, InvalidMoveError, "more than 100 deep"),
        ("1. e4 e5", InvalidMoveError, "cannot read 'e4' at line 1, column 4"),
        (
            '[Event "x]',
            InvalidMoveError,
            r"cannot read the tag .* at line 1, column 1: write \[Na",
        ),
        ('[Event "x"][Event "y"]', InvalidMoveError, "a second tag Event at line 1, column 12"),
        ('[GameType "20"] *', InvalidMoveError, "of type '20'; this reads American checkers"),
        (
            '[FEN "B:W99:B1"] *',
            InvalidMoveError,
            "in the tags at line 1, .*no square 99",
        ),
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
