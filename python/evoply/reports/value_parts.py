"""What the parts of an evaluator add to the value of a board: terms, and regions of tables.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.expressions import Expression
from evoply.expressions.operations import MIXED, square_index
from evoply.expressions.written_form import in_order
from evoply.games import GameRules, game_rules, square_name
from evoply.gp.algebra.terms import TIMES, Term
from evoply.players import PlayerKind
from evoply.players.strong import Strong, strong_tables
from evoply.protocols import Color, Position, Row
from evoply.reports.open_evaluator import opened

# Tables of patterns in words for people: what they say of each region of a board.
#
# Nobody can read a table entry, but everybody knows corners, edges and the middle, and in checkers
# men, kings and the back row. So entries are added up by the region where their squares are. In
# games of men and kings the pieces are counted first, each at what it is worth on average in the
# tables; what is left says where they stand. All parts together are exactly what the tables say.

_SETS: Mapping[str, tuple[bool, bool | None]] = {
    # Whose pieces, and whether kings (None: all pieces).
    "own": (True, None),
    "opponent": (False, None),
    "own_men": (True, False),
    "own_kings": (True, True),
    "opponent_men": (False, False),
    "opponent_kings": (False, True),
}
_POSITIONS = 2000
_ON_EDGE = 3
"""So many squares on an edge make a pattern one of the edge."""
_MEN, _KINGS = "men", "kings"

Entries = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern whose entries are looked up here, square by square."""

    copies: tuple[tuple[int, ...], ...]
    regions: tuple[str, ...]
    """The region of each copy."""
    sets: tuple[str, ...]
    is_turned: bool
    stages: tuple[int | str, ...]
    tables: tuple[Entries, ...]


class RegionTables:
    """The patterns of an evaluator, added up by regions of the board of *game*."""

    def __init__(self, patterns: Iterable[tuple[Expression, Sequence[Entries]]], game: str):
        """Take pattern expressions, each with its tables by stage.

        Raises `ValueError` for sets that are not simply pieces of a side.
        """
        self.rules = game_rules(game)
        self.patterns = tuple(_read(node, tables, self.rules) for node, tables in patterns)

    def sums(self, row: Row) -> dict[str, float]:
        """Return what each region adds to the value of a board for its own side, by its words."""
        found = self._by_region(row)
        if not self.rules.has_kings:
            return found
        # Pieces at their average worth; regions keep what is left.
        men, kings = self.worth_of_pieces
        for square in range(self.rules.shape.squares):
            bit = 1 << square
            if not (row[0] | row[1]) & bit:
                continue
            sign = 1.0 if bool(row[0] & bit) is bool(row[3]) else -1.0
            is_king = bool(row[2] & bit)
            worth = sign * (kings if is_king else men)
            kind = _KINGS if is_king else _MEN
            found[kind] = found.get(kind, 0.0) + worth
            place = square if row[3] else self.rules.shape.squares - 1 - square
            where = _band([place], self.rules)
            found[where] = found.get(where, 0.0) - worth
        return found

    def _by_region(self, row: Row) -> dict[str, float]:
        pieces = (row[0] | row[1]).bit_count()
        contents = {name: _pieces(name, row) for name in _SETS}
        last = self.rules.shape.squares - 1
        found: dict[str, float] = {}
        for pattern in self.patterns:
            sets = [contents[name] for name in pattern.sets]
            entry = _entries_at(pattern, pieces)
            is_turned = pattern.is_turned and not row[3]
            for copy, region in zip(pattern.copies, pattern.regions, strict=True):
                index = 0
                for square in copy:
                    bit = 1 << (last - square if is_turned else square)
                    digit = next((n for n, held in enumerate(sets, start=1) if held & bit), 0)
                    index = index * (len(sets) + 1) + digit
                found[region] = found.get(region, 0.0) + entry(index)
        return found

    @cached_property
    def worth_of_pieces(self) -> tuple[float, float]:
        """What a man and a king more are worth on average, in boards of random games."""
        # Later boards have differences in pieces.
        drawn = _native.Positions.random(
            self.rules.kernel, _POSITIONS, 0, self.rules.late_ply // 4, 2 * self.rules.late_ply
        )
        rows = [drawn[index] for index in range(len(drawn))][::4]
        counts = np.array([_differences(row) for row in rows], dtype=np.float64)
        values = np.array([sum(self._by_region(row).values()) for row in rows])
        worth = np.linalg.lstsq(counts, values, rcond=None)[0]
        return float(f"{worth[0]:.4g}"), float(f"{worth[1]:.4g}")


@lru_cache(maxsize=8)
def regions_of_strong(game: str) -> RegionTables:
    """Return the tables of *game* that come with evoply, by regions."""
    packed = strong_tables(game)
    values, at = packed.values, 0
    patterns = []
    for node in in_order([packed.without_entries]):
        if node.op != "pattern":
            continue
        sets = [squares for squares in node.arguments[:4] if squares is not None]
        entries = (len(sets) + 1) ** len(node.arguments[4][0])
        tables = []
        for _ in range(len(packed.stages) + 1):
            tables.append(values[at : at + entries])
            at += entries
        patterns.append((node, tables))
    return RegionTables(patterns, game)


