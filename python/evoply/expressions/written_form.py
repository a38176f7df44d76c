"""The forms in which board expressions are written: flat JSON, and formulas for people.

`{"format": 1, "nodes": [[operation, argument, ...], ...], "outputs": [index, ...]}`. An argument
that is an expression is written as the index of an earlier node. Saved sets of primitives keep
`["named_squares", name]` and the names of squares, so that they fit every board; with a *shape*
both become indices, which the kernel reads.

Reasons: docs/design/expressions.md.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeVar

from evoply.expressions.operations import (
    NODE_KINDS,
    OPERATIONS,
    OPTIONAL_KINDS,
    RANKS,
    ExpressionError,
    named_squares,
    short,
    square_index,
    written_literal,
)
from evoply.games.squares import squares_in
from evoply.protocols import BoardShape

FORMAT = 1
MAX_NODES = 4096
MAX_OUTPUTS = 4096
MAX_CHARACTERS = 80_000_000


class ExpressionLike(Protocol):
    """The part of an expression that this module needs."""

    @property
    def op(self) -> str:
        """The operation."""

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Expressions and literals, as the operation lists them."""


Typed = TypeVar("Typed", bound=ExpressionLike)


def children(node: ExpressionLike) -> list[Any]:
    """Return the expressions among the arguments of *node*, in order."""
    kinds = OPERATIONS[node.op].arguments
    return [
        argument
        for kind, argument in zip(kinds, node.arguments, strict=True)
        if kind in NODE_KINDS and argument is not None
    ]


def in_order(outputs: Sequence[ExpressionLike]) -> list[Any]:
    """Return every node of *outputs* once (by identity), each after its arguments."""
    ordered: list[ExpressionLike] = []
    seen: set[int] = set()
    # A stack instead of recursion: a chain of thousands of nodes is legal.
    stack: list[tuple[ExpressionLike, bool]] = [(node, False) for node in reversed(outputs)]
    while stack:
        node, arguments_done = stack.pop()
        if id(node) in seen:
            continue
        if arguments_done:
            seen.add(id(node))
            ordered.append(node)
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children(node)))
    return ordered


def to_dict(
    outputs: Sequence[ExpressionLike],
    shape: BoardShape | None = None,
    *,
    keep_parameters: bool = False,
) -> dict[str, Any]:
    """Return the written form, in which equal subexpressions are one node.

    *shape* is explained in the module. With *keep_parameters* numbers, weighted sums and patterns
    share a node only if they are the same object, so that each can be changed alone.
    """
    rows: list[list[Any]] = []
    row_index: dict[str, int] = {}
    node_index: dict[int, int] = {}
    for node in in_order(outputs):
        row = _row(node, node_index, shape)
        stands_alone = keep_parameters and node.op in ("number", "weighted_sum", "pattern")
        key = f"{id(node)}" if stands_alone else json.dumps(row)
        if key not in row_index:
            row_index[key] = len(rows)
            rows.append(row)
        node_index[id(node)] = row_index[key]
    return {
        "format": FORMAT,
        "nodes": rows,
        "outputs": [node_index[id(node)] for node in outputs],
    }


def _row(node: ExpressionLike, node_index: dict[int, int], shape: BoardShape | None) -> list[Any]:
    if shape is not None and node.op == "named_squares":
        op = "squares_turned" if node.arguments[0] in RANKS else "squares"
        return [op, list(squares_in(named_squares(shape, node.arguments[0])))]
    row: list[Any] = [node.op]
    for kind, argument in zip(OPERATIONS[node.op].arguments, node.arguments, strict=True):
        if kind in NODE_KINDS:
            row.append(None if argument is None else node_index[id(argument)])
        else:
            row.append(written_literal(kind, _on_board(kind, argument, shape)))
    return row


