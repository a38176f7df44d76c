"""A player's analysis of one position: its choice, and its values of all moves."""

from dataclasses import replace
from typing import Any

from evoply._native import Stream
from evoply.games import game_rules
from evoply.players.grammar import Runs, read_player_of
from evoply.players.kernel_seat import ALL_MOVES, KernelSeat
from evoply.protocols import Choice, Clock, Color, GameRecord, Seat
from evoply.wording import shorten

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
