"""The seat of a player that the kernel runs, as all of evoply's models except bots and engines."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.players.timing import TIMINGS, MeasuredSearches, Timing, time_left
from evoply.protocols import Choice, Clock, GameRecord, Player, Position, Row, Seat

ALL_MOVES = 2**32 - 1
"""The number of best moves that means every one of them."""
ENGINE_TABLE = 18
"""An engine keeps 2**ENGINE_TABLE positions, or more if its player does."""

Answer = tuple[
    int, float | None, int, list[int], int, float, list[tuple[int, float, list[int]]], bool
]  # fmt: skip
"""The kernel's answer: move, score, nodes, line, depth, seconds, the moves with their values and
lines, if they are exact."""


def earlier_rows(game: GameRecord) -> list[Row]:
    """Return the rows of positions of *game* that could come again, for who presses on."""
    return [position.row for position in game.reversible]


@dataclass(frozen=True, slots=True)
class TimeUse:
    """How a player that looks ahead uses the time of a game."""

    timing: Timing | None = None
    """How it divides the time; None: it plays as without a clock until time is short."""
    seconds: float = math.inf
    """The most seconds for a move without *timing*."""
    is_shared_evenly: bool = False
    """Whether each move left gets as much, without *timing*, and what was found before is no help:
    for players that look no depth after the other."""


@dataclass(slots=True, eq=False)
class KernelSeat(Seat):
    """The seat of a player of the kernel, which plays whole games between such seats itself.

    One seat may play any number of games at a time. Games with a clock are played move by move by
    a persistent engine, one in each thread; a search ends before the time is over, and its last
    completed depth answers.
    """

    native: _native.Player
    use: TimeUse | None = None
    """How it uses time; None for a player without a search."""
    measured: MeasuredSearches = field(default_factory=MeasuredSearches)
    player: Callable[[], Player] | None = field(default=None, repr=False)
    """Returns the player as data, to play on other machines."""
    threads: int = 1
    """Threads of the exact solver (0: all cores), which change nothing but the nodes of a choice: a
    match plays games on all cores already."""
    _own: threading.local = field(default_factory=threading.local, repr=False)
    """The engine of each thread."""

    def use_all_cores(self) -> None:
        """Solve on all cores from now on."""
        self.threads = 0

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return the move that this player makes in a game of the kernel with the same key.

        With a clock, return the best move that it finds in the time left.
        """
        if self.use is None or (clock.seconds_left is None and clock.move_seconds is None):
            return self.analyse(game, stream, clock)
        position, key, begun = game.position, _key_of_game(stream), time.monotonic()
        left = time_left(clock, position)
        engine, reached = self._engine(), 0
        engine.ready()

        def search(depth: int | None, seconds: float, *, every_move: bool = False) -> Choice | None:
            nonlocal reached
            answer, is_complete = engine.think(
                position.row,
                key,
                moves=clock.moves,
                depth=depth,
                hard=seconds if seconds < math.inf else None,
                # A search that continued an earlier one is too deep to have all values.
                best=ALL_MOVES if every_move and depth is not None and reached <= depth else 0,
                earlier=earlier_rows(game),
            )
            choice = choice_from(answer, position)
            reached = choice.depth
            return choice if is_complete or depth is None else None

        if self.use.is_shared_evenly:
            choice = search(None, max(min(left.share, self.use.seconds), 0.0))
            assert choice is not None  # nothing was asked but what there is time for
            return choice
        if self.use.timing is None:
            seconds = min(left.longest, self.use.seconds)
            choice = search(None, seconds) if seconds > 0 else search(1, math.inf)
            assert choice is not None  # one ply is always finished
            return choice
        if left.usable > 0:
            within = left.usable / _FOR_THE_SOLVER
            exact = engine.solve(
                position.row,
                key,
                moves=clock.moves,
                within=within if within < math.inf else None,
            )
            if exact is not None:
                return choice_from(exact, position)
        spent = time.monotonic() - begun
        left = replace(left, seconds=left.seconds - spent, move_seconds=left.move_seconds - spent)
        choice = TIMINGS[self.use.timing](search, left, self.measured, time.monotonic)
        return replace(choice, seconds=time.monotonic() - begun, moves=(), lines=())

    def analyse(
        self, game: GameRecord, stream: Stream, clock: Clock, /, *, best: int = 0
    ) -> Choice:
        """Return the choice without a limit in time, with the values of the *best* moves.

        Those are there where the player values moves.
        """
        position = game.position
        row: Row = position.row
        answer = _native.analyse(
            self.native,
            *row,
            _key_of_game(stream),
            moves=clock.moves,
            best=best,
            threads=self.threads,
            earlier=earlier_rows(game),
        )
        return choice_from(answer, position)

    def ponder(
        self, game: GameRecord, key: int, *, moves: int, depth: int
    ) -> Callable[[], None] | None:
        """Begin to think about a position at which this player may have to move later.

        *key* is that of the game, *moves* the number of plies that the player has played in it;
        it looks at most *depth* plies ahead. Return a function that ends the search and waits for
        its end; None if thinking now would be no help then. If the game reaches this position,
        `choose` with a clock, in the same thread, continues the search.
        """
        if self.use is None or self.use.is_shared_evenly or game.outcome() is not None:
            return None
        engine, row = self._engine(), game.position.row
        engine.ready()
        thread = threading.Thread(
            target=engine.think,
            args=(row, key),
            kwargs={"moves": moves, "depth": depth, "earlier": earlier_rows(game)},
        )
        thread.daemon = True
        thread.start()

        def end() -> None:
            engine.stop()
            thread.join()

        return end

    def anew(self) -> KernelSeat:
        """Return a seat of the same player with empty tables, without lowering it again."""
        return KernelSeat(self.native, self.use, player=self.player)

    def _engine(self) -> _native.Searcher:
        """Return the engine of this thread."""
        engine: _native.Searcher | None = getattr(self._own, "engine", None)
        if engine is None:
            engine = self._own.engine = _native.Searcher(
                self.native, table=ENGINE_TABLE, threads=self.threads
            )
        return engine


_FOR_THE_SOLVER = 4
"""The exact solver gets the usable time divided by this number."""


def choice_from(answer: Answer, position: Position) -> Choice:
    """Return the kernel's *answer* at *position* as a choice."""
    code, score, nodes, line, depth, seconds, values, is_exact = answer
    move_from_code = game_rules(position.game).move_from_code
    # Equal values stay in the order of legal moves.
    values.sort(key=lambda valued: -valued[1])
    choice = Choice(
        move=move_from_code(code),
        depth=depth,
        nodes=nodes,
        seconds=seconds,
        line=tuple(map(move_from_code, line)),
        moves=tuple((move_from_code(code), value) for code, value, _ in values),
        lines=tuple(tuple(map(move_from_code, line)) for *_, line in values),
        notes={"exact": True} if is_exact else {},
    )
    return choice if score is None else replace(choice, score=score, color=position.turn)


def _key_of_game(stream: Stream) -> int:
    return stream.key if stream.parent is None else stream.parent
