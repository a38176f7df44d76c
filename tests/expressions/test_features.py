"""Features on boards made by hand, and laws that hold on every board."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import _native
from evoply.expressions import ExpressionError, class_letters, features
from evoply.expressions.features import FEATURES
from evoply.games.othello import OTHELLO, Position
from evoply.protocols import Color

# Own is X, to move.
BOARD = Position.parse(
    """
    XXO----O
    XO------
    --------
    ---OX---
    ---XO---
    --O-----
    -X------
    X------O X
    """
)
EXPECTED = {
    "own_discs": 7,
    "opponent_discs": 7,
    "disc_difference": 0,
    "own_corners": 2,
    "opponent_corners": 2,
    "own_near_corners": 3,
    "opponent_near_corners": 1,
    "own_edges": 4,
    "opponent_edges": 3,
    "own_mobility": 8,
    "opponent_mobility": 5,
    "mobility_difference": 3,
    "own_frontier": 6,
    "opponent_frontier": 7,
}


@pytest.mark.parametrize("name", list(FEATURES))
def test_golden_board(name):
    assert FEATURES[name].evaluate(BOARD) == EXPECTED[name]


def test_switchable_sets():
    assert features.near_corners("own", "x").evaluate(BOARD) == 1
    assert features.edges("own", 24).evaluate(BOARD) == 2
    assert features.square_class("own", "a", "centre_first").evaluate(BOARD) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: features.discs("white"), "a side must be one of own, opponent, not 'white'"),
        (lambda: features.near_corners("own", "c"), "near_corners must be xc or x, not 'c'"),
        (lambda: features.edges("own", 20), "edges must be 28 or 24, not 20"),
        (lambda: features.square_class("own", "a", "x"), "order must be one of corner_first"),
        (lambda: features.square_class("own", "z"), "no board has squares called 'class_z'"),
    ],
)
def test_unknown_options_are_refused(make, message):
    with pytest.raises(ExpressionError, match=message):
        make()


@st.composite
def positions(draw, game):
    size = OTHELLO[game].size
    rows = _native.Positions.random(game, 1, draw(st.integers(0, 2**64 - 1)), 0, size * size)
    return OTHELLO[game].position_from_row(rows[0])


@pytest.mark.parametrize("game", list(OTHELLO))
@settings(deadline=None)
@given(data=st.data())
def test_laws_on_random_positions(game, data):
    position = data.draw(positions(game))
    own, opponent = position.turn, position.turn.opposite
    for side, color in (("own", own), ("opponent", opponent)):
        classes = [
            features.square_class(side, letter, order).evaluate(position)
            for order in features.ORDERS
            for letter in class_letters(position.size)
        ]
        assert sum(classes) == 2 * position.discs(color)
        turned = Position(
            position.size,
            black=position.black,
            white=position.white,
            turn=color,
            ply=position.ply,
        )
        moves = [move for move in turned.legal_moves if str(move) != "pass"]
        assert features.mobility(side).evaluate(position) == len(moves)


def test_a_forced_pass_counts_as_no_move():
    # White to move on 4x4 has no move here; Black has one.
    position = Position.parse("XXXX XXXX XXXX XXO- O")
    assert [str(move) for move in position.legal_moves] == ["pass"]
    assert features.mobility("own").evaluate(position) == 0
    assert features.mobility("opponent").evaluate(position) == 1
    assert position.turn is Color.WHITE
