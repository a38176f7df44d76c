"""Whom a population meets and on which openings: panels, the games they cause, and the points.

Every tree meets every opponent of a panel on the same random openings with the same game keys,
twice with colours swapped unless the config has its individuals play one colour only. So the
comparison is fair, and equal trees get equal points. With g games a tree, game `k` of a test
belongs to tree `k // g` and is its game `k % g`; `Panel.places` says against whom and as which
colour. This module does not know about generations or selection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from evoply import _native, arena, gp
from evoply.evolution.config.games import start_rows, starts_of_openings
from evoply.evolution.play.opponents import PreparedPlayer, prepared, read_opponent
from evoply.evolution.play.population import seats_of
from evoply.protocols import Cluster

if TYPE_CHECKING:
    from evoply.evolution.config.evolution_config import EvolutionConfig

__all__ = [
    "NOBODY",
    "Panel",
    "Places",
    "Trial",
    "panel_of",
    "play_by_config",
    "schedule_of",
    "schedule_of_games",
    "trial",
    "trial_of",
]


@dataclass(frozen=True, slots=True)
class Places:
    """The games of one tree against a panel; every array has one entry a game."""

    opponents: NDArray[np.int64]
    """Place of the opponent in the panel."""
    is_black: NDArray[np.bool_]
    """Whether the tree plays Black."""
    openings: NDArray[np.int64]
    """Number of the opening."""

    def __len__(self) -> int:
        return len(self.opponents)


@dataclass(frozen=True, slots=True)
class Panel:
    """Opponents, their names and the games of one tree against each."""

    players: tuple[PreparedPlayer, ...]
    labels: tuple[str, ...]
    games: tuple[int, ...]
    sides: Literal["both", "black", "white"] = "both"
    """Colours of the tree: alternately both, on one opening for two games; or one of them."""

    @property
    def places(self) -> Places:
        """Return the games of one tree, those against one opponent after those against another."""
        number = np.concatenate([np.arange(games) for games in (0, *self.games)])
        starts_opening = number % 2 == 0
        is_black = starts_opening
        if self.sides != "both":
            starts_opening = np.ones(len(number), dtype=bool)
            is_black = np.full(len(number), self.sides == "black")
        return Places(
            opponents=np.repeat(np.arange(len(self.games)), self.games),
            is_black=is_black,
            openings=np.cumsum(starts_opening) - 1,
        )

    def after(self, count: int) -> Panel:
        """Return the panel without its first *count* opponents."""
        rest = slice(count, None)
        return replace(
            self, players=self.players[rest], labels=self.labels[rest], games=self.games[rest]
        )

    def with_pairs(self, pairs: int) -> Panel:
        """Return the same opponents with the games of *pairs* opening pairs each."""
        return replace(self, games=(2 * pairs,) * len(self.players))


NOBODY = Panel(players=(), labels=(), games=())


@dataclass(frozen=True, slots=True)
class Trial:
    """Points of trees against a panel: half points of shape (trees, opponents), as whole numbers.

    A win counts 2, a draw 1, a loss 0, so sums are exact.
    """

    half_points: NDArray[np.int64]
    games: NDArray[np.int64]
    """Games of each tree against each opponent, shape (opponents,)."""
    plies: NDArray[np.int64]
    """Plies of all games of each tree, shape (trees,)."""

    @property
    def fitness(self) -> list[float]:
        """Return the points per game of every tree, in [0, 1]."""
        whole = 2 * int(self.games.sum())
        return [int(points) / whole for points in self.half_points.sum(axis=1)]


def panel_of(config: EvolutionConfig, earlier: Sequence[tuple[int, gp.Genotype]]) -> Panel:
    """Return the config's opponents and the *earlier* champions (generation, tree) as a panel."""
    fixed = config.fitness.opponents
    models = [read_opponent(opponent.player, config.game) for opponent in fixed]
    champions = seats_of(config, [tree for _, tree in earlier])
    return Panel(
        players=(*(prepared(player, config.game) for player in models), *champions),
        labels=(
            *(player.label for player in models),
            *(f"champion of generation {generation}" for generation, _ in earlier),
        ),
        games=(
            *(opponent.games or 2 * opponent.pairs for opponent in fixed),
            *(2 * config.fitness.earlier_generations.pairs for _ in earlier),
        ),
        sides=config.fitness.sides,
    )


