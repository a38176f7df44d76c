"""Who meets, and under which conditions: what every match and tournament begins with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena.schedule import (
    MOST_THREADS,
    Finished,
    Results,
    Schedule,
    checked_whole,
    gathered,
    ignored,
    whole_pairs,
)
from evoply.arena.tables import Tables
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.players import PlayerKind, parse_player, player_of
from evoply.protocols import Cluster, Color, Player, Position, Row, TimeControl
from evoply.wording import short_name, shorten

MOST_GAMES = 10_000_000
MOST_OPENING_PLIES = 1000
_FEWEST_GAMES = 16
_SECONDS_A_PART = 5.0
"""What lasts less is played in larger parts: Ctrl-C loses no more than the last of them."""

Openings = int | Literal["usual"] | None
"""Random plies before the players begin: so many, what is usual in the game, or none."""


def opening_plies(game: str, openings: Openings) -> int:
    """Return the random plies that *openings* asks for; `ValueError` names it if it is wrong."""
    if openings == "usual":
        return game_rules(game).opening_plies
    return checked_whole("openings", openings or 0, MOST_OPENING_PLIES)


def even_games(games: int) -> int:
    """Return *games*; `ValueError` unless it is an even number of them, and not too many."""
    games = checked_whole("games", games, MOST_GAMES)
    if not games or games % 2:
        raise ValueError(
            f"games: {games} is not an even number from 2 to {MOST_GAMES}: "
            "every opening is played twice, with colours swapped"
        )
    return games


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Players, read and checked, and the conditions of all their games."""

    game: str
    players: tuple[Player, ...]
    labels: tuple[str, ...]
    seed: int
    opening_plies: int
    start: Row
    draws: DrawRules | None
    threads: int
    clock: TimeControl | None = None
    """What each side has for its moves of a game."""
    cluster: Cluster | None = None
    """Who plays; None: this process."""
    _learned: dict[int, Mapping[str, Any]] = dataclass_field(default_factory=dict)
    """What seats learned of the players, by their places."""

    @property
    def reproducible(self) -> bool:
        """Whether every player plays the same game again; nobody surely does under a clock."""
        return self.clock is None and all(player.reproducible for player in self.players)

    def pairs(
        self, first: Sequence[int] | Any, second: Sequence[int] | Any, stream: Stream
    ) -> Schedule:
        """Return two games with colours swapped for each pair of players; see `Schedule.pairs`."""
        return Schedule.pairs(
            np.asarray(first, dtype=np.uint32),
            np.asarray(second, dtype=np.uint32),
            stream=stream,
            opening_plies=self.opening_plies,
            start=self.start,
            draws=self.draws,
        )

    @contextmanager
    def tables(self) -> Iterator[Tables]:
        """Give tables at which the players sit; afterwards all seats are closed."""
        with Tables(
            self.game,
            self.players,
            threads=self.threads,
            clock=self.clock,
            cluster=self.cluster,
        ) as tables:
            yield tables
        self._learned.update(tables.about)

    def about(
        self, tally: Tally, names: Sequence[str] | None = None
    ) -> tuple[Mapping[str, Any], ...]:
        """Return `kind`, `version` and `forfeits` of each player, and what else there is to say.

        With a clock that is `seconds` too: what a game took, `mean` and `most`. With *names* each
        has its own as `player`. What seats learn of a player, such as the version of an engine, is
        known afterwards.
        """
        return tuple(
            {
                **({} if names is None else {"player": names[place]}),
                "kind": "python",
                "version": None,
                **(player.about() if isinstance(player, PlayerKind) else {}),
                **self._learned.get(place, {}),
                "forfeits": tally.games_of(place),
                **({} if self.clock is None else {"seconds": tally.time_of(place).to_dict()}),
            }
            for place, player in enumerate(self.players)
        )

    def circumstances(self, tally: Tally) -> dict[str, Any]:
        """Return the fields of `Circumstances` for the games that *tally* has counted."""
        return {
            "opening_plies": self.opening_plies,
            "seed": self.seed,
            "clock": None if self.clock is None else str(self.clock),
            "reproducible": self.reproducible and tally.are_reproducible,
            "forfeits": tally.lost,
        }

    def times(self, tally: Tally) -> list[TimeUsed | None]:
        """Return what the games of each player took; None without a clock."""
        places = range(len(self.players))
        return [None if self.clock is None else tally.time_of(place) for place in places]

    def play_pairs(
        self,
        schedule: Schedule,
        progress: Callable[[int], object] | None = None,
        *,
        order: NDArray[np.intp] | None = None,
        most: int = 1000,
        on_part: Callable[[Schedule, Results], int] | None = None,
        on_finished: Callable[[Finished], object] | None = None,
    ) -> tuple[Results, NDArray[np.intp], bool]:
        """Play pairs of games; return what was played, its places, and whether Ctrl-C ended it.

        They are played part by part, so that what was played is not lost. *order* says which games
        come first, by their places in the schedule, pair by pair. *on_part* is given what was
        played, with moves, and returns how many games of it count: all, or fewer when Ctrl-C came;
        no more than the moves of *most* games are then in memory.
        *on_finished* is told after each part, and now and then within parts outside the kernel, how
        to get the pairs of games that are finished by then.
        """
        parts: list[Results] = []
        places: list[NDArray[np.intp]] = []
        order = np.arange(len(schedule)) if order is None else order
        is_stopped = False
        with self.tables() as tables:
            begin, longest = 0, len(schedule) if on_part is None else most + most % 2
            # Outside the kernel nothing is lost; each call of the kernel is all or nothing.
            is_small = tables.are_in_kernel and self.cluster is None
            size = min(longest, _FEWEST_GAMES) if is_small else longest

            def play_part() -> bool:
                """Play the next part; return whether Ctrl-C came."""

                def told(done: int) -> None:
                    (progress or ignored)(begin + done)

                def heard(finished: Finished) -> None:
                    def with_earlier() -> tuple[Results, NDArray[np.intp]]:
                        results, where = whole_pairs(*finished())
                        return gathered([*parts, results], [*places, chosen[where]])

                    (on_finished or ignored)(with_earlier)

                chosen = order[begin : begin + size]
                part = schedule.part(chosen)
                results, where, is_stopped = tables.play_pairs(
                    part, progress=told, on_finished=heard, record_moves=on_part is not None
                )
                if on_part is not None:
                    seen = on_part(part.part(where), results)
                    is_stopped |= seen < len(results)
                    results, where = results.part(slice(0, seen)), where[:seen]
                parts.append(replace(results, moves=None))
                places.append(chosen[where])
                (on_finished or ignored)(lambda: gathered(parts, places))
                return is_stopped

            while begin < len(schedule) and not is_stopped:
                began = time.monotonic()
                try:
                    is_stopped = play_part()
                except KeyboardInterrupt:  # between two calls: what was played before is there
                    if not parts:
                        raise
                    is_stopped = True
                begin += size
                if time.monotonic() - began < _SECONDS_A_PART:
                    size = min(longest, 2 * size)
        return *gathered(parts, places), is_stopped


