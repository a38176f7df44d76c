"""The seat of a player that the kernel runs: what every model of ours but a bot sits down as."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.protocols import Choice, Clock, GameRecord, Row


@dataclass(frozen=True, slots=True)
class KernelSeat:
    """A player of the kernel at a board; whole games between such seats never enter Python.

    It holds nothing but values, so one seat may play any number of games at a time.
    """

    native: _native.Player

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return the move that this player makes in a game of the kernel with the same key."""
        return self.analyse(game, stream, clock, every_move=False)

    def analyse(
        self, game: GameRecord, stream: Stream, clock: Clock, /, *, every_move: bool
    ) -> Choice:
        """Return the same; with *every_move* and where moves are valued, with all their values."""
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
