"""Matches of two players: every opening twice with colours swapped, and a result with interval."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena.conditions import Field, circumstances, even_games, field_of
from evoply.arena.game_terms import PlayerTerms
from evoply.arena.games_played import games_played
from evoply.arena.schedule import FinishedGames, Results, Schedule, in_order, whole_pairs
from evoply.arena.statistics import distinct_rows, elo_difference, pair_statistics, ways_to_end
from evoply.arena.stopping import Stop
from evoply.arena.tally import Circumstances, Tally
from evoply.formats import GamePlayed
from evoply.games import game_rules
from evoply.players import NOT_REPRODUCIBLE
from evoply.sections import Column, Page, Section, chosen, counted, share, shares, value_in
from evoply.wording import short_name

GAMES_AT_A_TIME = 1000


@dataclass(frozen=True, slots=True)
class MatchResult(Circumstances):
    """The result of a match, from the point of view of the first player."""

    also: ClassVar = ("score", "elo", "games")
    first: str
    second: str
    wins: int
    draws: int
    losses: int
    interval: tuple[float, float] | None
    """95 % interval of the score, from opening pairs; None with too few distinct games."""
    distinct_games: int
    endings: Mapping[str, int] = field(default_factory=dict)
    """How many games ended in each way that occurred, by the value of `evoply.protocols.Ending`."""
    players: tuple[Mapping[str, Any], ...] = ()
    """First and second: `kind`, `version`, `forfeits` (games) and, for an engine, its own name
    (`engine`) and its `command`."""

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Mean points of a game, in [0, 1]: a win counts 1, a draw 0.5."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def elo(self) -> float:
        """The rating difference that explains the score; infinite if one side won every game."""
        return elo_difference(self.score)

    def __str__(self) -> str:
        certainty = (
            f"only {self.distinct_games} distinct games: no interval"
            if self.interval is None
            else f"95 %: {self.interval[0]:.1%} to {self.interval[1]:.1%}"
        )
        return (
            f"{short_name(self.first)} against {short_name(self.second)}: "
            f"+{self.wins} ={self.draws} -{self.losses}, "
            f"score {self.score:.1%} ({certainty}){'' if self.reproducible else NOT_REPRODUCIBLE}"
        )

    def shown(self) -> Page:
        """Return the result as a table of one row."""
        return Page(f"Match of {game_rules(self.game).title}", [Section("", _SHOWN, [self])])


def _certainty(result: MatchResult) -> str:
    if result.interval is None:
        return f"none ({result.distinct_games} distinct games)"
    return shares(result.interval)


def _seed(result: MatchResult) -> str:
    return f"{result.seed}{'' if result.reproducible else NOT_REPRODUCIBLE}"


MATCH = (
    Column("first", "player", str, look="code"),
    Column("second", "opponent", str, look="code"),
    Column("games", "games", counted),
    Column("wins", "wins", counted),
    Column("draws", "draws", counted),
    Column("losses", "losses", counted),
    Column("score", "score", share, look="strong"),
    Column("interval", "95 % interval", shares),
)
"""The columns of results of matches, and of the data that `MatchResult.to_dict` returns."""

RESULT = Column(
    "",
    "result",
    lambda counts: "+{} ={} \N{MINUS SIGN}{}".format(*counts),
    look="whole",
    read=lambda row: [value_in(row, name) for name in ("wins", "draws", "losses")],
)
"""Their numbers of games won, drawn and lost in short."""

_SHOWN = (
    *chosen(MATCH, "first second wins draws losses score"),
    Column("interval", "95 % interval", read=lambda result: result, format=_certainty),
    *chosen(MATCH, "games"),
    Column("seed", "seed", read=lambda result: result, format=_seed),
)


def match(
    first: object,
    second: object,
    *,
    games: int = 1000,
    progress: Callable[[int], object] | None = None,
    on_game: Callable[[GamePlayed], object] | None = None,
    games_at_a_time: int = GAMES_AT_A_TIME,
    **terms: Unpack[PlayerTerms],
) -> MatchResult:
    """Play *games* games between two players and return the result for the first.

    A player is a text, a player as data, a tree or an object that holds one
    (`evoply.players.player_of`: one ply ahead), or any object with `choose(game, stream, clock)`.
    The keywords of `Terms` are the conditions: *game*, *seed*, *openings*, *start*, *draws*,
    *clock*, *threads*, *cluster*, and *runs*, which finds the champions that texts name.

    Every opening is played twice with colours swapped, so *games* must be even. *progress* is
    called with the number of finished games now and then. *on_game* is called with every game in
    order, as soon as its pair is finished; at most *games_at_a_time* games wait for it. Raises
    ValueError for players that cannot be read or do not play this game. Ctrl-C raises a
    `StoppedWithResultError`, a KeyboardInterrupt, with the *result* of the whole pairs played by
    then, if there are any; *on_game* may have had two games more.

    >>> match("greedy", "random", games=100, seed=1).games
    100
    """
    games = even_games(games)
    field = field_of((first, second), **terms)
    schedule = schedule_of_match(field, games)
    played: list[FinishedGames] = []
    most = games if on_game is None else max(2, games_at_a_time + games_at_a_time % 2)
    with Stop() as stop, field.tables() as tables:
        parts = tables.parts(
            schedule,
            sizes=tables.sizes(most),
            progress=progress,
            record_moves=on_game is not None,
        )
        for part in parts if on_game is None else report(parts, field, schedule, on_game):
            played.append(part)
    return stop.give(_result(field, schedule, played))


def _result(
    field: Field, schedule: Schedule, played: Sequence[FinishedGames]
) -> MatchResult | None:
    """Return the result of the whole pairs played; None if there are none."""
    whole = whole_pairs(played)
    if whole is None:
        return None
    results, tally = whole.results, Tally(field.labels)
    tally.add(schedule.part(whole.places), results)
    points = first_points(results)
    return MatchResult(
        first=tally.names[0],
        second=tally.names[1],
        **ways_to_end(points),
        interval=pair_statistics(points, results.hashes).interval,
        distinct_games=distinct_rows(results.hashes[:, np.newaxis]),
        endings=results.ending_counts,
        players=field.about(tally),
        **circumstances(field.conditions, tally, reproducible=field.reproducible),
    )


def schedule_of_match(field: Field, games: int) -> Schedule:
    """Return the games of a match of the two players of *field*."""
    places = np.zeros(games // 2, dtype=np.uint32)
    return field.conditions.pairs(places, places + 1, Stream(field.conditions.seed, "match"))


def first_points(results: Results) -> NDArray[np.float64]:
    """Return the points of the first player of each pair of a schedule, game by game."""
    points = results.black_points
    points[1::2] = 1 - points[1::2]
    return points


def report(
    parts: Iterable[FinishedGames],
    field: Field,
    schedule: Schedule,
    on_game: Callable[[GamePlayed], object],
    names: Sequence[str] = (),
) -> Iterator[FinishedGames]:
    """Call *on_game* with every game in order, and yield the pairs without their moves."""
    game, labels = field.conditions.game, names or field.labels
    for part in in_order(parts):
        for begin in range(0, len(part), 2):
            pair = part.part(slice(begin, begin + 2))
            for played in games_played(game, labels, schedule.part(pair.places), pair.results):
                on_game(played)
            yield FinishedGames(pair.places, replace(pair.results, moves=None))
