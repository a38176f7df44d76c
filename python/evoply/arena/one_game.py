"""One game, move by move: the plain account of what the kernel does with thousands."""

from __future__ import annotations

from evoply import _native
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.players.analysis import move_stream
from evoply.protocols import (
    Clock,
    Color,
    ForfeitError,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Position,
    Seat,
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
) -> GameRecord:
    """Play one game, Black's seat first, and return its record, opening included.

    It is the plain account of what the kernel does: seats of the kernel make the moves that they
    make there. *draws* as in `random_opening`. Raises `ForfeitError` if a seat does.
    """
    opening = random_opening(start, opening_key, opening_plies, draws)
    record, lost = played_out(opening, seats, _native.Stream.from_key(game_key))
    if lost is not None:
        raise lost[1]
    return record


def played_out(
    game: GameRecord, seats: tuple[Seat, Seat], stream: _native.Stream
) -> tuple[GameRecord, tuple[Color, ForfeitError] | None]:
    """Return *game* played to its end, or as far as it went, and then who forfeits it and why."""
    own = {Color.BLACK: 0, Color.WHITE: 0}
    while game.outcome() is None:
        position: Position = game.position
        moves, turn = position.legal_moves, position.turn
        if len(moves) == 1:
            move = moves[0]  # a forced move is no choice: nobody is asked
        else:
            seat = seats[0] if turn is Color.BLACK else seats[1]
            try:
                answer = seat.choose(game, move_stream(stream, game), Clock(moves=own[turn]))
            except ForfeitError as error:
                return game, (turn, error)
            try:
                move = choice_of(answer, game).move
            except (IllegalMoveError, InvalidMoveError) as error:
                name = type(seat).__name__
                raise IllegalMoveError(f"{name} as {turn}: {error}") from None
        game = game.play(move)
        own[turn] += 1
    return game, None
