"""The games that a player expects after a move, where the values of its search come from.

A search tells the value of a move and the line to it, but not where it knew a position already, nor
the captures after its last ply. Those moves are looked for here. Solved positions have lines of
perfect play.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evoply.expressions import ExpressionError, Number
from evoply.expressions.functions import for_the_other_side
from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.players import ExpressionEvaluator, PlayerKind, ValuingPlayer, model_of
from evoply.players.endgame import solve
from evoply.players.strong import Strong
from evoply.protocols import GameRecord, Position
from evoply.reports.adviser import Advice, Adviser
from evoply.reports.open_evaluator import opened

_MOST_CAPTURES = 40
_TABLE_MIB = 16


class ExpectedLines(NamedTuple):
    """The games that are expected after two moves."""

    first: GameRecord
    second: GameRecord

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """Both as texts of moves."""
        return [self.first.move_texts(), self.second.move_texts()]

    @classmethod
    def search(
        cls,
        adviser: Adviser,
        record: GameRecord,
        advice: Advice,
        moves: Sequence[Any],
        seconds: float | None,
    ) -> ExpectedLines | None:
        """Return the lines after *moves*, as deep as the advice is; None if that takes too long."""
        first, second = (
            _until_quiet(adviser, _line(adviser, record.position, move, advice, seconds), seconds)
            for move in moves
        )
        return None if first is None or second is None else cls(first, second)

    def longer(self, adviser: Adviser, plies: int, seconds: float | None) -> ExpectedLines | None:
        """Return both with at least so many *plies* and then until nothing is captured.

        They are shorter where the game ends. None if that takes too long.
        """
        first, second = (
            _until_quiet(adviser, _goes_on(adviser, line, plies, seconds), seconds) for line in self
        )
        return None if first is None or second is None else ExpectedLines(first, second)


def _line(
    adviser: Adviser, position: Position, move: Any, advice: Advice, seconds: float | None
) -> GameRecord | None:
    """Return the game that the player expects from the position on, with *move* first."""
    rules = game_rules(position.game)
    line: GameRecord = rules.game(position, (), NO_DRAWS)
    known = advice.line if advice.line[:1] == (move,) else (move,)
    for next_move in known[: max(advice.depth, 1)]:
        line = line.play(next_move)
    if advice.is_exact:
        if known is not advice.line and line.outcome() is None and rules.solver:
            for next_move in solve(line.position, table_mib=_TABLE_MIB).line:
                line = line.play(next_move)
        return line
    return _goes_on(adviser, line, advice.depth, seconds)


def _goes_on(
    adviser: Adviser, line: GameRecord, plies: int, seconds: float | None
) -> GameRecord | None:
    """Return *line* with the moves that are expected, until it has so many *plies* or ends."""
    rules, mover = game_rules(adviser.game), line.positions[0].turn
    # A search that knows a position already tells its value, but no moves: they are looked for.
    while (left := plies - len(line)) > 0 and line.outcome() is None:
        if len(line.position.legal_moves) == 1:
            line = line.play(line.position.legal_moves[0])
            continue
        after = rules.game(line.position, (), NO_DRAWS)
        is_across = line.position.turn is not mover
        answer = adviser.line_from(after, left, seconds, across=_across if is_across else None)
        if not answer:
            return None
        for next_move in answer[:left]:
            line = line.play(next_move)
    return line


def _until_quiet(
    adviser: Adviser, line: GameRecord | None, seconds: float | None
) -> GameRecord | None:
    """Return *line* with the captures after it, if the player's search goes on with them.

    Where captures are compulsory, a quiescent search of a leaf is a search of one ply more.
    """
    player = model_of(adviser.player)
    rules = game_rules(adviser.game)
    is_quiescent = (
        rules.has_captures if isinstance(player, Strong) else getattr(player, "quiescence", False)
    )
    for _ in range(_MOST_CAPTURES if is_quiescent else 0):
        if line is None or line.outcome() is not None:
            break
        position = line.position
        other = position.turn.opposite
        first = line.play(position.legal_moves[0])
        if first.position.pieces(other) == position.pieces(other):
            break
        after = rules.game(position, (), NO_DRAWS)
        answer = adviser.line_from(after, 1, seconds)
        line = None if not answer else line.play(answer[0])
    return line


def _across(player: PlayerKind, game: str) -> PlayerKind:
    """Return a player with the opponent's pieces that values boards as the player's search does.

    A search looks for replies that are bad for the player. A player of its kind on the other side
    would look for what is good by its own view: the same only if what the evaluator says of a
    board is minus what it says with the sides exchanged.
    """
    if not isinstance(player, ValuingPlayer) or player.view == "turn":
        return player
    try:
        seen = for_the_other_side(opened(player, game).expression)
    except ExpressionError:
        return player
    if not isinstance(seen, Number):
        return player
    return player.with_evaluator(ExpressionEvaluator(expression=(-seen).to_dict()))
