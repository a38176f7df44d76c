"""What decides a player's moves: parts of its evaluator, and squares, measured on positions.

The influence of a part is how often the player would choose another move if it were missing.

Positions come from random games over all stages and leave a choice; the same seed gives the same
positions. Chance in the player is the same for every variant, so only the part makes the change.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.expressions import Expression
from evoply.games import GameRules, game_rules
from evoply.players import Player, ValuingPlayer, model_of
from evoply.protocols import Row
from evoply.reports.open_evaluator import Opened, opened


def positions_with_choice(game: str, count: int, seed: int) -> list[Row]:
    """Return *count* positions (as rows) with two legal moves or more, over all stages of *game*.

    Raises ValueError unless 1 <= count <= 1,000,000.
    """
    if not 1 <= count <= 1_000_000:
        raise ValueError(f"positions: {count} is not a number from 1 to 1,000,000")
    rules = game_rules(game)
    kernel, last = rules.kernel, rules.shape.squares - 5
    rows: list[Row] = []
    stream = _native.Stream(seed, "influence")
    attempt = 0
    while len(rows) < count:
        drawn = _native.Positions.random(
            kernel, count + count // 4 + 8, stream.child(attempt).key, 0, last
        )
        rows += [
            row for row in map(drawn.__getitem__, range(len(drawn))) if _has_choice(kernel, row)
        ]
        attempt += 1
    return rows[:count]


def _has_choice(kernel: str, row: Row) -> bool:
    return len(_native.legal_moves(kernel, row)) > 1


def chosen_moves(
    player: ValuingPlayer,
    programs: Sequence[_native.Program],
    rows: Sequence[Row],
    *,
    game: str,
    seed: int = 0,
) -> NDArray[np.int64]:
    """Return the move codes, shape (programs, rows), of *player* with each evaluator.

    It plays as it is `measured`: without exploring moves, and not too deep.
    """
    batch = _native.Positions(game_rules(game).kernel, rows)
    keys = _native.Stream(seed, "influence", "game").keys(len(rows))
    measured = player.measured()
    return np.array(
        [batch.choose(measured.with_program(game, program), keys)[0] for program in programs]
    )


def shares_changed(
    parts: Opened, variants: Sequence[Expression], rows: Sequence[Row], *, seed: int
) -> list[float]:
    """Return for each of *variants* of an evaluator after the first how often its moves differ."""
    programs = [parts.lowered(variant) for variant in variants]
    moves = chosen_moves(parts.model, programs, rows, game=parts.game, seed=seed)
    return changed_moves(moves)


def changed_moves(moves: NDArray[np.int64]) -> list[float]:
    """Return for each row of *moves* after the first how often it differs from the first.

    >>> changed_moves(np.array([[1, 2, 3, 4], [1, 2, 3, 4], [1, 0, 3, 0]]))
    [0.0, 0.5]
    """
    return [float(share) for share in (moves[1:] != moves[0]).mean(axis=1)]


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
    if model_of(player).valuing() is None:
        return None
    rows = positions_with_choice(game, positions, seed)
    held: list[Row] = []
    counts = []
    for square in range(game_rules(game).shape.squares):
        bit = 1 << square
        occupied = [row for row in rows if (row[0] | row[1]) & bit]
        pairs = [[_with_disc(row, bit, is_own=own) for own in (True, False)] for row in occupied]
        # In checkers a piece cannot always change its colour where it stands.
        pairs = [pair for pair in pairs if _are_possible(game, pair)]
        counts.append(len(pairs))
        held += [row for index in (0, 1) for row in (pair[index] for pair in pairs)]
    values = opened(player, game).values(held)
    effects: list[float] = []
    start = 0
    for count in counts:
        own, opponent = values[start : start + 2 * count].reshape(2, count)
        effects.append(float(np.mean(own - opponent)) if count else float("nan"))
        start += 2 * count
    return tuple(effects)


class ValuesBoards(Protocol):
    """What says what boards are worth to their side to move."""

    @property
    def game(self) -> str:
        """The game."""

    @property
    def rules(self) -> GameRules:
        """Its rules."""

    def values(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """Return the value of each of *rows*."""


def square_values(parts: ValuesBoards, row: Row) -> tuple[float | None, ...]:
    """Return half of what an own piece on a square is worth more than an opponent's, row by row.

    It is what the value of the board *row* differs by, own being its side to move, with all else as
    it is; None where not both can be. For a weighted piece counter these are its weights, on empty
    squares too.
    """
    pairs: dict[int, list[Row]] = {}
    count = parts.rules.shape.squares
    for square in range(count):
        pair = [_with_disc(row, 1 << square, is_own=own) for own in (True, False)]
        if _are_possible(parts.game, pair):
            pairs[square] = pair
    values = parts.values([row for pair in pairs.values() for row in pair]).reshape(-1, 2)
    halves = dict(zip(pairs, (values[:, 0] - values[:, 1]).tolist(), strict=True))
    return tuple(halves[square] / 2 if square in halves else None for square in range(count))


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
