"""Converts the results of a schedule into single games, and single games into results."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evoply.arena.schedule import Forfeit, Results, Schedule
from evoply.formats.played import GamePlayed
from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.protocols import Color, Ending, GameRecord

_ENDINGS: list[Ending | None] = list(Ending)
_WINNERS = {1: Color.BLACK, -1: Color.WHITE, 0: None}
_SIGNS = {winner: sign for sign, winner in _WINNERS.items()}


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played move by move; a forfeit has its index in the schedule."""

    record: GameRecord
    forfeit: Forfeit | None = None
    seconds: tuple[float, float] | None = None
    """The seconds that Black and White used; None without clocks."""


def games_played(
    game: str, labels: Sequence[str], schedule: Schedule, results: Results
) -> Iterator[GamePlayed]:
    """Yield the games of a schedule whose moves were recorded."""
    rules = game_rules(game)
    reasons = {forfeit.game: forfeit.reason for forfeit in results.forfeits}
    for index, codes in enumerate(results.moves or ()):
        yield GamePlayed(
            black=labels[int(schedule.black[index])],
            white=labels[int(schedule.white[index])],
            record=rules.game(rules.position_from_row(schedule.start_row(index)), codes, NO_DRAWS),
            winner=_WINNERS[int(results.winners[index])],
            ending=list(Ending)[int(results.endings[index])],
            opening_plies=schedule.opening_plies,
            key=int(schedule.game_keys[index]),
            opening_key=int(schedule.opening_keys[index]),
            forfeit=reasons.get(index),
        )


def results_of(
    played: Sequence[PlayedGame], *, record_moves: bool = True, has_clocks: bool = False
) -> Results:
    """Return the results of games played outside the kernel, in the order of a schedule."""
    finals = [game.record.position for game in played]
    moves = [_codes(game.record) for game in played]
    seconds = [game.seconds or (0.0, 0.0) for game in played]
    endings = [
        _ENDINGS.index(Ending.FORFEIT if game.forfeit else game.record.ending()) for game in played
    ]
    return Results(
        black_discs=np.array([p.pieces(Color.BLACK) for p in finals], dtype=np.int32),
        white_discs=np.array([p.pieces(Color.WHITE) for p in finals], dtype=np.int32),
        winners=np.array([_winner(game) for game in played], dtype=np.int8),
        endings=np.array(endings, dtype=np.uint8),
        plies=np.array([len(codes) for codes in moves], dtype=np.int32),
        hashes=np.array(
            [_hash(game.record, codes) for game, codes in zip(played, moves, strict=True)],
            dtype=np.uint64,
        ),
        moves=moves if record_moves else None,
        forfeits=tuple(
            game.forfeit.at(index) for index, game in enumerate(played) if game.forfeit is not None
        ),
        seconds=np.array(seconds, dtype=np.float64).reshape(-1, 2) if has_clocks else None,
    )


def _codes(record: GameRecord) -> list[int]:
    shape = record.position.shape
    return [move.code(shape) for move in record.moves]


def _hash(record: GameRecord, codes: Sequence[int]) -> int:
    """Return 64 bits that are equal for equal games, whenever and wherever they are played."""
    text = repr((record.start.row, *codes)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _winner(game: PlayedGame) -> int:
    if game.forfeit is not None:
        return _SIGNS[game.forfeit.color.opposite]
    outcome = game.record.outcome()
    return _SIGNS[None if outcome is None else outcome.winner]
