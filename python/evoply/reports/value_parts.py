"""What the parts of an evaluator add to the value of a board: terms, and regions of tables."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Protocol

from evoply.expressions import Expression
from evoply.players import PlayerKind
from evoply.players.strong import Strong
from evoply.protocols import Color, Position
from evoply.reports.open_evaluator import opened
from evoply.reports.regions import RegionTables, regions_of_strong
from evoply.reports.terms import TIMES, Term


class ValuePart(NamedTuple):
    """What a part of an evaluator adds to the value of a board."""

    key: object
    """Parts of one key count together."""
    text: str
    words: str
    adds: float
    is_constant: bool = False
    factors: int = 0
    """Of parts of one key, that with the fewest factors says best what it is."""


class TakesValuesApart(Protocol):
    """Takes the value of a board apart."""

    def parts(self, position: Position, color: Color) -> tuple[float, list[ValuePart]]:
        """Return the value to *color*, and what adds up to it."""


class _Strong:
    """Tables that come with evoply, by regions."""

    def __init__(self, game: str) -> None:
        self._tables = regions_of_strong(game)

    def parts(self, position: Position, color: Color) -> tuple[float, list[ValuePart]]:
        """Return the value to *color*, and what the regions add."""
        sign = 1.0 if position.turn is color else -1.0
        sums = self._tables.sums(position.row)
        found = [ValuePart(words, words, words, sign * adds) for words, adds in sums.items()]
        return sign * sum(sums.values()), found


class _Evaluator:
    """An expression: its terms, and tables of patterns by regions."""

    def __init__(self, player: PlayerKind, game: str) -> None:
        self._opened = opened(player, game)
        tables = [term for term in self._opened.terms if _is_table(term)]
        try:
            self._regions = (
                RegionTables(
                    (
                        (
                            term.factors[0],
                            [
                                [term.coefficient * entry for entry in table]
                                for table in term.factors[0].arguments[7]
                            ],
                        )
                        for term in tables
                    ),
                    game,
                )
                if tables
                else None
            )
        except ValueError:
            self._regions = None

    def parts(self, position: Position, color: Color) -> tuple[float, list[ValuePart]]:
        """Return the value to *color*, and what the terms add."""
        parts = self._opened
        row = parts.row(position, color)
        sign = 1.0 if row[3] == (color is Color.BLACK) else -1.0
        seen = parts.seen(row)
        found = []
        for term, adds in zip(parts.terms, seen.terms, strict=True):
            if self._regions is not None and _is_table(term):
                continue
            words = "" if term.is_constant else parts.words.wanted_term(term)[0]
            found.append(
                ValuePart(
                    _features(term),
                    term.text,
                    words,
                    sign * adds,
                    term.is_constant,
                    len(term.factors),
                )
            )
        if self._regions is not None:
            sums = self._regions.sums(row)
            found += [ValuePart(words, words, words, sign * adds) for words, adds in sums.items()]
        return sign * seen.value, found


def _is_table(term: Term) -> bool:
    return len(term.factors) == 1 and not term.divisors and term.factors[0].op == "pattern"


def _features(term: Term) -> frozenset[Expression]:
    """Return the factors of *term* that are not the time."""
    return frozenset(factor for factor in (*term.factors, *term.divisors) if factor.op not in TIMES)


@lru_cache(maxsize=16)
def taken_apart(player: PlayerKind, game: str) -> TakesValuesApart:
    """Return what takes the values of *player* apart; it has some."""
    return _Strong(game) if isinstance(player, Strong) else _Evaluator(player, game)
