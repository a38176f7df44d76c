"""Terms chosen by what choices lose, against the fits of all possible terms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply.learning.choices import Choices, expected_loss, fitted_weights
from evoply.learning.chosen_columns import columns_by_loss, columns_of


def positions(values: np.ndarray, sizes: np.ndarray) -> Choices:
    """Return choices with *values*, of positions with *sizes*."""
    position = np.repeat(np.arange(len(sizes)), sizes)
    rows = [(1, 2, 0, True, 0, 0)] * len(position)
    return Choices(rows, values, position, position, position / len(sizes))


def made_up(seed: int, columns: int = 5) -> tuple[Choices, np.ndarray]:
    """Return 200 positions with three to five moves each, and features of them."""
    draws = np.random.default_rng(seed)
    sizes = draws.integers(3, 6, size=200)
    counted = draws.integers(0, 4, size=(sizes.sum(), columns)).astype(float)
    counted *= draws.choice([1.0, 10.0], size=columns)
    values = (counted / counted.std(axis=0)) @ draws.normal(size=columns)
    return positions(values + draws.normal(size=sizes.sum()), sizes), counted


def loss_of(choices: Choices, counted: np.ndarray, terms: list[tuple[int, ...]]) -> float:
    columns = columns_of(counted, terms)
    return expected_loss(choices, columns, fitted_weights(choices, columns))


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_other_term_loses_much_less(seed: int) -> None:
    choices, counted = made_up(seed)
    unit = choices.usual_loss
    for most in (1, 2):
        found = columns_by_loss(choices, counted, most)
        assert len(found) == len(set(found)) <= most
        ours = loss_of(choices, counted, list(found))
        for place in range(len(found)):
            for other in range(5):
                swapped = [*found[:place], (other,), *found[place + 1 :]]
                assert ours < loss_of(choices, counted, swapped) + 0.02 * unit


def test_terms_come_in_the_order_of_their_choice() -> None:
    choices, counted = made_up(1)
    one, more = (columns_by_loss(choices, counted, most) for most in (1, 4))
    assert len(more) == 4
    assert loss_of(choices, counted, list(more)) < loss_of(choices, counted, list(one))
    assert more == columns_by_loss(choices, counted, 4)


@pytest.mark.parametrize("seed", range(4))
def test_of_columns_that_tell_moves_apart_alike_the_first_is_chosen(seed: int) -> None:
    """As of a count of one side and its difference to a count that no move changes."""
    choices, counted = made_up(seed)
    rng = np.random.default_rng(seed)
    by_position = rng.integers(0, 9, choices.position.max() + 1)[choices.position]
    again = counted + by_position[:, np.newaxis] + rng.normal(0, 1e-13, counted.shape)
    found = columns_by_loss(choices, np.hstack([counted, again]), 3)
    assert all(column < counted.shape[1] for term in found for column in term)
    assert columns_by_loss(choices, np.hstack([again, counted]), 3) == found


def test_products_are_found_where_they_are_allowed() -> None:
    choices, counted = made_up(2, columns=4)
    values = counted[:, 1] * counted[:, 3] + 2 * counted[:, 0]
    sizes = np.bincount(choices.position)
    said = positions(values, sizes)
    found = columns_by_loss(said, counted, 2, factors=[3, 1, 0])
    assert set(found) == {(1, 3), (0,)}
    weights = fitted_weights(said, columns_of(counted, found))
    assert weights[found.index((0,))] / weights[found.index((1, 3))] == pytest.approx(2, rel=0.1)
    alone = columns_by_loss(said, counted, 2)
    assert all(len(term) == 1 for term in alone)
    assert loss_of(said, counted, list(alone)) > loss_of(said, counted, list(found)) + 0.01


def test_a_product_that_is_rarely_there_is_no_term() -> None:
    choices, counted = made_up(3, columns=3)
    counted[:, 1] = choices.position < 8
    sizes = np.bincount(choices.position)
    said = positions(counted[:, 0] * counted[:, 1] + 0.01 * counted[:, 2], sizes)
    assert (0, 1) not in columns_by_loss(said, counted, 3, factors=[0, 1, 2])
    counted[:, 1] = choices.position < 80
    said = positions(counted[:, 0] * counted[:, 1] + 0.01 * counted[:, 2], sizes)
    assert (0, 1) in columns_by_loss(said, counted, 3, factors=[0, 1, 2])


def test_a_column_that_says_the_same_again_is_not_chosen() -> None:
    choices, counted = made_up(4, columns=1)
    assert columns_by_loss(choices, counted.repeat(3, axis=1), 3) == ((0,),)
    # One that is the same on all boards of a position says nothing.
    more = np.column_stack([choices.position, counted[:, 0]])
    assert columns_by_loss(choices, more, 2) == ((1,),)


def test_without_positions_there_are_no_terms() -> None:
    choices, counted = made_up(5)
    none = choices.part(np.zeros(len(counted), dtype=bool))
    assert columns_by_loss(none, counted[:0], 3, factors=[0, 1]) == ()
