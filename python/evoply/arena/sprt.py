"""Sequential tests: a match that stops as soon as the answer is known.

The question is between two hypotheses about the first player's Elo difference, elo0 and elo1. After
every opening pair the generalised likelihood ratio of the pairs' five possible results (0, 1/2, 1,
3/2 or 2 points: the "pentanomial" model) is compared with Wald's bounds (Wald, "Sequential
Analysis", 1947). Of all distributions over the five results that have the expected score of a
hypothesis, the likeliest is taken (Van den Bergh, notes on the generalised test for Stockfish's
testing framework). Pairs, not games, because the games of a pair share an opening.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import brentq

from evoply import _native
from evoply.arena.matches import MOST_GAMES, Openings, opening_plies
from evoply.arena.round_robins import first_points, pair_sums
from evoply.arena.schedule import MOST_THREADS, Schedule, checked_whole
from evoply.arena.seats import Contestant, is_timed, play_seats, read_contestant, seat_of
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.players import NOT_REPRODUCIBLE, Player
from evoply.protocols import Position

__all__ = ["Sprt", "SprtResult", "log_likelihood_ratio", "sprt_match"]

Verdict = Literal["elo1", "elo0", "undecided"]

_VALUES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Points a game for each result of a pair."""
_UNSEEN = 1e-3
"""What a result that has not been seen counts, so that it is not held to be impossible."""
_BATCH = 64
_LARGEST_BATCH = 4096
MOST_ELO = 2000.0


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
        """Raise `ValueError` unless this is a test."""
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise ValueError(
                f"sprt: elo0 {self.elo0:g} and elo1 {self.elo1:g} are not two rising differences "
                f"from -{MOST_ELO:g} to {MOST_ELO:g}"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name}: {getattr(self, name):g} is not between 0 and 0.5")

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
        """Return what a ratio decides."""
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
    margin = 1e-9 * (high - low)

    def excess(x: float) -> float:
        return float((shares * beyond / (1 + x * beyond)).sum())

    root = brentq(excess, low + margin, high - margin)
    return shares / (1 + root * beyond)


def run_test(test: Sprt, pairs: Iterable[float]) -> tuple[Verdict, float, list[int]]:
    """Return verdict, ratio and counts of results when the points of pairs come one by one."""
    counts = [0, 0, 0, 0, 0]
    ratio = 0.0
    for points in pairs:
        counts[round(2 * points)] += 1
        ratio = test.ratio(counts)
        if (verdict := test.verdict(ratio)) != "undecided":
            return verdict, ratio, counts
    return "undecided", ratio, counts


@dataclass(frozen=True, slots=True)
class SprtResult:
    """How a sequential test ended, from the point of view of the first player."""

    first: str
    second: str
    game: str
    test: Sprt
    verdict: Verdict
    ratio: float
    """The log-likelihood ratio of elo1 to elo0."""
    pairs: tuple[int, int, int, int, int]
    """Opening pairs with 0, 1/2, 1, 3/2 and 2 points."""
    repeated_pairs: int
    """Pairs of games that repeated earlier ones: played, but not counted as evidence."""
    opening_plies: int
    seed: int
    reproducible: bool = True

    @property
    def games(self) -> int:
        """Number of games that count."""
        return 2 * sum(self.pairs)

    @property
    def score(self) -> float:
        """Points a game in [0, 1]; those of a test that stopped early lean to its verdict."""
        total = sum(self.pairs)
        scored = float(np.dot(self.pairs, _VALUES))
        return scored / max(total, 1)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        lower, upper = self.test.bounds
        return {
            "first": self.first,
            "second": self.second,
            "game": self.game,
            "elo0": self.test.elo0,
            "elo1": self.test.elo1,
            "alpha": self.test.alpha,
            "beta": self.test.beta,
            "verdict": self.verdict,
            "llr": self.ratio,
            "bounds": [lower, upper],
            "pairs": list(self.pairs),
            "repeated_pairs": self.repeated_pairs,
            "games": self.games,
            "score": self.score,
            "openings": self.opening_plies,
            "seed": self.seed,
            "reproducible": self.reproducible,
        }

    def in_words(self) -> str:
        """Return the verdict as a sentence."""
        test = self.test
        if self.verdict == "elo1":
            return (
                f"{self.first} is stronger by {test.elo1:g} Elo rather than {test.elo0:g}: accepted"
            )
        if self.verdict == "elo0":
            return (
                f"{self.first} is not stronger by {test.elo1:g} Elo; {test.elo0:g} is likelier: "
                "rejected"
            )
        return "undecided: the limit on games was reached first"

    def __str__(self) -> str:
        lower, upper = self.test.bounds
        return (
            f"{self.first} against {self.second}: LLR {self.ratio:+.2f} ({lower:.2f} to "
            f"{upper:.2f}) after {self.games:,} games, {self.in_words()}"
            f"{'' if self.reproducible else NOT_REPRODUCIBLE}"
        )


