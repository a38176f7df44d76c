"""The players and conditions of games, read and checked; players prepared for many batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from evoply import _native, gp
from evoply._native import Stream
from evoply.arena.game_terms import MOST_THREADS, GameTerms, OpeningList, Openings, Terms
from evoply.arena.playing import GamesRunner, play
from evoply.arena.schedule import Results, Schedule, checked_whole
from evoply.arena.statistics import Tally
from evoply.games import game_rules
from evoply.games.position import DrawRules
from evoply.permutations import shuffled
from evoply.players import AfterState, KernelSeat, TreeEvaluator, data_of, parse_player, player_of
from evoply.protocols import Cluster, Player, Row, TimeControl
from evoply.wording import did_you_mean, shorten

MOST_GAMES = 10_000_000
MOST_OPENING_PLIES = 1000


def opening_plies(game: str, openings: Openings) -> int:
    """Return the random plies that *openings* asks for; `ValueError` names it if it is wrong."""
    if openings == "usual":
        return game_rules(game).opening_plies
    plies = 0 if openings in ("none", None) else openings
    try:
        return checked_whole("openings", plies, MOST_OPENING_PLIES)  # type: ignore[arg-type]
    except ValueError as error:
        raise ValueError(f"{error}, or none") from None


def even_games(games: int) -> int:
    """Return *games*; `ValueError` unless it is an even number of them, and not too many."""
    games = checked_whole("games", games, MOST_GAMES)
    if not games or games % 2:
        raise ValueError(
            f"games: {games} is not an even number from 2 to {MOST_GAMES}: "
            "every opening is played twice, with colours swapped"
        )
    return games


@dataclass(frozen=True, slots=True)
class Conditions:
    """The checked conditions of games; `conditions_of` makes them."""

    game: str
    seed: int
    opening_plies: int
    start: Row
    draws: DrawRules | None
    clock: TimeControl | None
    threads: int
    cluster: Cluster | None
    opening_list: OpeningList | None = None

    def pairs(
        self,
        first: Sequence[int] | Any,
        second: Sequence[int] | Any,
        stream: Stream,
        turns: NDArray[np.intp] | None = None,
    ) -> Schedule:
        """Return two games with colours swapped for each pair of players; see `Schedule.pairs`.

        A list of openings is gone through by *turns*, one for each pair, by default one after the
        other; from 0 if it is *in-order*, else from a place that *stream* draws.
        """
        begin: dict[str, Any] = {"start": self.start}
        if self.opening_list is not None:
            rows = self.opening_list.rows
            places = np.arange(len(first)) if turns is None else turns
            if self.opening_list.order == "drawn":
                first_place = stream.child("openings").below(len(rows))
                places = _order(len(rows), self.seed)[(first_place + places) % len(rows)]
            used, start_of = np.unique(places % len(rows), return_inverse=True)
            begin = {
                "starts": [rows[place] for place in used],
                "start_of": start_of,
                "lines": [self.opening_list.lines[place] for place in used],
            }
        return Schedule.pairs(
            np.asarray(first, dtype=np.uint32),
            np.asarray(second, dtype=np.uint32),
            stream=stream,
            opening_plies=self.opening_plies,
            draws=self.draws,
            **begin,
        )


@lru_cache
def _order(count: int, seed: int) -> NDArray[np.intp]:
    """Return the order in which a list of *count* openings is gone through."""
    return np.array(shuffled(count, Stream(seed, "openings")), dtype=np.intp)


def conditions_of(**terms: Unpack[GameTerms]) -> Conditions:
    """Return the conditions that `Terms` describes; `ValueError` or TypeError names what is wrong.

    >>> conditions_of(game="othello-6", clock="150+2").clock
    TimeControl(seconds=150.0, increment=2.0)
    """
    given = Terms(**terms)
    game, clock = given.game or "othello", given.control
    rules = game_rules(game)
    seed = checked_whole("seed", given.seed, 2**64 - 1)
    listed = given.openings if isinstance(given.openings, OpeningList) else None
    plies = 0 if listed is not None else opening_plies(game, given.openings)
    if listed is not None and listed.game != game:
        raise ValueError(f"openings: they are of {listed.game}, and the game is {game}")
    if listed is not None and given.start not in (None, "", rules.start()):
        raise ValueError("openings: they say where games begin, and so does a start: give one")
    threads = checked_whole("threads", given.threads, MOST_THREADS)
    start: Any = given.start or rules.start()
    if isinstance(start, str):
        from evoply.games.formats import read_pasted  # few write one

        try:
            start = read_pasted(game, start).position
        except ValueError as error:
            raise ValueError(f"start: {error}") from None
    if not hasattr(start, "row"):
        raise TypeError(f"start: {shorten(repr(start))} is not a position: give one of the game")
    if start.game != game:
        raise ValueError(
            f"start: this is a position of {start.game}, and the game is {game}: change one of them"
        )
    draws = _draw_rules(given.draws, game)
    return Conditions(game, seed, plies, start.row, draws, clock, threads, given.cluster, listed)


def _draw_rules(draws: DrawRules | str | None, game: str) -> DrawRules | None:
    """Return rules about draws that are given as such or as a text; `ValueError` names them."""
    if not isinstance(draws, str):
        return draws
    rules = game_rules(game)
    if not rules.has_draw_rules:
        raise ValueError(f"draws: {game} has no draws but those of the board")
    try:
        return DrawRules.parse(draws, rules.draws)
    except ValueError as error:
        raise ValueError(f"draws: {error}") from None


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Players, read and checked, and the conditions of all their games."""

    conditions: Conditions
    players: tuple[Player, ...]
    learned: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """What seats learned about the players, by their indices."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the players."""
        return tuple(player.label for player in self.players)

    @property
    def reproducible(self) -> bool:
        """Whether every player repeats its moves in the same game; never true with a clock."""
        return self.conditions.clock is None and all(player.reproducible for player in self.players)

    @contextmanager
    def runner(self) -> Iterator[GamesRunner]:
        """Give tables at which the players sit; close all seats at the end of the block."""
        runner = GamesRunner(
            self.conditions.game,
            self.players,
            threads=self.conditions.threads,
            clock=self.conditions.clock,
            cluster=self.conditions.cluster,
        )
        try:
            yield runner
        finally:
            runner.close()
            self.learned.update(runner.about)

    def about(
        self, tally: Tally, names: Sequence[str] | None = None
    ) -> tuple[Mapping[str, Any], ...]:
        """Return `kind`, `version` and `forfeits` of each player, and what its seats learned.

        With a clock, `seconds` are added: `mean` and `most` of a game. With *names*, each player
        has its name as `player`. Facts from seats, such as the version of an engine, are known
        after `runner` has ended.
        """
        return tuple(
            {
                **({} if names is None else {"player": names[index]}),
                "kind": "python",
                "version": None,
                **(model.about() if (model := data_of(player)) else {}),
                **self.learned.get(index, {}),
                "forfeits": tally.games_of(index),
                **(
                    {}
                    if self.conditions.clock is None
                    else {"seconds": tally.time_of(index).to_dict()}
                ),
            }
            for index, player in enumerate(self.players)
        )


