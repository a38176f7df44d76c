"""What is new in a tree: never what was there, always what was not."""

from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import LIAO

from evoply._native import Stream
from evoply.gp import Limits, Tree, changes, full, grow, parse_tree, subtree_crossover, tree_svg

SEEDS = st.integers(0, 2**32)


def _tree(seed: int) -> Tree:
    stream = Stream(seed)
    return (grow if seed % 2 else full)(LIAO, 2 + seed % 4, stream)


def _new(tree: Tree, other: Tree) -> set[int]:
    """What `changes` says, from its definition: a node is kept by its place or by its subtree."""

    def subtree(one: Tree, index: int) -> tuple[object, ...]:
        return tuple(one.words[index : one.ends[index]])

    known = {subtree(other, index) for index, node in enumerate(other.nodes) if node.arity}
    kept: set[int] = set()

    def walk(index: int, place: int | None) -> None:
        is_same = place is not None and tree.words[index] == other.words[place]
        if not is_same and subtree(tree, index) in known:
            kept.update(range(index, tree.ends[index]))
            return
        if is_same:
            kept.add(index)
        below = other.children(place) if is_same and place is not None else None
        for number, child in enumerate(tree.children(index)):
            walk(child, None if below is None else below[number])

    walk(0, 0)
    return set(range(len(tree))) - kept


@given(SEEDS, SEEDS)
def test_it_is_what_its_definition_says(one: int, other: int) -> None:
    before = _tree(one)
    for after in (_tree(other), *subtree_crossover(before, _tree(other), Limits(), Stream(one))):
        found = changes(before, after)
        assert found.new == (frozenset(_new(after, before)),)
        assert bool(found.gone) == bool(_new(before, after))
        assert all(text in str(before) or text[2:-2] in str(before) for text in found.gone)
        assert changes(after, after).count == 0


def test_a_tree_that_moved_below_another_is_not_new() -> None:
    before = parse_tree("( + white ( * black 2 ) )", LIAO)
    after = parse_tree("( - ( + white ( * black 2 ) ) 10 )", LIAO)
    found = changes(before, after)
    assert found.new == (frozenset({0, 6}),)
    assert found.gone == ()


def test_marked_nodes_stand_out_in_the_picture() -> None:
    tree = parse_tree("( + white ( * black 2 ) )", LIAO)
    plain, marked = tree_svg(tree), tree_svg(tree, [{1, 4}])
    assert plain.count("bold") == 0
    assert marked.count("bold") == 2
    assert marked.replace('<g stroke-width="3" font-weight="bold">', "").replace(
        "</g>", ""
    ) == plain.replace("</g>", "")
