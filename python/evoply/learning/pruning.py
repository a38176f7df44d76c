"""Pruning: what a player can do without, found by games against the whole player."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena import play_against
from evoply.arena.conditions import even_games
from evoply.arena.statistics import pair_statistics
from evoply.expressions import Expression
from evoply.games import game_rules
from evoply.players import KernelSeat, ValuingPlayer
from evoply.protocols.sections import JsonData

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Played(JsonData):
    """The points a game of a changed player against the whole one, with their interval."""

    points: float
    """In [0, 1]: 0.5 if the change does nothing."""
    low: float
    """The interval of 95 %; it is 0 to 1 where too few games differ to say anything."""
    high: float
    games: int


def played_against_whole(
    player: ValuingPlayer,
    variants: Sequence[Expression],
    *,
    game: str,
    games: int,
    seed: int,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
) -> tuple[Played, ...]:
    """Return how each of *variants*, other values for *player*, plays against the player itself.

    All play *games* games, an even number, in one call of the kernel: on the same random openings,
    each with both colours. Intervals are from these pairs. *progress* gets the games done of all.
    The result does not depend on *threads* (0: all cores).

    >>> from evoply.expressions import number
    >>> from evoply.players import parse_player
    >>> (nothing,) = played_against_whole(
    ...     parse_player("mobility"), [number(0.0)], game="othello", games=100, seed=1)
    >>> nothing.high < 0.5
    True
    """
    if not variants:
        return ()
    seats = [seat_of(player, variant, game) for variant in variants]
    pairs = even_games(games) // 2
    played = play_against(
        game,
        seats,
        [player],
        stream=Stream(seed, "against the whole"),
        pairs=pairs,
        threads=threads,
        progress=progress,
    )
    hashes = played.results.hashes.reshape(len(seats), -1)
    return tuple(_played(points[0], row) for points, row in zip(played.points, hashes, strict=True))


def seat_of(player: ValuingPlayer, value: Expression, game: str) -> KernelSeat:
    """Return the seat that plays as *player*, with another *value* of boards."""
    rules = game_rules(game)
    program = _native.Program(rules.kernel, value.to_json(rules.shape))
    return KernelSeat(player.by_value().with_program(game, program))


def _played(points: NDArray[np.float64], hashes: NDArray[np.uint64]) -> Played:
    found = pair_statistics(points, hashes, _CONFIDENCE)
    low, high = found.interval or (0.0, 1.0)
    return Played(found.score, low, high, len(points))
