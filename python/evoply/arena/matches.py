"""Matches of two players: each opening twice with colours swapped; tests that end early (SPRT).

Reasons: docs/design/runs.md.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena.conditions import Field, circumstances, even_games, field_of
from evoply.arena.game_terms import PlayerTerms
from evoply.arena.playing import games_played
from evoply.arena.ratings import pair_points
from evoply.arena.schedule import FinishedGames, Results, Schedule, in_order, whole_pairs
from evoply.arena.statistics import (
    Circumstances,
    Tally,
    distinct_rows,
    elo_difference,
    pair_statistics,
    ways_to_end,
)
from evoply.arena.stopping import Stop
from evoply.games import game_rules
from evoply.games.formats import GamePlayed
from evoply.players import NOT_REPRODUCIBLE
from evoply.protocols.sections import (
    Column,
    Page,
    Section,
    chosen,
    counted,
    share,
    shares,
    value_in,
)
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
    beginner: float = field(default=0.5, metadata={"json": ""})
    """Points a game of the side that began, whichever player that was."""

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
    with Stop() as stop, field.runner() as runner:
        batches = runner.batches(
            schedule,
            sizes=runner.sizes(most),
            progress=progress,
            record_moves=on_game is not None,
        )
        for batch in batches if on_game is None else report(batches, field, schedule, on_game):
            played.append(batch)
    return stop.give(_result(field, schedule, played))


def _result(
    field: Field, schedule: Schedule, played: Sequence[FinishedGames]
) -> MatchResult | None:
    """Return the result of the whole pairs played; None if there are none."""
    whole = whole_pairs(played)
    if whole is None:
        return None
    results, tally = whole.results, Tally(field.labels)
    tally.add(schedule.batch(whole.places), results)
    points = first_points(results)
    return MatchResult(
        first=tally.names[0],
        second=tally.names[1],
        **ways_to_end(points),
        interval=pair_statistics(points, results.hashes).interval,
        distinct_games=distinct_rows(results.hashes[:, np.newaxis]),
        endings=results.ending_counts,
        players=field.about(tally),
        beginner=float(results.black_points.mean()),
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
    batches: Iterable[FinishedGames],
    field: Field,
    schedule: Schedule,
    on_game: Callable[[GamePlayed], object],
    names: Sequence[str] = (),
) -> Iterator[FinishedGames]:
    """Call *on_game* with every game in order, and yield the pairs without their moves."""
    game, labels = field.conditions.game, names or field.labels
    for batch in in_order(batches):
        for begin in range(0, len(batch), 2):
            pair = batch.batch(slice(begin, begin + 2))
            for played in games_played(game, labels, schedule.batch(pair.places), pair.results):
                on_game(played)
            yield FinishedGames(pair.places, replace(pair.results, moves=None))


# Sequential tests: a match that stops as soon as the answer is known.
#
# The question is between two hypotheses about the first player's Elo difference, elo0 and elo1.
# After every opening pair the generalised likelihood ratio of the pairs' five possible results (0,
# 1/2, 1, 3/2 or 2 points: the "pentanomial" model) is compared with Wald's bounds (Wald,
# "Sequential Analysis", 1947). Among all distributions over the five results with the expected
# score of a hypothesis, the likeliest is taken (Van den Bergh, notes on the generalised test for
# Stockfish's testing framework). Pairs, not games, because the games of a pair share an opening.

Verdict = Literal["elo1", "elo0", "undecided"]

_VALUES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Mean points of a game for each result of a pair."""
_UNSEEN = 1e-3
"""The count of a result that has not been seen, so that it is not taken as impossible."""
_BATCH = 64
_LARGEST_BATCH = 4096
MOST_ELO = 2000.0
_MOST_REPEATED = 64
"""Pairs in a row, none of which was new, after which no new ones are expected."""


def expected_score(elo: float) -> float:
    """Return the points a game to be expected at a rating difference."""
    return float(1 / (1 + 10.0 ** (-elo / 400)))


