"""Plays one game move by move: the plain version of what the kernel does with thousands."""

import time
from collections.abc import Callable

from evoply import _native
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.players.analysis import move_stream
from evoply.protocols import (
    Color,
    ForfeitError,
    GameInProgress,
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
