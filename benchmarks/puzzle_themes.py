"""Says what a puzzle is about: the cause that the coach gives, and a theme read by plain rules.

The cause is that of the best move against the second, along the lines of the puzzle. The rules of
the themes are in docs/puzzles.md.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from evoply.expressions.operations import OFFSETS
from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.games.squares import squares_in
from evoply.protocols import CERTAIN, Color, GameRecord, Position
from evoply.reports.adviser import Advice, Adviser
from evoply.reports.causes import CauseFound, cause_of
from evoply.reports.expected_lines import ExpectedLines
from evoply.reports.othello_concepts import regions
from evoply.reports.puzzle_book import Puzzle
from evoply.reports.scale import Scale

COUNTING = "counting"
THEMES = {
    "discs": ("corner", "parity", "mobility", "wedge", "quiet move", "sacrifice", COUNTING),
    "pieces": ("king", "sacrifice", "quiet move", COUNTING),
    "results": ("threat", "defence", "sacrifice", "quiet move", COUNTING),
}
"""The themes of puzzles, by unit."""
_DEPTH = 8
"""Plies that the coach looks ahead for a cause."""
_SOON = 4
"""Plies in which a corner or a king is taken soon."""
_FEW_EMPTIES = 20
_FAMILIES = {"corners": "corner", "mobility": "mobility", "frontier": "mobility"}
"""Themes that causes say."""


def with_theme(puzzle: Puzzle) -> Puzzle:
    """Return *puzzle* with its cause and theme."""
    lines = lines_of(puzzle)
    found = cause_at(puzzle, lines)
    cause = found.text if found is not None and found.causes else ""
    families = [one.family for one in found.causes if one.adds > 0] if found is not None else []
    return replace(puzzle, cause=cause, theme=theme_of(puzzle, lines, families))


def lines_of(puzzle: Puzzle) -> ExpectedLines:
    """Return both lines, played."""
    start: GameRecord = game_rules(puzzle.game).game(puzzle.start, (), NO_DRAWS)
    records = [start, start]
    for number, line in enumerate((puzzle.line, puzzle.second_line)):
        for move in line:
            records[number] = records[number].play(move)
    return ExpectedLines(*records)


def cause_at(puzzle: Puzzle, lines: ExpectedLines) -> CauseFound | None:
    """Return why the best move is better than the second, as a hint or a review says it.

    What names an answer is tested by a search without it. A proof needs no test.
    """
    record: GameRecord = game_rules(puzzle.game).game(puzzle.start, (), NO_DRAWS)
    best, second = (line.moves[0] for line in lines)
    with Adviser(puzzle.game) as adviser:
        if puzzle.unit == "pieces":
            advice = adviser.values(record, depth=_DEPTH)
        else:
            advice = _advice(puzzle, best, second)
        return cause_of(
            adviser, record, advice, best, second,
            lines=lines, is_tested=puzzle.unit != "results",
        )  # fmt: skip


def _advice(puzzle: Puzzle, best: Any, second: Any) -> Advice:
    """Return what the puzzle says of its two moves."""
    size = CERTAIN if puzzle.unit == "results" else 1.0
    unit = "none" if puzzle.unit == "results" else "discs"
    return Advice(
        player=puzzle.game,
        scale=Scale(unit, puzzle.start.shape.squares),  # type: ignore[arg-type]
        color=puzzle.color,
        moves=((best, puzzle.value * size), (second, puzzle.second_value * size)),
        raw=(),
        best=best,
        line=(best,),
        depth=min(puzzle.depth, _DEPTH),
        is_exact=puzzle.is_exact,
    )


def theme_of(puzzle: Puzzle, lines: ExpectedLines, families: list[str]) -> str:
    """Return the theme of *puzzle*: by its *lines*, and the *families* of its causes."""
    if puzzle.unit == "discs":
        return _discs_theme(*lines, families)
    if puzzle.unit == "pieces":
        return _pieces_theme(*lines, families)
    return _results_theme(puzzle, lines.first)


# Othello.


def _discs_theme(line: GameRecord, second: GameRecord, families: list[str]) -> str:
    mover = line.positions[0].turn
    corners = _corners_taken(line)
    if corners and corners[0][1] is not mover:
        given = {square for square, color in _corners_taken(second) if color is not mover}
        if not {square for square, color in corners if color is not mover} <= given:
            return "sacrifice"
    if _is_wedge(line):
        return "wedge"
    said = [_answer_theme(second) if name == "answer" else _FAMILIES.get(name) for name in families]
    theme = next((name for name in said if name), COUNTING)
    if theme == "corner":
        return theme
    sizes = [_region_size(one) for one in (line, second)]
    if sizes[0] % 2 and sizes[1] and not sizes[1] % 2:
        return "parity"
    return "quiet move" if _is_quiet(line) else theme


def _corners_taken(line: GameRecord) -> list[tuple[int, Color]]:
    """Return the corners taken soon, in order, and by whom."""
    shape = line.position.shape
    corners = {shape.index(r, c) for r in (0, shape.rows - 1) for c in (0, shape.columns - 1)}
    moves = zip(line.positions, line.moves[:_SOON], strict=False)
    return [
        (move.path[-1], position.turn)
        for position, move in moves
        if not move.is_pass and move.path[-1] in corners
    ]


def _answer_theme(line: GameRecord) -> str | None:
    """Return what the answer to the second move does: takes a corner, or leaves no move."""
    if any(color is not line.positions[0].turn for _, color in _corners_taken(line)[:1]):
        return "corner"
    return "mobility" if line.positions[2].legal_moves.must_pass else None


def _region_size(line: GameRecord) -> int:
    """Return the empty squares of the region that the first move begins, if there are several.

    0 if there is one region, or many empty squares.
    """
    found = regions(line.positions[0])
    if len(found) < 2 or sum(region.bit_count() for region in found) > _FEW_EMPTIES:
        return 0
    return next(one.bit_count() for one in found if one >> line.moves[0].path[-1] & 1)


def _is_wedge(line: GameRecord) -> bool:
    """Return whether the first move goes between two discs of the other side on an edge."""
    square, after = line.moves[0].path[-1], line.positions[1]
    row, column = divmod(square, after.shape.columns)
    other = _held(after, line.positions[0].turn.opposite)
    ways = []
    if row in (0, after.shape.rows - 1):
        ways.append((0, 1))
    if column in (0, after.shape.columns - 1):
        ways.append((1, 0))
    if len(ways) != 1:  # inside, or in a corner
        return False
    [(down, right)] = ways
    return all(
        other >> after.shape.index(row + sign * down, column + sign * right) & 1 for sign in (-1, 1)
    )


def _is_quiet(line: GameRecord) -> bool:
    """Return whether none of the discs that the first move turns has an empty square beside it."""
    before, after = line.positions[:2]
    mover, shape = before.turn, after.shape
    turned = _held(before, mover.opposite) & _held(after, mover)
    for square in squares_in(turned):
        row, column = divmod(square, shape.columns)
        for down, right in OFFSETS.values():
            near = row + down, column + right
            if 0 <= near[0] < shape.rows and 0 <= near[1] < shape.columns:
                bit = 1 << shape.index(*near)
                if not (after.row[0] | after.row[1]) & bit:
                    return False
    return True


def _held(position: Position, color: Color) -> int:
    return position.row[0 if color is Color.BLACK else 1]


# Checkers.


def _pieces_theme(line: GameRecord, second: GameRecord, families: list[str]) -> str:
    mover = line.positions[0].turn
    leads = [
        position.pieces(mover) - position.pieces(mover.opposite) for position in line.positions
    ]
    if leads[1] == leads[0] and min(leads) < leads[0] < leads[-1]:
        return "sacrifice"
    own, theirs = (
        [_is_crowned(record, color) for record in (line, second)]
        for color in (mover, mover.opposite)
    )
    if "kings" in families or own == [True, False] or theirs == [False, True]:
        return "king"
    return "quiet move" if leads[: _SOON + 1] == [leads[0]] * len(leads[: _SOON + 1]) else COUNTING


def _is_crowned(line: GameRecord, color: Color) -> bool:
    """Return whether *color* gets a king soon."""
    boards = line.positions[: _SOON + 1]
    kings = [(_held(position, color) & position.row[2]).bit_count() for position in boards]
    return any(after > before for before, after in pairwise(kings))


# Games from rules.


def _results_theme(puzzle: Puzzle, line: GameRecord) -> str:
    if puzzle.value <= 0:
        return "defence"
    before, after = line.positions[:2]
    taken = before.pieces(puzzle.color.opposite) - after.pieces(puzzle.color.opposite)
    if not taken and len(line) > 1 and line.moves[1].path[-1] == line.moves[0].path[-1]:
        return "sacrifice"
    if _threatens(line):
        return "threat"
    return COUNTING if taken else "quiet move"


def _threatens(line: GameRecord) -> bool:
    """Return whether the mover would win at once after its first move if it moved again."""
    after: Any = line.positions[1]
    row = (*after.row[:3], not after.row[3], *after.row[4:])
    again = game_rules(after.game).position_from_row(row)
    ends = [(again.play(move).outcome(), again.turn) for move in again.legal_moves]
    return any(outcome is not None and outcome.winner is turn for outcome, turn in ends)
