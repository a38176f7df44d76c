"""Building, equality, text and the written form of expressions."""

import copy
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply.expressions import (
    ExpressionError,
    Number,
    Squares,
    Truth,
    argument,
    board,
    build,
    clamp,
    contains,
    count,
    destinations,
    divide,
    equal,
    from_dict,
    from_json,
    is_empty,
    is_odd,
    less,
    less_equal,
    maximum,
    minimum,
    negate,
    number,
    number_of_moves,
    outputs_to_json,
    select,
    squares,
    squares_turned,
    substitute,
    truth,
    weighted_sum,
)
from evoply.games import SHAPES

OWN_CORNERS = count(board.own & squares("corners"))


def test_operators_build_typed_expressions():
    assert isinstance(board.own | board.empty - ~board.opponent, Squares)
    assert isinstance(2 * OWN_CORNERS - 1 + board.t, Number)
    assert isinstance(less(board.t, 0.5) & ~board.is_black | truth(True), Truth)
    assert isinstance(select(board.is_black, board.own, board.opponent), Squares)
    assert isinstance(np.float64(2) * OWN_CORNERS, Number)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (OWN_CORNERS, "count(own & corners)"),
        (board.ply + 1 - board.pieces * 2, "ply + 1 - pieces * 2"),
        (board.ply - (board.t + 1), "ply - (t + 1)"),
        (divide(board.t, 2, "zero"), "t / 2"),
        (board.own.shift("n"), "shift(own, n)"),
        (board.own.fill(~board.empty, ["e", "w"]), "fill(own, ~empty, [e w])"),
        (board.own.symmetry(3), "symmetry(own, 3)"),
        (squares(["a1", 63]), "squares([a1 63])"),
        (squares_turned(["A1"]), "squares_turned([a1])"),
        (~less(board.t, 0.5), "not(t < 0.5)"),
        (less_equal(board.t, 1) & equal(1, board.t), "t <= 1 and 1 == t"),
        (is_odd(board.empty) | is_empty(board.own), "is_odd(empty) or is_empty(own)"),
        (contains(destinations("opponent"), "e4"), "contains(destinations(opponent), e4)"),
        (select(truth(True), board.t, board.ply), "if(True, t, ply)"),
        (clamp(board.t, 0, 1), "min(max(t, 0), 1)"),
        (negate(board.t), "-t"),
        (argument(1) + number(math.inf), "argument_1 + inf"),
        (weighted_sum(board.own, [[0.5] * 16]), "weights of own discs"),
        (number_of_moves("own"), "number_of_moves(own)"),
    ],
)
def test_text_shows_the_formula(expression, text):
    assert str(expression) == text
    assert text in repr(expression)
    assert from_json(expression.to_json()) == expression


def test_equal_parts_are_written_once():
    twice = count(board.own & squares("corners")) + count(board.own & squares("corners"))
    assert len(twice.to_dict()["nodes"]) == 5
    assert outputs_to_json([OWN_CORNERS, OWN_CORNERS]).count("own") == 1


def test_sharing_stays_small_however_often_it_doubles():
    doubled = count(board.own)
    for _ in range(1000):
        doubled = doubled + doubled
    assert len(doubled.to_dict()["nodes"]) == 1002
    assert len(str(doubled)) < 5000
    assert from_json(doubled.to_json()) == doubled
    assert hash(from_json(doubled.to_json())) == hash(doubled)


def test_expressions_are_values():
    assert count(board.own & squares("corners")) == OWN_CORNERS
    assert count(board.opponent & squares("corners")) != OWN_CORNERS
    assert OWN_CORNERS != "count(own & corners)"
    assert number(0.0) != number(-0.0)
    assert number(math.nan) == number(float("-nan"))
    assert len({number(math.nan), number(float("nan"))}) == 1
    assert copy.deepcopy(OWN_CORNERS) == OWN_CORNERS
    with pytest.raises(AttributeError, match="immutable"):
        OWN_CORNERS.op = "own"
    with pytest.raises(AttributeError, match="immutable"):
        del OWN_CORNERS.op


