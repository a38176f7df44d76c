"""Tournaments played many times, by elimination: stars, ratings, correlation with fitness.

The result of one elimination tournament is mostly luck, so it is played many times. *Stars* are the
players with the best mean rank and the greatest share of finals over all runs (Bellin & Gasperin,
"Genetic Programming and Othello", section 5).
"""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena.conditions import Field, circumstances, field_of
from evoply.arena.game_terms import PlayerTerms
from evoply.arena.kept_games import KeptGames, keeping, play_kept
from evoply.arena.playing import GamesRunner, games_played
from evoply.arena.ratings import PairsPlayed
from evoply.arena.round_robins import RATING_NOTE, check_players, ratings_of
from evoply.arena.schedule import Results, Schedule, checked_whole, ignore
from evoply.arena.statistics import Competition, Tally, TimeUsed, mean_interval, wilson
from evoply.arena.stopping import Stop
from evoply.arena.throttle import Pace
from evoply.games import game_rules
from evoply.games.formats import GamePlayed
from evoply.permutations import derangement
from evoply.protocols import TimeControl
from evoply.protocols.sections import (
    Column,
    Intervals,
    JsonData,
    Page,
    Section,
    between,
    cells_of,
    counted,
    value_in,
)
from evoply.wording import named_apart, short_name, signed

# Elimination tournaments: a player that does not win enough games of a round is out.
#
# Source: Bellin & Gasperin, "Genetic Programming and Othello", section 5: seven brackets of evolved
# players, a player that fails to win more than 60 % of the games of a round is out, opponents drawn
# from all players, from the own bracket or from the others. Comments say what is chosen here
# because the paper leaves it open.
#
# Every round puts somebody out: each game has at most one winner, so the win rates, weighted by
# games, average at most 50 %, and not all can exceed a threshold of 50 % or more. With equal
# numbers of games, at most the share 0.5 / threshold of the field survives: five sixths at 60 %.

Meetings = Literal["all", "same", "other"]
"""Whom a player meets: all players, only those of its own bracket, or only those of others."""

Play = Callable[[NDArray[np.intp], NDArray[np.intp], _native.Stream], Results]
"""Plays pairs of games between first and second players, with keys from a stream."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round: who played in it, and with which result."""

    players: tuple[int, ...]
    wins: tuple[int, ...]
    """Games won by each of *players*, including games for which others drew it."""
    games: tuple[int, ...]
    survivors: tuple[int, ...]

    def rate(self, player: int) -> float:
        """Return the share of its games that a player of this round won; draws are not wins."""
        index = self.players.index(player)
        return self.wins[index] / self.games[index]


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """One run of a tournament; players are indices into the list of players."""

    rounds: tuple[Round, ...]
    """In mode "same" all rounds of the first bracket, then those of the next."""
    ranks: tuple[float, ...]
    """Each player's rank from 1, in mode "same" in its bracket; equal players share their mean."""
    champions: tuple[int, ...]
    """The last player, or in mode "same" that of every bracket."""
    finalists: tuple[int, ...]
    """The players of the last round, or in mode "same" of the last round of each bracket."""
    played: PairsPlayed


