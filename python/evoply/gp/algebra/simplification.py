"""Algebra for people: the simplified form of an evolved tree, and whether it is a constant.

Every number is a sum of products of powers over parts without algebra, with exact coefficients. A
sum in a product is an atom of its own (*grouped*) until it is multiplied out (*expanded*); the
shortest form of a value is written. A simplified expression is for reading and statistics only and
never plays: it equals the original up to rounding, and only where no divisor is zero. Protected
division is therefore flagged.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evoply.expressions import Expression
from evoply.expressions.written_form import (
    UNNAMED,
    FormulaNames,
    children,
    formula,
    in_order,
    number_text,
)
from evoply.gp.algebra import polynomials
from evoply.gp.algebra.formulas import DIGITS, SumWriter, names_of, place, to_float
from evoply.gp.algebra.polynomials import Terms, TooLargeError
from evoply.gp.lowering import expression_of
from evoply.gp.sizes import settled
from evoply.gp.tree import Forest, Genotype, Tree

# The forms of a value, from one product to all multiplied out, and the choice of the shortest.
#
# A sum in a product is an atom of its own (*grouped*) until it is multiplied out (*expanded*).

_VIEWS = 4
_MOST_CHOICES = 6
"""The number of addends of a sum that are tried in every form."""


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


_MOST_EXCEPTIONS = 8
_LONGEST_VALUE = 200  # characters of the value at an exception
_MOST_NODES = 600
"""Limits of the exceptions whose value is computed, in exceptions and nodes; others are named."""


@dataclass(frozen=True, slots=True)
class Simplified:
    """A simplified expression and where it is not the value of the original.

    *names* are those of the primitives; *constant* is the value if it depends on no feature;
    *exceptions* are sentences, each about a place where protected division gives another value;
    *size* counts operations, numbers and features.
    """

    expression: Expression
    names: FormulaNames
    constant: float | None
    exceptions: tuple[str, ...]
    size: int

    @property
    def formula(self) -> str:
        """The formula, without the exceptions."""
        return formula(self.expression, self.names, digits=DIGITS)

    @property
    def text(self) -> str:
        """The formula and the exceptions in one line."""
        return f"{self.formula}, {'; '.join(self.exceptions)}" if self.exceptions else self.formula

    def __str__(self) -> str:
        return self.text


def simplify(what: Genotype | Expression, names: FormulaNames = UNNAMED) -> Simplified:
    """Return an individual or an expression with like terms collected and factors cancelled.

    This takes milliseconds for 200 nodes: an operation that would exceed 100 terms is kept. The
    result is never longer than the original written out. Values of any type are accepted; algebra
    applies to numbers, and a choice whose condition is constant is made. *names* name parts of an
    expression, which stay whole; the parts of an individual are named after its primitives.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> tree = parse_tree("( + white ( + ( - black black ) white ) )", PRIMITIVE_SETS["liao"])
    >>> print(simplify(tree))
    2 * white
    """
    if isinstance(what, Expression):
        expression = what
    elif isinstance(what, Tree | Forest):
        expression, names = expression_of(what), names_of(what)
    else:
        raise TypeError(
            f"what: {what!r:.60} is neither a tree nor an expression: parse_tree reads a text"
        )
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


class _Simplifier:
    """Simplifies one expression; divisions whose condition is forced are by zero."""

    def __init__(self, expression: Expression, names: FormulaNames) -> None:
        conventions = [node.arguments[2] for node in in_order([expression]) if node.op == "divide"]
        self.writer = SumWriter(conventions[0] if conventions else "one")
        self.forms = Forms(self.writer)
        self.names = names
        self.root = self.copy(expression)
        self._addends: dict[int, list[tuple[int, Expression]]] = {}
        self.order, self.places = self.parts()
        self.finished: dict[int, Form] = {}
        self.conditions: dict[int, str] = {}
        """Where the divisor of a division is zero, in words, by node; only where that matters."""
        self.forced: frozenset[str] = frozenset()

    def copy(self, expression: Expression) -> Expression:
        """Return a copy of *expression* made by the writer, where equal parts are one object."""
        copies: dict[int, Expression] = {}
        known = {part: part for part in self.names.known}
        for node in in_order([expression]):
            if node in known:
                copies[id(node)] = self.writer.leaf(known[node])
                continue
            arguments = [
                copies[id(argument)] if isinstance(argument, Expression) else argument
                for argument in node.arguments
            ]
            copies[id(node)] = self.writer.make(node.op, *arguments)
        return copies[id(expression)]

    def parts(self) -> tuple[list[Expression], dict[int, int]]:
        """Return the nodes to compute, operands first, and the place of each in reading order."""
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
                waiting += [(operand, False) for operand in reversed(self.operands(node))]
        return order, places

    def operands(self, node: Expression) -> list[Expression]:
        """Return the expressions that *node* is computed from; for a sum, all its addends."""
        if self.is_leaf(node):
            return []
        return [part for _, part in self.addends(node)] if self.signed(node) else children(node)

    def is_leaf(self, node: Expression) -> bool:
        return self.writer.size(node) == 1

    def addends(self, node: Expression) -> list[tuple[int, Expression]]:
        """Return the addends of a sum and of the sums inside it, with factors, left to right."""
        if id(node) in self._addends:
            return self._addends[id(node)]
        scales: dict[int, int] = {}
        order: list[Expression] = []
        waiting = [(node, False)]
        while waiting:
            addend, is_done = waiting.pop()
            if is_done:
                order.append(addend)
            elif id(addend) not in scales:
                scales[id(addend)] = 0
                waiting.append((addend, True))
                waiting += [(part, False) for _, part in reversed(self.signed(addend))]
        scales[id(node)] = 1
        for addend in reversed(order):
            for sign, part in self.signed(addend):
                scales[id(part)] += sign * scales[id(addend)]
        self._addends[id(node)] = [
            (scales[id(part)], part) for part in order if scales[id(part)] and not self.signed(part)
        ]
        return self._addends[id(node)]

    def signed(self, node: Expression) -> list[tuple[int, Expression]]:
        """Return the operands of a sum or a change of sign, with signs; else an empty list."""
        if self.is_leaf(node):
            return []
        if node.op in ("add", "subtract"):
            first, second = node.arguments
            return [(1, first), (-1 if node.op == "subtract" else 1, second)]
        if node.op == "multiply":
            for factor, other in (node.arguments, node.arguments[::-1]):
                if factor.op == "number" and factor.arguments[0] == -1:
                    return [(-1, other)]
        return []

    def run(self, forced: frozenset[str] = frozenset()) -> Form:
        """Return the form of the whole; a later call computes only what *forced* changes."""
        self.forced = forced
        forms: dict[int, Form] = {}
        changed: set[int] = set()
        for node in self.order:
            parts = self.operands(node)
            if self.conditions.get(id(node)) in forced or any(
                id(part) in changed for part in parts
            ):
                changed.add(id(node))
            elif id(node) in self.finished:
                forms[id(node)] = self.finished[id(node)]
                continue
            forms[id(node)] = self.form(node, forms)
        if not forced:
            self.finished = forms
        return forms[id(self.root)]

    def form(self, node: Expression, done: dict[int, Form]) -> Form:
        """Return the form of *node*; *done* has the forms of its operands."""
        if node.op == "truth":
            return Form(node)
        if node.op == "number" and math.isfinite(node.arguments[0]):
            return Form(node, polynomials.constant(node.arguments[0]))
        if self.is_leaf(node):
            return self.forms.opaque(node)
        if self.signed(node):
            return self.forms.sum([(scale, done[id(part)]) for scale, part in self.addends(node)])
        operands = [done[id(child)] for child in children(node)]
        shortened = iter(operands)
        plain = self.writer.make(
            node.op,
            *(
                next(shortened).expression if isinstance(argument, Expression) else argument
                for argument in node.arguments
            ),
        )
        if node.op == "multiply":
            return self.forms.shortest(self.forms.products(*operands), plain)
        if node.op == "divide":
            return self.quotient(node, operands[0], operands[1], plain)
        literals = [argument for argument in node.arguments if not isinstance(argument, Expression)]
        key = settled(node.op, literals, [operand.key for operand in operands])
        settled_form = self.form_of_key(key, operands) or self.extreme(node.op, operands)
        return settled_form or self.forms.opaque(plain)

    def form_of_key(self, key: Any, operands: Sequence[Form]) -> Form | None:
        """Return the form of the value that *key* stands for: an operand's form, or a constant."""
        if key is None:
            return None
        same = [operand for operand in operands if operand.key is key]
        if same:
            return same[0]
        if isinstance(key, bool):
            return Form(self.writer.make("truth", key))
        return Form(self.writer.make("number", key), polynomials.constant(key))

    def quotient(self, node: Expression, first: Form, second: Form, plain: Expression) -> Form:
        """Return the quotient, and record where protected division gives another value."""
        unit, zero = polynomials.constant(1), polynomials.constant(0)
        protected = {"one": unit, "zero": zero, "numerator": first.terms}.get(node.arguments[2])
        condition = self.condition(second)
        if not second.terms or condition in self.forced:
            if node.arguments[2] == "numerator":
                return first
            if protected is None:
                return self.forms.opaque(plain)
            return Form(self.writer.make("number", float(bool(protected))), protected)
        candidates: list[Terms] = []
        with suppress(TooLargeError):
            over = Form(second.expression, polynomials.inverse(self.forms.factored(second.terms)))
            self.writer.divisors |= {
                atom for monomial in over.value for atom, power in monomial if power < 0
            }
            candidates = self.forms.products(first, over)
        if condition and protected not in candidates:
            self.conditions[id(node)] = condition
        return self.forms.shortest(candidates, plain)

    def extreme(self, op: str, operands: Sequence[Form]) -> Form | None:
        """Return the larger or the smaller of two operands if their difference is a constant."""
        if op not in ("minimum", "maximum"):
            return None
        first, second = operands
        difference: Fraction | None = None
        with suppress(TooLargeError):
            left, right = (self.forms.expanded(operand.value) for operand in operands)
            difference = polynomials.value(polynomials.add(left, right, -1))
        if difference is None:
            return None
        return first if (difference >= 0) == (op == "maximum") else second

    def condition(self, divisor: Form) -> str:
        """Return in words where *divisor* is zero, or "" if that is nowhere or everywhere."""
        if not divisor.terms or polynomials.value(divisor.terms) is not None:
            return ""
        try:
            ((monomial, _),) = self.forms.factored(divisor.terms).items()
            above: Terms = {tuple((atom, 1) for atom, power in monomial if power > 0): Fraction(1)}
            zeros = self.forms.expanded(above)
        except TooLargeError:
            zeros = polynomials.power(self.writer.atom(divisor.expression))
        return "" if polynomials.value(zeros) is not None else self.zero_text(zeros)

    def zero_text(self, zeros: Terms) -> str:
        """Return in words where *zeros* is 0, as positive terms = negative terms."""
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
        left, right = sides[::-1] if is_turned else sides
        return f"{' + '.join(left)} = {' + '.join(right) or '0'}"

    def exceptions(self, usual: Expression) -> tuple[str, ...]:
        """Return a sentence for each divisor that may be zero and changes the *usual* value."""
        places = sorted(self.conditions, key=self.places.__getitem__)
        conditions = dict.fromkeys(self.conditions[index] for index in places)
        # Step 1. Compute the result at each exception, as far as that is affordable.
        most = min(_MOST_EXCEPTIONS, 1 + _MOST_NODES // self.writer.size(self.root))
        results = {
            condition: self.run(frozenset([condition])).expression
            for condition in list(conditions)[:most]
        }
        # Step 2. Drop conditions that change nothing, neither alone nor all together.
        harmless = {condition for condition, result in results.items() if result is usual}
        if harmless and self.run(frozenset(harmless)).expression is not usual:
            harmless = set()
        # Step 3. Put the others into words.
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