def field_of(
    players: Sequence[object],
    *,
    game: str,
    seed: int,
    openings: Openings,
    start: Position | None,
    draws: DrawRules | None,
    runs: Callable[[str], Player] | None,
    threads: int,
    clock: TimeControl | str | None = None,
    cluster: Cluster | None = None,
) -> Field:
    """Return the field of *players*; `ValueError` or TypeError names the argument that is wrong.

    A text is read by `parse_player`, with *runs* for champions, and is then the player's label.
    A *clock* may be a text such as "150+2", seconds for a game and those that each move adds.
    """
    if isinstance(clock, str):
        clock = TimeControl.from_text(clock)
    elif not isinstance(clock, TimeControl | None):
        raise TypeError(
            f"clock: {shorten(repr(clock))} is no time - give a TimeControl, or a text such as "
            "150 or 150+2"
        )
    rules = game_rules(game)
    seed = checked_whole("seed", seed, 2**64 - 1)
    plies = opening_plies(game, openings)
    threads = checked_whole("threads", threads, MOST_THREADS)
    begin = start or rules.start()
    if not hasattr(begin, "row"):
        raise TypeError(f"start: {shorten(repr(begin))} is not a position: give one of the game")
    if begin.game != game:
        raise ValueError(
            f"start: this is a position of {begin.game}, and the game is {game}: change one of them"
        )
    read = tuple(_read(player, game, runs) for player in players)
    return Field(
        game=game,
        players=read,
        labels=tuple(player.label for player in read),
        seed=seed,
        opening_plies=plies,
        start=begin.row,
        draws=draws,
        threads=threads,
        clock=clock,
        cluster=cluster,
    )


