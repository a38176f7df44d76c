"""Schedules played by the workers of a cluster, in batches of about a second.

A batch is data: the players who appear in it, as JSON, and the keys of its games. So its results
are those that this machine would compute, and the batches are joined in order.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply.arena.schedule import FinishedGames, Results, Schedule
from evoply.games import game_rules, is_shipped
from evoply.games.position import DrawRules
from evoply.players import KernelSeat, data_of, model_of
from evoply.players.player import SAVED_ADAPTER
from evoply.protocols import MALFORMED, Answer, Cluster, TimeControl, UnitFunction, packed, unpacked

_SECONDS = 1.0
"""The time that a batch should take a worker."""
_FEWEST_SECONDS = 0.5
"""The least time for a batch, except for the last ones."""
_FIRST_SHARE = 1 / 32
"""The share of a slot's games in a batch before the pace is known."""
_MOST_GAMES = 400_000
_IN = ("black", "white", "opening_keys", "game_keys")
_START_OF = "start_of"
_OUT: Mapping[str, np.dtype[Any]] = {
    "black_discs": np.dtype(np.int32),
    "white_discs": np.dtype(np.int32),
    "winners": np.dtype(np.int8),
    "endings": np.dtype(np.uint8),
    "plies": np.dtype(np.int32),
    "hashes": np.dtype(np.uint64),
}
_KINDS = ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8")
_MOST_PERIODS = 4
"""How many repetitions of a column's first values are tried as its period."""
_FIRST_VALUES = 8


def check_game(game: str) -> None:
    """Raise `ValueError` if other machines do not know *game*, and cannot be told its rules."""
    if rules_to_send(game) == {"rules": None}:
        raise ValueError(
            f"cluster: {game} is a game from outside evoply whose rules are no data, so workers do "
            "not know it - play it without a cluster"
        )


def rules_to_send(game: str) -> dict[str, Any]:
    """Return what a batch has so that a worker knows *game*; `know_game` reads it."""
    if is_shipped(game):
        return {}
    from evoply.rules import carried_rules  # few matches are of such games

    return {"rules": carried_rules(game)}


def know_game(header: Mapping[str, Any]) -> None:
    """Add the game of a batch if its rules came with it; `ValueError` if others are known here."""
    if header.get("rules") is not None:
        from evoply.rules import add_carried  # as above

        add_carried(header["rules"])


def check_sendable(game: str, players: Sequence[object], clock: TimeControl | None = None) -> None:
    """Raise `ValueError` if a player cannot play on another machine with the same moves."""
    check_game(game)
    if clock is not None:
        raise ValueError(
            "cluster: games with a clock depend on the machine - play them without a cluster"
        )
    for player in players:
        if isinstance(player, KernelSeat) and player.player is not None:
            continue
        label = getattr(player, "label", type(player).__name__)
        model = data_of(player)
        if model is None or not model.is_portable:
            raise ValueError(
                f"cluster: {label:.100} is a program on this machine and cannot be sent to others "
                "- leave it out, or play without a cluster"
            )
        if not model.reproducible:
            raise ValueError(
                f"cluster: {label:.100} may play otherwise next time, so workers could not be "
                "checked - leave it out, or play without a cluster"
            )


def batches_on_cluster(
    cluster: Cluster,
    unit: UnitFunction,
    game: str,
    players: Sequence[object],
    schedule: Schedule,
    *,
    record_moves: bool = False,
) -> Iterator[FinishedGames]:
    """Yield the games of *schedule* as workers of *cluster* finish them; see `GamesRunner.batches`.

    Players passed `check_sendable`. *unit* plays a batch: `unpacked_batch` reads it,
    `packed_results` writes its results.
    """
    batches = _Batches(cluster, game, players, schedule, record_moves)
    for answer in cluster.results(unit, batches):
        results = batches.take(answer)
        yield FinishedGames(batches.places[answer.place], results)