def test_named_squares_are_resolved_for_the_board():
    assert ["named_squares", "corners"] in OWN_CORNERS.to_dict()["nodes"]
    assert ["squares", [0, 7, 56, 63]] in OWN_CORNERS.to_dict(SHAPES[8])["nodes"]
    assert ["squares", [0, 5, 30, 35]] in OWN_CORNERS.to_dict(SHAPES[6])["nodes"]
    assert squares(["e4", "j10"]).to_dict(SHAPES[10])["nodes"] == [["squares", [34, 99]]]
    assert contains(board.own, "e4").to_dict(SHAPES[8])["nodes"][1] == ["contains", 0, 28]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: build("owl"), "no operation 'owl'"),
        (lambda: build("count"), "count takes 1 arguments, not 0"),
        (lambda: count(board.t), "argument 1 of count must be of type squares, not number"),
        (lambda: board.t + "x", "argument 2 of add must be of type number, not 'x'"),
        (lambda: board.own & 3, "argument 2 of and must be of type squares, not 3"),
        (lambda: board.own.shift("up"), "direction must be one of n, ne"),
        (lambda: board.own.fill(board.empty, []), "directions must be a list"),
        (lambda: board.own.symmetry(8), "a symmetry must be a whole number from 0 to 7, not 8"),
        (lambda: squares("cornets"), "no board has squares called 'cornets'"),
        (lambda: squares("a b"), "must have a name"),
        (lambda: squares(["k1"]), "'k1' is not a square"),
        (lambda: squares([-1]), "a square must be a whole number from 0 to 99, not -1"),
        (lambda: squares([0] * 101), "list of at most 100"),
        (lambda: number("x"), "expected a number such as 2.5, not 'x'"),
        (lambda: number(10**400), "too large"),
        (lambda: number(True), "expected a number"),
        (lambda: truth(1), "true or false"),
        (lambda: number_of_moves("white"), "a side must be one of own, opponent, not 'white'"),
        (lambda: divide(1, board.t, "two"), "must be one of one, zero, numerator, ieee"),
        (lambda: weighted_sum(board.own, []), "1 to 256 tables"),
        (lambda: weighted_sum(board.own, [[1.0] * 101]), "one weight per square"),
        (lambda: weighted_sum(board.own, [[math.nan] * 64]), "weight 0 of a table is nan"),
        (lambda: weighted_sum(board.own, [[1.0] * 64, [1.0] * 36]), "same number of weights"),
        (lambda: weighted_sum(board.own, [[1.0] * 64], board.own), "of type number, not squares"),
        (
            lambda: weighted_sum(board.own, [[1.0] * 64]).to_json(SHAPES[6]),
            "has 64 weights, for a board of 8x8, but a 6x6",
        ),
        (lambda: select(truth(True), board.own, board.t), "squares and number"),
        (lambda: argument(8), "place of an argument"),
        (
            lambda: squares("class_k").to_json(SHAPES[8]),
            "8x8 board has no squares called 'class_k'; did",
        ),
        (lambda: squares("cornrs"), "called 'cornrs'; did you mean 'corners'? There are all, corn"),
        (lambda: squares("zzz"), "called 'zzz'. There are all, corners"),
        (lambda: squares("e4"), "squares(['e4'])"),
        (lambda: squares(["h8"]).to_json(SHAPES[6]), "square 'h8' is not on a 6x6 board"),
        (lambda: squares([36]).to_json(SHAPES[6]), "square 36 is not on a 6x6 board"),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(ExpressionError) as raised:
        make()
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: board.t / 2, "divide"),
        (lambda: 2 / board.t, "divide"),
        (lambda: bool(board.is_black), "select"),
        (lambda: count(board.own and board.empty), "&"),
        (lambda: board.own or board.empty, "and ~ instead"),
        (lambda: not board.own, "is_empty"),
        (lambda: board.t and board.ply, "equal(a, b)"),
        (lambda: max(board.t, board.ply), "maximum"),
        (lambda: 0 < board.t < 1, "(low < x) & (x < high)"),
    ],
)
def test_python_traps_are_refused(make, message):
    with pytest.raises(TypeError) as raised:
        make()
    assert message in str(raised.value)