def _read(player: object, game: str, runs: Callable[[str], Player] | None) -> Player:
    if isinstance(player, str):
        return parse_player(player, game=game, runs=runs).model_copy(update={"name": player})
    known = player_of(player)
    known.check_fits(game)
    return known


@dataclass(frozen=True, slots=True)
class LostGames:
    """Games that one player forfeited against another for one reason."""

    player: str
    opponent: str
    reason: str
    games: int
    by_time: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "player": self.player,
            "opponent": self.opponent,
            "reason": self.reason,
            "games": self.games,
            "by_time": self.by_time,
        }

    def __str__(self) -> str:
        many = "a game" if self.games == 1 else f"{self.games:,} games"
        return (
            f"{short_name(self.player)} forfeited {many} against "
            f"{short_name(self.opponent)}: {self.reason}"
        )


@dataclass(frozen=True, slots=True)
class TimeUsed:
    """What a player's moves of a game took, in seconds."""

    mean: float
    most: float

    def to_dict(self) -> dict[str, float]:
        """Return both as JSON-ready data."""
        return {"mean": self.mean, "most": self.most}

    def __str__(self) -> str:
        return f"{self.mean:.3g} s a game, at most {self.most:.3g} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """How games were played: what the results of matches and tournaments share."""

    opening_plies: int
    seed: int
    clock: str | None = None
    """Seconds that each side had for a game, and what each move added, such as 150+2."""
    reproducible: bool = True
    """False if a player is limited in time, or forfeited by time: the same games may end
    differently next time."""
    forfeits: tuple[LostGames, ...] = ()
    """Games that were forfeited: by whom, against whom and why."""

    def _circumstances(self) -> dict[str, Any]:
        """Return them as JSON-ready data."""
        return {
            "openings": self.opening_plies,
            "seed": self.seed,
            "clock": self.clock,
            "reproducible": self.reproducible,
            "forfeits": [one.to_dict() for one in self.forfeits],
        }


class Tally:
    """The forfeits of a field and the time it used, counted while its schedules are played."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._counts: dict[tuple[int, int, str, bool], int] = {}
        self._times: dict[int, tuple[float, float, int]] = {}
        """Seconds in all, the most of a game, and games, by player."""

    def add(self, schedule: Schedule, results: Results) -> Results:
        """Count those of *results*, and return these as they are."""
        seconds = np.zeros((0, 2)) if results.seconds is None else results.seconds
        sides = np.column_stack([schedule.black, schedule.white])[: len(seconds)]
        for player, took in zip(sides.ravel().tolist(), seconds.ravel().tolist(), strict=True):
            total, most, games = self._times.get(player, (0.0, 0.0, 0))
            self._times[player] = total + took, max(most, took), games + 1
        for one in results.forfeits:
            black, white = int(schedule.black[one.game]), int(schedule.white[one.game])
            player, opponent = (black, white) if one.color is Color.BLACK else (white, black)
            key = player, opponent, one.reason, one.by_time
            self._counts[key] = self._counts.get(key, 0) + 1
        return results

    @property
    def lost(self) -> tuple[LostGames, ...]:
        """What was forfeited: by whom, against whom and why, in the order of the players."""
        return tuple(
            LostGames(self._names[player], self._names[opponent], reason, games, by_time)
            for (player, opponent, reason, by_time), games in sorted(self._counts.items())
        )

    def games_of(self, player: int) -> int:
        """Return how many games the player at that place forfeited."""
        return sum(games for (loser, *_), games in self._counts.items() if loser == player)

    def time_of(self, player: int) -> TimeUsed:
        """Return what the games of the player at that place took; 0 without a clock."""
        total, most, games = self._times.get(player, (0.0, 0.0, 0))
        return TimeUsed(total / max(games, 1), most)

    @property
    def are_reproducible(self) -> bool:
        """Whether no forfeit was decided by a clock."""
        return not any(by_time for *_, by_time in self._counts)
