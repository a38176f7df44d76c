"""Exact sums of products of powers over numbered atoms; a power may be negative.

This module does not know what an atom stands for. Sizes are bounded: an operation whose result is
longer than anybody would read raises `TooLargeError`.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

Monomial = tuple[tuple[int, int], ...]
"""Atoms and their exponents, which are not 0, by ascending atom."""
Terms = dict[Monomial, Fraction]
"""Monomials and their coefficients, which are not 0; an empty dict is zero."""

_MOST_TERMS = 100
_MOST_PRODUCTS = 500  # pairs of terms in one product
_MOST_STEPS = 2000  # terms looked at in one trial division
_HIGHEST_DEGREE = 200
_MOST_BITS = 4000  # of a coefficient's numerator or denominator


class TooLargeError(Exception):
    """A result exceeds the bounds of this module; the caller keeps the operation unchanged."""


def constant(value: Fraction | float) -> Terms:
    """Return a number, which must be finite, as terms."""
    exact = Fraction(value)
    return bounded({(): exact}) if exact else {}


def power(atom: int, exponent: int = 1) -> Terms:
    """Return a power of the atom with the number *atom*."""
    return {((atom, exponent),): Fraction(1)} if exponent else constant(1)


def value(terms: Terms) -> Fraction | None:
    """Return the value of *terms* if they contain no atom, else None."""
    return terms.get((), None if terms else Fraction(0)) if len(terms) < 2 else None


def add(first: Terms, second: Mapping[Monomial, Fraction], scale: Fraction | int = 1) -> Terms:
    """Return first + scale * second."""
    result = dict(first)
    for monomial, number in second.items():
        total = result.get(monomial, Fraction(0)) + scale * number
        if total:
            result[monomial] = total
        else:
            result.pop(monomial, None)
    return bounded(result)


def multiply(first: Terms, second: Terms) -> Terms:
    """Return the product, with every sum multiplied out."""
    if len(first) * len(second) > _MOST_PRODUCTS:
        raise TooLargeError
    result: Terms = {}
    for left, number in first.items():
        for right, other in second.items():
            monomial = _times(left, right)
            result[monomial] = result.get(monomial, Fraction(0)) + number * other
    return bounded({monomial: number for monomial, number in result.items() if number})


def inverse(terms: Terms) -> Terms:
    """Return 1 / *terms*, which must be a single term."""
    ((monomial, number),) = terms.items()
    return {tuple((atom, -exponent) for atom, exponent in monomial): 1 / number}


def scaled(terms: Terms, scale: Fraction) -> Terms:
    """Return scale * *terms*; *scale* is not 0."""
    return {monomial: scale * number for monomial, number in terms.items()}


def bounded(terms: Terms) -> Terms:
    """Return *terms*; raise TooLargeError if they exceed the bounds of this module."""
    if len(terms) > _MOST_TERMS:
        raise TooLargeError
    for monomial, number in terms.items():
        bits = max(number.numerator.bit_length(), number.denominator.bit_length())
        if bits > _MOST_BITS or degree(monomial) > _HIGHEST_DEGREE:
            raise TooLargeError
    return terms


def degree(monomial: Monomial) -> int:
    """Return the number of factors and divisors of a monomial."""
    return sum(abs(exponent) for _, exponent in monomial)


def content(terms: Terms) -> Terms:
    """Return the single term by which a sum is divided to make all its multiples the same sum.

    The quotient has no negative power and no common atom. Most of its coefficients are positive;
    they have no common factor if they were whole, else one of them is 1.
    """
    lowest = dict(next(iter(terms)))
    for monomial in terms:
        exponents = dict(monomial)
        for atom in {*lowest, *exponents}:
            lowest[atom] = min(lowest.get(atom, 0), exponents.get(atom, 0))
    positive = sum(number > 0 for number in terms.values())
    is_negative = 2 * positive < len(terms) or (
        2 * positive == len(terms) and terms[min(terms)] < 0
    )
    sizes = {abs(number) for number in terms.values()}
    size = abs(terms[min(terms)])
    if len(sizes) > 1 and all(number.denominator == 1 for number in sizes):
        size = Fraction(math.gcd(*(number.numerator for number in sizes)))
    monomial = tuple(sorted((atom, exponent) for atom, exponent in lowest.items() if exponent))
    return {monomial: -size if is_negative else size}


def quotient(dividend: Terms, divisor: Terms) -> Terms | None:
    """Return the quotient if *divisor* divides *dividend* without remainder, else None.

    Neither has negative powers. The result is also None where the division would take too long.
    """
    lead = max(divisor, key=_order)
    # The last terms must divide, as the first do: this test settles most cases at once.
    if not _goes_into(min(divisor, key=_order), min(dividend, key=_order)):
        return None
    rest = dict(dividend)
    result: Terms = {}
    steps = 0
    while rest:
        top = max(rest, key=_order)
        steps += len(rest)
        if steps > _MOST_STEPS or not _goes_into(lead, top):
            return None
        monomial = _times(top, tuple((atom, -exponent) for atom, exponent in lead))
        result[monomial] = rest[top] / divisor[lead]
        for other, number in divisor.items():
            product = _times(monomial, other)
            left = rest.get(product, Fraction(0)) - result[monomial] * number
            if left:
                rest[product] = left
            else:
                rest.pop(product, None)
    return result


def _times(first: Monomial, second: Monomial) -> Monomial:
    if not first or not second:
        return first or second
    exponents = dict(first)
    for atom, exponent in second:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return tuple(sorted((atom, exponent) for atom, exponent in exponents.items() if exponent))


def _goes_into(divisor: Monomial, monomial: Monomial) -> bool:
    exponents = dict(monomial)
    return all(exponents.get(atom, 0) >= exponent for atom, exponent in divisor)


@lru_cache(maxsize=1 << 14)
def _order(monomial: Monomial) -> tuple[tuple[int, int], ...]:
    """Return a key of the lexicographic order, in which the first atom counts most."""
    return tuple((-atom, exponent) for atom, exponent in monomial)
