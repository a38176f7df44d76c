"""Features that a population found: subtrees as differences, ranked by what they foretell."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evoply as ep
from evoply.expressions import PRIMITIVE_SETS, from_json
from evoply.expressions.functions import for_the_other_side
from evoply.gp import parse_tree
from evoply.learning import features_of_population, features_of_sets
from evoply.learning.choices import boards_met, values_at
from evoply.learning.found_features import chosen_columns

ACCESS = PRIMITIVE_SETS["othello-access"]
CHAMPION = "( - ( * 2 white_anchored ) black_safe_moves ):primitives=othello-access"
TREES = [
    parse_tree(text, ACCESS)
    for text in (
        "( - ( * 2 white_anchored ) black_safe_moves )",
        "( + white_corners ( * clock 3 ) )",
        "( + ( - clock clock ) ( * 4 black_corner_moves ) )",
    )
]


def found(**options: object) -> list[dict[str, object]]:
    settings = {"game": "othello-6", "games": 60, "terms": 4, **options}
    return features_of_population(TREES, ep.parse_player(CHAMPION, game="othello-6"), **settings)


def test_every_feature_is_own_minus_opponent_and_fits_a_config() -> None:
    features = found()
    assert 1 < len(features) <= 4
    config = ep.LearningConfig(game="othello-6", games=20, features=features)
    *_, last = ep.learn(config)
    assert len(last.weights) == len(features)
    met = boards_met(
        [last.champions[0]], "othello-6", games=4, seed=1, random_moves=0.5, opening_plies=2
    )
    for one in features:
        expression = from_json(one["expression"])
        other = for_the_other_side(expression)
        ours, theirs = values_at([expression, other], "othello-6", met.rows).T
        assert np.allclose(ours, -theirs)
        assert np.ptp(ours) > 0
        assert one["scale"] > 0


def test_constants_and_clocks_are_no_features() -> None:
    names = [str(one["name"]) for one in found(terms=50)]
    assert len(names) == len(set(names))
    assert not {"clock", "clock_times_3", "3", "0"} & set(names)


def test_the_first_is_what_foretells_most_alone() -> None:
    features = found(terms=50)
    champion = ep.parse_player(CHAMPION, game="othello-6")
    met = boards_met([champion], "othello-6", games=60, seed=1, random_moves=0.1, opening_plies=4)
    columns = values_at([from_json(one["expression"]) for one in features], "othello-6", met.rows)
    target = met.points - 0.5
    alone = (columns.T @ target) ** 2 / (columns**2).sum(axis=0)
    assert alone[0] == pytest.approx(alone.max(), rel=0.05)


def test_the_same_again_for_any_threads() -> None:
    assert found(threads=1) == found(threads=2)
    assert json.dumps(found())  # JSON-ready


def test_sets_give_their_differences() -> None:
    features = features_of_sets(["othello-access"], "othello")
    assert len(features) == 11
    assert {one["name"] for one in features} >= {"white_corners_minus_black_corners"}
    with pytest.raises(ValueError, match="no features"):
        features_of_sets(["squares"], "othello")


def test_a_random_champion_is_refused() -> None:
    with pytest.raises(ValueError, match="random player"):
        features_of_population(TREES, ep.parse_player("random"), game="othello")


def left(matrix: np.ndarray, target: np.ndarray, columns: list[int]) -> float:
    """Return what is left of the target, by numpy's least squares."""
    fitted = np.linalg.lstsq(matrix[:, columns], target, rcond=None)[0]
    return float(((target - matrix[:, columns] @ fitted) ** 2).sum())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_columns_are_nearly_the_best_there_are(seed: int, most: int) -> None:
    draws = np.random.default_rng(seed)
    matrix = draws.normal(size=(30, 6)) * draws.uniform(0.1, 50, size=6)
    target = matrix @ draws.normal(size=6) + draws.normal(size=30)
    found = chosen_columns(matrix, target, most)
    assert len(set(found)) == most
    ours = left(matrix, target, list(found))
    total = float((target**2).sum())
    # No swap of one column helps: so it is the best of one, and at most a little worse of more.
    swaps = [
        left(matrix, target, [*found[:place], other, *found[place + 1 :]])
        for place in range(most)
        for other in set(range(6)) - set(found)
    ]
    assert ours <= min(swaps) + 1e-5 * total
    if most == 1:
        everything = [left(matrix, target, [column]) for column in range(6)]
        assert ours == pytest.approx(min(everything), abs=1e-5 * total)


def test_a_column_that_says_the_same_again_is_not_chosen() -> None:
    draws = np.random.default_rng(2)
    matrix = draws.normal(size=(50, 1)).repeat(3, axis=1)
    assert len(chosen_columns(matrix, matrix[:, 0], 3)) == 1
