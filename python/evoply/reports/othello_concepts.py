"""The concepts of Othello, in the words of its rules: mobility, frontier, corners, parity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

from evoply.expressions import Number, features
from evoply.expressions.functions import count, destinations
from evoply.games import GameRules
from evoply.games.squares import squares_in
from evoply.protocols import BoardShape, Color, Position
from evoply.reports.concepts import Concept, ReadLine, Told, Words, counted, number_text
from evoply.reports.part_words import joined

_SOON = 4
"""Plies within which a corner is given or won."""
_SEEN = 6
"""Plies of a line that a person follows."""
_FEW_SAFE = 2
_SEEN_STABLE = 3
_LATE = 12
"""Empty squares from which on counting decides: most moves and open discs are no reasons then."""
_FEW_EMPTIES = 20
"""Empty squares from which regions are counted."""


def _corner_bits(shape: BoardShape) -> int:
    rows, columns = (0, shape.rows - 1), (0, shape.columns - 1)
    return sum(1 << shape.index(row, column) for row in rows for column in columns)


def _beside(squares: int, shape: BoardShape, *, straight: bool = True) -> int:
    """Return the squares beside *squares*: diagonally, and with *straight* in all directions."""
    found = 0
    for square in squares_in(squares):
        row, column = divmod(square, shape.columns)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                is_straight = down == 0 or right == 0
                inside = 0 <= row + down < shape.rows and 0 <= column + right < shape.columns
                if inside and (straight or not is_straight):
                    found |= 1 << shape.index(row + down, column + right)
    return found & ~squares


def _empty(position: Position) -> int:
    black, white = position.row[:2]
    return ((1 << position.shape.squares) - 1) & ~(black | white)


def _held(position: Position, color: Color) -> int:
    return position.row[0 if color is Color.BLACK else 1]


# Corners: given, taken, and squares beside those that are empty.


def _corners(line: ReadLine, is_own: bool, plies: int) -> dict[int, int]:
    """Return the corners that a side takes within so many *plies*, with the ply of each."""
    corners = _corner_bits(line.record.position.shape)
    return {
        square: ply
        for ply, (own, square) in enumerate(line.arrivals(plies))
        if own is is_own and square >= 0 and corners >> square & 1
    }


def _corner_words(told: Told, plies: int = _SOON) -> str:
    good, bad = told.good, told.bad
    taken, given = _corners(good, True, plies), _corners(bad, False, plies)
    # What comes in both lines, only later in one, is no difference; nor what is open in both.
    own_later, other_later = _corners(bad, True, _SEEN), _corners(good, False, _SEEN)
    other_later = {**other_later, **dict.fromkeys(_open_corners(good), 1)}
    at_once = [corner for corner, ply in taken.items() if ply == 0]
    if at_once and at_once[0] not in own_later:
        also = f", which {told.opp} gets after {bad.move}" * (at_once[0] in given)
        return f"{good.move} takes the corner{also}"
    for corner, ply in given.items():
        if corner not in other_later:
            [name] = good.named(1 << corner)
            line = f" ({bad.until(ply)})" if ply > 1 else ""
            return f"{bad.move} gives {told.opp} the corner {name}{line}"
    for corner, ply in taken.items():
        if ply and corner not in own_later:
            [name] = good.named(1 << corner)
            return f"{good.move} wins the corner {name} ({good.until(ply)})"
    return ""


def _open_corners(line: ReadLine) -> list[int]:
    """Return the corners that the other side can take after the first move."""
    after = line.at(1)
    if after.turn is line.color:
        return []
    corners = _corner_bits(after.shape)
    moves = [move.path[-1] for move in after.legal_moves if not move.is_pass]
    return [square for square in moves if corners >> square & 1]


def _corner_answer(told: Told) -> str:
    """Return the corner that the other side can take at once after the bad move, and does."""
    return told.bad.texts[1] if 1 in _corners(told.bad, False, 2).values() else ""


def _corner_move_words(told: Told) -> str:
    if told.x or not _corner_answer(told):
        return ""
    names = told.bad.named(sum(1 << square for square in _open_corners(told.bad)))
    return f"{told.bad.move} lets {told.opp} into the corner {joined(names, 'or')}"


def _risky_squares(line: ReadLine, kind: str) -> int:
    """Return the squares with discs of the side beside empty corners after its move."""
    shape, position = line.record.position.shape, line.at(1)
    corners = _corner_bits(shape) & _empty(position)
    diagonal = _beside(corners, shape, straight=False)
    where = diagonal if kind == "X" else _beside(corners, shape) & ~diagonal
    return _held(position, line.color) & where


def _risky_words(kind: str) -> Words:
    def words(told: Told) -> str:
        new = _risky_squares(told.bad, kind) & ~_risky_squares(told.good, kind)
        new &= ~_held(told.bad.at(0), told.bad.color)
        if not new:
            return ""
        shape = told.bad.record.position.shape
        square = told.bad.arrivals(1)[0][1]
        is_move = square >= 0 and new >> square & 1
        here = 1 << square if is_move else new & -new
        corner = _beside(here, shape) & _corner_bits(shape) & _empty(told.bad.at(1))
        beside = f"beside the empty corner {told.bad.named(corner)[0]}"
        [name] = told.bad.named(here)
        if is_move:
            return f"{told.bad.move} is the {kind} square {beside}"
        return f"{told.bad.move} turns the {kind} square {name} {beside}"

    return words


def _driven(line: ReadLine) -> list[tuple[int, int, int]]:
    """Return moves of the other side beside empty corners: ply, square, corner."""
    shape = line.record.position.shape
    found = []
    for ply, (own, square) in enumerate(line.arrivals(_SEEN)):
        if not own and square >= 0:
            corners = _corner_bits(shape) & _empty(line.at(ply))
            near = _beside(1 << square, shape) & corners
            if near and not corners >> square & 1:
                found.append((ply, square, near))
    return found


def _drives(line: ReadLine, other: ReadLine) -> float:
    """Return 1 if the other side has to move beside an empty corner soon, and had better choices.

    It has to if it has no safe move there.
    """
    return float(any(_is_forced(line, ply) for ply, _, _ in _driven(line)))


def _is_forced(line: ReadLine, ply: int) -> bool:
    """Whether all legal moves before that number *ply* are beside empty corners."""
    position = line.at(ply)
    shape = position.shape
    corners = _corner_bits(shape) & _empty(position)
    near = _beside(corners, shape)
    return all(not move.is_pass and near >> move.path[-1] & 1 for move in position.legal_moves)


def _drive_words(told: Told) -> str:
    other = {square for _, square, _ in _driven(told.bad)}
    for ply, square, corners in _driven(told.good):
        if square not in other and _is_forced(told.good, ply):
            [name], corner = told.good.named(1 << square), told.good.named(corners)[0]
            line = f" ({told.good.until(ply)})" if ply > 1 else ""
            where = f"{name} beside the empty corner {corner}{line}"
            return f"{told.good.move} drives {told.opp} to {where}"
    return ""


@lru_cache(maxsize=8)
def _axes(shape: BoardShape) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return for each of four axes its lines of squares, and each square's two neighbours.

    All are given as bits, a neighbour as 0 where the board ends.
    """
    found = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        lines: dict[int, int] = {}
        near = []
        for square in range(shape.squares):
            row, column = divmod(square, shape.columns)
            key = row if down == 0 else column * down if right == 0 else row * right - column
            lines[key] = lines.get(key, 0) | 1 << square
            near += [
                1 << shape.index(r, c) if 0 <= r < shape.rows and 0 <= c < shape.columns else 0
                for r, c in ((row - down, column - right), (row + down, column + right))
            ]
        found.append((tuple(lines.values()), tuple(near)))
    return tuple(found)