def sprt_match(
    first: Contestant,
    second: Contestant,
    test: Sprt,
    *,
    game: str = "othello",
    games: int = 100_000,
    seed: int = 0,
    openings: Openings = "usual",
    start: Position | None = None,
    draws: DrawRules | None = None,
    runs: Callable[[str], Player] | None = None,
    threads: int = 0,
    progress: Callable[[int, float], object] | None = None,
) -> SprtResult:
    """Play the games of `match` with this seed until *test* is decided, at most *games* of them.

    The result is that of the pairs up to the decision, however many were played at a time. A pair
    of games that was played before is no evidence and is left out. *progress* is told the number
    of games and the log-likelihood ratio. Raises ValueError as `match` does, and without openings,
    where the same games would be played again and again.

    >>> sprt_match("swh", "random", Sprt(0, 100), seed=1).verdict
    'elo1'
    """
    games = checked_whole("games", games, MOST_GAMES)
    seed = checked_whole("seed", seed, 2**64 - 1)
    plies = opening_plies(game, openings)
    threads = checked_whole("threads", threads, MOST_THREADS)
    if not games or games % 2:
        raise ValueError(f"games: {games} is not an even number: every opening is played twice")
    if not plies:
        raise ValueError("openings: a sequential test needs openings, or its games repeat")
    read = [read_contestant(player, game, runs) for player in (first, second)]
    (one, one_seat), (other, other_seat) = (seat_of(player, game) for player in read)
    pairs = games // 2
    schedule = Schedule.pairs(
        np.zeros(pairs, dtype=np.uint32),
        np.ones(pairs, dtype=np.uint32),
        stream=_native.Stream(seed, "match"),
        opening_plies=plies,
        start=(start or game_rules(game).start()).row,
        draws=draws,
    )
    counts, ratio, repeated = [0, 0, 0, 0, 0], 0.0, 0
    verdict: Verdict = "undecided"
    seen: set[tuple[int, int]] = set()
    done, size = 0, _BATCH
    while done < pairs and verdict == "undecided":
        part = schedule.part(slice(2 * done, 2 * min(done + size, pairs)))
        results = play_seats(game, (one_seat, other_seat), part, threads=threads)
        points = pair_sums(first_points(results))
        for (black, white), scored in zip(
            results.hashes.reshape(-1, 2).tolist(), points.tolist(), strict=True
        ):
            if (black, white) in seen:
                repeated += 1
                continue
            seen.add((black, white))
            counts[round(2 * scored)] += 1
            ratio = test.ratio(counts)
            verdict = test.verdict(ratio)
            if verdict != "undecided":
                break
        done += len(points)
        size = min(2 * size, _LARGEST_BATCH)
        if progress is not None:
            progress(2 * sum(counts), ratio)
    return SprtResult(
        first=one,
        second=other,
        game=game,
        test=test,
        verdict=verdict,
        ratio=ratio,
        pairs=(counts[0], counts[1], counts[2], counts[3], counts[4]),
        repeated_pairs=repeated,
        opening_plies=plies,
        seed=seed,
        reproducible=not any(map(is_timed, read)),
    )
