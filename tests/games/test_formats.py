"""Every format: random games of all it can hold read back, and damaged files are refused."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence

import pytest
from game_strategies import CHOICES, played
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply._native import Stream
from evoply.games import GAMES, NO_DRAWS
from evoply.games.formats import (
    FORMATS,
    GamePlayed,
    Refused,
    convert,
    format_named,
    format_of_content,
    format_of_name,
    obf,
    transcript,
    wthor,
)
from evoply.protocols import IllegalMoveError, InvalidMoveError

LONG = "EVOPLY_LONG" in os.environ
INPUTS = 1_000_000 if LONG else 6_000
EXAMPLES = settings(deadline=None, max_examples=60 if LONG else 40)
SEED = 2004
HELD = {
    "transcript": tuple(GAMES),
    "ggf": tuple(name for name in GAMES if GAMES[name].format == "ggf"),
    "sgf": tuple(name for name in GAMES if GAMES[name].format == "ggf"),
    "wthor": ("othello",),
    "obf": tuple(name for name in GAMES if GAMES[name].solver),
    "pdn": tuple(name for name in GAMES if GAMES[name].format == "pdn"),
    "games": tuple(GAMES),
}
LINE = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=18).map(
    lambda text: " ".join(text.split()) or "?"
)
RESULTS = st.sampled_from(["", "*", "1-0", "0-1", "1/2-1/2"])


def written(name: str, games: Sequence[GamePlayed]) -> bytes:
    file = io.BytesIO()
    writer = FORMATS[name].writer(file)
    for game in games:
        writer.add(game)
    writer.close()
    return file.getvalue()


def read(name: str, content: bytes, game: str | None = None) -> list[GamePlayed]:
    source = io.BytesIO(content)
    return list(FORMATS[name].read(source, game, wthor.WthorNames(), None))


@st.composite
def games(draw: st.DrawFn, name: str) -> GamePlayed:
    """A game of *name*, from its start or a later position, with what a file may say about it."""
    rules = GAMES[name]
    record = played(rules, draw(CHOICES))
    if draw(st.booleans()):
        begin = draw(st.integers(0, len(record)))
        codes = [move.code(rules.shape) for move in record.moves[begin:]]
        record = rules.game(record.positions[begin], codes, NO_DRAWS)
    else:
        codes = [move.code(rules.shape) for move in record.moves]
        record = rules.game(record.start, codes, NO_DRAWS)
    tags = {
        tag: value
        for tag, value in draw(
            st.dictionaries(st.sampled_from(["Event", "Site", "Date", "Round"]), LINE, max_size=3)
        ).items()
        if value.strip("?.")
    }
    return GamePlayed.of(
        record, black=draw(LINE), white=draw(LINE), result=draw(RESULTS), tags=tags
    )


@pytest.mark.parametrize("format", ["pdn", "games", "ggf", "sgf", "transcript"])
@EXAMPLES
@given(st.data())
def test_random_games_read_back(format: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(HELD[format]))
    ours = data.draw(st.lists(games(name), max_size=3))
    again = read(format, written(format, ours), name)
    if format in ("pdn", "games"):
        assert again == ours
    for one, other in zip(ours, again, strict=True):
        assert other.record.start == one.record.start
        assert other.record.moves == one.record.moves
        assert other.record.position.outcome() == one.record.position.outcome()
        if format != "transcript":
            assert (other.black, other.white) == (one.black, one.white)
            assert other.winner is one.winner
            assert other.result == one.result
            assert {tag: other.tags[tag] for tag in one.tags} == one.tags
    # What has been through the format once is all that it holds.
    assert read(format, written(format, again), name) == again


@EXAMPLES
@given(st.lists(games("othello"), max_size=3))
def test_finished_games_read_back_from_wthor(ours: list[GamePlayed]) -> None:
    start = GAMES["othello"].start()
    held = [game for game in ours if game.record.start == start and game.result != "*"]
    file = io.BytesIO()
    players, events = wthor.write(held, file)
    names = wthor.WthorNames(wthor.read_names(players), wthor.read_names(events))
    again = list(wthor.read(file.getvalue(), names))
    for one, other in zip(held, again, strict=True):
        placed = [move for move in one.record.moves if not move.is_pass]
        assert [move for move in other.record.moves if not move.is_pass] == placed
        assert other.winner is one.winner
        for name, text in ((other.black, one.black), (other.white, one.white)):
            assert name == text.encode("latin-1", "replace")[:19].decode("latin-1").strip()
    file = io.BytesIO()
    wthor.write(again, file)
    assert list(wthor.read(file.getvalue(), names)) == again


@EXAMPLES
@given(st.data())
def test_positions_read_back_in_order(data: st.DataObject) -> None:
    ours = data.draw(games(data.draw(st.sampled_from(HELD["obf"]))))
    problems = obf.read(written("obf", [ours]))
    assert [problem.position for problem in problems] == list(ours.record.positions)


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_format_cannot_hold_is_refused(format: str) -> None:
    for name in set(GAMES) - set(HELD[format]):
        with pytest.raises(ValueError, match="holds"):
            written(format, [GamePlayed.of(GAMES[name].record())])


@pytest.mark.parametrize("format", FORMATS)
def test_the_content_says_the_format(format: str) -> None:
    game = played(GAMES[HELD[format][0]], [1] * 200)
    content = written(format, [GamePlayed.of(game, black="a", white="b")] * 2)
    assert format_of_content(content).name == format
    assert format_of_content(content[:100]).name == format
    ending = FORMATS[format].endings[0]
    assert format_of_name(f"some/Games{ending.upper()}") is FORMATS[format]
    assert format_of_name("games") is None


def test_unknown_formats_are_named() -> None:
    with pytest.raises(ValueError, match=r"unknown format 'pgn'.*transcript, ggf, sgf"):
        format_named("pgn")


def test_games_that_do_not_go_are_told_of_and_the_others_go() -> None:
    ours = [
        GamePlayed.of(GAMES[name].record(text))
        for name, text in (("othello", "f5d6"), ("checkers", "11-15"), ("othello", "f5"))
    ]
    source = io.BytesIO(written("games", ours).replace(b'"f5"]', b'"f4"]'))
    target = io.BytesIO()
    converted, beside = convert(source, target, read=FORMATS["games"], write=FORMATS["transcript"])
    assert target.getvalue() == b"f5d6\n11-15\n"
    assert (converted.games, converted.moves, beside) == (2, 3, {})
    (one,) = converted.refused
    assert (one.number, one.place) == (3, "line 3")
    source.seek(0)
    converted, _ = convert(source, io.BytesIO(), read=FORMATS["games"], write=FORMATS["pdn"])
    assert [(one.number, one.place) for one in converted.refused] == [(1, "game 1"), (3, "line 3")]
    assert "PDN holds games of checkers, not of othello" in converted.refused[0].reason


# Damaged files: one to three edits of a file of a few games.

CHARACTERS = '[]();/:*-+.,#% \n\t"\\{}0123456789abcdefghBWXOPAKE\x00é×'
WORDS = (
    *("(;", ";)", "[", "]", "B[f5]", "W[PA]", "B[pass/1.2/3]", "GM[Chess]", "TY[10]", "TY[99]"),
    *("RE[+1e9]", "RE[-3:t]", "BO[8 ]", "BO[6 ---- X]", "KB[f5//]", "PB[\\]]", "12 (;", "X;", "O"),
    *("; A1:+3;", "a1:999", "pass", "1.", "2. f5", "#", "{}", '{"game": 1}', '"moves": [[]]'),
    *("null", "1e999", "[" * 60, '"result": 5', "f5d6", "11-15", "-" * 64, "x" * 70, "\n\n"),
)
PLACE = re.compile(r"line \d+|record \d+|header|bytes")


def edited(content: bytes, stream: Stream) -> bytes:
    text = content
    for _ in range(1 + stream.below(3)):
        begin = stream.below(len(text) + 1)
        end = min(begin + stream.below(5), len(text))
        match stream.below(5):
            case 0:
                new = b""
            case 1:
                new = CHARACTERS[stream.below(len(CHARACTERS))].encode()
            case 2:
                new = WORDS[stream.below(len(WORDS))].encode()
            case 3:
                new = bytes([stream.below(256)])
            case _:
                begin = stream.below(len(text) + 1)
                new = text[begin : begin + stream.below(30)]
        text = text[:begin] + new + text[end:]
    return text


def corpus(format: str) -> list[bytes]:
    stream = Stream(SEED, "corpus", format)
    files = []
    for number in range(60):
        name = HELD[format][number % len(HELD[format])]
        rules = GAMES[name]
        plies = 200 if format == "wthor" else stream.below(12)
        record = played(rules, [stream.below(1 << 16) for _ in range(plies)])
        codes = [move.code(rules.shape) for move in record.moves]
        game = GamePlayed.of(
            rules.game(record.start, codes, NO_DRAWS),
            black="Ann",
            white="Bob]",
            result="0-1",
            tags={"Event": "x"},
        )
        files.append(written(format, [game] * (1 + number % 2)))
    return files


def known(game: GamePlayed, format: str) -> object:
    if format != "wthor":
        return game
    placed = [move for move in game.record.moves if not move.is_pass]
    return placed, game.winner, game.result, game.tags.get("RE")


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("format", "share"),
    [
        ("transcript", 20),
        ("ggf", 20),
        ("sgf", 10),
        ("wthor", 10),
        ("obf", 20),
        ("games", 20),
        ("pdn", 5),
    ],
)
def test_damaged_files_are_read_or_refused_with_their_place(format: str, share: int) -> None:
    files = corpus(format)
    stream = Stream(SEED, "edits", format)
    whole = refused = 0
    for number in range(INPUTS * share // 100):
        content = edited(files[stream.below(len(files))], stream)
        told: list[Refused] = []
        try:
            source = io.BytesIO(content)
            ours = list(FORMATS[format].read(source, None, wthor.WthorNames(), told.append))
            if number % 20 == 0:
                again = read(format, written(format, ours))
                # WTHOR numbers names, which are in files of their own.
                assert [known(game, format) for game in again] == [
                    known(game, format) for game in ours
                ]
        except (InvalidMoveError, IllegalMoveError) as error:
            # Of a whole file that is none of this format.
            told, ours = [Refused(0, str(error), "")], []
        except Exception as error:
            raise AssertionError(f"input {number}, {content!r}: {error!r}") from error
        for one in told:
            assert PLACE.search(one.place), f"{content!r}: {one}"
            assert len(str(one)) < 1600, f"{content!r}: {one}"
        whole += bool(ours)
        refused += bool(told)
    # Both ends of the reader were reached.
    assert whole > INPUTS * share // 100 // 20
    assert refused > INPUTS * share // 100 // 20


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("f5d6c3é", "line 1: cannot read 'é' at column 7 as a move: moves are a1 to h8"),
        ("11-15 q", "line 1: cannot read 'q' at column 7 as a move: moves are 11-15"),
        ("f5 f5", "line 1: move 2 (f5) at column 4: illegal move f5 for White"),
        ("1-0", "line 1: there are no moves in '1-0'"),
        (", ,", "line 1: there are no moves in ', ,'"),
    ],
)
def test_the_game_that_can_be_read_farthest_says_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        list(transcript.read(text))


def test_a_start_without_moves_is_a_game() -> None:
    (start,) = transcript.write([GAMES["othello-6"].record()])
    assert [game.record.start.game for game in transcript.read(start)] == ["othello-6"]
