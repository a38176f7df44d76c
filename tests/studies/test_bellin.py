"""Bellin and Gasperin's study: types, fitness, hypotheses, tournaments."""

import json
import os
from collections import Counter

import numpy as np
import pytest

from evoply import othello
from evoply._native import Stream
from evoply.arena import play_game
from evoply.evolution import config_from_toml, evolve
from evoply.expressions import PRIMITIVE_SETS, ExpressionError, bellin
from evoply.gp import leaf_weights, parse_tree
from evoply.players import parse_player
from evoply.protocols import Color
from evoply.runs.presets import preset_text
from evoply.studies import Request, find_study, reproduce
from evoply.studies.bellin.tables import (
    EXPERIMENTS,
    FEATURES,
    OPPONENTS,
    PRIMITIVES,
    TYPES,
    config_of,
    evolve_type,
    opponents_discs,
    three_games,
)

PRINTED = {
    "E1": (1.0, 2.4),
    "E2": (2.02, 7.26),
    "E3": (3.83, 7.6),
    "E4": (5.45, 6.98),
    "E5": (7.41, 9.25),
}


def asked(**options):
    return find_study("bellin").asked("E2", Request(**options))


def test_fitness_is_the_opponents_discs_of_three_games():
    texts = ["( white )", "( white_corners )"]
    trees = [parse_tree(text, PRIMITIVE_SETS["liao"]) for text in texts]
    stream = Stream(5, "test")
    sums = opponents_discs(three_games(trees, stream, 0), 2)
    keys = stream.child("game").keys(3)
    for text, total in zip(texts, sums.tolist(), strict=True):
        white = parse_player(f"{text}:primitives=liao").seat("othello")
        discs = 0
        for opponent, key in zip(OPPONENTS, keys.tolist(), strict=True):
            black = parse_player(opponent).seat("othello")
            record = play_game(
                (black, white),
                start=othello.Position(),
                opening_key=0,
                opening_plies=0,
                game_key=key,
            )
            discs += record.position.discs(Color.BLACK)
        assert discs == total
    # Times three: the games of the fixed opponent are the same, those of the random one are not.
    assert (opponents_discs(three_games(trees, stream, 1, times=3), 2) != 3 * sums).any()


def test_the_engine_plays_these_three_games():
    config = config_of("E2", asked(), 0)
    assert config.fitness.sides == "white"
    assert config.opening_plies == 0
    assert config.fitness.measure.kind == "opponent_discs"
    met = {one.player: one.games for one in config.fitness.opponents}
    assert met == Counter(OPPONENTS)
    plain = config_from_toml(preset_text("gpjpp"))
    for part in ("selection", "variation", "limits", "elitism", "parsimony"):
        assert getattr(config, part) == getattr(plain, part)
    first = next(evolve(config))
    # The game against Edgar is always the same: its discs are a part of any tree's fitness.
    best = first.best
    edgar = three_games([best.tree], Stream(1), 0).black_discs[0]
    assert -best.fitness >= edgar


def test_types_are_those_of_the_paper_and_two_more():
    assert {name: TYPES[name].printed for name in EXPERIMENTS} == PRINTED
    assert sum(one.players for one in TYPES.values()) == 33
    assert len(TYPES) == 7
    no_ops = {name: {n.name for n in one.primitives if n.bits} for name, one in TYPES.items()}
    assert no_ops["E1"] == set()
    assert no_ops["E2"] == no_ops["E3"] == no_ops["E4"] == {"B0", "B1"}
    assert len(no_ops["E5"]) == 6
    weights = {name: one.primitives.weights for name, one in TYPES.items()}
    assert weights["E1"] is weights["E3"] is None
    modes = {name: one.mode for name, one in weights.items() if one is not None}
    assert modes == {
        "E2": "positional", "E4": "positional", "E5": "noop_only", "V1": "positional",
        "V2": "noop_only",
    }  # fmt: skip
    tree = parse_tree("( + 10 ( + white 10 ) )", TYPES["V1"].primitives)
    assert leaf_weights(tree) == [None, None, None, 1 / 2, None]


def test_evolution_repeats_and_selects():
    best = evolve_type("E2", asked(seed=2), 0)
    assert best == evolve_type("E2", asked(seed=2, threads=1), 0)
    assert best.fitness <= best.fresh
    assert evolve_type("E2", asked(seed=2), 1) != best


SMALL = find_study("bellin")
"""It evolves less than the smallest scale does, where only the form of results is looked at."""
if "EVOPLY_LONG" not in os.environ:
    SMALL = SMALL.resized("smoke", population=10, generations=3)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs(name):
    told = []
    result = reproduce(SMALL, name, Request(seed=3, progress=lambda a, b: told.append(a / b)))
    rows = {one.name: one for one in result.rows}
    own = rows[f"{name}, {TYPES[name].title}"]
    assert own.paper == "{:.2f} to {:.2f}".format(*PRINTED[name])
    assert own.n == 3
    assert rows[f"{name} on fresh games"].ours >= own.ours
    assert 0 <= rows[f"{name}: best trees that beat edgar-like"].ours <= 1
    chains = [one for title, one in rows.items() if "2 or more no-ops" in title]
    assert len(chains) == (0 if name == "E1" else 2)
    assert all(one.ours is None or 0 <= one.ours <= 1 for one in chains)
    assert told == sorted(told)
    assert told[-1] == 1
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.long
def test_all_experiments_side_by_side_are_the_single_ones():
    together = {one.name: one for one in reproduce("bellin", "fitness", Request(seed=3)).rows}
    for one in reproduce("bellin", "E3", Request(seed=3)).rows:
        assert together[one.name] == one
    assert {name[:2] for name in together} == set(EXPERIMENTS)


