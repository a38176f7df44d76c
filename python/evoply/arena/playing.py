"""Where games are played: in the kernel if both seats are the kernel's, else move by move.

`play` takes players of any kind. Games outside the kernel run beside one another, every thread with
seats of its own, such as the processes of bots; only those at a seat that all games share (an
object in Python, a player that carries something from game to game) are played one after the other
by the caller's own thread. All draws come from the keys of the schedule, so the results are the
same either way.

With a clock every game is played move by move. A thread plays one game at a time, and what a move
takes is wall time in that thread.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena.game_terms import MOST_THREADS
from evoply.arena.on_cluster import (
    batches_on_cluster,
    check_sendable,
    packed_results,
    unpacked_batch,
)
from evoply.arena.schedule import (
    FinishedGames,
    Forfeit,
    Results,
    Schedule,
    checked_whole,
    gathered,
    ignore,
    play_in_kernel,
)
from evoply.arena.told_seats import told, whole_record
from evoply.environment import core_count
from evoply.games import game_rules
from evoply.games.formats.sources import GamePlayed
from evoply.games.position import DrawRules
from evoply.players import KernelSeat, player_of
from evoply.players.searcher import move_stream
from evoply.protocols import (
    Cluster,
    Color,
    Ending,
    ForfeitError,
    GameInProgress,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Player,
    Position,
    Seat,
    TimeControl,
    choice_of,
)

# Plays one game move by move: the plain version of what the kernel does with thousands.


def random_opening(
    start: Position, key: int, plies: int, draws: DrawRules | None = None
) -> GameRecord:
    """Return a game of up to *plies* uniformly random moves; a forced move draws nothing.

    *draws* are the rules about draws, by default the usual ones of the game.
    """
    stream = _native.Stream.from_key(key)
    game = game_rules(start.game).game(start, draws=draws)
    while len(game) < plies and game.outcome() is None:
        moves = game.position.legal_moves
        game = game.play(moves[0] if len(moves) == 1 else moves[stream.below(len(moves))])
    return game


def play_game(
    seats: tuple[Seat, Seat],
    *,
    start: Position,
    opening_key: int,
    opening_plies: int,
    game_key: int,
    draws: DrawRules | None = None,
    clock: TimeControl | None = None,
    now: Callable[[], float] = time.monotonic,
) -> GameRecord:
    """Play one game, Black's seat first, and return its record, opening included.

    It is the plain version of what the kernel does: seats of the kernel make the same moves in
    both. *draws* as in `random_opening`; *clock* is the time of each side for all its moves,
    measured by *now*, in seconds. Raises `ForfeitError` if a seat raises it or runs out of time.
    """
    opening = random_opening(start, opening_key, opening_plies, draws)
    played = play_out(opening, seats, _native.Stream.from_key(game_key), clock, now)
    if played.loser is not None:
        raise ForfeitError(played.reason, by_time=played.by_time)
    return played.record


def play_out(
    game: GameRecord,
    seats: tuple[Seat, Seat],
    stream: _native.Stream,
    control: TimeControl | None = None,
    now: Callable[[], float] = time.monotonic,
) -> GameInProgress:
    """Play *game* to its end and return it.

    With a *control*, a side that uses more time than it has left forfeits by time, whatever its
    answer. Time runs between question and answer; a forced move takes none, and seats get ready
    before the clocks start.
    """
    playing = GameInProgress.begin(game, control, late="its clock of {control} ran out")
    at_board = dict(zip(Color, seats, strict=True))
    if control is not None:
        for turn, seat in at_board.items():
            try:
                seat.get_ready()
            except ForfeitError as error:
                playing = playing.forfeit(turn, str(error), by_time=error.by_time)
                break
    while not (playing := playing.play_forced()).is_over:
        playing = _ask(playing, at_board[playing.turn], stream, now)
    return playing


def _ask(
    playing: GameInProgress, seat: Seat, stream: _native.Stream, now: Callable[[], float]
) -> GameInProgress:
    """Return the game after the answer of *seat*; a late answer loses the game."""
    game, turn = playing.record, playing.turn
    clock = playing.clocks[turn]
    playing = playing.ask(now())
    try:
        answer = seat.choose(game, move_stream(stream, game), clock)
    except ForfeitError as error:
        return playing.stop(now()).forfeit(turn, str(error), by_time=error.by_time)
    playing = playing.stop(now())
    if playing.loser is not None:
        return playing
    try:
        return playing.play(choice_of(answer, game).move)
    except (IllegalMoveError, InvalidMoveError) as error:
        raise IllegalMoveError(f"{type(seat).__name__} as {turn}: {error}") from None


# Converts the results of a schedule into single games, and single games into results.

_ENDINGS: list[Ending | None] = list(Ending)
_WINNERS = {1: Color.BLACK, -1: Color.WHITE, 0: None}
_SIGNS = {winner: sign for sign, winner in _WINNERS.items()}


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played move by move; a forfeit has its index in the schedule."""

    record: GameRecord
    forfeit: Forfeit | None = None
    seconds: tuple[float, float] | None = None
    """The seconds that Black and White used; None without clocks."""


