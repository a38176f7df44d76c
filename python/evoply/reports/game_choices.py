"""What a player prefers, seen from its choices: the boards that it could have made, and the one.

The weights of a player say what it would like; whether its moves show it depends on everything
else. Positions are those of games, because random ones hold what no player would allow.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena import Schedule, play
from evoply.games import game_rules
from evoply.players import RandomPlayer, parse_player
from evoply.protocols import Player, Row
from evoply.reports.open_evaluator import Opened, chosen_moves
from evoply.reports.preferences import Preference

_ERRORS = 0.2
"""The share of random moves in the games that positions are taken from."""
_PAIRS = 20


@dataclass(frozen=True, eq=False)
class GameChoices:
    """Positions of games, the boards after each move of them, and what a player chose."""

    boards: tuple[Row, ...]
    """The boards after all moves, one position's after another's; own is the side that moved."""
    begins: NDArray[np.int64]
    """The index of the first board of each position."""
    chosen: NDArray[np.int64]
    """The index of the board that the player chose in each position."""
    game: str

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def positions(self) -> _native.Positions:
        """The boards as the kernel takes them."""
        return _native.Positions(game_rules(self.game).kernel, self.boards)

    def values(self, program: _native.Program) -> NDArray[np.float64]:
        """Return the outputs of *program* on all boards, shape (outputs, boards)."""
        return np.ascontiguousarray(program.evaluate(self.positions).T)

    def preference(self, values: NDArray[np.float64]) -> Preference:
        """Return what the choices show about a number that has *values* on the boards."""
        sizes = np.diff(np.append(self.begins, len(self.boards)))
        least = np.minimum.reduceat(values, self.begins)
        most = np.maximum.reduceat(values, self.begins)
        mean = np.add.reduceat(values, self.begins) / sizes
        found = values[self.chosen]
        differs = most > least
        is_zero = values == 0
        zeros = np.add.reduceat(is_zero.astype(np.int64), self.begins)
        free = (zeros > 0) & (zeros < sizes)
        return Preference(
            above=int((differs & (found > mean)).sum()),
            below=int((differs & (found < mean)).sum()),
            kept_at_zero=int((free & is_zero[self.chosen]).sum()),
            could_be_zero=int(free.sum()),
        )


def choices_in_games(parts: Opened, count: int, seed: int) -> GameChoices:
    """Return what a player chooses in *count* positions of games, or in fewer if there are fewer.

    It plays these games against itself, the game's usual guide one ply ahead, and random moves,
    with every fifth move of it and of the guide drawn at random: so there are positions of all
    stages in which a side stands well or badly.
    """
    rows = positions_of_games(parts, count, seed)
    (moves,) = chosen_moves(parts.model, [parts.lowered(parts.expression)], rows, game=parts.game)
    kernel = parts.rules.kernel
    boards: list[Row] = []
    begins, chosen = [], []
    for row, move in zip(rows, moves.tolist(), strict=True):
        codes = _native.legal_moves(kernel, row)
        begins.append(len(boards))
        chosen.append(len(boards) + codes.index(move))
        boards += [_for_side(_native.row_after(kernel, row, code), row[3]) for code in codes]
    return GameChoices(tuple(boards), np.array(begins), np.array(chosen), parts.game)


def positions_of_games(parts: Opened, count: int, seed: int) -> list[Row]:
    """Return at most *count* positions with two moves or more, evenly out of games of a player."""
    rules = parts.rules
    player = parts.model.measured()
    erring = player.erring(_ERRORS)
    guide = parse_player(rules.guide.format(1), game=parts.game)
    opponents: Sequence[Player] = [erring, guide.erring(_ERRORS), RandomPlayer()]
    met = np.arange(len(opponents), dtype=np.uint32).repeat(_PAIRS) + 1
    schedule = Schedule.pairs(
        np.zeros(len(met), dtype=np.uint32),
        met,
        stream=_native.Stream(seed, "positions of games"),
        opening_plies=2,
        start=rules.start().row,
    )
    played = play(parts.game, [erring, *opponents], schedule, record_moves=True)
    rows = [
        row
        for number, codes in enumerate(played.moves or ())
        for row in _native.rows_along(rules.kernel, schedule.start_row(number), codes)
    ]
    rows = [row for row in dict.fromkeys(rows) if len(_native.legal_moves(rules.kernel, row)) > 1]
    places = np.linspace(0, len(rows), min(count, len(rows)), endpoint=False).astype(int)
    return [rows[place] for place in places.tolist()]


def _for_side(row: Row, is_black: bool) -> Row:
    """Return a board as the side that moved values it."""
    black, white, kings, _, ply, quiet_plies = row
    return black, white, kings, is_black, ply, quiet_plies
