"""Bellin & Gasperin's weights and no-ops against a walk that carries the bits as text."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from tree_strategies import BELLIN, LIAO, seeds, trees

from evoply import _native, othello
from evoply.expressions import NO_OPS, PRIMITIVE_SETS, ExpressionError, Weights, bellin
from evoply.games import SHAPES
from evoply.gp import (
    Limits,
    chain_statistics,
    leaf_weights,
    lower,
    no_op_chains,
    parse_tree,
    subtree_crossover,
)
from evoply.gp.place_weights import leaf_numbers, place_numbers

ALL = bellin("liao", NO_OPS)
INERT = bellin("liao", NO_OPS, None)
ONLY = bellin("liao", NO_OPS, "noop_only")
POSITION = othello.Game.from_transcript("f5d6c3d3c4f4f6f3e6e7").position


def value(tree, game="othello"):
    batch = _native.Positions(game, [POSITION.row])
    return lower([tree], game)[0].evaluate(batch)[0, 0]


def leaves(text, primitives=ALL, prefix=""):
    """The numbers of the leaves under a prefix, by name."""
    tree = parse_tree(text, primitives)
    numbers = leaf_numbers(tree, primitives.weights or Weights(), prefix=prefix)
    return {
        node.name: number
        for node, number in zip(tree.nodes, numbers, strict=True)
        if number is not None
    }


def test_golden_cases_of_the_paper():
    """Bellin & Gasperin, section 2, and its example with no-ops.

    The paper prints 19 and 1/19 for X in the second, but its bits 010010 are 18.
    """
    assert leaves("( + ( * white black ) white_corners )", prefix="010") == {
        "white": 8,
        "black": 9,
        "white_corners": 5,
    }
    text = "( + ( B1 ( * white ( B1 ( B0 black ) ) ) ) white_corners )"
    assert leaves(text, prefix="010") == {"white": 18, "black": 78, "white_corners": 5}


def bits_by_text(tree, mode):
    """The slow definition: the bit string of each node, as text."""
    strings = {}

    def visit(index, bits):
        strings[index] = bits
        node = tree.nodes[index]
        children = tree.children(index)
        if node.arity == 2 and mode == "positional":
            for child, bit in zip(children, "01", strict=True):
                visit(child, bits + bit)
        else:
            own = node.name[1:] if node.name in NO_OPS else ""
            for child in children:
                visit(child, bits + own)

    visit(0, "")
    return strings


@given(trees(sets=(ALL,), max_depth=8))
def test_numbers_are_the_bits_on_the_way(tree):
    for mode in ("positional", "noop_only"):
        strings = bits_by_text(tree, mode)
        numbers = place_numbers(tree, Weights(mode))
        for index, bits in strings.items():
            assert numbers[index] == int(bits or "0", 2)
            assert numbers[index] < 2 ** len(bits) or not bits


def exact_value(tree, mode):
    """The value with exact weights, rounded only by the arithmetic of the position's counts."""
    strings = bits_by_text(tree, mode or "positional")

    def at(index):
        node = tree.nodes[index]
        operands = [at(child) for child in tree.children(index)]
        if not operands:
            k = int(strings[index] or "0", 2) if mode else 0
            return Fraction(node.expression.evaluate(POSITION)) / (k or 1)
        if len(operands) == 1:
            return operands[0]
        a, b = operands
        match node.name:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
        # Rounding may or may not meet a zero divisor exactly: not compared.
        raise ZeroDivisionError

    return at(0)


@given(trees(sets=(ALL,), max_depth=6))
def test_modes_compute_what_is_specified(tree):
    for primitives, mode in ((ALL, "positional"), (ONLY, "noop_only"), (INERT, None)):
        one = parse_tree(str(tree), primitives)
        try:
            expected = exact_value(one, mode)
        except ZeroDivisionError:
            return
        assert math.isclose(value(one), expected, rel_tol=1e-9, abs_tol=1e-6)


