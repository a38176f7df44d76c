"""The way back from sums of products over numbered atoms to short expressions that share parts.

The writer knows which expression each atom stands for. Equal expressions are one object here, so
they are compared by identity.
"""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from types import MappingProxyType
from typing import Any

from evoply.expressions import (
    Constant,
    Expression,
    PrimitiveSet,
    argument,
    build,
    less,
    select,
    substitute,
)
from evoply.expressions.written_form import FormulaNames, children, formula, in_order, latex_formula
from evoply.gp.algebra import polynomials
from evoply.gp.algebra.polynomials import Monomial, Terms, degree, scaled
from evoply.gp.lowering import CLOCKS, expression_of
from evoply.gp.tree import Forest, Genotype, branches, value_of

_MOST_FORMS = 3
_Place = tuple[bool, int, Monomial]


class _InexpressibleError(Exception):
    """A coefficient that a float cannot hold."""


class SumWriter:
    """Writes sums as expressions; an atom is a part without algebra, or a sum.

    Its expressions divide by *convention*.
    """

    def __init__(self, convention: str) -> None:
        self._convention = convention
        self.atoms: list[Expression] = []
        self.sums: dict[int, list[Terms]] = {}
        """The terms of the atoms that are sums, in all known forms, the expanded one first."""
        self.divisors: set[int] = set()
        """Atoms that the original divides by: a new division may be by these only."""
        self._numbers: dict[Hashable, int] = {}
        self._expressions: dict[Hashable, Expression] = {}
        self._sizes: dict[int, int] = {}
        self._first_leaves: dict[int, int] = {}
        self._written: dict[Hashable, Expression | None] = {}
        self._terms: dict[Hashable, Expression] = {}
        self._at_work: set[int] = set()
        """The sums that are being written, each within the one before."""

    def leaf(self, expression: Expression) -> Expression:
        """Return *expression*, which stays whole from now on and counts as one node."""
        self._sizes[id(expression)] = 1
        return expression

    def make(self, op: str, *arguments: Any) -> Expression:
        """Return the operation *op* on expressions that this writer made."""
        operands = [argument for argument in arguments if isinstance(argument, Expression)]
        key = (
            op,
            *(
                id(argument) if isinstance(argument, Expression) else repr(argument)
                for argument in arguments
            ),
        )
        node = self._expressions.get(key)
        if node is None:
            node = self._expressions[key] = build(op, *arguments)
            is_sign = op == "multiply" and any(_is_minus_one(operand) for operand in operands)
            self._sizes[id(node)] = 1 + sum(map(self.size, operands)) - is_sign
        return node

    def size(self, expression: Expression) -> int:
        """Return the number of nodes of an expression made here; a change of sign counts one."""
        return self._sizes[id(expression)]

    def atom(self, expression: Expression) -> int:
        """Return the atom number of an expression made here."""
        if id(expression) not in self._numbers:
            self._numbers[id(expression)] = len(self.atoms)
            self.atoms.append(expression)
        return self._numbers[id(expression)]

    def sum_atom(self, terms: Terms, form: Terms) -> int:
        """Return the atom number of the sum *terms*; *form* is an equal sum, maybe shorter."""
        key = frozenset(terms.items())
        if key not in self._numbers:
            choices = [self.write(sum_form, 1 << 10) for sum_form in (terms, form)]
            short = min(
                (choice for choice in choices if choice is not None), key=self.size, default=None
            )
            if short is None:
                raise polynomials.TooLargeError
            self._numbers[key] = self.atom(short)
        forms = self.sums.setdefault(self._numbers[key], [terms])
        if form not in forms and len(forms) < _MOST_FORMS:
            forms.append(form)
        return self._numbers[key]

    def write(self, terms: Terms, longest: int) -> Expression | None:
        """Return *terms* as an expression, or None if it has more than *longest* nodes.

        The result is also None if a float cannot hold one of its numbers. A part of several nodes
        that many terms share is written only once.
        """
        least = sum(
            abs(exponent) * (1 + self.size(self.atoms[atom]))
            for monomial in terms
            for atom, exponent in monomial
        )
        # Sharing parts can halve the length more than once, but only a few times.
        if least > 8 * longest + 64:
            return None
        key = frozenset(terms.items())
        if key not in self._written:
            try:
                self._written[key] = self._sum(terms)
            except _InexpressibleError:
                self._written[key] = None
        expression = self._written[key]
        return None if expression is None or self.size(expression) > longest else expression

    def chain(self, addends: Sequence[tuple[int, Expression]]) -> Expression:
        """Return the sum of expressions times whole numbers, positive ones first."""
        result: Expression | None = None
        for scale, expression in sorted(addends, key=lambda addend: addend[0] < 0):
            op = "add" if scale > 0 else "subtract"
            size = scale if result is None else abs(scale)
            if size != 1:
                number = to_float(Fraction(size)) or math.inf
                expression = self.make("multiply", self.make("number", number), expression)
            result = expression if result is None else self.make(op, result, expression)
        return self._number(Fraction(0)) if result is None else result

    def _sum(self, terms: Terms) -> Expression:
        """Return the sum of the terms: positive ones first, each sign by degree and atoms."""
        result: Expression | None = None
        groups = sorted(self._groups(terms), key=lambda group: group[:2])
        for is_negative, _, inner, shared in groups:
            is_subtracted = is_negative and result is not None
            part = self._group(scaled(inner, Fraction(-1)) if is_subtracted else inner, shared)
            if result is not None:
                part = self.make("subtract" if is_subtracted else "add", result, part)
            result = part
        return self._number(Fraction(0)) if result is None else result

    def _groups(self, terms: Terms) -> list[tuple[bool, _Place, Terms, int | None]]:
        """Return the addends of the sum: terms, and sums of terms that share a long factor."""
        rest = dict(terms)
        groups: list[tuple[bool, _Place, Terms, int | None]] = []
        while (shared := self._shared(rest)) is not None:
            inner = {
                monomial: value
                for monomial, value in rest.items()
                if dict(monomial).get(abs(shared) - 1, 0) * shared > 0
            }
            rest = {monomial: value for monomial, value in rest.items() if monomial not in inner}
            inner = {_without(monomial, shared): value for monomial, value in inner.items()}
            is_negative = all(value < 0 for value in inner.values())
            groups.append((is_negative, min(map(place, inner)), inner, shared))
        for monomial, value in rest.items():
            groups.append((value < 0, place(monomial), {monomial: value}, None))
        return groups

    def _shared(self, terms: Terms) -> int | None:
        """Return the long factor, or divisor with a minus sign, whose sharing saves most.

        The result is the number of an atom plus 1, so that it always has a sign.
        """
        counts = Counter(
            atom + 1 if exponent > 0 else -atom - 1
            for monomial in terms
            for atom, exponent in monomial
            if self.size(self.atoms[atom]) > 1
        )
        saved = {
            key: (count - 1) * self.size(self.atoms[abs(key) - 1])
            for key, count in counts.items()
            if count > 1
        }
        return max(saved, key=saved.__getitem__) if saved else None

    def _group(self, terms: Terms, shared: int | None) -> Expression:
        if shared is not None:
            factor = self.atoms[abs(shared) - 1]
            return self._over(self._sum(terms), factor) if shared < 0 else self.make(
                "multiply", self._sum(terms), factor
            )  # fmt: skip
        (term,) = terms.items()
        if term not in self._terms:
            self._terms[term] = self._term(*term)
        return self._terms[term]

    def _term(self, monomial: Monomial, value: Fraction) -> Expression:
        """Return a product or quotient, with its sums in the forms that make it shortest."""
        best = self._quotient(monomial, value, {})
        instead: dict[int, Expression] = {}
        # A sum may be shorter if it takes in the number, or its divisors or factors.
        left = monomial
        for atom, exponent in monomial:
            is_sum = abs(exponent) == 1 and atom in self.sums
            # A power that was moved is gone, and a sum that took one in has changed. Two sums may
            # be multiples of each other: neither is written by way of itself.
            if not is_sum or (atom, exponent) not in left or atom in self._at_work:
                continue
            for form, scale in product(self.sums[atom], {Fraction(1): 0, value: 0}):
                moved = self._movable(form, exponent, left)
                self._at_work.add(atom)
                try:
                    inner = self._times(form, moved, scale, exponent)
                finally:
                    self._at_work.discard(atom)
                if inner is None or any(other in instead for other, _ in moved):
                    continue
                rest = tuple(power for power in left if power not in moved)
                other = self._quotient(rest, value / scale, {**instead, atom: inner})
                if self.size(other) < self.size(best):
                    best, left, value = other, rest, value / scale
                    instead[atom] = inner
                    break
        return best

    def _movable(self, form: Terms, exponent: int, monomial: Monomial) -> Monomial:
        """Return the powers in *monomial* that can move into the sum *form*, also a part of it.

        A factor takes in divisors, a divisor factors, if its own terms have them as factors.
        """
        used = {other for inner in form for other, power in inner if power > 0}
        if exponent < 0:
            used &= self.divisors
        return tuple(power for power in monomial if power[1] * exponent < 0 and power[0] in used)

    def _times(
        self, form: Terms, moved: Monomial, scale: Fraction, exponent: int
    ) -> Expression | None:
        """Return the sum *form*, a factor or (-1) a divisor, with *scale* and powers moved in."""
        if not moved and scale == 1:
            return None
        factor: Terms = {moved: scale}
        try:
            terms = polynomials.multiply(
                form, factor if exponent > 0 else polynomials.inverse(factor)
            )
        except polynomials.TooLargeError:
            return None
        inner = self._sum(terms)
        return inner if inner.op in ("add", "subtract") else None

    def _quotient(
        self, monomial: Monomial, value: Fraction, instead: Mapping[int, Expression]
    ) -> Expression:
        """Return value * *monomial*, with other expressions for the atoms of *instead*."""
        above: list[Expression] = []
        below: list[Expression] = []
        for atom, exponent in sorted(monomial, key=lambda power: self._atom_place(power[0])):
            expression = instead.get(atom, self.atoms[atom])
            (above if exponent > 0 else below).extend([expression] * abs(exponent))
        if value != 1 or not above:
            above.insert(0, self._number(value))
        top = self._product(above)
        return self._over(top, self._product(below)) if below else top

    def _product(self, factors: Sequence[Expression]) -> Expression:
        return reduce(lambda left, right: self.make("multiply", left, right), factors)

    def _over(self, above: Expression, below: Expression) -> Expression:
        return self.make("divide", above, below, self._convention)

    def _atom_place(self, atom: int) -> tuple[bool, int, int]:
        """Return a key that puts single nodes first, then sorts by first leaf in reading order."""
        return self.size(self.atoms[atom]) > 1, self._first_leaf(atom), atom

    def _first_leaf(self, atom: int) -> int:
        """Return the first leaf below an atom in reading order, or *atom* if it has none."""
        if atom not in self._first_leaves:
            waiting = [self.atoms[atom]]
            while waiting:
                node = waiting.pop()
                if self.size(node) > 1:
                    waiting += reversed(children(node))
                elif id(node) in self._numbers:
                    break
            self._first_leaves[atom] = self._numbers.get(id(node), atom)
        return self._first_leaves[atom]

    def _number(self, value: Fraction) -> Expression:
        number = to_float(value)
        if number is None:
            raise _InexpressibleError
        return self.make("number", number)


