"""Like terms and powers where a quotient, or a function without algebra, cannot be expanded.

Every value has three views as `Terms` over the atoms of a builder: *grouped* is one product whose
sums are atoms, *spread* is a sum where single terms are multiplied into sums, *expanded* is a sum
of products multiplied out as far as that goes. A sum may take any view of each of its addends, and
the shortest is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from evoply.gp import laurent
from evoply.gp.laurent import Terms
from evoply.gp.rational import Rational, TooLargeError
from evoply.gp.rebuild import Builder, Nodes

_MOST_CHOICES = 6
"""So many addends of a sum are tried both grouped and expanded."""


@dataclass(frozen=True, slots=True)
class Views:
    """The same value as one product and, in two ways, as a sum."""

    grouped: Terms
    spread: Terms
    expanded: Terms

    @property
    def all(self) -> tuple[Terms, Terms, Terms]:
        """All views, the most expanded first."""
        return self.expanded, self.spread, self.grouped

    @property
    def constant(self) -> Fraction | None:
        """The value if it depends on no atom, else None."""
        return self.grouped.get((), None if self.grouped else Fraction(0))


Candidate = tuple[Nodes, Views]


class Collector:
    """Collects terms over the atoms of *builder*; *atom* gives nodes their number."""

    def __init__(self, builder: Builder, atom: Callable[[Nodes], int]) -> None:
        self._builder = builder
        self._atom = atom
        self._known_sums: dict[frozenset[tuple[object, Fraction]], int] = {}

    def opaque(self, nodes: Nodes) -> Views:
        """Return the views of what has no algebra."""
        terms = laurent.part(self._atom(nodes))
        return Views(terms, terms, terms)

    def constant(self, value: Fraction) -> Views:
        """Return the views of a number."""
        terms = laurent.bounded({(): value} if value else {})
        return Views(terms, terms, terms)

    def exact(self, value: Rational, nodes: Nodes) -> Views:
        """Return the views of a fraction that is written as *nodes*; may raise TooLargeError."""
        expanded = laurent.bounded(dict(value.numerator))
        below: Terms = {(): Fraction(1)}
        for factor, exponent in value.factors.items():
            single = self._single(dict(factor), len(nodes), None)
            for _ in range(exponent):
                below = laurent.multiply(below, single)
        if not value.factors:
            return Views(self._single(expanded, len(nodes), nodes), expanded, expanded)
        over = laurent.inverse(below)
        grouped = laurent.multiply(self._single(expanded, len(nodes), None), over)
        terms = laurent.multiply(expanded, over)
        return Views(grouped, terms, terms)

    def product(self, first: Views, second: Views, exponent: int, longest: int) -> list[Candidate]:
        """Return the written forms, of at most *longest* nodes, of first * second ** *exponent*.

        The expanded form comes first. The exponent is 1 or -1; *second* is not zero for -1.
        """
        if exponent < 0:
            over = laurent.inverse(second.grouped)
            second = Views(over, over, over)
        grouped = laurent.multiply(first.grouped, second.grouped)
        try:
            expanded = laurent.multiply(first.expanded, second.expanded)
        except TooLargeError:
            expanded = grouped
        if len(expanded) < 2:
            grouped = expanded
        spread = grouped
        if self._has_no_sum(first.spread) or self._has_no_sum(second.spread):
            spread = laurent.multiply(first.spread, second.spread)
        grouped = self._without_quotients(grouped, longest)
        views = Views(grouped, spread, expanded)
        written = (self._builder.terms(terms, longest) for terms in views.all)
        return [(nodes, views) for nodes in written if nodes is not None]

    def sum(self, addends: Sequence[tuple[int, Views]], longest: int) -> list[Candidate]:
        """Return the written forms, of at most *longest* nodes, of the sum of signed *addends*."""
        options = [
            [laurent.scaled(view, Fraction(sign)) for view in views.all] for sign, views in addends
        ]
        totals: list[tuple[int, Terms]] = []
        for start in range(3):
            with suppress(TooLargeError):
                total: Terms = {}
                for option in options:
                    total = laurent.add(total, option[start])
                totals.append((start, total))
        candidates: list[Candidate] = []
        tried: list[Terms] = []
        for start, total in totals:
            if total in tried:
                continue
            tried.append(total)
            terms, nodes = self._shortened(total, options, start, longest)
            if nodes is not None:
                views = Views(self._single(terms, longest, nodes), terms, totals[0][1])
                candidates.append((nodes, views))
        return candidates

    def _shortened(
        self, terms: Terms, options: Sequence[Sequence[Terms]], start: int, longest: int
    ) -> tuple[Terms, Nodes | None]:
        """Take for some addends another view than *start* if the written form becomes shorter."""
        nodes = self._builder.terms(terms, 2 * longest)
        choices = [option for option in options if any(view != option[0] for view in option)]
        for option in choices[:_MOST_CHOICES]:
            present = terms
            for view in option:
                if view == option[start]:
                    continue
                try:
                    other = laurent.add(laurent.add(present, option[start], -1), view)
                except TooLargeError:
                    continue
                written = self._builder.terms(other, 2 * longest)
                if written is not None and (nodes is None or len(written) < len(nodes)):
                    terms, nodes = other, written
        return terms, nodes if nodes is not None and len(nodes) <= longest else None

    def _single(self, terms: Terms, longest: int, nodes: Nodes | None) -> Terms:
        """Return *terms* as one product in which a sum is an atom, maybe written as *nodes*."""
        if len(terms) < 2:
            return terms
        size = laurent.content(terms)
        terms = laurent.scaled(terms, 1 / size)
        key: frozenset[tuple[object, Fraction]] = frozenset(terms.items())
        index = self._known_sums.get(key)
        if index is None:
            if nodes is None or size != 1:
                nodes = self._builder.terms(terms, 2 * longest + 8)
            if nodes is None:
                raise TooLargeError
            index = self._atom(nodes)
            self._known_sums[key] = index
            self._builder.sums.setdefault(index, terms)
        return {((index, 1),): size}

    def _without_quotients(self, grouped: Terms, longest: int) -> Terms:
        """Multiply a factor into a sum that is divided by it, where that is shorter."""
        if len(grouped) != 1:
            return grouped
        ((monomial, _),) = grouped.items()
        for index, exponent in monomial:
            if abs(exponent) != 1:
                continue
            divisors = self._divisors(index)
            for other, power in monomial:
                count = divisors.get(other, 0)
                if not count or power * exponent < count:
                    continue
                changed = self._multiplied(grouped, index, exponent, (other, count))
                old, new = (self._builder.terms(one, 2 * longest) for one in (grouped, changed))
                if new is not None and (old is None or len(new) < len(old)):
                    return changed
        return grouped

    def _has_no_sum(self, terms: Terms) -> bool:
        """Return whether *terms* are a single one without sums among its factors."""
        return len(terms) == 1 and not any(
            exponent > 0 and index in self._builder.sums
            for monomial in terms
            for index, exponent in monomial
        )

    def _divisors(self, index: int) -> dict[int, int]:
        """Return what the terms of a sum are divided by, and how often."""
        found: dict[int, int] = {}
        for monomial in self._builder.sums.get(index, ()):
            for other, power in monomial:
                if power < 0:
                    found[other] = max(found.get(other, 0), -power)
        return found

    def _multiplied(
        self, grouped: Terms, index: int, exponent: int, factor: tuple[int, int]
    ) -> Terms:
        """Return *grouped* with the power *factor* moved into the sum *index*."""
        other, power = factor
        inner = laurent.multiply(self._builder.sums[index], laurent.part(other, power))
        single = self._single(inner, 1 << 10, None)
        if exponent < 0:
            single = laurent.inverse(single)
        without = laurent.multiply(grouped, laurent.part(index, -exponent))
        without = laurent.multiply(without, laurent.part(other, -power * exponent))
        return laurent.multiply(without, single)
