"""Schedules of games as arrays of players and openings, and their results.

Every game has an opening key and a game key, and everything random in it comes from them, so the
results do not depend on the number of threads or on the order of play. This module does not know
the players; `playing.GamesRunner` plays schedules.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena.game_terms import MOST_THREADS, Line
from evoply.games import game_rules
from evoply.games.position import DrawRules
from evoply.protocols import Color, Ending, Row

_Item = TypeVar("_Item")


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
    """The players of Black, as indices into the list of players."""
    white: NDArray[np.uint32]
    opening_keys: NDArray[np.uint64]
    """Games with the same opening key begin with the same random plies."""
    game_keys: NDArray[np.uint64]
    opening_plies: int
    """Uniformly random legal plies before the players begin."""
    starts: tuple[Row, ...]
    """Positions before the opening, as the kernel writes them (`Position.row`)."""
    draws: DrawRules | None = None
    """The rules about draws besides those of the board; None: the usual rules of the game."""
    start_of: NDArray[np.uint32] | None = None
    """The index into *starts* of each game; None: all begin at the first."""
    lines: tuple[Line, ...] = ()
    """How each of *starts* came about, if that is known."""

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
        lines: Sequence[Line] = (),
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
            lines=tuple(lines),
        )

    def start_row(self, game: int) -> Row:
        """Return the position at which a game begins."""
        return self.starts[self._start(game)]

    def line(self, game: int) -> Line:
        """Return how a game came to where it begins."""
        return self.lines[self._start(game)] if self.lines else (self.start_row(game), ())

    def _start(self, game: int) -> int:
        return 0 if self.start_of is None else int(self.start_of[game])

    def batch(self, games: slice | NDArray[np.intp]) -> Schedule:
        """Return a schedule of only these games."""
        return replace(
            self,
            black=np.ascontiguousarray(self.black[games]),
            white=np.ascontiguousarray(self.white[games]),
            opening_keys=np.ascontiguousarray(self.opening_keys[games]),
            game_keys=np.ascontiguousarray(self.game_keys[games]),
            start_of=None if self.start_of is None else np.ascontiguousarray(self.start_of[games]),
        )

    def with_seats(self, black: NDArray[Any], white: NDArray[Any]) -> Schedule:
        """Return the same games with other indices of players."""
        return replace(self, black=black.astype(np.uint32), white=white.astype(np.uint32))


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game that a side lost because it could not go on."""

    game: int
    """Its index in the schedule."""
    color: Color
    """The side that lost it."""
    reason: str
    by_time: bool = False
    """Whether a clock decided: the same game may end otherwise next time."""

    def at(self, game: int) -> Forfeit:
        """Return the same forfeit at another index."""
        return replace(self, game=game)


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The results of a schedule; every array has one entry a game, in the schedule's order."""

    black_discs: NDArray[np.int32]
    """Black's pieces at the end, discs in Othello."""
    white_discs: NDArray[np.int32]
    winners: NDArray[np.int8]
    """1 where Black won, -1 where White did, 0 for draws."""
    endings: NDArray[np.uint8]
    """What ended each game, as an index into the list of all values of `Ending`."""
    plies: NDArray[np.int32]
    """Plies from the start position, openings and passes included."""
    hashes: NDArray[np.uint64]
    """A hash of the start and all moves: equal for equal games."""
    moves: list[list[int]] | None = None
    """Move codes of every game, openings and passes included, if they were recorded."""
    values: list[list[float]] | None = None
    """The value of each recorded move to the side that made it, if it was asked for; NaN where
    nothing was valued."""
    forfeits: tuple[Forfeit, ...] = ()
    """Games that were forfeited, in order; pieces and plies are those at that moment."""
    seconds: NDArray[np.float64] | None = None
    """The time of Black and White for their moves, a row per game; None without a clock."""

    def __len__(self) -> int:
        return len(self.black_discs)

    @property
    def black_points(self) -> NDArray[np.float64]:
        """Black's points in each game: 1, 0.5 or 0."""
        points: NDArray[np.float64] = (self.winners.astype(np.float64) + 1) / 2
        return points

    def batch(self, games: slice | NDArray[np.intp]) -> Results:
        """Return the results of only these games, which get new indices."""
        places = np.arange(len(self))[games]
        numbers = (
            dict(zip(places.tolist(), range(len(places)), strict=True)) if self.forfeits else {}
        )
        forfeits = [
            forfeit.at(numbers[forfeit.game])
            for forfeit in self.forfeits
            if forfeit.game in numbers
        ]
        return Results(
            **{name: getattr(self, name)[places] for name in _COLUMNS},
            moves=_at(self.moves, places),
            values=_at(self.values, places),
            seconds=None if self.seconds is None else self.seconds[places],
            forfeits=tuple(sorted(forfeits, key=lambda forfeit: forfeit.game)),
        )

    @property
    def ending_counts(self) -> dict[str, int]:
        """How many games ended in each way that occurred, by the value of `Ending`."""
        counts = np.bincount(self.endings, minlength=len(Ending)).tolist()
        return {ending.value: count for ending, count in zip(Ending, counts, strict=True) if count}


