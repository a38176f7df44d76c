"""Polynomials with negative exponents too: sums of products and quotients of opaque parts.

As in `evoply.gp.rational` a part is a number and what it stands for is known elsewhere; unlike
there, a quotient by a sum is never brought over a common denominator. Sizes are bounded: what would
grow too large raises `TooLargeError`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from evoply.gp.rational import Monomial, TooLargeError

Terms = dict[Monomial, Fraction]

_MAX_TERMS = 64
_MAX_PRODUCTS = 400  # pairs of terms in one product
_MAX_DEGREE = 200
_MAX_BITS = 4000  # of a coefficient's numerator or denominator


def part(index: int, exponent: int = 1) -> Terms:
    """Return a power of the part of that number."""
    return {((index, exponent),): Fraction(1)}


def add(first: Terms, second: Mapping[Monomial, Fraction], scale: int = 1) -> Terms:
    """Return first + scale * second."""
    result = dict(first)
    for monomial, value in second.items():
        total = result.get(monomial, Fraction(0)) + scale * value
        if total:
            result[monomial] = total
        else:
            result.pop(monomial, None)
    return bounded(result)


def multiply(first: Terms, second: Terms) -> Terms:
    """Return the product, every sum multiplied out."""
    if len(first) * len(second) > _MAX_PRODUCTS:
        raise TooLargeError
    result: Terms = {}
    for one, value in first.items():
        for two, other in second.items():
            monomial = _merged(one, two)
            result[monomial] = result.get(monomial, Fraction(0)) + value * other
    return bounded({monomial: value for monomial, value in result.items() if value})


def inverse(terms: Terms) -> Terms:
    """Return 1 / *terms*, which must be a single term."""
    ((monomial, value),) = terms.items()
    return {tuple((index, -exponent) for index, exponent in monomial): 1 / value}


def bounded(terms: Terms) -> Terms:
    """Return *terms*, or raise TooLargeError if they are more than anybody reads."""
    if len(terms) > _MAX_TERMS:
        raise TooLargeError
    for monomial, value in terms.items():
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        if bits > _MAX_BITS or sum(abs(exponent) for _, exponent in monomial) > _MAX_DEGREE:
            raise TooLargeError
    return terms


def content(terms: Terms) -> Fraction:
    """Return the number to divide a sum by, so that its multiples become the same sum.

    The sign, and the size where all coefficients are whole or all have the same size.
    """
    positive = sum(value > 0 for value in terms.values())
    is_negative = 2 * positive < len(terms) or (
        2 * positive == len(terms) and terms[min(terms)] < 0
    )
    sizes = {abs(value) for value in terms.values()}
    size = Fraction(1)
    if len(sizes) == 1:
        (size,) = sizes
    elif all(value.denominator == 1 for value in sizes):
        size = Fraction(math.gcd(*(value.numerator for value in sizes)))
    return -size if is_negative else size


def scaled(terms: Terms, scale: Fraction) -> Terms:
    """Return scale * *terms*; *scale* is not 0."""
    return {monomial: scale * value for monomial, value in terms.items()}


def _merged(first: Monomial, second: Monomial) -> Monomial:
    if not first or not second:
        return first or second
    exponents = dict(first)
    for index, exponent in second:
        exponents[index] = exponents.get(index, 0) + exponent
    return tuple(sorted((index, exponent) for index, exponent in exponents.items() if exponent))
