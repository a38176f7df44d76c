"""Pictures of trees: lines of text, and SVG.

Both grow from the root at the left to the leaves at the right, one leaf a line, because names are
wide and trees are bushy: 100 nodes stay readable. Nothing here recurses.
"""

from __future__ import annotations

from html import escape

from evoply.expressions import Constant
from evoply.gp.text import constant_text, format_tree
from evoply.gp.tree import Tree

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
}


def _labels(tree: Tree) -> list[str]:
    return [
        constant_text(node.value, tree.primitive_set) if isinstance(node, Constant) else node.name
        for node in tree.nodes
    ]


def tree_text(tree: Tree) -> str:
    """Return *tree* as lines, one node a line, drawn like a directory tree.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> print(tree_text(parse_tree("( + white ( * 10 black ) )", PRIMITIVE_SETS["liao"])))
    +
    ├── white
    └── *
        ├── 10
        └── black
    """
    lines: list[str] = []
    waiting = [(0, "", "")]  # index, what stands before the node, and before its operands
    labels = _labels(tree)
    while waiting:
        index, before, below = waiting.pop()
        lines.append(before + labels[index])
        children = tree.children(index)
        for place, child in enumerate(reversed(children)):
            branch, space = ("└── ", "    ") if place == 0 else ("├── ", "│   ")
            waiting.append((child, below + branch, below + space))
    return "\n".join(lines)


def tree_svg(tree: Tree) -> str:
    """Return a standalone SVG picture of *tree*; its title is the text form."""
    labels = _labels(tree)
    levels = _levels(tree)
    widths = [len(label) * _LETTER + 2 * _PADDING for label in labels]
    columns = _columns(levels, widths)
    rows = _rows(tree)
    edges: list[str] = []
    boxes: list[str] = []
    for index, node in enumerate(tree.nodes):
        x, y = columns[levels[index]], rows[index]
        for child in tree.children(index):
            edges.append(_edge(x + widths[index], y, columns[levels[child]], rows[child]))
        kind = (
            "constant" if isinstance(node, Constant) else "function" if node.arity else "terminal"
        )
        boxes.append(_box(x, y, widths[index], labels[index], kind))
    width = max(columns[level] + size for level, size in zip(levels, widths, strict=True))
    size = f"{width + _MARGIN:.0f}", f"{max(rows) + _ROW / 2 + _MARGIN:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" role="img">'
        f"<title>{escape(format_tree(tree))}</title>"
        '<rect width="100%" height="100%" fill="#ffffff"/>'
        f'<g fill="none" stroke="#8a94a3" stroke-width="1.3">{"".join(edges)}</g>'
        "<g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
        f'font-size="12" fill="#1c2430">{"".join(boxes)}</g></svg>'
    )


def _levels(tree: Tree) -> list[int]:
    """Return the level of each node, the root on level 0."""
    levels = [0] * len(tree)
    for index in range(len(tree)):
        for child in tree.children(index):
            levels[child] = levels[index] + 1
    return levels


def _columns(levels: list[int], widths: list[float]) -> list[float]:
    """Return the left edge of each level.

    Only functions make room for the next level: beside a leaf there is nothing to its right that
    could touch it, because every row belongs to one leaf.
    """
    widest = [0.0] * (max(levels) + 1)
    for place, level in enumerate(levels):
        is_function = place + 1 < len(levels) and levels[place + 1] > level
        if is_function:
            widest[level] = max(widest[level], widths[place])
    columns = [float(_MARGIN)]
    for width in widest[:-1]:
        columns.append(columns[-1] + width + _GAP)
    return columns


def _rows(tree: Tree) -> list[float]:
    """Return the height of each node: leaves one below the other, others amid their operands."""
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


def _edge(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = to_x - _GAP / 2
    start, end = f"{x:.1f} {y:.1f}", f"{to_x:.1f} {to_y:.1f}"
    return f'<path d="M{start}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {end}"/>'


def _box(x: float, y: float, width: float, label: str, kind: str) -> str:
    fill, outline = _COLOURS[kind]
    radius = _BOX / 2 if kind == "function" else 4
    return (
        f'<rect x="{x:.1f}" y="{y - _BOX / 2:.1f}" width="{width:.1f}" height="{_BOX}" '
        f'rx="{radius}" fill="{fill}" stroke="{outline}"/>'
        f'<text x="{x + width / 2:.1f}" y="{y + 4:.1f}" text-anchor="middle">{escape(label)}</text>'
    )
