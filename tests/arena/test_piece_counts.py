"""Pieces after each ply of games that are known by their moves."""

from __future__ import annotations

import numpy as np
import pytest

from evoply import _native
from evoply.games import GAMES


@pytest.mark.parametrize("name", GAMES)
def test_pieces_are_those_of_the_positions_one_by_one(name: str) -> None:
    game, row = GAMES[name].kernel, GAMES[name].start().row
    later = _native.row_after(game, row, _native.legal_moves(game, row)[0])
    start_of = np.array([0, 1] * 6, dtype=np.uint32)
    keys, nobody = _native.Stream(7).keys(12), np.zeros(12, dtype=np.uint32)
    player, starts = _native.Player(game, "random"), [row, later]
    games = _native.play(
        *(game, [player], nobody, nobody, keys, keys),
        starts=starts,
        start_of=start_of,
        draws=(None, None, 150),
        record_moves=True,
    )
    moves = [codes[: len(codes) - cut] for cut, codes in enumerate(games.moves)]
    black, white = _native.piece_counts(game, moves, starts=starts, start_of=start_of)
    assert black.shape == white.shape == (12, max(map(len, moves)) + 1)
    for number, codes in enumerate(moves):
        rows = [starts[start_of[number]]]
        for code in codes:
            rows.append(_native.row_after(game, rows[-1], code))
        rows += rows[-1:] * (black.shape[1] - len(rows))
        assert black[number].tolist() == [row[0].bit_count() for row in rows]
        assert white[number].tolist() == [row[1].bit_count() for row in rows]


def test_wrong_moves_and_starts_are_refused_in_a_sentence() -> None:
    start = GAMES["othello"].start().row
    with pytest.raises(ValueError, match="game 1, ply 1: 0 is no legal move there"):
        _native.piece_counts("othello", [[19], [19, 0]], starts=[start])
    one = np.zeros(1, dtype=np.uint32)
    with pytest.raises(ValueError, match="start_of needs one entry for each game"):
        _native.piece_counts("othello", [[], []], starts=[start], start_of=one)
    with pytest.raises(ValueError, match="no start 1: there are 1"):
        _native.piece_counts("othello", [[]], starts=[start], start_of=one + np.uint32(1))
