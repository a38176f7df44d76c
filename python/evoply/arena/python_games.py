"""Games in which Python chooses moves: slower, by the same rules, keys and records.

A player written in Python takes part in the same matches as the kernel's players. The draws of
kernel players are those they would make in the kernel, so this loop is also the plain account
of what `evoply._native.play` does.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from evoply import _native
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.protocols import Color, GameRecord, IllegalMoveError, InvalidMoveError, Move, Position
from evoply.protocols import Player as ChoosesMoves

__all__ = ["ChoosesByKey", "play_python_game", "random_opening"]


@runtime_checkable
class ChoosesByKey(Protocol):
    """A player of this loop whose draws come from the key of its game, as the kernel's do."""

    def choose_by_key(self, position: Any, game_key: int, /) -> Move:
        """Return one of `position.legal_moves`; asked only where there is a choice."""


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


def play_python_game(
    players: tuple[
        _native.Player | ChoosesByKey | ChoosesMoves, _native.Player | ChoosesByKey | ChoosesMoves
    ],
    *,
    start: Position,
    opening_key: int,
    opening_plies: int,
    game_key: int,
    draws: DrawRules | None = None,
) -> GameRecord:
    """Play one game, Black's player first, and return its record, opening included.

    *draws* as in `random_opening`. A Python player that chooses an illegal move raises
    `IllegalMoveError` naming the player.
    """
    rules = game_rules(start.game)
    game = random_opening(start, opening_key, opening_plies, draws)
    begun = len(game)
    while game.outcome() is None:
        position: Position = game.position
        moves = position.legal_moves
        player = players[0] if position.turn is Color.BLACK else players[1]
        if isinstance(player, _native.Player):
            code, *_ = _native.analyse(
                player, *position.row, game_key, moves=(len(game) - begun) // 2
            )
            game = game.play(rules.move_from_code(code))
            continue
        try:
            # A forced move is no choice: nobody is asked.
            chosen: Any = moves[0] if len(moves) == 1 else _asked(player, position, game_key)
            game = game.play(chosen)
        except (IllegalMoveError, InvalidMoveError) as error:
            raise IllegalMoveError(f"{type(player).__name__} as {position.turn}: {error}") from None
    return game


def _asked(player: ChoosesByKey | ChoosesMoves, position: Position, game_key: int) -> Any:
    if isinstance(player, ChoosesByKey):
        return player.choose_by_key(position, game_key)
    return player.choose(position)
