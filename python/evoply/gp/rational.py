"""Exact polynomials and fractions of them over numbered atoms, for the simplifier.

A polynomial maps monomials to coefficients; a monomial lists (atom, exponent) by ascending atom.
Denominators stay products of factors, so that cancelling is trial division and no greatest common
divisor is needed. Sizes are bounded: what would grow too large raises `TooLargeError`. This module
does not know what an atom stands for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

Monomial = tuple[tuple[int, int], ...]
Polynomial = dict[Monomial, Fraction]
Factor = tuple[tuple[Monomial, Fraction], ...]  # a polynomial as a key, its leading coefficient 1

MAX_TERMS = 500
_MAX_PRODUCTS = 600  # pairs of terms in one product
_MAX_FRACTION_TERMS = 60  # of a numerator over factors: more than that nobody reads
_MAX_DIVISION_STEPS = 2000  # terms looked at in one trial division
_MAX_DEGREE = 500
_MAX_BITS = 4000  # of a coefficient's numerator or denominator

_UNIT: Monomial = ()


class TooLargeError(Exception):
    """A result that passes the bounds of this module; the caller keeps the operation as it is."""


@dataclass(frozen=True, slots=True)
class Rational:
    """A quotient of a polynomial and a product of powers of factors; zero has no factors."""

    numerator: Polynomial
    factors: Mapping[Factor, int] = field(default_factory=dict)

    @property
    def constant(self) -> Fraction | None:
        """The value if it depends on no atom, else None."""
        if not self.numerator:
            return Fraction(0)
        if self.factors or len(self.numerator) > 1:
            return None
        return self.numerator.get(_UNIT)


def constant(value: Fraction | float) -> Rational:
    """Return a constant; *value* must be finite."""
    exact = Fraction(value)
    return Rational(_bounded({_UNIT: exact}) if exact else {})


def atom(index: int) -> Rational:
    """Return the atom of that number."""
    return Rational({((index, 1),): Fraction(1)})


def add(first: Rational, second: Rational, sign: int = 1) -> Rational:
    """Return first + sign * second with common factors cancelled."""
    factors = dict(first.factors)
    for factor, exponent in second.factors.items():
        factors[factor] = max(exponent, factors.get(factor, 0))
    one = _times_missing(first, factors)
    two = _times_missing(second, factors)
    return _cancelled(_sum(one, two, Fraction(sign)), factors)


def multiply(first: Rational, second: Rational) -> Rational:
    """Return the product with common factors cancelled."""
    factors = dict(first.factors)
    for factor, exponent in second.factors.items():
        factors[factor] = factors.get(factor, 0) + exponent
    return _cancelled(_product(first.numerator, second.numerator), factors)


def divide(first: Rational, second: Rational) -> Rational:
    """Return the quotient; the numerator of *second* must not be the zero polynomial."""
    # The numerator of the divisor becomes factors: its common monomial, and what remains.
    content = _common_monomial(second.numerator)
    rest = {_quotient(monomial, content): value for monomial, value in second.numerator.items()}
    lead = rest[max(rest, key=_order)]
    factors: dict[Factor, int] = {
        ((((index, 1),), Fraction(1)),): exponent for index, exponent in content
    }
    if len(rest) > 1:
        factors[_factor(rest, lead)] = 1
    inverse = Rational({_UNIT: 1 / lead}, factors)
    for factor, exponent in second.factors.items():
        for _ in range(exponent):
            inverse = multiply(inverse, Rational(dict(factor)))
    return multiply(first, inverse)


def is_equal(first: Rational, second: Rational) -> bool:
    """Return whether both are the same function wherever no factor is zero."""
    return not add(first, second, -1).numerator


def _factor(polynomial: Polynomial, lead: Fraction) -> Factor:
    return tuple(sorted((monomial, value / lead) for monomial, value in polynomial.items()))


def _times_missing(value: Rational, factors: Mapping[Factor, int]) -> Polynomial:
    """Return the numerator that *value* has over the common denominator *factors*."""
    numerator = value.numerator
    for factor, exponent in factors.items():
        for _ in range(exponent - value.factors.get(factor, 0)):
            numerator = _product(numerator, dict(factor))
    return numerator


def _cancelled(numerator: Polynomial, factors: Mapping[Factor, int]) -> Rational:
    """Return the quotient after dividing out each factor as often as it goes."""
    if not numerator:
        return Rational({})
    left: dict[Factor, int] = {}
    for factor, exponent in factors.items():
        divisor = dict(factor)
        while exponent:
            quotient = divide_exactly(numerator, divisor)
            if quotient is None:
                break
            numerator = quotient
            exponent -= 1
        if exponent:
            left[factor] = exponent
    if len(numerator) > 1:
        numerator, left = _cancel_numerator(numerator, left)
    if left and len(numerator) > _MAX_FRACTION_TERMS:
        raise TooLargeError
    return Rational(numerator, left)


def _cancel_numerator(
    numerator: Polynomial, factors: dict[Factor, int]
) -> tuple[Polynomial, dict[Factor, int]]:
    """Cancel the whole numerator against a factor that is a multiple of it."""
    for factor in factors:
        quotient = divide_exactly(dict(factor), numerator)
        if quotient is None:
            continue
        lead = quotient[max(quotient, key=_order)]
        left = dict(factors)
        left[factor] -= 1
        smaller = _factor(quotient, lead)
        left[smaller] = left.get(smaller, 0) + 1
        return {_UNIT: 1 / lead}, {key: count for key, count in left.items() if count}
    return numerator, factors


def _sum(first: Polynomial, second: Polynomial, scale: Fraction) -> Polynomial:
    result = dict(first)
    for monomial, value in second.items():
        total = result.get(monomial, Fraction(0)) + scale * value
        if total:
            result[monomial] = total
        else:
            del result[monomial]
    return _bounded(result)


def _product(first: Polynomial, second: Polynomial) -> Polynomial:
    if len(first) * len(second) > _MAX_PRODUCTS:
        raise TooLargeError
    result: Polynomial = {}
    for one, value in first.items():
        for two, other in second.items():
            monomial = _merged(one, two)
            result[monomial] = result.get(monomial, Fraction(0)) + value * other
    return _bounded({monomial: value for monomial, value in result.items() if value})


def _bounded(polynomial: Polynomial) -> Polynomial:
    if len(polynomial) > MAX_TERMS:
        raise TooLargeError
    for monomial, value in polynomial.items():
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        if bits > _MAX_BITS or sum(exponent for _, exponent in monomial) > _MAX_DEGREE:
            raise TooLargeError
    return polynomial


def _merged(first: Monomial, second: Monomial) -> Monomial:
    if not first or not second:
        return first or second
    exponents = dict(first)
    for index, exponent in second:
        exponents[index] = exponents.get(index, 0) + exponent
    return tuple(sorted(exponents.items()))


def _quotient(monomial: Monomial, divisor: Monomial) -> Monomial:
    """Return monomial / divisor, which must go."""
    taken = dict(divisor)
    return tuple(
        (index, exponent - taken.get(index, 0))
        for index, exponent in monomial
        if exponent > taken.get(index, 0)
    )


def _goes_into(divisor: Monomial, monomial: Monomial) -> bool:
    exponents = dict(monomial)
    return all(exponents.get(index, 0) >= exponent for index, exponent in divisor)


def _common_monomial(polynomial: Polynomial) -> Monomial:
    monomials = [dict(monomial) for monomial in polynomial]
    return tuple(
        (index, least)
        for index in sorted(monomials[0])
        if (least := min(exponents.get(index, 0) for exponents in monomials))
    )


@lru_cache(maxsize=1 << 14)
def _order(monomial: Monomial) -> tuple[tuple[int, int], ...]:
    """Return a key of the lexicographic order, in which the first atom counts most."""
    return tuple((-index, exponent) for index, exponent in monomial)


def divide_exactly(polynomial: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """Return the quotient if *divisor* goes into *polynomial* without a rest, else None.

    Also None where finding out would take too long.
    """
    lead = max(divisor, key=_order)
    # The last terms must divide as the first do; this settles most cases at once.
    if not _goes_into(min(divisor, key=_order), min(polynomial, key=_order)):
        return None
    rest = dict(polynomial)
    quotient: Polynomial = {}
    steps = 0
    while rest:
        top = max(rest, key=_order)
        steps += len(rest)
        if steps > _MAX_DIVISION_STEPS or not _goes_into(lead, top):
            return None
        monomial, value = _quotient(top, lead), rest[top] / divisor[lead]
        quotient[monomial] = value
        for other, coefficient in divisor.items():
            place = _merged(monomial, other)
            left = rest.get(place, Fraction(0)) - value * coefficient
            if left:
                rest[place] = left
            else:
                rest.pop(place, None)
    return quotient
