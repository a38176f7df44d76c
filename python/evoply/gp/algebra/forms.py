"""The forms of a value, from one product to all multiplied out, and the choice of the shortest.

A sum in a product is an atom of its own (*grouped*) until it is multiplied out (*expanded*).
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from evoply.expressions import Expression, board, count
from evoply.gp.algebra import polynomials
from evoply.gp.algebra.decisions import Common
from evoply.gp.algebra.formulas import SumWriter, to_float
from evoply.gp.algebra.polynomials import Monomial, Terms, TooLargeError
from evoply.gp.algebra.ranges import Range, Ranges

_VIEWS = 4
_MOST_CHOICES = 6
"""The number of addends of a sum that are tried in every form."""
_MOST_COLLECTED = 40
"""The terms of the longest sum that is searched for sums that it is split over."""
_OWN, _OPPONENT = count(board.own), count(board.opponent)
_Factor = tuple[int, Monomial]
"""An atom and a term that has it as a factor."""


@dataclass(frozen=True, slots=True)
class Form:
    """A part of the original: the shortest expression found for it and, for a number, its terms."""

    expression: Expression
    terms: Terms | None = None

    @property
    def value(self) -> Terms:
        """The terms of a number."""
        return self.terms or {}

    @property
    def key(self) -> Any:
        """The value that laws compare: a constant, or the expression."""
        if self.terms is None:
            is_truth = self.expression.op == "truth"
            return self.expression.arguments[0] if is_truth else self.expression
        value = polynomials.value(self.terms)
        number = None if value is None else to_float(value)
        return self.expression if number is None else number


class Forms:
    """Finds the shortest form of sums, products and quotients that *writer* writes."""

    def __init__(self, writer: SumWriter) -> None:
        self.writer = writer
        self._ranges = Ranges()
        self._factored: dict[frozenset[Any], Terms] = {}
        self._ratios: dict[tuple[int, int], Terms | None] = {}

    def opaque(self, expression: Expression) -> Form:
        """Return the form of an expression that has no algebra."""
        if expression.type != "number":
            return Form(expression)
        return Form(expression, polynomials.power(self.writer.atom(expression)))

    def shortest(self, candidates: Sequence[Terms], plain: Expression) -> Form:
        """Return the form of the shortest candidate, the first of equally short ones.

        The form is written as *plain* if that is shorter still.
        """
        best: Form | None = None
        for terms in candidates:
            written = self.writer.write(terms, self.writer.size(plain))
            if written is not None and (
                best is None or self.writer.size(written) < self.writer.size(best.expression)
            ):
                best = Form(written, terms)
        if best is not None:
            return best
        if not candidates or len(candidates[0]) < 2:
            return Form(plain, candidates[0]) if candidates else self.opaque(plain)
        # The part becomes an atom that can still be multiplied out.
        atom = self.writer.atom(plain)
        with suppress(TooLargeError):
            forms = [terms for terms in candidates[1:] if len(terms) > 1]
            self.writer.sums.setdefault(atom, [self.expanded(candidates[0]), *forms])
        return Form(plain, polynomials.power(atom))

    def sum(self, addends: Sequence[tuple[int, Form]]) -> Form:
        """Return the form of a sum, with each addend in the form that makes the sum shortest."""
        plain = self.writer.chain([(sign, form.expression) for sign, form in addends])
        options = [
            [polynomials.scaled(view, Fraction(sign)) for view in self.views(form.value)]
            for sign, form in addends
        ]
        candidates: list[Terms] = []
        for start in range(_VIEWS):
            with suppress(TooLargeError):
                total: Terms = {}
                for option in options:
                    total = polynomials.add(total, option[start])
                if total not in candidates:
                    candidates.append(self.shortened(total, options, start, plain))
        for terms in tuple(candidates):
            with suppress(TooLargeError):
                candidates.append(self.factored(terms))
        return self.shortest(candidates, plain)

    def shortened(
        self, terms: Terms, options: Sequence[Sequence[Terms]], start: int, plain: Expression
    ) -> Terms:
        """Return *terms* with another view than *start* for some addends where that is shorter."""
        longest = 2 * self.writer.size(plain)
        written = self.writer.write(terms, longest)
        choices = [option for option in options if any(view != option[0] for view in option)]
        for option in choices[:_MOST_CHOICES]:
            present = terms
            for view in option:
                if view == option[start]:
                    continue
                try:
                    other = polynomials.add(polynomials.add(present, option[start], -1), view)
                except TooLargeError:
                    continue
                text = self.writer.write(other, longest)
                if text is not None and (
                    written is None or self.writer.size(text) < self.writer.size(written)
                ):
                    terms, written = other, text
        return terms

    def products(self, left: Form, right: Form) -> list[Terms]:
        """Return the forms of a product, expanded ones first."""
        first, second = left.value, right.value
        if not first or not second:
            return [{}]
        candidates: list[Terms] = []
        with suppress(TooLargeError):
            grouped = self.cancelled(
                polynomials.multiply(self.factored(first), self.factored(second))
            )
            candidates.append(grouped)
            candidates.insert(0, self.expanded(grouped))
        if min(len(first), len(second)) < 2:
            with suppress(TooLargeError):
                candidates.insert(1, polynomials.multiply(first, second))
        return candidates

    def views(self, terms: Terms) -> list[Terms]:
        """Return *terms* unchanged, as one product, multiplied out in part, and in full."""
        forms = [terms]
        for view in (self.factored, self.opened, self.expanded):
            try:
                forms.append(view(terms))
            except TooLargeError:
                forms.append(terms)
        return forms

    def opened(self, terms: Terms) -> Terms:
        """Return *terms* with its sums multiplied out, but not the sums inside those sums."""
        return self.expanded(terms, form=-1)

    def expanded(self, terms: Terms, form: int = 0) -> Terms:
        """Return *terms* with its sums multiplied out, except those that divide."""
        result: Terms = {}
        for monomial, value in terms.items():
            product = polynomials.constant(value)
            for atom, exponent in monomial:
                if exponent < 0 or atom not in self.writer.sums:
                    product = polynomials.multiply(product, polynomials.power(atom, exponent))
                    continue
                for _ in range(exponent):
                    product = polynomials.multiply(product, self.writer.sums[atom][form])
            result = polynomials.add(result, product)
        return result

    def factored(self, terms: Terms) -> Terms:
        """Return *terms* as one cancelled product over one denominator, with sums as atoms."""
        if len(terms) < 2:
            return terms
        key = frozenset(terms.items())
        if key not in self._factored:
            outer = polynomials.content(terms)
            inner = whole = polynomials.multiply(terms, polynomials.inverse(outer))
            with suppress(TooLargeError):
                whole = self.expanded(inner)
            if whole:
                content = polynomials.content(whole)
                over = polynomials.inverse(content)
                outer = polynomials.multiply(outer, content)
                whole = polynomials.multiply(whole, over)
            if len(whole) > 1:
                form = polynomials.multiply(inner, over)
                whole = polynomials.power(self.writer.sum_atom(whole, form))
            self._factored[key] = self.cancelled(polynomials.multiply(outer, whole))
        return self._factored[key]

    def cancelled(self, product: Terms) -> Terms:
        """Return a single term after cancelling sums above and below that divide each other."""
        for monomial in product:
            powers = [(atom, exponent) for atom, exponent in monomial if atom in self.writer.sums]
            above = [atom for atom, exponent in powers if exponent > 0]
            below = [atom for atom, exponent in powers if exponent < 0]
            for factor, divisor in ((factor, divisor) for factor in above for divisor in below):
                ratio = self.ratio(factor, divisor)
                if ratio is not None:
                    gone = polynomials.multiply(
                        polynomials.power(factor, -1), polynomials.power(divisor)
                    )
                    left = polynomials.multiply(product, polynomials.multiply(gone, ratio))
                    return self.cancelled(left)
        return product

    def ratio(self, dividend: int, divisor: int) -> Terms | None:
        """Return the quotient of two sums as one term if either divides the other, else None."""
        if (dividend, divisor) not in self._ratios:
            ratio: Terms | None = None
            above, below = (self.writer.sums[atom][0] for atom in (dividend, divisor))
            powers = [
                exponent for terms in (above, below) for part in terms for _, exponent in part
            ]
            if min(powers) > 0:
                quotient = polynomials.quotient(above, below)
                ratio = None if quotient is None else self.factored(quotient)
                if quotient is None and (quotient := polynomials.quotient(below, above)):
                    ratio = polynomials.inverse(self.factored(quotient))
            self._ratios[dividend, divisor] = ratio
        return self._ratios[dividend, divisor]

    def tidied(self, form: Form) -> Form:
        """Return *form* with what is split over many terms put together, if it is shorter so."""
        if form.terms is None:
            return form
        for view in self.views(form.terms):
            with suppress(TooLargeError):
                terms = self.collected(view)
                short = self.writer.write(terms, self.writer.size(form.expression) - 1)
                if short is not None:
                    form = Form(short, terms)
        return form

    def collected(self, terms: Terms) -> Terms:
        """Return *terms* with each sum of two atoms put together that several are split over.

        So a difference that is multiplied by several things stands there as one factor.
        """
        while pairs := self._split_sum(terms):
            (first, left), (second, right) = pairs[0]
            whole: Terms = {((first, 1),): Fraction(1), ((second, 1),): terms[right] / terms[left]}
            factor = polynomials.power(self.writer.sum_atom(whole, whole))
            for (_, left), (_, right) in pairs:
                if left in terms and right in terms:
                    rest = polynomials.multiply({left: terms[left]}, polynomials.power(first, -1))
                    terms = {part: terms[part] for part in terms if part not in (left, right)}
                    terms = polynomials.add(terms, polynomials.multiply(rest, factor))
        return terms

    def _split_sum(self, terms: Terms) -> list[tuple[_Factor, _Factor]]:
        """Return the pairs of terms that most often are one thing times two atoms, always alike.

        Each pair has both atoms with their terms; there are two pairs or more, or none.
        """
        beside: dict[Monomial, list[_Factor]] = {}
        for monomial in sorted(terms) if len(terms) <= _MOST_COLLECTED else ():
            for atom, exponent in monomial:
                if exponent > 0:
                    rest = tuple((other, power - (other == atom)) for other, power in monomial)
                    rest = tuple(power for power in rest if power[1])
                    beside.setdefault(rest, []).append((atom, monomial))
        found: dict[tuple[int, int, Fraction], list[tuple[_Factor, _Factor]]] = {}
        for neighbours in beside.values():
            for left, right in combinations(sorted(neighbours), 2):
                if left[0] != right[0]:
                    key = left[0], right[0], terms[right[1]] / terms[left[1]]
                    found.setdefault(key, []).append((left, right))
        pairs = max(found.values(), key=len, default=[])
        return pairs if len(pairs) > 1 else []

    def reduced(self, terms: Terms, common: Common) -> Terms:
        """Return *terms* without those that are *common*, and over a positive common factor."""
        is_common = [common.holds(atom) for atom in self.writer.atoms]
        kept = {
            monomial: value
            for monomial, value in self._by_own_pieces(terms, common).items()
            if not all(is_common[atom] for atom, _ in monomial)
        }
        if not kept:
            return {}
        (shared,) = polynomials.content(kept)
        over = tuple(
            (atom, -exponent)
            for atom, exponent in shared
            if is_common[atom] and self._is_positive(atom)
        )
        return polynomials.multiply(kept, {over: Fraction(1)})

    def _by_own_pieces(self, terms: Terms, common: Common) -> Terms:
        """Return *terms* with fewer own pieces for more of the opponent's, beside own ones."""
        both = [
            {atom for atom, part in enumerate(self.writer.atoms) if part == pieces}
            for pieces in (_OWN, _OPPONENT)
        ]
        if not common.has_pieces or not all(both):
            return terms
        (own,), (opponent,) = both
        for monomial, value in tuple(terms.items()):
            rest = tuple(power for power in monomial if power != (opponent, 1))
            instead = tuple(sorted((*rest, (own, 1))))
            is_left = all(common.holds(self.writer.atoms[atom]) for atom, _ in rest)
            if rest != monomial and is_left and instead in terms:
                terms = polynomials.add(terms, {monomial: -value, instead: -value})
        return terms

    def common_number(self, terms: Terms) -> Fraction:
        """Return the number by which *terms* are divided exactly, or 1.

        It is their common divisor if they are whole, or their size if all have the same.
        """
        sizes = {abs(number) for number in terms.values()}
        if len(sizes) == 1:
            return sizes.pop()
        if any(number.denominator != 1 for number in sizes):
            return Fraction(1)
        return Fraction(math.gcd(*(number.numerator for number in sizes)) or 1)

    def shares(self, terms: Terms, common: Common) -> bool:
        """Return whether *terms*, multiplied out, have one that is *common*."""
        whole = self.expanded(terms)
        return any(
            all(common.holds(self.writer.atoms[atom]) for atom, _ in monomial) for monomial in whole
        )

    def range(self, terms: Terms) -> Range | None:
        """Return the least and the greatest value of *terms*, None if they may be no number."""
        return self._ranges.of_terms(terms, self.writer.atoms.__getitem__)

    def _is_positive(self, atom: int) -> bool:
        found = self.range(polynomials.power(atom))
        return found is not None and found[0] > 0