def games_played(
    game: str, labels: Sequence[str], schedule: Schedule, results: Results
) -> Iterator[GamePlayed]:
    """Yield the games of a schedule whose moves were recorded."""
    reasons = {forfeit.game: forfeit.reason for forfeit in results.forfeits}
    for index, codes in enumerate(results.moves or ()):
        line = schedule.line(index)
        yield GamePlayed(
            black=labels[int(schedule.black[index])],
            white=labels[int(schedule.white[index])],
            record=whole_record(game, line, codes),
            winner=_WINNERS[int(results.winners[index])],
            ending=list(Ending)[int(results.endings[index])],
            opening_plies=schedule.opening_plies + len(line[1]),
            key=int(schedule.game_keys[index]),
            opening_key=int(schedule.opening_keys[index]),
            forfeit=reasons.get(index),
        )


def results_of(
    played: Sequence[PlayedGame], *, record_moves: bool = True, has_clocks: bool = False
) -> Results:
    """Return the results of games played outside the kernel, in the order of a schedule."""
    finals = [game.record.position for game in played]
    moves = [_codes(game.record) for game in played]
    seconds = [game.seconds or (0.0, 0.0) for game in played]
    endings = [
        _ENDINGS.index(Ending.FORFEIT if game.forfeit else game.record.ending()) for game in played
    ]
    return Results(
        black_discs=np.array([p.pieces(Color.BLACK) for p in finals], dtype=np.int32),
        white_discs=np.array([p.pieces(Color.WHITE) for p in finals], dtype=np.int32),
        winners=np.array([_winner(game) for game in played], dtype=np.int8),
        endings=np.array(endings, dtype=np.uint8),
        plies=np.array([len(codes) for codes in moves], dtype=np.int32),
        hashes=np.array(
            [_hash(game.record, codes) for game, codes in zip(played, moves, strict=True)],
            dtype=np.uint64,
        ),
        moves=moves if record_moves else None,
        forfeits=tuple(
            game.forfeit.at(index) for index, game in enumerate(played) if game.forfeit is not None
        ),
        seconds=np.array(seconds, dtype=np.float64).reshape(-1, 2) if has_clocks else None,
    )


def _codes(record: GameRecord) -> list[int]:
    shape = record.position.shape
    return [move.code(shape) for move in record.moves]


