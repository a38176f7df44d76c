"""Formulas for people: a board expression as text, or as LaTeX's mathematics.

A formula is never read back: the written form of an expression is JSON. A formula does not show
what division by zero gives. `FormulaNames` name parts, such as `white_corners` for a count.

Reasons: docs/design/expressions.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from evoply.expressions.operations import NODE_KINDS, OPERATIONS
from evoply.expressions.written_form import ExpressionLike, children, in_order

MAX_CHARACTERS = 2000
LEFT_OUT = "..."
"""What is written for a part of more than `MAX_CHARACTERS`."""


@dataclass(frozen=True, slots=True)
class _Sign:
    """The sign between two operands, in text and LaTeX, and how strongly it binds.

    *left* and *right* are operations that need no brackets there though they bind no stronger.
    """

    text: str
    latex: str
    strength: int
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()


_WHOLE, _SETS = 9, 5
_SUMS, _PRODUCTS = ("add", "subtract"), ("multiply", "divide")
_SIGNS: Mapping[str, _Sign] = MappingProxyType(
    {
        "either": _Sign("or", r"\lor", 1, ("either",), ("either",)),
        "both": _Sign("and", r"\land", 1, ("both",), ("both",)),
        "less": _Sign("<", "<", 2),
        "less_equal": _Sign("<=", r"\le", 2),
        "equal": _Sign("==", "=", 2),
        "add": _Sign("+", "+", 3, _SUMS, _SUMS),
        "subtract": _Sign("-", "-", 3, _SUMS),
        "multiply": _Sign("*", r"\cdot", 4, _PRODUCTS, _PRODUCTS),
        "divide": _Sign("/", "/", 4, _PRODUCTS),
        "or": _Sign("|", r"\cup", _SETS, ("or",)),
        "minus": _Sign("-", r"\setminus", _SETS),
        "and": _Sign("&", r"\cap", _SETS, ("and",)),
    }
)
_ARITHMETIC = 3  # from here on a minus sign on the right needs brackets
_CALLS: Mapping[str, str] = MappingProxyType(
    {"select": "if", "minimum": "min", "maximum": "max", "negation": "not"}
)
_PIECES: Mapping[str, str] = MappingProxyType({"own": "own discs", "opponent": "opponent discs"})


@dataclass(frozen=True)
class FormulaNames:
    """The names of parts of expressions: whole ones, and functions of argument 0, 1, ...."""

    known: Mapping[Any, str] = field(default_factory=dict)
    functions: Sequence[tuple[str, Any]] = ()

    def call(self, node: ExpressionLike) -> tuple[str, list[ExpressionLike]] | None:
        """Return the name of the function that *node* calls and its operands; None if unnamed."""
        for name, function in self.functions:
            operands: dict[int, ExpressionLike] = {}
            if node.op == function.op and _is_case(node, function, operands):
                return name, [operands[index] for index in sorted(operands)]
        return None


UNNAMED = FormulaNames()


def formula(
    expression: ExpressionLike, names: FormulaNames = UNNAMED, *, digits: int | None = None
) -> str:
    """Return *expression* as text with as few brackets as possible.

    Numbers have *digits* significant digits, by default as many as identify them. Text is built
    once per node, so an expression that shares its parts a million fold stays short.

    >>> from evoply.expressions import board, count, squares
    >>> print(formula(2 * count(board.own & squares("corners")) - board.ply))
    2 * count(own & corners) - ply
    """
    return _text_of(expression, names, _Text(digits))


def latex_formula(expression: ExpressionLike, names: FormulaNames = UNNAMED) -> str:
    r"""Return *expression* for LaTeX's mathematics, with fractions and upright names.

    >>> from evoply.expressions import board, divide
    >>> print(latex_formula(divide(board.ply + 10, board.quiet_plies)))
    \frac{\mathrm{ply} + 10}{\mathrm{quiet\_plies}}
    """
    return _text_of(expression, names, _Latex(6))


def latex_text(text: str) -> str:
    """Return *text* with escapes, so that LaTeX prints it unchanged."""
    return text.translate(_SPECIAL)


def number_text(value: float, digits: int | None = 6) -> str:
    """Return *value* with at most *digits* significant digits; None keeps all."""
    if digits is not None:
        return f"{value:.{digits}g}"
    is_short = value.is_integer() and abs(value) < 1e15
    return str(value).removesuffix(".0") if is_short else str(value)


def _is_case(
    node: ExpressionLike, function: ExpressionLike, operands: dict[int, ExpressionLike]
) -> bool:
    """Return whether *node* is *function* of some operands, which are added to *operands*."""
    if function.op == "argument":
        index, kind = function.arguments
        return kind == getattr(node, "type", kind) and operands.setdefault(index, node) == node
    if node.op != function.op:
        return False
    pairs = zip(OPERATIONS[node.op].arguments, node.arguments, function.arguments, strict=True)
    for kind, part, pattern in pairs:
        is_node = kind in NODE_KINDS and part is not None and pattern is not None
        if not (_is_case(part, pattern, operands) if is_node else part == pattern):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Text:
    """The form of the parts of a formula as text."""

    digits: int | None
    brackets: ClassVar[tuple[str, str]] = ("(", ")")
    complement: ClassVar[str] = "~"

    def name(self, text: str) -> str:
        return text

    def sign(self, op: str) -> str:
        return _SIGNS[op].text

    def fraction(self, above: str, below: str) -> str | None:
        """Return a quotient that needs no sign between its operands, or None."""
        return None


@dataclass(frozen=True, slots=True)
class _Latex(_Text):
    """The form of the parts of a formula in LaTeX."""

    brackets: ClassVar[tuple[str, str]] = (r"\left(", r"\right)")
    complement: ClassVar[str] = r"\neg "

    def name(self, text: str) -> str:
        return rf"\mathrm{{{latex_text(text)}}}"

    def sign(self, op: str) -> str:
        return _SIGNS[op].latex

    def fraction(self, above: str, below: str) -> str | None:
        return rf"\frac{{{above}}}{{{below}}}"


_Part = tuple[str, int, str]
"""A text, how strongly it binds, and its last operation."""


def _text_of(expression: ExpressionLike, names: FormulaNames, style: _Text) -> str:
    parts: dict[int, _Part] = {}
    for node in in_order([expression]):
        part = _part(node, parts, names, style)
        parts[id(node)] = part if len(part[0]) <= MAX_CHARACTERS else (LEFT_OUT, _WHOLE, "")
    return parts[id(expression)][0]


def _part(
    node: ExpressionLike, parts: Mapping[int, _Part], names: FormulaNames, style: _Text
) -> _Part:
    known = names.known.get(node)
    if known is not None:
        return style.name(known), _WHOLE, ""
    called = names.call(node)
    if called is not None:
        name, nodes = called
        return _call(name, [parts[id(node)][0] for node in nodes], style)
    if node.op == "number":
        return number_text(node.arguments[0], style.digits), _WHOLE, ""
    operands = [parts[id(child)] for child in children(node)]
    if node.op in _SIGNS:
        return _with_sign(node, operands, style)
    if node.op == "not":
        return style.complement + _bracket(operands[0], _SETS, (), style), _WHOLE, ""
    return _opaque(node, [text for text, _, _ in operands], style)


def _with_sign(node: ExpressionLike, operands: Sequence[_Part], style: _Text) -> _Part:
    """Return the text of a node with a sign, such as a sum, a product or a comparison."""
    op, sign = node.op, _SIGNS[node.op]
    is_negated = [
        argument.op == "number" and argument.arguments[0] == -1 for argument in node.arguments[:2]
    ]
    if op == "multiply" and any(is_negated):
        text = _bracket(operands[is_negated[0]], sign.strength, sign.right, style, is_right=True)
        return f"-{text}", sign.strength, op
    left, right = operands
    fraction = style.fraction(left[0], right[0]) if op == "divide" else None
    if fraction is not None:
        return fraction, _WHOLE, ""
    before = _bracket(left, sign.strength, sign.left, style)
    after = _bracket(right, sign.strength, sign.right, style, is_right=True)
    return f"{before} {style.sign(op)} {after}", sign.strength, op


def _bracket(
    part: _Part, strength: int, bare: Sequence[str], style: _Text, *, is_right: bool = False
) -> str:
    """Return an operand, in brackets if it needs them beside a sign of *strength*."""
    text, own, op = part
    is_signed = is_right and text.startswith("-") and strength >= _ARITHMETIC
    if (own > strength or op in bare) and not is_signed:
        return text
    opening, closing = style.brackets
    return f"{opening}{text}{closing}"


def _call(name: str, operands: Sequence[str], style: _Text) -> _Part:
    opening, closing = style.brackets
    inner = f"{opening}{', '.join(operands)}{closing}" if operands else ""
    return f"{style.name(name)}{inner}", _WHOLE, ""


def _opaque(node: ExpressionLike, operands: list[str], style: _Text) -> _Part:
    """Return the text of a node without a sign: a name, or a function of operands and literals."""
    texts = iter(operands)
    words = [
        next(texts) if kind in NODE_KINDS and argument is not None else _literal(argument)
        for kind, argument in zip(OPERATIONS[node.op].arguments, node.arguments, strict=True)
    ]
    if node.op == "weighted_sum" and node.arguments[2] is None:
        return style.name(f"weights of {_PIECES.get(node.arguments[0].op, words[0])}"), _WHOLE, ""
    if node.op == "pattern":
        squares = " ".join(str(square) for square in node.arguments[4][0])
        return style.name(f"pattern on {squares}"), _WHOLE, ""
    if node.op in ("truth", "named_squares"):
        return style.name(words[0]), _WHOLE, ""
    if node.op == "argument":
        return style.name(f"argument_{words[0]}"), _WHOLE, ""
    return _call(_CALLS.get(node.op, node.op), words, style)


def _literal(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return f"{len(value)} x {len(value[0])} weights"
    if isinstance(value, tuple):
        return f"[{' '.join(str(item) for item in value)}]"
    return str(value)


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