def stable(position: Position, color: Color) -> int:
    """Return the discs of *color* that can never be turned again, as bits; a few may be missing.

    On each axis such a disc stands in a full line, at the edge, or beside another such disc.
    """
    shape, taken = position.shape, ~_empty(position)
    own = _held(position, color)
    axes = _axes(shape)
    full = []
    for lines, _ in axes:
        whole = 0
        for line in lines:
            if line & taken == line:
                whole |= line
        full.append(whole)
    found, grows = 0, True
    while grows:
        grows = False
        for square in squares_in(own & ~found):
            bit = 1 << square
            if all(
                whole & bit
                or not near[2 * square]
                or not near[2 * square + 1]
                or found & (near[2 * square] | near[2 * square + 1])
                for whole, (_, near) in zip(full, axes, strict=True)
            ):
                found |= bit
                grows = True
    return found


def _stable_lead(plies: int) -> Callable[[ReadLine, ReadLine], float]:
    def lead(line: ReadLine, other: ReadLine) -> float:
        position = line.at(plies)
        own, theirs = (stable(position, side) for side in (line.color, line.color.opposite))
        return float(own.bit_count() - theirs.bit_count())

    return lead


def _stable_words(told: Told) -> str:
    """Return the corner that makes the discs stable, or else whose stable discs differ most."""
    if corner := _corner_words(told, _SEEN):
        return corner
    good, bad = told.good, told.bad
    counts = [
        [stable(line.at(_SEEN), side).bit_count() for line in (good, bad)]
        for side in (good.color, good.color.opposite)
    ]
    (own, own_else), (theirs, theirs_else) = counts
    lines = [(own, good.move), (own_else, bad.move)]
    who, gain = told.me, own - own_else
    if theirs_else - theirs > gain:
        who, gain = told.opp, theirs_else - theirs
        lines = [(theirs_else, bad.move), (theirs, good.move)]
    if gain < _SEEN_STABLE:
        return ""
    (many, after), (few, otherwise) = lines
    return (
        f"three moves later {who} has {number_text(many, 'stable disc')} after {after}, "
        f"{few or 'none'} after {otherwise}"
    )


