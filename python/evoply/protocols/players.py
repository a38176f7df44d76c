"""The contract of players: data, a seat at a board, its choices; a game that is played.

A player describes itself (`Player`) and gives a *seat* for a game, which chooses moves. The kernel
plays whole schedules between its own seats (`evoply.players.KernelSeat`); every other seat, such as
a bot's process, is asked move by move. Every seat answers with a `Choice`, a search of the kernel
as well as a bot that only names a move.

Reasons: docs/design/players.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol, Self

from evoply._native import Stream
from evoply.protocols.errors import IllegalMoveError, InvalidMoveError
from evoply.protocols.games import Color, GameRecord, TimeControl

CERTAIN = 1e14
"""Values of won and lost games are larger than this; those of boards and their differences are not:
the kernel keeps what leaves an evaluator within 1e12."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that a seat has when it is asked for a move; None means no limit."""

    move_seconds: float | None = None
    """Seconds for this move."""
    seconds_left: float | None = None
    """Seconds for all remaining moves, this one included."""
    increment: float = 0.0
    """Seconds that each move adds to those left."""
    moves: int = 0
    """Plies that this side has played, forced passes included, those of a random opening not."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen move and what is known about it."""

    move: Any
    """One of the legal moves."""
    score: float | None = None
    """The value of the move to *color*, on the evaluator's scale, or beyond `CERTAIN` where the
    game is won or lost; None if nothing was valued."""
    color: Color | None = None
    """The side whose score it is: always the side that chooses; None without a score."""
    depth: int = 0
    """Plies looked ahead, the move included; 0 if nothing was valued."""
    nodes: int = 0
    """Positions entered and leaves valued."""
    seconds: float = 0.0
    """The time from question to answer."""
    line: tuple[Any, ...] = ()
    """The principal variation, which begins with the move; may be empty."""
    moves: tuple[tuple[Any, float], ...] = ()
    """Every legal move with its value to *color*, best first, if that was asked for and the player
    values moves."""
    lines: tuple[tuple[Any, ...], ...] = ()
    """What is expected with each of *moves*, in their order: each line begins with its move, and is
    that move alone where the player did not look further. Lines of equal value may differ from
    *line*."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Further facts by name, as JSON-ready data."""


def choice_of(answer: object, game: GameRecord) -> Choice:
    """Return the answer of a seat, a `Choice`, a move or its text, as a legal choice.

    Raises `IllegalMoveError` or `InvalidMoveError` for any other answer.
    """
    choice = answer if isinstance(answer, Choice) else Choice(answer)
    moves = game.position.legal_moves
    if isinstance(choice.move, str):
        return replace(choice, move=game.play(choice.move).moves[-1])
    if not isinstance(choice.move, type(moves[0])):
        raise InvalidMoveError(
            f"{repr(choice.move)[:80]} is not a move: return one of game.position.legal_moves, or "
            "its text"
        )
    if choice.move not in moves:
        game.play(choice.move)  # says why not
        raise IllegalMoveError(f"illegal move {choice.move} in {game.position.text()}")
    return choice


class Seat(ABC):
    """Sits at one board of one game and chooses moves for one side: the base of every seat."""

    about: Mapping[str, Any] = MappingProxyType({})
    """Facts that it learned about its player, such as the version of an engine, by name; results of
    matches show them."""
    is_shared: bool = False
    """Whether this one seat plays all games of a match, one after another."""

    @abstractmethod
    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return a choice among `game.position.legal_moves`; called only if there are several.

        All draws come from *stream*, whose key belongs to this game, side and ply; its `parent` is
        the key of the game. So the same game gets the same choices, whatever was asked before.
        A seat that cannot go on raises `ForfeitError` and loses this game; any other error ends
        the whole call.
        """

    def close(self) -> None:
        """Release what the seat holds, such as a process; a second call does nothing."""
        return

    def use_all_cores(self) -> None:
        """Think on all cores from now on, if it can; called when no other seat is thinking."""
        return

    def anew(self) -> Seat:
        """Return a seat of the same player with empty search tables; this seat if it has none."""
        return self

    def check(self) -> None:
        """Raise `ValueError` if the player cannot play at all; called before its first game.

        That an engine does not speak its protocol is no strength of its opponents.
        """
        return

    def get_ready(self) -> None:
        """Do slow preparations, such as starting a process, before the clocks of a game start."""
        return


class Player(Protocol):
    """A player as data: its name, the games that it plays, and its seats."""

    @property
    def label(self) -> str:
        """The name, or a description in one line."""

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again."""

    def check_fits(self, game: str, /) -> None:
        """Raise `ValueError` if the player cannot play *game*."""

    def seat(self, game: str, /) -> Seat:
        """Return a seat for *game*, which the caller closes; `ValueError` if it cannot play it."""


# A game in progress as an immutable value: its record, both clocks, and a forfeit if any.
#
# It knows no seats and reads no clock: the caller passes the time, in seconds from any source that
# never goes back.