def _read(node: Expression, tables: Sequence[Entries], rules: GameRules) -> _Pattern:
    sets = tuple(squares.op for squares in node.arguments[:4] if squares is not None)
    unknown = [name for name in sets if name not in _SETS]
    if unknown:
        raise ValueError(f"a pattern of {unknown[0]} has no words for its regions")
    copies = tuple(
        tuple(square_index(rules.shape, square) for square in copy) for copy in node.arguments[4]
    )
    where = _band if rules.moves_pieces else _region
    regions = tuple(where(copy, rules) for copy in copies)
    return _Pattern(
        copies,
        regions,
        sets,
        node.arguments[5],
        tuple(node.arguments[6]),
        tuple(tables),
    )


def _entries_at(pattern: _Pattern, pieces: int) -> Callable[[int], float]:
    """Return what says the entry of an index for a number of *pieces* on the board."""
    numbers = [number for number in pattern.stages if isinstance(number, int)]
    if MIXED not in pattern.stages:
        table = pattern.tables[sum(first <= pieces for first in numbers)]
        return lambda index: float(table[index])
    stage = max(sum(number <= pieces for number in numbers) - 1, 0)
    following = min(stage + 1, len(numbers) - 1)
    width = max(numbers[following] - numbers[stage], 1)
    share = max(pieces - numbers[stage], 0) / width if following > stage else 0.0
    table, next_table = pattern.tables[stage], pattern.tables[following]
    return lambda index: float(
        np.float32(table[index] + share * (next_table[index] - table[index]))
    )


def _pieces(name: str, row: Row) -> int:
    is_own, are_kings = _SETS[name]
    held = row[0] if is_own is bool(row[3]) else row[1]
    return held if are_kings is None else held & (row[2] if are_kings else ~row[2])


def _differences(row: Row) -> tuple[int, int]:
    men, kings = (
        _pieces(f"own_{kind}", row).bit_count() - _pieces(f"opponent_{kind}", row).bit_count()
        for kind in (_MEN, _KINGS)
    )
    return men, kings


def _region(squares: Sequence[int], rules: GameRules) -> str:
    """Return the region of *squares* on a board that is filled: a corner, an edge, the middle."""
    shape = rules.shape
    places = [divmod(square, shape.columns) for square in squares]
    lines = [[row for row, _ in places], [column for _, column in places]]
    lasts = (shape.rows - 1, shape.columns - 1)
    # The end of the board, first or last, in whose half all squares are; None where none is.
    halves = [
        0 if max(line) <= last // 2 else last if min(line) > last // 2 else None
        for line, last in zip(lines, lasts, strict=True)
    ]
    corners = {
        (row, column) for row, column in places if row in (0, lasts[0]) and column in (0, lasts[1])
    }
    if len(corners) == 1 or (not corners and None not in halves and not _has_edge(lines, lasts)):
        row, column = corners.pop() if corners else halves
        assert row is not None
        assert column is not None
        return f"the corner {square_name(shape.index(row, column), shape)} and what is around it"
    for axis, line in enumerate(lines):
        for at in (0, lasts[axis]):
            if line.count(at) >= _ON_EDGE:
                ends = [(at, 0), (at, lasts[1])] if axis == 0 else [(0, at), (lasts[0], at)]
                first, last = (square_name(shape.index(*end), shape) for end in ends)
                return f"the edge from {first} to {last}"
    return "the middle of the board"


def _has_edge(lines: Sequence[Sequence[int]], lasts: Sequence[int]) -> bool:
    return any(
        line.count(at) >= _ON_EDGE
        for line, last in zip(lines, lasts, strict=True)
        for at in (0, last)
    )


def _band(squares: Sequence[int], rules: GameRules) -> str:
    """Return the region of *squares*, as Black sees them, where pieces move from home ahead."""
    columns, rows = rules.shape.columns, rules.shape.rows
    home = _home_row(rules)
    away = [abs(square // columns - home) for square in squares]
    if sum(distance == 0 for distance in away) >= 3 or away == [0]:
        return "its back row"
    if sum(distance == rows - 1 for distance in away) >= 3 or away == [rows - 1]:
        return "the other side's back row"
    # Pieces walk through the board: parts of it would gain and lose with every move.
    return "the places of the pieces"


def _home_row(rules: GameRules) -> int:
    """Return the row where Black's pieces begin that is farthest from the other side."""
    black = rules.start().row[0]
    rows = [
        square // rules.shape.columns
        for square in range(rules.shape.squares)
        if black >> square & 1
    ]
    return min(rows) if min(rows) == 0 else max(rows)


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
            words = "" if term.is_constant else parts.words.wanted_term(term)
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
