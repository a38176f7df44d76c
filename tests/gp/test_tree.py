import copy

import pytest
from hypothesis import given
from tree_strategies import LIAO, TYPED, assert_well_formed, trees

from evoply.expressions import Constant
from evoply.gp import Limits, Tree, TreeError, parse_tree


def slow_measures(tree: Tree) -> dict[int, tuple[int, int, int]]:
    """End, height and level of each node, by recursion."""
    measures: dict[int, tuple[int, int, int]] = {}

    def visit(index: int, level: int) -> tuple[int, int]:
        end, height = index + 1, 0
        for _ in range(tree.nodes[index].arity):
            end, child_height = visit(end, level + 1)
            height = max(height, child_height)
        measures[index] = (end, height + 1, level)
        return end, height + 1

    assert visit(0, 1)[0] == len(tree)
    return measures


@given(trees())
def test_measures_agree_with_recursion(tree):
    for index, (end, height, level) in slow_measures(tree).items():
        assert tree.subtree_end(index) == end
        assert tree.heights[index] == height
        assert tree.level(index) == level
        subtree = tree.subtree(index)
        assert (len(subtree), subtree.depth) == (end - index, height)
        assert tree.replace(index, subtree) == tree
        assert_well_formed(subtree)


@given(trees(), trees())
def test_equal_trees_are_equal_values(one, two):
    again = Tree(one.primitive_set, one.nodes)
    assert again == one
    assert hash(again) == hash(one)
    assert copy.deepcopy(one) == one
    assert (one == two) == (str(one) == str(two) and one.primitive_set == two.primitive_set)


def test_a_tree_cannot_be_changed():
    tree = parse_tree("( + white 0.5 )", LIAO)
    with pytest.raises(AttributeError, match="immutable"):
        tree.nodes = ()
    with pytest.raises(AttributeError, match="immutable"):
        del tree.nodes
    assert tree != "( + white 0.5 )"
    assert tree.codes() == [LIAO["+"].code, LIAO["white"].code, 65535]
    assert tree.constants() == [0.5]
    assert [node.name for node in tree] == ["+", "white", "0.5"]


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ((), "lacks 1 operands"),
        ((LIAO["+"], LIAO["white"]), "lacks 1 operands"),
        ((LIAO["white"], LIAO["white"]), r"node 1 \(white\) comes after"),
        ((TYPED["count"], TYPED["own"]), r"node 0 \(count\) is not a primitive of the set liao"),
    ],
)
def test_checked_refuses_what_is_no_tree(nodes, message):
    with pytest.raises(TreeError, match=message):
        Tree.checked(LIAO, nodes)


def test_checked_refuses_wrong_types():
    with pytest.raises(TreeError, match="of type squares, not number"):
        Tree.checked(TYPED, (TYPED["+"], TYPED["own"], Constant(1.0)))
    with pytest.raises(TreeError, match="of type truth, not number"):
        Tree.checked(TYPED, (TYPED["full"],))
    assert Tree.checked(TYPED, (TYPED["full"],), root_type=None).type == "truth"
    with pytest.raises(TreeError, match="cannot put a truth in place of node 0"):
        Tree(TYPED, (TYPED["white"],)).replace(0, Tree(TYPED, (TYPED["full"],)))


@pytest.mark.parametrize("field", ["max_depth", "max_nodes"])
def test_limits_are_positive(field):
    with pytest.raises(ValueError, match=field):
        Limits(**{field: 0})
