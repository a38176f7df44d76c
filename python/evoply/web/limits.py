"""Limits on requests, so that nobody keeps the server from answering the others."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from evoply.environment.addresses import MOST_OF_AN_ADDRESS

_MOST_CLIENTS = 8192


class LimitError(ValueError):
    """A request asks for more than the server gives; says how much that is and what to do."""

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

    head_seconds: float = 10.0
    """The time to send the head of a request in, from the beginning of a connection or, later on,
    from the first byte of the head."""
    connections: int = MOST_OF_AN_ADDRESS
    """Open connections of one address, those of web sockets left out."""
    connections_in_all: int = 1_200
    """Open connections of all addresses."""
    body_bytes: int = 128 * 1024
    """The largest body of a request; pasted games fit into it."""
    hand_in_bytes: int = 256 * 1024
    """The largest file of a bot that a class hands in."""
    hand_ins: int = 500
    """Bots in the folder of a class."""
    body_seconds: float = 10.0
    """The time to send a body in."""
    requests: Rate = Rate(200, 400)
    """Requests of one connection."""
    begun: Rate = Rate(20, 250)
    """Games begun by everybody, each of which takes room on the disk."""
    changes: Rate = Rate(50, 100)
    """Changes of one game."""
    asked_from_elsewhere: Rate = Rate(10, 100)
    """What one address of another device may change and ask; reading is not counted."""
    words: Rate = Rate(0.2, 30)
    """Passwords of one address, right or wrong."""
    word_bytes: int = 4096
    """The largest body of a sign-in."""
    sessions: int = 1_000
    """Browsers that are signed in; one more ends the session that was used least lately."""
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
    """Runs that may go on in the folder at once, paused ones included."""
    population: int = 5_000
    """Individuals of a run that is begun."""
    generation_games: int = 1_000_000
    """Games of an individual's training times the population, or of a step of learning."""


@dataclass(slots=True)
class RateLimiter:
    """Counts the requests of each client by a token bucket, which refills at a steady rate."""

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
            oldest = sorted(self._buckets, key=lambda client: self._buckets[client][1])
            for client in oldest[: _MOST_CLIENTS // 2]:
                del self._buckets[client]
        self._buckets[who] = left - 1, now
        return 0.0
