"""Forfeits, time used and circumstances, which results report beside the score."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from evoply.arena.schedule import Results, Schedule
from evoply.json_data import JsonData
from evoply.protocols import Color, TimeControl
from evoply.sections import Column, Section, Shown, counted
from evoply.wording import short_name


@dataclass(frozen=True, slots=True)
class LostGames(JsonData):
    """Games that one player forfeited against another for one reason."""

    player: str
    opponent: str
    reason: str
    games: int
    by_time: bool = False

    def __str__(self) -> str:
        many = "a game" if self.games == 1 else f"{self.games:,} games"
        return (
            f"{short_name(self.player)} forfeited {many} against "
            f"{short_name(self.opponent)}: {self.reason}"
        )


_FORFEITS = (
    Column("player", "player", str, look="code"),
    Column("opponent", "opponent", str, look="code"),
    Column("reason", "why", str),
    Column("games", "games", counted),
)


@dataclass(frozen=True, slots=True)
class TimeUsed(JsonData):
    """The seconds that a player's moves of a game took."""

    mean: float
    most: float

    def __str__(self) -> str:
        return f"{self.mean:.3g} s a game, at most {self.most:.3g} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances(JsonData, Shown):
    """How games were played: what the results of matches and tournaments share."""

    game: str
    opening_plies: int = field(metadata={"json": "openings"})
    seed: int
    clock: str | None = None
    """Seconds that each side had for a game, and what each move added, such as 150+2."""
    reproducible: bool = True
    """False if a player is limited in time, or forfeited by time: the same games may end
    differently next time."""
    forfeits: tuple[LostGames, ...] = ()
    """Games that were forfeited: by whom, against whom and why."""

    @property
    def usual_facts(self) -> dict[str, str]:
        """How the games were played, as facts of a page."""
        return {
            "opening plies": str(self.opening_plies or "none"),
            "seconds a side (clock)": self.clock or "",
            "seed": str(self.seed),
            "reproducible": "" if self.reproducible else "no",
        }

    def forfeited(self) -> Section:
        """Return the forfeited games."""
        note = "A player that fails in a game loses that game, and the tournament goes on."
        return Section("Forfeited games", _FORFEITS, self.forfeits, note)


class Tally:
    """The forfeits of a field and the time it used, counted while its schedules are played."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._counts: dict[tuple[int, int, str, bool], int] = {}
        self._times: dict[int, tuple[float, float, int]] = {}
        """Seconds in all, the most in a game, and the number of games, by player."""

    def add(self, schedule: Schedule, results: Results) -> None:
        """Count the forfeits and times of *results*."""
        seconds = np.zeros((0, 2)) if results.seconds is None else results.seconds
        sides = np.column_stack([schedule.black, schedule.white])[: len(seconds)]
        for player, took in zip(sides.ravel().tolist(), seconds.ravel().tolist(), strict=True):
            total, most, games = self._times.get(player, (0.0, 0.0, 0))
            self._times[player] = total + took, max(most, took), games + 1
        for forfeit in results.forfeits:
            black, white = int(schedule.black[forfeit.game]), int(schedule.white[forfeit.game])
            player, opponent = (black, white) if forfeit.color is Color.BLACK else (white, black)
            key = player, opponent, forfeit.reason, forfeit.by_time
            self._counts[key] = self._counts.get(key, 0) + 1

    @property
    def lost(self) -> tuple[LostGames, ...]:
        """The forfeited games: by whom, against whom and why, in the order of the players."""
        return tuple(
            LostGames(self.names[player], self.names[opponent], reason, games, by_time)
            for (player, opponent, reason, by_time), games in sorted(self._counts.items())
        )

    def games_of(self, player: int) -> int:
        """Return how many games the player with that index forfeited."""
        return sum(games for (loser, *_), games in self._counts.items() if loser == player)

    def time_of(self, player: int) -> TimeUsed:
        """Return the time that the games of a player took; 0 without a clock."""
        total, most, games = self._times.get(player, (0.0, 0.0, 0))
        return TimeUsed(total / max(games, 1), most)

    def times(self, clock: TimeControl | None) -> list[TimeUsed | None]:
        """Return the time that the games of each player took; None for all without a *clock*."""
        return [None if clock is None else self.time_of(index) for index in range(len(self.names))]

    @property
    def are_reproducible(self) -> bool:
        """Whether no forfeit was decided by a clock."""
        return not any(by_time for *_, by_time in self._counts)