# Moves: who can choose, who has to pass, who plays where both want to.


def _passes(line: ReadLine, other: ReadLine) -> float:
    """Return how often the other side passes soon, less how often the own side does."""
    return float(sum(-1 if own else 1 for own, square in line.arrivals(_SEEN) if square < 0))


def _pass_words(told: Told) -> str:
    for line, is_good in ((told.good, True), (told.bad, False)):
        for ply, (own, square) in enumerate(line.arrivals(_SOON)):
            if square < 0 and own is not is_good:
                who = told.opp if is_good else told.me
                after = line.until(ply - 1)
                return f"after {line.move} {who} has to pass{f' ({after})' if after else ''}"
    return ""


def _urgent(line: ReadLine, other: ReadLine) -> float:
    """Return 1 if the other side plays the same square after the other move."""
    moves = other.arrivals(2)
    return float(len(moves) > 1 and not moves[1][0] and moves[1][1] == line.arrivals(1)[0][1])


def _urgent_words(told: Told) -> str:
    return f"{told.good.move} is urgent: after {told.bad.move} {told.opp} plays there"


def answer_words(line: ReadLine) -> str:
    """Return what the answer to the move of *line* does; "" if a person would see nothing."""
    own, square = line.arrivals(2)[1]
    if own or square < 0:
        return ""
    shape = line.record.position.shape
    if _corner_bits(shape) >> square & 1:
        return "takes the corner"
    after = line.at(2)
    if after.legal_moves.must_pass:
        return f"makes {line.color} pass"
    if _empty(after).bit_count() <= _LATE:
        return ""
    near = _beside(_corner_bits(shape) & _empty(after), shape)
    safe = sum(not near >> move.path[-1] & 1 for move in after.legal_moves)
    return f"leaves {line.color} {number_text(safe, 'safe move')}" if safe <= _FEW_SAFE else ""


def _own_move(told: Told) -> str:
    return told.good.move


# Parity: regions of empty squares and who plays last there.


def regions(position: Position) -> list[int]:
    """Return the regions of empty squares of *position*, joined in all eight directions."""
    left, found = _empty(position), []
    while left:
        region, new = 0, left & -left
        while new:
            region |= new
            new = _beside(new, position.shape) & left & ~region
        found.append(region)
        left &= ~region
    return found


def _odd_region(line: ReadLine, other: ReadLine) -> float:
    """Return 1 if the move begins one of several regions, with an odd number of empty squares."""
    return float(_region_size(line) % 2)


def _region_size(line: ReadLine) -> int:
    """Return the empty squares of the move's region; 0 if there is one region or many squares."""
    position, square = line.at(0), line.arrivals(1)[0][1]
    if square < 0 or _empty(position).bit_count() > _FEW_EMPTIES:
        return 0
    found = regions(position)
    if len(found) < 2:
        return 0
    return next(region.bit_count() for region in found if region >> square & 1)


def _region_words(told: Told) -> str:
    good, bad = _region_size(told.good), _region_size(told.bad)
    if not good or not bad:
        return ""
    return (
        f"{told.good.move} plays into an odd region ({number_text(good, 'empty square')}), "
        f"{told.bad.move} into an even one ({bad})"
    )


# The table.

_SAFE = destinations("own") - features.beside_empty_corners()


def _lead(feature: Callable[..., Number], *options: str) -> Number:
    return feature("own", *options) - feature("opponent", *options)


def _outside_later(whose: str) -> Words:
    later = f"two moves later {whose} has {{x}} open to the outside after {{a}}, {{y}} after {{c}}"
    return counted(later, "disc")


