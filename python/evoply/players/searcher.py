"""A player with a memory, whose search can be stopped and watched; analysis of positions."""

from collections.abc import Callable
from dataclasses import replace
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self

from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.players.endgame import MOST_THREADS
from evoply.players.grammar import Runs, read_player_of
from evoply.players.kernel_seat import (
    ALL_MOVES,
    ENGINE_TABLE,
    Answer,
    KernelSeat,
    choice_from,
    earlier_rows,
)
from evoply.players.search_options import MAX_DEPTH, MAX_TABLE
from evoply.protocols import Choice, Clock, Color, GameRecord, Position, Seat
from evoply.wording import shorten

# A player's analysis of one position: its choice, and its values of all moves.

_NO_CLOCK = Clock()


def analyse(
    player: object,
    game: Any,
    *,
    stream: Stream | None = None,
    every_move: bool = False,
    multi: int = 0,
    runs: Runs | None = None,
) -> Choice:
    """Return the choice of *player* at the end of *game*, a record or a position.

    The score is for the side to move. With *every_move* `Choice.moves` holds every legal move
    with its value, best first, if the player values moves: exact values, at the depth that the
    answer reached. With *multi* it holds so many of the best moves, which takes less time, and of
    equal moves the first. Draws come from *stream*, the stream of the game (default: a fixed one).
    A text names a player as `parse_player` reads it, with *runs* for champions. A forced move has
    no score and no depth. The exact solver of a player with `endgame` uses all cores, so the nodes
    of an exact choice vary, and nothing else.
    Raises `ValueError` if the game is over or the player does not play it, and `ForfeitError` for a
    bot that fails.

    >>> import evoply as ep
    >>> choice = ep.analyse("material:depth=3", ep.othello.Game.from_transcript("f5d6c3").position)
    >>> str(choice.move), choice.score, str(choice.color), choice.depth
    ('d3', 2.0, 'White', 3)
    >>> best = ep.analyse("material:depth=3", ep.othello.Position().play("f5"), multi=2).moves
    >>> [(str(move), value) for move, value in best]
    [('d6', 2.0), ('f4', 0.0)]
    """
    record = going_on(game)
    name = record.position.game
    player = read_player_of(player, name, runs)
    player.check_fits(name)
    stream = Stream(0, "analyse") if stream is None else stream
    seat = player.seat(name)
    seat.use_all_cores()
    try:
        return asked(seat, record, stream, best=best_moves(every_move, multi))
    finally:
        seat.close()


def best_moves(every_move: bool, multi: Any) -> int:
    """Return how many of the best moves are wanted; `ValueError` if *multi* is no such number."""
    if isinstance(multi, bool) or not isinstance(multi, int) or not 0 <= multi < ALL_MOVES:
        raise ValueError(f"multi: {multi!r} is not a number of moves - give a whole one from 0 on")
    wanted: int = multi
    if wanted and every_move:
        raise ValueError("give multi or every_move, not both: every_move values all moves")
    return ALL_MOVES if every_move else wanted


def record_of(game: Any) -> GameRecord:
    """Return *game* if it is a record; for a position, a record that begins and ends there.

    Raises TypeError for anything else.
    """
    if isinstance(game, type) or not (hasattr(game, "legal_moves") or hasattr(game, "position")):
        raise TypeError(
            f"game: {shorten(repr(game))} is neither a position nor a record of a game: see"
            " evoply.othello.Position.parse and evoply.othello.Game.from_transcript"
        )
    record: GameRecord = game_rules(game.game).game(game) if hasattr(game, "legal_moves") else game
    return record


def going_on(game: Any) -> GameRecord:
    """Return `record_of` *game*; `ValueError` if it is over."""
    record = record_of(game)
    if record.outcome() is not None:
        raise ValueError(f"the game is over: {record.outcome()}")
    return record


