"""The games of a tournament or a league in a file, with which it goes on after a stop.

Every game is on disk before it counts, with all that a result needs, so that the result of a
tournament that was stopped is that of one that nobody stopped. The file names no player that it
could start: whoever goes on gives the players again, and they must be those of before. The players
of a league lie in its folder, so of a league the file has games alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply.arena.behaviour import signature
from evoply.arena.conditions import Field
from evoply.arena.playing import GamesRunner
from evoply.arena.schedule import FinishedGames, Forfeit, Results, Schedule, gathered, ignore
from evoply.environment.checksums import Database, Group
from evoply.environment.files import checksum
from evoply.environment.ledger import Ledger
from evoply.players import data_of
from evoply.protocols import Color, Ending, RunError
from evoply.rules import carried_rules
from evoply.wording import shorten

_META = Group(
    "meta",
    "the conditions",
    "SELECT 0, name, value FROM meta WHERE 0 BETWEEN ? AND ? ORDER BY name",
    "INSERT OR REPLACE INTO meta VALUES (?2, ?3)",
)
_GAMES = Group(
    "games",
    "game {}",
    "SELECT number, black_discs, white_discs, winner, ending, plies, hash, moves, black_seconds,"
    " white_seconds, loser, reason, by_time FROM games WHERE number BETWEEN ? AND ?"
    " ORDER BY number",
    "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    delete="DELETE FROM games WHERE number BETWEEN ? AND ?",
)
LEDGER = Ledger(
    mark=b"EVTG",
    format=1,
    tables="""
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE games (
        number INTEGER PRIMARY KEY, black_discs INTEGER NOT NULL, white_discs INTEGER NOT NULL,
        winner INTEGER NOT NULL, ending INTEGER NOT NULL, plies INTEGER NOT NULL,
        hash TEXT NOT NULL, moves TEXT NOT NULL, black_seconds REAL, white_seconds REAL,
        loser TEXT, reason TEXT, by_time INTEGER
    );
    """,
    error=RunError,
    in_use="another process plays this tournament - wait until it has ended",
    foreign="this is no file of a tournament's games - name another one",
    unreadable="name another file",
    damaged="put a copy back, or name another file: all games are then played again",
    afterwards="give the same command again",
)


class KeptGames:
    """An open file of games, which have numbers from 0 on."""

    def __init__(self, path: Path, database: Database, ledger: Ledger = LEDGER) -> None:
        self._path = path
        self._database = database
        self._ledger = ledger
        self.seats: list[int | None] = []
        """For each player that the file knows, in its order, the index of the one that is given
        now; None: it takes no part now."""

    def batches(
        self,
        runner: GamesRunner,
        schedule: Schedule,
        first: int,
        *,
        sizes: Iterable[int],
        order: NDArray[np.intp] | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Iterator[FinishedGames]:
        """Yield the games of *schedule*, those in the file first, as `GamesRunner.batches` does.

        *first* is the number of its first game in the tournament. Only the games in *order* are
        played, in that order; None: all. A game is in the file before it is yielded.
        """
        order = np.arange(len(schedule)) if order is None else order
        known = self.read(first, len(schedule), has_clock=runner.clock is not None)
        known = known.batch(np.isin(known.places, order))
        if len(known):
            yield known
            (progress or ignore)(len(known))
        missing = order[~np.isin(order, known.places)]
        if len(missing):

            def report(done: int) -> None:
                (progress or ignore)(len(known) + done)

            yield from self.play(runner, schedule, first, missing, sizes=sizes, progress=report)

    def play(
        self,
        runner: GamesRunner,
        schedule: Schedule,
        first: int,
        order: NDArray[np.intp],
        *,
        sizes: Iterable[int],
        progress: Callable[[int], object] | None = None,
    ) -> Iterator[FinishedGames]:
        """Play the games of *schedule* in this *order*; yield them once they are in the file."""
        for batch in runner.batches(
            schedule, sizes=sizes, order=order, progress=progress, record_moves=True
        ):
            with self._ledger.explaining(self._path), self._database.transaction():
                for row in _rows(batch, first):
                    self._database.write(_GAMES, row[0], [row])
            yield batch

    def read(self, first: int, count: int, *, has_clock: bool = False) -> FinishedGames:
        """Return the games in the file of the *count* from number *first* on, as its places."""
        with self._ledger.reading(self._path):
            rows = self._database.read(_GAMES, first, first + count - 1).values()
            return _finished([row for (row,) in rows], first, has_clock=has_clock)

    def count(self, first: int, count: int) -> int:
        """Return how many of these games the file has, without reading them."""
        with self._ledger.reading(self._path):
            return self._database.count(_GAMES, first, first + count - 1)

    def remove(self, first: int, count: int) -> int:
        """Remove those of the *count* games from number *first* on that are there; how many."""
        there = self.count(first, count)
        with self._ledger.explaining(self._path), self._database.transaction():
            self._database.remove(_GAMES, first, first + count - 1)
        return there

    def facts(self) -> dict[str, Any]:
        """Return what the file knows of the tournament; empty if it has just been made."""
        with self._ledger.reading(self._path):
            facts = {name: json.loads(value) for _, name, value in self._rows_of_facts()}
            learned = facts.get("learned", {})
            are_objects = all(isinstance(it, dict) for it in (*facts.values(), *learned.values()))
            if not are_objects or not all(map(str.isdecimal, learned)):
                raise ValueError("what it knows of the tournament cannot be read")
            return facts

    def write(self, facts: Mapping[str, Any]) -> None:
        """Write what the file knows of the tournament."""
        rows = [(0, name, json.dumps(facts[name])) for name in sorted(facts)]
        with self._ledger.explaining(self._path), self._database.transaction():
            self._database.write(_META, 0, rows)

    def _rows_of_facts(self) -> list[tuple[Any, ...]]:
        return self._database.read(_META).get(0, [])


@contextmanager
def kept_in(path: Path, ledger: Ledger = LEDGER) -> Iterator[KeptGames]:
    """Open the file of games at *path*, made if it is not there."""
    if not path.exists() or not path.stat().st_size:  # a full disk leaves an empty one
        ledger.create(path)
    database = ledger.open(path)
    try:
        yield KeptGames(path, database, ledger)
    finally:
        database.connection.close()


@contextmanager
def keeping(
    file: str | os.PathLike[str] | None,
    field: Field,
    facts: Mapping[str, Any],
    *,
    games: int = 0,
    on_change: Callable[[str], object] | None = None,
) -> Iterator[KeptGames | None]:
    """Open the *file* that keeps the games of *field*, made if it is not there; None: no file.

    *facts* decide the games besides what the field decides. Raises `ValueError` that names what
    differs if the games in the file were played otherwise.

    Where every two players play *games* games, the players may be given in any order (`seats`),
    and with *on_change* be others than before. It is called with a sentence for each that is new,
    that takes no part any more, or that was changed, whose games are then removed.
    """
    if file is None:
        yield None
        return
    with kept_in(Path(file)) as kept:
        wanted = {**facts, **_facts_of(field)}
        known = kept.facts()
        kept.seats = [*range(len(field.players))]
        if known:
            before = known["tournament"]
            seats = _seats(before, wanted) if games else kept.seats
            kept.seats = seats
            if on_change is None or before.get("mode") != wanted.get("mode"):
                is_same = None not in seats
                _compare(Path(file), before, _by_seat(before, wanted, seats) if is_same else wanted)
            else:
                same = {name: wanted[name] for name in wanted if name not in _PLAYERS}
                _compare(Path(file), before, same)
                for text in _changes(kept, before, wanted, games):
                    on_change(text)
            wanted = _by_seat(before, wanted, seats)
        learned = known.get("learned", {})
        for seat, about in learned.items():
            player = kept.seats[int(seat)]
            if player is not None:
                field.learned[player] = about
        kept.write({"tournament": wanted, "learned": learned})
        yield kept
        now = {
            str(seat): field.learned[player]
            for seat, player in enumerate(kept.seats)
            if player is not None and player in field.learned
        }
        kept.write({"tournament": wanted, "learned": {**learned, **now}})


_PLAYERS = ("players", "content of the players")


def _seats(before: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[int | None]:
    """Return who sits where: players keep the seats of before, and new ones come behind them."""
    there, here = (
        [*zip(*(facts[name] for name in _PLAYERS), strict=True)] for facts in (before, wanted)
    )
    seats: list[int | None] = [None] * len(there)
    standing = dict(enumerate(here))
    for fields in (2, 1):  # whoever is called the same and was changed keeps its seat, too
        for player, described in [*standing.items()]:
            for seat, known in enumerate(there):
                if seats[seat] is None and known[:fields] == described[:fields]:
                    seats[seat] = player
                    del standing[player]
                    break
    return [*seats, *standing]


def _by_seat(
    before: Mapping[str, Any], wanted: Mapping[str, Any], seats: list[int | None]
) -> dict[str, Any]:
    """Return the facts with players by seat; at an empty one those of before."""
    return {
        **wanted,
        **{
            name: [
                before[name][seat] if player is None else wanted[name][player]
                for seat, player in enumerate(seats)
            ]
            for name in _PLAYERS
        },
    }


def _changes(
    kept: KeptGames, before: Mapping[str, Any], wanted: Mapping[str, Any], games: int
) -> Iterator[str]:
    """Remove the games of players that were changed, and yield what is not as it was."""
    labels, contents = (before[name] for name in _PLAYERS)
    for seat, player in enumerate(kept.seats):
        if seat >= len(labels):
            assert player is not None
            yield f"{wanted['players'][player]} is new: it plays all of its games"
        elif player is None:
            yield f"{labels[seat]} takes no part any more: its games stay in the file"
        elif contents[seat] != wanted["content of the players"][player]:
            meetings = (meeting_of(seat, other) for other in range(len(labels)) if other != seat)
            removed = sum(kept.remove(games * meeting, games) for meeting in meetings)
            yield f"{labels[seat]} was changed: {removed:,} games of it are played again"


def meeting_of(seat: int, other: int) -> int:
    """Return the number of the meeting of two seats.

    Whoever comes behind the others meets them in new ones, and changes no number.

    >>> [meeting_of(first, second) for first, second in [(0, 1), (0, 2), (1, 2), (0, 3)]]
    [0, 1, 2, 3]
    """
    low, high = sorted((seat, other))
    return high * (high - 1) // 2 + low


def play_kept(
    kept: KeptGames | None,
    runner: GamesRunner,
    schedule: Schedule,
    first: int,
    *,
    record_moves: bool,
) -> Results:
    """Return the results of *schedule*; games that are *kept* are not played again."""
    if kept is None:
        return runner.play(schedule, record_moves=record_moves)
    batches = kept.batches(runner, schedule, first, sizes=runner.sizes(len(schedule)))
    return gathered([*batches]).results


def _facts_of(field: Field) -> dict[str, Any]:
    conditions = field.conditions
    rules = carried_rules(conditions.game)
    return {
        "game": conditions.game,
        "rules": None if rules is None else rules["rules_digest"],
        "seed": conditions.seed,
        "openings": conditions.opening_plies,
        "list of openings": conditions.opening_list and conditions.opening_list.facts,
        "start": list(conditions.start),
        "draws": None if conditions.draws is None else str(conditions.draws),
        "clock": None if conditions.clock is None else str(conditions.clock),
        "players": list(field.labels),
        "content of the players": [_content(player) for player in field.players],
        "behaviour of evoply": signature(),
    }


def _content(player: Any) -> str:
    """Return the digest of a player as data, with the files that it names; "" for an object."""
    model = data_of(player)
    if model is None:
        return ""
    return checksum({name: value for name, value in model.identity().items() if name != "name"})


def _compare(path: Path, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise `ValueError` with the first of the facts that differs."""
    for name, value in wanted.items():
        found: Any = known.get(name)
        if found == value:
            continue
        if name == "content of the players":
            pairs = zip(wanted["players"], found, value, strict=True)
            changed = next(player for player, before, now in pairs if before != now)
            raise ValueError(
                f"{path}: {shorten(changed, 200)} - was changed after its games were played - put "
                "the original back, or name another file; in a round robin --resume in place of "
                "--file plays only its games again"
            )
        others = "; --resume in place of --file lets others play" * (name in _PLAYERS)
        raise ValueError(
            f"{path}: {name} - its games were played with {_shown(found)}, not "
            f"{_shown(value)} - give the same to go on, or name another file{others}"
        )


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return shorten(", ".join(map(str, value)) if isinstance(value, list) else str(value), 200)


