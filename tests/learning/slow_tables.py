"""Learning pattern tables by playing, slow and plain: the oracle of the kernel's loop.

Tables are lists in a dictionary, an index is counted digit by digit from sets of squares, and all
draws come from the keys that this module names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from evoply._native import Stream
from evoply.expressions import OTHELLO_PATTERNS, symmetric_copies
from evoply.expressions.operations import square_index
from evoply.games import game_rules
from evoply.learning import PatternConfig
from evoply.protocols import Color, Position, Row

COLUMNS = ("starts", "points", "discs", "plies", "squared_errors", "updates", "explored")


def squashed(x: float) -> float:
    """Return the continued fraction of tanh(x), within -1 and 1."""
    square = x * x
    above = x * (135135.0 + square * (17325.0 + square * (378.0 + square)))
    below = 135135.0 + square * (62370.0 + square * (3150.0 + square * 28.0))
    return max(-1.0, min(1.0, above / below))


@dataclass
class SlowTables:
    """The kernel's arguments by their names, but for the patterns, which are lists of copies."""

    game: str
    patterns: Sequence[Sequence[Sequence[str]]]
    stages: Sequence[int]
    tables: list[list[list[float]]]
    """By pattern and stage."""
    starts: Sequence[Row]
    key: int
    rates: Sequence[float]
    first_game: int = 0
    epsilon: float = 0.0
    random_plies: int = 0
    outcome: str = "sign"
    max_plies: int | None = None

    def learn(self) -> dict[str, Any]:
        """Play a game for each of the rates."""
        self.moves: list[list[int]] = []
        lessons = [self.play(self.first_game + n, rate) for n, rate in enumerate(self.rates)]
        entries = [value for stages in self.tables for table in stages for value in table]
        return {name: [one[name] for one in lessons] for name in COLUMNS} | {"parameters": entries}

    def play(self, number: int, rate: float) -> dict[str, Any]:
        rules, key = game_rules(self.game), Stream.from_key(self.key).child(number)
        draws = key.child()
        place = draws.below(len(self.starts))
        opening = draws.below(self.random_plies + 1)
        position = rules.position_from_row(self.starts[place])
        lesson: dict[str, Any] = {"starts": place, "plies": 0, "updates": 0, "explored": 0}
        lesson["squared_errors"] = 0.0
        before: tuple[Position, Color] | None = None
        self.moves.append([])
        while position.legal_moves and not self.is_capped(lesson):
            side, moves = position.turn, position.legal_moves
            stream = key.child(0 if side == Color.BLACK else 1).child(position.ply)
            index = 0
            if lesson["plies"] < opening:
                index = stream.below(len(moves))
            elif not moves.must_pass:
                children = [position.play(move) for move in moves]
                values = [self.worth_to_mover(child) for child in children]
                if before is not None:
                    best = max(values)
                    self.towards(before[0], best if before[1] == side else -best, rate, lesson)
                if len(moves) > 1 and self.epsilon > 0 and stream.random() < self.epsilon:
                    index = stream.below(len(moves))
                    lesson["explored"] += 1
                else:
                    equals = [i for i, value in enumerate(values) if value == max(values)]
                    index = equals[stream.below(len(equals)) if len(equals) > 1 else 0]
                before = children[index], side
            self.moves[-1].append(moves[index].code(position.shape))
            position = position.play(moves[index])
            lesson["plies"] += 1
        if before is not None:
            self.towards(before[0], self.outcome_for(position, before[1]), rate, lesson)
        outcome = position.outcome()
        lesson["points"] = 0.5 if outcome is None else outcome.points(Color.BLACK)
        lesson["discs"] = position.pieces(Color.BLACK) - position.pieces(Color.WHITE)
        return lesson

    def is_capped(self, lesson: dict[str, Any]) -> bool:
        return self.max_plies is not None and lesson["plies"] >= self.max_plies

    def worth_to_mover(self, child: Position) -> float:
        if child.outcome() is not None:
            return self.outcome_for(child, child.turn.opposite)
        return -squashed(self.total(child))

    def outcome_for(self, position: Position, side: Color) -> float:
        outcome = position.outcome()
        if outcome is None:
            return 0.0
        if self.outcome == "discs":
            return (position.pieces(side) - position.pieces(side.opposite)) / position.shape.squares
        return 2.0 * outcome.points(side) - 1.0

    def entries(self, position: Position) -> list[list[tuple[list[float], int]]]:
        """Return, for each pattern, the table and the index of each copy."""
        black, white, kings, black_moves, _, _ = position.row
        own, opponent = (black, white) if black_moves else (white, black)
        is_checkers = "checkers" in self.game
        sets = (
            (own & ~kings, own & kings, opponent & ~kings, opponent & kings)
            if is_checkers
            else (own, opponent)
        )
        stage = sum((black | white).bit_count() >= least for least in self.stages)
        found = []
        for copies, tables in zip(self.patterns, self.tables, strict=True):
            found.append([])
            for copy in copies:
                index = 0
                for name in copy:
                    square = square_index(position.shape, name)
                    if is_checkers and not black_moves:
                        square = position.shape.squares - 1 - square
                    digit = sum((n + 1) * (one >> square & 1) for n, one in enumerate(sets))
                    index = index * (len(sets) + 1) + digit
                found[-1].append((tables[stage], index))
        return found

    def total(self, position: Position) -> float:
        sums = []
        for entries in self.entries(position):
            one = 0.0
            for table, index in entries:
                one += table[index]
            sums.append(one)
        total = sums[0]
        for one in sums[1:]:
            total += one
        return total

    def towards(
        self, position: Position, worth: float, rate: float, lesson: dict[str, Any]
    ) -> None:
        """Move the entries of a board towards its *worth* to the side that moved there."""
        value = squashed(self.total(position))
        error = -worth - value
        change = rate * (error * (1.0 - value * value))
        for entries in self.entries(position):
            for table, index in entries:
                table[index] += change
        lesson["updates"] += 1
        lesson["squared_errors"] += error * error


def tables_of(config: PatternConfig, values: np.ndarray, **given: Any) -> SlowTables:
    """Return the tables of a config with these values, in the order of parameters."""
    rules, left = game_rules(config.game), iter(values.tolist())
    patterns, tables = [], []
    for one, size in zip(config.patterns, config.entries_of_tables(), strict=True):
        squares = OTHELLO_PATTERNS.get(one.squares, one.squares).split()
        patterns.append(symmetric_copies(squares, rules.shape, rules.symmetries))
        stages = range(len(config.stages) + 1)
        tables.append([list(islice(left, size)) for _ in stages])
    arguments = {"starts": [], "key": 0, "rates": [], **given}
    return SlowTables(config.game, patterns, config.stages, tables, **arguments)
