from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import BENBASSAT, LIAO, assert_drawn, assert_well_formed, seeds, trees

from evoply import _native
from evoply.gp import (
    GPJPP_CREATION,
    GenerationError,
    Limits,
    Shape,
    choose_point,
    create,
    create_forests,
    one_way_crossover,
    parse_tree,
    prefer_function,
    pruned,
    ramped_half_and_half,
)


def test_the_naming_trap():
    """gpjpp's "Grow" is Koza's full, its "Variable" is Koza's grow."""
    stream = _native.Stream(1)

    def leaf_levels(tree):
        return {tree.level(index) for index, node in enumerate(tree.nodes) if not node.arity}

    def ragged(name, depth=4):
        made = create(
            LIAO, GPJPP_CREATION[name], 60, stream, min_depth=2, max_depth=depth, duplicates="allow"
        )
        return [len(leaf_levels(tree)) > 1 for tree in made], [tree.depth for tree in made]

    assert ragged("Grow")[0] == [False] * 60
    assert set(ragged("Grow")[1]) == {4}
    assert any(ragged("Variable")[0])
    assert Counter(ragged("RampedGrow")[1]) == {2: 20, 3: 20, 4: 20}
    assert not any(ragged("RampedGrow")[0])
    assert any(ragged("RampedVariable")[0])
    both, depths = ragged("RampedHalf")
    assert not any(both[1::2])
    assert any(both[::2])
    assert all(depth == 2 + index % 3 for index, depth in enumerate(depths) if index % 2)
    with pytest.raises(ValueError, match="method: must be one of grow, full"):
        create(LIAO, "Grow", 1, stream)


@given(seeds)
def test_the_usual_method_is_one_of_create(seed):
    one = ramped_half_and_half(LIAO, 8, _native.Stream(seed))
    assert one == create(LIAO, "ramped_half_and_half", 8, _native.Stream(seed))


def test_forests_need_room():
    with pytest.raises(GenerationError, match="2 nodes are too few for 3 trees"):
        create_forests(Shape("sum", (LIAO,) * 3), "grow", 1, _native.Stream(1), limits=Limits(6, 2))


def test_gpjpp_prefers_functions():
    """A node is drawn uniformly; a terminal is drawn again, up to min(length, 10) times."""
    nodes = parse_tree("( + white ( * 10 black ) )", LIAO).nodes
    stream = _native.Stream(2)
    counts = Counter(choose_point(nodes, "gpjpp", stream) for _ in range(40_000))
    terminal = (3 / 5) ** 6
    assert_drawn(counts, [(1 - terminal) / 2 if node.arity else terminal / 3 for node in nodes])
    assert prefer_function(nodes[1:2], stream) == 0


def pruned_slowly(tree, max_nodes):
    """One cut after the other: the deepest, of these the rightmost, whose operands are leaves."""
    while len(tree) > max_nodes:
        cut = [
            (tree.level(index), index)
            for index, node in enumerate(tree.nodes)
            if node.arity and not any(tree.nodes[child].arity for child in tree.children(index))
        ]
        _, index = max(cut)
        tree = tree.replace(index, tree.subtree(tree.subtree_end(index) - 1))
    return tree


@given(trees(sets=(LIAO,), max_depth=8), st.integers(1, 70))
def test_pruning_agrees_with_one_cut_after_the_other(tree, max_nodes):
    cut = pruned(tree, max_nodes)
    assert cut == pruned_slowly(tree, max_nodes)
    assert len(cut) <= max_nodes
    assert cut.nodes[-1] == tree.nodes[-1]
    assert_well_formed(cut)


@given(trees(sets=(BENBASSAT,), max_depth=8), st.integers(1, 70))
def test_typed_trees_stay_typed_when_pruned(tree, max_nodes):
    cut = pruned(tree, max_nodes)
    assert_well_formed(cut)
    assert len(cut) <= len(tree)
    assert pruned(tree, len(tree)) is tree
    numbers = [node for node in tree.nodes if not node.arity and node.type == "number"]
    if numbers:
        assert len(cut) <= max_nodes


@given(trees(sets=(BENBASSAT,)), trees(sets=(BENBASSAT,)), seeds)
def test_a_receiver_changes_in_one_subtree_of_the_donor(donor, receiver, seed):
    limits = Limits(12, 70)
    before = donor.nodes
    child = one_way_crossover(donor, receiver, limits, _native.Stream(seed))
    assert donor.nodes == before
    assert_well_formed(child)
    if child is receiver:
        return
    assert len(child) <= 70
    assert child.depth <= 12
    donated = {donor.subtree(index).nodes for index in range(len(donor))}
    # Some subtree of the child is the donor's, and the rest is the receiver's.
    assert any(
        child.nodes[:i] == receiver.nodes[:i]
        and child.subtree(i).nodes in donated
        and child.nodes[child.ends[i] :] == receiver.nodes[receiver.ends[i] :]
        for i in range(min(len(child), len(receiver)))
    )


def test_no_common_type_skips_the_crossover():
    truth = parse_tree("( AND true false )", BENBASSAT, root_type=None)
    number = parse_tree("( Plus 1 0 )", BENBASSAT)
    assert one_way_crossover(truth, number, Limits(), _native.Stream(1)) is number


@given(seeds, st.sampled_from(["avoid", "refuse", "allow"]))
def test_forests_are_made_by_the_rule_of_trees(seed, duplicates):
    """A forest of one tree is the tree, drawn again where that is and for the same reasons."""
    options = {"min_depth": 1, "max_depth": 4, "limits": Limits(6, 30), "duplicates": duplicates}
    method = "ramped_half_and_half"
    stream = _native.Stream(seed).child("branch", 0)
    try:
        alone = create(LIAO, method, 12, stream, **options)
    except GenerationError:
        alone = None
    shape = Shape("sum", (LIAO,))
    if alone is None:
        with pytest.raises(GenerationError):
            create_forests(shape, method, 12, _native.Stream(seed), **options)
    else:
        forests = create_forests(shape, method, 12, _native.Stream(seed), **options)
        assert [forest.trees[0] for forest in forests] == alone


def test_forests_differ_if_any_of_their_trees_do():
    """Twenty pairs of leaves differ although there are fewer leaves than that."""
    options = {"min_depth": 1, "max_depth": 1, "limits": Limits(1, 9), "duplicates": "refuse"}
    shape = Shape("sum", (LIAO,) * 2)
    forests = create_forests(shape, "grow", 20, _native.Stream(4), **options)
    assert len(set(forests)) == 20
    with pytest.raises(GenerationError, match="equals an earlier one"):
        create(LIAO, "grow", 20, _native.Stream(4), **options)
