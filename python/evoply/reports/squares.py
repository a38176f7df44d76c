"""What each square is worth to an evaluator, measured on positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evoply import _native
from evoply.games import game_rules
from evoply.players import Player, RandomPlayer, steady_player
from evoply.protocols import Row
from evoply.reports.influence import positions_with_choice, values_of

__all__ = ["square_effects"]


def square_effects(
    player: Player, game: str = "othello", *, positions: int = 1000, seed: int = 0
) -> tuple[float, ...] | None:
    """Return what a square adds if it holds an own disc instead of an opponent's, row by row.

    It is the mean change of the evaluator's value, own being the side to move, over those of
    *positions* random positions where the square is occupied; nan where it never is. For a
    weighted piece counter this is twice the weight. None for a player without evaluator.

    >>> from evoply.players import parse_player
    >>> [round(value, 2) for value in square_effects(parse_player("swh"), positions=50)[:3]]
    [2.0, -0.5, 0.2]
    """
    player = steady_player(player)
    if isinstance(player, RandomPlayer):
        return None
    size = game_rules(game).size
    rows = positions_with_choice(game, positions, seed)
    held: list[Row] = []
    counts = []
    for square in range(size * size):
        bit = 1 << square
        occupied = [row for row in rows if (row[0] | row[1]) & bit]
        pairs = [[_with_disc(row, bit, is_own=own) for own in (True, False)] for row in occupied]
        # In checkers a piece cannot always change its colour where it stands.
        pairs = [pair for pair in pairs if _are_possible(game, pair)]
        counts.append(len(pairs))
        held += [row for place in (0, 1) for row in (pair[place] for pair in pairs)]
    values = values_of(player.evaluator.program(game), held, game)
    effects: list[float] = []
    start = 0
    for count in counts:
        own, opponent = values[start : start + 2 * count].reshape(2, count)
        effects.append(float(np.mean(own - opponent)) if count else float("nan"))
        start += 2 * count
    return tuple(effects)


def _with_disc(row: Row, bit: int, *, is_own: bool) -> Row:
    black, white, kings, is_black, ply, quiet_plies = row
    if is_own == is_black:
        return black | bit, white & ~bit, kings, is_black, ply, quiet_plies
    return black & ~bit, white | bit, kings, is_black, ply, quiet_plies


def _are_possible(game: str, rows: Sequence[Row]) -> bool:
    try:
        _native.Positions(game_rules(game).kernel, rows)
    except ValueError:
        return False
    return True
