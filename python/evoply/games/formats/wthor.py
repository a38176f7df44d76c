"""WTHOR, the database of the French federation: games (.wtb), players (.jou) and events (.trn).

Games are of 8x8 Othello from the usual start, with the year of the file, the event, the players and
Black's final score, with empty squares for the winner; the tag Theoretical is the score under
perfect play from the number of empty squares in Depth. Numbers are little-endian; texts are
Latin-1. `read` yields games, `replay` returns arrays; both play a block of records in one call of
the kernel.
"""

import io
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.games.formats.ggf import difference, score_doubts
from evoply.games.formats.sources import UNKNOWN, GamePlayed, OnRefused, as_played, refuse
from evoply.games.othello import Game, Position
from evoply.protocols import GameRecord, IllegalMoveError, InvalidMoveError

_HEADER = struct.Struct("<4BIHHBBBB")
_RECORD = struct.Struct("<HHHBB60s")
_RECORDS = np.dtype(
    [
        ("event", "<u2"),
        ("black", "<u2"),
        ("white", "<u2"),
        ("score", "u1"),
        ("theoretical", "u1"),
        ("squares", "u1", (60,)),
    ]
)
_BLOCK = 1 << 10
"""The number of records that `read` keeps in memory."""
_LARGE_BLOCK = 1 << 14
"""The number of records that `replay` plays at a time."""
_PLAYER, _EVENT = 20, 26
_MOST = 2**16
_SQUARES = {
    10 * row + column: 8 * (row - 1) + column - 1 for row in range(1, 9) for column in range(1, 9)
}
_NUMBERS = {square: number for number, square in _SQUARES.items()}
# An invalid square becomes a number that no move has.
_CODES = np.full(256, 2**64 - 1, np.uint64)
_CODES[list(_SQUARES)] = list(_SQUARES.values())
_START = Position()


@dataclass(frozen=True, slots=True)
class WthorNames:
    """The names behind the numbers in a file of games."""

    players: Sequence[str] = ()
    events: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """The games of a file and their results, as arrays with one entry per game."""

    records: NDArray[np.void]
    """The records of the file: the fields event, black and white (numbers of names), score
    (Black's), theoretical and squares."""
    plies: NDArray[np.int32]
    """The number of moves that could be played, forced passes included."""
    black_discs: NDArray[np.int32]
    """The number of Black's discs after them."""
    white_discs: NDArray[np.int32]
    is_over: NDArray[np.bool_]
    """Whether neither side can move; a game may also have been given up."""
    is_legal: NDArray[np.bool_]
    """Whether the whole record can be read; `read` refuses the others."""

    @property
    def differences(self) -> NDArray[np.int32]:
        """Black's official score minus White's by the board, with empty squares for the winner."""
        more = self.black_discs - self.white_discs
        empty = 64 - self.black_discs - self.white_discs
        official: NDArray[np.int32] = more + np.sign(more) * empty
        return official

    def __len__(self) -> int:
        return len(self.records)


def is_wthor(head: bytes) -> bool:
    """Return whether *head*, the first bytes of a file, are those of a file of games."""
    if len(head) < _HEADER.size:
        return False
    century, year, month, day, _, names, _, size, kind, _, _ = _HEADER.unpack_from(head)
    is_date = 15 < century < 30 and year < 100 and month <= 12 and day <= 31
    return is_date and names == 0 and size in (0, 8, 10) and kind in (0, 1)


def read(
    source: bytes | IO[bytes], names: WthorNames | None = None, on_refused: OnRefused = None
) -> Iterator[GamePlayed]:
    """Yield the games of a .wtb file; without *names* numbers stand for players.

    Raises `InvalidMoveError` and `IllegalMoveError` with the record, also if the file ends before
    the number of games in its header.
    """
    names = WthorNames() if names is None else names
    file = io.BytesIO(source) if isinstance(source, bytes) else source
    games, year, depth = _head(file)
    number = 0
    for records in _blocks(file, games, _BLOCK):
        for game in _games(records, names, {"Date": f"{year:04}"} if year else {}, depth):
            number += 1
            if isinstance(game, GamePlayed):
                yield game.at(f"record {number}")
            else:
                refuse(game, number, f"record {number}", on_refused)
    if number < games:
        refuse(_too_short(games), number + 1, f"record {number + 1}", on_refused)


