"""Pictures of trees and individuals: lines of text, SVG, and LaTeX.

Text and SVG grow from the root at the left to the leaves at the right, one leaf per line, because
names are wide and trees are bushy: 100 nodes stay readable. Introns are grey (in text: in square
brackets), and the weight of a leaf stands before it. No function here recurses.
"""

from collections.abc import Collection, Sequence
from html import escape
from typing import Protocol

from evoply.expressions import Constant
from evoply.expressions.written_form import latex_text
from evoply.gp.place_weights import PrefixTree, leaf_numbers

_ROW = 22  # pixels from one leaf to the next
_GAP = 34  # pixels between the columns of two levels
_LETTER = 7.3  # pixels a character of the 12 pixel monospace font takes
_PADDING = 7
_MARGIN = 12
_BOX = 18

# Fill and outline of a function, a terminal, a constant; dark text reads well on all.
_COLOURS = {
    "function": ("#dbe7fb", "#4a74b8"),
    "terminal": ("#e3f3e1", "#5a9a52"),
    "constant": ("#fdecd2", "#c68a2e"),
    "intron": ("#f1f1f1", "#c4c4c4"),
}
_GREY = "#8d8d8d"  # the text of an intron
_MARK = 'stroke-width="3" font-weight="bold"'
"""The look of a marked node, not by colour alone."""
_LONGEST_WEIGHT = 10**6


class DrawnTree(PrefixTree, Protocol):
    """The part of a tree (`evoply.gp.Tree`) that is drawn."""

    @property
    def words(self) -> list[str]:
        """The word of each node."""

    @property
    def dead(self) -> list[bool]:
        """Whether each node is never computed."""


class Drawn(Protocol):
    """The part of an individual (`evoply.gp.Genotype`) that is drawn."""

    @property
    def role(self) -> str:
        """The role of its trees."""

    @property
    def trees(self) -> Sequence[DrawnTree]:
        """Its branches."""

    @property
    def ends(self) -> Sequence[float]:
        """The clock at which each branch's share of the game ends."""


def labels_of(tree: DrawnTree) -> list[str]:
    """Return the label of each node: its name or number, after the weight of its place."""
    labels = tree.words
    weights = tree.primitive_set.weights
    if weights is not None:
        for index, number in enumerate(leaf_numbers(tree, weights)):
            if number is not None and number > 1:
                labels[index] = f"{_weight_text(number)} {labels[index]}"
    return labels


def _weight_text(number: int) -> str:
    return f"1/{number}" if number < _LONGEST_WEIGHT else f"{1 / number:.0e}"


def branch_titles(individual: Drawn) -> list[str]:
    """Return a title for each branch, such as a share of the game; "" for a plain tree."""
    if individual.role == "tree":
        return [""]
    count = len(individual.trees)
    match individual.role:
        case "terms":
            return [f"term {index + 1} of {count}" for index in range(count)]
        case "sum":
            return [f"tree {index + 1} of {count}, added" for index in range(count)]
        case "adf":
            return ["result", *(f"ADF{index}" for index in range(count - 1))]
        case "ordered":
            return ["value", "order of moves"]
    starts = [0.0, *individual.ends]
    return [
        f"{start:.0%} to {end:.0%} of the game"
        for start, end in zip(starts, individual.ends, strict=False)
    ]


def tree_text(individual: Drawn) -> str:
    """Return *individual* as lines, one node per line, drawn like a directory tree.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> print(tree_text(parse_tree("( + white ( * 10 black ) )", PRIMITIVE_SETS["liao"])))
    +
    ├── white
    └── *
        ├── 10
        └── black
    """
    parts = zip(branch_titles(individual), individual.trees, strict=True)
    return "\n".join(
        f"{title}:\n{_lines(tree)}" if title else _lines(tree) for title, tree in parts
    )


def _lines(tree: DrawnTree) -> str:
    lines: list[str] = []
    waiting = [(0, "", "")]  # index, what stands before the node, and before its operands
    labels, dead = labels_of(tree), tree.dead
    while waiting:
        index, before, below = waiting.pop()
        lines.append(before + (f"[{labels[index]}]" if dead[index] else labels[index]))
        children = tree.children(index)
        for number, child in enumerate(reversed(children)):
            branch, space = ("└── ", "    ") if number == 0 else ("├── ", "│   ")
            waiting.append((child, below + branch, below + space))
    return "\n".join(lines)


def tree_svg(
    individual: Drawn,
    marked: Sequence[Collection[int]] = (),
    *,
    values: Sequence[Sequence[str] | None] | None = None,
) -> str:
    """Return a standalone SVG picture of *individual*, one branch below the other.

    Its title is the text form. *marked* are the nodes of each branch to highlight, by index.
    *values* are texts in bold behind the names of the nodes, by branch; a branch with None is not
    in use and grey.
    """
    edges: list[str] = []
    boxes: list[str] = []
    width = height = 0.0
    of_branches = values or [[""] * len(tree) for tree in individual.trees]
    marks = marked or [()] * len(individual.trees)
    for title, tree, texts, ours in zip(
        branch_titles(individual), individual.trees, of_branches, marks, strict=True
    ):
        if title:
            height += _ROW
            boxes.append(f'<text x="{_MARGIN}" y="{height:.1f}" font-weight="bold">{title}</text>')
            width = max(width, _MARGIN + len(title) * _LETTER)
        right, height = _draw(tree, height, edges, boxes, texts, ours)
        width = max(width, right)
    size = f"{width + _MARGIN:.0f}", f"{height + _MARGIN:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" role="img">'
        f"<title>{escape(str(individual))}</title>"
        '<rect width="100%" height="100%" fill="#ffffff"/>'
        f'<g fill="none" stroke="#8a94a3" stroke-width="1.3">{"".join(edges)}</g>'
        "<g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
        f'font-size="12" fill="#1c2430">{"".join(boxes)}</g></svg>'
    )


