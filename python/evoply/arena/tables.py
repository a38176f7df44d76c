"""Where games are played: in the kernel if both seats are the kernel's, else move by move.

`play` takes players of any kind. Games outside the kernel run beside one another, every thread with
seats of its own, such as the processes of bots; only those at a seat that all games share (an
object in Python, a player that carries something from game to game) are played one after the other
by the caller's own thread. All draws come from the keys of the schedule, so nothing of this shows
in the results.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, cast

import numpy as np

from evoply import _native
from evoply.arena.one_game import played_out, random_opening
from evoply.arena.schedule import (
    MOST_THREADS,
    Forfeit,
    Results,
    Schedule,
    checked_whole,
    joined_results,
    play_in_kernel,
)
from evoply.games import game_rules
from evoply.players import KernelSeat, player_of
from evoply.protocols import (
    Color,
    Ending,
    ForfeitError,
    GameRecord,
    Player,
    Seat,
)

_TICK = 0.1
"""Seconds between two looks at progress and Ctrl-C."""
_LAST_MOVES = 0.25
"""Seconds that threads are waited for after Ctrl-C: a long search ends with the process."""
_MOST_SEATS = 12
"""Seats outside the kernel that a thread holds at a time: each may be a process."""


def play(
    game: str,
    players: Sequence[object],
    schedule: Schedule,
    *,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
    record_moves: bool = False,
) -> Results:
    """Play all games of a schedule on *threads* threads (0: one a core) and return the results.

    *players* are players of any kind that `evoply.players.player_of` knows, or seats. *progress* is
    told the number of finished games a few times a second. Ctrl-C raises KeyboardInterrupt within a
    fraction of a second; no partial result comes out, and every seat is closed. A seat that raises
    `ForfeitError` loses its game (`Results.forfeits`); any other error ends everything. Raises
    `ValueError` for another number of threads than 0 to 1024.
    """
    with Tables(game, players, threads=threads) as tables:
        return tables.play(schedule, progress=progress, record_moves=record_moves)


class Tables:
    """Players who play schedule after schedule; seats stay open in between, until `close`."""

    def __init__(self, game: str, players: Sequence[object], *, threads: int = 0) -> None:
        game_rules(game)
        self.game = game
        self.threads = checked_whole("threads", threads, MOST_THREADS)
        self.about: dict[int, Mapping[str, Any]] = {}
        """What seats learned of the players, by their places; known when the tables are closed."""
        self._players = [_sat_down(player, game) for player in players]
        # The caller's own thread is the first one, so that one thread needs no other.
        self._workers = [
            _Worker(game, self._players, self.about) for _ in range(threads or _cores())
        ]

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all seats; a second call does nothing."""
        for worker in self._workers:
            worker.close()

    def play(
        self,
        schedule: Schedule,
        *,
        progress: Callable[[int], object] | None = None,
        record_moves: bool = False,
    ) -> Results:
        """Play a schedule, players as places in the list; see `evoply.arena.play`."""
        kernel = [one.native for one in self._players if isinstance(one, KernelSeat)]
        if len(kernel) == len(self._players):
            return self._in_kernel(kernel, schedule, progress, record_moves)
        sides = np.column_stack([schedule.black, schedule.white])
        if sides.size and sides.max() >= len(self._players):
            raise ValueError(f"there is no player {sides.max()} among {len(self._players)}")
        is_kernel = np.array([isinstance(one, KernelSeat) for one in self._players])
        is_shared = np.array([_is_shared(one) for one in self._players])
        inside = is_kernel[sides].all(axis=1)
        shared = is_shared[sides].any(axis=1)
        parts, places = [], []
        done = 0

        def told(count: int) -> None:
            if progress is not None:
                progress(done + count)

        if inside.any():
            numbers = np.cumsum(is_kernel) - 1  # from a place among all to one in the kernel
            part = schedule.part(np.flatnonzero(inside))
            part = part.with_seats(numbers[part.black], numbers[part.white])
            parts.append(self._in_kernel(kernel, part, told, record_moves))
            places.append(np.flatnonzero(inside))
            done += len(part)
        for chosen, workers in ((~inside & ~shared, self._workers), (shared, self._workers[:1])):
            which = np.flatnonzero(chosen)
            if len(which):
                parts.append(_outside(schedule.part(which), workers, told, record_moves))
                places.append(which)
                done += len(which)
        return joined_results(parts, places) if parts else _results([], record_moves)

    def _in_kernel(
        self,
        players: Sequence[_native.Player],
        schedule: Schedule,
        progress: Callable[[int], object] | None,
        record_moves: bool,
    ) -> Results:
        return play_in_kernel(
            self.game,
            players,
            schedule,
            threads=self.threads,
            progress=progress,
            record_moves=record_moves,
        )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_AtBoard = KernelSeat | Seat | Player


