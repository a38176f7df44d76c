"""Schedules: which players meet on which openings, as arrays; and their results.

Every game has an opening key and a game key, and everything random in it comes from them: the
results do not depend on the number of threads or on the order of play. This module does not know
who the players are; `tables` plays schedules.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.protocols import Color, Ending, Row

MOST_THREADS = 1024


def checked_whole(name: str, value: int, most: int) -> int:
    """Return *value*; `ValueError` with its *name* unless it is a whole number from 0 to *most*."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= most:
        raise ValueError(f"{name}: {value!r} is not a whole number from 0 to {most}")
    return number


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Games to be played; every array has one entry a game."""

    black: NDArray[np.uint32]
    """Who plays Black: places in the list of players."""
    white: NDArray[np.uint32]
    opening_keys: NDArray[np.uint64]
    """Games with the same opening key begin with the same random plies."""
    game_keys: NDArray[np.uint64]
    opening_plies: int
    """Uniformly random legal plies before the players begin."""
    starts: tuple[Row, ...]
    """Positions before the opening, as the kernel writes them (`Position.row`)."""
    draws: DrawRules | None = None
    """When a game is drawn that the board would let go on; None: the rules of the game."""
    start_of: NDArray[np.uint32] | None = None
    """The place in *starts* where each game begins; None: all begin at the first."""

    def __len__(self) -> int:
        return len(self.black)

    @classmethod
    def pairs(
        cls,
        first: Sequence[int] | NDArray[np.uint32],
        second: Sequence[int] | NDArray[np.uint32],
        *,
        stream: _native.Stream,
        opening_plies: int,
        start: Row | None = None,
        starts: Sequence[Row] = (),
        start_of: Sequence[int] | NDArray[np.uint32] | None = None,
        draws: DrawRules | None = None,
    ) -> Schedule:
        """Return two games for each pair of players: the same opening with colours swapped.

        All games begin at *start*, or pair p at `starts[start_of[p]]`.

        In game 2p, `first[p]` is Black and `second[p]` is White; in game 2p + 1 the other way
        round. Opening keys are the children of `stream.child("opening")` numbered by p, game
        keys those of `stream.child("game")` numbered by game.
        """
        if len(first) != len(second):
            raise ValueError(
                f"first, second: {len(first)} players cannot meet {len(second)}, pair by pair"
            )
        if (start is None) == (not starts) or (start_of is not None and start is not None):
            raise ValueError(
                "give start, or starts and start_of: which pair of games has which start"
            )
        if start_of is not None and len(start_of) != len(first):
            raise ValueError(
                f"start_of: {len(start_of)} given for {len(first)} pairs: give one per pair"
            )
        seats = np.array([first, second], dtype=np.uint32)
        return cls(
            black=np.ascontiguousarray(seats.T).reshape(-1),
            white=np.ascontiguousarray(seats[::-1].T).reshape(-1),
            opening_keys=stream.child("opening").keys(len(first)).repeat(2),
            game_keys=stream.child("game").keys(2 * len(first)),
            opening_plies=opening_plies,
            starts=tuple(starts) if start is None else (start,),
            draws=draws,
            start_of=None if start_of is None else np.array(start_of, dtype=np.uint32).repeat(2),
        )

    def start_row(self, game: int) -> Row:
        """Return where a game begins."""
        return self.starts[0 if self.start_of is None else int(self.start_of[game])]

    def part(self, games: slice | NDArray[np.intp]) -> Schedule:
        """Return only these games, each as it is."""
        return replace(
            self,
            black=np.ascontiguousarray(self.black[games]),
            white=np.ascontiguousarray(self.white[games]),
            opening_keys=np.ascontiguousarray(self.opening_keys[games]),
            game_keys=np.ascontiguousarray(self.game_keys[games]),
            start_of=None if self.start_of is None else np.ascontiguousarray(self.start_of[games]),
        )

    def with_seats(self, black: NDArray[Any], white: NDArray[Any]) -> Schedule:
        """Return the same games between players at other places."""
        return replace(self, black=black.astype(np.uint32), white=white.astype(np.uint32))


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game that a side lost because it could not go on."""

    game: int
    """Its place in the schedule."""
    color: Color
    """Who lost it."""
    reason: str
    by_time: bool = False
    """Whether a clock decided: the same game may end otherwise next time."""

    def at(self, game: int) -> Forfeit:
        """Return the same in another place."""
        return replace(self, game=game)


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What came of a schedule; every array has one entry a game, in the order of the schedule."""

    black_discs: NDArray[np.int32]
    """Black's pieces at the end, discs in Othello."""
    white_discs: NDArray[np.int32]
    winners: NDArray[np.int8]
    """1 where Black won, -1 where White did, 0 for draws."""
    endings: NDArray[np.uint8]
    """What ended each game: its place in the list of all values of `Ending`."""
    plies: NDArray[np.int32]
    """Plies from the start position, openings and passes included."""
    hashes: NDArray[np.uint64]
    """A hash of the start and all moves: equal for equal games."""
    moves: list[list[int]] | None = None
    """Move codes of every game, openings and passes included, if they were recorded."""
    forfeits: tuple[Forfeit, ...] = ()
    """Games that were forfeited, in order; pieces and plies are those at that moment."""
    seconds: NDArray[np.float64] | None = None
    """What Black and White took for their moves, a row per game; None without a clock."""

    def __len__(self) -> int:
        return len(self.black_discs)

    @property
    def black_points(self) -> NDArray[np.float64]:
        """Black's points in each game: 1, 0.5 or 0."""
        points: NDArray[np.float64] = (self.winners.astype(np.float64) + 1) / 2
        return points

    def part(self, games: slice | NDArray[np.intp]) -> Results:
        """Return only these games, which have new places then."""
        places = np.arange(len(self))[games].tolist()
        forfeits = {forfeit.game: forfeit for forfeit in self.forfeits}
        return Results(
            **{name: getattr(self, name)[places] for name in _COLUMNS},
            moves=None if self.moves is None else [self.moves[place] for place in places],
            seconds=None if self.seconds is None else self.seconds[places],
            forfeits=tuple(
                forfeits[place].at(number)
                for number, place in enumerate(places)
                if place in forfeits
            ),
        )

    @property
    def ending_counts(self) -> dict[str, int]:
        """How many games ended in each way that occurred, by the value of `Ending`."""
        counts = np.bincount(self.endings, minlength=len(Ending)).tolist()
        return {ending.value: count for ending, count in zip(Ending, counts, strict=True) if count}


