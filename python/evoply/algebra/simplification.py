"""Algebra for people: what an evolved tree comes to, and whether it is a constant.

Every number is a sum of products of powers over what has no algebra, with exact coefficients. A sum
in a product is a part of its own (*grouped*) until it is multiplied out (*expanded*); of all forms
of a value the shortest is written. A simplified expression is for reading and statistics only and
never plays: it equals the original up to rounding, and only where no divisor is zero. Protected
division is therefore flagged.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evoply.algebra import polynomials
from evoply.algebra.forms import Form, Forms
from evoply.algebra.naming import DIGITS, names_of
from evoply.algebra.polynomials import Terms, TooLargeError
from evoply.algebra.writing import SumWriter, place, to_float
from evoply.expressions import Expression
from evoply.expressions.formula import UNNAMED, FormulaNames, formula, number_text
from evoply.expressions.written_form import children, in_order
from evoply.gp.forest import Genotype
from evoply.gp.lowering import expression_of
from evoply.gp.sizes import settled

_MOST_EXCEPTIONS = 8
_LONGEST_VALUE = 200  # characters of the value at an exception
_MOST_NODES = 600
"""So many exceptions have their own value worked out, over so many nodes; others are only named."""


@dataclass(frozen=True, slots=True)
class Simplified:
    """A simplified expression with what must be said about it.

    *names* are those of the primitives; *constant* is the value if it depends on no feature;
    *exceptions* say, each for itself, where protected division gives another value; *size* counts
    operations, numbers and features.
    """

    expression: Expression
    names: FormulaNames
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


def simplify(what: Genotype | Expression, names: FormulaNames = UNNAMED) -> Simplified:
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


class _Simplifier:
    """Works on one expression; what is forced divides by zero."""

    def __init__(self, expression: Expression, names: FormulaNames) -> None:
        conventions = [one.arguments[2] for one in in_order([expression]) if one.op == "divide"]
        self.writer = SumWriter(conventions[0] if conventions else "one")
        self.forms = Forms(self.writer)
        self.names = names
        self.root = self.copied(expression)
        self._addends: dict[int, list[tuple[int, Expression]]] = {}
        self.order, self.places = self.parts()
        self.finished: dict[int, Form] = {}
        self.conditions: dict[int, str] = {}
        """Of each division by what may be zero, and then matters: where it is zero, in words."""
        self.forced: frozenset[str] = frozenset()

    def copied(self, expression: Expression) -> Expression:
        """Return *expression* made by the writer: equal parts are one object."""
        copies: dict[int, Expression] = {}
        known = {one: one for one in self.names.known}
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
                waiting += [(operand, False) for operand in reversed(self.operands(node))]
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

    def run(self, forced: frozenset[str] = frozenset()) -> Form:
        """Return the form of the whole; later only what *forced* changes is worked out."""
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
        """Return the form of *node*, what it is worked out from being *done*."""
        if node.op == "truth":
            return Form(node)
        if node.op == "number" and math.isfinite(node.arguments[0]):
            return Form(node, polynomials.constant(node.arguments[0]))
        if self.is_leaf(node):
            return self.forms.opaque(node)
        if self.summed(node):
            return self.forms.sum([(scale, done[id(one)]) for scale, one in self.addends(node)])
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
        settled_form = self.known(key, operands) or self.extreme(node.op, operands)
        return settled_form or self.forms.opaque(plain)

    def known(self, key: Any, operands: Sequence[Form]) -> Form | None:
        """Return the form of a settled value: that of an operand, or a constant."""
        if key is None:
            return None
        same = [operand for operand in operands if operand.key is key]
        if same:
            return same[0]
        if isinstance(key, bool):
            return Form(self.writer.make("truth", key))
        return Form(self.writer.make("number", key), polynomials.constant(key))

    def quotient(self, node: Expression, first: Form, second: Form, plain: Expression) -> Form:
        """Return the quotient, and note where it is not what protected division gives."""
        one, zero = polynomials.constant(1), polynomials.constant(0)
        protected = {"one": one, "zero": zero, "numerator": first.terms}.get(node.arguments[2])
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
        """Return the larger or the smaller of two if their difference is a constant."""
        if op not in ("minimum", "maximum"):
            return None
        first, second = operands
        difference: Fraction | None = None
        with suppress(TooLargeError):
            one, other = (self.forms.expanded(operand.value) for operand in operands)
            difference = polynomials.value(polynomials.add(one, other, -1))
        if difference is None:
            return None
        return first if (difference >= 0) == (op == "maximum") else second

    def condition(self, divisor: Form) -> str:
        """Return in words where *divisor* is zero, "" if that is nowhere or everywhere."""
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