def _on_board(kind: str, value: Any, shape: BoardShape | None) -> Any:
    """Return *value* with squares as indices, after the checks that depend on the board."""
    if shape is None:
        return value
    if kind == "square":
        return square_index(shape, value)
    if kind == "square list":
        return tuple(sorted({square_index(shape, square) for square in value}))
    if kind == "copies":
        return tuple(tuple(square_index(shape, square) for square in copy) for copy in value)
    if kind == "tables" and len(value[0]) != shape.squares:
        count, side = len(value[0]), math.isqrt(len(value[0]))
        of = f", for a board of {side}x{side}" * (side**2 == count)
        raise ExpressionError(
            f"a weighted sum has {count} weights{of}, but a {shape} board has "
            f"{shape.squares} squares"
        )
    return value


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; `ExpressionError` if it is too long or not plain JSON."""
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError(f"the text is longer than {MAX_CHARACTERS:,} characters")

    def refuse(word: str) -> Any:
        raise ExpressionError(f"{word} is not JSON; write it in quotes ('inf', '-inf', 'nan')")

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise ExpressionError(
            "the text is nested too deeply: use fewer brackets inside one another"
        ) from None
    except json.JSONDecodeError as error:
        raise ExpressionError(f"not JSON: {error}") from None
    except ExpressionError:
        raise
    except ValueError:
        raise ExpressionError("a number in the text has thousands of digits") from None


def from_dict(data: object, make: Callable[[str, tuple[Any, ...]], Typed]) -> list[Typed]:
    """Return the outputs of a written form, made by *make*; errors name the node."""
    if not isinstance(data, dict):
        raise ExpressionError(f"an expression must be a table, not {short(data)}")
    unknown = sorted(str(key) for key in set(data) - {"format", "nodes", "outputs"})
    if unknown:
        raise ExpressionError(f"an expression has no field {short(unknown[0])}")
    if data.get("format") != FORMAT or type(data.get("format")) is not int:
        raise ExpressionError(
            f"expressions of format {short(data.get('format'))} are unknown; this version reads "
            f"format {FORMAT}"
        )
    rows = _list(data, "nodes", MAX_NODES)
    nodes_so_far: list[Typed] = []
    for index, row in enumerate(rows):
        try:
            nodes_so_far.append(_node(row, nodes_so_far, make))
        except ExpressionError as error:
            raise ExpressionError(f"node {index}{_operation_name(row)}: {error}") from None
    return [
        _earlier(nodes_so_far, output, "an output")
        for output in _list(data, "outputs", MAX_OUTPUTS)
    ]


def _list(data: dict[Any, Any], name: str, most: int) -> list[Any]:
    value = data.get(name)
    if not isinstance(value, list) or not value:
        raise ExpressionError(f"an expression needs a list of {name}, not {short(value)}")
    if len(value) > most:
        raise ExpressionError(f"{len(value):,} {name} are more than the {most:,} allowed")
    return value


def _operation_name(row: object) -> str:
    named = isinstance(row, list) and bool(row) and isinstance(row[0], str)
    return f" ({row[0][:40]})" if named and isinstance(row, list) else ""


def _node(
    row: object, earlier: list[Typed], make: Callable[[str, tuple[Any, ...]], Typed]
) -> Typed:
    if not isinstance(row, list) or not row or not isinstance(row[0], str):
        raise ExpressionError("a node must be a list that begins with the name of an operation")
    if row[0] not in OPERATIONS:
        raise ExpressionError("there is no such operation")
    kinds = OPERATIONS[row[0]].arguments
    if len(row) - 1 != len(kinds):
        raise ExpressionError(f"it takes {len(kinds)} arguments, not {len(row) - 1}")
    arguments = tuple(
        value
        if kind not in NODE_KINDS or (kind in OPTIONAL_KINDS and value is None)
        else _earlier(earlier, value, f"argument {position}")
        for position, (kind, value) in enumerate(zip(kinds, row[1:], strict=True), start=1)
    )
    return make(row[0], arguments)


def _earlier(earlier: list[Typed], index: object, what: str) -> Typed:
    if type(index) is not int or not 0 <= index < len(earlier):
        raise ExpressionError(f"{what} must be the index of an earlier node, not {short(index)}")
    return earlier[index]


# Formulas for people: a board expression as text, or as LaTeX's mathematics.
#
# A formula is never read back: the written form of an expression is JSON. A formula does not show
# what division by zero gives. `FormulaNames` name parts, such as `white_corners` for a count.

_LONGEST_PART = 2000
LEFT_OUT = "..."
"""What is written for a part of more than `_LONGEST_PART`."""


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
    """Return *value* with at most *digits* significant digits; None keeps all.

    Below a million no digit before the point is left out.
    """
    if digits is not None:
        before_point = len(str(int(abs(value)))) if abs(value) < 1e6 else 0
        return f"{value:.{max(digits, before_point)}g}"
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
        parts[id(node)] = part if len(part[0]) <= _LONGEST_PART else (LEFT_OUT, _WHOLE, "")
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
