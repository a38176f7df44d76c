from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import LIAO, SETS, TYPED, assert_drawn, assert_well_formed, seeds, trees

from evoply._native import Stream
from evoply.gp import (
    Limits,
    choose_point,
    choose_point_of_type,
    full,
    parse_tree,
    subtree_crossover,
)

biases = st.sampled_from([None, 0.0, 0.5, 0.9, 1.0])


@given(st.data(), st.sampled_from(SETS), biases, seeds)
def test_children_are_closed_and_reproducible(data, primitive_set, bias, seed):
    first = data.draw(trees(sets=(primitive_set,)))
    second = data.draw(trees(sets=(primitive_set,)))
    limits = Limits(data.draw(st.integers(1, 12)), data.draw(st.integers(1, 60)))
    before = first.nodes, second.nodes
    children = subtree_crossover(first, second, limits, Stream(seed), function_bias=bias)
    assert (first.nodes, second.nodes) == before
    again = subtree_crossover(first, second, limits, Stream(seed), function_bias=bias)
    assert children == again
    assert sum(map(len, children)) == len(first) + len(second)
    assert sorted(children[0].codes() + children[1].codes()) == sorted(
        first.codes() + second.codes()
    )
    are_copies = children[0] is first and children[1] is second
    for child in children:
        assert_well_formed(child)
        assert are_copies or (child.depth <= limits.max_depth and len(child) <= limits.max_nodes)


def test_no_room_gives_the_parents():
    parent = full(LIAO, 4, Stream(1))
    other = full(LIAO, 5, Stream(2))
    children = subtree_crossover(parent, other, Limits(3, 5), Stream(3))
    assert children[0] is parent
    assert children[1] is other


def test_children_reach_the_limit_but_not_past_it():
    parent = full(LIAO, 5, Stream(1))
    stream = Stream(4)
    depths = Counter(
        child.depth
        for _ in range(300)
        for child in subtree_crossover(parent, parent, Limits(max_depth=7), stream)
    )
    assert max(depths) == 7


def test_points_have_the_stated_frequencies():
    tree = parse_tree("( + ( * white black ) ( - 10 ( / white 10 ) ) )", LIAO)
    stream = Stream(5)
    counts = Counter(choose_point(tree.nodes, 0.75, stream) for _ in range(20_000))
    assert_drawn(counts, [0.75 / 4 if node.arity else 0.25 / 5 for node in tree.nodes])
    even = Counter(choose_point(tree.nodes, None, stream) for _ in range(20_000))
    assert_drawn(even, [1] * len(tree))
    assert choose_point(tree.nodes[1:2], 1.0, stream) == 0


def test_typed_points_are_even_within_kind_and_type():
    text = "( if ( both ( < 1 2 ) full ) ( count ( or own opponent ) ) ( + white 3 ) )"
    nodes = parse_tree(text, TYPED).nodes
    stream = Stream(6)
    truths = [i for i, node in enumerate(nodes) if node.type == "truth"]
    inner = [i for i in truths if nodes[i].arity]
    counts = Counter(choose_point_of_type(nodes, "truth", 1.0, stream) for _ in range(9000))
    assert_drawn(counts, dict.fromkeys(inner, 1))
    even = Counter(choose_point_of_type(nodes, "truth", None, stream) for _ in range(9000))
    assert_drawn(even, dict.fromkeys(truths, 1))
    assert choose_point_of_type(parse_tree("( white )", TYPED).nodes, "truth", 0.9, stream) is None
    # The kind that was drawn has no such node: the other kind serves.
    assert (
        choose_point_of_type(parse_tree("( count own )", TYPED).nodes, "squares", 1.0, stream) == 1
    )


def test_partners_without_a_common_type_are_returned():
    truth = parse_tree("( full )", TYPED, root_type=None)
    number = parse_tree("( white )", TYPED)
    assert subtree_crossover(truth, number, Limits(), Stream(7)) == (truth, number)
