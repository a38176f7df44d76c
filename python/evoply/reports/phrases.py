"""Parts of an evaluator and their influence in plain English.

Counts are never negative, so a positive term wants many and a negative one few. This module only
words what was measured elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from evoply.expressions import Constant, Expression, Primitive, board, count
from evoply.expressions import features as counted
from evoply.gp import Tree
from evoply.gp.infix import infix, number_value, operation
from evoply.reports.terms import TreeTerm, features

__all__ = [
    "expression_phrase",
    "joined",
    "percent",
    "short_formula",
    "tree_phrase",
    "wanted",
    "wanted_term",
    "wanted_value",
    "without_common",
]

_LONGEST_FORMULA = 48
_OPPONENT = "the opponent's "
_NAMED: Mapping[str, str] = {
    "own_discs": "own discs",
    "own_corners": "own corners",
    "own_near_corners": "own discs next to a corner",
    "own_edges": "own discs on the edge",
    "own_mobility": "own legal moves",
    "own_frontier": "own discs beside an empty square",
}


def percent(share: float) -> str:
    """Return a share in [0, 1] as a whole percentage, honest near the ends.

    >>> percent(0.0), percent(0.004), percent(0.614), percent(0.999)
    ('0 %', 'under 1 %', '61 %', 'over 99 %')
    """
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{share:.0%}".replace("%", " %")


def joined(parts: Sequence[str], last: str = "and") -> str:
    """Return "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def short_formula(text: str) -> str:
    """Return *text* cut to what a sentence can hold."""
    return text if len(text) <= _LONGEST_FORMULA else text[: _LONGEST_FORMULA - 1].rstrip() + "…"


def tree_phrase(feature: Tree) -> str | None:
    """Return the noun phrase of a feature that counts something; None for any other tree."""
    node = feature.nodes[0]
    if len(feature) > 1 or isinstance(node, Constant):
        return None
    return expression_phrase(node.expression)


def expression_phrase(expression: Expression) -> str | None:
    """Return the noun phrase of an expression that is a known count, else None."""
    return _known_counts().get(expression)


@lru_cache(maxsize=1)
def _known_counts() -> Mapping[Expression, str]:
    known: dict[Expression, str] = {}
    for name, phrase in _NAMED.items():
        for side, text in (("own", phrase), ("opponent", phrase.replace("own ", _OPPONENT, 1))):
            known[counted.FEATURES[name.replace("own", side)]] = text
    for side, whose in (("own", "own "), ("opponent", _OPPONENT)):
        for rank in ("men", "kings"):
            known[count(getattr(board, f"{side}_{rank}"))] = f"{whose}{rank}"
        known[counted.near_corners(side, "x")] = f"{whose}discs diagonally next to a corner"
        known[counted.edges(side, 24)] = f"{whose}discs on the edge outside the corners"
        for order in counted.ORDERS:
            for letter in "abcdefghijklmno":
                where = "" if order == "corner_first" else " (lettered from the centre)"
                expression = counted.square_class(side, letter, order)
                known[expression] = f"{whose}discs on the squares of class {letter}{where}"
    return known


def wanted(phrase: str, is_more: bool) -> str:
    """Return "many own corners", "few legal moves for the opponent", and the like.

    >>> wanted("the opponent's legal moves", False)
    'few legal moves for the opponent'
    """
    amount = "many" if is_more else "few"
    if phrase.startswith(_OPPONENT):
        return f"{amount} {phrase.removeprefix(_OPPONENT)} for the opponent"
    return f"{amount} {phrase}"


def wanted_value(text: str, is_more: bool) -> str:
    """Return what is wanted of something that is not a count."""
    return f"a {'high' if is_more else 'low'} value of {text}"


