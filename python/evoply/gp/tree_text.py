"""The text form of trees: `( + white white_corners )`, a single terminal `( white )`.

Reading and printing do not recurse, so that no text can exhaust the stack; texts that are too long
are refused at once. This module knows names, arities and types of primitives, not their meaning.
Source: Liao, "Genetic Programming Applied to Board Game Othello", whose course program reads this
form ("Bug Report").
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from evoply.expressions import (
    DEFAULT_PRIMITIVES,
    Constant,
    ExpressionError,
    Node,
    Primitive,
    PrimitiveSet,
    find_primitive_set,
)
from evoply.gp.tree import MAX_TREE_NODES, Tree
from evoply.wording import did_you_mean, shorten

MAX_TEXT_LENGTH = 1_000_000
"""The length of the longest text that is read, in characters."""

_TOKEN = re.compile(r"[()]|[^\s()]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WINDOW = 36  # characters shown on either side of an error
_LONGEST_NAME = 64  # longer unknown names are shortened in messages and get no suggestion


class TreeSyntaxError(ValueError):
    """A text that is not a tree; `column` counts characters from 1."""

    column: int

    def __init__(self, message: str, text: str, column: int) -> None:
        super().__init__(f"{message} (column {column})\n{_pointer(text, column)}")
        self.column = column


def _pointer(text: str, column: int) -> str:
    """Return two lines: the text around *column*, and a caret under it."""
    start = max(0, column - 1 - _WINDOW)
    end = min(len(text), column + _WINDOW)
    before = "..." if start > 0 else ""
    after = "..." if end < len(text) else ""
    window = "".join(
        " " if character.isspace() else character if character.isprintable() else "?"
        for character in text[start:end]
    )
    return f"  {before}{window}{after}\n  {' ' * (len(before) + column - 1 - start)}^"


@dataclass(slots=True)
class _Open:
    """An open bracket: its primitive, and the number of its operands so far."""

    node: Node
    operands: int = 0


class _Parser:
    """Reads one text into a list of nodes in prefix form, keeping open brackets on a list."""

    def __init__(self, text: str, primitive_set: PrimitiveSet) -> None:
        self.text = text
        self.primitive_set = primitive_set
        self.nodes: list[Node] = []
        self.open: list[_Open] = []

    def error(self, message: str, column: int) -> TreeSyntaxError:
        return TreeSyntaxError(message, self.text, column)

    def parse(self, root_type: str | None) -> list[Node]:
        """Return the nodes of the one tree that the text holds."""
        tokens = self.tokens()
        token, column = next(tokens, ("", 1))
        if token != "(":
            hint = f"; write ( {_short(token)} )" if token in self.primitive_set else ""
            raise self.error(f"a tree starts with an opening bracket{hint}", column)
        self.open_bracket(tokens, column, root_type)
        while self.open:
            token, column = next(tokens, ("", len(self.text) + 1))
            if not token:
                waiting = self.open[-1].node.name
                raise self.error(
                    f"the text ends before the bracket of {waiting!r} is closed", column
                )
            if token == ")":
                self.close_bracket(column)
            else:
                wanted = self.begin_operand(column)
                if token == "(":
                    self.open_bracket(tokens, column, wanted)
                else:
                    self.add(token, column, wanted, bracketed=False)
        token, column = next(tokens, ("", 0))
        if token:
            raise self.error(f"{_short(token)!r} follows the end of the tree", column)
        return self.nodes

    def tokens(self) -> Iterator[tuple[str, int]]:
        """Yield each token with the column of its first character."""
        for match in _TOKEN.finditer(self.text):
            yield match.group(), match.start() + 1

    def open_bracket(
        self, tokens: Iterator[tuple[str, int]], column: int, wanted: str | None
    ) -> None:
        """Read the name after an opening bracket and add the bracket to the open ones."""
        token, column = next(tokens, ("", len(self.text) + 1))
        if token in ("", "(", ")"):
            raise self.error("a name must follow an opening bracket", column)
        self.add(token, column, wanted, bracketed=True)

    def add(self, token: str, column: int, wanted: str | None, *, bracketed: bool) -> None:
        """Append the node that *token* names, which must be of the *wanted* type."""
        node = self.node(token, column)
        if wanted is not None and node.type != wanted:
            raise self.error(f"{_short(token)!r} is of type {node.type}, not {wanted}", column)
        if len(self.nodes) >= MAX_TREE_NODES:
            raise self.error(f"a tree may have at most {MAX_TREE_NODES} nodes", column)
        if node.arity and not bracketed:
            raise self.error(
                f"{_short(token)!r} takes {node.arity} operands and needs its own brackets", column
            )
        self.nodes.append(node)
        if bracketed:
            self.open.append(_Open(node))
        else:
            self.end_operand()

    def node(self, token: str, column: int) -> Node:
        """Return the primitive or the constant that *token* stands for."""
        if token in self.primitive_set:
            return self.primitive(token, "", column)
        name, bracket, written = token.partition("[")
        if bracket and written.endswith("]") and name in self.primitive_set:
            return self.primitive(name, written[:-1], column)
        if _NUMBER.fullmatch(token):
            value = float(token)
            if math.isinf(value):
                raise self.error(f"the number {_short(token)} is too large", column)
            return Constant(value)
        message = f"unknown name {_short(token)!r}"
        if len(token) <= _LONGEST_NAME:
            names = [primitive.name for primitive in self.primitive_set.primitives]
            message += did_you_mean(token, names)
        raise self.error(message, column)

    def primitive(self, name: str, value: str, column: int) -> Primitive:
        """Return the primitive called *name*, or the member of its family with *value*."""
        primitive = self.primitive_set[name]
        parameter = primitive.parameter
        if parameter is None and not value:
            return primitive
        if parameter is None:
            raise self.error(f"{_short(name)!r} takes no value in square brackets", column)
        if not value:
            example = "[c4]" if parameter.type == "squares" else "[2.5]"
            raise self.error(f"{_short(name)!r} needs its value, as in {name}{example}", column)
        try:
            return primitive.with_value(parameter.read(value))
        except ExpressionError as error:
            raise self.error(f"{_short(name)!r}: {error}", column) from None

    def begin_operand(self, column: int) -> str:
        """Return the required type of the next operand of the innermost open bracket."""
        bracket = self.open[-1]
        node = bracket.node
        if bracket.operands < node.arity:
            return node.argument_types[bracket.operands]
        operands = "no operands" if node.arity == 0 else f"{node.arity} operands"
        raise self.error(
            f"{_name(node)} takes {operands}; this is operand {bracket.operands + 1}", column
        )

    def end_operand(self) -> None:
        """Add the operand just read to the count of the innermost open bracket."""
        if self.open:
            self.open[-1].operands += 1

    def close_bracket(self, column: int) -> None:
        """Close the innermost bracket, which must have all its operands."""
        bracket = self.open.pop()
        arity = bracket.node.arity
        if bracket.operands < arity:
            raise self.error(
                f"{_name(bracket.node)} takes {arity} operand{'s' * (arity != 1)} "
                f"but has {bracket.operands}",
                column,
            )
        self.end_operand()


def _name(node: Node) -> str:
    return repr(_short(node.name))


def _short(token: str) -> str:
    return shorten(token, _LONGEST_NAME)


def check_text(text: str) -> None:
    """Raise TypeError unless *text* is a text, and `TreeSyntaxError` if it is too long."""
    if not isinstance(text, str):
        raise TypeError(f"a tree is read from a text such as '( white )', not from {text!r:.40}")
    if len(text) > MAX_TEXT_LENGTH:
        raise TreeSyntaxError(
            f"the text of a tree may have at most {MAX_TEXT_LENGTH} characters, not {len(text)}",
            text,
            MAX_TEXT_LENGTH + 1,
        )


def parse_tree(
    text: str,
    primitive_set: PrimitiveSet | str = DEFAULT_PRIMITIVES,
    *,
    root_type: str | None = "number",
) -> Tree:
    """Return the tree that *text* writes over *primitive_set*, a set or its name.

    Tokens are separated by white space or brackets, so `))` is read as two brackets. A number that
    is not the name of a primitive is a `Constant`. *root_type* is the type the tree must have, None
    for any.

    Raises `TreeSyntaxError` with the column; the text may have 1,000,000 characters and the tree
    4,096 nodes at most.

    >>> str(parse_tree("(+ white ( * 0.5 black ))", "liao"))
    '( + white ( * 0.5 black ) )'
    """
    check_text(text)
    primitives = find_primitive_set(primitive_set)
    nodes = _Parser(text, primitives).parse(root_type)
    return Tree(primitives, tuple(nodes))