class _Batches:
    """The batches of a schedule, each cut when a worker is free, as long as the pace suggests."""

    def __init__(
        self,
        cluster: Cluster,
        game: str,
        players: Sequence[object],
        schedule: Schedule,
        record_moves: bool,
    ) -> None:
        self.done = 0
        """The number of games played."""
        self.places: list[NDArray[np.intp]] = []
        """The games of each batch sent so far."""
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
            yield self.pack(slice(begin, end))
            begin = end

    def take(self, answer: Answer) -> Results:
        """Return the results of a batch; `WrongResultError` if they are not those of its games."""
        games = len(self.places[answer.place])
        try:
            results = _results_from(answer.content)
        except (*MALFORMED, MemoryError) as error:
            raise answer.wrong(f"results that cannot be read ({error})") from None
        if {len(getattr(results, name)) for name in _OUT} != {games}:
            raise answer.wrong("the results of another number of games")
        self.done += len(results)
        self._seconds += answer.seconds
        return results

    def pack(self, games: slice) -> bytes:
        """Return a batch as `unpacked_batch` reads it."""
        batch = self._schedule.batch(games)
        plays = np.zeros(len(self._players), dtype=bool)
        plays[batch.black] = plays[batch.white] = True
        seats, numbers = np.flatnonzero(plays), np.cumsum(plays) - 1
        batch = batch.with_seats(numbers[batch.black], numbers[batch.white])
        starts, columns = batch.starts, {name: getattr(batch, name) for name in _IN}
        if batch.start_of is not None:
            used, columns[_START_OF] = np.unique(batch.start_of, return_inverse=True)
            starts = tuple(starts[start] for start in used)
        header = {
            "game": self._game,
            **rules_to_send(self._game),
            "players": [self._text(int(player)) for player in seats],
            "opening_plies": batch.opening_plies,
            "starts": [list(row) for row in starts],
            "draws": None if batch.draws is None else list(batch.draws.limits),
            "record_moves": self._record_moves,
        }
        return packed_columns(header, columns)

    def _text(self, player: int) -> str:
        text = self._texts.get(player)
        if text is None:
            text = self._texts[player] = _player_text(self._players[player])
        return text

    def _games(self, total: int, left: int) -> int:
        slots = self._cluster.slots
        if not self.done:
            return min(_MOST_GAMES, max(1, round(total / slots * _FIRST_SHARE)))
        pace = self.done / max(self._seconds, 1e-9)
        share = left / (2 * slots)
        games = min(max(share, _FEWEST_SECONDS * pace), _SECONDS * pace)
        return min(_MOST_GAMES, max(1, round(games)))


def unpacked_batch(data: bytes) -> tuple[str, list[object], Schedule, bool]:
    """Return game, players, schedule, and whether to record moves, of a batch."""
    header, columns = unpacked_columns(data)
    know_game(header)
    game = header["game"]
    schedule = Schedule(
        black=columns["black"].astype(np.uint32),
        white=columns["white"].astype(np.uint32),
        opening_keys=columns["opening_keys"].astype(np.uint64),
        game_keys=columns["game_keys"].astype(np.uint64),
        opening_plies=header["opening_plies"],
        starts=tuple(tuple(row) for row in header["starts"]),
        draws=None if header["draws"] is None else DrawRules(*header["draws"]),
        start_of=columns[_START_OF].astype(np.uint32) if _START_OF in columns else None,
    )
    players = [_seat(text, game, game_rules(game).kernel) for text in header["players"]]
    return game, players, schedule, header["record_moves"]


def packed_results(results: Results) -> bytes:
    """Return the results of a batch as bytes."""
    columns = {name: getattr(results, name) for name in _OUT}
    return packed_columns({"moves": results.moves}, columns)


def _results_from(data: bytes) -> Results:
    header, columns = unpacked_columns(data)
    fields: dict[str, Any] = {
        name: columns[name].astype(kind, copy=False) for name, kind in _OUT.items()
    }
    return Results(**fields, moves=header["moves"])


def _player_text(player: object) -> str:
    model = player.player() if isinstance(player, KernelSeat) and player.player else player
    # Every evoply of this version knows the named sets of primitives.
    return model_of(model).model_dump_json(exclude={"name"})


@lru_cache(maxsize=256)
def _seat(text: str, game: str, kernel: str) -> object:
    """Return the player or its seat; cached, because opponents come with every batch.

    *kernel* names the rules, and a game from data may be removed and come back with others.
    """
    player = SAVED_ADAPTER.validate_json(text)
    seat = player.seat(game)
    return seat if isinstance(seat, KernelSeat) else player


def packed_columns(header: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> bytes:
    """Return *header* and *columns* as bytes: narrow numbers, one period of repeating columns."""
    layout, blocks = [], []
    for name, column in columns.items():
        period = column[: _period(column)]
        low, high = (int(period.min()), int(period.max())) if len(period) else (0, 0)
        kind = np.min_scalar_type(high if low >= 0 else min(low, -high - 1))
        layout.append([name, _KINDS.index(f"{kind.kind}{kind.itemsize}"), len(column)])
        blocks.append(period.astype(kind.newbyteorder("<")).tobytes())
    return packed({**header, "columns": layout}, *blocks)


def unpacked_columns(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the arguments of `packed_columns`, with columns as narrow as they were sent."""
    header, blocks = unpacked(data)
    columns = {}
    for (name, kind, length), block in zip(header["columns"], blocks, strict=True):
        period = np.frombuffer(block, dtype="<" + _KINDS[kind])
        # Not `np.resize`, which joins as many arrays as there are periods: 26 ms for 100,000 of 1.
        columns[name] = np.tile(period, -(-length // len(period)))[:length] if length else period
    return header, columns


def _period(column: NDArray[Any]) -> int:
    """Return the period of *column*; its length if it does not repeat.

    Every tree of a population meets the same openings with the same keys.
    """
    count = len(column) - _FIRST_VALUES
    is_again = np.ones(max(count, 0), bool)
    for place in range(_FIRST_VALUES if count > 0 else 0):
        is_again &= column[place + 1 : place + 1 + count] == column[place]
    for period in (np.flatnonzero(is_again)[:_MOST_PERIODS] + 1).tolist():
        if (column[period:] == column[:-period]).all():
            return int(period)
    return len(column)
