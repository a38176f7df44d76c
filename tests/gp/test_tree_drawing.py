import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from tree_strategies import BENBASSAT, LIAO, TYPED, trees

from evoply.expressions import PRIMITIVE_SETS
from evoply.gp import latex, parse_tree, tree_svg, tree_text
from evoply.gp.algebra import latex_formula_of

SVG = "{http://www.w3.org/2000/svg}"


def test_text_drawing():
    tree = parse_tree("( + ( - white 0.5 ) ( * 10 black ) )", LIAO)
    assert tree_text(tree).splitlines() == [
        "+",
        "├── -",
        "│   ├── white",
        "│   └── 0.5",
        "└── *",
        "    ├── 10",
        "    └── black",
    ]


@given(trees(max_depth=7))
def test_every_node_is_drawn_once_inside_the_picture(tree):
    root = ElementTree.fromstring(tree_svg(tree))
    # The weight of a leaf stands before its name.
    labels = [text.text.split()[-1] for text in root.iter(f"{SVG}text")]
    # A constant is written as in the text form, where "( 1 )" is a lone leaf.
    assert labels == [word for word in str(tree).split() if word not in "()"]
    assert root.find(f"{SVG}title").text == str(tree)
    assert len(list(root.iter(f"{SVG}path"))) == len(tree) - 1
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [
        tuple(float(box.get(name)) for name in ("x", "y", "width", "height"))
        for box in root.iter(f"{SVG}rect")
        if box.get("x")
    ]
    for x, y, w, h in boxes:
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[:i]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    assert len(tree_text(tree).splitlines()) == len(tree)
    assert tree._repr_svg_() == tree_svg(tree)


def test_names_are_escaped():
    svg = tree_svg(parse_tree("( < 1 white )", TYPED, root_type=None))
    assert "&lt;" in svg
    ElementTree.fromstring(svg)


def test_deep_trees_are_drawn_without_recursion():
    deep = parse_tree("( + white " * 2000 + "white" + " )" * 2000, LIAO)
    assert len(tree_text(deep).splitlines()) == 4001
    assert tree_svg(deep).startswith("<svg")


GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "benbassat",
            "( IfTrue ( NOTG IsEmptySquare[c4] ( AND true false ) ) ( MultERC[2.5] Mobility ) "
            "( NullJ ManCount ( Plus 1 -0.5 ) ) )",
        ),
        ("bellin", "( + ( B1 ( * white ( B1 ( B0 black ) ) ) ) white_corners )"),
    ],
)
def test_pictures_with_introns_and_weights(name, text):
    svg = tree_svg(parse_tree(text, PRIMITIVE_SETS[name]))
    assert svg == (GOLDEN / f"{name}.svg").read_text(encoding="utf-8").rstrip("\n")


def test_text_drawing_of_introns_and_weights():
    tree = parse_tree("( NullJ ManCount ( Plus 1 0 ) )", PRIMITIVE_SETS["benbassat"])
    assert tree_text(tree).splitlines() == [
        "NullJ",
        "├── ManCount",
        "└── [Plus]",
        "    ├── [1]",
        "    └── [0]",
    ]
    tree = parse_tree("( + white ( B1 ( + 10 black ) ) )", PRIMITIVE_SETS["bellin"])
    assert tree_text(tree).splitlines()[-2:] == ["        ├── 1/6 10", "        └── 1/7 black"]


def test_latex():
    tree = parse_tree("( NullJ ( IfTrue IsEmptySquare[c4] 1 ManCount ) 0 )", BENBASSAT)
    assert latex(tree).splitlines() == [
        r"\begin{forest}",
        "[{NullJ}",
        "  [{IfTrue}",
        "    [{IsEmptySquare[c4]}]",
        "    [{1}]",
        "    [{ManCount}]",
        "  ]",
        "  [{0}, text=gray, edge=gray]",
        "]",
        r"\end{forest}",
    ]
    assert latex_formula_of(tree) == (
        r"\mathrm{if}\left(\mathrm{IsEmptySquare[c4]}, 1, \mathrm{ManCount}\right)"
    )
    text = "( - 10 ( - ( * ( + white 10 ) -2 ) ( / 10 black_corners ) ) )"
    assert latex_formula_of(parse_tree(text, LIAO)) == (
        r"10 - \left(\left(\mathrm{white} + 10\right) \cdot \left(-2\right) - "
        r"\frac{10}{\mathrm{black\_corners}}\right)"
    )