def asked(
    seat: Seat,
    game: GameRecord,
    stream: Stream,
    *,
    best: int = 0,
    clock: Clock = _NO_CLOCK,
) -> Choice:
    """Return the choice of *seat* in a game with the key of *stream*; see `analyse`.

    *clock* is its time; with the values of the *best* moves its time is unlimited.
    """
    moves = game.position.legal_moves
    is_asked = len(moves) > 1 or (best and isinstance(seat, KernelSeat) and not moves.must_pass)
    if not is_asked:
        return Choice(moves[0], line=(moves[0],))
    at_move = move_stream(stream, game)
    clock = replace(clock, moves=own_plies(game))
    if best and isinstance(seat, KernelSeat):
        return seat.analyse(game, at_move, clock, best=best)
    return seat.choose(game, at_move, clock)


def move_stream(stream: Stream, game: GameRecord) -> Stream:
    """Return the stream of the next move, which the kernel derives from that of the game alike."""
    position = game.position
    return stream.child(int(position.turn is Color.WHITE), position.ply)


def own_plies(game: GameRecord) -> int:
    """Return how many plies of *game* the side to move has played, passes included."""
    turn = game.position.turn
    return sum(position.turn is turn for position in game.positions[:-1])


_TO_EXPECT = 4
"""The depth in plies for guessing the move of the other side."""


