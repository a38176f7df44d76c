"""The kernel evaluates expressions exactly as the plain interpreter on Python sets does."""

import math
import struct

import numpy as np
import pytest
import reference_expressions as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import _native, checkers
from evoply.expressions import (
    CONVENTIONS,
    DIRECTIONS,
    ExpressionError,
    Number,
    Squares,
    build,
    outputs_to_json,
    parameters_of,
    program_with_parameters,
    with_parameters,
)
from evoply.expressions.operations import NODE_KINDS, OPERATIONS, SIDES
from evoply.expressions.written_form import to_dict
from evoply.games import GAMES, SHAPES
from evoply.protocols import Color

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e30, -1e308, 5e-324, math.inf, -math.inf, math.nan]


def literal(draw, kind, size):
    squares = size * size
    weight = st.sampled_from([0.0, -0.0, 0.1, -0.25, 1e17, 1.0])
    choices = {
        "square": st.integers(0, squares - 1),
        "square list": st.lists(st.integers(0, squares - 1), max_size=squares),
        "set name": st.sampled_from(["corners", "edges", "x_squares", "class_b", "ring_2"]),
        "direction": st.sampled_from(DIRECTIONS),
        "directions": st.lists(st.sampled_from(DIRECTIONS), min_size=1, max_size=8),
        "symmetry": st.integers(0, 7),
        "side": st.sampled_from(SIDES),
        "value": st.sampled_from(SPECIAL) | st.floats(),
        "tables": st.lists(
            st.lists(weight, min_size=squares, max_size=squares), min_size=1, max_size=3
        ),
        "convention": st.sampled_from(CONVENTIONS),
        "boolean": st.booleans(),
    }
    return draw(choices[kind])


@st.composite
def patterns(draw, sets, size):
    """Draw a pattern of one to four of some *sets*, whose parts fit together."""
    chosen = draw(st.lists(st.sampled_from(sets), min_size=1, max_size=4))
    length = draw(st.integers(1, 4))
    square = st.integers(0, size * size - 1)
    copy = st.lists(square, min_size=length, max_size=length, unique=True)
    copies = draw(st.lists(copy, min_size=1, max_size=4))
    stages = draw(st.lists(st.integers(1, size * size), max_size=2, unique=True).map(sorted))
    entries = (len(chosen) + 1) ** length
    factor = draw(st.sampled_from([0.1, -3.7, 1e17]))
    table = [factor * (7 * index % 11 - 5) for index in range(entries)]
    tables = [[stage + value for value in table] for stage in range(len(stages) + 1)]
    if stages and stages[-1] > 1 and draw(st.booleans()):
        first = draw(st.integers(1, max(stages[0] - 1, 1)))
        stages = ["mixed", *sorted({first, *stages})]
        tables = tables[: len(stages) - 1]
    four = [*chosen, None, None, None][:4]
    return build("pattern", *four, copies, draw(st.booleans()), stages, tables)


@st.composite
def expressions(draw, size):
    """Draw a list of expressions, each over earlier ones, of all operations."""
    pools = {
        "squares": [build("own"), build("opponent")],
        "number": [build("pieces"), build("number", 0.0)],
        "truth": [build("is_black")],
    }
    operations = sorted(set(OPERATIONS) - {"argument", "moved_from"})  # only rules know that one
    for _ in range(draw(st.integers(1, 25))):
        op = draw(st.sampled_from(operations))
        if op == "pattern":
            pools["number"].append(draw(patterns(pools["squares"], size)))
            continue
        any_type = draw(st.sampled_from(sorted(pools)))
        arguments = []
        for kind in OPERATIONS[op].arguments:
            if kind == "selector" and draw(st.booleans()):
                arguments.append(None)
            elif kind in NODE_KINDS:
                wanted = {"any": any_type, "selector": "number"}.get(kind, kind)
                arguments.append(draw(st.sampled_from(pools[wanted])))
            else:
                arguments.append(literal(draw, kind, size))
        made = build(op, *arguments)
        pools[made.type].append(made)
    return [made for pool in pools.values() for made in pool]


def bits_of(value):
    value = float(value)
    return "nan" if math.isnan(value) else struct.pack("<d", value)


@pytest.mark.parametrize("game", list(GAMES))
@settings(deadline=None)
@given(data=st.data())
def test_the_kernel_agrees_with_the_plain_interpreter(game, data):
    size = GAMES[game].shape.side
    drawn = data.draw(expressions(size))
    sets = [made for made in drawn if isinstance(made, Squares)]
    values = [made for made in drawn if not isinstance(made, Squares)]
    # A set is compared through its count and through its squares on one ray of weights.
    values += [build("count", made) for made in sets]
    weights = [float(3**index % 1009) for index in range(size * size)]
    values += [build("weighted_sum", made, [weights], None) for made in sets]
    key = data.draw(st.integers(0, 2**64 - 1))
    positions = _native.Positions.random(
        game, 9, key, 0, 100 if game in checkers.CHECKERS else size * size - 4
    )
    program = _native.Program(game, outputs_to_json(values, GAMES[game].shape))
    fast = program.evaluate(positions)
    slow = program.evaluate(positions, reference=True)
    written = to_dict(values, GAMES[game].shape)
    board_type = reference.CheckersBoard if game in checkers.CHECKERS else reference.Board
    for index in range(len(positions)):
        board = board_type(size, positions[index])
        expected = [bits_of(value) for value in reference.evaluate(written, board)]
        assert [bits_of(value) for value in fast[index]] == expected
        assert [bits_of(value) for value in slow[index]] == expected


