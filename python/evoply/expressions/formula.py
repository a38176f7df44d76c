"""Formulas for people: a board expression as text, or as LaTeX's mathematics.

Only printed, never read back: the written form of an expression is JSON. What division by zero
gives does not show. `FormulaNames` say how parts are called, such as `white_corners` for a count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from evoply.expressions.operations import NODE_KINDS, OPERATIONS
from evoply.expressions.written_form import ExpressionLike, children, in_order

MAX_CHARACTERS = 2000
"""A longer part is shown as "..."."""


@dataclass(frozen=True, slots=True)
class _Sign:
    """What stands between two operands, in text and LaTeX, and how strongly it binds.

    *left* and *right* are the operations that need no brackets there though they bind no stronger.
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
    """How parts of expressions are called: whole ones, and functions of argument 0, 1, ...."""

    known: Mapping[Any, str] = field(default_factory=dict)
    functions: Sequence[tuple[str, Any]] = ()

    def call(self, node: ExpressionLike) -> tuple[str, list[ExpressionLike]] | None:
        """Return the function that *node* is, and its operands; None if it is none of these."""
        for name, function in self.functions:
            operands: dict[int, ExpressionLike] = {}
            if node.op == function.op and _is_case(node, function, operands):
                return name, [operands[place] for place in sorted(operands)]
        return None


UNNAMED = FormulaNames()


def formula(
    expression: ExpressionLike, names: FormulaNames = UNNAMED, *, digits: int | None = None
) -> str:
    """Return *expression* as text with as few brackets as reading needs.

    Numbers have *digits* significant digits, by default as many as tell them from all others. Text
    is built once per node, so an expression that shares its parts a million fold stays short.

    >>> from evoply.expressions import board, count, squares
    >>> print(formula(2 * count(board.own & squares("corners")) - board.ply))
    2 * count(own & corners) - ply
    """
    return _printed(expression, names, _Text(digits))


def latex_formula(expression: ExpressionLike, names: FormulaNames = UNNAMED) -> str:
    r"""Return *expression* for LaTeX's mathematics: divisions are fractions, names upright.

    >>> from evoply.expressions import board, divide
    >>> print(latex_formula(divide(board.ply + 10, board.quiet_plies)))
    \frac{\mathrm{ply} + 10}{\mathrm{quiet\_plies}}
    """
    return _printed(expression, names, _Latex(6))


def latex_text(text: str) -> str:
    """Return *text* so that LaTeX prints it as it is."""
    return text.translate(_SPECIAL)


def number_text(value: float, digits: int | None = 6) -> str:
    """Return *value* with at most so many significant digits, None for all it has."""
    if digits is not None:
        return f"{value:.{digits}g}"
    is_short = value.is_integer() and abs(value) < 1e15
    return str(value).removesuffix(".0") if is_short else str(value)


def _is_case(
    node: ExpressionLike, function: ExpressionLike, operands: dict[int, ExpressionLike]
) -> bool:
    """Return whether *node* is *function* with some *operands*, which are filled in."""
    if function.op == "argument":
        place, kind = function.arguments
        return kind == getattr(node, "type", kind) and operands.setdefault(place, node) == node
    if node.op != function.op:
        return False
    pairs = zip(OPERATIONS[node.op].arguments, node.arguments, function.arguments, strict=True)
    for kind, one, other in pairs:
        is_node = kind in NODE_KINDS and one is not None and other is not None
        if not (_is_case(one, other, operands) if is_node else one == other):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Text:
    """How the parts of a formula are written as text."""

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
    """How the parts of a formula are written in LaTeX."""

    brackets: ClassVar[tuple[str, str]] = (r"\left(", r"\right)")
    complement: ClassVar[str] = r"\neg "

    def name(self, text: str) -> str:
        return rf"\mathrm{{{latex_text(text)}}}"

    def sign(self, op: str) -> str:
        return _SIGNS[op].latex

    def fraction(self, above: str, below: str) -> str | None:
        return rf"\frac{{{above}}}{{{below}}}"


_Part = tuple[str, int, str]
"""A text, how strongly it binds, and the operation that is its last."""


def _printed(expression: ExpressionLike, names: FormulaNames, style: _Text) -> str:
    parts: dict[int, _Part] = {}
    for node in in_order([expression]):
        part = _part(node, parts, names, style)
        parts[id(node)] = part if len(part[0]) <= MAX_CHARACTERS else ("...", _WHOLE, "")
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
        return _called(name, [parts[id(node)][0] for node in nodes], style)
    if node.op == "number":
        return number_text(node.arguments[0], style.digits), _WHOLE, ""
    operands = [parts[id(child)] for child in children(node)]
    if node.op in _SIGNS:
        return _signed(node, operands, style)
    if node.op == "not":
        return style.complement + _bracketed(operands[0], _SETS, (), style), _WHOLE, ""
    return _opaque(node, [text for text, _, _ in operands], style)


def _signed(node: ExpressionLike, operands: Sequence[_Part], style: _Text) -> _Part:
    """Return a sum, a product, a comparison or the like."""
    op, sign = node.op, _SIGNS[node.op]
    is_negated = [
        argument.op == "number" and argument.arguments[0] == -1 for argument in node.arguments[:2]
    ]
    if op == "multiply" and any(is_negated):
        text = _bracketed(operands[is_negated[0]], sign.strength, sign.right, style, is_right=True)
        return f"-{text}", sign.strength, op
    left, right = operands
    fraction = style.fraction(left[0], right[0]) if op == "divide" else None
    if fraction is not None:
        return fraction, _WHOLE, ""
    one = _bracketed(left, sign.strength, sign.left, style)
    other = _bracketed(right, sign.strength, sign.right, style, is_right=True)
    return f"{one} {style.sign(op)} {other}", sign.strength, op


def _bracketed(
    part: _Part, strength: int, bare: Sequence[str], style: _Text, *, is_right: bool = False
) -> str:
    """Return an operand in brackets, if it needs them beside a sign that binds so strongly."""
    text, own, op = part
    is_signed = is_right and text.startswith("-") and strength >= _ARITHMETIC
    if (own > strength or op in bare) and not is_signed:
        return text
    opening, closing = style.brackets
    return f"{opening}{text}{closing}"


def _called(name: str, operands: Sequence[str], style: _Text) -> _Part:
    opening, closing = style.brackets
    inner = f"{opening}{', '.join(operands)}{closing}" if operands else ""
    return f"{style.name(name)}{inner}", _WHOLE, ""


def _opaque(node: ExpressionLike, operands: list[str], style: _Text) -> _Part:
    """Return what has no sign: a name, or a function of its operands and literals."""
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
    return _called(_CALLS.get(node.op, node.op), words, style)


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
