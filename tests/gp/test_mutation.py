from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest
from tree_strategies import CONSTANTS, LIAO, TYPED, assert_drawn, assert_well_formed, seeds, trees

from evoply._native import Stream
from evoply.expressions import Constant
from evoply.gp import (
    Limits,
    constant_mutation,
    hoist_mutation,
    parse_tree,
    point_mutation,
    prefer_function,
    reproduction,
    shrink_mutation,
    subtree_mutation,
    swap_mutation,
)

MUTATIONS = {
    "subtree": lambda tree, stream: subtree_mutation(tree, Limits(), stream),
    "point": lambda tree, stream: point_mutation(tree, Limits(), stream),
    "points": lambda tree, stream: point_mutation(tree, Limits(), stream, rate=0.3),
    "swap": lambda tree, stream: swap_mutation(tree, Limits(), stream),
    "shrink": lambda tree, stream: shrink_mutation(tree, Limits(), stream),
    "hoist": lambda tree, stream: hoist_mutation(tree, Limits(), stream),
    "constant": lambda tree, stream: constant_mutation(tree, Limits(), stream),
    "factor": lambda tree, stream: constant_mutation(
        tree, Limits(), stream, noise="factor", rate=0.5
    ),
}


@pytest.mark.parametrize("name", MUTATIONS)
@given(tree=trees(max_depth=6), seed=seeds)
def test_children_are_closed_and_reproducible(name, tree, seed):
    before = tree.nodes
    child = MUTATIONS[name](tree, Stream(seed))
    assert tree.nodes == before
    assert_well_formed(child)
    assert child.type == tree.type
    assert child == MUTATIONS[name](tree, Stream(seed))
    if name in ("point", "points", "swap", "constant", "factor"):
        assert [node.arity for node in child] == [node.arity for node in tree]
        assert [node.type for node in child] == [node.type for node in tree]
    if name in ("point", "swap"):
        assert sum(a != b for a, b in zip(tree, child, strict=True)) <= 1
    if name in ("shrink", "hoist"):
        assert len(child) <= len(tree)


@given(trees(max_depth=6), seeds, st.integers(1, 9), st.integers(1, 40))
def test_subtree_mutation_keeps_limits(tree, seed, max_depth, max_nodes):
    child = subtree_mutation(tree, Limits(max_depth, max_nodes), Stream(seed))
    assert child is tree or (child.depth <= max_depth and len(child) <= max_nodes)
    assert reproduction(tree, Limits(), Stream(seed)) is tree


def test_subtree_mutation_replaces_every_place_evenly():
    tree = parse_tree("( + ( * 1 2 ) ( - 3 4 ) )", LIAO)
    stream = Stream(1)
    kept: Counter[float] = Counter()
    for _ in range(7000):
        kept.update(subtree_mutation(tree, Limits(), stream).constants())
    # A leaf goes if it, its parent or the root is drawn: 3 of 7 places.
    assert_drawn(kept, dict.fromkeys((1, 2, 3, 4), 1))
    assert abs(kept[1] / 7000 - 4 / 7) < 0.03


def test_point_mutation_draws_alternatives_evenly():
    stream = Stream(2)
    tree = parse_tree("( + white black )", LIAO)
    roots = Counter(point_mutation(tree, Limits(), stream).nodes[0].name for _ in range(9000))
    # The root is one of three nodes and has three alternatives.
    assert_drawn(roots, {"+": 6, "-": 1, "*": 1, "/": 1})
    leaf = parse_tree("( white )", CONSTANTS)
    drawn = [point_mutation(leaf, Limits(), stream) for _ in range(9000)]
    names = Counter("constant" if child.constants() else child.nodes[0].name for child in drawn)
    assert "white" not in names
    assert len(names) == 9
    assert_drawn(names)


def test_a_node_without_alternative_stays():
    tree = parse_tree("( count own )", TYPED)
    assert {str(point_mutation(tree, Limits(), Stream(3, i))) for i in range(40)} == {
        "( count own )",
        "( count opponent )",
    }
    lonely = parse_tree("( if full 1 2 )", TYPED).subtree(1)
    assert point_mutation(lonely, Limits(), Stream(3)) is lonely
    assert swap_mutation(lonely, Limits(), Stream(3)) is lonely


def test_swap_prefers_functions_as_gpjpp_does():
    tree = parse_tree("( + white black )", LIAO)
    stream = Stream(4)
    draws = Counter(prefer_function(tree.nodes, stream) for _ in range(27_000))
    # One draw and up to three more, each a terminal with probability 2/3.
    terminal = (2 / 3) ** 4
    assert_drawn(draws, [1 - terminal, terminal / 2, terminal / 2])
    assert any(swap_mutation(tree, Limits(), stream) != tree for _ in range(10))


def test_shrink_never_leaves_a_single_terminal():
    tree = parse_tree("( + white black )", LIAO)
    assert all(shrink_mutation(tree, Limits(), Stream(5, i)) is tree for i in range(20))
    deeper = parse_tree("( + ( - white black ) 10 )", LIAO)
    assert {str(shrink_mutation(deeper, Limits(), Stream(5, i))) for i in range(60)} == {
        str(deeper),  # the root and its terminal were drawn
        "( - white black )",
        "( + white 10 )",
        "( + black 10 )",
    }
    leaf = parse_tree("( white )", LIAO)
    assert shrink_mutation(leaf, Limits(), Stream(5)) is leaf
    typed = parse_tree("( count own )", TYPED)
    assert shrink_mutation(typed, Limits(), Stream(5)) is typed


def test_hoist_draws_subtrees_of_the_type_evenly():
    tree = parse_tree("( + ( count own ) 2 )", TYPED)
    stream = Stream(6)
    counts = Counter(str(hoist_mutation(tree, Limits(), stream)) for _ in range(6000))
    assert_drawn(counts, dict.fromkeys((str(tree), "( count own )", "( 2 )"), 1))


def test_constant_mutation_adds_normal_noise_or_a_factor():
    tree = parse_tree("( + ( * 3 white ) 10 )", LIAO)
    stream = Stream(7)
    added = [
        constant_mutation(tree, Limits(), stream, scale=0.5).constants()[0] for _ in range(3000)
    ]
    assert kstest([(value - 3) / 0.5 for value in added], "norm").pvalue > 1e-4
    factors = [
        constant_mutation(tree, Limits(), stream, noise="factor").constants()[0] for _ in range(500)
    ]
    assert min(factors) > 0
    none = parse_tree("( + white 10 )", LIAO)
    assert constant_mutation(none, Limits(), stream) is none
    assert constant_mutation(tree, Limits(), stream, rate=0.0) is tree
    changed = sum(
        constant_mutation(tree, Limits(), stream, rate=0.25) is not tree for _ in range(4000)
    )
    assert abs(changed / 4000 - 0.25) < 0.03


def test_constants_stay_finite():
    huge = LIAO, (Constant(1e308),)
    tree = parse_tree("( 1e308 )", huge[0])
    for i in range(20):
        child = constant_mutation(tree, Limits(), Stream(8, i), scale=1e6, noise="factor")
        assert abs(child.constants()[0]) <= 1.7976931348623157e308
