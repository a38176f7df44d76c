"""Primitive sets: contents, adding with checks, and plain data and back."""

import json
from dataclasses import replace

import pytest

from evoply.expressions import (
    PRIMITIVE_SETS,
    Constant,
    ExpressionError,
    PrimitiveSet,
    argument,
    board,
    count,
    divide,
    find_primitive_set,
    letters,
    liao,
    number,
    select,
    squares,
    weighted_sum,
)
from evoply.games import GAMES, SHAPES

LIAO = PRIMITIVE_SETS["liao"]


def test_liao_has_the_thirteen_primitives_in_order():
    assert " ".join(primitive.name for primitive in LIAO) == (
        "+ - * / 10 white black white_corners black_corners white_near_corners black_near_corners"
        " white_edges black_edges"
    )
    assert [primitive.code for primitive in LIAO] == list(range(13))
    assert [primitive.name for primitive in LIAO.functions] == ["+", "-", "*", "/"]
    assert {primitive.arity for primitive in LIAO.terminals} == {0}
    assert len(LIAO) == 13
    assert LIAO["+"].argument_types == ("number", "number")
    assert LIAO["white"].expression == count(board.own)
    assert str(LIAO["white"]) == "white"


def test_operators_name_plain_arithmetic_only():
    assert LIAO["+"].operator == ("add",)
    assert LIAO["/"].operator == ("divide", "one")
    assert LIAO["10"].operator is None
    x, y = argument(0), argument(1)
    odd = {"reversed": y - x, "square": x * x, "twice": x + x, "nested": (x + y) * 2, "same": x}
    for name, expression in odd.items():
        extended = LIAO.with_primitive(name, expression + 0 * y if name == "same" else expression)
        assert extended[name].operator is None, name


def test_other_sets():
    mobility = PRIMITIVE_SETS["liao+mobility"]
    assert mobility.primitives[:13] == LIAO.primitives
    assert [p.name for p in mobility.primitives[13:]] == ["white_mobility", "black_mobility"]
    names = [p.name for p in PRIMITIVE_SETS["letters"]]
    assert names[:9] == ["+", "-", "*", "/", "10", "aa", "AA", "bb", "BB"]
    assert len(names) == 25
    assert len(PRIMITIVE_SETS["letters-10"].terminals) == 31
    assert letters(SHAPES[6]) == PRIMITIVE_SETS["letters-6"]
    for name, primitives in PRIMITIVE_SETS.items():
        assert primitives.name == name


def test_switchable_sets_have_names_of_their_own():
    assert liao() == LIAO
    assert liao(near_corners="x").name == "liao(near_corners=x)"
    assert liao(edges=24, division="zero").name == "liao(edges=24,division=zero)"
    zero = LIAO.with_division("zero")
    assert zero["/"].operator == ("divide", "zero")
    assert zero.name == "liao(division=zero)"
    assert LIAO.with_division("one") is LIAO


@pytest.mark.parametrize("name", list(PRIMITIVE_SETS))
def test_sets_are_closed_and_go_through_json(name):
    rebuilt = PrimitiveSet(name)
    for primitive in PRIMITIVE_SETS[name]:
        rebuilt = rebuilt.with_primitive(
            primitive.name,
            primitive.expression,
            parameter=primitive.parameter,
            introns=primitive.argument_types[primitive.live_arity :],
            bits=primitive.bits,
        )
    rebuilt = replace(
        rebuilt, constants=PRIMITIVE_SETS[name].constants, weights=PRIMITIVE_SETS[name].weights
    )
    assert rebuilt == PRIMITIVE_SETS[name]
    data = json.loads(json.dumps(rebuilt.to_dict()))
    assert PrimitiveSet.from_dict(data) == rebuilt
    assert hash(PrimitiveSet.from_dict(data)) == hash(rebuilt)


@pytest.mark.parametrize("game", list(GAMES))
def test_sets_without_letters_fit_every_game(game):
    assert LIAO.native(game) is LIAO.native(game)
    position = GAMES[game].start()
    [program] = LIAO.native(game).lower([[0, 5, 4]], [[]])
    from evoply import _native

    batch = _native.Positions(game, [position.row])
    # white + 10: own pieces and ten.
    assert program.evaluate(batch)[0, 0] == position.pieces(position.turn) + 10


def test_letters_name_the_primitive_that_does_not_fit():
    with pytest.raises(ExpressionError, match=r"'gg' does not fit othello-6.*'class_g'"):
        PRIMITIVE_SETS["letters"].native("othello-6")


def test_a_primitive_is_added_in_one_line():
    diagonal = squares(["a1", "b2", "c3"])
    extended = LIAO.with_primitive("white_diagonal", count(board.own & diagonal))
    assert "white_diagonal" in extended
    assert "white_diagonal" not in LIAO
    assert extended["white_diagonal"].code == 13
    assert extended["white_diagonal"].type == "number"
    assert extended.renamed("mine").name == "mine"
    assert extended.with_constants(-1, 1).constants == (-1.0, 1.0)
    table = weighted_sum(board.own, [[1.0] * 36])
    assert "only6" in LIAO.with_primitive("only6", table)