def _is_shared(player: object) -> bool:
    """Whether this is one seat for all games, which are then played one after the other."""
    return bool(getattr(player, "is_shared", False))


def _sat_down(player: object, game: str) -> _AtBoard:
    """Return what stands for *player* at all tables: one seat where that will do, or itself."""
    if isinstance(player, KernelSeat) or _is_shared(player):
        return cast(_AtBoard, player)
    known = player_of(player)
    known.check_fits(game)
    # Seats outside the kernel are cheap until they are asked.
    seat = known.seat(game)
    if isinstance(seat, KernelSeat) or _is_shared(seat):
        return seat
    seat.close()
    return known


@dataclass(eq=False)
class _Worker:
    """A thread's own seats, opened when they are first needed."""

    game: str
    players: Sequence[_AtBoard]
    about: dict[int, Mapping[str, Any]]
    seats: dict[tuple[int, bool], Seat] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _is_closed: bool = False

    def pair(self, black: int, white: int) -> tuple[Seat, Seat]:
        """Return the seats of two players; who plays itself has two."""
        return self.seat(black, (black, white)), self.seat(white, (black, white), black == white)

    def seat(self, place: int, needed: tuple[int, int], is_second: bool = False) -> Seat:
        player = self.players[place]
        if isinstance(player, KernelSeat) or _is_shared(player):
            return cast(Seat, player)
        key = place, is_second
        seat = self.seats.pop(key, None)
        if seat is None:
            spare = [one for one in self.seats if one[0] not in needed]
            if len(self.seats) >= _MOST_SEATS and spare:
                self._close(spare[0][0], self.seats.pop(spare[0]))
            seat = cast(Player, player).seat(self.game)
        with self._lock:
            if self._is_closed:
                seat.close()
                raise ForfeitError("the games were stopped")
            self.seats[key] = seat  # at the end: the first is the one longest unused
        return seat

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            seats = list(self.seats.items())
        for (place, _), seat in seats:
            self._close(place, seat)

    def _close(self, place: int, seat: Seat) -> None:
        seat.close()
        about = getattr(seat, "about", None)
        if about:
            self.about.setdefault(place, about)


@dataclass(frozen=True, slots=True)
class _Played:
    """One game outside the kernel; a forfeit names the place of its game in the schedule."""

    record: GameRecord
    forfeit: Forfeit | None


def _outside(
    schedule: Schedule,
    workers: Sequence[_Worker],
    progress: Callable[[int], object],
    record_moves: bool,
) -> Results:
    """Play a schedule move by move, as many games at a time as there are workers."""
    played: list[_Played | None] = [None] * len(schedule)
    workers = workers[: len(schedule)]
    if len(workers) == 1:
        for place in range(len(schedule)):
            played[place] = _game(schedule, place, workers[0])
            progress(place + 1)
    else:
        _beside_one_another(schedule, workers, played, progress)
    return _results([one for one in played if one is not None], record_moves)


