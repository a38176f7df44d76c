"""A tournament over the network as data: conditions, players, games and scores.

This module knows no connections and no running clocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evoply._native import Stream
from evoply.arena import RoundRobin, Schedule
from evoply.arena.conditions import Conditions as GameConditions
from evoply.arena.conditions import conditions_of
from evoply.arena.conditions import opening_plies as opening_plies_of
from evoply.arena.game_terms import Openings
from evoply.arena.games_played import PlayedGame, games_played, results_of
from evoply.arena.one_game import random_opening
from evoply.arena.round_robins import opponents, rate
from evoply.arena.schedule import checked_whole
from evoply.arena.tally import Tally
from evoply.formats import GamePlayed
from evoply.games import game_rules
from evoply.json_data import JsonData
from evoply.protocols import Color, GameRecord, TimeControl

MOST_PLAYERS = 100
"""Each has a connection."""
MOST_GAMES = 100_000
LEAST_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class TournamentConditions(JsonData):
    """The game, the number of players, and the clock."""

    game: str
    control: TimeControl = field(metadata={"json": "clock", "as_text": True})
    players: int = 2
    """How many players the server waits for."""
    games: int = 10
    """Games between every two of them; even, because every opening is played twice."""
    opening_plies: int = field(default=0, metadata={"json": "openings"})
    seed: int = 1

    def __post_init__(self) -> None:
        """Raise `ValueError` that names the field that is wrong."""
        game_rules(self.game)
        if not (self.game.isascii() and self.game.isprintable()) or " " in self.game:
            raise ValueError(
                f"game: {self.game!r} cannot be said over the network: give it a name of letters, "
                "digits and hyphens"
            )
        if not 2 <= checked_whole("players", self.players, 10**6) <= MOST_PLAYERS:
            raise ValueError(
                f"players: {self.players:,} cannot play over the network: 2 to {MOST_PLAYERS} can"
            )
        if self.control.seconds < LEAST_SECONDS:
            raise ValueError(
                f"clock: {self.control.seconds:g} seconds are less than a move takes over the "
                f"network: give {LEAST_SECONDS:g} at least"
            )
        opening_plies_of(self.game, self.opening_plies)
        checked_whole("seed", self.seed, 2**64 - 1)
        many = 2 * len(opponents(self.players, self.games)[0])
        if many > MOST_GAMES:
            raise ValueError(
                f"games: {many:,} in all are more than {MOST_GAMES:,}, which a server plays at "
                "most: play fewer"
            )

    @classmethod
    def of(
        cls, game: str, control: TimeControl, *, openings: Openings = "usual", **others: Any
    ) -> TournamentConditions:
        """Return the conditions with openings as `evoply.match` takes them."""
        return cls(game, control, opening_plies=opening_plies_of(game, openings), **others)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TournamentConditions:
        """Return the conditions that `to_dict` wrote; KeyError, TypeError or ValueError if not."""
        return cls(
            game=data["game"],
            control=TimeControl.from_text(data["clock"]),
            players=data["players"],
            games=data["games"],
            opening_plies=data["openings"],
            seed=data["seed"],
        )


@dataclass
class ServedTournament:
    """A tournament whose players are known: all its games, and those that were played."""

    conditions: TournamentConditions
    names: tuple[str, ...]
    played: dict[int, PlayedGame] = field(default_factory=dict)
    """The games that are over, by their numbers."""
    schedule: Schedule = field(init=False)

    def __post_init__(self) -> None:
        first, second = opponents(len(self.names), self.conditions.games)
        each = self._each_game
        self.schedule = each.pairs(first, second, Stream(each.seed, "round robin"))

    @property
    def _each_game(self) -> GameConditions:
        """The conditions of every game."""
        own = self.conditions
        return conditions_of(
            game=own.game, seed=own.seed, openings=own.opening_plies, clock=own.control
        )

    @property
    def is_over(self) -> bool:
        """Whether every game is."""
        return len(self.played) == len(self.schedule)

    def players(self, game: int) -> dict[Color, int]:
        """Return the indices of the players of the game with this number."""
        return {
            Color.BLACK: int(self.schedule.black[game]),
            Color.WHITE: int(self.schedule.white[game]),
        }

    def opening(self, game: int) -> GameRecord:
        """Return the random opening of the game of this number."""
        start = game_rules(self.conditions.game).start()
        key = int(self.schedule.opening_keys[game])
        return random_opening(start, key, self.conditions.opening_plies)

    def rated(self) -> RoundRobin | None:
        """Return the result of the whole opening pairs played; None if there are none."""
        pairs = [
            game
            for game in range(0, len(self.schedule), 2)
            if game in self.played and game + 1 in self.played
        ]
        if not pairs:
            return None
        games = np.array([game for pair in pairs for game in (pair, pair + 1)], dtype=np.intp)
        part, results = (
            self.schedule.part(games),
            results_of(self._in_order(games), has_clocks=True),
        )
        tally = Tally(self.names)
        tally.add(part, results)
        # Clocks and others' programs decide.
        return rate(self._each_game, tally, part, results, reproducible=False)

    def games(self) -> Iterator[GamePlayed]:
        """Yield the games that are over, in the order of the schedule.

        They have no key: players draw for themselves.
        """
        numbers = np.array(sorted(self.played), dtype=np.intp)
        part, results = self.schedule.part(numbers), results_of(self._in_order(numbers))
        for game in games_played(self.conditions.game, self.names, part, results):
            yield replace(game, key=0)

    def scores(self) -> list[tuple[str, float, int]]:
        """Return name, points and games of every player, best first, of all games that are over."""
        points = [0.0] * len(self.names)
        games = [0] * len(self.names)
        numbers = sorted(self.played)
        black_points = results_of(self._in_order(numbers)).black_points
        for number, share in zip(numbers, black_points.tolist(), strict=True):
            for color, player in self.players(number).items():
                games[player] += 1
                points[player] += share if color is Color.BLACK else 1 - share
        order = sorted(range(len(self.names)), key=lambda player: (-points[player], player))
        return [(self.names[player], points[player], games[player]) for player in order]

    def _in_order(self, games: Iterable[int]) -> list[PlayedGame]:
        """Return these games."""
        return [self.played[int(game)] for game in games]