def replay(source: bytes | IO[bytes], *, threads: int = 0) -> Replayed:
    """Return the results of all games of a .wtb file, on *threads* threads (0: all cores).

    This is many times as fast as `read`, for questions to a whole database. Games that cannot be
    played to their end are marked. Raises `InvalidMoveError` if the header cannot be read, or the
    file ends before the number of games in its header.
    """
    file = io.BytesIO(source) if isinstance(source, bytes) else source
    games, _, _ = _head(file)
    none = np.zeros(0, _RECORDS)
    blocks = [_replay(block, threads)[0] for block in [none, *_blocks(file, games, _LARGE_BLOCK)]]
    columns = {
        name: np.concatenate([getattr(block, name) for block in blocks])
        for name in Replayed.__dataclass_fields__
    }
    replayed = Replayed(**columns)
    if len(replayed) < games:
        raise InvalidMoveError(f"record {len(replayed) + 1}: {_too_short(games)}")
    return replayed


def _head(file: IO[bytes]) -> tuple[int, int, int]:
    """Return the number of games in *file*, their year and the depth of theoretical scores."""
    head = _whole(file, _HEADER.size)
    if len(head) < _HEADER.size:
        raise InvalidMoveError(f"the file has {len(head)} bytes, and a header has {_HEADER.size}")
    *_, games, _, year, size, _, depth, _ = _HEADER.unpack(head)
    if size not in (0, 8):
        raise InvalidMoveError(f"the header gives a board of {size}x{size}: only 8x8 is read")
    return games, year, depth


def _too_short(games: int) -> InvalidMoveError:
    return InvalidMoveError(f"the file ends here, and its header gives {games:,} games")