def eliminate(
    brackets: Sequence[int],
    play: Play,
    stream: _native.Stream,
    *,
    mode: Meetings = "all",
    games: int = 20,
    threshold: float = 0.6,
) -> Elimination:
    """Play rounds until one player is left, or in mode "same" one of each bracket.

    `brackets[i]` is the bracket of player i. In a round every player meets *games* / 2 opponents,
    each with both colours of one opening, and others may draw it too; all of these games count. It
    stays if it wins more than the share *threshold* of them; draws are not wins. If nobody would
    stay, or those who stay have no opponents (mode "other"), the tournament is over, and the
    players of the round are ranked by the share they won. Equal players share a rank, and the
    champion among them is drawn. Raises `ValueError` for a threshold that is not from 0.5 to below
    1, because a round might then put nobody out, and for an odd number of games.
    """
    if not 0.5 <= threshold < 1:
        raise ValueError(f"threshold: must be at least 0.5 and below 1, not {threshold:g}")
    if games < 2 or games % 2:
        raise ValueError(f"games: {games} per player and round is not an even number from 2 up")
    everybody = list(range(len(brackets)))
    fields = [everybody]
    if mode == "same":
        fields = [
            [p for p in everybody if brackets[p] == bracket] for bracket in sorted(set(brackets))
        ]
    ranks = [0.0] * len(brackets)
    rounds: list[Round] = []
    champions: list[int] = []
    finalists: list[int] = []
    played: list[PairsPlayed] = []
    for number, seeded in enumerate(fields):
        keys = stream.child("field", number)
        played_rounds, pairs = _rounds(seeded, brackets, play, keys, mode, games // 2, threshold)
        order = _order(seeded, played_rounds)
        rank = 1
        for group in order:
            for player in group:
                ranks[player] = rank + (len(group) - 1) / 2
            rank += len(group)
        champions.append(order[0][keys.child("champion").below(len(order[0]))])
        finalists += played_rounds[-1].players if played_rounds else seeded
        rounds += played_rounds
        played += pairs
    return Elimination(
        rounds=tuple(rounds),
        ranks=tuple(ranks),
        champions=tuple(champions),
        finalists=tuple(finalists),
        played=PairsPlayed.joined(played),
    )


def _rounds(
    field: list[int],
    brackets: Sequence[int],
    play: Play,
    stream: _native.Stream,
    mode: Meetings,
    opponents: int,
    threshold: float,
) -> tuple[list[Round], list[PairsPlayed]]:
    rounds: list[Round] = []
    played: list[PairsPlayed] = []
    while len(field) > 1:
        keys = stream.child("round", len(rounds))
        first, second = drawn_pairs(field, brackets, mode, opponents, keys.child("draw"))
        if not len(first):
            break
        results = play(first, second, keys)
        played.append(PairsPlayed.of(first, second, results))
        wins, games = _wins(first, second, results, len(brackets))
        staying = tuple(p for p in field if wins[p] > threshold * games[p])
        rounds.append(
            Round(tuple(field), tuple(wins[field].tolist()), tuple(games[field].tolist()), staying)
        )
        field = list(staying)
    return rounds, played


def _order(field: Sequence[int], rounds: Sequence[Round]) -> list[list[int]]:
    """Return groups of equal players, best first: by the round they left in, then by win rate."""
    if not rounds:
        return [list(field)]
    left_in: dict[int, tuple[int, float]] = {}
    for number, played_round in enumerate(rounds):
        for player in played_round.players:
            stays = player in played_round.survivors and len(played_round.survivors) == 1
            left_in[player] = (number + stays, played_round.rate(player))
    keys = sorted({left_in[player] for player in field}, reverse=True)
    return [[player for player in field if left_in[player] == key] for key in keys]


def drawn_pairs(
    field: Sequence[int],
    brackets: Sequence[int],
    mode: Meetings,
    opponents: int,
    stream: _native.Stream,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return who meets whom: *opponents* pairs for each player of *field*.

    Where all may meet, the opponents come from that many random permutations without fixed points,
    so that every player is drawn equally often and all play the same number of games. In mode
    "other" each opponent is drawn independently and uniformly from the other brackets; the arrays
    are empty if there is only one bracket.
    """
    players = np.array(field, dtype=np.intp)
    own = np.array([brackets[player] for player in field])
    if len(players) < 2 or (mode == "other" and len(set(own.tolist())) < 2):
        return players[:0], players[:0]
    drawn = []
    for _ in range(opponents):
        if mode == "other":
            allowed = [players[own != bracket] for bracket in own]
            drawn.append([int(others[stream.below(len(others))]) for others in allowed])
        else:
            drawn.append(players[derangement(len(players), stream)].tolist())
    return np.tile(players, opponents), np.array(drawn, dtype=np.intp).reshape(-1)


def _wins(
    first: NDArray[np.intp], second: NDArray[np.intp], results: Results, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return games won and games played of each of *count* players."""
    black = results.black_points
    ones = np.concatenate([black[0::2] == 1, black[1::2] == 0])
    others = np.concatenate([black[0::2] == 0, black[1::2] == 1])
    wins = np.bincount(np.tile(first, 2), weights=ones, minlength=count)
    wins += np.bincount(np.tile(second, 2), weights=others, minlength=count)
    games = 2 * (np.bincount(first, minlength=count) + np.bincount(second, minlength=count))
    return wins.astype(np.int64), games.astype(np.int64)


MOST_RUNS = 100_000
_FEWEST_RUNS = 10
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Star(JsonData):
    """The results of one player over all runs."""

    player: str
    bracket: str
    mean_rank: float
    """1 is the best; in mode "same" the rank in the bracket."""
    rank_interval: tuple[float, float] | None
    """Student's 95 % interval of the mean rank; None for fewer than ten runs, or if its rank was
    the same in all."""
    titles: int
    finals: int
    """Runs in which it still played in the last round."""
    finals_interval: tuple[float, float]
    rating: float | None
    """None for a player that forfeited all its games."""
    rating_interval: tuple[float, float] | None
    """95 % interval of the rating; an end is infinite if it won, or lost, every game."""
    fitness: float | None
    place: int = field(metadata={"json": ""})
    """Where the player stood in the list of players, from 0."""
    seconds: TimeUsed | None = field(default=None, metadata={"if_any": True})
    """The time its games took, if they had a clock."""


@dataclass(frozen=True, slots=True)
class Correlation(JsonData):
    """Spearman's rank correlation with an approximate 95 % interval; None for too few players."""

    rho: float
    interval: tuple[float, float] | None
    players: int

    def __str__(self) -> str:
        between = (
            "" if self.interval is None else " (95 %: {:+.2f} to {:+.2f})".format(*self.interval)
        )
        return (
            f"Spearman's rank correlation of the given fitness with strength: {self.rho:+.2f}"
            f"{between}, {self.players} players. 1 would mean that the fittest always wins."
        )


@dataclass(frozen=True, slots=True)
class Tournament(Competition):
    """Elimination tournaments of the same players, played many times; stars with the best first."""

    kind_in_json: ClassVar = {"mode": "elimination"}
    mode: Meetings = field(metadata={"json": "opponents"})
    stars: tuple[Star, ...]
    runs: int
    rounds: tuple[int, ...]
    """Rounds of every run."""
    out: tuple[tuple[tuple[str, ...], ...], ...]
    """For every run and round, the players who were put out."""
    fitness_correlation: Correlation | None
    """The correlation of fitness with strength (a low mean rank): 1 if fitter is always better."""
    games: int
    games_per_round: int
    threshold: float
    about: tuple[Mapping[str, Any], ...] = ()
    """For each player, in the order of the arguments: its name as `player`, `kind`, `version`,
    `forfeits` (games) and, for an engine, its own name (`engine`) and its `command`."""

    def shown(self) -> Page:
        """Return the stars, and who was out when."""
        stars, correlation = self.stars, self.fitness_correlation
        ranks = {star.place: rank for rank, star in enumerate(stars, start=1)}
        rank = Column("rank", "rank", counted, read=lambda star: ranks.get(value_in(star, "place")))
        fitness = [_FITNESS] * (correlation is not None)
        columns, rows = self.with_fates([rank, *STARS, *fitness], stars)
        finals = Intervals(
            "Finals",
            "share of runs",
            lambda star: self._share_of_finals(value_in(star, "finals")),
            "finals_interval",
            note="runs in which it played in the last round, with 95 % intervals",
        )
        found = [] if correlation is None else [str(correlation)]
        rounds = [
            (str(run), str(number), ", ".join(map(short_name, names)))
            for run, each in enumerate(self.out[:_MOST_RUNS_SHOWN], start=1)
            for number, names in enumerate(each, start=1)
        ]
        runs = f"{self.runs:,} of {self.planned:,}"
        facts = {
            "players": counted(len(stars)),
            "opponents": _WHOM[self.mode],
            "runs": runs if self.runs < self.planned else counted(self.runs),
            "games": counted(self.games),
        }
        head = cells_of("run", "round", "out")
        return Page(
            self.title or f"Tournament: {game_rules(self.game).title}",
            [
                Section("Stars", columns, rows, RATING_NOTE, found, charts=[_RANKS, finals]),
                Section("Who was out when", head, rounds, folded="Every round"),
                self.forfeited(),
            ],
            facts | self.usual_facts,
            "In every round a player meets randomly drawn opponents with both colours, and is out "
            f"unless it wins more than {100 * self.threshold:g} % of its games.",
        )

    def _share_of_finals(self, finals: int | None) -> float | None:
        return None if finals is None else finals / self.runs


STARS = (
    Column("player", "player", str, look="code"),
    Column("bracket", "bracket", str, longest=20),
    Column("mean_rank", "mean rank", "{:.2f}".format, look="strong"),
    Column("titles", "titles", counted),
    Column("finals", "finals", counted),
    Column("rating", "rating", signed),
    Column("rating_interval", "95 % interval", between(signed), missing="too few games"),
)
_RANKS = Intervals("Mean rank", "mean rank (1 is the best)", "mean_rank", "rank_interval")
_FITNESS = Column("fitness", "fitness", "{:g}".format, missing="", is_listed=False)
_WHOM = {"all": "all players", "same": "players of the same bracket", "other": "other brackets"}
_MOST_RUNS_SHOWN = 100


def tournament(
    players: Sequence[object],
    *,
    brackets: Sequence[str] | None = None,
    fitness: Sequence[float | None] | None = None,
    mode: Meetings = "all",
    names: Sequence[str] | None = None,
    games: int = 20,
    threshold: float = 0.6,
    times: int = 1,
    progress: Callable[[int], object] | None = None,
    on_standings: Callable[[Tournament], object] | None = None,
    on_game: Callable[[GamePlayed], object] | None = None,
    file: str | os.PathLike[str] | None = None,
    **terms: Unpack[PlayerTerms],
) -> Tournament:
    """Play an elimination tournament *times* times and return the stars; see `eliminate`.

    *brackets* names each player's bracket (by default there is one), *fitness* gives the numbers
    with which strength is correlated. *games* is how many a player schedules in a round, half of
    each colour. *progress* is called with the number of finished runs, and *on_standings* every few
    seconds with the result of these, for spectators. The workers of a *cluster*
    (`evoply.cluster.connect`) play the games of each round with the same result. *on_game* is
    called with the games of every finished run. A *file* keeps every game: the same call goes on,
    also with more *times*, to the same result. Players, all other arguments and errors as in
    `match`.

    >>> result = tournament(["swh", "greedy", "random", "mobility"], times=5, seed=1)
    >>> result.stars[0].player, result.stars[0].titles
    ('swh', 5)
    """
    times = checked_whole("times", times, MOST_RUNS)
    _check(len(players), times, brackets=brackets, fitness=fitness, names=names)
    field = field_of(players, **terms)
    names = named_apart(names or field.labels)
    bracket_names = list(brackets or ["all"] * len(players))
    numbers = {name: number for number, name in enumerate(dict.fromkeys(bracket_names))}
    stream = Stream(field.conditions.seed, "tournament")
    tally = Tally(names)
    play = partial(
        eliminate,
        [numbers[name] for name in bracket_names],
        mode=mode,
        games=games,
        threshold=threshold,
    )

    played: list[Elimination] = []

    def standings() -> Tournament:
        stars = _stars(
            tally, bracket_names, fitness or [None] * len(names), played, field.conditions.clock
        )
        return Tournament(
            mode=mode,
            stars=stars,
            runs=len(played),
            rounds=tuple(len(run.rounds) for run in played),
            out=tuple(_leavers(names, run) for run in played),
            fitness_correlation=_fitness_correlation(stars),
            games=sum(2 * len(run.played.first) for run in played),
            games_per_round=games,
            threshold=threshold,
            planned=times,
            **circumstances(field.conditions, tally, reproducible=field.reproducible),
            about=field.about(tally, names),
        )

    def tell() -> None:
        if on_standings is not None:
            on_standings(standings())

    pace = Pace()
    facts = {
        "mode": "elimination",
        "games": games,
        "opponents": mode,
        "threshold": threshold,
        "brackets": bracket_names,
    }
    with keeping(file, field, facts) as kept, Stop() as stop, field.runner() as runner:
        table = _Table(field, runner, kept, has_moves=on_game is not None)
        while len(played) < times:
            run, rounds = table.run(play, stream.child("run", len(played)))
            for schedule, results in rounds:
                tally.add(schedule, results)
                if on_game is not None:
                    for game in games_played(field.conditions.game, names, schedule, results):
                        on_game(game)
            played.append(run)
            (progress or ignore)(len(played))
            if on_standings is not None and len(played) < times:
                pace.look(tell)
    return stop.give(standings() if played else None, is_whole=len(played) == times)


def _check(count: int, times: int, **columns: Sequence[object] | None) -> None:
    """Raise `ValueError` unless *count* players can play so often, with one entry each."""
    check_players(count)
    for name, column in columns.items():
        if column is not None and len(column) != count:
            raise ValueError(
                f"{name}: {len(column)} given for {count} players: give one per player"
            )
    if not times:
        raise ValueError("times: must be at least 1, not 0")


@dataclass(slots=True)
class _Table:
    """Where the runs are played, one after another."""

    field: Field
    runner: GamesRunner
    kept: KeptGames | None
    has_moves: bool
    games: int = 0
    """The games of all runs so far."""

    def run(
        self, play: Callable[[Play, Stream], Elimination], stream: Stream
    ) -> tuple[Elimination, list[tuple[Schedule, Results]]]:
        """Play a tournament once; return its result and the games of its rounds."""
        rounds: list[tuple[Schedule, Results]] = []

        def meet(first: NDArray[np.intp], second: NDArray[np.intp], keys: Stream) -> Results:
            schedule = self.field.conditions.pairs(first, second, keys)
            results = play_kept(
                self.kept, self.runner, schedule, self.games, record_moves=self.has_moves
            )
            self.games += len(schedule)
            rounds.append((schedule, results))
            return results

        return play(meet, stream), rounds


def _leavers(names: Sequence[str], run: Elimination) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(names[player] for player in played.players if player not in played.survivors)
        for played in run.rounds
    )


def _stars(
    tally: Tally,
    brackets: Sequence[str],
    fitness: Sequence[float | None],
    played: Sequence[Elimination],
    clock: TimeControl | None,
) -> tuple[Star, ...]:
    names, times = tally.names, tally.times(clock)
    ranks = np.array([run.ranks for run in played])
    pairs = PairsPlayed.joined([run.played for run in played])
    games = 2 * np.bincount(np.concatenate([pairs.first, pairs.second]), minlength=len(names))
    has_played = [tally.games_of(player) < count for player, count in enumerate(games.tolist())]
    elo, intervals = ratings_of(pairs, has_played)
    runs = len(played)
    stars = []
    for index, name in enumerate(names):
        finals = sum(index in run.finalists for run in played)
        stars.append(
            Star(
                player=name,
                bracket=brackets[index],
                mean_rank=float(ranks[:, index].mean()),
                rank_interval=mean_interval(ranks[:, index].tolist())
                if runs >= _FEWEST_RUNS
                else None,
                titles=sum(index in run.champions for run in played),
                finals=finals,
                finals_interval=wilson(finals / runs, runs),
                rating=elo[index],
                rating_interval=intervals[index],
                fitness=fitness[index],
                place=index,
                seconds=times[index],
            )
        )
    return tuple(sorted(stars, key=lambda star: (star.mean_rank, -star.finals, star.place)))


def _fitness_correlation(stars: Sequence[Star]) -> Correlation | None:
    known = [(star.fitness, -star.mean_rank) for star in stars if star.fitness is not None]
    return rank_correlation(*zip(*known, strict=True)) if known else None


_FEWEST_RANKED = 5


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> Correlation:
    """Return Spearman's rho of two columns; NaN if one of them is constant.

    The interval is that of Fisher's transformation with the variance 1.06 / (n - 3) (Fieller,
    Hartley & Pearson 1957).

    >>> rank_correlation([1, 2, 3], [10, 20, 40])
    Correlation(rho=1.0, interval=None, players=3)
    """
    count = len(x)
    if count < 2 or len(set(x)) < 2 or len(set(y)) < 2:
        return Correlation(math.nan, None, count)
    rho = float(np.corrcoef(_ranks(x), _ranks(y))[0, 1])
    if count < _FEWEST_RANKED or abs(rho) > 1 - 1e-12:
        return Correlation(round(rho, 12), None, count)
    half = _Z * math.sqrt(1.06 / (count - 3))
    middle = math.atanh(rho)
    return Correlation(rho, (math.tanh(middle - half), math.tanh(middle + half)), count)


def _ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Return each value's place from below, ties sharing the mean of theirs; the origin is free."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - counts / 2)[place]
    return ranks
