"""Parts of an evaluator and their influence in plain English.

Counts are never negative, so a positive term wants many and a negative one few. This module only
words what was measured elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evoply.expressions import DIFFERENCES, Expression
from evoply.expressions.written_form import UNNAMED, FormulaNames, formula
from evoply.gp.algebra.formulas import DIGITS
from evoply.gp.algebra.terms import Term, is_feature
from evoply.protocols.sections import JsonData
from evoply.reports.feature_words import FeatureWords, known_features, named_fact, pattern_phrase
from evoply.wording import short_formula

_MOST_LISTED = 4
_LEAST_SHARE = 0.01
"""Parts that change fewer moves than this are only counted."""


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


@dataclass(frozen=True, slots=True)
class Influence(JsonData):
    """A part of an evaluator and the share of moves, in [0, 1], that change without it."""

    text: str
    """The part as a formula."""
    wants: str
    """What it makes the player want, in words."""
    share: float
    depends: bool = False
    """Whether the rest of the board decides if it wants more or less; *wants* is then the thing."""


def constant_sentence(where: str, ties: str) -> str:
    """Return the sentence about an evaluator that gives the positions *where* the same value."""
    which = {
        "first": "always plays the first of its legal moves",
        "last": "always plays the last of its legal moves",
        "random": "plays any legal move at random",
        "column": "always plays the first of its legal moves, column by column",
        "advanced": "always moves its most advanced piece that can move",
    }
    return f"It gives {where} the same value, so it {which[ties]}."


def influence_sentence(parts: Sequence[Influence], *, left_out: str, noun: str) -> str:
    """Return what the player wants, most influential first.

    *left_out* says in words what was done to a part ("leaving this out"); *noun* is what a part is
    called ("term", "feature").
    """
    ordered = sorted(parts, key=lambda part: -part.share)
    listed = [part for part in ordered if part.share >= _LEAST_SHARE][:_MOST_LISTED]
    rest = ordered[len(listed) :]
    if not listed:
        return _redundant(ordered, left_out, noun)
    # What it always wants first, then what it wants or not; the first is said in full.
    wanted = [part for part in listed if not part.depends]
    weighed = [part for part in listed if part.depends]
    shares = {part: f"({percent(part.share)})" for part in listed}
    first = (wanted or weighed)[0]
    shares[first] = f"({left_out} changes {percent(first.share)} of its moves)"
    if len(ordered) == 1 and wanted:
        return f"It wants {first.wants} and nothing else {shares[first]}."
    clauses = []
    if wanted:
        is_clear = first is ordered[0] and first.share >= 1.25 * ordered[1].share
        others = [f"{part.wants} {shares[part]}" for part in wanted[1:]]
        clauses.append(
            f"It {'mostly ' * is_clear}wants {first.wants} {shares[first]}"
            + (f", then {joined(others)}" if others else "")
        )
    if weighed:
        named = joined([f"{part.wants} {shares[part]}" for part in weighed])
        clauses.append(
            f"{'it' if wanted else 'It'} weighs {named} for or against, "
            "depending on the rest of the board"
        )
    if rest:
        clauses.append(_summary(rest, noun))
    return "; ".join(clauses) + "."


@dataclass(frozen=True)
class Words:
    """Says parts of an evaluator in the words of its game: *piece* is "disc" or "piece"."""

    piece: str = "disc"
    names: FormulaNames = UNNAMED

    def known(self, expression: Expression) -> FeatureWords | None:
        """Return the words for an expression that is a known feature, else None."""
        known = known_features(self.piece).get(expression)
        return known or named_fact(self.names.known.get(expression, ""), self.piece)

    def phrase(self, expression: Expression) -> str | None:
        """Return the noun phrase of an expression that is a known feature, else None."""
        known = self.known(expression)
        return None if known is None else known.things

    def formula(self, expression: Expression) -> str:
        """Return the formula of *expression*."""
        return formula(expression, self.names, digits=DIGITS)

    def feature(self, expression: Expression) -> str:
        """Return a feature as a noun phrase, its name, or its formula."""
        name = self.names.known.get(expression, "").replace("_", " ")
        if expression.op == "pattern" and not name:
            return pattern_phrase(expression)
        return self.phrase(expression) or name or f"`{short_formula(self.formula(expression))}`"

    def wanted(self, expression: Expression, noun: str, is_more: bool) -> str:
        """Return what the player wants of *expression*, which *noun* names."""
        known = self.known(expression)
        if known is not None:
            return known.wanted(is_more)
        difference = self.names.known.get(expression, "").partition("/")[0]
        if difference in DIFFERENCES:
            counted_things = DIFFERENCES[difference].title.partition(" (")[0]
            return f"{'more' if is_more else 'fewer'} {counted_things} than the opponent"
        if expression.op == "pattern":
            return f"a {'high' if is_more else 'low'} table entry for {noun}"
        if expression.op == "weighted_sum" and expression.arguments[0].op in ("own", "opponent"):
            whose = "own " if expression.arguments[0].op == "own" else "the opponent's "
            return f"{whose}{self.piece}s on squares of {'high' if is_more else 'low'} weight"
        return _value_phrase(noun, is_more)

    def wanted_term(self, term: Term) -> tuple[str, bool]:
        """Return what a term wants, and whether words say it rather than a formula."""
        is_more = term.coefficient > 0
        above = [self.noun(part) for part in term.factors]
        below = [self.noun(part) for part in term.divisors]
        tops, bottoms = ([noun for noun in nouns if noun] for nouns in (above, below))
        if None in (*above, *below) or len(above) > 3 or len(below) > 2:
            text = term.text.removeprefix("-")
            return _value_phrase(f"`{short_formula(text)}`", is_more), False
        if not tops:
            return self._product_phrase(term.divisors, bottoms, not is_more), True
        wanted_above = self._product_phrase(term.factors, tops, is_more)
        if not bottoms:
            return wanted_above, True
        comma = "," if wanted_above.endswith(("squared", "cubed")) else ""
        return f"{wanted_above}{comma}{_divisor_phrase(bottoms)}", True

    def _product_phrase(
        self, parts: Sequence[Expression], nouns: Sequence[str], is_more: bool
    ) -> str:
        if len(set(nouns)) > 1:
            return f"a {'high' if is_more else 'low'} product of {joined(_powers(nouns))}"
        power = ("", ", squared", ", cubed")[len(nouns) - 1]
        return f"{self.wanted(parts[0], nouns[0], is_more)}{power}"

    def without_common(self, terms: Sequence[Term]) -> tuple[list[Term], str]:
        """Return *terms* without what all of them multiply or divide by, and a sentence on it."""
        if len(terms) < 2:
            return list(terms), ""
        factors = self._common_parts([term.factors for term in terms])
        divisors = self._common_parts([term.divisors for term in terms])
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
            f"{verb} {joined([noun for noun in map(self.noun, shared) if noun is not None])}"
            for verb, shared in (("multiplied by", factors), ("divided by", divisors))
            if shared
        ]
        return reduced, f" All of it is {joined(parts)}."

    def noun(self, expression: Expression) -> str | None:
        """Return a feature or a short sum of features as a noun phrase, else None."""
        if is_feature(expression, self.names):
            return self.feature(expression)
        parts: list[str] = []
        waiting = [expression]
        while waiting:
            node = waiting.pop()
            if is_feature(node, self.names):
                parts.append(self.feature(node))
            elif node.op == "add":
                waiting += reversed(node.arguments)
            elif node.op == "number" and node.arguments[0] > 0:
                parts.append(f"{node.arguments[0]:g}")
            else:
                return None
        return f"the sum of {joined(parts)}" if 1 < len(parts) <= 3 else None

    def _common_parts(self, lists: Sequence[tuple[Expression, ...]]) -> tuple[Expression, ...]:
        return tuple(
            part
            for part in dict.fromkeys(lists[0])
            if self.noun(part) is not None and all(part in others for others in lists[1:])
        )


def _value_phrase(text: str, is_more: bool) -> str:
    """Return what the player wants of a part that is not a count."""
    return f"a {'high' if is_more else 'low'} value of {text}"


def _divisor_phrase(nouns: Sequence[str]) -> str:
    powers = _powers(nouns)
    product = "the product of " if len(powers) > 1 else ""
    return f" compared with {product}{joined(powers)}"


def _powers(nouns: Sequence[str]) -> list[str]:
    """Return each noun once, with "squared" or "cubed" if it stands there more often."""
    power = {1: "", 2: " squared", 3: " cubed"}
    return [noun + power[nouns.count(noun)] for noun in dict.fromkeys(nouns)]


def _less(parts: tuple[Expression, ...], taken: tuple[Expression, ...]) -> tuple[Expression, ...]:
    left = list(parts)
    for part in taken:
        left.remove(part)
    return tuple(left)


def _redundant(parts: Sequence[Influence], left_out: str, noun: str) -> str:
    wants = joined([part.wants for part in parts[:3]])
    if len(parts) > 3:
        wants = f"{', '.join(part.wants for part in parts[:3])} and {len(parts) - 3} more {noun}s"
    verb = "looks at" if parts[0].depends else "wants"
    if len(parts) == 1:
        return f"It {verb} {wants}, but {left_out} changes {percent(parts[0].share)} of its moves."
    leaving_any = left_out.replace("this", "any one of them").replace("its", "the")
    return (
        f"It {verb} {wants}, none of which decides alone: "
        f"{leaving_any} changes {_at_most(parts[0].share)} of its moves."
    )


def _summary(rest: Sequence[Influence], noun: str) -> str:
    largest = rest[0].share
    if largest == 0:
        share = "no move"
    elif largest < _LEAST_SHARE or len(rest) == 1:
        share = f"{percent(largest)} of moves"
    else:
        share = f"at most {percent(largest)} of moves each"
    if len(rest) == 1:
        return f"the other {noun} changes {share}"
    return f"the other {len(rest)} {noun}s change {share}"


def _at_most(share: float) -> str:
    return percent(share) if share < _LEAST_SHARE else f"at most {percent(share)}"
