"""What one may ask of the server, so that nobody keeps it from answering the others."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

_MOST_CLIENTS = 8192


class LimitError(ValueError):
    """More was asked for than the server gives; says how much that is and what to do."""

    def __init__(self, message: str, status: int = 429) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests a second, and so many at once after a pause."""

    each_second: float
    burst: float


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Every limit of the server; the defaults are for people and their programs on one machine."""

    body_bytes: int = 128 * 1024
    """Of one request; pasted games are within it."""
    body_seconds: float = 10.0
    """Time to send it in."""
    requests: Rate = Rate(200, 400)
    """Of one connection."""
    begun: Rate = Rate(20, 250)
    """Games begun by everybody, each of which takes room on the disk."""
    changes: Rate = Rate(50, 100)
    """Of one game."""
    depth: int = 20
    """Plies that a player looks ahead, if time lets it."""
    games_before_move: int = 100_000
    """Games that a player plays by itself before each of its moves."""
    waiting: int = 512
    """Moves and questions that wait for a core."""
    listeners: int = 512
    """Open pages, each with the news of one game."""
    games_open: int = 2_000
    """Games in memory; others wait on the disk."""
    match_games: int = 1_000
    """Games of one match."""
    runs_at_once: int = 4
    """Runs that go on in the folder, paused ones included, when another one is to be begun."""
    population: int = 5_000
    """Individuals of a run that is begun."""
    generation_games: int = 1_000_000
    """Games of an individual's training times the population, or of a step of learning."""


@dataclass(slots=True)
class RateLimiter:
    """Counts requests by who makes them; a bucket that refills at a steady rate for each."""

    rate: Rate
    now: Callable[[], float] = time.monotonic
    _buckets: dict[Hashable, tuple[float, float]] = field(default_factory=dict)

    def seconds_to_wait(self, who: Hashable) -> float:
        """Count one request of *who*; return 0, or the seconds after which it may come again."""
        now = self.now()
        left, before = self._buckets.get(who, (self.rate.burst, now))
        left = min(self.rate.burst, left + (now - before) * self.rate.each_second)
        if left < 1:
            return (1 - left) / self.rate.each_second
        if len(self._buckets) >= _MOST_CLIENTS and who not in self._buckets:
            # Whoever has been away for long has a full bucket again: nothing is lost.
            oldest = sorted(self._buckets, key=lambda one: self._buckets[one][1])
            for one in oldest[: _MOST_CLIENTS // 2]:
                del self._buckets[one]
        self._buckets[who] = left - 1, now
        return 0.0
