from hypothesis import given
from tree_strategies import BENBASSAT, EXTREMES, LIAO, TYPED, trees, value_of

from evoply import _native
from evoply.gp import Tree, expression_of, lower, node_expressions, parse_tree

# Row 1 from the left: own on a1 b1 c1, opponent on d1 and on h8.
POSITION = (0b111, (1 << 3) | (1 << 63), 0, True, 9, 0)
FEATURES = {
    "white": 3,
    "black": 2,
    "white_corners": 1,
    "black_corners": 1,
    "white_near_corners": 1,
    "black_near_corners": 0,
    "white_edges": 3,
    "black_edges": 2,
}


@given(trees(sets=(LIAO, EXTREMES), max_depth=5))
def test_programs_compute_what_the_interpreter_computes(tree):
    (program,) = lower([tree], "othello")
    value = float(program.evaluate(_native.Positions("othello", [POSITION]))[0][0])
    expected, largest = value_of(tree, FEATURES)
    assert abs(value - float(expected)) <= 1e-6 * (1 + float(largest))


def test_order_is_kept_across_sets():
    texts = [(LIAO, "( white )"), (EXTREMES, "( min 5 7 )"), (LIAO, "( * 2.5 black )")]
    programs = lower([parse_tree(text, chosen) for chosen, text in texts], "othello")
    positions = _native.Positions("othello", [POSITION])
    assert [float(program.evaluate(positions)[0][0]) for program in programs] == [3, 5, 5]
    assert lower([], "othello") == []


@given(trees(sets=(LIAO, EXTREMES, TYPED), max_depth=6))
def test_each_node_is_its_subtree_by_itself(tree):
    (found,) = node_expressions(tree)
    for start, expression in enumerate(found):
        subtree = Tree(tree.primitive_set, tree.nodes[start : tree.ends[start]])
        assert expression == expression_of(subtree)


@given(trees(sets=(BENBASSAT,), max_depth=6))
def test_no_intron_is_computed_and_all_else_is(tree):
    (found,) = node_expressions(tree)
    assert [expression is None for expression in found] == tree.dead
    assert found[0] == expression_of(tree)
