"""Algebra for people: the simplified form of an evolved tree, and whether it is a constant.

Every number is a sum of products of powers over parts without algebra, with exact coefficients. A
sum in a product is an atom of its own (*grouped*) until it is multiplied out (*expanded*); the
shortest form of a value is written. A simplified expression is for reading and statistics only and
never plays: it equals the original up to rounding, and only where no divisor is zero. Protected
division is therefore flagged.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from evoply.expressions import Expression, build
from evoply.expressions.written_form import (
    UNNAMED,
    FormulaNames,
    children,
    formula,
    in_order,
    number_text,
)
from evoply.gp.algebra import polynomials
from evoply.gp.algebra.decisions import Common
from evoply.gp.algebra.forms import Form, Forms
from evoply.gp.algebra.formulas import DIGITS, SumWriter, names_of, place, to_float
from evoply.gp.algebra.polynomials import Terms, TooLargeError
from evoply.gp.algebra.ranges import ANY
from evoply.gp.lowering import expression_of
from evoply.gp.sizes import settled
from evoply.gp.tree import Forest, Genotype, Tree

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
        """The formula, without the exceptions; its numbers have four digits, the expression all."""
        return formula(self.expression, self.names, digits=DIGITS)

    @property
    def text(self) -> str:
        """The formula and the exceptions in one line."""
        return f"{self.formula}, {'; '.join(self.exceptions)}" if self.exceptions else self.formula

    def __str__(self) -> str:
        return self.text


def simplify(
    what: Genotype | Expression,
    names: FormulaNames = UNNAMED,
    *,
    alike: Collection[str] | None = None,
) -> Simplified:
    """Return an individual or an expression with like terms collected and factors cancelled.

    This takes milliseconds for 200 nodes: an operation that would exceed 100 terms is kept. Values
    of any type are accepted; algebra applies to numbers, and a choice or comparison is made that
    comes out the same on every board. *names* name parts of an expression, which stay whole; the
    parts of an individual are named after its primitives.

    The result has the value of the original and is never longer than it written out. With *alike*,
    operations that are the same on all boards that a choice compares (`ValuingPlayer.alike`), it
    has the same order on these instead: without what they share, divided by a positive factor, and
    multiplied out, at most to twice the length, where brackets hide what they share. Both hold up
    to rounding, and the order up to the bounds that players keep values in (1e12).

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> tree = parse_tree("( + white ( + 3 ( + black white ) ) )", PRIMITIVE_SETS["liao"])
    >>> print(simplify(tree))
    2 * white + black + 3
    >>> print(simplify(tree, alike=()))
    2 * white + black
    """
    if isinstance(what, Expression):
        expression = what
    elif isinstance(what, Tree | Forest):
        expression, names = expression_of(what), names_of(what)
    else:
        raise TypeError(
            f"what: {what!r:.60} is neither a tree nor an expression: parse_tree reads a text"
        )
    if alike is None or expression.type != "number":
        return _simplified(expression, names)
    common = Common(alike, names)
    simplified = _simplified(common.dropped(expression), names)
    # Where a divisor is 0 the value would need the same changes.
    if simplified.exceptions:
        return simplified
    return _simplified(_ordering(simplified.expression, names, common, is_scaled=True), names)


def _simplified(expression: Expression, names: FormulaNames) -> Simplified:
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


def _ordering(
    expression: Expression, names: FormulaNames, common: Common, *, is_scaled: bool
) -> Expression:
    """Return the shortest expression found that has the order of *expression*.

    The stages of a game keep their numbers, so that these can be compared.
    """
    if not common.chooses(expression):
        return _Simplifier(expression, names).ordering(common, is_scaled=is_scaled)
    condition, *ways = expression.arguments
    short = [_ordering(way, names, common, is_scaled=False) for way in ways]
    return build("select", condition, *short)


_TIMES_LONGER = 2
"""How much longer a form may be that does not hide what decides nothing."""
_EXTREMES = ("minimum", "maximum")
_COMPARISONS: Mapping[str, Callable[[float, float], tuple[bool, bool]]] = MappingProxyType(
    {
        "less": lambda low, high: (high < 0, low >= 0),
        "less_equal": lambda low, high: (high <= 0, low > 0),
        "equal": lambda low, high: (low == high == 0, low > 0 or high < 0),
    }
)
"""Whether a comparison always and whether it never holds, by the range of the difference."""


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
        return self.forms.tidied(forms[id(self.root)])

    def ordering(self, common: Common, *, is_scaled: bool) -> Expression:
        """Return the shortest expression found that has the order of the whole.

        What all boards share is looked for behind brackets, too. *is_scaled*: numbers may become
        smaller by a common divisor.
        """
        form = self.run()
        views = [self.forms.reduced(view, common) for view in self.forms.views(form.value)]
        with suppress(TooLargeError):
            whole = self.forms.reduced(self.forms.expanded(form.value), common)
            views += [*self.forms.views(whole), self.forms.collected(whole)]
            if is_scaled:
                scale = 1 / self.forms.common_number(whole)
                views = [polynomials.scaled(view, scale) for view in views]
        size = self.writer.size
        best: dict[bool, Expression] = {}  # by whether it hides what all boards share
        for view in views:
            with suppress(TooLargeError):
                hides = self.forms.shares(view, common)
                written = self.writer.write(view, _TIMES_LONGER * size(form.expression))
                if written is not None and size(written) < size(best.get(hides, written)) + (
                    hides not in best
                ):
                    best[hides] = written
        hiding, open_form = best.get(True, form.expression), best.get(False)
        if open_form is None or size(open_form) > _TIMES_LONGER * size(hiding):
            return hiding
        return open_form

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
        settled_form = self.form_of_key(key, operands) or self.compared(node.op, operands)
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

    def compared(self, op: str, operands: Sequence[Form]) -> Form | None:
        """Return what an extreme or a comparison of two numbers is on every board, else None."""
        if op not in (*_EXTREMES, *_COMPARISONS):
            return None
        first, second = operands
        with suppress(TooLargeError):
            difference = polynomials.add(first.value, second.value, -1)
            # Either form may have the narrower range: that of a square is 0 or more.
            for form in (difference, self.forms.expanded(difference)):
                low, high = self.forms.range(form) or ANY
                if op in _EXTREMES and (low >= 0 or high <= 0):
                    return first if (low >= 0) == (op == "maximum") else second
                if op in _COMPARISONS and any(found := _COMPARISONS[op](low, high)):
                    return Form(self.writer.make("truth", found[0]))
        return None

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
                factors.insert(0, number_text(float(size), DIGITS))
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