@given(trees(sets=(ALL,), max_depth=8))
def test_properties_of_weights(tree):
    weights = leaf_weights(tree)
    for node, weight in zip(tree.nodes, weights, strict=True):
        assert (weight is None) == (node.arity > 0)
        assert weight is None or 0 < weight <= 1
    first = next(index for index, node in enumerate(tree.nodes) if not node.arity)
    path = [node.name for node in tree.nodes[:first]]
    if not any("1" in name for name in path if name in NO_OPS):
        assert weights[first] == 1  # only left turns, and B0 changes nothing there
    if tree.nodes[0].arity:
        assert leaf_weights(parse_tree(f"( B0 ( B0 {tree} ) )", ALL))[2:] == weights


def test_both_children_of_the_root_weigh_one():
    assert leaf_weights(parse_tree("( + white black )", ALL)) == [None, 1, 1]


def test_one_level_down_halves_a_weight():
    shallow = leaves("( + white ( + black white_corners ) )")["white_corners"]
    deep = leaves("( + white ( + black ( + 10 white_corners ) ) )")["white_corners"]
    assert (shallow, deep) == (3, 7)


@given(seeds)
def test_crossover_changes_weights_with_the_place(seed):
    parent = parse_tree("( + ( * white black ) ( - white_corners black_corners ) )", ALL)
    child, _ = subtree_crossover(parent, parent, Limits(), _native.Stream(seed))
    strings = bits_by_text(child, "positional")
    numbers = leaf_numbers(child, Weights())
    assert all(
        number is None or number == int(strings[i] or "0", 2) for i, number in enumerate(numbers)
    )


def test_long_chains_do_not_overflow():
    deep = "( B1 " * 1500 + "white" + " )" * 1500
    tree = parse_tree(f"( + {deep} black )", ALL)
    assert leaf_weights(tree)[-2] == 0
    assert value(tree) == POSITION.opponent.bit_count()
    wide = parse_tree("( B1 " * 60 + "( white )" + " )" * 60, ALL)
    assert leaf_weights(wide)[-1] == 1 / (2**60 - 1)


def test_constants_may_stay_unweighed():
    tree = "( + white ( - 10 ( * 2.5 black ) ) )"
    weighed = leaf_weights(parse_tree(tree, bellin()))
    assert weighed == [None, 1, None, 1 / 2, None, 1 / 6, 1 / 7]
    chosen = bellin(constants=False)
    assert leaf_weights(parse_tree(tree, chosen)) == [None, 1, None, None, None, None, 1 / 7]
    assert chosen.name == "bellin(weights=positional,no_ops=B0+B1,constants=off)"


def test_sets_of_the_experiments():
    assert [one.name for one in BELLIN.functions] == ["+", "-", "*", "%", "B0", "B1"]
    assert BELLIN["%"].operator == ("divide", "one")
    assert BELLIN.with_division("zero")["%"].operator == ("divide", "zero")
    assert PRIMITIVE_SETS["bellin-noops"].weights == Weights("noop_only")
    assert len(bellin("letters", shape=SHAPES[10]).terminals) == 31
    first, last = bellin("letters"), bellin("letters", order="centre_first")
    assert first["aa"].expression != last["aa"].expression
    assert last.name == "bellin-letters-centre"
    assert LIAO.with_weights("positional").name == "liao(weights=positional)"
    with pytest.raises(ExpressionError, match="no-ops are B0, B1"):
        bellin(no_ops=("B2",))
    with pytest.raises(ExpressionError, match="weights are positional or noop_only"):
        LIAO.with_weights("sideways")


def test_chains_of_no_ops():
    tree = parse_tree("( + ( B1 ( B01 white ) ) ( B0 ( * ( B1 10 ) black ) ) )", ALL)
    found = no_op_chains(tree)
    assert [(one.index, one.length, one.bits, one.is_above_terminal) for one in found] == [
        (1, 2, "101", True),
        (4, 1, "0", False),
        (6, 1, "1", True),
    ]
    statistics = chain_statistics([tree, parse_tree("( white )", ALL)])
    assert statistics.lengths == {1: 2, 2: 1}
    assert (statistics.trees, statistics.chains, statistics.above_terminals) == (2, 3, 2)
