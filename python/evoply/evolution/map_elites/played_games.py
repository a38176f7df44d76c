"""The games by which individuals are described, as an axis sees them; your own axis gets them, too.

An axis is a function of a batch of games that returns a number for each individual.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply import _native, arena, gp
from evoply.configs.own_code import OwnCode
from evoply.evolution.map_elites.axes import count_called
from evoply.evolution.map_elites.space import Array, At
from evoply.expressions import Number
from evoply.games import game_rules
from evoply.protocols import Position, Row

_GAMES_AT_ONCE = 1000
"""Games whose positions are in memory at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class PlayedGames:
    """Games of individuals: all have the same openings and opponents, and as many games.

    Arrays of shape (individuals, games) have a row for each of `trees`.
    """

    game: str
    """The name of the game."""
    trees: tuple[gp.Genotype, ...]
    """The individuals, all different."""
    is_black: NDArray[np.bool_]
    """Whether an individual plays Black in each of its games, shape (games,)."""
    plies: NDArray[np.int64]
    """The length of each game, shape (individuals, games)."""
    points: Array
    """The individual's points in each game: 1, 0.5 or 0, shape (individuals, games)."""
    opening_plies: int
    """Random plies at the beginning of each game."""
    schedule: arena.Schedule
    """All games, those of an individual after those of another."""
    moves: Sequence[Sequence[int]]
    """The kernel's numbers of the moves of each game in the schedule."""

    @property
    def sizes(self) -> Array:
        """The nodes of each individual."""
        return np.array([len(tree) for tree in self.trees], dtype=np.float64)

    def positions(self, individual: int, game: int) -> list[Position]:
        """Return the positions of a game of an individual, from the start to the end."""
        number = individual * len(self.is_black) + game
        rules = game_rules(self.game)
        along = _native.rows_along(
            rules.kernel, self.schedule.start_row(number), self.moves[number]
        )
        return [rules.position_from_row(row) for row in along]

    def mean(self, count: str | Number, at: At = "turns") -> Array:
        """Return the mean of a count on boards for each individual.

        *count* is the name of a feature of the game, or a board expression. With *at* `turns` it is
        taken where it is the individual's turn, after the opening; with `end` where its games end.
        Own is the individual. Whoever had no turn has the mean at the end.
        """
        return self.means([(count, at)])[:, 0]

    def means(self, counts: Sequence[tuple[str | Number, At]]) -> Array:
        """Return `mean` of several counts, a column each; the boards are looked at once."""
        from evoply.learning.choices import values_at  # only such axes look at boards

        expressions = [self._expression(count) for count, _ in counts]
        trees, each = len(self.trees), len(self.is_black)
        at_turns, at_ends = np.zeros((2, trees, len(counts)))
        turns = np.zeros(trees)
        for first in range(0, len(self.moves), _GAMES_AT_ONCE):
            part = range(first, min(first + _GAMES_AT_ONCE, len(self.moves)))
            of_tree = np.array(part) // each
            rows, lengths, ends = self._rows(part)
            values = values_at(expressions, self.game, [*rows, *ends])
            of_row = np.repeat(of_tree, lengths)
            turns += np.bincount(of_row, minlength=trees)
            for column in range(len(counts)):
                of_turns, of_ends = np.split(values[:, column], [len(rows)])
                at_turns[:, column] += np.bincount(of_row, of_turns, trees)
                at_ends[:, column] += np.bincount(of_tree, of_ends, trees)
        is_end = np.array([at == "end" for _, at in counts]) | (turns == 0)[:, np.newaxis]
        means: Array = np.where(
            is_end, at_ends / each, at_turns / np.maximum(turns, 1)[:, np.newaxis]
        )
        return means

    def _expression(self, count: str | Number) -> Number:
        return count if isinstance(count, Number) else count_called(count, self.game)

    def _rows(self, part: range) -> tuple[list[Row], list[int], list[Row]]:
        """Return the own turns after the opening, how many each game has, and all ends.

        *part* has the numbers of the games. An end is seen by the individual, whoever moves.
        """
        kernel = game_rules(self.game).kernel
        turns: list[Row] = []
        lengths: list[int] = []
        ends: list[Row] = []
        for number in part:
            along = _native.rows_along(kernel, self.schedule.start_row(number), self.moves[number])
            black, end = bool(self.is_black[number % len(self.is_black)]), along[-1]
            own = [row for row in along[self.opening_plies : -1] if row[3] == black]
            turns += own
            lengths.append(len(own))
            ends.append((*end[:3], black, *end[4:]))
        return turns, lengths, ends


Describe = Callable[[PlayedGames], Any]
"""An axis: returns a finite number for each individual of a batch, in order."""

FACTS: Mapping[str, Describe] = MappingProxyType(
    {
        "size": lambda games: games.sizes,
        "length": lambda games: games.plies.mean(axis=1),
    }
)
"""The axes `FACTS_OF_GAMES` as functions."""


def own_axis(text: str) -> Describe:
    """Import the file that *text* names, and return the axis; `ValueError` if it is none."""
    code = OwnCode.from_text(text)
    found = code.loaded()
    if isinstance(found, type) or not callable(found):
        raise ValueError(f"axis {code.label}: {found!r:.60} is not a function of played games")
    describe: Describe = found
    return describe


def own_values(text: str, games: PlayedGames) -> Array:
    """Return what the user's axis says of each individual; `ValueError` unless it is a number."""
    answer = own_axis(text)(games)
    label = OwnCode.from_text(text).label
    wanted = f"axis {label}: must return a finite number for each of {len(games.trees)} individuals"
    try:
        values = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{wanted}, not {answer!r:.60}") from None
    if values.shape != (len(games.trees),):
        raise ValueError(f"{wanted}, and gave an array of shape {values.shape}")
    if not np.isfinite(values).all():
        which = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{wanted}, and gave {values[which]} for {str(games.trees[which])[:200]}")
    return values