_CONCEPTS: Mapping[str, Concept] = MappingProxyType(
    {
        "answers": Concept(
            "mobility", -1, 1, features.mobility("opponent"),
            counted("{a} leaves {opp} {x}, {c} {y}", "move"),
        ),
        "safe_answers": Concept(
            "mobility", -1, 1, features.safe_moves("opponent"),
            counted("{a} leaves {opp} {x}, {c} {y}", "safe move"), late=_LATE,
        ),
        "next_moves": Concept(
            "mobility", 1, 2, features.mobility("own"),
            counted("{a} leaves {me} {x} next, {c} {y}", "move"), 2, late=_LATE,
        ),
        "next_safe_moves": Concept(
            "mobility", 1, 2, features.safe_moves("own"),
            counted("{a} leaves {me} {x} next, {c} {y}", "safe move"), late=_LATE,
        ),
        "reserve": Concept(
            "mobility", 1, 2, count(_SAFE - destinations("opponent")),
            counted("{a} leaves {me} {x} next that {opp} cannot play, {c} {y}", "safe move"),
            late=_LATE,
        ),
        "their_safe_moves_later": Concept(
            "mobility", -1, 3, features.safe_moves("opponent"),
            counted("at its second answer {opp} has {x} after {a}, {y} after {c}", "safe move"), 3,
            late=_LATE,
        ),
        "safe_moves_later": Concept(
            "mobility", 1, 4, features.safe_moves("own"),
            counted("two moves later {me} has {x} after {a}, {y} after {c}", "safe move"), 3,
            late=_LATE,
        ),
        "safe_moves_at_last": Concept("mobility", 1, 6, _lead(features.safe_moves)),
        "no_safe_answer": Concept("mobility", 1, 1, features.no_safe_move("opponent")),
        "no_safe_at_last": Concept("mobility", -1, 6, _lead(features.no_safe_move)),
        "few_discs": Concept("mobility", 1, 6, _lead(features.few_discs)),
        "moves_at_last": Concept("mobility", 1, 6, _lead(features.mobility)),
        "passes": Concept("mobility", 1, 6, _passes, _pass_words),
        "frontier": Concept(
            "frontier", -1, 1, features.frontier("own"),
            counted("{a} leaves {x} of {me} open to the outside, {c} {y}", "disc"), 3, late=_LATE,
        ),
        "their_frontier": Concept(
            "frontier", 1, 1, features.frontier("opponent"),
            counted("{a} leaves {x} of {opp} open to the outside, {c} {y}", "disc"), 3, late=_LATE,
        ),
        "frontier_later": Concept(
            "frontier", -1, 3, features.frontier("own"),
            _outside_later("{me}"), 4, late=_LATE,
        ),
        "their_frontier_later": Concept(
            "frontier", 1, 4, features.frontier("opponent"),
            _outside_later("{opp}"), 4, late=_LATE,
        ),
        "reach": Concept(
            "frontier", -1, 1, features.reach("own"),
            counted("{a} leaves {x} beside discs of {me}, {c} {y}", "empty square"), 4, late=_LATE,
        ),
        "their_reach": Concept(
            "frontier", 1, 1, features.reach("opponent"),
            counted("{a} leaves {x} beside discs of {opp}, {c} {y}", "empty square"), 4, late=_LATE,
        ),
        "reach_at_last": Concept("frontier", -1, 6, _lead(features.reach)),
        "second_ring": Concept("frontier", -1, 6, _lead(features.second_ring)),
        "inner_frontier": Concept("frontier", -1, 6, _lead(features.inner_frontier)),
        "frontier_at_last": Concept("frontier", -1, 6, _lead(features.frontier)),
        "corners": Concept(
            "corners", 1, 4, _lead(features.corners), _corner_words,
            answer=_corner_answer,
        ),
        "corners_at_last": Concept("corners", 1, 6, _lead(features.corners)),
        "corner_answers": Concept(
            "corners", -1, 1, features.corner_moves("opponent"), _corner_move_words,
            answer=_corner_answer,
        ),
        "corner_moves_at_last": Concept("corners", 1, 6, _lead(features.corner_moves)),
        "x_squares": Concept("corners", -1, 1, features.risky("own", "x"), _risky_words("X")),
        "c_squares": Concept("corners", -1, 1, features.risky("own", "c"), _risky_words("C")),
        "open_c_at_last": Concept("corners", -1, 6, _lead(features.open_c)),
        "x_squares_at_last": Concept("corners", -1, 6, _lead(features.risky, "x")),
        "c_squares_at_last": Concept("corners", -1, 6, _lead(features.risky, "c")),
        "driven": Concept("corners", 1, 6, _drives, _drive_words),
        "stable": Concept("corners", 1, 4, _stable_lead(4)),
        "stable_at_last": Concept(
            "corners", 1, 6, _stable_lead(6), _stable_words, 3,
            answer=_corner_answer,
        ),
        "wedges": Concept("edges", -1, 6, _lead(features.wedges)),
        "odd_region": Concept("parity", 1, 1, _odd_region, _region_words),
        "urgent": Concept("order", 1, 2, _urgent, _urgent_words, answer=_own_move),
    }
)  # fmt: skip
"""Counts right after the moves are said, later ones only if they differ by much."""


def othello_concepts(_: GameRules) -> Mapping[str, Concept]:
    """Return the concepts, which are the same on boards of any size."""
    return _CONCEPTS