def _hash(record: GameRecord, codes: Sequence[int]) -> int:
    """Return 64 bits that are equal for equal games, whenever and wherever they are played."""
    text = repr((record.start.row, *codes)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _winner(game: PlayedGame) -> int:
    if game.forfeit is not None:
        return _SIGNS[game.forfeit.color.opposite]
    outcome = game.record.outcome()
    return _SIGNS[None if outcome is None else outcome.winner]


_TICK = 0.1
"""Seconds between two looks at progress and Ctrl-C."""
_LAST_MOVES = 0.25
"""Seconds to wait for threads after Ctrl-C: a longer search ends with the process."""
_FEWEST_GAMES = 16
_SECONDS_A_PART = 5.0
"""Batches that take the kernel less time grow; Ctrl-C loses one batch at most."""
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
    called with the number of finished games a few times a second. Ctrl-C raises KeyboardInterrupt
    within a fraction of a second, and every seat is closed. A seat that raises `ForfeitError` loses
    its game (`Results.forfeits`); any other error ends the call. *clock* is the time of each side
    for all its moves of a game; a side that overruns it loses. The workers of a *cluster* play with
    the same results. Raises `ValueError` unless *threads* is from 0 to 1024, and for players who
    cannot be sent to a cluster.
    """
    with GamesRunner(game, players, threads=threads, clock=clock, cluster=cluster) as runner:
        return runner.play(schedule, progress=progress, record_moves=record_moves)


def play_batch(data: bytes) -> bytes:
    """Play a batch of a schedule on one thread: the unit of work of a cluster."""
    game, players, schedule, record_moves = unpacked_batch(data)
    return packed_results(play(game, players, schedule, threads=1, record_moves=record_moves))


class GamesRunner:
    """Players who play schedule after schedule; their seats stay open until `close`."""

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
        """What seats learned about the players, by their indices; complete after `close`."""
        self._players: list[_AtBoard] = []
        # The caller's own thread is the first one, so that one thread needs no other.
        self._workers = [
            _Worker(game, self._players, self.about, clock) for _ in range(threads or core_count())
        ]
        try:
            for number, player in enumerate(players):
                self._players.append(_seat_or_player(player, game))
                if cluster is None:
                    self._workers[0].check(number)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> GamesRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def are_in_kernel(self) -> bool:
        """Whether the kernel plays all games, so that a schedule is one call."""
        return self.clock is None and all(
            isinstance(player, KernelSeat) for player in self._players
        )

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
        """Play a schedule, whose players are indices into the list; see `evoply.arena.play`."""
        batches = self.batches(schedule, progress=progress, record_moves=record_moves)
        return gathered([*batches]).results

    def batches(
        self,
        schedule: Schedule,
        *,
        sizes: Iterable[int] | None = None,
        order: NDArray[np.intp] | None = None,
        progress: Callable[[int], object] | None = None,
        record_moves: bool = False,
    ) -> Iterator[FinishedGames]:
        """Yield the games of a schedule as they are finished, in any order; one batch at least.

        *order* has the indices of the games in the order in which they begin. *sizes* yields how
        many games are finished before others begin, until it ends; None: all at once. A call of the
        kernel is all or nothing, and reports its games to *progress* while it plays them.
        """
        is_whole = order is None and sizes is None
        order = np.arange(len(schedule)) if order is None else order
        begin = 0
        for size in [len(schedule)] if sizes is None else sizes:
            chosen, done = order[begin : begin + size], begin
            batch = schedule if is_whole else schedule.batch(chosen)

            def report(count: int, before: int = begin) -> None:
                (progress or ignore)(before + count)

            kernel_progress = None if progress is None else report
            for finished in self._batches_of(batch, kernel_progress, record_moves):
                done += len(finished)
                yield FinishedGames(chosen[finished.places], finished.results)
                (progress or ignore)(done)
            begin += size
            if begin >= len(order):
                return

    def sizes(self, most: int) -> Iterator[int]:
        """Yield how many games to play at a time, at most *most*, so that Ctrl-C loses few.

        Outside the kernel it loses only the games in progress.
        """
        size = min(most, _FEWEST_GAMES) if self.are_in_kernel and self.cluster is None else most
        while True:
            began = time.monotonic()
            yield size
            if time.monotonic() - began < _SECONDS_A_PART:
                size = min(most, 2 * size)

    def _batches_of(
        self, schedule: Schedule, progress: Callable[[int], object] | None, record_moves: bool
    ) -> Iterator[FinishedGames]:
        """Yield the games of a schedule, those of the kernel first; it reports to *progress*."""
        if self.cluster is not None and len(schedule):
            yield from batches_on_cluster(
                self.cluster,
                play_batch,
                self.game,
                self._players,
                schedule,
                record_moves=record_moves,
            )
            return
        kernel = [player.native for player in self._players if isinstance(player, KernelSeat)]
        in_kernel = partial(
            play_in_kernel,
            self.game,
            kernel,
            threads=self.threads,
            progress=progress,
            record_moves=record_moves,
        )
        if self.are_in_kernel:
            yield FinishedGames(np.arange(len(schedule)), in_kernel(schedule))
            return
        sides = np.column_stack([schedule.black, schedule.white])
        if sides.size and sides.max() >= len(self._players):
            raise ValueError(f"there is no player {sides.max()} among {len(self._players)}")
        is_kernel = np.array([isinstance(player, KernelSeat) for player in self._players])
        is_shared = np.array([_is_shared(player) for player in self._players])
        inside = is_kernel[sides].all(axis=1) & (self.clock is None)
        shared = is_shared[sides].any(axis=1)
        if not len(schedule):
            yield FinishedGames(np.arange(0), results_of([], has_clocks=self.clock is not None))
        if inside.any():
            which = np.flatnonzero(inside)
            numbers = np.cumsum(is_kernel) - 1  # the kernel's number of each player
            batch = schedule.batch(which)
            yield FinishedGames(
                which, in_kernel(batch.with_seats(numbers[batch.black], numbers[batch.white]))
            )
        for chosen, workers in ((~inside & ~shared, self._workers), (shared, self._workers[:1])):
            which = np.flatnonzero(chosen)
            for finished in _play_outside(schedule.batch(which), workers, record_moves):
                yield FinishedGames(which[finished.places], finished.results)


_AtBoard = KernelSeat | Seat | Player


def _is_shared(player: object) -> bool:
    return isinstance(player, Seat) and player.is_shared


def _seat_or_player(player: object, game: str) -> _AtBoard:
    if isinstance(player, KernelSeat) or _is_shared(player):
        return cast(_AtBoard, player)
    known = player_of(player)
    known.check_fits(game)
    # Seats outside the kernel are cheap until they are asked for a move.
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
        """Return the seats of two players; a player against itself has two."""
        return self.seat(black, (black, white)), self.seat(white, (black, white), black == white)

    def seat(self, number: int, needed: tuple[int, int], is_second: bool = False) -> Seat:
        player = self.players[number]
        if isinstance(player, KernelSeat) or _is_shared(player):
            return cast(Seat, player)
        key = number, is_second
        seat = self.seats.pop(key, None)
        if seat is None:
            spare = [seat for seat in self.seats if seat[0] not in needed]
            if len(self.seats) >= _MOST_SEATS and spare:
                self._close(spare[0][0], self.seats.pop(spare[0]))
            seat = cast(Player, player).seat(self.game)
        with self._lock:
            if self._is_closed:
                seat.close()
                raise ForfeitError("the games were stopped")
            self.seats[key] = seat  # last in order: the first is the one longest unused
        return seat

    def check(self, number: int) -> None:
        """Raise `ValueError` if a player cannot play at all."""
        self.seat(number, (number, number)).check()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            seats = list(self.seats.items())
        for (number, _), seat in seats:
            self._close(number, seat)

    def _close(self, number: int, seat: Seat) -> None:
        seat.close()
        if seat.about:
            self.about.setdefault(number, seat.about)


def _play_outside(
    schedule: Schedule, workers: Sequence[_Worker], record_moves: bool
) -> Iterator[FinishedGames]:
    """Play a schedule move by move, as many games at a time as there are workers."""
    workers = workers[: len(schedule)]
    if len(workers) > 1:
        games = _play_concurrently(schedule, workers)
    else:
        games = ({index: _play_one(schedule, index, workers[0])} for index in range(len(schedule)))
    for ended in games:
        has_clocks = workers[0].clock is not None
        results = results_of([*ended.values()], record_moves=record_moves, has_clocks=has_clocks)
        yield FinishedGames(np.array([*ended], np.intp), results)


def _play_concurrently(
    schedule: Schedule, workers: Sequence[_Worker]
) -> Iterator[dict[int, PlayedGame]]:
    """Yield games by their indices as they end; on an error or Ctrl-C close all seats first."""
    indices = SimpleQueue[int]()
    for index in range(len(schedule)):
        indices.put(index)
    finished = SimpleQueue[tuple[int, PlayedGame] | BaseException]()
    stop = Event()

    def work(worker: _Worker) -> None:
        while not stop.is_set():
            try:
                index = indices.get_nowait()
            except Empty:
                return
            try:
                finished.put((index, _play_one(schedule, index, worker)))
            except BaseException as error:
                finished.put(error)
                return

    # Daemons, because a search that continues after Ctrl-C must not keep the process alive.
    threads = [Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    with _cleanup(stop, workers, threads):
        for thread in threads:
            thread.start()
        left = len(schedule)
        while left:
            ended: dict[int, PlayedGame] = {}
            with suppress(Empty):
                item = finished.get(timeout=_TICK)
                while not isinstance(item, BaseException):
                    ended[item[0]] = item[1]
                    item = finished.get_nowait()
                raise item
            if ended:
                left -= len(ended)
                yield ended


@contextmanager
def _cleanup(stop: Event, workers: Sequence[_Worker], threads: Sequence[Thread]) -> Iterator[None]:
    """Wait for *threads* at the end of the block; after an error, stop them and close all seats."""
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


def _play_one(schedule: Schedule, index: int, worker: _Worker) -> PlayedGame:
    black, white = int(schedule.black[index]), int(schedule.white[index])
    start = game_rules(worker.game).position_from_row(schedule.start_row(index))
    plies, key = schedule.opening_plies, int(schedule.opening_keys[index])
    opening = random_opening(start, key, plies, schedule.draws)
    stream = _native.Stream.from_key(int(schedule.game_keys[index]))
    own, other = (told(seat, schedule.line(index)) for seat in worker.pair(black, white))
    ended = play_out(opening, (own, other), stream, worker.clock)
    forfeit = None
    if ended.loser is not None:
        forfeit = Forfeit(index, ended.loser, ended.reason, by_time=ended.by_time)
    return PlayedGame(ended.record, forfeit, ended.used(len(opening)))
