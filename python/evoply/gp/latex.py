r"""Trees for papers: pictures for LaTeX's package `forest`, and formulas.

Both are text to be put into a document; nothing here runs LaTeX.
"""

from __future__ import annotations

from evoply.gp.drawing import branch_titles, labels_of
from evoply.gp.forest import Individual, branches
from evoply.gp.infix import number_text, number_value, operation
from evoply.gp.plain import plain
from evoply.gp.sizes import dead_nodes
from evoply.gp.tree import Tree

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "_": r"\_",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "$": r"\$",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)
_ATOM, _PRODUCT, _SUM = 2, 1, 0
_SIGNS = {"add": ("+", _SUM), "subtract": ("-", _SUM), "multiply": (r"\cdot", _PRODUCT)}


def latex(individual: Individual) -> str:
    r"""Return a picture of *individual*, one environment of the package `forest` a branch.

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
    for title, tree in zip(branch_titles(individual), branches(individual), strict=True):
        caption = f"% {title}\n" if title else ""
        parts.append(f"{caption}\\begin{{forest}}\n{_brackets(tree)}\n\\end{{forest}}")
    return "\n".join(parts)


def _brackets(tree: Tree) -> str:
    labels, dead = labels_of(tree), dead_nodes(tree)
    lines: list[str] = []
    waiting = [(0, 0, False)]  # index, level, and whether only its bracket is to be closed
    while waiting:
        index, level, is_closing = waiting.pop()
        indent = "  " * level
        if is_closing:
            lines.append(f"{indent}]")
            continue
        label = labels[index].translate(_SPECIAL)
        gray = ", text=gray, edge=gray" if dead[index] else ""
        children = tree.children(index)
        if not children:
            lines.append(f"{indent}[{{{label}}}{gray}]")
            continue
        lines.append(f"{indent}[{{{label}}}{gray}")
        waiting.append((index, level, True))
        waiting += [(child, level + 1, False) for child in reversed(children)]
    return "\n".join(lines)


def latex_formula(individual: Individual) -> str:
    r"""Return what *individual* computes as a formula for LaTeX's mathematics.

    Divisions are fractions; primitives are set upright. Introns do not show; definitions are
    written out.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> print(latex_formula(parse_tree("( / ( + white 10 ) black )", PRIMITIVE_SETS["liao"])))
    \frac{\mathrm{white} + 10}{\mathrm{black}}
    """
    finished: list[tuple[str, int]] = []  # texts and how strongly they bind, the last one first
    for node in reversed(plain(individual).nodes):
        operands = [finished.pop() for _ in range(node.arity)]
        value = number_value(node)
        name = operation(node)
        if value is not None:
            finished.append((number_text(value), _ATOM if value >= 0 else _SUM))
        elif name == "divide":
            finished.append((rf"\frac{{{operands[0][0]}}}{{{operands[1][0]}}}", _ATOM))
        elif name in _SIGNS:
            sign, strength = _SIGNS[name]
            right = strength + (name == "subtract")
            texts = _bracketed(operands[0], strength), _bracketed(operands[1], right)
            if texts[1].startswith("-"):
                texts = texts[0], rf"\left({texts[1]}\right)"
            finished.append((f"{texts[0]} {sign} {texts[1]}", strength))
        else:
            upright = rf"\mathrm{{{node.name.translate(_SPECIAL)}}}"
            inner = ", ".join(text for text, _ in operands)
            finished.append((rf"{upright}\left({inner}\right)" if operands else upright, _ATOM))
    return finished[0][0]


def _bracketed(operand: tuple[str, int], strength: int) -> str:
    text, own = operand
    return text if own >= strength else rf"\left({text}\right)"
