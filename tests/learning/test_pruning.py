"""Pruning: games against the whole player, and what is left out by them."""

from __future__ import annotations

import pytest

import evoply as ep
from evoply.expressions import Number, board, count
from evoply.learning import AgainstWhole, played_against_whole
from evoply.players import AlphaBeta, ExpressionEvaluator, ValuingPlayer


def valuing(value: Number) -> ValuingPlayer:
    """Return the player one ply ahead by *value*."""
    return AlphaBeta(
        evaluator=ExpressionEvaluator(expression=value.to_dict()), view="player", depth=1
    )


DISCS = count(board.own) - count(board.opponent)


def test_points_against_the_whole_are_those_of_matches_but_for_the_openings() -> None:
    few = -1 * DISCS
    (played,) = played_against_whole(
        valuing(DISCS), [few], game="othello-6", games=2000, seed=1, threads=1
    )
    result = ep.match(valuing(few), valuing(DISCS), game="othello-6", games=2000, seed=5, threads=1)
    assert played.points == pytest.approx(result.score, abs=0.04)
    assert played.high - played.low < 0.06


def test_what_decides_nothing_scores_half_and_is_known_to() -> None:
    same, none = played_against_whole(
        valuing(DISCS),
        [2 * DISCS + 1, count(board.empty) + 0],
        game="othello-6",
        games=400,
        seed=3,
    )
    assert same == AgainstWhole(0.5, same.low, same.high, 400)
    assert 0.49 < same.low < 0.5 < same.high < 0.51  # all pairs are even, not by luck
    assert none.points != 0.5


def test_variants_do_not_depend_on_others_or_threads() -> None:
    variants = [DISCS * board.t, count(board.own), DISCS - 3 * count(board.empty) * DISCS]
    together = played_against_whole(
        valuing(DISCS), variants, game="othello-6", games=100, seed=2, threads=2
    )
    alone = [
        played_against_whole(valuing(DISCS), [one], game="othello-6", games=100, seed=2, threads=1)
        for one in variants
    ]
    assert [*together] == [one for (one,) in alone]


def test_too_few_games_say_nothing() -> None:
    (played,) = played_against_whole(valuing(DISCS), [DISCS], game="othello", games=10, seed=1)
    assert (played.low, played.high) == (0.0, 1.0)
    with pytest.raises(ValueError, match="games: 9 is not an even number"):
        played_against_whole(valuing(DISCS), [DISCS], game="othello", games=9, seed=1)