class Searcher:
    """A player of the kernel with a memory: its table and killers live until `forget`.

    At equal depth it chooses as its player does, whatever it was asked before. Only the depth that
    it reaches within a limit depends on earlier questions, so with a limit in time or nodes it is
    not reproducible. A search at the position of the last question continues that search, and never
    answers with less than it knows. A player that does not look ahead answers at once.

    >>> import evoply as ep
    >>> with ep.Searcher("material") as searcher:
    ...     choice = searcher.think(ep.othello.Game.from_transcript("f5d6c3"), depth=3)
    >>> str(choice.move), choice.score, choice.depth
    ('d3', 2.0, 3)
    """

    def __init__(
        self,
        player: object,
        *,
        game: str = "othello",
        table: int = ENGINE_TABLE,
        threads: int = 1,
        stream: Stream | None = None,
        runs: Runs | None = None,
    ) -> None:
        """Give *player* a memory, for positions of *game*.

        *table*: 2**table positions are kept (0 to 22; 32 bytes each, as they are used) if the
        player itself keeps no more, and if its values can be kept at all. The exact solver of a
        player with `endgame` uses so many *threads* (0: one a core), which change no answer but its
        nodes. Draws come from *stream*, that of the game (default: that of `analyse`). A text names
        a player as `parse_player` reads it, with *runs* for champions. Raises `ValueError` if the
        player does not play the game, or is none that the kernel runs.
        """
        player = read_player_of(player, game, runs)
        player.check_fits(game)
        seat = player.seat(game)
        if not isinstance(seat, KernelSeat):
            seat.close()
            raise ValueError(
                f"{player.label}: only a player that evoply's kernel runs can stay - give one such "
                "as material:depth=8"
            )
        if not 0 <= table <= MAX_TABLE:
            raise ValueError(f"table: {table!r} - give a whole number from 0 to {MAX_TABLE}")
        if not 0 <= threads <= MOST_THREADS:
            raise ValueError(f"threads: {threads!r} - give a whole number from 0 to {MOST_THREADS}")
        self.player = player
        self.game = game
        self._most_seconds = None if seat.use is None else seat.use.seconds
        self._native = _native.Searcher(seat.native, table=table, threads=threads)
        self._stream = Stream(0, "analyse") if stream is None else stream
        self._lock = Lock()
        self._pondering: Thread | None = None
        self._latest: Choice | None = None
        self._info: Choice | None = None

    @property
    def info(self) -> Choice | None:
        """The best choice so far of the current or last search; None before the first."""
        return self._info

    def think(
        self,
        game: Any,
        *,
        depth: int | None = None,
        soft: float | None = None,
        hard: float | None = None,
        every_move: bool = False,
        multi: int = 0,
        told: Callable[[Choice], object] | None = None,
    ) -> Choice:
        """Return what the player chooses at the end of *game*, a record or a position.

        With *depth* it looks so many plies ahead, whatever its own limits are. No depth is begun
        after *soft* seconds; after *hard* seconds, or a `stop`, the last completed depth answers.
        *told* is called with the choice of each completed depth, which has depth, score, nodes,
        seconds since the question, and principal variation; it may call `stop`. With *every_move*
        `Choice.moves` has the value of every move, with *multi* those of so many best ones.
        Pondering ends; two questions at a time are answered one after the other. Raises
        `ValueError` if the game is over or another one.
        """
        record = self._record(game)
        if depth is not None and not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"depth: {depth!r} - give a whole number from 1 to {MAX_DEPTH}")
        for name, seconds in (("soft", soft), ("hard", hard)):
            if seconds is not None and not seconds >= 0:
                raise ValueError(f"{name}: {seconds!r} is not a time - give seconds, 0 or more")
        if depth is None and self._most_seconds is not None:
            hard = min(self._most_seconds, self._most_seconds if hard is None else hard)
        best = best_moves(every_move, multi)
        self._end_pondering()
        with self._lock:
            self._native.ready()
            self._info = None
            self._latest = self._search(
                record, depth=depth, soft=soft, hard=hard, best=best, told=told
            )
            return self._latest

    def ponder(self, game: Any) -> None:
        """Think, until `stop` or the next question, about the reply to the next move of *game*.

        *game* is a record or a position at which the other side is to move. Its move is guessed
        from earlier searches, and the player's reply is searched ever deeper. If the guess is
        right, `think` continues that search. Returns at once.
        """
        record = self._record(game)
        self._end_pondering()
        self._native.ready()
        self._pondering = Thread(target=self._ponder, args=(record,), daemon=True)
        self._pondering.start()

    def stop(self) -> None:
        """End the current search, if any; may be called from any thread."""
        self._native.stop()

    def forget(self) -> None:
        """Forget everything, as if the searcher were new."""
        self._end_pondering()
        with self._lock:
            self._native.forget()
            self._latest = self._info = None

    def close(self) -> None:
        """Stop the search and wait for its end; a second call does nothing."""
        self.stop()
        self._end_pondering()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _record(self, game: Any) -> GameRecord:
        record = going_on(game)
        name = record.position.game
        if name != self.game:
            raise ValueError(f"game: this searcher plays {self.game}, and was asked about {name}")
        return record

    def _search(
        self,
        record: GameRecord,
        *,
        depth: int | None = None,
        soft: float | None = None,
        hard: float | None = None,
        best: int = 0,
        told: Callable[[Choice], object] | None = None,
    ) -> Choice:
        position: Position = record.position

        def report(
            depth: int, score: float | None, nodes: int, seconds: float, line: list[int]
        ) -> None:
            answer: Answer = (line[0], score, nodes, line, depth, seconds, [], False)
            self._info = choice_from(answer, position)
            if told is not None:
                told(self._info)

        at_move = move_stream(self._stream, record)
        answer, _ = self._native.think(
            position.row,
            at_move.parent if at_move.parent is not None else at_move.key,
            moves=own_plies(record),
            depth=depth,
            soft=soft,
            hard=hard,
            best=best,
            earlier=earlier_rows(record),
            told=report,
        )
        return choice_from(answer, position)

    def _ponder(self, record: GameRecord) -> None:
        with self._lock:
            record = record.play(self._guess_reply(record))
            if record.outcome() is None:
                self._search(record, depth=MAX_DEPTH)

    def _guess_reply(self, record: GameRecord) -> Any:
        """Return the move that the other side is expected to make."""
        latest = self._latest
        if latest is not None and len(latest.line) > 1 and latest.line[:1] == record.moves[-1:]:
            expected = latest.line[1]
            if expected in record.position.legal_moves:
                return expected
        return self._search(record, depth=_TO_EXPECT).move

    def _end_pondering(self) -> None:
        pondering, self._pondering = self._pondering, None
        if pondering is not None:
            self._native.stop()
            pondering.join()
