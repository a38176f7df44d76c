"""The flat JSON form of board expressions: shared nodes in order, without cycles or nesting.

`{"format": 1, "nodes": [[operation, argument, ...], ...], "outputs": [index, ...]}`. An argument
that is an expression is written as the index of an earlier node. Saved sets of primitives keep
`["named_squares", name]` and the names of squares, so that they fit every board; with a *shape*
both become indices, which the kernel reads.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from evoply.expressions.operations import (
    NODE_KINDS,
    OPERATIONS,
    OPTIONAL_KINDS,
    ExpressionError,
    short,
    written_literal,
)
from evoply.expressions.square_sets import RANKS, named_squares, square_index
from evoply.games.squares import squares_in
from evoply.protocols import BoardShape

FORMAT = 1
MAX_NODES = 4096
MAX_OUTPUTS = 4096
MAX_CHARACTERS = 32_000_000


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
        raise ExpressionError(
            f"a weighted sum has {len(value[0])} weights, but a {shape} board has "
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
