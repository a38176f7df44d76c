"""Puzzles that evoply found in its own games: one move is clearly best, and weak players miss it.

They lie in a file for each game, which `benchmarks/find_puzzles.py` writes; docs/puzzles.md says
how. What both lines of a puzzle lead to is found by playing them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from evoply.games import SHAPES, game_rules
from evoply.games.position import NO_DRAWS
from evoply.games.squares import square_name
from evoply.protocols import Color, GameRecord, Position
from evoply.protocols.sections import JsonData
from evoply.reports.part_words import joined
from evoply.wording import did_you_mean

Unit = Literal["discs", "pieces", "results"]
WIN = 1000.0
"""The value of a certain win in pieces; minus this of a loss. A game counted in discs has none."""
_STARS = (0.25, 0.175, 0.125)
"""A puzzle has a star more for each of these shares that its level's draws stay below."""


@dataclass(frozen=True, slots=True)
class Puzzle(JsonData):
    """A position with one move that is clearly best. Values are for the side to move."""

    also = ("color", "stars", "explanation")

    game: str
    number: int
    """From 1, the easiest first."""
    position: str
    """As text that `GameRules.parse` reads."""
    best: str
    value: float
    """What the best move is worth: the final difference in discs, or the difference in pieces at
    the end of its line (`WIN` if it wins), or the result: 1 for a win, -1 for a loss, 0 for neither
    within *depth* plies."""
    second: str
    """The second best move."""
    second_value: float
    line: tuple[str, ...]
    """How the game goes on, the best move first."""
    second_line: tuple[str, ...]
    unit: Unit
    depth: int
    """Plies looked ahead; those to the end of the game where it is exact."""
    is_exact: bool
    theme: str
    """What it is about, such as "corner"; docs/puzzles.md has all."""
    cause: str
    """Why the best move is better than the second, as the coach says it; "" if nothing says it."""
    level: int
    """A level of `strong` that misses it: the lowest that wins more than half its games against
    `greedy`. In a game without `strong` level N is `material:depth=N`, which draws among moves that
    it values alike."""
    found: int
    """How many of *draws* moves of that level are the best one."""
    draws: int
    solved_by: int | None
    """The lowest level that finds it in more than half of its draws, if there is one."""
    source: str
    """Which game it is from: the seed, and the number of the game and of its ply."""

    @property
    def start(self) -> Position:
        """The position."""
        return game_rules(self.game).parse(self.position)

    @property
    def color(self) -> Color:
        """The side to move."""
        return self.start.turn

    @property
    def gap(self) -> float:
        """How much better the best move is than the second."""
        return self.value - self.second_value

    @property
    def stars(self) -> int:
        """How hard it is, from 1 to 5: how seldom its level finds it, and whether a weak one does.

        Weak levels are those that *solved_by* is one of.
        """
        share = self.found / self.draws
        if self.unit == "results":  # chance alone finds most moves seldom where there are many
            return min(max(1, (self.solved_by or 5) - 1), 4) + (share < _STARS[-1])
        return 1 + sum(share < bound for bound in _STARS) + (self.solved_by is None)

    @property
    def explanation(self) -> str:
        """Why the best move is best, and what both lines lead to, in sentences."""
        best = _Told(self, self.line, self.value).sentence()
        second = _Told(self, self.second_line, self.second_value).sentence()
        after = f"After {self.second}, the second best, {second}."
        if self.unit == "results":
            only = "wins" if self.value > 0 else "does not lose"
            within = "" if self.is_exact else f" within {self.depth} plies"
            return f"Only {self.best} {only}{within}: {self.cause or best}. {after}"
        why = f"{self.cause}. After it, {best}" if self.cause else best
        how = "" if self.is_exact else f" Both are valued {self.depth} plies ahead."
        return f"{self.best} is best: {why}. {after}{how}"


@lru_cache(maxsize=8)
def puzzles(game: str = "othello") -> tuple[Puzzle, ...]:
    """Return the puzzles of *game*, the easiest first; `ValueError` if it has none.

    >>> puzzle = puzzles("othello")[0]
    >>> puzzle.best in puzzle.start.legal_moves.__str__().split(), puzzle.gap >= 6
    (True, True)
    """
    known = puzzle_games()
    if game not in known:
        hint = did_you_mean(game, known) or "."
        raise ValueError(f"there are no puzzles of {game!r}{hint} There are some of {_and(known)}")
    return tuple(
        puzzle_from_dict({"game": game, "number": number, **fields})
        for number, fields in enumerate(puzzle_file(game)["puzzles"], 1)
    )


def puzzle_file(game: str) -> dict[str, Any]:
    """Return what the file of *game* holds: the puzzles, and how they were found."""
    data: dict[str, Any] = json.loads(_file(game).read_text(encoding="utf-8"))
    return data


def puzzle_games() -> tuple[str, ...]:
    """Return the games that have puzzles.

    >>> puzzle_games()
    ('breakthrough', 'checkers', 'connect-four', 'gomoku-9', 'othello')
    """
    return tuple(sorted(path.stem.partition("-")[2] for path in _file("*").parent.glob(_NAMES)))