def _blocks(file: IO[bytes], games: int, most: int) -> Iterator[NDArray[np.void]]:
    """Yield the next *games* records of *file*, or fewer at its end, at most *most* at a time."""
    while games:
        data = _whole(file, min(games, most) * _RECORDS.itemsize)
        records = np.frombuffer(data, _RECORDS, len(data) // _RECORDS.itemsize)
        if not len(records):
            return
        yield records
        games -= len(records)


def _whole(file: IO[bytes], count: int) -> bytes:
    """Return the next *count* bytes of *file*, fewer at its end; a pipe may give them in parts."""
    data = b""
    while len(data) < count and (part := file.read(count - len(data))):
        data += part
    return data


def _lengths(records: NDArray[np.void]) -> NDArray[np.int64]:
    """Return the number of moves of each record; zeros follow the moves."""
    is_move: NDArray[np.bool_] = records["squares"] != 0
    return np.where(is_move.any(axis=1), 60 - is_move[:, ::-1].argmax(axis=1), 0)


def _replay(records: NDArray[np.void], threads: int) -> tuple[Replayed, _native.Replayed]:
    """Return the results of *records*, and the kernel's moves and last positions."""
    lengths = _lengths(records)
    squares = records["squares"][np.arange(60) < lengths[:, np.newaxis]]
    games = _native.replay_all(
        _START.kernel,
        _CODES[squares],
        lengths.astype(np.uint32),
        starts=[_START.row],
        threads=threads,
    )
    is_legal = (games.taken == lengths) & (records["score"] <= 64)
    discs = games.black_discs, games.white_discs
    return Replayed(records, games.plies, *discs, games.is_over, is_legal), games


def _games(
    records: NDArray[np.void], names: WthorNames, date: Mapping[str, str], depth: int
) -> Iterator[GamePlayed | ValueError]:
    """Yield each game of *records*, or the error that refuses it."""
    replayed, games = _replay(records, 1)
    scores = 2 * records["score"].astype(int) - 64
    is_other = ~replayed.is_over | (replayed.differences != scores)
    numbers = (records[name].tolist() for name in ("event", "black", "white", "theoretical"))
    columns = (column.tolist() for column in (scores, is_other, replayed.is_legal))
    rows = zip(games.codes, games.rows, *numbers, *columns, strict=True)
    for index, row in enumerate(rows):
        codes, end, event, black, white, theoretical, score, is_stated, is_legal = row
        if not is_legal:
            yield _error_of(records[index])
            continue
        tags = {"Event": _name(names.events, event, "event"), **date}
        if theoretical and depth:
            tags |= {"Theoretical": str(theoretical), "Depth": str(depth)}
        if is_stated:
            tags["RE"] = f"{score:+}"
        record = Game.replayed(_START, codes, end)
        yield GamePlayed.of(
            record,
            black=_name(names.players, black, "player"),
            white=_name(names.players, white, "player"),
            doubts=score_doubts(record, score) if is_stated else (),
            result="1-0" if score > 0 else "0-1" if score < 0 else "1/2-1/2",
            tags={name: value for name, value in tags.items() if value != UNKNOWN},
        )


def _error_of(record: Any) -> ValueError:
    """Return the error that says why *record* cannot be read."""
    numbers = record["squares"].tobytes().rstrip(b"\0")
    for index, number in enumerate(numbers, start=1):
        if number not in _SQUARES:
            return InvalidMoveError(f"move {index}: {number} is not a square from 11 to 88")
    if record["score"] > 64:
        return InvalidMoveError(f"Black's score {record['score']} is more than the 64 squares")
    try:
        Game.from_codes([_SQUARES[number] for number in numbers], _START)
    except IllegalMoveError as error:
        return error
    raise AssertionError("the kernel refused a game that it plays")


def _name(names: Sequence[str], number: int, what: str) -> str:
    return names[number] if number < len(names) else f"{what} {number}"


def read_names(source: bytes | IO[bytes]) -> tuple[str, ...]:
    """Return the names of a file of players (.jou) or events (.trn), by number."""
    data = source if isinstance(source, bytes) else source.read(_HEADER.size + _MOST * _EVENT)
    if len(data) < _HEADER.size:
        raise InvalidMoveError(f"the file has {len(data)} bytes, and a header has {_HEADER.size}")
    count = _HEADER.unpack_from(data)[5]
    body = data[_HEADER.size :]
    for length in (_PLAYER, _EVENT):
        if len(body) == count * length:
            texts = (body[start : start + length] for start in range(0, len(body), length))
            return tuple(text.split(b"\0")[0].decode("latin-1").strip() for text in texts)
    raise InvalidMoveError(
        f"{count} names take {count * _PLAYER} bytes for players or {count * _EVENT} for events,"
        f" and the file has {len(body)} after its header"
    )


@dataclass
class _Numbers:
    """The numbers of names, in order of appearance."""

    what: str
    length: int
    by_name: dict[str, int] = field(default_factory=dict)

    def of(self, name: str) -> int:
        text = name.encode("latin-1", "replace")[: self.length - 1].decode("latin-1").strip()
        number = self.by_name.setdefault(text.split("\0")[0], len(self.by_name))
        if number >= _MOST:
            raise ValueError(f"WTHOR holds at most {_MOST:,} {self.what}")
        return number

    def table(self) -> bytes:
        names = [name.encode("latin-1").ljust(self.length, b"\0") for name in self.by_name]
        # 65,536 names use up all numbers, and the count does not fit into its field.
        return _header(names=min(len(names), _MOST - 1)) + b"".join(names[: _MOST - 1])


def _header(*, games: int = 0, names: int = 0, year: int = 0, depth: int = 0) -> bytes:
    # The date of writing is left out, so that the same games make the same file.
    return _HEADER.pack(20, 0, 1, 1, games, names, year, 8 if games else 0, 0, depth, 0)


def write(games: Iterable[GamePlayed | GameRecord], file: IO[bytes]) -> tuple[bytes, bytes]:
    """Write *games* as a .wtb file to *file*, which can seek; return its .jou and .trn files.

    The year is that of the first game; the rest of its date is left out. Raises `ValueError` for a
    game that WTHOR cannot hold: games must be of 8x8 Othello, begin at the start, and be decided.
    """
    writer = WthorWriter(file)
    for game in games:
        writer.add(as_played(game))
    beside = writer.close()
    return beside[".jou"], beside[".trn"]


def _number(game: GamePlayed, tag: str, most: int) -> int:
    """Return the whole number at the beginning of a tag, or 0 if it has none up to *most*."""
    match = re.match(r"[0-9]{1,5}(?![0-9])", game.tags.get(tag, ""))
    return int(match[0]) if match is not None and int(match[0]) <= most else 0


class WthorWriter:
    """A .wtb file that grows game by game."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._players, self._events = _Numbers("players", _PLAYER), _Numbers("events", _EVENT)
        self._games = self._year = self._depth = 0
        file.write(_header())

    def add(self, game: GamePlayed, /) -> None:
        """Write *game*; raise the errors of `write`."""
        start = game.record.start
        if not isinstance(start, Position) or start != Position(game=start.game):
            raise ValueError("WTHOR holds games of 8x8 Othello from the usual start")
        black_more = difference(game)
        if black_more is None:
            raise ValueError("WTHOR holds finished games, and nothing says who won this one")
        score = min(64, max(0, round((black_more + 64) / 2)))
        if not self._games:
            self._year = _number(game, "Date", _MOST - 1)
            self._depth = _number(game, "Depth", 60)
        squares = (move.square for move in game.record.moves if not move.is_pass)
        data = _RECORD.pack(
            self._events.of(game.tags.get("Event", UNKNOWN)),
            self._players.of(game.black),
            self._players.of(game.white),
            score,
            _number(game, "Theoretical", 64) if self._depth else 0,
            bytes(_NUMBERS[square] for square in squares).ljust(60, b"\0"),
        )
        self._file.write(data)
        self._games += 1

    def close(self) -> Mapping[str, bytes]:
        """Write the header; return the .jou and .trn files by their endings."""
        self._file.seek(0)
        self._file.write(_header(games=self._games, year=self._year, depth=self._depth))
        self._file.seek(0, io.SEEK_END)
        return {".jou": self._players.table(), ".trn": self._events.table()}