def test_few_features_of_equal_size_have_the_squares_of_many():
    """Section 4.4: letters left out, and merged to regions of equal size."""
    board = othello.Position.parse(
        """
        XXO-X-OX
        O-XX-O-X
        XOX--XOO
        -XOXOX--
        XXOOXXOX
        O--XO-XO
        XO-OX-OX
        -XXOO-XO X
        """
    )
    squares = {"8 unequal": None, "20 equal": 64, "16 equal": 64 - 4 - 8, "8 equal": 64}
    assert set(FEATURES) == set(squares)
    for name, covered in squares.items():
        for weights in ("weights", "no weights"):
            primitives = PRIMITIVES[f"{name}, {weights}"]
            assert {"B0", "B1"} < {node.name for node in primitives}
            assert (primitives.weights is None) == (weights == "no weights")
        counts = [node for node in primitives.terminals if node.name != "10"]
        assert len(counts) == int(name.split()[0])
        if covered is None:
            assert {node.name for node in counts} > {"white", "white_corners", "black_edges"}
            continue
        own = [node for node in counts if node.name.islower()]
        everywhere = othello.Position.parse(f"{'X' * 64} X")
        sizes = [int(node.expression.evaluate(everywhere)) for node in own]
        assert sum(sizes) == covered
        assert max(sizes) <= 2 * min(sizes)
        if name == "8 equal":
            assert sizes == [16] * 4
            letters = {node.name: node for node in PRIMITIVES["20 equal, weights"]}
            for node in counts:
                parts = [letters[2 * letter].expression for letter in node.name]
                assert node.expression.evaluate(board) == sum(p.evaluate(board) for p in parts)
                assert node.expression.evaluate(board) > 0


@pytest.mark.parametrize("regions", [["ab", "bc"], ["A"], ["az"], [""], ["aa"]])
def test_regions_are_letters_of_classes_each_once(regions):
    with pytest.raises(ExpressionError, match="regions are letters a to j, each at most once"):
        bellin("letters", regions=regions)


def test_what_weights_gain_is_told_by_differences_of_runs():
    result = reproduce(SMALL.resized("smoke", runs=5), "hypothesis", Request(seed=2))
    rows = {one.name: one for one in result.rows}
    gains = {}
    for name in FEATURES:
        with_weights, without = (
            rows[f"{name}, {weights}: fresh games"].ours for weights in ("weights", "no weights")
        )
        gains[name] = rows[f"{name}: what weights gain"].ours
        assert gains[name] == pytest.approx(without - with_weights)
        assert rows[f"{name}, weights: when selected"].ours <= with_weights
    judged = [one for one in result.rows if one.paper is not None]
    assert len(judged) == 6
    assert {one.n for one in judged} == {5}
    gain = rows["what weights gain: 8 equal less 8 unequal"]
    assert gain.ours == pytest.approx(gains["8 equal"] - gains["8 unequal"])
    assert (gain.paper, gain.margin) == ("more with equal ones: above 0", None)


def test_tournaments_of_the_evolved():
    told = []
    result = reproduce(
        SMALL, "tournament", Request(seed=3, progress=lambda a, b: told.append(a / b))
    )
    ranked = [one for one in result.rows if one.unit == "mean rank over tournaments"]
    against_all, against_others = ranked[:21], ranked[21:]
    for ranks in (against_all, against_others):
        assert len(ranks) == 21
        assert np.mean([one.ours for one in ranks]) == pytest.approx(11)
        assert {(one.n, one.counted) for one in ranks} == {(10, "tournaments")}
    others = {one.name.removesuffix(": against other brackets") for one in against_others}
    assert others == {one.name for one in against_all}
    middle = [one.name for one in against_all[7:14]]
    rises = [one for one in result.rows if one.name.startswith("rise against other brackets")]
    assert len({one.name for one in rises}) == 2
    assert all(one.name.rpartition(": ")[2] in middle for one in rises)
    assert all(one.paper == "18 and 11 rise: above 0" for one in rises)
    assert told[-1] == 1
    names = [one.name for one in result.rows]
    assert {name[:2] for name in names[:21]} == set(TYPES)
    rows = {one.name: one for one in result.rows}
    assert rows["rank correlation of fitness in training with success"].paper == 0
    assert "V1" in " ".join(result.notes)
    champions = rows["share of brackets whose best player is a star against all"]
    assert champions.verdict == "no figure"
    assert 0 <= champions.ours <= 1