@dataclass(frozen=True, slots=True)
class GameInProgress:
    """A game between two moves or during a move: every method returns a new value."""

    record: GameRecord
    control: TimeControl | None = None
    """The time with which both sides began; None for a game without clocks."""
    late: str = "the flag has fallen (clock {control})"
    """The reason of a loss by time."""
    clocks: Mapping[Color, Clock] = field(default_factory=lambda: dict.fromkeys(Color, Clock()))
    """What each side had when its clock last stopped; below 0 seconds for a side that was late."""
    began: float | None = None
    """When the clock of the side to move started; None while it stands still."""
    loser: Color | None = None
    """The side that lost by forfeit, whatever is on the board."""
    reason: str = ""
    """Why it forfeited."""
    by_time: bool = False
    """Whether it ran out of time."""

    @classmethod
    def begin(cls, record: GameRecord, control: TimeControl | None = None, **more: Any) -> Self:
        """Return the game that continues *record*, with all of the time of *control*."""
        game = cls(record, control, **more)
        if control is None:
            return game
        clock = Clock(seconds_left=control.seconds, increment=control.increment)
        return replace(game, clocks=dict.fromkeys(Color, clock))

    @property
    def turn(self) -> Color:
        """The side to move."""
        turn: Color = self.record.position.turn
        return turn

    @property
    def _is_timed(self) -> bool:
        return self.clocks[self.turn].seconds_left is not None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.loser is not None or self.record.outcome() is not None

    def left(self, color: Color, now: float | None = None) -> float:
        """Return the seconds a side has left, at the time *now* or when its clock last stopped."""
        left = self.clocks[color].seconds_left
        if left is None:
            return math.inf
        if now is None or self.began is None or color is not self.turn or self.is_over:
            return left
        return left - max(0.0, now - self.began)

    def used(self, opening_plies: int = 0) -> tuple[float, float] | None:
        """Return the seconds Black and White took after the opening; None without clocks."""
        if self.control is None:
            return None
        whole, increment = self.control.seconds, self.control.increment
        movers = [position.turn for position in self.record.positions[opening_plies:-1]]
        black, white = (
            max(0.0, whole + increment * movers.count(color) - self.left(color)) for color in Color
        )
        return black, white

    def with_left(self, left: Mapping[Color, float | None]) -> Self:
        """Return the game with *left* seconds on the clocks, None for a side without a clock."""
        clocks = {color: replace(self.clocks[color], seconds_left=left[color]) for color in Color}
        return replace(self, clocks=clocks)

    def ask(self, now: float) -> Self:
        """Return the game with the clock of the side to move, if any, running from *now* on."""
        return replace(self, began=now) if self._is_timed else self

    def stop(self, now: float) -> Self:
        """Return the game with the clock stopped; the side to move has lost if it overran."""
        if not self._is_timed:
            return self
        left = self.left(self.turn, now)
        clock = replace(self.clocks[self.turn], seconds_left=left)
        stopped = replace(self, began=None, clocks={**self.clocks, self.turn: clock})
        if left >= 0:
            return stopped
        return stopped.forfeit(self.turn, self.late.format(control=self.control), by_time=True)

    def play(self, move: Any, now: float | None = None) -> Self:
        """Return the game after *move*, a move or its text, with the clock stopped at *now*.

        Raises `IllegalMoveError` and `InvalidMoveError` as `GameRecord.play`. A side that is late
        has lost, and its move is not played.
        """
        record = self.record.play(move)
        stopped = self if now is None else self.stop(now)
        if stopped.loser is not None:
            return stopped
        turn = self.turn
        clock = stopped.clocks[turn]
        left = None if clock.seconds_left is None else clock.seconds_left + clock.increment
        clock = Clock(clock.move_seconds, left, clock.increment, clock.moves + 1)
        clocks = {**stopped.clocks, turn: clock}
        return replace(stopped, record=record, clocks=clocks, began=None)

    def play_forced(self, *, passes_only: bool = False) -> Self:
        """Return the game after all moves that are forced now; they take no time."""
        game, moves = self, self.record.position.legal_moves
        while len(moves) == 1 and (moves.must_pass or not passes_only) and not game.is_over:
            game = game.play(moves[0])
            moves = game.record.position.legal_moves
        return game

    def forfeit(self, color: Color, reason: str, *, by_time: bool = False) -> Self:
        """Return the game lost by *color*; a game that is over stays as it is."""
        if self.is_over:
            return self
        return replace(self, loser=color, reason=reason, by_time=by_time)

    def last_choice(self, colors: Container[Color]) -> int | None:
        """Return the plies before the last move that a side of *colors* chose; None without one."""
        for ply in range(len(self.record) - 1, -1, -1):
            before = self.record.positions[ply]
            if before.turn in colors and not before.legal_moves.must_pass:
                return ply
        return None

    def undo(self, plies: int) -> Self:
        """Return the game as it was after *plies*, with the clocks as they are now."""
        record = self.record.first(plies)
        return replace(self, record=record, loser=None, reason="", by_time=False)
