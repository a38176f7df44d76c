"""Where games are played: in the kernel if both seats are the kernel's, else move by move.

`play` takes players of any kind. Games outside the kernel run beside one another, every thread with
seats of its own, such as the processes of bots; only those at a seat that all games share (an
object in Python, a player that carries something from game to game) are played one after the other
by the caller's own thread. All draws come from the keys of the schedule, so nothing of this shows
in the results.

With a clock every game is played move by move. A thread plays one game at a time, and what a move
takes is wall time in that thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena.elsewhere import (
    check_sendable,
    packed_results,
    play_elsewhere,
    unpacked_part,
)
from evoply.arena.games_played import Played, results_of
from evoply.arena.one_game import played_out, random_opening
from evoply.arena.schedule import (
    MOST_THREADS,
    Finished,
    Forfeit,
    GamesStoppedError,
    Results,
    Schedule,
    checked_whole,
    gathered,
    ignored,
    joined_results,
    play_in_kernel,
)
from evoply.games import game_rules
from evoply.players import KernelSeat, player_of
from evoply.processes import core_count
from evoply.protocols import Cluster, ForfeitError, Player, Seat, TimeControl

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
    clock: TimeControl | None = None,
    cluster: Cluster | None = None,
) -> Results:
    """Play all games of a schedule on *threads* threads (0: one a core) and return the results.

    *players* are players of any kind that `evoply.players.player_of` knows, or seats. *progress* is
    told the number of finished games a few times a second. Ctrl-C raises KeyboardInterrupt within a
    fraction of a second, and every seat is closed; one that is a `GamesStoppedError` has the games
    played outside the kernel by then, if all are. A seat that raises `ForfeitError` loses its game
    (`Results.forfeits`); any other error ends everything. *clock* is
    what each side has for all its moves of a game; whoever oversteps loses by time. On a *cluster*
    its workers play, to the same results. Raises `ValueError` for another number of threads than 0
    to 1024, and for players who cannot be sent to a cluster.
    """
    with Tables(game, players, threads=threads, clock=clock, cluster=cluster) as tables:
        return tables.play(schedule, progress=progress, record_moves=record_moves)


def play_part(data: bytes) -> bytes:
    """Play a part of a schedule on one thread: the unit of work of a cluster."""
    game, players, schedule, record_moves = unpacked_part(data)
    return packed_results(play(game, players, schedule, threads=1, record_moves=record_moves))


class Tables:
    """Players who play schedule after schedule; seats stay open in between, until `close`."""

    def __init__(
        self,
        game: str,
        players: Sequence[object],
        *,
        threads: int = 0,
        clock: TimeControl | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        game_rules(game)
        self.game = game
        self.clock = clock
        self.cluster = cluster
        if cluster is not None:
            check_sendable(game, players, clock)
        self.threads = checked_whole("threads", threads, MOST_THREADS)
        self.about: dict[int, Mapping[str, Any]] = {}
        """What seats learned of the players, by their places; known when the tables are closed."""
        self._players = [_sat_down(player, game) for player in players]
        # The caller's own thread is the first one, so that one thread needs no other.
        self._workers = [
            _Worker(game, self._players, self.about, clock) for _ in range(threads or core_count())
        ]

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def are_in_kernel(self) -> bool:
        """Whether the kernel plays all games: a schedule is one call then."""
        return self.clock is None and all(isinstance(one, KernelSeat) for one in self._players)

    def close(self) -> None:
        """Close all seats; a second call does nothing."""
        for worker in self._workers:
            worker.close()

    def play(
        self,
        schedule: Schedule,
        *,
        progress: Callable[[int], object] | None = None,
        on_finished: Callable[[Finished], object] | None = None,
        record_moves: bool = False,
    ) -> Results:
        """Play a schedule, players as places in the list; see `evoply.arena.play`.

        *on_finished* is told now and then how to get the games that are finished by then, but for
        those of a call of the kernel, which is all or nothing.
        """
        if self.cluster is not None:
            return play_elsewhere(
                self.cluster,
                play_part,
                self.game,
                self._players,
                schedule,
                progress=progress,
                on_finished=on_finished,
                record_moves=record_moves,
            )
        kernel = [one.native for one in self._players if isinstance(one, KernelSeat)]
        if self.are_in_kernel:
            return self._in_kernel(kernel, schedule, progress, record_moves)
        sides = np.column_stack([schedule.black, schedule.white])
        if sides.size and sides.max() >= len(self._players):
            raise ValueError(f"there is no player {sides.max()} among {len(self._players)}")
        is_kernel = np.array([isinstance(one, KernelSeat) for one in self._players])
        is_shared = np.array([_is_shared(one) for one in self._players])
        inside = is_kernel[sides].all(axis=1) & (self.clock is None)
        shared = is_shared[sides].any(axis=1)
        parts, places = [], []
        done = 0

        def told(count: int) -> None:
            (progress or ignored)(done + count)

        if inside.any():
            numbers = np.cumsum(is_kernel) - 1  # from a place among all to one in the kernel
            part = schedule.part(np.flatnonzero(inside))
            part = part.with_seats(numbers[part.black], numbers[part.white])
            parts.append(self._in_kernel(kernel, part, told, record_moves))
            places.append(np.flatnonzero(inside))
            done += len(part)

        def heard(count: int, finished: Finished) -> None:
            told(count)
            (on_finished or ignored)(partial(_with_earlier, parts, places, which, finished))

        for chosen, workers in ((~inside & ~shared, self._workers), (shared, self._workers[:1])):
            which = np.flatnonzero(chosen)
            if len(which):
                try:
                    parts.append(_outside(schedule.part(which), workers, heard, record_moves))
                except GamesStoppedError as stop:
                    by_then = [*places, which[stop.places]]
                    raise GamesStoppedError(*gathered([*parts, stop.results], by_then)) from None
                places.append(which)
                done += len(which)
        return joined_results(parts, places) if parts else _results([], record_moves, self.clock)

    def play_pairs(
        self,
        schedule: Schedule,
        *,
        progress: Callable[[int], object] | None = None,
        on_finished: Callable[[Finished], object] | None = None,
        record_moves: bool = False,
    ) -> tuple[Results, NDArray[np.intp], bool]:
        """Play pairs of games; return what was played, its places, and whether Ctrl-C ended it.

        Then whole pairs are left of what was finished: none of a call of the kernel. *on_finished*
        is that of `play`.
        """
        try:
            results = self.play(
                schedule, progress=progress, on_finished=on_finished, record_moves=record_moves
            )
        except GamesStoppedError as stop:
            return *stop.whole_pairs(), True
        except KeyboardInterrupt:
            return _results([], record_moves, self.clock), np.arange(0), True
        return results, np.arange(len(schedule)), False

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
    clock: TimeControl | None
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


def _outside(
    schedule: Schedule,
    workers: Sequence[_Worker],
    progress: Callable[[int, Finished], object],
    record_moves: bool,
) -> Results:
    """Play a schedule move by move, as many games at a time as there are workers."""
    played: list[Played | None] = [None] * len(schedule)
    workers = workers[: len(schedule)]
    clock = workers[0].clock

    def finished() -> tuple[Results, NDArray[np.intp]]:
        # A copy, because a thread may still end its game.
        there = {place: one for place, one in enumerate(list(played)) if one is not None}
        results = _results(list(there.values()), record_moves, clock)
        numbers = {place: number for number, place in enumerate(there)}
        forfeits = tuple(one.at(numbers[one.game]) for one in results.forfeits)
        return replace(results, forfeits=forfeits), np.array([*there], np.intp)

    try:
        if len(workers) == 1:
            for place in range(len(schedule)):
                played[place] = _game(schedule, place, workers[0])
                progress(place + 1, finished)
        else:
            _beside_one_another(schedule, workers, played, lambda done: progress(done, finished))
    except KeyboardInterrupt as error:
        raise GamesStoppedError(*finished()) from error
    return _results([one for one in played if one is not None], record_moves, clock)


def _results(played: Sequence[Played], record_moves: bool, clock: TimeControl | None) -> Results:
    return results_of(played, record_moves=record_moves, has_clocks=clock is not None)


def _with_earlier(
    parts: Sequence[Results],
    places: Sequence[NDArray[np.intp]],
    which: NDArray[np.intp],
    finished: Finished,
) -> tuple[Results, NDArray[np.intp]]:
    """Return *parts* and those of the games *which* that are *finished*, and all their places."""
    results, there = finished()
    return gathered([*parts, results], [*places, which[there]])


def _beside_one_another(
    schedule: Schedule,
    workers: Sequence[_Worker],
    played: list[Played | None],
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
                game = _game(schedule, place, worker)
                # What ends after a stop may have ended because its seats were closed.
                played[place] = None if stop.is_set() else game
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


def _game(schedule: Schedule, place: int, worker: _Worker) -> Played:
    """Play one game of a schedule."""
    black, white = int(schedule.black[place]), int(schedule.white[place])
    start = game_rules(worker.game).position_from_row(schedule.start_row(place))
    plies, key = schedule.opening_plies, int(schedule.opening_keys[place])
    opening = random_opening(start, key, plies, schedule.draws)
    stream = _native.Stream.from_key(int(schedule.game_keys[place]))
    out = played_out(opening, worker.pair(black, white), stream, worker.clock)
    if out.lost is None:
        return Played(out.record, None, out.seconds)
    color, error = out.lost
    forfeit = Forfeit(place, color, str(error), by_time=error.by_time)
    return Played(out.record, forfeit, out.seconds)
