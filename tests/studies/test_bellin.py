"""Bellin and Gasperin's study: what runs, and what honestly does not."""

import json

import numpy as np
import pytest

from evoply._native import Stream
from evoply.arena import play_python_game
from evoply.expressions import PRIMITIVE_SETS
from evoply.games.othello import Position
from evoply.gp import parse_tree
from evoply.players import parse_player
from evoply.protocols import Color
from evoply.studies import Request, reproduce
from evoply.studies.bellin import OPPONENTS, RANGES, evolve_type, opponents_discs

PRINTED = {
    "E1": (1.0, 2.4),
    "E2": (2.02, 7.26),
    "E3": (3.83, 7.6),
    "E4": (5.45, 6.98),
    "E5": (7.41, 9.25),
}


def test_fitness_is_the_opponents_discs_of_three_games():
    texts = ["( white )", "( white_corners )"]
    trees = [parse_tree(text, PRIMITIVE_SETS["liao"]) for text in texts]
    stream = Stream(5, "test")
    sums = opponents_discs(trees, stream, 0)
    keys = stream.child("game").keys(3)
    for text, total in zip(texts, sums.tolist(), strict=True):
        white = parse_player(f"{text}:primitives=liao").native("othello")
        discs = 0
        for opponent, key in zip(OPPONENTS, keys.tolist(), strict=True):
            black = parse_player(opponent).native("othello")
            record = play_python_game(
                (black, white), start=Position(), opening_key=0, opening_plies=0, game_key=key
            )
            discs += record.position.discs(Color.BLACK)
        assert discs == total
    # Times three: the games of the fixed opponent are the same, those of the random one are not.
    assert (opponents_discs(trees, stream, 1, times=3) != 3 * sums).any()


def test_the_ranges_are_those_of_the_paper():
    assert RANGES == PRINTED


def test_evolution_repeats_and_selects():
    best = evolve_type("E1", Request(seed=2), 0)
    assert best == evolve_type("E1", Request(seed=2, threads=1), 0)
    assert best.fitness <= best.fresh
    assert evolve_type("E1", Request(seed=2), 1) != best


def test_what_cannot_be_run_says_so():
    with pytest.raises(ValueError, match="E2 cannot be run yet"):
        evolve_type("E2", Request(), 0)
    result = reproduce("bellin", "fitness", Request(seed=3))
    rows = {one.name[:2]: one for one in reversed(result.rows)}
    for name in ("E2", "E4", "E5"):
        assert rows[name].ours is None
        assert rows[name].verdict == "undecided"
        assert rows[name].reason.startswith("Not run")
    for name in ("E1", "E3"):
        assert rows[name].n == 4
        assert rows[name].verdict in ("matches", "differs")
    json.dumps(result.to_dict(), allow_nan=False)


def test_tournaments_of_the_evolved():
    told = []
    result = reproduce(
        "bellin", "tournament", Request(seed=3, progress=lambda a, b: told.append(a))
    )
    ranks = [one.ours for one in result.rows if one.n == 10]
    assert len(ranks) == 8
    assert np.mean(ranks) == pytest.approx(4.5)
    assert told[-1] == 10
    assert any("rank correlation" in one.name for one in result.rows)