@dataclass(frozen=True, slots=True)
class Sprt:
    """Two hypotheses about an Elo difference, and how often the test may err.

    *alpha* is the greatest probability of deciding for elo1 where elo0 is true, *beta* that of
    deciding for elo0 where elo1 is.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Raise `ValueError` for numbers outside the bounds."""
        for name in ("elo0", "elo1", "alpha", "beta"):
            if not isinstance(getattr(self, name), int | float):
                raise TypeError(f"{name}: must be a number, not {getattr(self, name)!r:.40}")
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise ValueError(
                f"sprt: elo0 {self.elo0:g} must be below elo1 {self.elo1:g}, both from "
                f"-{MOST_ELO:g} to {MOST_ELO:g}"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name}: must be between 0 and 0.5, not {getattr(self, name):g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds: at or below the lower one elo0 is accepted, above the upper one elo1."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def ratio(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio after so many pairs of each result, 0 to 2 points."""
        return log_likelihood_ratio(counts, expected_score(self.elo0), expected_score(self.elo1))

    def verdict(self, ratio: float) -> Verdict:
        """Return the decision at a ratio."""
        lower, upper = self.bounds
        return "elo0" if ratio <= lower else "elo1" if ratio >= upper else "undecided"


def log_likelihood_ratio(counts: Sequence[int], score0: float, score1: float) -> float:
    """Return how much likelier counts of pairs are at *score1* than at *score0*, as a logarithm.

    *counts* are the numbers of pairs with 0, 1/2, 1, 3/2 and 2 points; scores are points a game.

    >>> round(log_likelihood_ratio([10, 0, 50, 0, 40], 0.5, 0.6), 1)
    8.5
    """
    seen = np.array(counts, dtype=np.float64)
    total = seen.sum()
    if not total:
        return 0.0
    shares = np.where(seen > 0, seen, _UNSEEN)
    shares /= shares.sum()
    likeliest = [_likeliest(shares, score) for score in (score0, score1)]
    return float(total * (shares * np.log(likeliest[1] / likeliest[0])).sum())


def _likeliest(shares: Any, score: float) -> Any:
    """Return the distribution of greatest likelihood for *shares* whose mean is *score*.

    It is shares / (1 + x (values - score)) for the x that gives that mean.
    """
    beyond = _VALUES - score
    low, high = -1 / beyond.max(), -1 / beyond.min()
    terms = list(zip(shares.tolist(), beyond.tolist(), strict=True))  # five: quicker than arrays
    while low < (x := (low + high) / 2) < high:
        excess = sum(share * above / (1 + x * above) for share, above in terms)
        low, high = (x, high) if excess > 0 else (low, x)
    return shares / (1 + low * beyond)


@dataclass(slots=True)
class Evidence:
    """The state of a test after the pairs so far, to which pairs are added one by one."""

    test: Sprt
    counts: list[int] = field(default_factory=lambda: [0] * len(_VALUES))
    ratio: float = 0.0
    verdict: Verdict = "undecided"
    repeated: int = 0
    """Pairs of games that repeated earlier ones and are not evidence."""
    repeated_in_a_row: int = 0
    """Those since the last new pair."""
    _seen: set[tuple[int, int]] = field(default_factory=set)

    @property
    def is_exhausted(self) -> bool:
        """Whether the players only repeat their games, so that more of them decide nothing.

        As many pairs in a row were old as there are new ones, and at least 64: if the next pair
        were new once in ten times, that would happen once in 800 matches.
        """
        return self.repeated_in_a_row >= max(_MOST_REPEATED, sum(self.counts))

    @property
    def is_over(self) -> bool:
        """Whether no more games are needed."""
        return self.verdict != "undecided" or self.is_exhausted

    def weigh(self, results: Results) -> None:
        """Add the pairs of games of *results*, until the test is over."""
        hashes = results.hashes.reshape(-1, 2).tolist()
        points = pair_points(results).tolist()
        for (black, white), scored in zip(hashes, points, strict=True):
            if self.is_over:
                return
            if (black, white) in self._seen:
                self.repeated += 1
                self.repeated_in_a_row += 1
            else:
                self.repeated_in_a_row = 0
                self._seen.add((black, white))
                self.add(scored)

    def add(self, points: float) -> bool:
        """Count a pair with *points*, 0 to 2; return whether the test is decided by it."""
        self.counts[round(2 * points)] += 1
        self.ratio = self.test.ratio(self.counts)
        self.verdict = self.test.verdict(self.ratio)
        return self.verdict != "undecided"


@dataclass(frozen=True, slots=True)
class SprtResult(Circumstances):
    """How a sequential test ended, from the point of view of the first player."""

    also: ClassVar = ("bounds", "games", "score")
    test: Sprt = field(metadata={"json": "*"})
    first: str
    second: str
    verdict: Verdict
    ratio: float = field(metadata={"json": "llr"})
    """The log-likelihood ratio of elo1 to elo0."""
    pairs: tuple[int, ...]
    """Opening pairs with 0, 1/2, 1, 3/2 and 2 points."""
    repeated_pairs: int
    """Pairs of games that repeated earlier ones: played, but not counted as evidence."""
    is_exhausted: bool = False
    """Whether the match ended undecided because its games only repeated themselves."""
    players: tuple[Mapping[str, Any], ...] = ()
    """First and second: `kind`, `version`, `forfeits` (games) and, for an engine, its own name
    (`engine`) and its `command`."""

    @property
    def games(self) -> int:
        """Number of games that count."""
        return 2 * sum(self.pairs)

    @property
    def score(self) -> float:
        """Mean points of a game, in [0, 1]; an early stop biases it to the verdict."""
        total = sum(self.pairs)
        scored = float(np.dot(self.pairs, _VALUES))
        return scored / max(total, 1)

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of the test."""
        return self.test.bounds

    def in_words(self) -> str:
        """Return the verdict as a sentence."""
        test, first = self.test, short_name(self.first)
        if self.verdict == "elo1":
            return (
                f"accepted: {test.elo1:g} Elo for {first} explain the games better than "
                f"{test.elo0:g}"
            )
        if self.verdict == "elo0":
            return (
                f"rejected: {test.elo0:g} Elo for {first} explain the games better than "
                f"{test.elo1:g}"
            )
        if self.is_exhausted:
            return (
                "undecided: the games only repeat themselves, so more of them decide nothing - "
                "take longer openings"
            )
        return "undecided: the limit on games was reached first"

    def __str__(self) -> str:
        lower, upper = self.test.bounds
        return (
            f"{short_name(self.first)} against {short_name(self.second)}: "
            f"LLR {self.ratio:+.2f} ({lower:.2f} to {upper:.2f}) "
            f"after {self.games:,} games, {self.in_words()}"
            f"{'' if self.reproducible else NOT_REPRODUCIBLE}"
        )


def sprt_match(
    first: object,
    second: object,
    test: Sprt,
    *,
    games: int = 100_000,
    progress: Callable[[int, float], object] | None = None,
    on_game: Callable[[GamePlayed], object] | None = None,
    **terms: Unpack[PlayerTerms],
) -> SprtResult:
    """Play the games of `match` with this seed until *test* is decided, at most *games* of them.

    The result has the pairs up to the decision, however many were played at a time. A pair of games
    that repeats an earlier one is not evidence and is left out; a match of which only such pairs
    are left ends undecided (`SprtResult.is_exhausted`). *progress* is called with the number of
    games and the log-likelihood ratio, *on_game* with every game, including games after
    the decision that were played in the same batch. Raises ValueError as `match` does, and without
    openings, where the same games would be played again and again. Ctrl-C raises a
    `StoppedWithResultError` with the *result* so far, undecided, if any pair was played by then.

    >>> sprt_match("swh", "random", Sprt(0, 100), seed=1).verdict
    'elo1'
    """
    if not isinstance(test, Sprt):
        raise TypeError(f"test: give an Sprt, such as Sprt(0, 10), not {test!r:.40}")
    games = even_games(games)
    field = field_of((first, second), **terms)
    if not field.conditions.opening_plies and field.conditions.opening_list is None:
        raise ValueError("openings: a sequential test needs openings, or its games repeat")
    schedule = schedule_of_match(field, games)
    evidence, tally = Evidence(test), Tally(field.labels)
    with Stop() as stop, field.runner() as runner:
        batches = runner.batches(
            schedule, sizes=_batches(evidence), record_moves=on_game is not None
        )
        for batch in (
            in_order(batches) if on_game is None else report(batches, field, schedule, on_game)
        ):
            tally.add(schedule.batch(batch.places), batch.results)
            evidence.weigh(batch.results)
            if progress is not None:
                progress(2 * sum(evidence.counts), evidence.ratio)
    result = SprtResult(
        first=field.labels[0],
        second=field.labels[1],
        test=test,
        verdict=evidence.verdict,
        ratio=evidence.ratio,
        pairs=tuple(evidence.counts),
        repeated_pairs=evidence.repeated,
        is_exhausted=evidence.is_exhausted,
        **circumstances(field.conditions, tally, reproducible=field.reproducible),
        players=field.about(tally),
    )
    is_whole = evidence.is_over
    return stop.give(result if result.games or not stop.came else None, is_whole=is_whole)


def _batches(evidence: Evidence) -> Iterator[int]:
    """Yield how many games to play at a time until *evidence* decides."""
    size = 2 * _BATCH
    while not evidence.is_over:
        yield size
        size = min(2 * size, 2 * _LARGEST_BATCH)
