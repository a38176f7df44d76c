"""English sentences about what a simplified tree wants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evoply.gp.infix import infix, number_text, number_value, operation
from evoply.gp.simplification import Simplified
from evoply.gp.tree import Tree

PHRASES: Mapping[str, str] = {
    # Trees are trained as White, so white reads as own.
    "white": "own discs",
    "black": "the opponent's discs",
    "white_corners": "own corners",
    "black_corners": "the opponent's corners",
    "white_near_corners": "own discs next to a corner",
    "black_near_corners": "the opponent's discs next to a corner",
    "white_edges": "own discs on the edge",
    "black_edges": "the opponent's discs on the edge",
    "white_mobility": "own legal moves",
    "black_mobility": "the opponent's legal moves",
}
"""What the primitives of the set `liao+mobility` count, in words."""

MOST_TERMS = 8
_MOST_EXCEPTIONS = 3
_LONGEST_FORMULA = 15  # nodes of a factor that is still spelled out
_LONGEST_EXCEPTION = 160  # characters


@dataclass(frozen=True, slots=True)
class Term:
    """One additive term: a weight and the subtrees it multiplies; none for the constant term."""

    weight: float
    factors: tuple[Tree, ...]


def additive_terms(tree: Tree) -> list[Term]:
    """Return the terms whose sum is *tree*, from left to right, for any tree of type number.

    Sums are taken apart, also under numeric factors; products of two or more features stay whole.
    """
    terms: list[Term] = []
    waiting = [(0, 1.0)]
    while waiting:
        index, weight = waiting.pop()
        match operation(tree.nodes[index]):
            case "add" | "subtract" as name:
                first, second = tree.children(index)
                waiting.append((second, -weight if name == "subtract" else weight))
                waiting.append((first, weight))
                continue
        weight, factors = _product(tree, index, weight)
        inner = operation(tree.nodes[factors[0]]) if len(factors) == 1 else None
        if inner in ("add", "subtract"):
            waiting.append((factors[0], weight))
        else:
            terms.append(Term(weight, tuple(tree.subtree(factor) for factor in factors)))
    return terms


def _product(tree: Tree, index: int, weight: float) -> tuple[float, list[int]]:
    """Return *weight* times the numbers, and the other factors, of the product at *index*."""
    factors: list[int] = []
    waiting = [index]
    while waiting:
        place = waiting.pop()
        node = tree.nodes[place]
        value = number_value(node)
        if value is not None:
            weight *= value
            continue
        name = operation(node)
        children = tree.children(place)
        divisor = number_value(tree.nodes[children[1]]) if name == "divide" else None
        if name == "multiply":
            waiting += reversed(children)
        elif divisor:
            weight /= divisor
            waiting.append(children[0])
        else:
            factors.append(place)
    return weight, factors


def describe(simplified: Simplified, phrases: Mapping[str, str] = PHRASES) -> str:
    """Return in English what a player with this evaluator wants, heaviest terms first.

    *phrases* gives each primitive in words; without one its name is read with spaces.
    """
    sentences = [_wish(simplified, phrases)]
    # Long exceptions are only counted.
    exceptions = [
        _in_words(text, phrases)
        for text in sorted(simplified.exceptions, key=lambda text: len(text) > _LONGEST_EXCEPTION)
    ]
    if exceptions:
        readable = sum(len(text) <= _LONGEST_EXCEPTION for text in simplified.exceptions)
        shown = exceptions[: min(_MOST_EXCEPTIONS, readable)]
        more = len(exceptions) - len(shown)
        sentences.append(
            "This holds "
            + "; and ".join(
                ["; ".join(shown)] * bool(shown)
                + [f"with {_number_of(more, 'further exception')}"] * bool(more)
            )
            + "."
        )
    return " ".join(sentences)


def _wish(simplified: Simplified, phrases: Mapping[str, str]) -> str:
    if simplified.constant is not None:
        value = number_text(simplified.constant)
        choice = "" if simplified.exceptions else ", so the rule for ties alone chooses"
        return f"It gives every position the same value, {value}{choice}."
    if simplified.tree.type != "number":
        return f"It answers {_in_words(infix(simplified.tree), phrases)}."
    terms = [term for term in additive_terms(simplified.tree) if term.factors and term.weight]
    terms.sort(key=lambda term: (-abs(term.weight), len(term.factors)))
    shown = [_wanted(term, phrases, is_only=len(terms) == 1) for term in terms[:MOST_TERMS]]
    more = len(terms) - len(shown)
    if more:
        shown.append(_number_of(more, "lighter term"))
    return f"It wants {_listed(shown)}."


def _wanted(term: Term, phrases: Mapping[str, str], *, is_only: bool) -> str:
    wants_more = term.weight > 0
    text = " times ".join(_factor(factor, phrases) for factor in term.factors)
    if len(term.factors) == 1 and len(term.factors[0]) == 1:
        amount = "many" if wants_more else "few"
        text = f"of {text}" if text.startswith("the ") else text
    else:
        amount = "a large value of" if wants_more else "a small value of"
    weight = "" if is_only else f" (weight {number_text(abs(term.weight))})"
    return f"{amount} {text}{weight}"


def _factor(tree: Tree, phrases: Mapping[str, str]) -> str:
    """Return a factor in words, in brackets if it is a sum or a quotient among other things."""
    if len(tree) == 1:
        return _phrase(tree.nodes[0].name, phrases)
    if len(tree) > _LONGEST_FORMULA:
        features = {
            node.name for node in tree.nodes if not node.arity and number_value(node) is None
        }
        size = _number_of(len(tree), "node")
        return f"a formula of {size} in {_number_of(len(features), 'feature')}"
    text = infix(tree, lambda name: _phrase(name, phrases))
    return f"({text})" if operation(tree.nodes[0]) else text


def _phrase(name: str, phrases: Mapping[str, str]) -> str:
    return phrases.get(name, name.replace("_", " "))


def _in_words(text: str, phrases: Mapping[str, str]) -> str:
    """Return a formula with the names of primitives replaced by their phrases."""
    words: list[str] = []
    for word in text.split(" "):
        name = word.strip("(),")
        words.append(word.replace(name, _phrase(name, phrases)) if name else word)
    return " ".join(words)


def _listed(parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _number_of(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"