def _is_minus_one(expression: Expression) -> bool:
    return expression.op == "number" and expression.arguments[0] == -1


def to_float(value: Fraction) -> float | None:
    """Return the nearest float, or None if it is infinite, or 0 for a *value* that is not 0."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if value and not number else number


def _without(monomial: Monomial, shared: int) -> Monomial:
    """Return *monomial* with one power less of its factor or divisor *shared*."""
    return tuple(
        (atom, exponent - sign)
        for atom, exponent in monomial
        if exponent != (sign := (shared > 0) - (shared < 0) if atom == abs(shared) - 1 else 0)
    )


def place(monomial: Monomial) -> _Place:
    """Return a key that puts low degrees first and the constant last."""
    return not monomial, degree(monomial), monomial


# Names for the parts of a tree's expression, taken from its primitives.

_ARITHMETIC = ("argument", "add", "subtract", "multiply", "divide")
_UNTIL = MappingProxyType({"phases": "board_until", "stages": "until", "ply_stages": "plies_until"})
DIGITS = 4
"""The significant digits of numbers in formulas for people, which only print rounds so."""


def names_of(individual: Genotype) -> FormulaNames:
    """Return the names of the primitives in *individual*, and of the ends of its stages."""
    individual = value_of(individual)
    known: dict[Expression, str] = {}
    functions: dict[str, Expression] = {}
    if isinstance(individual, Forest) and individual.is_timed:
        clock, name = CLOCKS[individual.role], _UNTIL[individual.role]
        for end in individual.ends[:-1]:
            turns = select(less(clock, end), argument(0), argument(1))
            functions[f"{name}_{end:.0%}"] = turns
    for tree in branches(individual):
        names = _names_of_set(tree.primitive_set)
        known = {**names.known, **known}
        functions |= dict(names.functions)
        for node in tree.nodes:
            if node.value is None or node.arity or isinstance(node, Constant):
                continue
            if node.parameter is not None:
                value = node.parameter.expression(node.value)
                known.setdefault(substitute(node.expression, [value]), node.name)
    return FormulaNames(known, tuple(functions.items()))


@lru_cache(maxsize=64)
def _names_of_set(primitives: PrimitiveSet) -> FormulaNames:
    known: dict[Expression, str] = {}
    functions: list[tuple[str, Expression]] = []
    for primitive in primitives:
        expression = primitive.expression
        if (
            primitive.link is not None
            or primitive.parameter is not None
            or expression.op == "number"
        ):
            continue
        if not primitive.live_arity:
            known.setdefault(expression, primitive.name)
        elif expression.op not in _ARITHMETIC and not _is_bare(expression):
            functions.append((primitive.name, expression))
    # Larger functions come first: a smaller one would match a part of them.
    functions.sort(key=lambda function: -len(in_order([function[1]])))
    return FormulaNames(known, tuple(functions))


def _is_bare(expression: Expression) -> bool:
    """Return whether *expression* is one operation on arguments, which already has a name."""
    return all(getattr(argument, "op", "") == "argument" for argument in expression.arguments)


def formula_of(individual: Genotype) -> str:
    """Return the formula of *individual*, without introns and with definitions written out.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> text = "( NullJ ( MultERC[2.5] Mobility ) 1 )"
    >>> print(formula_of(parse_tree(text, PRIMITIVE_SETS["benbassat"])))
    2.5 * Mobility
    """
    return formula(expression_of(individual), names_of(individual), digits=DIGITS)


def latex_formula_of(individual: Genotype) -> str:
    r"""Return the formula of *individual* for LaTeX's mathematics.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> print(latex_formula_of(parse_tree("( / ( + white 10 ) black )", PRIMITIVE_SETS["liao"])))
    \frac{\mathrm{white} + 10}{\mathrm{black}}
    """
    return latex_formula(expression_of(individual), names_of(individual))