def _rows(batch: FinishedGames, first: int) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of finished games."""
    results, moves = batch.results, batch.results.moves
    assert moves is not None
    forfeits = {forfeit.game: forfeit for forfeit in results.forfeits}
    for index, place in enumerate(batch.places.tolist()):
        lost = forfeits.get(index)
        # SQLite gives back -0.0 as 0.0: what is summed must be what is read.
        took = (None, None) if results.seconds is None else results.seconds[index].tolist()
        yield (
            first + place,
            int(results.black_discs[index]),
            int(results.white_discs[index]),
            int(results.winners[index]),
            int(results.endings[index]),
            int(results.plies[index]),
            f"{int(results.hashes[index]):016x}",
            json.dumps(moves[index], separators=(",", ":")),
            *(None if seconds is None else seconds + 0.0 for seconds in took),
            *((None,) * 3 if lost is None else (lost.color.value, lost.reason, int(lost.by_time))),
        )


def _finished(rows: list[tuple[Any, ...]], first: int, *, has_clock: bool) -> FinishedGames:
    """Return the games of *rows*, as they were when `_rows` made these."""
    number, black, white, winner, ending, plies, hashes, moves, *took, loser, reason, by_time = (
        zip(*rows, strict=True) if rows else [()] * 13
    )
    if not set(winner) <= {-1, 0, 1} or any(count < 0 for count in (*black, *white, *plies)):
        raise ValueError("a game has a result that no game has")
    if not set(ending) <= set(range(len(Ending))):
        raise ValueError("a game has an ending that no game has")
    codes = [json.loads(text) for text in moves]
    if not all(type(code) is int for game in codes for code in game):
        raise ValueError("a game has moves that are none")
    results = Results(
        black_discs=np.array(black, dtype=np.int32),
        white_discs=np.array(white, dtype=np.int32),
        winners=np.array(winner, dtype=np.int8),
        endings=np.array(ending, dtype=np.uint8),
        plies=np.array(plies, dtype=np.int32),
        hashes=np.array([int(text, 16) for text in hashes], dtype=np.uint64),
        moves=codes,
        forfeits=tuple(
            Forfeit(index, Color(color), why, by_time=bool(late))
            for index, (color, why, late) in enumerate(zip(loser, reason, by_time, strict=True))
            if color is not None
        ),
        seconds=np.array(took, dtype=np.float64).T.reshape(-1, 2) if has_clock else None,
    )
    return FinishedGames(np.array(number, dtype=np.intp) - first, results)
