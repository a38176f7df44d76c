"""Selection of the few columns, or products of two, with which choices lose least.

Columns come one after another: of those whose weight would lessen the loss most steeply, the one
that lessens it most beside those before. In the end chosen columns are swapped for others while
that helps, and only then products come in. Products of columns are never stored: their slopes are
sums over boards of two columns and the pull of the loss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evoply.learning.choices import Array, Choices, LossFit

Term = tuple[int, ...]
"""A column, or the two columns of a product."""
_DIGITS = 9
"""Decimals to which shares of the usual loss are compared."""
_TINY = 1e-300
_STEEPEST = 12
"""So many candidates are tried for each term."""
_BEST = 3
"""With so many of them all weights are fitted again."""
_SWEEPS = 2
_FEW_ROUNDS = 10
"""Rounds of a fit that only compares."""
_MOST_ROUNDS = 50
_PRODUCT = 2e-3
"""How much more a product must lessen the loss than a column, as a share of the usual loss."""
_LEAST_SEEN = 0.05
"""A product must tell moves apart in this share of positions."""
_WORTH_IT = 1e-4
"""How much a term must lessen the loss, as a share of the usual loss."""
_SWAP = 1e-3
"""How much a swap must."""


def columns_by_loss(
    choices: Choices, counted: Array, most: int, *, factors: Sequence[int] = ()
) -> tuple[Term, ...]:
    """Return at most *most* terms of the columns of *counted*, in the order of choice.

    The columns *factors* may be multiplied, two different ones at a time. Terms that lessen the
    loss by nothing are left out, so there may be fewer. The same input gives the same terms.
    """
    return _Selection(choices, np.ascontiguousarray(counted.T), list(factors)).terms(most)


def columns_of(counted: Array, terms: Sequence[Term]) -> Array:
    """Return the columns of *terms*, of the columns of *counted* and their products."""
    columns = [counted[:, list(term)].prod(axis=1) for term in terms]
    return np.column_stack(columns) if columns else np.zeros((len(counted), 0))


_Fitted = tuple[list[Term], Array, float]
"""Terms, their weights and their loss."""


class _Selection:
    """The candidates and the terms chosen of them; columns are rows of its matrices."""

    def __init__(self, choices: Choices, columns: Array, factors: list[int]) -> None:
        self.fit = LossFit(choices)
        self.columns = columns
        self.factors = columns[factors]
        lower, upper = np.triu_indices(len(factors), 1)
        self.pairs = (lower, upper)
        pairs = [
            (min(a, b), max(a, b))
            for a, b in zip(np.take(factors, lower), np.take(factors, upper), strict=True)
        ]
        self.candidates: list[Term] = [(column,) for column in range(len(columns))]
        self.candidates += [(int(a), int(b)) for a, b in pairs]
        self.spread = np.full(len(self.candidates), np.inf)
        """That of a column that decides nothing is infinite, so it is never steep."""
        if len(choices):
            spread = [choices.spread(self._matrix([term]).T)[0] for term in self.candidates]
            is_rare = [
                len(term) > 1 and self.fit.seen(self._matrix([term])[0]) < _LEAST_SEEN
                for term in self.candidates
            ]
            self.spread = np.where((np.array(spread) > 0) & ~np.array(is_rare), spread, np.inf)

    def terms(self, most: int) -> tuple[Term, ...]:
        """Return the chosen terms."""
        chosen: list[Term] = []
        weights, loss = self._fitted(chosen, np.zeros(0))
        enough = _WORTH_IT * self.fit.usual
        while len(chosen) < most:
            more = self._with_another(chosen, weights, len(chosen), len(self.columns))
            if more is None or more[2] > loss - enough:
                break
            chosen = more[0]
            weights, loss = self._fitted(chosen, more[1])
        for _ in range(_SWEEPS):
            before = loss
            for place in range(len(chosen)):
                rest = [*chosen[:place], *chosen[place + 1 :]]
                start = self._fitted(rest, np.delete(weights, place), _FEW_ROUNDS)[0]
                other = self._with_another(rest, start, place, len(self.candidates))
                if other is not None and other[2] < loss - _SWAP * self.fit.usual:
                    chosen = other[0]
                    weights, loss = self._fitted(chosen, other[1])
            if loss == before:
                break
        return tuple(chosen)

    def _with_another(
        self, chosen: list[Term], weights: Array, place: int, count: int
    ) -> _Fitted | None:
        """Return the terms with another one at *place*, their weights and their loss.

        It is the best of the first *count* candidates.
        """
        matrix = self._matrix(chosen)
        values = np.einsum("i,ij->j", weights, matrix)
        steep = np.abs(self._slopes(values)) / self.spread
        steep[[self.candidates.index(term) for term in chosen]] = 0
        steep[count:] = 0
        cost = _PRODUCT * self.fit.usual
        tried: list[tuple[float, int, Array]] = []
        # Columns that tell moves apart alike differ by rounding only, and not alike on all
        # processors: the first of them counts.
        rounded = np.round(steep / max(steep.max(initial=0.0), _TINY), _DIGITS)
        for index in np.argsort(-rounded, kind="stable")[:_STEEPEST].tolist():
            if steep[index] > 0:
                # Only its own weight and the size of all others are fitted, which is fast.
                both = np.array([values, self._matrix([self.candidates[index]])[0]])
                pair, loss = self.fit.fitted(both, np.array([1.0, 0.0]), _FEW_ROUNDS)
                total = (loss + cost * len(self.candidates[index])) / max(self.fit.usual, _TINY)
                tried.append((round(total, _DIGITS), index, pair))
        best: _Fitted | None = None
        same = self.fit.usual / 10**_DIGITS
        for _, index, (size, weight) in sorted(tried, key=lambda candidate: candidate[:2])[:_BEST]:
            terms = [*chosen[:place], self.candidates[index], *chosen[place:]]
            found = self._fitted(terms, np.insert(weights * size, place, weight), _FEW_ROUNDS)
            if (
                best is None
                or found[1] + cost * (len(terms[place]) - len(best[0][place])) < best[2] - same
            ):
                best = terms, *found
        return best

    def _fitted(
        self, terms: list[Term], start: Array, rounds: int = _MOST_ROUNDS
    ) -> tuple[Array, float]:
        return self.fit.fitted(self._matrix(terms), start, rounds)

    def _slopes(self, values: Array) -> Array:
        """Return the slope of the loss for each candidate, added to *values* of the boards."""
        pull = self.fit.slope_by_board(values)
        alone = np.einsum("ij,j->i", self.columns, pull)
        products = np.einsum("ij,kj->ik", self.factors, self.factors * pull)
        return np.concatenate([alone, products[self.pairs]])

    def _matrix(self, terms: Sequence[Term]) -> Array:
        if not terms:
            return self.columns[:0]
        return np.array([self.columns[list(term)].prod(axis=0) for term in terms])