def _beside_one_another(
    schedule: Schedule,
    workers: Sequence[_Worker],
    played: list[_Played | None],
    progress: Callable[[int], object],
) -> None:
    """Fill *played*; on an error or Ctrl-C close all seats first, which ends their questions."""
    places = SimpleQueue[int]()
    for place in range(len(schedule)):
        places.put(place)
    finished = SimpleQueue[BaseException | None]()
    stop = Event()

    def work(worker: _Worker) -> None:
        while not stop.is_set():
            try:
                place = places.get_nowait()
            except Empty:
                return
            try:
                played[place] = _game(schedule, place, worker)
                finished.put(None)
            except BaseException as error:
                finished.put(error)
                return

    # Daemons: a search that goes on after Ctrl-C must not keep the process.
    threads = [Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    with _stopping(stop, workers, threads):
        for thread in threads:
            thread.start()
        done = 0
        while done < len(schedule):
            with suppress(Empty):
                error = finished.get(timeout=_TICK)
                if error is not None:
                    raise error
                done += 1
                if not finished.empty() and done < len(schedule):
                    continue
            progress(done)


@contextmanager
def _stopping(stop: Event, workers: Sequence[_Worker], threads: Sequence[Thread]) -> Iterator[None]:
    """Leave no thread at work, whatever happens."""
    try:
        yield
    except BaseException:
        stop.set()
        for worker in workers:
            worker.close()
        for thread in threads:
            if thread.ident is not None:
                thread.join(_LAST_MOVES / len(threads))
        raise
    for thread in threads:
        thread.join()


def _game(schedule: Schedule, place: int, worker: _Worker) -> _Played:
    """Play one game of a schedule."""
    black, white = int(schedule.black[place]), int(schedule.white[place])
    start = game_rules(worker.game).position_from_row(schedule.start_row(place))
    plies, key = schedule.opening_plies, int(schedule.opening_keys[place])
    opening = random_opening(start, key, plies, schedule.draws)
    stream = _native.Stream.from_key(int(schedule.game_keys[place]))
    record, lost = played_out(opening, worker.pair(black, white), stream)
    if lost is None:
        return _Played(record, None)
    color, error = lost
    return _Played(record, Forfeit(place, color, str(error), by_time=error.by_time))


_ENDINGS: list[Ending | None] = list(Ending)
_SIGNS = {Color.BLACK: 1, Color.WHITE: -1, None: 0}


def _results(played: Sequence[_Played], record_moves: bool) -> Results:
    """Return games that were played outside the kernel, in the order of their schedule."""
    finals = [one.record.position for one in played]
    moves = [_codes(one.record) for one in played]
    endings = [
        _ENDINGS.index(Ending.FORFEIT if one.forfeit else one.record.ending()) for one in played
    ]
    return Results(
        black_discs=np.array([p.pieces(Color.BLACK) for p in finals], dtype=np.int32),
        white_discs=np.array([p.pieces(Color.WHITE) for p in finals], dtype=np.int32),
        winners=np.array([_winner(one) for one in played], dtype=np.int8),
        endings=np.array(endings, dtype=np.uint8),
        plies=np.array([len(codes) for codes in moves], dtype=np.int32),
        hashes=np.array(
            [_hash(one.record, codes) for one, codes in zip(played, moves, strict=True)],
            dtype=np.uint64,
        ),
        moves=moves if record_moves else None,
        forfeits=tuple(one.forfeit for one in played if one.forfeit is not None),
    )


def _codes(record: GameRecord) -> list[int]:
    size = record.position.size
    return [move.code(size) for move in record.moves]


def _hash(record: GameRecord, codes: Sequence[int]) -> int:
    """Return 64 bits that are equal for equal games, whenever and wherever they are played."""
    text = repr((record.start.row, *codes)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _winner(one: _Played) -> int:
    if one.forfeit is not None:
        return _SIGNS[one.forfeit.color.opposite]
    outcome = one.record.outcome()
    return _SIGNS[None if outcome is None else outcome.winner]