@pytest.mark.parametrize(
    ("name", "expression", "message"),
    [
        ("white", board.t, "already a primitive 'white' in 'liao'"),
        ("", board.t, "a name of 1 to 64 characters"),
        ("a" * 65, board.t, "a name of 1 to 64 characters"),
        (7, board.t, "a name of 1 to 64 characters, not 7"),
        ("a b", board.t, "contains ' '"),
        ("a(", board.t, "contains '('"),
        ("a:b", board.t, "contains ':'"),
        ("a,b", board.t, "contains ','"),
        ("a\x00", board.t, "contains '\\x00'"),
        ("11", board.t, "reads as a number"),
        ("nan", board.t, "reads as a number"),
        ("f", argument(1), "numbered 0, 1, ... without a gap, not [1]"),
        ("f", select(argument(0, "truth"), argument(0), board.t), "argument 0 is used with two"),
        ("f", sum((argument(i) for i in range(5)), number(0)), "takes 5 arguments; at most 4"),
        ("f", divide(1, argument(0), "ieee"), "gives inf for (0): trees need finite values"),
        ("f", argument(0) * argument(0) * 1e300, "gives inf for (1e+30)"),
        ("t", divide(0, board.ply, "ieee"), "gives nan for ()"),
        ("f", select(argument(0, "truth"), number(1), number(float("inf"))), "gives inf for (Fa"),
        (
            "f",
            weighted_sum(board.own, [[1.0] * 36]) + weighted_sum(board.own, [[1.0] * 64]),
            "'f' fits no board: a weighted sum has 36 weights",
        ),
    ],
)
def test_wrong_primitives_are_refused(name, expression, message):
    with pytest.raises(ExpressionError) as raised:
        LIAO.with_primitive(name, expression)
    assert message in str(raised.value)


def test_ieee_division_is_allowed_when_asked_for():
    ieee = divide(argument(0), argument(1), "ieee")
    assert "//" in LIAO.with_primitive("//", ieee, allow_infinite=True)


def test_a_set_has_a_limit():
    full = PrimitiveSet("many", tuple(LIAO.primitives) * 19 + LIAO.primitives[:9])
    with pytest.raises(ExpressionError, match="at most 256"):
        full.with_primitive("more", board.t)


def test_unknown_names_get_a_hint():
    with pytest.raises(KeyError, match="did you mean 'white_edges'"):
        LIAO["white_edge"]
    with pytest.raises(ExpressionError, match=r"did you mean 'letters'.*There are liao, liao"):
        find_primitive_set("leters")
    assert find_primitive_set("liao") is LIAO


def changed(**changes):
    return {**LIAO.with_constants(-1, 1).to_dict(), **changes}


ENTRY = {"name": "t", "expression": board.t.to_dict()}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "needs exactly constants, format, name, primitives"),
        (changed(more=1), "needs exactly"),
        (changed(format=2), "format 2 are unknown"),
        (changed(name=1), "short name, not 1"),
        (changed(constants=[1, 1]), "a range [low, high], not [1, 1]"),
        (changed(constants="x"), "a range [low, high]"),
        (changed(constants=[float("nan"), 1]), "a range [low, high]"),
        (changed(primitives=[]), "a list of 1 to 256"),
        (changed(primitives=[3]), "primitive 0 must have a name and an expression"),
        (changed(primitives=[ENTRY, ENTRY]), "'t' is used twice"),
        (changed(primitives=[{**ENTRY, "name": "a b"}]), "primitive 'a b': the name"),
        (changed(primitives=[{**ENTRY, "expression": 3}]), "primitive 't': an expression must be"),
    ],
)
def test_wrong_data_is_refused(data, message):
    with pytest.raises(ExpressionError) as raised:
        PrimitiveSet.from_dict(data)
    assert message in str(raised.value)


def test_constants_print_as_they_read():
    constant = Constant(0.1)
    assert (constant.name, str(constant), constant.arity, constant.code) == ("0.1", "0.1", 0, 65535)
    assert float(Constant(1e22).name) == 1e22
    assert str(LIAO).startswith("liao: + - * / 10 white")


def test_an_extended_set_says_what_it_adds():
    extended = LIAO.with_primitive("contact", count(board.own)).with_primitive("t", board.t)
    assert extended.name == "liao+contact+t"
    assert PrimitiveSet.from_dict(extended.to_dict()) == extended
    named = LIAO.with_primitive("contact", count(board.own), set_name="mine")
    assert named.name == "mine"
    assert named.with_primitive("t", board.t).name == "mine+t"
    own = PrimitiveSet("own").with_primitive("t", board.t).with_primitive("ply", board.ply)
    assert own.name == "own"
    with pytest.raises(ExpressionError, match="needs a short name"):
        LIAO.with_primitive("t", board.t, set_name="")


def test_names_of_extended_sets_stay_short():
    extended = LIAO
    for number_of_copies in range(30):
        extended = extended.with_primitive(f"a_rather_long_name_{number_of_copies}", board.t)
    assert len(extended.name) <= 128
    assert extended.name.endswith("+a_rather_long_name_29")
    assert PrimitiveSet.from_dict(extended.to_dict()) == extended


def test_what_is_no_expression_and_no_set_is_named():
    with pytest.raises(ExpressionError, match=r"'f' must be an expression such as count\(board"):
        LIAO.with_primitive("f", lambda position: 1)
    with pytest.raises(ExpressionError, match=r"or number\(3\), not 3"):
        LIAO.with_primitive("f", 3)
    with pytest.raises(KeyError, match=r"did you mean 'liao\+mobility'\? There are liao, "):
        PRIMITIVE_SETS["liao+mobilty"]
    assert PRIMITIVE_SETS.get("liao+mobilty") is None
    assert "liao+mobilty" not in PRIMITIVE_SETS
