"""The text form of individuals: plain trees, Liao's staged hypotheses, and braces for the rest.

    ( white )                                                 a tree
    ( white ),50,( + white white_corners ),50                 stages, percentages of the game
    { sum ( white ) ( mobility ) }                            several trees, added
    { phases ( white ) 50 ( white_corners ) 50 }              by the clock of the evaluated board
    { ply_stages ( white ) 50 ( white_corners ) 50 }          stages by the plies played
    { adf ( ADF0 white black ) ADF0/2 ( * ARG0 ARG1 ) }       a result and its definitions
    { ordered ( white ) ( white_corners ) }                   a value, and what orders moves

Source of the second: Liao, "Genetic Programming Applied to Board Game Othello".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evoply.expressions import ExpressionError, PrimitiveSet, definition_sets
from evoply.gp.forest import MAX_BRANCHES, Forest, Genotype
from evoply.gp.tree import MAX_TREE_NODES, Tree, TreeError
from evoply.gp.tree_text import MAX_TEXT_LENGTH, TreeSyntaxError, parse_tree

_TIMED = ("phases", "ply_stages")
_ROLES = ("sum", *_TIMED, "adf", "ordered")
_WORD = re.compile(r"[^\s(){}]+")
_PERCENT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,20})?")
_HEADER = re.compile(r"ADF([0-9])/([0-9])")


def parse_individual(
    text: str,
    primitives: PrimitiveSet | Sequence[PrimitiveSet],
) -> Genotype:
    """Return the individual that *text* writes; a staged one with a single 100 is a plain tree.

    *primitives* is the set of all trees; for definitions it is extended as `definition_sets` says,
    unless the sets of the branches are given one by one. Raises `TreeSyntaxError` with the column
    in *text*.
    """
    if len(text) > MAX_TEXT_LENGTH:
        raise TreeSyntaxError(
            f"a text may have at most {MAX_TEXT_LENGTH} characters, not {len(text)}",
            text,
            MAX_TEXT_LENGTH + 1,
        )
    reader = _Reader(text)
    place = reader.skip(0)
    if text.startswith("{", place):
        return reader.braces(place, primitives)
    spans = reader.staged(place)
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
    """Where a tree stands in a text, and the percentage after it (0: none)."""

    start: int
    end: int
    percent: float = 0


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds the trees of a text; the trees themselves are read by `parse_tree`."""

    text: str

    def error(self, message: str, place: int) -> TreeSyntaxError:
        return TreeSyntaxError(message, self.text, min(place, len(self.text)) + 1)

    def skip(self, place: int) -> int:
        """Return the first place from *place* on that is no white space."""
        while place < len(self.text) and self.text[place].isspace():
            place += 1
        return place

    def bracket(self, place: int) -> int:
        """Return the place after the bracket that opens at *place* and everything in it."""
        if not self.text.startswith("(", place):
            raise self.error("a tree must stand here, in brackets", place)
        depth = 0
        for end in range(place, len(self.text)):
            depth += (self.text[end] == "(") - (self.text[end] == ")")
            if depth == 0:
                return end + 1
        raise self.error("the text ends before a bracket is closed", len(self.text))

    def staged(self, place: int) -> list[_Span] | None:
        """Return the trees and percentages of `tree,p,tree,p`; None if the text is a tree."""
        if "," not in self.text:
            return None
        spans: list[_Span] = []
        while True:
            end = self.bracket(place)
            comma = self.comma(end, "a percentage")
            percent_end, percent = self.percent(self.skip(comma))
            spans.append(_Span(place, end, percent))
            rest = self.skip(percent_end)
            if rest == len(self.text):
                return spans
            place = self.skip(self.comma(rest, "the next tree"))
            if len(spans) >= MAX_BRANCHES:
                raise self.error(f"an individual has at most {MAX_BRANCHES} trees", place)

    def comma(self, place: int, before: str) -> int:
        """Return the place after the comma that must stand at or after *place*."""
        place = self.skip(place)
        if not self.text.startswith(",", place):
            raise self.error(f"a comma must stand here, before {before}", place)
        return place + 1

    def percent(self, place: int) -> tuple[int, float]:
        """Return the place after the percentage at *place*, and the percentage."""
        match = _PERCENT.match(self.text, place)
        if match is None:
            raise self.error("a percentage must stand here, such as 50", place)
        percent = float(match.group())
        return match.end(), int(percent) if percent.is_integer() else percent

    def tree(self, start: int, end: int, chosen: PrimitiveSet) -> Tree:
        """Return the tree between two places; errors give the column in the whole text."""
        # What stands before the tree is blanked, so that columns stay what they are.
        return parse_tree(" " * start + self.text[start:end], chosen)

    def forest(
        self, role: str, trees: tuple[Tree, ...], percents: tuple[float, ...] = ()
    ) -> Forest:
        try:
            return Forest(role, trees, percents)  # type: ignore[arg-type]  # checked there
        except TreeError as error:
            raise self.error(str(error), 0) from None

    def braces(self, place: int, primitives: PrimitiveSet | Sequence[PrimitiveSet]) -> Forest:
        """Return what stands in braces: a role, and trees with what belongs to each."""
        role, place = self.role(self.skip(place + 1))
        spans: list[_Span] = []
        arities: list[int] = []
        while not self.text.startswith("}", place):
            if role == "adf" and spans:
                arity, place = self.header(place, len(arities))
                arities.append(arity)
            end = self.bracket(place)
            if role in _TIMED:
                after, percent = self.percent(self.skip(end))
                spans.append(_Span(place, end, percent))
                place = self.skip(after)
            else:
                spans.append(_Span(place, end))
                place = self.skip(end)
            if len(spans) > MAX_BRANCHES:
                raise self.error(f"an individual has at most {MAX_BRANCHES} trees", place)
        if self.skip(place + 1) != len(self.text):
            raise self.error("something follows the closing brace", self.skip(place + 1))
        sets = self.sets(primitives, role, arities, len(spans))
        trees = tuple(
            self.tree(span.start, span.end, chosen)
            for span, chosen in zip(spans, sets, strict=True)
        )
        if role == "adf":
            self.check_nodes(trees)
        percents = tuple(span.percent for span in spans) if role in _TIMED else ()
        return self.forest(role, trees, percents)

    def role(self, place: int) -> tuple[str, int]:
        """Return the role at *place*, and where the next thing stands."""
        match = _WORD.match(self.text, place)
        role = match.group() if match else ""
        if role not in _ROLES:
            raise self.error(f"one of {', '.join(_ROLES)} must stand here, after the brace", place)
        return role, self.skip(place + len(role))

    def header(self, place: int, index: int) -> tuple[int, int]:
        """Return the number of arguments that `ADF0/2` says, and where the definition stands."""
        match = _HEADER.match(self.text, place)
        if match is None or int(match[1]) != index:
            raise self.error(
                f"the name and number of arguments of a definition must stand here: ADF{index}/2",
                place,
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
        """Refuse definitions that are together larger than a tree may be."""
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
