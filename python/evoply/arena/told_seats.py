"""Seats that are told how a game came to its opening, where results know the position alone.

An engine that speaks GTP begins at the usual start: it is sent the moves of an opening from a list,
too. The kernel needs the position only, and all else is as if the game began there.
"""

from __future__ import annotations

from evoply._native import Stream
from evoply.arena.game_terms import Line
from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.players import KernelSeat
from evoply.protocols import Choice, Clock, GameRecord, Seat


def whole_record(game: str, line: Line, codes: list[int]) -> GameRecord:
    """Return the record of *line* and the moves after it, without draws by rule."""
    start, before = line
    rules = game_rules(game)
    return rules.game(rules.position_from_row(start), [*before, *codes], NO_DRAWS)


def told(seat: Seat, line: Line) -> Seat:
    """Return *seat*, which gets every game with *line* before it; unless nothing is before it."""
    return seat if isinstance(seat, KernelSeat) or not line[1] else _ToldSeat(seat, line)


class _ToldSeat(Seat):
    def __init__(self, seat: Seat, line: Line) -> None:
        self._seat, self._line = seat, line

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        shape = game.position.shape
        codes = [move.code(shape) for move in game.moves]
        whole = whole_record(game.position.game, self._line, codes)
        return self._seat.choose(whole, stream, clock)

    def get_ready(self) -> None:
        self._seat.get_ready()
