"""The text form of trees, `( + white white_corners )`, and of individuals of several trees.

Reading and printing do not recurse, so that no text can exhaust the stack; texts that are too long
are refused at once. This module knows names, arities and types of primitives, not their meaning.
Source: Liao, "Genetic Programming Applied to Board Game Othello", whose course program reads this
form ("Bug Report").
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evoply.expressions import (
    DEFAULT_PRIMITIVES,
    Constant,
    ExpressionError,
    Node,
    Primitive,
    PrimitiveSet,
    definition_sets,
    find_primitive_set,
)
from evoply.gp.tree import MAX_BRANCHES, MAX_TREE_NODES, Forest, Genotype, Tree, TreeError
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


# The text form of individuals: plain trees, Liao's staged hypotheses, and braces for all others.
#
# ( white ) a tree ( white ),50,( + white white_corners ),50 stages, percentages of the game { sum (
# white ) ( mobility ) } several trees, added { terms ( * 6 white ) } the same, each a number times
# features { phases ( white ) 50 ( white_corners ) 50 } by the
# clock of the evaluated board { ply_stages ( white ) 50 ( white_corners ) 50 } stages by the plies
# played { adf ( ADF0 white black ) ADF0/2 ( * ARG0 ARG1 ) } a result and its definitions { ordered
# ( white ) ( white_corners ) } a value, and a tree that orders moves
#
# Source of the second: Liao, "Genetic Programming Applied to Board Game Othello".

_TIMED = ("phases", "ply_stages")
_ROLES = ("sum", "terms", *_TIMED, "adf", "ordered")
_WORD = re.compile(r"[^\s(){}]+")
_PERCENT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,20})?")
_HEADER = re.compile(r"ADF([0-9])/([0-9])")


def parse_individual(
    text: str,
    primitives: PrimitiveSet | str | Sequence[PrimitiveSet] = DEFAULT_PRIMITIVES,
) -> Genotype:
    """Return the individual that *text* writes; a staged one with a single 100 is a plain tree.

    *primitives* is the set of all trees, or its name, extended by `definition_sets` for
    definitions, or a sequence of the sets of the branches. Raises `TreeSyntaxError` with the column
    in *text*.
    """
    check_text(text)
    if isinstance(primitives, str):
        primitives = find_primitive_set(primitives)
    reader = _Reader(text)
    index = reader.skip(0)
    if text.startswith("{", index):
        return reader.braces(index, primitives)
    spans = reader.staged(index)
    if spans is None:
        chosen = primitives if isinstance(primitives, PrimitiveSet) else primitives[0]
        return parse_tree(text, chosen)
    sets = _one_set_a_tree(primitives, len(spans))
    trees = tuple(
        reader.tree(span.start, span.end, chosen) for span, chosen in zip(spans, sets, strict=True)
    )
    percents = tuple(span.percent for span in spans)
    if percents == (100,):
        return trees[0]
    return reader.forest("stages", trees, percents)


@dataclass(frozen=True, slots=True)
class _Span:
    """The start and end of a tree in a text, and the percentage after it (0: none)."""

    start: int
    end: int
    percent: float = 0


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds the trees of a text; `parse_tree` reads the trees themselves."""

    text: str

    def error(self, message: str, index: int) -> TreeSyntaxError:
        return TreeSyntaxError(message, self.text, min(index, len(self.text)) + 1)

    def skip(self, index: int) -> int:
        """Return the index of the first character from *index* on that is not white space."""
        while index < len(self.text) and self.text[index].isspace():
            index += 1
        return index

    def bracket(self, index: int) -> int:
        """Return the index after the end of the bracket that opens at *index*."""
        if not self.text.startswith("(", index):
            raise self.error("a tree must stand here, in brackets", index)
        depth = 0
        for end in range(index, len(self.text)):
            depth += (self.text[end] == "(") - (self.text[end] == ")")
            if depth == 0:
                return end + 1
        raise self.error("the text ends before a bracket is closed", len(self.text))

    def staged(self, index: int) -> list[_Span] | None:
        """Return the trees and percentages of `tree,p,tree,p`; None if the text is a tree."""
        if "," not in self.text:
            return None
        spans: list[_Span] = []
        while True:
            end = self.bracket(index)
            comma = self.comma(end, "a percentage")
            percent_end, percent = self.percent(self.skip(comma))
            spans.append(_Span(index, end, percent))
            rest = self.skip(percent_end)
            if rest == len(self.text):
                return spans
            index = self.skip(self.comma(rest, "the next tree"))
            if len(spans) >= MAX_BRANCHES:
                raise self.error(f"an individual has at most {MAX_BRANCHES} trees", index)

    def comma(self, index: int, before: str) -> int:
        """Return the index after the comma that must stand at or after *index*."""
        index = self.skip(index)
        if not self.text.startswith(",", index):
            raise self.error(f"a comma must stand here, before {before}", index)
        return index + 1

    def percent(self, index: int) -> tuple[int, float]:
        """Return the index after the percentage at *index*, and the percentage."""
        match = _PERCENT.match(self.text, index)
        if match is None:
            raise self.error("a percentage must stand here, such as 50", index)
        percent = float(match.group())
        return match.end(), int(percent) if percent.is_integer() else percent

    def tree(self, start: int, end: int, chosen: PrimitiveSet) -> Tree:
        """Return the tree between two indices; errors give the column in the whole text."""
        # Blanks replace the text before the tree, so that columns do not change.
        return parse_tree(" " * start + self.text[start:end], chosen)

    def forest(
        self, role: str, trees: tuple[Tree, ...], percents: tuple[float, ...] = ()
    ) -> Forest:
        try:
            return Forest(role, trees, percents)  # type: ignore[arg-type]  # checked there
        except TreeError as error:
            raise self.error(str(error), 0) from None

    def braces(self, index: int, primitives: PrimitiveSet | Sequence[PrimitiveSet]) -> Forest:
        """Return the individual in braces: a role, and trees with percentages or headers."""
        role, index = self.role(self.skip(index + 1))
        spans: list[_Span] = []
        arities: list[int] = []
        while not self.text.startswith("}", index):
            if role == "adf" and spans:
                arity, index = self.header(index, len(arities))
                arities.append(arity)
            end = self.bracket(index)
            if role in _TIMED:
                after, percent = self.percent(self.skip(end))
                spans.append(_Span(index, end, percent))
                index = self.skip(after)
            else:
                spans.append(_Span(index, end))
                index = self.skip(end)
            if len(spans) > MAX_BRANCHES:
                raise self.error(f"an individual has at most {MAX_BRANCHES} trees", index)
        if self.skip(index + 1) != len(self.text):
            raise self.error("something follows the closing brace", self.skip(index + 1))
        sets = self.sets(primitives, role, arities, len(spans))
        trees = tuple(
            self.tree(span.start, span.end, chosen)
            for span, chosen in zip(spans, sets, strict=True)
        )
        if role == "adf":
            self.check_nodes(trees)
        percents = tuple(span.percent for span in spans) if role in _TIMED else ()
        return self.forest(role, trees, percents)

    def role(self, index: int) -> tuple[str, int]:
        """Return the role at *index*, and the index of the next part."""
        match = _WORD.match(self.text, index)
        role = match.group() if match else ""
        if role not in _ROLES:
            raise self.error(f"one of {', '.join(_ROLES)} must stand here, after the brace", index)
        return role, self.skip(index + len(role))

    def header(self, index: int, number: int) -> tuple[int, int]:
        """Return the number of arguments in a header such as `ADF0/2`, and the index after it."""
        match = _HEADER.match(self.text, index)
        if match is None or int(match[1]) != number:
            raise self.error(
                f"the name and number of arguments of a definition must stand here: ADF{number}/2",
                index,
            )
        return int(match[2]), self.skip(match.end())

    def sets(
        self,
        primitives: PrimitiveSet | Sequence[PrimitiveSet],
        role: str,
        arities: list[int],
        trees: int,
    ) -> Sequence[PrimitiveSet]:
        """Return the set of each tree."""
        if role != "adf" or not isinstance(primitives, PrimitiveSet):
            return _one_set_a_tree(primitives, trees)
        try:
            return definition_sets(primitives, tuple(arities), with_terminals=True)
        except ExpressionError as error:
            raise self.error(str(error), 0) from None

    def check_nodes(self, trees: Sequence[Tree]) -> None:
        """Raise an error if all trees together have more nodes than a tree may have."""
        if sum(map(len, trees)) > MAX_TREE_NODES:
            raise self.error(f"an individual may have at most {MAX_TREE_NODES} nodes", 0)


def _one_set_a_tree(
    primitives: PrimitiveSet | Sequence[PrimitiveSet], trees: int
) -> Sequence[PrimitiveSet]:
    if isinstance(primitives, PrimitiveSet):
        return [primitives] * trees
    if len(primitives) != trees:
        raise TreeError(f"{trees} trees need {trees} sets of primitives, not {len(primitives)}")
    return primitives
