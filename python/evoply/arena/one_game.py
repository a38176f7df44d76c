"""One game, move by move: the plain account of what the kernel does with thousands."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from evoply import _native
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.players.analysis import move_stream
from evoply.protocols import (
    Clock,
    Color,
    ForfeitError,
    GameClock,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Position,
    Seat,
    TimeControl,
    choice_of,
)


def random_opening(
    start: Position, key: int, plies: int, draws: DrawRules | None = None
) -> GameRecord:
    """Return a game of up to *plies* uniformly random moves; a forced move draws nothing.

    *draws* are the rules about draws of the game, by default the usual ones.
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

    It is the plain account of what the kernel does: seats of the kernel make the moves that they
    make there. *draws* as in `random_opening`; *clock* is what both sides have for all their moves,
    by the seconds that *now* shows. Raises `ForfeitError` if a seat does or its time is over.
    """
    opening = random_opening(start, opening_key, opening_plies, draws)
    played = played_out(opening, seats, _native.Stream.from_key(game_key), clock, now)
    if played.lost is not None:
        raise played.lost[1]
    return played.record


@dataclass(frozen=True, slots=True)
class PlayedOut:
    """A game to its end, or as far as it went."""

    record: GameRecord
    lost: tuple[Color, ForfeitError] | None
    """Who forfeits it and why."""
    seconds: tuple[float, float] | None
    """What Black and White took for their moves; None without a clock."""


def played_out(
    game: GameRecord,
    seats: tuple[Seat, Seat],
    stream: _native.Stream,
    control: TimeControl | None = None,
    now: Callable[[], float] = time.monotonic,
) -> PlayedOut:
    """Play *game* to its end.

    With a *control* whoever uses more time than is left forfeits the game by time, whatever the
    answer. Time is what passes between question and answer; a forced move takes none, and seats
    get ready before the clocks start.
    """
    sides = _Sides(seats, control, now)
    try:
        for turn in Color:
            sides.get_ready(turn)
        while game.outcome() is None:
            position: Position = game.position
            turn = position.turn
            if len(position.legal_moves) == 1:
                move = position.legal_moves[0]  # a forced move is no choice: nobody is asked
            else:
                answer = sides.answer(turn, game, move_stream(stream, game))
                try:
                    move = choice_of(answer, game).move
                except (IllegalMoveError, InvalidMoveError) as error:
                    name = type(sides.seats[turn]).__name__
                    raise IllegalMoveError(f"{name} as {turn}: {error}") from None
            game = game.play(move)
            sides.press(turn)
    except ForfeitError as error:
        return PlayedOut(game, (turn, error), sides.seconds)
    return PlayedOut(game, None, sides.seconds)


class _Sides:
    """Both seats of a game, what they have played, and their clocks if there are any."""

    def __init__(
        self, seats: tuple[Seat, Seat], control: TimeControl | None, now: Callable[[], float]
    ) -> None:
        self.seats = dict(zip(Color, seats, strict=True))
        self._clock = None if control is None else GameClock(control)
        self._now = now
        self._moves = dict.fromkeys(Color, 0)
        self._used = dict.fromkeys(Color, 0.0)
        self._took = 0.0

    def get_ready(self, turn: Color) -> None:
        """Have what a seat needs started, if there is a clock that this would count on."""
        if self._clock is not None:
            self.seats[turn].get_ready()

    def answer(self, turn: Color, game: GameRecord, stream: _native.Stream) -> object:
        """Return what the side to move answers; `ForfeitError` if it gives up or is too late."""
        clock = Clock(moves=self._moves[turn])
        if self._clock is not None:
            left, increment = self._clock.left[turn], self._clock.control.increment
            clock = replace(clock, seconds_left=left, increment=increment)
        answer: object = None
        given_up: ForfeitError | None = None
        asked = self._now()
        try:
            answer = self.seats[turn].choose(game, stream, clock)
        except ForfeitError as error:
            given_up = error
        self._took = self._now() - asked
        self._used[turn] += self._took
        if self._clock is not None and self._took > self._clock.left[turn]:
            raise ForfeitError(f"its clock of {self._clock.control} ran out", by_time=True)
        if given_up is not None:
            raise given_up
        return answer

    def press(self, turn: Color) -> None:
        """Count a move and stop the clock of who made it."""
        self._moves[turn] += 1
        if self._clock is not None:
            self._clock.spend(turn, self._took)
        self._took = 0.0

    @property
    def seconds(self) -> tuple[float, float] | None:
        """What Black and White have used; None without a clock."""
        return None if self._clock is None else (self._used[Color.BLACK], self._used[Color.WHITE])
