"""Staged players and random starts asked move by move: the slow oracle of what the kernel plays."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from evoply import _native
from evoply.arena.playing import random_opening
from evoply.games import game_rules
from evoply.players import AfterState, RandomPlayer, RandomStart, Staged, TreeEvaluator
from evoply.protocols import Clock, Color, GameRecord, Position, Row, Seat


def slow_player(player: Any, position: Position, game_key: int, moves: int) -> Any:
    """Return the player that chooses at *position*, where its side has played *moves* plies."""
    if isinstance(player, RandomStart):
        if moves < player.plies:
            return RandomPlayer()
        player = player.player
    if not isinstance(player, Staged):
        return player
    shares = player.shares(clock_of(player, position))
    stage = shares.index(max(shares))
    if max(shares) < 1.0:
        side = 0 if position.turn is Color.BLACK else 1
        move_stream = _native.Stream.from_key(game_key).child(side, position.ply)
        draw = move_stream.child("stage").random()
        ends = accumulate(shares)
        stage = next((place for place, end in enumerate(ends) if draw < end), stage)
    return AfterState(
        evaluator=TreeEvaluator(tree=player.trees[stage]), ties=player.ties, view=player.view
    )


def clock_of(staged: Staged, position: Position) -> float:
    """Return how far the game is by the clock of *staged*, from 0 to 1."""
    if staged.clock == "pieces":
        return position.clock
    return min(1.0, position.ply / (position.shape.squares - 4))


def slow_move(player: Any, position: Position, game_key: int, moves: int = 0) -> Any:
    """Return the move that *player* chooses; the players it is made of are the kernel's."""
    native = slow_player(player, position, game_key, moves).native(position.game)
    code, *_ = _native.analyse(native, *position.row, game_key)
    return game_rules(position.game).move_from_code(code)


def slow_game(
    game: str,
    players: tuple[Any, Any],
    *,
    start: Row | None = None,
    opening_key: int,
    opening_plies: int,
    game_key: int,
) -> GameRecord:
    """Return a game between players as data, Black's first, counting the moves of each side."""
    rules = game_rules(game)
    begin = rules.start() if start is None else rules.position_from_row(start)
    record = random_opening(begin, opening_key, opening_plies)
    moves = {Color.BLACK: 0, Color.WHITE: 0}
    while record.outcome() is None:
        position = record.position
        player = players[0 if position.turn is Color.BLACK else 1]
        move = slow_move(player, position, game_key, moves[position.turn])
        moves[position.turn] += 1
        record = record.play(move)
    return record


@dataclass(frozen=True, slots=True)
class SlowSeat(Seat):
    """A staged player in a schedule that Python plays."""

    staged: Staged

    def choose(self, game: GameRecord, stream: _native.Stream, clock: Clock) -> Any:
        """Return the move of the stage that is drawn."""
        assert stream.parent is not None
        return slow_move(self.staged, game.position, stream.parent, clock.moves)