def test_comparisons_are_truths():
    assert (board.t < board.ply).to_json() == less(board.t, board.ply).to_json()
    assert (board.t > 0.5).to_json() == less(0.5, board.t).to_json()
    assert (board.t <= 0.5).to_json() == less_equal(board.t, 0.5).to_json()
    assert (board.t >= 0.5).to_json() == less_equal(0.5, board.t).to_json()
    with pytest.raises(ExpressionError, match="of type number, not squares"):
        board.t < board.own  # noqa: B015
    with pytest.raises(ExpressionError, match=r"equal\(a, b\), not =="):
        select(board.ply == 3, board.t, board.ply)


def written(*nodes, **changes):
    return {"format": 1, "nodes": list(nodes), "outputs": [len(nodes) - 1], **changes}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "must be a table, not 3"),
        (written(["own"], extra=1), "no field 'extra'"),
        (written(["own"], format=2), "format 2 are unknown"),
        (written(["own"], format=True), "format True are unknown"),
        (written(["own"], nodes=[]), "needs a list of nodes"),
        (written(["own"], outputs="x"), "needs a list of outputs, not 'x'"),
        (written(*[["own"]] * 4097), "4,097 nodes are more than the 4,096 allowed"),
        (written(["own"], outputs=[0, 0]), "one output is expected, not 2"),
        (written(["own"], outputs=[1]), "an output must be the index of an earlier node, not 1"),
        (written("own"), "node 0: a node must be a list"),
        (written([]), "node 0: a node must be a list"),
        (written(["owl"]), "node 0 (owl): there is no such operation"),
        (written(["own", 1]), "node 0 (own): it takes 0 arguments, not 1"),
        (written(["own"], ["count", 1]), "node 1 (count): argument 1 must be the index of an"),
        (written(["own"], ["count", True]), "node 1 (count): argument 1 must be the index of an"),
        (written(["own"], ["count", -1]), "node 1 (count): argument 1 must be the index of an"),
        (written(["t"], ["count", 0]), "node 1 (count): argument 1 of count must be of type sq"),
        (written(["own"], ["shift", 0, "x"]), "node 1 (shift): a direction must be one of"),
    ],
)
def test_a_wrong_written_form_is_refused_by_node(data, message):
    with pytest.raises(ExpressionError) as raised:
        from_dict(data)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 10**6, "nested too deeply"),
        ("x", "not JSON"),
        ('{"format": NaN}', "NaN is not JSON"),
        (" " * 80_000_001, "longer than 80,000,000"),
    ],
)
def test_hostile_text_is_refused(text, message):
    with pytest.raises(ExpressionError, match=message):
        from_json(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=6,
)
ROWS = st.tuples(
    st.sampled_from(["own", "count", "shift", "add", "number", "squares", "select", "fill"])
).flatmap(lambda op: st.lists(JSON | st.integers(0, 3), max_size=3).map(lambda a: [*op, *a]))


@given(st.lists(ROWS | JSON, max_size=5), JSON)
def test_any_other_data_gives_only_expression_errors(nodes, outputs):
    data = {"format": 1, "nodes": [["own"], *nodes], "outputs": outputs}
    try:
        made = from_dict(data)
    except ExpressionError:
        return
    assert from_dict(json.loads(made.to_json())) == made


def test_substitution_replaces_arguments():
    shared = argument(0) + argument(1)
    assert substitute(shared * shared, [board.t, number(2)]) == (board.t + 2) * (board.t + 2)


def test_minima_follow_the_kernel_on_text():
    assert str(minimum(1, board.t)) == "min(1, t)"
    assert str(maximum(board.t, 1)) == "max(t, 1)"
