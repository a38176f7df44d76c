"""Whom a population meets and on which openings: panels, the games they cause, and the points.

Every tree meets every opponent of a panel on the same random openings with the same game keys,
twice with colours swapped. So the comparison is fair, and equal trees get equal points. Game
`k` of a test belongs to tree `k // (2 * slots)`, slot `(k // 2) % slots`, and the tree is Black
when k is even. This module does not know about generations or selection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evoply import _native, arena
from evoply.evolution.config import EvolutionConfig
from evoply.evolution.opponents import read_opponent
from evoply.games import game_rules
from evoply.gp import Tree, lower
from evoply.players import AfterState, AlphaBeta, Player, TreeEvaluator

__all__ = [
    "Panel",
    "Trial",
    "individual_player",
    "native_players",
    "panel_of",
    "schedule_of",
    "trial",
]


@dataclass(frozen=True, slots=True)
class Panel:
    """Opponents, their names and the opening pairs against each."""

    players: tuple[_native.Player, ...]
    labels: tuple[str, ...]
    pairs: tuple[int, ...]

    @property
    def slots(self) -> NDArray[np.int64]:
        """Return the opponent's index for every opening pair of one tree."""
        return np.repeat(np.arange(len(self.pairs)), self.pairs)

    def with_pairs(self, pairs: int) -> Panel:
        """Return the same opponents with *pairs* openings each."""
        return Panel(self.players, self.labels, (pairs,) * len(self.players))


@dataclass(frozen=True, slots=True)
class Trial:
    """Points of trees against a panel: half points of shape (trees, opponents), as whole numbers.

    A win counts 2, a draw 1, a loss 0, so sums are exact.
    """

    half_points: NDArray[np.int64]
    games: NDArray[np.int64]
    """Games of each tree against each opponent, shape (opponents,)."""

    @property
    def fitness(self) -> list[float]:
        """Return the points per game of every tree, in [0, 1]."""
        whole = 2 * int(self.games.sum())
        return [int(points) / whole for points in self.half_points.sum(axis=1)]


def native_players(config: EvolutionConfig, trees: Sequence[Tree]) -> list[_native.Player]:
    """Return a kernel player for each tree, lowered together."""
    programs = lower(trees, config.game)
    settings = config.player
    kind = "alpha_beta" if settings.depth else "after_state"
    return [
        _native.Player(
            config.game,
            kind,
            program,
            view=settings.view,
            ties=settings.ties,
            depth=max(settings.depth, 1),
        )
        for program in programs
    ]


def individual_player(config: EvolutionConfig, tree: Tree) -> Player:
    """Return the player that *tree* is in a run of *config*, as data that can be saved."""
    evaluator = TreeEvaluator(tree=str(tree), primitives=config.primitives)
    settings = config.player
    if settings.depth:
        return AlphaBeta(
            evaluator=evaluator, depth=settings.depth, ties=settings.ties, view=settings.view
        )
    return AfterState(evaluator=evaluator, ties=settings.ties, view=settings.view)


def panel_of(config: EvolutionConfig, earlier: Sequence[tuple[int, Tree]]) -> Panel:
    """Return the config's opponents and the *earlier* champions (generation, tree) as a panel."""
    fixed = config.fitness.opponents
    models = [read_opponent(opponent.player, config.game) for opponent in fixed]
    champions = native_players(config, [tree for _, tree in earlier])
    return Panel(
        players=(*(player.native(config.game) for player in models), *champions),
        labels=(
            *(player.label for player in models),
            *(f"champion of generation {generation}" for generation, _ in earlier),
        ),
        pairs=(
            *(opponent.pairs for opponent in fixed),
            *(config.fitness.earlier_generations.pairs for _ in earlier),
        ),
    )


def schedule_of(
    config: EvolutionConfig, trees: int, panel: Panel, stream: _native.Stream
) -> arena.Schedule:
    """Return the games of *trees* players against a panel; its players come after the trees."""
    slots = panel.slots
    pairs = len(slots)
    tree = np.repeat(np.arange(trees), 2 * pairs)
    opponent = np.tile(np.repeat(trees + slots, 2), trees)
    is_black = np.tile(np.array([True, False]), trees * pairs)
    return arena.Schedule(
        black=np.where(is_black, tree, opponent).astype(np.uint32),
        white=np.where(is_black, opponent, tree).astype(np.uint32),
        opening_keys=np.tile(np.repeat(stream.child("opening").keys(pairs), 2), trees),
        game_keys=np.tile(stream.child("game").keys(2 * pairs), trees),
        opening_plies=config.fitness.opening_plies,
        start=game_rules(config.game).start().row,
    )


def trial(
    config: EvolutionConfig,
    players: Sequence[_native.Player],
    panel: Panel,
    stream: _native.Stream,
    *,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Trial:
    """Play every player against the panel and return the points.

    *progress* is told the games done and the games in all. Ctrl-C raises KeyboardInterrupt.
    """
    schedule = schedule_of(config, len(players), panel, stream)
    games = len(schedule.black)
    results = arena.play(
        config.game,
        [*players, *panel.players],
        schedule,
        threads=threads,
        progress=None if progress is None else lambda done: progress(done, games),
    )
    difference = np.asarray(results.black_discs, dtype=np.int64) - results.white_discs
    points = (np.sign(difference) * np.tile([1, -1], games // 2) + 1).reshape(
        len(players), len(panel.slots), 2
    )
    starts = [0, *np.cumsum(panel.pairs)]
    by_opponent = [points[:, first:last].sum(axis=(1, 2)) for first, last in pairwise(starts)]
    return Trial(np.stack(by_opponent, axis=1), 2 * np.array(panel.pairs, dtype=np.int64))