def schedule_of(
    config: EvolutionConfig, trees: int, panel: Panel, stream: _native.Stream
) -> arena.Schedule:
    """Return the games of *trees* players against a panel; its players come after the trees."""
    places = panel.places
    games = len(places)
    tree = np.repeat(np.arange(trees), games)
    opponent = np.tile(trees + places.opponents, trees)
    is_black = np.tile(places.is_black, trees)
    return schedule_of_games(
        config,
        np.where(is_black, tree, opponent),
        np.where(is_black, opponent, tree),
        openings=np.tile(places.openings, trees),
        game_keys=np.tile(stream.child("game").keys(games), trees),
        stream=stream,
    )


def schedule_of_games(
    config: EvolutionConfig,
    black: NDArray[np.int64],
    white: NDArray[np.int64],
    *,
    openings: NDArray[np.int64],
    game_keys: NDArray[np.uint64],
    stream: _native.Stream,
) -> arena.Schedule:
    """Return games between players at these places, all arrays having one entry a game.

    Games with the same number in *openings* begin alike, at one of the config's starts: the
    number's key is a child of `stream.child("opening")`.
    """
    count = int(openings.max()) + 1 if len(openings) else 0
    start_of = starts_of_openings(config, count, stream)
    return arena.Schedule(
        black=black.astype(np.uint32),
        white=white.astype(np.uint32),
        opening_keys=stream.child("opening").keys(count)[openings],
        game_keys=game_keys,
        opening_plies=config.opening_plies,
        starts=start_rows(config),
        start_of=None if start_of is None else start_of[openings],
    )


def play_by_config(
    config: EvolutionConfig,
    players: Sequence[PreparedPlayer],
    schedule: arena.Schedule,
    *,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
    record_moves: bool = False,
    cluster: Cluster | None = None,
) -> arena.Results:
    """Play a schedule by the config's game and rules about draws; otherwise as `arena.play`."""
    return arena.play(
        config.game,
        players,
        replace(schedule, draws=config.draws.rules(config.game)),
        threads=threads,
        progress=progress,
        record_moves=record_moves,
        cluster=cluster,
    )


def trial(
    config: EvolutionConfig,
    players: Sequence[PreparedPlayer],
    panel: Panel,
    stream: _native.Stream,
    *,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
    cluster: Cluster | None = None,
) -> Trial:
    """Play every player against the panel and return the points.

    *progress* is told the games done and the games in all. Ctrl-C raises KeyboardInterrupt.
    """
    schedule = schedule_of(config, len(players), panel, stream)
    games = len(schedule.black)
    results = play_by_config(
        config,
        [*players, *panel.players],
        schedule,
        threads=threads,
        progress=None if progress is None else lambda done: progress(done, games),
        cluster=cluster,
    )
    return trial_of(panel, results, len(players))


def trial_of(panel: Panel, results: arena.Results, trees: int) -> Trial:
    """Return the points of *trees* from the results of their games against a panel."""
    signs = np.where(panel.places.is_black, 1, -1)
    points = results.winners.astype(np.int64).reshape(trees, -1) * signs + 1
    starts = np.cumsum([0, *panel.games[:-1]])
    return Trial(
        half_points=np.add.reduceat(points, starts, axis=1),
        games=np.array(panel.games, dtype=np.int64),
        plies=np.asarray(results.plies, dtype=np.int64).reshape(trees, -1).sum(axis=1),
    )
