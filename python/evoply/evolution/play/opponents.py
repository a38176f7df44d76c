"""The games of a run: their rules, openings and schedule, and the opponents of a population.

Every tree meets every opponent on the same random openings with the same game keys,
twice with colours swapped unless the config has its individuals play one colour only. So the
comparison is fair, and equal trees get equal points. With g games a tree, game `k` of a test
belongs to tree `k // g` and is its game `k % g`; `Opponents.places` has opponent and colour.
This module does not know about configs, generations or selection.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from evoply import _native, arena, gp
from evoply.arena import PreparedPlayer
from evoply.configs.config_errors import checked
from evoply.configs.own_code import carried, has_programs
from evoply.configs.part import fields_of
from evoply.games.position import DrawRules
from evoply.players import AfterState, AlphaBeta, PlayerKind, TreeEvaluator, parse_player
from evoply.players.mcts import guided
from evoply.players.own_player import OwnPlayer
from evoply.players.player import CARRIED_ADAPTER, SAVED_ADAPTER, PlayerModel
from evoply.players.player_kind import KernelPlayer
from evoply.protocols import Cluster, Row

PURPOSES = ("breeding", "training", "fresh", "opponents", "final")
"""Every purpose has its own keys: openings of one never occur in another."""

_STEP = (5**0.5 - 1) / 2
"""Steps of this length on a circle stay as far from one another as possible."""

IndividualPlayer = KernelPlayer | OwnPlayer
"""The player that a tree is."""

Sides = Literal["both", "black", "white"]
"""Colours of the individuals: alternately both, on one opening for two games; or one of them."""


def stream_for(seed: int, purpose: str, generation: int) -> _native.Stream:
    """Return the stream of one purpose in one generation of a run with this *seed*."""
    if purpose not in PURPOSES:
        raise ValueError(f"unknown purpose {purpose!r}")
    return _native.Stream(seed, purpose, generation)


@dataclass(frozen=True, slots=True, eq=False)
class Games:
    """What all games of a run have in common: their rules, their players, their starts."""

    game: str
    primitives: str | dict[str, Any]
    """The primitive set of the trees: its name, or its JSON form."""
    player_kind: type[AfterState | AlphaBeta]
    player_options: Mapping[str, Any]
    """Options of the player of a tree beside its evaluator."""
    tree_search: Mapping[str, Any] | None
    """Options of the Monte Carlo tree search that asks that player; None for none."""
    player_code: str | None
    """The user's Python that is made with the player of a tree, and plays for it; None if none."""
    player_repeats: bool
    """Whether it says that it plays the same game again."""
    opening_plies: int
    """Uniformly random legal plies before the players choose."""
    starts: tuple[Row, ...]
    """Positions at which games begin, as the kernel writes them."""
    weights: tuple[float, ...]
    """The weight of each start: its share of all openings is this by the sum of all weights."""
    draws: DrawRules

    def player(self, tree: gp.Genotype) -> IndividualPlayer:
        """Return the player that *tree* is, as data; it can be saved unless it is in Python."""
        evaluator = TreeEvaluator.of_tree(tree, self.primitives)
        individual = self.player_kind(evaluator=evaluator, **self.player_options)
        if self.tree_search is not None:
            return guided(individual, self.tree_search)
        if self.player_code is None:
            return individual
        return OwnPlayer(code=self.player_code, repeats=self.player_repeats, individual=individual)

    def schedule(
        self,
        black: NDArray[np.int64],
        white: NDArray[np.int64],
        *,
        openings: NDArray[np.int64],
        game_keys: NDArray[np.uint64],
        stream: _native.Stream,
    ) -> arena.Schedule:
        """Return games between players at these indices; every array has one entry a game.

        Games with the same number in *openings* begin alike, at one of the starts: the number's
        key is a child of `stream.child("opening")`.
        """
        count = int(openings.max()) + 1 if len(openings) else 0
        start_of = self.starts_of_openings(count, stream)
        return arena.Schedule(
            black=black.astype(np.uint32),
            white=white.astype(np.uint32),
            opening_keys=stream.child("opening").keys(count)[openings],
            game_keys=game_keys,
            opening_plies=self.opening_plies,
            starts=self.starts,
            start_of=None if start_of is None else start_of[openings],
        )

    def starts_of_openings(self, count: int, stream: _native.Stream) -> NDArray[np.uint32] | None:
        """Return the index of the start of each of *count* openings; None if there is only one.

        Each is drawn with the probability of its weight, and they are spread evenly: any openings
        in a row hold each start nearly as often as its weight says. This takes one draw from a
        child of *stream*.
        """
        if len(self.starts) < 2:
            return None
        weights = np.array(self.weights)
        bounds = np.cumsum(weights / weights.sum())[:-1]
        places = (stream.child("start").random() + _STEP * np.arange(count)) % 1.0
        return np.searchsorted(bounds, places, side="right").astype(np.uint32)

    def play(
        self,
        batch: Batch,
        *,
        threads: int = 0,
        progress: Callable[[int, int], object] | None = None,
        cluster: Cluster | None = None,
    ) -> arena.Results:
        """Play a batch by the rules of these games; otherwise as `arena.play`.

        *progress* gets the games done and the games in all. Ctrl-C raises KeyboardInterrupt.
        """
        count = len(batch.schedule)
        return arena.play(
            self.game,
            batch.players,
            replace(batch.schedule, draws=self.draws),
            threads=threads,
            progress=None if progress is None else lambda done: progress(done, count),
            record_moves=batch.record_moves,
            cluster=cluster,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Games that are played together."""

    players: tuple[PreparedPlayer, ...]
    """Players of the population, the opponents, the very same objects, in any order;
    the schedule holds their indices here."""
    schedule: arena.Schedule
    record_moves: bool = False
    individuals: NDArray[np.int64] | None = None
    """Positions in the population of Black and White, shape (2, games), if each game counts for
    these two alone. None: it counts for every individual with the tree that plays."""


Play = Callable[[Batch], arena.Results]
"""Plays a batch. A kind of fitness may call it as often as it needs, and later games may depend
on earlier ones."""


@dataclass(frozen=True, slots=True)
class Places:
    """The games of one tree against opponents; every array has one entry a game."""

    opponents: NDArray[np.int64]
    """Index of the opponent."""
    is_black: NDArray[np.bool_]
    """Whether the tree plays Black."""
    openings: NDArray[np.int64]
    """Number of the opening."""

    def __len__(self) -> int:
        return len(self.opponents)


@dataclass(frozen=True, slots=True)
class Opponents:
    """Opponents, their names and the games of one tree against each."""

    players: tuple[PreparedPlayer, ...]
    labels: tuple[str, ...]
    games: tuple[int, ...]
    sides: Sides = "both"

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

    def by_tree(
        self, if_black: NDArray[np.float64], if_white: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the entry that belongs to the tree's colour in each game, as (trees, games)."""
        is_black = self.places.is_black
        games = len(is_black)
        return np.where(is_black, if_black.reshape(-1, games), if_white.reshape(-1, games))

    def after(self, count: int) -> Opponents:
        """Return these without the first *count*."""
        rest = slice(count, None)
        return replace(
            self, players=self.players[rest], labels=self.labels[rest], games=self.games[rest]
        )

    def with_pairs(self, pairs: int) -> Opponents:
        """Return the same opponents with the games of *pairs* opening pairs each."""
        return replace(self, games=(2 * pairs,) * len(self.players))


NOBODY = Opponents(players=(), labels=(), games=())


@dataclass(frozen=True, slots=True)
class Trial:
    """Points of trees against opponents: half points of shape (trees, opponents), as whole numbers.

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


def schedule_of(
    games: Games, trees: int, opponents: Opponents, stream: _native.Stream
) -> arena.Schedule:
    """Return the games of *trees* players against *opponents*, who come after the trees."""
    places = opponents.places
    count = len(places)
    tree = np.repeat(np.arange(trees), count)
    opponent = np.tile(trees + places.opponents, trees)
    is_black = np.tile(places.is_black, trees)
    return games.schedule(
        np.where(is_black, tree, opponent),
        np.where(is_black, opponent, tree),
        openings=np.tile(places.openings, trees),
        game_keys=np.tile(stream.child("game").keys(count), trees),
        stream=stream,
    )


def trial(
    games: Games,
    players: Sequence[PreparedPlayer],
    opponents: Opponents,
    stream: _native.Stream,
    play: Play | None = None,
) -> Trial:
    """Play every player against *opponents*, by *play* if it is given, and return the points."""
    schedule = schedule_of(games, len(players), opponents, stream)
    results = (play or games.play)(Batch((*players, *opponents.players), schedule))
    return trial_of(opponents, results, len(players))


def trial_of(opponents: Opponents, results: arena.Results, trees: int) -> Trial:
    """Return the points of *trees* from the results of their games against *opponents*."""
    signs = np.where(opponents.places.is_black, 1, -1)
    points = results.winners.astype(np.int64).reshape(trees, -1) * signs + 1
    starts = np.cumsum([0, *opponents.games[:-1]])
    return Trial(
        half_points=np.add.reduceat(points, starts, axis=1),
        games=np.array(opponents.games, dtype=np.int64),
        plies=np.asarray(results.plies, dtype=np.int64).reshape(trees, -1).sum(axis=1),
    )


# Fixed opponents: read from their text, and written so that they depend on no file.
#
# Beside the usual grammar of players, an opponent may be a player in its JSON form, which begins
# with `{"`. That is how a run folder keeps an opponent that came from a file.

_JSON = re.compile(r"\s*\{\s*[\"}]")
"""How an object begins; several trees in braces begin with a word."""


def is_certain(player: PlayerKind) -> bool:
    """Return whether *player* surely plays the same game again.

    It runs no foreign code, or code whose checksum is recorded and that says so.
    """
    return player.reproducible and player.is_believed


def read_opponent(text: str, game: str) -> PlayerModel:
    """Return the player *text* means; raises ValueError if there is none or it does not fit *game*.

    >>> read_opponent("greedy", "othello").label
    'greedy'
    """
    if not _JSON.match(text):
        return parse_player(text, game=game, runs=None)
    adapter = CARRIED_ADAPTER if has_programs() else SAVED_ADAPTER
    player: PlayerModel = checked(lambda: adapter.validate_json(text), _no_player)
    player.check_fits(game)
    return player


def _no_player(error: ValidationError) -> ValueError:
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    return ValueError(f"not a player in JSON form: {path}: {first['msg']}")


def without_file(text: str, game: str) -> str:
    """Return *text*, or the player itself in JSON form if the text names a file or a program."""
    if text.lstrip().startswith(("{", "(")):
        return text
    with suppress(ValueError), carried():
        parse_player(text, game=game)
        return text
    return read_opponent(text, game).anywhere().model_dump_json()


def resolved(text: str, game: str) -> dict[str, Any]:
    """Return the identity of the player that *text* means, for a digest: it has no path."""
    return read_opponent(text, game).identity()


def player_texts(part: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and text of every player in a part of a config, at any depth.

    These are the texts in keys called `player`; *part* need not be a valid config.

    >>> list(player_texts({"opponents": [{"player": "greedy"}, {"player": 3}]}))
    [('opponents.0.player', 'greedy')]
    """
    if isinstance(part, BaseModel):
        part = fields_of(part)
    if isinstance(part, Mapping):
        for key, value in part.items():
            if key == "player" and isinstance(value, str) and value:
                yield f"{path}player", value
            elif isinstance(value, BaseModel | Mapping | list | tuple):
                yield from player_texts(value, f"{path}{key}.")
    elif isinstance(part, list | tuple):
        for index, value in enumerate(part):
            yield from player_texts(value, f"{path}{index}.")


def with_players(part: Any, change: Callable[[str], Any]) -> Any:
    """Return a part of a config as plain data, with *change* applied to every player text."""
    if isinstance(part, Mapping):
        return {
            key: change(value)
            if key == "player" and isinstance(value, str)
            else with_players(value, change)
            for key, value in part.items()
        }
    if isinstance(part, list | tuple):
        return [with_players(value, change) for value in part]
    return part
