"""Work that is kept or left out gives what the slow way gives."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import BELLIN, BENBASSAT, CONSTANTS, LIAO, SETS, TYPED, trees

import evoply as ep
from evoply.evolution.individuals import _quartiles
from evoply.expressions import Constant, Primitive, PrimitiveSet, board, count
from evoply.gp import Tree, effective_nodes, parse_tree
from evoply.gp.sizes import _Folding
from evoply.gp.tree import MAX_TREE_NODES, bracketed
from evoply.players import AfterState, ExpressionEvaluator, TreeEvaluator, player_of


def slow_text(tree: Tree, index: int = 0) -> str:
    """Return the text of a subtree, by recursion."""
    operands = [slow_text(tree, child) for child in tree.children(index)]
    word = tree.words[index]
    return f"( {' '.join([word, *operands])} )" if operands else word


@given(trees(sets=SETS, max_depth=6))
def test_the_text_of_a_tree_is_that_of_its_parts(tree: Tree) -> None:
    written = slow_text(tree)
    assert str(tree) == (written if len(tree) > 1 else f"( {written} )")
    assert str(tree) is str(tree)


def test_words_outside_brackets_stand_side_by_side() -> None:
    assert bracketed([("a", 0), ("f", 2), ("b", 0), ("c", 0), ("d", 0)]) == "a ( f b c ) d"


@given(trees(sets=SETS, max_depth=6))
def test_a_tree_is_the_evaluator_that_its_text_is(tree: Tree) -> None:
    read, kept = TreeEvaluator(tree=tree), TreeEvaluator.of_own(tree)
    assert kept.model_dump() == read.model_dump()
    assert (kept.parsed, kept.label, kept.options) == (read.parsed, read.label, read.options)
    player = player_of(tree)
    assert isinstance(player, AfterState)
    assert player.model_dump() == AfterState(evaluator=read).model_dump()


def wrong_trees() -> dict[str, Tree]:
    """Return trees that no text can write, or that are none."""
    plus, white = LIAO["+"], LIAO["white"]
    weight, corner = BENBASSAT["MultERC"], BENBASSAT["IsEmptySquare"]
    mobility = BENBASSAT["Mobility"]
    deep = [plus] * (MAX_TREE_NODES // 2 + 1)
    return {
        "infinite": Tree(CONSTANTS, (Constant(math.inf),)),
        "not a number": Tree(CONSTANTS, (Constant(math.nan),)),
        "an operand missing": Tree(LIAO, (plus, white)),
        "of another set": Tree(LIAO, (TYPED["white"],)) if "white" not in LIAO else Tree(
            LIAO, (BENBASSAT["Mobility"],)
        ),
        "a set of squares": Tree(TYPED, (TYPED["own"],)),
        "too large": Tree(LIAO, (*deep, *[white] * (len(deep) + 1))),
        "an infinite member": Tree(BENBASSAT, (weight.with_value(math.inf), mobility)),
        "a square off the board": Tree(BENBASSAT, (corner.with_value("z9"),)),
    }  # fmt: skip


@pytest.mark.parametrize("name", wrong_trees())
def test_a_wrong_tree_is_refused_as_its_text_is(name: str) -> None:
    tree = wrong_trees()[name]
    with pytest.raises(ValueError, match=r"\S") as slow:
        TreeEvaluator(tree=tree)
    with pytest.raises(ValueError, match=r"\S") as fast:
        player_of(tree)
    assert (type(fast.value), str(fast.value)) == (type(slow.value), str(slow.value))


@given(trees(sets=(BENBASSAT, BELLIN, CONSTANTS, TYPED), max_depth=7))
def test_nodes_have_an_effect_whatever_is_known_of_the_terminals(tree: Tree) -> None:
    quick = effective_nodes(tree)
    with patch("evoply.gp.sizes._leaves", lambda _: _Folding({}, {})):
        assert effective_nodes(tree) == quick


@given(st.lists(st.integers(1, 100_000), min_size=1, max_size=60))
def test_quartiles_are_those_of_numpy(sizes: list[int]) -> None:
    slow = np.quantile(sizes, (0, 0.25, 0.5, 0.75, 1)).tolist()
    assert list(_quartiles(sizes)) == slow


def test_a_program_is_kept_for_each_board() -> None:
    evaluator = ExpressionEvaluator(expression=count(board.own))
    assert evaluator.program("othello") is evaluator.program("othello")
    assert evaluator.program("othello") is not evaluator.program("othello-6")
    corner = ExpressionEvaluator(expression=count(ep.squares(["h8"]) & board.own))
    corner.check_fits("othello")
    corner.program("othello")
    for _ in range(2):
        with pytest.raises(ValueError, match="h8"):
            corner.check_fits("othello-6")


def test_a_primitive_that_does_not_fit_is_refused_every_time() -> None:
    own = PrimitiveSet("own").with_primitive("h8", count(ep.squares(["h8"]) & board.own))
    primitive = own["h8"]
    assert isinstance(primitive, Primitive)
    primitive.check_fits(ep.GAMES["othello"].shape)
    for _ in range(2):
        with pytest.raises(ValueError, match="h8"):
            primitive.check_fits(ep.GAMES["othello-6"].shape)


@given(trees(sets=(LIAO, BENBASSAT), max_depth=5), st.integers(0, 2**32))
def test_a_tree_plays_as_its_text_does(tree: Tree, seed: int) -> None:
    read = AfterState(evaluator=TreeEvaluator(tree=str(tree), primitives=tree.primitive_set))
    one = ep.match(tree, "random", game="othello", games=4, seed=seed, threads=1)
    other = ep.match(read, "random", game="othello", games=4, seed=seed, threads=1)
    assert (one.wins, one.draws, one.losses) == (other.wins, other.draws, other.losses)
    assert parse_tree(str(tree), tree.primitive_set) == tree