def circumstances(conditions: Conditions, tally: Tally, *, reproducible: bool) -> dict[str, Any]:
    """Return the fields of `Circumstances`; *reproducible* says whether all players are."""
    return {
        "game": conditions.game,
        "opening_plies": conditions.opening_plies,
        "opening_list": None if conditions.opening_list is None else conditions.opening_list.facts,
        "seed": conditions.seed,
        "clock": None if conditions.clock is None else str(conditions.clock),
        "reproducible": reproducible and tally.are_reproducible,
        "forfeits": tally.lost,
    }


def field_of(
    players: Sequence[object],
    *,
    runs: Callable[[str], Player] | None = None,
    **terms: Unpack[GameTerms],
) -> Field:
    """Return the field of *players*; `ValueError` or TypeError names the argument that is wrong.

    A text is read by `parse_player`, with *runs* for champions, and is then the player's label.
    """
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise TypeError(f"players: give a list of players, not {shorten(repr(players))}")
    for name in terms.keys() - GameTerms.__annotations__.keys():
        hint = did_you_mean(name, [*GameTerms.__annotations__, "games", "times", "progress"])
        raise TypeError(f"no argument is called {name!r}{hint}")
    conditions = conditions_of(**terms)
    return Field(conditions, tuple(_read(player, conditions.game, runs) for player in players))


def _read(player: object, game: str, runs: Callable[[str], Player] | None) -> Player:
    if isinstance(player, str):
        return parse_player(player, game=game, runs=runs).model_copy(update={"name": player})
    known = player_of(player)
    known.check_fits(game)
    return known


# Many players against the same opponents in one call: for learners and fitness from outside.
#
# All players meet all opponents on the same openings with the same game keys, so points differ
# through the players alone. `Schedule` and `play` are there for any other games.

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
