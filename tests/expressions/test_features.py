"""Features on boards made by hand, and laws that hold on every board."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import _native, othello
from evoply.expressions import ExpressionError, class_letters, features
from evoply.expressions.features import FEATURES, SHAPES
from evoply.protocols import Color

# Own is X, to move.
BOARD = othello.Position.parse(
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
    "own_corner_moves": 0,
    "opponent_corner_moves": 0,
    "own_edge_moves": 1,
    "opponent_edge_moves": 0,
    "own_safe_moves": 8,
    "opponent_safe_moves": 5,
    "own_risky_x": 0,
    "opponent_risky_x": 0,
    "own_risky_c": 0,
    "opponent_risky_c": 0,
    "own_anchored": 4,
    "opponent_anchored": 2,
}
# Own is X, to move. Empty corners: a1, h1 and a8. White takes a1 over b2 or b1; X takes a8 over b8.
OPEN = othello.Position.parse(
    """
    -XO-----
    -X------
    --O-----
    ---OX---
    ---XO---
    ----OX--
    XX----XX
    -OX---XX X
    """
)


@pytest.mark.parametrize(
    "name", [name for name in FEATURES if name[name.index("_") + 1 :] not in SHAPES]
)
def test_golden_board(name):
    assert FEATURES[name].evaluate(BOARD) == EXPECTED[name]


def test_what_is_beside_an_empty_corner_and_who_may_take_it():
    expected = {
        "corner_moves": (1, 1), "risky_x": (2, 0), "risky_c": (2, 1), "anchored": (3, 0)
    }  # fmt: skip
    for name, both in expected.items():
        found = [FEATURES[f"{side}_{name}"].evaluate(OPEN) for side in ("own", "opponent")]
        assert tuple(found) == both, name


def test_switchable_sets():
    assert features.near_corners("own", "x").evaluate(BOARD) == 1
    assert features.edges("own", 24).evaluate(BOARD) == 2
    assert features.square_class("own", "a", "centre_first").evaluate(BOARD) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: features.discs("white"), "a side must be one of own, opponent, not 'white'"),
        (lambda: features.near_corners("own", "c"), "near_corners must be xc or x, not 'c'"),
        (lambda: features.risky("own", "a"), "risky must be one of xc, x, c, not 'a'"),
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
    size = othello.OTHELLO[game].shape.side
    rows = _native.Positions.random(game, 1, draw(st.integers(0, 2**64 - 1)), 0, size * size)
    return othello.OTHELLO[game].position_from_row(rows[0])


@pytest.mark.parametrize("game", list(othello.OTHELLO))
@settings(deadline=None)
@given(data=st.data())
def test_laws_on_random_positions(game, data):
    position = data.draw(positions(game))
    own, opponent = position.turn, position.turn.opposite
    for side, color in (("own", own), ("opponent", opponent)):
        classes = [
            features.square_class(side, letter, order).evaluate(position)
            for order in features.ORDERS
            for letter in class_letters(position.shape)
        ]
        assert sum(classes) == 2 * position.discs(color)
        turned = othello.Position(
            position.shape.side,
            black=position.black,
            white=position.white,
            turn=color,
            ply=position.ply,
        )
        moves = [move for move in turned.legal_moves if str(move) != "pass"]
        assert features.mobility(side).evaluate(position) == len(moves)
        check_access(side, position, {str(move) for move in moves})


def check_access(side, position, moves):
    """Compare the features of access with plain loops over squares by name."""
    size = position.shape.side
    names = {(x, y): f"{chr(97 + x)}{y + 1}" for x in range(size) for y in range(size)}
    color = position.turn if side == "own" else position.turn.opposite
    bits = position.black if color is Color.BLACK else position.white
    both = position.black | position.white
    held = {place for place in names if bits >> place[1] * size + place[0] & 1}
    last = size - 1
    empty = {(x, y) for x in (0, last) for y in (0, last) if not both >> y * size + x & 1}
    diagonal = {(abs(x - 1), abs(y - 1)) for x, y in empty}
    along = {(abs(x - 1), y) for x, y in empty} | {(x, abs(y - 1)) for x, y in empty}
    edge = {place for place in names if {0, last} & set(place)}
    runs, reached = set(), {(x, y) for x in (0, last) for y in (0, last)} & held
    while reached:
        runs |= reached
        reached = {
            (x + dx, y + dy) for x, y in reached for dx, dy in ((0, 1), (0, -1), (1, 0), (-1, 0))
        } & held & edge - runs  # fmt: skip
    expected = {
        "corner_moves": len(moves & {names[place] for place in empty}),
        "edge_moves": len(moves & {names[place] for place in edge}),
        "safe_moves": len(moves - {names[place] for place in diagonal | along}),
        "risky_x": len(held & diagonal),
        "risky_c": len(held & along),
        "anchored": len(runs),
    }
    for name, count in expected.items():
        assert FEATURES[f"{side}_{name}"].evaluate(position) == count, name


def test_a_forced_pass_counts_as_no_move():
    # White to move on 4x4 has no move here; Black has one.
    position = othello.Position.parse("XXXX XXXX XXXX XXO- O")
    assert [str(move) for move in position.legal_moves] == ["pass"]
    assert features.mobility("own").evaluate(position) == 0
    assert features.mobility("opponent").evaluate(position) == 1
    assert position.turn is Color.WHITE