def test_a_single_position_gives_typed_values():
    position = GAMES["othello"].start()
    own = build("own")
    assert own.evaluate(position) == position.black
    assert build("count", own).evaluate(position) == 2.0
    assert build("is_black").evaluate(position) is True
    assert own.evaluate(position, Color.WHITE) == position.white
    assert build("is_black").evaluate_all([position, position], Color.WHITE).tolist() == [0.0, 0.0]
    assert build("pieces").evaluate_all([]).shape == (0,)
    with pytest.raises(ExpressionError, match="use count"):
        own.evaluate_all([position])
    with pytest.raises(ExpressionError, match="not of othello, othello-4"):
        build("pieces").evaluate_all([position, GAMES["othello-4"].start()])
    assert build("is_black").evaluate(position.play("f5")) is False


@pytest.mark.parametrize("game", ["othello-6", "checkers"])
@settings(deadline=None)
@given(data=st.data())
def test_programs_with_other_parameters_are_those_of_the_expression_with_them(game, data):
    """A program whose parameters were replaced, against lowering what is written with them."""
    size = GAMES[game].shape.side
    values = [made for made in data.draw(expressions(size)) if not isinstance(made, Squares)]
    expression = data.draw(st.sampled_from(values))
    if not isinstance(expression, Number):
        expression = build("select", expression, build("number", 1.0), build("number", 1.0))
    program = program_with_parameters(expression, game)
    before = parameters_of(expression)
    assert [bits_of(value) for value in program.parameters] == [bits_of(value) for value in before]
    # Few different ones, so that what is shared or computed too early would show.
    few = st.sampled_from([0.0, -0.0, 1.0, -2.5])
    drawn = np.array(data.draw(st.lists(few, min_size=len(before), max_size=len(before))))
    changed = program.with_parameters(drawn)
    assert [bits_of(value) for value in changed.parameters] == [bits_of(value) for value in drawn]
    rewritten = with_parameters(expression, drawn)
    if any(before != drawn):
        assert rewritten != expression
    positions = _native.Positions.random(game, 9, data.draw(st.integers(0, 2**64 - 1)), 0, 30)
    expected = _native.Program(game, rewritten.to_json(GAMES[game].shape)).evaluate(positions)
    for reference_only in (False, True):
        found = changed.evaluate(positions, reference=reference_only)
        assert [bits_of(value) for value in found[:, 0]] == [
            bits_of(value) for value in expected[:, 0]
        ]
    again = changed.with_parameters(drawn).evaluate(positions)
    assert [bits_of(v) for v in again[:, 0]] == [bits_of(v) for v in expected[:, 0]]


def test_equal_numbers_are_parameters_of_their_own():
    own, opponent = build("count", build("own")), build("count", build("opponent"))
    expression = 2.0 * own + 2.0 * opponent + (build("number", 2.0) + 2.0)
    program = program_with_parameters(expression, "othello")
    assert program.parameters.tolist() == [2.0] * 4 == parameters_of(expression).tolist()
    start = _native.Positions("othello", [GAMES["othello"].start().row])
    assert program.evaluate(start)[0, 0] == 12.0
    assert program.with_parameters(np.array([1.0, 10.0, 3.0, 5.0])).evaluate(start)[0, 0] == 30.0
    shared = build("number", 2.0)
    assert len(parameters_of(shared * own + shared * opponent)) == 1
    assert program_with_parameters(shared * own + shared * opponent, "othello").parameters.size == 1


def test_wrong_parameters_are_refused():
    expression = 2.0 * build("count", build("own"))
    program = program_with_parameters(expression, "othello")
    for wrong, says in (([], "0 values"), ([1.0, 2.0], "2 values"), ([math.nan], "finite")):
        with pytest.raises(ValueError, match=says):
            program.with_parameters(np.array(wrong))
        with pytest.raises(ExpressionError, match=says):
            with_parameters(expression, wrong)
    with pytest.raises(ValueError, match="keep_parameters=True"):
        _ = _native.Program("othello", expression.to_json(SHAPES[8])).parameters
    with pytest.raises(ValueError, match="no parameters were kept"):
        _native.Program("othello", expression.to_json(SHAPES[8])).with_parameters(np.array([1.0]))
