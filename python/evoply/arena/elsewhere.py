"""Schedules played by the workers of a cluster, in parts of about a second.

A part goes as JSON: the players who appear in it, as data, and the keys of its games. So what comes
of it is what this machine would have played, and the parts are put together in order.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply.arena.schedule import Results, Schedule, joined_results
from evoply.games import is_shipped
from evoply.games.draws import DrawRules
from evoply.players import KernelSeat, PlayerKind
from evoply.players.player import PLAYER_ADAPTER
from evoply.protocols import Answer, Cluster, TimeControl, packed, unpacked

__all__ = ["check_game", "check_sendable", "play_elsewhere", "play_part"]

_SECONDS = 1.0
"""What a part should take a worker."""
_FEWEST_SECONDS = 0.5
"""What it takes at least, but for the last ones."""
_FIRST_SHARE = 1 / 32
"""Of a slot's games, the part that is given out before anything is known about the pace."""
_MOST_GAMES = 100_000
_IN: Mapping[str, np.dtype[Any]] = {
    "black": np.dtype("<u4"),
    "white": np.dtype("<u4"),
    "opening_keys": np.dtype("<u8"),
    "game_keys": np.dtype("<u8"),
}
_OUT: Mapping[str, np.dtype[Any]] = {
    "black_discs": np.dtype("<i4"),
    "white_discs": np.dtype("<i4"),
    "winners": np.dtype("i1"),
    "endings": np.dtype("u1"),
    "plies": np.dtype("<i4"),
    "hashes": np.dtype("<u8"),
}


def check_game(game: str) -> None:
    """Raise `ValueError` if other machines do not know *game*."""
    if not is_shipped(game):
        raise ValueError(
            f"cluster: {game} is a game from outside evoply, which workers do not know - play it "
            "without a cluster"
        )


def check_sendable(game: str, players: Sequence[object], clock: TimeControl | None = None) -> None:
    """Raise `ValueError` if some of *players* cannot play on another machine, and alike."""
    check_game(game)
    if clock is not None:
        raise ValueError(
            "cluster: games with a clock depend on the machine - play them without a cluster"
        )
    for player in players:
        if isinstance(player, KernelSeat) and player.player is not None:
            continue
        label = getattr(player, "label", type(player).__name__)
        if not isinstance(player, PlayerKind) or not player.is_portable:
            raise ValueError(
                f"cluster: {label:.100} is a program on this machine and cannot be sent to others "
                "- leave it out, or play without a cluster"
            )
        if not player.reproducible:
            raise ValueError(
                f"cluster: {label:.100} may play otherwise next time, so workers could not be "
                "checked - leave it out, or play without a cluster"
            )


def play_elsewhere(
    cluster: Cluster,
    game: str,
    players: Sequence[object],
    schedule: Schedule,
    *,
    progress: Callable[[int], object] | None = None,
    record_moves: bool = False,
) -> Results:
    """Play *schedule* on *cluster*, whose players passed `check_sendable`; see `arena.play`."""
    parts = _Parts(cluster, game, players, schedule, record_moves)
    results: dict[int, Results] = {}
    for answer in cluster.results(play_part, parts):
        results[answer.place] = parts.taken(answer)
        if progress is not None:
            progress(parts.done)
    places = [parts.places[place] for place in sorted(results)]
    if not places:
        return _results_from(*unpacked(play_part(parts.packed(slice(0, 0)))))
    return joined_results([results[place] for place in sorted(results)], places)


