"""The faulty parser of Liao's course program, as the tree that the program played for a text.

The program evolved trees but played their texts, with a token machine that wrongly skips closing
brackets: after `)` a following `(` is not recognised, the operand counts 0, and the rest of the
text is out of step. The behaviour of the machine depends only on the text, so its computation is
itself a tree, in which a missing operand is the constant 0. Tests compare with it, and the
reconstruction of the program behind the paper's tables plays it. Source: Liao, "Genetic Programming
Applied to Board Game Othello", section "Bug Report".
"""

from dataclasses import dataclass

from evoply.expressions import Constant, Node, PrimitiveSet
from evoply.gp.tree import MAX_TREE_NODES, Tree
from evoply.gp.tree_text import MAX_TEXT_LENGTH, TreeSyntaxError

_BRACKETS = ("(", ")", "))", ")))", "))))")
"""The brackets that the machine skips before an operand, each once and in this order."""
_MISSING = Constant(0.0)


@dataclass(frozen=True, slots=True)
class LegacyReading:
    """The tree that the program played for a text.

    *errors* is the number of its "Parse Error" reports; *unread* is the number of tokens that it
    never read, closing brackets at the end included.
    """

    tree: Tree
    errors: int
    unread: int

    @property
    def had_error(self) -> bool:
        """Whether "Parse Error" was reported."""
        return self.errors > 0


def legacy_tree(text: str, primitive_set: PrimitiveSet) -> LegacyReading:
    """Return the tree that the token machine computes for *text* over *primitive_set*.

    Only white space separates tokens. A missing operand at the end of the text, for which the paper
    shows no code, also counts as a parse error. Raises `TreeSyntaxError` for a text or a tree that
    is too long and ValueError for a set with types other than numbers.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> reading = legacy_tree("( + ( * white white ) ( * black black ))", PRIMITIVE_SETS["liao"])
    >>> print(reading.tree, reading.had_error)
    ( + ( * white white ) 0 ) True
    """
    if any({node.type, *node.argument_types} != {"number"} for node in primitive_set):
        raise ValueError(f"the legacy parser knows numbers only, not the set {primitive_set.name}")
    if len(text) > MAX_TEXT_LENGTH:
        raise TreeSyntaxError("the text is too long", text, MAX_TEXT_LENGTH + 1)
    tokens = text.split()
    nodes: list[Node] = []
    index = errors = 0
    wanted = 1  # operands still to come
    while wanted:
        # Step 1. Take the next item after the brackets that are skipped.
        item = tokens[index] if index < len(tokens) else ""
        index += 1
        for bracket in _BRACKETS:
            if item == bracket:
                item = tokens[index] if index < len(tokens) else ""
                index += 1
        # Step 2. Add an operator, a terminal, or 0 for a parse error.
        node: Node = _MISSING
        if item in primitive_set:
            node = primitive_set[item]
        errors += node is _MISSING
        nodes.append(node)
        if len(nodes) > MAX_TREE_NODES:
            raise TreeSyntaxError(f"a tree may have at most {MAX_TREE_NODES} nodes", text, 1)
        wanted += node.arity - 1
    return LegacyReading(Tree(primitive_set, tuple(nodes)), errors, max(len(tokens) - index, 0))
