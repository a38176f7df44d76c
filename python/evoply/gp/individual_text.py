"""The text form of individuals: plain trees, Liao's staged hypotheses, and braces for all others.

    ( white )                                                 a tree
    ( white ),50,( + white white_corners ),50                 stages, percentages of the game
    { sum ( white ) ( mobility ) }                            several trees, added
    { phases ( white ) 50 ( white_corners ) 50 }              by the clock of the evaluated board
    { ply_stages ( white ) 50 ( white_corners ) 50 }          stages by the plies played
    { adf ( ADF0 white black ) ADF0/2 ( * ARG0 ARG1 ) }       a result and its definitions
    { ordered ( white ) ( white_corners ) }                   a value, and a tree that orders moves

Source of the second: Liao, "Genetic Programming Applied to Board Game Othello".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evoply.expressions import (
    DEFAULT_PRIMITIVES,
    ExpressionError,
    PrimitiveSet,
    definition_sets,
    find_primitive_set,
)
from evoply.gp.forest import MAX_BRANCHES, Forest, Genotype
from evoply.gp.tree import MAX_TREE_NODES, Tree, TreeError
from evoply.gp.tree_text import TreeSyntaxError, check_text, parse_tree

_TIMED = ("phases", "ply_stages")
_ROLES = ("sum", *_TIMED, "adf", "ordered")
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
