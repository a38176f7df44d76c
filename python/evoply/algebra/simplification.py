"""Algebra for people: what an evolved tree comes to, and whether it is a constant.

Every number is a sum of products of powers over what has no algebra, with exact coefficients. A sum
in a product is a part of its own (*grouped*) until it is multiplied out (*expanded*); of all forms
of a value the shortest is written. A simplified expression is for reading and statistics only and
never plays: it equals the original up to rounding, and only where no divisor is zero. Protected
division is therefore flagged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evoply.algebra import polynomials
from evoply.algebra.naming import DIGITS, names_of
from evoply.algebra.polynomials import Terms, TooLargeError
from evoply.algebra.writing import Writer, place, to_float
from evoply.expressions import Expression
from evoply.expressions.formula import UNNAMED, Names, formula, number_text
from evoply.expressions.written_form import children, in_order
from evoply.gp.forest import Individual
from evoply.gp.introns import settled
from evoply.gp.lowering import expression_of

_MOST_EXCEPTIONS = 8
_LONGEST_VALUE = 200  # characters of the value at an exception
_MOST_NODES = 600
"""So many exceptions have their own value worked out, over so many nodes; others are only named."""
_VIEWS = 4
_MOST_CHOICES = 6
"""So many addends of a sum are tried in every form."""


@dataclass(frozen=True, slots=True)
class Simplified:
    """A simplified expression with what must be said about it.

    *names* are those of the primitives; *constant* is the value if it depends on no feature;
    *exceptions* say, each for itself, where protected division gives another value; *size* counts
    operations, numbers and features.
    """

    expression: Expression
    names: Names
    constant: float | None
    exceptions: tuple[str, ...]
    size: int

    @property
    def formula(self) -> str:
        """The formula without the exceptions."""
        return formula(self.expression, self.names, digits=DIGITS)

    @property
    def text(self) -> str:
        """The formula and the exceptions in one line."""
        return f"{self.formula}, {'; '.join(self.exceptions)}" if self.exceptions else self.formula

    def __str__(self) -> str:
        return self.text


def simplify(what: Individual | Expression, names: Names = UNNAMED) -> Simplified:
    """Return what an individual or an expression comes to: like terms collected, factors cancelled.

    Takes milliseconds for 200 nodes: an operation that would pass 100 terms is kept as it is. Never
    longer than the original written out. Any type of value is taken; numbers have algebra, and
    choices that are settled are taken. *names* are those of an expression's parts, which are taken
    as they are; the parts of an individual are called as its primitives are.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> tree = parse_tree("( + white ( + ( - black black ) white ) )", PRIMITIVE_SETS["liao"])
    >>> print(simplify(tree))
    2 * white
    """
    if isinstance(what, Expression):
        expression = what
    else:
        expression, names = expression_of(what), names_of(what)
    simplifier = _Simplifier(expression, names)
    form = simplifier.run()
    constant = None if form.terms is None else polynomials.value(form.terms)
    return Simplified(
        form.expression,
        names,
        None if constant is None else to_float(constant),
        simplifier.exceptions(form.expression),
        simplifier.writer.size(form.expression),
    )


@dataclass(frozen=True, slots=True)
class _Form:
    """A part of the original: the shortest expression found for it and, of a number, its terms."""

    expression: Expression
    terms: Terms | None = None

    @property
    def key(self) -> Any:
        """What laws compare: a constant, or the expression."""
        if self.terms is None:
            is_truth = self.expression.op == "truth"
            return self.expression.arguments[0] if is_truth else self.expression
        value = polynomials.value(self.terms)
        number = None if value is None else to_float(value)
        return self.expression if number is None else number


class _Simplifier:
    """Works on one expression; what is forced divides by zero."""

    def __init__(self, expression: Expression, names: Names) -> None:
        conventions = [one.arguments[2] for one in in_order([expression]) if one.op == "divide"]
        self.writer = Writer(conventions[0] if conventions else "one")
        self.names = names
        self.root = self.copied(expression)
        self._addends: dict[int, list[tuple[int, Expression]]] = {}
        self.order, self.places = self.parts()
        self.forms: dict[int, _Form] = {}
        self.conditions: dict[int, str] = {}
        """Of each division by what may be zero, and then matters: where it is zero, in words."""
        self.forced: frozenset[str] = frozenset()
        self._factored: dict[frozenset[Any], Terms] = {}
        self._ratios: dict[tuple[int, int], Terms | None] = {}

    def copied(self, expression: Expression) -> Expression:
        """Return *expression* made by the writer: equal parts are one object."""
        copies: dict[int, Expression] = {}
        known = {one: one for one in self.names.known}
        for node in in_order([expression]):
            if node in known:
                copies[id(node)] = self.writer.leaf(known[node])
                continue
            arguments = [
                copies[id(one)] if isinstance(one, Expression) else one for one in node.arguments
            ]
            copies[id(node)] = self.writer.make(node.op, *arguments)
        return copies[id(expression)]

    def parts(self) -> tuple[list[Expression], dict[int, int]]:
        """Return what is worked out, operands first, and each one's place as it is read."""
        order: list[Expression] = []
        places: dict[int, int] = {}
        waiting = [(self.root, False)]
        while waiting:
            node, is_done = waiting.pop()
            if is_done:
                order.append(node)
            elif id(node) not in places:
                places[id(node)] = len(places)
                if node.type == "number" and self.writer.size(node) == 1 and node.op != "number":
                    self.writer.atom(node)  # numbered in the order in which a reader meets them
                waiting.append((node, True))
                waiting += [(one, False) for one in reversed(self.operands(node))]
        return order, places

    def operands(self, node: Expression) -> list[Expression]:
        """Return what the value of *node* is worked out from: of a sum, all that is added up."""
        if self.is_leaf(node):
            return []
        return [addend for _, addend in self.addends(node)] if self.summed(node) else children(node)

    def is_leaf(self, node: Expression) -> bool:
        return self.writer.size(node) == 1

    def addends(self, node: Expression) -> list[tuple[int, Expression]]:
        """Return what a sum adds up and how often, from left to right, sums inside it included."""
        if id(node) in self._addends:
            return self._addends[id(node)]
        scales: dict[int, int] = {}
        order: list[Expression] = []
        waiting = [(node, False)]
        while waiting:
            one, is_done = waiting.pop()
            if is_done:
                order.append(one)
            elif id(one) not in scales:
                scales[id(one)] = 0
                waiting.append((one, True))
                waiting += [(part, False) for _, part in reversed(self.summed(one))]
        scales[id(node)] = 1
        for one in reversed(order):
            for sign, part in self.summed(one):
                scales[id(part)] += sign * scales[id(one)]
        self._addends[id(node)] = [
            (scales[id(one)], one) for one in order if scales[id(one)] and not self.summed(one)
        ]
        return self._addends[id(node)]

    def summed(self, node: Expression) -> list[tuple[int, Expression]]:
        """Return what a sum or a change of sign adds up, with signs; of all else nothing."""
        if self.is_leaf(node):
            return []
        if node.op in ("add", "subtract"):
            first, second = node.arguments
            return [(1, first), (-1 if node.op == "subtract" else 1, second)]
        if node.op == "multiply":
            for one, other in (node.arguments, node.arguments[::-1]):
                if one.op == "number" and one.arguments[0] == -1:
                    return [(-1, other)]
        return []

    def run(self, forced: frozenset[str] = frozenset()) -> _Form:
        """Return the form of the whole; later only what *forced* changes is worked out."""
        self.forced = forced
        forms: dict[int, _Form] = {}
        changed: set[int] = set()
        for node in self.order:
            parts = self.operands(node)
            if self.conditions.get(id(node)) in forced or any(id(one) in changed for one in parts):
                changed.add(id(node))
            elif id(node) in self.forms:
                forms[id(node)] = self.forms[id(node)]
                continue
            forms[id(node)] = self.form(node, forms)
        if not forced:
            self.forms = forms
        return forms[id(self.root)]

    def form(self, node: Expression, forms: dict[int, _Form]) -> _Form:
        if self.is_leaf(node) and node.op not in ("number", "truth"):
            return self.opaque(node)
        if self.summed(node):
            return self.sum([(sign, forms[id(one)]) for sign, one in self.addends(node)])
        operands = [forms[id(one)] for one in children(node)]
        literals = [one for one in node.arguments if not isinstance(one, Expression)]
        if node.op == "number":
            is_finite = math.isfinite(literals[0])
            return (
                _Form(node, polynomials.constant(literals[0])) if is_finite else self.opaque(node)
            )
        if node.op == "truth":
            return _Form(node)
        arguments = iter(operands)
        plain = self.writer.make(
            node.op,
            *(
                next(arguments).expression if isinstance(one, Expression) else one
                for one in node.arguments
            ),
        )
        with suppress(TooLargeError):
            match node.op:
                case "multiply":
                    first, second = operands
                    return self.product(first.terms or {}, second.terms or {}, plain)
                case "divide":
                    first, second = operands
                    return self.quotient(node, first, second, plain)
                case "minimum" | "maximum" if extreme := self.extreme(node.op, *operands):
                    return extreme
        key = settled(node.op, literals, [operand.key for operand in operands])
        return self.known(key, operands) or self.opaque(plain)

    def known(self, key: Any, operands: Sequence[_Form]) -> _Form | None:
        """Return the form of a settled value: that of an operand, or a constant."""
        if key is None:
            return None
        same = [operand for operand in operands if operand.key is key]
        if same:
            return same[0]
        if isinstance(key, bool):
            return _Form(self.writer.make("truth", key))
        return _Form(self.writer.make("number", key), polynomials.constant(key))

    def opaque(self, expression: Expression) -> _Form:
        """Return the form of what has no algebra."""
        if expression.type != "number":
            return _Form(expression)
        return _Form(expression, polynomials.power(self.writer.atom(expression)))

    def shortest(self, candidates: Sequence[Terms], plain: Expression) -> _Form:
        """Return the form of the candidate that is written shortest, the first of equal ones.

        It is written as *plain* if that is shorter still.
        """
        best: _Form | None = None
        for terms in candidates:
            written = self.writer.written(terms, self.writer.size(plain))
            if written is not None and (
                best is None or self.writer.size(written) < self.writer.size(best.expression)
            ):
                best = _Form(written, terms)
        if best is not None:
            return best
        if not candidates or len(candidates[0]) < 2:
            return _Form(plain, candidates[0]) if candidates else self.opaque(plain)
        # A part of its own that can still be multiplied out.
        atom = self.writer.atom(plain)
        with suppress(TooLargeError):
            forms = [terms for terms in candidates[1:] if len(terms) > 1]
            self.writer.sums.setdefault(atom, [self.expanded(candidates[0]), *forms])
        return _Form(plain, polynomials.power(atom))

    def sum(self, addends: Sequence[tuple[int, _Form]]) -> _Form:
        """Return the form of a sum, each addend in the form that makes the whole shortest."""
        plain = self.writer.chain([(sign, form.expression) for sign, form in addends])
        options = [
            [polynomials.scaled(view, Fraction(sign)) for view in self.views(form.terms or {})]
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
        """Take for some addends another view than *start* if the written form becomes shorter."""
        longest = 2 * self.writer.size(plain)
        written = self.writer.written(terms, longest)
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
                text = self.writer.written(other, longest)
                if text is not None and (
                    written is None or self.writer.size(text) < self.writer.size(written)
                ):
                    terms, written = other, text
        return terms

    def product(self, first: Terms, second: Terms, plain: Expression) -> _Form:
        return self.shortest(self.products(first, second), plain)

    def products(self, first: Terms, second: Terms) -> list[Terms]:
        """Return the forms of a product, the expanded ones first."""
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

    def quotient(self, node: Expression, first: _Form, second: _Form, plain: Expression) -> _Form:
        """Return the quotient, and note where it is not what protected division gives."""
        one, zero = polynomials.constant(1), polynomials.constant(0)
        protected = {"one": one, "zero": zero, "numerator": first.terms}.get(node.arguments[2])
        condition = self.condition(second)
        if not second.terms or condition in self.forced:
            if protected is None:
                return self.opaque(plain)
            if protected is first.terms:
                return first
            return self.shortest([protected], self.writer.make("number", float(bool(protected))))
        candidates: list[Terms] = []
        with suppress(TooLargeError):
            over = polynomials.inverse(self.factored(second.terms))
            self.writer.divisors |= {
                atom for monomial in over for atom, power in monomial if power < 0
            }
            candidates = self.products(first.terms or {}, over)
        if condition and protected not in candidates:
            self.conditions[id(node)] = condition
        return self.shortest(candidates, plain)

    def extreme(self, op: str, first: _Form, second: _Form) -> _Form | None:
        """Return the larger or the smaller of two if their difference is a constant."""
        difference = polynomials.value(
            polynomials.add(self.expanded(first.terms or {}), self.expanded(second.terms or {}), -1)
        )
        if difference is None:
            return None
        return first if (difference >= 0) == (op == "maximum") else second

    def views(self, terms: Terms) -> list[Terms]:
        """Return *terms* as they are, as one product, and multiplied out in part and wholly."""
        found = [terms]
        for view in (self.factored, self.opened, self.expanded):
            try:
                found.append(view(terms))
            except TooLargeError:
                found.append(terms)
        return found

    def opened(self, terms: Terms) -> Terms:
        """Return *terms* with the sums in it multiplied out, the sums in these left as they are."""
        return self.expanded(terms, form=-1)

    def expanded(self, terms: Terms, form: int = 0) -> Terms:
        """Return *terms* with the sums in it multiplied out, but for those that divide."""
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
        """Return *terms* as one product: a sum is an atom, over one denominator, cancelled."""
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
        """Return a single term without sums above and below that divide each other."""
        for monomial in product:
            powers = [(atom, exponent) for atom, exponent in monomial if atom in self.writer.sums]
            above = [atom for atom, exponent in powers if exponent > 0]
            below = [atom for atom, exponent in powers if exponent < 0]
            for one, other in ((one, other) for one in above for other in below):
                ratio = self.ratio(one, other)
                if ratio is not None:
                    gone = polynomials.multiply(
                        polynomials.power(one, -1), polynomials.power(other)
                    )
                    left = polynomials.multiply(product, polynomials.multiply(gone, ratio))
                    return self.cancelled(left)
        return product

    def ratio(self, one: int, other: int) -> Terms | None:
        """Return one sum over another as a single term if one of them divides the other."""
        if (one, other) not in self._ratios:
            ratio: Terms | None = None
            above, below = (self.writer.sums[atom][0] for atom in (one, other))
            powers = [
                exponent for terms in (above, below) for part in terms for _, exponent in part
            ]
            if min(powers) > 0:
                quotient = polynomials.quotient(above, below)
                ratio = None if quotient is None else self.factored(quotient)
                if quotient is None and (quotient := polynomials.quotient(below, above)):
                    ratio = polynomials.inverse(self.factored(quotient))
            self._ratios[one, other] = ratio
        return self._ratios[one, other]

    def condition(self, divisor: _Form) -> str:
        """Return in words where *divisor* is zero, "" if that is nowhere or everywhere."""
        if not divisor.terms or polynomials.value(divisor.terms) is not None:
            return ""
        try:
            ((monomial, _),) = self.factored(divisor.terms).items()
            above: Terms = {tuple((atom, 1) for atom, power in monomial if power > 0): Fraction(1)}
            zeros = self.expanded(above)
        except TooLargeError:
            zeros = polynomials.power(self.writer.atom(divisor.expression))
        return "" if polynomials.value(zeros) is not None else self.zero_text(zeros)

    def zero_text(self, zeros: Terms) -> str:
        """Return in words where *zeros* is 0: positive terms = negative terms."""
        scale = min(abs(value) for value in zeros.values())
        sides: tuple[list[str], list[str]] = ([], [])
        for monomial, value in sorted(zeros.items(), key=lambda term: place(term[0])):
            factors = [
                formula(self.writer.atoms[atom], self.names, digits=DIGITS)
                for atom, exponent in monomial
                for _ in range(exponent)
            ]
            size = abs(value) / scale if len(zeros) > 1 or monomial else abs(value)
            if size != 1 or not factors:
                factors.insert(0, number_text(float(size)))
            sides[value < 0].append(" * ".join(factors))
        is_turned = not sides[0] or (bool(sides[1]) and zeros.get((), 0) > 0)
        one, other = sides[::-1] if is_turned else sides
        return f"{' + '.join(one)} = {' + '.join(other) or '0'}"

    def exceptions(self, usual: Expression) -> tuple[str, ...]:
        """Return a sentence for each divisor that may be zero and changes the *usual* value."""
        places = sorted(self.conditions, key=self.places.__getitem__)
        conditions = dict.fromkeys(self.conditions[place] for place in places)
        # Step 1. What comes out at each exception, as far as that is affordable.
        most = min(_MOST_EXCEPTIONS, 1 + _MOST_NODES // self.writer.size(self.root))
        results = {
            condition: self.run(frozenset([condition])).expression
            for condition in list(conditions)[:most]
        }
        # Step 2. Those that change nothing, neither alone nor all together, are no exceptions.
        harmless = {condition for condition, result in results.items() if result is usual}
        if harmless and self.run(frozenset(harmless)).expression is not usual:
            harmless = set()
        # Step 3. The others in words.
        sentences: list[str] = []
        for condition in conditions:
            if condition in harmless:
                continue
            sentence = f"except where {condition}"
            if results.get(condition, usual) is not usual:
                value = formula(results[condition], self.names, digits=DIGITS)
                sentence += f", where it is {value}" if len(value) <= _LONGEST_VALUE else ""
            sentences.append(sentence)
        return tuple(sentences)
