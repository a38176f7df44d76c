from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import CONSTANTS, LIAO, SETS, TYPED, assert_drawn, assert_well_formed, seeds

from evoply._native import Stream
from evoply.expressions import PrimitiveSet, argument, board, count, is_empty, less
from evoply.gp import GenerationError, Limits, full, grow, ramped_half_and_half


def leaf_levels(tree):
    return {tree.level(index) for index, node in enumerate(tree.nodes) if not node.arity}


@given(st.sampled_from(SETS), st.integers(1, 7), seeds)
def test_trees_are_well_formed_and_reproducible(primitive_set, depth, seed):
    for method in (grow, full):
        tree = method(primitive_set, depth, Stream(seed))
        assert_well_formed(tree)
        assert tree.depth <= depth
        assert (tree.nodes[0].arity > 0) == (depth > 1)
        assert tree == method(primitive_set, depth, Stream(seed))


@given(st.integers(1, 9), seeds)
def test_full_trees_end_on_the_last_level(depth, seed):
    assert leaf_levels(full(LIAO, depth, Stream(seed))) == {depth}


@given(st.sampled_from(["number", "truth", "squares"]), st.integers(1, 6), seeds)
def test_root_type_is_as_wanted(root_type, depth, seed):
    tree = grow(TYPED, depth, Stream(seed), root_type=root_type)
    assert tree.type == root_type
    assert_well_formed(tree)


def test_primitives_are_drawn_evenly():
    stream = Stream(1, "frequencies")
    functions: Counter[str] = Counter()
    terminals: Counter[str] = Counter()
    for _ in range(2000):
        for node in grow(LIAO, 5, stream).nodes:
            (functions if node.arity else terminals)[node.name] += 1
    assert len(functions) == 4
    assert len(terminals) == 9
    assert_drawn(functions)
    assert_drawn(terminals)


def test_grow_takes_functions_at_half_of_the_free_places():
    stream = Stream(2, "grow")
    free: Counter[bool] = Counter()
    for _ in range(2000):
        tree = grow(LIAO, 5, stream)
        for index, node in enumerate(tree.nodes):
            if 1 < tree.level(index) < 5:
                free[node.arity > 0] += 1
    assert_drawn(free, [1, 1])


def test_constants_count_as_one_terminal_and_fill_their_range():
    stream = Stream(3, "constants")
    leaves = [grow(CONSTANTS, 1, stream) for _ in range(5000)]
    values = [value for leaf in leaves for value in leaf.constants()]
    assert_drawn(Counter(bool(leaf.constants()) for leaf in leaves), [9, 1])
    assert -2 <= min(values) < -1.9
    assert 2.9 < max(values) < 3


def test_ramped_half_and_half_ramps_and_alternates():
    trees = ramped_half_and_half(LIAO, 500, Stream(4), min_depth=2, max_depth=6)
    assert len(set(trees)) == 500
    for index, tree in enumerate(trees):
        assert_well_formed(tree)
        assert tree.nodes[0].arity
        wanted = 2 + index % 5
        # Duplicates of small trees may be replaced by deeper ones.
        assert tree.depth <= max(wanted, 4)
        if index % 2:
            assert len(leaf_levels(tree)) == 1
            assert tree.depth >= wanted
    depths = Counter(tree.depth for index, tree in enumerate(trees) if index % 2)
    # 250 full trees, 50 of each depth; full trees of depth 2 have 4 * 81 shapes and rarely repeat.
    assert all(45 <= depths[depth] <= 60 for depth in range(2, 7))


def test_grown_depths_of_the_ramp_match_their_distribution():
    trees = ramped_half_and_half(
        LIAO, 20_000, Stream(5), min_depth=3, max_depth=3, duplicates="allow"
    )
    grown = Counter(tree.depth for tree in trees[::2])
    # The root has two operands, each a terminal with probability 1/2.
    assert_drawn(grown, {2: 1, 3: 3})
    assert all(tree.depth == 3 for tree in trees[1::2])


@given(seeds, st.integers(3, 40))
def test_ramped_trees_keep_the_limit(seed, max_nodes):
    limits = Limits(max_depth=9, max_nodes=max_nodes)
    for tree in ramped_half_and_half(LIAO, 20, Stream(seed), limits=limits):
        assert len(tree) <= max_nodes
        assert tree.depth <= 9


def test_constants_may_be_the_only_numbers():
    lean = PrimitiveSet("lean", constants=(0.0, 1.0)).with_primitive(
        "<", less(argument(0), argument(1))
    )
    lean = lean.with_primitive("full", is_empty(board.empty))
    tree = grow(lean, 2, Stream(8), root_type="truth")
    assert len(tree.constants()) == 2


TINY = (
    PrimitiveSet("tiny")
    .with_primitive("twice", argument(0) + argument(0))
    .with_primitive("white", count(board.own))
)


def test_duplicates_are_kept_or_refused_when_tries_run_out():
    limits = Limits(max_depth=6)
    trees = ramped_half_and_half(TINY, 12, Stream(6), max_depth=4, limits=limits)
    assert len(set(trees)) == 5  # depths 2 to 6: raised past max_depth, but not past the limit
    with pytest.raises(GenerationError, match="too small for 12 different trees"):
        ramped_half_and_half(TINY, 12, Stream(6), max_depth=4, limits=limits, duplicates="refuse")


def test_impossible_wishes_are_explained():
    stream = Stream(7)
    headless = PrimitiveSet("headless").with_primitive("count", count(argument(0, "squares")))
    with pytest.raises(GenerationError, match="no terminal of type number"):
        grow(headless, 3, stream)
    leaves = PrimitiveSet("leaves").with_primitive("white", count(board.own))
    with pytest.raises(GenerationError, match="no function of type number"):
        full(leaves, 3, stream)
    with pytest.raises(GenerationError, match="no terminal of type colour"):
        full(leaves, 3, stream, root_type="colour")
    with pytest.raises(GenerationError, match="more than 4096 nodes"):
        full(LIAO, 60, stream)
    with pytest.raises(GenerationError, match="over 4096 nodes"):
        grow(LIAO, 60, stream, function_probability=1.0)
    with pytest.raises(ValueError, match="depth: must be at least 1"):
        full(LIAO, 0, stream)
    with pytest.raises(ValueError, match="min_depth"):
        ramped_half_and_half(LIAO, 5, stream, min_depth=4, max_depth=3)
    with pytest.raises(GenerationError, match="at most 2 nodes"):
        ramped_half_and_half(LIAO, 5, stream, limits=Limits(max_nodes=2))
