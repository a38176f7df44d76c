"""Sets, random trees and a slow interpreter that the tests of `evoply.gp` share."""

import operator
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from hypothesis import strategies as st
from scipy.stats import chisquare

from evoply._native import Stream
from evoply.expressions import (
    PRIMITIVE_SETS,
    Expression,
    PrimitiveSet,
    argument,
    board,
    count,
    divide,
    is_empty,
    less,
    maximum,
    minimum,
    negate,
    select,
)
from evoply.gp import Tree, grow
from evoply.gp.algebra import Simplified

LIAO = PRIMITIVE_SETS["liao"]
CONSTANTS = LIAO.renamed("liao with constants").with_constants(-2.0, 3.0)
EXTREMES = (
    LIAO.renamed("liao with extremes")
    .with_primitive("min", minimum(argument(0), argument(1)))
    .with_primitive("max", maximum(argument(0), argument(1)))
)
# Two more names for the same division: every second inner node divides.
QUOTIENTS = (
    EXTREMES.renamed("many quotients")
    .with_primitive("//", divide(argument(0), argument(1), "one"))
    .with_primitive("///", divide(argument(0), argument(1), "one"))
    .with_primitive("minus", negate(argument(0)))
)
TYPED = (
    PrimitiveSet("typed", constants=(0.0, 1.0))
    .with_primitive("+", argument(0) + argument(1))
    .with_primitive("if", select(argument(0, "truth"), argument(1), argument(2)))
    .with_primitive("<", less(argument(0), argument(1)))
    .with_primitive("both", argument(0, "truth") & argument(1, "truth"))
    .with_primitive("count", count(argument(0, "squares")))
    .with_primitive("or", argument(0, "squares") | argument(1, "squares"))
    .with_primitive("own", board.own)
    .with_primitive("opponent", board.opponent)
    .with_primitive("white", count(board.own))
    .with_primitive("full", is_empty(board.empty))
)
BENBASSAT = PRIMITIVE_SETS["benbassat-extended"]
BELLIN = PRIMITIVE_SETS["bellin"]
SETS = (LIAO, CONSTANTS, EXTREMES, TYPED, BENBASSAT, BELLIN, PRIMITIVE_SETS["squares"])

# A board on which each of Liao's features has its own value.
ENVIRONMENT = {
    "white": 10,
    "black": 7,
    "white_corners": 2,
    "black_corners": 1,
    "white_near_corners": 3,
    "black_near_corners": 4,
    "white_edges": 6,
    "black_edges": 5,
}

seeds = st.integers(0, 2**63)


@st.composite
def trees(draw, sets=SETS, max_depth=8):
    primitive_set = draw(st.sampled_from(sets))
    depth = draw(st.integers(1, max_depth))
    probability = draw(st.sampled_from([0.3, 0.6, 0.9 if max_depth <= 6 else 0.6]))
    stream = Stream(draw(seeds), "test tree")
    return grow(primitive_set, depth, stream, function_probability=probability)


def quotient_trees():
    return trees(sets=(QUOTIENTS,), max_depth=7)


def assert_well_formed(tree: Tree) -> None:
    """The slow definition: `Tree.checked` accepts the nodes for the same root type."""
    assert Tree.checked(tree.primitive_set, tree.nodes, root_type=tree.type) == tree


def assert_drawn(counts: Counter, expected=None) -> None:
    """Draws, counted by value, are in proportion to what is *expected*; without it they are even.

    It is given by value, or as a list for 0, 1, 2 and so on; of 0 nothing may be drawn. One sound
    test of 10,000 fails.
    """
    if not isinstance(expected, dict):
        expected = dict.fromkeys(counts, 1) if expected is None else dict(enumerate(expected))
    possible = {value: share for value, share in expected.items() if share}
    assert set(counts) == set(possible)
    scale = counts.total() / sum(possible.values())
    observed = [counts[value] for value in possible]
    assert chisquare(observed, [scale * share for share in possible.values()]).pvalue > 1e-4


class ZeroDivisorError(Exception):
    """A divisor is zero where the caller does not want that."""


EXACT = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "minus": operator.neg,
    "min": min,
    "max": max,
}


def value_of(
    tree: Tree, environment: Mapping[str, int], *, strict: bool = False
) -> tuple[Fraction, Fraction]:
    """Exact value under a/0 = 1, and the largest size of anything met on the way."""
    largest = Fraction(0)

    def at(index: int) -> Fraction:
        nonlocal largest
        node = tree.nodes[index]
        operands = [at(child) for child in tree.children(index)]
        match node.name, operands:
            case "/" | "//" | "///", [a, b]:
                if strict and b == 0:
                    raise ZeroDivisorError
                result = a / b if b else Fraction(1)
            case name, []:
                result = Fraction(environment[name] if name in environment else float(name))
            case name, _:
                result = EXACT[name](*operands)
        largest = max(largest, abs(result))
        return result

    return at(0), largest


EXACT_OPERATIONS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "minimum": min,
    "maximum": max,
}


def formula_value(
    simplified: Simplified, environment: Mapping[str, int], *, strict: bool = False
) -> tuple[Fraction, Fraction]:
    """The same of a simplified expression over counts that have names."""
    largest = Fraction(0)

    def at(node: Expression) -> Fraction:
        nonlocal largest
        name = simplified.names.known.get(node)
        if name is not None:
            result = Fraction(environment[name])
        elif node.op == "number":
            result = Fraction(node.arguments[0])
        elif node.op == "divide":
            a, b = at(node.arguments[0]), at(node.arguments[1])
            if strict and b == 0:
                raise ZeroDivisorError
            result = a / b if b else Fraction(1)
        else:
            result = EXACT_OPERATIONS[node.op](*map(at, node.arguments))
        largest = max(largest, abs(result))
        return result

    return at(simplified.expression), largest