def puzzle_from_dict(fields: dict[str, Any]) -> Puzzle:
    """Return the puzzle with these *fields*."""
    lines = {name: tuple(fields[name].split()) for name in ("line", "second_line")}
    return Puzzle(**{**fields, **lines})


def same_up_to_symmetry(position: Position) -> tuple[int, int, int]:
    """Return what positions have in common that differ by a symmetry or by exchanged colours.

    It is a set of own squares, one of the opponent's and one of kings, seen by the side to move.

    >>> start = game_rules("othello").start()
    >>> len({same_up_to_symmetry(start.play(move)) for move in start.legal_moves})
    1
    """
    from evoply import _native  # the kernel, which no reader of puzzles needs

    rules = game_rules(position.game)
    if position.turn is Color.WHITE:
        position = position.colors_exchanged()
    if rules.shape not in SHAPES.values():  # the kernel turns no other board
        return position.row[:3]
    side = rules.shape.side

    def image(symmetry: int) -> tuple[int, int, int]:
        own, other, kings = (
            _native.symmetry(side, squares, symmetry) for squares in position.row[:3]
        )
        return own, other, kings

    return min(map(image, rules.symmetries))


_NAMES = "puzzles-*.json"


def _file(game: str) -> Path:
    return Path(__file__).with_name(f"puzzles-{game}.json")


def _and(names: Sequence[str]) -> str:
    return joined(list(names)) if names else "no game"


class _Told:
    """What a line of a puzzle leads to, found by playing it."""

    def __init__(self, puzzle: Puzzle, line: Sequence[str], value: float) -> None:
        self.puzzle, self.value = puzzle, value
        self.mover = puzzle.start.turn
        record: GameRecord = game_rules(puzzle.game).game(puzzle.start, (), NO_DRAWS)
        for move in line:
            record = record.play(move)
        self.record = record

    def sentence(self) -> str:
        """Return what happens, and how it ends."""
        if self.puzzle.unit == "results":
            return self._result()
        events = self._corners() if self.puzzle.unit == "discs" else self._captures()
        return "; ".join([*events, self._end()])

    def _result(self) -> str:
        if self.value:
            winner = self.mover if self.value > 0 else self.mover.opposite
            return f"{winner} wins in {_plies(len(self.record))}"
        if self.record.outcome() is not None:
            return "the game ends in a draw"
        return f"nobody wins within {_plies(self.puzzle.depth)}"

    def _end(self) -> str:
        mover, other = (str(color) for color in (self.mover, self.mover.opposite))
        if self.puzzle.unit == "pieces" and abs(self.value) >= WIN:
            return f"{mover if self.value > 0 else other} wins"
        ends = "ends" if self.puzzle.is_exact else "is expected to end"
        if self.puzzle.unit == "pieces":
            ends = "is then"
        size = abs(round(self.value))
        if not size:
            return f"{mover} {ends} level" if ends == "is then" else f"the game {ends} in a draw"
        unit = self.puzzle.unit if size != 1 else self.puzzle.unit[:-1]
        return f"{mover} {ends} {size} {unit} {'ahead' if self.value > 0 else 'behind'}"

    def _corners(self) -> list[str]:
        shape = self.record.position.shape
        corners = {
            shape.index(row, column)
            for row in (0, shape.rows - 1)
            for column in (0, shape.columns - 1)
        }
        taken: dict[Color, list[str]] = {color: [] for color in Color}
        passes = dict.fromkeys(Color, 0)
        for position, move in zip(self.record.positions, self.record.moves, strict=False):
            if move.is_pass:
                passes[position.turn] += 1
            elif move.path[-1] in corners:
                taken[position.turn].append(square_name(move.path[-1], shape))
        said = []
        for color in (self.mover, self.mover.opposite):
            does = []
            if taken[color]:
                does.append(
                    f"takes the corner{'s' * (len(taken[color]) > 1)} {joined(taken[color])}"
                )
            if passes[color]:
                does.append(
                    "has to pass" + (f" {_times(passes[color])}" if passes[color] > 1 else "")
                )
            if does:
                said.append(f"{color} {' and '.join(does)}")
        return said

    def _captures(self) -> list[str]:
        first, last = self.record.positions[0], self.record.position
        lost = {color: first.pieces(color) - last.pieces(color) for color in Color}
        given, won = lost[self.mover], lost[self.mover.opposite]
        kings = self._kings()
        if not given and not won:
            return [f"nobody takes a piece{kings}"]
        if not given:
            return [f"{self.mover} takes {won} and loses none{kings}"]
        if not won:
            return [f"{self.mover} loses {given} and takes none{kings}"]
        return [f"{self.mover} loses {given} and takes {won}{kings}"]

    def _kings(self) -> str:
        own = [self._own_kings(position) for position in self.record.positions]
        is_made = any(after > before for before, after in pairwise(own))
        return ", and has a new king" if is_made else ""

    def _own_kings(self, position: Position) -> int:
        own = position.row[0 if self.mover is Color.BLACK else 1]
        return (own & position.row[2]).bit_count()


def _plies(count: int) -> str:
    return f"{count} plies" if count > 1 else "one ply"


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"
