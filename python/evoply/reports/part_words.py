"""Parts of an evaluator in plain English: what a term or a feature makes its player want.

Counts are never negative, so a positive term wants many and a negative one few. But nothing is
called a wish that the player's choices do not show: it then only weighs the thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from evoply.expressions import DIFFERENCES, Expression, board
from evoply.expressions.written_form import UNNAMED, FormulaNames, formula
from evoply.games.squares import USUAL
from evoply.gp.algebra.formulas import DIGITS
from evoply.gp.algebra.terms import Term, is_feature
from evoply.protocols import BoardShape
from evoply.reports.feature_words import (
    FeatureWords,
    asked_phrase,
    known_features,
    named_fact,
    pattern_phrase,
    sum_words,
    without_note,
)
from evoply.reports.preferences import FEWEST, Preference
from evoply.reports.square_words import squares_phrase
from evoply.wording import short_formula

_AVOIDS = 0.95
"""What is kept at 0 in this share of the positions where it can be is hardly ever left."""
_NEVER = 0.995
_RARE = 0.8
"""What is above 0 on less than this share of boards is said as a condition."""
_ALWAYS = 0.98
"""What is above 0 on more than this share of boards is no condition at all."""


def joined(parts: Sequence[str], last: str = "and") -> str:
    """Return "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


class PartShown(NamedTuple):
    """What the choices of a player show about a part, and about the factors of a term."""

    whole: Preference
    """About what it adds to the value, with its sign."""
    factors: Sequence[Preference]
    present: Sequence[float]
    """The share of boards on which each factor is not 0."""


class PartSaid(NamedTuple):
    """What a player does about a part: "wants" and "few own discs"."""

    verb: str
    what: str
    is_words: bool = True
    """Whether words say it, not a formula."""


_AS_ITS_SIGN = PartShown(Preference(FEWEST, 0, 0, 0), (), ())
"""Choices that have always more of what a term adds."""


