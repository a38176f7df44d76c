"""The games of a schedule one by one: with who played them, or from records back to results."""

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
    """One game that was played move by move; a forfeit names its place in the schedule."""

    record: GameRecord
    forfeit: Forfeit | None = None
    seconds: tuple[float, float] | None = None
    """What Black and White took of their clocks; None without clocks."""


def games_played(
    game: str, labels: Sequence[str], schedule: Schedule, results: Results
) -> Iterator[GamePlayed]:
    """Yield the games of a schedule whose moves were recorded."""
    rules = game_rules(game)
    reasons = {forfeit.game: forfeit.reason for forfeit in results.forfeits}
    for place, codes in enumerate(results.moves or ()):
        yield GamePlayed(
            black=labels[int(schedule.black[place])],
            white=labels[int(schedule.white[place])],
            record=rules.game(rules.position_from_row(schedule.start_row(place)), codes, NO_DRAWS),
            winner=_WINNERS[int(results.winners[place])],
            ending=list(Ending)[int(results.endings[place])],
            opening_plies=schedule.opening_plies,
            key=int(schedule.game_keys[place]),
            opening_key=int(schedule.opening_keys[place]),
            forfeit=reasons.get(place),
        )


def results_of(
    played: Sequence[PlayedGame], *, record_moves: bool = True, has_clocks: bool = False
) -> Results:
    """Return what came of games that were played outside the kernel, in the order of a schedule."""
    finals = [one.record.position for one in played]
    moves = [_codes(one.record) for one in played]
    seconds = [one.seconds or (0.0, 0.0) for one in played]
    endings = [
        _ENDINGS.index(Ending.FORFEIT if one.forfeit else one.record.ending()) for one in played
    ]
    return Results(
        black_discs=np.array([p.pieces(Color.BLACK) for p in finals], dtype=np.int32),
        white_discs=np.array([p.pieces(Color.WHITE) for p in finals], dtype=np.int32),
        winners=np.array([_winner(one) for one in played], dtype=np.int8),
        endings=np.array(endings, dtype=np.uint8),
        plies=np.array([len(codes) for codes in moves], dtype=np.int32),
        hashes=np.array(
            [_hash(one.record, codes) for one, codes in zip(played, moves, strict=True)],
            dtype=np.uint64,
        ),
        moves=moves if record_moves else None,
        forfeits=tuple(
            one.forfeit.at(place) for place, one in enumerate(played) if one.forfeit is not None
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


def _winner(one: PlayedGame) -> int:
    if one.forfeit is not None:
        return _SIGNS[one.forfeit.color.opposite]
    outcome = one.record.outcome()
    return _SIGNS[None if outcome is None else outcome.winner]