class _Parts:
    """The parts of a schedule: each is cut when a worker has time for it, by the pace so far."""

    def __init__(
        self,
        cluster: Cluster,
        game: str,
        players: Sequence[object],
        schedule: Schedule,
        record_moves: bool,
    ) -> None:
        self.done = 0
        """Games that were played."""
        self.places: list[NDArray[np.intp]] = []
        """The games of each part that was given out."""
        self._cluster = cluster
        self._game = game
        self._players = players
        self._schedule = schedule
        self._record_moves = record_moves
        self._seconds = 0.0
        self._texts: dict[int, str] = {}

    def __iter__(self) -> Iterator[bytes]:
        begin, total = 0, len(self._schedule)
        while begin < total:
            end = min(total, begin + self._games(total, total - begin))
            self.places.append(np.arange(begin, end))
            yield self.packed(slice(begin, end))
            begin = end

    def taken(self, answer: Answer) -> Results:
        """Return the results of a part; `ValueError` if they are not those of its games."""
        results = _results_from(*unpacked(answer.content))
        if len(results) != len(self.places[answer.place]):
            raise ValueError(f"worker {answer.worker} returned another number of games")
        self.done += len(results)
        self._seconds += answer.seconds
        return results

    def packed(self, games: slice) -> bytes:
        """Return a part as `play_part` reads it."""
        part = self._schedule.part(games)
        seats, numbers = np.unique(np.concatenate([part.black, part.white]), return_inverse=True)
        part = part.with_seats(numbers[: len(part)], numbers[len(part) :])
        starts = part.starts
        start_of: NDArray[Any] | None = part.start_of
        if start_of is not None:
            used, start_of = np.unique(start_of, return_inverse=True)
            starts = tuple(starts[place] for place in used)
        return packed(
            {
                "game": self._game,
                "players": [self._text(int(place)) for place in seats],
                "opening_plies": part.opening_plies,
                "starts": [list(row) for row in starts],
                "start_of": None if start_of is None else _text_of(start_of, np.dtype("<u4")),
                "draws": None if part.draws is None else list(part.draws.limits),
                "record_moves": self._record_moves,
                **{name: _text_of(getattr(part, name), kind) for name, kind in _IN.items()},
            }
        )

    def _text(self, place: int) -> str:
        text = self._texts.get(place)
        if text is None:
            text = self._texts[place] = _player_text(self._players[place])
        return text

    def _games(self, total: int, left: int) -> int:
        slots = self._cluster.slots
        if not self.done:
            return min(_MOST_GAMES, max(1, round(total / slots * _FIRST_SHARE)))
        pace = self.done / max(self._seconds, 1e-9)
        share = left / (2 * slots)
        games = min(max(share, _FEWEST_SECONDS * pace), _SECONDS * pace)
        return min(_MOST_GAMES, max(1, round(games)))


def play_part(data: bytes) -> bytes:
    """Play a part of a schedule on one thread: the unit of work of a cluster."""
    from evoply.arena.tables import play  # which gives schedules to this module

    told, _ = unpacked(data)
    game = told["game"]
    schedule = Schedule(
        **{name: _array_of(told[name], kind) for name, kind in _IN.items()},
        opening_plies=told["opening_plies"],
        starts=tuple(tuple(row) for row in told["starts"]),
        draws=None if told["draws"] is None else DrawRules(*told["draws"]),
        start_of=None if told["start_of"] is None else _array_of(told["start_of"], np.dtype("<u4")),
    )
    results = play(
        game,
        [_seat(text, game) for text in told["players"]],
        schedule,
        threads=1,
        record_moves=told["record_moves"],
    )
    return packed(
        {"moves": results.moves},
        *(getattr(results, name).astype(kind).tobytes() for name, kind in _OUT.items()),
    )


def _results_from(header: Mapping[str, Any], blocks: Sequence[bytes]) -> Results:
    columns: dict[str, Any] = {
        name: np.frombuffer(block, dtype=kind).astype(kind.newbyteorder("="))
        for (name, kind), block in zip(_OUT.items(), blocks, strict=True)
    }
    return Results(**columns, moves=header["moves"])


def _player_text(player: object) -> str:
    model = player.player() if isinstance(player, KernelSeat) and player.player else player
    assert isinstance(model, PlayerKind)
    return model.self_contained().model_dump_json(exclude={"name"})


@lru_cache(maxsize=256)
def _seat(text: str, game: str) -> object:
    """Return who plays: opponents come with every part again."""
    player = PLAYER_ADAPTER.validate_json(text)
    seat = player.seat(game)
    return seat if isinstance(seat, KernelSeat) else player


def _text_of(array: NDArray[Any], kind: np.dtype[Any]) -> str:
    return base64.b64encode(array.astype(kind).tobytes()).decode("ascii")


def _array_of(text: str, kind: np.dtype[Any]) -> Any:
    found = np.frombuffer(base64.b64decode(text, validate=True), dtype=kind)
    return found.astype(kind.newbyteorder("="))
