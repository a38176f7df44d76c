"""Records played by the kernel all at once against the same in plain Python, move by move."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pytest
from game_strategies import CHOICES, played
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import _native, othello
from evoply.games import GAMES
from evoply.games.formats import GamePlayed, Refused, ggf, transcript, wthor
from evoply.games.squares import Word
from evoply.protocols import IllegalMoveError, InvalidMoveError


def one_by_one(codes: list[int], start: Any) -> Any:
    """Return what `from_codes` should: the loop that it once was."""
    positions, moves = [start], []
    for code in codes:
        legal = positions[-1].legal_moves
        move = start.MOVE.from_code(code, start.shape)
        if move not in legal and legal.must_pass:
            moves.append(legal[0])
            positions.append(positions[-1].play(legal[0]))
        if move not in positions[-1].legal_moves:
            try:
                positions[-1].play(move)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"ply {len(positions)}: {error}") from None
        moves.append(move)
        positions.append(positions[-1].play(move))
    return tuple(moves), tuple(positions)


def known(codes: list[int], start: Any) -> tuple[Any, ...]:
    """Return moves and positions, or the error and what it says."""
    try:
        return one_by_one(codes, start)
    except (IllegalMoveError, InvalidMoveError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", GAMES)
@settings(deadline=None, max_examples=40)
@given(st.data())
def test_games_from_codes_are_those_played_move_by_move(name: str, data: st.DataObject) -> None:
    rules = GAMES[name]
    whole = played(rules, data.draw(CHOICES))
    begin = data.draw(st.integers(0, len(whole)))
    start, moves = whole.positions[begin], whole.moves[begin:]
    if data.draw(st.booleans()):
        moves = [move for move in moves if not move.is_pass]
    codes = [move.code(rules.shape) for move in moves]
    if codes and data.draw(st.booleans()):
        wrong = st.sampled_from(codes) | st.integers(-3, 120) | st.just(2**80)
        codes[data.draw(st.integers(0, len(codes) - 1))] = data.draw(wrong)
    expected = known(codes, start)
    if isinstance(expected[0], type):
        with pytest.raises(expected[0]) as error:
            rules.RECORD.from_codes(codes, start)
        assert str(error.value) == expected[1]
        return
    game = rules.RECORD.from_codes(codes, start)
    position = game.position  # before the positions are made
    assert (game.moves, game.positions) == expected
    assert position.row == game.positions[-1].row
    assert game == rules.RECORD.from_codes([move.code(rules.shape) for move in game.moves], start)


def database(records: list[bytes]) -> bytes:
    head = struct.pack("<BBBBIHHBBBB", 20, 5, 2, 28, len(records), 0, 2004, 8, 0, 22, 0)
    return head + b"".join(records)


@st.composite
def damaged_records(draw: st.DrawFn) -> bytes:
    game = played(GAMES["othello"], draw(CHOICES))
    squares = [10 * (m.square // 8 + 1) + m.square % 8 + 1 for m in game.moves if not m.is_pass]
    body = bytearray(bytes(squares).ljust(60, b"\0"))
    if draw(st.booleans()):
        byte = st.sampled_from(list(body)) | st.integers(0, 255)
        body[draw(st.integers(0, 59))] = draw(byte)
    numbers = draw(st.tuples(*[st.integers(0, 2)] * 3))
    return (
        struct.pack("<HHHBB", *numbers, draw(st.integers(0, 66)), draw(st.integers(0, 64))) + body
    )


def record_by_record(data: bytes) -> GamePlayed | str:
    """Return the game of a record as the description of the format says, or why there is none."""
    event, black, white, score, theoretical = struct.unpack_from("<HHHBB", data)
    squares = data[8:].rstrip(b"\0")
    for place, number in enumerate(squares, start=1):
        if not (1 <= number // 10 <= 8 and 1 <= number % 10 <= 8):
            return f"move {place}: {number} is not a square from 11 to 88"
    if score > 64:
        return f"Black's score {score} is more than the 64 squares"
    codes = [8 * (number // 10 - 1) + number % 10 - 1 for number in squares]
    found = known(codes, othello.Position())
    if isinstance(found[0], type):
        return str(found[1])
    record = othello.Game(othello.Position(), found[0])
    tags = {"Event": f"event {event}", "Date": "2004"}
    if theoretical:
        tags |= {"Theoretical": str(theoretical), "Depth": "22"}
    if record.position.official_difference() != 2 * score - 64:
        tags["RE"] = f"{2 * score - 64:+}"
    result = "1-0" if score > 32 else "0-1" if score < 32 else "1/2-1/2"
    return GamePlayed.of(
        record, black=f"player {black}", white=f"player {white}", result=result, tags=tags
    )


@settings(deadline=None, max_examples=60)
@given(st.lists(damaged_records(), max_size=4))
def test_records_are_those_read_one_by_one(records: list[bytes]) -> None:
    expected = [record_by_record(record) for record in records]
    refused: list[Refused] = []
    games = list(wthor.read(database(records), on_refused=refused.append))
    assert games == [one for one in expected if isinstance(one, GamePlayed)]
    assert [(one.number, one.place, one.reason) for one in refused] == [
        (number, f"record {number}", one)
        for number, one in enumerate(expected, start=1)
        if isinstance(one, str)
    ]
    arrays = wthor.replay(database(records), threads=2)
    assert arrays.is_legal.tolist() == [isinstance(one, GamePlayed) for one in expected]
    read = iter(games)
    for place in np.flatnonzero(arrays.is_legal):
        last = next(read).record.position
        assert arrays.plies[place] == last.ply
        discs = arrays.black_discs[place], arrays.white_discs[place]
        assert discs == (last.row[0].bit_count(), last.row[1].bit_count())
        assert arrays.is_over[place] == (last.outcome() is not None)
        if arrays.is_over[place]:
            assert arrays.differences[place] == last.official_difference()


def test_more_than_a_block_and_pipes_that_give_parts() -> None:
    record = struct.pack("<HHHBB", 0, 1, 2, 40, 0) + bytes([56, 64]).ljust(60, b"\0")
    bad = struct.pack("<HHHBB", 0, 1, 2, 40, 0) + bytes([56, 56]).ljust(60, b"\0")
    content = database([record] * 1500 + [bad] + [record] * 1499)

    class Parts(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(1000, 1000 if size is None else size))

    refused: list[Refused] = []
    games = list(wthor.read(Parts(content), on_refused=refused.append))
    assert len(games) == 2999
    assert {str(game.record) for game in games} == {"f5d6"}
    assert [one.number for one in refused] == [1501]
    arrays = wthor.replay(Parts(content))
    assert np.flatnonzero(~arrays.is_legal).tolist() == [1500]
    assert set(arrays.records["white"].tolist()) == {2}
    with pytest.raises(InvalidMoveError, match="record 3000: the file ends here, and its header"):
        wthor.replay(content[:-1])
    with pytest.raises(InvalidMoveError, match="has 0 bytes"):
        wthor.replay(b"")
    assert len(wthor.replay(database([]))) == 0


def test_games_are_read_while_the_file_is_still_being_written() -> None:
    record = struct.pack("<HHHBB", 0, 1, 2, 40, 0) + bytes([56, 64]).ljust(60, b"\0")
    reads: list[int] = []

    class Counted(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            reads.append(size or 0)
            return super().read(size)

    games = wthor.read(Counted(database([record] * 5000)))
    next(games)
    assert sum(reads) < 2000 * 68, "no more than a block is in memory"


@pytest.mark.parametrize("size", [4, 6, 8, 10])
@settings(deadline=None, max_examples=30)
@given(st.data())
def test_words_read_at_once_are_those_read_one_by_one(size: int, data: st.DataObject) -> None:
    rules = next(
        one for one in GAMES.values() if one.family == "Othello" and one.shape.side == size
    )
    moves = [str(move) for move in played(rules, data.draw(CHOICES)).moves]
    if data.draw(st.booleans()):
        moves = [move for move in moves if move != "pass"]
    if moves and data.draw(st.booleans()):
        wrong = st.sampled_from([*moves, "a1", "pass", "z9", "%", "j10"])
        moves[data.draw(st.integers(0, len(moves) - 1))] = data.draw(wrong)
    words = [Word(move, 3 * index) for index, move in enumerate(moves)]
    start = othello.Position(size)

    def read(kind: Any) -> object:
        try:
            game = kind(words, "index {}".format, start, GAMES["othello"].draws)
        except (IllegalMoveError, InvalidMoveError) as error:
            return type(error), str(error)
        return game.moves, game.positions

    slow = super(othello.Game, othello.Game).from_words
    assert read(othello.Game.from_words) == read(slow)


def test_an_unreadable_word_is_told_where_an_illegal_move_before_it_is() -> None:
    with pytest.raises(IllegalMoveError, match=r"move 2 \(f5\) at column 3"):
        othello.Game.from_transcript("f5f5z9")
    with pytest.raises(InvalidMoveError, match="cannot read 'z9' at column 5"):
        othello.Game.from_transcript("f5d6z9a1")
    refused: list[Refused] = []
    assert len(list(transcript.read("f5d6\nf5f5\nf5\n", "othello", refused.append))) == 2
    assert [one.place for one in refused] == ["line 2"]


@settings(deadline=None, max_examples=60)
@given(CHOICES)
def test_turns_of_a_game_with_passes_are_those_of_its_positions(choices: list[int]) -> None:
    record = played(GAMES["othello-4"], choices)
    (line,) = ggf.write([record])
    letters = [move[0] for move in line.partition(" *]")[2].replace("]", "] ").split()[:-1]]
    assert letters == [position.turn.value[0].upper() for position in record.positions[:-1]]
    (again,) = ggf.read(line)
    assert again.record == record


def test_wrong_lengths_and_starts_are_refused_in_a_sentence() -> None:
    codes, row = np.array([19, 18], np.uint64), othello.Position().row
    for lengths, start_of, says in (
        ([1], None, "the lengths of the games do not add up to the number of codes"),
        ([1, 1], [0], "start_of needs one entry for each game"),
        ([1, 1], [0, 1], "no start 1: there are 1"),
    ):
        chosen = None if start_of is None else np.array(start_of, np.uint32)
        with pytest.raises(ValueError, match=says):
            _native.replay_all(
                "othello", codes, np.array(lengths, np.uint32), starts=[row], start_of=chosen
            )
    games = _native.replay_all("othello", codes, np.array([1, 1], np.uint32), starts=[row])
    assert (games.taken.tolist(), games.codes) == ([1, 0], [[19], []])
    assert othello.Game.from_codes(games.codes[0], othello.Position()).moves == (
        othello.Move.parse("d3"),
    )
