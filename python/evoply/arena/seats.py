"""Who sits at the boards: whatever users call a player, made into what can choose moves.

Players that the kernel runs play in the kernel; any other is asked move by move in Python, by the
same rules and keys, only slower. A schedule may mix both: each game is played where it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena.python_games import ChoosesByKey, play_python_game
from evoply.arena.schedule import Results, Schedule, play
from evoply.games import game_rules
from evoply.gp import Tree
from evoply.players import (
    AlphaBeta,
    HasTree,
    Player,
    RandomStart,
    Staged,
    parse_player,
    player_of,
)
from evoply.protocols import Color, Ending, GameRecord
from evoply.protocols import Player as ChoosesMoves

__all__ = ["Contestant", "Seat", "is_timed", "play_seats", "read_contestant", "seat_of"]

Contestant = Player | Staged | RandomStart | Tree | HasTree | ChoosesMoves | str
"""A player as data or text, a tree or what holds one, or any object with `choose(position)`."""

Read = Player | Staged | RandomStart | HasTree | Tree | ChoosesMoves
Seat = _native.Player | ChoosesByKey | ChoosesMoves
"""What can choose moves: the kernel's player, or one that Python asks."""


def read_contestant(
    player: Contestant, game: str, runs: Callable[[str], Player] | None = None
) -> Read:
    """Return a player, read from its text if it is one, whose label is then the text."""
    if not isinstance(player, str):
        return player
    return parse_player(player, game=game, runs=runs).model_copy(update={"name": player})


def seat_of(player: Read, game: str) -> tuple[str, Seat]:
    """Return the label of a player and what chooses its moves in *game*.

    Raises ValueError if it does not play *game* and TypeError if it is no player.
    """
    if isinstance(player, Staged | RandomStart):
        return player.label, player.seat(game)
    if callable(getattr(player, "choose", None)):
        return getattr(player, "label", type(player).__name__), cast(ChoosesMoves, player)
    try:
        model = player_of(cast(Player, player))
    except TypeError:
        raise TypeError(
            f"{player!r:.200} is not a player: it needs a method choose(position)"
        ) from None
    return model.label, model.native(game)


def is_timed(player: Read) -> bool:
    """Return whether a player is limited in time, so that its games are not reproducible.

    What a player written in Python does is its own affair.
    """
    return isinstance(player, AlphaBeta | RandomStart) and not player.reproducible


def play_seats(
    game: str,
    seats: Sequence[Seat],
    schedule: Schedule,
    *,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
) -> Results:
    """Play a schedule between *seats*, in the kernel where both sides are its players.

    The result of a game does not depend on which other games are played. Errors and *progress*
    as `evoply.arena.play`.
    """
    native = [seat for seat in seats if isinstance(seat, _native.Player)]
    if len(native) == len(seats):
        return play(game, native, schedule, threads=threads, progress=progress)
    is_native = np.array([isinstance(seat, _native.Player) for seat in seats])
    in_kernel = is_native[schedule.black] & is_native[schedule.white]
    inside, outside = np.flatnonzero(in_kernel), np.flatnonzero(~in_kernel)
    parts = []
    if len(inside):
        places = np.cumsum(is_native) - 1  # from a place among all seats to one in the kernel
        part = schedule.part(inside)
        part = part.with_seats(places[part.black], places[part.white])
        parts.append(play(game, native, part, threads=threads, progress=progress))

    def told(done: int) -> None:
        if progress is not None:
            progress(len(inside) + done)

    parts.append(_play_in_python(game, seats, schedule.part(outside), told))
    return _joined(parts, np.concatenate([inside, outside]))


def _play_in_python(
    game: str, seats: Sequence[Seat], schedule: Schedule, progress: Callable[[int], object]
) -> Results:
    """Play a schedule one game after the other, asking Python for moves."""
    starts = [game_rules(game).position_from_row(row) for row in schedule.starts]
    start_of = schedule.start_of
    records: list[GameRecord] = []
    for index in range(len(schedule)):
        records.append(
            play_python_game(
                (seats[schedule.black[index]], seats[schedule.white[index]]),
                start=starts[0 if start_of is None else start_of[index]],
                opening_key=int(schedule.opening_keys[index]),
                opening_plies=schedule.opening_plies,
                game_key=int(schedule.game_keys[index]),
                draws=schedule.draws,
            )
        )
        progress(index + 1)
    finals = [record.position for record in records]
    numbers: dict[object, int] = {}
    games = [(record.start.row, record.moves) for record in records]
    hashes = [numbers.setdefault(one, len(numbers)) for one in games]
    return Results(
        black_discs=np.array([p.pieces(Color.BLACK) for p in finals], dtype=np.int32),
        white_discs=np.array([p.pieces(Color.WHITE) for p in finals], dtype=np.int32),
        winners=np.array([_winner(record) for record in records], dtype=np.int8),
        endings=np.array([_ENDINGS.index(record.ending()) for record in records], dtype=np.uint8),
        plies=np.array([len(record.moves) for record in records], dtype=np.int32),
        hashes=np.array(hashes, dtype=np.uint64),
    )


_ENDINGS: list[Ending | None] = list(Ending)


def _winner(record: GameRecord) -> int:
    outcome = record.outcome()
    winner = None if outcome is None else outcome.winner
    return {Color.BLACK: 1, Color.WHITE: -1, None: 0}[winner]


def _joined(parts: Sequence[Results], places: NDArray[np.intp]) -> Results:
    """Return the games of *parts*, one part after the other, sorted by their *places*."""
    order = np.argsort(places)
    return Results(
        black_discs=np.concatenate([part.black_discs for part in parts])[order],
        white_discs=np.concatenate([part.white_discs for part in parts])[order],
        winners=np.concatenate([part.winners for part in parts])[order],
        endings=np.concatenate([part.endings for part in parts])[order],
        plies=np.concatenate([part.plies for part in parts])[order],
        hashes=np.concatenate([part.hashes for part in parts])[order],
    )