def _draw(
    tree: DrawnTree,
    top: float,
    edges: list[str],
    boxes: list[str],
    values: Sequence[str] | None,
    marked: Collection[int],
) -> tuple[float, float]:
    """Add the picture of *tree*, which begins at *top*; return its right and its lower edge."""
    labels = labels_of(tree)
    dead = tree.dead if values is not None else [True] * len(tree)
    texts = values or [""] * len(tree)
    levels = _levels(tree)
    widths = [
        (len(label) + (len(text) + 1 if text else 0)) * _LETTER + 2 * _PADDING
        for label, text in zip(labels, texts, strict=True)
    ]
    columns = _columns(levels, widths)
    rows = [top + row for row in _rows(tree)]
    for index, node in enumerate(tree.nodes):
        x, y = columns[levels[index]], rows[index]
        for child in tree.children(index):
            is_dead = dead[child]
            edges.append(
                _edge(x + widths[index], y, columns[levels[child]], rows[child], is_dead=is_dead)
            )
        kind = (
            "constant" if isinstance(node, Constant) else "function" if node.arity else "terminal"
        )
        look = _box(x, y, widths[index], labels[index], texts[index], kind, is_dead=dead[index])
        boxes.append(f"<g {_MARK}>{look}</g>" if index in marked else look)
    right = max(columns[level] + size for level, size in zip(levels, widths, strict=True))
    return right, max(rows) + _ROW / 2


def _levels(tree: DrawnTree) -> list[int]:
    """Return the level of each node, the root on level 0."""
    levels = [0] * len(tree)
    for index in range(len(tree)):
        for child in tree.children(index):
            levels[child] = levels[index] + 1
    return levels


def _columns(levels: list[int], widths: list[float]) -> list[float]:
    """Return the left edge of each level.

    Only functions make room for the next level: nothing stands to the right of a leaf, because
    every row belongs to one leaf.
    """
    widest = [0.0] * (max(levels) + 1)
    for index, level in enumerate(levels):
        is_function = index + 1 < len(levels) and levels[index + 1] > level
        if is_function:
            widest[level] = max(widest[level], widths[index])
    columns = [float(_MARGIN)]
    for width in widest[:-1]:
        columns.append(columns[-1] + width + _GAP)
    return columns


def _rows(tree: DrawnTree) -> list[float]:
    """Return the height of each node: leaves line by line, functions centred on their operands."""
    rows = [0.0] * len(tree)
    leaves = sum(not node.arity for node in tree.nodes)
    for index in range(len(tree) - 1, -1, -1):
        children = tree.children(index)
        if children:
            rows[index] = (rows[children[0]] + rows[children[-1]]) / 2
        else:
            leaves -= 1
            rows[index] = _MARGIN + (leaves + 0.5) * _ROW
    return rows


def _edge(x: float, y: float, to_x: float, to_y: float, *, is_dead: bool) -> str:
    middle = to_x - _GAP / 2
    start, end = f"{x:.1f} {y:.1f}", f"{to_x:.1f} {to_y:.1f}"
    dashes = f' stroke="{_COLOURS["intron"][1]}" stroke-dasharray="3 3"' if is_dead else ""
    return f'<path d="M{start}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {end}"{dashes}/>'


def _box(
    x: float, y: float, width: float, label: str, value: str, kind: str, *, is_dead: bool
) -> str:
    fill, outline = _COLOURS["intron" if is_dead else kind]
    radius = _BOX / 2 if kind == "function" else 4
    dashes, colour = (' stroke-dasharray="3 3"', f' fill="{_GREY}"') if is_dead else ("", "")
    bold = f' <tspan font-weight="bold">{escape(value)}</tspan>' if value else ""
    return (
        f'<rect x="{x:.1f}" y="{y - _BOX / 2:.1f}" width="{width:.1f}" height="{_BOX}" '
        f'rx="{radius}" fill="{fill}" stroke="{outline}"{dashes}/>'
        f'<text x="{x + width / 2:.1f}" y="{y + 4:.1f}" text-anchor="middle"{colour}>'
        f"{escape(label)}{bold}</text>"
    )


def latex(individual: Drawn) -> str:
    r"""Return a picture of *individual*, one environment of the package `forest` per branch.

    Introns are gray, the weight of a leaf stands before it. A document needs
    `\usepackage{forest}`.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> print(latex(parse_tree("( + white_corners 10 )", PRIMITIVE_SETS["liao"])))
    \begin{forest}
    [{+}
      [{white\_corners}]
      [{10}]
    ]
    \end{forest}
    """
    parts = []
    for title, tree in zip(branch_titles(individual), individual.trees, strict=True):
        caption = f"% {title}\n" if title else ""
        parts.append(f"{caption}\\begin{{forest}}\n{_brackets(tree)}\n\\end{{forest}}")
    return "\n".join(parts)


def _brackets(tree: DrawnTree) -> str:
    labels, dead = labels_of(tree), tree.dead
    lines: list[str] = []
    waiting = [(0, 0, False)]  # index, level, and whether only its bracket is to be closed
    while waiting:
        index, level, is_closing = waiting.pop()
        indent = "  " * level
        if is_closing:
            lines.append(f"{indent}]")
            continue
        label = latex_text(labels[index])
        gray = ", text=gray, edge=gray" if dead[index] else ""
        children = tree.children(index)
        if not children:
            lines.append(f"{indent}[{{{label}}}{gray}]")
            continue
        lines.append(f"{indent}[{{{label}}}{gray}")
        waiting.append((index, level, True))
        waiting += [(child, level + 1, False) for child in reversed(children)]
    return "\n".join(lines)
