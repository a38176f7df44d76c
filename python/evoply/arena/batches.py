"""Many players against the same opponents in one call: for learners and fitness from outside.

All players meet all opponents on the same openings with the same game keys, so points differ
through the players alone. `Schedule` and `play` are there for any other games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evoply import _native, gp
from evoply.arena.playing import play
from evoply.arena.schedule import Results, Schedule
from evoply.games import game_rules
from evoply.players import AfterState, KernelSeat, TreeEvaluator, parse_player, player_of
from evoply.protocols import Cluster, Player, Row

PreparedPlayer = KernelSeat | Player
"""A player that is ready for any number of games: its seat in the kernel, or one outside, whose
seats are opened when games begin."""


def prepared(players: Sequence[object], game: str) -> tuple[PreparedPlayer, ...]:
    """Return *players* ready for batch after batch, in order; trees are lowered in one call.

    A player is a text, a tree or several as an individual has them, a player of `evoply.players`,
    an object with `choose`, or one that is prepared already. A tree compares the boards after each
    of its moves. Raises ValueError for one that does not fit *game*.

    >>> [type(one).__name__ for one in prepared(["greedy", "random"], "othello-6")]
    ['KernelSeat', 'KernelSeat']
    """
    trees = [player for player in players if isinstance(player, gp.Tree | gp.Forest)]
    programs = iter(gp.lower(trees, game))
    return tuple(
        _tree_seat(player, next(programs), game)
        if isinstance(player, gp.Tree | gp.Forest)
        else _prepared(player, game)
        for player in players
    )


def _tree_seat(tree: gp.Genotype, program: _native.Program, game: str) -> KernelSeat:
    # The player needs no evaluator, because it is lowered already.
    native = AfterState.model_construct().with_program(game, program)
    return KernelSeat(native, player=partial(_player, tree))


def _player(tree: gp.Genotype) -> AfterState:
    return AfterState(evaluator=TreeEvaluator(tree=tree))


def _prepared(player: object, game: str) -> PreparedPlayer:
    if isinstance(player, KernelSeat):
        return player
    known = parse_player(player, game=game) if isinstance(player, str) else player_of(player)
    known.check_fits(game)
    seat = known.seat(game)
    if isinstance(seat, KernelSeat):
        return seat
    seat.close()
    return known


@dataclass(frozen=True, slots=True, eq=False)
class GamesAgainst:
    """Games of players against opponents; arrays of shape (players, opponents, games)."""

    points: NDArray[np.float64]
    """The players' points in each game: 1, 0.5 or 0."""
    differences: NDArray[np.int64]
    """The players' pieces less the opponents' at the end of each game."""
    plies: NDArray[np.int64]
    schedule: Schedule
    """All games, one player's after another's; the opponents come after the players."""
    results: Results

    @property
    def scores(self) -> NDArray[np.float64]:
        """Return the points per game of each player, in [0, 1]."""
        means: NDArray[np.float64] = self.points.mean(axis=(1, 2))
        return means


def play_against(
    game: str,
    players: Sequence[object],
    opponents: Sequence[object],
    *,
    stream: _native.Stream,
    pairs: int = 10,
    opening_plies: int | None = None,
    start: Row | None = None,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
    cluster: Cluster | None = None,
) -> GamesAgainst:
    """Play every player against every opponent: *pairs* openings each, both ways; in one call.

    Even games of a player are those as Black. Openings and game keys are children of *stream*, the
    same for all players, so equal players get equal points. *opening_plies* random plies begin a
    game, by default as many as in matches of the game, after *start* (`Position.row`). The result
    does not depend on *threads* (0: all cores) or *cluster*. Give what `prepared` returns if the
    same players play again. Raises ValueError for players that do not fit, or without games.

    >>> from evoply import Stream
    >>> games = play_against("othello-4", ["greedy", "random"], ["random"], stream=Stream(1))
    >>> games.points.shape
    (2, 1, 20)
    """
    if not players or not opponents:
        raise ValueError("players, opponents: give at least one of each")
    if pairs < 1:
        raise ValueError(f"pairs: {pairs} is no number of openings: give 1 or more")
    rules = game_rules(game)
    shape = (len(players), len(opponents), 2 * pairs)
    player, opponent, number = (axis.ravel() for axis in np.indices(shape))
    opponent_index = len(players) + opponent
    is_black = number % 2 == 0
    keys = opponent * 2 * pairs + number
    schedule = Schedule(
        black=np.where(is_black, player, opponent_index).astype(np.uint32),
        white=np.where(is_black, opponent_index, player).astype(np.uint32),
        opening_keys=stream.child("opening").keys(len(opponents) * pairs)[keys // 2],
        game_keys=stream.child("game").keys(len(opponents) * 2 * pairs)[keys],
        opening_plies=rules.opening_plies if opening_plies is None else opening_plies,
        starts=(rules.start().row if start is None else start,),
    )
    results = play(
        game,
        prepared([*players, *opponents], game),
        schedule,
        threads=threads,
        progress=progress,
        cluster=cluster,
    )
    black = results.black_points
    margins = results.black_discs.astype(np.int64) - results.white_discs
    return GamesAgainst(
        points=np.where(is_black, black, 1 - black).reshape(shape),
        differences=np.where(is_black, margins, -margins).reshape(shape),
        plies=results.plies.astype(np.int64).reshape(shape),
        schedule=schedule,
        results=results,
    )