def wanted_term(term: TreeTerm) -> tuple[str, bool]:
    """Return what a term wants, and whether that is said in words rather than as a formula."""
    is_more = term.coefficient > 0
    above = [_noun(tree) for tree in term.factors]
    below = [_noun(tree) for tree in term.divisors]
    nouns = [noun for noun in (*above, *below) if noun is not None]
    if len(nouns) < len(above) + len(below) or len(above) > 3 or len(below) > 2:
        formula = term.text.removeprefix("-")
        return wanted_value(f"`{short_formula(formula)}`", is_more), False
    tops, bottoms = nouns[: len(above)], nouns[len(above) :]
    if not bottoms and len(tops) == 1:
        return _one(term.factors[0], tops[0], is_more), True
    if not tops and len(bottoms) == 1:
        return _one(term.divisors[0], bottoms[0], not is_more), True
    amount = "high" if is_more else "low"
    if not bottoms:
        if len(set(tops)) == 1:
            power = "squared" if len(tops) == 2 else "cubed"
            return f"{_one(term.factors[0], tops[0], is_more)}, {power}", True
        return f"a {amount} product of {joined(_powers(tops))}", True
    if not tops:
        return f"a {'low' if is_more else 'high'} product of {joined(_powers(bottoms))}", True
    above_text, below_text = " times ".join(_powers(tops)), " times ".join(_powers(bottoms))
    return f"a {amount} ratio of {above_text} to {below_text}", True


def _powers(nouns: Sequence[str]) -> list[str]:
    """Return each noun once, with "squared" or "cubed" if it stands there more often."""
    power = {1: "", 2: " squared", 3: " cubed"}
    return [noun + power[nouns.count(noun)] for noun in dict.fromkeys(nouns)]


def without_common(terms: Sequence[TreeTerm]) -> tuple[list[TreeTerm], str]:
    """Return *terms* without the factors and divisors that all share, and a sentence on these."""
    if len(terms) < 2:
        return list(terms), ""
    factors = _shared([term.factors for term in terms])
    divisors = _shared([term.divisors for term in terms])
    reduced = [
        replace(
            term,
            factors=_less(term.factors, factors),
            divisors=_less(term.divisors, divisors),
        )
        for term in terms
    ]
    if not (factors or divisors) or any(term.is_constant for term in reduced):
        return list(terms), ""
    parts = [
        f"{verb} {joined([noun for noun in map(_noun, trees) if noun is not None])}"
        for verb, trees in (("multiplied by", factors), ("divided by", divisors))
        if trees
    ]
    return reduced, f" All of it is {joined(parts)}."


def _shared(lists: Sequence[tuple[Tree, ...]]) -> tuple[Tree, ...]:
    """Return the trees that words can say and that are in every one of *lists*."""
    shared: list[Tree] = []
    for tree in lists[0]:
        is_said = tree not in shared and _noun(tree) is not None
        if is_said and all(tree in others for others in lists[1:]):
            shared.append(tree)
    return tuple(shared)


def _less(trees: tuple[Tree, ...], taken: tuple[Tree, ...]) -> tuple[Tree, ...]:
    left = list(trees)
    for tree in taken:
        left.remove(tree)
    return tuple(left)


def _one(tree: Tree, noun: str, is_more: bool) -> str:
    if tree_phrase(tree) is not None:
        return wanted(noun, is_more)
    return wanted_value(noun, is_more)


def _noun(tree: Tree) -> str | None:
    """Return a feature or a short sum of features as a noun phrase, else None."""
    phrase = _feature_noun(tree)
    if phrase is not None:
        return phrase
    parts: list[str] = []
    waiting = [0]
    while waiting:
        index = waiting.pop()
        if operation(tree.nodes[index]) == "add":
            waiting += reversed(tree.children(index))
            continue
        part = tree.subtree(index)
        value = number_value(part.nodes[0])
        noun = _feature_noun(part) if value is None else f"{value:g}" if value > 0 else None
        if noun is None:
            return None
        parts.append(noun)
    return f"the sum of {joined(parts)}" if 1 < len(parts) <= 3 else None


def _feature_noun(tree: Tree) -> str | None:
    if len(features(tree)) != 1 or features(tree)[0] != tree:
        return None
    phrase = tree_phrase(tree)
    if phrase is not None:
        return phrase
    node = tree.nodes[0]
    is_leaf = isinstance(node, Primitive) and not node.arity
    return node.name.replace("_", " ") if is_leaf else f"`{short_formula(infix(tree))}`"
