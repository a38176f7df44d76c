"""The seat of a player that the kernel runs: what every model of ours but a bot sits down as."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.players.timing import TIMINGS, Measured, Timing, time_left
from evoply.protocols import Choice, Clock, GameRecord, Row

if TYPE_CHECKING:
    from evoply.players.kind import PlayerKind

Limited = Callable[[float, int | None], _native.Player]
"""Gives a player of the kernel limited to so many seconds a choice and, if one is given, to another
depth, which is then reached unless time ends it."""


@dataclass(frozen=True, slots=True)
class KernelSeat:
    """A player of the kernel at a board; whole games between such seats never enter Python.

    One seat may play any number of games at a time. In games with a clock they are played move by
    move, and a search is ended before the time is over: the last depth that it completed answers.
    """

    native: _native.Player
    limited: Limited | None = None
    """The same player with limits; None for one that chooses at once."""
    timing: Timing | None = None
    """How it divides the time of a game; None: as it plays without a clock, until time is short."""
    measured: Measured = field(default_factory=Measured)
    player: Callable[[], PlayerKind] | None = field(default=None, compare=False, repr=False)
    """Gives the player as data, for those who play elsewhere."""

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return the move that this player makes in a game of the kernel with the same key.

        That is without a clock; with one, what it can find out in the time left.
        """
        if self.limited is None or (clock.seconds_left is None and clock.move_seconds is None):
            return self.analyse(game, stream, clock, every_move=False)
        left = time_left(clock, game.position)
        if self.timing is None:
            seconds = left.longest
            within = self.limited(max(seconds, 0.0), None if seconds > 0 else 1)
            return replace(self, native=within).analyse(game, stream, clock, every_move=False)
        limited = self.limited

        def search(depth: int, seconds: float, *, every_move: bool = False) -> Choice | None:
            seat = replace(self, native=limited(max(seconds, 0.0), depth))
            choice = seat.analyse(game, stream, clock, every_move=every_move)
            # Short of its depth and of its time, it has seen all lines to the end of the game.
            is_finished = choice.depth >= depth or choice.seconds < seconds
            return choice if is_finished else None

        begun = time.monotonic()
        choice = TIMINGS[self.timing](search, left, self.measured, time.monotonic)
        return replace(choice, seconds=time.monotonic() - begun, moves=())

    def analyse(
        self, game: GameRecord, stream: Stream, clock: Clock, /, *, every_move: bool
    ) -> Choice:
        """Return the choice without a limit in time, and with *every_move* all values of moves.

        Those are there where the player values moves.
        """
        position = game.position
        row: Row = position.row
        code, score, nodes, line, depth, seconds, values = _native.analyse(
            self.native,
            *row,
            stream.key if stream.parent is None else stream.parent,
            moves=clock.moves,
            every_move=every_move,
        )
        move_from_code = game_rules(position.game).move_from_code
        choice = Choice(
            move=move_from_code(code),
            depth=depth,
            nodes=nodes,
            seconds=seconds,
            line=tuple(map(move_from_code, line)),
            # Equal values stay in the order of legal moves.
            moves=tuple(
                (move_from_code(code), value)
                for code, value in sorted(values, key=lambda pair: -pair[1])
            ),
        )
        return choice if score is None else replace(choice, score=score, color=position.turn)

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""
