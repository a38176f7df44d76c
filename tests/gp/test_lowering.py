from hypothesis import given
from tree_strategies import EXTREMES, LIAO, trees, value_of

from evoply import _native
from evoply.gp import lower, parse_tree

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
