"""Primitives with values, introns and bits: adding them, plain data and back, and mistakes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import _native
from evoply.expressions import (
    PRIMITIVE_SETS,
    ExpressionError,
    NumberParameter,
    PrimitiveSet,
    SquareParameter,
    argument,
    board,
    contains,
    count,
    is_empty,
    substitute,
)
from evoply.expressions.parameters import parameter_from_dict
from evoply.games import SHAPES

BENBASSAT = PRIMITIVE_SETS["benbassat"]


def test_a_family_is_added_in_one_line():
    edge = SquareParameter(SHAPES[8], "edges")
    held = is_empty(argument(0, "squares") - board.own)
    mine = PRIMITIVE_SETS["liao"].with_primitive("held", held, parameter=edge)
    drawn = {edge.draw(_native.Stream(1).child(k)) for k in range(400)}
    assert len(drawn) == 28
    member = mine["held"].with_value("a1")
    assert (member.name, member.arity, member.type) == ("held[a1]", 0, "truth")
    assert mine.holds(member)
    assert not mine.holds(mine["held"])
    assert not mine.holds(PRIMITIVE_SETS["benbassat"]["true"])
    assert mine["held"].operator is None
    assert PrimitiveSet.from_dict(json.loads(json.dumps(mine.to_dict()))) == mine


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_so_that_they_read_back(value):
    parameter = NumberParameter(-5, 5)
    assert parameter.read(parameter.write(value)) == value


def test_squares_step_to_their_neighbours():
    stream = _native.Stream(2)

    def steps(parameter, square):
        return {parameter.step(square, stream, lambda _: 0.0) for _ in range(200)}

    assert steps(SquareParameter(SHAPES[8]), "a1") == {"a2", "b1", "b2"}
    assert steps(SquareParameter(SHAPES[8], "corners"), "a1") == {"a1"}
    assert steps(SquareParameter(SHAPES[4], "edges"), "b1") == {"a1", "c1", "a2"}


def entry(**changes):
    data = BENBASSAT.to_dict()
    data["primitives"] = [{**data["primitives"][0], **changes}]
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (entry(parameter={"kind": "number", "low": 1}), "a parameter must be {kind"),
        (entry(parameter={"kind": "number", "low": 2, "high": 1}), "a range low < high"),
        (entry(parameter={"kind": "number", "low": 0, "high": 1}), "its parameter as argument 0"),
        (entry(introns="truth"), "introns must be a list"),
        (entry(introns=["colour"]), "each one of squares, number, truth"),
        (entry(bits=1), "bits must be a text of 0 and 1"),
        (entry(bits="2"), "bits must be a text of 0 and 1"),
        (entry(bits="1"), "with bits must have one operand"),
        (entry(colour="red"), "must have a name and an expression"),
        ({**BENBASSAT.to_dict(), "weights": {"mode": "both"}}, "weights must have a mode"),
        (
            {**BENBASSAT.to_dict(), "weights": {"mode": "both", "constants": True}},
            "positional or noop_only",
        ),
    ],
)
def test_wrong_data_is_explained(data, message):
    with pytest.raises(ExpressionError) as error:
        PrimitiveSet.from_dict(data)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"kind": "square", "rows": "8", "columns": 8, "among": "all", "relative": True},
        {"kind": "number", "low": "0", "high": 1},
    ],
)
def test_wrong_parameters_are_refused(data):
    with pytest.raises(ExpressionError, match="a parameter must be"):
        parameter_from_dict(data)


def test_names_never_look_like_members():
    with pytest.raises(ExpressionError, match="contains '\\['"):
        PRIMITIVE_SETS["liao"].with_primitive("f[a1]", count(board.own))
    with pytest.raises(ValueError, match="has no parameter"):
        PRIMITIVE_SETS["liao"]["white"].with_value(1.0)
    with pytest.raises(ExpressionError, match="no squares called 'grey'"):
        SquareParameter(SHAPES[8], "grey")


def test_square_tests_equal_the_operation_on_squares():
    position_rows = [(0x0F0F, 0xF0F0_0000, 0, is_black, 9, 0) for is_black in (True, False)]
    batch = _native.Positions("othello", position_rows)
    for square in range(0, 64, 5):
        name = "abcdefgh"[square % 8] + str(square // 8 + 1)
        family = is_empty(argument(0, "squares") - board.own)
        absolute = SquareParameter(SHAPES[8], relative=False).expression(name)
        one = substitute(family, [absolute])
        other = contains(board.own, name)
        values = [
            _native.Program("othello", each.to_json(SHAPES[8])).evaluate(batch).tolist()
            for each in (one, other)
        ]
        assert values[0] == values[1]