def end_for_black(played: Results, number: int, game: str) -> float:
    """Return how game *number* of *played* ended for Black.

    In Othello the difference in discs, empty squares to the winner; elsewhere 1, 0 or -1.
    """
    rules = game_rules(game)
    if not rules.solver:
        return float(played.winners[number])
    black, white = int(played.black_discs[number]), int(played.white_discs[number])
    empty = rules.shape.squares - black - white
    return float(black - white + int(np.sign(black - white)) * empty)


def _at(lists: list[list[_Item]] | None, places: NDArray[np.intp]) -> list[list[_Item]] | None:
    return None if lists is None else [lists[index] for index in places.tolist()]


_COLUMNS = ("black_discs", "white_discs", "winners", "endings", "plies", "hashes")


@dataclass(frozen=True, slots=True, eq=False)
class FinishedGames:
    """Games of a schedule that are finished."""

    places: NDArray[np.intp]
    """Their indices in the schedule."""
    results: Results
    """Their results, in the order of *places*."""

    def __len__(self) -> int:
        return len(self.places)

    def batch(self, games: slice | NDArray[Any]) -> FinishedGames:
        """Return only these games."""
        return FinishedGames(self.places[games], self.results.batch(games))


def gathered(batches: Sequence[FinishedGames]) -> FinishedGames:
    """Return all games of *batches*, one batch at least, in the order of the schedule."""
    if len(batches) == 1 and _is_rising(batches[0].places):
        return batches[0]
    each = [batch.results for batch in batches]
    begins = np.cumsum([0, *map(len, batches)]).tolist()
    places = np.concatenate([batch.places for batch in batches])
    has_moves = all(games.moves is not None for games in each)
    has_seconds = all(games.seconds is not None for games in each)
    has_values = all(games.values is not None for games in each)
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(games, name) for games in each]) for name in _COLUMNS
    }
    joined = Results(
        **columns,
        moves=[codes for games in each for codes in games.moves or ()] if has_moves else None,
        values=[found for games in each for found in games.values or ()] if has_values else None,
        seconds=np.concatenate([games.seconds for games in each]) if has_seconds else None,
        forfeits=tuple(
            forfeit.at(begin + forfeit.game)
            for begin, games in zip(begins, each, strict=False)
            for forfeit in games.forfeits
        ),
    )
    whole = FinishedGames(places, joined)
    return whole if _is_rising(places) else whole.batch(np.argsort(places))


def _is_rising(places: NDArray[Any]) -> bool:
    """Return whether each of *places* is above the one before."""
    return bool((places[1:] > places[:-1]).all())


def whole_pairs(batches: Sequence[FinishedGames]) -> FinishedGames | None:
    """Return the games of *batches* whose pair is whole, in order; None if there are none."""
    if not batches:
        return None
    there = gathered(batches)
    pairs = there.places // 2
    is_whole = np.bincount(pairs)[pairs] == 2
    if not is_whole.any():
        return None
    return there if is_whole.all() else there.batch(is_whole)


def in_order(batches: Iterable[FinishedGames]) -> Iterator[FinishedGames]:
    """Yield the same games in the order of the schedule, pairs as soon as they are whole.

    On Ctrl-C, the pairs that are whole by then are yielded before it is raised again.
    """
    waiting: list[FinishedGames] = []
    due = 0
    try:
        for batch in batches:
            there = gathered([*waiting, batch])
            is_due = there.places == np.arange(due, due + len(there))
            count = int(is_due.cumprod().sum()) // 2 * 2
            ready, waiting = there.batch(slice(count)), [there.batch(slice(count, None))]
            due += count
            yield ready
    except KeyboardInterrupt:
        rest = whole_pairs(waiting)
        if rest is not None:
            yield rest
        raise


def ignore(report: object) -> None:
    """Do nothing with *report*; stands in for a missing callback."""


def play_in_kernel(
    game: str,
    players: Sequence[_native.Player],
    schedule: Schedule,
    *,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
    record_moves: bool = False,
    record_values: bool = False,
) -> Results:
    """Play a schedule between players of the kernel in one call; see `evoply.arena.play`.

    *record_values* keeps the values of recorded moves, too, a kilobyte and more for a game.
    """
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
        values=games.values if record_values else None,
    )