_COLUMNS = ("black_discs", "white_discs", "winners", "endings", "plies", "hashes")


class GamesStoppedError(KeyboardInterrupt):
    """Ctrl-C while a schedule was played, with the games that were finished by then.

    *places* are theirs in the schedule, in order, one for each of *results*, whose own places are
    those in this list.
    """

    def __init__(self, results: Results, places: NDArray[np.intp]) -> None:
        super().__init__("stopped")
        self.results = results
        self.places = places

    def whole_pairs(self) -> tuple[Results, NDArray[np.intp]]:
        """Return the games of pairs of which both were finished, and their places."""
        return whole_pairs(self.results, self.places)


class StoppedWithResultError(KeyboardInterrupt):
    """Ctrl-C while a match was played, with the *result* of the pairs of games played by then."""

    def __init__(self, result: Any) -> None:
        super().__init__("stopped")
        self.result = result


def whole_pairs(results: Results, places: NDArray[np.intp]) -> tuple[Results, NDArray[np.intp]]:
    """Return the games whose pair is whole, and their places, of those with *places*."""
    is_whole = np.isin(places ^ 1, places)
    return results.part(np.flatnonzero(is_whole)), places[is_whole]


def gathered(
    parts: Sequence[Results], places: Sequence[NDArray[np.intp]]
) -> tuple[Results, NDArray[np.intp]]:
    """Return the games of *parts* in the order of a schedule, and their places in it.

    They need not be all games of the schedule: forfeits are counted among those that are there.
    """
    joined, order = joined_results(parts, places), np.sort(np.concatenate(places))
    forfeits = tuple(one.at(int(np.searchsorted(order, one.game))) for one in joined.forfeits)
    return replace(joined, forfeits=forfeits), order


Finished = Callable[[], tuple[Results, NDArray[np.intp]]]
"""Returns the games that are finished by now, in order, and their places in a schedule."""


def ignored(told: object) -> None:
    """Take what is told where nobody listens."""


def joined_results(parts: Sequence[Results], places: Sequence[NDArray[np.intp]]) -> Results:
    """Return the games of *parts*, each with the *places* of its games in the whole schedule."""
    there = np.concatenate(places)
    is_in_order = bool((there[1:] > there[:-1]).all())
    order = np.arange(len(there)) if is_in_order else np.argsort(there)

    def whole(name: str) -> NDArray[Any]:
        joined: NDArray[Any] = np.concatenate([getattr(part, name) for part in parts])
        return joined if is_in_order else joined[order]

    moves = [codes for part in parts for codes in part.moves or ()]
    forfeits = [
        forfeit.at(int(where[forfeit.game]))
        for part, where in zip(parts, places, strict=True)
        for forfeit in part.forfeits
    ]
    return Results(
        **{name: whole(name) for name in _COLUMNS},
        moves=[moves[place] for place in order] if moves else None,
        forfeits=tuple(sorted(forfeits, key=lambda forfeit: forfeit.game)),
        seconds=None if any(part.seconds is None for part in parts) else whole("seconds"),
    )


def play_in_kernel(
    game: str,
    players: Sequence[_native.Player],
    schedule: Schedule,
    *,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
    record_moves: bool = False,
) -> Results:
    """Play a schedule between players of the kernel in one call; see `evoply.arena.play`."""
    rules = game_rules(game)
    checked_whole("threads", threads, MOST_THREADS)
    games = _native.play(
        rules.kernel,
        players,
        schedule.black,
        schedule.white,
        schedule.opening_keys,
        schedule.game_keys,
        starts=schedule.starts,
        start_of=schedule.start_of,
        opening_plies=schedule.opening_plies,
        draws=(rules.draws if schedule.draws is None else schedule.draws).limits,
        threads=threads,
        record_moves=record_moves,
        progress=progress,
    )
    return Results(
        black_discs=games.black_discs,
        white_discs=games.white_discs,
        winners=games.winners,
        endings=games.endings,
        plies=games.plies,
        hashes=games.hashes,
        moves=games.moves,
    )