@dataclass(frozen=True)
class Words:
    """Says parts of an evaluator in the words of its game: *piece* is "disc" or "piece"."""

    piece: str = "disc"
    names: FormulaNames = UNNAMED
    shape: BoardShape = USUAL
    has_kings: bool = False

    def known(self, expression: Expression) -> FeatureWords | None:
        """Return the words for a known feature, or a sum of few such counts, else None."""
        name = self._name(expression)
        features = known_features(self.piece, self.shape, has_kings=self.has_kings)
        said = features.get(expression) or named_fact(name, self.piece)
        if said is not None:
            return said
        if expression.op == "add":
            parts = [self.known(part) for part in expression.arguments]
            return None if None in parts else sum_words([part for part in parts if part])
        counted = None if name else squares_phrase(expression, self.piece, self.shape)
        return None if counted is None else FeatureWords(counted)

    def phrase(self, expression: Expression) -> str | None:
        """Return the noun phrase of an expression that is a known feature, else None."""
        known = self.known(expression)
        return asked_phrase(self._name(expression)) if known is None else known.things

    def formula(self, expression: Expression) -> str:
        """Return the formula of *expression*."""
        return formula(expression, self.names, digits=DIGITS)

    def feature(self, expression: Expression) -> str:
        """Return a feature as a noun phrase, its name, or its formula."""
        name = self._name(expression).replace("_", " ")
        if expression.op == "pattern" and not name:
            return pattern_phrase(expression)
        return self.phrase(expression) or name or f"`{short_formula(self.formula(expression))}`"

    def _thing(self, feature: Expression) -> str:
        """Return a feature in a sentence, which has no numbers that a scale changes."""
        difference = self._difference(feature)
        if difference and self.phrase(feature) is None:
            return f"the lead in {difference}"
        return self.feature(feature)

    def _name(self, expression: Expression) -> str:
        return self.names.known.get(expression, "")

    def _difference(self, expression: Expression) -> str:
        """Return what a difference of `DIFFERENCES` counts, "" for any other expression."""
        found = DIFFERENCES.get(self._name(expression).partition("/")[0])
        return "" if found is None else found.title.partition(" (")[0]

    def wanted(self, expression: Expression, noun: str, is_more: bool) -> str:
        """Return what the player wants of *expression*, which *noun* names."""
        known = self.known(expression)
        if known is not None:
            return known.wanted(is_more)
        difference = self._difference(expression)
        if difference:
            return f"{'more' if is_more else 'fewer'} {difference} than the opponent"
        if expression.op == "pattern":
            return f"a {'high' if is_more else 'low'} table entry for {noun}"
        if expression.op == "weighted_sum" and expression.arguments[0].op in ("own", "opponent"):
            whose = "own " if expression.arguments[0].op == "own" else "the opponent's "
            return f"{whose}{self.piece}s on squares of {'high' if is_more else 'low'} weight"
        return _value_phrase(noun, is_more)

    def wanted_term(self, term: Term) -> str:
        """Return what a term alone would make its player want, whatever its choices show."""
        return self.said_term(term, _AS_ITS_SIGN).what

    def said_term(self, term: Term, shown: PartShown) -> PartSaid:
        """Return what a player does about a term, as its choices show it."""
        is_more = term.coefficient > 0
        above = [self.noun(part) for part in term.factors]
        below = [self.noun(part) for part in term.divisors]
        tops, bottoms = ([noun for noun in nouns if noun] for nouns in (above, below))
        if None in (*above, *below) or len(above) > 3 or len(below) > 2:
            text = f"`{short_formula(term.text.removeprefix('-'))}`"
            if not shown.whole.is_more:
                return PartSaid("weighs", text, is_words=False)
            return PartSaid("wants", _value_phrase(text, is_more), is_words=False)
        if not bottoms and not is_more:
            avoided = self._avoided([term], [shown], shown.whole)
            if avoided is not None:
                return avoided
        if not tops:
            return self._said(term.divisors, bottoms, not is_more, shown)
        if not bottoms:
            return self._said(term.factors, tops, is_more, shown)
        said = self._said(term.factors, tops, is_more, shown._replace(factors=()))
        comma = "," if said.what.endswith(("squared", "cubed")) else ""
        return said._replace(what=f"{said.what}{comma}{_divisor_phrase(bottoms)}")

    def said_feature(self, feature: Expression, preference: Preference) -> PartSaid:
        """Return what a player does about a feature, as its choices show it."""
        return self._preferred(feature, self._thing(feature), preference)

    def _preferred(self, part: Expression, noun: str, preference: Preference) -> PartSaid:
        known = self.known(part)
        is_more = preference.is_more
        if is_more is False and known is not None:
            kept = _kept(preference) if known.is_avoidable else ""
            if kept:
                return PartSaid(kept, known.single)
        if is_more is None:
            return PartSaid("weighs", noun)
        return PartSaid("wants", self.wanted(part, noun, is_more))

    def main_factor(self, term: Term, shown: PartShown) -> Expression | None:
        """Return the factor that a term is about: what the choices prefer most; None if unclear."""
        if term.divisors or any(self.known(part) is None for part in term.factors):
            return None
        avoided = self._thing_avoided(term.factors)
        if avoided is not None or len(term.factors) == 1:
            return term.factors[0] if avoided is None else avoided
        found = [
            (abs(preference.share_above - 0.5), -place)
            for place, preference in enumerate(shown.factors)
            if preference.is_more is not None and term.factors[place] != board.t
        ]
        return term.factors[-max(found)[1]] if found else None

    def said_together(
        self,
        terms: Sequence[Term],
        shown: Sequence[PartShown],
        main: Expression,
        *,
        whole: Preference,
        preferred: Preference,
    ) -> PartSaid | None:
        """Return what a player does about several terms with one main factor; None if unclear.

        Its choices show *whole* about their sum, and *preferred* about the factor.
        """
        avoided = self._avoided(terms, shown, whole)
        known = self.known(main)
        if avoided is not None or known is None:
            return avoided
        if not whole.is_more:
            return PartSaid("weighs", known.things)
        is_more = preferred.is_more
        return None if is_more is None else PartSaid("wants", known.wanted(is_more))

    def _avoided(
        self, terms: Sequence[Term], shown: Sequence[PartShown], whole: Preference
    ) -> PartSaid | None:
        """Return that products with one main factor are hardly ever left above 0, else None."""
        kept = _kept(whole)
        main = self._thing_avoided(terms[0].factors)
        known = None if main is None else self.known(main)
        if not kept or known is None:
            return None
        conditions = [
            self._conditions(term.factors, main, each.present)
            for term, each in zip(terms, shown, strict=True)
        ]
        when = dict.fromkeys(map(joined, conditions)) if all(conditions) else ()
        return PartSaid(kept, known.single + (f" while {joined(list(when), 'or')}" if when else ""))

    def _thing_avoided(self, factors: Sequence[Expression]) -> Expression | None:
        """Return the first factor of whose things a player leaves none, where all have words."""
        known = [self.known(part) for part in factors]
        if None in known:
            return None
        pairs = zip(factors, known, strict=True)
        return next((part for part, each in pairs if each is not None and each.is_avoidable), None)

    def _conditions(
        self, factors: Sequence[Expression], main: Expression | None, present: Sequence[float]
    ) -> list[str]:
        """Return the clauses for what else must not be 0, and often is."""
        others = [
            each.condition
            for part, each, often in zip(factors, map(self.known, factors), present, strict=True)
            if each is not None and part != main and often < _ALWAYS
        ]
        return list(dict.fromkeys(others))

    def _said(
        self, parts: Sequence[Expression], nouns: Sequence[str], is_more: bool, shown: PartShown
    ) -> PartSaid:
        is_preferred = shown.whole.is_more
        if len(set(nouns)) == 1:
            power = ("", ", squared", ", cubed")[len(nouns) - 1]
            if is_preferred:
                return PartSaid("wants", f"{self.wanted(parts[0], nouns[0], is_more)}{power}")
            known = self.known(parts[0])
            if shown.whole.differing < FEWEST and known is not None and not known.more:
                # Its own moves hardly change it, so they cannot show what its sign says.
                return PartSaid("values", f"{known.wanted(is_more)}{power}")
            return PartSaid("weighs", f"{nouns[0]}{power}{self._against(parts[0], is_more, shown)}")
        main = self._main_factor(parts, is_more, shown)
        if is_preferred and main is not None:
            noun = nouns[main]
            others = [
                self._beside(part, other, shown.present[place])
                for place, (part, other) in enumerate(zip(parts, nouns, strict=True))
                if part != parts[main]
            ]
            return PartSaid(
                "wants", self.wanted(parts[main], noun, is_more) + "".join(dict.fromkeys(others))
            )
        product = f"the product of {joined(_powers(nouns))}"
        if is_preferred:
            return PartSaid(
                "wants", f"a {'high' if is_more else 'low'}{product.removeprefix('the')}"
            )
        return PartSaid("weighs", product)

    def _main_factor(
        self, parts: Sequence[Expression], is_more: bool, shown: PartShown
    ) -> int | None:
        """Return the factor of which the choices have as much, or as little, as the product."""
        if len(shown.factors) != len(parts):
            return None
        preferred = [
            (abs(preference.share_above - 0.5), -place)
            for place, preference in enumerate(shown.factors)
            if preference.is_more is is_more and parts[place] != board.t
        ]
        return -max(preferred)[1] if preferred else None

    def _beside(self, part: Expression, noun: str, present: float) -> str:
        """Return how a factor bears on what a product wants."""
        known = self.known(part)
        if part == board.t:
            return ", the more so the later"
        if known is not None and present < _RARE:
            return f" while {known.condition}"
        if present > _ALWAYS and known is None:
            return f", times {noun}"
        if known is not None and known.more:
            return f", the more so with {known.more}"
        return f", the more so the more {without_note(noun)}"

    def _against(self, part: Expression, is_more: bool, shown: PartShown) -> str:
        """Return a clause where the choices have less of what a term wants more of."""
        known = self.known(part)
        if shown.whole.is_more is not False or known is None or known.more:
            return ""
        return f", of which its moves leave {'few' if is_more else 'many'} all the same"

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
        known = self.known(expression)
        if known is not None:
            return known.things
        if is_feature(expression, self.names):
            return self._thing(expression)
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


def _kept(preference: Preference) -> str:
    """Return the verb for what the choices keep at 0, "" if they do not."""
    if preference.could_be_zero < FEWEST or preference.share_at_zero < _AVOIDS:
        return ""
    return "never leaves" if preference.share_at_zero >= _NEVER else "hardly ever leaves"


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
