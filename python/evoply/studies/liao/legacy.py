"""The tree that Liao's course program played for a text: its parser with its bug.

The program evolved trees but played their texts, with a token machine that skips closing brackets
where it should not: after `)` a following `(` is not recognised, the operand counts 0, and the rest
of the text is out of step. What the machine does depends only on the text, so what it computes is
itself a tree, in which a missing operand is the constant 0. Tests compare with it, and the
reconstruction of the program behind the paper's tables plays it. Source: Liao, "Genetic Programming
Applied to Board Game Othello", section "Bug Report".
"""

from dataclasses import dataclass

from evoply.expressions import Constant, Node, PrimitiveSet
from evoply.gp.tree import MAX_TREE_NODES, Tree
from evoply.gp.tree_text import MAX_TEXT_LENGTH, TreeSyntaxError

_BRACKETS = ("(", ")", "))", ")))", "))))")
"""What the machine skips before an operand, each once and in this order."""
_MISSING = Constant(0.0)


@dataclass(frozen=True, slots=True)
class LegacyReading:
    """What the program played for a text.

    *errors* is how often it reported "Parse Error"; *unread* is how many tokens it never looked at,
    closing brackets at the end included.
    """

    tree: Tree
    errors: int
    unread: int

    @property
    def had_error(self) -> bool:
        """Whether "Parse Error" was reported at all."""
        return self.errors > 0


def legacy_tree(text: str, primitive_set: PrimitiveSet) -> LegacyReading:
    """Return the tree that the token machine computes for *text* over *primitive_set*.

    Tokens are separated by white space only. At the end of the text, for which the paper shows no
    code, an operand counts as a parse error, too. Raises `TreeSyntaxError` for a text or a tree
    that is too long and ValueError for a set of other types than numbers.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> reading = legacy_tree("( + ( * white white ) ( * black black ))", PRIMITIVE_SETS["liao"])
    >>> print(reading.tree, reading.had_error)
    ( + ( * white white ) 0 ) True
    """
    if any({one.type, *one.argument_types} != {"number"} for one in primitive_set):
        raise ValueError(f"the legacy parser knows numbers only, not the set {primitive_set.name}")
    if len(text) > MAX_TEXT_LENGTH:
        raise TreeSyntaxError("the text is too long", text, MAX_TEXT_LENGTH + 1)
    tokens = text.split()
    nodes: list[Node] = []
    place = errors = 0
    wanted = 1  # operands still to come
    while wanted:
        # Step 1. The next item, or the next but one, ... behind brackets that are skipped.
        item = tokens[place] if place < len(tokens) else ""
        place += 1
        for bracket in _BRACKETS:
            if item == bracket:
                item = tokens[place] if place < len(tokens) else ""
                place += 1
        # Step 2. An operator, a terminal, or a parse error that counts 0.
        node: Node = _MISSING
        if item in primitive_set:
            node = primitive_set[item]
        errors += node is _MISSING
        nodes.append(node)
        if len(nodes) > MAX_TREE_NODES:
            raise TreeSyntaxError(f"a tree may have at most {MAX_TREE_NODES} nodes", text, 1)
        wanted += node.arity - 1
    return LegacyReading(Tree(primitive_set, tuple(nodes)), errors, max(len(tokens) - place, 0))
