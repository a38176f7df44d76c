"""The mutation that copies a subtree to all squares of an orbit."""

import re
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import BENBASSAT, assert_well_formed, trees

from evoply._native import Stream
from evoply.gp import Limits, orbit_mutation, parse_tree


def test_orbit_mutation_asks_all_squares_of_an_orbit():
    tree = parse_tree("( Plus Mobility ( IfTrue IsFriendlyPiece[a1] 4.5 0 ) )", BENBASSAT)
    children = [str(orbit_mutation(tree, Limits(), Stream(seed))) for seed in range(30)]
    # Either the question alone is copied, or the whole sum of it and mobility.
    assert {child.count("Mobility") for child in children} == {1, 4}
    for child in children:
        for corner in ("a1", "h1", "a8", "h8"):
            assert child.count(f"( IfTrue IsFriendlyPiece[{corner}] 4.5 0 )") == 1


def slow_orbit_sums(tree):
    """Return the names of the nodes of every tree that the mutation may make."""

    def moved(name, turned, down, right):
        family, _, square = name.rstrip("]").partition("[")
        if not re.fullmatch("[a-h][1-8]", square):
            return name
        column, row = "abcdefgh".index(square[0]), int(square[1]) - 1
        row, column = (column, row) if turned else (row, column)
        row, column = 7 - row if down else row, 7 - column if right else column
        return f"{family}[{'abcdefgh'[column]}{row + 1}]"

    names = [node.name for node in tree.nodes]
    made = set()
    for index, end in enumerate(tree.ends):
        if tree.nodes[index].type == "number":
            images = {}
            for symmetry in product((False, True), repeat=3):
                images[tuple(moved(name, *symmetry) for name in names[index:end])] = None
            if len(images) > 1:
                added = ["Plus"] * (len(images) - 1) + [name for image in images for name in image]
                made.add((*names[:index], *added, *names[end:]))
    return made


@given(trees(sets=(BENBASSAT,), max_depth=5), st.integers(0, 100))
def test_orbit_mutation_is_a_sum_over_an_orbit(tree, seed):
    child = orbit_mutation(tree, Limits(max_depth=30, max_nodes=2000), Stream(seed))
    assert_well_formed(child)
    possible = slow_orbit_sums(tree)
    if possible:
        assert tuple(node.name for node in child.nodes) in possible
    else:
        assert child == tree
    # A tree without room for more stays as it is.
    assert orbit_mutation(tree, Limits(max_depth=30, max_nodes=len(tree)), Stream(seed)) == tree
